#include "symbolize/atos.h"

#include "base/mem.h"
#include "base/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* atos first reads all debug information, gigabytes for a browser. */
#define SECONDS    600
#define MAX_OUTPUT ((size_t)1 << 30)

struct state {
	struct cpf_sym_opts o;
	char *program; /* NULL: there is none, and why */
	char why[300];
	unsigned seconds;
	struct cpf_atos_index index;
};

struct image {
	const struct state *state;
	struct cpf_atos_found file;
	int relative;
	uint64_t base; /* of the image in the terms of the profile */
};

static int is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* Relative entries of PATH are not used: what lies in the current folder came with somebody's data. */
static char *on_path(const char *name)
{
	const char *s = getenv("PATH"), *end;
	struct cpf_buf b = {0};

	for (; s && *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, ":");
		if (*s != '/')
			continue;
		cpf_buf_clear(&b);
		cpf_buf_add(&b, s, (size_t)(end - s));
		cpf_buf_char(&b, '/');
		cpf_buf_str(&b, name);
		if (is_program(b.s))
			return b.s;
	}
	cpf_buf_release(&b);
	return NULL;
}

/* A path that cannot be taken for an option. */
static char *safe_path(const char *path)
{
	struct cpf_buf b = {0};

	if (path[0] != '/' && path[0] != '.')
		cpf_buf_str(&b, "./");
	cpf_buf_str(&b, path);
	return b.s;
}

static unsigned time_limit(void)
{
	const char *text = getenv("CPUPROF_ATOS_TIMEOUT");
	char *end;
	unsigned long v;

	if (!text || *text < '0' || *text > '9')
		return SECONDS;
	v = strtoul(text, &end, 10);
	return *end || !v || v > 1000000 ? SECONDS : (unsigned)v;
}

static int atos_open(
	void **state, const struct cpf_sym_opts *o, struct cpf_diag *d, struct cpf_err *e)
{
	struct state *s = cpf_calloc(1, sizeof(*s));
	const char *given = getenv("CPUPROF_ATOS");

	(void)d;
	(void)e;
	s->o = *o;
	s->seconds = time_limit();
	if (!given || !*given) {
		s->program = on_path("atos");
		if (!s->program)
			snprintf(s->why, sizeof(s->why), "atos is not on this machine");
	} else if (is_program(given)) {
		s->program = safe_path(given);
	} else {
		snprintf(s->why, sizeof(s->why), "no program at CPUPROF_ATOS=%.250s", given);
	}
	cpf_atos_index_build(&s->index, o);
	*state = s;
	return 0;
}

static int atos_find(void *state, const struct cpf_module *m, void **image, struct cpf_reason *r)
{
	const struct state *s = state;
	struct cpf_atos_found f;
	struct image *i;

	if (!cpf_atos_find(&f, &s->index, &s->o, m, r))
		return 0;
	if (!s->program) {
		cpf_reason(r, CPF_WHY_UNSUPPORTED, "%s is there, but %s", f.path, s->why);
		cpf_free(f.path);
		return 0;
	}
	i = cpf_calloc(1, sizeof(*i));
	i->state = s;
	i->file = f;
	i->relative = m->relative;
	i->base = m->relative ? 0 : m->start - m->offset;
	*image = i;
	return 1;
}

/* The addresses [*first, *first + n) that lie within __TEXT. */
static size_t within(const struct image *i, const uint64_t *addr, size_t n, size_t *first)
{
	const uint64_t size = i->file.slice.text_size ? i->file.slice.text_size : UINT64_MAX;
	size_t k = 0, end;

	while (k < n && addr[k] < i->base)
		k++;
	for (end = k; end < n && addr[end] - i->base < size;)
		end++;
	*first = k;
	return end - k;
}

/* Owner-readable by mkstemp; taken away even if a signal ends the program. */
struct input {
	char *path;
	int guard;
};

static int write_all(int fd, const char *s, size_t n)
{
	ssize_t k;

	for (; n; s += k, n -= (size_t)k) {
		k = write(fd, s, n);
		if (k < 0 && errno == EINTR)
			k = 0;
		else if (k < 0)
			return -1;
	}
	return 0;
}

static int write_input(struct input *in, const struct cpf_atos_query *q, struct cpf_reason *r)
{
	const char *dir = getenv("TMPDIR");
	struct cpf_buf b = {0}, text = {0};
	size_t i;
	int fd, failed, errnum;

	cpf_buf_fmt(&b, "%s/cpuprof-atos-XXXXXX", dir && *dir == '/' ? dir : "/tmp");
	in->path = b.s;
	fd = mkstemp(in->path);
	if (fd < 0) {
		cpf_reason(r, CPF_WHY_FAILED, "cannot make a file for atos in %s: %s",
			dir && *dir == '/' ? dir : "/tmp", strerror(errno));
		cpf_free(in->path);
		return -1;
	}
	in->guard = cpf_output_guard(in->path);
	for (i = 0; i < q->n; i++)
		cpf_buf_fmt(&text, "0x%" PRIx64 "\n", q->addr[i] + q->slide);
	failed = write_all(fd, text.s, text.n);
	errnum = errno;
	if (close(fd) && !failed) {
		failed = -1;
		errnum = errno;
	}
	cpf_buf_release(&text);
	if (failed)
		cpf_reason(r, CPF_WHY_FAILED, "cannot write %s: %s", in->path, strerror(errnum));
	return failed;
}

static void remove_input(struct input *in)
{
	unlink(in->path);
	cpf_output_let_go(in->guard);
	cpf_free(in->path);
}

/* Appends one argument; the last one is NULL. */
struct args {
	char *v[16];
	size_t n;
};

static void add_arg(struct args *a, const char *s)
{
	a->v[a->n++] = cpf_strdup(s);
}

static int ask(const struct image *i, const struct cpf_atos_query *q, int full_paths,
	struct cpf_buf *out, struct cpf_reason *r)
{
	const size_t limit =
		q->n < MAX_OUTPUT / 65536 ? ((size_t)1 << 20) + q->n * 65536 : MAX_OUTPUT;
	char address[24], *file = safe_path(i->file.path);
	struct args a = {{NULL}, 0};
	struct input in;
	int ret;

	if (write_input(&in, q, r)) {
		cpf_free(file);
		return -1;
	}
	snprintf(address, sizeof(address), "0x%" PRIx64, i->file.slice.text);
	add_arg(&a, i->state->program);
	add_arg(&a, "-o");
	add_arg(&a, file);
	add_arg(&a, "-arch");
	add_arg(&a, i->file.slice.arch);
	add_arg(&a, "-l");
	add_arg(&a, address);
	add_arg(&a, "-i");
	if (full_paths)
		add_arg(&a, "-fullPath");
	add_arg(&a, "-f");
	add_arg(&a, in.path);
	ret = cpf_atos_run(out, a.v, limit, i->state->seconds, r);
	while (a.n)
		cpf_free(a.v[--a.n]);
	remove_input(&in);
	cpf_free(file);
	return ret;
}

/* 1: all is answered; 0: not, r says why, and another try makes sense; -1: it does not. */
static int ask_and_read(struct cpf_sink *s, const struct image *i, const struct cpf_atos_query *q,
	int full_paths, struct cpf_reason *r)
{
	struct cpf_buf out = {0};
	int ret = ask(i, q, full_paths, &out, r);

	if (!ret)
		ret = cpf_atos_answers(s, q, &out, r) ? 1 : 0;
	cpf_buf_release(&out);
	return ret < 0 ? -1 : !ret;
}

/* What atos calls the file: the last part of its path, which for a dSYM is the name of the library. */
static const char *library(const struct image *i)
{
	const char *slash = strrchr(i->file.path, '/');

	return slash ? slash + 1 : i->file.path;
}

static void atos_lookup(void *image, const uint64_t *addr, size_t n, struct cpf_sink *s)
{
	const struct image *i = image;
	struct cpf_reason r = {CPF_WHY_NONE, ""};
	struct cpf_atos_query q = {0};
	struct cpf_err e = {0};
	uint64_t *starts;
	size_t k;
	int got;

	q.n = within(i, addr, n, &q.first);
	q.addr = addr + q.first;
	q.slide = i->file.slice.text - i->base;
	q.base = i->base;
	q.library = library(i);
	if (!q.n)
		return;
	/* Without them atos is believed. */
	(void)!cpf_macho_starts(&starts, &q.nstarts, i->file.path, &i->file.slice, &e);
	q.starts = starts;
	/* Files with equal names are to be told apart, but versions before macOS 10.15 refuse the option. */
	got = ask_and_read(s, i, &q, 1, &r);
	if (!got) {
		memset(&r, 0, sizeof(r));
		got = ask_and_read(s, i, &q, 0, &r);
	}
	for (k = 0; got < 1 && k < q.n; k++)
		cpf_sink_miss(s, q.first + k, r.why, r.text);
	cpf_free(starts);
}

static void atos_drop(void *image)
{
	struct image *i = image;

	cpf_free(i->file.path);
	cpf_free(i);
}

static void atos_close(void *state)
{
	struct state *s = state;

	cpf_atos_index_release(&s->index);
	cpf_free(s->program);
	cpf_free(s);
}

const struct cpf_symbolizer cpf_symbolizer_atos = {
	.name = "atos",
	.summary = "Mach-O files and dSYMs, with atos of macOS",
	.open = atos_open,
	.find = atos_find,
	.lookup = atos_lookup,
	.drop = atos_drop,
	.close = atos_close,
};
