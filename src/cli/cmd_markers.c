#include "cli/cmd.h"

#include "base/base.h"
#include "base/buf.h"
#include "cli/common.h"
#include "reports/markers.h"

struct options {
	int by, list, kind, format;
	int64_t n;
	const char *name, *io, *blocking;
};

#define AT(field)  offsetof(struct options, field)
#define CLI(field) offsetof(struct cpf_cli, field)

/* Of the shared selection, what markers have: no frames, no values. */
static const struct cpf_opt select_table[] = {
	{CPF_OPT_LIST, CPF_OPT_SELECT, 0, "thread", CLI(threads), "PATTERN",
		"markers of matching threads: name with * and ?, tid:N, main, busiest", NULL, 0, 0, 0},
	{CPF_OPT_LIST, CPF_OPT_SELECT, 0, "process", CLI(processes), "PATTERN",
		"of matching processes: name with * and ?, pid:N", NULL, 0, 0, 0},
	{CPF_OPT_TIME, CPF_OPT_SELECT, 0, "from", CLI(from), "TIME",
		"that end at or after TIME from the first sample: 2.5s, 300ms", NULL, 0, 0, 0},
	{CPF_OPT_TIME, CPF_OPT_SELECT, 0, "to", CLI(to), "TIME", "that start before TIME", NULL, 0, 0,
		0},
	{0},
};

static const struct cpf_opt table[] = {
	{CPF_OPT_STRING, CPF_OPT_SELECT, 0, "name", AT(name), "REGEX", "whose name matches", NULL, 0,
		0, 0},
	{CPF_OPT_CHOICE, CPF_OPT_SELECT, 0, "kind", AT(kind), "KIND",
		"all; io (with copies), blocking, pause, hang; waiting: all but plain ones",
		"all|io|blocking|pause|hang|waiting", 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_SHAPE, 0, "io", AT(io), "REGEX",
		"names and types that are I/O, besides the known ones", NULL, 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_SHAPE, 0, "blocking", AT(blocking), "REGEX",
		"names and types that block, besides the known ones", NULL, 0, 0, 0},
	{CPF_OPT_CHOICE, CPF_OPT_SHAPE, 0, "by", AT(by), "WHAT",
		"a row per name, or per thread and name", "name|thread", 0, 0, 0},
	{CPF_OPT_FLAG, CPF_OPT_SHAPE, 0, "list", AT(list), NULL,
		"one by one, by start, with their fields", NULL, 0, 0, 0},
	{CPF_OPT_INT, CPF_OPT_OUTPUT, 'n', "nodecount", AT(n), "N",
		"at most N rows; 0 for all (default 30)", NULL, 0, 0, INT64_MAX},
	{CPF_OPT_CHOICE, CPF_OPT_OUTPUT, 0, "format", AT(format), "FORMAT",
		"text, json, csv or markdown", CPF_TABLE_FORMATS, 0, 0, 0},
	{0},
};

static const struct cpf_usage usage = {
	.name = "markers",
	.args = "[OPTIONS] [FILE...]",
	.summary = "Shows markers by name: how many, how long together, the longest.",
	.details = "Starts and ends are paired. kind: io (files, network), io copy (of another\n"
		   "thread), blocking (waits), pause (collectors), hang. Waits between runs on a\n"
		   "CPU are made from what the file says of the runs: (blocked), (preempted).",
	.examples = "cpuprof markers profile.json.gz\n"
		    "cpuprof markers --kind waiting --by thread profile.json.gz\n"
		    "cpuprof markers --list --name '^FileIO' --thread main profile.json.gz",
	.exits = CPF_CLI_EXITS,
};

static int kinds_of(int kind)
{
	static const int bits[] = {0, 1 << CPF_SPAN_IO | 1 << CPF_SPAN_IO_COPY,
		1 << CPF_SPAN_BLOCKING, 1 << CPF_SPAN_PAUSE, 1 << CPF_SPAN_HANG,
		((1 << CPF_SPAN_KINDS) - 1) & ~(1 << CPF_SPAN_PLAIN)};

	return bits[kind];
}

/* Times are for pairs, not for their halves: the report looks at them. */
static int apply_selection(struct cpf_cli *c, struct cpf_profile *p, struct cpf_err *e)
{
	struct cpf_filter f = {0};
	struct cpf_filter_result r;

	f.threads = c->threads.items;
	f.processes = c->processes.items;
	return cpf_filter_active(&f) ? cpf_filter_samples(p, &f, &r, e) : 0;
}

static int report(struct cpf_cli *c, void *arg, struct cpf_profile *p, struct cpf_buf *out,
	struct cpf_err *e)
{
	struct options *o = arg;
	struct cpf_markers_opts mo = {0};
	struct cpf_buf scope = {0};
	size_t rows = 0;
	int r;

	if (!p->nmarkers)
		return cpf_cli_empty(c, "%s: no markers", cpf_cli_inputs(c));
	mo.zero = cpf_spans_zero(p);
	if (apply_selection(c, p, e))
		return -1;
	cpf_cli_scope(c, &scope);
	mo.by = o->list ? CPF_MARKERS_LIST : o->by ? CPF_MARKERS_THREAD : CPF_MARKERS_NAME;
	mo.spans.io = o->io;
	mo.spans.blocking = o->blocking;
	mo.name = o->name;
	mo.kinds = kinds_of(o->kind);
	mo.n = o->n;
	mo.format = (enum cpf_table_format)o->format;
	mo.scope = scope.s;
	mo.has_from = c->from.set;
	mo.has_to = c->to.set;
	mo.from = c->from.ns;
	mo.to = c->to.ns;
	r = cpf_markers(out, &rows, p, &mo, &c->diag, e);
	if (!r && !rows)
		r = cpf_cli_empty(c, "%s: no markers left after the selection", cpf_cli_inputs(c));
	cpf_buf_release(&scope);
	return r;
}

int cpf_cmd_markers(int argc, char **argv)
{
	struct options o = {.n = 30};
	struct cpf_cli c;

	struct cpf_opt_set sets[] = {
		{cpf_cli_load_opts, &c},
		{select_table, &c},
		{table, &o},
		{cpf_cli_output_opts, &c},
		{cpf_cli_common_opts, &c},
	};

	cpf_cli_init(&c, &usage);
	if (cpf_cli_parse(&c, argc, argv, sets, CPF_LEN(sets)))
		return cpf_cli_done(&c, c.exit);
	return cpf_cli_done(
		&c, cpf_cli_report(&c, CPF_WANT_TIMES | CPF_WANT_MARKERS, report, &o));
}
