/*
 * dwarf.h - function names, inline chains, files and lines out of DWARF 2 to 5, for batches of
 * ascending addresses.
 *
 * What is read follows the addresses: the units they lie in, of these the functions and the line
 * table, and what those refer to. Split units (.dwo files, .dwp packages) and the file that dwz
 * shares between several (.gnu_debugaltlink) are opened when a unit asks for them.
 *
 * Damaged data gives what can be proven and no more; it never fails a run.
 */
#ifndef CPF_DWARF_H
#define CPF_DWARF_H

#include "base/base.h"

#include "symbolize/sink.h"

struct cpf_dwarf;
struct Elf; /* of libelf */

/* Where to look for further files; borrowed until close. A zeroed one is valid. */
struct cpf_dwarf_opts {
	const char *const *dirs;   /* folders given by the user, in order */
	size_t ndirs;
	const char *sysroot;       /* put before absolute paths of the file, or NULL */
	/* The binary that path is the debug file of; packages are looked for beside it too. NULL: none. */
	const char *binary;
	/*
	 * elf is a mapping of a file for reading (ELF_C_READ_MMAP): pages that were read are handed
	 * back, so that a large file does not stay in memory as a whole.
	 */
	int mapped;
};

/*
 * Reads what is needed to find units by address. elf and path are borrowed until close; elf must be
 * of the file that has .debug_info. NULL: no debug information, or it cannot be read; r says why.
 */
struct cpf_dwarf *cpf_dwarf_open(struct Elf *elf, const char *path, const struct cpf_dwarf_opts *o,
	struct cpf_reason *r);
void cpf_dwarf_close(struct cpf_dwarf *d);

/*
 * Frames of address i, innermost first, n > 0; text is borrowed until the call returns. The name of
 * the last one is NULL if only file and line are known (assembly); the symbol table has the rest.
 */
typedef void cpf_dwarf_found(void *arg, size_t i, const struct cpf_sym_frame *frames, size_t n);

/*
 * Looks up link-time addresses, ascending and distinct; calls found once for each of those that the
 * debug information knows, in the order of units, not of addresses.
 */
void cpf_dwarf_lookup(struct cpf_dwarf *d, const uint64_t *svma, size_t n, cpf_dwarf_found *found,
	void *arg);

/*
 * What lookups so far could not read (a split file that is not there, say): the first such reason,
 * or one with why CPF_WHY_NONE.
 */
const struct cpf_reason *cpf_dwarf_trouble(const struct cpf_dwarf *d);

#endif
