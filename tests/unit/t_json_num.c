#include "test.h"

#include "base/json.h"
#include "base/mem.h"

#include <math.h>

#define NONE (-77)

struct reader {
	struct cpf_input *in;
	struct cpf_json *j;
};

static void reader_open(struct reader *r, const char *s, size_t window)
{
	struct cpf_err e = {0};

	assert_int_equal(cpf_input_memory(&r->in, "f.json", s, strlen(s), NULL, &e), 0);
	assert_int_equal(cpf_json_open_window(&r->j, r->in, window, &e), 0);
}

static int reader_close(struct reader *r, struct cpf_err *e)
{
	int ret;

	memset(e, 0, sizeof(*e));
	ret = cpf_json_end(r->j, e);
	cpf_json_close(r->j);
	cpf_input_close(r->in);
	return ret;
}

static uint64_t rnd(void)
{
	static uint64_t s = 88172645463325252u;

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return s;
}

static void one_number(void **state)
{
	static const struct {
		const char *s;
		double d;
		int is_int;
		int64_t i;
		int is_uint;
		uint64_t u;
	} rows[] = {
		{"0", 0, 1, 0, 1, 0},
		{"-0", -0.0, 1, 0, 0, 0},
		{"66", 66, 1, 66, 1, 66},
		{"66.0", 66, 1, 66, 0, 66},
		{"66.000000000000000000000000000000", 66, 1, 66, 0, 66},
		{"1e3", 1000, 1, 1000, 0, 1000},
		{"1E+3", 1000, 1, 1000, 0, 1000},
		{"12345e-2", 123.45, 0, 0, 0, 0},
		{"12300e-2", 123, 1, 123, 0, 123},
		{"-5", -5, 1, -5, 0, (uint64_t)-5},
		{"0.5", 0.5, 0, 0, 0, 0},
		{"0e99999999999999999999", 0, 1, 0, 0, 0},
		{"0.000e-99999", 0, 1, 0, 0, 0},
		{"1e-400", 0, 0, 0, 0, 0},
		{"4.9e-324", 4.9e-324, 0, 0, 0, 0},
		{"9007199254740993", 9007199254740992.0, 1, 9007199254740993, 1, 9007199254740993u},
		{"9223372036854775807", 9223372036854775807.0, 1, INT64_MAX, 1, INT64_MAX},
		{"9223372036854775808", 9223372036854775808.0, 0, 0, 1, 9223372036854775808u},
		{"-9223372036854775808", -9223372036854775808.0, 1, INT64_MIN, 0, 1ull << 63},
		{"-9223372036854775809", -9223372036854775808.0, 0, 0, 0, 0},
		{"18446744073709551615", 18446744073709551615.0, 0, 0, 1, UINT64_MAX},
		{"18446744073709551616", 18446744073709551616.0, 0, 0, 0, 0},
		{"18446744073709551615.0", 18446744073709551615.0, 0, 0, 0, 0},
		{"100000000000000000000", 1e20, 0, 0, 0, 0},
		{"100000000000000000000e-2", 1e18, 1, 1000000000000000000, 0, 1000000000000000000u},
		{"922337203685477580.7e1", 9223372036854775807.0, 1, INT64_MAX, 0, INT64_MAX},
		{"123456789012345678.90e1", 1234567890123456789.0, 1, 1234567890123456789, 0,
			1234567890123456789u},
		{"1.7976931348623157e308", 1.7976931348623157e308, 0, 0, 0, 0},
	};
	size_t i, w;

	(void)state;
	for (i = 0; i < CPF_LEN(rows); i++) {
		for (w = 1; w < 70; w += 4) {
			struct reader r;
			struct cpf_num v;
			struct cpf_err e;

			reader_open(&r, rows[i].s, w);
			v = cpf_json_num(r.j);
			assert_int_equal(reader_close(&r, &e), 0);
			assert_true(v.d == rows[i].d);
			assert_int_equal(signbit(v.d), signbit(rows[i].d));
			assert_int_equal(v.is_int, rows[i].is_int);
			assert_int_equal(v.is_uint, rows[i].is_uint);
			assert_int_equal(v.i, rows[i].i);
			assert_int_equal(v.u, rows[i].u);
		}
	}
}

static void too_large(void **state)
{
	static const char *const rows[] = {"1e400", "-1e309", "1.7976931348623159e308"};
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(rows); i++) {
		struct cpf_num v;
		struct reader r;
		struct cpf_err e;

		reader_open(&r, rows[i], 3);
		v = cpf_json_num(r.j);
		assert_true(v.d == 0);
		assert_int_equal(reader_close(&r, &e), -1);
		assert_int_equal(e.code, CPF_E_RANGE);
		assert_int_equal(e.byte, 0);
		assert_non_null(strstr(e.reason, rows[i]));
		assert_non_null(strstr(e.reason, "out of range"));
	}
}

/* A random number token of some shape that profiles or adversaries have. */
static void token(struct cpf_buf *b)
{
	uint64_t r = rnd();
	int digits = (int)(rnd() % 20) + 1, i;

	if (r % 5 == 0)
		cpf_buf_char(b, '-');
	if (r % 7 == 0) {
		cpf_buf_char(b, '0');
	} else {
		cpf_buf_char(b, (char)('1' + rnd() % 9));
		for (i = 1; i < digits; i++)
			cpf_buf_char(b, (char)('0' + rnd() % 10));
	}
	if (r % 3 == 0) {
		cpf_buf_char(b, '.');
		for (i = (int)(rnd() % 22); i >= 0; i--)
			cpf_buf_char(b, (char)('0' + (rnd() % 4 ? rnd() % 10 : 0)));
	}
	if (r % 11 == 0)
		cpf_buf_fmt(b, "e%d", (int)(rnd() % 60) - 30);
}

/* Doubles are those of strtod, one by one and in bulk, and halves of the last place go right. */
static void doubles(void **state)
{
	static const char *const hard[] = {"9007199254740993", "9007199254740993.0",
		"0.30000000000000004", "0.1", "5.299999952316284",
		"1.00000000000000011102230246251565", "1.0000000000000001", "4503599627370497.5",
		"4503599627370496.5", "900719925474099.25", "18014398509481985",
		"1801439850948198.5", "0.0000012345678901234", "8.5e-7", "123456789012345.123456",
		"1234567.891", "2.2250738585072011e-308", "1e22", "1e23", "99999999999999974834176",
		"3.1415926535897932384626433832795028841971"};
	struct cpf_buf b = {0}, all = {0};
	double *v = cpf_malloc(60000 * sizeof(*v)), *want = cpf_malloc(60000 * sizeof(*want));
	size_t i, n = 0, got, at;
	struct reader r;
	struct cpf_err e;

	(void)state;
	cpf_buf_char(&all, '[');
	for (i = 0; i < 50000 + CPF_LEN(hard); i++) {
		cpf_buf_clear(&b);
		if (i < CPF_LEN(hard))
			cpf_buf_str(&b, hard[i]);
		else
			token(&b);
		want[n++] = strtod(b.s, NULL);
		if (i)
			cpf_buf_char(&all, ',');
		cpf_buf_add(&all, b.s, b.n);
	}
	cpf_buf_char(&all, ']');
	for (i = 1; i < 100000; i *= 10) {
		reader_open(&r, all.s, i);
		cpf_json_enter(r.j);
		for (at = 0; (got = cpf_json_doubles(r.j, v + at, 1000, 0)); at += got)
			;
		assert_int_equal(reader_close(&r, &e), 0);
		assert_int_equal(at, n);
		for (at = 0; at < n; at++)
			if (v[at] != want[at])
				fail_msg("%zu: %.17g, should be %.17g", at, v[at], want[at]);
	}
	reader_open(&r, all.s, 4096);
	cpf_json_enter(r.j);
	for (at = 0; cpf_json_elem(r.j); at++)
		assert_true(cpf_json_num(r.j).d == want[at]);
	assert_int_equal(at, n);
	assert_int_equal(reader_close(&r, &e), 0);
	cpf_buf_release(&b);
	cpf_buf_release(&all);
	cpf_free(v);
	cpf_free(want);
}

/* Where it stands for null, the smallest integer is no number; small and large windows. */
static void smallest_for_null(void **state)
{
	static const char text[] = "[null,1,-9223372036854775808]";
	int64_t v[4];
	struct reader r;
	struct cpf_err e;
	size_t w;
	int scaled;

	(void)state;
	for (w = 1; w <= 40; w++) {
		reader_open(&r, text, w);
		cpf_json_enter(r.j);
		assert_int_equal(cpf_json_ints(r.j, v, 2, INT64_MIN), 2);
		assert_true(v[0] == INT64_MIN && v[1] == 1);
		assert_int_equal(cpf_json_ints(r.j, v, 4, INT64_MIN), 0);
		assert_int_equal(reader_close(&r, &e), -1);
		assert_string_equal(e.reason, "number -9223372036854775808 is out of range");
		reader_open(&r, text, w);
		cpf_json_enter(r.j);
		assert_int_equal(cpf_json_whole(r.j, v, 2, INT64_MIN, 6, &scaled), 2);
		assert_int_equal(cpf_json_whole(r.j, v, 4, INT64_MIN, 6, &scaled), 0);
		assert_int_equal(reader_close(&r, &e), -1);
	}
}

static void int_columns(void **state)
{
	static const char text[] = "[0,1,-1,null,12345678,123456789,-9223372036854775808,"
				   "9223372036854775807,66.0,1e3 , 7\n,\tnull ,-0,999999999999999,"
				   "9999999999999999,99999999999999999, 5 ]";
	static const int64_t want[] = {0, 1, -1, NONE, 12345678, 123456789, INT64_MIN, INT64_MAX,
		66, 1000, 7, NONE, 0, 999999999999999, 9999999999999999, 99999999999999999, 5};
	int64_t v[32];
	size_t w, cap, at, n;

	(void)state;
	for (w = 1; w <= 200; w++) {
		for (cap = 1; cap <= 18; cap++) {
			uint64_t fractions = 0;
			struct reader r;
			struct cpf_err e;

			reader_open(&r, text, w);
			cpf_json_enter(r.j);
			for (at = 0; (n = cap % 2 ? cpf_json_ints(r.j, v + at, cap, NONE)
						  : cpf_json_mixed_ints(
							    r.j, v + at, cap, NONE, &fractions));
				at += n) {
				assert_true(n <= cap);
				assert_true(at + n <= CPF_LEN(want));
			}
			assert_int_equal(reader_close(&r, &e), 0);
			assert_int_equal(at, CPF_LEN(want));
			assert_memory_equal(v, want, sizeof(want));
			assert_int_equal(fractions, 0);
		}
	}
}

static void empty_columns(void **state)
{
	struct reader r;
	struct cpf_err e;
	int64_t v[2];
	double d[2];

	(void)state;
	reader_open(&r, "[[],[ ],[1],[]]", 2);
	cpf_json_enter(r.j);
	assert_int_equal(cpf_json_elem(r.j), 1);
	cpf_json_enter(r.j);
	assert_int_equal(cpf_json_ints(r.j, v, 2, 0), 0);
	assert_int_equal(cpf_json_elem(r.j), 1);
	cpf_json_enter(r.j);
	assert_int_equal(cpf_json_doubles(r.j, d, 2, 0), 0);
	assert_int_equal(cpf_json_elem(r.j), 1);
	cpf_json_enter(r.j);
	/* One at a time and in bulk can be mixed. */
	assert_int_equal(cpf_json_elem(r.j), 1);
	assert_int_equal(cpf_json_num(r.j).i, 1);
	assert_int_equal(cpf_json_fixed(r.j, v, 2, 3, 0), 0);
	assert_int_equal(cpf_json_elem(r.j), 1);
	cpf_json_skip(r.j);
	assert_int_equal(cpf_json_ints(r.j, v, 2, 0), 0);
	assert_int_equal(reader_close(&r, &e), 0);
}

/* Rows made with Python's decimal module, ROUND_HALF_UP on the magnitude. */
static void fixed_columns(void **state)
{
	static const struct {
		const char *s;
		int digits;
		int64_t v;
	} rows[] = {
		{"12.5", 6, 12500000},
		{"0", 6, 0},
		{"null", 6, NONE},
		{"-0.0000005", 6, -1},
		{"0.0000004999999999999999999999", 6, 0},
		{"0.0000005", 6, 1},
		{"141210.069249", 6, 141210069249},
		{"141210.0692495", 6, 141210069250},
		{"141210.06924949999999999999999999999", 6, 141210069249},
		{"1e-7", 6, 0},
		{"5e-7", 6, 1},
		{"1.5e2", 2, 15000},
		{"2.5", 0, 3},
		{"-2.5", 0, -3},
		{"2.4999999999999999999999999999999999", 0, 2},
		{"9223372036854.775807", 6, INT64_MAX},
		{"9223372036854.7758074", 6, INT64_MAX},
		{"-9223372036854.775808", 6, INT64_MIN},
		{"-9223372036854.7758084", 6, INT64_MIN},
		{"9.223372036854775807", 18, INT64_MAX},
		{"1844674407370955161.5", 0, 1844674407370955162},
		{"1844674407370955161.50000000000001", 0, 1844674407370955162},
		{"1844674407370955161.49999999999999", 0, 1844674407370955161},
		{"1844674407370955162.6", 0, 1844674407370955163},
		{"184467440737095516.25", 1, 1844674407370955163},
		{"0.00000000000000000049", 18, 0},
		{"0.0000000000000000005", 18, 1},
		{"12345678901234567890123456789e-20", 6, 123456789012346},
		{"99999999999999999999e-40", 6, 0},
		{"123456789.123456789012345", 6, 123456789123457},
		{"1700000000000.123456", 6, 1700000000000123456},
		{"0e5", 6, 0},
		{"100e-2", 6, 1000000},
	};
	static const struct {
		const char *s;
		int digits;
	} bad[] = {
		{"9223372036854.7758075", 6},
		{"-9223372036854.7758085", 6},
		{"9223372036855", 6},
		{"9223372036854.775808", 6},
		{"9223372036854.999999", 6},
		{"9223372036854775808", 0},
		{"1e19", 0},
		{"1e300", 6},
		{"18446744073709551615.9", 0},
		{"10", 18},
	};
	char text[200];
	size_t i, w;

	(void)state;
	for (i = 0; i < CPF_LEN(rows); i++) {
		snprintf(text, sizeof(text), "[%s,%s]", rows[i].s, rows[i].s);
		for (w = 1; w < 90; w += w < 20 ? 1 : 20) {
			struct reader r;
			struct cpf_err e;
			int64_t v[3];

			reader_open(&r, text, w);
			cpf_json_enter(r.j);
			assert_int_equal(cpf_json_fixed(r.j, v, 3, rows[i].digits, NONE), 2);
			assert_int_equal(cpf_json_fixed(r.j, v + 2, 1, rows[i].digits, NONE), 0);
			assert_int_equal(reader_close(&r, &e), 0);
			if (v[0] != rows[i].v || v[1] != rows[i].v)
				fail_msg("%s: %" PRId64 ", should be %" PRId64, rows[i].s, v[0],
					rows[i].v);
		}
	}
	for (i = 0; i < CPF_LEN(bad); i++) {
		struct reader r;
		struct cpf_err e;
		int64_t v[3];

		snprintf(text, sizeof(text), "[1,%s]", bad[i].s);
		reader_open(&r, text, 4096);
		cpf_json_enter(r.j);
		assert_int_equal(cpf_json_fixed(r.j, v, 3, bad[i].digits, NONE), 0);
		assert_int_equal(reader_close(&r, &e), -1);
		assert_int_equal(e.code, CPF_E_RANGE);
		assert_int_equal(e.byte, 3);
		assert_string_equal(e.where, "[1]");
	}
}

static void mixed(void **state)
{
	static const int64_t want[] = {1, 3, -3, NONE, 1000, 0};
	uint64_t fractions = 10;
	struct reader r;
	struct cpf_err e;
	int64_t v[8];

	(void)state;
	reader_open(&r, "[1,2.5,-2.5,null,1e3,0.49]", 5);
	cpf_json_enter(r.j);
	assert_int_equal(cpf_json_mixed_ints(r.j, v, 8, NONE, &fractions), 6);
	assert_int_equal(cpf_json_mixed_ints(r.j, v + 6, 2, NONE, &fractions), 0);
	assert_memory_equal(v, want, sizeof(want));
	assert_int_equal(fractions, 13);
	assert_int_equal(reader_close(&r, &e), 0);
}

/* Whole numbers stay whole up to the first that is none, which ends its batch. */
static void whole_columns(void **state)
{
	static const char text[] = "[1,2,3,4,5,6,7,8,9,10,12345678,null,3.0,1e2,-4,0.25,7,8,-1.5]";
	static const int64_t want[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12345678, NONE, 3, 100, -4, 250, 7,
		8, -1500 };
	size_t w, cap, at, n;
	int64_t v[32];
	int scaled;

	(void)state;
	for (w = 1; w <= 80; w++) {
		for (cap = 1; cap <= 20; cap++) {
			struct reader r;
			struct cpf_err e;

			reader_open(&r, text, w);
			cpf_json_enter(r.j);
			for (at = 0; (n = cpf_json_whole(r.j, v + at, cap, NONE, 3, &scaled)); at += n) {
				assert_true(n <= cap);
				assert_true(at + n <= CPF_LEN(want));
				assert_int_equal(scaled, at + n == 16 || at + n == 19);
			}
			assert_int_equal(scaled, 0);
			assert_int_equal(reader_close(&r, &e), 0);
			assert_int_equal(at, CPF_LEN(want));
			assert_memory_equal(v, want, sizeof(want));
		}
	}
}

/* What stands in a column that cannot: element, offset, reason. */
static void column_errors(void **state)
{
	static const struct {
		const char *s, *text;
		int doubles;
	} rows[] = {
		{"[1,2,\"x\"]", "f.json: byte 5: [2]: expected an integer, found a string", 0},
		{"[1,2,\"x\"]", "f.json: byte 5: [2]: expected a number, found a string", 1},
		{"[1,[2]]", "f.json: byte 3: [1]: expected an integer, found an array", 0},
		{"[{}]", "f.json: byte 1: [0]: expected an integer, found an object", 0},
		{"[true]", "f.json: byte 1: [0]: expected an integer, found true", 0},
		{"[1, 2.5]", "f.json: byte 4: [1]: expected an integer, found 2.5", 0},
		{"[1,9223372036854775808]",
			"f.json: byte 3: [1]: number 9223372036854775808 is out of range", 0},
		{"[1,-9223372036854775809]",
			"f.json: byte 3: [1]: number -9223372036854775809 is out of range", 0},
		{"[1,1e400]", "f.json: byte 3: [1]: number 1e400 is out of range", 1},
		{"[1,,2]", "f.json: byte 3: [1]: expected an integer, found ','", 0},
		{"[1,:,2,3,4,5,6,7,8]", "f.json: byte 3: [1]: expected an integer, found ':'", 0},
		{"[1,2,3,/,4,5,6,7,8]", "f.json: byte 7: [3]: expected an integer, found '/'", 0},
		{"[1,2,3,4;5,6,7,8,9]", "f.json: byte 8: [3]: expected ',' or ']', found ';'", 0},
		{"[1,]", "f.json: byte 3: [1]: expected an integer, found ']'", 0},
		{"[,1]", "f.json: byte 1: [0]: expected an integer, found ','", 0},
		{"[1 2]", "f.json: byte 3: [0]: expected ',' or ']', found 2", 0},
		{"[1,02]", "f.json: byte 4: [1]: expected no digit after a leading zero, found 2",
			0},
		{"[1,-]", "f.json: byte 4: [1]: expected a digit after '-', found ']'", 0},
		{"[1,nul]", "f.json: byte 6: [1]: expected 'null', found ']'", 0},
		{"[1,nullx]", "f.json: byte 7: [1]: expected ',' or ']', found 'x'", 0},
		{"[1,NaN]", "f.json: byte 3: [1]: expected a number, found 'N'", 1},
		{"[1,-Infinity]", "f.json: byte 4: [1]: expected a digit after '-', found 'I'", 1},
		{"[1.,2]",
			"f.json: byte 3: [0]: expected a digit after the decimal point, found ','",
			1},
		{"[1.5.2]", "f.json: byte 4: [0]: expected ',' or ']', found '.'", 1},
		{"[1}", "f.json: byte 2: [0]: expected ',' or ']', found '}'", 0},
		{"[1", "f.json: byte 2: [0]: unexpected end of input, expected ',' or ']'", 0},
		{"[1,", "f.json: byte 3: [1]: unexpected end of input, expected an integer", 0},
		{"[1,nu", "f.json: byte 5: [1]: unexpected end of input, expected 'null'", 0},
		{"[1,-", "f.json: byte 4: [1]: unexpected end of input, expected a digit after '-'",
			1},
		{"[", "f.json: byte 1: [0]: unexpected end of input, expected an integer", 0},
	};
	char text[512];
	size_t i, w;

	(void)state;
	for (i = 0; i < CPF_LEN(rows); i++) {
		for (w = 1; w < 70; w++) {
			struct reader r;
			struct cpf_err e;
			int64_t v[8];
			double d[8];

			reader_open(&r, rows[i].s, w);
			cpf_json_enter(r.j);
			if (rows[i].doubles)
				while (cpf_json_doubles(r.j, d, 8, 0))
					;
			else
				while (cpf_json_ints(r.j, v, 8, 0))
					;
			assert_int_equal(reader_close(&r, &e), -1);
			assert_string_equal(cpf_err_text(&e, text, sizeof(text)), rows[i].text);
		}
	}
}

/* Long columns of each kind, in bulk and one by one, through windows of odd sizes. */
static void long_columns(void **state)
{
	struct cpf_buf b = {0};
	int64_t *want = cpf_malloc(200000 * sizeof(*want)), v[777];
	size_t n = 200000, i, k, at, got;
	static const size_t windows[] = {1000, 4096, 65537, 262144};

	(void)state;
	for (k = 0; k < 4; k++) {
		struct reader r;
		struct cpf_err e;

		cpf_buf_clear(&b);
		cpf_buf_char(&b, '[');
		for (i = 0; i < n; i++) {
			int64_t x = (int64_t)(rnd() >> (rnd() & 63));

			if (k == 1)
				x = -x;
			if (k == 2)
				x &= 7;
			if (x == INT64_MIN || (x == NONE))
				x = 0;
			if (i)
				cpf_buf_char(&b, ',');
			if (k == 3 && x % 3 == 0) {
				cpf_buf_str(&b, "null");
				want[i] = NONE;
			} else {
				cpf_buf_i64(&b, x);
				want[i] = x;
			}
		}
		cpf_buf_char(&b, ']');
		reader_open(&r, b.s, windows[k]);
		cpf_json_enter(r.j);
		for (at = 0; (got = cpf_json_ints(r.j, v, CPF_LEN(v), NONE)); at += got)
			assert_memory_equal(v, want + at, got * sizeof(*v));
		assert_int_equal(at, n);
		assert_int_equal(cpf_json_pos(r.j), b.n);
		assert_int_equal(reader_close(&r, &e), 0);
		reader_open(&r, b.s, windows[k]);
		cpf_json_enter(r.j);
		for (at = 0; cpf_json_elem(r.j); at++) {
			if (cpf_json_type(r.j) == 'n')
				cpf_json_null(r.j);
			else
				assert_int_equal(cpf_json_num(r.j).i, want[at]);
		}
		assert_int_equal(reader_close(&r, &e), 0);
	}
	cpf_buf_release(&b);
	cpf_free(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_number),
		cmocka_unit_test(too_large),
		cmocka_unit_test(doubles),
		cmocka_unit_test(int_columns),
		cmocka_unit_test(smallest_for_null),
		cmocka_unit_test(empty_columns),
		cmocka_unit_test(fixed_columns),
		cmocka_unit_test(mixed),
		cmocka_unit_test(whole_columns),
		cmocka_unit_test(column_errors),
		cmocka_unit_test(long_columns),
	};

	return cmocka_run_group_tests_name("json_num", tests, NULL, NULL);
}
