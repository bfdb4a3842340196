#include "cli/cmd.h"

#include "base/base.h"
#include "base/buf.h"
#include "cli/common.h"
#include "core/classes.h"
#include "reports/flamegraph.h"
#include "reports/report.h"

struct options {
	int by, no_inlines, root, colors, inverted, merge_generics;
	int64_t width;
	const char *title, *min_width, *classes_file;
	struct cpf_classes *classes;
	double least; /* min_width as a number; negative: not given */
};

/* In the order of BY. */
static const enum cpf_by by_of[] = {
	CPF_BY_FUNCTION, CPF_BY_LINE, CPF_BY_FILE, CPF_BY_LIB, CPF_BY_ADDRESS,
	CPF_BY_NAMESPACE, CPF_BY_CLASS};
#define BY "function|line|file|lib|address|namespace|class"

#define AT(field) offsetof(struct options, field)

static const struct cpf_opt table[] = {
	{CPF_OPT_CHOICE, CPF_OPT_SHAPE, 0, "by", AT(by), "WHAT",
		"a frame per function, line, file, lib, address, namespace or class", BY, 0, 0, 0},
	{CPF_OPT_CHOICE, CPF_OPT_SHAPE, 0, "generics", AT(merge_generics), "HOW",
		"keep, or merge: names without template and type arguments", "keep|merge", 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_SHAPE, 0, "classes", AT(classes_file), "FILE",
		"rules for classes instead of the built-in ones", NULL, 0, 0, 0},
	{CPF_OPT_FLAG, CPF_OPT_SHAPE, 0, "no-inlines noinlines", AT(no_inlines), NULL,
		"count inlined functions for the function they were inlined into", NULL, 0, 0, 0},
	{CPF_OPT_FLAG, CPF_OPT_SHAPE, 0, "inverted", AT(inverted), NULL,
		"from the leaves to their callers, hanging from the top", NULL, 0, 0, 0},
	{CPF_OPT_CHOICE, CPF_OPT_SHAPE, 0, "root", AT(root), "WHAT",
		"frames below the stacks: none, thread or process (process and thread)",
		"none|thread|process", 0, 0, 0},
	{CPF_OPT_CHOICE, CPF_OPT_OUTPUT, 0, "colors", AT(colors), "WHAT",
		"hash: warm colors by name; lib: by library; class: by kind of work", "hash|lib|class", 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_OUTPUT, 0, "title", AT(title), "TEXT",
		"headline (default: name of the file)", NULL, 0, 0, 0},
	{CPF_OPT_INT, CPF_OPT_OUTPUT, 0, "width", AT(width), "PIXELS",
		"width of the picture where no script runs (default 1200)", NULL, 0, 100, 100000},
	{CPF_OPT_STRING, CPF_OPT_OUTPUT, 0, "min-width", AT(min_width), "PIXELS",
		"leave out narrower frames, 0 for none (default 0.1, more if needed to stay under 5 MB)",
		NULL, 0, 0, 0},
	{0},
};

static const struct cpf_usage usage = {
	.name = "flamegraph",
	.args = "[OPTIONS] [FILE...] [-o FILE.svg]",
	.summary = "Draws a flame graph: one SVG file, for any browser, without network.",
	.details = "Click or Enter zooms, Escape resets, '/' searches; the address keeps both.\n"
		   "Several files are pooled. FILE may be '-'; without one, stdin is read.",
	.examples = "cpuprof flamegraph profile.json.gz -o flame.svg\n"
		    "cpuprof flamegraph --thread main --colors lib profile.pb.gz -o flame.svg\n"
		    "cpuprof flamegraph --inverted --focus malloc profile.json.gz -o who.svg",
	.exits = CPF_CLI_EXITS,
};

static int report(struct cpf_cli *c, void *arg, struct cpf_profile *p, struct cpf_buf *out,
	struct cpf_err *e)
{
	struct options *o = arg;
	struct cpf_flame_opts fo = {0};
	struct cpf_buf scope = {0};
	int type = cpf_cli_type(c, p), r;

	if (type < 0)
		return -1;
	cpf_cli_drop_frames(c, p);
	fo.type = (uint32_t)type;
	if (c->exit || cpf_report_raw_sum(&fo.total, p, fo.type, e) || cpf_cli_select(c, p) ||
		cpf_cli_without_stacks(c, p))
		return -1;
	cpf_cli_scope(c, &scope);
	fo.by = by_of[o->by];
	fo.no_inlines = o->no_inlines;
	fo.merge_generics = o->merge_generics;
	fo.classes = o->classes;
	fo.inverted = o->inverted;
	fo.root = (enum cpf_tree_root)o->root;
	fo.colors = (enum cpf_flame_colors)o->colors;
	fo.width = o->width;
	fo.min_width = o->least;
	fo.title = o->title;
	fo.scope = scope.s;
	r = cpf_flamegraph(out, p, &fo, &c->diag, e);
	cpf_buf_release(&scope);
	return r;
}

/* "0.5", at most as wide as the picture. */
static int parse_width(struct cpf_cli *c, struct options *o)
{
	const char *s = o->min_width, *at;
	double v = 0, unit = 1;
	int point = 0, digits = 0;

	o->least = -1;
	if (!s)
		return 0;
	for (at = s; *at; at++) {
		if (*at == '.' && !point) {
			point = 1;
		} else if (*at >= '0' && *at <= '9' && digits++ < 15) {
			v = v * 10 + (*at - '0');
			unit *= point ? 10 : 1;
		} else {
			digits = 0;
			break;
		}
	}
	if (!digits || v / unit > (double)o->width) {
		c->exit = cpf_cli_usage(c, "--min-width: '%s' is no number of pixels from 0 to the width", s);
		return -1;
	}
	o->least = v / unit;
	return 0;
}

int cpf_cmd_flamegraph(int argc, char **argv)
{
	struct options o = {.width = 1200};
	struct cpf_cli c;
	int code;

	struct cpf_opt_set sets[] = {
		{cpf_cli_load_opts, &c},
		{cpf_cli_symbol_opts, &c},
		{cpf_cli_select_opts, &c},
		{cpf_cli_type_opts, &c},
		{table, &o},
		{cpf_cli_output_opts, &c},
		{cpf_cli_common_opts, &c},
	};

	cpf_cli_init(&c, &usage);
	c.naming = CPF_CLI_NAME;
	if (cpf_cli_parse(&c, argc, argv, sets, CPF_LEN(sets)) || parse_width(&c, &o))
		return cpf_cli_done(&c, c.exit);
	if (cpf_cli_classes(&c, &o.classes, o.classes_file,
		    by_of[o.by] == CPF_BY_CLASS || o.colors == CPF_FLAME_CLASS))
		return cpf_cli_done(&c, c.exit);
	code = cpf_cli_report(&c, 0, report, &o);
	cpf_classes_free(o.classes);
	return cpf_cli_done(&c, code);
}
