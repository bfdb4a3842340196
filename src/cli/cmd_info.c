#include "base/base.h"

#include "cli/cmd.h"
#include "cli/common.h"
#include "reports/info.h"

struct options {
	int all, format;
	int gate; /* exit code of --min-named */
};

#define AT(field) offsetof(struct options, field)

static const struct cpf_opt table[] = {
	{CPF_OPT_FLAG, CPF_OPT_SHAPE, 0, "all", AT(all), NULL, "list libraries without frames, too",
		NULL, 0, 0, 0},
	{CPF_OPT_CHOICE, CPF_OPT_OUTPUT, 0, "format", AT(format), "FORMAT", "text or json",
		"text|json", 0, 0, 0},
	{0},
};

static const struct cpf_usage usage = {
	.name = "info",
	.args = "[OPTIONS] [FILE...]",
	.summary = "Shows what a file is: producer, times, sample types, threads, libraries.",
	.details = "named: share of leaf frames and of all frames that have a name, by value of\n"
		   "the default sample type; per library, of the places that occur in stacks.",
	.examples = "cpuprof info profile.json.gz\n"
		    "cpuprof info --format json profile.pb.gz",
	.exits = "0  done\n"
		 "1  could not: input, output or system\n"
		 "2  wrong usage\n"
		 "3  done, but --strict or --min-named was not met",
};

static int report(struct cpf_cli *c, void *arg, struct cpf_profile *p, struct cpf_buf *out,
	struct cpf_err *e)
{
	struct options *o = arg;
	struct cpf_info_opts io = {0};

	if (cpf_cli_symbolize(c, p))
		return -1;
	io.reasons = c->reasons;
	io.all = o->all || c->verbose;
	io.json = o->format == 1;
	o->gate = cpf_cli_named_gate_of(c, p, p->default_type);
	return cpf_info(out, p, &io, &c->diag, e);
}

int cpf_cmd_info(int argc, char **argv)
{
	struct options o = {0};
	struct cpf_cli c;
	int code;

	struct cpf_opt_set sets[] = {
		{cpf_cli_load_opts, &c},
		{cpf_cli_symbol_opts, &c},
		{table, &o},
		{cpf_cli_named_opts, &c},
		{cpf_cli_output_opts, &c},
		{cpf_cli_common_opts, &c},
	};

	cpf_cli_init(&c, &usage);
	c.naming = CPF_CLI_NAME;
	if (cpf_cli_parse(&c, argc, argv, sets, CPF_LEN(sets)))
		return cpf_cli_done(&c, c.exit);
	code = cpf_cli_report(&c, CPF_WANT_ALL, report, &o);
	return cpf_cli_done(&c, code == CPF_EXIT_OK ? o.gate : code);
}
