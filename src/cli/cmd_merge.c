#include "cli/cmd.h"

#include "base/base.h"
#include "base/mem.h"
#include "cli/save.h"
#include "core/merge.h"

static const struct cpf_usage usage = {
	.name = "merge",
	.args = "[OPTIONS] FILE... -o FILE",
	.summary = "Sums profiles into one.",
	.details = "Equal stacks with equal labels and threads are added up, over all sample types\n"
		   "that the files have in common; units are brought to the finest one. Samples\n"
		   "that add up to nothing are left out, times of single samples are dropped.\n"
		   "Formats may be mixed.",
	.examples = "cpuprof merge run1.pb.gz run2.pb.gz run3.pb.gz -o all.pb.gz\n"
		    "cpuprof merge run1.json.gz run2.json.gz -o both.pb.gz",
	.exits = CPF_CLI_EXITS,
};

/* p is initialised here. */
static int load_all(struct cpf_cli *c, struct cpf_profile *p, uint32_t want)
{
	static const struct cpf_merge_opts join = {.join = 1};
	struct cpf_profile *all = cpf_calloc(c->files.n, sizeof(*all));
	struct cpf_profile **list = cpf_calloc(c->files.n, sizeof(*list));
	struct cpf_err e = {0};
	size_t i, loaded;
	int r = 0;

	cpf_profile_init(p);
	for (loaded = 0; loaded < c->files.n && !r; loaded++) {
		list[loaded] = &all[loaded];
		r = cpf_cli_load_file(c, &all[loaded], c->files.items[loaded], want);
	}
	if (!r && cpf_merge(p, list, (uint32_t)c->files.n, &join, &c->diag, &e)) {
		cpf_cli_notes(c);
		c->exit = cpf_cli_fail(c, &e);
		r = -1;
	}
	for (i = 0; i < loaded; i++)
		cpf_profile_release(&all[i]);
	cpf_free(all);
	cpf_free(list);
	return r;
}

static int run(struct cpf_cli *c, struct cpf_cli_save *s)
{
	struct cpf_profile p;
	int code;

	if (cpf_cli_save_plan(c, s))
		return c->exit;
	if (load_all(c, &p, s->want & ~(uint32_t)CPF_WANT_TIMES)) {
		code = c->exit;
	} else if (!p.samples.n) {
		cpf_cli_error("%s: no samples, or all add up to nothing", cpf_cli_inputs(c));
		code = CPF_EXIT_EMPTY;
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
		{cpf_cli_type_opts, &c},
		{cpf_cli_output_opts, &c},
		{cpf_cli_to_opts, &s},
		{cpf_cli_save_opts, &s},
		{cpf_cli_common_opts, &c},
	};

	cpf_cli_init(&c, &usage);
	cpf_cli_save_init(&s);
	if (cpf_cli_parse(&c, argc, argv, sets, CPF_LEN(sets)))
		return cpf_cli_done(&c, c.exit);
	return cpf_cli_done(&c, run(&c, &s));
}
