/*
 * symtab.h - which function symbol holds an address.
 *
 * A symbol with a size holds its bytes; where symbols nest, the innermost one holds. A symbol
 * without size (assembly) holds what follows it up to the next symbol or the end of its section.
 * Everything else is a gap and stays without name. Of several names for the same bytes one is taken
 * by a fixed rule: functions before plain labels, global and weak before local, fewer leading
 * underscores, global before weak, then the order of bytes.
 */
#ifndef CPF_SYMTAB_H
#define CPF_SYMTAB_H

#include "base/base.h"

struct cpf_symtab;

enum cpf_sym_flags {
	CPF_SYM_LABEL = 1, /* not known to be a function, a name for a place */
	CPF_SYM_WEAK = 2,
	CPF_SYM_LOCAL = 4,
	CPF_SYM_PLAIN = 8, /* no version (@VER) behind the name */
	CPF_SYM_DATA = 32, /* no code: it only ends symbols without size */
	CPF_SYM_COPY = 16  /* keep a copy of the name; it is borrowed otherwise */
};

/* A range of addresses that holds code: a section, mostly. */
struct cpf_code_range {
	uint64_t start, end;
};

struct cpf_symtab_answer {
	const char *name;
	uint64_t start, end;
	uint32_t aliases; /* other functions folded into the same bytes; see cpf_symtab_find */
};

struct cpf_symtab *cpf_symtab_new(void);
void cpf_symtab_free(struct cpf_symtab *s);

/* Markers that name no place ($d, .L1) are left out. flags: enum cpf_sym_flags. */
void cpf_symtab_add(
        struct cpf_symtab *s, const char *name, uint64_t start, uint64_t size, unsigned flags);
/* Puts in order what is there so far. */
void cpf_symtab_sort(struct cpf_symtab *s);
/* The name of what begins at start, of those in order, or NULL. */
const char *cpf_symtab_exact(const struct cpf_symtab *s, uint64_t start);

/*
 * To be called once, after all is added and before the first question. Only what lies in code
 * counts: ranges ascend and do not overlap.
 */
void cpf_symtab_finish(struct cpf_symtab *s, const struct cpf_code_range *code, size_t n);
size_t cpf_symtab_count(const struct cpf_symtab *s);

/*
 * 1 and the symbol that holds addr, or 0. aliases leaves out names that are the same function in
 * the source: versions (@VER), leading underscores, complete and base constructors, hashes of Rust.
 */
int cpf_symtab_find(struct cpf_symtab *s, uint64_t addr, struct cpf_symtab_answer *out);
/* Is name one of those that the symbol at this address has? */
int cpf_symtab_has(struct cpf_symtab *s, uint64_t addr, const char *name);

#endif
