#include "symbolize/sidecar.h"

#include "base/buf.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/output.h"
#include "core/frame.h"

#include <stdlib.h>

struct place {
	uint64_t address;
	cpf_id mapping, location;
	size_t lines;
};

struct writer {
	const struct cpf_profile *p;
	struct place *places;
	size_t n, cap;
	uint32_t *string; /* per string of the profile: its number in the file; 0 = not there yet */
	cpf_str *used;    /* in the order of their numbers, from 1 */
	size_t nused, used_cap;
	struct cpf_buf data;
	struct cpf_jsonw w;
	uint64_t skipped;
};

static int proper(const struct cpf_profile *p, cpf_str name)
{
	struct cpf_text t = cpf_text(p, name);

	return t.len && !cpf_is_hex_name(t.s, t.len) && !cpf_is_made_up_name(t.s, t.len);
}

/* Lines of a location: [*from, *to). 1 if one of them has a name. */
static int named_lines(const struct cpf_profile *p, cpf_id location, size_t *from, size_t *to)
{
	const struct cpf_locations *t = &p->locations;
	size_t i;

	*from = (size_t)cpf_col_get(&t->first, location);
	*to = (size_t)cpf_col_get(&t->first, (size_t)location + 1);
	for (i = *from; i < *to; i++)
		if (proper(p, p->functions[cpf_col_id(&t->line_fn, i)].name))
			return 1;
	return 0;
}

static int compare_places(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;

	if (a->mapping != b->mapping)
		return a->mapping < b->mapping ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->lines != b->lines)
		return a->lines > b->lines ? -1 : 1;
	return a->location < b->location ? -1 : a->location > b->location;
}

static int relative(const struct cpf_mapping *m)
{
	return m->flags & CPF_MAP_RELATIVE || (!m->start && !m->offset && m->limit == UINT64_MAX);
}

static void gather(struct writer *v)
{
	const struct cpf_locations *t = &v->p->locations;
	size_t from, to, n;
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		struct place place;

		place.address = (uint64_t)cpf_col_get(&t->address, i);
		place.mapping = cpf_col_id(&t->mapping, i);
		place.location = i;
		if (place.mapping == CPF_NONE ||
			(!place.address && !(cpf_col_get(&t->flags, i) & CPF_LOC_ADDRESS)) ||
			!named_lines(v->p, i, &from, &to))
			continue;
		place.lines = to - from;
		if (!relative(&v->p->mappings[place.mapping])) {
			v->skipped++;
			continue;
		}
		CPF_GROW(v->places, v->cap, v->n + 1);
		v->places[v->n++] = place;
	}
	if (!v->n)
		return;
	qsort(v->places, v->n, sizeof(*v->places), compare_places);
	/*
	 * One address may be several locations: of different categories, and in Firefox files of each
	 * beginning of an inline chain, since there every level is a stack of its own. The longest has all.
	 */
	for (i = 1, n = 1; i < v->n; i++)
		if (v->places[i].mapping != v->places[n - 1].mapping ||
			v->places[i].address != v->places[n - 1].address)
			v->places[n++] = v->places[i];
	v->n = n;
}

static void string(struct writer *v, const char *key, cpf_str s)
{
	cpf_jsonw_key(&v->w, key);
	if (!cpf_text(v->p, s).len) {
		cpf_jsonw_null(&v->w);
		return;
	}
	if (!v->string[s]) {
		CPF_GROW(v->used, v->used_cap, v->nused + 1);
		v->used[v->nused++] = s;
		v->string[s] = (uint32_t)v->nused;
	}
	cpf_jsonw_uint(&v->w, v->string[s]);
}

static void frames(struct writer *v, size_t from, size_t to)
{
	const struct cpf_locations *t = &v->p->locations;
	size_t i;

	cpf_jsonw_key(&v->w, "frames");
	cpf_jsonw_array(&v->w);
	for (i = from; i < to; i++) {
		const struct cpf_function *f = &v->p->functions[cpf_col_id(&t->line_fn, i)];
		int64_t line = cpf_col_get(&t->line_no, i);

		cpf_jsonw_object(&v->w);
		string(v, "function", f->name);
		string(v, "file", f->file);
		cpf_jsonw_key(&v->w, "line");
		if (line > 0)
			cpf_jsonw_int(&v->w, line);
		else
			cpf_jsonw_null(&v->w);
		cpf_jsonw_end(&v->w);
	}
	cpf_jsonw_end(&v->w);
}

/* Where no symbol is known, the place itself is all that is known of the function's range. */
static void entry(struct writer *v, const struct place *place)
{
	const struct cpf_profile *p = v->p;
	cpf_id symbol = cpf_col_id(&p->locations.symbol, place->location);
	size_t from, to;

	named_lines(p, place->location, &from, &to);
	cpf_jsonw_object(&v->w);
	if (symbol != CPF_NONE) {
		const struct cpf_symbol *s = &p->symbols[symbol];

		cpf_jsonw_key_uint(&v->w, "rva", s->address);
		cpf_jsonw_key(&v->w, "size");
		if (s->size)
			cpf_jsonw_uint(&v->w, s->size);
		else
			cpf_jsonw_null(&v->w);
		string(v, "symbol", s->name);
	} else {
		cpf_jsonw_key_uint(&v->w, "rva", place->address);
		cpf_jsonw_key(&v->w, "size");
		cpf_jsonw_null(&v->w);
		string(v, "symbol", p->functions[cpf_col_id(&p->locations.line_fn, to - 1)].name);
	}
	frames(v, from, to);
	cpf_jsonw_end(&v->w);
}

/* "3E0A2663466E57DBABF718F6A3562C6E0" as UUID, the age behind it unless it is 0. */
static void debug_id(struct cpf_buf *out, const char *id)
{
	size_t i, n = strlen(id);

	if (n < 33 || strspn(id, "0123456789abcdefABCDEF") != n) {
		id = CPF_SIDECAR_NIL;
		n = 33;
	}
	for (i = 0; i < n; i++) {
		if (i == 8 || i == 12 || i == 16 || i == 20)
			cpf_buf_char(out, '-');
		if (i == 32 && !strcmp(id + i, "0"))
			break;
		if (i == 32)
			cpf_buf_char(out, '-');
		cpf_buf_char(out, id[i] >= 'A' && id[i] <= 'F' ? (char)(id[i] | 0x20) : id[i]);
	}
}

static void library(struct writer *v, size_t from, size_t to)
{
	const struct cpf_mapping *m = &v->p->mappings[v->places[from].mapping];
	struct cpf_text name = cpf_text(v->p, m->debug_name);
	struct cpf_buf id = {0};
	size_t i;

	if (!name.len)
		name = cpf_mapping_name(v->p, v->places[from].mapping);
	debug_id(&id, cpf_cstr(v->p, m->debug_id));
	cpf_jsonw_object(&v->w);
	cpf_jsonw_key(&v->w, "debug_name");
	cpf_jsonw_str_n(&v->w, name.s, name.len);
	cpf_jsonw_key_str(&v->w, "debug_id", id.s);
	cpf_jsonw_key_str(&v->w, "code_id", cpf_cstr(v->p, m->code_id ? m->code_id : m->build_id));
	cpf_jsonw_key(&v->w, "symbol_table");
	cpf_jsonw_array(&v->w);
	for (i = from; i < to; i++)
		entry(v, &v->places[i]);
	cpf_jsonw_end(&v->w);
	cpf_jsonw_key(&v->w, "known_addresses");
	cpf_jsonw_array(&v->w);
	for (i = from; i < to; i++) {
		cpf_jsonw_array(&v->w);
		cpf_jsonw_uint(&v->w, v->places[i].address);
		cpf_jsonw_uint(&v->w, i - from);
		cpf_jsonw_end(&v->w);
	}
	cpf_jsonw_end(&v->w);
	cpf_jsonw_end(&v->w);
	cpf_buf_release(&id);
}

static void write_strings(struct writer *v, struct cpf_output *out)
{
	struct cpf_buf head = {0};
	struct cpf_jsonw w;
	size_t i;

	cpf_buf_str(&head, "{\"string_table\":");
	cpf_jsonw_init(&w, &head, 0);
	cpf_jsonw_array(&w);
	cpf_jsonw_str(&w, "UNKNOWN");
	for (i = 0; i < v->nused; i++) {
		struct cpf_text t = cpf_text(v->p, v->used[i]);

		cpf_jsonw_str_n(&w, t.s, t.len);
	}
	cpf_jsonw_end(&w);
	cpf_output_write(out, head.s, head.n);
	cpf_buf_release(&head);
}

void cpf_sidecar_write(struct cpf_output *out, const struct cpf_profile *p, uint64_t *written,
	uint64_t *skipped)
{
	struct writer v = {0};
	size_t from, to;

	v.p = p;
	v.string = cpf_calloc((size_t)cpf_nstrings(p) + 1, sizeof(*v.string));
	gather(&v);
	cpf_jsonw_init(&v.w, &v.data, 0);
	cpf_jsonw_array(&v.w);
	for (from = 0; from < v.n; from = to) {
		for (to = from; to < v.n && v.places[to].mapping == v.places[from].mapping; to++)
			;
		library(&v, from, to);
	}
	cpf_jsonw_end(&v.w);
	write_strings(&v, out);
	cpf_output_write(out, ",\"data\":", 8);
	cpf_output_write(out, v.data.s, v.data.n);
	cpf_output_write(out, "}\n", 2);
	*written = v.n;
	*skipped = v.skipped;
	cpf_free(v.places);
	cpf_free(v.string);
	cpf_free(v.used);
	cpf_buf_release(&v.data);
}
