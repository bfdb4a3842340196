/* -list: lines of source with what they account for. */
#include "reports/pprof.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/mem.h"
#include "core/regex.h"

#define MARGIN       5     /* lines around those with samples */
#define LONGEST_LINE 65535 /* of a source; pprof reads no further */

/* Files. */

/* pprof's text for why a file could not be opened. */
static void open_error(struct cpf_buf *why, const char *path, int errnum)
{
	const char *text = errnum ? strerror(errnum) : "not a regular file";

	cpf_buf_fmt(why, "open %s: ", path);
	cpf_buf_char(why, (char)(*text >= 'A' && *text <= 'Z' ? *text + 32 : *text));
	cpf_buf_str(why, text + 1);
}

/*
 * Opens a source; a folder opens too, and reads as empty. Other things than files are left alone,
 * since names come out of profiles.
 */
static int open_file(FILE **f, const char *path, struct cpf_buf *why)
{
	struct stat st;
	int errnum = 0;

	*f = NULL;
	if (stat(path, &st))
		errnum = errno;
	else if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) {
		*f = fopen(path, "rb");
		if (*f)
			return 1;
		errnum = errno;
	}
	if (why)
		open_error(why, path, errnum);
	return 0;
}

/* The folder that holds path. */
static void parent_of(struct cpf_buf *out, const struct cpf_buf *path)
{
	struct cpf_text t = {path->s, (uint32_t)path->n};

	while (t.len && t.s[t.len - 1] != '/')
		t.len--;
	cpf_buf_clear(out);
	cpf_go_clean(out, t);
}

/* A relative name is looked for in each folder of the list and in those above it. */
static int search_file(FILE **f, struct cpf_text name, const char *list, struct cpf_buf *why)
{
	struct cpf_buf dir = {0}, up = {0}, joined = {0}, path = {0};
	const char *at = list;
	int found = 0;
	size_t n;

	for (; *list && !found; at += n + 1) {
		n = strcspn(at, ":");
		cpf_buf_clear(&dir);
		cpf_buf_add(&dir, at, n);
		for (;;) {
			struct cpf_text t;

			cpf_buf_clear(&joined);
			if (dir.n)
				cpf_buf_fmt(&joined, "%s/", dir.s);
			cpf_buf_add(&joined, name.s, name.len);
			t.s = joined.s;
			t.len = (uint32_t)joined.n;
			cpf_buf_clear(&path);
			if (t.len)
				cpf_go_clean(&path, t);
			found = path.n && open_file(f, path.s, NULL);
			parent_of(&up, &dir);
			if (found || (up.n == dir.n && !memcmp(up.s, dir.s, up.n)))
				break;
			cpf_buf_clear(&dir);
			cpf_buf_add(&dir, up.s, up.n);
		}
		if (!at[n])
			break;
	}
	if (!found)
		cpf_buf_fmt(why, "could not find file %.*s on path %s", (int)name.len, name.s, list);
	cpf_buf_release(&dir);
	cpf_buf_release(&up);
	cpf_buf_release(&joined);
	cpf_buf_release(&path);
	return found;
}

static int open_source(FILE **f, const struct cpf_pprof *r, struct cpf_text file, const char *list,
	struct cpf_buf *why)
{
	file = cpf_trim_path(file, r->cfg.trim_path, list);
	if (file.len && *file.s == '/')
		return open_file(f, file.s, why);
	return search_file(f, file, list, why);
}

/* The next line without its end; 0 at the end of what is read. */
static int read_line(FILE *f, struct cpf_buf *line)
{
	int c;

	cpf_buf_clear(line);
	while ((c = getc(f)) != EOF && c != '\n') {
		if (line->n == LONGEST_LINE)
			return 0;
		cpf_buf_char(line, (char)c);
	}
	if (c == EOF && !line->n)
		return 0;
	if (line->n && line->s[line->n - 1] == '\r')
		line->n--;
	return 1;
}

/* Functions. */

struct lister {
	struct cpf_pprof *r;
	struct cpf_buf *out;
	const char *path;     /* where to look for sources */
	struct failure {
		cpf_str file;
		char *why;    /* owned */
	} *failures;          /* files that could not be opened */
	size_t n, cap;
};

static int compare_strings(const struct cpf_profile *p, cpf_str a, cpf_str b)
{
	return a == b ? 0 : cpf_pprof_compare_text(cpf_text(p, a), cpf_text(p, b));
}

static const struct cpf_key *key_of(const struct cpf_pprof_node *n)
{
	return &n->graph->keys.keys[n->key];
}

static int by_place(const void *x, const void *y)
{
	const struct cpf_pprof_node *a = x, *b = y;
	const struct cpf_key *k = key_of(a), *l = key_of(b);
	int c = compare_strings(a->graph->p, k->name, l->name);

	if (!c)
		c = compare_strings(a->graph->p, k->file, l->file);
	if (!c)
		c = (k->line > l->line) - (k->line < l->line);
	if (!c)
		c = (k->start_line > l->start_line) - (k->start_line < l->start_line);
	return c ? c : (a->key > b->key) - (a->key < b->key);
}

/*
 * The lines to show of a function's nodes. A node that moves the start does not move the end: so
 * does pprof, whose result then depends on the order of its nodes; here they come by line.
 */
static void find_range(const struct cpf_pprof_node *nodes, uint32_t n, int64_t *start, int64_t *end)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		const struct cpf_key *k = key_of(&nodes[i]);
		int64_t from = k->start_line ? k->start_line : cpf_wrap_add(k->line, -MARGIN);
		int64_t to = cpf_wrap_add(k->line, MARGIN);

		if (!i) {
			*start = from;
			*end = to;
		}
		if (from < *start)
			*start = from;
		else if (to > *end)
			*end = to;
	}
	if (*start < 1)
		*start = 1;
}

static void add_value(struct cpf_pprof *r, int64_t v, struct cpf_buf *out)
{
	cpf_pprof_pad(out, v ? cpf_pprof_value(r, v) : ".", 10);
	cpf_buf_char(out, ' ');
}

static void add_lines(struct cpf_pprof *r, FILE *f, const struct cpf_pprof_node *nodes, uint32_t n,
	int64_t start, int64_t end, struct cpf_buf *out)
{
	struct cpf_buf line = {0};
	int64_t number, flat, cum;
	uint32_t i = 0;

	for (number = 1; number <= end && read_line(f, &line); number++) {
		flat = cum = 0;
		while (i < n && key_of(&nodes[i])->line < number)
			i++;
		for (; i < n && key_of(&nodes[i])->line == number; i++) {
			flat = cpf_wrap_add(flat, nodes[i].flat);
			cum = cpf_wrap_add(cum, nodes[i].cum);
		}
		if (number < start)
			continue;
		add_value(r, flat, out);
		add_value(r, cum, out);
		cpf_buf_fmt(out, "%6" PRId64 ":", number);
		cpf_buf_add(out, line.s, line.n);
		cpf_buf_char(out, '\n');
	}
	cpf_buf_release(&line);
}

/* Why the file could not be opened, or NULL. */
static const char *failure(const struct lister *l, cpf_str file)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->failures[i].file == file)
			return l->failures[i].why;
	return NULL;
}

static void add_source(struct lister *l, const struct cpf_pprof_node *nodes, uint32_t n)
{
	int64_t start = 1, end = 0;
	cpf_str file = key_of(nodes)->file;
	struct cpf_buf why = {0};
	FILE *f = NULL;

	find_range(nodes, n, &start, &end);
	/* Without a line to show the file is not opened, but that it could not be is remembered. */
	if (start <= end && !failure(l, file)) {
		if (open_source(&f, l->r, cpf_text(l->r->p, file), l->path, &why)) {
			add_lines(l->r, f, nodes, n, start, end, l->out);
			fclose(f);
		} else {
			CPF_GROW(l->failures, l->cap, l->n + 1);
			l->failures[l->n++] = (struct failure){file, cpf_strdup(why.s)};
		}
	}
	if (failure(l, file))
		cpf_buf_fmt(l->out, " Error: %s\n", failure(l, file));
	cpf_buf_release(&why);
}

/* Nodes of one function in one file. */
static void add_file(struct lister *l, const struct cpf_pprof_node *nodes, uint32_t n)
{
	const struct cpf_key *k = key_of(nodes);
	struct cpf_text name = cpf_text(l->r->p, k->name), file = cpf_text(l->r->p, k->file);
	int64_t flat = 0, cum = 0;
	uint32_t i;

	for (i = 0; i < n; i++) {
		flat = cpf_wrap_add(flat, nodes[i].flat);
		cum = cpf_wrap_add(cum, nodes[i].cum);
	}
	cpf_buf_fmt(l->out, "ROUTINE ======================== %.*s in %.*s\n", (int)name.len, name.s,
		(int)file.len, file.s);
	cpf_pprof_pad(l->out, cpf_pprof_value(l->r, flat), 10);
	cpf_buf_char(l->out, ' ');
	cpf_pprof_pad(l->out, cpf_pprof_value(l->r, cum), 10);
	cpf_buf_str(l->out, " (flat, cum) ");
	cpf_pprof_percent(l->out, cum, l->r->total);
	cpf_buf_str(l->out, " of Total\n");
	add_source(l, nodes, n);
}

static void add_function(struct lister *l, const struct cpf_pprof_node *nodes, uint32_t n)
{
	struct cpf_text name = cpf_text(l->r->p, key_of(nodes)->name);
	uint32_t from = 0, i;

	while (from < n && !key_of(&nodes[from])->file)
		from++;
	if (from == n)
		cpf_buf_fmt(l->out, "No source information for %.*s\n", (int)name.len, name.s);
	for (; from < n; from = i) {
		for (i = from; i < n && key_of(&nodes[i])->file == key_of(&nodes[from])->file;)
			i++;
		add_file(l, nodes + from, i - from);
	}
}

/* The working directory, where sources are looked for if nothing else is said. */
static int working_directory(struct cpf_buf *dir, struct cpf_err *e)
{
	size_t cap;

	for (cap = 256;; cap *= 2) {
		cpf_buf_clear(dir);
		if (getcwd(cpf_buf_room(dir, cap), cap)) {
			dir->n = strlen(dir->s);
			return 0;
		}
		if (errno != ERANGE)
			return cpf_fail_errno(e, errno, "working directory");
	}
}

static int show(struct cpf_pprof *r, struct cpf_pprof_graph *g, struct cpf_buf *out, struct cpf_err *e)
{
	struct lister l = {.r = r, .out = out};
	struct cpf_buf dir = {0};
	uint32_t i, from, n = 0;
	size_t k;

	for (i = 0; i < g->n; i++)
		if (cpf_regex_match_str(r->symbol, r->p, key_of(&g->nodes[i])->name))
			g->nodes[n++] = g->nodes[i];
	if (!n)
		return cpf_fail(e, CPF_E_EMPTY, "no matches found for regexp: %s", r->cfg.argument);
	if (*r->cfg.source_path)
		cpf_buf_str(&dir, r->cfg.source_path);
	else if (working_directory(&dir, e))
		return -1;
	l.path = dir.s;
	qsort(g->nodes, n, sizeof(*g->nodes), by_place);
	cpf_buf_fmt(out, "Total: %s\n", cpf_pprof_value(r, r->total));
	for (from = 0; from < n; from = i) {
		for (i = from; i < n && key_of(&g->nodes[i])->name == key_of(&g->nodes[from])->name;)
			i++;
		add_function(&l, g->nodes + from, i - from);
	}
	for (k = 0; k < l.n; k++)
		cpf_free(l.failures[k].why);
	cpf_free(l.failures);
	cpf_buf_release(&dir);
	return 0;
}

int cpf_pprof_list(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e)
{
	struct cpf_pprof_graph g;
	int ret;

	if (cpf_pprof_graph_build(r, &g, CPF_PPROF_NODES, e))
		return -1;
	ret = show(r, &g, out, e);
	cpf_pprof_graph_release(&g);
	return ret;
}
