#include "core/merge_impl.h"

#include "base/base.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"

/* Header. */

/*
 * pprof: a profile whose type list had to change defaults to its own default if that is left, else
 * to the first common type; the result takes the first default that is not empty.
 */
static void choose_default(struct cpf_merger *m)
{
	struct cpf_profile *out = m->out;
	uint32_t i, t;

	for (i = 0; i < m->n && !out->head.default_sample_type; i++) {
		const struct cpf_profile *p = m->in[i];
		cpf_str name = p->head.default_sample_type;
		int changed = p->ntypes != out->ntypes, kept = 0;

		/* Formats other than pprof have a default without naming it. */
		if (!m->like_pprof && !name && p->ntypes)
			name = p->types[p->default_type].type;

		for (t = 0; t < out->ntypes; t++) {
			changed |= cpf_merge_value_of(m, i, t)->type != t;
			kept |= cpf_merge_same_name(p, name, out, out->types[t].type);
		}
		if (out->ntypes && changed && !kept)
			out->head.default_sample_type = out->types[0].type;
		else if (changed || p->head.default_sample_type)
			out->head.default_sample_type =
				cpf_intern(out, cpf_text(p, name).s, cpf_text(p, name).len);
	}
	out->default_type = out->ntypes ? out->ntypes - 1 : 0;
	for (t = 0; t < out->ntypes; t++)
		if (m->in[0]->default_type == cpf_merge_value_of(m, 0, t)->type)
			out->default_type = t;
	for (t = out->ntypes; t-- > 0;)
		if (out->head.default_sample_type &&
			out->types[t].type == out->head.default_sample_type)
			out->default_type = t;
}

static const char *period_type(const struct cpf_profile *p)
{
	return p->head.has_period_type ? cpf_cstr(p, p->head.period_type) : "";
}

static const char *period_unit(const struct cpf_profile *p)
{
	return p->head.has_period_type ? cpf_cstr(p, p->head.period_unit) : "";
}

/* Only pprof knows the type of the period; a profile that says none agrees with every other. */
static int has_period(struct cpf_merger *m, uint32_t i)
{
	return m->like_pprof || m->in[i]->head.has_period_type;
}

static int merge_period(struct cpf_merger *m)
{
	struct cpf_header *h = &m->out->head;
	const struct cpf_profile *first = NULL;
	const char *finest = "";
	uint32_t i;

	for (i = 0; i < m->n; i++) {
		const struct cpf_profile *p = m->in[i];

		if (!has_period(m, i))
			continue;
		if (!first) {
			first = p;
			finest = period_unit(p);
			continue;
		}
		if (!cpf_merge_compatible(period_type(first), finest, period_type(p), period_unit(p)))
			return cpf_fail(m->e, CPF_E_USAGE,
				"period type: incompatible types: %s/%s in %s, %s/%s in %s",
				period_type(first), finest, cpf_merge_file_of(first), period_type(p),
				period_unit(p), cpf_merge_file_of(p));
		if (cpf_merge_unit_ratio(period_unit(p), finest) < 1)
			finest = period_unit(p);
	}
	for (i = 0; i < m->n; i++) {
		const struct cpf_profile *p = m->in[i];
		int64_t period = p->head.period;

		if (first && has_period(m, i)) {
			const char *suffix;

			/* The types had only to agree up to an "s" so far. */
			if (strcmp(period_type(first), period_type(p)))
				return cpf_fail(m->e, CPF_E_USAGE,
					"incompatible period types %s in %s and %s in %s",
					period_type(first), cpf_merge_file_of(first), period_type(p),
					cpf_merge_file_of(p));
			if (m->n > 1 && strcmp(period_unit(p), finest))
				period = (int64_t)cpf_unit_scale(
					period, period_unit(p), finest, &suffix);
		}
		if (!h->period || h->period < period)
			h->period = period;
	}
	if (first) {
		h->has_period_type = first->head.has_period_type;
		h->period_type = cpf_intern_z(m->out, period_type(first));
		h->period_unit = cpf_intern_z(m->out, finest);
	}
	return 0;
}

static cpf_str copy_string(struct cpf_merger *m, uint32_t input, cpf_str s)
{
	struct cpf_text t = cpf_text(m->in[input], s);

	return cpf_intern(m->out, t.s, t.len);
}

static void first_text(struct cpf_merger *m, uint32_t input, cpf_str *to, cpf_str from)
{
	if (!*to)
		*to = copy_string(m, input, from);
}

static void merge_comments(struct cpf_merger *m, uint32_t input)
{
	const struct cpf_header *from = &m->in[input]->head;
	struct cpf_rowset seen = {0};
	struct cpf_rowset_it it;
	uint32_t i, k;

	for (i = 0; i < m->out->head.ncomments; i++)
		cpf_rowset_add(&seen,
			cpf_hash_mix(cpf_hash_seed(), m->out->head.comments[i]), i);
	for (i = 0; i < from->ncomments; i++) {
		cpf_str s = copy_string(m, input, from->comments[i]);
		uint64_t h = cpf_hash_mix(cpf_hash_seed(), s);

		for (k = cpf_rowset_first(&seen, h, &it); k != CPF_ROWSET_END;
			k = cpf_rowset_next(&seen, &it))
			if (m->out->head.comments[k] == s)
				break;
		if (k != CPF_ROWSET_END)
			continue;
		cpf_rowset_add(&seen, h, m->out->head.ncomments);
		cpf_add_comment(m->out, s);
	}
	cpf_rowset_release(&seen);
}

static int same_interval(const struct cpf_profile *a, const struct cpf_profile *b)
{
	int64_t nanos = cpf_interval(a);

	/* Not by time: every so many bytes, and the like. */
	return nanos == cpf_interval(b) &&
	       (nanos || !a->head.has_period_type || !b->head.has_period_type ||
		       a->head.period == b->head.period);
}

static void merge_header(struct cpf_merger *m, uint32_t input)
{
	struct cpf_header *h = &m->out->head;
	const struct cpf_profile *p = m->in[input];
	const struct cpf_header *from = &p->head;
	uint32_t i;

	if (!h->time_nanos || (from->time_nanos < h->time_nanos &&
				      (m->like_pprof || from->time_nanos)))
		h->time_nanos = from->time_nanos;
	h->duration_nanos = cpf_wrap_add(h->duration_nanos, from->duration_nanos);
	first_text(m, input, &h->doc_url, from->doc_url);
	first_text(m, input, &h->product, from->product);
	first_text(m, input, &h->producer, from->producer);
	first_text(m, input, &h->platform, from->platform);
	first_text(m, input, &h->marker_schema, from->marker_schema);
	merge_comments(m, input);
	if (input == 0) {
		h->drop_frames = copy_string(m, 0, from->drop_frames);
		h->keep_frames = copy_string(m, 0, from->keep_frames);
		h->interval_nanos = from->interval_nanos;
		h->symbolicated = from->symbolicated;
		m->out->thread_label = copy_string(m, 0, p->thread_label);
	}
	if (h->interval_nanos != from->interval_nanos)
		h->interval_nanos = 0;
	h->mixed_intervals |= from->mixed_intervals || !same_interval(p, m->in[0]);
	h->mixed_products |= from->mixed_products ||
			     !cpf_merge_same_name(p, from->product, m->in[0], m->in[0]->head.product);
	if (from->symbolicated < h->symbolicated)
		h->symbolicated = from->symbolicated;
	m->out->ncounters += p->ncounters;
	for (i = 0; i < p->nsources; i++)
		cpf_add_source(m->out, p->sources[i].file, p->sources[i].format,
			p->sources[i].version, p->sources[i].producer);
}

/*
 * Threads come from labels if they do in all inputs that have threads. Otherwise those that do not
 * are given labels, so that the samples of the result all say their thread the same way.
 */
static void plan_threads(struct cpf_merger *m)
{
	uint32_t i, labels = 0, others = 0;

	for (i = 0; i < m->n; i++) {
		if (!m->in[i]->nthreads)
			continue;
		if (m->in[i]->threads_from_labels)
			labels++;
		else
			others++;
	}
	m->out->threads_from_labels = labels != 0;
	m->label_threads = labels && others;
}

/* Samples. */

/* Fills m->raw with sample i. Returns 1 to leave it out, -1 on error. */
static int read_values(struct cpf_merger *m, const struct cpf_profile *p, uint32_t i)
{
	const struct cpf_profile *out = m->out;
	int64_t any = 0, rescaled = 0, v;
	uint32_t t;

	for (t = 0; t < out->ntypes; t++) {
		const struct cpf_merge_value *from = &m->value[t];
		const struct cpf_value_type *type = &p->types[from->type];
		int64_t raw = cpf_col_get(&p->samples.raw[type->raw], i);

		if (from->factor == 1) {
			v = raw;
		} else if (from->factor) {
			if (cpf_mul64(&v, raw, from->factor) && !m->like_pprof)
				return cpf_fail(m->e, CPF_E_RANGE,
					"%s: value %" PRId64 " of sample %" PRIu32
					" times %" PRId64 " does not fit 64 bits",
					cpf_merge_file_of(p), raw, i, from->factor);
		} else {
			if (cpf_scale(&v, type, raw, m->e))
				return -1;
			if (from->ratio != 1) {
				double x = (double)v * from->ratio;

				if (!m->like_pprof && !(x > -9.2e18 && x < 9.2e18))
					return cpf_fail(m->e, CPF_E_RANGE,
						"%s: value %" PRId64 " of sample %" PRIu32
						" times %g does not fit 64 bits",
						cpf_merge_file_of(p), v, i, from->ratio);
				v = cpf_round64(x);
			}
		}
		if (from->ratio != 1)
			rescaled |= v;
		any |= v;
		m->raw[out->types[t].raw] = v;
	}
	return m->join && (!any || (m->lossy && !rescaled));
}

static void map_stack(struct cpf_merger *m, const struct cpf_profile *p, cpf_id node)
{
	/* Leaf first, as pprof numbers locations; above a node seen before all is mapped. */
	for (; node && m->nodes[node] == CPF_NONE; node = cpf_col_id(&p->nodes.parent, node)) {
		cpf_merge_location(&m->rows, cpf_col_id(&p->nodes.location, node));
		m->nodes[node] = 0;
	}
}

static int map_rows(struct cpf_merger *m, const struct cpf_profile *p)
{
	uint32_t i;
	int r;

	for (i = 0; i < p->samples.n; i++) {
		r = m->join ? read_values(m, p, i) : 0;
		if (r < 0)
			return -1;
		if (!r)
			map_stack(m, p, cpf_col_id(&p->samples.node, i));
	}
	for (i = 0; i < p->nmarkers; i++)
		if (p->markers[i].stack != CPF_NONE)
			map_stack(m, p, p->markers[i].stack);
	m->nodes[0] = 0;
	for (i = 1; i < p->nodes.n; i++) {
		cpf_id parent, location;

		if (m->nodes[i] == CPF_NONE)
			continue;
		parent = m->nodes[cpf_col_id(&p->nodes.parent, i)];
		location = cpf_merge_location(&m->rows, cpf_col_id(&p->nodes.location, i));
		m->nodes[i] = m->join ? cpf_find_node(m->out, parent, location) :
					cpf_add_node(m->out, parent, location);
	}
	return 0;
}

static cpf_id find_sample(struct cpf_merger *m, cpf_id node, cpf_id thread, cpf_id labels)
{
	const struct cpf_samples *s = &m->out->samples;
	struct cpf_rowset_it it;
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)node << 32 | labels);
	cpf_id id;

	/* Labels tell threads apart for pprof, those it does not drop. */
	if (!m->like_pprof)
		h = cpf_hash_mix(h, thread);
	for (id = cpf_rowset_first(&m->samples, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&m->samples, &it))
		if (cpf_col_id(&s->node, id) == node &&
			(m->like_pprof || cpf_col_id(&s->thread, id) == thread) &&
			cpf_col_id(&s->labels, id) == labels)
			return id;
	cpf_rowset_add(&m->samples, h, s->n);
	return CPF_NONE;
}

static int add_values(struct cpf_merger *m, cpf_id to)
{
	struct cpf_samples *s = &m->out->samples;
	uint32_t c;
	int64_t v;

	for (c = 0; c < s->nraw; c++) {
		int64_t was = cpf_col_get(&s->raw[c], to);

		if (cpf_add64(&v, was, m->raw[c])) {
			if (!m->like_pprof)
				return cpf_fail(m->e, CPF_E_RANGE,
					"the sum %" PRId64 " + %" PRId64 " does not fit 64 bits",
					was, m->raw[c]);
			v = cpf_wrap_add(was, m->raw[c]);
		}
		cpf_col_set(&s->raw[c], to, v);
	}
	return 0;
}

static int add_samples(struct cpf_merger *m, const struct cpf_profile *p)
{
	int to_labels = m->label_threads && !p->threads_from_labels;
	uint32_t i;
	int r;

	for (i = 0; i < p->samples.n; i++) {
		cpf_id node, thread, labels, to = CPF_NONE;
		int64_t time = 0;

		r = read_values(m, p, i);
		if (r < 0)
			return -1;
		if (r)
			continue;
		node = m->nodes[cpf_col_id(&p->samples.node, i)];
		thread = cpf_merge_thread(&m->rows, cpf_col_id(&p->samples.thread, i));
		labels = cpf_merge_labels(
			&m->rows, cpf_col_id(&p->samples.labels, i), thread, to_labels);
		if (m->join)
			to = find_sample(m, node, thread, labels);
		else if (m->out->samples.has_time)
			time = cpf_wrap_add(cpf_col_get(&p->samples.time, i), m->rows.shift);
		if (to == CPF_NONE)
			cpf_add_sample(m->out, node, thread, time, labels, m->raw);
		else if (add_values(m, to))
			return -1;
	}
	return 0;
}

static void add_markers(struct cpf_merger *m, const struct cpf_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->nmarkers; i++) {
		struct cpf_marker row = p->markers[i];

		row.start = cpf_wrap_add(row.start, m->rows.shift);
		row.end = cpf_wrap_add(row.end, m->rows.shift);
		row.name = cpf_merge_string(&m->rows, row.name);
		row.data = cpf_merge_string(&m->rows, row.data);
		row.thread = cpf_merge_thread(&m->rows, row.thread);
		row.category = cpf_merge_category(&m->rows, row.category);
		if (row.stack != CPF_NONE)
			row.stack = m->nodes[row.stack];
		cpf_add_marker(m->out, &row);
	}
}

/* Without joining nothing is dropped, threads that took no sample neither. */
static void add_idle_threads(struct cpf_merger *m, const struct cpf_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->nthreads && !m->join; i++)
		cpf_merge_thread(&m->rows, i);
}

static int merge_input(struct cpf_merger *m, uint32_t input)
{
	const struct cpf_profile *p = m->in[input];
	int64_t shift = 0;
	uint32_t t;
	int r;

	if (p->head.time_nanos && m->out->head.time_nanos)
		shift = (int64_t)((uint64_t)p->head.time_nanos -
				  (uint64_t)m->out->head.time_nanos);
	m->value = cpf_merge_value_of(m, input, 0);
	m->lossy = 0;
	for (t = 0; t < m->out->ntypes; t++)
		m->lossy |= m->like_pprof && m->value[t].ratio != 1;
	cpf_merge_rows_begin(&m->rows, p, shift);
	/* The first mapping of all is the main program, whether a sample leads to it or not. */
	if (!m->out->nmappings && p->nmappings)
		cpf_merge_mapping(&m->rows, 0);
	m->nodes = cpf_realloc_array(NULL, p->nodes.n, sizeof(*m->nodes));
	memset(m->nodes, 0xff, p->nodes.n * sizeof(*m->nodes));
	r = map_rows(m, p);
	if (!r)
		r = add_samples(m, p);
	if (!r) {
		add_idle_threads(m, p);
		add_markers(m, p);
	}
	cpf_free(m->nodes);
	cpf_merge_rows_end(&m->rows);
	return r;
}

static int any_zero_sample(const struct cpf_profile *p)
{
	uint32_t i, c;

	for (i = 0; i < p->samples.n; i++) {
		for (c = 0; c < p->samples.nraw; c++)
			if (cpf_col_get(&p->samples.raw[c], i))
				break;
		if (c == p->samples.nraw)
			return 1;
	}
	return 0;
}

/* Sums may have become zero: once more over the result takes out what only they used. */
static int without_zeros(
	struct cpf_profile *out, const struct cpf_merge_opts *o, struct cpf_err *e)
{
	struct cpf_profile again, *self = out;
	int r;

	cpf_profile_init(&again);
	r = cpf_merge(&again, &self, 1, o, NULL, e);
	if (r) {
		cpf_profile_release(&again);
		return r;
	}
	cpf_profile_release(out);
	*out = again;
	return 0;
}

static int merge_all(struct cpf_merger *m)
{
	int time_labels = !m->join;
	uint32_t i;

	if (cpf_merge_plan_types(m) || merge_period(m))
		return -1;
	choose_default(m);
	plan_threads(m);
	m->out->samples.has_time = !m->join;
	for (i = 0; i < m->n; i++) {
		merge_header(m, i);
		m->out->samples.has_time &= m->in[i]->samples.has_time;
		time_labels &= m->in[i]->time_label != 0;
	}
	if (time_labels)
		m->out->time_label = copy_string(m, 0, m->in[0]->time_label);
	m->raw = cpf_calloc((size_t)m->out->samples.nraw + 1, sizeof(*m->raw));
	for (i = 0; i < m->n; i++)
		if (merge_input(m, i))
			return -1;
	return 0;
}

int cpf_merge(struct cpf_profile *out, struct cpf_profile *const *in, uint32_t n,
	const struct cpf_merge_opts *o, struct cpf_diag *d, struct cpf_err *e)
{
	struct cpf_merger m = {0};
	int r;

	m.out = out;
	m.in = in;
	m.n = n;
	m.join = o->join || o->like_pprof;
	m.like_pprof = o->like_pprof;
	m.d = d;
	m.e = e;
	m.rows.out = out;
	m.rows.like_pprof = o->like_pprof;
	r = merge_all(&m);
	cpf_free(m.values);
	cpf_free(m.raw);
	cpf_rowset_release(&m.samples);
	cpf_merge_rows_release(&m.rows);
	cpf_profile_seal(out);
	if (!r && m.join && any_zero_sample(out))
		r = without_zeros(out, o, e);
	return r;
}
