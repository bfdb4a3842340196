#include "core/merge_impl.h"

#include "base/base.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "core/strings.h"

const char *cpf_merge_file_of(const struct cpf_profile *p)
{
	return p->nsources ? p->sources[0].file : "profile";
}

int cpf_merge_same_name(const struct cpf_profile *a, cpf_str x, const struct cpf_profile *b, cpf_str y)
{
	struct cpf_text s = cpf_text(a, x), t = cpf_text(b, y);

	return s.len == t.len && !memcmp(s.s, t.s, s.len);
}

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

static int no_common_type(struct cpf_merger *m)
{
	struct cpf_buf text = {0};
	uint32_t i, t;

	for (i = 0; i < m->n; i++) {
		cpf_buf_fmt(&text, "%s%s has", i ? ", " : "", cpf_merge_file_of(m->in[i]));
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
static int common_types(struct cpf_merger *m)
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
			struct cpf_merge_value *v = m->values + (size_t)i * first->ntypes;

			v[to].type = v[t].type;
			bad |= v[t].type == CPF_NONE;
		}
		cpf_add_type(m->out, cpf_cstr(first, first->types[t].type),
			cpf_cstr(first, first->types[t].unit), 0, 1, 1);
	}
	cpf_free(found);
	return bad || (all && !m->out->ntypes) ? no_common_type(m) : 0;
}

struct cpf_merge_value *cpf_merge_value_of(struct cpf_merger *m, uint32_t input, uint32_t type)
{
	return &m->values[(size_t)input * m->in[0]->ntypes + type];
}

static const struct cpf_value_type *type_of(struct cpf_merger *m, uint32_t input, uint32_t type)
{
	return &m->in[input]->types[cpf_merge_value_of(m, input, type)->type];
}

double cpf_merge_unit_ratio(const char *from, const char *to)
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

int cpf_merge_compatible(const char *type_a, const char *unit_a, const char *type_b, const char *unit_b)
{
	size_t n = singular(type_a);

	return n == singular(type_b) && !memcmp(type_a, type_b, n) && same_family(unit_a, unit_b);
}

/* The finest unit of one type over all inputs; inputs are told by how much to multiply. */
static int common_unit(struct cpf_merger *m, uint32_t type)
{
	const struct cpf_value_type *t = type_of(m, 0, type);
	const char *name = cpf_cstr(m->in[0], t->type), *finest = cpf_cstr(m->in[0], t->unit);
	uint32_t i;

	for (i = 1; i < m->n; i++) {
		const char *unit = cpf_cstr(m->in[i], type_of(m, i, type)->unit);

		if (!same_family(finest, unit))
			return cpf_fail(m->e, CPF_E_USAGE,
				"sample types: incompatible types: %s/%s in %s, %s/%s in %s", name,
				finest, cpf_merge_file_of(m->in[0]), name, unit, cpf_merge_file_of(m->in[i]));
		if (cpf_merge_unit_ratio(unit, finest) < 1)
			finest = unit;
	}
	m->out->types[type].unit = cpf_intern_z(m->out, finest);
	for (i = 0; i < m->n; i++) {
		struct cpf_merge_value *v = cpf_merge_value_of(m, i, type);
		const char *unit = cpf_cstr(m->in[i], type_of(m, i, type)->unit);

		v->ratio = strcmp(unit, finest) ? cpf_merge_unit_ratio(unit, finest) : 1;
		if (v->ratio != 1)
			cpf_note(m->d, CPF_INFO, "rescaled", 1, "%s: %s converted from %s to %s",
				cpf_merge_file_of(m->in[i]), name, unit, finest);
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
static int exact_factor(struct cpf_merger *m, uint32_t input, uint32_t type, int64_t *num, int64_t *den)
{
	const struct cpf_value_type *t = type_of(m, input, type);
	double ratio = cpf_merge_value_of(m, input, type)->ratio;
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
static void choose_factor(struct cpf_merger *m, uint32_t type)
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
		struct cpf_merge_value *v = cpf_merge_value_of(m, i, type);

		if (exact_factor(m, i, type, &num, &den) ||
			cpf_mul64(&v->factor, num / t->num, t->den / den))
			goto plain;
	}
	return;
plain:
	t->num = t->den = 1;
	for (i = 0; i < m->n; i++) {
		num = den = 0;
		cpf_merge_value_of(m, i, type)->factor =
			cpf_merge_value_of(m, i, type)->ratio == 1 && !exact_factor(m, i, type, &num, &den) &&
			num == 1 && den == 1;
	}
}

/* 1 if both types read the same raw numbers times the same factor in all inputs. */
static int share_column(struct cpf_merger *m, uint32_t a, uint32_t b)
{
	uint32_t i;

	for (i = 0; i < m->n; i++)
		if (type_of(m, i, a)->raw != type_of(m, i, b)->raw ||
			cpf_merge_value_of(m, i, a)->factor != cpf_merge_value_of(m, i, b)->factor ||
			!cpf_merge_value_of(m, i, a)->factor)
			return 0;
	return 1;
}

static void note_left_out(struct cpf_merger *m, uint32_t input)
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
		"%s: left out, since not all files have it:%s", cpf_merge_file_of(p), names.s);
	cpf_buf_release(&names);
}

int cpf_merge_plan_types(struct cpf_merger *m)
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
