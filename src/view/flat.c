#include "view/flat.h"

#include "base/mem.h"
#include "base/par.h"
#include "view/walk.h"

/* Trees of fewer nodes are not worth a second thread. */
enum { BLOCK = 1024, WORTH_TWO = 100000 };

struct sweep {
	struct cpf_sums sums;
	const struct cpf_profile *p;
	const struct cpf_keys *k;
	int wraps;        /* a sum went past 64 bits */
};

/* Totals of the nodes [from, to). */
struct half {
	const struct sweep *s;
	uint32_t from, to;
	int64_t *cum;     /* per key */
	uint32_t *active; /* per key: how often it is on the path */
	uint32_t *locs;   /* per entry of the path */
	size_t locs_cap;
	int wraps;
};

static inline int64_t add(int *wraps, int64_t a, int64_t b)
{
	int64_t r;

	*wraps |= __builtin_add_overflow(a, b, &r);
	return r;
}

/* By location first, of which there are fewer than nodes; leaf: the same for others, or NULL. */
static void add_flat(struct sweep *s, struct cpf_flat *f, double *leaf)
{
	const struct cpf_profile *p = s->p;
	int64_t *sums = cpf_calloc((size_t)p->locations.n + 1, sizeof(*sums));
	uint32_t locs[BLOCK], at, n, i, key;

	for (at = 1; at < p->nodes.n; at += n) {
		n = p->nodes.n - at < BLOCK ? p->nodes.n - at : BLOCK;
		cpf_col_read32(&p->nodes.location, at, n, locs);
		for (i = 0; i < n; i++)
			sums[locs[i]] = add(
				&s->wraps, sums[locs[i]], cpf_sums_get(&s->sums, at + i));
	}
	for (i = 0; i < p->locations.n; i++) {
		key = s->k->ids[s->k->first[i]];
		f->flat[key] = add(&s->wraps, f->flat[key], sums[i]);
		if (leaf)
			leaf[i] = (double)sums[i];
	}
	cpf_free(sums);
}

/* Keys of what stands at loc, as a range of ids. single: one key a location, ids has one entry each. */
static CPF_INLINE uint32_t keys_at(const struct cpf_keys *k, uint32_t loc, uint32_t *end, int single)
{
	*end = single ? loc + 1 : k->first[loc + 1];
	return single ? loc : k->first[loc];
}

static CPF_INLINE void leave(uint32_t *active, const struct cpf_keys *k, uint32_t loc, int single)
{
	uint32_t end, i = keys_at(k, loc, &end, single);

	for (; i < end; i++)
		active[k->ids[i]]--;
}

/* Counts sum for the keys at loc that are not on the path yet. */
static CPF_INLINE void enter(struct half *h, uint32_t *active, const struct cpf_keys *k,
	uint32_t loc, int64_t sum, int single)
{
	uint32_t end, key, i = keys_at(k, loc, &end, single);

	for (; i < end; i++) {
		key = k->ids[i];
		if (!active[key]++)
			h->cum[key] = add(&h->wraps, h->cum[key], sum);
	}
}

/*
 * Steps of cpf_walk_next as long as they are of the usual kind: what is on the path stays in local
 * variables, since there are millions of nodes.
 */
static CPF_INLINE void sweep_block(struct half *h, struct cpf_walk *w, int single)
{
	uint32_t *path = w->path, *on = h->locs, *active = h->active;
	uint32_t node = w->next, d = w->depth, end = w->block_end, at = node - w->block, up, loc;
	const struct cpf_sums *sums = &h->s->sums;
	const struct cpf_keys *k = h->s->k;
	uint32_t locs[CPF_WALK_BLOCK];

	cpf_col_read32(&h->s->p->nodes.location, node, end - node, locs + at);
	for (; node < end && d < w->cap; node++, at++) {
		up = w->parents[at];
		while (d && path[d - 1] > up)
			leave(active, k, on[--d], single);
		if (CPF_UNLIKELY((d ? path[d - 1] : 0) != up))
			break;
		path[d] = node;
		on[d++] = loc = locs[at];
		enter(h, active, k, loc, cpf_sums_get(sums, node), single);
	}
	w->next = node;
	w->depth = d;
}

static CPF_INLINE void sweep_down(struct half *h, int single)
{
	const struct cpf_keys *k = h->s->k;
	const struct cpf_profile *p = h->s->p;
	struct cpf_walk w;
	uint32_t was, d;

	cpf_walk_init_part(&w, p, h->from, h->to);
	for (was = 0; cpf_walk_slow(&w); was = w.depth) {
		while (was > w.cut)
			leave(h->active, k, h->locs[--was], single);
		CPF_GROW(h->locs, h->locs_cap, w.cap);
		for (d = w.cut; d < w.depth; d++) {
			h->locs[d] = cpf_col_id(&p->nodes.location, w.path[d]);
			enter(h, h->active, k, h->locs[d],
				w.fresh && d + 1 == w.depth ? cpf_sums_get(&h->s->sums, w.node) : 0,
				single);
		}
		if (w.next < w.block_end)
			sweep_block(h, &w, single);
	}
	cpf_walk_release(&w);
}

static void add_half(void *arg)
{
	struct half *h = arg;
	const struct cpf_keys *k = h->s->k;

	h->active = cpf_calloc(k->n ? k->n : 1, sizeof(*h->active));
	if (k->first[h->s->p->locations.n] == h->s->p->locations.n)
		sweep_down(h, 1);
	else
		sweep_down(h, 0);
	cpf_free(h->active);
	cpf_free(h->locs);
}

/* How the nodes are cut depends on nothing but their number, so the outcome is always the same. */
static void add_cum(struct sweep *s, struct cpf_flat *f)
{
	uint32_t n = s->p->nodes.n, mid = n < WORTH_TWO ? n : n / 2, i;
	struct half a = {.s = s, .from = 1, .to = mid, .cum = f->cum}, b = a;

	if (mid == n) {
		add_half(&a);
	} else {
		b.from = mid;
		b.to = n;
		b.cum = cpf_calloc(f->n ? f->n : 1, sizeof(*b.cum));
		cpf_run_both(add_half, &a, &b);
		for (i = 0; i < f->n; i++)
			f->cum[i] = add(&s->wraps, f->cum[i], b.cum[i]);
		cpf_free(b.cum);
	}
	s->wraps |= a.wraps | b.wraps;
}

/* From own sums of nodes; places may be NULL. Releases the sums. */
static int sweep(struct sweep *s, struct cpf_flat *f, const struct cpf_sums_info *info,
	struct cpf_places *places)
{
	memset(f, 0, sizeof(*f));
	f->n = s->k->n;
	f->flat = cpf_calloc(f->n ? f->n : 1, sizeof(*f->flat));
	f->cum = cpf_calloc(f->n ? f->n : 1, sizeof(*f->cum));
	f->total = info->total;
	f->empty = cpf_sums_get(&s->sums, 0);
	f->nempty = info->nempty;
	f->magnitude = info->magnitude;
	f->negative = info->negative;
	if (places && !f->negative)
		places->leaf = cpf_calloc((size_t)s->p->locations.n + 1, sizeof(*places->leaf));
	add_flat(s, f, places ? places->leaf : NULL);
	cpf_sums_up(&s->sums, s->p);
	if (places && !f->negative)
		cpf_places_all(places, s->p, &s->sums);
	add_cum(s, f);
	s->wraps |= s->sums.wraps;
	cpf_sums_release(&s->sums);
	return s->wraps;
}

static int too_large(struct cpf_flat *f, struct cpf_err *e)
{
	cpf_flat_release(f);
	return cpf_fail(e, CPF_E_RANGE, "the sum of the values does not fit 64 bits");
}

int cpf_flat_build(struct cpf_flat *f, const struct cpf_profile *p, const struct cpf_keys *k,
	uint32_t raw, enum cpf_flat_mode mode, struct cpf_err *e)
{
	struct cpf_sums_info info;
	struct sweep s = {.p = p, .k = k};

	cpf_sums_build(&s.sums, &info, p, raw);
	return sweep(&s, f, &info, NULL) && mode == CPF_FLAT_CHECKED ? too_large(f, e) : 0;
}

int cpf_flat_take(struct cpf_flat *f, struct cpf_places *places, struct cpf_profile *p,
	const struct cpf_keys *k, uint32_t raw, struct cpf_err *e)
{
	struct cpf_sums_info info;
	struct sweep s = {.p = p, .k = k};

	memset(places, 0, sizeof(*places));
	cpf_sums_take(&s.sums, &info, p, raw);
	return sweep(&s, f, &info, places) ? too_large(f, e) : 0;
}

void cpf_flat_release(struct cpf_flat *f)
{
	cpf_free(f->flat);
	cpf_free(f->cum);
	memset(f, 0, sizeof(*f));
}
