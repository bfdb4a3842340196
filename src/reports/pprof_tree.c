/* -tree and -peek: nodes with who called them and whom they called. */
#include "reports/pprof.h"

#include "base/base.h"
#include "core/regex.h"

static const char separator[] =
	"----------------------------------------------------------+-------------\n";

static void add_edges(struct cpf_pprof *r, struct cpf_pprof_graph *g, const struct cpf_links *l,
	uint32_t id, int64_t cum, int in, struct cpf_buf *out)
{
	uint32_t x;

	for (x = l->first[id]; x < l->first[id + 1]; x++) {
		const struct cpf_edge *edge = &g->edges.edges[l->edges[x]];
		struct cpf_text name = cpf_pprof_name(g, in ? edge->src : edge->dst);

		cpf_pprof_pad(out, cpf_pprof_value(r, edge->weight), 50);
		cpf_buf_char(out, ' ');
		cpf_pprof_percent(out, edge->weight, cum);
		cpf_buf_str(out, " |   ");
		cpf_buf_add(out, name.s, name.len);
		cpf_buf_str(out, edge->inlined ? " (inline)\n" : "\n");
	}
}

static void add_node(struct cpf_pprof *r, struct cpf_pprof_graph *g, const struct cpf_pprof_node *n,
	int64_t *sum, struct cpf_buf *out)
{
	int64_t cum = cpf_pprof_mean(n->cum, n->cum_div);

	cpf_buf_str(out, separator);
	add_edges(r, g, &g->in, n->id, cum, 1, out);
	cpf_pprof_numbers(r, n, sum, out);
	cpf_buf_str(out, "                | ");
	cpf_buf_add(out, n->name.s, n->name.len);
	cpf_buf_char(out, '\n');
	add_edges(r, g, &g->out, n->id, cum, 0, out);
}

static int show(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e)
{
	struct cpf_pprof_graph g;
	uint32_t i, matched = 0;
	int64_t sum = 0;

	if (cpf_pprof_graph_build(r, &g, CPF_PPROF_EDGES, e))
		return -1;
	cpf_pprof_choose_unit(r, &g);
	cpf_pprof_graph_head(r, &g, out);
	cpf_buf_str(out, separator);
	/* The blanks and tabs at the end are pprof's. */
	cpf_buf_str(out, "      flat  flat%   sum%        cum   cum%   calls calls% + context \t \t \n");
	for (i = 0; i < g.n; i++) {
		const struct cpf_pprof_node *n = &g.nodes[i];

		if (r->symbol && !cpf_regex_match(r->symbol, n->name.s, n->name.len))
			continue;
		matched++;
		add_node(r, &g, n, &sum, out);
	}
	if (g.n)
		cpf_buf_str(out, separator);
	cpf_pprof_graph_release(&g);
	if (r->symbol && !matched)
		return cpf_fail(e, CPF_E_EMPTY, "no matches found for regexp: %s", r->cfg.argument);
	return 0;
}

int cpf_pprof_tree(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e)
{
	return show(r, out, e);
}

int cpf_pprof_peek(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e)
{
	return show(r, out, e);
}
