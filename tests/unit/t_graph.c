/* Edges between keys, their links, and the call tree. */
#include "unit/build.h"

#include "base/buf.h"
#include "view/graph.h"

static const struct cpf_graph_opts all = {.raw = 0, .div_raw = CPF_NONE};

static void keys(struct cpf_profile *p, struct cpf_keys *k)
{
	struct cpf_keys_opts o = {.by = CPF_BY_FUNCTION, .style = CPF_KEYS_PPROF};

	cpf_profile_seal(p);
	cpf_keys_build(k, p, &o);
}

static uint32_t key(const struct cpf_profile *p, const struct cpf_keys *k, const char *name)
{
	uint32_t i;

	for (i = 0; i < k->n; i++)
		if (!strcmp(cpf_cstr(p, k->keys[i].name), name))
			return i;
	fail_msg("no key %s", name);
	return 0;
}

static const struct cpf_edge *edge(const struct cpf_profile *p, const struct cpf_keys *k,
	const struct cpf_graph *g, const char *src, const char *dst)
{
	uint32_t i;

	for (i = 0; i < g->n; i++)
		if (g->edges[i].src == key(p, k, src) && g->edges[i].dst == key(p, k, dst))
			return &g->edges[i];
	return NULL;
}

static void samples(struct cpf_profile *p)
{
	cpf_profile_init(p);
	build_samples_type(p);
	build_sample(p, "main;work<leaf", 5);
	build_sample(p, "main;work;leaf", 3);
	build_sample(p, "main;fib;fib;fib", 7);
	build_sample(p, "main;fib;work;fib;work", 1);
	build_sample(p, "idle", 2);
	build_sample(p, "zero;leaf", 0);
}

/* A pair counts once per sample, a function calling itself not at all. */
static void test_edges(void **state)
{
	struct cpf_profile p;
	struct cpf_keys k;
	struct cpf_graph g;

	(void)state;
	samples(&p);
	keys(&p, &k);
	cpf_graph_build(&g, &p, &k, &all);
	assert_int_equal(edge(&p, &k, &g, "main", "work")->weight, 8);
	assert_int_equal(edge(&p, &k, &g, "work", "leaf")->weight, 8);
	assert_int_equal(edge(&p, &k, &g, "work", "leaf")->inlined, 0);
	assert_int_equal(edge(&p, &k, &g, "main", "fib")->weight, 8);
	assert_int_equal(edge(&p, &k, &g, "fib", "work")->weight, 1);
	assert_int_equal(edge(&p, &k, &g, "work", "fib")->weight, 1);
	assert_null(edge(&p, &k, &g, "fib", "fib"));
	assert_null(edge(&p, &k, &g, "zero", "leaf"));
	cpf_graph_release(&g);
	cpf_keys_release(&k);
	cpf_profile_release(&p);
}

/* Frames that are not kept are stepped over. */
static void test_kept(void **state)
{
	struct cpf_graph_opts o = all;
	struct cpf_profile p;
	struct cpf_keys k;
	struct cpf_graph g;
	uint64_t kept = 0;

	(void)state;
	samples(&p);
	keys(&p, &k);
	kept |= UINT64_C(1) << key(&p, &k, "main") | UINT64_C(1) << key(&p, &k, "leaf");
	o.kept = &kept;
	cpf_graph_build(&g, &p, &k, &o);
	assert_int_equal(g.n, 1);
	assert_int_equal(edge(&p, &k, &g, "main", "leaf")->weight, 8);
	assert_int_equal(edge(&p, &k, &g, "main", "leaf")->residual, 1);
	cpf_graph_release(&g);
	cpf_keys_release(&k);
	cpf_profile_release(&p);
}

static void test_links(void **state)
{
	struct cpf_links in, out;
	struct cpf_profile p;
	struct cpf_keys k;
	struct cpf_graph g;
	uint64_t live = 0;
	uint32_t work, i;

	(void)state;
	samples(&p);
	keys(&p, &k);
	cpf_graph_build(&g, &p, &k, &all);
	work = key(&p, &k, "work");
	cpf_links_build(&in, &out, &g, k.n, NULL);
	assert_int_equal(in.first[work + 1] - in.first[work], 2);
	assert_int_equal(out.first[work + 1] - out.first[work], 2);
	assert_int_equal(in.first[k.n], g.n);
	for (i = in.first[work]; i < in.first[work + 1]; i++)
		assert_int_equal(g.edges[in.edges[i]].dst, work);
	cpf_links_release(&in);
	cpf_links_release(&out);
	for (i = 0; i < g.n; i++)
		if (g.edges[i].src == work)
			live |= UINT64_C(1) << i;
	cpf_links_build(&in, &out, &g, k.n, &live);
	assert_int_equal(in.first[work + 1] - in.first[work], 0);
	assert_int_equal(out.first[work + 1] - out.first[work], 2);
	cpf_links_release(&in);
	cpf_links_release(&out);
	cpf_graph_release(&g);
	cpf_keys_release(&k);
	cpf_profile_release(&p);
}

/* The path to a call, its values and whether it is inlined, "main work leaf* 5/5". */
static void describe(const struct cpf_profile *p, const struct cpf_keys *k, const struct cpf_calls *c,
	uint32_t at, struct cpf_buf *out)
{
	uint32_t path[16], n = 0, i;

	for (i = at; i != CPF_NONE; i = c->calls[i].parent)
		path[n++] = i;
	while (n--)
		cpf_buf_fmt(out, "%s%s ", cpf_cstr(p, k->keys[c->calls[path[n]].key].name),
			c->calls[path[n]].inlined ? "*" : "");
	cpf_buf_fmt(out, "%" PRId64 "/%" PRId64 "\n", c->calls[at].flat, c->calls[at].cum);
}

static void test_calls(void **state)
{
	struct cpf_profile p;
	struct cpf_calls c;
	struct cpf_buf b = {0};
	struct cpf_keys k;
	uint32_t i;

	(void)state;
	samples(&p);
	keys(&p, &k);
	cpf_calls_build(&c, &p, &k, &all);
	for (i = 0; i < c.n; i++) {
		assert_true(c.calls[i].parent == CPF_NONE || c.calls[i].parent < i);
		describe(&p, &k, &c, i, &b);
	}
	assert_string_equal(b.s, "main 0/16\n"
				 "main work 0/8\n"
				 "main work leaf 8/8\n"
				 "main fib 0/8\n"
				 "main fib fib 0/7\n"
				 "main fib fib fib 7/7\n"
				 "main fib work 0/1\n"
				 "main fib work fib 0/1\n"
				 "main fib work fib work 1/1\n"
				 "idle 2/2\n");
	cpf_buf_release(&b);
	cpf_calls_release(&c);
	cpf_keys_release(&k);
	cpf_profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
