/*
 * flat.h - self and total per key over the stack tree, in one sweep.
 *
 * A key's total counts each sample once, however often the key occurs in its stack. Numbers are raw
 * (see profile.h): scale sums, not samples.
 */
#ifndef CPF_FLAT_H
#define CPF_FLAT_H

#include "view/keys.h"
#include "view/sums.h"

struct cpf_flat {
	uint32_t n;          /* keys */
	int64_t *flat, *cum; /* per key */
	int64_t total;       /* sum over all samples of the profile, those without stack included */
	int64_t empty;       /* of which without stack (or with all frames hidden) */
	uint32_t nempty;     /* samples without stack */
	uint64_t magnitude;  /* sum of |value| over all samples; UINT64_MAX: or more */
	int negative;        /* some values are */
};

enum cpf_flat_mode {
	CPF_FLAT_CHECKED, /* a sum past 64 bits is CPF_E_RANGE */
	CPF_FLAT_WRAP     /* wraps around, as Go does */
};

/* raw: index of the value column. A sample's leaf key is the first key of its leaf location. */
int cpf_flat_build(struct cpf_flat *f, const struct cpf_profile *p, const struct cpf_keys *k,
	uint32_t raw, enum cpf_flat_mode mode, struct cpf_err *e) CPF_MUST_CHECK;
/*
 * The same, CHECKED, for a caller that needs no more of the samples: they are taken out of p on the
 * way, all but their number. Fills places too, unless some values are negative.
 */
int cpf_flat_take(struct cpf_flat *f, struct cpf_places *places, struct cpf_profile *p,
	const struct cpf_keys *k, uint32_t raw, struct cpf_err *e) CPF_MUST_CHECK;
void cpf_flat_release(struct cpf_flat *f);

#endif
