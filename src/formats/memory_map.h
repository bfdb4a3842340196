/*
 * memory_map.h - the memory map behind a gperftools profile: text as /proc/PID/maps has it, or a
 * briefer style; and the corrections pprof makes to it.
 */
#ifndef CPF_MEMORY_MAP_H
#define CPF_MEMORY_MAP_H

#include <cpuprof/profile.h>

/*
 * Reads the lines of text into p->mappings, executable ones only, neighbours joined, the program
 * first. Lines that are none are skipped. Then every location with an address gets its mapping; one
 * from 0 to the end of memory is added if an address lies in none.
 */
void cpf_memory_map(struct cpf_profile *p, const char *text, size_t n);
/* The second half alone. */
void cpf_memory_map_apply(struct cpf_profile *p);

#endif
