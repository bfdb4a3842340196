/*
 * firefox_values.c - what samples are worth: weights, CPU deltas, and the value types made of them.
 */
#include "formats/firefox.h"

#include "base/mem.h"

enum { BATCH = 1024 };

/* An hour: later first samples are times since boot (samply on Linux). */
#define HOUR_NS (INT64_C(3600) * 1000000000)

static int bad_value(
	struct cpf_fx *r, const char *where, const struct cpf_fx_table *s, uint32_t col, size_t row)
{
	cpf_fail(r->e, CPF_E_RANGE, "the number is out of range");
	cpf_fx_where(r, where, s, s->def->cols[col].name, row);
	return -1;
}

/* From whole numbers to millionths, when the first thread with fractions comes. */
static int refine(struct cpf_fx *r, struct cpf_fx_raw *raw)
{
	struct cpf_col *c = &r->p->samples.raw[raw->raw], new = {0};
	int64_t v;
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (cpf_mul64(&v, cpf_col_get(c, i), CPF_FX_SCALE)) {
			cpf_col_release(&new);
			return -1;
		}
		cpf_col_push(&new, v);
	}
	cpf_col_release(c);
	*c = new;
	raw->den = CPF_FX_SCALE;
	return 0;
}

static void use_raw(struct cpf_fx *r, struct cpf_fx_raw *raw)
{
	if (raw->used)
		return;
	raw->used = 1;
	raw->raw = cpf_add_raw(r->p);
	raw->den = 1;
}

/* Appends a column of values; null counts as null_value. *nulls: how many there were. */
static int append_values(struct cpf_fx *r, struct cpf_fx_raw *raw, const struct cpf_fx_table *s,
	uint32_t col, int64_t null_value, int64_t *nulls, const char *where)
{
	int64_t v[BATCH], factor;
	uint32_t from, n, i;

	use_raw(r, raw);
	if (s->scaled[col] && raw->den == 1 && refine(r, raw))
		return bad_value(r, where, s, col, 0);
	factor = raw->den / (s->scaled[col] ? CPF_FX_SCALE : 1);
	/* Narrow columns have no room for nulls. */
	if (factor == 1 && s->col[col].width < 8 && s->col[col].value != CPF_FX_NULL) {
		cpf_col_concat(&r->p->samples.raw[raw->raw], &s->col[col]);
		return 0;
	}
	for (from = 0; from < s->rows; from += n) {
		n = s->rows - from < BATCH ? s->rows - from : BATCH;
		cpf_col_read(&s->col[col], from, n, v);
		for (i = 0; i < n; i++) {
			if (v[i] == CPF_FX_NULL) {
				++*nulls;
				v[i] = null_value * raw->den;
			} else if (factor != 1 && cpf_mul64(&v[i], v[i], factor)) {
				return bad_value(r, where, s, col, from + i);
			}
		}
		cpf_col_append(&r->p->samples.raw[raw->raw], v, n);
	}
	return 0;
}

int cpf_fx_link_weights(struct cpf_fx *r, struct cpf_fx_thread *t, const char *where)
{
	struct cpf_fx_raw *raw = &r->weight[t->samples.weight];
	/* "duration" until version 28; it was a number of intervals, too. */
	uint32_t col = cpf_fx_has(&t->samples, SAMPLE_WEIGHT) || t->root->version >= 29 ||
				       cpf_fx_is_gecko(t->root)
			       ? SAMPLE_WEIGHT
			       : SAMPLE_DURATION;
	int64_t nulls = 0;

	if (cpf_fx_has(&t->samples, col))
		return append_values(r, raw, &t->samples, col, 1, &nulls, where);
	use_raw(r, raw);
	cpf_col_fill(&r->p->samples.raw[raw->raw], raw->den, t->samples.rows);
	return 0;
}

/* 1 if no row has another value. */
static int all_values(const struct cpf_col *c, int64_t v)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (cpf_col_get(c, i) != v)
			return 0;
	return 1;
}

/*
 * The first delta of a thread counts from when its clock started, which for a profiler that was
 * attached to a running program is long before the recording. It is taken if the thread can have
 * used that much: since it or its process was first seen, plus one interval. The main thread of a
 * launched program ran some time before it was first seen, but not before the recording began; that
 * is time zero, unless times count from boot.
 */
static int first_delta_fits(const struct cpf_fx *r, const struct cpf_fx_thread *t, int64_t first)
{
	const struct cpf_fx_root *root = t->root;
	int64_t since = t->start == CPF_FX_NULL ? 0 : t->start, age, cpu;
	double limit;

	if (t->process_start != CPF_FX_NULL && t->process_start < since)
		since = t->process_start;
	if (cpf_fx_is_main(r, t) && first < HOUR_NS && since > 0)
		since = 0;
	if (cpf_add64(&age, first, -since))
		return 1;
	limit = (double)age;
	if (root->has_interval)
		limit += (double)root->interval_num / (double)root->interval_den;
	cpu = cpf_col_get(&t->samples.col[SAMPLE_CPU], 0);
	return (double)cpu * (double)root->cpu_num <=
	       limit * (t->samples.scaled[SAMPLE_CPU] ? CPF_FX_SCALE : 1);
}

int cpf_fx_link_cpu(struct cpf_fx *r, struct cpf_fx_thread *t, int64_t first, const char *where)
{
	struct cpf_fx_table *s = &t->samples;
	int64_t nulls = 0;

	if (!cpf_fx_has(s, SAMPLE_CPU) || all_values(&s->col[SAMPLE_CPU], CPF_FX_NULL))
		return 0;
	if (!t->root->cpu_num) {
		CPF_FX_NOTE(r, CPF_INFO, "cpu-no-unit", (int64_t)s->rows,
			"%s: CPU deltas are in %s%s%s, which is no time; they are not used",
			r->source, t->root->cpu_unit ? "\"" : "",
			t->root->cpu_unit ? cpf_cstr(r->p, t->root->cpu_unit) : "no unit",
			t->root->cpu_unit ? "\"" : "");
		return 0;
	}
	if (r->cpu_num && r->cpu_num != t->root->cpu_num) {
		CPF_FX_NOTE(r, CPF_WARN, "cpu-units-differ", (int64_t)s->rows,
			"%s: %ssamples.threadCPUDelta has another unit than the threads before; "
			"it is not used",
			r->source, where);
		return 0;
	}
	r->cpu_num = t->root->cpu_num;
	if (cpf_col_get(&s->col[SAMPLE_CPU], 0) != CPF_FX_NULL && !first_delta_fits(r, t, first)) {
		cpf_col_set(&s->col[SAMPLE_CPU], 0, CPF_FX_NULL);
		nulls--;
		CPF_FX_NOTE(r, CPF_INFO, "first-cpu-delta", 1,
			"%s: first CPU delta of thread \"%s\" is longer than the thread has "
			"existed; "
			"unknown, counted as 0",
			r->source, cpf_cstr(r->p, t->name));
	}
	if (append_values(r, &r->cpu, s, SAMPLE_CPU, 0, &nulls, where))
		return -1;
	if (nulls > 0)
		CPF_FX_NOTE(r, CPF_INFO, "cpu-delta-unknown", nulls,
			"%s: CPU deltas that are null: unknown, counted as 0", r->source);
	return 0;
}

/* The value types, once all threads are in. */

static int times(int64_t *out, int64_t a, int64_t b)
{
	return cpf_mul64(out, a, b);
}

static int add_samples_types(struct cpf_fx *r)
{
	const struct cpf_fx_root *root = r->roots[0];
	struct cpf_fx_raw *w = &r->weight[CPF_FX_W_SAMPLES];
	int64_t den;

	cpf_add_type(r->p, "samples", "count", w->raw, 1, w->den);
	if (!root->has_interval) {
		CPF_FX_NOTE(r, CPF_WARN, "no-interval", 1,
			"%s: meta.interval is missing, so there is no wall time", r->source);
		return 0;
	}
	if (times(&den, root->interval_den, w->den)) {
		cpf_err_where(r->e, "meta.interval");
		return cpf_fail(r->e, CPF_E_RANGE, "the interval is out of range");
	}
	r->p->default_type =
		cpf_add_type(r->p, "wall", "nanoseconds", w->raw, root->interval_num, den);
	return 0;
}

/*
 * We say in the file what type the weights were before: then they are the only one. CPU deltas beside
 * them are the same numbers again.
 */
static int add_named_type(struct cpf_fx *r)
{
	const struct cpf_fx_root *root = r->roots[0];
	static const char *const unit[] = {NULL, "nanoseconds", "bytes"};
	int i, used = -1;

	for (i = 0; i < CPF_FX_WEIGHTS; i++)
		if (r->weight[i].used) {
			if (used >= 0)
				return 0;
			used = i;
		}
	if (!root->extra_type || used < 0)
		return 0;
	cpf_add_type(r->p, cpf_cstr(r->p, root->extra_type),
		unit[used] ? unit[used] : cpf_cstr(r->p, root->extra_unit), r->weight[used].raw,
		used == CPF_FX_W_TIME ? CPF_FX_SCALE / r->weight[used].den : 1,
		used == CPF_FX_W_TIME ? 1 : r->weight[used].den);
	return 1;
}

/* What a file from elsewhere has. */
static int add_types(struct cpf_fx *r)
{
	struct cpf_fx_raw *w = r->weight;

	if (w[CPF_FX_W_SAMPLES].used && add_samples_types(r))
		return -1;
	/* Milliseconds: a millionth of one is a nanosecond. */
	if (w[CPF_FX_W_TIME].used)
		cpf_add_type(r->p, "time", "nanoseconds", w[CPF_FX_W_TIME].raw,
			CPF_FX_SCALE / w[CPF_FX_W_TIME].den, 1);
	if (w[CPF_FX_W_BYTES].used)
		cpf_add_type(
			r->p, "bytes", "bytes", w[CPF_FX_W_BYTES].raw, 1, w[CPF_FX_W_BYTES].den);
	if (r->cpu.used) {
		cpf_id cpu = cpf_add_type(
			r->p, "cpu", "nanoseconds", r->cpu.raw, r->cpu_num, r->cpu.den);

		if (all_values(&r->p->samples.raw[r->cpu.raw], 0))
			CPF_FX_NOTE(r, CPF_INFO, "cpu-zero", 1,
				"%s: every CPU delta is 0, so cpu is not the default type",
				r->source);
		else
			r->p->default_type = cpu;
	}
	return 0;
}

static void list_types(const struct cpf_profile *p, struct cpf_buf *out)
{
	uint32_t i;

	for (i = 0; i < p->ntypes; i++)
		cpf_buf_fmt(out, "%s%s", i ? ", " : "", cpf_cstr(p, p->types[i].type));
}

int cpf_fx_types(struct cpf_fx *r)
{
	struct cpf_fx_raw *w = r->weight;
	struct cpf_buf names = {0};

	if (!w[CPF_FX_W_TIME].used && !w[CPF_FX_W_BYTES].used)
		use_raw(r, &w[CPF_FX_W_SAMPLES]);
	if (!add_named_type(r) && add_types(r))
		return -1;
	if (!r->o->sample_type || r->o->want & CPF_WANT_ALL_VALUES ||
		cpf_type_index(r->p, r->o->sample_type) >= 0)
		return 0;
	list_types(r->p, &names);
	cpf_fail(r->e, CPF_E_USAGE, "there is no sample type %s; available: %s", r->o->sample_type,
		names.s);
	cpf_buf_release(&names);
	return -1;
}
