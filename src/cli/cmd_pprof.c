/* `cpuprof pprof`: the text reports of `go tool pprof` with its flags. */
#include "base/base.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/output.h"
#include "cli/cmd.h"
#include "cli/common.h"
#include "cli/pprof_flags.h"
#include "core/filter.h"
#include "core/merge.h"
#include "formats/pprof.h"

static const char help[] =
	"usage: cpuprof pprof -REPORT [FLAGS] FILE...\n"
	"\n"
	"Prints what `go tool pprof` prints, byte for byte, with the same flags: one dash\n"
	"or two, -flag=value or -flag value, all flags before the first file. Files may\n"
	"be of any format cpuprof reads; several are merged. Binaries on this machine are\n"
	"not looked at: names come from the profile.\n"
	"\n"
	"Report:\n"
	"  -top, -text          functions by self (flat), with total (cum)\n"
	"  -tree                the same, each with its callers and callees\n"
	"  -peek REGEX          that of the matches alone, nothing left out\n"
	"  -list REGEX          lines of source of the functions that match\n"
	"  -callgrind           for kcachegrind\n"
	"  -dot                 the graph for Graphviz; -call_tree: by call path\n"
	"  -traces              every sample with its stack and labels\n"
	"  -raw                 the whole profile as text\n"
	"  -proto, -topproto    a pprof file: what filters leave; the rows of -top\n"
	"  -tags, -comments     labels with what they account for; comments\n"
	"  -output FILE         into FILE instead of standard output\n"
	"\n"
	"What is counted:\n"
	"  -sample_index X      value by number or type (-inuse_space, -alloc_objects,\n"
	"                       -total_delay ... are short for one)\n"
	"  -mean                divided by the first value\n"
	"  -base FILE           FILE is subtracted; -diff_base FILE keeps its total\n"
	"  -normalize           scaled to the base first\n"
	"  -focus -ignore -hide -show -show_from -prune_from REGEX\n"
	"  -tagfocus -tagignore -tagshow -taghide EXPR   by labels\n"
	"  -tagroot -tagleaf KEYS   label values as frames\n"
	"\n"
	"How it is shown:\n"
	"  -functions -filefunctions -files -lines -addresses   what a row is\n"
	"  -cum, -flat          order\n"
	"  -nodecount N  -nodefraction F  -edgefraction F  -trim=false\n"
	"  -unit U  -divide_by N  -compact_labels  -relative_percentages\n"
	"  -noinlines  -showcolumns  -drop_negative  -trim_path P  -source_path P\n"
	"  -symbolize none|demangle=full|demangle=templates|demangle=none\n"
	"\n"
	"Limits on what is read (not known to pprof):\n"
	"  -max-size SIZE       bytes of a file, unpacked: 500MB, 10GB (default 64GB)\n"
	"  -max-string SIZE     longest string or line (default 256MB)\n"
	"  -max-depth N         deepest nesting of JSON (default 1000)\n"
	"\n"
	"Exit codes:\n"
	"  0  done\n"
	"  1  could not: input, output or system\n"
	"  2  wrong usage\n"
	"\n"
	"Examples:\n"
	"  cpuprof pprof -top cpu.pb.gz\n"
	"  cpuprof pprof -top -cum -focus='^main' -nodecount=20 profile.json.gz\n"
	"  cpuprof pprof -top -diff_base=old.pb.gz new.pb.gz\n";

/* Messages of pprof have no prefix; bytes that are not printable are escaped. */
static void say(const char *text, size_t n)
{
	struct cpf_buf b = {0};
	size_t line;

	for (; n; text += line, n -= line) {
		const char *end = memchr(text, '\n', n);

		line = end ? (size_t)(end - text) : n;
		cpf_buf_terminal(&b, text, line);
		cpf_buf_char(&b, '\n');
		line += end != NULL;
	}
	if (b.n)
		fwrite(b.s, 1, b.n, stderr);
	cpf_buf_release(&b);
}

static void say_text(const char *text)
{
	say(text, strlen(text));
}

static int failed(const struct cpf_err *e)
{
	char text[1200];

	say_text(e->source[0] ? cpf_err_text(e, text, sizeof(text)) : e->reason);
	if (e->limit) {
		snprintf(text, sizeof(text), "-%s raises this limit",
			cpf_cli_limit_option(e->limit));
		say_text(text);
	}
	return e->code == CPF_E_USAGE ? CPF_EXIT_USAGE : CPF_EXIT_FAILED;
}

/* Sources. */

/*
 * pprof takes a first argument that is a program for just that. Of a pipe nothing is read here: its
 * bytes come but once.
 */
static int is_program(const char *path)
{
	static const unsigned char magics[][4] = {{0x7f, 'E', 'L', 'F'}, {0xfe, 0xed, 0xfa, 0xce},
		{0xfe, 0xed, 0xfa, 0xcf}, {0xce, 0xfa, 0xed, 0xfe}, {0xcf, 0xfa, 0xed, 0xfe}};
	unsigned char head[4] = {0};
	struct stat st;
	FILE *f;
	size_t n, i;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	f = fopen(path, "rb");
	if (!f)
		return 0;
	n = fread(head, 1, sizeof(head), f);
	fclose(f);
	for (i = 0; n == sizeof(head) && i < CPF_LEN(magics); i++)
		if (!memcmp(head, magics[i], sizeof(head)))
			return 1;
	return n >= 2 && head[0] == 'M' && head[1] == 'Z';
}

/* Threads are labels and no more here: samples of two threads with the same labels are the same. */
static void forget_threads(struct cpf_profile *p)
{
	cpf_col_release(&p->samples.thread);
	memset(&p->samples.thread, 0, sizeof(p->samples.thread));
	cpf_col_fill(&p->samples.thread, -1, p->samples.n);
}

/*
 * A profile without mappings gets an empty one, which takes part in merging; -buildid and a program
 * given first change the main mapping.
 */
static void settle_mappings(struct cpf_profile *p, const struct cpf_pprof_cfg *c)
{
	struct cpf_mapping none = {0};
	uint32_t i;

	if (!p->nmappings) {
		cpf_add_mapping(p, &none);
		for (i = 0; i < p->locations.n; i++)
			cpf_col_set(&p->locations.mapping, i, 0);
		cpf_profile_seal(p);
	}
	if (c->exec_name)
		p->mappings[0].file = cpf_intern_z(p, c->exec_name);
	if (*c->buildid && !p->mappings[0].build_id)
		p->mappings[0].build_id = cpf_intern_z(p, c->buildid);
}

/* Formats without ids of their own get those that pprof gives them. */
static void number_rows(struct cpf_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->nmappings; i++)
		if (!p->mappings[i].wire_id)
			p->mappings[i].wire_id = (uint64_t)i + 1;
	for (i = 0; i < p->nfunctions; i++)
		if (!p->functions[i].wire_id)
			p->functions[i].wire_id = (uint64_t)i + 1;
	for (i = 0; i < p->locations.n; i++)
		if (!cpf_col_get(&p->locations.wire_id, i))
			cpf_col_set(&p->locations.wire_id, i, (int64_t)i + 1);
}

/* Mappings without build id that are named by an absolute URL lose the name. */
static void forget_urls(struct cpf_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->nmappings; i++) {
		const char *s = cpf_cstr(p, p->mappings[i].file), *at = s;

		if (p->mappings[i].build_id)
			continue;
		while ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
			(at > s && *at && strchr("0123456789+-.", *at)))
			at++;
		if (at == s || *at != ':')
			continue;
		/* Control characters are not allowed in one. */
		for (at = s; (unsigned char)*at >= ' ' && *at != 0x7f;)
			at++;
		if (!*at)
			p->mappings[i].file = 0;
	}
}

/* Elsewhere bytes behind the end of packed data are worth a warning; pprof refuses such a file. */
static int refuse_trailing(const struct cpf_diag *d, const char *path, struct cpf_err *e)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (!strcmp(d->notes[i].kind, "trailing-data")) {
			cpf_err_source(e, path);
			return cpf_fail(e, CPF_E_FORMAT,
				"decompressing profile: data after the end of the gzip data");
		}
	return 0;
}

static void show_notes(const struct cpf_diag *d)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		if (d->notes[i].level != CPF_INFO) {
			fputs("cpuprof: warning: ", stderr);
			say_text(d->notes[i].text);
		}
}

static int load(struct cpf_profile *p, const char *path, const struct cpf_pprof_args *a,
	struct cpf_err *e)
{
	struct cpf_load_opts o = {0};
	struct cpf_diag d = {.limits = a->limits};
	int ret;

	o.want = CPF_WANT_ALL_VALUES;
	cpf_profile_init(p);
	ret = cpf_load(p, path, &o, &d, e);
	if (!ret)
		ret = refuse_trailing(&d, path, e);
	if (!ret)
		ret = cpf_pprof_model(p, path, e);
	if (ret) {
		cpf_profile_release(p);
	} else {
		forget_threads(p);
		settle_mappings(p, &a->cfg);
		number_rows(p);
		show_notes(&d);
	}
	cpf_diag_release(&d);
	return ret;
}

/* Loads what can be loaded and merges it. what: "source" or "base". */
static int load_all(struct cpf_profile *out, char *const *paths, int n, const char *what,
	const struct cpf_pprof_args *a, struct cpf_diag *d, struct cpf_err *e)
{
	static const struct cpf_merge_opts opts = {.join = 1, .like_pprof = 1};
	struct cpf_profile *all = cpf_calloc((size_t)n, sizeof(*all));
	struct cpf_profile **list = cpf_calloc((size_t)n, sizeof(*list));
	struct cpf_buf b = {0};
	uint32_t loaded = 0, i;
	int k, ret = 0;

	for (k = 0; k < n; k++) {
		struct cpf_err one = {0};

		list[loaded] = &all[loaded];
		if (load(&all[loaded], paths[k], a, &one))
			failed(&one);
		else
			loaded++;
	}
	if (!loaded) {
		ret = cpf_fail(e, CPF_E_FORMAT, "failed to fetch any %s profiles", what);
	} else {
		if (loaded < (uint32_t)n) {
			cpf_buf_fmt(&b, "Fetched %" PRIu32 " %s profiles out of %d\n", loaded, what, n);
			say(b.s, b.n);
		}
		if (loaded == 1) {
			*out = all[0];
			loaded = 0;
		} else {
			cpf_profile_init(out);
			ret = cpf_merge(out, list, loaded, &opts, d, e);
			if (ret)
				cpf_profile_release(out);
		}
	}
	for (i = 0; i < loaded; i++)
		cpf_profile_release(&all[i]);
	cpf_buf_release(&b);
	cpf_free(all);
	cpf_free(list);
	return ret;
}

/* Subtracts the base; p is replaced. */
static int subtract(struct cpf_profile *p, const struct cpf_pprof_args *a, struct cpf_diag *d,
	struct cpf_err *e)
{
	const struct cpf_pprof_cfg *c = &a->cfg;
	static const struct cpf_merge_opts opts = {.join = 1, .like_pprof = 1};
	const char *path = *c->diff_base ? c->diff_base : c->base;
	char *paths[1];
	struct cpf_profile base, sum, *both[2];
	int ret;

	paths[0] = cpf_strdup(path);
	ret = load_all(&base, paths, 1, "base", a, d, e);
	cpf_free(paths[0]);
	if (ret)
		return -1;
	if (*c->diff_base)
		cpf_set_label(&base, "pprof::base", "true");
	ret = c->normalize ? cpf_normalize(p, &base, e) : 0;
	if (!ret)
		ret = cpf_multiply(&base, -1, 1, e);
	if (!ret) {
		cpf_profile_init(&sum);
		both[0] = p;
		both[1] = &base;
		ret = cpf_merge(&sum, both, 2, &opts, d, e);
		if (ret) {
			cpf_profile_release(&sum);
		} else {
			cpf_profile_release(p);
			*p = sum;
		}
	}
	cpf_profile_release(&base);
	return ret;
}

/* Names and frames, before any report. */
static int settle(struct cpf_profile *p, const struct cpf_pprof_cfg *c, struct cpf_buf *messages,
	struct cpf_err *e)
{
	struct cpf_err wrong = {0};
	const char *mode;
	int force;

	mode = cpf_pprof_symbolize_mode(c->symbolize, &force, messages);
	if (mode)
		cpf_pprof_demangle(p, mode, force);
	/* pprof goes on without a word if an expression in the file is wrong, and so do we. */
	if (!c->all_frames &&
		cpf_filter_drop_frames(p, cpf_cstr(p, p->head.drop_frames),
			cpf_cstr(p, p->head.keep_frames), &wrong) &&
		wrong.code != CPF_E_USAGE)
		return cpf_fail(e, wrong.code, "%s", wrong.reason);
	forget_urls(p);
	if (*c->add_comment)
		cpf_add_comment(p, cpf_intern_z(p, c->add_comment));
	return 0;
}

/* Output. */

/* On a terminal names are escaped; anything else gets the bytes. */
static int write_stdout(const struct cpf_buf *text, struct cpf_err *e)
{
	struct cpf_buf b = {0};
	const char *s = text->s, *end = text->s + text->n;
	int bad;

	for (; isatty(STDOUT_FILENO) && s < end;) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));

		stop = stop ? stop : end;
		cpf_buf_terminal(&b, s, (size_t)(stop - s));
		cpf_buf_char(&b, '\n');
		s = stop + (stop < end);
	}
	if (b.s)
		bad = fwrite(b.s, 1, b.n, stdout) != b.n;
	else
		bad = text->n && fwrite(text->s, 1, text->n, stdout) != text->n;
	cpf_buf_release(&b);
	if (bad)
		return cpf_fail(e, CPF_E_IO, "standard output: write error");
	return 0;
}

/* path "": standard output. */
static int write_file(const char *path, const struct cpf_buf *text, int pack, struct cpf_err *e)
{
	struct cpf_output *out;

	if (!*path && isatty(STDOUT_FILENO))
		return cpf_fail(e, CPF_E_USAGE,
			"a profile is not for a terminal; name a file with -output");
	if (cpf_output_open(&out, *path ? path : NULL, pack, e))
		return -1;
	cpf_output_write(out, text->s, text->n);
	return cpf_output_commit(out, e);
}

static int report(struct cpf_profile *p, const struct cpf_pprof_cfg *c, struct cpf_buf *messages)
{
	struct cpf_buf out = {0}, line = {0};
	struct cpf_err e = {0};
	int ret = settle(p, c, messages, &e);

	if (!ret)
		ret = cpf_pprof_run(p, c, &out, messages, &e);
	say(messages->s, messages->n);
	if (!ret && *c->output) {
		cpf_buf_fmt(&line, "Generating report in %s\n", c->output);
		say(line.s, line.n);
		cpf_buf_release(&line);
		ret = write_file(c->output, &out, cpf_pprof_is_binary(c->command), &e);
	} else if (!ret && cpf_pprof_is_binary(c->command)) {
		ret = write_file("", &out, 1, &e);
	} else if (!ret) {
		ret = write_stdout(&out, &e);
	}
	cpf_buf_release(&out);
	return ret ? failed(&e) : CPF_EXIT_OK;
}

/* What pprof has and this program does not, and what to do instead. */
static const char *instead(const char *report)
{
	if (!strcmp(report, "disasm") || !strcmp(report, "weblist"))
		return "binaries are not read; -list=REGEX shows the lines of source, "
		       "-top -addresses the addresses to look up in a disassembly";
	if (!strcmp(report, "kcachegrind"))
		return "write it with -callgrind -output=FILE and run: kcachegrind FILE";
	return "Graphviz draws what -dot prints: "
	       "cpuprof pprof -dot FILE | dot -Tsvg -o FILE.svg";
}

static int run(struct cpf_pprof_args *a)
{
	struct cpf_pprof_cfg *c = &a->cfg;
	struct cpf_diag d = {0};
	struct cpf_err e = {0};
	struct cpf_profile p;
	int code;

	if (a->nsources > 1 && is_program(a->sources[0])) {
		c->exec_name = *a->sources++;
		a->nsources--;
	}
	if (load_all(&p, a->sources, a->nsources, "source", a, &d, &e)) {
		code = failed(&e);
	} else {
		if ((*c->base || *c->diff_base) && subtract(&p, a, &d, &e))
			code = failed(&e);
		else
			code = report(&p, c, &a->messages);
		cpf_profile_release(&p);
	}
	show_notes(&d);
	cpf_diag_release(&d);
	return code;
}

int cpf_cmd_pprof(int argc, char **argv)
{
	struct cpf_pprof_args a;
	struct cpf_err e = {0};
	int code = CPF_EXIT_USAGE;

	if (cpf_pprof_parse(&a, argc, argv, &e)) {
		failed(&e);
		say_text("try 'cpuprof pprof -h'");
	} else if (a.help) {
		fputs(help, stdout);
		code = CPF_EXIT_OK;
	} else if (!a.cfg.command) {
		say_text("not offered: the interactive mode; ask for a report, for example -top");
		code = CPF_EXIT_FAILED;
	} else if (!cpf_pprof_has(a.cfg.command)) {
		cpf_fail(&e, CPF_E_EMPTY, "not offered: -%s; %s", a.cfg.command,
			instead(a.cfg.command));
		code = failed(&e);
	} else {
		code = run(&a);
	}
	cpf_pprof_args_release(&a);
	return code;
}
