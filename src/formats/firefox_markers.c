/*
 * firefox_markers.c - marker tables: phases of all versions, data with its strings, causes.
 */
#include "formats/firefox.h"

#include "base/mem.h"

/* What one pass over a marker's data finds. Times are CPF_FX_NULL if they are not there. */
struct data {
	cpf_str type;
	int64_t start, end; /* before version 30: an interval */
	int interval;       /* "interval": 1 start, 2 end, 0 not there */
	int64_t stack;      /* row of cause, or -1 */
};

static int64_t decimal(struct cpf_json *j)
{
	struct cpf_num n;

	if (cpf_json_type(j) != '0') {
		cpf_json_skip(j);
		return CPF_FX_NULL;
	}
	n = cpf_json_num(j);
	/* Times fit 9 * 10^12 ms; what does not is no time. */
	if (!(n.d > -9e12 && n.d < 9e12))
		return CPF_FX_NULL;
	return (int64_t)(n.d * 1e6 + (n.d < 0 ? -0.5 : 0.5));
}

/* cause {time, stack}, or before version 21 stack {samples {schema {stack}, data [[row...]]}}. */
static void scan_cause(struct cpf_json *j, struct data *d)
{
	struct cpf_slice key;
	struct cpf_num n;

	if (cpf_json_type(j) != '{') {
		cpf_json_skip(j);
		return;
	}
	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		if (cpf_slice_is(key, "stack") && cpf_json_type(j) == '0') {
			n = cpf_json_num(j);
			d->stack = n.is_int ? n.i : -2;
		} else {
			cpf_json_skip(j);
		}
	}
}

static void scan_rows(struct cpf_json *j, int64_t *row)
{
	struct cpf_num n;
	int at;

	if (cpf_json_type(j) != '[') {
		cpf_json_skip(j);
		return;
	}
	cpf_json_enter(j);
	for (at = 0; cpf_json_elem(j); at++) {
		int k = 0;

		if (at || cpf_json_type(j) != '[') {
			cpf_json_skip(j);
			continue;
		}
		cpf_json_enter(j);
		for (k = 0; cpf_json_elem(j); k++) {
			if (k < 8 && cpf_json_type(j) == '0') {
				n = cpf_json_num(j);
				row[k] = n.is_int ? n.i : -2;
			} else {
				cpf_json_skip(j);
			}
		}
	}
}

static void scan_backtrace(struct cpf_json *j, struct data *d)
{
	int64_t row[8] = {-1, -1, -1, -1, -1, -1, -1, -1}, column = 0;
	struct cpf_slice key;
	struct cpf_num n;
	int level = 0;

	if (cpf_json_type(j) != '{') {
		cpf_json_skip(j);
		return;
	}
	/* Walks into samples and schema, the only objects of interest. */
	cpf_json_enter(j);
	for (level = 1; level;) {
		if (!cpf_json_key(j, &key)) {
			if (cpf_json_failed(j))
				return;
			level--;
		} else if (((level == 1 && cpf_slice_is(key, "samples")) ||
				   (level == 2 && cpf_slice_is(key, "schema"))) &&
			   cpf_json_type(j) == '{') {
			cpf_json_enter(j);
			level++;
		} else if (level == 2 && cpf_slice_is(key, "data")) {
			scan_rows(j, row);
		} else if (level == 3 && cpf_slice_is(key, "stack") && cpf_json_type(j) == '0') {
			n = cpf_json_num(j);
			column = n.is_int && n.i >= 0 && n.i < 8 ? n.i : 0;
		} else {
			cpf_json_skip(j);
		}
	}
	d->stack = row[column];
}

static void scan_data(struct cpf_profile *p, const char *text, size_t n, struct data *d)
{
	struct cpf_slice key, v;
	struct cpf_json *j;

	*d = (struct data){0, CPF_FX_NULL, CPF_FX_NULL, 0, -1};
	if (cpf_json_memory(&j, text, n, 0, NULL))
		return;
	if (cpf_json_type(j) == '{') {
		cpf_json_enter(j);
		while (cpf_json_key(j, &key)) {
			int type = cpf_json_type(j);

			if (cpf_slice_is(key, "type") && type == '"') {
				v = cpf_json_str(j);
				d->type = cpf_intern(p, v.s, v.n);
			} else if (cpf_slice_is(key, "interval") && type == '"') {
				v = cpf_json_str(j);
				d->interval = cpf_slice_is(v, "start") ? 1
					      : cpf_slice_is(v, "end") ? 2
								       : 0;
			} else if (cpf_slice_is(key, "startTime")) {
				d->start = decimal(j);
			} else if (cpf_slice_is(key, "endTime")) {
				d->end = decimal(j);
			} else if (cpf_slice_is(key, "cause")) {
				scan_cause(j, d);
			} else if (cpf_slice_is(key, "stack")) {
				scan_backtrace(j, d);
			} else {
				cpf_json_skip(j);
			}
		}
	}
	cpf_json_close(j);
}

/* Rewriting: string indices become strings, stacks go (the marker holds the node). */

struct rewrite {
	struct cpf_fx *r;
	const struct cpf_fx_strings *strings;
	const struct cpf_fx_schema *schema;
	struct cpf_buf *out;
	int members;
};

static void put_key(struct rewrite *w, struct cpf_slice key)
{
	cpf_buf_char(w->out, w->members++ ? ',' : '{');
	cpf_buf_json(w->out, key.s, key.n);
	cpf_buf_char(w->out, ':');
}

static int is_index_key(const struct rewrite *w, struct cpf_slice key)
{
	struct cpf_text t;
	uint32_t i;

	for (i = 0; w->schema && i < w->schema->nkeys; i++) {
		t = cpf_text(w->r->p, w->schema->keys[i]);
		if (t.len == key.n && !memcmp(t.s, key.s, key.n))
			return 1;
	}
	return 0;
}

static void put_value(struct rewrite *w, struct cpf_json *j, int index)
{
	struct cpf_profile *p = w->r->p;
	struct cpf_num n;
	struct cpf_text t;
	size_t at = w->out->n;

	if (!index || cpf_json_type(j) != '0') {
		cpf_json_raw(j, w->out);
		return;
	}
	n = cpf_json_num(j);
	if (!n.is_int || n.i < 0 || n.i >= (int64_t)w->strings->id.n) {
		CPF_FX_NOTE(w->r, CPF_WARN, "marker-string", 1,
			"%s: a field of a marker names string %g, which does not exist",
			w->r->source, n.d);
		w->out->n = at;
		cpf_buf_str(w->out, "null");
		return;
	}
	t = cpf_text(p, cpf_fx_string(p, w->strings, (uint32_t)n.i));
	cpf_buf_json(w->out, t.s, t.len);
}

/* The cause keeps its time and thread; its stack is the marker's. */
static void put_cause(struct rewrite *w, struct cpf_json *j, struct cpf_slice name)
{
	struct rewrite inner = *w;
	struct cpf_buf text = {0};
	struct cpf_slice key;

	inner.out = &text;
	inner.members = 0;
	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		if (cpf_slice_is(key, "stack")) {
			cpf_json_skip(j);
			continue;
		}
		put_key(&inner, key);
		cpf_json_raw(j, &text);
	}
	if (inner.members) {
		cpf_buf_char(&text, '}');
		put_key(w, name);
		cpf_buf_add(w->out, text.s, text.n);
	}
	cpf_buf_release(&text);
}

static cpf_str rewrite_data(struct cpf_fx *r, const struct cpf_fx_strings *strings,
	const struct cpf_fx_schema *schema, const char *text, size_t n)
{
	static const struct cpf_slice cause = {"cause", 5};
	struct rewrite w = {r, strings, schema, &r->text, 0};
	struct cpf_slice key;
	struct cpf_json *j;
	int type;

	cpf_buf_clear(&r->text);
	if (cpf_json_memory(&j, text, n, 0, NULL))
		return 0;
	type = cpf_json_type(j);
	if (type != '{') {
		if (type != 'n')
			cpf_json_raw(j, &r->text);
		else
			cpf_json_skip(j);
		cpf_json_close(j);
		return r->text.n ? cpf_intern(r->p, r->text.s, r->text.n) : 0;
	}
	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		type = cpf_json_type(j);
		if (type == '{' && cpf_slice_is(key, "cause")) {
			put_cause(&w, j, cause);
		} else if (type == '{' && cpf_slice_is(key, "stack")) {
			cpf_json_skip(j);
		} else {
			int index = is_index_key(&w, key);

			put_key(&w, key);
			put_value(&w, j, index);
		}
	}
	cpf_json_close(j);
	cpf_buf_str(&r->text, w.members ? "}" : "{}");
	return cpf_intern(r->p, r->text.s, r->text.n);
}

/* Times and phase. */

/* Before version 30 (Gecko 20) a marker has one time; its data may say more. */
static void old_phase(
	struct cpf_fx *r, struct cpf_marker *m, const struct data *d, int64_t time, int64_t shift)
{
	struct cpf_text type = cpf_text(r->p, d->type);

	m->start = m->end = time;
	m->phase = CPF_MARK_INSTANT;
	if (type.len == 7 && !memcmp(type.s, "tracing", 7) && d->interval) {
		m->phase = d->interval == 1 ? CPF_MARK_START : CPF_MARK_END;
	} else if (d->start != CPF_FX_NULL && d->end != CPF_FX_NULL) {
		m->phase = CPF_MARK_INTERVAL;
		m->start = cpf_wrap_add(d->start, shift);
		m->end = cpf_wrap_add(d->end, shift);
	}
}

static int new_phase(struct cpf_fx *r, struct cpf_fx_thread *t, struct cpf_marker *m, uint32_t i,
	int64_t shift, const char *where)
{
	int64_t phase = cpf_fx_get(&t->markers, MARKER_PHASE, i);
	int64_t start = cpf_fx_get(&t->markers, MARKER_START, i);
	int64_t end = cpf_fx_get(&t->markers, MARKER_END, i);

	if (phase < 0 || phase > 3) {
		cpf_fail(r->e, CPF_E_FORMAT, "phase %" PRId64 " is none of 0 to 3", phase);
		cpf_err_where(r->e, "%smarkers.phase[%" PRIu32 "]", where, i);
		return -1;
	}
	m->phase = (uint8_t)phase;
	if ((phase == CPF_MARK_END ? end : start) == CPF_FX_NULL ||
		(phase == CPF_MARK_INTERVAL && end == CPF_FX_NULL)) {
		cpf_fail(r->e, CPF_E_FORMAT, "a marker of phase %" PRId64 " has no %s", phase,
			phase == CPF_MARK_END ||
					(phase == CPF_MARK_INTERVAL && start != CPF_FX_NULL)
				? "endTime"
				: "startTime");
		cpf_err_where(r->e, "%smarkers[%" PRIu32 "]", where, i);
		return -1;
	}
	m->start = cpf_wrap_add(phase == CPF_MARK_END ? end : start, shift);
	m->end = phase == CPF_MARK_INTERVAL ? cpf_wrap_add(end, shift) : m->start;
	return 0;
}

static int link_marker(struct cpf_fx *r, struct cpf_fx_thread *t, struct cpf_fx_tables *tables,
	struct cpf_marker *m, uint32_t i, int64_t shift, const char *where)
{
	const struct cpf_fx_table *s = &t->markers, *stacks = CPF_FX_PICK(r, &t->own, stacks);
	const struct cpf_fx_strings *strings =
		t->own.strings.have ? &t->own.strings : &r->shared.strings;
	int64_t name = cpf_fx_get(s, MARKER_NAME, i), at = cpf_fx_get(s, MARKER_DATA, i);
	int64_t category = cpf_fx_get(s, MARKER_CATEGORY, i);
	const char *text = at < 0 ? "null" : s->text.s + at;
	struct data d;

	if (name < 0 || name >= (int64_t)strings->id.n)
		return cpf_fx_bad_index(
			r, where, s, MARKER_NAME, i, name, "stringArray", (uint32_t)strings->id.n);
	m->name = cpf_fx_string(r->p, strings, (uint32_t)name);
	m->category = m->stack = CPF_NONE;
	if (category >= 0 && t->root->have_categories) {
		if (category >= (int64_t)t->root->ncategories)
			return cpf_fx_bad_index(r, where, s, MARKER_CATEGORY, i, category,
				"meta.categories", t->root->ncategories);
		m->category = t->root->categories[category];
	}
	scan_data(r->p, text, strlen(text), &d);
	if (cpf_fx_has(s, MARKER_PHASE)) {
		if (new_phase(r, t, m, i, shift, where))
			return -1;
	} else {
		int64_t time = cpf_fx_get(s, MARKER_TIME, i);

		old_phase(r, m, &d, cpf_wrap_add(time == CPF_FX_NULL ? 0 : time, shift), shift);
	}
	if (d.stack != -1) {
		if (d.stack < 0 || d.stack >= (int64_t)stacks->rows)
			return cpf_fx_bad_index(
				r, where, s, MARKER_DATA, i, d.stack, "stackTable", stacks->rows);
		/* Of a backtrace taken by the program itself even the leaf is a return address. */
		m->stack = tables->base + (uint32_t)d.stack;
	}
	m->data = rewrite_data(
		r, strings, cpf_fx_schema_find(&t->root->schemas, d.type), text, strlen(text));
	return 0;
}

int cpf_fx_markers_link(struct cpf_fx *r, struct cpf_fx_thread *t, struct cpf_fx_tables *tables,
	cpf_id thread, int64_t shift, const char *where)
{
	struct cpf_marker m;
	uint32_t i;

	for (i = 0; i < t->markers.rows; i++) {
		memset(&m, 0, sizeof(m));
		m.thread = thread;
		if (link_marker(r, t, tables, &m, i, shift, where))
			return -1;
		cpf_add_marker(r->p, &m);
	}
	return 0;
}
