#include "unit/test.h"

#include "reports/table.h"

static const struct cpf_column columns[] = {
	{"key", "", CPF_IN_MACHINES, 1, 0, 0, 0},
	{"value", "value", CPF_IN_BOTH, 0, 1, 0, 8},
	{"ok", "ok", CPF_IN_BOTH, 1, 1, 2, 0},
	{"name", "", CPF_IN_BOTH, 1, 0, 2, 0},
};

static void fill(struct cpf_table *t)
{
	cpf_table_init(t, columns, CPF_LEN(columns));
	cpf_table_str(t, "k1");
	cpf_table_number(t, 1500, "1.50s");
	cpf_table_bool(t, 1);
	cpf_table_str(t, "plain");
	cpf_table_null(t);
	cpf_table_number(t, -123456789, NULL);
	cpf_table_bool(t, 0);
	cpf_table_text(t, "a|\"b\",\x1b\n", 8);
	cpf_table_str(t, "");
	cpf_table_null(t);
	cpf_table_null(t);
	cpf_table_two(t, "machine", 7, "\xc3\xa9", 2);
	assert_int_equal(t->nrows, 3);
}

static void test_text(void **state)
{
	struct cpf_table t;
	struct cpf_buf b = {0};

	(void)state;
	fill(&t);
	cpf_table_as_text(&t, &b);
	assert_string_equal(b.s, "     value  ok\n"
				 "     1.50s  yes  plain\n"
				 "-123456789  no   a|\"b\",\\x1b\\x0a\n"
				 "         -  -    \xc3\xa9\n");
	cpf_buf_release(&b);
	cpf_table_release(&t);
}

static void test_csv(void **state)
{
	struct cpf_table t;
	struct cpf_buf b = {0};

	(void)state;
	fill(&t);
	cpf_table_as_csv(&t, &b);
	assert_string_equal(b.s, "key,value,ok,name\r\n"
				 "k1,1500,true,plain\r\n"
				 ",-123456789,false,\"a|\"\"b\"\",\xef\xbf\xbd\n\"\r\n"
				 ",,,machine\r\n");
	cpf_buf_release(&b);
	cpf_table_release(&t);
}

static void test_json(void **state)
{
	struct cpf_table t;
	struct cpf_buf b = {0};
	struct cpf_jsonw w;

	(void)state;
	fill(&t);
	cpf_jsonw_init(&w, &b, 2);
	cpf_table_as_json(&t, &w);
	assert_string_equal(b.s,
		"[\n"
		"  {\"key\": \"k1\", \"value\": 1500, \"ok\": true, \"name\": \"plain\"},\n"
		"  {\"key\": null, \"value\": -123456789, \"ok\": false, "
		"\"name\": \"a|\\\"b\\\",\\u001b\\n\"},\n"
		"  {\"key\": \"\", \"value\": null, \"ok\": null, \"name\": \"machine\"}\n"
		"]");
	cpf_buf_release(&b);
	cpf_table_release(&t);
}

static void test_markdown(void **state)
{
	struct cpf_table t;
	struct cpf_buf b = {0};

	(void)state;
	fill(&t);
	cpf_table_as_markdown(&t, &b);
	assert_non_null(strstr(b.s, "| value | ok | name |\n|---:|---|---|\n| 1.50s | yes | plain |\n"));
	/* One line per row whatever is in the cells, and no cell border of its own. */
	assert_non_null(strstr(b.s, "a\\|"));
	assert_null(strchr(b.s, '\x1b'));
	cpf_buf_release(&b);
	cpf_table_release(&t);
}

static void test_empty(void **state)
{
	struct cpf_table t;
	struct cpf_buf b = {0};
	struct cpf_jsonw w;

	(void)state;
	cpf_table_init(&t, columns, CPF_LEN(columns));
	cpf_jsonw_init(&w, &b, 2);
	cpf_table_as_json(&t, &w);
	cpf_table_as_csv(&t, &b);
	cpf_table_as_text(&t, &b);
	assert_string_equal(b.s, "[]key,value,ok,name\r\n   value  ok\n");
	cpf_buf_release(&b);
	cpf_table_release(&t);
}

/* Titles and keys may come from the file. */
static void titles_escaped(void **state)
{
	static const struct cpf_column wild[] = {
		{"a,\"b\"\n", "\x1b[2J\n|\xff\xc3\xa9", CPF_IN_BOTH, 0, 1, 0, 0},
		{"n", "n", CPF_IN_BOTH, 0, 1, 2, 0},
	};
	struct cpf_table t;
	struct cpf_buf b = {0};
	struct cpf_jsonw w;

	(void)state;
	cpf_table_init(&t, wild, CPF_LEN(wild));
	cpf_table_number(&t, 1, NULL);
	cpf_table_number(&t, 2, NULL);
	cpf_table_as_text(&t, &b);
	assert_string_equal(b.s, "\\x1b[2J\\x0a|\\xff\xc3\xa9  n\n"
				 "                1  2\n");
	cpf_buf_clear(&b);
	cpf_table_as_csv(&t, &b);
	assert_string_equal(b.s, "\"a,\"\"b\"\"\n\",n\r\n1,2\r\n");
	cpf_buf_clear(&b);
	cpf_jsonw_init(&w, &b, 2);
	cpf_table_as_json(&t, &w);
	assert_string_equal(b.s, "[\n  {\"a,\\\"b\\\"\\n\": 1, \"n\": 2}\n]");
	cpf_buf_release(&b);
	cpf_table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_markdown),
		cmocka_unit_test(titles_escaped),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
