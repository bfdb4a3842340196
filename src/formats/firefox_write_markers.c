/*
 * firefox_write_markers.c - marker tables and their schema.
 *
 * The profile keeps a marker's data as JSON text with its strings in place. Fields whose schema says
 * that they are unique strings become rows of the string array again, and the stack of a marker
 * becomes its cause.
 */
#include "formats/firefox_write.h"

#include "base/json.h"
#include "base/mem.h"

/* Real schemas have a few keys; they are searched for each member. */
enum { MAX_KEYS = 256 };

/* Schema. */

static int is_index_format(struct cpf_slice s)
{
	static const char *const formats[] = {"unique-string", "flow-id", "terminating-flow-id"};
	size_t i;

	for (i = 0; i < CPF_LEN(formats); i++)
		if (s.n == strlen(formats[i]) && !memcmp(s.s, formats[i], s.n))
			return 1;
	return 0;
}

static int is_word(struct cpf_slice s, const char *word)
{
	return s.n == strlen(word) && !memcmp(s.s, word, s.n);
}

static void read_field(struct cpf_fw_markers *m, struct cpf_json *j)
{
	struct cpf_slice key, v;
	uint32_t word = 0;
	int index = 0;

	if (cpf_json_type(j) != '{') {
		cpf_json_skip(j);
		return;
	}
	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		int is_key = is_word(key, "key"), is_format = is_word(key, "format");

		if ((!is_key && !is_format) || cpf_json_type(j) != '"') {
			cpf_json_skip(j);
			continue;
		}
		v = cpf_json_str(j);
		if (is_key)
			word = cpf_strings_intern(m->words, v.s, v.n);
		else
			index = is_index_format(v);
	}
	if (!word || !index)
		return;
	CPF_GROW(m->keys, m->keys_cap, (size_t)m->nkeys + 1);
	m->keys[m->nkeys++] = word;
}

static void read_schema(struct cpf_fw_markers *m, struct cpf_json *j)
{
	uint32_t name = 0, first = m->nkeys;
	struct cpf_slice key, v;
	size_t old;

	if (cpf_json_type(j) != '{') {
		cpf_json_skip(j);
		return;
	}
	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		if (is_word(key, "name") && cpf_json_type(j) == '"') {
			v = cpf_json_str(j);
			name = cpf_strings_intern(m->words, v.s, v.n);
		} else if ((is_word(key, "fields") || is_word(key, "data")) &&
			   cpf_json_type(j) == '[') {
			cpf_json_enter(j);
			while (cpf_json_elem(j))
				read_field(m, j);
		} else {
			cpf_json_skip(j);
		}
	}
	if (m->nkeys - first > MAX_KEYS)
		m->nkeys = first + MAX_KEYS;
	old = m->schema_cap;
	if (name >= old) {
		CPF_GROW(m->schema, m->schema_cap, (size_t)name + 1);
		memset(m->schema + old, 0, (m->schema_cap - old) * sizeof(*m->schema));
	}
	if (!m->schema[name].n)
		m->schema[name] = (struct cpf_fw_schema){first, m->nkeys - first};
}

/* Walks the elements of meta.markerSchema; 0 if there are none. */
static int open_schema(struct cpf_json **j, const struct cpf_profile *p)
{
	struct cpf_text t = cpf_text(p, p->head.marker_schema);

	if (!t.len || cpf_json_memory(j, t.s, t.len, 0, NULL))
		return 0;
	if (cpf_json_type(*j) == '[') {
		cpf_json_enter(*j);
		return 1;
	}
	cpf_json_close(*j);
	return 0;
}

void cpf_fw_markers_make(struct cpf_fw_markers *m, const struct cpf_profile *p)
{
	struct cpf_json *j;
	uint32_t i, n = p->nthreads, *at;

	memset(m, 0, sizeof(*m));
	m->p = p;
	m->words = cpf_strings_new();
	m->first = cpf_calloc((size_t)n + 1, sizeof(*m->first));
	m->marker = cpf_realloc_array(NULL, (size_t)p->nmarkers + 1, sizeof(*m->marker));
	at = cpf_calloc((size_t)n + 1, sizeof(*at));
	for (i = 0; i < p->nmarkers; i++)
		if (p->markers[i].thread < n)
			at[p->markers[i].thread]++;
	for (i = 0; i < n; i++) {
		m->first[i + 1] = m->first[i] + at[i];
		at[i] = m->first[i];
	}
	for (i = 0; i < p->nmarkers; i++)
		if (p->markers[i].thread < n)
			m->marker[at[p->markers[i].thread]++] = i;
	cpf_free(at);
	if (!open_schema(&j, p))
		return;
	while (cpf_json_elem(j))
		read_schema(m, j);
	cpf_json_close(j);
}

void cpf_fw_markers_release(struct cpf_fw_markers *m)
{
	cpf_free(m->marker);
	cpf_free(m->first);
	cpf_free(m->schema);
	cpf_free(m->keys);
	cpf_buf_release(&m->text);
	cpf_buf_release(&m->inner);
	if (m->words)
		cpf_strings_free(m->words);
	memset(m, 0, sizeof(*m));
}

/* Data. */

struct rewrite {
	struct cpf_fw_markers *m;
	struct cpf_fw_strings *strings;
	const struct cpf_fw_schema *schema;
	uint32_t stack; /* row, or CPF_NONE */
	int members;
};

static void put_key(struct cpf_buf *out, int *members, struct cpf_slice key)
{
	cpf_buf_char(out, (*members)++ ? ',' : '{');
	cpf_buf_json(out, key.s, key.n);
	cpf_buf_char(out, ':');
}

static int is_index_key(const struct rewrite *w, struct cpf_slice key)
{
	struct cpf_text t;
	uint32_t i;

	for (i = 0; w->schema && i < w->schema->n; i++) {
		t = w->m->words->texts[w->m->keys[w->schema->first + i]];
		if (t.len == key.n && !memcmp(t.s, key.s, key.n))
			return 1;
	}
	return 0;
}

/* The schema of data.type, which may stand anywhere in the data. */
static const struct cpf_fw_schema *find_schema(const struct cpf_fw_markers *m, struct cpf_text data)
{
	const struct cpf_fw_schema *found = NULL;
	struct cpf_slice key, v;
	struct cpf_json *j;
	cpf_str word;

	if (cpf_json_memory(&j, data.s, data.len, 0, NULL))
		return NULL;
	if (cpf_json_type(j) == '{') {
		cpf_json_enter(j);
		while (cpf_json_key(j, &key)) {
			if (!is_word(key, "type") || cpf_json_type(j) != '"') {
				cpf_json_skip(j);
				continue;
			}
			v = cpf_json_str(j);
			word = cpf_strings_lookup(m->words, v.s, v.n);
			found = word == CPF_NONE || word >= m->schema_cap ? NULL : &m->schema[word];
		}
	}
	cpf_json_close(j);
	return found && found->n ? found : NULL;
}

static void put_stack(struct cpf_buf *out, int *members, uint32_t row)
{
	static const struct cpf_slice stack = {"stack", 5};

	put_key(out, members, stack);
	cpf_buf_u64(out, row);
}

/* {time, tid}: the cause without its stack, which is put back. */
static void rewrite_cause(struct rewrite *w, struct cpf_json *j)
{
	struct cpf_buf *out = &w->m->inner;
	struct cpf_slice key;
	int members = 0;

	cpf_buf_clear(out);
	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		if (w->stack != CPF_NONE && is_word(key, "stack")) {
			cpf_json_skip(j);
			continue;
		}
		put_key(out, &members, key);
		cpf_json_raw(j, out);
	}
	if (w->stack != CPF_NONE)
		put_stack(out, &members, w->stack);
	cpf_buf_str(out, members ? "}" : "{}");
	w->stack = CPF_NONE;
}

static void rewrite_members(struct rewrite *w, struct cpf_json *j)
{
	struct cpf_buf *out = &w->m->text;
	struct cpf_slice key, v;

	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		int type = cpf_json_type(j), index = type == '"' && is_index_key(w, key);
		int cause = type == '{' && is_word(key, "cause");

		put_key(out, &w->members, key);
		if (index) {
			v = cpf_json_str(j);
			cpf_buf_u64(out, cpf_fw_string_text(w->strings, v.s, v.n));
		} else if (cause) {
			rewrite_cause(w, j);
			cpf_buf_add(out, w->m->inner.s, w->m->inner.n);
		} else {
			cpf_json_raw(j, out);
		}
	}
}

/* The data of a marker as it is written, in m->text; its strings are added to the array. */
static void rewrite_data(struct cpf_fw_markers *m, struct cpf_fw_strings *strings,
	const struct cpf_marker *marker, uint32_t stack)
{
	static const struct cpf_slice cause = {"cause", 5};
	struct cpf_text data = cpf_text(m->p, marker->data);
	struct rewrite w = {m, strings, NULL, stack, 0};
	struct cpf_json *j;

	cpf_buf_clear(&m->text);
	if (data.len && data.s[0] != '{') {
		cpf_buf_add(&m->text, data.s, data.len);
		return;
	}
	if (data.len && !cpf_json_memory(&j, data.s, data.len, 0, NULL)) {
		w.schema = find_schema(m, data);
		rewrite_members(&w, j);
		cpf_json_close(j);
	}
	if (w.stack != CPF_NONE) {
		int members = 0;

		put_key(&m->text, &w.members, cause);
		put_stack(&m->text, &members, w.stack);
		cpf_buf_char(&m->text, '}');
	}
	if (w.members)
		cpf_buf_char(&m->text, '}');
	else
		cpf_buf_str(&m->text, data.len ? "{}" : "null");
}

/* Tables. */

static void range_of(const struct cpf_fw_markers *m, uint32_t thread, uint32_t *from, uint32_t *end)
{
	uint32_t n = m->p->nthreads;

	*from = thread < n ? m->first[thread] : thread == CPF_NONE ? 0 : m->first[n];
	*end = thread < n ? m->first[thread + 1] : m->first[n];
}

void cpf_fw_markers_use(struct cpf_fw_markers *m, struct cpf_fw_tables *t, uint32_t thread)
{
	uint32_t i, end;

	range_of(m, thread, &i, &end);
	for (; i < end; i++) {
		const struct cpf_marker *marker = &m->p->markers[m->marker[i]];

		cpf_fw_string(&t->strings, marker->name);
		if (marker->stack != CPF_NONE)
			cpf_fw_tables_use(t, marker->stack);
		rewrite_data(m, &t->strings, marker, CPF_NONE);
	}
}

/* Times that the phase does not use are null. */
static int64_t time_of(const struct cpf_marker *m, int end, int64_t shift)
{
	static const uint8_t uses[2][4] = {{1, 1, 1, 0}, {0, 1, 0, 1}};

	if (!uses[end][m->phase & 3])
		return INT64_MIN;
	return cpf_wrap_add(end ? m->end : m->start, shift);
}

static void write_times(struct cpf_fw_text *out, const struct cpf_fw_markers *m, uint32_t from,
	uint32_t n, int end, int64_t shift)
{
	int64_t v;
	uint32_t i;

	cpf_jsonw_key(&out->j, end ? "endTime" : "startTime");
	cpf_jsonw_array_flat(&out->j);
	for (i = from; i < from + n; i++) {
		v = time_of(&m->p->markers[m->marker[i]], end, shift);
		if (v == INT64_MIN)
			cpf_jsonw_null(&out->j);
		else
			cpf_jsonw_fixed(&out->j, v, 6);
		cpf_fw_flush(out);
	}
	cpf_jsonw_end(&out->j);
}

static void write_data(struct cpf_fw_text *out, struct cpf_fw_markers *m, struct cpf_fw_tables *t,
	uint32_t from, uint32_t n)
{
	uint32_t i;

	cpf_jsonw_key(&out->j, "data");
	cpf_jsonw_array_flat(&out->j);
	for (i = from; i < from + n; i++) {
		const struct cpf_marker *marker = &m->p->markers[m->marker[i]];
		cpf_id node = marker->stack == CPF_NONE ? 0 : marker->stack;

		rewrite_data(m, &t->strings, marker, cpf_fw_stack(t, node));
		cpf_jsonw_raw(&out->j, m->text.s, m->text.n);
		cpf_fw_flush(out);
	}
	cpf_jsonw_end(&out->j);
}

void cpf_fw_markers_write(struct cpf_fw_text *out, struct cpf_fw_markers *m,
	struct cpf_fw_tables *t, uint32_t thread, int64_t shift)
{
	uint32_t from, end, n, i, *v;

	range_of(m, thread, &from, &end);
	n = end - from;
	v = cpf_realloc_array(NULL, (size_t)n + 1, sizeof(*v));
	cpf_jsonw_key(&out->j, "markers");
	cpf_jsonw_object(&out->j);
	cpf_jsonw_key_int(&out->j, "length", n);
	for (i = 0; i < n; i++) {
		const struct cpf_marker *marker = &m->p->markers[m->marker[from + i]];

		v[i] = marker->category == CPF_NONE ? t->categories->grey
						    : marker->category + t->categories->shift;
	}
	cpf_fw_ids(out, "category", v, n, "0");
	write_data(out, m, t, from, n);
	write_times(out, m, from, n, 1, shift);
	for (i = 0; i < n; i++)
		v[i] = cpf_fw_string(&t->strings, m->p->markers[m->marker[from + i]].name);
	cpf_fw_ids(out, "name", v, n, "0");
	for (i = 0; i < n; i++)
		v[i] = m->p->markers[m->marker[from + i]].phase;
	cpf_fw_ids(out, "phase", v, n, "0");
	write_times(out, m, from, n, 0, shift);
	cpf_jsonw_end(&out->j);
	cpf_free(v);
}

/* meta.markerSchema */

/* Up to version 54 rows of static text stand among the fields; later there is "description". */
static void fields_of(struct cpf_json *j, int version, struct cpf_buf *out, struct cpf_buf *text)
{
	struct cpf_buf element = {0};
	struct cpf_slice key;
	struct cpf_json *e;
	int is_field, some = 0;

	cpf_buf_clear(out);
	cpf_buf_char(out, '[');
	if (cpf_json_type(j) != '[') {
		cpf_json_skip(j);
		cpf_buf_char(out, ']');
		return;
	}
	cpf_json_enter(j);
	while (cpf_json_elem(j)) {
		cpf_buf_clear(&element);
		cpf_json_raw(j, &element);
		is_field = 0;
		if (element.s[0] == '{' && !cpf_json_memory(&e, element.s, element.n, 0, NULL)) {
			cpf_json_enter(e);
			while (cpf_json_key(e, &key)) {
				is_field |= is_word(key, "key");
				if (is_word(key, "value") && !text->n)
					cpf_json_raw(e, text);
				else
					cpf_json_skip(e);
			}
			cpf_json_close(e);
		}
		if (!is_field && version >= CPF_FW_SHARED)
			continue;
		if (some++)
			cpf_buf_char(out, ',');
		cpf_buf_add(out, element.s, element.n);
	}
	cpf_buf_char(out, ']');
	cpf_buf_release(&element);
}

static void key_raw(struct cpf_fw_text *out, const char *key, size_t n, const struct cpf_buf *v)
{
	cpf_jsonw_key_n(&out->j, key, n);
	cpf_jsonw_raw(&out->j, v->s, v->n);
}

static void write_schema(struct cpf_fw_text *out, struct cpf_json *j, int version)
{
	struct cpf_buf v = {0}, text = {0};
	int display = 0, fields = 0, described = 0;
	struct cpf_slice key;

	cpf_jsonw_object(&out->j);
	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		if (is_word(key, "fields") || is_word(key, "data")) {
			fields_of(j, version, &v, &text);
			if (!fields)
				key_raw(out, version < CPF_FW_SHARED ? "data" : "fields",
					version < CPF_FW_SHARED ? 4 : 6, &v);
			fields = 1;
			continue;
		}
		display |= is_word(key, "display");
		described |= is_word(key, "description");
		cpf_jsonw_key_n(&out->j, key.s, key.n);
		cpf_buf_clear(&v);
		cpf_json_raw(j, &v);
		cpf_jsonw_raw(&out->j, v.s, v.n);
	}
	if (!display || !fields) {
		cpf_buf_clear(&v);
		cpf_buf_str(&v, "[]");
	}
	if (!display)
		key_raw(out, "display", 7, &v);
	if (!fields)
		key_raw(out, version < CPF_FW_SHARED ? "data" : "fields",
			version < CPF_FW_SHARED ? 4 : 6, &v);
	if (text.n && text.s[0] == '"' && !described && version >= CPF_FW_SHARED)
		key_raw(out, "description", 11, &text);
	cpf_jsonw_end(&out->j);
	cpf_buf_release(&v);
	cpf_buf_release(&text);
}

void cpf_fw_schema_write(struct cpf_fw_text *out, const struct cpf_profile *p, int version)
{
	struct cpf_json *j;

	cpf_jsonw_key(&out->j, "markerSchema");
	cpf_jsonw_array(&out->j);
	if (open_schema(&j, p)) {
		while (cpf_json_elem(j)) {
			if (cpf_json_type(j) == '{')
				write_schema(out, j, version);
			else
				cpf_json_skip(j);
		}
		cpf_json_close(j);
	}
	cpf_jsonw_end(&out->j);
}
