#include "base/base.h"

#include "base/mem.h"
#include "core/merge.h"
#include "core/merge_rows.h"

int cpf_multiply(struct cpf_profile *p, int64_t num, int64_t den, struct cpf_err *e)
{
	struct cpf_value_type t = {0};
	struct cpf_samples *s = &p->samples;
	uint32_t c, i;
	int64_t v;

	if (den <= 0 || num == INT64_MIN)
		return cpf_fail(e, CPF_E_USAGE, "cannot multiply by %" PRId64 "/%" PRId64, num, den);
	t.num = num < 0 ? -num : num;
	t.den = den;
	for (c = 0; c < s->nraw; c++)
		for (i = 0; i < s->n; i++) {
			if (cpf_scale(&v, &t, cpf_col_get(&s->raw[c], i), e))
				return -1;
			if (num < 0 && v == INT64_MIN)
				return cpf_fail(e, CPF_E_RANGE,
					"value %" PRId64 " times -1 does not fit 64 bits", v);
			cpf_col_set(&s->raw[c], i, num < 0 ? -v : v);
		}
	return 0;
}

/* A value column for each type, in its order, with factor 1. */
static int separate_types(struct cpf_profile *p, struct cpf_err *e)
{
	struct cpf_samples *s = &p->samples;
	struct cpf_col *raw = cpf_calloc((size_t)p->ntypes + 1, sizeof(*raw));
	uint32_t t, i;
	int64_t v;

	for (t = 0; t < p->ntypes; t++)
		for (i = 0; i < s->n; i++) {
			if (cpf_scale(&v, &p->types[t],
				    cpf_col_get(&s->raw[p->types[t].raw], i), e))
				goto fail;
			cpf_col_push(&raw[t], v);
		}
	for (i = 0; i < s->nraw; i++)
		cpf_col_release(&s->raw[i]);
	cpf_free(s->raw);
	s->raw = raw;
	s->nraw = p->ntypes;
	p->raw_cap = (size_t)p->ntypes + 1;
	for (t = 0; t < p->ntypes; t++) {
		p->types[t].raw = t;
		p->types[t].num = p->types[t].den = 1;
	}
	return 0;
fail:
	for (t = 0; t < p->ntypes; t++)
		cpf_col_release(&raw[t]);
	cpf_free(raw);
	return -1;
}

static void keep_column(struct cpf_col *c, const uint8_t *keep, size_t n)
{
	size_t i, to = 0;

	for (i = 0; i < n; i++)
		if (keep[i]) {
			if (to != i)
				cpf_col_set(c, to, cpf_col_get(c, i));
			to++;
		}
	cpf_col_truncate(c, to);
}

static void keep_samples(struct cpf_profile *p, const uint8_t *keep)
{
	struct cpf_samples *s = &p->samples;
	uint32_t i, n = 0;

	for (i = 0; i < s->n; i++)
		n += keep[i];
	if (n == s->n)
		return;
	keep_column(&s->node, keep, s->n);
	keep_column(&s->thread, keep, s->n);
	keep_column(&s->time, keep, s->n);
	keep_column(&s->labels, keep, s->n);
	for (i = 0; i < s->nraw; i++)
		keep_column(&s->raw[i], keep, s->n);
	s->n = n;
}

int cpf_scale_types(struct cpf_profile *p, const double *ratios, struct cpf_err *e)
{
	struct cpf_samples *s = &p->samples;
	uint8_t *keep;
	uint32_t t, i;
	int ones = 1;

	for (t = 0; t < p->ntypes; t++)
		ones &= ratios[t] == 1.0;
	if (ones)
		return 0;
	if (separate_types(p, e))
		return -1;
	keep = cpf_calloc((size_t)s->n + 1, 1);
	for (t = 0; t < p->ntypes; t++) {
		if (ratios[t] == 1.0)
			continue;
		for (i = 0; i < s->n; i++) {
			int64_t v = cpf_round64((double)cpf_col_get(&s->raw[t], i) * ratios[t]);

			cpf_col_set(&s->raw[t], i, v);
			keep[i] |= v != 0;
		}
	}
	keep_samples(p, keep);
	cpf_free(keep);
	return 0;
}

static int same_text(const struct cpf_profile *a, cpf_str x, const struct cpf_profile *b, cpf_str y)
{
	struct cpf_text s = cpf_text(a, x), t = cpf_text(b, y);

	return s.len == t.len && !memcmp(s.s, t.s, s.len);
}

/* Wraps around, as pprof's sums do. */
static int wrapped_sum(int64_t *out, const struct cpf_profile *p, uint32_t type, struct cpf_err *e)
{
	uint32_t i;
	int64_t v;

	*out = 0;
	for (i = 0; i < p->samples.n; i++) {
		if (cpf_scale(&v, &p->types[type],
			    cpf_col_get(&p->samples.raw[p->types[type].raw], i), e))
			return -1;
		*out = cpf_wrap_add(*out, v);
	}
	return 0;
}

int cpf_normalize(struct cpf_profile *p, const struct cpf_profile *base, struct cpf_err *e)
{
	double *ratios;
	int64_t sum, want;
	uint32_t t;
	int r = 0;

	if (p->ntypes != base->ntypes)
		return cpf_fail(e, CPF_E_USAGE,
			"incompatible sample types: %" PRIu32 " and %" PRIu32 " of them", p->ntypes,
			base->ntypes);
	for (t = 0; t < p->ntypes; t++)
		if (!same_text(p, p->types[t].type, base, base->types[t].type) ||
			!same_text(p, p->types[t].unit, base, base->types[t].unit))
			return cpf_fail(e, CPF_E_USAGE,
				"incompatible sample types: %s/%s and %s/%s",
				cpf_cstr(p, p->types[t].type), cpf_cstr(p, p->types[t].unit),
				cpf_cstr(base, base->types[t].type),
				cpf_cstr(base, base->types[t].unit));
	ratios = cpf_calloc((size_t)p->ntypes + 1, sizeof(*ratios));
	for (t = 0; t < p->ntypes && !r; t++) {
		r = wrapped_sum(&sum, p, t, e) || wrapped_sum(&want, base, t, e) ? -1 : 0;
		ratios[t] = !r && sum ? (double)want / (double)sum : 0.0;
	}
	if (!r)
		r = cpf_scale_types(p, ratios, e);
	cpf_free(ratios);
	return r;
}

void cpf_set_label(struct cpf_profile *p, const char *key, const char *value)
{
	struct cpf_label_sets *t = &p->label_sets;
	uint32_t sets = t->n, set, i, n;
	struct cpf_label *labels = NULL, added = {0};
	size_t cap = 0;
	cpf_id *now = cpf_calloc(sets, sizeof(*now));

	added.key = cpf_intern_z(p, key);
	added.str = cpf_intern_z(p, value);
	for (set = 0; set < sets; set++) {
		n = 0;
		CPF_GROW(labels, cap, (size_t)(t->first[set + 1] - t->first[set]) + 1);
		for (i = t->first[set]; i < t->first[set + 1]; i++)
			if (t->labels[i].key != added.key)
				labels[n++] = t->labels[i];
		labels[n++] = added;
		now[set] = cpf_find_labels(p, labels, n);
	}
	for (i = 0; i < p->samples.n; i++)
		cpf_col_set(&p->samples.labels, i, now[cpf_col_id(&p->samples.labels, i)]);
	cpf_free(now);
	cpf_free(labels);
}
