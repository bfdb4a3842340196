/*
 * dump.h - canonical text of a profile: what tests compare.
 *
 * Ids are resolved to text, so that two profiles that say the same in tables of another order dump
 * alike; one line per row, strings quoted as in JSON (bytes that are not UTF-8 as \xNN).
 */
#ifndef CPF_DUMP_H
#define CPF_DUMP_H

#include <cpuprof/format.h>

#include "base/buf.h"

enum cpf_dump_flags {
	CPF_DUMP_SORT = 1,   /* samples and tables in the order of their text */
	CPF_DUMP_JOIN = 2,   /* samples that differ in nothing else are summed, zero sums left out;
	                        implies SORT for samples */
	CPF_DUMP_UNUSED = 4, /* also mappings, functions and locations that no sample leads to */
	CPF_DUMP_IDS = 8     /* ids of the pprof file a row came from */
};

/*
 * keeps (enum cpf_keeps) chooses what is looked at, so that a profile and its copy in a poorer format
 * compare equal: without CPF_KEEPS_TYPES only type is dumped (CPF_NONE = the default), without
 * CPF_KEEPS_INLINES an inlined line is a frame of its own, and so on. UINT32_MAX: everything.
 */
void cpf_dump(struct cpf_buf *out, const struct cpf_profile *p, uint32_t keeps, uint32_t type,
	uint32_t flags);

#endif
