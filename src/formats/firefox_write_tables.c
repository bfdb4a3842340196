/*
 * firefox_write_tables.c - nodes and locations as stack, frame, function, resource, symbol and
 * source tables.
 *
 * A location is one frame for each of its lines, from the outermost function (depth 0) to the
 * innermost, and a node one stack row for each of these. Rows are found by arrays over the profile's
 * own rows; only frames and functions are compared, once for each location.
 */
#include "formats/firefox_write.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

/* The reader joins no longer chains of inlined frames. */
enum { MAX_INLINE = 64 };

void cpf_fw_tables_init(struct cpf_fw_tables *t, const struct cpf_profile *p,
	const struct cpf_fw_libs *libs, const struct cpf_fw_categories *categories, int version)
{
	memset(t, 0, sizeof(*t));
	t->p = p;
	t->libs = libs;
	t->categories = categories;
	t->version = version;
	cpf_fw_strings_init(&t->strings, p);
	t->parent = cpf_realloc_array(NULL, p->nodes.n, sizeof(*t->parent));
	t->location = cpf_realloc_array(NULL, p->nodes.n, sizeof(*t->location));
	cpf_col_read32(&p->nodes.parent, 0, p->nodes.n, t->parent);
	cpf_col_read32(&p->nodes.location, 0, p->nodes.n, t->location);
	t->node_row = cpf_calloc(p->nodes.n, sizeof(*t->node_row));
	t->location_at = cpf_calloc((size_t)p->locations.n + 1, sizeof(*t->location_at));
	t->resource_of = cpf_calloc((size_t)libs->n + 1, sizeof(*t->resource_of));
	t->resources = cpf_calloc((size_t)libs->n + 1, sizeof(*t->resources));
	t->symbol_row = cpf_calloc((size_t)p->nsymbols + 1, sizeof(*t->symbol_row));
	t->symbols = cpf_calloc((size_t)p->nsymbols + 1, sizeof(*t->symbols));
}

void cpf_fw_tables_release(struct cpf_fw_tables *t)
{
	cpf_fw_strings_release(&t->strings);
	cpf_free(t->parent);
	cpf_free(t->location);
	cpf_free(t->node_row);
	cpf_free(t->location_at);
	cpf_free(t->used);
	cpf_free(t->frame_rows);
	cpf_free(t->locations);
	cpf_free(t->stack_frame);
	cpf_free(t->stack_prefix);
	cpf_free(t->frames);
	cpf_free(t->funcs);
	cpf_free(t->resource_of);
	cpf_free(t->resources);
	cpf_free(t->symbol_row);
	cpf_free(t->symbols);
	cpf_free(t->source_of);
	cpf_free(t->sources);
	cpf_free(t->lines);
	cpf_rowset_release(&t->frame_index);
	cpf_rowset_release(&t->func_index);
	memset(t, 0, sizeof(*t));
}

void cpf_fw_tables_clear(struct cpf_fw_tables *t)
{
	uint32_t i;

	for (i = 0; i < t->nused; i++)
		t->node_row[t->used[i]] = 0;
	for (i = 0; i < t->nlocations; i++)
		t->location_at[t->locations[i]] = 0;
	for (i = 0; i < t->nresources; i++)
		t->resource_of[t->resources[i]] = 0;
	for (i = 0; i < t->nsymbols; i++)
		t->symbol_row[t->symbols[i]] = 0;
	for (i = 0; i < t->nsources; i++)
		t->source_of[t->sources[i]] = 0;
	cpf_fw_strings_clear(&t->strings);
	cpf_rowset_release(&t->frame_index);
	cpf_rowset_release(&t->func_index);
	memset(&t->frame_index, 0, sizeof(t->frame_index));
	memset(&t->func_index, 0, sizeof(t->func_index));
	t->nused = t->nlocations = t->nstacks = t->nframes = t->nfuncs = 0;
	t->nresources = t->nsymbols = t->nsources = 0;
	t->nframe_rows = 0;
}

void cpf_fw_tables_use(struct cpf_fw_tables *t, uint32_t node)
{
	while (node && !t->node_row[node]) {
		t->node_row[node] = 1;
		CPF_GROW(t->used, t->used_cap, (size_t)t->nused + 1);
		t->used[t->nused++] = node;
		node = t->parent[node];
	}
}

/* Functions. */

static uint32_t resource_row(struct cpf_fw_tables *t, uint32_t lib)
{
	if (lib == CPF_NONE)
		return CPF_NONE;
	if (!t->resource_of[lib]) {
		t->resources[t->nresources] = lib;
		t->resource_of[lib] = ++t->nresources;
	}
	return t->resource_of[lib] - 1;
}

static uint32_t source_row(struct cpf_fw_tables *t, uint32_t file)
{
	size_t old = t->source_of_cap;

	if (file == CPF_NONE)
		return CPF_NONE;
	if (file >= old) {
		CPF_GROW(t->source_of, t->source_of_cap, (size_t)file + 1);
		memset(t->source_of + old, 0, (t->source_of_cap - old) * sizeof(*t->source_of));
	}
	if (!t->source_of[file]) {
		CPF_GROW(t->sources, t->sources_cap, (size_t)t->nsources + 1);
		t->sources[t->nsources] = file;
		t->source_of[file] = ++t->nsources;
	}
	return t->source_of[file] - 1;
}

static uint32_t find_func(struct cpf_fw_tables *t, const struct cpf_fw_func *f)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)f->name << 32 | f->lib);
	struct cpf_rowset_it it;
	uint32_t row;

	h = cpf_hash_mix(h, (uint64_t)f->file << 32 ^ (uint64_t)f->line);
	for (row = cpf_rowset_first(&t->func_index, h, &it); row != CPF_ROWSET_END;
		row = cpf_rowset_next(&t->func_index, &it)) {
		const struct cpf_fw_func *g = &t->funcs[row];

		if (g->name == f->name && g->lib == f->lib && g->file == f->file &&
			g->line == f->line && g->column == f->column && g->flags == f->flags)
			return row;
	}
	CPF_GROW(t->funcs, t->funcs_cap, (size_t)t->nfuncs + 1);
	t->funcs[t->nfuncs] = *f;
	t->funcs[t->nfuncs].resource = resource_row(t, f->lib);
	t->funcs[t->nfuncs].source = source_row(t, f->file);
	cpf_rowset_add(&t->func_index, h, t->nfuncs);
	return t->nfuncs++;
}

static uint32_t func_of(struct cpf_fw_tables *t, cpf_id function, uint32_t lib)
{
	const struct cpf_function *f = &t->p->functions[function];
	struct cpf_fw_func row = {0};

	row.name = cpf_fw_string(&t->strings, f->name);
	row.lib = lib;
	row.file = f->file ? cpf_fw_string(&t->strings, f->file) : CPF_NONE;
	row.line = f->start_line > 0 ? f->start_line : 0;
	row.column = f->start_column > 0 ? f->start_column : 0;
	row.flags = f->flags;
	return find_func(t, &row);
}

/* A place without a name is a function named by its address: relative, or absolute without lib. */
static uint32_t unnamed_func(struct cpf_fw_tables *t, int has_address, uint64_t address, uint32_t lib)
{
	struct cpf_fw_func row = {0};
	char text[32];
	int n = snprintf(text, sizeof(text), has_address ? "0x%" PRIx64 : "<unknown>", address);

	row.name = cpf_fw_string_text(&t->strings, text, (size_t)n);
	row.lib = lib;
	row.file = CPF_NONE;
	return find_func(t, &row);
}

/* Frames. */

static uint32_t find_frame(struct cpf_fw_tables *t, const struct cpf_fw_frame *f)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)f->address);
	struct cpf_rowset_it it;
	uint32_t row;

	h = cpf_hash_mix(h, (uint64_t)f->func << 32 ^ (uint64_t)f->line);
	for (row = cpf_rowset_first(&t->frame_index, h, &it); row != CPF_ROWSET_END;
		row = cpf_rowset_next(&t->frame_index, &it)) {
		const struct cpf_fw_frame *g = &t->frames[row];

		if (g->address == f->address && g->func == f->func && g->line == f->line &&
			g->column == f->column && g->depth == f->depth &&
			g->category == f->category && g->subcategory == f->subcategory &&
			g->symbol == f->symbol)
			return row;
	}
	CPF_GROW(t->frames, t->frames_cap, (size_t)t->nframes + 1);
	t->frames[t->nframes] = *f;
	cpf_rowset_add(&t->frame_index, h, t->nframes);
	return t->nframes++;
}

static uint32_t symbol_row(struct cpf_fw_tables *t, cpf_id symbol)
{
	/* The format wants each symbol in a library. */
	if (symbol == CPF_NONE || t->p->symbols[symbol].mapping == CPF_NONE)
		return CPF_NONE;
	if (!t->symbol_row[symbol]) {
		t->symbols[t->nsymbols] = symbol;
		t->symbol_row[symbol] = ++t->nsymbols;
	}
	return t->symbol_row[symbol] - 1;
}

static void push_frame(struct cpf_fw_tables *t, const struct cpf_fw_frame *f)
{
	CPF_GROW(t->frame_rows, t->frame_rows_cap, t->nframe_rows + 1);
	t->frame_rows[t->nframe_rows++] = find_frame(t, f);
}

/*
 * Addresses have 32 bits. A place without library and name has its absolute address for a name, as
 * samply writes it.
 */
static int64_t frame_address(struct cpf_fw_tables *t, const struct cpf_location *l, uint64_t address)
{
	if ((!(l->flags & CPF_LOC_ADDRESS) && !l->address) ||
		(l->mapping == CPF_NONE && !l->nlines))
		return -1;
	if (address <= UINT32_MAX)
		return (int64_t)address;
	t->lost_addresses++;
	return -1;
}

static void add_location(struct cpf_fw_tables *t, cpf_id id)
{
	const struct cpf_profile *p = t->p;
	struct cpf_fw_frame f = {0};
	struct cpf_location l;
	uint64_t address;
	uint32_t lib, i;

	cpf_get_location(p, id, &l, &t->lines, &t->lines_cap);
	CPF_GROW(t->locations, t->locations_cap, (size_t)t->nlocations + 1);
	t->locations[t->nlocations++] = id;
	CPF_GROW(t->frame_rows, t->frame_rows_cap, t->nframe_rows + 1);
	t->frame_rows[t->nframe_rows++] = l.nlines ? l.nlines : 1;
	t->location_at[id] = (uint32_t)t->nframe_rows;
	lib = l.mapping == CPF_NONE ? CPF_NONE : t->libs->of[l.mapping];
	address = cpf_image_address(p, id);
	f.address = frame_address(t, &l, address);
	f.category = cpf_fw_category(t->categories, p, id);
	f.subcategory = t->categories->made ? 0 : l.subcategory;
	f.symbol = symbol_row(t, l.symbol);
	if (!l.nlines) {
		int known = l.flags & CPF_LOC_ADDRESS || l.address;

		t->unnamed += known && lib != CPF_NONE;
		f.func = unnamed_func(t, known, address, lib);
		push_frame(t, &f);
	}
	for (i = l.nlines; i-- > 0;) {
		const struct cpf_line *line = &t->lines[i];

		f.depth = (l.nlines - 1 - i) % MAX_INLINE;
		f.func = func_of(t, line->function, lib);
		f.line = line->line > 0 ? line->line : 0;
		f.column = line->column > 0 ? line->column : 0;
		push_frame(t, &f);
	}
}

/* Stacks. */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Into ascending order. Across the whole profile a pass over all nodes is cheaper than sorting. */
static void order_nodes(struct cpf_fw_tables *t, int all)
{
	uint32_t i, n = 0;

	if (!all) {
		if (t->nused)
			qsort(t->used, t->nused, sizeof(*t->used), by_number);
		return;
	}
	for (i = 1; i < t->p->nodes.n; i++)
		if (t->node_row[i])
			t->used[n++] = i;
}

int cpf_fw_tables_build(struct cpf_fw_tables *t, int all, struct cpf_err *e)
{
	const uint32_t *rows;
	uint32_t i, k, node, prefix;

	order_nodes(t, all);
	for (i = 0; i < t->nused; i++) {
		node = t->used[i];
		if (!t->location_at[t->location[node]])
			add_location(t, t->location[node]);
		rows = t->frame_rows + t->location_at[t->location[node]];
		if (t->nstacks >= UINT32_MAX - 1 - rows[-1])
			return cpf_fail(e, CPF_E_LIMIT, "more stacks than ids can tell apart");
		CPF_GROW(t->stack_frame, t->stack_frame_cap, (size_t)t->nstacks + rows[-1]);
		CPF_GROW(t->stack_prefix, t->stack_prefix_cap, (size_t)t->nstacks + rows[-1]);
		prefix = t->parent[node] ? t->node_row[t->parent[node]] - 1 : CPF_NONE;
		for (k = 0; k < rows[-1]; k++) {
			t->stack_frame[t->nstacks] = rows[k];
			t->stack_prefix[t->nstacks] = prefix;
			prefix = t->nstacks++;
		}
		t->node_row[node] = t->nstacks;
	}
	return 0;
}

/* Columns. */

/* One field of all frames or functions, as ids. */
static uint32_t *gather(const void *rows, uint32_t n, size_t size, size_t at, uint32_t *out)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		memcpy(&out[i], (const char *)rows + at + i * size, sizeof(*out));
	return out;
}

#define FRAMES(field)                                                                              \
	gather(t->frames, n, sizeof(*t->frames), offsetof(struct cpf_fw_frame, field), v)
#define FUNCS(field) gather(t->funcs, n, sizeof(*t->funcs), offsetof(struct cpf_fw_func, field), v)

static void frame_numbers(struct cpf_fw_text *out, const struct cpf_fw_tables *t)
{
	uint32_t n = t->nframes, i;
	int64_t *v = cpf_realloc_array(NULL, (size_t)n + 1, sizeof(*v));

	for (i = 0; i < n; i++)
		v[i] = t->frames[i].address;
	cpf_fw_numbers(out, "address", v, n, -1, "-1");
	for (i = 0; i < n; i++)
		v[i] = t->frames[i].line;
	cpf_fw_numbers(out, "line", v, n, 0, "null");
	for (i = 0; i < n; i++)
		v[i] = t->frames[i].column;
	cpf_fw_numbers(out, "column", v, n, 0, "null");
	cpf_free(v);
}

static void write_frames(struct cpf_fw_text *out, const struct cpf_fw_tables *t)
{
	uint32_t n = t->nframes;
	uint32_t *v = cpf_realloc_array(NULL, (size_t)n + 1, sizeof(*v));

	cpf_jsonw_key(&out->j, "frameTable");
	cpf_jsonw_object(&out->j);
	cpf_jsonw_key_int(&out->j, "length", n);
	cpf_fw_ids(out, "func", FRAMES(func), n, "null");
	cpf_fw_ids(out, "inlineDepth", FRAMES(depth), n, "0");
	cpf_fw_ids(out, "category", FRAMES(category), n, "null");
	cpf_fw_ids(out, "subcategory", FRAMES(subcategory), n, "null");
	cpf_fw_ids(out, "nativeSymbol", FRAMES(symbol), n, "null");
	frame_numbers(out, t);
	cpf_fw_same(out, "innerWindowID", "0", n);
	if (t->version < CPF_FW_SHARED)
		cpf_fw_same(out, "implementation", "null", n);
	cpf_jsonw_end(&out->j);
	cpf_free(v);
}

/* "true" or "false" for a flag of each function; mostly the same for all. */
static void func_flag(struct cpf_fw_text *out, const struct cpf_fw_tables *t, const char *key,
	uint32_t flag)
{
	uint32_t i;

	cpf_jsonw_key(&out->j, key);
	cpf_jsonw_array_flat(&out->j);
	for (i = 0; i < t->nfuncs; i++) {
		cpf_jsonw_bool(&out->j, (t->funcs[i].flags & flag) != 0);
		cpf_fw_flush(out);
	}
	cpf_jsonw_end(&out->j);
}

static void write_funcs(struct cpf_fw_text *out, const struct cpf_fw_tables *t)
{
	uint32_t n = t->nfuncs, i;
	uint32_t *v = cpf_realloc_array(NULL, (size_t)n + 1, sizeof(*v));
	int64_t *w = cpf_realloc_array(NULL, (size_t)n + 1, sizeof(*w));

	cpf_jsonw_key(&out->j, "funcTable");
	cpf_jsonw_object(&out->j);
	cpf_jsonw_key_int(&out->j, "length", n);
	cpf_fw_ids(out, "name", FUNCS(name), n, "null");
	func_flag(out, t, "isJS", CPF_FN_JS);
	func_flag(out, t, "relevantForJS", CPF_FN_RELEVANT_JS);
	cpf_fw_ids(out, "resource", FUNCS(resource), n, "-1");
	if (t->version < CPF_FW_SHARED)
		cpf_fw_ids(out, "fileName", FUNCS(file), n, "null");
	else
		cpf_fw_ids(out, "source", FUNCS(source), n, "null");
	for (i = 0; i < n; i++)
		w[i] = t->funcs[i].line;
	cpf_fw_numbers(out, "lineNumber", w, n, 0, "null");
	for (i = 0; i < n; i++)
		w[i] = t->funcs[i].column;
	cpf_fw_numbers(out, "columnNumber", w, n, 0, "null");
	cpf_jsonw_end(&out->j);
	cpf_free(v);
	cpf_free(w);
}

/* The category a stack has: its frame's, else the caller's, at the root the default one. */
static void write_stack_categories(struct cpf_fw_text *out, const struct cpf_fw_tables *t)
{
	uint32_t *v = cpf_realloc_array(NULL, (size_t)t->nstacks + 1, sizeof(*v));
	uint32_t *w = cpf_realloc_array(NULL, (size_t)t->nstacks + 1, sizeof(*w)), i;

	for (i = 0; i < t->nstacks; i++) {
		const struct cpf_fw_frame *f = &t->frames[t->stack_frame[i]];
		uint32_t prefix = t->stack_prefix[i];

		if (f->category != CPF_NONE) {
			v[i] = f->category;
			w[i] = f->subcategory == CPF_NONE ? 0 : f->subcategory;
		} else {
			v[i] = prefix == CPF_NONE ? t->categories->grey : v[prefix];
			w[i] = prefix == CPF_NONE ? 0 : w[prefix];
		}
	}
	cpf_fw_ids(out, "category", v, t->nstacks, "0");
	cpf_fw_ids(out, "subcategory", w, t->nstacks, "0");
	cpf_free(v);
	cpf_free(w);
}

static void write_stacks(struct cpf_fw_text *out, const struct cpf_fw_tables *t)
{
	cpf_jsonw_key(&out->j, "stackTable");
	cpf_jsonw_object(&out->j);
	cpf_jsonw_key_int(&out->j, "length", t->nstacks);
	cpf_fw_ids(out, "frame", t->stack_frame, t->nstacks, "null");
	cpf_fw_ids(out, "prefix", t->stack_prefix, t->nstacks, "null");
	if (t->version < CPF_FW_SHARED)
		write_stack_categories(out, t);
	cpf_jsonw_end(&out->j);
}

static void write_resources(struct cpf_fw_text *out, struct cpf_fw_tables *t)
{
	uint32_t *v = cpf_realloc_array(NULL, (size_t)t->nresources + 1, sizeof(*v)), i;
	struct cpf_text name;

	for (i = 0; i < t->nresources; i++) {
		name = cpf_fw_lib_name(t->libs, t->p, t->resources[i]);
		v[i] = cpf_fw_string_text(&t->strings, name.s ? name.s : "", name.len);
	}
	cpf_jsonw_key(&out->j, "resourceTable");
	cpf_jsonw_object(&out->j);
	cpf_jsonw_key_int(&out->j, "length", t->nresources);
	cpf_fw_ids(out, "lib", t->resources, t->nresources, "null");
	cpf_fw_ids(out, "name", v, t->nresources, "null");
	cpf_fw_same(out, "host", "null", t->nresources);
	cpf_fw_same(out, "type", "1", t->nresources);
	cpf_jsonw_end(&out->j);
	cpf_free(v);
}

static void write_symbols(struct cpf_fw_text *out, struct cpf_fw_tables *t)
{
	uint32_t *v = cpf_realloc_array(NULL, (size_t)t->nsymbols + 1, sizeof(*v)), i;
	int64_t *w = cpf_realloc_array(NULL, (size_t)t->nsymbols + 1, sizeof(*w));
	const struct cpf_symbol *s = t->p->symbols;

	cpf_jsonw_key(&out->j, "nativeSymbols");
	cpf_jsonw_object(&out->j);
	cpf_jsonw_key_int(&out->j, "length", t->nsymbols);
	for (i = 0; i < t->nsymbols; i++)
		v[i] = t->libs->of[s[t->symbols[i]].mapping];
	cpf_fw_ids(out, "libIndex", v, t->nsymbols, "0");
	for (i = 0; i < t->nsymbols; i++)
		w[i] = (int64_t)s[t->symbols[i]].address;
	cpf_fw_numbers(out, "address", w, t->nsymbols, -1, "0");
	for (i = 0; i < t->nsymbols; i++)
		v[i] = cpf_fw_string(&t->strings, s[t->symbols[i]].name);
	cpf_fw_ids(out, "name", v, t->nsymbols, "0");
	for (i = 0; i < t->nsymbols; i++)
		w[i] = (int64_t)s[t->symbols[i]].size;
	cpf_fw_numbers(out, "functionSize", w, t->nsymbols, 0, "null");
	cpf_jsonw_end(&out->j);
	cpf_free(v);
	cpf_free(w);
}

static void write_sources(struct cpf_fw_text *out, const struct cpf_fw_tables *t)
{
	cpf_jsonw_key(&out->j, "sources");
	cpf_jsonw_object(&out->j);
	cpf_jsonw_key_int(&out->j, "length", t->nsources);
	cpf_fw_same(out, "uuid", "null", t->nsources);
	cpf_fw_ids(out, "filename", t->sources, t->nsources, "null");
	cpf_jsonw_end(&out->j);
}

void cpf_fw_tables_write(struct cpf_fw_text *out, struct cpf_fw_tables *t)
{
	write_stacks(out, t);
	write_frames(out, t);
	write_funcs(out, t);
	write_resources(out, t);
	write_symbols(out, t);
	if (t->version >= CPF_FW_SHARED)
		write_sources(out, t);
	cpf_fw_strings_write(out, &t->strings);
}
