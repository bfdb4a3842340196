#include "view/graph.h"

#include "base/base.h"
#include "base/mem.h"
#include "base/rowset.h"
#include "view/walk.h"

/* An entry of the path from the root to the node at hand. */
struct entry {
	uint32_t last;     /* key of the last frame that is kept, CPF_NONE if there is none */
	uint32_t residual; /* frames behind it were stepped over */
	size_t undo;       /* edges in use before this entry */
};

struct builder {
	struct cpf_graph *g;
	const struct cpf_profile *p;
	const struct cpf_keys *k;
	const struct cpf_graph_opts *o;
	int64_t *sum, *div;  /* per node, of the subtree; div NULL without divisor */
	uint64_t *live;      /* bit per node: a sample that counts is in the subtree */
	struct cpf_rowset set;
	size_t edges_cap;
	uint32_t *active;    /* per edge: how often it is on the path */
	size_t active_cap;
	uint32_t *used;      /* edges on the path, in order */
	size_t nused, used_cap;
	struct entry *path;
	size_t path_cap;
};

static inline int bit(const uint64_t *set, uint32_t i)
{
	return (int)(set[i / 64] >> (i % 64) & 1);
}

static inline void set_bit(uint64_t *set, uint32_t i)
{
	set[i / 64] |= UINT64_C(1) << (i % 64);
}

static void sum_up(struct builder *b)
{
	const struct cpf_samples *s = &b->p->samples;
	uint32_t i;

	for (i = 0; i < s->n; i++) {
		uint32_t node = cpf_col_id(&s->node, i);
		int64_t v = cpf_col_get(&s->raw[b->o->raw], i);
		int64_t d = b->div ? cpf_col_get(&s->raw[b->o->div_raw], i) : 0;

		if (!v && !d)
			continue;
		set_bit(b->live, node);
		b->sum[node] = cpf_wrap_add(b->sum[node], v);
		if (b->div)
			b->div[node] = cpf_wrap_add(b->div[node], d);
	}
	for (i = b->p->nodes.n; i-- > 1;) {
		uint32_t up;

		if (!bit(b->live, i))
			continue;
		up = cpf_col_id(&b->p->nodes.parent, i);
		set_bit(b->live, up);
		b->sum[up] = cpf_wrap_add(b->sum[up], b->sum[i]);
		if (b->div)
			b->div[up] = cpf_wrap_add(b->div[up], b->div[i]);
	}
}

static uint32_t find_edge(struct builder *b, uint32_t src, uint32_t dst)
{
	struct cpf_graph *g = b->g;
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)src << 32 | dst);
	struct cpf_rowset_it it;
	uint32_t id;

	for (id = cpf_rowset_first(&b->set, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&b->set, &it))
		if (g->edges[id].src == src && g->edges[id].dst == dst)
			return id;
	id = g->n++;
	CPF_GROW(g->edges, b->edges_cap, g->n);
	CPF_GROW(b->active, b->active_cap, g->n);
	g->edges[id] = (struct cpf_edge){src, dst, 0, 0, 0, 1};
	b->active[id] = 0;
	cpf_rowset_add(&b->set, h, id);
	return id;
}

/* at: place in the path; the entry before it is complete. */
static void enter(struct builder *b, uint32_t at, uint32_t node, int count)
{
	uint32_t loc = cpf_col_id(&b->p->nodes.location, node), i, key, id;
	struct entry *e;

	CPF_GROW(b->path, b->path_cap, (size_t)at + 1);
	e = &b->path[at];
	e->last = at ? e[-1].last : CPF_NONE;
	e->residual = at ? e[-1].residual : 0;
	e->undo = b->nused;
	if (!bit(b->live, node))
		return;
	/* The outermost line is nearest to the caller. */
	for (i = b->k->first[loc + 1]; i-- > b->k->first[loc];) {
		key = b->k->ids[i];
		if (b->o->kept && !bit(b->o->kept, key)) {
			e->residual = 1;
			continue;
		}
		if (e->last != CPF_NONE && e->last != key) {
			id = find_edge(b, e->last, key);
			if (!b->active[id]++ && count) {
				struct cpf_edge *edge = &b->g->edges[id];

				edge->weight = cpf_wrap_add(edge->weight, b->sum[node]);
				if (b->div)
					edge->div = cpf_wrap_add(edge->div, b->div[node]);
				edge->residual |= (uint8_t)e->residual;
				edge->inlined &= b->k->inlined[i];
			}
			CPF_GROW(b->used, b->used_cap, b->nused + 1);
			b->used[b->nused++] = id;
		}
		e->last = key;
		e->residual = 0;
	}
}

void cpf_graph_build(struct cpf_graph *g, const struct cpf_profile *p, const struct cpf_keys *k,
	const struct cpf_graph_opts *o)
{
	struct builder b = {0};
	struct cpf_walk w;
	uint32_t was = 0, d;

	memset(g, 0, sizeof(*g));
	b.g = g;
	b.p = p;
	b.k = k;
	b.o = o;
	b.sum = cpf_calloc(p->nodes.n, sizeof(*b.sum));
	b.div = o->div_raw == CPF_NONE ? NULL : cpf_calloc(p->nodes.n, sizeof(*b.div));
	b.live = cpf_calloc((size_t)p->nodes.n / 64 + 1, sizeof(*b.live));
	sum_up(&b);
	cpf_walk_init(&w, p);
	for (; cpf_walk_next(&w); was = w.depth) {
		if (was > w.cut) {
			was = w.cut;
			while (b.nused > b.path[was].undo)
				b.active[b.used[--b.nused]]--;
		}
		for (d = w.cut; d < w.depth; d++)
			enter(&b, d, w.path[d], w.fresh && d + 1 == w.depth);
	}
	cpf_walk_release(&w);
	cpf_rowset_release(&b.set);
	cpf_free(b.sum);
	cpf_free(b.div);
	cpf_free(b.live);
	cpf_free(b.active);
	cpf_free(b.used);
	cpf_free(b.path);
}

void cpf_graph_release(struct cpf_graph *g)
{
	cpf_free(g->edges);
	memset(g, 0, sizeof(*g));
}

static void count_ends(uint32_t *first, const struct cpf_graph *g, uint32_t n, const uint64_t *live,
	int in)
{
	uint32_t i;

	for (i = 0; i < g->n; i++)
		if (!live || bit(live, i))
			first[(in ? g->edges[i].dst : g->edges[i].src) + 1]++;
	for (i = 0; i < n; i++)
		first[i + 1] += first[i];
}

static void link_ends(struct cpf_links *l, const struct cpf_graph *g, uint32_t n,
	const uint64_t *live, int in)
{
	uint32_t *at = cpf_calloc((size_t)n + 1, sizeof(*at)), i;

	l->first = cpf_calloc((size_t)n + 1, sizeof(*l->first));
	l->edges = cpf_calloc((size_t)g->n + 1, sizeof(*l->edges));
	count_ends(l->first, g, n, live, in);
	memcpy(at, l->first, (size_t)n * sizeof(*at));
	for (i = 0; i < g->n; i++)
		if (!live || bit(live, i))
			l->edges[at[in ? g->edges[i].dst : g->edges[i].src]++] = i;
	cpf_free(at);
}

void cpf_links_build(struct cpf_links *in, struct cpf_links *out, const struct cpf_graph *g,
	uint32_t n, const uint64_t *live)
{
	link_ends(in, g, n, live, 1);
	link_ends(out, g, n, live, 0);
}

void cpf_links_release(struct cpf_links *l)
{
	cpf_free(l->first);
	cpf_free(l->edges);
	memset(l, 0, sizeof(*l));
}

/* The call tree. */

struct tree_builder {
	struct cpf_calls *c;
	const struct cpf_keys *k;
	struct cpf_rowset set;
	size_t cap;
};

static uint32_t find_call(struct tree_builder *b, uint32_t parent, uint32_t key, int inlined)
{
	struct cpf_calls *c = b->c;
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)parent << 32 | key);
	struct cpf_rowset_it it;
	uint32_t id;

	for (id = cpf_rowset_first(&b->set, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&b->set, &it))
		if (c->calls[id].parent == parent && c->calls[id].key == key)
			break;
	if (id == CPF_ROWSET_END) {
		id = c->n++;
		CPF_GROW(c->calls, b->cap, c->n);
		memset(&c->calls[id], 0, sizeof(c->calls[id]));
		c->calls[id].key = key;
		c->calls[id].parent = parent;
		c->calls[id].inlined = parent != CPF_NONE;
		cpf_rowset_add(&b->set, h, id);
	}
	c->calls[id].inlined &= (uint8_t)inlined;
	return id;
}

/* Bit per node: a sample that counts is in the subtree. */
static uint64_t *live_nodes(const struct cpf_profile *p, const struct cpf_graph_opts *o)
{
	uint64_t *live = cpf_calloc((size_t)p->nodes.n / 64 + 1, sizeof(*live));
	const struct cpf_samples *s = &p->samples;
	uint32_t i;

	for (i = 0; i < s->n; i++)
		if (cpf_col_get(&s->raw[o->raw], i) ||
			(o->div_raw != CPF_NONE && cpf_col_get(&s->raw[o->div_raw], i)))
			set_bit(live, cpf_col_id(&s->node, i));
	for (i = p->nodes.n; i-- > 1;)
		if (bit(live, i))
			set_bit(live, cpf_col_id(&p->nodes.parent, i));
	return live;
}

static void sum_calls(struct cpf_calls *c, const struct cpf_profile *p,
	const struct cpf_graph_opts *o)
{
	const struct cpf_samples *s = &p->samples;
	uint32_t i, at;

	for (i = 0; i < s->n; i++) {
		at = c->of_node[cpf_col_id(&s->node, i)];
		if (at == CPF_NONE)
			continue;
		c->calls[at].flat = cpf_wrap_add(c->calls[at].flat, cpf_col_get(&s->raw[o->raw], i));
		if (o->div_raw != CPF_NONE)
			c->calls[at].flat_div = cpf_wrap_add(
				c->calls[at].flat_div, cpf_col_get(&s->raw[o->div_raw], i));
	}
	for (i = c->n; i-- > 0;) {
		struct cpf_call *call = &c->calls[i], *up;

		call->cum = cpf_wrap_add(call->cum, call->flat);
		call->cum_div = cpf_wrap_add(call->cum_div, call->flat_div);
		if (call->parent == CPF_NONE)
			continue;
		up = &c->calls[call->parent];
		up->cum = cpf_wrap_add(up->cum, call->cum);
		up->cum_div = cpf_wrap_add(up->cum_div, call->cum_div);
	}
}

void cpf_calls_build(struct cpf_calls *c, const struct cpf_profile *p, const struct cpf_keys *k,
	const struct cpf_graph_opts *o)
{
	struct tree_builder b = {.c = c, .k = k};
	uint64_t *live = live_nodes(p, o);
	uint32_t node, at, loc, i;

	memset(c, 0, sizeof(*c));
	c->of_node = cpf_calloc((size_t)p->nodes.n + 1, sizeof(*c->of_node));
	c->of_node[0] = CPF_NONE;
	for (node = 1; node < p->nodes.n; node++) {
		c->of_node[node] = CPF_NONE;
		if (!bit(live, node))
			continue;
		at = c->of_node[cpf_col_id(&p->nodes.parent, node)];
		loc = cpf_col_id(&p->nodes.location, node);
		for (i = k->first[loc + 1]; i-- > k->first[loc];)
			at = find_call(&b, at, k->ids[i], k->inlined[i]);
		c->of_node[node] = at;
	}
	sum_calls(c, p, o);
	cpf_rowset_release(&b.set);
	cpf_free(live);
}

void cpf_calls_release(struct cpf_calls *c)
{
	cpf_free(c->calls);
	cpf_free(c->of_node);
	memset(c, 0, sizeof(*c));
}
