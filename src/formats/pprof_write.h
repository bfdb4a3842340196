/*
 * pprof_write.h - what is written, decided before the first byte.
 *
 * A profile read from pprof (or gperftools) is written as it is: all tables, their order and wire
 * ids, every sample. Of a profile from elsewhere only what samples lead to is written, equal
 * locations once, equal samples summed.
 */
#ifndef CPF_PPROF_WRITE_H
#define CPF_PPROF_WRITE_H

#include "formats/pprof.h"

#include "base/buf.h"
#include "base/rowset.h"

/* Strings that are not in the profile, behind those that are. */
struct cpf_pb_text {
	char *s; /* owned */
	uint32_t len;
};

struct cpf_pb_rows {
	uint32_t n;
	uint32_t *sample; /* one of those summed; NULL: row i is sample i */
	int64_t *sums;    /* nraw a row; NULL: the values of the sample */
};

enum { CPF_PB_PROCESS, CPF_PB_PID, CPF_PB_THREAD, CPF_PB_TID, CPF_PB_THREAD_KEYS };

/* The texts of those labels, by key; 0 = has none. */
void cpf_pb_thread_texts(
	const struct cpf_profile *p, cpf_id thread, cpf_str texts[CPF_PB_THREAD_KEYS]);

struct cpf_pb_plan {
	const struct cpf_profile *p;
	int as_is;
	int times;              /* one sample a row, label "time" */
	uint32_t *string_index; /* by cpf_str: index in string_table; 0 = not used */
	uint32_t nstrings;      /* entries from the profile, "" included */
	struct cpf_pb_text *texts;
	uint32_t ntexts;
	size_t texts_cap;

	uint64_t *mapping_id, *function_id, *location_id; /* wire ids by row; 0 = not written */
	uint64_t *limit;                                  /* by mapping: end of its range */
	uint32_t *flags;                                  /* has_* by mapping, enum cpf_map_flags */
	cpf_id first_mapping;        /* written first, or CPF_NONE: in table order */
	uint32_t *parent, *location; /* by node: parent, row of location */
	struct cpf_pb_rows rows;

	uint32_t keys[CPF_PB_THREAD_KEYS];   /* of thread labels, in string_table */
	uint8_t has_key[CPF_PB_THREAD_KEYS]; /* whether some thread has such a label */
	uint32_t key_time, unit_ns;
	uint32_t default_type, period_type, period_unit;
	uint32_t *comments;
	uint32_t ncomments;
	size_t comments_cap;
	int64_t period;
	int has_period_type;
};

/* 0, or -1: a sum does not fit. Release in either case. */
int cpf_pb_plan_make(struct cpf_pb_plan *plan, const struct cpf_profile *p,
	const struct cpf_save_opts *o, struct cpf_err *e);
void cpf_pb_plan_release(struct cpf_pb_plan *plan);
/* Fills rows, for profiles that are not written as they are. Uses parent and location. */
int cpf_pb_plan_rows(struct cpf_pb_plan *plan, struct cpf_err *e);
/*
 * The stacks of a file whose samples are written without. Two nodes may be equal. Locations are rows
 * of the file as it is read back; of nodes no sample leads to they mean nothing.
 */
struct cpf_pb_apart {
	uint32_t *parent, *location; /* by node */
	uint32_t *leaf;              /* by sample: its node */
	uint32_t nnodes, nleaves;
};

/* For profiles that are not written as they are. Release a in either case. */
int cpf_pb_write_apart(const struct cpf_profile *p, struct cpf_output *out, struct cpf_pb_apart *a,
	struct cpf_err *e) CPF_MUST_CHECK;
void cpf_pb_apart_release(struct cpf_pb_apart *a);

/* 1 if a line is written: not if it holds but an address that the location knows as well. */
int cpf_pb_keeps_lines(const struct cpf_profile *p, cpf_id location);

#endif
