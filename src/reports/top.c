#include "reports/top.h"

#include "base/mem.h"
#include "base/num.h"
#include "core/classes.h"
#include "reports/coverage.h"
#include "reports/report.h"
#include "view/flat.h"

#include <stdlib.h>

/* Libraries named in the header for their missing names. */
#define LIBS_SHOWN 2

struct row {
	int64_t flat, cum;   /* raw */
	size_t name;         /* offset of the printed name in struct top's names */
	uint32_t name_len, key;
	uint8_t ambiguous;   /* another row has this name, or it means nothing without the library */
	uint8_t named;
};

struct top {
	struct cpf_profile *p;
	const struct cpf_top_opts *o;
	const struct cpf_value_type *type;
	struct cpf_keys keys;
	struct cpf_flat flat;
	struct cpf_coverage cover;
	struct cpf_buf names;
	struct row *rows;
	size_t n, shown;
	int64_t selected, empty; /* in the type's unit */
	int64_t total;           /* the same, before the selection */
	int64_t base;            /* raw; of percentages: the selected sum, of magnitudes if some are < 0 */
	const char *unit;        /* of the table, for people */
};

static void top_release(struct top *t)
{
	cpf_keys_release(&t->keys);
	cpf_flat_release(&t->flat);
	cpf_coverage_release(&t->cover);
	cpf_buf_release(&t->names);
	cpf_free(t->rows);
}

/* Rows. */

static int compare_bytes(const char *a, size_t na, const char *b, size_t nb)
{
	int r = memcmp(a, b, na < nb ? na : nb);

	if (r)
		return r;
	return na < nb ? -1 : na > nb;
}

static int compare_text(struct cpf_text a, struct cpf_text b)
{
	return compare_bytes(a.s, a.len, b.s, b.len);
}

/* qsort has no place for context: what rows refer to goes through here. One report at a time. */
struct order {
	const struct top *t;
	const struct row *r;
};

static int compare_names(const struct order *a, const struct order *b)
{
	return compare_bytes(a->t->names.s + a->r->name, a->r->name_len,
		b->t->names.s + b->r->name, b->r->name_len);
}

static int compare_rows(const void *va, const void *vb)
{
	const struct order *a = va, *b = vb;
	const struct cpf_profile *p = a->t->p;
	const struct cpf_key *ka = &a->t->keys.keys[a->r->key], *kb = &a->t->keys.keys[b->r->key];
	int by_cum = a->t->o->cum, r;
	uint64_t fa = cpf_abs64(a->r->flat), fb = cpf_abs64(b->r->flat);
	uint64_t ca = cpf_abs64(a->r->cum), cb = cpf_abs64(b->r->cum);

	if (by_cum ? ca != cb : fa != fb)
		return (by_cum ? ca > cb : fa > fb) ? -1 : 1;
	r = compare_names(a, b);
	if (r)
		return r;
	if (by_cum ? fa != fb : ca != cb)
		return (by_cum ? fa > fb : ca > cb) ? -1 : 1;
	r = compare_text(cpf_mapping_name(p, ka->mapping), cpf_mapping_name(p, kb->mapping));
	if (!r)
		r = compare_text(cpf_text(p, ka->file), cpf_text(p, kb->file));
	if (!r && ka->line != kb->line)
		r = ka->line < kb->line ? -1 : 1;
	if (!r && ka->address != kb->address)
		r = ka->address < kb->address ? -1 : 1;
	if (r)
		return r;
	return a->r->key < b->r->key ? -1 : a->r->key > b->r->key;
}

static int compare_by_name(const void *va, const void *vb)
{
	const struct order *a = va, *b = vb;
	int r = compare_names(a, b);

	if (r)
		return r;
	return a->r->key < b->r->key ? -1 : a->r->key > b->r->key;
}

static struct order *order_of(const struct top *t)
{
	struct order *v = cpf_realloc_array(NULL, t->n ? t->n : 1, sizeof(*v));
	size_t i;

	for (i = 0; i < t->n; i++) {
		v[i].t = t;
		v[i].r = &t->rows[i];
	}
	return v;
}

/* Marks rows whose printed name another row has as well. */
static void find_ambiguous(struct top *t)
{
	struct order *v = order_of(t);
	size_t i;

	qsort(v, t->n, sizeof(*v), compare_by_name);
	for (i = 1; i < t->n; i++)
		if (!compare_names(&v[i - 1], &v[i])) {
			t->rows[v[i - 1].r - t->rows].ambiguous = 1;
			t->rows[v[i].r - t->rows].ambiguous = 1;
		}
	cpf_free(v);
}

static void sort_rows(struct top *t)
{
	struct order *v = order_of(t);
	struct row *sorted = cpf_realloc_array(NULL, t->n ? t->n : 1, sizeof(*sorted));
	size_t i;

	qsort(v, t->n, sizeof(*v), compare_rows);
	for (i = 0; i < t->n; i++)
		sorted[i] = *v[i].r;
	cpf_free(v);
	cpf_free(t->rows);
	t->rows = sorted;
}

static void make_rows(struct top *t)
{
	size_t cap = 0;
	uint32_t i;

	for (i = 0; i < t->flat.n; i++) {
		struct row *r;

		if (!t->flat.flat[i] && !t->flat.cum[i])
			continue;
		CPF_GROW(t->rows, cap, t->n + 1);
		r = &t->rows[t->n++];
		memset(r, 0, sizeof(*r));
		r->key = i;
		r->name = t->names.n;
		cpf_key_name(t->p, &t->keys, i, &t->names);
		r->name_len = (uint32_t)(t->names.n - r->name);
		r->ambiguous = cpf_is_made_up_name(t->names.s + r->name, r->name_len) != 0;
		r->named = !t->keys.keys[i].unnamed && !r->ambiguous;
		r->flat = t->flat.flat[i];
		r->cum = t->flat.cum[i];
	}
	if (!t->names.s)
		cpf_buf_str(&t->names, "");
	find_ambiguous(t);
	sort_rows(t);
	t->shown = t->o->n && (uint64_t)t->o->n < t->n ? (size_t)t->o->n : t->n;
}

/*
 * Self and total, and what has names. With values of both signs, sums say nothing of shares; pprof
 * takes magnitudes for that reason. Sums that fit with their signs may not fit without.
 */
static int add_up(struct top *t, struct cpf_err *e)
{
	uint32_t raw = t->type->raw, i;
	const struct cpf_col *values = &t->p->samples.raw[raw];
	struct cpf_places places = {0};

	for (i = 0; i < t->p->samples.n && cpf_col_get(values, i) >= 0; i++)
		;
	if (i < t->p->samples.n)
		cpf_coverage_build(&t->cover, t->p, raw);
	if (cpf_flat_take(&t->flat, &places, t->p, &t->keys, raw, e)) {
		cpf_places_release(&places);
		return -1;
	}
	if (!t->flat.negative)
		cpf_coverage_of(&t->cover, t->p, &places);
	cpf_places_release(&places);
	t->base = t->flat.total;
	if (t->flat.negative)
		t->base = t->flat.magnitude > INT64_MAX ? INT64_MAX : (int64_t)t->flat.magnitude;
	return 0;
}

/* The unit that pprof would choose for these rows. */
static int choose_unit(struct top *t, struct cpf_err *e)
{
	const char *unit = cpf_cstr(t->p, t->type->unit);
	uint64_t low = 0, v;
	int64_t smallest;
	size_t i;

	t->unit = t->o->unit;
	if (!cpf_unit_fits(unit, t->o->unit))
		return cpf_fail(e, CPF_E_USAGE, "--unit: %s of '%s' cannot be shown in %s",
			unit[0] ? unit : "numbers", cpf_cstr(t->p, t->type->type), t->o->unit);
	if (strcmp(t->o->unit, "minimum") != 0)
		return 0;
	for (i = 0; i < t->shown; i++) {
		v = cpf_abs64(t->rows[i].flat ? t->rows[i].flat : t->rows[i].cum);
		if (v && (!low || v < low))
			low = v;
	}
	/* |INT64_MIN| has no twin, but then the unit is the largest anyway. */
	if (cpf_scale(&smallest, t->type, low > INT64_MAX ? INT64_MAX : (int64_t)low, e))
		return -1;
	t->unit = cpf_unit_choose(smallest, (int64_t)cpf_abs64(t->selected), unit, 0);
	return 0;
}

/* Table. */

static const struct cpf_column columns[] = {
	{"name", "", CPF_IN_MACHINES, 1, 0, 0, 0},
	{"lib", "", CPF_IN_MACHINES, 1, 0, 0, 0},
	{"file", "", CPF_IN_MACHINES, 1, 0, 0, 0},
	{"line", "", CPF_IN_MACHINES, 0, 1, 0, 0},
	{"address", "", CPF_IN_MACHINES, 1, 0, 0, 0},
	{"named", "", CPF_IN_MACHINES, 1, 1, 0, 0},
	{"flat", "flat", CPF_IN_BOTH, 0, 1, 0, 10},
	{"flat_percent", "flat%", CPF_IN_PEOPLE, 0, 0, 1, 6},
	{"sum_percent", "sum%", CPF_IN_PEOPLE, 0, 0, 1, 6},
	{"cum", "cum", CPF_IN_BOTH, 0, 1, 1, 10},
	{"cum_percent", "cum%", CPF_IN_PEOPLE, 0, 0, 1, 6},
	{"name", "", CPF_IN_PEOPLE, 1, 0, 2, 0},
};

/* raw. Sums of the whole profile fit after scaling, and so do all of their parts but negative ones. */
static void number_cell(struct cpf_table *table, const struct top *t, int64_t raw)
{
	int64_t v;
	char text[400];

	cpf_report_label(t->p, t->type, raw, t->unit, text, sizeof(text));
	if (cpf_scale(&v, t->type, raw, NULL))
		v = raw < 0 ? INT64_MIN : INT64_MAX;
	cpf_table_number(table, v, text);
}

static void percent_cell(struct cpf_table *table, int64_t v, int64_t total)
{
	char text[CPF_NUM_TEXT];

	cpf_table_str(table, cpf_percent_trim(v, total, text));
}

static void text_cell(struct cpf_table *table, struct cpf_text s)
{
	cpf_table_text_or_null(table, s.s, s.len);
}

static void value_cells(
	struct cpf_table *table, const struct top *t, int64_t flat, int64_t sum, int64_t cum)
{
	number_cell(table, t, flat);
	percent_cell(table, flat, t->base);
	percent_cell(table, sum, t->base);
	number_cell(table, t, cum);
	percent_cell(table, cum, t->base);
}

static void add_row(struct cpf_table *table, const struct top *t, const struct row *r, int64_t sum)
{
	const struct cpf_key *k = &t->keys.keys[r->key];
	const struct cpf_profile *p = t->p;
	struct cpf_text lib = cpf_mapping_name(p, k->mapping);
	int64_t line = k->line ? k->line : k->start_line;
	const char *name = t->names.s + r->name;
	struct cpf_buf text = {0};
	struct cpf_buf a = {0};

	/* For machines, line and address stand in columns of their own. */
	if (k->name)
		text_cell(table, cpf_text(p, k->name));
	else
		cpf_table_text(table, name, r->name_len);
	text_cell(table, lib);
	text_cell(table, cpf_text(p, k->file));
	if (line)
		cpf_table_number(table, line, NULL);
	else
		cpf_table_null(table);
	if (k->has_address) {
		cpf_buf_fmt(&a, "0x%" PRIx64, k->address);
		cpf_table_text(table, a.s, a.n);
	} else {
		cpf_table_null(table);
	}
	cpf_buf_release(&a);
	cpf_table_bool(table, r->named);
	value_cells(table, t, r->flat, sum, r->cum);
	cpf_buf_add(&text, name, r->name_len);
	if (r->ambiguous && lib.len) {
		cpf_buf_str(&text, " (in ");
		cpf_buf_add(&text, lib.s, lib.len);
		cpf_buf_char(&text, ')');
	}
	cpf_table_text(table, text.s, text.n);
	cpf_buf_release(&text);
}

static void add_no_stack(struct cpf_table *table, const struct top *t, int64_t sum)
{
	cpf_table_str(table, "(no stack)");
	cpf_table_null(table);
	cpf_table_null(table);
	cpf_table_null(table);
	cpf_table_null(table);
	cpf_table_bool(table, 0);
	value_cells(table, t, t->flat.empty, sum, t->flat.empty);
	cpf_table_str(table, "(no stack)");
}

/* with_empty: "(no stack)" as a last row; JSON has a field of its own for it. */
static void fill(struct cpf_table *table, const struct top *t, int with_empty)
{
	int64_t sum = 0;
	size_t i;

	cpf_table_init(table, columns, CPF_LEN(columns));
	for (i = 0; i < t->shown; i++) {
		sum = cpf_wrap_add(sum, t->rows[i].flat);
		add_row(table, t, &t->rows[i], sum);
	}
	if (with_empty && t->flat.nempty)
		add_no_stack(table, t, cpf_wrap_add(sum, t->flat.empty));
}

/* Header. */

static int compare_libs(const void *va, const void *vb)
{
	const struct cpf_coverage_lib *a = va, *b = vb;

	if (a->leaf != b->leaf)
		return a->leaf > b->leaf ? -1 : 1;
	if (a->all != b->all)
		return a->all > b->all ? -1 : 1;
	return a->mapping < b->mapping ? -1 : a->mapping > b->mapping;
}

static double share(double part, double all)
{
	return all > 0 ? part / all * 100 : 100;
}

static void named_text(struct cpf_buf *out, const struct top *t)
{
	const struct cpf_coverage *c = &t->cover;
	uint32_t i, told = 0;

	if (!(c->leaf > 0))
		return;
	for (i = 0; i < c->nlibs && i < LIBS_SHOWN && c->libs[i].leaf > 0; i++)
		told += c->libs[i].mapping == CPF_NONE || (c->libs[i].why && c->libs[i].why->phrase);
	cpf_buf_str(out, "; named ");
	cpf_report_named(out, c->leaf_named, c->leaf, 1);
	cpf_buf_char(out, '%');
	for (i = 0; i < c->nlibs && i < LIBS_SHOWN && c->libs[i].leaf > 0; i++) {
		struct cpf_text name = cpf_mapping_name(t->p, c->libs[i].mapping);

		cpf_buf_str(out, i ? ", " : told ? " (" : " (unnamed: ");
		cpf_buf_fixed(out, share(c->libs[i].leaf, c->leaf), 1);
		cpf_buf_str(out, "% ");
		if (name.len)
			cpf_buf_terminal(out, name.s, name.len);
		else
			cpf_buf_str(out, "no library");
		if (c->libs[i].mapping != CPF_NONE && c->libs[i].why && c->libs[i].why->phrase) {
			cpf_buf_str(out, ": ");
			cpf_buf_terminal(
				out, c->libs[i].why->phrase, strlen(c->libs[i].why->phrase));
		}
	}
	if (i)
		cpf_buf_str(out, i < c->nlibs && c->libs[i].leaf > 0 ? ", ...)" : ")");
}

static void header(struct cpf_buf *out, const struct top *t)
{
	const struct cpf_profile *p = t->p;
	char a[400], b[400], pct[CPF_NUM_TEXT];
	struct cpf_text type = cpf_text(p, t->type->type);
	int64_t sum = t->flat.empty;
	size_t i;

	cpf_report_headline(out, p);
	cpf_buf_terminal(out, type.s, type.len);
	cpf_report_label(p, t->type, t->flat.total, "auto", a, sizeof(a));
	cpf_report_label(p, t->type, t->o->total, "auto", b, sizeof(b));
	cpf_buf_fmt(out, ": %s of %s (%s)", a, b,
		cpf_percent_trim(t->flat.total, t->o->total, pct));
	if (t->o->scope[0]) {
		cpf_buf_char(out, ' ');
		cpf_buf_terminal(out, t->o->scope, strlen(t->o->scope));
	}
	named_text(out, t);
	for (i = 0; i < t->shown; i++)
		sum = cpf_wrap_add(sum, t->rows[i].flat);
	cpf_report_label(p, t->type, t->base, "auto", a, sizeof(a));
	if (t->shown < t->n)
		cpf_buf_fmt(out, "\n%zu of %zu rows, %s of %s (-n 0 shows all)", t->shown, t->n,
			cpf_percent_trim(sum, t->base, pct), a);
	else
		cpf_buf_fmt(out, "\nall %zu row%s", t->n, t->n == 1 ? "" : "s");
	cpf_buf_fmt(out, "; percentages are of %s%s\n", a,
		t->base != t->flat.total ? ", the sum of magnitudes" : "");
}

/* Output. */

static const char *by_name(enum cpf_by by)
{
	switch (by) {
	case CPF_BY_LINE:
		return "line";
	case CPF_BY_FILE:
		return "file";
	case CPF_BY_LIB:
		return "lib";
	case CPF_BY_ADDRESS:
		return "address";
	case CPF_BY_NAMESPACE:
		return "namespace";
	case CPF_BY_CLASS:
		return "class";
	default:
		return "function";
	}
}

static void json_named(struct cpf_jsonw *w, const struct top *t)
{
	const struct cpf_coverage *c = &t->cover;
	uint32_t i;

	cpf_jsonw_key(w, "named");
	cpf_jsonw_object_flat(w);
	cpf_report_json_named(w, "leaf", c->leaf_named, c->leaf);
	cpf_report_json_named(w, "all", c->all_named, c->all);
	cpf_jsonw_key(w, "libs");
	cpf_jsonw_array(w);
	for (i = 0; i < c->nlibs; i++) {
		if (!(c->libs[i].all > 0))
			continue;
		cpf_jsonw_object_flat(w);
		cpf_report_json_text(w, "lib", cpf_mapping_name(t->p, c->libs[i].mapping));
		cpf_report_json_pct(w, "leaf", c->libs[i].leaf, c->leaf);
		cpf_report_json_pct(w, "all", c->libs[i].all, c->all);
		cpf_report_json_reason(w, c->libs[i].why);
		cpf_jsonw_end(w);
	}
	cpf_jsonw_end(w);
	cpf_jsonw_end(w);
}

static void as_json(struct cpf_buf *out, const struct top *t, const struct cpf_diag *d)
{
	struct cpf_table table;
	struct cpf_jsonw w;

	cpf_report_json_open(&w, out, t->p, "cpuprof/top/1");
	cpf_jsonw_key(&w, "sample_type");
	cpf_report_json_type(&w, t->p, t->type->type, t->type->unit);
	cpf_jsonw_end(&w);
	cpf_jsonw_key_int(&w, "total", t->total);
	cpf_jsonw_key_int(&w, "selected", t->selected);
	cpf_jsonw_key_uint(&w, "samples", t->p->samples.n);
	cpf_jsonw_key(&w, "no_stack");
	cpf_jsonw_object_flat(&w);
	cpf_jsonw_key_uint(&w, "samples", t->flat.nempty);
	cpf_jsonw_key_int(&w, "value", t->empty);
	cpf_jsonw_end(&w);
	json_named(&w, t);
	cpf_jsonw_key_str(&w, "by", by_name(t->o->by));
	cpf_jsonw_key_str(&w, "sorted_by", t->o->cum ? "cum" : "flat");
	cpf_jsonw_key_uint(&w, "rows_total", t->n);
	cpf_jsonw_key(&w, "rows");
	fill(&table, t, 0);
	cpf_table_as_json(&table, &w);
	cpf_table_release(&table);
	cpf_report_json_close(&w, d);
}

static void print(struct cpf_buf *out, const struct top *t, const struct cpf_diag *d)
{
	struct cpf_buf head = {0};
	struct cpf_table table;

	switch (t->o->format) {
	case CPF_TABLE_JSON:
		as_json(out, t, d);
		return;
	case CPF_TABLE_CSV:
		fill(&table, t, 1);
		cpf_table_as_csv(&table, out);
		break;
	case CPF_TABLE_MARKDOWN:
		header(&head, t);
		cpf_report_markdown(out, head.s);
		fill(&table, t, 1);
		cpf_table_as_markdown(&table, out);
		break;
	default:
		header(out, t);
		fill(&table, t, 1);
		cpf_table_as_text(&table, out);
		break;
	}
	cpf_buf_release(&head);
	cpf_table_release(&table);
}

int cpf_top(struct cpf_buf *out, struct cpf_top_result *r, struct cpf_profile *p,
	const struct cpf_top_opts *o, const struct cpf_diag *d, struct cpf_err *e)
{
	struct cpf_keys_opts ko = {0};
	struct top t = {0};
	int ret = -1;

	t.p = p;
	t.o = o;
	t.type = &p->types[o->type];
	ko.by = o->by;
	ko.style = CPF_KEYS_CPUPROF;
	ko.no_inlines = o->no_inlines;
	ko.merge_generics = o->merge_generics;
	ko.classes = o->classes;
	cpf_keys_build(&t.keys, p, &ko);
	if (o->classes && cpf_classes_status(o->classes, e))
		goto out;
	if (add_up(&t, e) ||
		cpf_scale(&t.selected, t.type, t.flat.total, e) ||
		cpf_scale(&t.total, t.type, o->total, e) ||
		cpf_scale(&t.empty, t.type, t.flat.empty, e))
		goto out;
	make_rows(&t);
	if (choose_unit(&t, e))
		goto out;
	cpf_coverage_reasons(&t.cover, o->reasons);
	qsort(t.cover.libs, t.cover.nlibs, sizeof(*t.cover.libs), compare_libs);
	print(out, &t, d);
	r->named = share(t.cover.leaf_named, t.cover.leaf);
	r->rows = t.n;
	ret = 0;
out:
	top_release(&t);
	return ret;
}
