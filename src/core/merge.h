/*
 * merge.h - several profiles into one, with the rules of go tool pprof (pprof-format 6.5) for what
 * it knows (units, periods, keys of mappings and functions, times), and the same idea for threads,
 * processes, markers and categories.
 */
#ifndef CPF_MERGE_H
#define CPF_MERGE_H

#include <cpuprof/profile.h>

struct cpf_merge_opts {
	int join;  /* 1: equal (stack, labels, thread) are summed, zero sums dropped; 0: rows are kept */
};

/* out: initialised and empty; takes copies. n >= 1. Notes say what was scaled or left out. */
int cpf_merge(struct cpf_profile *out, struct cpf_profile *const *in, uint32_t n,
	const struct cpf_merge_opts *o, struct cpf_diag *d, struct cpf_err *e) CPF_MUST_CHECK;
/* Multiplies all values by num / den in place (rounded half away from zero where it must). */
int cpf_multiply(struct cpf_profile *p, int64_t num, int64_t den, struct cpf_err *e) CPF_MUST_CHECK;

#endif
