/*
 * t_firefox_write.c - what the Firefox writer keeps: profiles of every layout at hand, read, written,
 * and read again.
 */
#include "unit/random.h"

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

/* Without the lines that begin with word. */
static void drop_lines(struct cpf_buf *b, const char *word)
{
	size_t at = 0, to = 0, n;

	for (; at < b->n; at += n) {
		n = strcspn(b->s + at, "\n") + 1;
		if (!strncmp(b->s + at, word, strlen(word)))
			continue;
		memmove(b->s + to, b->s + at, n);
		to += n;
	}
	b->n = to;
	b->s[to] = '\0';
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
	/* pprof has no list of threads, so those without samples are not in it. */
	if (!(keeps & CPF_KEEPS_HEADER)) {
		drop_lines(&x, "row");
		drop_lines(&y, "row");
	}
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

/* What is kept on the way through pprof, which has samples but no threads of their own. */
#define THROUGH_PPROF                                                                              \
	(CPF_KEEPS_ADDRESSES | CPF_KEEPS_MAPPINGS | CPF_KEEPS_INLINES | CPF_KEEPS_LINES |          \
		CPF_KEEPS_FILES | CPF_KEEPS_THREADS | CPF_KEEPS_TYPES | CPF_KEEPS_EMPTY)

static void through_pprof(const char *path, int timestamps, uint32_t keeps, uint32_t flags)
{
	struct cpf_save_opts o = {.type = CPF_NONE, .timestamps = timestamps};
	struct cpf_profile p, q, r;
	uint32_t i;
	char *data;
	size_t n;

	if (load_file(&p, path))
		fail_msg("%s is not read", path);
	fill_in(&p);
	/* profile.proto has one name for a library, and no column of where a function begins. */
	for (i = 0; i < p.nfunctions; i++)
		p.functions[i].start_column = 0;
	for (i = 0; i < p.nmappings; i++) {
		struct cpf_mapping *m = &p.mappings[i];
		struct cpf_text name = cpf_basename(cpf_text(&p, m->file));

		m->debug_path = m->file;
		m->name = m->debug_name = cpf_intern(&p, name.s, name.len);
		m->arch = 0;
		/* The debug id of an ELF file holds 16 bytes of the build id, which may be all of it. */
		if (!m->code_id && cpf_text(&p, m->build_id).len == 32)
			m->code_id = m->build_id;
		/* Of a PE file; the other id is that of its PDB. */
		if (m->code_id && cpf_text(&p, m->code_id).len <= 16)
			m->debug_id = cpf_intern_z(&p, "000000000000000000000000000000000");
	}
	save(&p, &cpf_format_pprof, &o, &data, &n);
	load_text(&q, data, n);
	cpf_free(data);
	save(&q, &cpf_format_firefox, &o, &data, &n);
	load_text(&r, data, n);
	cpf_free(data);
	same_dump(path, &p, &r, keeps, flags);
	cpf_profile_release(&p);
	cpf_profile_release(&q);
	cpf_profile_release(&r);
}

static void times_through_pprof(const char *path)
{
	through_pprof(path, 1, THROUGH_PPROF | CPF_KEEPS_TIMES, CPF_DUMP_SORT);
}

static void sums_through_pprof(const char *path)
{
	through_pprof(path, 0, THROUGH_PPROF, CPF_DUMP_SORT | CPF_DUMP_JOIN);
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

static void firefox_through_pprof(void **state)
{
	const char *corpus = getenv("CORPUS");

	(void)state;
	each_in("testdata", "firefox", times_through_pprof);
	each_in("testdata", "firefox", sums_through_pprof);
	if (corpus && *corpus) {
		each_in(corpus, "firefox-json", times_through_pprof);
		each_in(corpus, "firefox-json", sums_through_pprof);
	}
}

/* Each sample type by itself. */
static void from_pprof(const char *path)
{
	uint32_t keeps = THROUGH_PPROF & ~(uint32_t)(CPF_KEEPS_TYPES | CPF_KEEPS_MAPPINGS);
	struct cpf_profile p, q, r;
	uint32_t i, type;
	char *data;
	size_t n;

	if (load_file(&p, path))
		fail_msg("%s is not read", path);
	fill_in(&p);
	for (i = 0; i < p.nfunctions; i++)
		p.functions[i].system_name = p.functions[i].name;
	/* Places outside of all libraries have addresses of 64 bits, the format 32. */
	for (i = 0; i < p.locations.n; i++)
		if (cpf_image_address(&p, i) > UINT32_MAX)
			keeps &= ~(uint32_t)CPF_KEEPS_ADDRESSES;
	for (type = 0; type < p.ntypes; type++) {
		struct cpf_save_opts o = {.type = type, .firefox_version = type % 2 ? 49 : 60};

		save(&p, &cpf_format_firefox, &o, &data, &n);
		load_text(&q, data, n);
		cpf_free(data);
		p.default_type = type;
		same_dump(path, &p, &q, keeps, CPF_DUMP_SORT | CPF_DUMP_JOIN);
		assert_string_equal(cpf_cstr(&p, p.types[type].type), cpf_cstr(&q, q.types[0].type));
		assert_int_equal(p.head.period, q.head.period);
		assert_int_equal(p.head.duration_nanos, q.head.duration_nanos);
		assert_int_equal(p.head.time_nanos, q.head.time_nanos);
		assert_int_equal(p.head.ncomments, q.head.ncomments);
		o.type = CPF_NONE;
		save(&q, &cpf_format_pprof, &o, &data, &n);
		load_text(&r, data, n);
		cpf_free(data);
		same_dump(path, &p, &r, keeps & ~(uint32_t)CPF_KEEPS_THREADS,
			CPF_DUMP_SORT | CPF_DUMP_JOIN);
		cpf_profile_release(&q);
		cpf_profile_release(&r);
	}
	cpf_profile_release(&p);
}

static void pprof_through_firefox(void **state)
{
	const char *corpus = getenv("CORPUS");

	(void)state;
	assert_true(each_in("testdata", "pprof", from_pprof) >= 3);
	each_in("testdata", "folded", from_pprof);
	if (corpus && *corpus) {
		each_in(corpus, "pprof", from_pprof);
		each_in(corpus, "folded", from_pprof);
	}
}

/* CPUPROF_SEED and CPUPROF_ROUNDS run others, or more. */
static uint64_t number_from(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);

	return s ? strtoull(s, NULL, 10) : otherwise;
}

static void random_times(struct cpf_profile *p, struct rng *r)
{
	int64_t now = rng_next(r, 3000);
	uint32_t i;

	p->samples.has_time = 1;
	for (i = 0; i < p->samples.n; i++) {
		cpf_col_set(&p->samples.time, i, now);
		now += rng_next(r, 2000000);
	}
}

static void name_libraries(struct cpf_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->nmappings; i++) {
		struct cpf_text name = cpf_mapping_name(p, i);

		p->mappings[i].name = cpf_intern(p, name.s, name.len);
		p->mappings[i].debug_path = p->mappings[i].file;
	}
}

/*
 * Random profiles: what the table in docs/formats.md says is kept. Names that are not UTF-8 are
 * written as something else, so there only the second writing is compared.
 */
static void random_profiles(void **state)
{
	uint64_t seed = number_from("CPUPROF_SEED", 1), rounds = number_from("CPUPROF_ROUNDS", 400);
	uint64_t end = seed + rounds;
	char name[40];

	(void)state;
	for (; seed < end; seed++) {
		struct rng r = {seed * 0x9e3779b97f4a7c15u | 1};
		struct cpf_save_opts o = {.type = seed % 3 ? (uint32_t)(seed % 3) - 1 : CPF_NONE};
		int utf8 = seed % 5 != 0, timed = seed % 2;
		uint32_t keeps = (THROUGH_PPROF & ~(uint32_t)CPF_KEEPS_TYPES) |
				 (timed ? CPF_KEEPS_TIMES : 0);
		struct cpf_profile p, q;
		char *one, *two;
		size_t n, m;

		snprintf(name, sizeof(name), "seed %llu", (unsigned long long)seed);
		o.firefox_version = seed % 7 ? 60 : 49;
		random_profile(&p, &r, seed % 4 != 0, utf8, 1);
		if (timed)
			random_times(&p, &r);
		name_libraries(&p);
		fill_in(&p);
		p.default_type = o.type == CPF_NONE ? p.default_type : o.type;
		save(&p, &cpf_format_firefox, &o, &one, &n);
		load_text(&q, one, n);
		if (utf8)
			same_dump(name, &p, &q, keeps, CPF_DUMP_SORT | CPF_DUMP_JOIN);
		o.type = CPF_NONE;
		save(&q, &cpf_format_firefox, &o, &two, &m);
		if (n != m || memcmp(one, two, n))
			fail_msg("%s: not the same bytes", name);
		cpf_free(one);
		cpf_free(two);
		cpf_profile_release(&p);
		cpf_profile_release(&q);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(firefox_to_firefox),
		cmocka_unit_test(firefox_through_pprof),
		cmocka_unit_test(pprof_through_firefox),
		cmocka_unit_test(random_profiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
