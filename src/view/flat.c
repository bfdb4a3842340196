#include "view/flat.h"

#include "base/mem.h"
#include "view/walk.h"

enum { BLOCK = 1024 };

struct sweep {
	struct cpf_sums sums;
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

static void add_flat(struct sweep *s, struct cpf_flat *f, const struct cpf_profile *p,
	const struct cpf_keys *k)
{
	uint32_t locs[BLOCK], at, n, i;

	for (at = 1; at < p->nodes.n; at += n) {
		n = p->nodes.n - at < BLOCK ? p->nodes.n - at : BLOCK;
		cpf_col_read32(&p->nodes.location, at, n, locs);
		for (i = 0; i < n; i++) {
			int64_t sum = cpf_sums_get(&s->sums, at + i);
			uint32_t key;

			if (!sum)
				continue;
			key = k->ids[k->first[locs[i]]];
			f->flat[key] = add(s, f->flat[key], sum);
		}
	}
}

/* single: every location has one key, so that ids has one entry a location. */
static CPF_INLINE void sweep_down(struct sweep *s, struct cpf_flat *f, const struct cpf_profile *p,
	const struct cpf_keys *k, int single)
{
	uint32_t was = 0, d, i, loc, end, key;
	struct cpf_walk w;

	cpf_walk_init(&w, p);
	for (; cpf_walk_next(&w); was = w.depth) {
		while (was > w.cut) {
			loc = s->locs[--was];
			end = single ? loc + 1 : k->first[loc + 1];
			for (i = single ? loc : k->first[loc]; i < end; i++)
				s->active[k->ids[i]]--;
		}
		CPF_GROW(s->locs, s->locs_cap, w.depth);
		for (d = w.cut; d < w.depth; d++) {
			int count = w.fresh && d + 1 == w.depth;

			s->locs[d] = loc = cpf_col_id(&p->nodes.location, w.path[d]);
			end = single ? loc + 1 : k->first[loc + 1];
			for (i = single ? loc : k->first[loc]; i < end; i++) {
				key = k->ids[i];
				if (!s->active[key]++ && count)
					f->cum[key] = add(
						s, f->cum[key], cpf_sums_get(&s->sums, w.node));
			}
		}
	}
	cpf_walk_release(&w);
}

static void add_cum(struct sweep *s, struct cpf_flat *f, const struct cpf_profile *p,
	const struct cpf_keys *k)
{
	if (k->first[p->locations.n] == p->locations.n)
		sweep_down(s, f, p, k, 1);
	else
		sweep_down(s, f, p, k, 0);
}

/* From own sums of nodes; places may be NULL. Releases the sums. */
static int sweep(struct sweep *s, struct cpf_flat *f, const struct cpf_sums_info *info,
	struct cpf_places *places, const struct cpf_profile *p, const struct cpf_keys *k)
{
	memset(f, 0, sizeof(*f));
	f->n = k->n;
	f->flat = cpf_calloc(k->n ? k->n : 1, sizeof(*f->flat));
	f->cum = cpf_calloc(k->n ? k->n : 1, sizeof(*f->cum));
	f->total = info->total;
	f->empty = cpf_sums_get(&s->sums, 0);
	f->nempty = info->nempty;
	f->magnitude = info->magnitude;
	f->negative = info->negative;
	s->active = cpf_calloc(k->n ? k->n : 1, sizeof(*s->active));
	if (places && !f->negative)
		cpf_places_leaf(places, p, &s->sums);
	add_flat(s, f, p, k);
	cpf_sums_up(&s->sums, p);
	if (places && !f->negative)
		cpf_places_all(places, p, &s->sums);
	add_cum(s, f, p, k);
	s->wraps |= s->sums.wraps;
	cpf_sums_release(&s->sums);
	cpf_free(s->active);
	cpf_free(s->locs);
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
	struct sweep s = {0};

	cpf_sums_build(&s.sums, &info, p, raw);
	return sweep(&s, f, &info, NULL, p, k) && mode == CPF_FLAT_CHECKED ? too_large(f, e) : 0;
}

int cpf_flat_take(struct cpf_flat *f, struct cpf_places *places, struct cpf_profile *p,
	const struct cpf_keys *k, uint32_t raw, struct cpf_err *e)
{
	struct cpf_sums_info info;
	struct sweep s = {0};

	memset(places, 0, sizeof(*places));
	cpf_sums_take(&s.sums, &info, p, raw);
	return sweep(&s, f, &info, places, p, k) ? too_large(f, e) : 0;
}

void cpf_flat_release(struct cpf_flat *f)
{
	cpf_free(f->flat);
	cpf_free(f->cum);
	memset(f, 0, sizeof(*f));
}
