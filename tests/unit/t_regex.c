#include "unit/test.h"

#include "base/mem.h"
#include "core/regex.h"

/* What Go's regexp package says of the same pattern and text: 1, 0, or -1 for a wrong pattern. */
static const struct row {
	const char *pattern, *text;
	int want;
} rows[] = {
	{"", "", 1},
	{"", "abc", 1},
	{"b", "abc", 1},
	{"B", "abc", 0},
	{"(?i)B", "abc", 1},
	{"^b", "abc", 0},
	{"c$", "abc", 1},
	{"c$", "abc\n", 0}, /* the end alone, not before a last line end */
	{"(?m)c$", "abc\n", 1},
	{"(?m)^$", "abc\n", 1},
	{"a.c", "a\nc", 0},
	{"(?s)a.c", "a\nc", 1},
	{"a\\sc", "a\vc", 0},
	{"a[[:space:]]c", "a\vc", 1},
	{"a[\\S]c", "a\vc", 1},
	{"^\\w+$", "caf\xc3\xa9", 0},
	{"^caf.$", "caf\xc3\xa9", 1},
	{"^.$", "\xff", 1},      /* an invalid byte is one character */
	{"^..$", "\xe2\x82", 1}, /* so are the bytes of a cut sequence */
	{"^\xef\xbf\xbd$", "\xff", 1},
	{"x{2,3}", "axxb", 1},
	{"x{,3}", "x{,3}", 1},
	{"x{,3}", "xxx", 0},
	{"x{1001}", "x", -1},
	{"x{3,2}", "x", -1},
	{"a**", "a", -1},
	{"a*?", "b", 1},
	{"a*??", "b", -1},
	{"a++", "aa", -1},
	{"*a", "a", -1},
	{"(|*)", "a", -1},
	{"^*", "a", 1},
	{"$+", "a", 1},
	{"\\b?a", "a", 1},
	{"(", "(", -1},
	{")", ")", -1},
	{"a(?=b)", "ab", -1},
	{"(?<=a)b", "ab", -1},
	{"(?>a)", "a", -1},
	{"(?#x)", "a", -1},
	{"(?x)a", "a", -1},
	{"(a)\\1", "aa", -1},
	{"\\101", "A", 1},
	{"\\x41\\x{42}", "AB", 1},
	{"\\Ka", "a", -1},
	{"\\Z", "", -1},
	{"a\\z", "a", 1},
	{"\\Qa.b\\E", "a.b", 1},
	{"\\Qa.b\\Ec", "axbc", 0},
	{"\\Qa.b", "a.b", 1},
	{"(?P<n>a)(?<m>b)", "ab", 1},
	{"(?P<>a)", "a", -1},
	{"[a-c]", "b", 1},
	{"[c-a]", "b", -1},
	{"[]a]", "]", 1},
	{"[^]a]", "]", 0},
	{"[a-]", "-", 1},
	{"[\\d-z]", "-", 1},
	{"[[:word:]]", "_", 1},
	{"[[:foo:]]", "f", -1},
	{"[[.a.]]", ".]", 1},
	{"[a", "a", -1},
	{"[\\b]", "b", -1},
	{"\\pL", "\xc3\xa9", 1},
	{"\\p{Greek}", "\xce\xb1", 1},
	{"\\p{Nonsense}", "a", -1},
	{"a]b}", "a]b}", 1},
	{"std::vector<.*>::push_back", "std::vector<int>::push_back", 1},
	{"main\\.\\(\\*T\\)", "main.(*T).f", 1},
	{"\xff", "a", -1},
	{"\\", "a", -1},
	{"(?i)\xc3\x89", "\xc3\xa9", 1},
};

static void as_go(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(rows); i++) {
		struct cpf_regex *re;
		struct cpf_err e = {0};
		int got = cpf_regex_new(&re, "focus", rows[i].pattern, &e);

		if (!got) {
			got = cpf_regex_match(re, rows[i].text, strlen(rows[i].text));
			assert_int_equal(cpf_regex_status(re, &e), 0);
			cpf_regex_free(re);
		} else {
			assert_int_equal(e.code, CPF_E_USAGE);
		}
		if (got != rows[i].want)
			fail_msg("'%s' on '%s': %d, not %d", rows[i].pattern, rows[i].text, got, rows[i].want);
	}
}

static void reasons(void **state)
{
	struct cpf_regex *re;
	struct cpf_err e = {0};

	(void)state;
	assert_int_equal(cpf_regex_new(&re, "focus", "(", &e), -1);
	assert_string_equal(e.reason,
		"parsing focus regexp: error parsing regexp: missing closing ): `(`");
}

/* Backtracking would not end in a lifetime. */
static void no_runaway(void **state)
{
	char text[4001];
	struct cpf_regex *re;
	struct cpf_err e = {0};

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	assert_int_equal(cpf_regex_new(&re, "hide", "(a*)*(a|b)*c$", &e), 0);
	assert_int_equal(cpf_regex_match(re, text, 60), 0);
	assert_int_equal(cpf_regex_match(re, "aac", 3), 1);
	assert_int_equal(cpf_regex_status(re, &e), 0);
	cpf_regex_free(re);
	/* Whatever comes out for the long one, it comes soon, and a match given up is said. */
	assert_int_equal(cpf_regex_new(&re, "hide", "(a*)*(a|b)*c$", &e), 0);
	(void)cpf_regex_match(re, text, sizeof(text) - 1);
	if (cpf_regex_status(re, &e))
		assert_int_equal(e.code, CPF_E_LIMIT);
	cpf_regex_free(re);
}

/* Reading the rest of the name from each of its places would not end either. */
static void no_runaway_on_huge_names(void **state)
{
	size_t n = 1 << 20;
	char *text = cpf_malloc(n);
	struct cpf_regex *re;
	struct cpf_err e = {0};

	(void)state;
	memset(text, 'a', n);
	text[n - 1] = '!';
	assert_int_equal(cpf_regex_new(&re, "hide", "(a+)+$", &e), 0);
	assert_int_equal(cpf_regex_match(re, text + n - 100, 100), 0);
	assert_int_equal(cpf_regex_status(re, &e), 0);
	assert_int_equal(cpf_regex_match(re, text, n), 0);
	assert_int_equal(cpf_regex_status(re, &e), -1);
	assert_int_equal(e.code, CPF_E_LIMIT);
	cpf_regex_free(re);
	cpf_free(text);
}

static void remembered_by_id(void **state)
{
	struct cpf_profile p;
	struct cpf_regex *re;
	struct cpf_err e = {0};
	cpf_str a, b;
	int i;

	(void)state;
	cpf_profile_init(&p);
	a = cpf_intern_z(&p, "alpha");
	assert_int_equal(cpf_regex_new(&re, "show", "^a", &e), 0);
	assert_int_equal(cpf_regex_match_str(re, &p, a), 1);
	for (i = 0; i < 1000; i++)
		cpf_intern(&p, (const char *)&i, sizeof(i));
	b = cpf_intern_z(&p, "beta");
	assert_int_equal(cpf_regex_match_str(re, &p, b), 0);
	assert_int_equal(cpf_regex_match_str(re, &p, a), 1);
	assert_int_equal(cpf_regex_match_str(re, &p, 0), 0);
	cpf_regex_free(re);
	cpf_profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_go),
		cmocka_unit_test(reasons),
		cmocka_unit_test(no_runaway),
		cmocka_unit_test(no_runaway_on_huge_names),
		cmocka_unit_test(remembered_by_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
