#include "view/flat.h"

#include "base/mem.h"
#include "view/walk.h"

#define BLOCK 1024

struct sweep {
	int64_t *sum;     /* per node: of its samples, later of its subtree */
	uint32_t *active; /* per key: how often it is on the path */
	uint32_t *locs;   /* per entry of the path */
	size_t locs_cap;
	int wraps;        /* a sum went past 64 bits */
};

static inline int64_t add(struct sweep *s, int64_t a, int64_t b)
{
	int64_t r;

	s->wraps |= __builtin_add_overflow(a, b, &r);
	return r;
}

static void add_samples(struct sweep *s, struct cpf_flat *f, const struct cpf_profile *p, uint32_t raw)
{
	uint32_t nodes[BLOCK], i, at, n;
	int64_t values[BLOCK];

	for (at = 0; at < p->samples.n; at += n) {
		n = p->samples.n - at < BLOCK ? p->samples.n - at : BLOCK;
		cpf_col_read32(&p->samples.node, at, n, nodes);
		cpf_col_read(&p->samples.raw[raw], at, n, values);
		for (i = 0; i < n; i++) {
			s->sum[nodes[i]] = add(s, s->sum[nodes[i]], values[i]);
			f->total = add(s, f->total, values[i]);
			f->nempty += !nodes[i];
		}
	}
	f->empty = s->sum[0];
}

/* Adds the sums of children to their parents: node sums become subtree sums. */
static void sum_up(struct sweep *s, const struct cpf_profile *p)
{
	uint32_t parents[BLOCK], end, from, i;

	for (end = p->nodes.n; end > 0; end = from) {
		from = end > BLOCK ? end - BLOCK : 0;
		cpf_col_read32(&p->nodes.parent, from, end - from, parents);
		for (i = end - from; i-- > 0;)
			if (from + i && s->sum[from + i])
				s->sum[parents[i]] = add(s, s->sum[parents[i]], s->sum[from + i]);
	}
}

static void add_flat(struct sweep *s, struct cpf_flat *f, const struct cpf_profile *p,
	const struct cpf_keys *k)
{
	uint32_t locs[BLOCK], at, n, i;

	for (at = 0; at < p->nodes.n; at += n) {
		n = p->nodes.n - at < BLOCK ? p->nodes.n - at : BLOCK;
		cpf_col_read32(&p->nodes.location, at, n, locs);
		for (i = at ? 0 : 1; i < n; i++) {
			uint32_t key;

			if (!s->sum[at + i])
				continue;
			key = k->ids[k->first[locs[i]]];
			f->flat[key] = add(s, f->flat[key], s->sum[at + i]);
		}
	}
}

static void add_cum(struct sweep *s, struct cpf_flat *f, const struct cpf_profile *p,
	const struct cpf_keys *k)
{
	uint32_t was = 0, d, i;
	struct cpf_walk w;

	cpf_walk_init(&w, p);
	for (; cpf_walk_next(&w); was = w.depth) {
		while (was > w.cut) {
			uint32_t loc = s->locs[--was];

			for (i = k->first[loc]; i < k->first[loc + 1]; i++)
				s->active[k->ids[i]]--;
		}
		CPF_GROW(s->locs, s->locs_cap, w.depth);
		for (d = w.cut; d < w.depth; d++) {
			uint32_t loc = cpf_col_id(&p->nodes.location, w.path[d]);
			int count = w.fresh && d + 1 == w.depth;

			s->locs[d] = loc;
			for (i = k->first[loc]; i < k->first[loc + 1]; i++) {
				uint32_t key = k->ids[i];

				if (!s->active[key]++ && count)
					f->cum[key] = add(s, f->cum[key], s->sum[w.node]);
			}
		}
	}
	cpf_walk_release(&w);
}

int cpf_flat_build(struct cpf_flat *f, const struct cpf_profile *p, const struct cpf_keys *k,
	uint32_t raw, enum cpf_flat_mode mode, struct cpf_err *e)
{
	struct sweep s = {0};

	memset(f, 0, sizeof(*f));
	f->n = k->n;
	f->flat = cpf_calloc(k->n ? k->n : 1, sizeof(*f->flat));
	f->cum = cpf_calloc(k->n ? k->n : 1, sizeof(*f->cum));
	s.sum = cpf_calloc(p->nodes.n, sizeof(*s.sum));
	s.active = cpf_calloc(k->n ? k->n : 1, sizeof(*s.active));
	add_samples(&s, f, p, raw);
	add_flat(&s, f, p, k);
	sum_up(&s, p);
	add_cum(&s, f, p, k);
	cpf_free(s.sum);
	cpf_free(s.active);
	cpf_free(s.locs);
	if (s.wraps && mode == CPF_FLAT_CHECKED) {
		cpf_flat_release(f);
		return cpf_fail(e, CPF_E_RANGE, "the sum of the values does not fit 64 bits");
	}
	return 0;
}

void cpf_flat_release(struct cpf_flat *f)
{
	cpf_free(f->flat);
	cpf_free(f->cum);
	memset(f, 0, sizeof(*f));
}
