#include "cli/cmd.h"

#include "base/base.h"
#include "base/buf.h"
#include "base/jsonw.h"
#include "cli/common.h"
#include "core/check.h"

static const struct cpf_usage usage = {
	.name = "check",
	.args = "[OPTIONS] [FILE...]",
	.summary = "Lists every fault of a file, with its place.",
	.details = "Reads the whole file, markers and all sample types included. FILE may be '-';\n"
		   "without one, stdin is read.",
	.examples = "cpuprof check profile.json.gz\n"
		    "cpuprof check --format json *.pb.gz",
	.exits = "0  no faults\n"
		 "1  a file cannot be read: its first error is shown\n"
		 "2  wrong usage\n"
		 "3  faults were found; the rest of the file is usable",
};

struct options {
	int format;
};

static const struct cpf_opt table[] = {
	{CPF_OPT_CHOICE, CPF_OPT_OUTPUT, 0, "format", offsetof(struct options, format), "FORMAT",
		"text or json", "text|json", 0, 0, 0},
	{0},
};

/* What is known about one file. */
struct result {
	const char *file;
	int readable;
	struct cpf_profile p;
	struct cpf_diag diag;
	struct cpf_faults faults;
	struct cpf_err err;
};

static int64_t fault_count(const struct result *r)
{
	int64_t n = (int64_t)r->faults.total;
	size_t i;

	for (i = 0; i < r->diag.n; i++)
		if (r->diag.notes[i].level != CPF_INFO)
			n = cpf_wrap_add(n, r->diag.notes[i].count);
	return n;
}

static void check_file(struct cpf_cli *c, struct result *r, const char *file)
{
	struct cpf_load_opts o = {0};

	memset(r, 0, sizeof(*r));
	r->file = strcmp(file, "-") ? file : "<stdin>";
	r->diag.limits = c->diag.limits;
	o.want = CPF_WANT_ALL;
	o.thread_label = c->thread_label;
	o.keep_cpu_tracks = c->keep_cpu_tracks;
	cpf_profile_init(&r->p);
	r->readable = !cpf_load(&r->p, file, &o, &r->diag, &r->err);
	if (r->readable)
		cpf_check(&r->p, &r->faults);
}

static void release_result(struct result *r)
{
	cpf_profile_release(&r->p);
	cpf_diag_release(&r->diag);
	cpf_faults_release(&r->faults);
}

/* Text. */

static void line(struct cpf_buf *out, const char *text)
{
	cpf_buf_terminal(out, text, strlen(text));
	cpf_buf_char(out, '\n');
}

static void text_summary(struct cpf_buf *out, const struct result *r)
{
	const struct cpf_profile *p = &r->p;
	struct cpf_buf b = {0};
	int64_t n = fault_count(r);

	cpf_buf_fmt(&b, "%s: ", r->file);
	if (n)
		cpf_buf_fmt(&b, "%" PRId64 " fault%s", n, n == 1 ? "" : "s");
	else
		cpf_buf_str(&b, "no faults");
	if (p->nsources) {
		cpf_buf_fmt(&b, "; %s", p->sources[0].format);
		if (*p->sources[0].version)
			cpf_buf_fmt(&b, " %s", p->sources[0].version);
	}
	cpf_buf_fmt(&b, ", %" PRIu32 " sample%s", p->samples.n, p->samples.n == 1 ? "" : "s");
	if (p->nthreads)
		cpf_buf_fmt(&b, ", %" PRIu32 " thread%s", p->nthreads, p->nthreads == 1 ? "" : "s");
	line(out, b.s);
	cpf_buf_release(&b);
}

static void text_result(struct cpf_cli *c, struct cpf_buf *out, const struct result *r)
{
	static const char *const words[] = {"note", "warning", "loss"};
	char text[1200];
	struct cpf_buf b = {0};
	size_t i;

	for (i = 0; i < r->diag.n; i++) {
		const struct cpf_note *n = &r->diag.notes[i];

		if (n->level == CPF_INFO && c->quiet)
			continue;
		cpf_buf_clear(&b);
		cpf_buf_fmt(&b, "%s: %s", words[n->level], n->text);
		if (n->count > 1)
			cpf_buf_fmt(&b, " (%" PRId64 ")", n->count);
		line(out, b.s);
	}
	for (i = 0; i < r->faults.n; i++) {
		cpf_buf_clear(&b);
		cpf_buf_fmt(&b, "fault: %s: %s", r->file, r->faults.texts[i]);
		line(out, b.s);
	}
	if (r->faults.total > r->faults.n)
		cpf_buf_fmt(out, "fault: %" PRIu64 " more\n", r->faults.total - r->faults.n);
	if (!r->readable) {
		cpf_buf_clear(&b);
		cpf_buf_fmt(&b, "error: %s", cpf_err_text(&r->err, text, sizeof(text)));
		if (r->err.limit)
			cpf_buf_fmt(&b, " (--%s raises this limit)",
				cpf_cli_limit_option(r->err.limit));
		line(out, b.s);
	} else {
		text_summary(out, r);
	}
	cpf_buf_release(&b);
}

/* JSON. */

static void json_fault(struct cpf_jsonw *w, const char *level, const char *kind, int64_t count,
	const char *text)
{
	cpf_jsonw_object_flat(w);
	cpf_jsonw_key_str(w, "level", level);
	cpf_jsonw_key_str(w, "kind", kind);
	cpf_jsonw_key_int(w, "count", count);
	cpf_jsonw_key_str(w, "text", text);
	cpf_jsonw_end(w);
}

/* Places that are not known are left out. */
static void json_error(struct cpf_jsonw *w, const struct cpf_err *e)
{
	cpf_jsonw_object_flat(w);
	if (e->byte != CPF_NO_POS) {
		cpf_jsonw_key_uint(w, "byte", e->byte);
		cpf_jsonw_key_bool(w, "unpacked", e->unpacked);
	}
	if (e->line) {
		cpf_jsonw_key_uint(w, "line", e->line);
	}
	if (e->column) {
		cpf_jsonw_key_uint(w, "column", e->column);
	}
	if (*e->where) {
		cpf_jsonw_key_str(w, "where", e->where);
	}
	cpf_jsonw_key_str(w, "reason", e->reason);
	cpf_jsonw_end(w);
}

static void json_result(struct cpf_jsonw *w, const struct result *r)
{
	static const char *const levels[] = {"info", "warning", "loss"};
	const struct cpf_profile *p = &r->p;
	size_t i;

	cpf_jsonw_object(w);
	cpf_jsonw_key_str(w, "file", r->file);
	cpf_jsonw_key_bool(w, "readable", r->readable);
	if (r->readable) {
		cpf_jsonw_key_str(w, "format", p->nsources ? p->sources[0].format : "");
		cpf_jsonw_key_str(w, "version", p->nsources ? p->sources[0].version : "");
		cpf_jsonw_key_str(w, "producer", p->nsources ? p->sources[0].producer : "");
		cpf_jsonw_key_int(w, "samples", p->samples.n);
		cpf_jsonw_key_int(w, "threads", p->nthreads);
	} else {
		cpf_jsonw_key(w, "error");
		json_error(w, &r->err);
	}
	cpf_jsonw_key_int(w, "fault_count", fault_count(r));
	cpf_jsonw_key(w, "faults");
	cpf_jsonw_array(w);
	for (i = 0; i < r->diag.n; i++)
		if (r->diag.notes[i].level != CPF_INFO)
			json_fault(w, levels[r->diag.notes[i].level], r->diag.notes[i].kind,
				r->diag.notes[i].count, r->diag.notes[i].text);
	for (i = 0; i < r->faults.n; i++)
		json_fault(w, "fault", "invariant", 1, r->faults.texts[i]);
	cpf_jsonw_end(w);
	cpf_jsonw_key(w, "notes");
	cpf_jsonw_array(w);
	for (i = 0; i < r->diag.n; i++)
		if (r->diag.notes[i].level == CPF_INFO)
			json_fault(w, levels[CPF_INFO], r->diag.notes[i].kind,
				r->diag.notes[i].count, r->diag.notes[i].text);
	cpf_jsonw_end(w);
	cpf_jsonw_end(w);
}

/* 1 outranks 3: a file that cannot be read may have any fault. */
static int worse(int code, const struct result *r)
{
	if (!r->readable)
		return CPF_EXIT_FAILED;
	return code == CPF_EXIT_OK && fault_count(r) ? CPF_EXIT_GATE : code;
}

static int run(struct cpf_cli *c, const struct options *o)
{
	struct cpf_buf out = {0};
	struct cpf_jsonw w;
	struct result r;
	int code = CPF_EXIT_OK;
	size_t i;

	cpf_jsonw_init(&w, &out, 2);
	if (o->format) {
		cpf_jsonw_object(&w);
		cpf_jsonw_key_str(&w, "schema", "cpuprof/check/1");
		cpf_jsonw_key(&w, "files");
		cpf_jsonw_array(&w);
	}
	for (i = 0; i < c->files.n; i++) {
		check_file(c, &r, c->files.items[i]);
		if (o->format)
			json_result(&w, &r);
		else
			text_result(c, &out, &r);
		code = worse(code, &r);
		release_result(&r);
	}
	if (o->format) {
		cpf_jsonw_end(&w);
		cpf_jsonw_end(&w);
		cpf_buf_char(&out, '\n');
	}
	if (cpf_cli_write(c, &out))
		code = c->exit;
	cpf_buf_release(&out);
	return code;
}

int cpf_cmd_check(int argc, char **argv)
{
	struct options o = {0};
	struct cpf_cli c;

	struct cpf_opt_set sets[] = {
		{cpf_cli_load_opts, &c},
		{table, &o},
		{cpf_cli_output_opts, &c},
		{cpf_cli_common_opts, &c},
	};

	cpf_cli_init(&c, &usage);
	if (cpf_cli_parse(&c, argc, argv, sets, CPF_LEN(sets)))
		return cpf_cli_done(&c, c.exit);
	return cpf_cli_done(&c, run(&c, &o));
}
