/*
 * elf_syms.h - which function symbol holds an address.
 *
 * A symbol with a size holds its bytes; where symbols nest, the innermost one holds. A symbol
 * without size (assembly) holds what follows it up to the next symbol or the end of its section.
 * Everything else is a gap and stays without name. Of several names for the same bytes one is taken
 * by a fixed rule: functions before plain labels, global before weak before local, fewer leading
 * underscores, then the order of bytes.
 */
#ifndef CPF_ELF_SYMS_H
#define CPF_ELF_SYMS_H

#include "base/base.h"

#include "symbolize/elf_file.h"

struct cpf_elf_syms;

struct cpf_elf_sym {
	const char *name;
	uint64_t start, end;
	uint32_t aliases; /* other functions folded into the same bytes; see cpf_elf_syms_find */
};

struct cpf_elf_syms *cpf_elf_syms_new(void);
void cpf_elf_syms_free(struct cpf_elf_syms *s);

/* Add what a file has; files are borrowed until the table is freed. */
void cpf_elf_syms_add(struct cpf_elf_syms *s, const struct cpf_elf *f);
/* NAME@plt for the stubs of a file that calls of other libraries go through (elf_plt.c). */
void cpf_elf_syms_add_plt(struct cpf_elf_syms *s, const struct cpf_elf *f);
/* One symbol; name is copied. */
void cpf_elf_syms_add_one(struct cpf_elf_syms *s, const char *name, uint64_t start, uint64_t size);

/* For elf_plt.c: puts in order what is there so far, and the name of what begins at start, or NULL. */
void cpf_elf_syms_sort(struct cpf_elf_syms *s);
const char *cpf_elf_syms_exact(const struct cpf_elf_syms *s, uint64_t start);

/*
 * To be called once, after all is added and before the first question. Only what lies in code
 * sections of code counts.
 */
void cpf_elf_syms_finish(struct cpf_elf_syms *s, const struct cpf_elf *code);
size_t cpf_elf_syms_count(const struct cpf_elf_syms *s);

/*
 * 1 and the symbol that holds addr, or 0. aliases leaves out names that are the same function in
 * the source: versions (@VER), leading underscores, complete and base constructors, hashes of Rust.
 */
int cpf_elf_syms_find(struct cpf_elf_syms *s, uint64_t addr, struct cpf_elf_sym *out);
/* Is name one of those that the symbol at this address has? */
int cpf_elf_syms_has(struct cpf_elf_syms *s, uint64_t addr, const char *name);

#endif
