#include "cli/common.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/output.h"
#include "cli/progress.h"
#include "cli/term.h"
#include "core/classes.h"

#include <stdio.h>
#include <unistd.h>

/* Of one kind, so many notes are shown; the others are counted. */
#define NOTES_SHOWN 5

#define AT(field) offsetof(struct cpf_cli, field)

const struct cpf_opt cpf_cli_load_opts[] = {
	{CPF_OPT_FLAG, CPF_OPT_LOAD, 0, "strict", AT(strict), NULL,
		"warnings and losses are failures (exit code 3)", NULL, 0, 0, 0},
	{CPF_OPT_FLAG, CPF_OPT_LOAD, 0, "keep-cpu-tracks", AT(keep_cpu_tracks), NULL,
		"count the copies of samples that samply puts on a track per CPU, too", NULL, 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_LOAD, 0, "thread-label", AT(thread_label), "KEY",
		"pprof: the label that names threads (default: the usual spellings)", NULL, 0, 0, 0},
	{CPF_OPT_SIZE, CPF_OPT_LOAD, 0, "max-size", AT(max_size), "SIZE",
		"read at most so many bytes of a file, unpacked: 500MB, 10GB (default 64GB)", NULL, 0, 0,
		INT64_MAX},
	{CPF_OPT_SIZE, CPF_OPT_LOAD, 0, "max-string", AT(max_string), "SIZE",
		"longest name, text or line in a file (default 256MB)", NULL, 0, 0,
		CPF_CLI_MOST_STRING},
	{CPF_OPT_INT, CPF_OPT_LOAD, 0, "max-depth", AT(max_depth), "N",
		"deepest nesting of JSON in a file (default 1000)", NULL, 0, 1,
		CPF_CLI_MOST_DEPTH},
	{0},
};

const struct cpf_opt cpf_cli_select_opts[] = {
	{CPF_OPT_LIST, CPF_OPT_SELECT, 0, "thread", AT(threads), "PATTERN",
		"threads whose name matches (* and ?); tid:N, main, busiest; may be given again", NULL,
		0, 0, 0},
	{CPF_OPT_LIST, CPF_OPT_SELECT, 0, "process", AT(processes), "PATTERN",
		"processes whose name matches; pid:N", NULL, 0, 0, 0},
	{CPF_OPT_LIST, CPF_OPT_SELECT, 0, "lib", AT(libs), "PATTERN",
		"samples with a frame in a library whose name matches", NULL, 0, 0, 0},
	{CPF_OPT_TIME, CPF_OPT_SELECT, 0, "from", AT(from), "TIME",
		"from this time on, counted from the first sample: 2.5s, 300ms", NULL, 0, 0, 0},
	{CPF_OPT_TIME, CPF_OPT_SELECT, 0, "to", AT(to), "TIME", "up to this time", NULL, 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_SELECT, 0, "focus", AT(focus), "REGEX",
		"samples with a matching frame", NULL, 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_SELECT, 0, "ignore", AT(ignore), "REGEX",
		"samples without a matching frame", NULL, 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_SELECT, 0, "hide", AT(hide), "REGEX",
		"leave matching frames out of the stacks", NULL, 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_SELECT, 0, "show", AT(show), "REGEX",
		"leave all other frames out of the stacks", NULL, 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_SELECT, 0, "show-from", AT(show_from), "REGEX",
		"leave out what is above the first matching frame, seen from the root", NULL, 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_SELECT, 0, "prune-from", AT(prune_from), "REGEX",
		"leave out what matching frames call", NULL, 0, 0, 0},
	{0},
};

const struct cpf_opt cpf_cli_type_opts[] = {
	{CPF_OPT_STRING, CPF_OPT_SHAPE, 0, "sample-type sample-index", AT(sample_type), "NAME",
		"which of the values to count: its name or its number", NULL, 0, 0, 0},
	{0},
};

const struct cpf_opt cpf_cli_output_opts[] = {
	{CPF_OPT_STRING, CPF_OPT_OUTPUT, 'o', "output", AT(output), "FILE",
		"write to FILE instead of stdout", NULL, 0, 0, 0},
	{0},
};

const struct cpf_opt cpf_cli_common_opts[] = {
	{CPF_OPT_FLAG, CPF_OPT_OUTPUT, 'q', "quiet", AT(quiet), NULL,
		"no notes, warnings and progress; errors only", NULL, 0, 0, 0},
	{CPF_OPT_FLAG, CPF_OPT_OUTPUT, 'v', "verbose", AT(verbose), NULL,
		"all notes, however many of one kind", NULL, 0, 0, 0},
	{CPF_OPT_FLAG, CPF_OPT_OUTPUT, 0, "no-progress", AT(no_progress), NULL,
		"no progress on the terminal", NULL, 0, 0, 0},
	{0},
};

/* Messages. */

/* One write per message, so that lines of two processes do not mix. */
static void say(const char *prefix, const char *text)
{
	struct cpf_buf b = {0};

	cpf_buf_str(&b, prefix);
	cpf_buf_terminal(&b, text, strlen(text));
	cpf_buf_char(&b, '\n');
	fwrite(b.s, 1, b.n, stderr);
	cpf_buf_release(&b);
}

CPF_PRINTF(2, 0)
static void vsay(const char *prefix, const char *fmt, va_list ap)
{
	struct cpf_buf b = {0};

	cpf_buf_vfmt(&b, fmt, ap);
	say(prefix, b.s);
	cpf_buf_release(&b);
}

void cpf_cli_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay("cpuprof: ", fmt, ap);
	va_end(ap);
}

void cpf_cli_note(const struct cpf_cli *c, const char *fmt, ...)
{
	va_list ap;

	if (c->quiet)
		return;
	va_start(ap, fmt);
	vsay("cpuprof: note: ", fmt, ap);
	va_end(ap);
}

static void try_help(const struct cpf_cli *c)
{
	fprintf(stderr, "try 'cpuprof %s --help'\n", c->usage->name);
}

int cpf_cli_usage(const struct cpf_cli *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay("cpuprof: ", fmt, ap);
	va_end(ap);
	try_help(c);
	return CPF_EXIT_USAGE;
}

const char *cpf_cli_limit_option(enum cpf_limit limit)
{
	switch (limit) {
	case CPF_LIMIT_UNPACKED:
		return "max-size";
	case CPF_LIMIT_STRING:
		return "max-string";
	case CPF_LIMIT_DEPTH:
		return "max-depth";
	case CPF_LIMIT_FIXED:
		break;
	}
	return NULL;
}

int cpf_cli_fail(const struct cpf_cli *c, const struct cpf_err *e)
{
	char text[1200];

	cpf_progress_clear(c->progress);
	say("cpuprof: ", cpf_err_text(e, text, sizeof(text)));
	if (e->limit)
		cpf_cli_error("--%s raises this limit", cpf_cli_limit_option(e->limit));
	switch (e->code) {
	case CPF_E_USAGE:
		try_help(c);
		return CPF_EXIT_USAGE;
	case CPF_E_EMPTY:
		return CPF_EXIT_EMPTY;
	default:
		return CPF_EXIT_FAILED;
	}
}

int cpf_cli_empty(struct cpf_cli *c, const char *fmt, ...)
{
	va_list ap;

	cpf_cli_notes(c);
	va_start(ap, fmt);
	vsay("cpuprof: ", fmt, ap);
	va_end(ap);
	c->exit = CPF_EXIT_EMPTY;
	return c->exit;
}

/* How many notes of the kind of note i come before it. */
static size_t before(const struct cpf_diag *d, size_t i)
{
	size_t k, n = 0;

	for (k = 0; k < i; k++)
		n += d->notes[k].level == d->notes[i].level && !strcmp(d->notes[k].kind, d->notes[i].kind);
	return n;
}

void cpf_cli_notes(struct cpf_cli *c)
{
	static const char *const prefix[] = {"cpuprof: note: ", "cpuprof: warning: ", "cpuprof: "};
	struct cpf_diag *d = &c->diag;
	struct cpf_buf b = {0};
	size_t i, k, more;

	cpf_progress_clear(c->progress);
	for (i = c->notes_shown; i < d->n && !c->quiet; i++) {
		const struct cpf_note *note = &d->notes[i];

		if (!c->verbose && before(d, i) >= NOTES_SHOWN) {
			/* The last one of the kind speaks for those that were left out. */
			for (k = i + 1, more = 0; k < d->n && !more; k++)
				more = d->notes[k].level == note->level &&
				       !strcmp(d->notes[k].kind, note->kind);
			if (!more) {
				cpf_buf_clear(&b);
				cpf_buf_fmt(&b, "%zu more of kind %s (-v shows all)",
					before(d, i) - NOTES_SHOWN + 1, note->kind);
				say(prefix[note->level], b.s);
			}
			continue;
		}
		cpf_buf_clear(&b);
		cpf_buf_str(&b, note->text);
		if (note->count > 1)
			cpf_buf_fmt(&b, " (%" PRId64 ")", note->count);
		say(prefix[note->level], b.s);
	}
	c->notes_shown = d->n;
	cpf_buf_release(&b);
}

/* Start and end of a command. */

void cpf_cli_init(struct cpf_cli *c, const struct cpf_usage *u)
{
	memset(c, 0, sizeof(*c));
	c->usage = u;
	c->no_symbols = -1;
	c->progress = cpf_calloc(1, sizeof(*c->progress));
	c->diag.progress = cpf_progress_update;
	c->diag.progress_arg = c->progress;
}

int cpf_cli_parse_nofile(struct cpf_cli *c, int argc, char **argv, const struct cpf_opt_set *sets,
	size_t nsets)
{
	struct cpf_err e = {0};
	struct cpf_buf help = {0};
	int r = cpf_opt_parse(sets, nsets, argc, argv, &c->files, &e);

	c->diag.limits.unpacked = c->max_size;
	c->diag.limits.string = c->max_string;
	c->diag.limits.depth = (uint32_t)c->max_depth;
	if (r > 0) {
		cpf_opt_help(&help, c->usage, sets, nsets);
		fwrite(help.s, 1, help.n, stdout);
		cpf_buf_release(&help);
		c->exit = CPF_EXIT_OK;
	} else if (r < 0) {
		c->exit = cpf_cli_fail(c, &e);
	} else if (c->output && !*c->output) {
		c->exit = cpf_cli_usage(c, "-o: the name of the file is empty");
		r = -1;
	} else if (cpf_cli_symbols_check(c)) {
		r = -1;
	}
	return r;
}

int cpf_cli_parse(struct cpf_cli *c, int argc, char **argv, const struct cpf_opt_set *sets,
	size_t nsets)
{
	int r = cpf_cli_parse_nofile(c, argc, argv, sets, nsets);
	size_t i, dashes = 0;

	if (r)
		return r;
	if (!c->files.n) {
		if (cpf_term_is_tty(STDIN_FILENO)) {
			c->exit = cpf_cli_usage(c, "no file given");
			return -1;
		}
		cpf_opt_list_add(&c->files, "-");
	}
	for (i = 0; i < c->files.n; i++)
		dashes += !strcmp(c->files.items[i], "-");
	if (dashes > 1) {
		c->exit = cpf_cli_usage(c, "stdin ('-') can be read once only");
		return -1;
	}
	return 0;
}

/* Whether a note makes --strict fail. */
static int has_warnings(const struct cpf_diag *d)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (d->notes[i].level != CPF_INFO)
			return 1;
	return 0;
}

int cpf_cli_done(struct cpf_cli *c, int code)
{
	cpf_cli_notes(c);
	if (code == CPF_EXIT_OK && c->strict && has_warnings(&c->diag)) {
		cpf_cli_error("warnings are failures with --strict");
		code = CPF_EXIT_GATE;
	}
	cpf_opt_list_release(&c->files);
	cpf_opt_list_release(&c->threads);
	cpf_opt_list_release(&c->processes);
	cpf_opt_list_release(&c->libs);
	cpf_cli_symbols_release(c);
	cpf_diag_release(&c->diag);
	cpf_free(c->progress);
	return code;
}

int cpf_cli_write(struct cpf_cli *c, const struct cpf_buf *text)
{
	struct cpf_output *out;
	struct cpf_err e = {0};

	if (cpf_output_open(&out, c->output, 0, &e))
		goto fail;
	cpf_output_write(out, text->s, text->n);
	if (!cpf_output_commit(out, &e))
		return 0;
fail:
	c->exit = cpf_cli_fail(c, &e);
	return -1;
}

int cpf_cli_report(struct cpf_cli *c, uint32_t want, cpf_cli_make *make, void *arg)
{
	struct cpf_buf out = {0};
	struct cpf_err e = {0};
	struct cpf_profile p;
	int code = CPF_EXIT_OK;

	if (cpf_cli_load(c, &p, want)) {
		code = c->exit;
	} else if (make(c, arg, &p, &out, &e)) {
		cpf_err_source(&e, cpf_cli_inputs(c));
		code = e.code ? cpf_cli_fail(c, &e) : c->exit;
	} else if (cpf_cli_write(c, &out)) {
		code = c->exit;
	}
	cpf_buf_release(&out);
	cpf_profile_release(&p);
	return code;
}

int cpf_cli_classes(struct cpf_cli *c, struct cpf_classes **out, const char *path, int wanted)
{
	struct cpf_err e = {0};

	*out = NULL;
	if (path && !wanted) {
		c->exit = cpf_cli_usage(c, "--classes is for classes: --by class, --colors class");
		return -1;
	}
	if (!wanted)
		return 0;
	if (!path) {
		cpf_classes_builtin(out);
		return 0;
	}
	if (cpf_classes_load(out, path, &c->diag, &e)) {
		c->exit = cpf_cli_fail(c, &e);
		return -1;
	}
	return 0;
}
