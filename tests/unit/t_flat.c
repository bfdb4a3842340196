#include "unit/test.h"

#include "base/buf.h"
#include "base/mem.h"
#include "view/flat.h"
#include "view/walk.h"

/* A location with one line per letter, innermost first; the function is named by the letter. */
static cpf_id location(struct cpf_profile *p, const char *letters)
{
	struct cpf_line lines[8];
	struct cpf_location l = {0};

	for (; letters[l.nlines]; l.nlines++) {
		struct cpf_function f = {0};

		f.name = cpf_intern(p, letters + l.nlines, 1);
		f.resource_lib = CPF_NONE;
		lines[l.nlines].function = cpf_find_function(p, &f);
		lines[l.nlines].line = 0;
		lines[l.nlines].column = 0;
	}
	l.mapping = l.symbol = l.category = l.subcategory = CPF_NONE;
	l.lines = lines;
	return cpf_find_location(p, &l);
}

/* "a bc d": root first, locations apart by blanks. */
static cpf_id stack(struct cpf_profile *p, const char *text)
{
	cpf_id node = 0;
	char loc[16];

	while (*text) {
		size_t n = strcspn(text, " ");

		memcpy(loc, text, n);
		loc[n] = 0;
		node = cpf_find_node(p, node, location(p, loc));
		text += n + (text[n] == ' ');
	}
	return node;
}

static void sample(struct cpf_profile *p, const char *text, int64_t value)
{
	if (!p->samples.nraw)
		cpf_add_raw(p);
	cpf_add_sample(p, stack(p, text), CPF_NONE, 0, 0, &value);
}

static void build(struct cpf_profile *p, struct cpf_keys *k, struct cpf_flat *f)
{
	struct cpf_keys_opts o = {.by = CPF_BY_FUNCTION};
	struct cpf_err e = {0};

	cpf_keys_build(k, p, &o);
	assert_int_equal(cpf_flat_build(f, p, k, 0, CPF_FLAT_CHECKED, &e), 0);
}

static void expect(struct cpf_profile *p, const char *name, int64_t flat, int64_t cum)
{
	struct cpf_buf b = {0};
	struct cpf_keys k;
	struct cpf_flat f;
	uint32_t i, found = 0;

	build(p, &k, &f);
	for (i = 0; i < k.n; i++) {
		cpf_buf_clear(&b);
		cpf_key_name(p, &k, i, &b);
		if (strcmp(b.s, name))
			continue;
		found++;
		assert_int_equal(f.flat[i], flat);
		assert_int_equal(f.cum[i], cum);
	}
	assert_int_equal(found, 1);
	cpf_buf_release(&b);
	cpf_flat_release(&f);
	cpf_keys_release(&k);
}

static void recursion_counts_once(void **state)
{
	struct cpf_profile p;

	(void)state;
	cpf_profile_init(&p);
	sample(&p, "m f f f", 5);
	sample(&p, "m f g f", 7);
	sample(&p, "m g", 1);
	expect(&p, "m", 0, 13);
	expect(&p, "f", 12, 12);
	expect(&p, "g", 1, 8);
	cpf_profile_release(&p);
}

static void inlined_lines_are_frames(void **state)
{
	struct cpf_profile p;

	(void)state;
	cpf_profile_init(&p);
	sample(&p, "m ba", 3); /* b inlined into a */
	sample(&p, "m ba ab", 4);
	sample(&p, "bb", 1);
	expect(&p, "m", 0, 7);
	expect(&p, "a", 4, 7);
	expect(&p, "b", 4, 8);
	cpf_profile_release(&p);
}

static void values_cancel(void **state)
{
	struct cpf_profile p;
	struct cpf_keys k;
	struct cpf_flat f;

	(void)state;
	cpf_profile_init(&p);
	sample(&p, "m a", 5);
	sample(&p, "m a b", -5);
	sample(&p, "c m", 2);
	sample(&p, "", 10);
	sample(&p, "", -3);
	expect(&p, "m", 2, 2);
	expect(&p, "a", 5, 0);
	expect(&p, "b", -5, -5);
	build(&p, &k, &f);
	assert_int_equal(f.total, 9);
	assert_int_equal(f.empty, 7);
	assert_int_equal(f.nempty, 2);
	cpf_flat_release(&f);
	cpf_keys_release(&k);
	cpf_profile_release(&p);
}

static void sums_past_64_bits(void **state)
{
	struct cpf_keys_opts o = {.by = CPF_BY_FUNCTION};
	struct cpf_profile p;
	struct cpf_err e = {0};
	struct cpf_keys k;
	struct cpf_flat f;

	(void)state;
	cpf_profile_init(&p);
	sample(&p, "m a", INT64_MAX);
	sample(&p, "m b", 1);
	cpf_keys_build(&k, &p, &o);
	assert_int_equal(cpf_flat_build(&f, &p, &k, 0, CPF_FLAT_CHECKED, &e), -1);
	assert_int_equal(e.code, CPF_E_RANGE);
	memset(&e, 0, sizeof(e));
	assert_int_equal(cpf_flat_build(&f, &p, &k, 0, CPF_FLAT_WRAP, &e), 0);
	assert_true(f.total == INT64_MIN);
	cpf_flat_release(&f);
	cpf_keys_release(&k);
	cpf_profile_release(&p);
}

/* Sums around 2^30 and 2^31, where they move to another place, and past 32 bits. */
static void large_sums(void **state)
{
	static const int64_t v[] = {INT64_C(0x3fffffff), 1, 1, INT64_C(0x40000000), INT64_C(0x7fffffff),
		1, INT64_C(-0x40000000), INT64_C(-0x40000001), INT64_C(0x100000000),
		INT64_C(-0x200000000), INT64_C(1) << 60, -(INT64_C(1) << 60), 0, -3};
	struct cpf_profile p;
	int64_t own = 0, a = 0, b = 0;
	size_t i;

	(void)state;
	cpf_profile_init(&p);
	for (i = 0; i < CPF_LEN(v); i++) {
		sample(&p, "m a", v[i]);
		sample(&p, i % 3 ? "m a b" : "m b", -2 * v[i]);
		own += v[i];
		a += i % 3 ? -v[i] : v[i];
		b -= 2 * v[i];
		expect(&p, "m", 0, own + b);
		expect(&p, "a", own, a);
		expect(&p, "b", b, b);
	}
	cpf_profile_release(&p);
}

/* Taking the samples on the way gives what building gives, and what places weigh. */
static void taken(void **state)
{
	static const char *const stacks[] = {"m a", "m a b", "b", "", "m ba", "c m a"};
	struct cpf_keys_opts o = {.by = CPF_BY_FUNCTION};
	struct cpf_places places;
	struct cpf_profile p;
	struct cpf_err e = {0};
	struct cpf_flat f, g;
	struct cpf_keys k;
	double leaf = 0;
	uint32_t i;

	(void)state;
	cpf_profile_init(&p);
	for (i = 0; i < 200000; i++)
		sample(&p, stacks[(i * 7 + i / 100) % CPF_LEN(stacks)], i % 50000);
	build(&p, &k, &f);
	assert_int_equal(cpf_flat_take(&g, &places, &p, &k, 0, &e), 0);
	assert_int_equal(p.samples.n, 200000);
	assert_memory_equal(f.flat, g.flat, k.n * sizeof(*f.flat));
	assert_memory_equal(f.cum, g.cum, k.n * sizeof(*f.cum));
	assert_int_equal(f.total, g.total);
	assert_int_equal(f.empty, g.empty);
	assert_int_equal(f.nempty, g.nempty);
	assert_true(f.magnitude == (uint64_t)f.total && g.magnitude == f.magnitude);
	for (i = 0; i < p.locations.n; i++)
		leaf += places.leaf[i];
	assert_true(leaf == (double)(f.total - f.empty));
	cpf_places_release(&places);
	cpf_flat_release(&f);
	cpf_flat_release(&g);
	cpf_keys_release(&k);
	cpf_profile_release(&p);
	/* Magnitudes are not the sums once a value is negative. */
	cpf_profile_init(&p);
	sample(&p, "m a", 5);
	sample(&p, "m a", -7);
	cpf_keys_build(&k, &p, &o);
	assert_int_equal(cpf_flat_take(&g, &places, &p, &k, 0, &e), 0);
	assert_int_equal(g.negative, 1);
	assert_true(g.magnitude == 12 && g.total == -2);
	assert_null(places.leaf);
	cpf_places_release(&places);
	cpf_flat_release(&g);
	cpf_keys_release(&k);
	cpf_profile_release(&p);
}

static void empty_profile(void **state)
{
	struct cpf_profile p;
	struct cpf_keys k;
	struct cpf_flat f;

	(void)state;
	cpf_profile_init(&p);
	cpf_add_raw(&p);
	build(&p, &k, &f);
	assert_int_equal(f.n, 0);
	assert_int_equal(f.total, 0);
	cpf_flat_release(&f);
	cpf_keys_release(&k);
	cpf_profile_release(&p);
}

static uint64_t rng = 1;

static uint32_t below(uint32_t n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((rng >> 33) % n);
}

/* Against a walk of every sample's stack. */
static void compare(struct cpf_profile *p)
{
	struct cpf_keys k;
	struct cpf_flat f;
	int64_t *flat, *cum;
	uint32_t *seen, i, at, x;

	build(p, &k, &f);
	flat = cpf_calloc(k.n, sizeof(*flat));
	cum = cpf_calloc(k.n, sizeof(*cum));
	seen = cpf_calloc(k.n, sizeof(*seen));
	for (i = 0; i < p->samples.n; i++) {
		int64_t v = cpf_col_get(&p->samples.raw[0], i);
		uint32_t node = cpf_col_id(&p->samples.node, i);

		for (at = node; at; at = cpf_col_id(&p->nodes.parent, at)) {
			uint32_t loc = cpf_col_id(&p->nodes.location, at);

			for (x = k.first[loc]; x < k.first[loc + 1]; x++) {
				if (at == node && x == k.first[loc])
					flat[k.ids[x]] += v;
				if (seen[k.ids[x]] != i + 1)
					cum[k.ids[x]] += v;
				seen[k.ids[x]] = i + 1;
			}
		}
	}
	for (i = 0; i < k.n; i++) {
		assert_int_equal(f.flat[i], flat[i]);
		assert_int_equal(f.cum[i], cum[i]);
	}
	cpf_free(flat);
	cpf_free(cum);
	cpf_free(seen);
	cpf_flat_release(&f);
	cpf_keys_release(&k);
}

static void random_trees(void **state)
{
	static const char *const locs[] = {"a", "b", "c", "ab", "ba", "abc", "d", "aa"};
	uint32_t round, i, nodes, jump;

	(void)state;
	for (round = 0; round < 303; round++) {
		struct cpf_profile p;

		cpf_profile_init(&p);
		cpf_add_raw(&p);
		for (i = 0; i < CPF_LEN(locs); i++)
			location(&p, locs[i]);
		/* So many are cut in two. */
		nodes = round < 300 ? 1 + below(200) : 150000;
		jump = 1 + below(8);
		for (i = 0; i < nodes; i++)
			cpf_add_node(&p, below(jump) ? p.nodes.n - 1 : below(p.nodes.n),
				below((uint32_t)CPF_LEN(locs)));
		for (i = 0; i < 100; i++) {
			int64_t v = (int64_t)below(20) - 5;

			cpf_add_sample(&p, below(p.nodes.n), CPF_NONE, 0, 0, &v);
		}
		compare(&p);
		cpf_profile_release(&p);
	}
}

/* Two deep branches that grow in turns would cost a walk of the path per node. */
static void two_branches(uint32_t n)
{
	struct cpf_profile p;
	struct cpf_walk w;
	uint32_t tip[2] = {0, 0}, i, visited = 0;
	int64_t v = 1;
	uint64_t entered = 0;

	cpf_profile_init(&p);
	cpf_add_raw(&p);
	location(&p, "a");
	location(&p, "b");
	for (i = 0; i < n; i++)
		tip[i % 2] = cpf_add_node(&p, tip[i % 2], (i / 7) % 2);
	cpf_add_sample(&p, tip[0], CPF_NONE, 0, 0, &v);
	cpf_add_sample(&p, tip[1], CPF_NONE, 0, 0, &v);
	compare(&p);
	cpf_walk_init(&w, &p);
	while (cpf_walk_next(&w)) {
		visited += (uint32_t)w.fresh;
		entered += w.depth - w.cut;
	}
	cpf_walk_release(&w);
	assert_int_equal(visited, n);
	assert_true(entered < 10 * (uint64_t)n);
	cpf_profile_release(&p);
}

static void hostile_order(void **state)
{
	(void)state;
	two_branches(20000);
	two_branches(120000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(inlined_lines_are_frames),
		cmocka_unit_test(values_cancel),
		cmocka_unit_test(sums_past_64_bits),
		cmocka_unit_test(large_sums),
		cmocka_unit_test(taken),
		cmocka_unit_test(empty_profile),
		cmocka_unit_test(random_trees),
		cmocka_unit_test(hostile_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
