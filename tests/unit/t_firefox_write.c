/*
 * t_firefox_write.c - what the Firefox writer keeps: profiles of every layout at hand, read, written,
 * and read again.
 */
#include "unit/build.h"

#include "base/buf.h"
#include "base/input.h"
#include "base/mem.h"
#include "base/output.h"
#include "core/check.h"
#include "core/dump.h"
#include "formats/formats.h"

#include <dirent.h>

static int load_file(struct cpf_profile *p, const char *path)
{
	struct cpf_load_opts o = {.want = CPF_WANT_ALL};
	struct cpf_diag d = {0};
	struct cpf_err e = {0};
	int bad;

	cpf_profile_init(p);
	bad = cpf_load(p, path, &o, &d, &e);
	cpf_diag_release(&d);
	return bad;
}

static void load_text(struct cpf_profile *p, const char *data, size_t n)
{
	struct cpf_load_opts o = {.want = CPF_WANT_ALL};
	struct cpf_diag d = {0};
	struct cpf_input *in;
	struct cpf_err e = {0};
	char text[1024];

	cpf_profile_init(p);
	assert_int_equal(cpf_input_memory(&in, "again", data, n, &d, &e), 0);
	if (cpf_load_input(p, in, &o, &d, &e) || cpf_check_ok(p, &e))
		fail_msg("%s", cpf_err_text(&e, text, sizeof(text)));
	cpf_input_close(in);
	cpf_diag_release(&d);
}

static void save(const struct cpf_profile *p, const struct cpf_format *f,
	const struct cpf_save_opts *o, char **data, size_t *n)
{
	struct cpf_output *out;
	struct cpf_diag d = {0};
	struct cpf_err e = {0};

	assert_int_equal(cpf_output_memory(&out, 0, &e), 0);
	if (f->write(p, out, o, &d, &e))
		fail_msg("%s", e.reason);
	assert_int_equal(cpf_output_take(out, data, n, &e), 0);
	cpf_diag_release(&d);
}

/* Without samples the page of the Firefox Profiler hangs. */
static void refused(const struct cpf_profile *p)
{
	struct cpf_save_opts o = {.type = CPF_NONE};
	struct cpf_output *out;
	struct cpf_err e = {0};

	assert_int_equal(cpf_output_memory(&out, 0, &e), 0);
	assert_int_equal(cpf_format_firefox.write(p, out, &o, NULL, &e), -1);
	assert_int_equal(e.code, CPF_E_EMPTY);
	cpf_output_discard(out);
}

static void same_dump(const char *path, const struct cpf_profile *p, const struct cpf_profile *q,
	uint32_t keeps, uint32_t flags)
{
	struct cpf_profile a = *p, b = *q;
	struct cpf_buf x = {0}, y = {0};

	/* "data" and "fields" in it are for one version or another. */
	a.head.marker_schema = b.head.marker_schema = 0;
	a.ncounters = b.ncounters = 0;
	cpf_dump(&x, &a, keeps, CPF_NONE, flags);
	cpf_dump(&y, &b, keeps, CPF_NONE, flags);
	if (strcmp(x.s, y.s) != 0) {
		size_t i, line = 0;

		for (i = 0; x.s[i] == y.s[i]; i++)
			if (x.s[i] == '\n')
				line = i + 1;
		fail_msg("%s:\n-%.*s\n+%.*s", path, (int)strcspn(x.s + line, "\n"), x.s + line,
			(int)strcspn(y.s + line, "\n"), y.s + line);
	}
	cpf_buf_release(&x);
	cpf_buf_release(&y);
}

/* Such times move everything up. */
static int any_below_zero(const struct cpf_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->samples.n; i++)
		if (cpf_col_get(&p->samples.time, i) < 0)
			return 1;
	return 0;
}

/* Read, written, read, written: both texts are equal. */
static void again(const struct cpf_profile *p, const char *path, int version, uint32_t keeps)
{
	struct cpf_save_opts o = {.type = CPF_NONE, .firefox_version = version};
	struct cpf_profile q;
	char *one, *two;
	size_t n, m;

	save(p, &cpf_format_firefox, &o, &one, &n);
	load_text(&q, one, n);
	if (!any_below_zero(p))
		same_dump(path, p, &q, keeps, 
			strstr(path, "/time_") ? CPF_DUMP_SORT : 0);
	save(&q, &cpf_format_firefox, &o, &two, &m);
	if (n != m || memcmp(one, two, n))
		fail_msg("%s: not the same bytes", path);
	cpf_free(one);
	cpf_free(two);
	cpf_profile_release(&q);
}

/* The category of markers that have none. */
static void fill_categories(struct cpf_profile *p)
{
	uint32_t i, grey;

	for (grey = 0; grey < p->ncategories; grey++)
		if (!strcmp(cpf_cstr(p, p->categories[grey].color), "grey"))
			break;
	for (i = 0; i < p->nmarkers && grey < p->ncategories; i++)
		if (p->markers[i].category == CPF_NONE)
			p->markers[i].category = grey;
}

/*
 * What the writer fills in: the name of a library's debug file and an id
 * of zeros, a type for each process, one main
 * thread in each, and a pid of its own for a process that shares one with an earlier one.
 */
static void fill_in(struct cpf_profile *p)
{
	uint32_t i, k, n;
	char pid[64];

	for (i = 0; i < p->nmappings; i++) {
		struct cpf_text name = cpf_mapping_name(p, i);

		if (!p->mappings[i].debug_name)
			p->mappings[i].debug_name = cpf_intern(p, name.s, name.len);
		if (!p->mappings[i].debug_id && !p->mappings[i].build_id)
			p->mappings[i].debug_id =
				cpf_intern_z(p, "000000000000000000000000000000000");
	}
	for (i = 0; i < p->nprocesses; i++) {
		struct cpf_process *q = &p->processes[i];
		struct cpf_thread *main_thread = NULL;

		if (!q->type)
			q->type = cpf_intern_z(p, "default");
		for (k = n = 0; k < i; k++)
			n += p->processes[k].pid == q->pid;
		snprintf(pid, sizeof(pid), "%s.%u", cpf_cstr(p, q->pid), n);
		for (k = 0; k < p->nthreads; k++) {
			struct cpf_thread *t = &p->threads[k];

			if (t->process == i && (!main_thread || (t->flags > main_thread->flags)))
				main_thread = t;
		}
		for (k = 0; k < p->nthreads; k++)
			if (p->threads[k].process == i)
				p->threads[k].flags = &p->threads[k] == main_thread;
		if (n)
			p->processes[i].pid = cpf_intern_z(p, pid);
	}
}

static void from_firefox(const char *path)
{
	uint32_t keeps = UINT32_MAX;
	struct cpf_profile p;

	if (load_file(&p, path)) {
		/* Odd files are also those that are refused. */
		assert_non_null(strstr(path, "odd/"));
		cpf_profile_release(&p);
		return;
	}
	if (strcmp(p.sources[0].format, "firefox") != 0 &&
		strcmp(p.sources[0].format, "gecko") != 0) {
		cpf_profile_release(&p);
		return;
	}
	if (!p.samples.n) {
		refused(&p);
		cpf_profile_release(&p);
		return;
	}
	fill_in(&p);
	fill_categories(&p);
	/* Old files have none; they are made up then. */
	if (!p.ncategories)
		keeps &= ~(uint32_t)CPF_KEEPS_CATEGORIES;
	again(&p, path, 60, keeps);
	again(&p, path, 49, keeps);
	cpf_profile_release(&p);
}

static unsigned each_in(const char *root, const char *under, void (*run)(const char *path))
{
	char folder[2048], path[4096];
	struct dirent *ent;
	unsigned n = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/%s", root, under);
	dir = opendir(folder);
	while (dir && (ent = readdir(dir))) {
		if (!strcmp(ent->d_name, ".") || !strcmp(ent->d_name, "..") ||
			strstr(ent->d_name, ".syms.json") || strstr(ent->d_name, ".tsv") ||
			strstr(ent->d_name, ".md"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, ent->d_name);
		run(path);
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

static void firefox_to_firefox(void **state)
{
	const char *corpus = getenv("CORPUS");

	(void)state;
	assert_true(each_in("testdata", "firefox", from_firefox) >= 10);
	assert_true(each_in("testdata", "odd", from_firefox) >= 10);
	if (corpus && *corpus)
		each_in(corpus, "firefox-json", from_firefox);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(firefox_to_firefox),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
