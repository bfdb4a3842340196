#include "reports/markers.h"

#include "base/json.h"
#include "base/mem.h"
#include "base/num.h"

struct field {
	char *type, *key, *label, *format; /* owned; label NULL: none */
	int hidden;
};

struct cpf_marker_schema {
	struct field *v;
	size_t n, cap;
};

/* A member of data, as it is read. */
struct member {
	char *key;  /* owned */
	char *raw;  /* owned; JSON text */
};

struct members {
	struct member *v;
	size_t n, cap;
	char *type; /* owned; of the data */
};

/* Schema. */

static int is(struct cpf_slice s, const char *word)
{
	return s.n == strlen(word) && !memcmp(s.s, word, s.n);
}

static void read_field(struct cpf_marker_schema *s, struct cpf_json *j)
{
	struct field f = {0};
	struct cpf_slice key, v;
	char **to;

	if (cpf_json_type(j) != '{') {
		cpf_json_skip(j);
		return;
	}
	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		int type = cpf_json_type(j);

		to = is(key, "key") ? &f.key : is(key, "label") ? &f.label
			: is(key, "format") ? &f.format : NULL;
		if (type == 't' && is(key, "hidden")) {
			f.hidden = cpf_json_bool(j);
		} else if (to && type == '"') {
			v = cpf_json_str(j);
			cpf_free(*to);
			*to = cpf_strndup(v.s, v.n);
		} else {
			cpf_json_skip(j);
		}
	}
	CPF_GROW(s->v, s->cap, s->n + 1);
	s->v[s->n++] = f;
}

static void read_type(struct cpf_marker_schema *s, struct cpf_json *j)
{
	struct cpf_slice key, v;
	char *name = NULL;
	size_t from = s->n;

	if (cpf_json_type(j) != '{') {
		cpf_json_skip(j);
		return;
	}
	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		int type = cpf_json_type(j);

		if (type == '"' && is(key, "name")) {
			v = cpf_json_str(j);
			cpf_free(name);
			name = cpf_strndup(v.s, v.n);
		} else if (type == '[' && (is(key, "fields") || is(key, "data"))) {
			cpf_json_enter(j);
			while (cpf_json_elem(j))
				read_field(s, j);
		} else {
			cpf_json_skip(j);
		}
	}
	for (; from < s->n; from++)
		s->v[from].type = cpf_strdup(name ? name : "");
	cpf_free(name);
}

struct cpf_marker_schema *cpf_marker_schema_new(const struct cpf_profile *p)
{
	struct cpf_marker_schema *s = cpf_calloc(1, sizeof(*s));
	struct cpf_text t = cpf_text(p, p->head.marker_schema);
	struct cpf_json *j;

	if (!t.len || cpf_json_memory(&j, t.s, t.len, 0, NULL))
		return s;
	if (cpf_json_type(j) == '[') {
		cpf_json_enter(j);
		while (cpf_json_elem(j))
			read_type(s, j);
	}
	cpf_json_close(j);
	return s;
}

void cpf_marker_schema_free(struct cpf_marker_schema *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		cpf_free(s->v[i].type);
		cpf_free(s->v[i].key);
		cpf_free(s->v[i].label);
		cpf_free(s->v[i].format);
	}
	cpf_free(s->v);
	cpf_free(s);
}

static const struct field *find_field(
	const struct cpf_marker_schema *s, const char *type, const char *key)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->v[i].key && !strcmp(s->v[i].type, type) && !strcmp(s->v[i].key, key))
			return &s->v[i];
	return NULL;
}

/* Members. */

static void read_members(struct members *m, const struct cpf_profile *p, cpf_str data)
{
	struct cpf_text t = cpf_text(p, data);
	struct cpf_slice key, v;
	struct cpf_json *j;

	if (!t.len || cpf_json_memory(&j, t.s, t.len, 0, NULL))
		return;
	if (cpf_json_type(j) == '{') {
		cpf_json_enter(j);
		while (cpf_json_key(j, &key)) {
			struct cpf_buf raw = {0};
			char *name;
			size_t i;

			if (is(key, "type") && cpf_json_type(j) == '"') {
				v = cpf_json_str(j);
				cpf_free(m->type);
				m->type = cpf_strndup(v.s, v.n);
				continue;
			}
			if (is(key, "cause")) {
				cpf_json_skip(j);
				continue;
			}
			name = cpf_strndup(key.s, key.n);
			cpf_json_raw(j, &raw);
			for (i = 0; i < m->n && strcmp(m->v[i].key, name) != 0; i++)
				;
			if (i < m->n) {
				cpf_free(name);
				cpf_free(m->v[i].raw);
			} else {
				CPF_GROW(m->v, m->cap, m->n + 1);
				m->v[m->n++].key = name;
			}
			m->v[i].raw = cpf_strndup(raw.s ? raw.s : "null", raw.s ? raw.n : 4);
			cpf_buf_release(&raw);
		}
	}
	cpf_json_close(j);
}

static void members_of(struct members *m, const struct cpf_profile *p, const struct cpf_span *v)
{
	memset(m, 0, sizeof(*m));
	if (v->flags & CPF_SPAN_MADE)
		return;
	read_members(m, p, p->markers[v->marker].data);
	if (v->end_marker != CPF_NONE)
		read_members(m, p, p->markers[v->end_marker].data);
}

static void members_release(struct members *m)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		cpf_free(m->v[i].key);
		cpf_free(m->v[i].raw);
	}
	cpf_free(m->v);
	cpf_free(m->type);
}

/* Values. */

static const struct unit {
	const char *format, *unit;
	double nanos; /* 0: unit is that of the number */
} units[] = {
	{"duration", NULL, 1e6},
	{"time", NULL, 1e6},
	{"milliseconds", NULL, 1e6},
	{"seconds", NULL, 1e9},
	{"microseconds", NULL, 1e3},
	{"nanoseconds", NULL, 1},
	{"bytes", "bytes", 0},
};

static void add_number(struct cpf_buf *out, double d, const char *format)
{
	char text[400];
	size_t i;

	for (i = 0; format && i < CPF_LEN(units); i++) {
		double v = units[i].nanos > 0 ? d * units[i].nanos : d;

		if (strcmp(format, units[i].format) != 0 || !(v > -9e18 && v < 9e18))
			continue;
		cpf_buf_str(out, cpf_unit_label((int64_t)(v < 0 ? v - 0.5 : v + 0.5),
					 units[i].nanos > 0 ? "nanoseconds" : units[i].unit, "auto", text,
					 sizeof(text)));
		return;
	}
	if (format && !strcmp(format, "percentage")) {
		cpf_buf_fixed(out, d * 100, 1);
		cpf_buf_char(out, '%');
	} else if (format && !strcmp(format, "hexadecimal") && d >= 0 && d < 1e18) {
		cpf_buf_fmt(out, "0x%" PRIx64, (uint64_t)d);
	} else {
		cpf_buf_double(out, d);
	}
}

static void add_value(struct cpf_buf *out, const char *raw, const char *format)
{
	struct cpf_json *j;
	struct cpf_slice v;

	if (cpf_json_memory(&j, raw, strlen(raw), 0, NULL))
		return;
	switch (cpf_json_type(j)) {
	case '"':
		v = cpf_json_str(j);
		cpf_buf_add(out, v.s, v.n);
		break;
	case '0':
		add_number(out, cpf_json_num(j).d, format);
		break;
	default:
		cpf_buf_str(out, raw);
		break;
	}
	cpf_json_close(j);
}

void cpf_marker_fields(const struct cpf_marker_schema *s, const struct cpf_profile *p,
	const struct cpf_span *v, struct cpf_buf *out)
{
	size_t i, start = out->n;
	struct members m;

	members_of(&m, p, v);
	for (i = 0; i < m.n; i++) {
		const struct field *f = find_field(s, m.type ? m.type : "", m.v[i].key);

		if ((f && f->hidden) || !strcmp(m.v[i].raw, "null"))
			continue;
		if (out->n > start)
			cpf_buf_str(out, ", ");
		cpf_buf_str(out, f && f->label && f->label[0] ? f->label : m.v[i].key);
		cpf_buf_str(out, ": ");
		add_value(out, m.v[i].raw, f ? f->format : NULL);
	}
	members_release(&m);
}

void cpf_marker_fields_json(const struct cpf_profile *p, const struct cpf_span *v,
	struct cpf_jsonw *w)
{
	struct members m;
	size_t i;

	members_of(&m, p, v);
	cpf_jsonw_key(w, "type");
	if (m.type)
		cpf_jsonw_str(w, m.type);
	else
		cpf_jsonw_null(w);
	cpf_jsonw_key(w, "fields");
	cpf_jsonw_object_flat(w);
	for (i = 0; i < m.n; i++) {
		cpf_jsonw_key(w, m.v[i].key);
		cpf_jsonw_raw(w, m.v[i].raw, strlen(m.v[i].raw));
	}
	cpf_jsonw_end(w);
	members_release(&m);
}
