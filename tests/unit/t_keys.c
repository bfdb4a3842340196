#include "unit/test.h"

#include "base/buf.h"
#include "view/keys.h"

static cpf_id mapping(
	struct cpf_profile *p, const char *file, uint64_t start, uint64_t offset, uint32_t flags)
{
	struct cpf_mapping m = {0};

	m.file = cpf_intern_z(p, file);
	m.build_id = cpf_intern_z(p, "ab12");
	m.start = start;
	m.offset = offset;
	m.flags = flags;
	return cpf_add_mapping(p, &m);
}

static cpf_id function(struct cpf_profile *p, const char *name, const char *file, int64_t start)
{
	struct cpf_function f = {0};

	f.name = cpf_intern_z(p, name);
	f.file = cpf_intern_z(p, file);
	f.start_line = start;
	f.resource_lib = CPF_NONE;
	return cpf_find_function(p, &f);
}

static void location(struct cpf_profile *p, cpf_id m, uint64_t address, cpf_id inner, cpf_id outer)
{
	struct cpf_line lines[2] = {{inner, 11, 3}, {outer, 22, 0}};
	struct cpf_location l = {0};

	l.mapping = m;
	l.symbol = l.category = l.subcategory = CPF_NONE;
	l.address = address;
	l.flags = address ? CPF_LOC_ADDRESS : 0;
	l.lines = lines;
	l.nlines = (inner != CPF_NONE) + (uint32_t)(outer != CPF_NONE);
	cpf_add_location(p, &l);
}

/* All keys by name, in order of the locations' lines. */
static void expect(struct cpf_profile *p, struct cpf_keys_opts o, uint32_t n, const char *want)
{
	struct cpf_buf b = {0};
	struct cpf_keys k;
	uint32_t i;

	cpf_keys_build(&k, p, &o);
	for (i = 0; i < k.first[p->locations.n]; i++) {
		if (i)
			cpf_buf_str(&b, ", ");
		cpf_key_name(p, &k, k.ids[i], &b);
	}
	assert_string_equal(b.s, want);
	assert_int_equal(k.n, n);
	cpf_buf_release(&b);
	cpf_keys_release(&k);
}

#define BY(x)    ((struct cpf_keys_opts){.by = CPF_BY_##x})
#define PPROF(x) ((struct cpf_keys_opts){.by = CPF_BY_##x, .style = CPF_KEYS_PPROF})

/* A Firefox profile: addresses in the image, no function for an address without a name. */
static void firefox(struct cpf_profile *p)
{
	cpf_id lib, f, g;

	cpf_profile_init(p);
	lib = mapping(p, "/usr/lib/liba.so", 0, 0, CPF_MAP_RELATIVE);
	f = function(p, "f", "a.c", 10);
	g = function(p, "g", "a.c", 20);
	location(p, lib, 0x1a2b, CPF_NONE, CPF_NONE);
	location(p, lib, 0x1000, f, g);
	location(p, CPF_NONE, 0x99, CPF_NONE, CPF_NONE);
	location(p, CPF_NONE, 0, f, CPF_NONE);
	location(p, CPF_NONE, 0, CPF_NONE, CPF_NONE);
	location(p, lib, 0x1004, f, g);
}

/* The same as pprof has it: absolute addresses, two mappings of one file, names that are none. */
static void pprof(struct cpf_profile *p)
{
	cpf_id one, two, f, g;

	cpf_profile_init(p);
	one = mapping(p, "/usr/lib/liba.so", 0x400000, 0, 0);
	two = mapping(p, "/usr/lib/liba.so", 0x501000, 0x1000, 0);
	f = function(p, "f", "a.c", 10);
	g = function(p, "g", "a.c", 20);
	location(p, two, 0x501a2b, function(p, "0x501a2b", "", 0), CPF_NONE);
	location(p, one, 0x401000, f, g);
	location(p, CPF_NONE, 0x99, function(p, "0x99", "", 0), CPF_NONE);
	location(p, CPF_NONE, 0, f, CPF_NONE);
	location(p, CPF_NONE, 0, CPF_NONE, CPF_NONE);
	location(p, two, 0x501004, f, g);
}

static void same_keys_from_both(void **state)
{
	void (*const make[])(struct cpf_profile *) = {firefox, pprof};
	struct cpf_profile p;
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(make); i++) {
		make[i](&p);
		expect(&p, BY(FUNCTION), 6, "liba.so+0x1a2b, f, g, 0x99, f, <unknown>, f, g");
		expect(&p, BY(LIB), 2,
			"liba.so, liba.so, liba.so, <unknown>, <unknown>, <unknown>, liba.so, liba.so");
		expect(&p, BY(FILE), 3, "[liba.so], a.c, a.c, <unknown>, a.c, <unknown>, a.c, a.c");
		expect(&p, BY(ADDRESS), 8,
			"liba.so+0x1a2b, liba.so+0x1000 f a.c:11, liba.so+0x1000 g a.c:22, 0x99, "
			"f a.c:11, <unknown>, liba.so+0x1004 f a.c:11, liba.so+0x1004 g a.c:22");
		expect(&p, BY(LINE), 6,
			"liba.so+0x1a2b, f a.c:11, g a.c:22, 0x99, f a.c:11, <unknown>, f a.c:11, "
			"g a.c:22");
		expect(&p, (struct cpf_keys_opts){.by = CPF_BY_FUNCTION, .no_inlines = 1}, 5,
			"liba.so+0x1a2b, g, 0x99, f, <unknown>, g");
		cpf_profile_release(&p);
	}
}

static void where_a_function_is(void **state)
{
	struct cpf_keys_opts o = BY(FUNCTION);
	struct cpf_profile p;
	struct cpf_keys k;

	(void)state;
	cpf_profile_init(&p);
	location(&p, CPF_NONE, 0, function(&p, "f", "a.c", 1), CPF_NONE);
	location(&p, CPF_NONE, 0, function(&p, "f", "a.c", 2), CPF_NONE);
	location(&p, CPF_NONE, 0, function(&p, "g", "b.c", 5), CPF_NONE);
	location(&p, CPF_NONE, 0, function(&p, "h", "c.c", 7), CPF_NONE);
	location(&p, CPF_NONE, 0, function(&p, "h", "d.c", 7), CPF_NONE);
	cpf_keys_build(&k, &p, &o);
	assert_int_equal(k.n, 3);
	assert_string_equal(cpf_cstr(&p, k.keys[0].file), "a.c");
	assert_int_equal(k.keys[0].start_line, 0);
	assert_string_equal(cpf_cstr(&p, k.keys[1].file), "b.c");
	assert_int_equal(k.keys[1].start_line, 5);
	assert_int_equal(k.keys[2].file, 0);
	assert_int_equal(k.keys[2].start_line, 0);
	cpf_keys_release(&k);
	cpf_profile_release(&p);
}

static void pprof_style(void **state)
{
	struct cpf_profile p;
	cpf_id m;

	(void)state;
	cpf_profile_init(&p);
	m = mapping(&p, "/bin/app", 0x1000, 0, 0);
	location(&p, m, 0x1234, CPF_NONE, CPF_NONE);
	location(&p, m, 0x1238, CPF_NONE, CPF_NONE);
	location(&p, CPF_NONE, 0x1238, CPF_NONE, CPF_NONE);
	location(&p, m, 0x1240, function(&p, "f", "x/../src//a.c", 1), function(&p, "g", "", 0));
	location(&p, CPF_NONE, 0x1244, function(&p, "f", "src/a.c", 9), CPF_NONE);
	location(&p, m, 0x1248, function(&p, "", "", 4), CPF_NONE);
	expect(&p, PPROF(FUNCTION), 5, "[app], [app], <unknown>, f, g, f, [app]");
	expect(&p, PPROF(FILE), 5, "[app], [app], <unknown>, src/a.c, [app], src/a.c, [app]");
	expect(&p, PPROF(LINE), 5,
		"[app], [app], <unknown>, f src/a.c:11, g :22, f src/a.c:11, :11");
	expect(&p, PPROF(FILEFUNCTION), 5, "[app], [app], <unknown>, f src/a.c, g, f src/a.c, [app]");
	expect(&p, PPROF(ADDRESS), 7,
		"0000000000001234 [app], 0000000000001238 [app], 0000000000001238 <unknown>, "
		"0000000000001240 f src/a.c:11:3, 0000000000001240 g :22, "
		"0000000000001244 f src/a.c:11:3, 0000000000001248 :11:3");
	cpf_profile_release(&p);
}

static void paths(void **state)
{
	static const char *const clean[][2] = {
		{"", "."}, {"a//b", "a/b"}, {"./a", "a"}, {"a/../b", "b"}, {"/..", "/"}, {"/", "/"},
		{"../a/..", ".."}, {"../..", "../.."}, {"a/..", "."}, {"/a/b/../../c/", "/c"},
		{"a/b/..", "a"}, {"..//a/./b", "../a/b"}, {"/../a", "/a"}, {"//a", "/a"}, {"a/.", "a"},
	};
	static const char *const base[][2] = {
		{"", "."}, {"/", "/"}, {"//", "/"}, {"a", "a"}, {"/a/b", "b"}, {"a/b//", "b"}};
	static const char *const trim[][4] = {
		{"/proc/self/cwd/a.c", NULL, NULL, "a.c"},
		{"/proc/self/cwd/./a.c", "", "", "a.c"},
		{"/home/me/src/a.c", "/home/me:/home", NULL, "src/a.c"},
		{"/home/me/src/a.c", "/home/me/", "src", "src/a.c"},
		{"/home/me/src/a.c", "/hom", NULL, "/home/me/src/a.c"},
		{"/build/x/lib/a.c", NULL, "/usr/y:/usr/x", "lib/a.c"},
		{"x/lib/a.c", NULL, "/usr/x", "x/lib/a.c"},
	};
	struct cpf_buf b = {0};
	struct cpf_text t;
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(clean); i++) {
		cpf_buf_clear(&b);
		cpf_buf_char(&b, 'x'); /* what is there already is left alone */
		t = (struct cpf_text){clean[i][0], (uint32_t)strlen(clean[i][0])};
		cpf_go_clean(&b, t);
		cpf_buf_str(&b, "");
		assert_string_equal(b.s + 1, clean[i][1]);
	}
	for (i = 0; i < CPF_LEN(base); i++) {
		t = cpf_go_base((struct cpf_text){base[i][0], (uint32_t)strlen(base[i][0])});
		assert_int_equal(t.len, strlen(base[i][1]));
		assert_memory_equal(t.s, base[i][1], t.len);
	}
	for (i = 0; i < CPF_LEN(trim); i++) {
		t = (struct cpf_text){trim[i][0], (uint32_t)strlen(trim[i][0])};
		t = cpf_trim_path(t, trim[i][1], trim[i][2]);
		assert_int_equal(t.len, strlen(trim[i][3]));
		assert_memory_equal(t.s, trim[i][3], t.len);
	}
	cpf_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_keys_from_both),
		cmocka_unit_test(where_a_function_is),
		cmocka_unit_test(pprof_style),
		cmocka_unit_test(paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
