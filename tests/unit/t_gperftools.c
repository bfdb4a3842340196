/* gperftools: layouts, signal frames, memory maps, Java names. Expected: what go tool pprof shows.
 */
#include "unit/pprof_files.h"

struct layout {
	unsigned size;
	int big;
};

static void word(struct cpf_buf *b, struct layout l, uint64_t v)
{
	unsigned i;

	for (i = 0; i < l.size; i++)
		cpf_buf_char(b, (char)(v >> 8 * (l.big ? l.size - 1 - i : i)));
}

static void words(struct cpf_buf *b, struct layout l, const uint64_t *v, size_t n)
{
	while (n--)
		word(b, l, *v++);
}

#define WORDS(b, l, ...)                                                                           \
	do {                                                                                       \
		static const uint64_t v_[] = {__VA_ARGS__};                                        \
		words(b, l, v_, CPF_LEN(v_));                                                      \
	} while (0)

static const struct layout little64 = {8, 0};

static const char program[] = "00400000-00500000 r-xp 00000000 fc:01 787766      /opt/app/prog\n"
			      "00600000-00601000 rw-p 00000000 fc:01 787766      /opt/app/prog\n"
			      "7f000000-7f100000 r-xp 00001000 fc:01 5   /lib/libfoo.so.1\n";

/* "count: address/mapping address/mapping ..." of each sample, one a line; - for no mapping. */
static void shown(struct cpf_buf *out, const struct cpf_profile *p)
{
	uint32_t i, node, loc, m;

	cpf_buf_clear(out);
	for (i = 0; i < p->samples.n; i++) {
		cpf_buf_i64(out, cpf_col_get(&p->samples.raw[0], i));
		cpf_buf_char(out, ':');
		for (node = cpf_col_id(&p->samples.node, i); node;
			node = cpf_col_id(&p->nodes.parent, node)) {
			loc = cpf_col_id(&p->nodes.location, node);
			m = cpf_col_id(&p->locations.mapping, loc);
			cpf_buf_fmt(out, " %" PRIx64,
				(uint64_t)cpf_col_get(&p->locations.address, loc));
			if (m != CPF_NONE)
				cpf_buf_fmt(out, "/%" PRIu32, m);
		}
		cpf_buf_char(out, '\n');
	}
}

static void expect(struct cpf_buf *b, const char *samples, const char *maps)
{
	struct cpf_buf text = {0};
	struct cpf_profile p;
	uint32_t i;

	load_ok(&p, b->s, b->n);
	assert_string_equal(p.sources[0].format, "gperftools");
	shown(&text, &p);
	assert_string_equal(text.s, samples);
	cpf_buf_clear(&text);
	for (i = 0; i < p.nmappings; i++)
		cpf_buf_fmt(&text, "%" PRIx64 "-%" PRIx64 " %" PRIx64 " %s %s\n",
			p.mappings[i].start, p.mappings[i].limit, p.mappings[i].offset,
			cpf_cstr(&p, p.mappings[i].file), cpf_cstr(&p, p.mappings[i].build_id));
	assert_string_equal(text.n ? text.s : "", maps);
	cpf_profile_release(&p);
	cpf_buf_release(&text);
	cpf_buf_clear(b);
}

#define MAPS_OF_PROGRAM "400000-500000 0 /opt/app/prog \n7f000000-7f100000 1000 /lib/libfoo.so.1 \n"

static void test_layouts(void **state)
{
	static const struct layout layouts[] = {{4, 0}, {4, 1}, {8, 0}, {8, 1}};
	struct cpf_buf b = {0};
	struct cpf_profile p;
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(layouts); i++) {
		WORDS(&b, layouts[i], 0, 3, 0, 10000, 0);
		WORDS(&b, layouts[i], 5, 3, 0x400100, 0x400200, 0x400300);
		WORDS(&b, layouts[i], 2, 2, 0x7f000150, 0x400250, 0, 1, 0);
		cpf_buf_str(&b, program);
		load_ok(&p, b.s, b.n);
		assert_int_equal(p.head.period, 10000000);
		assert_int_equal(p.ntypes, 2);
		assert_int_equal(p.default_type, 1);
		assert_int_equal(cpf_col_get(&p.samples.raw[1], 0), 50000000);
		cpf_profile_release(&p);
		expect(&b, "5: 400100/0 4001ff/0 4002ff/0\n2: 7f000150/1 40024f/0\n",
			MAPS_OF_PROGRAM);
	}
	cpf_buf_release(&b);
}

static void test_frames(void **state)
{
	struct cpf_buf b = {0};

	(void)state;
	/* One record loses two callers: each is the same in "nearly all" samples. */
	WORDS(&b, little64, 0, 3, 0, 1, 0, 5, 4, 0x10, 0x21, 0x31, 0x41);
	expect(&b, "5: 10/0 40/0\n", "0-ffffffffffffffff 0  \n");
	/* Two records whose callers differ lose none. */
	WORDS(&b, little64, 0, 3, 0, 1, 0, 5, 2, 0x10, 0x21, 6, 2, 0x10, 0x31);
	expect(&b, "5: 10/0 20/0\n6: 10/0 30/0\n", "0-ffffffffffffffff 0  \n");
	/* The leaf recorded twice; an address 0 has no mapping; an empty stack is kept. */
	WORDS(&b, little64, 0, 3, 0, 1, 0, 5, 3, 0x10, 0x10, 0x31, 6, 2, 0, 0x51, 7, 0, 0, 1, 0);
	expect(&b, "5: 10/0 30/0\n6: 0 50/0\n7:\n", "0-ffffffffffffffff 0  \n");
	cpf_buf_release(&b);
}

/* Two stacks, and the text behind them. */
static void mapped(struct cpf_buf *b, const char *text_)
{
	WORDS(b, little64, 0, 3, 0, 1, 0, 5, 2, 0x400100, 0x400201, 6, 2, 0x500100, 0x400301);
	WORDS(b, little64, 0, 1, 0);
	cpf_buf_str(b, text_);
}

static void test_maps(void **state)
{
	static const char both[] = "5: 400100/0 400200/0\n6: 500100/1 400300/0\n";
	struct cpf_buf b = {0};

	(void)state;
	mapped(&b, "0x400000-0x500000: r-xp /opt/app (@1000) abcdef\n500000-600000 /lib/x.so "
		   "(@2000)\n");
	expect(&b, both, "400000-500000 1000 /opt/app abcdef\n500000-600000 2000 /lib/x.so \n");
	mapped(&b, "build=/opt/dir\n 400000-500000 r-xp 0 fc:01 7 $build/app (deleted)\n"
		   "I0101 12:00:00.0 17 file.cc:42] 500000-600000 r-xp 0 0:0 0 [vdso]\nnothing\n");
	expect(&b, both, "400000-500000 0 /opt/dir/app \n500000-600000 0 [vdso] \n");
	/* Parts of one file that follow each other are one. */
	mapped(&b, "400000-480000 r-xp 0 fc:01 7 /a\n480000-600000 r-xp 80000 fc:01 7 /a\n");
	expect(&b, "5: 400100/0 400200/0\n6: 500100/0 400300/0\n", "400000-600000 0 /a \n");
	/* The program changes places with the first library. */
	mapped(&b, "500000-600000 r-xp 1000 fc:01 5 /lib/a.so.1\n700000-800000 r-xp 0 0:0 5 /b.so\n"
		   "400000-500000 r-xp 0 fc:01 7 /opt/app\n");
	expect(&b, "5: 400100/0 400200/0\n6: 500100/2 400300/0\n",
		"400000-500000 0 /opt/app \n700000-800000 0 /b.so \n500000-600000 1000 /lib/a.so.1 "
		"\n");
	/* A huge page in front of the program; the program without its first segment. */
	mapped(&b,
		"400000-480000 r-xp 0 0:0 0 /anon_hugepage\n480000-500000 r-xp 80000 fc:01 7 /a\n");
	expect(&b, both, "400000-500000 0 /a \n0-ffffffffffffffff 0  \n");
	/* Only a later part of a library is in the map. */
	mapped(&b, "400000-500000 r-xp 0 fc:01 7 /a\n501000-600000 r-xp 1000 fc:01 7 /b.so\n");
	expect(&b, both, "400000-500000 0 /a \n500000-600000 0 /b.so \n");
	cpf_buf_release(&b);
}

static const char java_text[] =
	"\n0x10 com.a.Foo.bar (Foo.java:12)\n0x20 com.a.Foo.baz (Foo.java:-1)\n"
	"0x30 native_fn (/usr/lib/libjvm.so)\n0x40 GC\n 0x50 x generated stub/JIT y\n"
	"0x60 com.a.Foo.bar (Other.java:99)\njunk\n0x99 unused (a:1)\n";

static void test_java(void **state)
{
	struct cpf_buf b = {0}, text_ = {0};
	struct cpf_profile p;
	struct cpf_location l;
	struct cpf_line *lines = NULL;
	size_t cap = 0;
	uint32_t i;

	(void)state;
	WORDS(&b, little64, 0, 3, 1, 10000, 0, 5, 3, 0x10, 0x20, 0x30, 2, 3, 0x40, 0x20, 0x50);
	WORDS(&b, little64, 1, 2, 0x60, 0x20, 9, 1, 0x70, 0, 1, 0);
	cpf_buf_str(&b, java_text);
	load_ok(&p, b.s, b.n);
	assert_int_equal(p.locations.n, 7);
	for (i = 0; i < p.locations.n; i++) {
		cpf_get_location(&p, i, &l, &lines, &cap);
		assert_int_equal(l.address, 0);
		if (!l.nlines) {
			cpf_buf_fmt(&text_, "/%" PRIu32 "\n", l.mapping);
			continue;
		}
		cpf_buf_fmt(&text_, "%s %s %" PRId64 "\n",
			cpf_cstr(&p, p.functions[lines[0].function].name),
			cpf_cstr(&p, p.functions[lines[0].function].file), lines[0].line);
	}
	assert_string_equal(text_.s, "com.a.Foo.bar Foo.java 12\ncom.a.Foo.baz Foo.java 0\n"
				     "native_fn libjvm.so 0\nGC  0\nSTUB  0\n"
				     "com.a.Foo.bar Foo.java 99\n/0\n");
	cpf_free(lines);
	cpf_profile_release(&p);
	cpf_buf_release(&text_);
	cpf_buf_release(&b);
}

static void test_cut(void **state)
{
	struct cpf_buf b = {0};

	(void)state;
	WORDS(&b, little64, 0, 3, 0, 10000, 0, 5, 3, 0x10, 0x20);
	refused(&b, 40, "record[0]", "the file ends inside the record");
	WORDS(&b, little64, 0, 3, 0, 10000, 0, 5, 1, 0x10, 7);
	refused(&b, 64, "record[1]", "the file ends inside the record");
}

/* Sums of a real recording, by the table beside it. */
static void test_recording(void **state)
{
	struct cpf_err e = {0};
	struct cpf_profile p;
	char path[4096];
	int over;

	(void)state;
	snprintf(path, sizeof(path), "%s/gperftools/c.prof", env_or("TESTDATA", "testdata"));
	cpf_profile_init(&p);
	assert_int_equal(cpf_load(&p, path, NULL, NULL, &e), 0);
	assert_int_equal(p.samples.n, 94);
	assert_int_equal(cpf_col_sum(&p.samples.raw[0], &over), 142);
	assert_int_equal(cpf_col_sum(&p.samples.raw[1], &over), 142 * (int64_t)5000000);
	assert_int_equal(cpf_check_ok(&p, &e), 0);
	assert_non_null(strstr(cpf_cstr(&p, p.mappings[0].file), "cgperf"));
	cpf_profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_java),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
