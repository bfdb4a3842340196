#include "unit/test.h"

#include "base/buf.h"
#include "core/filter.h"

/* Stacks are written "root;caller;inner<outer;leaf"; "<": inlined into. */
static cpf_id function(struct cpf_profile *p, const char *name, size_t n)
{
	struct cpf_function f = {0};

	f.name = cpf_intern(p, name, n);
	f.resource_lib = CPF_NONE;
	return cpf_find_function(p, &f);
}

static cpf_id location(struct cpf_profile *p, const char *s, size_t n)
{
	struct cpf_line lines[8] = {0};
	struct cpf_location l = {0};
	struct cpf_mapping m = {0};
	size_t k;

	l.mapping = l.symbol = l.category = l.subcategory = CPF_NONE;
	if (n && *s == '@') { /* "@lib" without lines, "@lib:a<b" with */
		for (k = 1; k < n && s[k] != ':'; k++)
			;
		m.file = cpf_intern(p, s + 1, k - 1);
		l.mapping = cpf_find_mapping(p, &m);
		s += k + (k < n);
		n -= k + (k < n);
	}
	while (n) {
		for (k = 0; k < n && s[k] != '<'; k++)
			;
		lines[l.nlines++].function = function(p, s, k);
		s += k + (k < n);
		n -= k + (k < n);
	}
	l.lines = lines;
	return cpf_find_location(p, &l);
}

static void add(struct cpf_profile *p, const char *text, int64_t value, int64_t time, cpf_id thread)
{
	cpf_id node = 0;

	while (*text) {
		size_t n = strcspn(text, ";");

		node = cpf_find_node(p, node, location(p, text, n));
		text += n + (text[n] == ';');
	}
	cpf_add_sample(p, node, thread, time, 0, &value);
}

static cpf_id thread(struct cpf_profile *p, const char *name, const char *tid, uint32_t flags)
{
	struct cpf_thread t = {0};

	t.name = cpf_intern_z(p, name);
	t.tid = cpf_intern_z(p, tid);
	t.process = 0;
	t.flags = flags;
	return cpf_add_thread(p, &t);
}

static void make(struct cpf_profile *p)
{
	struct cpf_process process = {0};
	struct cpf_marker m = {0};

	cpf_profile_init(p);
	cpf_add_raw(p);
	cpf_add_type(p, "cpu", "nanoseconds", 0, 1, 1);
	p->samples.has_time = 1;
	process.name = cpf_intern_z(p, "app");
	process.pid = cpf_intern_z(p, "7");
	cpf_add_process(p, &process);
	thread(p, "app", "7", CPF_THREAD_MAIN);
	thread(p, "worker-1", "8", 0);
	thread(p, "worker-2", "9", 0);
	add(p, "main;run;parse", 1, 1000, 0);
	add(p, "main;run;lex<parse;@libc.so:malloc(int)", 2, 2000, 1);
	add(p, "main;eval;@libc.so", 4, 3000, 2);
	add(p, "", 8, 4000, 2);
	m.thread = 1;
	m.start = 2500;
	m.end = 3500;
	m.phase = CPF_MARK_INTERVAL;
	cpf_add_marker(p, &m);
}

static void stacks(const struct cpf_profile *p, struct cpf_buf *out)
{
	uint32_t path[64], i, n, at;

	for (i = 0; i < p->samples.n; i++) {
		n = 0;
		for (at = cpf_col_id(&p->samples.node, i); at; at = cpf_col_id(&p->nodes.parent, at))
			path[n++] = cpf_col_id(&p->nodes.location, at);
		if (i)
			cpf_buf_char(out, ' ');
		if (!n)
			cpf_buf_char(out, '-');
		while (n--) {
			size_t from = (size_t)cpf_col_get(&p->locations.first, path[n]), x;
			size_t to = (size_t)cpf_col_get(&p->locations.first, path[n] + 1u);

			if (from == to)
				cpf_buf_char(out, '?');
			for (x = from; x < to; x++) {
				cpf_id f = cpf_col_id(&p->locations.line_fn, x);

				cpf_buf_str(out, x > from ? "<" : "");
				cpf_buf_str(out, cpf_cstr(p, p->functions[f].name));
			}
			cpf_buf_str(out, n ? ";" : "");
		}
	}
	cpf_buf_str(out, "");
}

static struct cpf_filter_result apply(struct cpf_filter f, const char *want)
{
	struct cpf_filter_result r;
	struct cpf_buf b = {0};
	struct cpf_err e = {0};
	struct cpf_profile p;

	make(&p);
	assert_int_equal(cpf_filter_apply(&p, &f, &r, &e), 0);
	stacks(&p, &b);
	assert_string_equal(b.s, want);
	assert_int_equal(r.samples_after, p.samples.n);
	cpf_buf_release(&b);
	cpf_profile_release(&p);
	return r;
}

#define ALL "main;run;parse main;run;lex<parse;malloc(int) main;eval;? -"

static void frames(void **state)
{
	struct cpf_filter_result r;

	(void)state;
	r = apply((struct cpf_filter){0}, ALL);
	assert_int_equal(r.focus, -1);
	r = apply((struct cpf_filter){.focus = "run"},
		"main;run;parse main;run;lex<parse;malloc(int)");
	assert_int_equal(r.focus, 1);
	r = apply((struct cpf_filter){.focus = "nosuch"}, "");
	assert_int_equal(r.focus, 0);
	/* The library counts as a name; stacks without frames have no focus. */
	apply((struct cpf_filter){.focus = "libc"}, "main;run;lex<parse;malloc(int) main;eval;?");
	apply((struct cpf_filter){.ignore = "lex"}, "main;run;parse main;eval;?");
	apply((struct cpf_filter){.focus = "parse", .ignore = "lex"}, "main;run;parse");
	apply((struct cpf_filter){.hide = "lex|run"}, "main;parse main;parse;malloc(int) main;eval;?");
	apply((struct cpf_filter){.hide = "libc"}, "main;run;parse main;run;lex<parse main;eval");
	apply((struct cpf_filter){.hide = "."}, "");
	apply((struct cpf_filter){.show = "parse|eval"}, "parse parse eval");
	/* An address without a name has no line to show, whatever its library. */
	apply((struct cpf_filter){.show = "libc"}, "malloc(int)");
	apply((struct cpf_filter){.show_from = "parse"}, "parse lex<parse;malloc(int)");
	apply((struct cpf_filter){.show_from = "lex"}, "lex;malloc(int)");
	apply((struct cpf_filter){.show_from = "libc"}, "malloc(int) ?");
	apply((struct cpf_filter){.prune_from = "^lex$|main"},
		"main main;run;lex<parse main -");
	apply((struct cpf_filter){.prune_from = "parse"},
		"main;run;parse main;run;parse main;eval;? -");
	apply((struct cpf_filter){.focus = "main", .hide = "run", .show_from = "parse"},
		"parse lex<parse;malloc(int)");
}

static void drop_frames(void **state)
{
	static const struct {
		const char *drop, *keep, *want;
	} rows[] = {
		{"malloc", "", "main;run;parse main;run;lex<parse main;eval;? -"},
		{"lex", NULL, "main;run;parse main;run;parse main;eval;? -"},
		{"parse|lex", "lex", "main;run main;run main;eval;? -"},
		{"main|run", NULL, ALL},
		{"pars", NULL, ALL},
	};
	struct cpf_err e = {0};
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(rows); i++) {
		struct cpf_buf b = {0};
		struct cpf_profile p;

		make(&p);
		assert_int_equal(cpf_filter_drop_frames(&p, rows[i].drop, rows[i].keep, &e), 0);
		stacks(&p, &b);
		assert_string_equal(b.s, rows[i].want);
		cpf_buf_release(&b);
		cpf_profile_release(&p);
	}
}

static void selections(void **state)
{
	const char *main_thread[] = {"main", NULL}, *workers[] = {"worker-*", NULL};
	const char *tid[] = {"tid:8", NULL}, *busy[] = {"busiest", NULL}, *none[] = {"x", NULL};
	const char *pid[] = {"pid:7", NULL}, *libc[] = {"libc*", NULL};
	struct cpf_filter_result r;

	(void)state;
	r = apply((struct cpf_filter){.threads = main_thread}, "main;run;parse");
	assert_int_equal(r.threads, 1);
	assert_int_equal(r.processes, -1);
	apply((struct cpf_filter){.threads = workers},
		"main;run;lex<parse;malloc(int) main;eval;? -");
	apply((struct cpf_filter){.threads = tid}, "main;run;lex<parse;malloc(int)");
	apply((struct cpf_filter){.threads = busy}, "main;eval;? -");
	r = apply((struct cpf_filter){.threads = none}, "");
	assert_int_equal(r.threads, 0);
	apply((struct cpf_filter){.processes = pid}, ALL);
	r = apply((struct cpf_filter){.libs = libc}, "main;run;lex<parse;malloc(int) main;eval;?");
	assert_int_equal(r.libs, 1);
	r = apply((struct cpf_filter){.has_from = 1, .from = 1000, .has_to = 1, .to = 3000},
		"main;run;lex<parse;malloc(int) main;eval;?");
	assert_int_equal(r.samples_before, 4);
	apply((struct cpf_filter){.has_from = 1, .from = INT64_MAX}, "");
}

static void markers_go_with_their_thread(void **state)
{
	const char *one[] = {"tid:8", NULL}, *other[] = {"tid:9", NULL};
	struct cpf_filter f[] = {{.threads = one}, {.threads = other}, {.has_to = 1, .to = 1500},
		{.has_to = 1, .to = 1501}, {.has_from = 1, .from = 2500}, {.has_from = 1, .from = 2501}};
	const uint32_t want[] = {1, 0, 0, 1, 1, 0};
	struct cpf_filter_result r;
	struct cpf_err e = {0};
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(f); i++) {
		struct cpf_profile p;

		make(&p);
		assert_int_equal(cpf_filter_apply(&p, &f[i], &r, &e), 0);
		assert_int_equal(p.nmarkers, want[i]);
		cpf_profile_release(&p);
	}
}

static void refusals(void **state)
{
	struct cpf_filter span = {.has_from = 1}, wrong = {.hide = "["};
	struct cpf_filter_result r;
	struct cpf_err e = {0};
	struct cpf_profile p;

	(void)state;
	make(&p);
	p.samples.has_time = 0;
	assert_int_equal(cpf_filter_apply(&p, &span, &r, &e), -1);
	assert_int_equal(e.code, CPF_E_USAGE);
	memset(&e, 0, sizeof(e));
	assert_int_equal(cpf_filter_apply(&p, &wrong, &r, &e), -1);
	assert_string_equal(e.reason,
		"parsing hide regexp: error parsing regexp: missing closing ]: `[`");
	cpf_profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames),
		cmocka_unit_test(drop_frames),
		cmocka_unit_test(selections),
		cmocka_unit_test(markers_go_with_their_thread),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
