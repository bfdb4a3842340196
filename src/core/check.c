#include "core/check.h"

#include <stdio.h>

#include "base/base.h"
#include "base/mem.h"
#include "core/strings.h"

#define KEPT 100

struct checker {
	const struct cpf_profile *p;
	struct cpf_faults *f;
	uint64_t found;
};

static void fault(struct checker *c, const char *fmt, ...) CPF_PRINTF(2, 3);
static void fault(struct checker *c, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	c->found++;
	c->f->total++;
	if (c->f->n == KEPT)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	CPF_GROW(c->f->texts, c->f->cap, c->f->n + 1);
	c->f->texts[c->f->n++] = cpf_strdup(text);
}

/* One string id of a row; table and column name the place. */
static void string(struct checker *c, const char *table, size_t row, const char *column, cpf_str s)
{
	if (s >= c->p->strings->n)
		fault(c, "%s[%zu].%s: no string %" PRIu32, table, row, column, s);
}

static void id(struct checker *c, const char *table, size_t row, const char *column, cpf_id v,
	uint32_t n, int none)
{
	if (v < n || (none && v == CPF_NONE))
		return;
	if (v == CPF_NONE)
		fault(c, "%s[%zu].%s: missing", table, row, column);
	else
		fault(c, "%s[%zu].%s: no row %" PRIu32 " (%" PRIu32 " rows)", table, row, column, v,
			n);
}

/* 1 if the column has n rows that can be read. */
static int rows(struct checker *c, const char *name, const struct cpf_col *col, size_t n)
{
	if (col->width != 0 && col->width != 1 && col->width != 2 && col->width != 4 &&
		col->width != 8) {
		fault(c, "%s: width %d", name, col->width);
		return 0;
	}
	if (col->width && col->n && !col->data) {
		fault(c, "%s: %zu rows without data", name, col->n);
		return 0;
	}
	if (col->n != n) {
		fault(c, "%s: %zu rows, the table has %zu", name, col->n, n);
		return 0;
	}
	return 1;
}

/* A whole column of ids into a table of limit rows. */
static void id_column(struct checker *c, const char *table, const char *column,
	const struct cpf_col *col, size_t n, uint32_t limit, int none)
{
	char name[64];
	size_t i;

	snprintf(name, sizeof(name), "%s.%s", table, column);
	if (!rows(c, name, col, n))
		return;
	if (col->width == 0) {
		if (n)
			id(c, table, 0, column, cpf_col_id(col, 0), limit, none);
		return;
	}
	for (i = 0; i < n; i++)
		id(c, table, i, column, cpf_col_id(col, i), limit, none);
}

static void check_strings(struct checker *c)
{
	const struct cpf_strings *s = c->p->strings;
	uint32_t i;

	if (!s->n || s->texts[0].len)
		fault(c, "strings[0]: not empty");
	for (i = 0; i < s->n; i++)
		if (!s->texts[i].s || s->texts[i].s[s->texts[i].len])
			fault(c, "strings[%" PRIu32 "]: no NUL at its end", i);
}

static void check_header(struct checker *c)
{
	const struct cpf_header *h = &c->p->head;
	uint32_t i;

	string(c, "head", 0, "period_type", h->period_type);
	string(c, "head", 0, "period_unit", h->period_unit);
	string(c, "head", 0, "drop_frames", h->drop_frames);
	string(c, "head", 0, "keep_frames", h->keep_frames);
	string(c, "head", 0, "default_sample_type", h->default_sample_type);
	string(c, "head", 0, "doc_url", h->doc_url);
	string(c, "head", 0, "product", h->product);
	string(c, "head", 0, "producer", h->producer);
	string(c, "head", 0, "platform", h->platform);
	string(c, "head", 0, "marker_schema", h->marker_schema);
	for (i = 0; i < h->ncomments; i++)
		string(c, "comments", i, "text", h->comments[i]);
	string(c, "profile", 0, "thread_label", c->p->thread_label);
	string(c, "profile", 0, "time_label", c->p->time_label);
}

static void check_types(struct checker *c)
{
	const struct cpf_profile *p = c->p;
	uint32_t i;

	for (i = 0; i < p->ntypes; i++) {
		const struct cpf_value_type *t = &p->types[i];

		string(c, "types", i, "type", t->type);
		string(c, "types", i, "unit", t->unit);
		id(c, "types", i, "raw", t->raw, p->samples.nraw, 0);
		if (t->num <= 0 || t->den <= 0)
			fault(c, "types[%" PRIu32 "]: factor %" PRId64 "/%" PRId64 " is not positive", i,
				t->num, t->den);
	}
	if (p->ntypes && p->default_type >= p->ntypes)
		fault(c, "default_type: no type %" PRIu32 " (%" PRIu32 " types)", p->default_type,
			p->ntypes);
	if (!p->ntypes && p->samples.n)
		fault(c, "samples: %" PRIu32 " rows without a value type", p->samples.n);
}

static void check_mappings(struct checker *c)
{
	const struct cpf_profile *p = c->p;
	uint32_t i;

	for (i = 0; i < p->nmappings; i++) {
		const struct cpf_mapping *m = &p->mappings[i];

		string(c, "mappings", i, "file", m->file);
		string(c, "mappings", i, "name", m->name);
		string(c, "mappings", i, "build_id", m->build_id);
		string(c, "mappings", i, "debug_name", m->debug_name);
		string(c, "mappings", i, "debug_path", m->debug_path);
		string(c, "mappings", i, "debug_id", m->debug_id);
		string(c, "mappings", i, "code_id", m->code_id);
		string(c, "mappings", i, "arch", m->arch);
		if (m->flags & CPF_MAP_RELATIVE && (m->start || m->limit || m->offset))
			fault(c, "mappings[%" PRIu32 "]: relative, but with a place in memory", i);
	}
	for (i = 0; i < p->nsymbols; i++) {
		string(c, "symbols", i, "name", p->symbols[i].name);
		id(c, "symbols", i, "mapping", p->symbols[i].mapping, p->nmappings, 1);
	}
	for (i = 0; i < p->nfunctions; i++) {
		const struct cpf_function *f = &p->functions[i];

		string(c, "functions", i, "name", f->name);
		string(c, "functions", i, "system_name", f->system_name);
		string(c, "functions", i, "file", f->file);
		id(c, "functions", i, "resource_lib", f->resource_lib, p->nmappings, 1);
	}
}

static void check_lines(struct checker *c)
{
	const struct cpf_locations *t = &c->p->locations;
	size_t n = t->line_fn.n, i;
	int64_t last = 0;

	id_column(c, "lines", "function", &t->line_fn, n, c->p->nfunctions, 0);
	rows(c, "lines.line", &t->line_no, n);
	rows(c, "lines.column", &t->line_col, n);
	if (!rows(c, "locations.first", &t->first, (size_t)t->n + 1))
		return;
	if (cpf_col_get(&t->first, 0) != 0)
		fault(c, "locations[0].first: not 0");
	for (i = 0; i <= t->n; i++) {
		int64_t v = cpf_col_get(&t->first, i);

		if (v < last || (uint64_t)v > n) {
			fault(c, "locations[%zu].first: %" PRId64 " after %" PRId64 ", %zu lines", i, v,
				last, n);
			return;
		}
		last = v;
	}
	if ((uint64_t)last != n)
		fault(c, "lines: %zu rows, locations use %" PRId64, n, last);
}

static void check_locations(struct checker *c)
{
	const struct cpf_profile *p = c->p;
	const struct cpf_locations *t = &p->locations;
	uint32_t i;

	id_column(c, "locations", "mapping", &t->mapping, t->n, p->nmappings, 1);
	id_column(c, "locations", "category", &t->category, t->n, p->ncategories, 1);
	id_column(c, "locations", "symbol", &t->symbol, t->n, p->nsymbols, 1);
	rows(c, "locations.address", &t->address, t->n);
	rows(c, "locations.flags", &t->flags, t->n);
	rows(c, "locations.wire_id", &t->wire_id, t->n);
	if (rows(c, "locations.subcategory", &t->subcategory, t->n) && t->category.n == t->n)
		for (i = 0; i < t->n; i++) {
			cpf_id cat = cpf_col_id(&t->category, i);

			if (cat < p->ncategories || cat == CPF_NONE)
				id(c, "locations", i, "subcategory", cpf_col_id(&t->subcategory, i),
					cat == CPF_NONE ? 0 : p->categories[cat].nsub, 1);
		}
	check_lines(c);
}

static void check_nodes(struct checker *c)
{
	const struct cpf_nodes *t = &c->p->nodes;
	uint32_t i;

	if (!t->n) {
		fault(c, "nodes: no node 0");
		return;
	}
	if (!rows(c, "nodes.parent", &t->parent, t->n) ||
		!rows(c, "nodes.location", &t->location, t->n))
		return;
	if (cpf_col_get(&t->parent, 0) != 0 || cpf_col_id(&t->location, 0) != CPF_NONE)
		fault(c, "nodes[0]: not the empty stack");
	for (i = 1; i < t->n; i++) {
		if (cpf_col_id(&t->parent, i) >= i)
			fault(c, "nodes[%" PRIu32 "]: parent %" PRIu32 " does not come before it", i,
				cpf_col_id(&t->parent, i));
		id(c, "nodes", i, "location", cpf_col_id(&t->location, i), c->p->locations.n, 0);
	}
}

static void check_samples(struct checker *c)
{
	const struct cpf_profile *p = c->p;
	const struct cpf_samples *s = &p->samples;
	uint32_t i;

	id_column(c, "samples", "node", &s->node, s->n, p->nodes.n, 0);
	id_column(c, "samples", "thread", &s->thread, s->n, p->nthreads, 1);
	id_column(c, "samples", "labels", &s->labels, s->n, p->label_sets.n, 0);
	rows(c, "samples.time", &s->time, s->n);
	for (i = 0; i < s->nraw; i++) {
		char name[32];

		snprintf(name, sizeof(name), "samples.raw[%" PRIu32 "]", i);
		rows(c, name, &s->raw[i], s->n);
	}
}

static void check_labels(struct checker *c)
{
	const struct cpf_label_sets *t = &c->p->label_sets;
	uint32_t i;

	if (!t->n || t->first[0] != 0 || t->first[1] != 0) {
		fault(c, "label_sets[0]: not the empty set");
		return;
	}
	for (i = 0; i < t->n; i++)
		if (t->first[i + 1] < t->first[i] || t->first[i + 1] > t->nlabels) {
			fault(c, "label_sets[%" PRIu32 "]: ends at %" PRIu32 " of %" PRIu32 " labels", i,
				t->first[i + 1], t->nlabels);
			return;
		}
	if (t->first[t->n] != t->nlabels)
		fault(c, "labels: %" PRIu32 " rows, sets use %" PRIu32, t->nlabels, t->first[t->n]);
	for (i = 0; i < t->first[t->n]; i++) {
		string(c, "labels", i, "key", t->labels[i].key);
		string(c, "labels", i, "str", t->labels[i].str);
		string(c, "labels", i, "unit", t->labels[i].unit);
	}
}

static void check_threads(struct checker *c)
{
	const struct cpf_profile *p = c->p;
	uint32_t i, k;

	for (i = 0; i < p->nthreads; i++) {
		string(c, "threads", i, "name", p->threads[i].name);
		string(c, "threads", i, "tid", p->threads[i].tid);
		id(c, "threads", i, "process", p->threads[i].process, p->nprocesses, 1);
	}
	for (i = 0; i < p->nprocesses; i++) {
		string(c, "processes", i, "name", p->processes[i].name);
		string(c, "processes", i, "pid", p->processes[i].pid);
		string(c, "processes", i, "type", p->processes[i].type);
	}
	for (i = 0; i < p->ncategories; i++) {
		string(c, "categories", i, "name", p->categories[i].name);
		string(c, "categories", i, "color", p->categories[i].color);
		for (k = 0; k < p->categories[i].nsub; k++)
			string(c, "categories", i, "sub", p->categories[i].sub[k]);
	}
}

static void check_markers(struct checker *c)
{
	const struct cpf_profile *p = c->p;
	uint32_t i;

	for (i = 0; i < p->nmarkers; i++) {
		const struct cpf_marker *m = &p->markers[i];

		string(c, "markers", i, "name", m->name);
		string(c, "markers", i, "data", m->data);
		id(c, "markers", i, "thread", m->thread, p->nthreads, 1);
		id(c, "markers", i, "category", m->category, p->ncategories, 1);
		id(c, "markers", i, "stack", m->stack, p->nodes.n, 1);
		if (m->phase > CPF_MARK_END)
			fault(c, "markers[%" PRIu32 "]: phase %d", i, m->phase);
	}
}

uint64_t cpf_check(const struct cpf_profile *p, struct cpf_faults *f)
{
	struct checker c = {p, f, 0};

	check_strings(&c);
	check_header(&c);
	check_types(&c);
	check_mappings(&c);
	check_locations(&c);
	check_nodes(&c);
	check_samples(&c);
	check_labels(&c);
	check_threads(&c);
	check_markers(&c);
	return c.found;
}

void cpf_faults_release(struct cpf_faults *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		cpf_free(f->texts[i]);
	cpf_free(f->texts);
	memset(f, 0, sizeof(*f));
}

int cpf_check_ok(const struct cpf_profile *p, struct cpf_err *e)
{
	struct cpf_faults f = {0};
	int r = 0;

	if (cpf_check(p, &f))
		r = cpf_fail(e, CPF_E_FORMAT, "%s", f.texts[0]);
	cpf_faults_release(&f);
	return r;
}
