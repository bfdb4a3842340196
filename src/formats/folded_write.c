#include "formats/folded.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/output.h"
#include "core/decimal.h"
#include "formats/folded_names.h"

/*
 * The tree of stacks is walked once, children in the order of their lines, with the text of the path
 * in one buffer. A place in the walk is a set of (node, frame) pairs that show the same names from
 * the root on, so different addresses of a function come together without a tree of their own.
 *
 * The order of lines is that of folded_names.h.
 */

/* Rows of a column at a time. */
enum { BLOCK = 1024 };

/* Frame k of a node, counted from the outermost line of its location. */
struct place {
	uint32_t name, node, k;
};

/* A line to write, or a subtree to go down to: all places of one name. */
struct item {
	uint64_t rank;
	uint32_t first, n;  /* places */
	int64_t sum;        /* raw; of its own line */
	int deeper;
};

struct level {
	uint32_t places, items, at, end; /* where its rows start; the next item, behind the last */
	size_t prefix;
};

struct writer {
	const struct cpf_profile *p;
	struct cpf_output *out;
	struct cpf_err *e;
	const struct cpf_value_type *type;
	int marks; /* write _[k], _[i], _[j] */
	struct cpf_folded_names names;

	/* The samples of one root. */
	int64_t *self;       /* per node, raw */
	uint32_t *child;     /* per node, the last child found, 0 = none */
	uint32_t *next;      /* its elder sibling */
	uint8_t *used;       /* per node */
	uint32_t *nodes;     /* used ones, if there are several roots */
	size_t nnodes, nodes_cap;

	struct place *places;
	struct item *items;
	struct level *levels;
	size_t nplaces, places_cap, nitems, items_cap, nlevels, levels_cap;
	struct cpf_buf prefix, lines;
};

/* Samples of one root. */

static int64_t value_of(const struct writer *w, uint32_t i)
{
	return cpf_col_get(&w->p->samples.raw[w->type->raw], i);
}

static int add_sample(struct writer *w, uint32_t i)
{
	cpf_id node = cpf_col_id(&w->p->samples.node, i), parent;

	if (cpf_add64(&w->self[node], w->self[node], value_of(w, i)))
		return cpf_fail(w->e, CPF_E_RANGE, "the sum of a stack does not fit 64 bits");
	for (; node && !w->used[node]; node = parent) {
		w->used[node] = 1;
		CPF_GROW(w->nodes, w->nodes_cap, w->nnodes + 1);
		w->nodes[w->nnodes++] = node;
		parent = cpf_col_id(&w->p->nodes.parent, node);
		w->next[node] = w->child[parent];
		w->child[parent] = node;
	}
	return 0;
}

static void clear_samples(struct writer *w)
{
	size_t i;

	for (i = 0; i < w->nnodes; i++) {
		uint32_t node = w->nodes[i];

		w->used[node] = 0;
		w->self[node] = 0;
		w->child[node] = 0;
	}
	w->self[0] = 0;
	w->child[0] = 0;
	w->nnodes = 0;
}

/* Lines. */

static void flush_lines(struct writer *w, size_t more)
{
	if (w->lines.n + more < (1 << 18))
		return;
	cpf_output_write(w->out, w->lines.s, w->lines.n);
	cpf_buf_clear(&w->lines);
}

static int write_line(struct writer *w, const char *name, size_t n, int64_t sum)
{
	char *to;

	flush_lines(w, w->prefix.n + n + 32);
	to = cpf_buf_room(&w->lines, w->prefix.n + n + 32);
	if (w->prefix.n)
		memcpy(to, w->prefix.s, w->prefix.n);
	to += w->prefix.n;
	memcpy(to, name, n);
	to[n] = ' ';
	w->lines.n += w->prefix.n + n + 1;
	if (cpf_buf_value(&w->lines, w->type, sum, w->e))
		return -1;
	cpf_buf_char(&w->lines, '\n');
	return 0;
}

/* The walk. */

static int by_name(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	return (a->name > b->name) - (a->name < b->name);
}

static int by_rank(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	return (a->rank > b->rank) - (a->rank < b->rank);
}

static void add_place(struct writer *w, cpf_id node, uint32_t k)
{
	struct place *l;

	CPF_GROW(w->places, w->places_cap, w->nplaces + 1);
	l = &w->places[w->nplaces++];
	l->node = node;
	l->k = k;
	cpf_folded_frames(&w->names, w->p, node, k, &l->name);
}

/* All places one frame further down than places [from, from + n); n = 0: below the root. */
static void add_callees(struct writer *w, uint32_t from, uint32_t n)
{
	uint32_t i, c, ignored;

	if (!n) {
		if (w->self[0])
			add_place(w, 0, 0);
		for (c = w->child[0]; c; c = w->next[c])
			add_place(w, c, 0);
	}
	for (i = from; i < from + n; i++) {
		struct place l = w->places[i];

		if (l.k + 1 < cpf_folded_frames(&w->names, w->p, l.node, l.k, &ignored))
			add_place(w, l.node, l.k + 1);
		else
			for (c = w->child[l.node]; c; c = w->next[c])
				add_place(w, c, 0);
	}
}

static void sort_places(struct place *l, size_t n)
{
	size_t i, k;

	if (n > 16) {
		qsort(l, n, sizeof(*l), by_name);
		return;
	}
	for (i = 1; i < n; i++) {
		struct place row = l[i];

		for (k = i; k && l[k - 1].name > row.name; k--)
			l[k] = l[k - 1];
		l[k] = row;
	}
}

static int add_item(struct writer *w, uint32_t from, uint32_t n)
{
	struct item own = {0, from, n, 0, 0}, sub = {0, from, n, 0, 1};
	uint32_t i, name = w->places[from].name, ignored;
	int deeper = 0;

	for (i = from; i < from + n; i++) {
		const struct place *l = &w->places[i];

		if (l->k + 1 < cpf_folded_frames(&w->names, w->p, l->node, l->k, &ignored)) {
			deeper = 1;
			continue;
		}
		deeper |= l->node && w->child[l->node];
		if (cpf_add64(&own.sum, own.sum, w->self[l->node]))
			return cpf_fail(
				w->e, CPF_E_RANGE, "the sum of a stack does not fit 64 bits");
	}
	own.rank = w->names.rank[2 * (size_t)name];
	sub.rank = w->names.rank[2 * (size_t)name + 1];
	CPF_GROW(w->items, w->items_cap, w->nitems + 2);
	if (own.sum)
		w->items[w->nitems++] = own;
	if (deeper)
		w->items[w->nitems++] = sub;
	return 0;
}

static struct cpf_text item_name(const struct writer *w, const struct item *item)
{
	return w->names.names->texts[w->places[item->first].name];
}

/*
 * Ranks do not know the counts, which matter where a name goes on behind a blank as another one's
 * count would: "f 12" and "f 1x;g 3". Sorted by the whole text then.
 */
struct spelled {
	struct item item;
	char *s;
	size_t n;
};

static int by_text(const void *pa, const void *pb)
{
	const struct spelled *a = pa, *b = pb;
	int r = memcmp(a->s, b->s, a->n < b->n ? a->n : b->n);

	return r ? r : (a->n > b->n) - (a->n < b->n);
}

static int sort_spelled(struct writer *w, struct item *items, size_t n)
{
	struct spelled *rows = cpf_calloc(n, sizeof(*rows));
	size_t i;
	int r = 0;

	for (i = 0; i < n && !r; i++) {
		struct cpf_buf text = {0};
		struct cpf_text name = item_name(w, &items[i]);

		rows[i].item = items[i];
		cpf_buf_add(&text, name.s, name.len);
		cpf_buf_char(&text, items[i].deeper ? ';' : ' ');
		if (!items[i].deeper)
			r = cpf_buf_value(&text, w->type, items[i].sum, w->e);
		rows[i].s = text.s;
		rows[i].n = text.n;
	}
	if (!r)
		qsort(rows, n, sizeof(*rows), by_text);
	for (i = 0; i < n; i++) {
		if (!r)
			items[i] = rows[i].item;
		cpf_free(rows[i].s);
	}
	cpf_free(rows);
	return r;
}

static int sort_items(struct writer *w, struct item *items, size_t n)
{
	size_t i, k;
	int spelled = 0;

	for (i = 0; i < n; i++)
		spelled |= !items[i].deeper && w->names.begins[w->places[items[i].first].name];
	if (spelled && n > 1)
		return sort_spelled(w, items, n);
	if (n > 16) {
		qsort(items, n, sizeof(*items), by_rank);
		return 0;
	}
	for (i = 1; i < n; i++) {
		struct item row = items[i];

		for (k = i; k && items[k - 1].rank > row.rank; k--)
			items[k] = items[k - 1];
		items[k] = row;
	}
	return 0;
}

/* Goes down into places [from, from + n). */
static int push_level(struct writer *w, uint32_t from, uint32_t n, size_t prefix)
{
	struct level *l;
	uint32_t first = (uint32_t)w->nplaces, i, k;

	CPF_GROW(w->levels, w->levels_cap, w->nlevels + 1);
	l = &w->levels[w->nlevels++];
	l->places = first;
	l->items = l->at = (uint32_t)w->nitems;
	l->prefix = prefix;
	add_callees(w, from, n);
	sort_places(w->places + first, w->nplaces - first);
	for (i = first; i < w->nplaces; i = k) {
		for (k = i + 1; k < w->nplaces && w->places[k].name == w->places[i].name; k++)
			;
		if (add_item(w, i, k - i))
			return -1;
	}
	l->end = (uint32_t)w->nitems;
	return sort_items(w, w->items + l->items, w->nitems - l->items);
}

static void add_prefix(struct writer *w, struct cpf_text name)
{
	char *to = cpf_buf_room(&w->prefix, (size_t)name.len + 1);

	if (name.len)
		memcpy(to, name.s, name.len);
	to[name.len] = ';';
	w->prefix.n += (size_t)name.len + 1;
}

/* Moves to the only callee of a place, if there is one that has no line of its own; else 0. */
static int only_callee(const struct writer *w, struct place *l)
{
	struct place to = {0, l->node, l->k + 1};

	if (to.k == cpf_folded_frames(&w->names, w->p, l->node, l->k, &to.name)) {
		to.node = w->child[l->node];
		to.k = 0;
		if (!to.node || w->next[to.node])
			return 0;
	}
	if (to.k + 1 == cpf_folded_frames(&w->names, w->p, to.node, to.k, &to.name) &&
		(w->self[to.node] || !w->child[to.node]))
		return 0;
	*l = to;
	return 1;
}

/* Down through what needs no level, as there is nothing to sort. */
static void follow_chain(struct writer *w, struct place *l)
{
	while (only_callee(w, l))
		add_prefix(w, w->names.names->texts[l->name]);
}

static int walk(struct writer *w)
{
	struct cpf_text name;
	size_t prefix;

	w->nlevels = w->nplaces = w->nitems = 0;
	if (push_level(w, 0, 0, w->prefix.n))
		return -1;
	while (w->nlevels) {
		struct level *l = &w->levels[w->nlevels - 1];
		const struct item *item;

		if (l->at == l->end) {
			w->nplaces = l->places;
			w->nitems = l->items;
			w->prefix.n = l->prefix;
			w->nlevels--;
			continue;
		}
		item = &w->items[l->at++];
		name = item_name(w, item);
		if (!item->deeper) {
			if (write_line(w, name.s, name.len, item->sum))
				return -1;
			continue;
		}
		prefix = w->prefix.n;
		add_prefix(w, name);
		/* The item's own line sorts before, so its place is free to move. */
		if (item->n == 1)
			follow_chain(w, &w->places[item->first]);
		if (push_level(w, item->first, item->n, prefix))
			return -1;
	}
	return 0;
}

/* Roots. */

struct root {
	char *text;      /* what stands before the stacks: "" or "process;thread;" */
	size_t n;
	uint32_t thread; /* threads with the same text are one root */
};

static int by_root(const void *pa, const void *pb)
{
	const struct root *a = pa, *b = pb;
	int r = memcmp(a->text, b->text, a->n < b->n ? a->n : b->n);

	if (!r)
		r = (a->n > b->n) - (a->n < b->n);
	return r ? r : (a->thread > b->thread) - (a->thread < b->thread);
}

static void add_root(
	struct writer *w, struct cpf_buf *b, cpf_str name, cpf_str id, const char *what)
{
	struct cpf_text t = cpf_text(w->p, name);
	struct cpf_buf text = {0};

	if (t.len) {
		cpf_folded_escape(b, t.s, t.len, w->names.guard);
	} else {
		t = cpf_text(w->p, id);
		if (t.len) {
			cpf_buf_fmt(&text, "%s ", what);
			cpf_buf_add(&text, t.s, t.len);
		} else {
			cpf_buf_fmt(&text, "(no %s)", what);
		}
		cpf_folded_escape(b, text.s, text.n, w->names.guard);
		cpf_buf_release(&text);
	}
	cpf_buf_char(b, ';');
}

static void root_text(struct writer *w, struct cpf_buf *b, cpf_id thread, int process)
{
	static const struct cpf_thread none = {.process = CPF_NONE};
	static const struct cpf_process nothing = {0};
	const struct cpf_thread *t = thread == CPF_NONE ? &none : &w->p->threads[thread];
	const struct cpf_process *r =
		t->process == CPF_NONE ? &nothing : &w->p->processes[t->process];

	if (process)
		add_root(w, b, r->name, r->pid, "process");
	add_root(w, b, t->name, t->tid, "thread");
}

static int write_stacks(struct writer *w, const char *root, size_t n)
{
	cpf_buf_clear(&w->prefix);
	cpf_buf_add(&w->prefix, root, n);
	return walk(w);
}

/* Samples in runs of one root: the sample numbers sorted by root, and where each root starts. */
static int write_roots(struct writer *w, int process)
{
	const struct cpf_profile *p = w->p;
	uint32_t nroots = p->nthreads + 1, i, k, *start, *order;
	struct root *roots = cpf_calloc(nroots, sizeof(*roots));
	int r = 0;

	for (i = 0; i < nroots; i++) {
		struct cpf_buf b = {0};

		roots[i].thread = i;
		root_text(w, &b, i == p->nthreads ? CPF_NONE : i, process);
		roots[i].text = b.s;
		roots[i].n = b.n;
	}
	start = cpf_calloc((size_t)nroots + 1, sizeof(*start));
	order = cpf_calloc((size_t)p->samples.n + 1, sizeof(*order));
	for (i = 0; i < p->samples.n; i++) {
		cpf_id t = cpf_col_id(&p->samples.thread, i);

		start[(t == CPF_NONE ? p->nthreads : t) + 1]++;
	}
	for (i = 0; i < nroots; i++)
		start[i + 1] += start[i];
	for (i = 0; i < p->samples.n; i++) {
		cpf_id t = cpf_col_id(&p->samples.thread, i);

		order[start[t == CPF_NONE ? p->nthreads : t]++] = i;
	}
	/* start[t] has moved to the end of t's samples. */
	qsort(roots, nroots, sizeof(*roots), by_root);
	for (i = 0; i < nroots && !r; i++) {
		uint32_t t = roots[i].thread;

		for (k = t ? start[t - 1] : 0; k < start[t] && !r; k++)
			r = add_sample(w, order[k]);
		if (!r && i + 1 < nroots && roots[i + 1].n == roots[i].n &&
			!memcmp(roots[i + 1].text, roots[i].text, roots[i].n))
			continue;
		if (!r)
			r = write_stacks(w, roots[i].text, roots[i].n);
		clear_samples(w);
	}
	for (i = 0; i < nroots; i++)
		cpf_free(roots[i].text);
	cpf_free(roots);
	cpf_free(start);
	cpf_free(order);
	return r;
}

/* Nodes in stacks of samples, and what stands there. whole: they are all below one root. */
static int begin(struct writer *w, int whole)
{
	const struct cpf_profile *p = w->p;
	uint8_t *locations = cpf_calloc((size_t)p->locations.n + 1, 1);
	uint32_t nodes[BLOCK], parents[BLOCK], locs[BLOCK], at, n, i, node;
	int64_t values[BLOCK];
	int r = 0;

	w->self = cpf_calloc(p->nodes.n, sizeof(*w->self));
	w->child = cpf_calloc(p->nodes.n, sizeof(*w->child));
	w->next = cpf_calloc(p->nodes.n, sizeof(*w->next));
	w->used = cpf_calloc(p->nodes.n, 1);
	CPF_GROW(w->places, w->places_cap, 64);
	CPF_GROW(w->items, w->items_cap, 64);
	for (at = 0; at < p->samples.n; at += n) {
		n = p->samples.n - at < BLOCK ? p->samples.n - at : BLOCK;
		cpf_col_read32(&p->samples.node, at, n, nodes);
		cpf_col_read(&p->samples.raw[w->type->raw], at, n, values);
		for (i = 0; i < n; i++) {
			w->used[nodes[i]] = 1;
			r |= whole && cpf_add64(&w->self[nodes[i]], w->self[nodes[i]], values[i]);
		}
	}
	/* Parents have smaller ids. */
	for (at = p->nodes.n; at > 1; at -= n) {
		n = at - 1 < BLOCK ? at - 1 : BLOCK;
		cpf_col_read32(&p->nodes.parent, at - n, n, parents);
		cpf_col_read32(&p->nodes.location, at - n, n, locs);
		for (i = n; i-- > 0;) {
			node = at - n + i;
			if (!w->used[node])
				continue;
			w->used[parents[i]] = 1;
			locations[locs[i]] = 1;
			w->next[node] = w->child[parents[i]];
			w->child[parents[i]] = node;
		}
	}
	cpf_folded_names_build(&w->names, p, locations, w->type->raw, w->marks);
	cpf_free(locations);
	if (r)
		return cpf_fail(w->e, CPF_E_RANGE, "the sum of a stack does not fit 64 bits");
	if (!whole) {
		memset(w->used, 0, p->nodes.n);
		memset(w->child, 0, p->nodes.n * sizeof(*w->child));
	}
	return 0;
}

static void end(struct writer *w)
{
	cpf_folded_names_release(&w->names);
	cpf_free(w->self);
	cpf_free(w->child);
	cpf_free(w->next);
	cpf_free(w->used);
	cpf_free(w->nodes);
	cpf_free(w->places);
	cpf_free(w->items);
	cpf_free(w->levels);
	cpf_buf_release(&w->prefix);
	cpf_buf_release(&w->lines);
}

int cpf_folded_write(const struct cpf_profile *p, struct cpf_output *out,
	const struct cpf_save_opts *o, struct cpf_diag *d, struct cpf_err *e)
{
	struct writer w = {0};
	const char *root = o->root ? o->root : "none";
	uint32_t type = o->type == CPF_NONE ? p->default_type : o->type;
	int r;

	(void)d;
	if (!p->ntypes || !p->samples.n)
		return 0;
	if (type >= p->ntypes)
		return cpf_fail(e, CPF_E_USAGE, "no sample type %" PRIu32, type);
	w.p = p;
	w.out = out;
	w.e = e;
	w.type = &p->types[type];
	w.marks = o->marks;
	r = begin(&w, !strcmp(root, "none"));
	if (r)
		;
	else if (!strcmp(root, "none"))
		r = write_stacks(&w, "", 0);
	else if (!strcmp(root, "thread") || !strcmp(root, "process"))
		r = write_roots(&w, !strcmp(root, "process"));
	else
		r = cpf_fail(e, CPF_E_USAGE, "no root '%s': none, thread or process", root);
	if (!r)
		cpf_output_write(out, w.lines.s ? w.lines.s : "", w.lines.n);
	end(&w);
	return r;
}
