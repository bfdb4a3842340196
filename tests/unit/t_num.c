#include "unit/test.h"

#include "base/num.h"

/* Texts as go tool pprof prints the same number in the same units. */

static void label(int64_t v, const char *from, const char *to, const char *expect)
{
	char out[64];

	assert_string_equal(cpf_unit_label(v, from, to, out, sizeof(out)), expect);
}

static void test_label(void **state)
{
	(void)state;
	label(1020000000, "nanoseconds", "s", "1.02s");
	label(500000000, "nanoseconds", "s", "0.50s");
	label(1000000000, "ns", "auto", "1s");
	label(4000000, "nanoseconds", "s", "0");
	label(0, "nanoseconds", "auto", "0");
	label(-1500, "milliseconds", "auto", "-1.50s");
	label(INT64_MIN, "nanoseconds", "auto", "-9223372036.85s");
	label(3594000, "milliseconds", "auto", "3594s");
	label(3600, "seconds", "minimum", "1hrs");
	label(5120, "kB", "auto", "5MB");
	label(1536, "Bytes", "auto", "1.50kB");
	label(5, "seconds", "kb", "5s");
	label(12, "count", "auto", "12");
	label(12, "requests", "auto", "12");
	label(12, "requests", "requests", "12requests");
	label(12, "requests", "sample", "12");
	label(7, "KiB", "auto", "7");
	label(7, "\xc2\xb5s", "auto", "7");
	label(2500, "milligcu", "auto", "2.50GCU");
	label(3, "", "", "3");
}

static void percent(int64_t v, int64_t total, const char *expect)
{
	char out[CPF_NUM_TEXT];

	assert_string_equal(cpf_percent(v, total, out), expect);
}

static void test_percent(void **state)
{
	char out[CPF_NUM_TEXT];

	(void)state;
	percent(1, 1, "  100%");
	percent(9996, 10000, "  100%");
	percent(9994, 10000, "99.94%");
	percent(5, 100, " 5.00%");
	percent(5, 1000, "  0.5%");
	percent(99, 100000, "0.099%");
	percent(1, 10000000, "1e-05%");
	percent(0, 10, "    0%");
	percent(3, 0, "    0%");
	percent(-5, 100, " 5.00%");
	percent(45319, 10000, "453.19%");
	assert_string_equal(cpf_percent_trim(5, 1000, out), "0.5%");
	assert_string_equal(cpf_percent_trim(1, 1, out), "100%");
}

static void test_choose(void **state)
{
	(void)state;
	assert_string_equal(cpf_unit_choose(1000000, 51000000, "nanoseconds", 0), "ms");
	assert_string_equal(cpf_unit_choose(1000000, 5001000000, "nanoseconds", 0), "ms");
	assert_string_equal(cpf_unit_choose(10000000, 1020000000, "nanoseconds", 0), "s");
	assert_string_equal(cpf_unit_choose(10000000, 1020000000, "nanoseconds", 1), "ms");
	assert_string_equal(cpf_unit_choose(10000000, 1000000000, "nanoseconds", 0), "ms");
	assert_string_equal(cpf_unit_choose(512, 5243404, "bytes", 0), "kB");
	assert_string_equal(cpf_unit_choose(0, 1000000, "nanoseconds", 0), "ms");
	assert_string_equal(cpf_unit_choose(1, 10, "requests", 0), "requests");
	assert_true(cpf_unit_is_time("Seconds"));
	assert_false(cpf_unit_is_time("minutes"));
	assert_true(cpf_unit_is_memory("bytes"));
	assert_false(cpf_unit_known("count"));
}

static void test_time(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {
		{"2.5s", 2500000000},
		{"300ms", 300000000},
		{"1m", 60000000000},
		{"1.25m", 75000000000},
		{"12us", 12000},
		{"12\xc2\xb5s", 12000},
		{".5s", 500000000},
		{"7.ns", 7},
		{"0", 0},
		{"0.0", 0},
		{"-1s", -1000000000},
		{"0.1234567899s", 123456789},
		{"1h", 3600000000000},
		{"9223372036.854775807s", INT64_MAX},
	};
	static const char *const bad[] = {"", "s", ".s", ".", "-", "5", "1.5", "3 s", "3sec", "1e3s",
		"99999999999s", "9223372036.854775808s", "--1s"};
	struct cpf_err e;
	int64_t v;
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(good); i++) {
		memset(&e, 0, sizeof(e));
		assert_int_equal(cpf_parse_time(&v, good[i].text, &e), 0);
		assert_int_equal(v, good[i].ns);
	}
	for (i = 0; i < CPF_LEN(bad); i++) {
		memset(&e, 0, sizeof(e));
		assert_int_equal(cpf_parse_time(&v, bad[i], &e), -1);
		assert_int_equal(e.code, CPF_E_USAGE);
	}
}

static void test_numbers(void **state)
{
	static const char *const bad[] = {"", "-", "1x", " 1", "+1", "0x10", "9223372036854775808"};
	static const char *const bad_pct[] = {"", ".", "%", "-1", "1e2", "5%%"};
	struct cpf_err e = {0};
	int64_t v;
	double d;
	size_t i;

	(void)state;
	assert_int_equal(cpf_parse_int(&v, "-9223372036854775808", &e), 0);
	assert_true(v == INT64_MIN);
	for (i = 0; i < CPF_LEN(bad); i++)
		assert_int_equal(cpf_parse_int(&v, bad[i], &e), -1);
	assert_int_equal(cpf_parse_percent(&d, "2.5%", &e), 0);
	assert_true(d == 2.5);
	for (i = 0; i < CPF_LEN(bad_pct); i++)
		assert_int_equal(cpf_parse_percent(&d, bad_pct[i], &e), -1);
}

static void size(const char *text, int64_t expect)
{
	struct cpf_err e = {0};
	int64_t v = -1;

	assert_int_equal(cpf_parse_size(&v, text, &e), expect < 0 ? -1 : 0);
	assert_int_equal(v, expect);
	assert_int_equal(e.code, expect < 0 ? CPF_E_USAGE : CPF_OK);
}

static void test_parse_size(void **state)
{
	(void)state;
	size("0", 0);
	size("512", 512);
	size("512b", 512);
	size("1k", 1024);
	size("64kB", 65536);
	size("64KiB", 65536);
	size("500MB", 524288000);
	size("1.5GB", 1610612736);
	size(".5g", 536870912);
	size("0.001k", 1);
	size("2TB", INT64_C(2199023255552));
	size("8191.999PB", INT64_C(9223370910954868965));
	size("8192PB", -1);
	size("9223372036854775807", INT64_MAX);
	size("9223372036854775808", -1);
	size("", -1);
	size(".", -1);
	size("-1", -1);
	size("1e9", -1);
	size("1 MB", -1);
	size("1MBs", -1);
	size("1iB", -1);
	size("1KiBi", -1);
	size("0x10", -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_label),
		cmocka_unit_test(test_percent),
		cmocka_unit_test(test_choose),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_parse_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
