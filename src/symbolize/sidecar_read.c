#include "symbolize/sidecar.h"

#include "base/json.h"
#include "base/mem.h"

#include <stdlib.h>

static int is(struct cpf_slice key, const char *name)
{
	return key.n == strlen(name) && !memcmp(key.s, name, key.n);
}

static void add_text(struct cpf_sidecar_texts *t, struct cpf_slice s)
{
	CPF_GROW(t->s, t->cap, t->len + s.n + 1);
	CPF_GROW(t->at, t->at_cap, t->n + 1);
	t->at[t->n++] = t->len;
	memcpy(t->s + t->len, s.s, s.n);
	t->len += s.n;
	t->s[t->len++] = '\0';
}

/* Null, and what is no index at all, is none (CPF_NONE). */
static uint32_t read_index(struct cpf_json *j)
{
	struct cpf_num v;

	if (cpf_json_type(j) == 'n') {
		cpf_json_null(j);
		return CPF_NONE;
	}
	v = cpf_json_num(j);
	if (!v.is_int || v.i < 0 || v.i >= UINT32_MAX) {
		cpf_json_fail(j, CPF_E_FORMAT, "an index is expected here");
		return CPF_NONE;
	}
	return (uint32_t)v.i;
}

/* String 0 is the text for what is not known. */
static uint32_t read_string(struct cpf_json *j)
{
	uint32_t i = read_index(j);

	return i == CPF_NONE ? 0 : i;
}

static uint64_t read_number(struct cpf_json *j)
{
	struct cpf_num v;

	if (cpf_json_type(j) == 'n') {
		cpf_json_null(j);
		return 0;
	}
	v = cpf_json_num(j);
	if (v.is_uint)
		return v.u;
	if (!v.is_int || v.i < 0)
		cpf_json_fail(j, CPF_E_FORMAT, "an address or a size is expected here");
	return v.is_int ? (uint64_t)v.i : 0;
}

static void read_frame(struct cpf_sidecar *s, struct cpf_json *j)
{
	struct cpf_sidecar_frame f = {0};
	struct cpf_slice key;

	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		if (is(key, "function"))
			f.function = read_string(j);
		else if (is(key, "file"))
			f.file = read_string(j);
		else if (is(key, "line"))
			f.line = (int64_t)(read_number(j) & INT64_MAX);
		else
			cpf_json_skip(j);
	}
	CPF_GROW(s->frames, s->frames_cap, s->nframes + 1);
	s->frames[s->nframes++] = f;
}

static void read_frames(struct cpf_sidecar *s, struct cpf_json *j, struct cpf_sidecar_symbol *sym)
{
	if (cpf_json_type(j) == 'n') {
		cpf_json_null(j);
		return;
	}
	sym->first = (uint32_t)s->nframes;
	cpf_json_enter(j);
	while (cpf_json_elem(j))
		read_frame(s, j);
	if (s->nframes >= UINT32_MAX)
		cpf_json_fail(j, CPF_E_LIMIT, "more than 2^32 frames");
	sym->n = (uint32_t)s->nframes - sym->first;
}

static void read_symbol(struct cpf_sidecar *s, struct cpf_json *j)
{
	struct cpf_sidecar_symbol sym = {0};
	struct cpf_slice key;

	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		if (is(key, "rva"))
			sym.rva = read_number(j);
		else if (is(key, "size"))
			sym.size = read_number(j);
		else if (is(key, "symbol"))
			sym.symbol = read_string(j);
		else if (is(key, "frames"))
			read_frames(s, j, &sym);
		else
			cpf_json_skip(j);
	}
	CPF_GROW(s->symbols, s->symbols_cap, s->nsymbols + 1);
	s->symbols[s->nsymbols++] = sym;
}

static void read_known(struct cpf_sidecar *s, struct cpf_json *j)
{
	struct cpf_sidecar_known k = {0, CPF_NONE};
	size_t n = 0;

	cpf_json_enter(j);
	for (; cpf_json_elem(j); n++) {
		if (n == 0)
			k.address = read_number(j);
		else if (n == 1)
			k.symbol = read_index(j);
		else
			cpf_json_skip(j);
	}
	if (n < 2 && !cpf_json_failed(j))
		cpf_json_fail(j, CPF_E_FORMAT, "an address and an index are expected here");
	CPF_GROW(s->known, s->known_cap, s->nknown + 1);
	s->known[s->nknown++] = k;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * "3e0a2663-466e-57db-abf7-18f6a3562c6e", with "-1a" behind it for an age, or "3E0A...2C6E0" as
 * Breakpad has it; out is in the latter form, "" if it is none.
 */
static void normal_id(char out[64], const char *s, size_t n)
{
	size_t k = 0, i;

	for (i = 0; i < n && k < 48; i++) {
		if (s[i] == '-')
			continue;
		if (hex_value(s[i]) < 0)
			break;
		out[k++] = "0123456789ABCDEF"[hex_value(s[i])];
	}
	if (i < n || k < 32) {
		out[0] = '\0';
		return;
	}
	if (k == 32)
		out[k++] = '0';
	out[k] = '\0';
}

static void normal_code_id(char out[64], const char *s, size_t n)
{
	size_t i;

	if (n >= 64)
		n = 0;
	for (i = 0; i < n; i++)
		out[i] = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] | 0x20) : s[i];
	out[n] = '\0';
}

static void read_text(struct cpf_json *j, struct cpf_slice *s)
{
	s->s = "";
	s->n = 0;
	if (cpf_json_type(j) == 'n')
		cpf_json_null(j);
	else
		*s = cpf_json_str(j);
}

static void read_lib(struct cpf_sidecar *s, struct cpf_json *j)
{
	struct cpf_sidecar_lib lib = {0};
	struct cpf_slice key, text = {"", 0};

	lib.first = s->nsymbols;
	lib.known = s->nknown;
	lib.debug_name = CPF_NONE;
	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		if (is(key, "debug_name")) {
			read_text(j, &text);
			lib.debug_name = (uint32_t)s->names.n;
			add_text(&s->names, text);
		} else if (is(key, "debug_id")) {
			read_text(j, &text);
			normal_id(lib.id, text.s, text.n);
		} else if (is(key, "code_id")) {
			read_text(j, &text);
			normal_code_id(lib.code_id, text.s, text.n);
		} else if (is(key, "symbol_table")) {
			cpf_json_enter(j);
			while (cpf_json_elem(j))
				read_symbol(s, j);
		} else if (is(key, "known_addresses")) {
			cpf_json_enter(j);
			while (cpf_json_elem(j))
				read_known(s, j);
		} else {
			cpf_json_skip(j);
		}
	}
	lib.n = s->nsymbols - lib.first;
	lib.nknown = s->nknown - lib.known;
	if (lib.debug_name == CPF_NONE) {
		lib.debug_name = (uint32_t)s->names.n;
		text.n = 0;
		add_text(&s->names, text);
	}
	CPF_GROW(s->libs, s->libs_cap, s->nlibs + 1);
	s->libs[s->nlibs++] = lib;
}

static void read_root(struct cpf_sidecar *s, struct cpf_json *j)
{
	struct cpf_slice key;
	int have = 0;

	cpf_json_enter(j);
	while (cpf_json_key(j, &key)) {
		if (is(key, "string_table")) {
			have |= 1;
			cpf_json_enter(j);
			while (cpf_json_elem(j))
				add_text(&s->strings, cpf_json_str(j));
		} else if (is(key, "data")) {
			have |= 2;
			cpf_json_enter(j);
			while (cpf_json_elem(j))
				read_lib(s, j);
		} else {
			cpf_json_skip(j);
		}
	}
	if (have != 3 && !cpf_json_failed(j))
		cpf_json_fail(j, CPF_E_FORMAT, "no \"%s\": this is no file of symbols",
			have & 1 ? "data" : "string_table");
}

/* Which symbol an index is of can be told only when all strings are there. */
static int check_strings(const struct cpf_sidecar *s, struct cpf_err *e)
{
	uint32_t most = 0;
	size_t i;

	for (i = 0; i < s->nsymbols; i++)
		most = s->symbols[i].symbol > most ? s->symbols[i].symbol : most;
	for (i = 0; i < s->nframes; i++) {
		most = s->frames[i].function > most ? s->frames[i].function : most;
		most = s->frames[i].file > most ? s->frames[i].file : most;
	}
	if (most && most >= s->strings.n)
		return cpf_fail(e, CPF_E_FORMAT, "string %" PRIu32 " of %zu", most, s->strings.n);
	return 0;
}

static int check_known(struct cpf_sidecar *s, const struct cpf_sidecar_lib *lib, struct cpf_err *e)
{
	size_t i;

	for (i = lib->known; i < lib->known + lib->nknown; i++) {
		uint32_t at = s->known[i].symbol;

		if (at >= lib->n)
			return cpf_fail(e, CPF_E_FORMAT, "known_addresses of '%s': symbol %" PRIu32
				" of %zu", s->names.s + s->names.at[lib->debug_name], at, lib->n);
		if (s->symbols[lib->first + at].uses < 2)
			s->symbols[lib->first + at].uses++;
	}
	return 0;
}

static int compare_known(const void *va, const void *vb)
{
	const struct cpf_sidecar_known *a = va, *b = vb;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

/* qsort has no place for context, so the address comes along. */
struct at_rva {
	uint64_t rva;
	uint32_t i;
};

static int compare_rvas(const void *va, const void *vb)
{
	const struct at_rva *a = va, *b = vb;

	if (a->rva != b->rva)
		return a->rva < b->rva ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

/* Returns 1 if two symbols start at the same place. */
static int sort_lib(struct cpf_sidecar *s, const struct cpf_sidecar_lib *lib)
{
	struct at_rva *v = cpf_realloc_array(NULL, lib->n + 1, sizeof(*v));
	size_t i;
	int twice = 0;

	for (i = 0; i < lib->n; i++) {
		v[i].rva = s->symbols[lib->first + i].rva;
		v[i].i = (uint32_t)i;
	}
	qsort(v, lib->n, sizeof(*v), compare_rvas);
	for (i = 0; i < lib->n; i++) {
		s->by_rva[lib->first + i] = v[i].i;
		twice |= i && v[i].rva == v[i - 1].rva;
	}
	cpf_free(v);
	for (i = 1; i < lib->nknown; i++)
		if (compare_known(&s->known[lib->known + i - 1], &s->known[lib->known + i]) > 0)
			break;
	if (i < lib->nknown)
		qsort(s->known + lib->known, lib->nknown, sizeof(*s->known), compare_known);
	return twice;
}

static int finish(struct cpf_sidecar *s, struct cpf_err *e)
{
	int twice = 0, shared = 0;
	size_t i;

	if (s->nsymbols >= UINT32_MAX)
		return cpf_fail(e, CPF_E_LIMIT, "more than 2^32 symbols");
	if (check_strings(s, e))
		return -1;
	s->by_rva = cpf_realloc_array(NULL, s->nsymbols + 1, sizeof(*s->by_rva));
	for (i = 0; i < s->nlibs; i++) {
		if (check_known(s, &s->libs[i], e))
			return -1;
		twice |= sort_lib(s, &s->libs[i]);
	}
	for (i = 0; i < s->nsymbols; i++)
		shared |= s->symbols[i].uses > 1;
	s->one_per_function = shared && !twice;
	return 0;
}

int cpf_sidecar_read(struct cpf_sidecar *s, struct cpf_input *in, struct cpf_err *e)
{
	struct cpf_json *j;
	int r;

	s->path = cpf_strdup(cpf_input_name(in));
	if (cpf_json_open(&j, in, e))
		return -1;
	read_root(s, j);
	r = cpf_json_end(j, e);
	cpf_json_close(j);
	if (!r)
		r = finish(s, e);
	if (r)
		cpf_err_source(e, s->path);
	return r;
}

static void release_texts(struct cpf_sidecar_texts *t)
{
	cpf_free(t->s);
	cpf_free(t->at);
}

void cpf_sidecar_release(struct cpf_sidecar *s)
{
	cpf_free(s->path);
	release_texts(&s->strings);
	release_texts(&s->names);
	cpf_free(s->libs);
	cpf_free(s->symbols);
	cpf_free(s->by_rva);
	cpf_free(s->frames);
	cpf_free(s->known);
	memset(s, 0, sizeof(*s));
}
