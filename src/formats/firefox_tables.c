#include "formats/firefox.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"

enum { BATCH = 1024 };

#define TABLE(id, word, ...)                                                                       \
	static const struct cpf_fx_coldef id##_cols[] = {__VA_ARGS__};                             \
	const struct cpf_fx_tabdef cpf_fx_##id = {word, id##_cols, CPF_LEN(id##_cols)};            \
	_Static_assert(CPF_LEN(id##_cols) <= CPF_FX_COLS, "more columns than a table holds")

TABLE(samples, "samples", {"stack", CPF_FX_INT}, {"time", CPF_FX_TIME}, {"timeDeltas", CPF_FX_TIME},
	{"weight", CPF_FX_DEC}, {"threadCPUDelta", CPF_FX_DEC}, {"duration", CPF_FX_DEC});
TABLE(stacks, "stackTable", {"frame", CPF_FX_INT}, {"prefix", CPF_FX_INT},
	{"prefixOffset", CPF_FX_INT});
TABLE(frames, "frameTable", {"func", CPF_FX_INT}, {"address", CPF_FX_INT},
	{"inlineDepth", CPF_FX_INT}, {"category", CPF_FX_INT}, {"subcategory", CPF_FX_INT},
	{"nativeSymbol", CPF_FX_INT}, {"line", CPF_FX_INT}, {"column", CPF_FX_INT},
	{"originalLocation", CPF_FX_INT}, {"lib", CPF_FX_INT}, {"flags", CPF_FX_INT},
	{"location", CPF_FX_INT});
TABLE(funcs, "funcTable", {"name", CPF_FX_INT}, {"isJS", CPF_FX_BOOL},
	{"relevantForJS", CPF_FX_BOOL}, {"resource", CPF_FX_INT}, {"fileName", CPF_FX_INT},
	{"source", CPF_FX_INT}, {"lineNumber", CPF_FX_INT}, {"columnNumber", CPF_FX_INT},
	{"originalLocation", CPF_FX_INT}, {"flags", CPF_FX_INT});
TABLE(resources, "resourceTable", {"lib", CPF_FX_INT}, {"type", CPF_FX_INT});
TABLE(symbols, "nativeSymbols", {"libIndex", CPF_FX_INT}, {"address", CPF_FX_INT},
	{"name", CPF_FX_INT}, {"functionSize", CPF_FX_INT});
TABLE(sources, "sources", {"filename", CPF_FX_INT});
TABLE(origins, "sourceLocationTable", {"source", CPF_FX_INT}, {"line", CPF_FX_INT},
	{"column", CPF_FX_INT});
TABLE(markers, "markers", {"name", CPF_FX_INT}, {"startTime", CPF_FX_TIME},
	{"endTime", CPF_FX_TIME}, {"time", CPF_FX_TIME}, {"phase", CPF_FX_INT},
	{"category", CPF_FX_INT}, {"data", CPF_FX_DATA});
TABLE(allocs, "allocations", {"stack", CPF_FX_INT});

void cpf_fx_columns_release(struct cpf_fx_table *t)
{
	uint32_t i;

	for (i = 0; i < CPF_FX_COLS; i++)
		cpf_col_release(&t->col[i]);
}

void cpf_fx_table_release(struct cpf_fx_table *t)
{
	cpf_fx_columns_release(t);
	cpf_buf_release(&t->text);
	memset(t, 0, sizeof(*t));
}

static int64_t none_of(const struct cpf_fx_table *t, uint32_t col)
{
	switch (t->def->cols[col].kind) {
	case CPF_FX_BOOL:
		return 0;
	case CPF_FX_INT:
		return -1;
	default:
		return CPF_FX_NULL;
	}
}

/* Decimals: a column stays in whole numbers until the first fraction. */

static void rescale(struct cpf_fx_json *x, struct cpf_fx_table *t, uint32_t col)
{
	struct cpf_col old = t->col[col], new = {0};
	int64_t v;
	size_t i;

	for (i = 0; i < old.n; i++) {
		v = cpf_col_get(&old, i);
		if (v != CPF_FX_NULL && cpf_mul64(&v, v, CPF_FX_SCALE)) {
			cpf_fx_fail(x, CPF_E_RANGE, "%s %" PRId64 " is out of range",
				t->def->cols[col].name, cpf_col_get(&old, i));
			break;
		}
		cpf_col_push(&new, v);
	}
	cpf_col_release(&t->col[col]);
	t->col[col] = new;
	t->scaled[col] = 1;
}

/* v: times CPF_FX_SCALE. */
static void append_decimals(
	struct cpf_fx_json *x, struct cpf_fx_table *t, uint32_t col, int64_t *v, size_t n)
{
	int64_t fraction = 0;
	size_t i;

	if (!t->scaled[col]) {
		for (i = 0; i < n; i++)
			if (v[i] != CPF_FX_NULL)
				fraction |= v[i] % CPF_FX_SCALE;
		if (fraction)
			rescale(x, t, col);
	}
	if (!t->scaled[col])
		for (i = 0; i < n; i++)
			if (v[i] != CPF_FX_NULL)
				v[i] /= CPF_FX_SCALE;
	cpf_col_append(&t->col[col], v, n);
}

/* Whole numbers as they are, up to the first fraction. 0 at the end of the column. */
static int read_whole(struct cpf_fx_json *x, struct cpf_fx_table *t, uint32_t col)
{
	int64_t v[BATCH];
	int scaled = 0;
	size_t n;

	do {
		n = cpf_fx_whole(x, v, BATCH, 6, &scaled);
		cpf_col_append(&t->col[col], v, n - (size_t)scaled);
	} while (n && !scaled);
	if (!scaled)
		return 0;
	rescale(x, t, col);
	cpf_col_push(&t->col[col], v[n - 1]);
	return 1;
}

static void read_numbers(struct cpf_fx_json *x, struct cpf_fx_table *t, uint32_t col)
{
	enum cpf_fx_kind kind = t->def->cols[col].kind;
	int address = t->def == &cpf_fx_frames && col == FRAME_ADDRESS && cpf_fx_signed32(x);
	/* Where -1 and null are not the same. */
	int64_t null = t->def == &cpf_fx_stacks && col == STACK_OFFSET ? CPF_FX_NULL : -1;
	int64_t v[BATCH];
	size_t n, i;

	if (kind == CPF_FX_DEC && !cpf_fx_is_slab(x) && !read_whole(x, t, col))
		return;
	for (;;) {
		if (kind == CPF_FX_TIME || kind == CPF_FX_DEC)
			n = cpf_fx_fixed(x, v, BATCH, 6);
		else
			n = cpf_fx_ints(x, v, BATCH, null);
		if (!n)
			return;
		for (i = 0; address && i < n; i++)
			if (v[i] < -1)
				v[i] += INT64_C(0x100000000);
		if (kind == CPF_FX_DEC)
			append_decimals(x, t, col, v, n);
		else
			cpf_col_append(&t->col[col], v, n);
	}
}

static void read_bools(struct cpf_fx_json *x, struct cpf_fx_table *t, uint32_t col)
{
	int type, v;

	while (cpf_fx_elem(x)) {
		type = cpf_fx_type(x);
		v = 0;
		if (type == 'n')
			cpf_fx_skip(x);
		else
			v = cpf_fx_bool(x);
		cpf_col_push(&t->col[col], v);
	}
}

static void push_data(struct cpf_fx_json *x, struct cpf_fx_table *t, uint32_t col)
{
	cpf_col_push(&t->col[col], (int64_t)t->text.n);
	cpf_fx_raw(x, &t->text);
	/* Each text ends with a NUL, which JSON text cannot hold. */
	cpf_buf_char(&t->text, '\0');
}

static void read_column(struct cpf_fx_json *x, struct cpf_fx_table *t, uint32_t col)
{
	enum cpf_fx_kind kind = t->def->cols[col].kind;
	int type = cpf_fx_type(x);

	/* Of members with the same name the last one counts. */
	cpf_col_release(&t->col[col]);
	t->at[col] = cpf_fx_pos(x);
	t->scaled[col] = 0;
	t->state[col] = CPF_FX_NULLED;
	if (type == 'n') {
		cpf_fx_skip(x);
		return;
	}
	if (type != '[' && type != 'S') {
		cpf_fx_fail(x, CPF_E_FORMAT, "expected an array");
		return;
	}
	t->state[col] = CPF_FX_PRESENT;
	cpf_fx_enter(x);
	if (kind == CPF_FX_BOOL && type == '[')
		read_bools(x, t, col);
	else if (kind == CPF_FX_DATA)
		while (cpf_fx_elem(x))
			push_data(x, t, col);
	else
		read_numbers(x, t, col);
}

/* Rows with a schema, as raw Gecko profiles have them. */

struct rows {
	int have_schema;
	int have_data;
	int8_t col[64];       /* position in a row -> column, -1 = not kept */
	struct cpf_buf early; /* rows met before the schema, as text "[...],[...]" */
	size_t n;
};

static int find_column(const struct cpf_fx_table *t, struct cpf_slice name)
{
	uint32_t i;

	for (i = 0; i < t->def->n; i++)
		if (cpf_slice_is(name, t->def->cols[i].name))
			return (int)i;
	return -1;
}

static void read_schema(
	struct cpf_fx_json *x, struct cpf_fx_table *t, struct rows *rows, uint32_t skip)
{
	struct cpf_slice key;
	struct cpf_num at;
	int col;

	memset(rows->col, -1, sizeof(rows->col));
	rows->have_schema = 1;
	if (cpf_fx_type(x) != '{') {
		cpf_fx_fail(x, CPF_E_FORMAT, "expected an object");
		return;
	}
	cpf_fx_enter(x);
	while (cpf_fx_key(x, &key)) {
		col = find_column(t, key);
		if (cpf_fx_type(x) != '0') {
			cpf_fx_skip(x);
			continue;
		}
		at = cpf_fx_num(x);
		if (col < 0 || skip >> col & 1)
			continue;
		if (!at.is_int || at.i < 0 || at.i >= (int64_t)CPF_LEN(rows->col)) {
			cpf_fx_fail(x, CPF_E_FORMAT, "column %s at position %g",
				t->def->cols[col].name, at.d);
			return;
		}
		rows->col[at.i] = (int8_t)col;
		t->state[col] = CPF_FX_PRESENT;
	}
}

/* A number as the column keeps it; *v is untouched for null. */
static void read_cell(struct cpf_fx_json *x, struct cpf_fx_table *t, uint32_t col, int64_t *v)
{
	enum cpf_fx_kind kind = t->def->cols[col].kind;
	int type = cpf_fx_type(x);
	struct cpf_num num;

	if (type == 'n') {
		cpf_fx_skip(x);
		return;
	}
	if (type == 't' || type == 'f') {
		*v = cpf_fx_bool(x);
		return;
	}
	if (type == '0' && (kind == CPF_FX_TIME || kind == CPF_FX_DEC)) {
		if (!cpf_fx_decimal(x, 6, v))
			*v = CPF_FX_NULL;
		return;
	}
	num = cpf_fx_num(x);
	if (!num.is_int)
		cpf_fx_fail(
			x, CPF_E_FORMAT, "%s is %g, not an integer", t->def->cols[col].name, num.d);
	*v = num.i;
}

static void read_row(struct cpf_fx_json *x, struct cpf_fx_table *t, const struct rows *rows)
{
	int64_t v[CPF_FX_COLS];
	uint32_t i, at = 0, data = CPF_FX_COLS;
	size_t text = t->text.n;
	int col;

	for (i = 0; i < t->def->n; i++)
		v[i] = none_of(t, i);
	cpf_fx_enter(x);
	while (cpf_fx_elem(x)) {
		col = at < CPF_LEN(rows->col) ? rows->col[at] : -1;
		at++;
		if (col < 0) {
			cpf_fx_skip(x);
		} else if (t->def->cols[col].kind == CPF_FX_DATA) {
			data = (uint32_t)col;
			cpf_fx_raw(x, &t->text);
			cpf_buf_char(&t->text, '\0');
		} else {
			read_cell(x, t, (uint32_t)col, &v[col]);
		}
	}
	for (i = 0; i < t->def->n; i++) {
		if (t->state[i] != CPF_FX_PRESENT)
			continue;
		if (i == data)
			cpf_col_push(&t->col[i], (int64_t)text);
		else if (t->def->cols[i].kind == CPF_FX_DEC)
			append_decimals(x, t, i, &v[i], 1);
		else
			cpf_col_push(&t->col[i], v[i]);
	}
}

static void read_any_row(struct cpf_fx_json *x, struct cpf_fx_table *t, struct rows *rows)
{
	rows->n++;
	if (rows->have_schema) {
		read_row(x, t, rows);
		return;
	}
	cpf_buf_char(&rows->early, rows->early.n ? ',' : '[');
	cpf_fx_raw(x, &rows->early);
}

/* "data" of a table of rows, or the data column of markers: each element tells what it is. */
static void read_data(
	struct cpf_fx_json *x, struct cpf_fx_table *t, struct rows *rows, uint32_t skip)
{
	int data = find_column(t, (struct cpf_slice){"data", 4});
	int type = cpf_fx_type(x);
	uint32_t i;

	if (type == 'n') {
		cpf_fx_skip(x);
		return;
	}
	if (type != '[') {
		cpf_fx_fail(x, CPF_E_FORMAT, "expected an array");
		return;
	}
	rows->have_data = 1;
	for (i = 0; i < CPF_FX_COLS; i++)
		t->at[i] = cpf_fx_pos(x);
	cpf_fx_enter(x);
	while (cpf_fx_elem(x)) {
		/* Looking would expand a placeholder, which the text of a value must not lose. */
		type = data >= 0 && x->slabs.n ? 0 : cpf_fx_type(x);
		if (type == '[') {
			read_any_row(x, t, rows);
		} else if (data < 0) {
			cpf_fx_fail(x, CPF_E_FORMAT, "expected an array");
		} else if (skip >> data & 1) {
			cpf_fx_skip(x);
		} else {
			t->state[data] = CPF_FX_PRESENT;
			push_data(x, t, (uint32_t)data);
		}
	}
}

/* Rows that came before their schema are read from the text kept of them. */
static void read_early(struct cpf_fx_json *x, struct cpf_fx_table *t, struct rows *rows)
{
	if (!rows->early.n || x->failed)
		return;
	if (!rows->have_schema) {
		cpf_fx_fail(x, CPF_E_FORMAT, "%s has rows but no schema", t->def->name);
		return;
	}
	cpf_buf_char(&rows->early, ']');
	cpf_fx_push(x, rows->early.s, rows->early.n);
	memset(&rows->early, 0, sizeof(rows->early));
	cpf_fx_enter(x);
	while (cpf_fx_elem(x))
		read_row(x, t, rows);
}

static void read_weight_type(struct cpf_fx_json *x, struct cpf_fx_table *t)
{
	static const char *const names[] = {"samples", "tracing-ms", "bytes"};
	struct cpf_slice s;
	size_t i;

	if (cpf_fx_type(x) == 'n') {
		cpf_fx_skip(x);
		return;
	}
	s = cpf_fx_str(x);
	for (i = 0; i < CPF_LEN(names); i++)
		if (cpf_slice_is(s, names[i])) {
			t->weight = (enum cpf_fx_weight)i;
			return;
		}
	cpf_fx_fail(x, CPF_E_FORMAT, "weightType \"%.*s\" is none of samples, tracing-ms, bytes",
		(int)(s.n < 40 ? s.n : 40), s.s);
}

void cpf_fx_table_read(struct cpf_fx_json *x, struct cpf_fx_table *t,
	const struct cpf_fx_tabdef *def, uint32_t skip)
{
	struct rows rows = {0};
	struct cpf_slice key;
	struct cpf_num num;
	int col, type = cpf_fx_type(x);
	uint32_t i;

	cpf_fx_table_release(t);
	if (type == 'n') {
		cpf_fx_skip(x);
		return;
	}
	if (type != '{') {
		cpf_fx_fail(
			x, CPF_E_FORMAT, "expected an object with the columns of %s", def->name);
		return;
	}
	t->def = def;
	t->length = -1;
	for (i = 0; i < CPF_FX_COLS; i++)
		t->at[i] = CPF_NO_POS;
	cpf_fx_enter(x);
	while (cpf_fx_key(x, &key)) {
		if (cpf_slice_is(key, "length") && cpf_fx_type(x) != 'n') {
			num = cpf_fx_num(x);
			if (!num.is_int || num.i < 0)
				cpf_fx_fail(x, CPF_E_FORMAT, "length %g is not a number of rows",
					num.d);
			t->length = num.i;
		} else if (cpf_slice_is(key, "schema")) {
			read_schema(x, t, &rows, skip);
		} else if (cpf_slice_is(key, "data")) {
			read_data(x, t, &rows, skip);
		} else if (def == &cpf_fx_samples && cpf_slice_is(key, "weightType")) {
			read_weight_type(x, t);
		} else {
			col = find_column(t, key);
			if (col < 0 || skip >> col & 1)
				cpf_fx_skip(x);
			else
				read_column(x, t, (uint32_t)col);
		}
	}
	read_early(x, t, &rows);
	if (rows.have_schema) {
		t->length = (int64_t)rows.n;
		t->by_rows = 1;
		if (!rows.have_data)
			cpf_fx_fail(x, CPF_E_FORMAT, "%s has a schema but no data", def->name);
	}
	cpf_buf_release(&rows.early);
}

/*
 * What is longer than the table is cut, what is shorter is filled up or, if it must be there, wins.
 * The number of rows is never taken from length alone, which a file can make as large as it likes.
 */
static uint64_t settled_rows(
	struct cpf_fx *r, const struct cpf_fx_table *t, uint32_t need, const char *where)
{
	uint64_t longest = 0, n;
	uint32_t i, at = 0;

	for (i = 0; i < t->def->n; i++)
		if (t->state[i] == CPF_FX_PRESENT && t->col[i].n >= longest) {
			longest = t->col[i].n;
			at = i;
		}
	n = t->length < 0 || (uint64_t)t->length > longest ? longest : (uint64_t)t->length;
	for (i = 0; i < t->def->n; i++)
		if (need >> i & 1 && t->state[i] == CPF_FX_PRESENT && t->col[i].n < n) {
			n = t->col[i].n;
			at = i;
		}
	if (n < (uint64_t)t->length && t->length >= 0)
		CPF_FX_NOTE(r, CPF_WARN, "short-column", 1,
			"%s: %s%s has length %" PRId64 ", but column %s only %" PRIu64
			" rows; the others are left out",
			r->source, where, t->def->name, t->length, t->def->cols[at].name, n);
	return n;
}

int cpf_fx_settle(
	struct cpf_fx *r, struct cpf_fx_table *t, uint32_t need, uint32_t quiet, const char *where)
{
	uint64_t n;
	uint32_t i;

	if (!t->def || t->settled)
		return 0;
	t->settled = 1;
	n = settled_rows(r, t, need, where);
	if (n >= UINT32_MAX) {
		cpf_err_where(r->e, "%s%s", where, t->def->name);
		return cpf_fail(
			r->e, CPF_E_LIMIT, "%" PRIu64 " rows are more than ids can tell apart", n);
	}
	for (i = 0; i < t->def->n; i++) {
		if (t->state[i] != CPF_FX_PRESENT)
			continue;
		if (t->col[i].n > n) {
			cpf_col_truncate(&t->col[i], n);
		} else if (t->col[i].n < n) {
			if (!(quiet >> i & 1))
				CPF_FX_NOTE(r, CPF_WARN, "short-column", 1,
					"%s: %s%s.%s has %zu rows instead of %" PRIu64
					"; the others count as unknown",
					r->source, where, t->def->name, t->def->cols[i].name,
					t->col[i].n, n);
			cpf_col_fill(&t->col[i], none_of(t, i), n - t->col[i].n);
		}
	}
	t->rows = (uint32_t)n;
	return 0;
}

int cpf_fx_bad_index(struct cpf_fx *r, const char *where, const struct cpf_fx_table *t,
	uint32_t col, size_t row, int64_t v, const char *target, uint32_t rows)
{
	const char *name = t->def->cols[col].name;

	if (v == -1)
		cpf_fail(r->e, CPF_E_FORMAT, "there is no index into %s, which is needed", target);
	else if (v < 0)
		cpf_fail(r->e, CPF_E_FORMAT, "index %" PRId64 " is negative", v);
	else
		cpf_fail(r->e, CPF_E_FORMAT,
			"index %" PRId64 " is past the end of %s (%" PRIu32 " rows)", v, target,
			rows);
	cpf_fx_where(r, where, t, name, row);
	return -1;
}

void cpf_fx_where(struct cpf_fx *r, const char *where, const struct cpf_fx_table *t,
	const char *column, size_t row)
{
	uint32_t i;

	/* Rows are long gone by the time they are linked; where their column begins is known. */
	for (i = 0; i < t->def->n && r->e->byte == CPF_NO_POS; i++)
		if (!strcmp(t->def->cols[i].name, column))
			r->e->byte = t->at[i];
	if (t->by_rows)
		cpf_err_where(r->e, "%s%s.data[%zu].%s", where, t->def->name, row, column);
	else
		cpf_err_where(r->e, "%s%s.%s[%zu]", where, t->def->name, column, row);
}

/* Strings. */

/* 1 if s is a hex name that prints back the same from its number. */
static int plain_hex(const char *s, size_t n, uint64_t *v)
{
	uint64_t u = 0;
	size_t i;

	if (n < 3 || n > 18 || s[0] != '0' || s[1] != 'x' || (s[2] == '0' && n > 3))
		return 0;
	for (i = 2; i < n; i++) {
		if (s[i] >= '0' && s[i] <= '9')
			u = u << 4 | (uint64_t)(s[i] - '0');
		else if (s[i] >= 'a' && s[i] <= 'f')
			u = u << 4 | (uint64_t)(s[i] - 'a' + 10);
		else
			return 0;
	}
	*v = u;
	return 1;
}

void cpf_fx_strings_read(struct cpf_fx_json *x, struct cpf_fx_strings *s, struct cpf_profile *p)
{
	struct cpf_slice text;
	uint64_t v;

	cpf_fx_strings_release(s);
	if (cpf_fx_type(x) != '[') {
		cpf_fx_fail(x, CPF_E_FORMAT, "expected an array of strings");
		return;
	}
	s->have = 1;
	cpf_fx_enter(x);
	while (cpf_fx_elem(x)) {
		text = cpf_fx_str(x);
		if (!plain_hex(text.s, text.n, &v)) {
			cpf_col_push_id(&s->id, cpf_intern(p, text.s, text.n));
			continue;
		}
		CPF_GROW(s->hex, s->cap, s->nhex + 1);
		s->hex[s->nhex] = v;
		cpf_col_push(&s->id, -1 - (int64_t)s->nhex++);
	}
}

void cpf_fx_strings_release(struct cpf_fx_strings *s)
{
	cpf_col_release(&s->id);
	cpf_free(s->hex);
	memset(s, 0, sizeof(*s));
}

cpf_str cpf_fx_string(struct cpf_profile *p, const struct cpf_fx_strings *s, uint32_t i)
{
	int64_t id = cpf_col_get(&s->id, i);
	char text[24];

	if (id >= 0)
		return (cpf_str)id;
	snprintf(text, sizeof(text), "0x%" PRIx64, s->hex[-1 - id]);
	return cpf_intern_z(p, text);
}

void cpf_fx_tables_release(struct cpf_fx_tables *t)
{
	cpf_fx_strings_release(&t->strings);
	cpf_fx_table_release(&t->stacks);
	cpf_fx_table_release(&t->frames);
	cpf_fx_table_release(&t->funcs);
	cpf_fx_table_release(&t->resources);
	cpf_fx_table_release(&t->symbols);
	cpf_fx_table_release(&t->sources);
	cpf_fx_table_release(&t->origins);
	cpf_fx_linker_free(t->linker);
	memset(t, 0, sizeof(*t));
}
