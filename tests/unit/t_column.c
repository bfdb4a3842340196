#include "unit/test.h"

#include "base/mem.h"

#include <cpuprof/column.h>

/* Values at the edges of every width, and their neighbours. */
static const int64_t edges[] = {0, 1, -1, 126, 127, 128, -127, -128, -129, 32766, 32767, 32768,
	-32768, -32769, 2147483647, 2147483648, -2147483648LL, -2147483649LL, INT64_MAX, INT64_MIN,
	INT64_MIN + 1};

static void push_and_get(void **state)
{
	struct cpf_col c = {0};
	size_t i, k;

	(void)state;
	for (k = 0; k < CPF_LEN(edges); k++) {
		for (i = 0; i < 40; i++)
			cpf_col_push(&c, edges[(k + i) % CPF_LEN(edges)]);
	}
	assert_int_equal(c.n, 40 * CPF_LEN(edges));
	for (k = 0; k < CPF_LEN(edges); k++)
		for (i = 0; i < 40; i++)
			assert_int_equal(cpf_col_get(&c, k * 40 + i), edges[(k + i) % CPF_LEN(edges)]);
	cpf_col_release(&c);
}

static void constant_costs_nothing(void **state)
{
	struct cpf_col c = {0};
	int64_t v[100];
	size_t i;

	(void)state;
	for (i = 0; i < 100; i++)
		v[i] = 7;
	cpf_col_push(&c, 7);
	cpf_col_append(&c, v, 100);
	cpf_col_fill(&c, 7, 1000000);
	assert_int_equal(c.width, 0);
	assert_null(c.data);
	assert_int_equal(c.n, 1000101);
	assert_int_equal(cpf_col_get(&c, 1000100), 7);
	cpf_col_push(&c, 8);
	assert_int_equal(c.width, 1);
	assert_int_equal(cpf_col_get(&c, 1000100), 7);
	assert_int_equal(cpf_col_get(&c, 1000101), 8);
	cpf_col_release(&c);
}

/* Every way to append gives the rows that single pushes give, at each width and in each order. */
static void append_equals_push(void **state)
{
	size_t a, b, i;

	(void)state;
	for (a = 0; a < CPF_LEN(edges); a++) {
		for (b = 0; b < CPF_LEN(edges); b++) {
			struct cpf_col one = {0}, many = {0}, cat = {0};
			int64_t v[5], out[15];
			uint32_t out32[15];

			for (i = 0; i < 5; i++)
				v[i] = i & 1 ? edges[a] : edges[b];
			for (i = 0; i < 5; i++)
				cpf_col_push(&one, v[i]);
			cpf_col_fill(&one, edges[a], 4);
			cpf_col_fill(&one, edges[b], 6);
			cpf_col_append(&many, v, 5);
			for (i = 0; i < 4; i++)
				cpf_col_push(&many, edges[a]);
			for (i = 0; i < 6; i++)
				cpf_col_push(&many, edges[b]);
			cpf_col_concat(&cat, &one);
			cpf_col_trim(&cat);
			assert_int_equal(one.n, 15);
			assert_int_equal(many.n, 15);
			assert_int_equal(cat.n, 15);
			assert_int_equal(one.width, many.width);
			cpf_col_read(&one, 0, 15, out);
			cpf_col_read32(&one, 0, 15, out32);
			for (i = 0; i < 15; i++) {
				assert_int_equal(cpf_col_get(&one, i), cpf_col_get(&many, i));
				assert_int_equal(cpf_col_get(&cat, i), out[i]);
				assert_int_equal(out[i], cpf_col_get(&one, i));
				assert_int_equal(out32[i], (uint32_t)out[i]);
			}
			cpf_col_release(&one);
			cpf_col_release(&many);
			cpf_col_release(&cat);
		}
	}
}

static void adopt_equals_push(void **state)
{
	static const uint32_t most[] = {0, 1, 127, 128, 32767, 32768, 70000, INT32_MAX - 1, INT32_MAX,
		(uint32_t)INT32_MAX + 1, UINT32_MAX - 1, UINT32_MAX};
	size_t k, n, i;

	(void)state;
	for (k = 0; k < CPF_LEN(most); k++)
		for (n = 0; n < 50; n++) {
			uint32_t *ids = cpf_realloc_array(NULL, n + 1, sizeof(*ids));
			struct cpf_col one = {0}, two = {0};

			for (i = 0; i < n; i++) {
				ids[i] = i % 3 == 1 ? most[k] : i % 3 ? UINT32_MAX : (uint32_t)i;
				cpf_col_push_id(&one, ids[i]);
			}
			cpf_col_adopt(&two, ids, n, most[k] > 49 ? most[k] : 49);
			assert_int_equal(two.n, n);
			for (i = 0; i < n; i++)
				assert_true(cpf_col_get(&one, i) == cpf_col_get(&two, i));
			cpf_col_push(&two, 5);
			assert_int_equal(cpf_col_get(&two, n), 5);
			cpf_col_release(&one);
			cpf_col_release(&two);
		}
}

static void put_equals_set(void **state)
{
	size_t a, b, at, n, i;

	(void)state;
	for (a = 0; a < CPF_LEN(edges); a++)
		for (b = 0; b < CPF_LEN(edges); b++)
			for (at = 0; at < 10; at++) {
				struct cpf_col one = {0}, two = {0};
				int64_t v[10];

				n = (at * 7 + a + b) % (11 - at);
				for (i = 0; i < n; i++)
					v[i] = i & 1 ? edges[b] : edges[a];
				cpf_col_fill(&one, edges[b], 10);
				cpf_col_concat(&two, &one);
				for (i = 0; i < n; i++)
					cpf_col_set(&one, at + i, v[i]);
				cpf_col_put(&two, at, v, n);
				assert_int_equal(two.n, 10);
				for (i = 0; i < 10; i++)
					assert_int_equal(cpf_col_get(&one, i), cpf_col_get(&two, i));
				cpf_col_release(&one);
				cpf_col_release(&two);
			}
}

static void set_widens(void **state)
{
	size_t k, i;

	(void)state;
	for (k = 0; k < CPF_LEN(edges); k++) {
		struct cpf_col c = {0};

		cpf_col_fill(&c, 3, 10);
		cpf_col_set(&c, 4, edges[k]);
		for (i = 0; i < 10; i++)
			assert_int_equal(cpf_col_get(&c, i), i == 4 ? edges[k] : 3);
		cpf_col_truncate(&c, 4);
		assert_int_equal(c.n, 4);
		cpf_col_push(&c, INT64_MIN);
		assert_int_equal(cpf_col_get(&c, 4), INT64_MIN);
		assert_int_equal(cpf_col_get(&c, 3), 3);
		cpf_col_release(&c);
	}
}

static void sums_tell_overflow(void **state)
{
	struct cpf_col c = {0};
	int over;

	(void)state;
	cpf_col_push(&c, INT64_MAX);
	cpf_col_push(&c, -5);
	cpf_col_push(&c, 5);
	assert_int_equal(cpf_col_sum(&c, &over), INT64_MAX);
	assert_int_equal(over, 0);
	cpf_col_push(&c, 1);
	cpf_col_sum(&c, &over);
	assert_int_equal(over, 1);
	cpf_col_release(&c);
	cpf_col_fill(&c, INT64_MAX / 2, 3);
	cpf_col_sum(&c, &over);
	assert_int_equal(over, 1);
	cpf_col_release(&c);
}

static void ids_keep_none(void **state)
{
	struct cpf_col c = {0};

	(void)state;
	cpf_col_push_id(&c, UINT32_MAX);
	cpf_col_push_id(&c, 0);
	cpf_col_push_id(&c, 0xfffffffe);
	assert_int_equal(cpf_col_id(&c, 0), UINT32_MAX);
	assert_int_equal(cpf_col_id(&c, 1), 0);
	assert_int_equal(cpf_col_id(&c, 2), 0xfffffffe);
	cpf_col_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(push_and_get),
		cmocka_unit_test(constant_costs_nothing),
		cmocka_unit_test(append_equals_push),
		cmocka_unit_test(adopt_equals_push),
		cmocka_unit_test(put_equals_set),
		cmocka_unit_test(set_widens),
		cmocka_unit_test(sums_tell_overflow),
		cmocka_unit_test(ids_keep_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
