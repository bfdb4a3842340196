#include "reports/flamegraph.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/num.h"
#include "core/classes.h"
#include "core/decimal.h"
#include "reports/flamegraph_write.h"
#include "reports/report.h"

/* What a file may take if nobody said how narrow frames may be, and of that the table. */
#define MOST_BYTES  4800000
#define MOST_TABLE  2400000
/* Style and program; the static element of a frame without its texts. */
#define FIXED_BYTES 40000
#define FRAME_BYTES 110

#define MIN_WIDTH 0.1

/* Width of a column of the text, which is in a font of fixed width and size 11. */
#define COLUMN 6.65

static double frames_width(const struct cpf_flame *f)
{
	return (double)(f->o->width - 2 * CPF_FLAME_PAD);
}

static double pixels(const struct cpf_flame *f, int64_t raw)
{
	return frames_width(f) * (double)raw / (double)f->tree.rows[0].total;
}

/* Names. */

static void gather_names(struct cpf_flame *f)
{
	const struct cpf_tree *t = &f->tree;
	uint32_t n = f->keys.n + t->ntexts, i;
	uint32_t *keys = cpf_calloc((size_t)n + 1, sizeof(*keys));
	uint8_t *used = cpf_calloc((size_t)n + 1, 1);
	struct cpf_buf name = {0};

	cpf_free(f->names);
	cpf_free(f->name_of);
	cpf_buf_clear(&f->texts);
	f->nnames = 0;
	f->names = cpf_calloc((size_t)n + 1, sizeof(*f->names));
	f->name_of = cpf_calloc((size_t)n + 1, sizeof(*f->name_of));
	for (i = 1; i < t->n; i++)
		used[t->rows[i].key] = 1;
	for (i = 0; i < n; i++)
		keys[t->rank[i]] = i;
	for (i = 0; i < n; i++) {
		struct cpf_flame_name *to = &f->names[f->nnames];

		if (!used[keys[i]])
			continue;
		to->key = keys[i];
		to->text = f->texts.n;
		cpf_buf_clear(&name);
		cpf_tree_name(t, f->p, &f->keys, to->key, &name);
		cpf_buf_utf8(&f->texts, name.s, name.n);
		to->len = f->texts.n - to->text;
		f->name_of[to->key] = f->nnames++;
	}
	cpf_free(keys);
	cpf_free(used);
	cpf_buf_release(&name);
}

static struct cpf_text row_name(const struct cpf_flame *f, uint32_t row)
{
	static const struct cpf_text all = {"all", 3};
	const struct cpf_flame_name *n;
	struct cpf_text t;

	if (!row)
		return all;
	n = &f->names[f->name_of[f->tree.rows[row].key]];
	t.s = f->texts.s + n->text;
	t.len = (uint32_t)n->len;
	return t;
}

/* Limits on size. */

static int by_total_down(const void *pa, const void *pb)
{
	int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

	return (a < b) - (a > b);
}

/*
 * The smallest total that rows may have so that they cost no more than room in all. Pairs of total
 * and cost; sorted here.
 */
static int64_t fit(int64_t *pairs, uint32_t n, int64_t room)
{
	int64_t sum = 0, least = 1;
	uint32_t i, k;

	qsort(pairs, n, 2 * sizeof(*pairs), by_total_down);
	for (i = 0; i < n; i = k) {
		for (k = i; k < n && pairs[2 * k] == pairs[2 * i]; k++)
			if (cpf_add64(&sum, sum, pairs[2 * k + 1]))
				sum = INT64_MAX;
		if (sum > room)
			break;
		least = pairs[2 * i];
	}
	return i < n ? least : 1;
}

/* Drops the rows that make the table too large. A name is paid for by its widest row. */
static void fit_table(struct cpf_flame *f)
{
	const struct cpf_tree *t = &f->tree;
	uint64_t size = cpf_flame_table_size(f);
	int64_t *pairs;
	uint32_t *widest, i, name;

	if (size <= MOST_TABLE)
		return;
	pairs = cpf_calloc((size_t)t->n * 2, sizeof(*pairs));
	widest = cpf_calloc((size_t)f->nnames + 1, sizeof(*widest));
	for (i = 1; i < t->n; i++) {
		name = f->name_of[t->rows[i].key];
		if (t->rows[i].total > t->rows[widest[name]].total || !widest[name])
			widest[name] = i;
	}
	for (i = 0; i < t->n; i++) {
		pairs[2 * i] = t->rows[i].total;
		pairs[2 * i + 1] = (int64_t)(size / t->n);
	}
	for (i = 0; i < f->nnames; i++)
		pairs[2 * widest[i] + 1] += (int64_t)f->names[i].len;
	cpf_tree_prune(&f->tree, fit(pairs, t->n, MOST_TABLE));
	cpf_free(pairs);
	cpf_free(widest);
	gather_names(f);
}

/* Chooses which rows get a title. */
static void fit_titles(struct cpf_flame *f)
{
	const struct cpf_tree *t = &f->tree;
	int64_t room = MOST_BYTES - FIXED_BYTES - (int64_t)cpf_flame_table_size(f), sum = 0;
	int64_t *pairs = cpf_calloc((size_t)t->n * 2, sizeof(*pairs));
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		pairs[2 * i] = t->rows[i].total;
		pairs[2 * i + 1] = FRAME_BYTES + (int64_t)row_name(f, i).len;
		sum += pairs[2 * i + 1];
	}
	if (sum > room)
		f->least_title = fit(pairs, t->n, room);
	cpf_free(pairs);
	for (i = 0; i < t->n; i++)
		f->untitled += t->rows[i].total < f->least_title;
}

/* Static elements. */

/* Thousands apart, as other tools write them: "1,234,567". */
static int add_count(const struct cpf_flame *f, struct cpf_buf *out, int64_t raw)
{
	struct cpf_buf text = {0};
	size_t whole, i;
	int r = cpf_buf_value(&text, f->type, raw, f->e);

	if (!r) {
		whole = strcspn(text.s, ".");
		for (i = 0; i < whole; i++) {
			cpf_buf_char(out, text.s[i]);
			if (i + 1 < whole && (whole - i - 1) % 3 == 0)
				cpf_buf_char(out, ',');
		}
		cpf_buf_str(out, text.s + whole);
	}
	cpf_buf_release(&text);
	return r;
}

/* What the numbers count: "samples", "nanoseconds". */
static void add_unit(const struct cpf_flame *f, struct cpf_buf *out)
{
	struct cpf_text type = cpf_text(f->p, f->type->type), unit = cpf_text(f->p, f->type->unit);

	if (!unit.len || !strcmp(unit.s, "count"))
		unit = type;
	if (unit.len)
		cpf_buf_xml(out, unit.s, unit.len);
	else
		cpf_buf_str(out, "samples");
}

static int decimals_for(double smallest)
{
	int d = 2;

	for (; d < 8 && smallest < 0.1; d++)
		smallest *= 10;
	return d;
}

/* A coordinate without zeros at its end. */
static void add_pixels(struct cpf_buf *out, double v, int decimals)
{
	static const double pow10[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
	int64_t n = (int64_t)(v * pow10[decimals] + 0.5), one = (int64_t)pow10[decimals];
	int64_t rest = n % one;
	char digits[16];
	int i;

	cpf_buf_i64(out, n / one);
	if (!rest)
		return;
	for (i = decimals; i--; rest /= 10)
		digits[i] = (char)('0' + rest % 10);
	for (i = decimals; digits[i - 1] == '0'; i--)
		;
	cpf_buf_char(out, '.');
	cpf_buf_add(out, digits, (size_t)i);
}

/* As many characters as columns columns hold, with ".." for what is cut off. */
static void add_label(struct cpf_buf *out, struct cpf_text name, int columns)
{
	size_t at = 0, cut = 0;
	int used = 0;

	while (at < name.len) {
		int len = cpf_utf8_len(name.s + at, name.len - at), wide;

		wide = len > 2 ? 2 : 1;
		if (used + wide > columns)
			break;
		if (used + wide <= columns - 2)
			cut = at + (size_t)len;
		used += wide;
		at += (size_t)len;
	}
	if (at == name.len) {
		cpf_buf_xml(out, name.s, name.len);
		return;
	}
	cpf_buf_xml(out, name.s, cut);
	cpf_buf_str(out, "..");
}

static int64_t height(const struct cpf_flame *f)
{
	return CPF_FLAME_TOP + ((int64_t)f->depth + 1) * CPF_FLAME_ROW + CPF_FLAME_BOTTOM;
}

static int64_t row_y(const struct cpf_flame *f, uint32_t depth)
{
	return f->o->inverted ?
		       CPF_FLAME_TOP + (int64_t)depth * CPF_FLAME_ROW :
		       height(f) - CPF_FLAME_BOTTOM - ((int64_t)depth + 1) * CPF_FLAME_ROW;
}

/* What a row's children without an element come to. */
static int64_t not_drawn(const struct cpf_flame *f, uint32_t row)
{
	const struct cpf_tree_row *rows = f->tree.rows;
	int64_t sum = rows[row].hidden;
	uint32_t i;

	if (f->untitled)
		for (i = row + 1; i < rows[row].end; i = rows[i].end)
			if (rows[i].total < f->least_title)
				sum += rows[i].total;
	return sum;
}

static int add_frame(const struct cpf_flame *f, struct cpf_buf *out, uint32_t row, int64_t pos,
	int decimals)
{
	const struct cpf_tree_row *r = &f->tree.rows[row];
	int64_t missing = not_drawn(f, row);
	struct cpf_text name = row_name(f, row);
	double x = CPF_FLAME_PAD + pixels(f, pos), w = pixels(f, r->total);
	int columns = (int)((w - 6) / COLUMN);

	cpf_buf_str(out, "<g><title>");
	cpf_buf_xml(out, name.s, name.len);
	cpf_buf_str(out, " (");
	if (add_count(f, out, r->total))
		return -1;
	cpf_buf_char(out, ' ');
	add_unit(f, out);
	cpf_buf_str(out, ", ");
	if (row)
		cpf_buf_fixed(out, 100 * ((double)r->total / (double)f->tree.rows[0].total), 2);
	else
		cpf_buf_str(out, "100");
	cpf_buf_str(out, "%)</title><rect");
	if (missing) {
		cpf_buf_str(out, " data-hidden=\"");
		if (cpf_buf_value(out, f->type, missing, f->e))
			return -1;
		cpf_buf_char(out, '"');
	}
	if (row)
		cpf_buf_fmt(out, " class=\"c%u%s\" x=\"", f->names[f->name_of[r->key]].color,
			r->inlined == r->total ? " i" : "");
	else
		cpf_buf_fmt(out, " class=\"c0\" x=\"");
	add_pixels(out, x, decimals);
	cpf_buf_fmt(out, "\" y=\"%" PRId64 "\" width=\"", row_y(f, r->depth));
	add_pixels(out, w, decimals);
	cpf_buf_fmt(out, "\" height=\"%d\"/>", CPF_FLAME_ROW - 1);
	if (columns >= 3) {
		cpf_buf_str(out, "<text x=\"");
		add_pixels(out, x + 3, decimals);
		cpf_buf_fmt(out, "\" y=\"%" PRId64 "\">", row_y(f, r->depth) + 12);
		add_label(out, name, columns);
		cpf_buf_str(out, "</text>");
	}
	cpf_buf_str(out, "</g>\n");
	return 0;
}

static int add_frames(const struct cpf_flame *f, struct cpf_buf *out)
{
	const struct cpf_tree *t = &f->tree;
	int64_t *next = cpf_calloc((size_t)f->depth + 2, sizeof(*next));
	int64_t smallest = t->rows[0].total;
	int r = 0, decimals;
	uint32_t i;

	for (i = 0; i < t->n; i++)
		if (t->rows[i].total < smallest && t->rows[i].total >= f->least_title)
			smallest = t->rows[i].total;
	decimals = decimals_for(pixels(f, smallest));
	cpf_buf_str(out, "<g id=\"frames\">\n");
	for (i = 0; i < t->n && !r; i++) {
		uint32_t d = t->rows[i].depth;
		int64_t pos = next[d];

		next[d] += t->rows[i].total;
		next[d + 1] = pos;
		if (t->rows[i].total >= f->least_title)
			r = add_frame(f, out, i, pos, decimals);
	}
	cpf_buf_str(out, "</g>\n");
	cpf_free(next);
	return r;
}

/* What is around the frames. */

static void add_share(struct cpf_buf *out, double part, double total)
{
	double pct = total > 0 ? 100 * (part / total) : 0;

	if (pct > 0 && pct < 0.01)
		cpf_buf_str(out, "<0.01%");
	else
		cpf_buf_fixed(out, pct, 2), cpf_buf_char(out, '%');
}

/* "cpu: 39.87s of 39.90s (99.92%) in thread main" */
static void add_summary(const struct cpf_flame *f, struct cpf_buf *out)
{
	int64_t sum = f->tree.rows[0].total;
	char a[CPF_NUM_TEXT + 32], b[CPF_NUM_TEXT + 32];

	cpf_report_label(f->p, f->type, sum, "auto", a, sizeof(a));
	cpf_buf_fmt(out, "%s: %s", cpf_cstr(f->p, f->type->type), a);
	if (sum != f->o->total && f->o->total > 0) {
		cpf_report_label(f->p, f->type, f->o->total, "auto", b, sizeof(b));
		cpf_buf_fmt(out, " of %s (", b);
		add_share(out, (double)sum, (double)f->o->total);
		cpf_buf_char(out, ')');
	}
	if (f->o->scope && f->o->scope[0])
		cpf_buf_fmt(out, " %s", f->o->scope);
	if (f->o->inverted)
		cpf_buf_str(out, "; callers of each leaf");
}

static void add_width(struct cpf_buf *out, double width)
{
	cpf_buf_fixed(out, width, width < 0.01 ? 4 : 2);
	cpf_buf_str(out, " px");
}

static void add_left_out(const struct cpf_flame *f, struct cpf_buf *out)
{
	const struct cpf_tree *t = &f->tree;

	if (t->hidden_rows) {
		cpf_buf_str(out, "left out: frames narrower than ");
		add_width(out, f->used);
		cpf_buf_fmt(out, ", %" PRIu64 " with what is %s them, ", t->hidden_rows,
			f->o->inverted ? "below" : "above");
		add_share(out, (double)t->hidden, (double)t->rows[0].total);
		cpf_buf_str(out, " of all");
		if (f->used > f->asked)
			cpf_buf_str(out, ", to stay under 5 MB");
	}
	if (f->untitled) {
		cpf_buf_fmt(out, "%s%" PRIu64 " frames narrower than ", out->n ? "; " : "",
			f->untitled);
		add_width(out, pixels(f, f->least_title));
		cpf_buf_str(out, " are drawn by the script only");
	}
}

static void add_line(struct cpf_buf *out, const char *class, int x, int y, const struct cpf_buf *text)
{
	cpf_buf_fmt(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
	if (text->n)
		cpf_buf_xml(out, text->s, text->n);
	cpf_buf_str(out, "</text>\n");
}

static void add_attribute(struct cpf_buf *out, const char *name, const char *s, size_t n)
{
	cpf_buf_fmt(out, " %s=\"", name);
	cpf_buf_xml(out, s, n);
	cpf_buf_char(out, '"');
}

static void open_svg(const struct cpf_flame *f, struct cpf_buf *out)
{
	struct cpf_text type = cpf_text(f->p, f->type->type), unit = cpf_text(f->p, f->type->unit);
	int64_t h = height(f), w = f->o->width;

	cpf_buf_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "
			 "xmlns=\"http://www.w3.org/2000/svg\" id=\"cpuprof-flamegraph\"");
	cpf_buf_fmt(out, " width=\"%" PRId64 "\" height=\"%" PRId64 "\"", w, h);
	cpf_buf_fmt(out, " viewBox=\"0 0 %" PRId64 " %" PRId64 "\"", w, h);
	cpf_buf_fmt(out, " data-version=\"1\" data-order=\"%s\"",
		f->o->inverted ? "callers" : "callees");
	add_attribute(out, "data-type", type.s, type.len);
	add_attribute(out, "data-unit", unit.s, unit.len);
	cpf_buf_str(out, ">\n");
}

static int write_file(const struct cpf_flame *f, struct cpf_buf *out)
{
	struct cpf_buf title = {0}, line = {0};
	const char *file;

	open_svg(f, out);
	cpf_flame_style(f, out);
	cpf_buf_str(out, "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
	if (f->o->title) {
		cpf_buf_str(&title, f->o->title);
	} else if (f->p->nsources == 1) {
		file = f->p->sources[0].file;
		cpf_buf_str(&title, strrchr(file, '/') ? strrchr(file, '/') + 1 : file);
	} else {
		cpf_buf_fmt(&title, "%" PRIu32 " files", f->p->nsources);
	}
	add_line(out, "t", CPF_FLAME_PAD, 20, &title);
	add_summary(f, &line);
	add_line(out, "s", CPF_FLAME_PAD, 36, &line);
	cpf_buf_clear(&line);
	add_left_out(f, &line);
	add_line(out, "s", CPF_FLAME_PAD, 50, &line);
	cpf_buf_release(&title);
	cpf_buf_release(&line);
	if (add_frames(f, out) || cpf_flame_script(f, out))
		return -1;
	cpf_buf_str(out, "</svg>\n");
	return 0;
}

static void tell(const struct cpf_flame *f, struct cpf_diag *d)
{
	const struct cpf_tree *t = &f->tree;
	struct cpf_buf b = {0};

	if (t->negative)
		cpf_note(d, CPF_LOSS, "negative", 1,
			"samples below zero have no place in a flame graph, left out: %" PRIu64,
			t->negative);
	add_left_out(f, &b);
	if (b.n)
		cpf_note(d, CPF_INFO, "narrow-frames", 1, "%s", b.s);
	cpf_buf_release(&b);
}

static uint32_t class_named(const struct cpf_flame *f, cpf_str name)
{
	uint32_t i, n = cpf_classes_count(f->o->classes);

	for (i = 0; i < n; i++)
		if (!strcmp(cpf_class_name(f->o->classes, i), cpf_cstr(f->p, name)))
			return i;
	return CPF_CLASS_OTHER;
}

/* A key has the class of the first place that has the key. */
static void find_classes(struct cpf_flame *f)
{
	const struct cpf_profile *p = f->p;
	const struct cpf_keys *k = &f->keys;
	uint32_t i, at;

	f->class_of = cpf_realloc_array(NULL, (size_t)k->n + 1, sizeof(*f->class_of));
	memset(f->class_of, 0xff, k->n * sizeof(*f->class_of));
	for (i = 0; i < p->locations.n; i++)
		for (at = k->first[i]; at < k->first[i + 1]; at++) {
			const struct cpf_key *key = &k->keys[k->ids[at]];
			struct cpf_class_place place = {key->name, key->file, key->mapping,
				cpf_col_id(&p->locations.category, i), key->unnamed || !key->name};

			if (f->class_of[k->ids[at]] != CPF_NONE)
				continue;
			f->class_of[k->ids[at]] = k->by == CPF_BY_CLASS
							  ? class_named(f, key->name)
							  : cpf_class_of(f->o->classes, p, &place);
		}
}

static int build(struct cpf_flame *f, struct cpf_profile *p, struct cpf_err *e)
{
	const struct cpf_flame_opts *o = f->o;
	struct cpf_keys_opts ko = {.by = o->by,
		.no_inlines = o->no_inlines,
		.merge_generics = o->merge_generics,
		.classes = o->classes};
	struct cpf_tree_opts to = {.raw = f->type->raw, .inverted = o->inverted, .root = o->root};
	uint32_t i;

	f->asked = f->used = o->min_width < 0 ? MIN_WIDTH : o->min_width;
	to.min_share = f->asked / frames_width(f);
	cpf_keys_build(&f->keys, p, &ko);
	if (o->colors == CPF_FLAME_CLASS)
		find_classes(f);
	if (o->classes && cpf_classes_status(o->classes, e))
		return -1;
	if (cpf_tree_build(&f->tree, p, &f->keys, &to, e))
		return -1;
	if (!f->tree.rows[0].total)
		return cpf_fail(e, CPF_E_EMPTY, "no value of '%s' is above 0",
			cpf_cstr(p, f->type->type));
	f->least_title = 1;
	gather_names(f);
	if (o->min_width < 0) {
		uint32_t before = f->tree.n;

		fit_table(f);
		fit_titles(f);
		if (f->tree.n < before) {
			int64_t least = f->tree.rows[0].total;

			for (i = 0; i < f->tree.n; i++)
				if (f->tree.rows[i].total < least)
					least = f->tree.rows[i].total;
			f->used = pixels(f, least);
		}
	}
	for (i = 0; i < f->tree.n; i++)
		if (f->tree.rows[i].depth > f->depth)
			f->depth = f->tree.rows[i].depth;
	cpf_flame_color(f);
	return 0;
}

int cpf_flamegraph(struct cpf_buf *out, struct cpf_profile *p, const struct cpf_flame_opts *o,
	struct cpf_diag *d, struct cpf_err *e)
{
	struct cpf_flame f = {.p = p, .o = o, .type = &p->types[o->type], .e = e};
	int r = build(&f, p, e);

	if (!r) {
		tell(&f, d);
		r = write_file(&f, out);
	}
	cpf_tree_release(&f.tree);
	cpf_keys_release(&f.keys);
	cpf_free(f.names);
	cpf_free(f.name_of);
	cpf_free(f.class_of);
	cpf_buf_release(&f.texts);
	return r;
}
