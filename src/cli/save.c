#include "cli/save.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/output.h"
#include "cli/term.h"
#include "formats/losses.h"
#include "reports/report.h"

#include <stdio.h>
#include <unistd.h>

#define AT(field) offsetof(struct cpf_cli_save, field)
#define ROOTS "none|thread|process"
#define FIREFOX_VERSIONS "60|49"

const struct cpf_opt cpf_cli_to_opts[] = {
	{CPF_OPT_STRING, CPF_OPT_OUTPUT, 0, "to", AT(to), "FORMAT",
		"format to write: firefox, pprof or folded (default: by the suffix of -o)", NULL, 0,
		0, 0},
	{CPF_OPT_CHOICE, CPF_OPT_OUTPUT, 0, "firefox-version", AT(firefox), "N",
		"firefox: layout to write: 60, or 49 as samply 0.13 does", FIREFOX_VERSIONS, 0, 0, 0},
	{0},
};

const struct cpf_opt cpf_cli_times_opts[] = {
	{CPF_OPT_FLAG, CPF_OPT_OUTPUT, 0, "timestamps", AT(timestamps), NULL,
		"pprof: each sample on its own, with a label 'time'", NULL, 0, 0, 0},
	{0},
};

const struct cpf_opt cpf_cli_save_opts[] = {
	{CPF_OPT_CHOICE, CPF_OPT_OUTPUT, 0, "root", AT(root), "WHAT",
		"folded: frames above the stacks: none, thread or process (process and thread)", ROOTS,
		0, 0, 0},
	{CPF_OPT_FLAG, CPF_OPT_OUTPUT, 0, "marks", AT(marks), NULL,
		"folded: mark kernel, inlined and JIT frames: _[k], _[i], _[j]", NULL, 0, 0, 0},
	{CPF_OPT_FLAG, CPF_OPT_OUTPUT, 0, "gzip", AT(gzip), NULL,
		"pack the output (default: by the suffix; pprof on stdout is packed)", NULL, 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_OUTPUT, 0, "loss-report", AT(loss_report), "FILE",
		"write what is not carried over as JSON, too", NULL, 0, 0, 0},
	{0},
};

void cpf_cli_save_init(struct cpf_cli_save *s)
{
	memset(s, 0, sizeof(*s));
	s->gzip = -1;
}

/* What can be written: names, or suffixes. */
static void list_formats(struct cpf_buf *out, int suffixes)
{
	size_t i;

	for (i = 0; cpf_formats[i]; i++)
		if (cpf_formats[i]->write)
			cpf_buf_fmt(out, "%s%s", out->n ? suffixes ? " " : ", " : "",
				suffixes ? cpf_formats[i]->suffixes : cpf_formats[i]->name);
}

static int to_stdout(const struct cpf_cli *c)
{
	return !c->output || !strcmp(c->output, "-");
}

/* "BEFORE, LIST" as a usage error. */
static int wrong(struct cpf_cli *c, int suffixes, const char *fmt, ...) CPF_PRINTF(3, 4);
static int wrong(struct cpf_cli *c, int suffixes, const char *fmt, ...)
{
	struct cpf_buf text = {0}, list = {0};
	va_list ap;

	va_start(ap, fmt);
	cpf_buf_vfmt(&text, fmt, ap);
	va_end(ap);
	list_formats(&list, suffixes);
	c->exit = cpf_cli_usage(c, "%s: %s", text.s, list.s);
	cpf_buf_release(&text);
	cpf_buf_release(&list);
	return -1;
}

static int choose_format(struct cpf_cli *c, struct cpf_cli_save *s)
{
	struct cpf_err e = {0};
	int64_t time;
	int gzip = 0;

	if (!to_stdout(c))
		s->format = cpf_format_by_suffix(c->output, &gzip);
	if (s->to) {
		const struct cpf_format *f = cpf_format_by_name(s->to);

		if (!f && !cpf_parse_time(&time, s->to, &e)) {
			c->exit = cpf_cli_usage(c,
				"--to names the format to write; a time range ends with --until %s",
				s->to);
			return -1;
		}
		if (!f)
			return wrong(c, 0, "--to: no format '%s'; writable are", s->to);
		if (!f->write)
			return wrong(c, 0, "--to: %s is read, not written; writable are", s->to);
		/* profile.dat: no suffix to go by. */
		if (!s->format && f->binary)
			gzip = 1;
		s->format = f;
	}
	if (!s->format && to_stdout(c)) {
		c->exit = cpf_cli_usage(c, c->output ? "-o -: --to FORMAT is needed" :
						       "no output: -o FILE, or --to FORMAT for stdout");
		return -1;
	}
	if (!s->format && strlen(c->output) > 4 && !strcmp(c->output + strlen(c->output) - 4, ".svg")) {
		c->exit = cpf_cli_usage(
			c, "%s: a flame graph is drawn by 'cpuprof flamegraph'", c->output);
		return -1;
	}
	if (!s->format)
		return wrong(c, 1, "%s: no format has this suffix; give --to, or one of", c->output);
	if (s->gzip < 0)
		s->gzip = gzip;
	return 0;
}

int cpf_cli_save_plan(struct cpf_cli *c, struct cpf_cli_save *s)
{
	if (choose_format(c, s))
		return -1;
	if (to_stdout(c) && (s->format->binary || s->gzip) && cpf_term_is_tty(STDOUT_FILENO)) {
		cpf_cli_error("stdout is a terminal, and the output is binary");
		fputs("hint: write it to a file with -o FILE\n", stderr);
		c->exit = CPF_EXIT_USAGE;
		return -1;
	}
	if (s->loss_report && !strcmp(s->loss_report, "-") && to_stdout(c)) {
		c->exit = cpf_cli_usage(c, "--loss-report -: stdout is for the output");
		return -1;
	}
	s->want = CPF_WANT_ALL;
	return 0;
}

/* The writer's own notes, with the file; its losses are in the list of losses. */
static void take_notes(struct cpf_cli *c, const struct cpf_diag *from)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		if (from->notes[i].level != CPF_LOSS)
			cpf_note(&c->diag, from->notes[i].level, from->notes[i].kind,
				from->notes[i].count, "%s: %s", cpf_cli_inputs(c),
				from->notes[i].text);
}

static void say_losses(struct cpf_cli *c, const struct cpf_losses *l)
{
	struct cpf_buf text = {0};

	cpf_losses_text(&text, l);
	if (l->n)
		cpf_note(&c->diag, CPF_LOSS, "not-carried-over", 1, "%s: not carried over: %s",
			cpf_cli_inputs(c), text.s);
	cpf_buf_release(&text);
}

/* The losses as JSON; those notes that are none are beside them. */
static void report_losses(struct cpf_output *out, const struct cpf_cli *c,
	const struct cpf_cli_save *s, const struct cpf_profile *p, const struct cpf_losses *l, int written)
{
	struct cpf_buf text = {0};
	struct cpf_jsonw w;
	size_t i;

	cpf_report_json_open(&w, &text, p, "cpuprof/loss/1");
	cpf_jsonw_key(&w, "output");
	cpf_jsonw_object_flat(&w);
	cpf_jsonw_key_str(&w, "file", to_stdout(c) ? "-" : c->output);
	cpf_jsonw_key_str(&w, "format", s->format->name);
	cpf_jsonw_key_bool(&w, "written", written);
	cpf_jsonw_end(&w);
	cpf_jsonw_key(&w, "losses");
	cpf_jsonw_array(&w);
	for (i = 0; i < l->n; i++) {
		cpf_jsonw_object_flat(&w);
		cpf_jsonw_key_str(&w, "kind", l->v[i].kind);
		cpf_jsonw_key_uint(&w, "count", l->v[i].count);
		cpf_jsonw_key_str(&w, "text", l->v[i].text);
		cpf_jsonw_end(&w);
	}
	cpf_jsonw_end(&w);
	cpf_report_json_close(&w, &c->diag);
	cpf_output_write(out, text.s, text.n);
	cpf_buf_release(&text);
}

static int strict_failure(const struct cpf_cli *c)
{
	size_t i;

	for (i = 0; c->strict && i < c->diag.n; i++)
		if (c->diag.notes[i].level != CPF_INFO)
			return 1;
	return 0;
}

/* What was lost on the way to a file that does not exist is not worth a line. */
static int not_written(struct cpf_cli *c, const struct cpf_err *e)
{
	size_t i, n = 0;

	for (i = 0; i < c->diag.n; i++) {
		if (c->diag.notes[i].level == CPF_LOSS)
			cpf_free(c->diag.notes[i].text);
		else
			c->diag.notes[n++] = c->diag.notes[i];
	}
	c->diag.n = n;
	return cpf_cli_fail(c, e);
}

/* Both outputs, of which report may be NULL. With --strict a loss keeps the first from being put in place. */
static int put_in_place(struct cpf_cli *c, const struct cpf_cli_save *s, const struct cpf_profile *p,
	const struct cpf_losses *lost, struct cpf_output *out, struct cpf_output *report)
{
	struct cpf_err e = {0};
	int failed;

	say_losses(c, lost);
	failed = strict_failure(c);
	if (report)
		report_losses(report, c, s, p, lost, !failed);
	if (failed)
		cpf_output_discard(out);
	else if (cpf_output_commit(out, &e)) {
		cpf_output_discard(report);
		return not_written(c, &e);
	}
	if (report && cpf_output_commit(report, &e))
		return cpf_cli_fail(c, &e);
	if (!failed)
		return CPF_EXIT_OK;
	cpf_cli_notes(c);
	cpf_cli_error("nothing is written: warnings and losses are failures with --strict");
	return CPF_EXIT_GATE;
}

static int write_profile(struct cpf_cli *c, const struct cpf_cli_save *s, const struct cpf_profile *p,
	const struct cpf_save_opts *o)
{
	struct cpf_output *out = NULL, *report = NULL;
	struct cpf_losses lost = {0};
	struct cpf_diag notes = {0};
	struct cpf_err e = {0};
	int code;

	if (cpf_output_open(&out, c->output, s->gzip, &e))
		return cpf_cli_fail(c, &e);
	if (s->loss_report && cpf_output_open(&report, s->loss_report, 0, &e)) {
		cpf_output_discard(out);
		return cpf_cli_fail(c, &e);
	}
	cpf_losses_find(&lost, p, s->format, o);
	if (s->format->write(p, out, o, &notes, &e)) {
		cpf_output_discard(out);
		cpf_output_discard(report);
		cpf_err_source(&e, cpf_cli_inputs(c));
		code = not_written(c, &e);
	} else {
		take_notes(c, &notes);
		cpf_losses_noted(&lost, &notes);
		code = put_in_place(c, s, p, &lost, out, report);
	}
	cpf_diag_release(&notes);
	cpf_losses_release(&lost);
	return code;
}

int cpf_cli_save(struct cpf_cli *c, struct cpf_cli_save *s, struct cpf_profile *p)
{
	static const char *const roots[] = {"none", "thread", "process"};
	static const int firefox_versions[] = {60, 49};
	struct cpf_save_opts o = {0};
	int type;

	type = cpf_cli_type(c, p);
	if (type < 0)
		return c->exit;
	/* A format that holds several types chooses by itself unless one was asked for. */
	o.type = c->sample_type ? (uint32_t)type : CPF_NONE;
	o.timestamps = s->timestamps;
	o.root = roots[s->root];
	o.marks = s->marks;
	o.firefox_version = firefox_versions[s->firefox];
	if (s->timestamps && !p->samples.has_time) {
		cpf_cli_error("%s: no sample times for --timestamps", cpf_cli_inputs(c));
		return CPF_EXIT_FAILED;
	}
	if (c->sample_type && s->format->keeps & CPF_KEEPS_TYPES) {
		p->default_type = o.type;
		p->head.default_sample_type = p->types[type].type;
	}
	return write_profile(c, s, p, &o);
}
