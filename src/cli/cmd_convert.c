#include "cli/cmd.h"

#include "base/base.h"
#include "cli/save.h"

static const struct cpf_usage convert_usage = {
	.name = "convert",
	.args = "[OPTIONS] [FILE...] -o FILE",
	.summary = "Writes a profile in another format.",
	.details = "Formats are recognised by content. What the output cannot hold is counted and\n"
		   "said on stderr. Several files are pooled, their samples side by side; 'merge'\n"
		   "sums them. Names are looked for only if --symbols, --syms, --symbol-dir,\n"
		   "--binary, --sysroot or --path-map is given. FILE may be '-'; without one, stdin\n"
		   "is read.",
	.examples = "cpuprof convert profile.json.gz -o profile.pb.gz\n"
		    "cpuprof convert --to pprof --timestamps profile.json.gz >profile.pb.gz\n"
		    "cpuprof convert --thread main --root thread profile.json.gz -o main.folded",
	.exits = CPF_CLI_EXITS,
};

static const struct cpf_usage folded_usage = {
	.name = "folded",
	.args = "[OPTIONS] [FILE...]",
	.summary = "Writes folded stacks: a line for each stack, 'main;f;g 12'.",
	.details = "For flamegraph.pl, inferno and speedscope. Lines are sorted, equal stacks are\n"
		   "summed; docs/formats.md tells how names are escaped. Several files are pooled.\n"
		   "FILE may be '-'; without one, stdin is read.",
	.examples = "cpuprof folded profile.json.gz | inferno-flamegraph >flame.svg\n"
		    "cpuprof folded --root process --sample-type samples profile.json.gz\n"
		    "cpuprof folded --focus parse profile.pb.gz -o parse.folded",
	.exits = CPF_CLI_EXITS,
};

/*
 * The selection of all commands, but --to is the format here: the end of the time range is --until.
 */
#define MAX_SELECT 32
static void select_opts(struct cpf_opt out[MAX_SELECT])
{
	size_t i;

	for (i = 0; cpf_cli_select_opts[i].type != CPF_OPT_END && i < MAX_SELECT - 1; i++) {
		out[i] = cpf_cli_select_opts[i];
		if (!strcmp(out[i].name, "to"))
			out[i].name = "until";
	}
	memset(&out[i], 0, sizeof(out[i]));
}

static int run(struct cpf_cli *c, struct cpf_cli_save *s)
{
	struct cpf_profile p;
	int code;

	if (cpf_cli_save_plan(c, s))
		return c->exit;
	if (cpf_cli_load(c, &p, s->want) || cpf_cli_select(c, &p))
		code = c->exit;
	else
		code = cpf_cli_save(c, s, &p);
	if (code == CPF_EXIT_OK)
		code = cpf_cli_named_gate_of(c, &p, (uint32_t)cpf_cli_type(c, &p));
	cpf_profile_release(&p);
	return code;
}

int cpf_cmd_convert(int argc, char **argv)
{
	struct cpf_cli_save s;
	struct cpf_cli c;
	struct cpf_opt select[MAX_SELECT];

	struct cpf_opt_set sets[] = {
		{cpf_cli_load_opts, &c},
		{cpf_cli_symbol_opts, &c},
		{select, &c},
		{cpf_cli_type_opts, &c},
		{cpf_cli_output_opts, &c},
		{cpf_cli_to_opts, &s},
		{cpf_cli_times_opts, &s},
		{cpf_cli_save_opts, &s},
		{cpf_cli_named_opts, &c},
		{cpf_cli_common_opts, &c},
	};

	select_opts(select);
	cpf_cli_init(&c, &convert_usage);
	c.naming = CPF_CLI_NAME_IF_ASKED;
	c.name_markers = 1;
	cpf_cli_save_init(&s);
	if (cpf_cli_parse(&c, argc, argv, sets, CPF_LEN(sets)))
		return cpf_cli_done(&c, c.exit);
	return cpf_cli_done(&c, run(&c, &s));
}

int cpf_cmd_folded(int argc, char **argv)
{
	struct cpf_cli_save s;
	struct cpf_cli c;

	struct cpf_opt_set sets[] = {
		{cpf_cli_load_opts, &c},
		{cpf_cli_symbol_opts, &c},
		{cpf_cli_select_opts, &c},
		{cpf_cli_type_opts, &c},
		{cpf_cli_output_opts, &c},
		{cpf_cli_save_opts, &s},
		{cpf_cli_named_opts, &c},
		{cpf_cli_common_opts, &c},
	};

	cpf_cli_init(&c, &folded_usage);
	c.naming = CPF_CLI_NAME;
	cpf_cli_save_init(&s);
	s.to = "folded";
	if (cpf_cli_parse(&c, argc, argv, sets, CPF_LEN(sets)))
		return cpf_cli_done(&c, c.exit);
	return cpf_cli_done(&c, run(&c, &s));
}
