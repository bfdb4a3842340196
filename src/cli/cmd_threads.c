#include "base/base.h"

#include "base/buf.h"
#include "cli/cmd.h"
#include "cli/common.h"
#include "reports/threads.h"

struct options {
	int all, format;
	int gate; /* exit code of --min-named */
	const char *unit;
};

#define AT(field) offsetof(struct options, field)

static const struct cpf_opt table[] = {
	{CPF_OPT_FLAG, CPF_OPT_SHAPE, 0, "all", AT(all), NULL, "list threads without samples, too",
		NULL, 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_OUTPUT, 0, "unit", AT(unit), "UNIT",
		"show values in this unit: ms, s, kB ...; auto: each in its own", NULL, 0, 0, 0},
	{CPF_OPT_CHOICE, CPF_OPT_OUTPUT, 0, "format", AT(format), "FORMAT",
		"text, json, csv or markdown", CPF_TABLE_FORMATS, 0, 0, 0},
	{0},
};

static const struct cpf_usage usage = {
	.name = "threads",
	.args = "[OPTIONS] [FILE...]",
	.summary = "Shows one row per process and thread, the busiest first.",
	.details = "rows: samples in the file; then the sum of every sample type. idle%: share of\n"
		   "wall time in samples that used no CPU. named%: share of the leaf frames that\n"
		   "have a name, by value. no stack: samples without stack.",
	.examples = "cpuprof threads profile.json.gz\n"
		    "cpuprof threads --process 'java*' --format csv profile.json.gz",
	.exits = CPF_CLI_EXITS,
};

static int report(struct cpf_cli *c, void *arg, struct cpf_profile *p, struct cpf_buf *out,
	struct cpf_err *e)
{
	struct options *o = arg;
	struct cpf_threads_opts to = {0};
	struct cpf_buf scope = {0};
	int type = cpf_cli_type(c, p), r;

	if (type < 0 || cpf_cli_select(c, p))
		return -1;
	cpf_cli_scope(c, &scope);
	to.type = (uint32_t)type;
	to.all = o->all || c->verbose;
	to.unit = o->unit;
	to.format = (enum cpf_table_format)o->format;
	to.scope = scope.s;
	r = cpf_threads(out, p, &to, &c->diag, e);
	o->gate = cpf_cli_named_gate_of(c, p, to.type);
	cpf_buf_release(&scope);
	return r;
}

int cpf_cmd_threads(int argc, char **argv)
{
	struct options o = {0};
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
	code = cpf_cli_report(&c, CPF_WANT_ALL_VALUES, report, &o);
	return cpf_cli_done(&c, code == CPF_EXIT_OK ? o.gate : code);
}
