/*
 * sums.h - a number per stack node: what its samples come to, later what its subtree comes to.
 *
 * Most sums are small, and there are as many as nodes: four bytes hold a sum below 2^30, or say
 * where a larger one lies. Numbers are raw (see profile.h).
 */
#ifndef CPF_SUMS_H
#define CPF_SUMS_H

#include "base/base.h"

#include <cpuprof/profile.h>

#define CPF_SUM_DIRECT ((uint32_t)1 << 30)

struct cpf_sums {
	uint32_t *v;     /* per node: the sum (as int32_t), or from CPF_SUM_DIRECT on a row of wide */
	uint32_t n;
	int64_t *wide;
	uint32_t nwide;
	size_t wide_cap;
	int wraps;       /* a sum went past 64 bits, and around */
};

/* What adding the samples showed beside. */
struct cpf_sums_info {
	int64_t total;       /* of all samples, those without stack included */
	uint64_t magnitude;  /* the same of |value|; UINT64_MAX: or more */
	uint32_t nempty;     /* samples without stack */
	int negative;        /* some values are */
};

/* Own sums of all nodes. raw: value column. */
void cpf_sums_build(
	struct cpf_sums *s, struct cpf_sums_info *i, const struct cpf_profile *p, uint32_t raw);
/*
 * The same, and takes the samples out of the profile while it goes: for a caller that needs nothing
 * else of them, memory for sums comes in place of memory for samples. samples.n stays.
 */
void cpf_sums_take(
	struct cpf_sums *s, struct cpf_sums_info *i, struct cpf_profile *p, uint32_t raw);
void cpf_sums_release(struct cpf_sums *s);
/* Adds the sums of children to their parents: own sums become subtree sums. */
void cpf_sums_up(struct cpf_sums *s, const struct cpf_profile *p);

/* Weights per location, of magnitudes (own samples; frames of all stacks). For coverage.h. */
struct cpf_places {
	double *leaf, *all; /* owned; NULL: not made, as some values are negative */
};
/* all, from subtree sums. */
void cpf_places_all(struct cpf_places *l, const struct cpf_profile *p, const struct cpf_sums *up);
void cpf_places_release(struct cpf_places *l);

/* For what does not fit in four bytes. */
void cpf_sums_add_slow(struct cpf_sums *s, uint32_t node, int64_t x);

static inline int cpf_sum_is_direct(uint32_t v)
{
	return v + CPF_SUM_DIRECT < 2 * CPF_SUM_DIRECT;
}

static inline int64_t cpf_sums_get(const struct cpf_sums *s, uint32_t node)
{
	uint32_t v = s->v[node];

	return CPF_LIKELY(cpf_sum_is_direct(v)) ? (int32_t)v : s->wide[v - CPF_SUM_DIRECT];
}

static inline void cpf_sums_add(struct cpf_sums *s, uint32_t node, int64_t x)
{
	uint32_t v = s->v[node];
	/* Of two numbers of 31 bits the sum has 32, which is as far as 2^30 can be told from it. */
	uint32_t sum = v + (uint32_t)x;

	if (CPF_LIKELY(x == (int32_t)x && cpf_sum_is_direct((uint32_t)x) && cpf_sum_is_direct(v) &&
		    cpf_sum_is_direct(sum)))
		s->v[node] = sum;
	else
		cpf_sums_add_slow(s, node, x);
}

#endif
