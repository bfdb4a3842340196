/*
 * firefox_write.h - inside the Firefox writer: what is decided before the first byte, the tables
 * built from nodes and locations, and columns as text.
 *
 * Two shapes are written. Version 60 has one set of tables for all threads, version 49 a set of its
 * own in each thread, with only what that thread uses. Rows are numbered by first use, along stacks
 * in the order of the profile's nodes, so that what is read back is written the same again.
 */
#ifndef CPF_FIREFOX_WRITE_H
#define CPF_FIREFOX_WRITE_H

#include <cpuprof/format.h>

#include "base/base.h"
#include "base/jsonw.h"
#include "base/rowset.h"
#include "core/strings.h"

/* The versions written: per-thread tables as samply 0.13 has them; shared tables. */
enum { CPF_FW_OWN_TABLES = 49, CPF_FW_SHARED = 60 };

/* The most that JavaScript tells apart: 2^53. */
#define CPF_FW_EXACT (INT64_C(1) << 53)

/* Text on its way out. */
struct cpf_fw_text {
	struct cpf_output *out;
	struct cpf_buf buf;
	struct cpf_jsonw j; /* writes into buf */
};

void cpf_fw_flush(struct cpf_fw_text *t);
/* Members of the open object that are columns; ids of CPF_NONE are written as none. */
void cpf_fw_ids(struct cpf_fw_text *t, const char *key, const uint32_t *v, size_t n, const char *none);
void cpf_fw_bytes(struct cpf_fw_text *t, const char *key, const uint8_t *v, size_t n);
/* Numbers; those equal to none_value are written as none. */
void cpf_fw_numbers(struct cpf_fw_text *t, const char *key, const int64_t *v, size_t n,
	int64_t none_value, const char *none);
/* v / 10^digits, without zeros at the end. */
void cpf_fw_decimals(struct cpf_fw_text *t, const char *key, const int64_t *v, size_t n, int digits);
/* The same text n times. */
void cpf_fw_same(struct cpf_fw_text *t, const char *key, const char *text, size_t n);

/*
 * A string array in the making. A string is named by its id in the profile or, past those, by its
 * number among texts that only the writer has.
 */
struct cpf_fw_strings {
	const struct cpf_profile *p;
	uint32_t *row;             /* by cpf_str: row + 1; 0 = not in the array */
	struct cpf_strings *extra; /* texts that the profile does not have */
	uint32_t *extra_row;
	size_t extra_cap;
	uint32_t *order;           /* by row: cpf_str, or number in extra + nown */
	uint32_t n, nown;
	size_t cap;
	struct cpf_buf text;
};

void cpf_fw_strings_init(struct cpf_fw_strings *s, const struct cpf_profile *p);
void cpf_fw_strings_release(struct cpf_fw_strings *s);
/* Empties the array. */
void cpf_fw_strings_clear(struct cpf_fw_strings *s);
/* The row of a string of the profile, or of a text; added if it is not there. Always valid UTF-8. */
uint32_t cpf_fw_string(struct cpf_fw_strings *s, cpf_str id);
uint32_t cpf_fw_string_text(struct cpf_fw_strings *s, const char *text, size_t n);
void cpf_fw_strings_write(struct cpf_fw_text *t, const struct cpf_fw_strings *s);

/* Libraries: mappings that front ends would take for one are one. */
struct cpf_fw_libs {
	uint32_t *of;   /* by mapping: row */
	cpf_id *first;  /* by row: mapping */
	uint32_t n;
	uint32_t lost_ids; /* build ids that the format has no place for */
};

/* Whether the debug id of a library is the one that its build id gives, which is all pprof has. */
int cpf_fw_ids_follow(const struct cpf_profile *p, cpf_id mapping);

void cpf_fw_libs_make(struct cpf_fw_libs *l, const struct cpf_profile *p);
/* What the library of a row is called. */
struct cpf_text cpf_fw_lib_name(
	const struct cpf_fw_libs *l, const struct cpf_profile *p, uint32_t row);
void cpf_fw_libs_release(struct cpf_fw_libs *l);
void cpf_fw_libs_write(struct cpf_fw_text *t, const struct cpf_fw_libs *l, const struct cpf_profile *p);

/* Categories: the profile's, behind a grey one if it has none; made up where there are none. */
struct cpf_fw_categories {
	uint32_t shift;  /* added to the profile's numbers */
	uint32_t n;
	int made;        /* by what libraries are called: */
	uint8_t *kind;   /* by mapping: row */
	int jit, kernel; /* in use */
	uint32_t grey;   /* the default one */
};

void cpf_fw_categories_make(struct cpf_fw_categories *c, const struct cpf_profile *p);
void cpf_fw_categories_release(struct cpf_fw_categories *c);
void cpf_fw_categories_write(
	struct cpf_fw_text *t, const struct cpf_fw_categories *c, const struct cpf_profile *p);
/* Row of the category of a location; CPF_NONE: that of the caller. */
uint32_t cpf_fw_category(
	const struct cpf_fw_categories *c, const struct cpf_profile *p, cpf_id location);

/* One row of each table. */
struct cpf_fw_frame {
	int64_t address; /* -1 = none */
	int64_t line, column;
	uint32_t func, category, subcategory, symbol;
	uint32_t depth;
};

struct cpf_fw_func {
	int64_t line, column;
	uint32_t name, lib, file; /* file: row of a string, or CPF_NONE */
	uint32_t flags;           /* enum cpf_fn_flags */
	uint32_t resource, source; /* rows, or CPF_NONE */
};

struct cpf_fw_tables {
	const struct cpf_profile *p;
	const struct cpf_fw_libs *libs;
	const struct cpf_fw_categories *categories;
	int version;
	struct cpf_fw_strings strings;
	uint32_t *parent, *location; /* of nodes, copied out of the columns */
	uint32_t *node_row;          /* by node: its stack row + 1; 0 = none; or 1: in use */
	uint32_t *location_at;       /* by location: place in frame_rows + 1; 0 = none */

	uint32_t *used;              /* nodes in use, ascending */
	uint32_t nused;
	size_t used_cap;
	uint32_t *frame_rows;        /* for each location in use: count, rows from the outermost in */
	size_t nframe_rows, frame_rows_cap;
	cpf_id *locations;           /* in use */
	uint32_t nlocations;
	size_t locations_cap;

	uint32_t *stack_frame, *stack_prefix;
	size_t stack_frame_cap, stack_prefix_cap;
	uint32_t nstacks;
	struct cpf_fw_frame *frames;
	uint32_t nframes;
	size_t frames_cap;
	struct cpf_fw_func *funcs;
	uint32_t nfuncs;
	size_t funcs_cap;
	uint32_t *resource_of; /* by lib: row + 1 */
	uint32_t *resources;   /* by row: lib */
	uint32_t nresources;
	uint32_t *symbol_row;  /* by symbol: row + 1 */
	cpf_id *symbols;       /* by row */
	uint32_t nsymbols;
	uint32_t *source_of;   /* by row of a string: row + 1 */
	size_t source_of_cap;
	uint32_t *sources;     /* by row: row of a string */
	uint32_t nsources;
	size_t sources_cap;
	struct cpf_rowset frame_index, func_index;
	struct cpf_line *lines;
	size_t lines_cap;

	uint64_t lost_addresses; /* locations with addresses that do not fit */
	uint64_t unnamed;        /* locations that a symbol server could name */
};

void cpf_fw_tables_init(struct cpf_fw_tables *t, const struct cpf_profile *p,
	const struct cpf_fw_libs *libs, const struct cpf_fw_categories *categories, int version);
void cpf_fw_tables_release(struct cpf_fw_tables *t);
/* Forgets all rows, for the next thread. */
void cpf_fw_tables_clear(struct cpf_fw_tables *t);
/* Marks the nodes of a stack as in use. Before build. */
void cpf_fw_tables_use(struct cpf_fw_tables *t, uint32_t node);
/* Makes the rows of all nodes in use. all: nodes were marked across the whole profile. */
int cpf_fw_tables_build(struct cpf_fw_tables *t, int all, struct cpf_err *e) CPF_MUST_CHECK;
/* The row of a stack, or CPF_NONE. After build. */
static inline uint32_t cpf_fw_stack(const struct cpf_fw_tables *t, uint32_t node)
{
	return node ? t->node_row[node] - 1 : CPF_NONE;
}
/* The tables as members of the open object. */
void cpf_fw_tables_write(struct cpf_fw_text *out, struct cpf_fw_tables *t);

/* Values. */
enum cpf_fw_unit { CPF_FW_SAMPLES, CPF_FW_MS, CPF_FW_BYTES };

/*
 * A column of the profile and what it is written as: raw * num / den, an integer, over 10^digits.
 * What the division leaves over goes into the next value, so that sums do not drift.
 */
struct cpf_fw_value {
	int have;
	uint32_t raw;
	int64_t num, den, carry;
	int digits;
};

struct cpf_fw_values {
	struct cpf_fw_value weight[3]; /* enum cpf_fw_unit; a thread uses one of them */
	struct cpf_fw_value cpu;
	int cpu_micros;                /* deltas in microseconds, else in ns */
	int only;                      /* the one type written, or -1: Firefox's own model */
	int drop_zero;                 /* rows without weight are not written */
	uint64_t inexact, rounded;     /* numbers past 2^53, or with more decimals, so far */
	int layout;                    /* times are made up: a row takes a share of duration, ns */
	struct cpf_fw_value share;
	int64_t share_ns;              /* what 1 of share is worth; 0 = not a time */
	int64_t duration, interval;
};

void cpf_fw_values_plan(
	struct cpf_fw_values *v, const struct cpf_profile *p, const struct cpf_save_opts *o);
/* Whether value type i of the profile is among what is written. */
int cpf_fw_values_keep(const struct cpf_fw_values *v, const struct cpf_profile *p, uint32_t i);

/* Samples of a thread in the order they are written. */
struct cpf_fw_rows {
	uint32_t *sample; /* of all threads, one after the other */
	uint32_t *first;  /* by thread, nthreads + 2: the last is of samples without a thread */
};

void cpf_fw_rows_make(
	struct cpf_fw_rows *r, const struct cpf_fw_values *v, const struct cpf_profile *p);
void cpf_fw_rows_release(struct cpf_fw_rows *r);
/* Widens *first to *last, without shift, to hold the times of a thread's samples. */
void cpf_fw_span(const struct cpf_fw_values *v, const struct cpf_profile *p, const uint32_t *sample,
	uint32_t n, int64_t *first, int64_t *last);
/* samples: {...} of one thread. shift: added to times. */
int cpf_fw_samples_write(struct cpf_fw_text *t, struct cpf_fw_values *v,
	const struct cpf_fw_tables *tables, const uint32_t *sample, uint32_t n, int64_t shift,
	struct cpf_err *e) CPF_MUST_CHECK;

/* Markers by thread, and which of their fields hold strings by index. */
struct cpf_fw_schema {
	uint32_t first, n; /* of keys */
};

struct cpf_fw_markers {
	const struct cpf_profile *p;
	uint32_t *marker; /* ids, by thread */
	uint32_t *first;  /* by thread, nthreads + 1 */
	struct cpf_strings *words;    /* names of schemas and keys */
	struct cpf_fw_schema *schema; /* by word that is a name; n 0: none */
	size_t schema_cap;
	uint32_t *keys;               /* words */
	uint32_t nkeys;
	size_t keys_cap;
	struct cpf_buf text, inner;   /* scratch */
};

void cpf_fw_markers_make(struct cpf_fw_markers *m, const struct cpf_profile *p);
void cpf_fw_markers_release(struct cpf_fw_markers *m);
/* Marks stacks and adds strings that the markers of a thread (CPF_NONE: of all) need. */
void cpf_fw_markers_use(struct cpf_fw_markers *m, struct cpf_fw_tables *t, uint32_t thread);
/* markers: {...} of one thread. */
void cpf_fw_markers_write(struct cpf_fw_text *out, struct cpf_fw_markers *m,
	struct cpf_fw_tables *t, uint32_t thread, int64_t shift);
/* meta.markerSchema */
void cpf_fw_schema_write(struct cpf_fw_text *out, const struct cpf_profile *p, int version);

/*
 * firefox_extra.c: meta.extra, if there is something for it. type: the value type that the weights
 * are, or -1; duration: 1 if it cannot be told from the times of samples.
 */
void cpf_fw_extra_write(struct cpf_fw_text *t, const struct cpf_profile *p, int type, int duration);

/* firefox_write.c; an entry of the table of formats. */
int cpf_firefox_write(const struct cpf_profile *p, struct cpf_output *out,
	const struct cpf_save_opts *o, struct cpf_diag *d, struct cpf_err *e);

#endif
