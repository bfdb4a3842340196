#include "reports/markers.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/rowset.h"
#include "core/regex.h"
#include "reports/report.h"

#include <stdlib.h>

/* Markers of one name and kind (and thread), or a single one. */
struct row {
	cpf_str name;
	cpf_id thread;      /* CPF_NONE: of all */
	uint8_t kind, flags;
	uint64_t count, instants, open;
	int64_t total, longest, start;
	size_t span;
};

struct markers {
	struct cpf_profile *p;
	const struct cpf_markers_opts *o;
	struct cpf_spans spans;
	struct row *rows;
	size_t n, cap, shown;
	struct row total;
	uint64_t made;      /* spans that are no markers */
	struct cpf_marker_schema *schema;
	int sum_over;
};

/* Rows. */

static struct row *find_row(struct markers *m, struct cpf_rowset *set, const struct cpf_span *v)
{
	cpf_id thread = m->o->by == CPF_MARKERS_NAME ? CPF_NONE : v->thread;
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)v->name << 32 | thread);
	struct cpf_rowset_it it;
	uint32_t i;

	h = cpf_hash_mix(h, v->kind);
	for (i = cpf_rowset_first(set, h, &it); i != CPF_ROWSET_END; i = cpf_rowset_next(set, &it))
		if (m->rows[i].name == v->name && m->rows[i].thread == thread &&
			m->rows[i].kind == v->kind)
			return &m->rows[i];
	CPF_GROW(m->rows, m->cap, m->n + 1);
	memset(&m->rows[m->n], 0, sizeof(*m->rows));
	m->rows[m->n].name = v->name;
	m->rows[m->n].thread = thread;
	m->rows[m->n].kind = v->kind;
	m->rows[m->n].flags = v->flags & CPF_SPAN_MADE;
	cpf_rowset_add(set, h, (uint32_t)m->n);
	return &m->rows[m->n++];
}

static void add_to(struct markers *m, struct row *r, const struct cpf_span *v)
{
	int64_t d = v->end - v->start;

	r->count++;
	r->instants += v->flags & CPF_SPAN_INSTANT;
	r->open += (v->flags & (CPF_SPAN_NO_START | CPF_SPAN_NO_END)) != 0;
	m->sum_over |= cpf_add64(&r->total, r->total, d);
	r->longest = d > r->longest ? d : r->longest;
}

static int gather(struct markers *m, struct cpf_err *e)
{
	struct cpf_regex *re = NULL;
	struct cpf_rowset set = {0};
	size_t i;
	int r;

	if (m->o->name && cpf_regex_new(&re, "name", m->o->name, e))
		return -1;
	for (i = 0; i < m->spans.n; i++) {
		const struct cpf_span *v = &m->spans.v[i];

		if ((m->o->has_from && v->end < cpf_wrap_add(m->o->zero, m->o->from)) ||
			(m->o->has_to && v->start >= cpf_wrap_add(m->o->zero, m->o->to)))
			continue;
		if ((m->o->kinds && !(m->o->kinds >> v->kind & 1)) ||
			(re && !cpf_regex_match_str(re, m->p, v->name)))
			continue;
		if (m->o->by == CPF_MARKERS_LIST) {
			CPF_GROW(m->rows, m->cap, m->n + 1);
			memset(&m->rows[m->n], 0, sizeof(*m->rows));
			m->rows[m->n++] = (struct row){.name = v->name, .thread = v->thread,
				.kind = v->kind, .flags = v->flags, .start = v->start, .span = i};
			add_to(m, &m->rows[m->n - 1], v);
		} else {
			add_to(m, find_row(m, &set, v), v);
		}
		m->made += (v->flags & CPF_SPAN_MADE) != 0;
		if (v->kind != CPF_SPAN_IO_COPY && !(v->flags & CPF_SPAN_MADE))
			add_to(m, &m->total, v);
	}
	cpf_rowset_release(&set);
	r = re ? cpf_regex_status(re, e) : 0;
	cpf_regex_free(re);
	if (!r && m->sum_over)
		r = cpf_fail(e, CPF_E_RANGE, "the sum of durations does not fit 64 bits");
	return r;
}

static const struct markers *sorted; /* qsort has no place for context; one report at a time */

static int compare_text(struct cpf_text a, struct cpf_text b)
{
	int r = memcmp(a.s, b.s, a.len < b.len ? a.len : b.len);

	if (r)
		return r;
	return a.len < b.len ? -1 : a.len > b.len;
}

static int compare(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;
	const struct cpf_profile *p = sorted->p;
	int r;

	if (sorted->o->by == CPF_MARKERS_LIST) {
		if (a->start != b->start)
			return a->start < b->start ? -1 : 1;
		return a->span < b->span ? -1 : 1;
	}
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	r = compare_text(cpf_text(p, a->name), cpf_text(p, b->name));
	if (r)
		return r;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* Tables. */

static const struct cpf_column totals[] = {
	{"count", "count", CPF_IN_BOTH, 0, 1, 0, 8},
	{"total", "total", CPF_IN_BOTH, 0, 1, 2, 9},
	{"longest", "longest", CPF_IN_BOTH, 0, 1, 2, 9},
	{"instants", "", CPF_IN_MACHINES, 0, 1, 0, 0},
	{"unpaired", "", CPF_IN_MACHINES, 0, 1, 0, 0},
	{"kind", "kind", CPF_IN_BOTH, 1, 0, 2, 0},
	{"made", "", CPF_IN_MACHINES, 0, 1, 0, 0},
	{"name", "name", CPF_IN_BOTH, 1, 0, 2, 0},
};

static const struct cpf_column by_thread[] = {
	{"count", "count", CPF_IN_BOTH, 0, 1, 0, 8},
	{"total", "total", CPF_IN_BOTH, 0, 1, 2, 9},
	{"longest", "longest", CPF_IN_BOTH, 0, 1, 2, 9},
	{"instants", "", CPF_IN_MACHINES, 0, 1, 0, 0},
	{"unpaired", "", CPF_IN_MACHINES, 0, 1, 0, 0},
	{"kind", "kind", CPF_IN_BOTH, 1, 0, 2, 0},
	{"made", "", CPF_IN_MACHINES, 0, 1, 0, 0},
	{"name", "name", CPF_IN_BOTH, 1, 0, 2, 0},
	{"process", "process", CPF_IN_BOTH, 1, 0, 2, 0},
	{"thread", "thread", CPF_IN_BOTH, 1, 0, 2, 0},
	{"tid", "tid", CPF_IN_BOTH, 1, 0, 2, 0},
};

static const struct cpf_column list[] = {
	{"start", "start", CPF_IN_BOTH, 0, 1, 0, 10},
	{"duration", "duration", CPF_IN_BOTH, 0, 1, 2, 9},
	{"kind", "kind", CPF_IN_BOTH, 1, 0, 2, 0},
	{"made", "", CPF_IN_MACHINES, 0, 1, 0, 0},
	{"unpaired", "", CPF_IN_MACHINES, 0, 1, 0, 0},
	{"name", "name", CPF_IN_BOTH, 1, 0, 2, 0},
	{"thread", "thread", CPF_IN_BOTH, 1, 0, 2, 0},
	{"tid", "tid", CPF_IN_BOTH, 1, 0, 2, 0},
	{"details", "details", CPF_IN_BOTH, 1, 0, 2, 0},
};

static void text_cell(struct cpf_table *table, const struct cpf_profile *p, cpf_str s)
{
	struct cpf_text t = cpf_text(p, s);

	cpf_table_text_or_null(table, t.s, t.len);
}

static void time_cell(struct cpf_table *table, int64_t nanos)
{
	char text[40];

	cpf_table_number(table, nanos, cpf_report_duration(nanos, text));
}

static void kind_cells(struct cpf_table *table, const struct row *r)
{
	const char *kind = cpf_span_kinds[r->kind];

	cpf_table_text_or_null(table, kind, strlen(kind));
	cpf_table_bool(table, (r->flags & CPF_SPAN_MADE) != 0);
}

static void thread_cells(struct cpf_table *table, const struct markers *m, const struct row *r,
	int process)
{
	const struct cpf_profile *p = m->p;
	const struct cpf_thread *t = r->thread < p->nthreads ? &p->threads[r->thread] : NULL;

	if (process)
		text_cell(table, p,
			t && t->process < p->nprocesses ? p->processes[t->process].name : 0);
	text_cell(table, p, t ? t->name : 0);
	text_cell(table, p, t ? t->tid : 0);
}

static void total_cells(struct cpf_table *table, const struct row *r)
{
	cpf_table_number(table, (int64_t)r->count, NULL);
	time_cell(table, r->total);
	time_cell(table, r->longest);
	cpf_table_number(table, (int64_t)r->instants, NULL);
	cpf_table_number(table, (int64_t)r->open, NULL);
}

static void fill(struct cpf_table *table, const struct markers *m)
{
	struct cpf_buf text = {0};
	size_t i;

	if (m->o->by == CPF_MARKERS_LIST)
		cpf_table_init(table, list, CPF_LEN(list));
	else if (m->o->by == CPF_MARKERS_THREAD)
		cpf_table_init(table, by_thread, CPF_LEN(by_thread));
	else
		cpf_table_init(table, totals, CPF_LEN(totals));
	for (i = 0; i < m->shown; i++) {
		const struct row *r = &m->rows[i];

		if (m->o->by != CPF_MARKERS_LIST) {
			total_cells(table, r);
			kind_cells(table, r);
			text_cell(table, m->p, r->name);
			if (m->o->by == CPF_MARKERS_THREAD)
				thread_cells(table, m, r, 1);
			continue;
		}
		time_cell(table, cpf_wrap_add(r->start, -m->o->zero));
		time_cell(table, r->total);
		kind_cells(table, r);
		cpf_table_bool(table, r->open != 0);
		text_cell(table, m->p, r->name);
		thread_cells(table, m, r, 0);
		cpf_buf_clear(&text);
		cpf_marker_fields(m->schema, m->p, &m->spans.v[r->span], &text);
		cpf_table_text_or_null(table, text.s, text.n);
	}
	cpf_buf_release(&text);
}

/* Output. */

static void header(struct cpf_buf *out, const struct markers *m)
{
	char text[40];

	cpf_report_headline(out, m->p);
	cpf_buf_fmt(out, "%" PRIu64 " marker%s", m->total.count, m->total.count == 1 ? "" : "s");
	if (m->total.instants)
		cpf_buf_fmt(out, ", %" PRIu64 " of them instants", m->total.instants);
	cpf_buf_fmt(out, ", durations of %s", cpf_report_duration(m->total.total, text));
	if (m->total.open)
		cpf_buf_fmt(out, ", %" PRIu64 " without start or end", m->total.open);
	if (m->made)
		cpf_buf_fmt(out, "; %" PRIu64 " gap%s between runs on a CPU", m->made,
			m->made == 1 ? "" : "s");
	if (m->o->scope[0]) {
		cpf_buf_str(out, "; ");
		cpf_buf_terminal(out, m->o->scope, strlen(m->o->scope));
	}
	if (m->shown < m->n)
		cpf_buf_fmt(out, "\n%zu of %zu rows (-n 0 shows all)\n", m->shown, m->n);
	else
		cpf_buf_fmt(out, "\nall %zu row%s\n", m->n, m->n == 1 ? "" : "s");
}

static void json_text(struct cpf_jsonw *w, const struct markers *m, const char *key, cpf_str s)
{
	cpf_report_json_str(w, key, m->p, s);
}

static void json_row(struct cpf_jsonw *w, const struct markers *m, const struct row *r)
{
	const struct cpf_profile *p = m->p;
	const struct cpf_thread *t = r->thread < p->nthreads ? &p->threads[r->thread] : NULL;
	const struct cpf_span *v = &m->spans.v[r->span];
	cpf_id category = CPF_NONE;

	cpf_jsonw_object_flat(w);
	json_text(w, m, "name", r->name);
	cpf_jsonw_key(w, "kind");
	if (r->kind)
		cpf_jsonw_str(w, cpf_span_kinds[r->kind]);
	else
		cpf_jsonw_null(w);
	cpf_jsonw_key_bool(w, "made", (r->flags & CPF_SPAN_MADE) != 0);
	if (m->o->by != CPF_MARKERS_NAME) {
		json_text(w, m, "process",
			t && t->process < p->nprocesses ? p->processes[t->process].name : 0);
		json_text(w, m, "thread", t ? t->name : 0);
		json_text(w, m, "tid", t ? t->tid : 0);
	}
	if (m->o->by == CPF_MARKERS_LIST) {
		category = r->flags & CPF_SPAN_MADE ? CPF_NONE : p->markers[v->marker].category;
		json_text(w, m, "category",
			category < p->ncategories ? p->categories[category].name : 0);
		cpf_jsonw_key_int(w, "start", cpf_wrap_add(r->start, -m->o->zero));
		cpf_jsonw_key_int(w, "duration", r->total);
		cpf_jsonw_key_bool(w, "instant", (r->flags & CPF_SPAN_INSTANT) != 0);
		cpf_jsonw_key_bool(w, "unpaired", r->open != 0);
		cpf_marker_fields_json(p, v, w);
	} else {
		cpf_jsonw_key_uint(w, "count", r->count);
		cpf_jsonw_key_int(w, "total", r->total);
		cpf_jsonw_key_int(w, "longest", r->longest);
		cpf_jsonw_key_uint(w, "instants", r->instants);
		cpf_jsonw_key_uint(w, "unpaired", r->open);
	}
	cpf_jsonw_end(w);
}

static void as_json(struct cpf_buf *out, const struct markers *m, const struct cpf_diag *d)
{
	static const char *const by[] = {"name", "thread", "marker"};
	struct cpf_jsonw w;
	size_t i;

	cpf_report_json_open(&w, out, m->p, "cpuprof/markers/1");
	cpf_jsonw_key_str(&w, "by", by[m->o->by]);
	cpf_jsonw_key_str(&w, "unit", "nanoseconds");
	cpf_jsonw_key_uint(&w, "count", m->total.count);
	cpf_jsonw_key_uint(&w, "instants", m->total.instants);
	cpf_jsonw_key_uint(&w, "unpaired", m->total.open);
	cpf_jsonw_key_int(&w, "total", m->total.total);
	cpf_jsonw_key_uint(&w, "rows_total", m->n);
	cpf_jsonw_key(&w, "rows");
	cpf_jsonw_array(&w);
	for (i = 0; i < m->shown; i++)
		json_row(&w, m, &m->rows[i]);
	cpf_jsonw_end(&w);
	cpf_report_json_close(&w, d);
}

static void print(struct cpf_buf *out, const struct markers *m, const struct cpf_diag *d)
{
	struct cpf_buf head = {0};
	struct cpf_table table;

	if (m->o->format == CPF_TABLE_JSON) {
		as_json(out, m, d);
		return;
	}
	fill(&table, m);
	switch (m->o->format) {
	case CPF_TABLE_CSV:
		cpf_table_as_csv(&table, out);
		break;
	case CPF_TABLE_MARKDOWN:
		header(&head, m);
		cpf_report_markdown(out, head.s);
		cpf_table_as_markdown(&table, out);
		break;
	default:
		header(out, m);
		cpf_table_as_text(&table, out);
		break;
	}
	cpf_buf_release(&head);
	cpf_table_release(&table);
}

int cpf_markers(struct cpf_buf *out, size_t *rows, struct cpf_profile *p,
	const struct cpf_markers_opts *o, const struct cpf_diag *d, struct cpf_err *e)
{
	struct markers m = {.p = p, .o = o};
	int r = -1;

	if (cpf_spans_build(&m.spans, p, &o->spans, e) || gather(&m, e))
		goto out;
	sorted = &m;
	if (m.n)
		qsort(m.rows, m.n, sizeof(*m.rows), compare);
	m.shown = o->n && (uint64_t)o->n < m.n ? (size_t)o->n : m.n;
	*rows = m.n;
	m.schema = cpf_marker_schema_new(p);
	print(out, &m, d);
	cpf_marker_schema_free(m.schema);
	r = 0;
out:
	cpf_spans_release(&m.spans);
	cpf_free(m.rows);
	return r;
}
