#include "unit/test.h"

#include <cpuprof/profile.h>

static void equal_rows_have_one_id(void **state)
{
	struct cpf_profile p;
	struct cpf_function f = {0};
	struct cpf_mapping m = {0};
	struct cpf_location l = {0}, got;
	struct cpf_line lines[2], *buf = NULL;
	size_t cap = 0;
	cpf_id a, b;

	(void)state;
	cpf_profile_init(&p);
	m.file = cpf_intern_z(&p, "/lib/liba.so");
	assert_int_equal(cpf_find_mapping(&p, &m), 0);
	m.start = 4096;
	assert_int_equal(cpf_find_mapping(&p, &m), 1);
	assert_int_equal(cpf_find_mapping(&p, &m), 1);
	f.name = cpf_intern_z(&p, "f");
	f.resource_lib = CPF_NONE;
	assert_int_equal(cpf_find_function(&p, &f), 0);
	f.start_line = 3;
	assert_int_equal(cpf_find_function(&p, &f), 1);
	lines[0].function = 0;
	lines[0].line = 5;
	lines[0].column = 0;
	lines[1].function = 1;
	lines[1].line = 9;
	lines[1].column = 2;
	l.mapping = 1;
	l.symbol = l.category = l.subcategory = CPF_NONE;
	l.address = UINT64_MAX - 1;
	l.flags = CPF_LOC_ADDRESS;
	l.lines = lines;
	l.nlines = 2;
	a = cpf_find_location(&p, &l);
	cpf_profile_seal(&p); /* the index is rebuilt from the rows */
	assert_int_equal(cpf_find_location(&p, &l), a);
	l.nlines = 1;
	b = cpf_find_location(&p, &l);
	assert_int_not_equal(a, b);
	l.nlines = 0;
	assert_int_not_equal(cpf_find_location(&p, &l), b);
	cpf_get_location(&p, a, &got, &buf, &cap);
	assert_int_equal(got.nlines, 2);
	assert_int_equal(got.address, UINT64_MAX - 1);
	assert_int_equal(got.mapping, 1);
	assert_int_equal(got.category, CPF_NONE);
	assert_int_equal(got.lines[1].column, 2);
	assert_int_equal(got.lines[1].line, 9);
	free(buf);
	a = cpf_find_node(&p, 0, a);
	assert_int_equal(a, 1);
	assert_int_equal(cpf_find_node(&p, a, b), 2);
	cpf_profile_seal(&p);
	assert_int_equal(cpf_find_node(&p, a, b), 2);
	assert_int_equal(cpf_find_node(&p, 0, b), 3);
	cpf_profile_release(&p);
}

static void label_sets_are_interned_in_order(void **state)
{
	struct cpf_profile p;
	struct cpf_label l[2];
	cpf_id ab, ba;

	(void)state;
	memset(l, 0, sizeof(l));
	cpf_profile_init(&p);
	assert_int_equal(cpf_find_labels(&p, NULL, 0), 0);
	l[0].key = cpf_intern_z(&p, "a");
	l[0].num = -1;
	l[1].key = cpf_intern_z(&p, "b");
	l[1].str = cpf_intern_z(&p, "x");
	ab = cpf_find_labels(&p, l, 2);
	assert_int_equal(ab, 1);
	l[0] = l[1];
	l[1].key = cpf_intern_z(&p, "a");
	l[1].num = -1;
	l[1].str = 0;
	ba = cpf_find_labels(&p, l, 2);
	assert_int_equal(ba, 2);
	cpf_profile_seal(&p);
	assert_int_equal(cpf_find_labels(&p, l, 2), ba);
	assert_int_equal(cpf_find_labels(&p, l, 1), 3);
	cpf_profile_release(&p);
}

static void strings_keep_nul_and_many(void **state)
{
	struct cpf_profile p;
	cpf_str a, b, i;
	char buf[16];

	(void)state;
	cpf_profile_init(&p);
	a = cpf_intern(&p, "a\0b", 3);
	b = cpf_intern(&p, "a\0c", 3);
	assert_int_not_equal(a, b);
	assert_int_equal(cpf_text(&p, a).len, 3);
	assert_memory_equal(cpf_text(&p, b).s, "a\0c", 4);
	assert_int_equal(cpf_intern_z(&p, ""), 0);
	for (i = 0; i < 20000; i++) {
		snprintf(buf, sizeof(buf), "s%u", i);
		assert_int_equal(cpf_intern_z(&p, buf), i + 3);
	}
	for (i = 0; i < 20000; i++) {
		snprintf(buf, sizeof(buf), "s%u", i);
		assert_int_equal(cpf_intern_z(&p, buf), i + 3);
	}
	cpf_profile_release(&p);
}

static void scaling_is_exact(void **state)
{
	struct cpf_value_type t = {0};
	struct cpf_err e = {0};
	int64_t v;

	(void)state;
	t.num = 1;
	t.den = 1;
	assert_int_equal(cpf_scale(&v, &t, INT64_MIN, &e), 0);
	assert_int_equal(v, INT64_MIN);
	t.num = 1000;
	assert_int_equal(cpf_scale(&v, &t, -24964565, &e), 0);
	assert_int_equal(v, -24964565000LL);
	t.num = 1;
	t.den = 1000000;
	assert_int_equal(cpf_scale(&v, &t, 1500000, &e), 0);
	assert_int_equal(v, 2); /* half away from zero */
	assert_int_equal(cpf_scale(&v, &t, -1500000, &e), 0);
	assert_int_equal(v, -2);
	assert_int_equal(cpf_scale(&v, &t, 1499999, &e), 0);
	assert_int_equal(v, 1);
	t.num = 250000;
	assert_int_equal(cpf_scale(&v, &t, 3, &e), 0);
	assert_int_equal(v, 1); /* 0.75 */
	t.num = 1000000;
	t.den = 1;
	assert_int_equal(cpf_scale(&v, &t, INT64_MAX / 1000, &e), -1);
	assert_int_equal(e.code, CPF_E_RANGE);
}

static void hex_names(void **state)
{
	(void)state;
	assert_true(cpf_is_hex_name("0x1a2b", 6));
	assert_false(cpf_is_hex_name("0x", 2));
	assert_false(cpf_is_hex_name("0x1A", 4));
	assert_false(cpf_is_hex_name("0x1g", 4));
	assert_false(cpf_is_hex_name("x0x1", 4));
}

static void base_names(void **state)
{
	struct cpf_text t = {"C:\\a\\b.exe", 10};

	(void)state;
	assert_string_equal(cpf_basename(t).s, "b.exe");
	t.s = "/usr/lib/libc.so.6";
	t.len = 18;
	assert_string_equal(cpf_basename(t).s, "libc.so.6");
	t.s = "plain";
	t.len = 5;
	assert_string_equal(cpf_basename(t).s, "plain");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_rows_have_one_id),
		cmocka_unit_test(label_sets_are_interned_in_order),
		cmocka_unit_test(strings_keep_nul_and_many),
		cmocka_unit_test(scaling_is_exact),
		cmocka_unit_test(hex_names),
		cmocka_unit_test(base_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
