/*
 * elf_file.h - an ELF file opened with libelf: what it is, its ids, and where its segments lie.
 *
 * Only regular files are opened, and never one that would block. Headers come from strangers: every
 * number is checked by libelf or here before it is used. The file is mapped, so a file that another
 * process cuts short while it is read ends the program, as with every reader that maps.
 */
#ifndef CPF_ELF_FILE_H
#define CPF_ELF_FILE_H

#include "base/base.h"

#include "symbolize/sink.h"
#include "symbolize/symtab.h"

struct Elf; /* of libelf */

#define CPF_ELF_ID_MAX 64

/* A segment that is loaded (PT_LOAD). */
struct cpf_elf_load {
	uint64_t offset, filesz, vaddr, memsz;
	int exec;
};

struct cpf_elf {
	struct Elf *elf;
	int fd;                     /* -1: from memory */
	void *memory;               /* owned image, or NULL */
	char *path;                 /* for messages */
	uint8_t id[CPF_ELF_ID_MAX]; /* GNU build id */
	size_t nid;                 /* 0 = none */
	unsigned type, machine;     /* e_type, e_machine */
	int big;                    /* big-endian */
	uint64_t base;              /* address of the first PT_LOAD segment */
	struct cpf_elf_load *loads; /* in file order */
	size_t nloads;
	struct cpf_code_range *code; /* sections that hold code, ascending, not overlapping */
	size_t ncode;
	int has_code; /* code sections have contents: not a debug file */
	int has_symtab, has_dwarf;
};

/* 0; 1: there is no such file; -1: it cannot be used, r says why. */
int cpf_elf_open(struct cpf_elf **out, const char *path, struct cpf_reason *r);
/* Takes an image in memory over, whatever it returns; data is from cpf_malloc. */
int cpf_elf_memory(
        struct cpf_elf **out, const char *name, void *data, size_t n, struct cpf_reason *r);
void cpf_elf_close(struct cpf_elf *f);

/* The contents of the section called name, or NULL. Borrowed. */
const void *cpf_elf_section(const struct cpf_elf *f, const char *name, size_t *n);

/*
 * The id that Breakpad tools and the Firefox Profiler know a file by, 33 digits and NUL: the first
 * 16 bytes of the build id as a little-endian GUID and age 0; without build id made of the first
 * bytes of .text. Returns 0 if there is neither.
 */
int cpf_elf_debug_id(const struct cpf_elf *f, char out[34]);

/* Lower-case hex of an id; out has room for 2 * n + 1. */
void cpf_hex(char *out, const uint8_t *id, size_t n);
/* The bytes of hex digits, or 0 if text is not an even number of them or too long. */
size_t cpf_unhex(uint8_t id[CPF_ELF_ID_MAX], const char *text);

#endif
