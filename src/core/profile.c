#include <cpuprof/profile.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/rowset.h"
#include "core/strings.h"

/* Hash indices over the tables; dropped by cpf_profile_seal and rebuilt when a find comes again. */
struct cpf_build {
	struct cpf_rowset mappings, functions, locations, nodes, labels;
	int have_mappings, have_functions, have_locations, have_nodes, have_labels;
	struct cpf_line *lines; /* scratch of cpf_get_location in the rebuild */
	size_t lines_cap;
};

static struct cpf_build *build_of(struct cpf_profile *p)
{
	if (!p->build)
		p->build = cpf_calloc(1, sizeof(*p->build));
	return p->build;
}

void cpf_profile_init(struct cpf_profile *p)
{
	memset(p, 0, sizeof(*p));
	p->strings = cpf_strings_new();
	p->head.symbolicated = -1;
	cpf_col_push(&p->locations.first, 0);
	cpf_col_push(&p->nodes.parent, 0);
	cpf_col_push(&p->nodes.location, -1);
	p->nodes.n = 1;
	CPF_GROW(p->label_sets.first, p->label_sets.first_cap, 2);
	p->label_sets.first[0] = p->label_sets.first[1] = 0;
	p->label_sets.n = 1;
}

void cpf_profile_release(struct cpf_profile *p)
{
	struct cpf_locations *l = &p->locations;
	struct cpf_samples *s = &p->samples;
	uint32_t i;

	cpf_profile_seal(p);
	cpf_strings_free(p->strings);
	cpf_free(p->head.comments);
	for (i = 0; i < p->nsources; i++) {
		cpf_free(p->sources[i].file);
		cpf_free(p->sources[i].format);
		cpf_free(p->sources[i].version);
		cpf_free(p->sources[i].producer);
	}
	cpf_free(p->sources);
	cpf_free(p->mappings);
	cpf_free(p->functions);
	cpf_col_release(&l->mapping);
	cpf_col_release(&l->address);
	cpf_col_release(&l->flags);
	cpf_col_release(&l->wire_id);
	cpf_col_release(&l->category);
	cpf_col_release(&l->subcategory);
	cpf_col_release(&l->symbol);
	cpf_col_release(&l->first);
	cpf_col_release(&l->line_fn);
	cpf_col_release(&l->line_no);
	cpf_col_release(&l->line_col);
	cpf_free(p->symbols);
	cpf_col_release(&p->nodes.parent);
	cpf_col_release(&p->nodes.location);
	cpf_col_release(&s->node);
	cpf_col_release(&s->thread);
	cpf_col_release(&s->time);
	cpf_col_release(&s->labels);
	for (i = 0; i < s->nraw; i++)
		cpf_col_release(&s->raw[i]);
	cpf_free(s->raw);
	cpf_free(p->types);
	cpf_free(p->threads);
	cpf_free(p->processes);
	cpf_free(p->label_sets.first);
	cpf_free(p->label_sets.labels);
	for (i = 0; i < p->ncategories; i++)
		cpf_free(p->categories[i].sub);
	cpf_free(p->categories);
	cpf_free(p->markers);
	memset(p, 0, sizeof(*p));
}

void cpf_profile_seal(struct cpf_profile *p)
{
	struct cpf_build *b = p->build;

	if (!b)
		return;
	cpf_rowset_release(&b->mappings);
	cpf_rowset_release(&b->functions);
	cpf_rowset_release(&b->locations);
	cpf_rowset_release(&b->nodes);
	cpf_rowset_release(&b->labels);
	cpf_free(b->lines);
	cpf_free(b);
	p->build = NULL;
}

/* Strings. */

cpf_str cpf_intern(struct cpf_profile *p, const char *s, size_t len)
{
	return cpf_strings_intern(p->strings, s, len);
}

cpf_str cpf_intern_z(struct cpf_profile *p, const char *s)
{
	return cpf_strings_intern(p->strings, s, strlen(s));
}

struct cpf_text cpf_text(const struct cpf_profile *p, cpf_str id)
{
	return p->strings->texts[id];
}

const char *cpf_cstr(const struct cpf_profile *p, cpf_str id)
{
	return p->strings->texts[id].s;
}

uint32_t cpf_nstrings(const struct cpf_profile *p)
{
	return p->strings->n;
}

/* Rows. */

#define APPEND(p, table, count, row)                                                               \
	do {                                                                                       \
		CPF_GROW((p)->table, (p)->table##_cap, (size_t)(p)->count + 1);                    \
		(p)->table[(p)->count] = (row);                                                    \
	} while (0)

cpf_id cpf_add_mapping(struct cpf_profile *p, const struct cpf_mapping *m)
{
	APPEND(p, mappings, nmappings, *m);
	return p->nmappings++;
}

cpf_id cpf_add_function(struct cpf_profile *p, const struct cpf_function *f)
{
	APPEND(p, functions, nfunctions, *f);
	return p->nfunctions++;
}

cpf_id cpf_add_symbol(struct cpf_profile *p, const struct cpf_symbol *s)
{
	APPEND(p, symbols, nsymbols, *s);
	return p->nsymbols++;
}

cpf_id cpf_add_type(struct cpf_profile *p, const char *type, const char *unit, uint32_t raw,
	int64_t num, int64_t den)
{
	struct cpf_value_type t = {0};

	t.type = cpf_intern_z(p, type);
	t.unit = cpf_intern_z(p, unit);
	t.raw = raw;
	t.num = num;
	t.den = den;
	APPEND(p, types, ntypes, t);
	return p->ntypes++;
}

cpf_id cpf_add_thread(struct cpf_profile *p, const struct cpf_thread *t)
{
	APPEND(p, threads, nthreads, *t);
	return p->nthreads++;
}

cpf_id cpf_add_process(struct cpf_profile *p, const struct cpf_process *t)
{
	APPEND(p, processes, nprocesses, *t);
	return p->nprocesses++;
}

cpf_id cpf_add_marker(struct cpf_profile *p, const struct cpf_marker *m)
{
	APPEND(p, markers, nmarkers, *m);
	return p->nmarkers++;
}

cpf_id cpf_add_category(struct cpf_profile *p, cpf_str name, cpf_str color, const cpf_str *sub,
	uint32_t nsub)
{
	struct cpf_category c = {0};

	c.name = name;
	c.color = color;
	c.nsub = nsub;
	if (nsub) {
		c.sub = cpf_realloc_array(NULL, nsub, sizeof(*sub));
		memcpy(c.sub, sub, nsub * sizeof(*sub));
	}
	APPEND(p, categories, ncategories, c);
	return p->ncategories++;
}

void cpf_add_comment(struct cpf_profile *p, cpf_str text)
{
	CPF_GROW(p->head.comments, p->comments_cap, (size_t)p->head.ncomments + 1);
	p->head.comments[p->head.ncomments++] = text;
}

void cpf_add_source(struct cpf_profile *p, const char *file, const char *format,
	const char *version, const char *producer)
{
	struct cpf_source s;

	s.file = cpf_strdup(file);
	s.format = cpf_strdup(format);
	s.version = cpf_strdup(version);
	s.producer = cpf_strdup(producer);
	APPEND(p, sources, nsources, s);
	p->nsources++;
}

uint32_t cpf_add_raw(struct cpf_profile *p)
{
	struct cpf_samples *s = &p->samples;

	CPF_GROW(s->raw, p->raw_cap, (size_t)s->nraw + 1);
	memset(&s->raw[s->nraw], 0, sizeof(s->raw[0]));
	cpf_col_fill(&s->raw[s->nraw], 0, s->n);
	return s->nraw++;
}

/* Equal rows. */

static uint64_t hash_words(const uint64_t *v, size_t n)
{
	uint64_t h = cpf_hash_seed();

	while (n--)
		h = cpf_hash_mix(h, *v++);
	return h;
}

static uint64_t hash_mapping(const struct cpf_mapping *m)
{
	uint64_t v[] = {m->start, m->limit, m->offset, (uint64_t)m->file << 32 | m->build_id,
		(uint64_t)m->debug_name << 32 | m->debug_id};

	return hash_words(v, CPF_LEN(v));
}

static int same_mapping(const struct cpf_mapping *a, const struct cpf_mapping *b)
{
	return a->start == b->start && a->limit == b->limit && a->offset == b->offset &&
	       a->file == b->file && a->name == b->name && a->build_id == b->build_id &&
	       a->debug_name == b->debug_name && a->debug_path == b->debug_path &&
	       a->debug_id == b->debug_id && a->code_id == b->code_id && a->arch == b->arch &&
	       a->flags == b->flags;
}

cpf_id cpf_find_mapping(struct cpf_profile *p, const struct cpf_mapping *m)
{
	struct cpf_build *b = build_of(p);
	struct cpf_rowset_it it;
	uint64_t h = hash_mapping(m);
	cpf_id id;

	if (!b->have_mappings) {
		for (id = 0; id < p->nmappings; id++)
			cpf_rowset_add(&b->mappings, hash_mapping(&p->mappings[id]), id);
		b->have_mappings = 1;
	}
	for (id = cpf_rowset_first(&b->mappings, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&b->mappings, &it))
		if (same_mapping(&p->mappings[id], m))
			return id;
	id = cpf_add_mapping(p, m);
	cpf_rowset_add(&b->mappings, h, id);
	return id;
}

static uint64_t hash_function(const struct cpf_function *f)
{
	uint64_t v[] = {(uint64_t)f->name << 32 | f->system_name,
		(uint64_t)f->file << 32 | f->resource_lib, (uint64_t)f->start_line};

	return hash_words(v, CPF_LEN(v));
}

static int same_function(const struct cpf_function *a, const struct cpf_function *b)
{
	return a->name == b->name && a->system_name == b->system_name && a->file == b->file &&
	       a->resource_lib == b->resource_lib && a->start_line == b->start_line &&
	       a->start_column == b->start_column && a->flags == b->flags;
}

cpf_id cpf_find_function(struct cpf_profile *p, const struct cpf_function *f)
{
	struct cpf_build *b = build_of(p);
	struct cpf_rowset_it it;
	uint64_t h = hash_function(f);
	cpf_id id;

	if (!b->have_functions) {
		for (id = 0; id < p->nfunctions; id++)
			cpf_rowset_add(&b->functions, hash_function(&p->functions[id]), id);
		b->have_functions = 1;
	}
	for (id = cpf_rowset_first(&b->functions, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&b->functions, &it))
		if (same_function(&p->functions[id], f))
			return id;
	id = cpf_add_function(p, f);
	cpf_rowset_add(&b->functions, h, id);
	return id;
}

/* Locations. */

cpf_id cpf_add_location(struct cpf_profile *p, const struct cpf_location *l)
{
	struct cpf_locations *t = &p->locations;
	uint32_t i;

	cpf_col_push_id(&t->mapping, l->mapping);
	cpf_col_push(&t->address, (int64_t)l->address);
	cpf_col_push(&t->flags, l->flags);
	cpf_col_push(&t->wire_id, (int64_t)l->wire_id);
	cpf_col_push_id(&t->category, l->category);
	cpf_col_push_id(&t->subcategory, l->subcategory);
	cpf_col_push_id(&t->symbol, l->symbol);
	for (i = 0; i < l->nlines; i++) {
		cpf_col_push_id(&t->line_fn, l->lines[i].function);
		cpf_col_push(&t->line_no, l->lines[i].line);
		cpf_col_push(&t->line_col, l->lines[i].column);
	}
	cpf_col_push(&t->first, (int64_t)t->line_fn.n);
	return t->n++;
}

void cpf_get_location(const struct cpf_profile *p, cpf_id id, struct cpf_location *out,
	struct cpf_line **lines, size_t *cap)
{
	const struct cpf_locations *t = &p->locations;
	size_t first = (size_t)cpf_col_get(&t->first, id);
	size_t n = (size_t)cpf_col_get(&t->first, (size_t)id + 1) - first, i;

	out->mapping = cpf_col_id(&t->mapping, id);
	out->address = (uint64_t)cpf_col_get(&t->address, id);
	out->flags = (uint32_t)cpf_col_get(&t->flags, id);
	out->wire_id = (uint64_t)cpf_col_get(&t->wire_id, id);
	out->category = cpf_col_id(&t->category, id);
	out->subcategory = cpf_col_id(&t->subcategory, id);
	out->symbol = cpf_col_id(&t->symbol, id);
	CPF_GROW(*lines, *cap, n ? n : 1);
	for (i = 0; i < n; i++) {
		(*lines)[i].function = cpf_col_id(&t->line_fn, first + i);
		(*lines)[i].line = cpf_col_get(&t->line_no, first + i);
		(*lines)[i].column = cpf_col_get(&t->line_col, first + i);
	}
	out->lines = *lines;
	out->nlines = (uint32_t)n;
}

static uint64_t hash_location(const struct cpf_location *l)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), l->address);
	uint32_t i;

	h = cpf_hash_mix(h, (uint64_t)l->mapping << 32 | l->nlines);
	h = cpf_hash_mix(h, (uint64_t)l->category << 32 | l->symbol);
	for (i = 0; i < l->nlines; i++)
		h = cpf_hash_mix(h, (uint64_t)l->lines[i].function << 32 ^ (uint64_t)l->lines[i].line);
	return h;
}

static int same_location(const struct cpf_profile *p, cpf_id id, const struct cpf_location *l)
{
	const struct cpf_locations *t = &p->locations;
	size_t first = (size_t)cpf_col_get(&t->first, id);
	uint32_t i;

	if ((uint64_t)cpf_col_get(&t->address, id) != l->address ||
		cpf_col_id(&t->mapping, id) != l->mapping ||
		(uint32_t)cpf_col_get(&t->flags, id) != l->flags ||
		cpf_col_id(&t->category, id) != l->category ||
		cpf_col_id(&t->subcategory, id) != l->subcategory ||
		cpf_col_id(&t->symbol, id) != l->symbol ||
		(size_t)cpf_col_get(&t->first, (size_t)id + 1) - first != l->nlines)
		return 0;
	for (i = 0; i < l->nlines; i++)
		if (cpf_col_id(&t->line_fn, first + i) != l->lines[i].function ||
			cpf_col_get(&t->line_no, first + i) != l->lines[i].line ||
			cpf_col_get(&t->line_col, first + i) != l->lines[i].column)
			return 0;
	return 1;
}

cpf_id cpf_find_location(struct cpf_profile *p, const struct cpf_location *l)
{
	struct cpf_build *b = build_of(p);
	struct cpf_rowset_it it;
	uint64_t h = hash_location(l);
	cpf_id id;

	if (!b->have_locations) {
		struct cpf_location row;

		for (id = 0; id < p->locations.n; id++) {
			cpf_get_location(p, id, &row, &b->lines, &b->lines_cap);
			cpf_rowset_add(&b->locations, hash_location(&row), id);
		}
		b->have_locations = 1;
	}
	for (id = cpf_rowset_first(&b->locations, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&b->locations, &it))
		if (same_location(p, id, l))
			return id;
	id = cpf_add_location(p, l);
	cpf_rowset_add(&b->locations, h, id);
	return id;
}

/* Nodes. */

static uint64_t hash_node(cpf_id parent, cpf_id location)
{
	return cpf_hash_mix(cpf_hash_seed(), (uint64_t)parent << 32 | location);
}

cpf_id cpf_add_node(struct cpf_profile *p, cpf_id parent, cpf_id location)
{
	cpf_col_push_id(&p->nodes.parent, parent);
	cpf_col_push_id(&p->nodes.location, location);
	return p->nodes.n++;
}

cpf_id cpf_find_node(struct cpf_profile *p, cpf_id parent, cpf_id location)
{
	struct cpf_build *b = build_of(p);
	struct cpf_rowset_it it;
	uint64_t h = hash_node(parent, location);
	cpf_id id;

	if (!b->have_nodes) {
		cpf_rowset_reserve(&b->nodes, p->nodes.n);
		for (id = 1; id < p->nodes.n; id++)
			cpf_rowset_add(&b->nodes,
				hash_node(cpf_col_id(&p->nodes.parent, id),
					cpf_col_id(&p->nodes.location, id)),
				id);
		b->have_nodes = 1;
	}
	for (id = cpf_rowset_first(&b->nodes, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&b->nodes, &it))
		if (cpf_col_id(&p->nodes.parent, id) == parent &&
			cpf_col_id(&p->nodes.location, id) == location)
			return id;
	id = cpf_add_node(p, parent, location);
	cpf_rowset_add(&b->nodes, h, id);
	return id;
}

/* Label sets. */

static uint64_t hash_labels(const struct cpf_label *l, uint32_t n)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), n);

	for (; n--; l++) {
		h = cpf_hash_mix(h, (uint64_t)l->key << 32 | l->str);
		h = cpf_hash_mix(h, (uint64_t)l->num ^ (uint64_t)l->unit << 40);
	}
	return h;
}

static int same_labels(const struct cpf_label *a, const struct cpf_label *b, uint32_t n)
{
	for (; n--; a++, b++)
		if (a->key != b->key || a->str != b->str || a->unit != b->unit || a->num != b->num)
			return 0;
	return 1;
}

cpf_id cpf_find_labels(struct cpf_profile *p, const struct cpf_label *labels, uint32_t n)
{
	struct cpf_label_sets *t = &p->label_sets;
	struct cpf_build *b = build_of(p);
	struct cpf_rowset_it it;
	uint64_t h;
	cpf_id id;

	if (!n)
		return 0;
	if (!b->have_labels) {
		for (id = 1; id < t->n; id++)
			cpf_rowset_add(&b->labels,
				hash_labels(t->labels + t->first[id], t->first[id + 1] - t->first[id]),
				id);
		b->have_labels = 1;
	}
	h = hash_labels(labels, n);
	for (id = cpf_rowset_first(&b->labels, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&b->labels, &it))
		if (t->first[id + 1] - t->first[id] == n &&
			same_labels(t->labels + t->first[id], labels, n))
			return id;
	CPF_GROW(t->labels, t->labels_cap, (size_t)t->nlabels + n);
	memcpy(t->labels + t->nlabels, labels, n * sizeof(*labels));
	t->nlabels += n;
	CPF_GROW(t->first, t->first_cap, (size_t)t->n + 2);
	t->first[t->n + 1] = t->nlabels;
	cpf_rowset_add(&b->labels, h, t->n);
	return t->n++;
}

/* Samples. */

cpf_id cpf_add_sample(struct cpf_profile *p, cpf_id node, cpf_id thread, int64_t time,
	cpf_id labels, const int64_t *raw)
{
	struct cpf_samples *s = &p->samples;
	uint32_t i;

	cpf_col_push_id(&s->node, node);
	cpf_col_push_id(&s->thread, thread);
	cpf_col_push(&s->time, time);
	cpf_col_push_id(&s->labels, labels);
	for (i = 0; i < s->nraw; i++)
		cpf_col_push(&s->raw[i], raw[i]);
	return s->n++;
}

/* Values. */

int cpf_scale(int64_t *out, const struct cpf_value_type *t, int64_t raw, struct cpf_err *e)
{
	uint64_t a = cpf_abs64(raw), q, r, whole, part;

	if (t->num == 1 && t->den == 1) {
		*out = raw;
		return 0;
	}
	/* raw * num / den without 128 bits: (q * den + r) * num / den, q and r from raw / den. */
	q = a / (uint64_t)t->den;
	r = a % (uint64_t)t->den;
	if (__builtin_mul_overflow(q, (uint64_t)t->num, &whole) ||
		__builtin_mul_overflow(r, (uint64_t)t->num, &part))
		goto range;
	part = part / (uint64_t)t->den + (part % (uint64_t)t->den >= (uint64_t)t->den - part % (uint64_t)t->den);
	if (__builtin_add_overflow(whole, part, &whole) || whole > (uint64_t)INT64_MAX)
		goto range;
	*out = raw < 0 ? -(int64_t)whole : (int64_t)whole;
	return 0;
range:
	return cpf_fail(e, CPF_E_RANGE,
		"value %" PRId64 " times %" PRId64 "/%" PRId64 " does not fit 64 bits", raw, t->num,
		t->den);
}

double cpf_scale_double(const struct cpf_value_type *t, int64_t raw)
{
	return (double)raw * (double)t->num / (double)t->den;
}

int cpf_type_index(const struct cpf_profile *p, const char *name)
{
	uint32_t i, number = 0;
	const char *s;

	for (i = 0; i < p->ntypes; i++)
		if (!strcmp(cpf_cstr(p, p->types[i].type), name))
			return (int)i;
	for (s = name; *s >= '0' && *s <= '9' && number < 100000; s++)
		number = number * 10 + (uint32_t)(*s - '0');
	return s != name && !*s && number < p->ntypes ? (int)number : -1;
}

/* Names. */

int cpf_is_hex_name(const char *s, size_t len)
{
	size_t i;

	if (len < 3 || s[0] != '0' || s[1] != 'x')
		return 0;
	for (i = 2; i < len; i++)
		if (!((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f')))
			return 0;
	return 1;
}

int64_t cpf_interval(const struct cpf_profile *p)
{
	const struct cpf_header *h = &p->head;
	const char *unit = cpf_cstr(p, h->period_unit), *suffix;
	double v;

	if (h->interval_nanos)
		return h->interval_nanos;
	if (!h->has_period_type || !cpf_unit_is_time(unit))
		return 0;
	v = cpf_unit_scale(h->period, unit, "ns", &suffix);
	return v > -9e18 && v < 9e18 ? (int64_t)v : 0;
}

struct cpf_text cpf_basename(struct cpf_text path)
{
	uint32_t i = path.len;

	while (i && path.s[i - 1] != '/' && path.s[i - 1] != '\\')
		i--;
	path.s += i;
	path.len -= i;
	return path;
}

struct cpf_text cpf_mapping_name(const struct cpf_profile *p, cpf_id mapping)
{
	if (mapping == CPF_NONE)
		return cpf_text(p, 0);
	if (p->mappings[mapping].name)
		return cpf_text(p, p->mappings[mapping].name);
	return cpf_basename(cpf_text(p, p->mappings[mapping].file));
}

uint64_t cpf_image_address(const struct cpf_profile *p, cpf_id location)
{
	uint64_t a = (uint64_t)cpf_col_get(&p->locations.address, location);
	cpf_id m = cpf_col_id(&p->locations.mapping, location);

	if (m == CPF_NONE || p->mappings[m].flags & CPF_MAP_RELATIVE)
		return a;
	return a - p->mappings[m].start + p->mappings[m].offset;
}
