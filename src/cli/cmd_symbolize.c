#include "cli/cmd.h"

#include "base/base.h"
#include "base/buf.h"
#include "base/output.h"
#include "cli/save.h"
#include "reports/coverage.h"
#include "reports/report.h"
#include "reports/table.h"
#include "symbolize/driver.h"
#include "symbolize/sidecar.h"

#include <stdio.h>

static const struct cpf_usage usage = {
	.name = "symbolize",
	.args = "[OPTIONS] [FILE] -o FILE",
	.summary = "Writes the names it finds into a profile, or into a .syms.json file.",
	.details = "Names, inlined functions, files and lines of all places that can be named on\n"
		   "this machine; the format stays that of the input. -o NAME.syms.json writes the\n"
		   "names alone, for samply. What was found, and why the rest was not, is said on\n"
		   "stderr. FILE may be '-'; without one, stdin is read.",
	.examples = "cpuprof symbolize profile.json.gz -o named.json.gz\n"
		    "cpuprof symbolize --symbol-dir debug profile.pb.gz -o named.pb.gz\n"
		    "cpuprof symbolize profile.json -o profile.syms.json",
	.exits = "0  done\n"
		 "1  could not: input, output or system\n"
		 "2  wrong usage\n"
		 "3  done, but --strict or --min-named was not met\n"
		 "4  the file is valid but holds nothing to show",
};

static int ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix);

	return n >= k && !strcmp(s + n - k, suffix);
}

static int to_sidecar(const struct cpf_cli *c)
{
	return c->output && ends_with(c->output, ".syms.json");
}

/* What was looked for. */

static void table_row(struct cpf_table *table, const struct cpf_cli *c, const struct cpf_profile *p,
	uint32_t i)
{
	const struct cpf_sym_lib *lib = &c->names->libs[i];
	struct cpf_text name = cpf_mapping_name(p, i < p->nmappings ? i : CPF_NONE);
	struct cpf_buf text = {0};

	cpf_table_number(table, (int64_t)lib->asked, NULL);
	cpf_table_number(table, (int64_t)lib->named, NULL);
	if (i < p->nmappings)
		cpf_table_text(table, name.s, name.len);
	else
		cpf_table_str(table, "(no library)");
	cpf_buf_str(&text, lib->source ? lib->source : "");
	if (c->reasons[i].text)
		cpf_buf_fmt(&text, "%s%s", text.n ? "; the rest: " : "", c->reasons[i].text);
	cpf_table_text(table, text.s, text.n);
	cpf_buf_release(&text);
}

static void share(struct cpf_buf *out, double part, double all)
{
	if (all > 0)
		cpf_report_named(out, part, all, 1);
	else
		cpf_buf_str(out, "100.0");
}

static void tell(const struct cpf_cli *c, const struct cpf_profile *p,
	const struct cpf_coverage *before, const struct cpf_coverage *after)
{
	static const struct cpf_column columns[] = {
		{"places", "places", CPF_IN_PEOPLE, 0, 1, 2, 6},
		{"named", "named", CPF_IN_PEOPLE, 0, 1, 2, 6},
		{"library", "library", CPF_IN_PEOPLE, 1, 0, 2, 0},
		{"from", "from", CPF_IN_PEOPLE, 1, 0, 2, 0},
	};
	struct cpf_buf out = {0};
	struct cpf_table table;
	uint32_t i, rows = 0;

	cpf_buf_str(&out, "named: ");
	share(&out, after->leaf_named, after->leaf);
	cpf_buf_str(&out, "% of leaf frames, ");
	share(&out, after->all_named, after->all);
	cpf_buf_str(&out, "% of all frames (before: ");
	share(&out, before->leaf_named, before->leaf);
	cpf_buf_str(&out, "%, ");
	share(&out, before->all_named, before->all);
	cpf_buf_str(&out, "%)\n");
	cpf_table_init(&table, columns, CPF_LEN(columns));
	for (i = 0; i < c->names->n; i++)
		if (c->names->libs[i].asked) {
			table_row(&table, c, p, i);
			rows++;
		}
	if (rows)
		cpf_table_as_text(&table, &out);
	cpf_table_release(&table);
	fwrite(out.s, 1, out.n, stderr);
	cpf_buf_release(&out);
}

/* Looks for names and says what came of it. */
static int name(struct cpf_cli *c, struct cpf_profile *p)
{
	uint32_t raw = p->types[p->default_type].raw;
	struct cpf_coverage before, after;

	cpf_coverage_build(&before, p, raw);
	if (cpf_cli_symbolize(c, p)) {
		cpf_coverage_release(&before);
		return -1;
	}
	cpf_coverage_build(&after, p, raw);
	cpf_cli_notes(c);
	if (!c->quiet)
		tell(c, p, &before, &after);
	cpf_coverage_release(&before);
	cpf_coverage_release(&after);
	return 0;
}

/* Output. */

static int write_sidecar(struct cpf_cli *c, const struct cpf_profile *p)
{
	uint64_t written, skipped;
	struct cpf_output *out;
	struct cpf_err e = {0};

	if (cpf_output_open(&out, c->output, 0, &e))
		return cpf_cli_fail(c, &e);
	cpf_sidecar_write(out, p, &written, &skipped);
	if (!written) {
		cpf_output_discard(out);
		return cpf_cli_empty(c, skipped ?
			"%s: addresses are not relative to their files, as %s has them: nothing to write" :
			"%s: no place has a name, so there is nothing to write", cpf_cli_inputs(c),
			".syms.json");
	}
	if (skipped)
		cpf_note(&c->diag, CPF_LOSS, "not-relative", (int64_t)skipped,
			"%s: left out: places whose addresses are not relative to their files",
			cpf_cli_inputs(c));
	return cpf_output_commit(out, &e) ? cpf_cli_fail(c, &e) : CPF_EXIT_OK;
}

/* The format that was read; raw Gecko profiles are written as processed ones. */
static int choose_format(struct cpf_cli *c, struct cpf_cli_save *s, const struct cpf_profile *p)
{
	const char *in = p->nsources ? p->sources[0].format : "";
	const struct cpf_format *by_suffix;
	int gzip;

	s->to = !strcmp(in, "gecko") ? "firefox" : !strcmp(in, "gperftools") ? "pprof" : in;
	if (!strcmp(s->to, "folded")) {
		cpf_cli_error("%s: folded stacks have no addresses to look up", cpf_cli_inputs(c));
		c->exit = CPF_EXIT_EMPTY;
		return -1;
	}
	by_suffix = c->output ? cpf_format_by_suffix(c->output, &gzip) : NULL;
	if (by_suffix && strcmp(by_suffix->name, s->to) != 0) {
		c->exit = cpf_cli_usage(c, "-o %s: the input is %s, and stays so; "
			"'convert --symbols' names and converts", c->output, s->to);
		return -1;
	}
	return cpf_cli_save_plan(c, s);
}

static int run(struct cpf_cli *c, struct cpf_cli_save *s)
{
	struct cpf_profile p;
	int code;

	if (c->files.n > 1)
		return cpf_cli_usage(c, "one file at a time");
	if (!c->output)
		return cpf_cli_usage(c, "no output: -o FILE");
	if (cpf_cli_load(c, &p, CPF_WANT_ALL) || (!to_sidecar(c) && choose_format(c, s, &p)))
		code = c->exit;
	else if (!p.samples.n || !p.ntypes)
		code = cpf_cli_empty(c, "%s: no samples", cpf_cli_inputs(c));
	else if (name(c, &p))
		code = c->exit;
	else
		code = to_sidecar(c) ? write_sidecar(c, &p) : cpf_cli_save(c, s, &p);
	if (code == CPF_EXIT_OK)
		code = cpf_cli_named_gate_of(c, &p, p.default_type);
	cpf_profile_release(&p);
	return code;
}

int cpf_cmd_symbolize(int argc, char **argv)
{
	struct cpf_cli_save s;
	struct cpf_cli c;

	struct cpf_opt_set sets[] = {
		{cpf_cli_load_opts, &c},
		{cpf_cli_symbol_opts, &c},
		{cpf_cli_output_opts, &c},
		{cpf_cli_named_opts, &c},
		{cpf_cli_common_opts, &c},
	};

	cpf_cli_init(&c, &usage);
	c.naming = CPF_CLI_NAME;
	c.name_markers = 1;
	cpf_cli_save_init(&s);
	if (cpf_cli_parse(&c, argc, argv, sets, CPF_LEN(sets)))
		return cpf_cli_done(&c, c.exit);
	return cpf_cli_done(&c, run(&c, &s));
}
