/*
 * elf_find.h - finds the ELF file of a library, and the file with its debug information.
 *
 * Candidates are tried in this order; the first one that is proven to be the recorded file is
 * taken: binaries given by name, folders given (DIR/path, DIR/name), sysroot + path, the recorded
 * path, and for debug files: folders given (.build-id trees, DIR/path.debug, ...), sysroot and
 *   /usr/lib/debug, .gnu_debuglink, debuginfod.
 *
 * Proof is the build id. Without one in the profile nothing can be proven, and only a file that was
 * given by name is taken. A file whose id differs is taken with force_binary alone, and that is
 * said.
 */
#ifndef CPF_ELF_FIND_H
#define CPF_ELF_FIND_H

#include "base/base.h"

#include "symbolize/elf_file.h"
#include "symbolize/symbolizer.h"

struct cpf_elf_found {
	struct cpf_elf *main;      /* the program or library itself, or NULL */
	struct cpf_elf *debug;     /* another file with symbols or DWARF for it, or NULL */
	struct cpf_reason forced;  /* if why is set: what was taken although it is unproven */
	struct cpf_reason refused; /* what says most of the files that were not taken */
};

/* 1: at least one of the files is there; 0: r says why not. */
int cpf_elf_find(struct cpf_elf_found *out, const struct cpf_sym_opts *o,
        const struct cpf_module *m, struct cpf_reason *r);
void cpf_elf_found_release(struct cpf_elf_found *f);

/* The build id of a module as bytes; 0 if it is unknown. */
size_t cpf_module_id(uint8_t id[CPF_ELF_ID_MAX], const struct cpf_module *m);

/*
 * A file from debuginfod servers, by build id: kind is "debuginfo" or "executable". Returns a path
 * to free, or NULL; asks nobody unless DEBUGINFOD_URLS is set. r says what went wrong.
 */
char *cpf_debuginfod(const uint8_t *id, size_t n, const char *kind, struct cpf_reason *r);

#endif
