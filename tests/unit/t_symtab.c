#include "unit/test.h"

#include "symbolize/symtab.h"

static struct cpf_symtab *table;
static const struct cpf_code_range code[] = {{0x1000, 0x2000}, {0x3000, 0x3100}};

static void add(const char *name, uint64_t start, uint64_t size, unsigned flags)
{
	cpf_symtab_add(table, name, start, size, flags);
}

static void finish(void)
{
	cpf_symtab_finish(table, code, CPF_LEN(code));
}

/* The name at addr, or "" */
static const char *at(uint64_t addr)
{
	struct cpf_symtab_answer a;

	if (!cpf_symtab_find(table, addr, &a))
		return "";
	assert_true(addr >= a.start && addr < a.end);
	return a.name;
}

static uint32_t aliases(uint64_t addr)
{
	struct cpf_symtab_answer a;

	assert_true(cpf_symtab_find(table, addr, &a));
	return a.aliases;
}

static int set_up(void **state)
{
	(void)state;
	table = cpf_symtab_new();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	cpf_symtab_free(table);
	return 0;
}

static void empty(void **state)
{
	(void)state;
	finish();
	assert_string_equal(at(0), "");
	assert_string_equal(at(0x1000), "");
	assert_string_equal(at(UINT64_MAX), "");
}

static void ranges(void **state)
{
	(void)state;
	add("b", 0x1100, 0x10, 0);
	add("a", 0x1000, 0x10, 0);
	add("below", 0xfff, 4, 0);
	add("long", 0x1ff0, 0x1000, 0);
	add("huge", 0x3000, UINT64_MAX, 0);
	finish();
	assert_string_equal(at(0xfff), "");
	assert_string_equal(at(0x1000), "a");
	assert_string_equal(at(0x100f), "a");
	assert_string_equal(at(0x1010), "");
	assert_string_equal(at(0x10ff), "");
	assert_string_equal(at(0x1100), "b");
	assert_string_equal(at(0x1fff), "long");
	assert_string_equal(at(0x2000), "");
	assert_string_equal(at(0x30ff), "huge");
	assert_string_equal(at(0x3100), "");
}

static void nested(void **state)
{
	(void)state;
	add("outer", 0x1000, 0x100, 0);
	add("inner", 0x1020, 0x20, 0);
	add("innermost", 0x1028, 8, 0);
	add("across", 0x10f0, 0x20, 0);
	add("label", 0x1050, 0, CPF_SYM_LABEL);
	finish();
	assert_string_equal(at(0x1000), "outer");
	assert_string_equal(at(0x1020), "inner");
	assert_string_equal(at(0x1028), "innermost");
	assert_string_equal(at(0x1030), "inner");
	assert_string_equal(at(0x1040), "outer");
	assert_string_equal(at(0x1050), "outer");
	assert_string_equal(at(0x10f0), "across");
	assert_string_equal(at(0x110f), "across");
	assert_string_equal(at(0x1110), "");
}

static void without_size(void **state)
{
	(void)state;
	add("one", 0x1000, 0, CPF_SYM_LABEL);
	add("two", 0x1100, 0, 0);
	add("sized", 0x1200, 0x10, 0);
	add("three", 0x1300, 0, 0);
	add("data", 0x1400, 8, CPF_SYM_DATA);
	add("four", 0x1500, 0, 0);
	add("$d", 0x1600, 0, CPF_SYM_LABEL);
	add(".annobin", 0x1610, 0, CPF_SYM_LABEL);
	finish();
	assert_string_equal(at(0x10ff), "one");
	assert_string_equal(at(0x1100), "two");
	assert_string_equal(at(0x11ff), "two");
	assert_string_equal(at(0x120f), "sized");
	assert_string_equal(at(0x1210), "");
	assert_string_equal(at(0x13ff), "three");
	assert_string_equal(at(0x1400), "");
	assert_string_equal(at(0x14ff), "");
	assert_string_equal(at(0x1700), "four");
	assert_string_equal(at(0x1fff), "four");
	assert_string_equal(at(0x3000), "");
}

static void choice(void **state)
{
	(void)state;
	add("local", 0x1000, 8, CPF_SYM_LOCAL);
	add("zweak", 0x1000, 8, CPF_SYM_WEAK);
	add("_a_global", 0x1000, 8, 0);
	add("label", 0x1010, 8, CPF_SYM_LABEL);
	add("__function", 0x1010, 8, CPF_SYM_LOCAL);
	add("y", 0x1020, 8, CPF_SYM_WEAK);
	add("x", 0x1020, 8, 0);
	add("w", 0x1020, 8, 0);
	add("memcpy@@GLIBC_2.14", 0x1030, 8, 0);
	add("@", 0x1040, 8, 0);
	add("", 0x1050, 8, 0);
	add("a@plt", 0x1060, 8, CPF_SYM_PLAIN | CPF_SYM_COPY);
	finish();
	assert_string_equal(at(0x1000), "zweak");
	assert_string_equal(at(0x1010), "__function");
	assert_string_equal(at(0x1020), "w");
	assert_string_equal(at(0x1030), "memcpy");
	assert_string_equal(at(0x1030), "memcpy");
	assert_string_equal(at(0x1040), "");
	assert_string_equal(at(0x1050), "");
	assert_string_equal(at(0x1060), "a@plt");
	assert_true(cpf_symtab_has(table, 0x1025, "y"));
	assert_true(cpf_symtab_has(table, 0x1030, "memcpy"));
	assert_false(cpf_symtab_has(table, 0x1025, "memcpy"));
	assert_false(cpf_symtab_has(table, 0x1070, "y"));
}

static void folded(void **state)
{
	static const char *const same[][3] = {
	        {"malloc", "__malloc", "__libc_malloc"},
	        {"_ZN1DC1Ei", "_ZN1DC2Ei", "_ZN1DC1Ei"},
	        {"_ZN3foo3bar17h0123456789abcdefE", "_ZN3foo3bar17hfedcba9876543210E",
	                "_ZN3foo3bar17h0123456789abcdefE"},
	        {"memcpy@GLIBC_2.2.5", "memcpy@@GLIBC_2.14", "memcpy"},
	        {"f.cold", "f.part.0", "f"},
	};
	static const char *const other[] = {"_Z1av", "_Z1bv", "_Z1cv", "_Z1dv"};
	size_t i, k;

	(void)state;
	for (i = 0; i < CPF_LEN(same); i++)
		for (k = 0; k < 3; k++)
			add(same[i][k], 0x1000 + i * 16, 16, 0);
	for (i = 0; i < CPF_LEN(other); i++)
		add(other[i], 0x1800, 16, i ? CPF_SYM_WEAK : 0);
	/* Weak names of C are made by hand; another size is another thing. */
	add("strong", 0x1900, 16, 0);
	add("weak", 0x1900, 16, CPF_SYM_WEAK);
	add("longer", 0x1900, 32, 0);
	add("second", 0x1a00, 16, 0);
	add("first", 0x1a00, 16, 0);
	finish();
	for (i = 0; i < CPF_LEN(same); i++)
		assert_int_equal(aliases(0x1000 + i * 16), 0);
	assert_string_equal(at(0x1800), "_Z1av");
	assert_int_equal(aliases(0x1800), 3);
	assert_int_equal(aliases(0x1800), 3);
	assert_string_equal(at(0x1900), "strong");
	assert_int_equal(aliases(0x1900), 0);
	assert_string_equal(at(0x1910), "longer");
	assert_string_equal(at(0x1a00), "first");
	assert_int_equal(aliases(0x1a00), 1);
}

/* Against the rule itself, said slowly: of the ranges that hold an address, the one that began
 * last. */
static void slow(void **state)
{
	struct {
		uint64_t start, size;
		char name[8];
	} v[200];
	uint32_t seed = 7;
	uint64_t a;
	size_t i, best;

	(void)state;
	for (i = 0; i < CPF_LEN(v); i++) {
		seed = seed * 1103515245 + 12345;
		v[i].start = 0x1000 + (seed >> 8) % 0x400;
		v[i].size = 1 + (seed >> 20) % 60;
		snprintf(v[i].name, sizeof(v[i].name), "s%zu", i);
		add(v[i].name, v[i].start, v[i].size, 0);
	}
	finish();
	for (a = 0x1000; a < 0x1500; a++) {
		best = SIZE_MAX;
		for (i = 0; i < CPF_LEN(v); i++) {
			if (a - v[i].start >= v[i].size)
				continue;
			if (best == SIZE_MAX || v[i].start > v[best].start ||
			        (v[i].start == v[best].start &&
			                (v[i].size < v[best].size ||
			                        (v[i].size == v[best].size &&
			                                strcmp(v[i].name, v[best].name) < 0))))
				best = i;
		}
		assert_string_equal(at(a), best == SIZE_MAX ? "" : v[best].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(empty, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(ranges, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(nested, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(without_size, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(choice, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(folded, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(slow, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
