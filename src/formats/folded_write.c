#include "formats/folded.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/output.h"
#include "core/decimal.h"
#include "core/frame.h"
#include "core/strings.h"

/*
 * The tree of stacks is walked once, children in the order of their lines, with the text of the path
 * in one buffer. A place in the walk is a set of (node, frame) pairs that show the same names from
 * the root on, so different addresses of a function come together without a tree of their own.
 *
 * Lines are in byte order, as LC_ALL=C sort leaves them: below one prefix, a frame's own line sorts
 * as "name " and its callees as "name;", and other names may come in between. Both texts of every
 * name are ranked once.
 */

#define UNNAMED UINT32_MAX

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
	int marks;           /* write _[k], _[i], _[j] */
	int guard;           /* names that end in a number must not look like counts */

	struct cpf_strings *names;   /* as written */
	uint32_t *fn_name;           /* per function, 0 = not yet, UNNAMED */
	uint32_t *line_name;         /* per line; 0 = not yet */
	uint32_t *loc_name;          /* per location without lines; 0 = not yet */
	uint32_t *rank;              /* [2 * name]: "name ", [2 * name + 1]: "name;" */
	uint8_t *begins;             /* 1: another name starts with this one and a blank */
	uint32_t empty_name;         /* of samples without stack */

	/* The samples of one root. */
	int64_t *self;       /* per node, raw */
	uint32_t *child;     /* per node, the last child found, 0 = none */
	uint32_t *next;      /* its elder sibling */
	uint8_t *used;
	uint32_t *nodes;     /* used ones */
	size_t nnodes, nodes_cap;

	struct place *places;
	struct item *items;
	struct level *levels;
	size_t nplaces, places_cap, nitems, items_cap, nlevels, levels_cap;
	struct cpf_buf prefix, lines, text;
};

/* Names. */

static uint32_t intern_name(struct writer *w, const char *s, size_t n, const char *mark)
{
	cpf_buf_clear(&w->text);
	cpf_folded_escape(&w->text, s, n, w->guard);
	cpf_buf_str(&w->text, mark);
	return cpf_strings_intern(w->names, w->text.s, w->text.n);
}

static const char *mark_of(const struct writer *w, cpf_id location, int inlined)
{
	struct cpf_text lib;

	if (!w->marks)
		return "";
	if (inlined)
		return "_[i]";
	lib = cpf_mapping_name(w->p, cpf_col_id(&w->p->locations.mapping, location));
	if ((lib.len >= 7 && !memcmp(lib.s, "[kernel", 7)) ||
		(lib.len >= 7 && !memcmp(lib.s, "vmlinux", 7)))
		return "_[k]";
	if ((lib.len == 5 && !memcmp(lib.s, CPF_FOLDED_JIT_LIB, 5)) ||
		(lib.len > 9 && !memcmp(lib.s, "perf-", 5) &&
			!memcmp(lib.s + lib.len - 4, ".map", 4)))
		return "_[j]";
	return "";
}

static uint32_t make_name(struct writer *w, cpf_id location, cpf_id function, int inlined)
{
	struct cpf_buf text = {0};
	uint32_t name;

	if (function != CPF_NONE && !w->marks) {
		if (!w->fn_name[function]) {
			struct cpf_text t = cpf_text(w->p, w->p->functions[function].name);

			w->fn_name[function] = t.len && !cpf_is_hex_name(t.s, t.len) ?
						       intern_name(w, t.s, t.len, "") :
						       UNNAMED;
		}
		if (w->fn_name[function] != UNNAMED)
			return w->fn_name[function];
	}
	cpf_frame_name(&text, w->p, location, function);
	name = intern_name(w, text.s, text.n, mark_of(w, location, inlined));
	cpf_buf_release(&text);
	return name;
}

static void name_location(struct writer *w, cpf_id location)
{
	const struct cpf_locations *t = &w->p->locations;
	size_t first = (size_t)cpf_col_get(&t->first, location);
	size_t end = (size_t)cpf_col_get(&t->first, (size_t)location + 1), i;

	if (first == end && !w->loc_name[location])
		w->loc_name[location] = make_name(w, location, CPF_NONE, 0);
	for (i = first; i < end && !w->line_name[i]; i++)
		w->line_name[i] = make_name(
			w, location, cpf_col_id(&t->line_fn, i), i + 1 < end);
}

/* Frames of a location; *name is that of frame k. */
static uint32_t frames_of(const struct writer *w, cpf_id node, uint32_t k, uint32_t *name)
{
	const struct cpf_locations *t = &w->p->locations;
	cpf_id location;
	size_t first, end;

	if (!node) {
		*name = w->empty_name;
		return 1;
	}
	location = cpf_col_id(&w->p->nodes.location, node);
	first = (size_t)cpf_col_get(&t->first, location);
	end = (size_t)cpf_col_get(&t->first, (size_t)location + 1);
	if (first == end) {
		*name = w->loc_name[location];
		return 1;
	}
	*name = k < end - first ? w->line_name[end - 1 - k] : 0;
	return (uint32_t)(end - first);
}

/* A name with what follows it in a line. */
struct ranked {
	const char *s;
	uint32_t len;
	uint32_t id; /* 2 * name, + 1 for ";" */
};

static int by_bytes(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;
	uint32_t n = a->len < b->len ? a->len : b->len;
	int r = memcmp(a->s, b->s, n), x, y;

	if (r)
		return r;
	if (a->len == b->len)
		return (a->id > b->id) - (a->id < b->id);
	x = n == a->len ? (a->id & 1 ? ';' : ' ') : (unsigned char)a->s[n];
	y = n == b->len ? (b->id & 1 ? ';' : ' ') : (unsigned char)b->s[n];
	/* Equal: the longer text goes on behind the blank. */
	return x != y ? (x > y) - (x < y) : a->len < b->len ? -1 : 1;
}

static void rank_names(struct writer *w)
{
	uint32_t n = w->names->n, i;
	struct ranked *rows = cpf_realloc_array(NULL, 2 * (size_t)n, sizeof(*rows));

	w->rank = cpf_calloc(2 * (size_t)n, sizeof(*w->rank));
	w->begins = cpf_calloc(n, 1);
	for (i = 0; i < n; i++) {
		rows[2 * i].s = rows[2 * i + 1].s = w->names->texts[i].s;
		rows[2 * i].len = rows[2 * i + 1].len = w->names->texts[i].len;
		rows[2 * i].id = 2 * i;
		rows[2 * i + 1].id = 2 * i + 1;
	}
	qsort(rows, 2 * (size_t)n, sizeof(*rows), by_bytes);
	for (i = 0; i < 2 * n; i++) {
		const struct ranked *row = &rows[i];

		w->rank[row->id] = i;
		if (!(row->id & 1) && i + 1 < 2 * n && row[1].len > row->len &&
			!memcmp(row[1].s, row->s, row->len) && row[1].s[row->len] == ' ')
			w->begins[row->id / 2] = 1;
	}
	cpf_free(rows);
}

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
	frames_of(w, node, k, &l->name);
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

		if (l.k + 1 < frames_of(w, l.node, l.k, &ignored))
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

		if (l->k + 1 < frames_of(w, l->node, l->k, &ignored)) {
			deeper = 1;
			continue;
		}
		deeper |= l->node && w->child[l->node];
		if (cpf_add64(&own.sum, own.sum, w->self[l->node]))
			return cpf_fail(
				w->e, CPF_E_RANGE, "the sum of a stack does not fit 64 bits");
	}
	own.rank = w->rank[2 * (size_t)name];
	sub.rank = w->rank[2 * (size_t)name + 1];
	CPF_GROW(w->items, w->items_cap, w->nitems + 2);
	if (own.sum)
		w->items[w->nitems++] = own;
	if (deeper)
		w->items[w->nitems++] = sub;
	return 0;
}

static struct cpf_text item_name(const struct writer *w, const struct item *item)
{
	return w->names->texts[w->places[item->first].name];
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
		spelled |= !items[i].deeper && w->begins[w->places[items[i].first].name];
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

	if (to.k == frames_of(w, l->node, l->k, &to.name)) {
		to.node = w->child[l->node];
		to.k = 0;
		if (!to.node || w->next[to.node])
			return 0;
	}
	if (to.k + 1 == frames_of(w, to.node, to.k, &to.name) &&
		(w->self[to.node] || !w->child[to.node]))
		return 0;
	*l = to;
	return 1;
}

/* Down through what needs no level, as there is nothing to sort. */
static void follow_chain(struct writer *w, struct place *l)
{
	while (only_callee(w, l))
		add_prefix(w, w->names->texts[l->name]);
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
		cpf_folded_escape(b, t.s, t.len, w->guard);
	} else {
		t = cpf_text(w->p, id);
		if (t.len) {
			cpf_buf_fmt(&text, "%s ", what);
			cpf_buf_add(&text, t.s, t.len);
		} else {
			cpf_buf_fmt(&text, "(no %s)", what);
		}
		cpf_folded_escape(b, text.s, text.n, w->guard);
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

static int write_all(struct writer *w)
{
	uint32_t i;

	for (i = 0; i < w->p->samples.n; i++)
		if (add_sample(w, i))
			return -1;
	return write_stacks(w, "", 0);
}

/* Names of all frames in stacks, ranked. */

static void make_names(struct writer *w)
{
	const struct cpf_profile *p = w->p;
	cpf_id node;
	uint32_t i;

	w->names = cpf_strings_new();
	w->fn_name = cpf_calloc((size_t)p->nfunctions + 1, sizeof(*w->fn_name));
	w->line_name = cpf_calloc(p->locations.line_fn.n + 1, sizeof(*w->line_name));
	w->loc_name = cpf_calloc((size_t)p->locations.n + 1, sizeof(*w->loc_name));
	w->empty_name =
		cpf_strings_intern(w->names, CPF_FOLDED_EMPTY, strlen(CPF_FOLDED_EMPTY));
	for (i = 0; i < p->samples.n; i++)
		for (node = cpf_col_id(&p->samples.node, i); node && !w->used[node];
			node = cpf_col_id(&p->nodes.parent, node)) {
			w->used[node] = 1;
			name_location(w, cpf_col_id(&p->nodes.location, node));
		}
	memset(w->used, 0, p->nodes.n);
}

static void release_names(struct writer *w)
{
	if (w->names)
		cpf_strings_free(w->names);
	cpf_free(w->fn_name);
	cpf_free(w->line_name);
	cpf_free(w->loc_name);
}

/*
 * The reader takes two numbers at the end of all lines for two counts. That cannot happen by chance
 * unless all leaf frames end in a number; lines that cancel out are not there to tell.
 */
static int need_guard(const struct writer *w)
{
	const struct cpf_profile *p = w->p;
	uint8_t *ends = cpf_calloc(w->names->n, 1); /* per name: 1 in a number, 2 not */
	int numbers = 0, others = 0, negative = 0, decimals;
	uint32_t i, name, n;
	int64_t mantissa;
	size_t rest;

	for (i = 0; i < p->samples.n; i++) {
		cpf_id node = cpf_col_id(&p->samples.node, i);
		int64_t v = value_of(w, i);

		if (!v)
			continue;
		negative |= v < 0;
		n = frames_of(w, node, 0, &name);
		if (n > 1)
			frames_of(w, node, n - 1, &name);
		if (!ends[name])
			ends[name] = cpf_folded_count(w->names->texts[name].s,
					     w->names->texts[name].len, &rest, &mantissa,
					     &decimals) ?
					     1 :
					     2;
		numbers |= ends[name] == 1;
		others |= ends[name] == 2;
	}
	cpf_free(ends);
	return numbers && (!others || negative);
}

static void begin(struct writer *w)
{
	const struct cpf_profile *p = w->p;

	w->self = cpf_calloc(p->nodes.n, sizeof(*w->self));
	w->child = cpf_calloc(p->nodes.n, sizeof(*w->child));
	w->next = cpf_calloc(p->nodes.n, sizeof(*w->next));
	w->used = cpf_calloc(p->nodes.n, 1);
	CPF_GROW(w->places, w->places_cap, 64);
	CPF_GROW(w->items, w->items_cap, 64);
	make_names(w);
	if (need_guard(w)) {
		release_names(w);
		w->guard = 1;
		make_names(w);
	}
	rank_names(w);
}

static void end(struct writer *w)
{
	release_names(w);
	cpf_free(w->rank);
	cpf_free(w->begins);
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
	cpf_buf_release(&w->text);
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
	begin(&w);
	if (!strcmp(root, "none"))
		r = write_all(&w);
	else if (!strcmp(root, "thread") || !strcmp(root, "process"))
		r = write_roots(&w, !strcmp(root, "process"));
	else
		r = cpf_fail(e, CPF_E_USAGE, "no root '%s': none, thread or process", root);
	if (!r)
		cpf_output_write(out, w.lines.s ? w.lines.s : "", w.lines.n);
	end(&w);
	return r;
}
