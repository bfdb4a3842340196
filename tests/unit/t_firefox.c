/*
 * t_firefox.c - the Firefox reader against the tables of expectations in testdata, and against real
 * files by others where they are at hand (CORPUS).
 */
#include "tsv.h"

#include <math.h>
#include <regex.h>

#include <cpuprof/format.h>

#include "base/buf.h"
#include "base/mem.h"
#include "core/check.h"
#include "formats/firefox.h"

struct loaded {
	struct cpf_profile p;
	struct cpf_diag d;
	struct cpf_err e;
	int failed;
};

static void load(
	struct loaded *l, const char *dir, const char *folder, const char *file, int tracks)
{
	struct cpf_load_opts o = {.want = CPF_WANT_ALL, .keep_cpu_tracks = tracks};
	char path[1024];

	memset(l, 0, sizeof(*l));
	l->e.byte = CPF_NO_POS;
	snprintf(path, sizeof(path), "%s/%s%s%s", dir, folder, folder[0] ? "/" : "", file);
	cpf_profile_init(&l->p);
	l->failed = cpf_load(&l->p, path, &o, &l->d, &l->e);
}

static void unload(struct loaded *l)
{
	cpf_profile_release(&l->p);
	cpf_diag_release(&l->d);
}

static void load_good(
	struct loaded *l, const char *dir, const char *folder, const char *file, int tracks)
{
	struct cpf_err e = {0};
	char text[1024];

	load(l, dir, folder, file, tracks);
	if (l->failed)
		fail_msg("%s: %s", file, cpf_err_text(&l->e, text, sizeof(text)));
	if (cpf_check_ok(&l->p, &e))
		fail_msg("%s: %s", file, cpf_err_text(&e, text, sizeof(text)));
}

static int matches(const char *pattern, const char *text)
{
	regex_t re;
	int r;

	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB), 0);
	r = !regexec(&re, text, 0, NULL, 0);
	regfree(&re);
	return r;
}

/* Value of a type in its unit, over one thread (-1: all); NAN if the type is not there. */
static double total(const struct cpf_profile *p, const char *type, int thread)
{
	int t = cpf_type_index(p, type);
	double sum = 0;
	uint32_t i;

	if (t < 0)
		return NAN;
	for (i = 0; i < p->samples.n; i++)
		if (thread < 0 || cpf_col_get(&p->samples.thread, i) == thread)
			sum += cpf_scale_double(
				&p->types[t], cpf_col_get(&p->samples.raw[p->types[t].raw], i));
	return sum;
}

/* Sum of the weights in the unit they are written in. */
static double weight(const struct cpf_profile *p, int thread)
{
	if (cpf_type_index(p, "samples") >= 0)
		return total(p, "samples", thread);
	if (cpf_type_index(p, "bytes") >= 0)
		return total(p, "bytes", thread);
	return total(p, "time", thread) / 1e6;
}

static int count(const struct cpf_profile *p, int thread, int null_only)
{
	uint32_t i;
	int n = 0;

	for (i = 0; i < p->samples.n; i++)
		n += (thread < 0 || cpf_col_get(&p->samples.thread, i) == thread) &&
		     (!null_only || cpf_col_get(&p->samples.node, i) == 0);
	return n;
}

static void check_number(const struct tsv *t, const char *column, double got)
{
	const char *want = tsv_get(t, column);

	if (!strcmp(want, "-")) {
		if (!isnan(got) && !(!strcmp(column, "cpu_us") && got == 0))
			fail_msg(
				"%s: %s is %g, should be missing", tsv_get(t, "file"), column, got);
	} else if (!(fabs(got - strtod(want, NULL)) <= 1e-9 * fabs(got) + 1e-9)) {
		fail_msg("%s: %s is %.12g, should be %s", tsv_get(t, "file"), column, got, want);
	}
}

static void check_totals(const struct tsv *t, const struct cpf_profile *p, int thread)
{
	check_number(t, "samples", count(p, thread, 0));
	check_number(t, "weight", weight(p, thread));
	check_number(t, "cpu_us", total(p, "cpu", thread) / 1e3);
	check_number(t, "null_stacks", count(p, thread, 1));
}

static void check_notes(const struct tsv *t, const struct cpf_diag *d)
{
	const char *want = tsv_get(t, "warn");
	int found = 0;
	size_t i;

	for (i = 0; i < d->n; i++) {
		if (!strcmp(want, "-") && d->notes[i].level == CPF_WARN)
			fail_msg("%s: warns %s", tsv_get(t, "file"), d->notes[i].text);
		if (want[0] != '-' && want[0] != '*')
			found |= matches(want, d->notes[i].text);
	}
	if (want[0] != '-' && want[0] != '*' && !found)
		fail_msg("%s: no note is like %s", tsv_get(t, "file"), want);
}

static int is_folded(const struct tsv *t)
{
	return !strncmp(tsv_get(t, "file"), "folded", 6);
}

static void odd_files_have_their_totals(void **state)
{
	const char *dir = data_dir("TESTDATA", "testdata");
	struct loaded l;
	struct tsv t;
	int n = 0;

	(void)state;
	assert_true(tsv_open(&t, dir, "odd/EXPECT.tsv"));
	while (tsv_next(&t)) {
		const char *version = tsv_get(&t, "version");

		if (is_folded(&t))
			continue;
		load_good(&l, dir, "odd", tsv_get(&t, "file"), 0);
		if (!strncmp(version, "gecko-", 6)) {
			assert_string_equal(l.p.sources[0].format, "gecko");
			version += 6;
		} else {
			assert_string_equal(l.p.sources[0].format, "firefox");
		}
		assert_string_equal(l.p.sources[0].version, version);
		check_number(&t, "threads", l.p.nthreads);
		check_totals(&t, &l.p, -1);
		check_notes(&t, &l.d);
		unload(&l);
		n++;
	}
	assert_true(n > 200);
}

static void check_text(const struct tsv *t, const char *column, const char *got)
{
	const char *want = tsv_get(t, column);

	if (strcmp(!strcmp(want, "-") ? "" : want, got))
		fail_msg("%s, thread %s: %s is '%s', should be '%s'", tsv_get(t, "file"),
			tsv_get(t, "thread"), column, got, want);
}

static void check_times(const struct tsv *t, const struct cpf_profile *p, int thread)
{
	double first = NAN, last = NAN;
	uint32_t i;

	for (i = 0; i < p->samples.n; i++) {
		if (cpf_col_get(&p->samples.thread, i) != thread)
			continue;
		last = (double)cpf_col_get(&p->samples.time, i) / 1e6;
		if (isnan(first))
			first = last;
	}
	check_number(t, "first_ms", first);
	check_number(t, "last_ms", last);
}

static void threads_have_their_totals(void **state)
{
	const char *dir = data_dir("TESTDATA", "testdata");
	struct loaded l;
	char now[256] = "";
	struct tsv t;
	int n = 0;

	(void)state;
	assert_true(tsv_open(&t, dir, "odd/THREADS.tsv"));
	while (tsv_next(&t)) {
		const char *file = tsv_get(&t, "file");
		int thread = atoi(tsv_get(&t, "thread")), markers = 0;
		uint32_t i;

		if (strcmp(now, file)) {
			if (now[0])
				unload(&l);
			snprintf(now, sizeof(now), "%s", file);
			load_good(&l, dir, "odd", file, 0);
		}
		assert_true(thread < (int)l.p.nthreads);
		check_text(&t, "name", cpf_cstr(&l.p, l.p.threads[thread].name));
		check_text(&t, "tid", cpf_cstr(&l.p, l.p.threads[thread].tid));
		check_text(
			&t, "pid", cpf_cstr(&l.p, l.p.processes[l.p.threads[thread].process].pid));
		check_totals(&t, &l.p, thread);
		check_times(&t, &l.p, thread);
		for (i = 0; i < l.p.nmarkers; i++)
			markers += l.p.markers[i].thread == (cpf_id)thread;
		check_number(&t, "markers", markers);
		n++;
	}
	unload(&l);
	assert_true(n > 100);
}

/* One profile in the layout of every version: each says the same, row by row. */

static void put_cell(struct cpf_buf *b, const char *s)
{
	cpf_buf_fmt(b, "|%s", s[0] ? s : "-");
}

static void put_number(struct cpf_buf *b, int64_t v)
{
	if (v)
		cpf_buf_fmt(b, "|%" PRId64, v);
	else
		cpf_buf_str(b, "|-");
}

static void put_location(struct cpf_buf *b, const struct cpf_profile *p, cpf_id id)
{
	struct cpf_line *lines = NULL;
	struct cpf_location loc;
	size_t cap = 0;
	uint32_t i;

	cpf_get_location(p, id, &loc, &lines, &cap);
	for (i = loc.nlines; i-- > 0;) {
		const struct cpf_function *fn = &p->functions[loc.lines[i].function];

		cpf_buf_fmt(b, "%s%s", b->n ? ";" : "", cpf_cstr(p, fn->name));
		put_cell(b, cpf_cstr(p, fn->file));
		put_number(b, loc.lines[i].line);
		put_number(b, loc.lines[i].column);
		put_cell(b, cpf_mapping_name(p, loc.mapping).s);
		if (loc.flags & CPF_LOC_ADDRESS)
			cpf_buf_fmt(b, "|0x%" PRIx64, loc.address);
		else
			cpf_buf_str(b, "|-");
		cpf_buf_fmt(b, "|%" PRIu32, loc.nlines - 1 - i);
	}
	cpf_free(lines);
}

static void put_stack(struct cpf_buf *b, const struct cpf_profile *p, cpf_id node)
{
	cpf_id path[64];
	int n = 0;

	for (; node && n < 64; node = cpf_col_id(&p->nodes.parent, node))
		path[n++] = cpf_col_id(&p->nodes.location, node);
	cpf_buf_clear(b);
	while (n-- > 0)
		put_location(b, p, path[n]);
	if (!b->n)
		cpf_buf_str(b, "-");
}

/* What an older version cannot say is taken out of the expected stack. */
static void limit_stack(struct cpf_buf *out, const char *stack, int version)
{
	char copy[4096], *frame, *next, *cell[8];
	int i;

	cpf_buf_clear(out);
	snprintf(copy, sizeof(copy), "%s", stack);
	for (frame = copy; frame; frame = next) {
		next = strchr(frame, ';');
		if (next)
			*next++ = '\0';
		for (i = 0; frame && i < 7; i++) {
			cell[i] = frame;
			frame = strchr(frame, '|');
			if (frame)
				*frame++ = '\0';
		}
		if (i < 7) {
			cpf_buf_str(out, "-");
			return;
		}
		cpf_buf_fmt(out, "%s%s|%s|%s|%s|%s|%s|%s", out->n ? ";" : "", cell[0],
			version < 4 && !strchr(cell[1], 'j') ? "-" : cell[1], cell[2],
			version < 15 ? "-" : cell[3], cell[4], cell[5],
			version < 40 ? "0" : cell[6]);
	}
}

static void check_logical(const char *dir, const char *file)
{
	struct cpf_buf got = {0}, want = {0};
	uint32_t row = 0;
	struct loaded l;
	struct tsv t;
	int version, cpu, samples;

	load_good(&l, dir, "odd", file, 0);
	version = atoi(l.p.sources[0].version);
	cpu = cpf_type_index(&l.p, "cpu");
	samples = cpf_type_index(&l.p, "samples");
	assert_true(tsv_open(&t, dir, "odd/LOGICAL.tsv"));
	for (; tsv_next(&t); row++) {
		const struct cpf_samples *s = &l.p.samples;

		assert_true(row < s->n);
		assert_int_equal(cpf_col_get(&s->thread, row), atoi(tsv_get(&t, "thread")));
		assert_int_equal(cpf_col_get(&s->time, row),
			llround(strtod(tsv_get(&t, "time_ms"), NULL) * 1e6));
		assert_int_equal(cpf_col_get(&s->raw[l.p.types[samples].raw], row),
			atoi(tsv_get(&t, "weight")));
		assert_int_equal(
			cpf_col_get(&s->raw[l.p.types[cpu].raw], row), atoi(tsv_get(&t, "cpu_us")));
		put_stack(&got, &l.p, cpf_col_id(&s->node, row));
		limit_stack(&want, tsv_get(&t, "stack"), version);
		if (strcmp(got.s, want.s))
			fail_msg("%s, row %d:\n %s\nshould be\n %s", file, (int)row, got.s, want.s);
	}
	assert_int_equal(row, l.p.samples.n);
	unload(&l);
	cpf_buf_release(&got);
	cpf_buf_release(&want);
}

static void layouts_say_the_same(void **state)
{
	const char *dir = data_dir("TESTDATA", "testdata");
	struct tsv t;
	int n = 0;

	(void)state;
	assert_true(tsv_open(&t, dir, "odd/EXPECT.tsv"));
	while (tsv_next(&t)) {
		if (strncmp(tsv_get(&t, "file"), "logical-", 8))
			continue;
		check_logical(dir, tsv_get(&t, "file"));
		n++;
	}
	assert_true(n > 20);
}

static void broken_files_are_refused(void **state)
{
	const char *dir = data_dir("TESTDATA", "testdata");
	char text[1200], place[600];
	struct loaded l;
	struct tsv t;
	int n = 0;

	(void)state;
	assert_true(tsv_open(&t, dir, "bad/EXPECT.tsv"));
	while (tsv_next(&t)) {
		const char *file = tsv_get(&t, "file");

		if (strncmp(file, "fx_", 3) && strncmp(file, "gecko_", 6) &&
			strncmp(file, "jslb_", 5))
			continue;
		load(&l, dir, "bad", file, 0);
		if (!l.failed)
			fail_msg("%s: is accepted", file);
		/* Without the name of the file, which tells the fault as well. */
		l.e.source[0] = '\0';
		cpf_err_text(&l.e, text, sizeof(text));
		snprintf(place, sizeof(place), "byte %" PRIu64 " %s", l.e.byte, l.e.where);
		if (!tsv_is(&t, "where", "-") && !matches(tsv_get(&t, "where"), place))
			fail_msg("%s: place of '%s' is not like %s", file, text,
				tsv_get(&t, "where"));
		if (!tsv_is(&t, "reason", "-") && !matches(tsv_get(&t, "reason"), text))
			fail_msg("%s: '%s' is not like %s", file, text, tsv_get(&t, "reason"));
		unload(&l);
		n++;
	}
	assert_true(n > 150);
}

static void recordings_have_their_totals(void **state)
{
	const char *dir = data_dir("TESTDATA", "testdata");
	struct loaded l;
	struct tsv t;
	int n = 0;

	(void)state;
	assert_true(tsv_open(&t, dir, "totals.tsv"));
	while (tsv_next(&t)) {
		load_good(&l, dir, "firefox", tsv_get(&t, "file"), 1);
		assert_string_equal(l.p.sources[0].version, tsv_get(&t, "version"));
		check_number(&t, "threads", l.p.nthreads);
		check_totals(&t, &l.p, -1);
		unload(&l);
		n++;
	}
	assert_true(n > 8);
}

static void cpu_tracks_are_left_out(void **state)
{
	struct loaded l;

	(void)state;
	load_good(&l, data_dir("TESTDATA", "testdata"), "firefox", "c-per-cpu.json.gz", 0);
	/* From the recording's page: the eleven threads alone. */
	assert_int_equal(l.p.nthreads, 11);
	assert_int_equal(l.p.samples.n, 110);
	assert_true(fabs(total(&l.p, "cpu", -1) - 217024e3) < 1);
	assert_int_equal(l.d.n, 1);
	assert_string_equal(l.d.notes[0].kind, "cpu-tracks");
	assert_int_equal(l.d.notes[0].count, 224);
	unload(&l);
}

/* Computed from the files with a script of a few lines, for files nobody here made. */
static void files_by_others_have_their_totals(void **state)
{
	static const struct {
		const char *file, *version;
		uint32_t threads, samples;
		int64_t weight, cpu_us; /* -1: none */
		int nulls;
	} files[] = {
		{"KonaeAkira+raphael-rs__profile.json.gz", "49", 25, 24421, 24421, 24964565, 0},
		{"NLnetLabs+roto__profile.json.gz", "55", 48, 670, 670, 474709, 0},
		{"PORTALSURFER+sempal__f8d33401_profile.json.gz", "55", 1, 4016, 4050, 2668012, 0},
		{"PORTALSURFER+sempal__sempal-bench.exe_2025-12-24_14.29_profile.json.gz", "58", 1,
			4016, 4050, 2668012, 0},
		{"QuEraComputing+ppvm__profile.json.gz", "49", 15, 6254, 7904, 6913165, 0},
		{"Tyler-Sch+pyruhvro__de4683de_profile.json", "44", 1, 16, 16, 17294, 0},
		{"firefox-devtools+profiler__argument-values.json", "58", 1, 32, 32, -1, 0},
		{"firefox-devtools+profiler__gecko-2.json", "13", 3, 21, 21, -1, 0},
		{"firefox-devtools+profiler__processed-3.json", "24", 3, 21, 21, -1, 0},
		{"firefox-devtools+profiler__two.json", "68", 2, 2, 2, -1, 0},
		{"jhawthorn+vernier__gvl_sleep.vernier.json", "48", 1, 1066, 8126, -1, 0},
		{"mstange+samply__cd249936_profile_without_js.json", "66", 1, 4, 4, 0, 1},
		{"mstange+samply__ls-profile.json", "41", 2, 5130, 13083, 153216, 11}};
	const char *dir = data_dir("CORPUS", NULL);
	struct loaded l;
	size_t i;

	(void)state;
	if (!dir) {
		/* Not cmocka's skip(), whose line reads "not ok". */
		printf("SKIP: CORPUS is not set: files by others are not looked at\n");
		return;
	}
	for (i = 0; i < CPF_LEN(files); i++) {
		load_good(&l, dir, "firefox-json", files[i].file, 0);
		assert_string_equal(l.p.sources[0].version, files[i].version);
		assert_int_equal(l.p.nthreads, files[i].threads);
		assert_int_equal(l.p.samples.n, files[i].samples);
		assert_int_equal(llround(total(&l.p, "samples", -1)), files[i].weight);
		assert_int_equal(files[i].cpu_us < 0, cpf_type_index(&l.p, "cpu") < 0);
		if (files[i].cpu_us >= 0)
			assert_int_equal(llround(total(&l.p, "cpu", -1) / 1e3), files[i].cpu_us);
		assert_int_equal(count(&l.p, -1, 1), files[i].nulls);
		unload(&l);
	}
}

static void gecko_texts(void **state)
{
	static const struct {
		const char *text, *name, *lib, *file;
		int64_t start_line, start_column, line;
		int has_address, js;
		uint64_t address;
	} texts[] = {{"0x100000f84", "0x100000f84", "", "", 0, 0, 0, 1, 0, 0x100000f84},
		{"0xffffffff81000000", "0xffffffff81000000", "", "", 0, 0, 0, 1, 0,
			0xffffffff81000000},
		{"0x1ffffffffffffffff", "0x1ffffffffffffffff", "", "", 0, 0, 0, 0, 0, 0},
		{"(root)", "(root)", "", "", 0, 0, 0, 0, 0, 0},
		{"main (in demo)", "main", "demo", "", 0, 0, 0, 0, 0, 0},
		{"main (in demo) + 12", "main", "demo", "", 0, 0, 0, 0, 0, 0},
		{"main (in demo) (main.c:34)", "main", "demo", "main.c", 0, 0, 34, 0, 0, 0},
		{"f (chrome://blargh:34)", "f", "", "chrome://blargh", 34, 0, 0, 0, 1, 0},
		{"f (http://a/b.js:34:5)", "f", "", "http://a/b.js", 34, 5, 0, 0, 1, 0},
		{"f (http://a/b.js:34:5)[7]", "f", "", "http://a/b.js", 34, 5, 0, 0, 1, 0},
		{"f (http://a/b(1).js:34:5)", "f", "", "http://a/b(1).js", 34, 5, 0, 0, 1, 0},
		{"http://a/b.js:12", "http://a/b.js:12", "", "http://a/b.js", 12, 0, 0, 0, 1, 0},
		{"http://a/b.js:12:3", "http://a/b.js:12:3", "", "http://a/b.js", 12, 3, 0, 0, 1,
			0},
		{"Startup::XRE_Main", "Startup::XRE_Main", "", "", 0, 0, 0, 0, 0, 0},
		{"Load 32: https://a/issues:3", "Load 32: https://a/issues:3", "", "", 0, 0, 0, 0,
			0, 0},
		{"", "", "", "", 0, 0, 0, 0, 0, 0}};
	struct cpf_gecko_frame f;
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(texts); i++) {
		cpf_gecko_parse(&f, texts[i].text, strlen(texts[i].text));
		if (!cpf_slice_is(f.name, texts[i].name) || !cpf_slice_is(f.lib, texts[i].lib) ||
			!cpf_slice_is(f.file, texts[i].file) ||
			f.start_line != texts[i].start_line ||
			f.start_column != texts[i].start_column || f.line != texts[i].line ||
			f.has_address != texts[i].has_address || f.js != texts[i].js ||
			f.address != texts[i].address)
			fail_msg("%s", texts[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(gecko_texts),
		cmocka_unit_test(recordings_have_their_totals),
		cmocka_unit_test(cpu_tracks_are_left_out),
		cmocka_unit_test(odd_files_have_their_totals),
		cmocka_unit_test(threads_have_their_totals), cmocka_unit_test(layouts_say_the_same),
		cmocka_unit_test(broken_files_are_refused),
		cmocka_unit_test(files_by_others_have_their_totals)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
