/*
 * merge_rows.h - private to merge.c and scale.c: maps rows of one profile to rows of the profile being built.
 *
 * Rows are mapped when first asked for, so that tables of the result are in order of first use and
 * hold nothing unused. Equal rows of several inputs become one; of one input as well where pprof
 * says so (mappings, functions, locations).
 */
#ifndef CPF_MERGE_ROWS_H
#define CPF_MERGE_ROWS_H

#include "base/base.h"

#include <math.h>

#include <cpuprof/profile.h>

#include "base/rowset.h"

struct cpf_merge_rows {
	struct cpf_profile *out;
	int like_pprof;

	/* The present input and, per row of it, the row of out; CPF_NONE = not asked for yet. */
	const struct cpf_profile *in;
	uint32_t turn;           /* number of the input, from 1 */
	int64_t shift;           /* ns to add to its times */
	cpf_str *strings;        /* 0 = not asked for yet */
	cpf_id *mappings, *functions, *locations, *threads, *processes, *categories, *symbols;
	cpf_id *labels;
	struct cpf_line *lines;
	size_t lines_cap;
	struct cpf_label *label_buf;
	size_t label_cap;

	/* Equal rows of out. claimed: the last input that had a row equal to this one. */
	struct cpf_rowset mapping_set, location_set, thread_set, process_set, category_set,
		symbol_set;
	uint32_t *thread_claim, *process_claim;
	size_t thread_claim_cap, process_claim_cap;
};

void cpf_merge_rows_begin(
	struct cpf_merge_rows *m, const struct cpf_profile *in, int64_t shift);
void cpf_merge_rows_end(struct cpf_merge_rows *m);
void cpf_merge_rows_release(struct cpf_merge_rows *m);

cpf_str cpf_merge_string(struct cpf_merge_rows *m, cpf_str s);
/* These take CPF_NONE and give it back. */
cpf_id cpf_merge_mapping(struct cpf_merge_rows *m, cpf_id id);
cpf_id cpf_merge_location(struct cpf_merge_rows *m, cpf_id id);
cpf_id cpf_merge_thread(struct cpf_merge_rows *m, cpf_id id);
cpf_id cpf_merge_category(struct cpf_merge_rows *m, cpf_id id);
/*
 * Label sets in order: texts by key, then numbers by key, values of one key as they were. to_labels:
 * the thread of the sample is named in labels, as a pprof file would (used when some inputs have
 * their threads from labels and this one has not).
 */
cpf_id cpf_merge_labels(struct cpf_merge_rows *m, cpf_id set, cpf_id thread, int to_labels);

/* Half away from zero; what does not fit is the lowest number, as Go gives on x86-64. */
static inline int64_t cpf_round64(double v)
{
	v = round(v);
	if (!(v >= -9223372036854775808.0 && v < 9223372036854775808.0))
		return INT64_MIN;
	return (int64_t)v;
}

#endif
