#include "cli/cmd.h"

#include "base/base.h"
#include "base/buf.h"
#include "cli/common.h"
#include "core/classes.h"
#include "reports/report.h"
#include "reports/top.h"

struct options {
	int by, no_inlines, cum, format, merge_generics;
	int64_t n;
	const char *unit, *classes_file;
	struct cpf_classes *classes;
	struct cpf_top_result result;
};

/* In the order of BY. */
static const enum cpf_by by_of[] = {
	CPF_BY_FUNCTION, CPF_BY_LINE, CPF_BY_FILE, CPF_BY_LIB, CPF_BY_ADDRESS,
	CPF_BY_NAMESPACE, CPF_BY_CLASS};
#define BY "function|line|file|lib|address|namespace|class"

#define AT(field) offsetof(struct options, field)

static const struct cpf_opt table[] = {
	{CPF_OPT_CHOICE, CPF_OPT_SHAPE, 0, "by", AT(by), "WHAT",
		"a row per function, line, file, lib, address, namespace or class", BY, 0, 0, 0},
	{CPF_OPT_CHOICE, CPF_OPT_SHAPE, 0, "generics", AT(merge_generics), "HOW",
		"keep, or merge: names without template and type arguments", "keep|merge", 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_SHAPE, 0, "classes", AT(classes_file), "FILE",
		"rules for --by class instead of the built-in ones", NULL, 0, 0, 0},
	{CPF_OPT_FLAG, CPF_OPT_SHAPE, 0, "no-inlines noinlines", AT(no_inlines), NULL,
		"count inlined functions for the function they were inlined into", NULL, 0, 0, 0},
	{CPF_OPT_INT, CPF_OPT_OUTPUT, 'n', "nodecount", AT(n), "N",
		"at most N rows; 0 for all (default 30)", NULL, 0, 0, INT64_MAX},
	{CPF_OPT_FLAG, CPF_OPT_OUTPUT, 0, "cum", AT(cum), NULL, "sort by total instead of self", NULL,
		0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_OUTPUT, 0, "unit", AT(unit), "UNIT",
		"show values in this unit: ms, s, kB ...; auto: each in its own", NULL, 0, 0, 0},
	{CPF_OPT_CHOICE, CPF_OPT_OUTPUT, 0, "format", AT(format), "FORMAT",
		"text, json, csv or markdown", CPF_TABLE_FORMATS, 0, 0, 0},
	{0},
};

static const struct cpf_usage usage = {
	.name = "top",
	.args = "[OPTIONS] [FILE...]",
	.summary = "Shows the hottest functions: self (flat) and with all they call (cum).",
	.details = "Several files are pooled. FILE may be '-'; without one, stdin is read.\n"
		   "Percentages are of the selected samples, as the header says. A function\n"
		   "counts once per sample in cum, however often it recurs.",
	.examples = "cpuprof top profile.json.gz\n"
		    "cpuprof top --thread main --cum -n 20 profile.json.gz\n"
		    "cpuprof top --by lib --format json profile.pb.gz",
	.exits = "0  done\n"
		 "1  could not: input, output or system\n"
		 "2  wrong usage\n"
		 "3  done, but --strict or --min-named was not met\n"
		 "4  the file is valid but holds nothing to show",
};

static int report(struct cpf_cli *c, void *arg, struct cpf_profile *p, struct cpf_buf *out,
	struct cpf_err *e)
{
	struct options *o = arg;
	struct cpf_top_opts to = {0};
	struct cpf_buf scope = {0};
	int type = cpf_cli_type(c, p), r;

	if (type < 0)
		return -1;
	cpf_cli_drop_frames(c, p);
	to.type = (uint32_t)type;
	if (c->exit || cpf_report_raw_sum(&to.total, p, to.type, e) || cpf_cli_select(c, p))
		return -1;
	if (cpf_cli_without_stacks(c, p))
		return -1;
	cpf_cli_scope(c, &scope);
	to.by = by_of[o->by];
	to.no_inlines = o->no_inlines;
	to.merge_generics = o->merge_generics;
	to.classes = o->classes;
	to.cum = o->cum;
	to.n = o->n;
	to.unit = o->unit;
	to.format = (enum cpf_table_format)o->format;
	to.scope = scope.s;
	to.reasons = c->reasons;
	r = cpf_top(out, &o->result, p, &to, &c->diag, e);
	if (!r && !o->result.rows)
		r = cpf_cli_empty(c, "%s: every value of '%s' is 0", cpf_cli_inputs(c),
			cpf_cstr(p, p->types[type].type));
	cpf_buf_release(&scope);
	return r;
}

int cpf_cmd_top(int argc, char **argv)
{
	struct options o = {.n = 30, .unit = "minimum"};
	struct cpf_cli c;
	int code;

	struct cpf_opt_set sets[] = {
		{cpf_cli_load_opts, &c},
		{cpf_cli_symbol_opts, &c},
		{cpf_cli_select_opts, &c},
		{cpf_cli_type_opts, &c},
		{table, &o},
		{cpf_cli_named_opts, &c},
		{cpf_cli_output_opts, &c},
		{cpf_cli_common_opts, &c},
	};

	cpf_cli_init(&c, &usage);
	c.naming = CPF_CLI_NAME;
	if (cpf_cli_parse(&c, argc, argv, sets, CPF_LEN(sets)))
		return cpf_cli_done(&c, c.exit);
	if (cpf_cli_classes(&c, &o.classes, o.classes_file, by_of[o.by] == CPF_BY_CLASS))
		return cpf_cli_done(&c, c.exit);
	code = cpf_cli_report(&c, 0, report, &o);
	cpf_classes_free(o.classes);
	if (code == CPF_EXIT_OK)
		code = cpf_cli_named_gate(&c, o.result.named);
	return cpf_cli_done(&c, code);
}
