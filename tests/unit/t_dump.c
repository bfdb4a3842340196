#include "unit/build.h"

#include "core/check.h"
#include "core/decimal.h"
#include "core/dump.h"

static void expect(const struct cpf_profile *p, uint32_t keeps, uint32_t flags, const char *text)
{
	struct cpf_buf b = {0};
	struct cpf_err e = {0};

	assert_int_equal(cpf_check_ok(p, &e), 0);
	cpf_dump(&b, p, keeps, CPF_NONE, flags);
	assert_string_equal(b.s, text);
	cpf_buf_release(&b);
}

static void order_does_not_show(void **state)
{
	struct cpf_profile a, b;
	const char *sorted = "type \n"
			     "sample 3: \"main\"; \"f\"\n"
			     "sample 2: \"main\"; \"f\"; \"g\"\n";

	(void)state;
	cpf_profile_init(&a);
	build_samples_type(&a);
	build_sample(&a, "main;f;g", 2);
	build_sample(&a, "main;f", 3);
	build_sample(&a, "unseen", 0);
	cpf_profile_init(&b);
	build_samples_type(&b);
	build_sample(&b, "other", 4);
	build_sample(&b, "main;f", 1);
	build_sample(&b, "main;f", 2);
	build_sample(&b, "other", -4);
	build_sample(&b, "main;f;g", 2);
	expect(&a, 0, CPF_DUMP_JOIN, sorted);
	expect(&b, 0, CPF_DUMP_JOIN, sorted);
	expect(&b, 0, 0,
		"type \n"
		"sample 4: \"other\"\n"
		"sample 1: \"main\"; \"f\"\n"
		"sample 2: \"main\"; \"f\"\n"
		"sample -4: \"other\"\n"
		"sample 2: \"main\"; \"f\"; \"g\"\n");
	cpf_profile_release(&a);
	cpf_profile_release(&b);
}

static void everything_shows(void **state)
{
	struct cpf_profile p;
	struct cpf_mapping m = {0};
	struct cpf_location l = {0};
	struct cpf_line line = {0, 12, 3};
	struct cpf_function f = {0};
	int64_t v[2] = {5, 7};
	cpf_id node, thread;

	(void)state;
	cpf_profile_init(&p);
	cpf_add_raw(&p);
	cpf_add_raw(&p);
	cpf_add_type(&p, "samples", "count", 0, 1, 1);
	cpf_add_type(&p, "cpu", "nanoseconds", 1, 1000, 1);
	p.default_type = 1;
	p.samples.has_time = 1;
	m.file = cpf_intern_z(&p, "/lib/liba.so");
	m.build_id = cpf_intern_z(&p, "abcd");
	m.start = 0x1000;
	m.limit = 0x3000;
	m.offset = 0x100;
	cpf_add_mapping(&p, &m);
	f.name = cpf_intern_z(&p, "fun\"c");
	f.system_name = cpf_intern_z(&p, "_Z3fun");
	f.file = cpf_intern_z(&p, "a\xff.c");
	f.start_line = 10;
	f.resource_lib = CPF_NONE;
	line.function = cpf_add_function(&p, &f);
	l.address = 0x1234;
	l.flags = CPF_LOC_ADDRESS;
	l.symbol = l.category = l.subcategory = CPF_NONE;
	node = cpf_add_node(&p, 0, cpf_add_location(&p, &l));
	l.lines = &line;
	l.nlines = 1;
	node = cpf_add_node(&p, node, cpf_add_location(&p, &l));
	thread = build_thread(&p, "demo", "12", "main", "13");
	cpf_add_sample(&p, node, thread, 99, build_label(&p, "k", "v"), v);
	v[0] = -1;
	cpf_add_sample(&p, 0, CPF_NONE, 100, 0, v);
	expect(&p, UINT32_MAX, 0,
		"header\n"
		"type \"samples\" \"count\"\n"
		"type \"cpu\" \"nanoseconds\" default\n"
		"mapping file \"/lib/liba.so\" build-id \"abcd\" at 1000-3000+100\n"
		"row thread \"main\" tid \"13\" process \"demo\" pid \"12\"\n"
		"sample 5 7000 thread \"main\" tid \"13\" process \"demo\" pid \"12\" time 99 "
		"label \"k\"=\"v\":  lib \"liba.so\" at 334; "
		"\"fun\\\"c\" system \"_Z3fun\" in \"a\\xff.c\" start-line 10 line 12 column 3 "
		"lib \"liba.so\" at 334\n"
		"sample -1 7000 time 100: \n");
	expect(&p, 0, 0, "type \nsample 7000: \"liba.so+0x334\"; \"fun\\\"c\"\n");
	cpf_profile_release(&p);
}

static void inlines_by_choice(void **state)
{
	struct cpf_profile p;

	(void)state;
	cpf_profile_init(&p);
	build_samples_type(&p);
	build_sample(&p, "main;f<g<h;k", 1);
	expect(&p, CPF_KEEPS_INLINES, 0,
		"type \nsample 1: \"main\"; \"f\" < \"g\" < \"h\"; \"k\"\n");
	expect(&p, 0, 0, "type \nsample 1: \"main\"; \"f\"; \"g\"; \"h\"; \"k\"\n");
	cpf_profile_release(&p);
}

static void value(int64_t raw, int64_t num, int64_t den, const char *text)
{
	struct cpf_value_type t = {0};
	struct cpf_buf b = {0};
	struct cpf_err e = {0};

	t.num = num;
	t.den = den;
	if (text) {
		assert_int_equal(cpf_buf_value(&b, &t, raw, &e), 0);
		assert_string_equal(b.s, text);
	} else {
		assert_int_equal(cpf_buf_value(&b, &t, raw, &e), -1);
		assert_int_equal(e.code, CPF_E_RANGE);
	}
	cpf_buf_release(&b);
}

static void values_are_exact(void **state)
{
	(void)state;
	value(0, 1, 1, "0");
	value(INT64_MIN, 1, 1, "-9223372036854775808");
	value(-5, 1000, 1, "-5000");
	value(1, 1, 1000, "0.001");
	value(-1, 1, 1000, "-0.001");
	value(-1500, 1, 1000, "-1.5");
	value(2000, 1, 1000, "2");
	value(7, 3, 10, "2.1");
	value(1, 1, 3, "0");
	value(2, 1, 3, "1");
	value(-1, 1, 2, "-1");
	value(-1, 1, 3, "0");
	value(INT64_MAX, 1, INT64_C(1000000000000000000), "9.223372036854775807");
	value(INT64_MAX, 2, 1, NULL);
	value(INT64_MAX, 10, 10, "9223372036854775807");
	value(INT64_MAX, 11, 10, NULL);
}

static void decimal(const char *s, int want, int64_t mantissa, int decimals)
{
	int64_t m = -77;
	int k = -1;

	assert_int_equal(cpf_decimal_parse(s, strlen(s), &m, &k), want);
	if (!want) {
		assert_int_equal(m, mantissa);
		assert_int_equal(k, decimals);
	}
}

static void decimals_are_read(void **state)
{
	(void)state;
	decimal("0", 0, 0, 0);
	decimal("-0", 0, 0, 0);
	decimal("17", 0, 17, 0);
	decimal("+17", 0, 17, 0);
	decimal("-17.250", 0, -1725, 2);
	decimal("5.", 0, 5, 0);
	decimal("5.000", 0, 5, 0);
	decimal("0.5", 0, 5, 1);
	decimal("10.0", 0, 10, 0);
	decimal("9223372036854775807", 0, INT64_MAX, 0);
	decimal("-9223372036854775808", 0, INT64_MIN, 0);
	decimal("0.000000000000000001", 0, 1, 18);
	decimal("9223372036854775808", -1, 0, 0);
	decimal("0.0000000000000000001", -1, 0, 0);
	decimal("1.0000000000000000000000", 0, 1, 0);
	decimal("", 1, 0, 0);
	decimal("-", 1, 0, 0);
	decimal(".5", 1, 0, 0);
	decimal("1.5.2", 1, 0, 0);
	decimal("1e3", 1, 0, 0);
	decimal("0x10", 1, 0, 0);
	decimal("12a", 1, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_does_not_show),
		cmocka_unit_test(everything_shows),
		cmocka_unit_test(inlines_by_choice),
		cmocka_unit_test(values_are_exact),
		cmocka_unit_test(decimals_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
