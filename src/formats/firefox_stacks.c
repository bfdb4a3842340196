/*
 * firefox_stacks.c - stack tables to nodes: one node a row, inline chains folded into locations.
 */
#include "formats/firefox_linker.h"

#include <stdio.h>

#include "base/mem.h"

/*
 * Longer inline chains are not folded: each level of a chain is a location with all the lines so
 * far, so a chain of n rows costs n * n. Compilers stay far below.
 */
enum { BATCH = 1024, MAX_INLINE = 64 };

static cpf_id *new_ids(uint32_t n)
{
	cpf_id *v = cpf_realloc_array(NULL, n ? n : 1, sizeof(*v));

	memset(v, 0xff, (n ? n : 1) * sizeof(*v));
	return v;
}

void cpf_fx_linker_free(struct cpf_fx_linker *l)
{
	if (!l)
		return;
	cpf_free(l->function);
	cpf_free(l->symbol);
	cpf_free(l->location);
	cpf_free(l->leaf_location);
	cpf_free(l->leaf_node);
	cpf_free(l->by_start);
	cpf_free(l->by_name);
	cpf_free(l);
}

static cpf_id find_location(struct cpf_fx_linker *l, const struct cpf_fx_frame *f)
{
	struct cpf_location loc = {0};
	struct cpf_line line = {f->function, f->line, f->column};

	loc.mapping = f->mapping;
	loc.address = f->has_address ? f->address : 0;
	loc.flags = f->has_address ? CPF_LOC_ADDRESS : 0;
	loc.symbol = f->symbol;
	loc.category = f->category;
	loc.subcategory = f->subcategory;
	if (f->function != CPF_NONE) {
		loc.lines = &line;
		loc.nlines = 1;
	}
	return cpf_find_location(l->r->p, &loc);
}

static int frame_location(struct cpf_fx_linker *l, uint32_t row, cpf_id *out)
{
	struct cpf_fx_frame f;

	*out = l->location[row];
	if (*out != CPF_FX_UNSET)
		return 0;
	if (cpf_fx_frame_get(l, row, 0, &f))
		return -1;
	*out = l->location[row] = find_location(l, &f);
	return 0;
}

/* The parent row of a stack row, or -1; checked. */
static int parent_row(struct cpf_fx_linker *l, uint32_t row, int64_t v, int64_t *parent)
{
	uint32_t col = cpf_fx_has(l->stacks, STACK_OFFSET) ? STACK_OFFSET : STACK_PREFIX;

	if (col == STACK_OFFSET && v == CPF_FX_NULL) {
		CPF_FX_NOTE(l->r, CPF_WARN, "null-offset", 1,
			"%s: %sstackTable.prefixOffset has nulls, taken for roots", l->r->source,
			l->where);
		*parent = -1;
		return 0;
	}
	if (col == STACK_OFFSET) {
		if (v < 0 || v > (int64_t)row) {
			cpf_fail(l->r->e, CPF_E_FORMAT,
				v < 0 ? "offset %" PRId64 " to the parent is negative"
				      : "offset %" PRId64 " to the parent leads before row 0",
				v);
			goto bad;
		}
		*parent = v ? (int64_t)row - v : -1;
		return 0;
	}
	*parent = v;
	if (v >= -1 && v < (int64_t)row)
		return 0;
	if (v < 0 || v >= (int64_t)l->stacks->rows)
		return cpf_fx_bad_index(
			l->r, l->where, l->stacks, col, row, v, "stackTable", l->stacks->rows);
	cpf_fail(l->r->e, CPF_E_FORMAT,
		"parent %" PRId64 " does not come before its child (row %" PRIu32 ")", v, row);
bad:
	cpf_fx_where(l->r, l->where, l->stacks, l->stacks->def->cols[col].name, row);
	return -1;
}

static int check_frame(struct cpf_fx_linker *l, uint32_t row, int64_t frame)
{
	if (frame >= 0 && frame < (int64_t)l->frames->rows)
		return 0;
	return cpf_fx_bad_index(
		l->r, l->where, l->stacks, STACK_FRAME, row, frame, "frameTable", l->frames->rows);
}

/*
 * Whether the frame continues the inline chain its parent row stands in: deeper by one (by its
 * flag, where depths are not stored), at the same address of the same library. Profiles converted
 * from elsewhere may have depths without addresses.
 */
static int continues(struct cpf_fx_linker *l, uint32_t frame, uint32_t outer, int *yes)
{
	struct cpf_fx_frame a, b;

	*yes = 0;
	if (cpf_fx_frame_place(l, frame, &a) || cpf_fx_frame_place(l, outer, &b))
		return -1;
	*yes = a.inlined && a.has_address == b.has_address && a.address == b.address &&
	       a.mapping == b.mapping && (l->flags || a.depth == (b.depth > 0 ? b.depth : 0) + 1);
	return 0;
}

/* Adds the inlined frame to the lines of the location its parent row has. */
static int inline_location(struct cpf_fx_linker *l, uint32_t frame, cpf_id outer, cpf_id *out)
{
	struct cpf_profile *p = l->r->p;
	struct cpf_location loc;
	struct cpf_fx_frame f;

	if (cpf_fx_frame_get(l, frame, 0, &f))
		return -1;
	cpf_get_location(p, outer, &loc, &l->r->lines, &l->r->lines_cap);
	if (f.function != CPF_NONE) {
		CPF_GROW(l->r->lines, l->r->lines_cap, (size_t)loc.nlines + 1);
		memmove(l->r->lines + 1, l->r->lines, loc.nlines * sizeof(*l->r->lines));
		l->r->lines[0] = (struct cpf_line){f.function, f.line, f.column};
		loc.lines = l->r->lines;
		loc.nlines++;
	}
	if (f.symbol != CPF_NONE)
		loc.symbol = f.symbol;
	if (f.category != CPF_NONE) {
		loc.category = f.category;
		loc.subcategory = f.subcategory;
	}
	*out = cpf_find_location(p, &loc);
	return 0;
}

/* If the row continues an inline chain: *loc is set, and its node's parent is that of the chain. */
static int inline_node(
	struct cpf_fx_linker *l, uint32_t frame, int64_t parent, int64_t *node_parent, cpf_id *loc)
{
	struct cpf_profile *p = l->r->p;
	const struct cpf_col *first = &p->locations.first;
	uint32_t outer = (uint32_t)cpf_col_get(&l->stacks->col[STACK_FRAME], (size_t)parent);
	cpf_id outer_node = l->base + (uint32_t)parent;
	cpf_id outer_loc = cpf_col_id(&p->nodes.location, outer_node);
	int yes;

	if (continues(l, frame, outer, &yes))
		return -1;
	if (!yes || cpf_col_get(first, (size_t)outer_loc + 1) - cpf_col_get(first, outer_loc) >=
			    MAX_INLINE)
		return 0;
	*node_parent = (int64_t)cpf_col_id(&p->nodes.parent, outer_node);
	return inline_location(l, frame, outer_loc, loc);
}

/* 1 if the frame is marked as inlined; looked at only if the table has such frames at all. */
static int is_inlined(const struct cpf_fx_linker *l, int64_t frame)
{
	if (l->flags)
		return (int)(cpf_fx_get(l->frames, FRAME_FLAGS, (size_t)frame) & 1);
	return cpf_fx_get(l->frames, FRAME_DEPTH, (size_t)frame) > 0;
}

static int has_inlined(const struct cpf_fx_linker *l)
{
	uint32_t i;

	if (!cpf_fx_has(l->frames, FRAME_DEPTH) && !l->flags)
		return 0;
	for (i = 0; i < l->frames->rows; i++)
		if (is_inlined(l, i))
			return 1;
	return 0;
}

/*
 * Rows [from, from + n), read into frame and prefix, become nodes there: location and parent.
 * Inline chains need the nodes before, so with inlined they are added one by one.
 */
static int link_rows(struct cpf_fx_linker *l, uint32_t from, uint32_t n, int inlined,
	int64_t *frame, int64_t *prefix)
{
	int64_t parent;
	cpf_id loc;
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (check_frame(l, from + i, frame[i]) ||
			parent_row(l, from + i, prefix[i], &parent))
			return -1;
		prefix[i] = parent < 0 ? 0 : (int64_t)l->base + parent;
		loc = CPF_FX_UNSET;
		if (inlined && parent >= 0 && is_inlined(l, frame[i]) &&
			inline_node(l, (uint32_t)frame[i], parent, &prefix[i], &loc))
			return -1;
		/* An inlined frame has no location of its own unless it stands alone somewhere. */
		if (loc == CPF_FX_UNSET && frame_location(l, (uint32_t)frame[i], &loc))
			return -1;
		if (inlined)
			cpf_add_node(l->r->p, (cpf_id)prefix[i], loc);
		frame[i] = loc;
	}
	return 0;
}

/*
 * The same without inline chains, for rows that hold what they mostly hold; returns how many there
 * were. offset: of parents, the distance is given.
 */
static CPF_INLINE uint32_t link_plain(const struct cpf_fx_linker *l, uint32_t from, uint32_t n,
	int offset, int64_t *frame, int64_t *prefix)
{
	uint64_t frames = l->frames->rows;
	const cpf_id *location = l->location;
	int64_t parent;
	cpf_id loc;
	uint32_t i;

	for (i = 0; i < n; i++) {
		/* Checked as unsigned, so that what is negative is too large. */
		if (CPF_UNLIKELY((uint64_t)frame[i] >= frames))
			break;
		loc = location[frame[i]];
		parent = prefix[i];
		if (offset) {
			if (CPF_UNLIKELY((uint64_t)parent > (uint64_t)from + i))
				break;
			parent = parent ? (int64_t)from + i - parent : -1;
		}
		if (CPF_UNLIKELY(loc == CPF_FX_UNSET || parent < -1 || parent >= (int64_t)from + i))
			break;
		frame[i] = loc;
		prefix[i] = parent < 0 ? 0 : (int64_t)l->base + parent;
	}
	return i;
}

static int link_simple(
	struct cpf_fx_linker *l, uint32_t from, uint32_t n, int64_t *frame, int64_t *prefix)
{
	int offset = cpf_fx_has(l->stacks, STACK_OFFSET);
	uint32_t i = 0;

	for (;;) {
		i += offset ? link_plain(l, from + i, n - i, 1, frame + i, prefix + i)
			    : link_plain(l, from + i, n - i, 0, frame + i, prefix + i);
		if (i == n)
			return 0;
		if (link_rows(l, from + i, 1, 0, frame + i, prefix + i))
			return -1;
		i++;
	}
}

static struct cpf_col *parent_column(struct cpf_fx_linker *l)
{
	return &l->stacks->col[cpf_fx_has(l->stacks, STACK_OFFSET) ? STACK_OFFSET : STACK_PREFIX];
}

static int link_appending(struct cpf_fx_linker *l, int inlined)
{
	int64_t frame[BATCH], prefix[BATCH];
	struct cpf_nodes *nodes = &l->r->p->nodes;
	uint32_t from, n;

	for (from = 0; from < l->stacks->rows; from += n) {
		n = l->stacks->rows - from < BATCH ? l->stacks->rows - from : BATCH;
		cpf_col_read(&l->stacks->col[STACK_FRAME], from, n, frame);
		cpf_col_read(parent_column(l), from, n, prefix);
		if (inlined ? link_rows(l, from, n, 1, frame, prefix)
			    : link_simple(l, from, n, frame, prefix))
			return -1;
		if (inlined)
			continue;
		cpf_col_append(&nodes->parent, prefix, n);
		cpf_col_append(&nodes->location, frame, n);
		nodes->n += n;
	}
	return 0;
}

/*
 * The first table of a profile, which from version 60 on is the only one, turns into the nodes
 * where it lies: a second copy would be a third of all the memory. Row i becomes node i + 1, so
 * that what the last write of a batch overwrites is the first row of the next.
 */
static int link_in_place(struct cpf_fx_linker *l)
{
	struct cpf_col *frames = &l->stacks->col[STACK_FRAME], *parents = parent_column(l);
	int64_t frame[BATCH], prefix[BATCH], next_frame = 0, next_prefix = 0;
	struct cpf_nodes *nodes = &l->r->p->nodes;
	uint32_t from, n, rows = l->stacks->rows;

	cpf_col_push(frames, 0);
	cpf_col_push(parents, 0);
	for (from = 0; from < rows; from += n) {
		n = rows - from < BATCH ? rows - from : BATCH;
		cpf_col_read(frames, from, n, frame);
		cpf_col_read(parents, from, n, prefix);
		if (from) {
			frame[0] = next_frame;
			prefix[0] = next_prefix;
		}
		next_frame = cpf_col_get(frames, from + n);
		next_prefix = cpf_col_get(parents, from + n);
		if (link_simple(l, from, n, frame, prefix))
			return -1;
		cpf_col_put(frames, from + 1, frame, n);
		cpf_col_put(parents, from + 1, prefix, n);
	}
	cpf_col_set(frames, 0, -1);
	cpf_col_set(parents, 0, 0);
	cpf_col_release(&nodes->location);
	cpf_col_release(&nodes->parent);
	nodes->location = *frames;
	nodes->parent = *parents;
	nodes->n += rows;
	memset(frames, 0, sizeof(*frames));
	memset(parents, 0, sizeof(*parents));
	return 0;
}

static int link_stacks(struct cpf_fx_linker *l)
{
	int inlined = has_inlined(l);

	if (l->stacks->rows >= UINT32_MAX - 2 - l->r->p->nodes.n) {
		cpf_err_where(l->r->e, "%sstackTable", l->where);
		return cpf_fail(l->r->e, CPF_E_LIMIT, "more stacks than ids can tell apart");
	}
	if (l->base == 1 && !inlined && !l->lower && l->stacks->rows)
		return link_in_place(l);
	return link_appending(l, inlined);
}

static int missing_column(struct cpf_fx_linker *l, const struct cpf_fx_table *t, const char *column)
{
	cpf_fail(l->r->e, CPF_E_FORMAT, "the table has %" PRIu32 " rows but no column %s", t->rows,
		column);
	cpf_err_where(l->r->e, "%s%s", l->where, t->def->name);
	return -1;
}

static int settle(struct cpf_fx_linker *l)
{
	struct cpf_fx *r = l->r;
	/* Resources without a library had no entry behind the last one that has (up to version 40).
	 */
	uint32_t quiet = l->root->version <= 40 ? 1u << RESOURCE_LIB : 0;

	if (cpf_fx_settle(r, l->stacks, 1u << STACK_FRAME | 1u << STACK_PREFIX | 1u << STACK_OFFSET,
		    0, l->where) ||
		cpf_fx_settle(r, l->frames, 1u << FRAME_FUNC | 1u << FRAME_LOCATION, 0, l->where) ||
		cpf_fx_settle(r, l->funcs, 1u << FUNC_NAME, 0, l->where) ||
		cpf_fx_settle(r, l->resources, 0, quiet, l->where) ||
		cpf_fx_settle(r, l->symbols, 0, 0, l->where) ||
		cpf_fx_settle(r, l->sources, 1u << SOURCE_FILE, 0, l->where) ||
		cpf_fx_settle(r, l->origins, 0, 0, l->where))
		return -1;
	if (l->stacks->rows && !cpf_fx_has(l->stacks, STACK_FRAME))
		return missing_column(l, l->stacks, "frame");
	if (l->stacks->rows && !cpf_fx_has(l->stacks, STACK_PREFIX) &&
		!cpf_fx_has(l->stacks, STACK_OFFSET))
		return missing_column(
			l, l->stacks, l->root->version >= 66 ? "prefixOffset" : "prefix");
	if (l->frames->rows && !cpf_fx_has(l->frames, FRAME_FUNC) &&
		!cpf_fx_has(l->frames, FRAME_LOCATION))
		return missing_column(l, l->frames, cpf_fx_is_gecko(l->root) ? "location" : "func");
	if (l->funcs->rows && !cpf_fx_has(l->funcs, FUNC_NAME))
		return missing_column(l, l->funcs, "name");
	return 0;
}

int cpf_fx_tables_link(struct cpf_fx *r, struct cpf_fx_tables *own, const struct cpf_fx_root *root,
	const struct cpf_fx_libs *libs, const char *where)
{
	struct cpf_fx_linker *l = cpf_calloc(1, sizeof(*l));
	int ret = -1;

	l->r = r;
	l->root = root;
	l->libs = libs;
	l->strings = own->strings.have ? &own->strings : &r->shared.strings;
	l->stacks = CPF_FX_PICK(r, own, stacks);
	l->frames = CPF_FX_PICK(r, own, frames);
	l->funcs = CPF_FX_PICK(r, own, funcs);
	l->resources = CPF_FX_PICK(r, own, resources);
	l->symbols = CPF_FX_PICK(r, own, symbols);
	l->sources = CPF_FX_PICK(r, own, sources);
	l->origins = CPF_FX_PICK(r, own, origins);
	l->lower = root->version < 38;
	l->flags = cpf_fx_has(l->frames, FRAME_FLAGS);
	l->func_flags = cpf_fx_has(l->funcs, FUNC_FLAGS);
	snprintf(l->where, sizeof(l->where), "%s", where);
	own->linked = 1;
	own->base = l->base = r->p->nodes.n;
	if (settle(l))
		goto out;
	l->function = new_ids(l->funcs->rows);
	l->symbol = new_ids(l->symbols->rows);
	l->location = new_ids(l->frames->rows);
	if (link_stacks(l))
		goto out;
	ret = 0;
	if (l->lower) {
		l->leaf_location = new_ids(l->frames->rows);
		l->leaf_node = new_ids(l->stacks->rows);
		own->linker = l;
		return 0;
	}
	/* Only the numbers of rows are needed from here on. */
	cpf_fx_columns_release(&own->stacks);
	cpf_fx_columns_release(&own->frames);
	cpf_fx_columns_release(&own->funcs);
out:
	cpf_fx_linker_free(l);
	return ret;
}

cpf_id cpf_fx_leaf_node(struct cpf_fx *r, struct cpf_fx_tables *t, uint32_t row)
{
	struct cpf_fx_linker *l = t->linker;
	struct cpf_fx_frame f;
	uint32_t frame;

	if (!l)
		return t->base + row;
	if (l->leaf_node[row] != CPF_FX_UNSET)
		return l->leaf_node[row];
	frame = (uint32_t)cpf_col_get(&l->stacks->col[STACK_FRAME], row);
	/* It was checked when the stacks were linked. */
	if (l->leaf_location[frame] == CPF_FX_UNSET && !cpf_fx_frame_get(l, frame, 1, &f))
		l->leaf_location[frame] = find_location(l, &f);
	if (l->leaf_location[frame] == l->location[frame] ||
		l->leaf_location[frame] == CPF_FX_UNSET)
		l->leaf_node[row] = t->base + row;
	else
		l->leaf_node[row] = cpf_add_node(r->p,
			cpf_col_id(&r->p->nodes.parent, t->base + row), l->leaf_location[frame]);
	return l->leaf_node[row];
}
