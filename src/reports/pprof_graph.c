/* The trimmed graph that all graph reports print, in their order. */
#include "reports/pprof.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/num.h"

static void add_node(struct cpf_pprof *r, struct cpf_pprof_graph *g, const struct cpf_pprof_node *n)
{
	if (!n->flat && !n->cum)
		return;
	if (r->cfg.drop_negative && (n->flat < 0 || (!n->flat && n->cum < 0)))
		return;
	g->nodes[g->n] = *n;
	g->nodes[g->n++].graph = g;
}

/* Collects the nodes that have a value. */
static int collect(struct cpf_pprof *r, struct cpf_pprof_graph *g, struct cpf_err *e)
{
	struct cpf_flat value = {0}, div = {0};
	struct cpf_pprof_node n = {0};
	uint32_t i;

	if (cpf_flat_build(&value, r->p, &g->keys, r->raw, CPF_FLAT_WRAP, e))
		return -1;
	if (r->div_raw != CPF_NONE &&
		cpf_flat_build(&div, r->p, &g->keys, r->div_raw, CPF_FLAT_WRAP, e)) {
		cpf_flat_release(&value);
		return -1;
	}
	g->nids = g->keys.n;
	g->nodes = cpf_calloc((size_t)g->nids + 1, sizeof(*g->nodes));
	for (i = 0; i < g->nids; i++) {
		n.id = n.key = i;
		n.flat = value.flat[i];
		n.cum = value.cum[i];
		n.flat_div = div.flat ? div.flat[i] : 0;
		n.cum_div = div.cum ? div.cum[i] : 0;
		add_node(r, g, &n);
	}
	cpf_flat_release(&value);
	cpf_flat_release(&div);
	return 0;
}

static void collect_tree(struct cpf_pprof *r, struct cpf_pprof_graph *g)
{
	struct cpf_graph_opts o = {r->raw, r->div_raw, NULL};
	struct cpf_pprof_node n = {0};
	uint32_t i;

	cpf_calls_build(&g->tree.calls, r->p, &g->keys, &o);
	g->nids = g->tree.calls.n;
	g->nodes = cpf_calloc((size_t)g->nids + 1, sizeof(*g->nodes));
	for (i = 0; i < g->nids; i++) {
		const struct cpf_call *c = &g->tree.calls.calls[i];

		n.id = i;
		n.key = c->key;
		n.flat = c->flat;
		n.cum = c->cum;
		n.flat_div = c->flat_div;
		n.cum_div = c->cum_div;
		add_node(r, g, &n);
	}
	cpf_pprof_tree_init(g);
}

/* Names. */

uint32_t cpf_pprof_key(const struct cpf_pprof_graph *g, uint32_t id)
{
	return g->is_tree ? g->tree.calls.calls[id].key : id;
}

/* As printed: borrowed from the profile where it is a function's name and no more. */
static struct cpf_text key_name(struct cpf_pprof_graph *g, uint32_t key, struct cpf_buf *b)
{
	const struct cpf_key *k = &g->keys.keys[key];
	struct cpf_text t;

	if (k->name && !k->address && !k->line && !k->file)
		return cpf_text(g->p, k->name);
	cpf_buf_clear(b);
	cpf_key_name(g->p, &g->keys, key, b);
	t.s = cpf_arena_text(&g->names, b->s, b->n);
	t.len = (uint32_t)b->n;
	return t;
}

struct cpf_text cpf_pprof_name(struct cpf_pprof_graph *g, uint32_t id)
{
	uint32_t key = cpf_pprof_key(g, id);
	struct cpf_buf b = {0};

	if (!g->key_names)
		g->key_names = cpf_calloc((size_t)g->keys.n + 1, sizeof(*g->key_names));
	if (!g->key_names[key].s) {
		g->key_names[key] = key_name(g, key, &b);
		cpf_buf_release(&b);
	}
	return g->key_names[key];
}

static void name_nodes(struct cpf_pprof_graph *g, enum cpf_pprof_want want)
{
	struct cpf_buf b = {0};
	uint32_t i;

	for (i = 0; i < g->n; i++)
		g->nodes[i].name = want >= CPF_PPROF_EDGES
					   ? cpf_pprof_name(g, g->nodes[i].id)
					   : key_name(g, g->nodes[i].key, &b);
	cpf_buf_release(&b);
}

/* Order. */

int cpf_pprof_compare_text(struct cpf_text a, struct cpf_text b)
{
	uint32_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.s, b.s, n) : 0;

	return c ? c : (a.len > b.len) - (a.len < b.len);
}

/* All attributes in one text; what decides between rows that look alike. */
static void attributes(const struct cpf_pprof_node *n, struct cpf_buf *b)
{
	const struct cpf_profile *p = n->graph->p;
	const struct cpf_key *k = &n->graph->keys.keys[n->key];

	cpf_buf_fmt(b, "{%s  %" PRIu64 " %s %" PRId64 " %" PRId64 " %" PRId64 " %s}",
		cpf_cstr(p, k->name), k->address, cpf_cstr(p, k->file), k->start_line, k->line,
		k->column, k->mapping == CPF_NONE ? "" : cpf_cstr(p, p->mappings[k->mapping].file));
}

static int compare_attributes(const struct cpf_pprof_node *a, const struct cpf_pprof_node *b)
{
	struct cpf_buf x = {0}, y = {0};
	int c;

	attributes(a, &x);
	attributes(b, &y);
	c = strcmp(x.s, y.s);
	cpf_buf_release(&x);
	cpf_buf_release(&y);
	return c ? c : (a->id > b->id) - (a->id < b->id);
}

static int compare(const struct cpf_pprof_node *a, const struct cpf_pprof_node *b, int64_t a1,
	int64_t b1, int64_t a2, int64_t b2)
{
	int c;

	a1 = cpf_go_abs(a1);
	b1 = cpf_go_abs(b1);
	if (a1 != b1)
		return a1 > b1 ? -1 : 1;
	c = cpf_pprof_compare_text(a->name, b->name);
	if (c)
		return c;
	a2 = cpf_go_abs(a2);
	b2 = cpf_go_abs(b2);
	if (a2 != b2)
		return a2 > b2 ? -1 : 1;
	return compare_attributes(a, b);
}

static int by_flat(const void *x, const void *y)
{
	const struct cpf_pprof_node *a = x, *b = y;

	return compare(a, b, a->flat, b->flat, a->cum, b->cum);
}

static int by_cum(const void *x, const void *y)
{
	const struct cpf_pprof_node *a = x, *b = y;

	return compare(a, b, a->cum, b->cum, a->flat, b->flat);
}

static int by_score(const void *x, const void *y)
{
	const struct cpf_pprof_node *a = x, *b = y;

	return compare(a, b, a->score, b->score, a->flat, b->flat);
}

/* Edges into the nodes that are left: which rows are called inlined, and which are not. */
static void mark_inlined(struct cpf_pprof_graph *g)
{
	uint32_t i;

	for (i = 0; i < g->edges.n; i++) {
		const struct cpf_edge *edge = &g->edges.edges[i];
		struct cpf_pprof_node *n;

		if (!g->node_of[edge->dst] || cpf_go_abs(edge->weight) < g->edge_cut)
			continue;
		n = &g->nodes[g->node_of[edge->dst] - 1];
		if (edge->inlined)
			n->inlined = 1;
		else
			n->called = 1;
	}
}

/* Drops nodes below the cut, which is a fraction of what the nodes show, not of the total. */
static void drop_light(struct cpf_pprof *r, struct cpf_pprof_graph *g)
{
	int64_t sum = 0, cut;
	uint32_t i, left = 0;

	for (i = 0; i < g->n; i++)
		sum = cpf_wrap_add(sum, g->nodes[i].flat);
	g->node_cut = cut = cpf_go_abs(cpf_go_i64((double)sum * r->cfg.nodefraction));
	g->edge_cut = cpf_go_abs(cpf_go_i64((double)sum * r->cfg.edgefraction));
	for (i = 0; cut > 0 && i < g->n; i++)
		if (cpf_go_abs(g->nodes[i].cum) >= cut)
			g->nodes[left++] = g->nodes[i];
	if (cut > 0) {
		g->ndropped = g->n - left;
		g->n = left;
	}
	g->norig = g->n;
}

int cpf_pprof_graph_build(
	struct cpf_pprof *r, struct cpf_pprof_graph *g, enum cpf_pprof_want want, struct cpf_err *e)
{
	const struct cpf_pprof_cfg *c = &r->cfg;
	struct cpf_keys_opts o = {0};

	memset(g, 0, sizeof(*g));
	g->p = r->p;
	o.by = c->granularity;
	o.style = CPF_KEYS_PPROF;
	o.no_inlines = c->noinlines;
	o.columns = c->showcolumns;
	o.objects = !strcmp(c->command, "list") || !strcmp(c->command, "callgrind");
	o.trim_path = c->trim_path;
	o.source_path = c->source_path;
	cpf_keys_build(&g->keys, r->p, &o);
	g->is_tree = c->call_tree && (want == CPF_PPROF_VISUAL || !strcmp(c->command, "callgrind"));
	if (g->is_tree) {
		collect_tree(r, g);
	} else if (collect(r, g, e)) {
		cpf_pprof_graph_release(g);
		return -1;
	}
	drop_light(r, g);
	name_nodes(g, want);
	if (want == CPF_PPROF_VISUAL) {
		cpf_pprof_select_visual(r, g, by_score);
		return 0;
	}
	qsort(g->nodes, g->n, sizeof(*g->nodes), c->cum ? by_cum : by_flat);
	if (c->nodecount > 0 && c->nodecount < g->n)
		g->n = (uint32_t)c->nodecount;
	if (want == CPF_PPROF_EDGES || (want == CPF_PPROF_MARKS && g->keys.any_inlined)) {
		cpf_pprof_edges_plain(r, g, g->ndropped || g->n < g->norig);
		if (want == CPF_PPROF_EDGES)
			cpf_pprof_edges_link(g);
		else
			mark_inlined(g);
	}
	return 0;
}

void cpf_pprof_graph_release(struct cpf_pprof_graph *g)
{
	cpf_free(g->nodes);
	cpf_free(g->node_of);
	cpf_free(g->live);
	cpf_free(g->key_names);
	cpf_keys_release(&g->keys);
	cpf_graph_release(&g->edges);
	cpf_links_release(&g->in);
	cpf_links_release(&g->out);
	cpf_pprof_tree_release(g);
	cpf_pprof_tags_release(&g->tags);
	cpf_arena_release(&g->names);
	memset(g, 0, sizeof(*g));
}

void cpf_pprof_choose_unit(struct cpf_pprof *r, const struct cpf_pprof_graph *g)
{
	double ratio = 1 / r->cfg.divide_by;
	int64_t low = 0, high = r->total, hundred, v;
	const char *unit, *high_unit;
	uint32_t i;

	if (strcmp(r->out_unit, "minimum") != 0 || !g->n)
		return;
	for (i = 0; i < g->n; i++) {
		const struct cpf_pprof_node *n = &g->nodes[i];

		v = cpf_go_abs(cpf_pprof_mean(n->flat, n->flat_div));
		if (!v)
			v = cpf_go_abs(cpf_pprof_mean(n->cum, n->cum_div));
		if (v > 0 && (!low || v < low))
			low = v;
	}
	if (!low)
		low = high;
	if (ratio > 0 && ratio != 1) {
		low = cpf_go_i64((double)low * ratio);
		high = cpf_go_i64((double)high * ratio);
	}
	cpf_unit_scale(low, r->sample_unit, "minimum", &unit);
	cpf_unit_scale(high, r->sample_unit, "minimum", &high_unit);
	hundred = (int64_t)((uint64_t)low * 100);
	/* Only whole numbers can be written there, so the unit must not grow with the total. */
	if (strcmp(unit, high_unit) != 0 && hundred < high && strcmp(r->cfg.command, "callgrind") != 0)
		cpf_unit_scale(hundred, r->sample_unit, "minimum", &unit);
	r->out_unit = *unit ? unit : r->sample_unit;
}
