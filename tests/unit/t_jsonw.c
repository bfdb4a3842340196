#include "test.h"

#include "base/jsonw.h"

#include <math.h>

static void values(struct cpf_jsonw *w)
{
	cpf_jsonw_object(w);
	cpf_jsonw_key(w, "a\"b");
	cpf_jsonw_array(w);
	cpf_jsonw_int(w, INT64_MIN);
	cpf_jsonw_uint(w, UINT64_MAX);
	cpf_jsonw_double(w, 0.1);
	cpf_jsonw_double(w, NAN);
	cpf_jsonw_double(w, -INFINITY);
	cpf_jsonw_bool(w, 1);
	cpf_jsonw_bool(w, 0);
	cpf_jsonw_null(w);
	cpf_jsonw_end(w);
	cpf_jsonw_key_n(w, "empty!", 5);
	cpf_jsonw_object(w);
	cpf_jsonw_end(w);
	cpf_jsonw_key(w, "rows");
	cpf_jsonw_array(w);
	cpf_jsonw_array_flat(w);
	cpf_jsonw_str(w, "x\n");
	cpf_jsonw_object_flat(w);
	cpf_jsonw_key(w, "k");
	cpf_jsonw_raw(w, "[1,2]", 5);
	cpf_jsonw_key(w, "l");
	cpf_jsonw_str_n(w, "\0", 1);
	cpf_jsonw_end(w);
	cpf_jsonw_end(w);
	cpf_jsonw_array_flat(w);
	cpf_jsonw_end(w);
	cpf_jsonw_end(w);
	cpf_jsonw_key(w, "mixed");
	cpf_jsonw_object_flat(w);
	cpf_jsonw_key_str(w, "s", "t");
	cpf_jsonw_key(w, "lines");
	cpf_jsonw_array(w);
	cpf_jsonw_object_flat(w);
	cpf_jsonw_key_int(w, "i", -1);
	cpf_jsonw_key_uint(w, "u", 1);
	cpf_jsonw_end(w);
	cpf_jsonw_decimals(w, 2.675, 1);
	cpf_jsonw_decimals(w, NAN, 1);
	cpf_jsonw_end(w);
	cpf_jsonw_key_bool(w, "b", 1);
	cpf_jsonw_end(w);
	cpf_jsonw_end(w);
}

static void layouts(void **state)
{
	struct cpf_buf b = {0};
	struct cpf_jsonw w;

	(void)state;
	cpf_jsonw_init(&w, &b, 0);
	values(&w);
	assert_string_equal(b.s,
		"{\"a\\\"b\":[-9223372036854775808,18446744073709551615,0.1,null,null,true,"
		"false,null],\"empty\":{},\"rows\":[[\"x\\n\",{\"k\":[1,2],\"l\":\"\\u0000\"}],[]],"
		"\"mixed\":{\"s\":\"t\",\"lines\":[{\"i\":-1,\"u\":1},2.7,null],\"b\":true}}");
	cpf_buf_clear(&b);
	cpf_jsonw_init(&w, &b, 2);
	values(&w);
	assert_string_equal(b.s, "{\n"
				 "  \"a\\\"b\": [\n"
				 "    -9223372036854775808,\n"
				 "    18446744073709551615,\n"
				 "    0.1,\n"
				 "    null,\n"
				 "    null,\n"
				 "    true,\n"
				 "    false,\n"
				 "    null\n"
				 "  ],\n"
				 "  \"empty\": {},\n"
				 "  \"rows\": [\n"
				 "    [\"x\\n\", {\"k\": [1,2], \"l\": \"\\u0000\"}],\n"
				 "    []\n"
				 "  ],\n"
				 "  \"mixed\": {\"s\": \"t\", \"lines\": [\n"
				 "    {\"i\": -1, \"u\": 1},\n"
				 "    2.7,\n"
				 "    null\n"
				 "  ], \"b\": true}\n"
				 "}");
	cpf_buf_release(&b);
}

static void fixed(void **state)
{
	static const struct {
		int64_t v;
		int digits;
		const char *text;
	} rows[] = {
		{0, 6, "0"},
		{1234500, 6, "1.2345"},
		{-1234500, 6, "-1.2345"},
		{-1, 6, "-0.000001"},
		{5000000, 6, "5"},
		{42, 0, "42"},
		{100, 1, "10"},
		{INT64_MIN, 18, "-9.223372036854775808"},
		{INT64_MAX, 6, "9223372036854.775807"},
	};
	struct cpf_buf b = {0};
	struct cpf_jsonw w;
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(rows); i++) {
		cpf_buf_clear(&b);
		cpf_jsonw_init(&w, &b, 0);
		cpf_jsonw_fixed(&w, rows[i].v, rows[i].digits);
		assert_string_equal(b.s, rows[i].text);
		assert_int_equal(b.n, strlen(rows[i].text));
	}
	cpf_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts),
		cmocka_unit_test(fixed),
	};

	return cmocka_run_group_tests_name("jsonw", tests, NULL, NULL);
}
