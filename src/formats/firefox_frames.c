/*
 * firefox_frames.c - what a row of the frame table stands for: library, address, function, line.
 */
#include "formats/firefox_linker.h"

#include <stdlib.h>

#include "base/mem.h"

/* Bits of frameTable.flags (version 71 on) and funcTable.flags (75 on). */
enum {
	FRAME_INLINED = 1,
	FRAME_HAS_PLACE = 2,
	FRAME_HAS_CATEGORY = 4,
	FRAME_HAS_SYMBOL = 8,
	FRAME_HAS_LINE = 16,
	FRAME_HAS_COLUMN = 32,
	FRAME_HAS_ORIGIN = 64
};
enum {
	FUNC_IS_JS = 1,
	FUNC_IS_RELEVANT = 2,
	FUNC_HAS_RESOURCE = 4,
	FUNC_HAS_SOURCE = 8,
	FUNC_HAS_LINE = 16,
	FUNC_HAS_COLUMN = 32,
	FUNC_HAS_ORIGIN = 64
};

/* Follows an index: *row is CPF_NONE for "none" (-1) where that is allowed. */
static int follow(struct cpf_fx_linker *l, const struct cpf_fx_table *t, uint32_t col, uint32_t at,
	int may_be_none, const char *target, uint32_t rows, uint32_t *row)
{
	int64_t v = cpf_fx_get(t, col, at);

	*row = CPF_NONE;
	if (v == -1 && may_be_none)
		return 0;
	if (v < 0 || v >= (int64_t)rows)
		return cpf_fx_bad_index(l->r, l->where, t, col, at, v, target, rows);
	*row = (uint32_t)v;
	return 0;
}

static int string_at(struct cpf_fx_linker *l, const struct cpf_fx_table *t, uint32_t col,
	uint32_t at, int may_be_none, uint32_t *row)
{
	return follow(l, t, col, at, may_be_none, t->by_rows ? "stringTable" : "stringArray",
		(uint32_t)l->strings->id.n, row);
}

static int text_at(struct cpf_fx_linker *l, const struct cpf_fx_table *t, uint32_t col, uint32_t at,
	cpf_str *out)
{
	uint32_t row;

	*out = 0;
	if (string_at(l, t, col, at, 1, &row))
		return -1;
	if (row != CPF_NONE)
		*out = cpf_fx_string(l->r->p, l->strings, row);
	return 0;
}

/* Lines and columns are 1-based; what is below is "unknown". */
static int64_t number_at(const struct cpf_fx_table *t, uint32_t col, uint32_t at)
{
	int64_t v = cpf_fx_get(t, col, at);

	return v > 0 ? v : 0;
}

static int lib_at(struct cpf_fx_linker *l, const struct cpf_fx_table *t, uint32_t col, uint32_t at,
	cpf_id *mapping)
{
	uint32_t row;

	*mapping = CPF_NONE;
	if (follow(l, t, col, at, 1, "libs", l->libs->n, &row))
		return -1;
	if (row != CPF_NONE)
		*mapping = l->libs->v[row].mapping;
	return 0;
}

/* Functions. */

static int64_t func_flags(const struct cpf_fx_linker *l, uint32_t f)
{
	int64_t v;

	if (l->func_flags) {
		v = cpf_fx_get(l->funcs, FUNC_FLAGS, f);
		return v < 0 ? 0 : v;
	}
	v = FUNC_HAS_RESOURCE | FUNC_HAS_SOURCE | FUNC_HAS_LINE | FUNC_HAS_COLUMN | FUNC_HAS_ORIGIN;
	if (cpf_fx_get(l->funcs, FUNC_JS, f) > 0)
		v |= FUNC_IS_JS;
	if (cpf_fx_get(l->funcs, FUNC_RELEVANT, f) > 0)
		v |= FUNC_IS_RELEVANT;
	return v;
}

static int func_lib(struct cpf_fx_linker *l, uint32_t f, cpf_id *mapping)
{
	uint32_t row;

	*mapping = CPF_NONE;
	if (!(func_flags(l, f) & FUNC_HAS_RESOURCE) || !cpf_fx_has(l->funcs, FUNC_RESOURCE))
		return 0;
	if (follow(l, l->funcs, FUNC_RESOURCE, f, 1, "resourceTable", l->resources->rows, &row))
		return -1;
	/* Type 1 is a library; add-ons, hosts and URLs have none. */
	if (row == CPF_NONE || !cpf_fx_has(l->resources, RESOURCE_LIB) ||
		(cpf_fx_has(l->resources, RESOURCE_TYPE) &&
			cpf_fx_get(l->resources, RESOURCE_TYPE, row) != 1))
		return 0;
	return lib_at(l, l->resources, RESOURCE_LIB, row, mapping);
}

static int source_file(struct cpf_fx_linker *l, const struct cpf_fx_table *t, uint32_t col,
	uint32_t at, cpf_str *file)
{
	uint32_t row;

	*file = 0;
	if (!cpf_fx_has(t, col))
		return 0;
	if (follow(l, t, col, at, 1, "sources", l->sources->rows, &row))
		return -1;
	return row == CPF_NONE ? 0 : text_at(l, l->sources, SOURCE_FILE, row, file);
}

static int func_file(struct cpf_fx_linker *l, uint32_t f, cpf_str *file)
{
	*file = 0;
	if (cpf_fx_has(l->funcs, FUNC_FILE))
		return text_at(l, l->funcs, FUNC_FILE, f, file);
	if (func_flags(l, f) & FUNC_HAS_SOURCE)
		return source_file(l, l->funcs, FUNC_SOURCE, f, file);
	return 0;
}

/* A source-mapped position takes the place of the generated one. */
struct origin {
	int have;
	cpf_str file;
	int64_t line, column;
};

static int read_origin(struct cpf_fx_linker *l, const struct cpf_fx_table *t, uint32_t col,
	uint32_t at, struct origin *o)
{
	uint32_t row;

	if (!cpf_fx_has(t, col))
		return 0;
	if (follow(l, t, col, at, 1, "sourceLocationTable", l->origins->rows, &row))
		return -1;
	if (row == CPF_NONE)
		return 0;
	o->have = 1;
	o->line = number_at(l->origins, ORIGIN_LINE, row);
	o->column = number_at(l->origins, ORIGIN_COLUMN, row);
	return source_file(l, l->origins, ORIGIN_SOURCE, row, &o->file);
}

/* Our own text for a frame with neither name nor address. */
static int says_nothing(const char *s, size_t n)
{
	static const char text[] = "<unknown>";

	return n == sizeof(text) - 1 && !memcmp(s, text, n);
}

/* Texts that stand where a symbolicator found nothing. */
static int says_unknown(const char *s, size_t n)
{
	static const char unknown[] = "<unknown at 0x", before[] = "<before first symbol>";

	return cpf_is_hex_name(s, n) || says_nothing(s, n) ||
	       (n > sizeof(unknown) - 1 && !memcmp(s, unknown, sizeof(unknown) - 1)) ||
	       (n == sizeof(before) - 1 && !memcmp(s, before, n));
}

/* *hex: the number, if the name is one of the kept hex names. */
static int func_name(
	struct cpf_fx_linker *l, uint32_t f, cpf_str *name, uint64_t *hex, int *unnamed)
{
	struct cpf_text text;
	uint32_t row;
	int64_t id;

	*hex = 0;
	*name = 0;
	*unnamed = 1;
	if (string_at(l, l->funcs, FUNC_NAME, f, 0, &row))
		return -1;
	id = cpf_col_get(&l->strings->id, row);
	if (id < 0) {
		*hex = l->strings->hex[-1 - id];
		return 0;
	}
	*name = (cpf_str)id;
	text = cpf_text(l->r->p, *name);
	*unnamed = says_unknown(text.s, text.len);
	return 0;
}

/* Before version 4 the name of a JS function holds file and line, as in Gecko profiles. */
static void old_js_name(struct cpf_fx_linker *l, struct cpf_function *fn)
{
	struct cpf_text text = cpf_text(l->r->p, fn->name);
	struct cpf_gecko_frame g;

	cpf_gecko_parse(&g, text.s, text.len);
	if (!g.js)
		return;
	fn->name = cpf_intern(l->r->p, g.name.s, g.name.n);
	fn->file = cpf_intern(l->r->p, g.file.s, g.file.n);
	fn->start_line = g.start_line;
	fn->start_column = g.start_column;
}

static int make_function(
	struct cpf_fx_linker *l, uint32_t f, cpf_str name, const struct origin *o, cpf_id *out)
{
	struct cpf_function fn = {0};
	int64_t flags = func_flags(l, f);

	fn.name = name;
	if (func_lib(l, f, &fn.resource_lib) || func_file(l, f, &fn.file))
		return -1;
	if (flags & FUNC_HAS_LINE)
		fn.start_line = number_at(l->funcs, FUNC_LINE, f);
	if (flags & FUNC_HAS_COLUMN)
		fn.start_column = number_at(l->funcs, FUNC_COLUMN, f);
	if (o && o->file && o->file != fn.file) {
		fn.file = o->file;
		fn.start_line = fn.start_column = 0;
	}
	fn.flags = (flags & FUNC_IS_JS ? CPF_FN_JS : 0) |
		   (flags & FUNC_IS_RELEVANT ? CPF_FN_RELEVANT_JS : 0);
	if (l->root->version < 4 && fn.flags & CPF_FN_JS && !fn.file)
		old_js_name(l, &fn);
	*out = cpf_find_function(l->r->p, &fn);
	return 0;
}

/* The function of a frame, and the lines the frame's own columns or its origin give. */
static int frame_function(
	struct cpf_fx_linker *l, uint32_t row, int64_t flags, struct cpf_fx_frame *f)
{
	struct origin o = {0};
	struct cpf_text text;
	uint64_t hex;
	cpf_str name;
	int unnamed;
	cpf_id fn = l->function[f->func];

	if (flags & FRAME_HAS_ORIGIN && read_origin(l, l->frames, FRAME_ORIGIN, row, &o))
		return -1;
	if (!o.have && func_flags(l, f->func) & FUNC_HAS_ORIGIN &&
		read_origin(l, l->funcs, FUNC_ORIGIN, f->func, &o))
		return -1;
	if (o.have) {
		f->line = o.line;
		f->column = o.column;
	}
	if (fn == CPF_FX_UNSET || o.have || (fn == CPF_FX_UNNAMED && !f->has_address)) {
		if (func_name(l, f->func, &name, &hex, &unnamed))
			return -1;
		if (unnamed && !f->has_address && !name) {
			/* As a rule there is no library: the name is the absolute address. */
			f->has_address = 1;
			f->address = hex;
		}
		text = cpf_text(l->r->p, name);
		if (unnamed && (f->has_address || says_nothing(text.s, text.len)))
			fn = CPF_FX_UNNAMED;
		else if (make_function(l, f->func, name, o.have ? &o : NULL, &fn))
			return -1;
		if (!o.have && !(unnamed && fn != CPF_FX_UNNAMED))
			l->function[f->func] = fn;
	}
	f->function = fn == CPF_FX_UNNAMED ? CPF_NONE : fn;
	return 0;
}

/* Native symbols. */

static int same_symbol(const struct cpf_symbol *a, const struct cpf_symbol *b)
{
	return a->address == b->address && a->size == b->size && a->mapping == b->mapping &&
	       a->name == b->name;
}

static int get_symbol(struct cpf_fx_linker *l, uint32_t row, cpf_id *out)
{
	struct cpf_symbol s = {0};
	struct cpf_rowset_it it;
	int64_t v;
	uint64_t h;
	cpf_id id;

	*out = l->symbol[row];
	if (*out != CPF_FX_UNSET)
		return 0;
	if (lib_at(l, l->symbols, SYMBOL_LIB, row, &s.mapping) ||
		text_at(l, l->symbols, SYMBOL_NAME, row, &s.name))
		return -1;
	v = cpf_fx_get(l->symbols, SYMBOL_ADDRESS, row);
	s.address = v > 0 ? (uint64_t)v : 0;
	v = cpf_fx_get(l->symbols, SYMBOL_SIZE, row);
	s.size = v > 0 ? (uint64_t)v : 0;
	h = cpf_hash_mix(
		cpf_hash_mix(cpf_hash_seed(), s.address), (uint64_t)s.mapping << 32 | s.name);
	for (id = cpf_rowset_first(&l->r->symbol_index, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&l->r->symbol_index, &it))
		if (same_symbol(&l->r->p->symbols[id], &s))
			break;
	if (id == CPF_ROWSET_END) {
		id = cpf_add_symbol(l->r->p, &s);
		cpf_rowset_add(&l->r->symbol_index, h, id);
	}
	*out = l->symbol[row] = id;
	return 0;
}

/* Categories. */

/* Before version 12 a category is one bit. */
static cpf_id old_category(struct cpf_fx *r, int64_t bit)
{
	static const struct {
		int64_t bit;
		const char *name, *color;
	} known[] = {{16, "Other", "grey"}, {32, "Layout", "purple"}, {64, "JavaScript", "yellow"},
		{128, "GC / CC", "orange"}, {256, "GC / CC", "orange"},
		{512, "Network", "lightblue"}, {1024, "Graphics", "green"},
		{2048, "Storage", "red"}, {4096, "DOM", "blue"}};
	cpf_str name, color;
	cpf_id id;
	size_t i;

	for (i = 0; i < CPF_LEN(known); i++) {
		if (known[i].bit != bit)
			continue;
		name = cpf_intern_z(r->p, known[i].name);
		color = cpf_intern_z(r->p, known[i].color);
		for (id = 0; id < r->p->ncategories; id++)
			if (r->p->categories[id].name == name)
				return id;
		return cpf_add_category(r->p, name, color, NULL, 0);
	}
	return CPF_NONE;
}

static int frame_category(struct cpf_fx_linker *l, uint32_t row, struct cpf_fx_frame *f)
{
	int64_t sub = cpf_fx_get(l->frames, FRAME_SUBCATEGORY, row);
	uint32_t at;

	if (!l->root->have_categories) {
		if (l->root->version < 12)
			f->category =
				old_category(l->r, cpf_fx_get(l->frames, FRAME_CATEGORY, row));
		return 0;
	}
	if (follow(l, l->frames, FRAME_CATEGORY, row, 1, "meta.categories", l->root->ncategories,
		    &at))
		return -1;
	if (at == CPF_NONE)
		return 0;
	f->category = l->root->categories[at];
	/* A subcategory without a list of them says nothing. */
	if (sub >= 0 && sub < (int64_t)l->r->p->categories[f->category].nsub)
		f->subcategory = (cpf_id)sub;
	return 0;
}

/* Frames. */

static int64_t frame_flags(const struct cpf_fx_linker *l, uint32_t row)
{
	int64_t v;

	if (!l->flags)
		return ~(int64_t)FRAME_INLINED;
	v = cpf_fx_get(l->frames, FRAME_FLAGS, row);
	return v < 0 ? 0 : v;
}

int cpf_fx_frame_place(struct cpf_fx_linker *l, uint32_t row, struct cpf_fx_frame *f)
{
	int64_t flags = frame_flags(l, row), v;
	uint32_t at;

	memset(f, 0, sizeof(*f));
	f->mapping = f->symbol = f->category = f->subcategory = f->function = CPF_NONE;
	f->depth = cpf_fx_get(l->frames, FRAME_DEPTH, row);
	f->inlined = l->flags ? (int)(flags & FRAME_INLINED) : f->depth > 0;
	if (follow(l, l->frames, FRAME_FUNC, row, 0, "funcTable", l->funcs->rows, &f->func))
		return -1;
	v = cpf_fx_get(l->frames, FRAME_ADDRESS, row);
	if (flags & FRAME_HAS_PLACE && v != -1) {
		if (v < 0)
			return cpf_fx_bad_index(
				l->r, l->where, l->frames, FRAME_ADDRESS, row, v, "libs", 0);
		f->has_address = 1;
		f->address = (uint64_t)v;
	}
	if (cpf_fx_has(l->frames, FRAME_LIB)) {
		if (flags & FRAME_HAS_PLACE && lib_at(l, l->frames, FRAME_LIB, row, &f->mapping))
			return -1;
	} else if (func_lib(l, f->func, &f->mapping)) {
		return -1;
	}
	if (flags & FRAME_HAS_SYMBOL && cpf_fx_has(l->frames, FRAME_SYMBOL)) {
		if (follow(l, l->frames, FRAME_SYMBOL, row, 1, "nativeSymbols", l->symbols->rows,
			    &at) ||
			(at != CPF_NONE && get_symbol(l, at, &f->symbol)))
			return -1;
		if (f->has_address && f->mapping == CPF_NONE && f->symbol != CPF_NONE)
			f->mapping = l->r->p->symbols[f->symbol].mapping;
	}
	return 0;
}

/* Libraries of Gecko profiles are looked up by address, or by name where there is no address. */

static int compare_starts(const void *a, const void *b)
{
	const struct cpf_fx_lib *x = *(const struct cpf_fx_lib *const *)a;
	const struct cpf_fx_lib *y = *(const struct cpf_fx_lib *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x > y) - (x < y);
}

static int compare_names(const void *a, const void *b)
{
	const struct cpf_fx_lib *x = *(const struct cpf_fx_lib *const *)a;
	const struct cpf_fx_lib *y = *(const struct cpf_fx_lib *const *)b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return (x > y) - (x < y);
}

static const struct cpf_fx_lib **sort_libs(
	const struct cpf_fx_libs *libs, int (*compare)(const void *, const void *))
{
	const struct cpf_fx_lib **v =
		cpf_realloc_array(NULL, libs->n, sizeof(const struct cpf_fx_lib *));
	uint32_t i;

	for (i = 0; i < libs->n; i++)
		v[i] = &libs->v[i];
	qsort(v, libs->n, sizeof(const struct cpf_fx_lib *), compare);
	return v;
}

static const struct cpf_fx_lib *lib_over(struct cpf_fx_linker *l, uint64_t address)
{
	uint32_t lo = 0, hi = l->libs->n, mid;

	if (!hi)
		return NULL;
	if (!l->by_start)
		l->by_start = sort_libs(l->libs, compare_starts);
	/* Past the last one that starts at or before the address. */
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (l->by_start[mid]->start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && address < l->by_start[lo - 1]->end ? l->by_start[lo - 1] : NULL;
}

static cpf_id lib_named(struct cpf_fx_linker *l, struct cpf_slice name)
{
	uint32_t lo = 0, hi = l->libs->n, mid;
	cpf_str s;

	if (!name.n || !hi)
		return CPF_NONE;
	if (!l->by_name)
		l->by_name = sort_libs(l->libs, compare_names);
	s = cpf_intern(l->r->p, name.s, name.n);
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (l->by_name[mid]->name < s)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->libs->n && l->by_name[lo]->name == s ? l->by_name[lo]->mapping : CPF_NONE;
}

/* A frame of a raw Gecko profile is a text. */
static int gecko_frame(struct cpf_fx_linker *l, uint32_t row, int leaf, struct cpf_fx_frame *f)
{
	struct cpf_function fn = {0};
	const struct cpf_fx_lib *lib;
	struct cpf_gecko_frame g;
	struct cpf_text text;
	uint32_t at;

	memset(f, 0, sizeof(*f));
	f->mapping = f->symbol = f->category = f->subcategory = f->function = CPF_NONE;
	f->func = CPF_NONE;
	if (string_at(l, l->frames, FRAME_LOCATION, row, 0, &at))
		return -1;
	text = cpf_text(l->r->p, cpf_fx_string(l->r->p, l->strings, at));
	cpf_gecko_parse(&g, text.s, text.len);
	f->line = number_at(l->frames, FRAME_LINE, row);
	f->column = number_at(l->frames, FRAME_COLUMN, row);
	if (frame_category(l, row, f))
		return -1;
	if (g.has_address) {
		f->has_address = 1;
		f->address = g.address - (!leaf && g.address ? 1 : 0);
		lib = lib_over(l, f->address);
		if (lib) {
			f->mapping = lib->mapping;
			f->address -= lib->start - lib->offset;
		}
		return 0;
	}
	f->mapping = lib_named(l, g.lib);
	if (!f->line)
		f->line = g.line;
	fn.name = cpf_intern(l->r->p, g.name.s, g.name.n);
	fn.file = cpf_intern(l->r->p, g.file.s, g.file.n);
	fn.resource_lib = f->mapping;
	fn.start_line = g.start_line;
	fn.start_column = g.start_column;
	fn.flags = g.js ? CPF_FN_JS : 0;
	f->function = cpf_find_function(l->r->p, &fn);
	return 0;
}

int cpf_fx_frame_get(struct cpf_fx_linker *l, uint32_t row, int leaf, struct cpf_fx_frame *f)
{
	int64_t flags = frame_flags(l, row);

	if (cpf_fx_has(l->frames, FRAME_LOCATION) && !cpf_fx_has(l->frames, FRAME_FUNC))
		return gecko_frame(l, row, leaf, f);
	if (cpf_fx_frame_place(l, row, f))
		return -1;
	if (l->lower && !leaf && f->has_address && f->address)
		f->address--;
	if (flags & FRAME_HAS_LINE)
		f->line = number_at(l->frames, FRAME_LINE, row);
	if (flags & FRAME_HAS_COLUMN)
		f->column = number_at(l->frames, FRAME_COLUMN, row);
	if (flags & FRAME_HAS_CATEGORY && frame_category(l, row, f))
		return -1;
	return frame_function(l, row, flags, f);
}
