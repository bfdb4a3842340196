#include "test.h"

#include "base/buf.h"

#include <math.h>

#define S(s) (s), sizeof(s) - 1

static void append(void **state)
{
	struct cpf_buf b = { 0 };
	char big[5000];

	(void)state;
	cpf_buf_add(&b, NULL, 0);
	assert_string_equal(b.s, "");
	cpf_buf_str(&b, "ab");
	cpf_buf_char(&b, 'c');
	cpf_buf_i64(&b, INT64_MIN);
	cpf_buf_char(&b, ' ');
	cpf_buf_i64(&b, INT64_MAX);
	cpf_buf_char(&b, ' ');
	cpf_buf_i64(&b, 0);
	cpf_buf_pad(&b, '.', 3);
	assert_string_equal(b.s, "abc-9223372036854775808 9223372036854775807 0...");
	assert_int_equal(b.n, strlen(b.s));
	cpf_buf_clear(&b);
	assert_string_equal(b.s, "");
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	cpf_buf_fmt(&b, "%d %s!", 7, big);
	assert_int_equal(b.n, 2 + 4999 + 1);
	assert_int_equal(b.s[b.n - 1], '!');
	assert_int_equal(b.s[b.n], '\0');
	cpf_buf_release(&b);
	assert_null(b.s);
}

static void doubles(void **state)
{
	static const struct {
		double v;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ 1, "1" },
		{ -1.5, "-1.5" },
		{ 0.1, "0.1" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 141210.069249, "141210.069249" },
		{ 1700000000000.0, "1700000000000" },
		{ 1e21, "1e+21" },
		{ 123456789012345680000.0, "123456789012345680000" },
		{ 1e-6, "0.000001" },
		{ 1e-7, "1e-7" },
		{ 1.25e-9, "1.25e-9" },
		{ 5e-324, "5e-324" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308" },
		{ 9007199254740993.0, "9007199254740992" },
		{ 999999999.9999999, "999999999.9999999" },
		{ 2.5e8, "250000000" },
	};
	struct cpf_buf b = { 0 };
	uint64_t r = 88172645463325252u;
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(rows); i++) {
		cpf_buf_clear(&b);
		cpf_buf_double(&b, rows[i].v);
		assert_string_equal(b.s, rows[i].text);
	}
	for (i = 0; i < 200000; i++) {
		double v;

		r ^= r << 13;
		r ^= r >> 7;
		r ^= r << 17;
		if (i % 2)
			memcpy(&v, &r, sizeof(v));
		else
			v = (double)(r >> 20) / (double)(1u << (r & 31) >> (r >> 60));
		if (!isfinite(v))
			continue;
		cpf_buf_clear(&b);
		cpf_buf_double(&b, v);
		assert_true(strtod(b.s, NULL) == v);
	}
	cpf_buf_clear(&b);
	cpf_buf_fixed(&b, 2.675, 2);
	cpf_buf_char(&b, ' ');
	cpf_buf_fixed(&b, 0.5, 0);
	cpf_buf_char(&b, ' ');
	cpf_buf_fixed(&b, 1e22, 1);
	assert_string_equal(b.s, "2.67 0 10000000000000000000000.0");
	cpf_buf_release(&b);
}

static void utf8(void **state)
{
	/* Well-formed byte sequences of the Unicode standard, table 3-7, and their neighbours. */
	static const struct {
		const char *s;
		size_t n;
		int len, bad;
	} rows[] = {
		{ S("a"), 1, 1 },
		{ S("\0"), 1, 1 },
		{ S("\x7f"), 1, 1 },
		{ S("\x80"), 0, 1 },
		{ S("\xc1\xbf"), 0, 1 },
		{ S("\xc2\x80"), 2, 2 },
		{ S("\xc2"), 0, 1 },
		{ S("\xc2\x41"), 0, 1 },
		{ S("\xdf\xbf"), 2, 2 },
		{ S("\xe0\x9f\xbf"), 0, 1 },
		{ S("\xe0\xa0\x80"), 3, 3 },
		{ S("\xe2\x82"), 0, 2 },
		{ S("\xe2\x82\x41"), 0, 2 },
		{ S("\xed\x9f\xbf"), 3, 3 },
		{ S("\xed\xa0\x80"), 0, 1 },
		{ S("\xef\xbf\xbf"), 3, 3 },
		{ S("\xf0\x8f\xbf\xbf"), 0, 1 },
		{ S("\xf0\x90\x80\x80"), 4, 4 },
		{ S("\xf0\x90\x80"), 0, 3 },
		{ S("\xf0\x90\x41"), 0, 2 },
		{ S("\xf4\x8f\xbf\xbf"), 4, 4 },
		{ S("\xf4\x90\x80\x80"), 0, 1 },
		{ S("\xf5\x80\x80\x80"), 0, 1 },
		{ S("\xff"), 0, 1 },
	};
	struct cpf_buf b = { 0 };
	char out[4];
	uint32_t cp;
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(rows); i++) {
		assert_int_equal(cpf_utf8_len(rows[i].s, rows[i].n), rows[i].len);
		assert_int_equal(cpf_utf8_bad(rows[i].s, rows[i].n), rows[i].bad);
	}
	assert_int_equal(cpf_utf8_len("", 0), 0);
	for (cp = 0; cp < 0x110000; cp++) {
		int n = cpf_utf8_put(out, cp);

		if (cp >= 0xd800 && cp < 0xe000) {
			assert_int_equal(cpf_utf8_len(out, (size_t)n), 0);
			continue;
		}
		assert_int_equal(cpf_utf8_len(out, (size_t)n), n);
		assert_int_equal(cpf_utf8_get(out, n), cp);
	}
	assert_int_equal(cpf_buf_utf8(&b, S("a\xe2\x82z\xff\xf0\x9f\x98\x80\xed\xa0\x80")), 5);
	assert_string_equal(b.s, "a\xef\xbf\xbdz\xef\xbf\xbd\xf0\x9f\x98\x80"
				 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	cpf_buf_release(&b);
}

static void escapes(void **state)
{
	static const struct {
		void (*put)(struct cpf_buf *, const char *, size_t);
		const char *s;
		size_t n;
		const char *text;
	} rows[] = {
		{ cpf_buf_json, S(""), "\"\"" },
		{ cpf_buf_json, S("a\"b\\c/\n\t\x01\x7f\0z"),
			"\"a\\\"b\\\\c/\\n\\t\\u0001\\u007f\\u0000z\"" },
		{ cpf_buf_json, S("\xc2\xb5\xe2\x80\xa8\xff\xc2\x85"),
			"\"\xc2\xb5\\u2028\xef\xbf\xbd\\u0085\"" },
		{ cpf_buf_csv, S("plain"), "plain" },
		{ cpf_buf_csv, S("=1+1"), "=1+1" },
		{ cpf_buf_csv, S("a,\"b\""), "\"a,\"\"b\"\"\"" },
		{ cpf_buf_csv, S("a\nb"), "\"a\nb\"" },
		{ cpf_buf_csv, S(" a"), "\" a\"" },
		{ cpf_buf_csv, S("a\0\x1b\xff"), "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ cpf_buf_markdown, S("a|b`c`\n<i>&*x*"),
			"a\\|b\\`c\\` &lt;i&gt;&amp;\\*x\\*" },
		{ cpf_buf_markdown, S("__libc_start_main"), "\\_\\_libc_start_main" },
		{ cpf_buf_markdown, S("a\xe2\x80\xae" "b\xe2\x80\xa8\xc3\xa9"),
			"a\xef\xbf\xbd" "b\xef\xbf\xbd\xc3\xa9" },
		{ cpf_buf_markdown, S("[x](y) $LT$ #1 \\ ~~"),
			"\\[x\\](y) \\$LT\\$ \\#1 \\\\ \\~\\~" },
		{ cpf_buf_xml, S("<a b=\"c'\">&\n\x02"),
			"&lt;a b=&quot;c&#39;&quot;&gt;&amp;&#10;\xef\xbf\xbd" },
		{ cpf_buf_xml, S("\xef\xbf\xbf\xff\xc2\xb5"), "\xef\xbf\xbd\xef\xbf\xbd\xc2\xb5" },
		{ cpf_buf_terminal, S("\x1b[31m\n\x7f\xff\xe2\x82\\"),
			"\\x1b[31m\\x0a\\x7f\\xff\\xe2\\x82\\" },
		{ cpf_buf_terminal, S("\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xc2\xb5\xef\xbb\xbf"),
			"\\u{9b}\\u{202e}\\u{2066}\xc2\xb5\\u{feff}" },
	};
	struct cpf_buf b = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(rows); i++) {
		cpf_buf_clear(&b);
		rows[i].put(&b, rows[i].s, rows[i].n);
		assert_string_equal(b.s, rows[i].text);
		assert_int_equal(b.n, strlen(rows[i].text));
	}
	cpf_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(append),
		cmocka_unit_test(doubles),
		cmocka_unit_test(utf8),
		cmocka_unit_test(escapes),
	};

	return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
