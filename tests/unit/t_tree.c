#include "unit/test.h"

#include "base/buf.h"
#include "base/mem.h"
#include "unit/build.h"
#include "unit/random.h"
#include "view/flat.h"
#include "view/tree.h"

static void sample(struct cpf_profile *p, const char *text, cpf_id thread, int64_t value)
{
	if (!p->samples.nraw)
		cpf_add_raw(p);
	cpf_add_sample(p, build_stack(p, text), thread, 0, 0, &value);
}

struct built {
	struct cpf_profile p;
	struct cpf_keys k;
	struct cpf_tree t;
};

static void build(struct built *b, struct cpf_tree_opts o)
{
	struct cpf_keys_opts ko = {.by = CPF_BY_FUNCTION};
	struct cpf_err e = {0};

	cpf_profile_seal(&b->p);
	cpf_keys_build(&b->k, &b->p, &ko);
	assert_int_equal(cpf_tree_build(&b->t, &b->p, &b->k, &o, &e), 0);
}

static void release_tree(struct built *b)
{
	cpf_tree_release(&b->t);
	cpf_keys_release(&b->k);
}

/* "all 9/0(main 9/1(f 5/5))": total and self, with +hidden and ~inlined where there are such. */
static void print(const struct built *b, struct cpf_buf *out)
{
	uint32_t i, depth = 0;

	cpf_buf_clear(out);
	for (i = 0; i < b->t.n; i++) {
		const struct cpf_tree_row *r = &b->t.rows[i];

		for (; depth > r->depth; depth--)
			cpf_buf_char(out, ')');
		if (i)
			cpf_buf_char(out, depth < r->depth ? '(' : ' ');
		depth = r->depth;
		cpf_tree_name(&b->t, &b->p, &b->k, r->key, out);
		cpf_buf_fmt(out, " %d/%d", (int)r->total, (int)r->self);
		if (r->hidden)
			cpf_buf_fmt(out, "+%d", (int)r->hidden);
		if (r->inlined)
			cpf_buf_fmt(out, "~%d", (int)r->inlined);
		/* The subtree ends where the next row is no deeper. */
		assert_true(r->end > i && r->end <= b->t.n);
		if (r->end < b->t.n)
			assert_true(b->t.rows[r->end].depth <= r->depth);
		if (r->end > i + 1)
			assert_int_equal(b->t.rows[r->end - 1].depth > r->depth, 1);
	}
	for (; depth; depth--)
		cpf_buf_char(out, ')');
}

static void expect(struct built *b, struct cpf_tree_opts o, const char *want)
{
	struct cpf_buf out = {0};

	build(b, o);
	print(b, &out);
	assert_string_equal(out.s, want);
	cpf_buf_release(&out);
	release_tree(b);
}

static void small(struct built *b)
{
	cpf_id one, two, three;

	memset(b, 0, sizeof(*b));
	cpf_profile_init(&b->p);
	one = build_thread(&b->p, "prog", "1", "worker", "11");
	two = build_thread(&b->p, "prog", "1", "main", "12");
	three = build_thread(&b->p, "other", "2", "worker", "21");
	sample(&b->p, "main;g;f", one, 3);
	sample(&b->p, "main;f<g", two, 4);
	sample(&b->p, "main", two, 1);
	sample(&b->p, "main;f", three, 2);
	sample(&b->p, "", CPF_NONE, 5);
	sample(&b->p, "main;f<g", three, 6);
	sample(&b->p, "zero;f", three, 0);
}

static void test_small(void **state)
{
	struct cpf_tree_opts o = {0};
	struct built b;

	(void)state;
	small(&b);
	expect(&b, o, "all 21/0((no stack) 5/5 main 16/1(f 12/2(g 10/10~10) g 3/0(f 3/3)))");
	o.inverted = 1;
	expect(&b, o, "all 21/0((no stack) 5/5 f 5/0(g 3/0(main 3/3) main 2/2) "
		      "g 10/0~10(f 10/0(main 10/10)) main 1/1)");
	o.inverted = 0;
	o.root = CPF_TREE_THREAD;
	expect(&b, o, "all 21/0((no thread) 5/0((no stack) 5/5) main 5/0(main 5/1(f 4/0(g 4/4~4))) "
		      "worker 11/0(main 11/0(f 8/2(g 6/6~6) g 3/0(f 3/3))))");
	o.inverted = 1;
	expect(&b, o, "all 21/0((no thread) 5/0((no stack) 5/5) main 5/0(g 4/0~4(f 4/0(main 4/4)) main 1/1) "
		      "worker 11/0(f 5/0(g 3/0(main 3/3) main 2/2) g 6/0~6(f 6/0(main 6/6))))");
	o.inverted = 0;
	o.root = CPF_TREE_PROCESS;
	expect(&b, o, "all 21/0((no process) 5/0((no thread) 5/0((no stack) 5/5)) "
		      "other 8/0(worker 8/0(main 8/0(f 8/2(g 6/6~6)))) "
		      "prog 8/0(main 5/0(main 5/1(f 4/0(g 4/4~4))) worker 3/0(main 3/0(g 3/0(f 3/3)))))");
	cpf_profile_release(&b.p);
}

static void test_cut(void **state)
{
	struct cpf_tree_opts o = {.min_share = 0.2};
	struct cpf_buf out = {0};
	struct built b;

	(void)state;
	small(&b);
	build(&b, o);
	print(&b, &out);
	assert_string_equal(out.s, "all 21/0((no stack) 5/5 main 16/1+3(f 12/2(g 10/10~10)))");
	assert_int_equal(b.t.hidden_rows, 1);
	assert_int_equal(b.t.hidden, 3);
	cpf_tree_prune(&b.t, 11);
	print(&b, &out);
	assert_string_equal(out.s, "all 21/0+5(main 16/1+3(f 12/2+10))");
	assert_int_equal(b.t.hidden_rows, 3);
	assert_int_equal(b.t.hidden, 18);
	release_tree(&b);
	o.min_share = 0;
	o.max_depth = 2;
	expect(&b, o, "all 21/0((no stack) 5/5 main 16/1(f 12/2+10 g 3/0+3))");
	cpf_buf_release(&out);
	cpf_profile_release(&b.p);
}

static void test_negative(void **state)
{
	struct cpf_tree_opts o = {0};
	struct built b = {0};
	struct cpf_err e = {0};
	struct cpf_keys_opts ko = {0};

	(void)state;
	cpf_profile_init(&b.p);
	sample(&b.p, "a;b", CPF_NONE, 5);
	sample(&b.p, "a;b", CPF_NONE, -7);
	sample(&b.p, "a;c", CPF_NONE, -1);
	expect(&b, o, "all 5/0(a 5/0(b 5/5))");
	build(&b, o);
	assert_int_equal(b.t.negative, 2);
	assert_int_equal(b.t.negative_sum, -8);
	release_tree(&b);
	sample(&b.p, "a;b", CPF_NONE, INT64_MAX);
	cpf_keys_build(&b.k, &b.p, &ko);
	assert_int_equal(cpf_tree_build(&b.t, &b.p, &b.k, &o, &e), -1);
	assert_int_equal(e.code, CPF_E_RANGE);
	cpf_keys_release(&b.k);
	cpf_profile_release(&b.p);
}

/* Sums by key agree with the flat table: self of all rows; of an inverted tree what is at its root. */
static void agree(struct built *b, struct cpf_tree_opts o)
{
	struct cpf_flat f;
	struct cpf_err e = {0};
	int64_t *sum, total = 0;
	uint32_t i, at = o.root == CPF_TREE_ALL ? 1 : o.root == CPF_TREE_THREAD ? 2 : 3;

	build(b, o);
	assert_int_equal(cpf_flat_build(&f, &b->p, &b->k, 0, CPF_FLAT_CHECKED, &e), 0);
	sum = cpf_calloc((size_t)b->k.n + 1, sizeof(*sum));
	for (i = 0; i < b->t.n; i++) {
		const struct cpf_tree_row *r = &b->t.rows[i];

		total += r->self;
		if (r->key >= b->k.n)
			continue;
		if (!o.inverted)
			sum[r->key] += r->self;
		else if (r->depth == at)
			sum[r->key] += r->total;
	}
	assert_int_equal(total, f.total);
	for (i = 0; i < b->k.n; i++)
		assert_int_equal(sum[i], f.flat[i]);
	cpf_free(sum);
	cpf_flat_release(&f);
	release_tree(b);
}

static void test_sums(void **state)
{
	static const char letters[] = "abcdef";
	struct cpf_tree_opts o = {0};
	struct rng rng = {7};
	int round, i, k, n;

	(void)state;
	for (round = 0; round < 6; round++) {
		struct built b = {0};
		cpf_id threads[3];
		char text[32];

		cpf_profile_init(&b.p);
		threads[0] = build_thread(&b.p, "p", "1", "t", "1");
		threads[1] = build_thread(&b.p, "q", "2", "t", "2");
		threads[2] = CPF_NONE;
		for (i = 0; i < 3000; i++) {
			n = (int)rng_next(&rng, 7);
			for (k = 0; k < n; k++) {
				text[2 * k] = letters[rng_next(&rng, 6)];
				text[2 * k + 1] = k + 1 == n ? '\0' : rng_next(&rng, 4) ? ';' : '<';
			}
			text[n ? 2 * n - 1 : 0] = '\0';
			sample(&b.p, text, threads[rng_next(&rng, 3)],
				rng_next(&rng, 5) ? rng_next(&rng, 9) : INT64_C(1) << 31);
		}
		for (i = 0; i < 6; i++) {
			o.inverted = i & 1;
			o.root = (enum cpf_tree_root)(i / 2);
			agree(&b, o);
		}
		cpf_profile_release(&b.p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_negative),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
