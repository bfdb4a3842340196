/*
 * strings.h - interned strings of a profile. Id 0 is "". Text lives in an arena and never moves.
 */
#ifndef CPF_STRINGS_H
#define CPF_STRINGS_H

#include <cpuprof/profile.h>

#include "base/arena.h"
#include "base/rowset.h"

struct cpf_strings {
	struct cpf_arena arena;
	struct cpf_text *texts;
	uint32_t n;
	size_t cap;
	struct cpf_rowset index;
};

struct cpf_strings *cpf_strings_new(void);
void cpf_strings_free(struct cpf_strings *s);
cpf_str cpf_strings_intern(struct cpf_strings *s, const char *text, size_t len);
/* The id of text if it is there already, else CPF_NONE. */
cpf_str cpf_strings_lookup(const struct cpf_strings *s, const char *text, size_t len);

#endif
