#include "reports/coverage.h"

#include "base/mem.h"

#define BLOCK 1024

/* Per function: 1 named, 2 the name is an address, which is a name only if there is no address. */
static uint8_t *function_names(const struct cpf_profile *p)
{
	uint8_t *state = cpf_calloc((size_t)p->nfunctions + 1, 1);
	uint32_t i;

	for (i = 0; i < p->nfunctions; i++) {
		struct cpf_text t = cpf_text(p, p->functions[i].name);

		if (t.len)
			state[i] = cpf_is_hex_name(t.s, t.len) || cpf_is_made_up_name(t.s, t.len) ? 2 : 1;
	}
	return state;
}

struct place {
	uint32_t lines, named; /* of a location */
	int leaf;
};

static struct place look(const struct cpf_profile *p, const uint8_t *fn, uint32_t id)
{
	const struct cpf_locations *t = &p->locations;
	size_t from = (size_t)cpf_col_get(&t->first, id);
	size_t to = (size_t)cpf_col_get(&t->first, (size_t)id + 1), i;
	int has_address = cpf_col_get(&t->address, id) || (cpf_col_get(&t->flags, id) & CPF_LOC_ADDRESS);
	struct place r = {1, 0, 0};

	if (to > from)
		r.lines = (uint32_t)(to - from);
	for (i = from; i < to; i++) {
		uint8_t s = fn[cpf_col_id(&t->line_fn, i)];
		int named = s == 1 || (s == 2 && !has_address);

		r.named += (uint32_t)named;
		if (i == from)
			r.leaf = named;
	}
	return r;
}

uint8_t *cpf_named_locations(const struct cpf_profile *p)
{
	uint8_t *named = cpf_calloc((size_t)p->locations.n + 1, 1), *fn = function_names(p);
	uint32_t i;

	for (i = 0; i < p->locations.n; i++) {
		struct place l = look(p, fn, i);

		named[i] = (uint8_t)((l.named ? CPF_NAMED_SOME : 0) | (l.leaf ? CPF_NAMED_LEAF : 0));
	}
	cpf_free(fn);
	return named;
}

/* Magnitudes per node, of its own samples; used: 1 if it has any. */
static double *node_weights(const struct cpf_profile *p, uint32_t raw, uint8_t *used)
{
	double *sum = cpf_calloc(p->nodes.n, sizeof(*sum));
	uint32_t nodes[BLOCK], at, n, i;
	int64_t values[BLOCK];

	for (at = 0; at < p->samples.n; at += n) {
		n = p->samples.n - at < BLOCK ? p->samples.n - at : BLOCK;
		cpf_col_read32(&p->samples.node, at, n, nodes);
		cpf_col_read(&p->samples.raw[raw], at, n, values);
		for (i = 0; i < n; i++) {
			used[nodes[i]] = 1;
			sum[nodes[i]] += (double)cpf_abs64(values[i]);
		}
	}
	return sum;
}

/* used: per location, NULL if nobody asks. */
static void add_locations(struct cpf_coverage *c, const struct cpf_profile *p, const double *leaf,
	const double *all, const uint8_t *used)
{
	uint8_t *fn = function_names(p);
	uint32_t i;

	memset(c, 0, sizeof(*c));
	c->nlibs = p->nmappings + 1;
	c->libs = cpf_calloc(c->nlibs, sizeof(*c->libs));
	for (i = 0; i < p->locations.n; i++) {
		struct place l = look(p, fn, i);
		cpf_id m = cpf_col_id(&p->locations.mapping, i);
		struct cpf_coverage_lib *lib = &c->libs[m == CPF_NONE ? p->nmappings : m];

		if (used && used[i]) {
			lib->frames += l.lines;
			lib->named += l.named;
		}
		c->leaf += leaf[i];
		c->all += all[i] * l.lines;
		c->all_named += all[i] * l.named;
		lib->all += all[i] * (l.lines - l.named);
		if (l.leaf)
			c->leaf_named += leaf[i];
		else
			lib->leaf += leaf[i];
	}
	for (i = 0; i < c->nlibs; i++)
		c->libs[i].mapping = i < p->nmappings ? i : CPF_NONE;
	cpf_free(fn);
}

void cpf_coverage_of(
	struct cpf_coverage *c, const struct cpf_profile *p, const struct cpf_places *places)
{
	add_locations(c, p, places->leaf, places->all, NULL);
}

void cpf_coverage_build(struct cpf_coverage *c, const struct cpf_profile *p, uint32_t raw)
{
	uint8_t *used = cpf_calloc(p->nodes.n, 1);
	uint8_t *place_used = cpf_calloc((size_t)p->locations.n + 1, 1);
	double *sum = node_weights(p, raw, used), *leaf, *all;
	uint32_t i, loc, parent;

	leaf = cpf_calloc((size_t)p->locations.n + 1, sizeof(*leaf));
	all = cpf_calloc((size_t)p->locations.n + 1, sizeof(*all));
	/* Parents come before children: backwards, the sum of a subtree is complete when it is met. */
	for (i = 1; i < p->nodes.n; i++)
		leaf[cpf_col_id(&p->nodes.location, i)] += sum[i];
	for (i = p->nodes.n; i-- > 1;) {
		if (!used[i])
			continue;
		loc = cpf_col_id(&p->nodes.location, i);
		parent = cpf_col_id(&p->nodes.parent, i);
		place_used[loc] = 1;
		all[loc] += sum[i];
		used[parent] = 1;
		sum[parent] += sum[i];
	}
	cpf_free(sum);
	cpf_free(used);
	add_locations(c, p, leaf, all, place_used);
	cpf_free(leaf);
	cpf_free(all);
	cpf_free(place_used);
}

void cpf_coverage_reasons(struct cpf_coverage *c, const struct cpf_lib_reason *reasons)
{
	uint32_t i;

	for (i = 0; reasons && i < c->nlibs; i++)
		c->libs[i].why = &reasons[i];
}

void cpf_coverage_release(struct cpf_coverage *c)
{
	cpf_free(c->libs);
	memset(c, 0, sizeof(*c));
}
