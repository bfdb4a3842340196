/*
 * mem.h - allocation that cannot fail, and growing arrays.
 *
 * Memory exhaustion ends the process here, with a message on stderr and exit code 1, and nowhere
 * else. Sizes that come from an input must have been checked against the bytes that remain before
 * they get here.
 */
#ifndef CPF_MEM_H
#define CPF_MEM_H

#include "base/base.h"

void *cpf_malloc(size_t n);
void *cpf_calloc(size_t n, size_t size);
void *cpf_realloc_array(void *p, size_t n, size_t size);
void cpf_free(void *p);
char *cpf_strdup(const char *s);
char *cpf_strndup(const char *s, size_t n);

/* Makes room for at least need elements, growing by half. */
void *cpf_grow(void *p, size_t *cap, size_t need, size_t size);

/* array, cap: variables; ensures array[need - 1] exists. */
#define CPF_GROW(array, cap, need)                                                                 \
	do {                                                                                       \
		if ((size_t)(need) > (cap))                                                        \
			(array) = cpf_grow((array), &(cap), (size_t)(need), sizeof(*(array)));     \
	} while (0)

/* The same as zlib calls them (zalloc, zfree); arg is not used. */
void *cpf_z_alloc(void *arg, unsigned n, unsigned size);
void cpf_z_free(void *arg, void *p);

#endif
