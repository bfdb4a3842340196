/*
 * arena.h - bump allocator: many small things that are freed together.
 */
#ifndef CPF_ARENA_H
#define CPF_ARENA_H

#include "base/base.h"

struct cpf_arena_block;
struct cpf_arena {
	struct cpf_arena_block *head; /* newest block, from which is carved */
	char *next, *end;
};

/* Zeroed struct is valid and empty. Memory is not zeroed; aligned for any type. */
void *cpf_arena_alloc(struct cpf_arena *a, size_t n);
/* The same without alignment, for text; keeps a NUL behind the copy. */
char *cpf_arena_text(struct cpf_arena *a, const char *s, size_t n);
/* Frees all but one block, for reuse. */
void cpf_arena_clear(struct cpf_arena *a);
void cpf_arena_release(struct cpf_arena *a);

#endif
