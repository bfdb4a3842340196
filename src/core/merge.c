#include "core/merge.h"

#include "base/base.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "core/merge_rows.h"
#include "core/strings.h"

/* Where a value of the result comes from in one input. */
struct source_value {
	uint32_t type;  /* of the input */
	double ratio;   /* between the units; 1 if they are the same */
	int64_t factor; /* raw of the result = raw of the input * factor; 0 = through ratio */
};

struct merger {
	struct cpf_profile *out;
	struct cpf_profile *const *in;
	uint32_t n;
	int join, like_pprof;
	struct cpf_diag *d;
	struct cpf_err *e;

	struct source_value *values; /* [input * ntypes + type of the result] */
	struct cpf_merge_rows rows;
	int label_threads;           /* name threads in labels where they are not yet */

	/* The present input. */
	const struct source_value *value; /* ntypes of them */
	cpf_id *nodes;
	int64_t *raw;                /* one sample of the result */
	int lossy;                   /* samples whose rescaled values are all 0 are left out */
	struct cpf_rowset samples;
};

static const char *file_of(const struct cpf_profile *p)
{
	return p->nsources ? p->sources[0].file : "profile";
}

static int same_name(const struct cpf_profile *a, cpf_str x, const struct cpf_profile *b, cpf_str y)
{
	struct cpf_text s = cpf_text(a, x), t = cpf_text(b, y);

	return s.len == t.len && !memcmp(s.s, t.s, s.len);
}

/* Types. */

/* By string of p: the first type of that name + 1, 0 = none. *count, by that type: how many. */
static uint32_t *index_types(const struct cpf_profile *p, uint32_t **count)
{
	uint32_t *first = cpf_calloc(cpf_nstrings(p), sizeof(*first)), i;

	*count = cpf_calloc((size_t)p->ntypes + 1, sizeof(**count));
	for (i = 0; i < p->ntypes; i++) {
		cpf_str name = p->types[i].type;

		if (!first[name])
			first[name] = i + 1;
		(*count)[first[name] - 1]++;
	}
	return first;
}

static int no_common_type(struct merger *m)
{
	struct cpf_buf text = {0};
	uint32_t i, t;

	for (i = 0; i < m->n; i++) {
		cpf_buf_fmt(&text, "%s%s has", i ? ", " : "", file_of(m->in[i]));
		for (t = 0; t < m->in[i]->ntypes; t++)
			cpf_buf_fmt(&text, " %s", cpf_cstr(m->in[i], m->in[i]->types[t].type));
		if (!t)
			cpf_buf_str(&text, " none");
	}
	cpf_fail(m->e, CPF_E_USAGE, "profiles have empty common sample type list: %s", text.s);
	cpf_buf_release(&text);
	return -1;
}

/*
 * The types that every input has, in the order of the first. pprof counts names over all inputs, so
 * a name that one profile has twice is not common.
 */
static int common_types(struct merger *m)
{
	const struct cpf_profile *first = m->in[0];
	uint32_t *found = cpf_calloc((size_t)first->ntypes + 1, sizeof(*found)), *index, *count;
	uint32_t t, i, to, at, all = 0;
	int bad = 0;

	m->values = cpf_calloc((size_t)m->n * first->ntypes + 1, sizeof(*m->values));
	for (i = 0; i < m->n; i++) {
		const struct cpf_profile *p = m->in[i];

		index = index_types(p, &count);
		for (t = 0; t < first->ntypes; t++) {
			struct cpf_text name = cpf_text(first, first->types[t].type);
			cpf_str id = cpf_strings_lookup(p->strings, name.s, name.len);

			at = id == CPF_NONE ? 0 : index[id];
			found[t] += at ? count[at - 1] : 0;
			m->values[(size_t)i * first->ntypes + t].type = at - 1;
		}
		cpf_free(index);
		cpf_free(count);
		/* Without samples and types there is nothing to disagree about. */
		all += p->ntypes;
	}
	for (t = 0; t < first->ntypes && !bad; t++) {
		if (found[t] != m->n)
			continue;
		to = m->out->ntypes;
		for (i = 0; i < m->n; i++) {
			struct source_value *v = m->values + (size_t)i * first->ntypes;

			v[to].type = v[t].type;
			bad |= v[t].type == CPF_NONE;
		}
		cpf_add_type(m->out, cpf_cstr(first, first->types[t].type),
			cpf_cstr(first, first->types[t].unit), 0, 1, 1);
	}
	cpf_free(found);
	return bad || (all && !m->out->ntypes) ? no_common_type(m) : 0;
}

static struct source_value *value_of(struct merger *m, uint32_t input, uint32_t type)
{
	return &m->values[(size_t)input * m->in[0]->ntypes + type];
}

static const struct cpf_value_type *type_of(struct merger *m, uint32_t input, uint32_t type)
{
	return &m->in[input]->types[value_of(m, input, type)->type];
}

static double unit_ratio(const char *from, const char *to)
{
	const char *suffix;

	return cpf_unit_scale(1, from, to, &suffix);
}

static int same_family(const char *a, const char *b)
{
	return !strcmp(a, b) ||
	       (cpf_unit_known(a) && cpf_unit_known(b) &&
		       cpf_unit_is_time(a) == cpf_unit_is_time(b) &&
		       cpf_unit_is_memory(a) == cpf_unit_is_memory(b));
}

static size_t singular(const char *s)
{
	size_t n = strlen(s);

	return n && s[n - 1] == 's' ? n - 1 : n;
}

static int compatible(const char *type_a, const char *unit_a, const char *type_b, const char *unit_b)
{
	size_t n = singular(type_a);

	return n == singular(type_b) && !memcmp(type_a, type_b, n) && same_family(unit_a, unit_b);
}

/* The finest unit of one type over all inputs; inputs are told by how much to multiply. */
static int common_unit(struct merger *m, uint32_t type)
{
	const struct cpf_value_type *t = type_of(m, 0, type);
	const char *name = cpf_cstr(m->in[0], t->type), *finest = cpf_cstr(m->in[0], t->unit);
	uint32_t i;

	for (i = 1; i < m->n; i++) {
		const char *unit = cpf_cstr(m->in[i], type_of(m, i, type)->unit);

		if (!same_family(finest, unit))
			return cpf_fail(m->e, CPF_E_USAGE,
				"sample types: incompatible types: %s/%s in %s, %s/%s in %s", name,
				finest, file_of(m->in[0]), name, unit, file_of(m->in[i]));
		if (unit_ratio(unit, finest) < 1)
			finest = unit;
	}
	m->out->types[type].unit = cpf_intern_z(m->out, finest);
	for (i = 0; i < m->n; i++) {
		struct source_value *v = value_of(m, i, type);
		const char *unit = cpf_cstr(m->in[i], type_of(m, i, type)->unit);

		v->ratio = strcmp(unit, finest) ? unit_ratio(unit, finest) : 1;
		if (v->ratio != 1)
			cpf_note(m->d, CPF_INFO, "rescaled", 1, "%s: %s converted from %s to %s",
				file_of(m->in[i]), name, unit, finest);
	}
	return 0;
}

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

/* value = raw * num / den of one input, in the unit of the result; 1 if that has no exact form. */
static int exact_factor(struct merger *m, uint32_t input, uint32_t type, int64_t *num, int64_t *den)
{
	const struct cpf_value_type *t = type_of(m, input, type);
	double ratio = value_of(m, input, type)->ratio;
	int64_t g, whole = 1;

	if (ratio != 1) {
		if (m->like_pprof || !(ratio >= 1 && ratio < 9e15) || ratio != (double)(int64_t)ratio)
			return 1;
		whole = (int64_t)ratio;
	}
	g = gcd(t->num, t->den);
	*num = t->num / g;
	*den = t->den / g;
	g = gcd(whole, *den);
	*den /= g;
	return cpf_mul64(num, *num, whole / g);
}

/*
 * num and den of one type of the result so that every input's raw numbers become the result's by an
 * integer factor. Not possible: plain values, rounded.
 */
static void choose_factor(struct merger *m, uint32_t type)
{
	struct cpf_value_type *t = &m->out->types[type];
	int64_t num, den;
	uint32_t i;

	t->num = 0;
	t->den = 1;
	for (i = 0; i < m->n; i++) {
		if (exact_factor(m, i, type, &num, &den))
			goto plain;
		t->num = gcd(num, t->num);
		if (cpf_mul64(&t->den, t->den / gcd(t->den, den), den))
			goto plain;
	}
	for (i = 0; i < m->n; i++) {
		struct source_value *v = value_of(m, i, type);

		if (exact_factor(m, i, type, &num, &den) ||
			cpf_mul64(&v->factor, num / t->num, t->den / den))
			goto plain;
	}
	return;
plain:
	t->num = t->den = 1;
	for (i = 0; i < m->n; i++) {
		num = den = 0;
		value_of(m, i, type)->factor =
			value_of(m, i, type)->ratio == 1 && !exact_factor(m, i, type, &num, &den) &&
			num == 1 && den == 1;
	}
}

/* 1 if both types read the same raw numbers times the same factor in all inputs. */
static int share_column(struct merger *m, uint32_t a, uint32_t b)
{
	uint32_t i;

	for (i = 0; i < m->n; i++)
		if (type_of(m, i, a)->raw != type_of(m, i, b)->raw ||
			value_of(m, i, a)->factor != value_of(m, i, b)->factor ||
			!value_of(m, i, a)->factor)
			return 0;
	return 1;
}

static void note_left_out(struct merger *m, uint32_t input)
{
	const struct cpf_profile *p = m->in[input];
	struct cpf_buf names = {0};
	uint32_t t, *count, *index = index_types(m->out, &count);

	for (t = 0; t < p->ntypes; t++) {
		struct cpf_text name = cpf_text(p, p->types[t].type);
		cpf_str id = cpf_strings_lookup(m->out->strings, name.s, name.len);

		if (id == CPF_NONE || !index[id])
			cpf_buf_fmt(&names, " %s", cpf_cstr(p, p->types[t].type));
	}
	cpf_free(index);
	cpf_free(count);
	cpf_note(m->d, CPF_LOSS, "sample-types", (int64_t)p->ntypes - m->out->ntypes,
		"%s: left out, since not all files have it:%s", file_of(p), names.s);
	cpf_buf_release(&names);
}

static int plan_types(struct merger *m)
{
	uint32_t t, k, i, *last, *before, raw;
	int bad = common_types(m);

	/* Types that can share one: by column of the first input the last, by type the one before. */
	last = cpf_calloc((size_t)m->in[0]->samples.nraw + 1, sizeof(*last));
	before = cpf_calloc((size_t)m->out->ntypes + 1, sizeof(*before));
	for (t = 0; t < m->out->ntypes && !bad; t++) {
		bad = common_unit(m, t);
		if (bad)
			break;
		choose_factor(m, t);
		raw = type_of(m, 0, t)->raw;
		before[t] = last[raw];
		last[raw] = t + 1;
		for (k = before[t]; k && !share_column(m, k - 1, t);)
			k = before[k - 1];
		m->out->types[t].raw = k ? m->out->types[k - 1].raw : cpf_add_raw(m->out);
	}
	cpf_free(last);
	cpf_free(before);
	if (bad)
		return -1;
	for (i = 0; i < m->n; i++)
		if (m->in[i]->ntypes > m->out->ntypes)
			note_left_out(m, i);
	return 0;
}

/* Header. */

/*
 * pprof: a profile whose type list had to change defaults to its own default if that is left, else
 * to the first common type; the result takes the first default that is not empty.
 */
static void choose_default(struct merger *m)
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
			changed |= value_of(m, i, t)->type != t;
			kept |= same_name(p, name, out, out->types[t].type);
		}
		if (out->ntypes && changed && !kept)
			out->head.default_sample_type = out->types[0].type;
		else if (changed || p->head.default_sample_type)
			out->head.default_sample_type =
				cpf_intern(out, cpf_text(p, name).s, cpf_text(p, name).len);
	}
	out->default_type = out->ntypes ? out->ntypes - 1 : 0;
	for (t = 0; t < out->ntypes; t++)
		if (m->in[0]->default_type == value_of(m, 0, t)->type)
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
static int has_period(struct merger *m, uint32_t i)
{
	return m->like_pprof || m->in[i]->head.has_period_type;
}

static int merge_period(struct merger *m)
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
		if (!compatible(period_type(first), finest, period_type(p), period_unit(p)))
			return cpf_fail(m->e, CPF_E_USAGE,
				"period type: incompatible types: %s/%s in %s, %s/%s in %s",
				period_type(first), finest, file_of(first), period_type(p),
				period_unit(p), file_of(p));
		if (unit_ratio(period_unit(p), finest) < 1)
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
					period_type(first), file_of(first), period_type(p),
					file_of(p));
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

static cpf_str copy_string(struct merger *m, uint32_t input, cpf_str s)
{
	struct cpf_text t = cpf_text(m->in[input], s);

	return cpf_intern(m->out, t.s, t.len);
}

static void first_text(struct merger *m, uint32_t input, cpf_str *to, cpf_str from)
{
	if (!*to)
		*to = copy_string(m, input, from);
}

static void merge_comments(struct merger *m, uint32_t input)
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

static void merge_header(struct merger *m, uint32_t input)
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
			     !same_name(p, from->product, m->in[0], m->in[0]->head.product);
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
static void plan_threads(struct merger *m)
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
static int read_values(struct merger *m, const struct cpf_profile *p, uint32_t i)
{
	const struct cpf_profile *out = m->out;
	int64_t any = 0, rescaled = 0, v;
	uint32_t t;

	for (t = 0; t < out->ntypes; t++) {
		const struct source_value *from = &m->value[t];
		const struct cpf_value_type *type = &p->types[from->type];
		int64_t raw = cpf_col_get(&p->samples.raw[type->raw], i);

		if (from->factor == 1) {
			v = raw;
		} else if (from->factor) {
			if (cpf_mul64(&v, raw, from->factor) && !m->like_pprof)
				return cpf_fail(m->e, CPF_E_RANGE,
					"%s: value %" PRId64 " of sample %" PRIu32
					" times %" PRId64 " does not fit 64 bits",
					file_of(p), raw, i, from->factor);
		} else {
			if (cpf_scale(&v, type, raw, m->e))
				return -1;
			if (from->ratio != 1) {
				double x = (double)v * from->ratio;

				if (!m->like_pprof && !(x > -9.2e18 && x < 9.2e18))
					return cpf_fail(m->e, CPF_E_RANGE,
						"%s: value %" PRId64 " of sample %" PRIu32
						" times %g does not fit 64 bits",
						file_of(p), v, i, from->ratio);
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

static void map_stack(struct merger *m, const struct cpf_profile *p, cpf_id node)
{
	/* Leaf first, as pprof numbers locations; above a node seen before all is mapped. */
	for (; node && m->nodes[node] == CPF_NONE; node = cpf_col_id(&p->nodes.parent, node)) {
		cpf_merge_location(&m->rows, cpf_col_id(&p->nodes.location, node));
		m->nodes[node] = 0;
	}
}

static int map_rows(struct merger *m, const struct cpf_profile *p)
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

static cpf_id find_sample(struct merger *m, cpf_id node, cpf_id thread, cpf_id labels)
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

static int add_values(struct merger *m, cpf_id to)
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

static int add_samples(struct merger *m, const struct cpf_profile *p)
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

static void add_markers(struct merger *m, const struct cpf_profile *p)
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
static void add_idle_threads(struct merger *m, const struct cpf_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->nthreads && !m->join; i++)
		cpf_merge_thread(&m->rows, i);
}

static int merge_input(struct merger *m, uint32_t input)
{
	const struct cpf_profile *p = m->in[input];
	int64_t shift = 0;
	uint32_t t;
	int r;

	if (p->head.time_nanos && m->out->head.time_nanos)
		shift = (int64_t)((uint64_t)p->head.time_nanos -
				  (uint64_t)m->out->head.time_nanos);
	m->value = value_of(m, input, 0);
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

static int merge_all(struct merger *m)
{
	uint32_t i;

	if (plan_types(m) || merge_period(m))
		return -1;
	choose_default(m);
	plan_threads(m);
	m->out->samples.has_time = !m->join;
	for (i = 0; i < m->n; i++) {
		merge_header(m, i);
		m->out->samples.has_time &= m->in[i]->samples.has_time;
	}
	m->raw = cpf_calloc((size_t)m->out->samples.nraw + 1, sizeof(*m->raw));
	for (i = 0; i < m->n; i++)
		if (merge_input(m, i))
			return -1;
	return 0;
}

int cpf_merge(struct cpf_profile *out, struct cpf_profile *const *in, uint32_t n,
	const struct cpf_merge_opts *o, struct cpf_diag *d, struct cpf_err *e)
{
	struct merger m = {0};
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
