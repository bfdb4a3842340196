/*
 * firefox_meta.c - meta and libs: version, units, categories, marker schema, libraries.
 */
#include "formats/firefox.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

void cpf_fx_root_free(struct cpf_fx_root *root)
{
	uint32_t i;

	if (!root)
		return;
	for (i = 0; i < root->schemas.n; i++)
		cpf_free(root->schemas.v[i].keys);
	cpf_free(root->schemas.v);
	cpf_free(root->categories);
	cpf_free(root->libs.v);
	cpf_free(root);
}

/* A string, or "" for anything else. */
static cpf_str read_text(struct cpf_fx *r)
{
	struct cpf_slice s;

	if (cpf_fx_type(&r->x) != '"') {
		cpf_fx_skip(&r->x);
		return 0;
	}
	s = cpf_fx_str(&r->x);
	return cpf_intern(r->p, s.s, s.n);
}

/* Categories. */

/* Sub-processes have lists of their own, equal to the first one as a rule. */
static cpf_id find_category(struct cpf_fx *r, cpf_str name, cpf_str color)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)name << 32 | color);
	struct cpf_rowset_it it;
	cpf_id i;

	for (i = cpf_rowset_first(&r->category_index, h, &it); i != CPF_ROWSET_END;
		i = cpf_rowset_next(&r->category_index, &it))
		if (r->p->categories[i].name == name && r->p->categories[i].color == color)
			return i;
	return CPF_NONE;
}

static void add_category(
	struct cpf_fx *r, cpf_id *id, cpf_str name, cpf_str color, const cpf_str *sub, uint32_t n)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)name << 32 | color);
	int there = find_category(r, name, color) != CPF_NONE;

	*id = cpf_add_category(r->p, name, color, sub, n);
	if (!there)
		cpf_rowset_add(&r->category_index, h, *id);
}

static cpf_id read_category(struct cpf_fx *r, struct cpf_fx_root *root)
{
	struct cpf_fx_json *x = &r->x;
	cpf_str name = 0, color = 0, *sub = NULL;
	struct cpf_slice key;
	size_t cap = 0;
	uint32_t n = 0;
	cpf_id id;

	if (cpf_fx_type(x) != '{') {
		cpf_fx_fail(x, CPF_E_FORMAT, "expected an object");
		return 0;
	}
	cpf_fx_enter(x);
	while (cpf_fx_key(x, &key)) {
		if (cpf_slice_is(key, "name")) {
			name = read_text(r);
		} else if (cpf_slice_is(key, "color")) {
			color = read_text(r);
		} else if (cpf_slice_is(key, "subcategories") && cpf_fx_type(x) == '[') {
			cpf_fx_enter(x);
			for (n = 0; cpf_fx_elem(x); n++) {
				CPF_GROW(sub, cap, (size_t)n + 1);
				sub[n] = read_text(r);
			}
		} else {
			cpf_fx_skip(x);
		}
	}
	/* The file's own list keeps its order and its doubles: frames refer to it by number. */
	id = root->parent ? find_category(r, name, color) : CPF_NONE;
	if (id == CPF_NONE)
		add_category(r, &id, name, color, sub, n);
	cpf_free(sub);
	return id;
}

static void read_categories(struct cpf_fx *r, struct cpf_fx_root *root)
{
	size_t cap = 0;

	if (cpf_fx_type(&r->x) != '[' || root->have_categories) {
		cpf_fx_skip(&r->x);
		return;
	}
	root->have_categories = 1;
	cpf_fx_enter(&r->x);
	while (cpf_fx_elem(&r->x)) {
		CPF_GROW(root->categories, cap, (size_t)root->ncategories + 1);
		root->categories[root->ncategories++] = read_category(r, root);
	}
}

/* Marker schema. */

/* Keys of strings in one schema: real ones have a few; they are searched for each member. */
enum { MAX_KEYS = 256 };

static int is_index_format(struct cpf_slice s)
{
	return cpf_slice_is(s, "unique-string") || cpf_slice_is(s, "flow-id") ||
	       cpf_slice_is(s, "terminating-flow-id");
}

static void read_field(
	struct cpf_fx_json *x, struct cpf_profile *p, struct cpf_fx_schema *s, size_t *cap)
{
	struct cpf_slice key;
	cpf_str name = 0;
	int index = 0;

	if (cpf_fx_type(x) != '{') {
		cpf_fx_skip(x);
		return;
	}
	cpf_fx_enter(x);
	while (cpf_fx_key(x, &key)) {
		int is_key = cpf_slice_is(key, "key"), is_format = cpf_slice_is(key, "format");

		if ((!is_key && !is_format) || cpf_fx_type(x) != '"') {
			cpf_fx_skip(x);
		} else if (is_key) {
			struct cpf_slice v = cpf_fx_str(x);

			name = cpf_intern(p, v.s, v.n);
		} else {
			index = is_index_format(cpf_fx_str(x));
		}
	}
	if (!name || !index || s->nkeys >= MAX_KEYS)
		return;
	CPF_GROW(s->keys, *cap, (size_t)s->nkeys + 1);
	s->keys[s->nkeys++] = name;
}

static void read_schema(struct cpf_fx_json *x, struct cpf_profile *p, struct cpf_fx_schema *s)
{
	struct cpf_slice key;
	size_t cap = 0;

	memset(s, 0, sizeof(*s));
	if (cpf_fx_type(x) != '{') {
		cpf_fx_skip(x);
		return;
	}
	cpf_fx_enter(x);
	while (cpf_fx_key(x, &key)) {
		if (cpf_slice_is(key, "name") && cpf_fx_type(x) == '"') {
			struct cpf_slice v = cpf_fx_str(x);

			s->name = cpf_intern(p, v.s, v.n);
		} else if ((cpf_slice_is(key, "fields") || cpf_slice_is(key, "data")) &&
			   cpf_fx_type(x) == '[') {
			/* "data" up to version 54. */
			cpf_fx_enter(x);
			while (cpf_fx_elem(x))
				read_field(x, p, s, &cap);
		} else {
			cpf_fx_skip(x);
		}
	}
}

static int compare_schemas(const void *a, const void *b)
{
	cpf_str x = ((const struct cpf_fx_schema *)a)->name,
		y = ((const struct cpf_fx_schema *)b)->name;

	return (x > y) - (x < y);
}

void cpf_fx_schemas_read(struct cpf_fx_json *x, struct cpf_profile *p, struct cpf_fx_schemas *s)
{
	if (cpf_fx_type(x) != '[') {
		cpf_fx_skip(x);
		return;
	}
	cpf_fx_enter(x);
	while (cpf_fx_elem(x)) {
		CPF_GROW(s->v, s->cap, (size_t)s->n + 1);
		read_schema(x, p, &s->v[s->n]);
		s->n++;
	}
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), compare_schemas);
}

const struct cpf_fx_schema *cpf_fx_schema_find(const struct cpf_fx_schemas *s, cpf_str name)
{
	uint32_t lo = 0, hi = s->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->v[mid].name < name)
			lo = mid + 1;
		else
			hi = mid;
	}
	return name && lo < s->n && s->v[lo].name == name ? &s->v[lo] : NULL;
}

/* The schema goes into the profile as text, and is looked into for what the markers need. */
static void read_marker_schema(struct cpf_fx *r, struct cpf_fx_root *root)
{
	struct cpf_buf text = {0};
	size_t n;

	if (!(r->o->want & CPF_WANT_MARKERS)) {
		cpf_fx_skip(&r->x);
		return;
	}
	if (cpf_fx_type(&r->x) == '[') {
		cpf_fx_raw(&r->x, &text);
		if (!root->parent && !r->x.failed)
			r->p->head.marker_schema = cpf_intern(r->p, text.s, text.n);
		n = text.n;
		if (r->x.failed)
			cpf_buf_release(&text);
		else
			cpf_fx_push(&r->x, text.s, n);
	}
	cpf_fx_schemas_read(&r->x, r->p, &root->schemas);
}

/* meta */

static void read_sample_units(struct cpf_fx *r, struct cpf_fx_root *root)
{
	/* Micro sign U+00B5 as written, and the Greek letter U+03BC that people type. */
	static const struct {
		const char *unit;
		int64_t num;
	} units[] = {
		{"ns", 1}, {"\xc2\xb5s", 1000}, {"\xce\xbcs", 1000}, {"us", 1000}, {"ms", 1000000}};
	struct cpf_slice key, v;
	size_t i;

	if (cpf_fx_type(&r->x) != '{') {
		cpf_fx_skip(&r->x);
		return;
	}
	cpf_fx_enter(&r->x);
	while (cpf_fx_key(&r->x, &key)) {
		if (!cpf_slice_is(key, "threadCPUDelta") || cpf_fx_type(&r->x) != '"') {
			cpf_fx_skip(&r->x);
			continue;
		}
		v = cpf_fx_str(&r->x);
		root->cpu_unit = cpf_intern(r->p, v.s, v.n);
		root->cpu_num = 0;
		for (i = 0; i < CPF_LEN(units); i++)
			if (cpf_slice_is(v, units[i].unit))
				root->cpu_num = units[i].num;
	}
}

/* Milliseconds to a fraction of nanoseconds; a whole number where the text has up to 6 decimals. */
static void read_interval(struct cpf_fx *r, struct cpf_fx_root *root)
{
	int64_t v;

	if (!cpf_fx_decimal(&r->x, 9, &v) || v <= 0)
		return;
	root->has_interval = 1;
	root->interval_num = v % 1000 ? v : v / 1000;
	root->interval_den = v % 1000 ? 1000 : 1;
}

static int read_version(struct cpf_fx *r, const char *what)
{
	struct cpf_num n;

	if (cpf_fx_type(&r->x) == '"') {
		struct cpf_slice s = cpf_fx_str(&r->x);

		if (!strcmp(what, "preprocessedProfileVersion"))
			cpf_fx_fail(&r->x, CPF_E_FORMAT,
				"version \"%.*s\" is a string, not a number",
				(int)(s.n < 40 ? s.n : 40), s.s);
		return -1;
	}
	if (cpf_fx_type(&r->x) != '0') {
		cpf_fx_skip(&r->x);
		return -1;
	}
	n = cpf_fx_num(&r->x);
	if (!r->x.failed && (!n.is_int || n.i < 0 || n.i > 1000000)) {
		cpf_fx_fail(&r->x, CPF_E_FORMAT, "version %g is not a version number", n.d);
		return -1;
	}
	return (int)n.i;
}

static int read_text_member(struct cpf_fx *r, struct cpf_fx_root *root, struct cpf_slice key)
{
	const struct {
		const char *name;
		cpf_str *to;
	} texts[] = {{"product", &root->product}, {"oscpu", &root->oscpu},
		{"platform", &root->platform}, {"misc", &root->misc},
		{"importedFrom", &root->imported}};
	size_t i;

	for (i = 0; i < CPF_LEN(texts); i++)
		if (cpf_slice_is(key, texts[i].name)) {
			*texts[i].to = read_text(r);
			return 1;
		}
	return 0;
}

static void read_clock(struct cpf_fx *r, struct cpf_fx_root *root)
{
	struct cpf_num n;

	if (cpf_fx_type(&r->x) != '0') {
		cpf_fx_skip(&r->x);
		return;
	}
	n = cpf_fx_num(&r->x);
	root->monotonic = n.d > 0 ? 1 : 0;
}

static void read_member(struct cpf_fx *r, struct cpf_fx_root *root, struct cpf_slice key)
{
	struct cpf_fx_json *x = &r->x;

	if (cpf_slice_is(key, "preprocessedProfileVersion")) {
		root->version = read_version(r, "preprocessedProfileVersion");
	} else if (cpf_slice_is(key, "version")) {
		root->gecko = read_version(r, "version");
	} else if (cpf_slice_is(key, "interval")) {
		read_interval(r, root);
	} else if (cpf_slice_is(key, "startTime")) {
		root->has_start = cpf_fx_decimal(x, 6, &root->start);
	} else if (cpf_slice_is(key, "profilingStartTime")) {
		root->has_profiling_start = cpf_fx_decimal(x, 6, &root->profiling_start);
	} else if (cpf_slice_is(key, "startTimeAsClockMonotonicNanosecondsSinceBoot")) {
		read_clock(r, root);
	} else if (cpf_slice_is(key, "sampleUnits")) {
		read_sample_units(r, root);
	} else if (cpf_slice_is(key, "categories")) {
		read_categories(r, root);
	} else if (cpf_slice_is(key, "markerSchema")) {
		read_marker_schema(r, root);
	} else if (cpf_slice_is(key, "extra")) {
		cpf_fx_extra_read(r, root);
	} else if (cpf_slice_is(key, "symbolicated")) {
		int t = cpf_fx_type(x);

		if (t == 't' || t == 'f')
			root->symbolicated = cpf_fx_bool(x);
		else
			cpf_fx_skip(x);
	} else if (cpf_slice_is(key, "stackwalk")) {
		/* Firefox and Vernier write it, samply does not. */
		root->samply = 0;
		cpf_fx_skip(x);
	} else if (!read_text_member(r, root, key)) {
		cpf_fx_skip(x);
	}
}

void cpf_fx_meta_read(struct cpf_fx *r, struct cpf_fx_root *root)
{
	struct cpf_slice key;

	if (cpf_fx_type(&r->x) != '{') {
		cpf_fx_fail(&r->x, CPF_E_FORMAT, "expected an object");
		return;
	}
	root->symbolicated = root->version = root->gecko = root->monotonic = -1;
	root->samply = 1;
	cpf_fx_enter(&r->x);
	while (cpf_fx_key(&r->x, &key))
		read_member(r, root, key);
	root->have_meta = 1;
}

/* Libraries. */

struct lib {
	cpf_str name, path, debug_name, debug_path, breakpad, code_id, arch, pdb_name, signature;
	int64_t age;
	uint64_t start, end, offset;
};

static uint64_t read_address(struct cpf_fx *r)
{
	struct cpf_num n;

	if (cpf_fx_type(&r->x) != '0') {
		cpf_fx_skip(&r->x);
		return 0;
	}
	n = cpf_fx_num(&r->x);
	if (n.is_uint)
		return n.u;
	return n.is_int && n.i > 0 ? (uint64_t)n.i : 0;
}

static void read_lib_member(struct cpf_fx *r, struct lib *l, struct cpf_slice key)
{
	const struct {
		const char *name;
		cpf_str *to;
	} texts[] = {{"name", &l->name}, {"path", &l->path}, {"debugName", &l->debug_name},
		{"debugPath", &l->debug_path}, {"breakpadId", &l->breakpad},
		{"codeId", &l->code_id}, {"arch", &l->arch},
		/* before version 2 */
		{"pdbName", &l->pdb_name}, {"pdbSignature", &l->signature}};
	size_t i;

	for (i = 0; i < CPF_LEN(texts); i++)
		if (cpf_slice_is(key, texts[i].name)) {
			*texts[i].to = read_text(r);
			return;
		}
	if (cpf_slice_is(key, "start"))
		l->start = read_address(r);
	else if (cpf_slice_is(key, "end"))
		l->end = read_address(r);
	else if (cpf_slice_is(key, "offset"))
		l->offset = read_address(r);
	else if (cpf_slice_is(key, "pdbAge"))
		l->age = (int64_t)read_address(r);
	else
		cpf_fx_skip(&r->x);
}

static int is_nil(struct cpf_text id)
{
	uint32_t i;

	for (i = 0; i < id.len; i++)
		if (id.s[i] != '0')
			return 0;
	return 1;
}

static int ends_with(struct cpf_text s, const char *end)
{
	size_t n = strlen(end);

	return s.len >= n && !memcmp(s.s + s.len - n, end, n);
}

static int holds(struct cpf_text s, const char *part)
{
	size_t n = strlen(part), i;

	for (i = 0; i + n <= s.len; i++)
		if (!memcmp(s.s + i, part, n))
			return 1;
	return 0;
}

/*
 * Whether a library without codeId is an ELF file: only there is the breakpad id a build id with
 * bytes swapped. Mach-O and PE have their UUID in print order.
 */
static int looks_like_elf(const struct cpf_profile *p, const struct lib *l)
{
	struct cpf_text path = cpf_text(p, l->path ? l->path : l->name),
			arch = cpf_text(p, l->arch);

	if (holds(path, ".so"))
		return 1;
	if (holds(path, ".app/Contents/") || holds(path, ".framework/"))
		return 0;
	return path.len && path.s[0] == '/' && !arch.len && !ends_with(path, ".dylib") &&
	       !ends_with(cpf_text(p, l->debug_name), ".pdb");
}

/* The first 16 bytes of the build id: groups of 4, 2 and 2 bytes are stored in reverse. */
static cpf_str unswap(struct cpf_profile *p, struct cpf_text id)
{
	static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	char out[32];
	int i, k;

	for (i = 0; i < 32; i++)
		if (!strchr("0123456789abcdefABCDEF", id.s[i]) || !id.s[i])
			return 0;
	for (i = 0; i < 16; i++)
		for (k = 0; k < 2; k++) {
			char c = id.s[order[i] * 2 + k];

			out[i * 2 + k] = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
		}
	return cpf_intern(p, out, sizeof(out));
}

static cpf_str build_id(struct cpf_profile *p, const struct lib *l)
{
	struct cpf_text id = cpf_text(p, l->breakpad);
	cpf_str s;

	if (l->code_id)
		return l->code_id;
	if (is_nil(id))
		return 0;
	if (id.len >= 33 && looks_like_elf(p, l) && (s = unswap(p, id)) != 0)
		return s;
	return l->breakpad;
}

/*
 * Before version 2: the name is the path, the debug id is "{12345678-...}" and a separate age.
 */
static void old_lib(struct cpf_fx *r, struct lib *l)
{
	struct cpf_text s = cpf_text(r->p, l->signature), name = cpf_text(r->p, l->name);
	struct cpf_text base = cpf_basename(name);
	uint32_t i;

	if (!l->path && base.len && base.len < name.len) {
		l->path = l->name;
		l->name = cpf_intern(r->p, base.s, base.len);
	}
	if (!l->debug_name)
		l->debug_name = l->pdb_name;
	if (l->breakpad || !l->signature)
		return;
	cpf_buf_clear(&r->text);
	for (i = 0; i < s.len; i++)
		if (s.s[i] != '{' && s.s[i] != '}' && s.s[i] != '-')
			cpf_buf_char(&r->text, s.s[i] >= 'a' && s.s[i] <= 'f'
						       ? (char)(s.s[i] - 'a' + 'A')
						       : s.s[i]);
	cpf_buf_fmt(&r->text, "%" PRIx64, (uint64_t)l->age);
	l->breakpad = cpf_intern(r->p, r->text.s, r->text.n);
}

/* Two libraries with the same debug name and id are one, as symbol servers take them. */
static cpf_id find_lib(struct cpf_fx *r, const struct lib *l)
{
	struct cpf_mapping m = {0};
	struct cpf_rowset_it it;
	uint64_t h;
	cpf_id id;

	m.file = l->path ? l->path : l->name;
	m.name = l->name;
	m.debug_name = l->debug_name;
	m.debug_path = l->debug_path;
	m.debug_id = l->breakpad;
	m.code_id = l->code_id;
	m.arch = l->arch;
	m.build_id = build_id(r->p, l);
	m.flags = CPF_MAP_RELATIVE;
	if (is_nil(cpf_text(r->p, l->breakpad)))
		return cpf_find_mapping(r->p, &m);
	h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)l->debug_name << 32 | l->breakpad);
	for (id = cpf_rowset_first(&r->lib_index, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&r->lib_index, &it))
		if (r->p->mappings[id].debug_name == l->debug_name &&
			r->p->mappings[id].debug_id == l->breakpad)
			return id;
	id = cpf_add_mapping(r->p, &m);
	cpf_rowset_add(&r->lib_index, h, id);
	return id;
}

static void read_lib(struct cpf_fx *r, struct cpf_fx_libs *libs)
{
	struct lib l = {0};
	struct cpf_slice key;

	if (cpf_fx_type(&r->x) != '{') {
		cpf_fx_fail(&r->x, CPF_E_FORMAT, "expected an object");
		return;
	}
	cpf_fx_enter(&r->x);
	while (cpf_fx_key(&r->x, &key))
		read_lib_member(r, &l, key);
	if (r->x.failed)
		return;
	old_lib(r, &l);
	CPF_GROW(libs->v, libs->cap, (size_t)libs->n + 1);
	libs->v[libs->n++] = (struct cpf_fx_lib){find_lib(r, &l), l.name, l.start, l.end, l.offset};
}

void cpf_fx_libs_read(struct cpf_fx *r, struct cpf_fx_libs *l)
{
	struct cpf_slice s;

	/* Before Gecko 4 the list is JSON inside a string. */
	if (cpf_fx_type(&r->x) == '"') {
		s = cpf_fx_str(&r->x);
		cpf_fx_push(&r->x, cpf_strndup(s.s, s.n), s.n);
	}
	if (cpf_fx_type(&r->x) == 'n') {
		cpf_fx_skip(&r->x);
		return;
	}
	if (cpf_fx_type(&r->x) != '[') {
		cpf_fx_fail(&r->x, CPF_E_FORMAT, "expected an array");
		return;
	}
	l->have = 1;
	l->n = 0;
	cpf_fx_enter(&r->x);
	while (cpf_fx_elem(&r->x))
		read_lib(r, l);
}
