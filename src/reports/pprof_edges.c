/* Edges of the trimmed graph: which are left, their order, and what is chosen by them for -dot. */
#include "reports/pprof.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"

#define MOST_NODELETS 4 /* tags of a node that count as nodes */

static int is_live(const struct cpf_pprof_graph *g, uint32_t edge)
{
	return (int)(g->live[edge / 64] >> (edge % 64) & 1);
}

static void kill_edge(struct cpf_pprof_graph *g, uint32_t edge)
{
	g->live[edge / 64] &= ~(UINT64_C(1) << (edge % 64));
}

static void index_nodes(struct cpf_pprof_graph *g)
{
	uint32_t i;

	if (!g->node_of)
		g->node_of = cpf_calloc((size_t)g->nids + 1, sizeof(*g->node_of));
	memset(g->node_of, 0, (size_t)g->nids * sizeof(*g->node_of));
	for (i = 0; i < g->n; i++)
		g->node_of[g->nodes[i].id] = i + 1;
}

/* The call tree. */

void cpf_pprof_tree_init(struct cpf_pprof_graph *g)
{
	struct cpf_pprof_tree *t = &g->tree;
	uint32_t i;

	t->up = cpf_calloc((size_t)g->nids + 1, sizeof(*t->up));
	t->inlined = cpf_calloc((size_t)g->nids + 1, 1);
	t->residual = cpf_calloc((size_t)g->nids + 1, 1);
	t->removed = cpf_calloc((size_t)g->nids + 1, 1);
	for (i = 0; i < g->nids; i++) {
		t->up[i] = t->calls.calls[i].parent;
		t->inlined[i] = t->calls.calls[i].inlined;
	}
}

void cpf_pprof_tree_release(struct cpf_pprof_graph *g)
{
	struct cpf_pprof_tree *t = &g->tree;

	cpf_calls_release(&t->calls);
	cpf_free(t->up);
	cpf_free(t->inlined);
	cpf_free(t->residual);
	cpf_free(t->removed);
	memset(t, 0, sizeof(*t));
}

/*
 * Takes nodes out that were shown and are not any more; what they called is called by who called
 * them. Nodes that never were shown (their values cancel out) stay where they are.
 */
static void trim_tree(struct cpf_pprof_graph *g, const uint8_t *was)
{
	struct cpf_pprof_tree *t = &g->tree;
	uint32_t i, up;

	for (i = 0; i < g->nids; i++) {
		t->removed[i] |= was[i] && !g->node_of[i];
		up = t->up[i];
		if (up == CPF_NONE || !t->removed[up])
			continue;
		t->up[i] = t->up[up];
		t->inlined[i] &= t->inlined[up];
		t->residual[i] = 1;
	}
}

static void tree_edges(struct cpf_pprof_graph *g)
{
	const struct cpf_pprof_tree *t = &g->tree;
	struct cpf_edge *edge;
	uint32_t i;

	g->edges.edges = cpf_calloc((size_t)g->nids + 1, sizeof(*g->edges.edges));
	for (i = 0; i < g->nids; i++) {
		if (t->up[i] == CPF_NONE || t->removed[i])
			continue;
		edge = &g->edges.edges[g->edges.n++];
		edge->src = t->up[i];
		edge->dst = i;
		edge->weight = t->calls.calls[i].cum;
		edge->div = t->calls.calls[i].cum_div;
		edge->residual = t->residual[i];
		edge->inlined = t->inlined[i];
	}
}

/* Building. */

/* Edges between the nodes shown; restricted: others are stepped over. Indexes the nodes too. */
void cpf_pprof_edges_plain(struct cpf_pprof *r, struct cpf_pprof_graph *g, int restricted)
{
	struct cpf_graph_opts o = {r->raw, r->div_raw, NULL};
	uint64_t *kept;
	uint32_t i;

	index_nodes(g);
	cpf_graph_release(&g->edges);
	if (g->is_tree) {
		tree_edges(g);
		return;
	}
	kept = cpf_calloc((size_t)g->nids / 64 + 1, sizeof(*kept));
	for (i = 0; i < g->n; i++)
		kept[g->nodes[i].id / 64] |= UINT64_C(1) << (g->nodes[i].id % 64);
	o.kept = restricted ? kept : NULL;
	cpf_graph_build(&g->edges, r->p, &g->keys, &o);
	cpf_free(kept);
}

/* Removes edges below the cut. Those to nodes that are not shown are not looked at. */
static uint32_t trim_edges(struct cpf_pprof_graph *g)
{
	uint32_t i, dropped = 0;

	for (i = 0; i < g->edges.n; i++) {
		const struct cpf_edge *edge = &g->edges.edges[i];

		if (!is_live(g, i) || !g->node_of[edge->dst] ||
			cpf_go_abs(edge->weight) >= g->edge_cut)
			continue;
		kill_edge(g, i);
		dropped++;
		if (g->is_tree)
			g->tree.up[edge->dst] = CPF_NONE;
	}
	return dropped;
}

struct sort_row {
	struct cpf_edge edge;
	uint64_t weight;
	struct cpf_text src, dst;
};

static int by_weight(const void *x, const void *y)
{
	const struct sort_row *a = x, *b = y;
	int c;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	c = cpf_pprof_compare_text(a->src, b->src);
	if (!c)
		c = cpf_pprof_compare_text(a->dst, b->dst);
	if (!c)
		c = (a->edge.weight < b->edge.weight) - (a->edge.weight > b->edge.weight);
	if (!c)
		c = (a->edge.src > b->edge.src) - (a->edge.src < b->edge.src);
	return c ? c : (a->edge.dst > b->edge.dst) - (a->edge.dst < b->edge.dst);
}

/* Brings edges into the order of reports and makes all of them live. */
static void sort_edges(struct cpf_pprof_graph *g)
{
	struct sort_row *rows = cpf_calloc((size_t)g->edges.n + 1, sizeof(*rows));
	uint32_t i;

	for (i = 0; i < g->edges.n; i++) {
		rows[i].edge = g->edges.edges[i];
		/* The magnitude of the smallest number is itself in Go, so it comes last. */
		rows[i].weight = rows[i].edge.weight == INT64_MIN ? 0 : cpf_abs64(rows[i].edge.weight);
		rows[i].src = cpf_pprof_name(g, rows[i].edge.src);
		rows[i].dst = cpf_pprof_name(g, rows[i].edge.dst);
	}
	qsort(rows, g->edges.n, sizeof(*rows), by_weight);
	for (i = 0; i < g->edges.n; i++)
		g->edges.edges[i] = rows[i].edge;
	cpf_free(rows);
	cpf_free(g->live);
	g->live = cpf_calloc((size_t)g->edges.n / 64 + 1, sizeof(*g->live));
	memset(g->live, 0xff, ((size_t)g->edges.n / 64 + 1) * sizeof(*g->live));
}

static void link_edges(struct cpf_pprof_graph *g)
{
	cpf_links_release(&g->in);
	cpf_links_release(&g->out);
	cpf_links_build(&g->in, &g->out, &g->edges, g->nids, g->live);
}

void cpf_pprof_edges_link(struct cpf_pprof_graph *g)
{
	sort_edges(g);
	g->nedges_dropped = trim_edges(g);
	link_edges(g);
}

/* The choice of -dot. */

static double share_log(double share)
{
	int exponent;
	double fraction = frexp(share, &exponent);

	if (fraction == 0.5)
		return (double)(exponent - 1);
	return log(fraction) * (1 / 0.693147180559945309417232121458176568) + (double)exponent;
}

static double entropy(const struct cpf_pprof_graph *g, const struct cpf_links *l, uint32_t id,
	int64_t self)
{
	int64_t total = self, w;
	double score = 0, share;
	uint32_t x;

	for (x = l->first[id]; x < l->first[id + 1]; x++) {
		w = g->edges.edges[l->edges[x]].weight;
		if (w > 0)
			total = cpf_wrap_add(total, w);
	}
	if (!total)
		return 0;
	for (x = l->first[id]; x < l->first[id + 1]; x++) {
		share = (double)cpf_go_abs(g->edges.edges[l->edges[x]].weight) / (double)total;
		score += -share * share_log(share);
	}
	if (self > 0) {
		share = (double)self / (double)total;
		score += -share * share_log(share);
	}
	return score;
}

/* Nodes rank high that many different ways lead to and from. */
static void score_nodes(struct cpf_pprof_graph *g)
{
	uint32_t i, id;

	for (i = 0; i < g->n; i++) {
		struct cpf_pprof_node *n = &g->nodes[i];
		double score = 0;

		id = n->id;
		score += g->in.first[id] == g->in.first[id + 1] ? 1 : entropy(g, &g->in, id, 0);
		score += g->out.first[id] == g->out.first[id + 1] ? 1 : entropy(g, &g->out, id, n->flat);
		n->score = cpf_wrap_add(cpf_go_i64(score * (double)n->cum), n->flat);
	}
}

static void rank(struct cpf_pprof *r, struct cpf_pprof_graph *g, int restricted,
	int (*order)(const void *, const void *))
{
	cpf_pprof_edges_plain(r, g, restricted);
	sort_edges(g);
	link_edges(g);
	score_nodes(g);
	qsort(g->nodes, g->n, sizeof(*g->nodes), order);
	index_nodes(g);
}

/* How many nodes to show: their tags count as well. */
static uint32_t visible(const struct cpf_pprof_graph *g, int64_t most)
{
	int64_t count = 0, tags;
	uint32_t i, x;

	for (i = 0; i < g->n; i++) {
		tags = 0;
		for (x = g->tags.first[g->nodes[i].id]; x < g->tags.first[g->nodes[i].id + 1]; x++)
			tags += g->tags.rows[x].flat != 0;
		count += 1 + (tags < MOST_NODELETS ? tags : MOST_NODELETS);
		if (count >= most)
			return i + 1;
	}
	return g->n;
}

/* Breadth first from the end of the edge to its start, by other ways. */
static int is_redundant(const struct cpf_pprof_graph *g, uint32_t edge, uint32_t *queue, uint32_t *seen,
	uint32_t mark)
{
	const struct cpf_edge *e = &g->edges.edges[edge];
	uint32_t head = 0, tail = 0, x, at, src;

	queue[tail++] = e->dst;
	seen[e->dst] = mark;
	while (head < tail) {
		at = queue[head++];
		for (x = g->in.first[at]; x < g->in.first[at + 1]; x++) {
			src = g->edges.edges[g->in.edges[x]].src;
			if (g->in.edges[x] == edge || !is_live(g, g->in.edges[x]) || seen[src] == mark)
				continue;
			if (src == e->src)
				return 1;
			seen[src] = mark;
			queue[tail++] = src;
		}
	}
	return 0;
}

/* Residual edges go whose ends are connected another way, lightest first. */
static void remove_redundant(struct cpf_pprof_graph *g)
{
	uint32_t *queue = cpf_calloc((size_t)g->nids + 1, sizeof(*queue));
	uint32_t *seen = cpf_calloc((size_t)g->nids + 1, sizeof(*seen)), i, x, id, mark = 0;

	for (i = g->n; i-- > 0;) {
		id = g->nodes[i].id;
		for (x = g->in.first[id + 1]; x-- > g->in.first[id];) {
			if (!g->edges.edges[g->in.edges[x]].residual)
				break;
			if (is_redundant(g, g->in.edges[x], queue, seen, ++mark))
				kill_edge(g, g->in.edges[x]);
		}
	}
	cpf_free(queue);
	cpf_free(seen);
}

static uint8_t *shown_ids(const struct cpf_pprof_graph *g)
{
	uint8_t *shown = cpf_calloc((size_t)g->nids + 1, 1);
	uint32_t i;

	for (i = 0; i < g->n; i++)
		shown[g->nodes[i].id] = 1;
	return shown;
}

/*
 * Nodes of a tree that the fraction rule dropped are gone from g->nodes already; which were shown
 * before is told by their values.
 */
static void trim_dropped(struct cpf_pprof *r, struct cpf_pprof_graph *g)
{
	uint8_t *was = cpf_calloc((size_t)g->nids + 1, 1);
	uint32_t i;

	for (i = 0; i < g->nids; i++) {
		const struct cpf_call *c = &g->tree.calls.calls[i];

		was[i] = (c->flat || c->cum) &&
			 !(r->cfg.drop_negative && (c->flat < 0 || (!c->flat && c->cum < 0)));
	}
	index_nodes(g);
	trim_tree(g, was);
	cpf_free(was);
}

void cpf_pprof_select_visual(struct cpf_pprof *r, struct cpf_pprof_graph *g,
	int (*order)(const void *, const void *))
{
	uint8_t *was;
	uint32_t n;

	if (g->is_tree && g->ndropped)
		trim_dropped(r, g);
	rank(r, g, g->ndropped > 0, order);
	cpf_pprof_tags_build(r, g);
	if (r->cfg.nodecount > 0) {
		trim_edges(g);
		n = visible(g, r->cfg.nodecount);
		if (n < g->n) {
			was = shown_ids(g);
			g->n = n;
			index_nodes(g);
			if (g->is_tree)
				trim_tree(g, was);
			cpf_free(was);
			rank(r, g, 1, order);
			cpf_pprof_tags_build(r, g);
		}
	}
	g->nedges_dropped = trim_edges(g);
	link_edges(g);
	remove_redundant(g);
	link_edges(g);
}
