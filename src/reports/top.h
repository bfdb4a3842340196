/*
 * top.h - the hottest keys: self (flat) and total (cum) of functions, lines, files, libraries,
 * addresses, namespaces or classes.
 *
 * Percentages are of the selection: the sum over the samples that are left. The table is that of
 * go tool pprof, plus a last row "(no stack)" where there are such samples, so that it adds up.
 */
#ifndef CPF_TOP_H
#define CPF_TOP_H

#include "base/base.h"
#include "reports/coverage.h"
#include "reports/table.h"
#include "view/keys.h"

struct cpf_top_opts {
	uint32_t type;          /* index in the profile's value types */
	enum cpf_by by;
	int no_inlines, cum;    /* cum: sort by total */
	int merge_generics;     /* see keys.h */
	struct cpf_classes *classes;
	int64_t n;              /* rows; 0 = all */
	const char *unit;       /* for people; "minimum": one for the table as pprof chooses it */
	enum cpf_table_format format;
	int64_t total;          /* raw sum of the type before the selection: cpf_report_raw_sum */
	const struct cpf_lib_reason *reasons; /* see coverage.h; NULL = not known */
	const char *scope;      /* what was selected: "in thread main"; "" = everything; any bytes */
};

struct cpf_top_result {
	double named;           /* percent of leaf frames with a name, by value; 100 if there is none */
	size_t rows;            /* all there are; 0: every value is 0 or without stack */
};

/*
 * p is not const: keys intern, and the samples are given back on the way, all but their number. d:
 * notes for the JSON.
 */
int cpf_top(struct cpf_buf *out, struct cpf_top_result *r, struct cpf_profile *p,
	const struct cpf_top_opts *o, const struct cpf_diag *d, struct cpf_err *e) CPF_MUST_CHECK;

#endif
