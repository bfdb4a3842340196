/*
 * Any profile as the pprof file would read that it is written to. All but the stacks is written to
 * memory and read back, so that there is one way to become a pprof profile. Stacks would be listed
 * sample by sample there, which for deep ones is many times the profile: they are moved over as the
 * tree they are.
 */
#include "base/base.h"

#include "base/input.h"
#include "base/mem.h"
#include "base/output.h"
#include "formats/pprof.h"
#include "formats/pprof_write.h"

/*
 * The row of p for a node, made if it is not there yet; known: by node, 0 = not there yet. New rows
 * come in the order in which a reader meets them: sample by sample, from the root. path: room for
 * the depth of the tree.
 */
static uint32_t move_stack(struct cpf_profile *p, const struct cpf_pb_apart *a, uint32_t leaf,
	uint32_t *known, uint32_t *path)
{
	uint32_t n = 0, node, at;

	for (node = leaf; node && !known[node]; node = a->parent[node])
		path[n++] = node;
	at = node ? known[node] : 0;
	while (n) {
		node = path[--n];
		at = known[node] = cpf_find_node(p, at, a->location[node]);
	}
	return at;
}

static void move_stacks(struct cpf_profile *p, const struct cpf_pb_apart *a)
{
	uint32_t *known = cpf_calloc(a->nnodes, sizeof(*known));
	uint32_t *path = cpf_realloc_array(NULL, a->nnodes, sizeof(*path));
	struct cpf_col nodes = {0};
	uint32_t i;

	for (i = 0; i < a->nleaves; i++)
		cpf_col_push_id(&nodes, move_stack(p, a, a->leaf[i], known, path));
	cpf_col_release(&p->samples.node);
	p->samples.node = nodes;
	cpf_profile_seal(p);
	cpf_free(known);
	cpf_free(path);
}

int cpf_pprof_model(struct cpf_profile *p, const char *name, struct cpf_err *e)
{
	/* What pprof files do not carry is no loss for a report. */
	struct cpf_diag unheard = {0};
	const char *from = p->nsources ? p->sources[0].format : "pprof";
	struct cpf_load_opts load = {.want = CPF_WANT_ALL_VALUES};
	struct cpf_pb_apart apart;
	struct cpf_input *in = NULL;
	struct cpf_output *out;
	char *data = NULL;
	size_t n;
	int ret;

	if (!strcmp(from, "pprof") || !strcmp(from, "gperftools"))
		return 0;
	if (cpf_output_memory(&out, 0, e))
		return -1;
	if (cpf_pb_write_apart(p, out, &apart, e)) {
		cpf_output_discard(out);
		cpf_pb_apart_release(&apart);
		return -1;
	}
	ret = cpf_output_take(out, &data, &n, e);
	cpf_profile_release(p);
	cpf_profile_init(p);
	if (!ret)
		ret = cpf_input_memory(&in, name, data, n, &unheard, e);
	if (!ret)
		ret = cpf_load_input(p, in, &load, &unheard, e);
	if (!ret)
		move_stacks(p, &apart);
	cpf_input_close(in);
	cpf_diag_release(&unheard);
	cpf_pb_apart_release(&apart);
	cpf_free(data);
	return ret;
}
