/*
 * pprof.h - the reports of `go tool pprof`, byte for byte.
 *
 * What is computed and printed here follows that program and nothing else: its node identity, its
 * total (the sum of magnitudes), its trimming, its units and its order, with 64-bit sums that wrap.
 * Where pprof itself is unstable from run to run (rows with equal names and values), the order here
 * is fixed. Reports are one file each; they share the graph, its trimming and the header.
 *
 * Sequence: configuration (filled by the command line), a profile that is loaded, merged and
 * symbolized, cpf_pprof_run.
 */
#ifndef CPF_PPROF_REPORT_H
#define CPF_PPROF_REPORT_H

#include <cpuprof/profile.h>

#include "base/arena.h"
#include "base/buf.h"
#include "view/flat.h"
#include "view/graph.h"

struct cpf_regex;

struct cpf_pprof_cfg {
	const char *command;      /* "top", "text", "tree" ... */
	const char *argument;     /* of list, peek, disasm, weblist */

	const char *output;       /* "" is stdout */
	const char *unit;         /* "minimum" */
	const char *source_path, *trim_path;
	const char *sample_index; /* "" = the default type */
	const char *tagroot, *tagleaf;
	const char *focus, *ignore, *prune_from, *hide, *show, *show_from;
	const char *tagfocus, *tagignore, *tagshow, *taghide;
	double divide_by, nodefraction, edgefraction;
	int64_t nodecount;        /* -1 = the default of the report */
	int call_tree, relative_percentages, compact_labels, intel_syntax, mean, normalize;
	int drop_negative, trim, noinlines, showcolumns;
	int cum;                  /* sort */
	enum cpf_by granularity;

	/* What concerns reading. */
	const char *base, *diff_base, *symbolize, *buildid, *add_comment, *exec_name;
	int all_frames;
};

/* A report in the making. */
struct cpf_pprof {
	struct cpf_profile *p;
	struct cpf_pprof_cfg cfg; /* changed by what the report overrides */
	uint32_t type, raw;       /* value type and column */
	uint32_t div_raw;         /* of value 0 with -mean, else CPF_NONE */
	int64_t total;
	const char *sample_unit;
	const char *out_unit;     /* borrowed; "minimum" until chosen */
	cpf_str *label_units;     /* per string id: unit of the numeric label with that key, or 0 */
	uint32_t nlabel_units;    /* entries; keys beyond have no unit */
	struct cpf_buf *messages; /* lines for stderr; borrowed */
	struct cpf_regex *symbol; /* what the report is asked for (list, peek); owned */
	char *text;               /* scratch for one formatted value */
	size_t text_cap;
};

/* A node of the trimmed graph. */
struct cpf_pprof_node {
	uint32_t id;              /* what edges name it by: its key, or a call of the call tree */
	uint32_t key;
	int64_t flat, cum, flat_div, cum_div;
	int64_t score;            /* what -dot orders by */
	struct cpf_text name;     /* as printed; borrowed from the graph or the profile */
	const struct cpf_pprof_graph *graph;
	uint8_t inlined, called;  /* there are in-edges that are inlined; that are not */
};

/* Values of one label of the samples that go through a node; for -dot. */
struct cpf_pprof_tag {
	uint32_t id;              /* of the node */
	cpf_str set;              /* text labels of the samples, joined; 0 = none */
	cpf_str name;             /* of a number: how it is printed; 0: the tag is the set itself */
	cpf_str unit;
	int64_t value;
	int64_t flat, flat_div, cum, cum_div;
};

struct cpf_pprof_tags {
	struct cpf_pprof_tag *rows; /* by node; those of one set together, the set itself first */
	uint32_t n;
	uint32_t *first;            /* by id, nids + 1: its rows */
};

/* What is left of a call tree after nodes were taken out of it; arrays by call. */
struct cpf_pprof_tree {
	struct cpf_calls calls;
	uint32_t *up;             /* caller, CPF_NONE: none, or the edge to it is gone */
	uint8_t *inlined, *residual; /* of the edge to it */
	uint8_t *removed;
};

enum cpf_pprof_want {
	CPF_PPROF_NODES,  /* no edges */
	CPF_PPROF_MARKS,  /* nodes know whether they are inlined */
	CPF_PPROF_EDGES,  /* edges, and links to them */
	CPF_PPROF_VISUAL  /* those, in the order and with the nodes of -dot; tags */
};

struct cpf_pprof_graph {
	struct cpf_pprof_node *nodes; /* in the order of the report */
	uint32_t n;
	uint32_t norig;           /* left by the fraction rule */
	uint32_t ndropped;        /* removed by the fraction rule */
	uint32_t nedges_dropped;
	int64_t node_cut, edge_cut;
	const struct cpf_profile *p;
	struct cpf_keys keys;
	int is_tree;
	struct cpf_pprof_tree tree; /* with -call_tree */
	uint32_t nids;            /* keys, or calls of the tree */
	uint32_t *node_of;        /* by id: place in nodes + 1; 0: not shown. With edges only */
	struct cpf_graph edges;   /* in the order of the report if there are links */
	uint64_t *live;           /* bit per edge */
	struct cpf_links in, out; /* live edges by id */
	struct cpf_text *key_names; /* by key; s NULL: not made yet */
	struct cpf_pprof_tags tags;
	struct cpf_arena names;
};

/* 1 if the report NAME exists here. */
int cpf_pprof_has(const char *name);
/* 1 if it is a message that is to be packed with gzip, 0 if it is text. */
int cpf_pprof_is_binary(const char *name);

/*
 * Writes the report to out (nothing if it fails). p is changed: filters apply to it. Messages of
 * pprof go to *messages, one a line.
 */
int cpf_pprof_run(struct cpf_profile *p, const struct cpf_pprof_cfg *cfg, struct cpf_buf *out,
	struct cpf_buf *messages, struct cpf_err *e) CPF_MUST_CHECK;

/* Names from system names, as -symbolize asks: "", "templates", "full"; force: start afresh. */
void cpf_pprof_demangle(struct cpf_profile *p, const char *mode, int force);
/* The mode for cpf_pprof_demangle, or NULL for none at all, out of -symbolize. */
const char *cpf_pprof_symbolize_mode(const char *option, int *force, struct cpf_buf *messages);

/* Parts shared by reports. */

/* Conversion of a double to int64 as Go on x86-64 has it: out of range is INT64_MIN. */
int64_t cpf_go_i64(double v);
/* |v|, but INT64_MIN for itself. */
static inline int64_t cpf_go_abs(int64_t v)
{
	return v < 0 ? (int64_t)(0 - (uint64_t)v) : v;
}
/* A value as printed; valid until the next call. */
const char *cpf_pprof_value(struct cpf_pprof *r, int64_t v);
/* Appends text padded on the left to width characters (not bytes). */
void cpf_pprof_pad(struct cpf_buf *out, const char *text, size_t width);
/* "  0.50%" */
void cpf_pprof_percent(struct cpf_buf *out, int64_t v, int64_t total);
/* The columns flat, flat%, sum%, cum and cum% of -top and -tree; the node's flat is added to *sum. */
struct cpf_pprof_node;
void cpf_pprof_numbers(struct cpf_pprof *r, const struct cpf_pprof_node *n, int64_t *sum,
	struct cpf_buf *out);

/* Labels: units of numeric ones; pseudo frames; filters; what pprof's decoder makes of one. */
void cpf_pprof_label_units(struct cpf_pprof *r);
void cpf_pprof_tag_frames(struct cpf_pprof *r);
int cpf_pprof_filter_tags(struct cpf_pprof *r, struct cpf_err *e) CPF_MUST_CHECK;
enum cpf_pprof_label {
	CPF_LABEL_NONE, /* neither text nor number: dropped by pprof */
	CPF_LABEL_TEXT,
	CPF_LABEL_NUMBER
};
static inline enum cpf_pprof_label cpf_pprof_label_kind(const struct cpf_label *l)
{
	return l->str ? CPF_LABEL_TEXT : l->num || l->unit ? CPF_LABEL_NUMBER : CPF_LABEL_NONE;
}
/* The labels of a set; NULL and 0 if there are none. */
const struct cpf_label *cpf_pprof_labels(const struct cpf_profile *p, uint32_t set, uint32_t *n);
/* Unit of the numeric label with this key. */
const char *cpf_pprof_label_unit(const struct cpf_pprof *r, cpf_str key);
/*
 * Calls add for each key of the set that has labels of this kind, with all of them in order; what it
 * appends to text is one of the texts, which come out sorted.
 */
void cpf_pprof_sorted_labels(struct cpf_pprof *r, uint32_t set, enum cpf_pprof_label kind,
	void (*add)(struct cpf_pprof *r, const struct cpf_label *l, uint32_t n, struct cpf_buf *text),
	const char *between, struct cpf_buf *out);
/* Appends a string of the profile, whatever bytes are in it. */
static inline void cpf_pprof_add(struct cpf_buf *out, const struct cpf_profile *p, cpf_str id)
{
	struct cpf_text t = cpf_text(p, id);

	cpf_buf_add(out, t.s, t.len);
}
/* -noinlines, for reports that show locations: of each the outermost line is kept. */
void cpf_pprof_keep_outer(struct cpf_pprof *r);
void cpf_pprof_message(struct cpf_pprof *r, const char *fmt, ...) CPF_PRINTF(2, 3);

/* Lines "File:" to "Duration:", each with its line end. */
void cpf_pprof_profile_head(struct cpf_pprof *r, struct cpf_buf *out);
/* All header lines of a graph report; -dot has some more. */
void cpf_pprof_graph_head(
	struct cpf_pprof *r, const struct cpf_pprof_graph *g, struct cpf_buf *out);

int cpf_pprof_graph_build(struct cpf_pprof *r, struct cpf_pprof_graph *g, enum cpf_pprof_want want,
	struct cpf_err *e) CPF_MUST_CHECK;
void cpf_pprof_graph_release(struct cpf_pprof_graph *g);
/* Key and printed name of what an edge starts or ends at, shown or not. */
uint32_t cpf_pprof_key(const struct cpf_pprof_graph *g, uint32_t id);
struct cpf_text cpf_pprof_name(struct cpf_pprof_graph *g, uint32_t id);
/* Edges, their links, scores and selections of the shown nodes; parts of cpf_pprof_graph_build. */
void cpf_pprof_edges_plain(struct cpf_pprof *r, struct cpf_pprof_graph *g, int restricted);
void cpf_pprof_edges_link(struct cpf_pprof_graph *g);
void cpf_pprof_select_visual(struct cpf_pprof *r, struct cpf_pprof_graph *g,
	int (*order)(const void *, const void *));
void cpf_pprof_tree_init(struct cpf_pprof_graph *g);
void cpf_pprof_tree_release(struct cpf_pprof_graph *g);
void cpf_pprof_tags_build(struct cpf_pprof *r, struct cpf_pprof_graph *g);
void cpf_pprof_tags_release(struct cpf_pprof_tags *t);
/* Appends a function's name without packages or namespaces. */
void cpf_pprof_shorten(struct cpf_buf *out, struct cpf_text name);
/* Compares as bytes. */
int cpf_pprof_compare_text(struct cpf_text a, struct cpf_text b);

static inline int64_t cpf_pprof_mean(int64_t sum, int64_t div)
{
	return div ? (sum == INT64_MIN && div == -1 ? sum : sum / div) : sum;
}
/* Chooses r->out_unit for the nodes of g. */
void cpf_pprof_choose_unit(struct cpf_pprof *r, const struct cpf_pprof_graph *g);

/* The reports; one file each. */
int cpf_pprof_top(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_pprof_tree(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_pprof_peek(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_pprof_traces(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_pprof_tag_list(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_pprof_comments(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_pprof_list(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_pprof_callgrind(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_pprof_dot(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_pprof_proto(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_pprof_topproto(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_pprof_raw(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e) CPF_MUST_CHECK;

#endif
