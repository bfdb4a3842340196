/*
 * merge_impl.h - shared by the files of merge.c: the state of one merge, and its plan of value types.
 */
#ifndef CPF_MERGE_IMPL_H
#define CPF_MERGE_IMPL_H

#include "core/merge.h"
#include "core/merge_rows.h"

#include "base/rowset.h"

/* Where a value of the result comes from in one input. */
struct cpf_merge_value {
	uint32_t type;  /* of the input */
	double ratio;   /* between the units; 1 if they are the same */
	int64_t factor; /* raw of the result = raw of the input * factor; 0 = through ratio */
};

struct cpf_merger {
	struct cpf_profile *out;
	struct cpf_profile *const *in;
	uint32_t n;
	int join, like_pprof;
	struct cpf_diag *d;
	struct cpf_err *e;

	struct cpf_merge_value *values; /* [input * ntypes + type of the result] */
	struct cpf_merge_rows rows;
	int label_threads;           /* name threads in labels where they are not yet */

	/* The present input. */
	const struct cpf_merge_value *value; /* ntypes of them */
	cpf_id *nodes;
	int64_t *raw;                /* one sample of the result */
	int lossy;                   /* samples whose rescaled values are all 0 are left out */
	struct cpf_rowset samples;
};

const char *cpf_merge_file_of(const struct cpf_profile *p);
int cpf_merge_same_name(
	const struct cpf_profile *a, cpf_str x, const struct cpf_profile *b, cpf_str y);
/* Worth of one `from` in `to`; units of one family. */
double cpf_merge_unit_ratio(const char *from, const char *to);
int cpf_merge_compatible(
	const char *type_a, const char *unit_a, const char *type_b, const char *unit_b);
/* Decides which types the result has, in which units, and where their values come from. */
int cpf_merge_plan_types(struct cpf_merger *m) CPF_MUST_CHECK;
/* The plan for one type of the result in one input. */
struct cpf_merge_value *cpf_merge_value_of(struct cpf_merger *m, uint32_t input, uint32_t type);

#endif
