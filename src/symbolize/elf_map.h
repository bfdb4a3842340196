/*
 * elf_map.h - from an address of a profile to the address the linker gave the code, and back.
 */
#ifndef CPF_ELF_MAP_H
#define CPF_ELF_MAP_H

#include "base/base.h"

#include "symbolize/elf_file.h"
#include "symbolize/symbolizer.h"

/*
 * Relative addresses count from the first PT_LOAD segment.
 *
 * An address in memory lies at offset (address - start + offset) of the file, if the module knows
 * its mapping; the segment that holds this byte of the file says the rest. Mappings of all of
 * memory (start and offset 0, limit 0 or 2^64 - 1) say that addresses are the linker's, or, in
 * profiles converted from relative ones, count from the first segment: for a program that is linked
 * to a fixed address both are tried on all addresses, and if both would do, none is taken.
 *
 * svma: n results; ok: 1 where there is one. Ascending addresses of a batch may come out in another
 * order if segments lie in the file in another order than in memory. Returns how many are mapped;
 * if none is, r may say why.
 */
size_t cpf_elf_map(const struct cpf_elf *f, const struct cpf_module *m, const uint64_t *addr,
        size_t n, uint64_t *svma, uint8_t *ok, struct cpf_reason *r);

#endif
