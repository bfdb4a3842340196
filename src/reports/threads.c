#include "reports/threads.h"

#include "base/mem.h"
#include "base/num.h"
#include "reports/coverage.h"
#include "reports/report.h"

#include <stdlib.h>

#define BLOCK 1024

struct row {
	cpf_id thread;            /* CPF_NONE: samples without thread */
	uint32_t rows, no_stack;
	double leaf, leaf_named;  /* magnitudes of the sorting type */
	double wall, idle;        /* magnitudes of "wall"; idle: of rows without CPU */
	int64_t *raw;             /* sums per value column */
	const int64_t *values;    /* per type, in its unit */
};

struct threads {
	const struct cpf_profile *p;
	const struct cpf_threads_opts *o;
	struct row *rows, total;  /* one per thread and one for samples without; then sorted */
	uint32_t n, silent;       /* silent: threads without samples */
	int64_t *raw, *values;
	int cpu, wall;            /* raw columns, -1 = there is none */
	uint8_t *named;           /* per location */
};

static void threads_release(struct threads *t)
{
	cpf_free(t->rows);
	cpf_free(t->raw);
	cpf_free(t->values);
	cpf_free(t->named);
}

/* Sums. */

static int find_raw(const struct cpf_profile *p, const char *type)
{
	uint32_t i;

	for (i = 0; i < p->ntypes; i++)
		if (!strcmp(cpf_cstr(p, p->types[i].type), type))
			return (int)p->types[i].raw;
	return -1;
}

static int add_values(struct threads *t, struct cpf_err *e)
{
	const struct cpf_samples *s = &t->p->samples;
	uint32_t threads[BLOCK], at, n, i, k, id;
	int64_t values[BLOCK];
	int over = 0;

	for (k = 0; k < s->nraw; k++)
		for (at = 0; at < s->n; at += n) {
			n = s->n - at < BLOCK ? s->n - at : BLOCK;
			cpf_col_read32(&s->thread, at, n, threads);
			cpf_col_read(&s->raw[k], at, n, values);
			for (i = 0; i < n; i++) {
				id = threads[i] < t->p->nthreads ? threads[i] : t->p->nthreads;
				over |= cpf_add64(&t->rows[id].raw[k], t->rows[id].raw[k], values[i]);
				over |= cpf_add64(&t->total.raw[k], t->total.raw[k], values[i]);
			}
		}
	if (over)
		return cpf_fail(e, CPF_E_RANGE, "the sum of the values does not fit 64 bits");
	return 0;
}

static void add_shares(struct threads *t)
{
	const struct cpf_samples *s = &t->p->samples;
	const struct cpf_col *value = &s->raw[t->p->types[t->o->type].raw];
	uint32_t i, id, node;
	double v;

	for (i = 0; i < s->n; i++) {
		struct row *r;

		id = cpf_col_id(&s->thread, i);
		r = &t->rows[id < t->p->nthreads ? id : t->p->nthreads];
		r->rows++;
		node = cpf_col_id(&s->node, i);
		if (node) {
			v = (double)cpf_abs64(cpf_col_get(value, i));
			r->leaf += v;
			if (t->named[cpf_col_id(&t->p->nodes.location, node)] & CPF_NAMED_LEAF)
				r->leaf_named += v;
		} else {
			r->no_stack++;
		}
		if (t->cpu < 0 || t->wall < 0)
			continue;
		v = (double)cpf_abs64(cpf_col_get(&s->raw[t->wall], i));
		r->wall += v;
		if (!cpf_col_get(&s->raw[t->cpu], i))
			r->idle += v;
	}
}

static void add_total(struct row *total, const struct row *r)
{
	total->rows += r->rows;
	total->no_stack += r->no_stack;
	total->leaf += r->leaf;
	total->leaf_named += r->leaf_named;
	total->wall += r->wall;
	total->idle += r->idle;
}

/* Order. */

static const struct threads *sorted; /* qsort has no place for context; one report at a time */

static int compare_text(struct cpf_text a, struct cpf_text b)
{
	int r = memcmp(a.s, b.s, a.len < b.len ? a.len : b.len);

	if (r)
		return r;
	return a.len < b.len ? -1 : a.len > b.len;
}

/* "9" before "10", "23164" before "23164.1". */
static int compare_ids(struct cpf_text a, struct cpf_text b)
{
	size_t na = strspn(a.s, "0123456789"), nb = strspn(b.s, "0123456789");

	if (na != nb)
		return na < nb ? -1 : 1;
	return compare_text(a, b);
}

static int compare(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;
	const struct cpf_profile *p = sorted->p;
	uint64_t x = cpf_abs64(a->values[sorted->o->type]), y = cpf_abs64(b->values[sorted->o->type]);
	const struct cpf_thread *s, *t;
	int r;

	if (x != y)
		return x > y ? -1 : 1;
	if (a->rows != b->rows)
		return a->rows > b->rows ? -1 : 1;
	if (a->thread == CPF_NONE || b->thread == CPF_NONE)
		return (a->thread == CPF_NONE) - (b->thread == CPF_NONE);
	s = &p->threads[a->thread];
	t = &p->threads[b->thread];
	r = compare_text(cpf_text(p, s->name), cpf_text(p, t->name));
	if (!r)
		r = compare_ids(cpf_text(p, s->tid), cpf_text(p, t->tid));
	if (r)
		return r;
	return a->thread < b->thread ? -1 : 1;
}

static int build(struct threads *t, struct cpf_err *e)
{
	const struct cpf_profile *p = t->p;
	uint32_t all = p->nthreads + 1, i, k, n = 0;

	t->rows = cpf_calloc(all, sizeof(*t->rows));
	t->raw = cpf_calloc((size_t)(all + 1) * (p->samples.nraw + 1), sizeof(*t->raw));
	t->values = cpf_calloc((size_t)(all + 1) * (p->ntypes + 1), sizeof(*t->values));
	t->named = cpf_named_locations(p);
	t->cpu = find_raw(p, "cpu");
	t->wall = find_raw(p, "wall");
	for (i = 0; i <= all; i++) {
		struct row *r = i < all ? &t->rows[i] : &t->total;

		r->thread = i < p->nthreads ? i : CPF_NONE;
		r->raw = t->raw + (size_t)i * p->samples.nraw;
		r->values = t->values + (size_t)i * p->ntypes;
	}
	if (add_values(t, e))
		return -1;
	add_shares(t);
	for (i = 0; i <= all; i++) {
		struct row *r = i < all ? &t->rows[i] : &t->total;

		for (k = 0; k < p->ntypes; k++)
			if (cpf_scale(&t->values[(size_t)i * p->ntypes + k], &p->types[k],
				    r->raw[p->types[k].raw], e))
				return -1;
		if (i < all)
			add_total(&t->total, r);
	}
	for (i = 0; i < all; i++) {
		t->silent += i < p->nthreads && !t->rows[i].rows;
		if (t->rows[i].rows || (t->o->all && i < p->nthreads))
			t->rows[n++] = t->rows[i];
	}
	t->n = n;
	sorted = t;
	qsort(t->rows, t->n, sizeof(*t->rows), compare);
	return 0;
}

/* Table: rows, one column per type, idle, named, no stack, then who it is. */

#define FIXED_BEFORE 1
#define FIXED_AFTER  8

static struct cpf_column *make_columns(const struct cpf_profile *p, size_t *n)
{
	static const struct cpf_column before[FIXED_BEFORE] = {
		{"rows", "rows", CPF_IN_BOTH, 0, 1, 0, 8},
	};
	static const struct cpf_column after[FIXED_AFTER] = {
		{"idle_percent", "idle%", CPF_IN_BOTH, 0, 1, 2, 6},
		{"named_percent", "named%", CPF_IN_BOTH, 0, 1, 2, 6},
		{"no_stack", "no stack", CPF_IN_BOTH, 0, 1, 2, 8},
		{"process", "process", CPF_IN_BOTH, 1, 0, 2, 0},
		{"pid", "pid", CPF_IN_BOTH, 1, 0, 2, 0},
		{"thread", "thread", CPF_IN_BOTH, 1, 0, 2, 0},
		{"tid", "tid", CPF_IN_BOTH, 1, 0, 2, 0},
		{"main", "main", CPF_IN_MACHINES, 1, 1, 2, 0},
	};
	struct cpf_column *c;
	uint32_t i;

	*n = FIXED_BEFORE + p->ntypes + FIXED_AFTER;
	c = cpf_calloc(*n, sizeof(*c));
	memcpy(c, before, sizeof(before));
	for (i = 0; i < p->ntypes; i++) {
		struct cpf_column *k = &c[FIXED_BEFORE + i];

		k->key = k->title = cpf_cstr(p, p->types[i].type);
		k->in = CPF_IN_BOTH;
		k->plain = 1;
		k->gap = 2;
		k->width = 8;
	}
	memcpy(c + FIXED_BEFORE + p->ntypes, after, sizeof(after));
	return c;
}

static const char *unit_of(const struct threads *t, uint32_t type)
{
	const char *unit = cpf_cstr(t->p, t->p->types[type].unit);
	uint64_t low = 0, v;
	uint32_t i;

	if (t->o->unit && cpf_unit_fits(unit, t->o->unit))
		return t->o->unit;
	for (i = 0; i < t->n; i++) {
		v = cpf_abs64(t->rows[i].values[type]);
		if (v && (!low || v < low))
			low = v;
	}
	return cpf_unit_choose((int64_t)low, (int64_t)cpf_abs64(t->total.values[type]), unit, 0);
}

static void idle_cell(struct cpf_table *table, const struct threads *t, const struct row *r)
{
	struct cpf_buf machines = {0}, people = {0};

	if (t->cpu < 0 || !(r->wall > 0)) {
		cpf_table_null(table);
		return;
	}
	cpf_buf_fixed(&machines, r->idle / r->wall * 100, 2);
	cpf_buf_fixed(&people, r->idle / r->wall * 100, 1);
	cpf_buf_char(&people, '%');
	cpf_table_two(table, machines.s, machines.n, people.s, people.n);
	cpf_buf_release(&machines);
	cpf_buf_release(&people);
}

static void named_cell(struct cpf_table *table, const struct row *r)
{
	struct cpf_buf machines = {0}, people = {0};

	if (!(r->leaf > 0)) {
		cpf_table_null(table);
		return;
	}
	cpf_report_named(&machines, r->leaf_named, r->leaf, 2);
	cpf_report_named(&people, r->leaf_named, r->leaf, 1);
	cpf_buf_char(&people, '%');
	cpf_table_two(table, machines.s, machines.n, people.s, people.n);
	cpf_buf_release(&machines);
	cpf_buf_release(&people);
}

static void text_cell(struct cpf_table *table, const struct cpf_profile *p, cpf_str s)
{
	struct cpf_text t = cpf_text(p, s);

	cpf_table_text_or_null(table, t.s, t.len);
}

static void who_cells(struct cpf_table *table, const struct threads *t, const struct row *r)
{
	const struct cpf_profile *p = t->p;
	const struct cpf_thread *th;
	static const char none[] = "(no thread)", total[] = "total";
	cpf_str process = 0, pid = 0;

	if (r->thread == CPF_NONE) {
		cpf_table_null(table);
		cpf_table_null(table);
		if (r == &t->total)
			cpf_table_str(table, total);
		else
			cpf_table_two(table, "", 0, none, sizeof(none) - 1);
		cpf_table_null(table);
		cpf_table_bool(table, 0);
		return;
	}
	th = &p->threads[r->thread];
	if (th->process < p->nprocesses) {
		process = p->processes[th->process].name;
		pid = p->processes[th->process].pid;
	}
	text_cell(table, p, process);
	text_cell(table, p, pid);
	text_cell(table, p, th->name);
	text_cell(table, p, th->tid);
	cpf_table_bool(table, (th->flags & CPF_THREAD_MAIN) != 0);
}

static void add_row(struct cpf_table *table, const struct threads *t, const struct row *r,
	const char *const *units)
{
	const struct cpf_profile *p = t->p;
	char text[400];
	uint32_t k;

	cpf_table_number(table, r->rows, NULL);
	for (k = 0; k < p->ntypes; k++) {
		cpf_report_label(p, &p->types[k], r->raw[p->types[k].raw], units[k], text, sizeof(text));
		cpf_table_number(table, r->values[k], text);
	}
	idle_cell(table, t, r);
	named_cell(table, r);
	cpf_table_number(table, r->no_stack, NULL);
	who_cells(table, t, r);
}

static void fill(struct cpf_table *table, const struct threads *t, const struct cpf_column *columns,
	size_t ncolumns, int with_total)
{
	const struct cpf_profile *p = t->p;
	const char **units = cpf_calloc((size_t)p->ntypes + 1, sizeof(*units));
	uint32_t i;

	for (i = 0; i < p->ntypes; i++)
		units[i] = unit_of(t, i);
	cpf_table_init(table, columns, ncolumns);
	for (i = 0; i < t->n; i++)
		add_row(table, t, &t->rows[i], units);
	if (with_total)
		add_row(table, t, &t->total, units);
	cpf_free(units);
}

/* Output. */

static void header(struct cpf_buf *out, const struct threads *t)
{
	struct cpf_text type = cpf_text(t->p, t->p->types[t->o->type].type);
	uint32_t i, n = 0;

	cpf_report_headline(out, t->p);
	for (i = 0; i < t->n; i++)
		n += t->rows[i].thread != CPF_NONE;
	cpf_buf_fmt(out, "%" PRIu32 " thread%s%s", n, n == 1 ? "" : "s",
		t->o->all ? "" : " with samples");
	if (t->o->scope[0]) {
		cpf_buf_str(out, ", selected ");
		cpf_buf_terminal(out, t->o->scope, strlen(t->o->scope));
	}
	cpf_buf_str(out, "; by ");
	cpf_buf_terminal(out, type.s, type.len);
	cpf_buf_str(out, "; named% is of its leaf frames\n");
}

static void footer(struct cpf_buf *out, const struct threads *t)
{
	if (t->silent && !t->o->all)
		cpf_buf_fmt(out, "%" PRIu32 " more thread%s without samples (--all lists %s)\n",
			t->silent, t->silent == 1 ? "" : "s", t->silent == 1 ? "it" : "them");
}

static void json_types(struct cpf_jsonw *w, const struct cpf_profile *p)
{
	uint32_t i;

	cpf_jsonw_key(w, "sample_types");
	cpf_jsonw_array_flat(w);
	for (i = 0; i < p->ntypes; i++) {
		cpf_report_json_type(w, p, p->types[i].type, p->types[i].unit);
		cpf_jsonw_end(w);
	}
	cpf_jsonw_end(w);
}

static void json_who(struct cpf_jsonw *w, const struct cpf_profile *p, const struct cpf_thread *th)
{
	const struct cpf_process *pr =
		th && th->process < p->nprocesses ? &p->processes[th->process] : NULL;

	cpf_report_json_str(w, "process", p, pr ? pr->name : 0);
	cpf_report_json_str(w, "pid", p, pr ? pr->pid : 0);
	cpf_report_json_str(w, "thread", p, th ? th->name : 0);
	cpf_report_json_str(w, "tid", p, th ? th->tid : 0);
	cpf_jsonw_key_bool(w, "main", th && th->flags & CPF_THREAD_MAIN);
}

static void json_row(struct cpf_jsonw *w, const struct threads *t, const struct row *r)
{
	const struct cpf_profile *p = t->p;
	uint32_t k;

	cpf_jsonw_object_flat(w);
	if (r != &t->total)
		json_who(w, p, r->thread == CPF_NONE ? NULL : &p->threads[r->thread]);
	cpf_jsonw_key_uint(w, "rows", r->rows);
	cpf_jsonw_key(w, "values");
	cpf_jsonw_array_flat(w);
	for (k = 0; k < p->ntypes; k++)
		cpf_jsonw_int(w, r->values[k]);
	cpf_jsonw_end(w);
	cpf_report_json_pct(w, "idle", r->idle, t->cpu >= 0 ? r->wall : 0);
	cpf_report_json_named(w, "named", r->leaf_named, r->leaf);
	cpf_jsonw_key_uint(w, "no_stack", r->no_stack);
	cpf_jsonw_end(w);
}

static void as_json(struct cpf_buf *out, const struct threads *t, const struct cpf_diag *d)
{
	struct cpf_jsonw w;
	uint32_t i;

	cpf_report_json_open(&w, out, t->p, "cpuprof/threads/1");
	json_types(&w, t->p);
	cpf_jsonw_key(&w, "totals");
	json_row(&w, t, &t->total);
	cpf_jsonw_key_uint(&w, "without_samples", t->silent);
	cpf_jsonw_key(&w, "threads");
	cpf_jsonw_array(&w);
	for (i = 0; i < t->n; i++)
		json_row(&w, t, &t->rows[i]);
	cpf_jsonw_end(&w);
	cpf_report_json_close(&w, d);
}

static void print(struct cpf_buf *out, const struct threads *t, const struct cpf_diag *d)
{
	struct cpf_buf text = {0};
	struct cpf_column *columns;
	struct cpf_table table;
	size_t n;

	if (t->o->format == CPF_TABLE_JSON) {
		as_json(out, t, d);
		return;
	}
	columns = make_columns(t->p, &n);
	fill(&table, t, columns, n, t->o->format != CPF_TABLE_CSV);
	switch (t->o->format) {
	case CPF_TABLE_CSV:
		cpf_table_as_csv(&table, out);
		break;
	case CPF_TABLE_MARKDOWN:
		header(&text, t);
		cpf_report_markdown(out, text.s);
		cpf_table_as_markdown(&table, out);
		cpf_buf_clear(&text);
		footer(&text, t);
		if (text.n) {
			cpf_buf_char(out, '\n');
			cpf_report_markdown(out, text.s);
		}
		break;
	default:
		header(out, t);
		cpf_table_as_text(&table, out);
		footer(out, t);
		break;
	}
	cpf_table_release(&table);
	cpf_buf_release(&text);
	cpf_free(columns);
}

int cpf_threads(struct cpf_buf *out, const struct cpf_profile *p, const struct cpf_threads_opts *o,
	const struct cpf_diag *d, struct cpf_err *e)
{
	struct threads t = {0};
	uint32_t i;
	int r;

	for (i = 0; o->unit && i < p->ntypes; i++)
		if (cpf_unit_fits(cpf_cstr(p, p->types[i].unit), o->unit))
			break;
	if (o->unit && i == p->ntypes)
		return cpf_fail(e, CPF_E_USAGE, "--unit: no sample type can be shown in %s", o->unit);
	t.p = p;
	t.o = o;
	r = build(&t, e);
	if (!r)
		print(out, &t, d);
	threads_release(&t);
	return r;
}
