#include "view/sums.h"

#include "base/mem.h"

/* Rows at a time; samples are given back in pieces of so many. */
enum { BLOCK = 1024, PIECE = 64 * BLOCK };

void cpf_sums_release(struct cpf_sums *s)
{
	cpf_free(s->v);
	cpf_free(s->wide);
	memset(s, 0, sizeof(*s));
}

void cpf_sums_add_slow(struct cpf_sums *s, uint32_t node, int64_t x)
{
	int64_t sum;

	s->wraps |= cpf_add64(&sum, cpf_sums_get(s, node), x);
	if (!cpf_sum_is_direct(s->v[node])) {
		s->wide[s->v[node] - CPF_SUM_DIRECT] = sum;
		return;
	}
	if (sum >= -(int64_t)CPF_SUM_DIRECT && sum < (int64_t)CPF_SUM_DIRECT) {
		s->v[node] = (uint32_t)sum;
		return;
	}
	/* So many take 16 GiB. */
	CPF_GROW(s->wide, s->wide_cap,
		s->nwide < 2 * CPF_SUM_DIRECT ? (size_t)s->nwide + 1 : SIZE_MAX);
	s->wide[s->nwide] = sum;
	s->v[node] = CPF_SUM_DIRECT + s->nwide++;
}

static void add_rows(struct cpf_sums *s, struct cpf_sums_info *info, const struct cpf_profile *p,
	uint32_t raw, uint32_t at, uint32_t n)
{
	uint32_t nodes[BLOCK], i;
	int64_t values[BLOCK];
	uint64_t magnitude;

	cpf_col_read32(&p->samples.node, at, n, nodes);
	cpf_col_read(&p->samples.raw[raw], at, n, values);
	for (i = 0; i < n; i++) {
		cpf_sums_add(s, nodes[i], values[i]);
		s->wraps |= __builtin_add_overflow(info->total, values[i], &info->total);
		info->negative |= values[i] < 0;
		magnitude = info->magnitude + cpf_abs64(values[i]);
		info->magnitude = magnitude < info->magnitude ? UINT64_MAX : magnitude;
		info->nempty += !nodes[i];
	}
}

static void begin(struct cpf_sums *s, struct cpf_sums_info *i, const struct cpf_profile *p)
{
	memset(s, 0, sizeof(*s));
	memset(i, 0, sizeof(*i));
	s->n = p->nodes.n;
	s->v = cpf_calloc(p->nodes.n, sizeof(*s->v));
}

void cpf_sums_build(
	struct cpf_sums *s, struct cpf_sums_info *i, const struct cpf_profile *p, uint32_t raw)
{
	uint32_t at, n;

	begin(s, i, p);
	for (at = 0; at < p->samples.n; at += n) {
		n = p->samples.n - at < BLOCK ? p->samples.n - at : BLOCK;
		add_rows(s, i, p, raw, at, n);
	}
}

void cpf_sums_take(struct cpf_sums *s, struct cpf_sums_info *i, struct cpf_profile *p, uint32_t raw)
{
	struct cpf_samples *t = &p->samples;
	uint32_t k, at = t->n, n;

	cpf_col_release(&t->thread);
	cpf_col_release(&t->time);
	cpf_col_release(&t->labels);
	for (k = 0; k < t->nraw; k++)
		if (k != raw)
			cpf_col_release(&t->raw[k]);
	begin(s, i, p);
	while (at) {
		n = at % BLOCK ? at % BLOCK : BLOCK;
		at -= n;
		add_rows(s, i, p, raw, at, n);
		if (at % PIECE)
			continue;
		cpf_col_truncate(&t->node, at);
		cpf_col_trim(&t->node);
		cpf_col_truncate(&t->raw[raw], at);
		cpf_col_trim(&t->raw[raw]);
	}
}

void cpf_sums_up(struct cpf_sums *s, const struct cpf_profile *p)
{
	uint32_t parents[BLOCK], end, from, i;

	for (end = s->n; end > 0; end = from) {
		from = end > BLOCK ? end - BLOCK : 0;
		cpf_col_read32(&p->nodes.parent, from, end - from, parents);
		for (i = end - from; i-- > 0;)
			if (from + i && s->v[from + i])
				cpf_sums_add(s, parents[i], cpf_sums_get(s, from + i));
	}
}

void cpf_places_all(struct cpf_places *l, const struct cpf_profile *p, const struct cpf_sums *up)
{
	uint32_t locs[BLOCK], at, n, i;

	l->all = cpf_calloc((size_t)p->locations.n + 1, sizeof(*l->all));
	for (at = 1; at < up->n; at += n) {
		n = up->n - at < BLOCK ? up->n - at : BLOCK;
		cpf_col_read32(&p->nodes.location, at, n, locs);
		for (i = 0; i < n; i++)
			l->all[locs[i]] += (double)cpf_sums_get(up, at + i);
	}
}

void cpf_places_release(struct cpf_places *l)
{
	cpf_free(l->leaf);
	cpf_free(l->all);
	memset(l, 0, sizeof(*l));
}
