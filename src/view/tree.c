#include "view/tree.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "view/sums.h"

/*
 * A row of the tree stands for a set of places: frames of stack nodes that are reached by the same
 * keys. The tree is built depth first; each level of the way down holds the places below one row,
 * sorted by key. Rows that are too small end the way before their places are looked at, so a profile
 * with millions of nodes costs little more than the sweep that sums them up.
 */

#define NO_STACK "(no stack)"

/* One line of a node's location. */
struct place {
	uint32_t rank;   /* of its key */
	uint32_t node;
	uint32_t at;     /* in the ids of the keys */
	int64_t value;
};

/* The places of one key. */
struct item {
	uint32_t first, n;
	int64_t total, inlined;
};

struct level {
	uint32_t row;
	size_t places, items, at; /* where its own start; the next item */
};

struct builder {
	struct cpf_tree *t;
	const struct cpf_profile *p;
	const struct cpf_keys *k;
	const struct cpf_tree_opts *o;
	int64_t least;         /* rows below this are left out */
	uint32_t *by_rank;     /* key of a rank */

	struct cpf_sums sums;  /* of the samples of one root: of subtrees, or own if inverted */
	uint32_t *child, *next; /* nodes below a node, those with a sum only */
	uint32_t *nodes;       /* those with samples, or above one; only with several roots */
	size_t nnodes, nodes_cap;
	uint8_t *used;
	uint32_t *seen;        /* inverted: per node, the place of its first line in this level */

	struct place *places, *spare;
	struct item *items;
	struct level *levels;
	size_t nplaces, places_cap, spare_cap, nitems, items_cap, nlevels, levels_cap;
};

/* Names. */

struct named {
	const char *s;
	size_t n;
	const char *lib;
	uint32_t key;
};

static int by_name(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;
	int r = memcmp(a->s, b->s, a->n < b->n ? a->n : b->n);

	if (!r)
		r = (a->n > b->n) - (a->n < b->n);
	if (!r)
		r = strcmp(a->lib, b->lib);
	return r ? r : (a->key > b->key) - (a->key < b->key);
}

void cpf_tree_name(const struct cpf_tree *t, const struct cpf_profile *p, const struct cpf_keys *k,
	uint32_t key, struct cpf_buf *out)
{
	if (key == CPF_NONE)
		cpf_buf_str(out, "all");
	else if (key < k->n)
		cpf_key_name(p, k, key, out);
	else
		cpf_buf_add(out, t->texts[key - k->n].s, t->texts[key - k->n].n);
}

static void rank_names(struct builder *b)
{
	uint32_t n = b->k->n + b->t->ntexts, i;
	struct named *rows = cpf_calloc((size_t)n + 1, sizeof(*rows));
	struct cpf_buf all = {0};
	size_t at = 0;

	for (i = 0; i < n; i++) {
		cpf_tree_name(b->t, b->p, b->k, i, &all);
		rows[i].n = all.n - at;
		at = all.n;
	}
	for (i = 0, at = 0; i < n; at += rows[i++].n) {
		rows[i].s = all.s + at;
		rows[i].key = i;
		rows[i].lib = i < b->k->n ? cpf_mapping_name(b->p, b->k->keys[i].mapping).s : "";
	}
	qsort(rows, n, sizeof(*rows), by_name);
	b->t->rank = cpf_calloc((size_t)n + 1, sizeof(*b->t->rank));
	b->by_rank = cpf_calloc((size_t)n + 1, sizeof(*b->by_rank));
	for (i = 0; i < n; i++) {
		b->t->rank[rows[i].key] = i;
		b->by_rank[i] = rows[i].key;
	}
	cpf_free(rows);
	cpf_buf_release(&all);
}

/* Sums and links of nodes. */

static int64_t value_of(const struct builder *b, uint32_t i)
{
	return cpf_col_get(&b->p->samples.raw[b->o->raw], i);
}

static int sum_samples(struct builder *b, struct cpf_err *e)
{
	struct cpf_tree *t = b->t;
	int64_t total = 0, v;
	int over = 0;
	uint32_t i;

	for (i = 0; i < b->p->samples.n; i++) {
		v = value_of(b, i);
		if (v < 0) {
			t->negative++;
			over |= cpf_add64(&t->negative_sum, t->negative_sum, v);
		} else {
			over |= cpf_add64(&total, total, v);
		}
	}
	t->rows[0].total = total;
	return over ? cpf_fail(e, CPF_E_RANGE, "the sum of the values does not fit 64 bits") : 0;
}

/* All samples at once. */
static void gather_all(struct builder *b)
{
	uint32_t i, n = b->p->nodes.n, up;
	int64_t v;

	for (i = 0; i < b->p->samples.n; i++) {
		v = value_of(b, i);
		if (v > 0)
			cpf_sums_add(&b->sums, cpf_col_id(&b->p->samples.node, i), v);
	}
	if (b->o->inverted)
		return;
	v = cpf_sums_get(&b->sums, 0);
	cpf_sums_up(&b->sums, b->p);
	/* Of node 0 only its own samples are asked for. */
	cpf_sums_add(&b->sums, 0, v - cpf_sums_get(&b->sums, 0));
	for (i = n; i-- > 1;) {
		if (!b->sums.v[i])
			continue;
		up = cpf_col_id(&b->p->nodes.parent, i);
		b->next[i] = b->child[up];
		b->child[up] = i;
	}
}

static int by_id_down(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return (a < b) - (a > b);
}

/* The samples of one root; only the nodes they reach are touched. */
static void gather_some(struct builder *b, const uint32_t *samples, size_t n)
{
	uint32_t node, up;
	size_t i;

	for (i = 0; i < n; i++) {
		int64_t v = value_of(b, samples[i]);

		if (v <= 0)
			continue;
		node = cpf_col_id(&b->p->samples.node, samples[i]);
		cpf_sums_add(&b->sums, node, v);
		for (; node && !b->used[node]; node = up) {
			b->used[node] = 1;
			CPF_GROW(b->nodes, b->nodes_cap, b->nnodes + 1);
			b->nodes[b->nnodes++] = node;
			up = cpf_col_id(&b->p->nodes.parent, node);
			b->next[node] = b->child[up];
			b->child[up] = node;
		}
	}
	if (b->o->inverted)
		return;
	if (!b->nnodes)
		return;
	/* Parents have smaller ids. */
	qsort(b->nodes, b->nnodes, sizeof(*b->nodes), by_id_down);
	for (i = 0; i < b->nnodes; i++) {
		up = cpf_col_id(&b->p->nodes.parent, b->nodes[i]);
		if (up)
			cpf_sums_add(&b->sums, up, cpf_sums_get(&b->sums, b->nodes[i]));
	}
}

static void clear_nodes(struct builder *b)
{
	size_t i;

	for (i = 0; i < b->nnodes; i++) {
		b->used[b->nodes[i]] = 0;
		b->child[b->nodes[i]] = 0;
		b->sums.v[b->nodes[i]] = 0;
	}
	b->sums.v[0] = 0;
	b->child[0] = 0;
	b->sums.nwide = 0;
	b->nnodes = 0;
}

/* Places. */

static uint32_t location_of(const struct builder *b, uint32_t node)
{
	return cpf_col_id(&b->p->nodes.location, node);
}

static void add_place(struct builder *b, uint32_t node, uint32_t at, int64_t value)
{
	struct place *l;

	CPF_GROW(b->places, b->places_cap, b->nplaces + 1);
	l = &b->places[b->nplaces++];
	l->rank = b->t->rank[b->k->ids[at]];
	l->node = node;
	l->at = at;
	l->value = value;
}

/* The same with the first line of a node, which several ways may lead up to. */
static void add_caller(struct builder *b, size_t level, uint32_t node, int64_t value)
{
	uint32_t seen = b->seen[node], at = b->k->first[location_of(b, node)];

	if (seen >= level && seen < b->nplaces && b->places[seen].node == node &&
		b->places[seen].at == at) {
		b->places[seen].value += value;
		return;
	}
	b->seen[node] = (uint32_t)b->nplaces;
	add_place(b, node, at, value);
}

static void add_callees_of(struct builder *b, uint32_t node)
{
	uint32_t c;

	for (c = b->child[node]; c; c = b->next[c])
		add_place(b, c, b->k->first[location_of(b, c) + 1] - 1, cpf_sums_get(&b->sums, c));
}

/* What is next to the root. */
static void add_first(struct builder *b)
{
	uint32_t i;
	size_t k;

	if (!b->o->inverted) {
		add_callees_of(b, 0);
	} else if (b->o->root == CPF_TREE_ALL) {
		for (i = 1; i < b->p->nodes.n; i++)
			if (b->sums.v[i])
				add_caller(b, 0, i, cpf_sums_get(&b->sums, i));
	} else {
		for (k = 0; k < b->nnodes; k++)
			if (b->sums.v[b->nodes[k]])
				add_caller(b, 0, b->nodes[k], cpf_sums_get(&b->sums, b->nodes[k]));
	}
}

/* What is one step further than places [from, from + n). */
static void add_next(struct builder *b, size_t from, size_t n)
{
	size_t i, level = b->nplaces;

	for (i = from; i < from + n; i++) {
		struct place l = b->places[i];
		uint32_t loc = location_of(b, l.node), up;

		if (!b->o->inverted) {
			if (l.at > b->k->first[loc])
				add_place(b, l.node, l.at - 1, l.value);
			else
				add_callees_of(b, l.node);
		} else if (l.at + 1 < b->k->first[loc + 1]) {
			add_place(b, l.node, l.at + 1, l.value);
		} else {
			up = cpf_col_id(&b->p->nodes.parent, l.node);
			if (up)
				add_caller(b, level, up, l.value);
		}
	}
}

static int by_rank(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Least digit first, so many bits at a time; for long lists. */
static void sort_radix(struct builder *b, struct place *l, size_t n)
{
	enum { BITS = 11, SIZE = 1 << BITS };
	uint32_t ranks = b->k->n + b->t->ntexts;
	size_t count[SIZE], i, sum, c;
	struct place *from = l, *to, *swap;
	int shift;

	CPF_GROW(b->spare, b->spare_cap, n);
	to = b->spare;
	for (shift = 0; shift < 32 && ranks >> shift; shift += BITS) {
		memset(count, 0, sizeof(count));
		for (i = 0; i < n; i++)
			count[from[i].rank >> shift & (SIZE - 1)]++;
		for (i = 0, sum = 0; i < SIZE; i++) {
			c = count[i];
			count[i] = sum;
			sum += c;
		}
		for (i = 0; i < n; i++)
			to[count[from[i].rank >> shift & (SIZE - 1)]++] = from[i];
		swap = from;
		from = to;
		to = swap;
	}
	if (from != l)
		memcpy(l, from, n * sizeof(*l));
}

static void sort_places(struct builder *b, struct place *l, size_t n)
{
	size_t i, k;

	if (n > 2000) {
		sort_radix(b, l, n);
		return;
	}
	if (n > 24) {
		qsort(l, n, sizeof(*l), by_rank);
		return;
	}
	for (i = 1; i < n; i++) {
		struct place row = l[i];

		for (k = i; k && l[k - 1].rank > row.rank; k--)
			l[k] = l[k - 1];
		l[k] = row;
	}
}

/* The walk. */

static uint32_t add_row(struct builder *b, uint32_t parent, uint32_t key, int64_t total)
{
	struct cpf_tree *t = b->t;
	struct cpf_tree_row *r;

	CPF_GROW(t->rows, t->cap, (size_t)t->n + 1);
	r = &t->rows[t->n];
	memset(r, 0, sizeof(*r));
	r->key = key;
	r->parent = parent;
	r->depth = t->n ? t->rows[parent].depth + 1 : 0;
	r->total = r->self = total;
	return t->n++;
}

static int is_hidden(const struct builder *b, uint32_t parent, int64_t total)
{
	return total < b->least ||
	       (b->o->max_depth && b->t->rows[parent].depth >= b->o->max_depth);
}

static void hide(struct builder *b, uint32_t parent, int64_t total)
{
	b->t->rows[parent].self -= total;
	b->t->rows[parent].hidden += total;
	b->t->hidden += total;
	b->t->hidden_rows++;
}

/* Turns the places added since into a level below row. */
static void push_level(struct builder *b, uint32_t row, size_t first)
{
	struct level l = {row, first, b->nitems, b->nitems};
	size_t i, k;

	if (b->nplaces > first)
		sort_places(b, b->places + first, b->nplaces - first);
	for (i = first; i < b->nplaces; i = k) {
		struct item item = {(uint32_t)i, 0, 0, 0};

		for (k = i; k < b->nplaces && b->places[k].rank == b->places[i].rank; k++) {
			item.total += b->places[k].value;
			if (b->k->inlined[b->places[k].at])
				item.inlined += b->places[k].value;
		}
		item.n = (uint32_t)(k - i);
		if (is_hidden(b, row, item.total)) {
			hide(b, row, item.total);
			continue;
		}
		CPF_GROW(b->items, b->items_cap, b->nitems + 1);
		b->items[b->nitems++] = item;
	}
	CPF_GROW(b->levels, b->levels_cap, b->nlevels + 1);
	b->levels[b->nlevels++] = l;
}

/* Fills in what is below a row, from the sums and links of nodes. */
static void walk(struct builder *b, uint32_t root)
{
	struct cpf_tree *t = b->t;
	int64_t empty = cpf_sums_get(&b->sums, 0);
	uint32_t row;

	if (empty && is_hidden(b, root, empty)) {
		hide(b, root, empty);
	} else if (empty) {
		row = add_row(b, root, b->k->n, empty);
		t->rows[row].end = t->n;
		t->rows[root].self -= empty;
	}
	b->nplaces = b->nitems = b->nlevels = 0;
	add_first(b);
	push_level(b, root, 0);
	while (b->nlevels) {
		struct level *l = &b->levels[b->nlevels - 1];
		struct item item;
		size_t first;

		if (l->at == b->nitems) {
			t->rows[l->row].end = t->n;
			b->nplaces = l->places;
			b->nitems = l->items;
			b->nlevels--;
			continue;
		}
		item = b->items[l->at++];
		row = add_row(b, l->row, b->by_rank[b->places[item.first].rank], item.total);
		t->rows[l->row].self -= item.total;
		t->rows[row].inlined = item.inlined;
		first = b->nplaces;
		add_next(b, item.first, item.n);
		push_level(b, row, first);
	}
}

/* Roots. */

static void add_label(struct cpf_buf *out, struct cpf_text name, struct cpf_text id, const char *what)
{
	if (name.len) {
		cpf_buf_add(out, name.s, name.len);
	} else if (id.len) {
		cpf_buf_fmt(out, "%s ", what);
		cpf_buf_add(out, id.s, id.len);
	} else {
		cpf_buf_fmt(out, "(no %s)", what);
	}
}

/* What a thread (CPF_NONE: samples without one) is called, as in folded stacks. */
static void root_names(const struct cpf_profile *p, uint32_t thread, struct cpf_buf *process,
	struct cpf_buf *name)
{
	static const struct cpf_thread none = {.process = CPF_NONE};
	static const struct cpf_process nothing = {0};
	const struct cpf_thread *t = thread == CPF_NONE ? &none : &p->threads[thread];
	const struct cpf_process *r = t->process == CPF_NONE ? &nothing : &p->processes[t->process];

	add_label(process, cpf_text(p, r->name), cpf_text(p, r->pid), "process");
	add_label(name, cpf_text(p, t->name), cpf_text(p, t->tid), "thread");
}

struct root {
	struct cpf_buf process, name;
	uint32_t thread;           /* nthreads: samples without thread */
	uint32_t process_key, key;
	size_t start, end;         /* its samples in the list */
};

static int compare_bufs(const struct cpf_buf *a, const struct cpf_buf *b)
{
	int r = memcmp(a->s, b->s, a->n < b->n ? a->n : b->n);

	return r ? r : (a->n > b->n) - (a->n < b->n);
}

static int by_root(const void *pa, const void *pb)
{
	const struct root *a = pa, *b = pb;
	int r = compare_bufs(&a->process, &b->process);

	if (!r)
		r = compare_bufs(&a->name, &b->name);
	return r ? r : (a->thread > b->thread) - (a->thread < b->thread);
}

static uint32_t add_text(struct builder *b, size_t *cap, const struct cpf_buf *text)
{
	struct cpf_tree *t = b->t;

	CPF_GROW(t->texts, *cap, (size_t)t->ntexts + 1);
	memset(&t->texts[t->ntexts], 0, sizeof(*t->texts));
	cpf_buf_str(&t->texts[t->ntexts], "");
	if (text)
		cpf_buf_add(&t->texts[t->ntexts], text->s, text->n);
	else
		cpf_buf_str(&t->texts[t->ntexts], NO_STACK);
	return b->k->n + t->ntexts++;
}

/* Threads in the order of their names; those of the same name get the same key. */
static struct root *make_roots(struct builder *b, size_t *cap)
{
	uint32_t n = b->p->nthreads + 1, i;
	struct root *roots = cpf_calloc(n, sizeof(*roots)), *r;

	for (i = 0; i < n; i++) {
		r = &roots[i];
		r->thread = i;
		root_names(b->p, i + 1 < n ? i : CPF_NONE, &r->process, &r->name);
		if (b->o->root == CPF_TREE_THREAD)
			cpf_buf_clear(&r->process);
	}
	qsort(roots, n, sizeof(*roots), by_root);
	for (i = 0; i < n; i++) {
		r = &roots[i];
		if (i && !compare_bufs(&r->process, &r[-1].process)) {
			r->process_key = r[-1].process_key;
			if (!compare_bufs(&r->name, &r[-1].name)) {
				r->key = r[-1].key;
				continue;
			}
		} else {
			r->process_key = add_text(b, cap, &r->process);
		}
		r->key = add_text(b, cap, &r->name);
	}
	return roots;
}

/* Sample numbers, root by root. */
static uint32_t *sort_samples(const struct builder *b, struct root *roots)
{
	const struct cpf_profile *p = b->p;
	uint32_t n = p->nthreads + 1, i, t;
	uint32_t *place = cpf_calloc(n, sizeof(*place));
	size_t *at = cpf_calloc((size_t)n + 1, sizeof(*at));
	uint32_t *order = cpf_calloc((size_t)p->samples.n + 1, sizeof(*order));

	for (i = 0; i < n; i++)
		place[roots[i].thread] = i;
	for (i = 0; i < p->samples.n; i++) {
		t = cpf_col_id(&p->samples.thread, i);
		at[place[t == CPF_NONE ? p->nthreads : t] + 1]++;
	}
	for (i = 0; i < n; i++) {
		at[i + 1] += at[i];
		roots[i].start = at[i];
		roots[i].end = at[i + 1];
	}
	for (i = 0; i < p->samples.n; i++) {
		t = cpf_col_id(&p->samples.thread, i);
		order[at[place[t == CPF_NONE ? p->nthreads : t]]++] = i;
	}
	cpf_free(place);
	cpf_free(at);
	return order;
}

static int64_t sum_of(const struct builder *b, const uint32_t *samples, size_t n)
{
	int64_t sum = 0, v;
	size_t i;

	for (i = 0; i < n; i++) {
		v = value_of(b, samples[i]);
		sum += v > 0 ? v : 0;
	}
	return sum;
}

/* A child of up for the samples, or CPF_NONE if there is nothing to show. */
static uint32_t root_row(struct builder *b, uint32_t up, uint32_t key, int64_t total)
{
	uint32_t row;

	if (!total)
		return CPF_NONE;
	if (is_hidden(b, up, total)) {
		hide(b, up, total);
		return CPF_NONE;
	}
	row = add_row(b, up, key, total);
	b->t->rows[up].self -= total;
	return row;
}

/* Threads [i, end) of one process, or all of them. */
static void walk_threads(struct builder *b, const struct root *roots, uint32_t i, uint32_t end,
	const uint32_t *order, uint32_t up)
{
	uint32_t k, row;

	for (; i < end; i = k) {
		const uint32_t *samples = order + roots[i].start;
		size_t n;

		for (k = i + 1; k < end && roots[k].key == roots[i].key; k++)
			;
		n = roots[k - 1].end - roots[i].start;
		row = root_row(b, up, roots[i].key, sum_of(b, samples, n));
		if (row == CPF_NONE)
			continue;
		gather_some(b, samples, n);
		walk(b, row);
		clear_nodes(b);
	}
	b->t->rows[up].end = b->t->n;
}

static void walk_roots(struct builder *b, const struct root *roots, const uint32_t *order)
{
	uint32_t n = b->p->nthreads + 1, i, k, row;

	if (b->o->root == CPF_TREE_THREAD) {
		walk_threads(b, roots, 0, n, order, 0);
		return;
	}
	for (i = 0; i < n; i = k) {
		for (k = i + 1; k < n && roots[k].process_key == roots[i].process_key; k++)
			;
		row = root_row(b, 0, roots[i].process_key,
			sum_of(b, order + roots[i].start, roots[k - 1].end - roots[i].start));
		if (row != CPF_NONE)
			walk_threads(b, roots, i, k, order, row);
	}
	b->t->rows[0].end = b->t->n;
}

static int64_t smallest(const struct builder *b)
{
	double least = b->o->min_share * (double)b->t->rows[0].total;
	int64_t whole;

	if (least <= 1)
		return 1;
	/* Up to the total, which stands for itself. */
	if (least >= (double)b->t->rows[0].total)
		return b->t->rows[0].total;
	whole = (int64_t)least;
	return (double)whole < least ? whole + 1 : whole;
}

static void allocate(struct builder *b)
{
	size_t n = b->p->nodes.n;
	int some = b->o->root != CPF_TREE_ALL;

	b->sums.n = (uint32_t)n;
	b->sums.v = cpf_calloc(n, sizeof(*b->sums.v));
	if (!b->o->inverted || some) {
		b->child = cpf_calloc(n, sizeof(*b->child));
		b->next = cpf_calloc(n, sizeof(*b->next));
	}
	if (b->o->inverted)
		b->seen = cpf_calloc(n, sizeof(*b->seen));
	if (some)
		b->used = cpf_calloc(n, sizeof(*b->used));
}

static void release(struct builder *b)
{
	cpf_sums_release(&b->sums);
	cpf_free(b->by_rank);
	cpf_free(b->child);
	cpf_free(b->next);
	cpf_free(b->nodes);
	cpf_free(b->used);
	cpf_free(b->seen);
	cpf_free(b->places);
	cpf_free(b->spare);
	cpf_free(b->items);
	cpf_free(b->levels);
}

int cpf_tree_build(struct cpf_tree *t, const struct cpf_profile *p, const struct cpf_keys *k,
	const struct cpf_tree_opts *o, struct cpf_err *e)
{
	struct builder b = {.t = t, .p = p, .k = k, .o = o};
	struct root *roots = NULL;
	uint32_t *order = NULL, i;
	size_t cap = 0;

	memset(t, 0, sizeof(*t));
	add_row(&b, 0, CPF_NONE, 0);
	if (sum_samples(&b, e)) {
		cpf_tree_release(t);
		return -1;
	}
	t->rows[0].self = t->rows[0].total;
	b.least = smallest(&b);
	add_text(&b, &cap, NULL);
	if (o->root != CPF_TREE_ALL) {
		roots = make_roots(&b, &cap);
		order = sort_samples(&b, roots);
	}
	rank_names(&b);
	allocate(&b);
	if (roots) {
		walk_roots(&b, roots, order);
	} else {
		gather_all(&b);
		walk(&b, 0);
	}
	t->rows[0].end = t->n;
	for (i = 0; roots && i <= p->nthreads; i++) {
		cpf_buf_release(&roots[i].process);
		cpf_buf_release(&roots[i].name);
	}
	cpf_free(roots);
	cpf_free(order);
	release(&b);
	return 0;
}

void cpf_tree_prune(struct cpf_tree *t, int64_t least)
{
	uint32_t *to = cpf_calloc(t->n, sizeof(*to)), i = 1, n = 1, up;

	while (i < t->n) {
		struct cpf_tree_row r = t->rows[i];

		up = to[r.parent];
		if (r.total < least) {
			t->rows[up].hidden += r.total;
			t->hidden += r.total;
			t->hidden_rows++;
			i = r.end;
			continue;
		}
		r.parent = up;
		to[i++] = n;
		t->rows[n++] = r;
	}
	t->n = n;
	for (i = 0; i < n; i++)
		t->rows[i].end = i + 1;
	for (i = n; i-- > 1;)
		if (t->rows[t->rows[i].parent].end < t->rows[i].end)
			t->rows[t->rows[i].parent].end = t->rows[i].end;
	cpf_free(to);
}

void cpf_tree_release(struct cpf_tree *t)
{
	uint32_t i;

	for (i = 0; i < t->ntexts; i++)
		cpf_buf_release(&t->texts[i]);
	cpf_free(t->texts);
	cpf_free(t->rows);
	cpf_free(t->rank);
	memset(t, 0, sizeof(*t));
}
