/*
 * firefox_write_values.c - which numbers of samples are written, as what, and when samples were.
 */
#include "formats/firefox_write.h"

#include "base/mem.h"
#include "base/num.h"

#define MILLION INT64_C(1000000)

/* Which value type. */

static int find_type(const struct cpf_profile *p, const char *type, int (*unit)(const char *))
{
	uint32_t i;

	for (i = 0; i < p->ntypes; i++)
		if (!strcmp(cpf_cstr(p, p->types[i].type), type) &&
			unit(cpf_cstr(p, p->types[i].unit)))
			return (int)i;
	return -1;
}

static int is_count(const char *unit)
{
	return !strcmp(unit, "count");
}

static int from_firefox(const struct cpf_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->nsources; i++)
		if (strcmp(p->sources[i].format, "firefox") != 0 &&
			strcmp(p->sources[i].format, "gecko") != 0)
			return 0;
	return p->nsources > 0;
}

/* 10^k as k; -1 if it is no power of ten up to 10^6. */
static int power_of_ten(int64_t v)
{
	int k = 0;

	for (; v % 10 == 0 && k < 6; v /= 10)
		k++;
	return v == 1 ? k : -1;
}

/* The value type times factor, in so many decimals as it takes, but no more than 6. */
static void take(struct cpf_fw_value *v, const struct cpf_profile *p, int type, int64_t factor,
	int digits)
{
	const struct cpf_value_type *t = &p->types[type];
	int k = power_of_ten(t->den);

	v->have = 1;
	v->raw = t->raw;
	v->digits = digits;
	v->den = t->den;
	if (cpf_mul64(&v->num, t->num, factor))
		v->num = 0;
	if (v->den == 1)
		return;
	if (k >= 0 && digits + k <= 6) {
		v->digits += k;
		v->den = 1;
		return;
	}
	for (; v->digits < 6 && v->num && !cpf_mul64(&v->num, v->num, 10); v->digits++)
		;
	v->carry = v->den / 2;
}

static int64_t unit_factor(const char *unit, const char *to)
{
	const char *suffix;

	return (int64_t)(cpf_unit_scale(1, unit, to, &suffix) + 0.5);
}

static int any_negative(const struct cpf_col *c)
{
	size_t i;

	if (!c->width)
		return c->n && c->value < 0;
	for (i = 0; i < c->n; i++)
		if (cpf_col_get(c, i) < 0)
			return 1;
	return 0;
}

static int all_multiples(const struct cpf_col *c, int64_t of)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (cpf_col_get(c, i) % of)
			return 0;
	return 1;
}

/* CPU deltas are differences of a clock, so none of them is negative. */
static void take_cpu(struct cpf_fw_values *v, const struct cpf_profile *p, int type)
{
	const struct cpf_value_type *t = &p->types[type];
	int64_t factor = unit_factor(cpf_cstr(p, t->unit), "nanoseconds");
	const struct cpf_col *raw = &p->samples.raw[t->raw];

	if (any_negative(raw))
		return;
	take(&v->cpu, p, type, factor, 0);
	/* Beside weights of the same numbers: rounded as they are, to whole nanoseconds. */
	if (v->only == type && v->cpu.digits) {
		v->cpu = v->weight[CPF_FW_MS];
		v->cpu.digits = 0;
		return;
	}
	if (v->cpu.num % 1000 == 0) {
		v->cpu_micros = 1;
		v->cpu.num /= 1000;
	} else if (v->cpu.num == 1 && v->cpu.den == 1 && all_multiples(raw, 1000)) {
		v->cpu_micros = 1;
		v->cpu.den = 1000;
	}
}

static void take_weight(struct cpf_fw_values *v, const struct cpf_profile *p, int type)
{
	const char *unit = cpf_cstr(p, p->types[type].unit);

	/* Milliseconds with six decimals: whole nanoseconds. */
	if (cpf_unit_is_time(unit))
		take(&v->weight[CPF_FW_MS], p, type, unit_factor(unit, "nanoseconds"), 6);
	else if (cpf_unit_is_memory(unit))
		take(&v->weight[CPF_FW_BYTES], p, type, unit_factor(unit, "bytes"), 0);
	else
		take(&v->weight[CPF_FW_SAMPLES], p, type, 1, 0);
}

/*
 * What Firefox's model has: a count of samples, from which wall time follows, and CPU deltas. Such a
 * profile may have come by way of pprof. Else one type is written, as the weight.
 */
static int take_model(struct cpf_fw_values *v, const struct cpf_profile *p)
{
	int samples = find_type(p, "samples", is_count);
	int wall = find_type(p, "wall", cpf_unit_is_time);
	int time = find_type(p, "time", cpf_unit_is_time);
	int bytes = find_type(p, "bytes", cpf_unit_is_memory);
	int cpu = find_type(p, "cpu", cpf_unit_is_time);

	if (samples < 0 || wall < 0) {
		if (!from_firefox(p) || (time < 0 && bytes < 0 && (samples < 0 || cpu < 0)))
			return 0;
	}
	if (samples >= 0)
		take_weight(v, p, samples);
	if (time >= 0)
		take_weight(v, p, time);
	if (bytes >= 0)
		take_weight(v, p, bytes);
	if (cpu >= 0)
		take_cpu(v, p, cpu);
	return 1;
}

static void plan_layout(struct cpf_fw_values *v, const struct cpf_profile *p)
{
	int unit;

	v->layout = 1;
	v->duration = p->head.duration_nanos > 0 ? p->head.duration_nanos : 0;
	v->share.have = 0;
	if (v->cpu.have) {
		v->share = v->cpu;
		v->share_ns = v->cpu_micros ? 1000 : 1;
		/* Nanoseconds, all multiples of a thousand: no division for each. */
		if (v->cpu_micros && v->cpu.num == 1 && v->cpu.den == 1000 && !v->cpu.digits) {
			v->share.den = 1;
			v->share_ns = 1;
		}
		return;
	}
	for (unit = 0; unit < 3; unit++)
		if (v->weight[unit].have) {
			v->share = v->weight[unit];
			v->share_ns = unit == CPF_FW_MS ? 1 : unit == CPF_FW_SAMPLES ? v->interval : 0;
			return;
		}
}

void cpf_fw_values_plan(
	struct cpf_fw_values *v, const struct cpf_profile *p, const struct cpf_save_opts *o)
{
	int type;

	memset(v, 0, sizeof(*v));
	v->only = -1;
	v->interval = cpf_interval(p);
	if (o->type != CPF_NONE || !take_model(v, p)) {
		type = (int)(o->type == CPF_NONE ? p->default_type : o->type);
		if (p->ntypes) {
			v->only = type;
			take_weight(v, p, type);
		}
		/* With the time used as CPU deltas too, the graph of CPU use has something to show. */
		if (p->ntypes && v->weight[CPF_FW_MS].have &&
			!strcmp(cpf_cstr(p, p->types[type].type), "cpu"))
			take_cpu(v, p, type);
		v->drop_zero = !p->samples.has_time;
	}
	if (!p->samples.has_time)
		plan_layout(v, p);
}

int cpf_fw_values_keep(const struct cpf_fw_values *v, const struct cpf_profile *p, uint32_t i)
{
	uint32_t raw = p->types[i].raw;
	int unit;

	for (unit = 0; unit < 3; unit++)
		if (v->weight[unit].have && v->weight[unit].raw == raw)
			return 1;
	if (v->cpu.have && v->cpu.raw == raw)
		return 1;
	/* Wall time that comes from elsewhere than the weights is taken for them times interval. */
	return v->weight[CPF_FW_SAMPLES].have && v->only < 0 &&
	       !strcmp(cpf_cstr(p, p->types[i].type), "wall");
}

static int value_of(int64_t *out, struct cpf_fw_value *v, int64_t raw, struct cpf_err *e)
{
	int64_t part;

	if (CPF_LIKELY(v->num == 1 && v->den == 1)) {
		*out = raw;
		return 0;
	}
	if (!v->num || cpf_mul64(&part, raw, v->num) || cpf_add64(&part, part, v->carry))
		return cpf_fail(e, CPF_E_RANGE, "value %" PRId64 " does not fit 64 bits in %s", raw,
			v->digits == 6 ? "millionths" : "its unit");
	*out = part / v->den;
	part %= v->den;
	if (part < 0) {
		part += v->den;
		--*out;
	}
	if (v->carry)
		v->carry = part;
	return 0;
}

/* Rows. */

static int is_dropped(const struct cpf_fw_values *v, const struct cpf_profile *p, uint32_t i)
{
	int unit;

	for (unit = 0; unit < 3; unit++)
		if (v->weight[unit].have && cpf_col_get(&p->samples.raw[v->weight[unit].raw], i))
			return 0;
	return 1;
}

static int drops(const struct cpf_fw_values *v, const struct cpf_profile *p)
{
	uint32_t i;

	for (i = 0; v->drop_zero && i < p->samples.n; i++)
		if (!is_dropped(v, p, i))
			return 1;
	return 0;
}

/* Stable: merges runs that are in order. */
static void sort_by_time(uint32_t *v, uint32_t n, const struct cpf_col *time)
{
	uint32_t *from = v, *to, *spare, *swap, width, lo, mid, hi, i, j, k;

	for (i = 1; i < n && cpf_col_get(time, v[i - 1]) <= cpf_col_get(time, v[i]); i++)
		;
	if (i >= n)
		return;
	spare = cpf_realloc_array(NULL, n, sizeof(*spare));
	to = spare;
	for (width = 1; width < n; width = width > n / 2 ? n : width * 2) {
		for (lo = 0; lo < n; lo = hi) {
			mid = n - lo > width ? lo + width : n;
			hi = n - mid > width ? mid + width : n;
			for (i = lo, j = mid, k = lo; k < hi; k++)
				if (j == hi || (i < mid && cpf_col_get(time, from[i]) <=
								   cpf_col_get(time, from[j])))
					to[k] = from[i++];
				else
					to[k] = from[j++];
		}
		swap = from;
		from = to;
		to = swap;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
	cpf_free(spare);
}

void cpf_fw_rows_make(
	struct cpf_fw_rows *r, const struct cpf_fw_values *v, const struct cpf_profile *p)
{
	const struct cpf_samples *s = &p->samples;
	int drop = drops(v, p);
	uint32_t i, t, *at;

	r->first = cpf_calloc((size_t)p->nthreads + 2, sizeof(*r->first));
	r->sample = cpf_realloc_array(NULL, (size_t)s->n + 1, sizeof(*r->sample));
	at = cpf_calloc((size_t)p->nthreads + 2, sizeof(*at));
	for (i = 0; i < s->n; i++) {
		t = cpf_col_id(&s->thread, i);
		if (!drop || !is_dropped(v, p, i))
			at[t == CPF_NONE ? p->nthreads : t]++;
	}
	for (t = 0; t <= p->nthreads; t++) {
		r->first[t + 1] = r->first[t] + at[t];
		at[t] = r->first[t];
	}
	for (i = 0; i < s->n; i++) {
		t = cpf_col_id(&s->thread, i);
		if (!drop || !is_dropped(v, p, i))
			r->sample[at[t == CPF_NONE ? p->nthreads : t]++] = i;
	}
	for (t = 0; t <= p->nthreads && s->has_time; t++)
		sort_by_time(r->sample + r->first[t], r->first[t + 1] - r->first[t], &s->time);
	cpf_free(at);
}

void cpf_fw_rows_release(struct cpf_fw_rows *r)
{
	cpf_free(r->sample);
	cpf_free(r->first);
	memset(r, 0, sizeof(*r));
}

/* Times. */

/* a * b / c for b <= c. */
static uint64_t share_of(uint64_t a, uint64_t b, uint64_t c)
{
#if defined(__SIZEOF_INT128__)
	return (uint64_t)((unsigned __int128)a * b / c);
#else
	uint64_t q = 0, r = 0;
	int i;

	/* Bit by bit: r stays below c, which is below 2^63. */
	for (i = 63; i >= 0; i--) {
		q <<= 1;
		r <<= 1;
		if (r >= c) {
			r -= c;
			q++;
		}
		if (a >> i & 1) {
			r += b;
			if (r >= c) {
				r -= c;
				q++;
			}
		}
	}
	return q;
#endif
}

static int bits(uint64_t v)
{
	int n = 0;

	for (; v; v >>= 1)
		n++;
	return n;
}

/* a * b / c shifted up, or 2^62 if it is more. */
static uint64_t worth(uint64_t a, uint64_t b, uint64_t c, int shift)
{
	const uint64_t most = UINT64_C(1) << 62;

	if (shift || a > most / b)
		return most;
	return a * b / c;
}

/*
 * Made-up times: samples one after the other over the duration, each at the end of the part that
 * its value takes. A thread that used more CPU time than there was time (several threads summed) is
 * given as much, so that no delta is longer than the time it falls in.
 */
struct layout {
	struct cpf_fw_value share; /* of its own, since rounding leaves over */
	uint64_t total, span;
	int shift;                 /* shares are cut by so many bits, that their sum fits */
};

static uint64_t next_share(struct layout *l, const struct cpf_profile *p, uint32_t sample)
{
	struct cpf_err e = {0};
	int64_t v = 1;

	if (l->share.have && value_of(&v, &l->share,
				     cpf_col_get(&p->samples.raw[l->share.raw], sample), &e))
		v = INT64_MAX;
	return cpf_abs64(v) >> l->shift;
}

static void plan_thread(struct layout *l, const struct cpf_fw_values *v, const struct cpf_profile *p,
	const uint32_t *sample, uint32_t n)
{
	uint64_t most = 0, x;
	uint32_t i;
	int k;

	*l = (struct layout){.share = v->share, .span = (uint64_t)v->duration};
	for (i = 0; i < n; i++) {
		x = next_share(l, p, sample[i]);
		most = x > most ? x : most;
		l->total += x;
	}
	l->share = v->share;
	l->shift = bits(most) + bits(n) - 62;
	l->shift = l->shift > 0 ? l->shift : 0;
	if (l->shift) {
		for (l->total = 0, i = 0; i < n; i++)
			l->total += next_share(l, p, sample[i]);
		l->share = v->share;
	}
	if (v->share_ns) {
		for (x = 1, k = 0; k < l->share.digits && v->share_ns != 1; k++)
			x *= 10;
		x = worth(l->total, (uint64_t)v->share_ns, x, l->shift);
		l->span = x > l->span ? x : l->span;
	}
	if (!l->span)
		l->span = (uint64_t)n * (uint64_t)(v->interval > 0 ? v->interval : MILLION);
	/* Nothing to go by: all take the same. */
	if (!l->total) {
		l->total = n;
		l->share.have = 0;
		l->shift = 0;
	}
}

static void lay_out(int64_t *time, const struct cpf_fw_values *v, const struct cpf_profile *p,
	const uint32_t *sample, uint32_t n)
{
	struct layout l;
	uint64_t sum = 0;
	uint32_t i;

	plan_thread(&l, v, p, sample, n);
	for (i = 0; i < n; i++) {
		sum += next_share(&l, p, sample[i]);
		time[i] = (int64_t)share_of(l.span, sum, l.total);
	}
}

void cpf_fw_span(const struct cpf_fw_values *v, const struct cpf_profile *p, const uint32_t *sample,
	uint32_t n, int64_t *first, int64_t *last)
{
	int64_t low, high;
	struct layout l;

	if (!n)
		return;
	if (v->layout) {
		plan_thread(&l, v, p, sample, n);
		low = (int64_t)share_of(l.span, next_share(&l, p, sample[0]), l.total);
		high = (int64_t)l.span;
	} else {
		low = cpf_col_get(&p->samples.time, sample[0]);
		high = cpf_col_get(&p->samples.time, sample[n - 1]);
	}
	*first = low < *first ? low : *first;
	*last = high > *last ? high : *last;
}

/* samples. */


static int values_of(int64_t *out, struct cpf_fw_values *v, struct cpf_fw_value *value,
	const struct cpf_profile *p, const uint32_t *sample, uint32_t n, struct cpf_err *e)
{
	const struct cpf_col *raw = &p->samples.raw[value->raw];
	int64_t part;
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (value_of(&out[i], value, cpf_col_get(raw, sample[i]), e))
			return -1;
		if (out[i] == INT64_MIN)
			return cpf_fail(e, CPF_E_RANGE, "value %" PRId64 " does not fit 63 bits and a sign",
				cpf_col_get(raw, sample[i]));
		v->inexact += out[i] > CPF_FW_EXACT || out[i] < -CPF_FW_EXACT;
		/* Parts of nanoseconds are not counted. */
		if (CPF_UNLIKELY(value->den != 1) && value != &v->cpu &&
			value != &v->weight[CPF_FW_MS])
			v->rounded += !cpf_mul64(&part, cpf_col_get(raw, sample[i]), value->num) &&
				      part % value->den != 0;
	}
	return 0;
}

/* The unit of a thread's weights: the only one, or the one it has weights in. */
static int unit_of(const struct cpf_fw_values *v, const struct cpf_profile *p, const uint32_t *sample,
	uint32_t n)
{
	int unit, have = -1;
	uint32_t i;

	for (unit = 2; unit >= 0; unit--) {
		const struct cpf_fw_value *w = &v->weight[unit];

		if (!w->have)
			continue;
		have = unit;
		for (i = 0; i < n; i++)
			if (cpf_col_get(&p->samples.raw[w->raw], sample[i]))
				return unit;
	}
	return have < 0 ? CPF_FW_SAMPLES : have;
}

static void write_stacks(struct cpf_fw_text *t, const struct cpf_fw_tables *tables,
	const uint32_t *sample, uint32_t n, int64_t *scratch)
{
	const struct cpf_col *node = &tables->p->samples.node;
	uint32_t *v = (uint32_t *)(void *)scratch, i;

	for (i = 0; i < n; i++)
		v[i] = cpf_fw_stack(tables, cpf_col_id(node, sample[i]));
	cpf_fw_ids(t, "stack", v, n, "null");
}

static int write_times(struct cpf_fw_text *t, struct cpf_fw_values *v, const struct cpf_profile *p,
	const uint32_t *sample, uint32_t n, int64_t shift, int64_t *time, struct cpf_err *e)
{
	uint32_t i;

	if (v->layout)
		lay_out(time, v, p, sample, n);
	for (i = 0; i < n && !v->layout; i++)
		if (cpf_add64(&time[i], cpf_col_get(&p->samples.time, sample[i]), shift))
			return cpf_fail(e, CPF_E_RANGE, "sample times do not fit 64 bits");
	cpf_fw_decimals(t, "time", time, n, 6);
	return 0;
}

int cpf_fw_samples_write(struct cpf_fw_text *t, struct cpf_fw_values *v,
	const struct cpf_fw_tables *tables, const uint32_t *sample, uint32_t n, int64_t shift,
	struct cpf_err *e)
{
	static const char *const types[] = {"samples", "tracing-ms", "bytes"};
	const struct cpf_profile *p = tables->p;
	int64_t *numbers = cpf_realloc_array(NULL, (size_t)n + 1, sizeof(*numbers));
	int unit = unit_of(v, p, sample, n), bad = -1;

	cpf_jsonw_key(&t->j, "samples");
	cpf_jsonw_object(&t->j);
	cpf_jsonw_key_int(&t->j, "length", n);
	cpf_jsonw_key_str(&t->j, "weightType", types[unit]);
	write_stacks(t, tables, sample, n, numbers);
	if (write_times(t, v, p, sample, n, shift, numbers, e))
		goto out;
	if (v->weight[unit].have) {
		if (values_of(numbers, v, &v->weight[unit], p, sample, n, e))
			goto out;
		cpf_fw_decimals(t, "weight", numbers, n, v->weight[unit].digits);
	}
	if (v->cpu.have) {
		if (values_of(numbers, v, &v->cpu, p, sample, n, e))
			goto out;
		cpf_fw_decimals(t, "threadCPUDelta", numbers, n, v->cpu.digits);
	}
	cpf_jsonw_end(&t->j);
	bad = 0;
out:
	cpf_free(numbers);
	return bad;
}
