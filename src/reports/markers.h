/*
 * markers.h - markers: totals by name and thread, or one by one with their fields.
 *
 * Durations of one name may overlap; their sum is what it says, not time that passed.
 */
#ifndef CPF_MARKERS_H
#define CPF_MARKERS_H

#include "base/base.h"
#include "reports/table.h"
#include "view/spans.h"

enum cpf_markers_by {
	CPF_MARKERS_NAME,   /* a row per name */
	CPF_MARKERS_THREAD, /* a row per thread and name */
	CPF_MARKERS_LIST    /* a row per marker, by start */
};

struct cpf_markers_opts {
	enum cpf_markers_by by;
	struct cpf_spans_opts spans;
	const char *name;      /* expression for names; NULL = all */
	int kinds;             /* bits 1 << enum cpf_span_kind; 0 = all */
	int64_t n;             /* rows; 0 = all */
	enum cpf_table_format format;
	const char *scope;     /* what was selected; "" = everything */
	int has_from, has_to;  /* only what ends at or after from, and starts before to: ns from zero */
	int64_t from, to;
	int64_t zero;          /* from which times are counted: cpf_spans_zero before the selection */
};

/* rows: how many there are in all; 0: nothing matched. p is not const: names are interned. */
int cpf_markers(struct cpf_buf *out, size_t *rows, struct cpf_profile *p,
	const struct cpf_markers_opts *o, const struct cpf_diag *d, struct cpf_err *e) CPF_MUST_CHECK;

/* markers_fields.c: labels and formats of data members, from the schema of the file. */
struct cpf_marker_schema;
struct cpf_marker_schema *cpf_marker_schema_new(const struct cpf_profile *p);
void cpf_marker_schema_free(struct cpf_marker_schema *s);
/* "Label: value, Label: value" of a marker and its end, whose members count first. */
void cpf_marker_fields(const struct cpf_marker_schema *s, const struct cpf_profile *p,
	const struct cpf_span *v, struct cpf_buf *out);
/* The same as a JSON object of plain values. */
void cpf_marker_fields_json(const struct cpf_profile *p, const struct cpf_span *v,
	struct cpf_jsonw *w);

#endif
