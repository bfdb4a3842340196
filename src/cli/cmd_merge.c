#include "cli/cmd.h"

#include "base/base.h"
#include "cli/save.h"
#include "core/merge.h"

static const struct cpf_usage usage = {
	.name = "merge",
	.args = "[OPTIONS] FILE... -o FILE",
	.summary = "Sums profiles into one.",
	.details = "Equal stacks with equal labels and threads are added up, over all sample types\n"
		   "that the files have in common; units are brought to the finest one. Samples\n"
		   "that add up to nothing are left out, times of single samples are dropped.\n"
		   "Formats may be mixed. Names are looked for only if --symbols, --syms,\n"
		   "--symbol-dir, --binary, --sysroot or --path-map is given.",
	.examples = "cpuprof merge run1.pb.gz run2.pb.gz run3.pb.gz -o all.pb.gz\n"
		    "cpuprof merge run1.json.gz run2.json.gz -o both.pb.gz",
	.exits = CPF_CLI_EXITS,
};

static int run(struct cpf_cli *c, struct cpf_cli_save *s)
{
	static const struct cpf_merge_opts join = {.join = 1};
	struct cpf_profile p;
	int code;

	if (cpf_cli_save_plan(c, s))
		return c->exit;
	if (cpf_cli_load_merged(c, &p, s->want & ~(uint32_t)CPF_WANT_TIMES, &join)) {
		code = c->exit;
	} else if (!p.samples.n) {
		cpf_cli_error("%s: no samples, or all add up to nothing", cpf_cli_inputs(c));
		code = CPF_EXIT_EMPTY;
	} else if (cpf_cli_symbolize(c, &p)) {
		code = c->exit;
	} else {
		code = cpf_cli_save(c, s, &p);
	}
	cpf_profile_release(&p);
	return code;
}

int cpf_cmd_merge(int argc, char **argv)
{
	struct cpf_cli_save s;
	struct cpf_cli c;

	struct cpf_opt_set sets[] = {
		{cpf_cli_load_opts, &c},
		{cpf_cli_symbol_opts, &c},
		{cpf_cli_type_opts, &c},
		{cpf_cli_output_opts, &c},
		{cpf_cli_to_opts, &s},
		{cpf_cli_save_opts, &s},
		{cpf_cli_common_opts, &c},
	};

	cpf_cli_init(&c, &usage);
	c.naming = CPF_CLI_NAME_IF_ASKED;
	cpf_cli_save_init(&s);
	if (cpf_cli_parse(&c, argc, argv, sets, CPF_LEN(sets)))
		return cpf_cli_done(&c, c.exit);
	return cpf_cli_done(&c, run(&c, &s));
}
