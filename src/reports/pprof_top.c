/* -top and -text. */
#include "reports/pprof.h"

#include "base/base.h"

static void add_row(struct cpf_pprof *r, const struct cpf_pprof_node *n, int64_t *sum,
	struct cpf_buf *out)
{
	cpf_pprof_numbers(r, n, sum, out);
	cpf_buf_str(out, "  ");
	cpf_buf_add(out, n->name.s, n->name.len);
	if (n->inlined)
		cpf_buf_str(out, n->called ? " (partial-inline)" : " (inline)");
	cpf_buf_char(out, '\n');
}

int cpf_pprof_top(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e)
{
	struct cpf_pprof_graph g;
	int64_t sum = 0;
	uint32_t i;

	if (cpf_pprof_graph_build(r, &g, CPF_PPROF_MARKS, e))
		return -1;
	cpf_pprof_choose_unit(r, &g);
	cpf_pprof_graph_head(r, &g, out);
	cpf_buf_str(out, "      flat  flat%   sum%        cum   cum%\n");
	for (i = 0; i < g.n; i++)
		add_row(r, &g.nodes[i], &sum, out);
	cpf_pprof_graph_release(&g);
	return 0;
}
