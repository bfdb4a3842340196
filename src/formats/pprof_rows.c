/* Samples of equal stack, thread and labels become one row, in the order of the first of them. */
#include "base/base.h"

#include "base/mem.h"
#include "formats/pprof_write.h"

static uint64_t hash2(uint32_t a, uint32_t b)
{
	return cpf_hash_mix(cpf_hash_seed(), (uint64_t)a << 32 | b);
}

/*
 * Node tables may hold equal nodes. Sends each to the first of its kind, parents first, and makes
 * those the parents. A node right behind its parent is found by looking there and stays out of the
 * index, which saves most of it.
 */
static uint32_t *join_nodes(struct cpf_pb_plan *plan)
{
	uint32_t n = plan->p->nodes.n, *canon = cpf_realloc_array(NULL, n, sizeof(*canon));
	uint32_t i, id, parent, location;
	struct cpf_rowset index = {0};
	struct cpf_rowset_it it;
	uint64_t h;

	for (i = 2, id = 0; i < n; i++)
		id += plan->parent[i] + 1 != i;
	cpf_rowset_reserve(&index, id);
	canon[0] = 0;
	for (i = 1; i < n; i++) {
		parent = plan->parent[i] = canon[plan->parent[i]];
		location = plan->location[i];
		id = parent + 1;
		if (id < i && canon[id] == id && plan->parent[id] == parent &&
			plan->location[id] == location) {
			canon[i] = id;
			continue;
		}
		h = hash2(parent, location);
		for (id = cpf_rowset_first(&index, h, &it); id != CPF_ROWSET_END;
			id = cpf_rowset_next(&index, &it))
			if (plan->parent[id] == parent && plan->location[id] == location)
				break;
		canon[i] = id == CPF_ROWSET_END ? i : id;
		if (canon[i] == i && i != parent + 1)
			cpf_rowset_add(&index, h, i);
	}
	cpf_rowset_release(&index);
	return canon;
}

/* Most nodes have samples of one thread and label set: of others only, the index knows. */
struct joiner {
	struct cpf_pb_plan *plan;
	const uint32_t *canon;
	uint32_t *first;         /* per node: its first row + 1, 0 = none yet */
	struct cpf_rowset index; /* of rows that are not the first of their node */
	size_t sample_cap, sums_cap;
};

static uint32_t add_row(struct joiner *j, uint32_t sample)
{
	struct cpf_pb_rows *rows = &j->plan->rows;
	size_t nraw = j->plan->p->samples.nraw;
	uint32_t row = rows->n++;

	CPF_GROW(rows->sample, j->sample_cap, (size_t)row + 1);
	rows->sample[row] = sample;
	CPF_GROW(rows->sums, j->sums_cap, ((size_t)row + 1) * nraw);
	if (nraw)
		memset(rows->sums + (size_t)row * nraw, 0, nraw * sizeof(*rows->sums));
	return row;
}

static uint32_t find_row(struct joiner *j, uint32_t sample)
{
	const struct cpf_samples *s = &j->plan->p->samples;
	const uint32_t *of = j->plan->rows.sample;
	uint32_t node = j->canon[cpf_col_id(&s->node, sample)], row = j->first[node], other;
	uint32_t thread = cpf_col_id(&s->thread, sample), labels = cpf_col_id(&s->labels, sample);
	struct cpf_rowset_it it;
	uint64_t h;

	if (!row) {
		row = add_row(j, sample);
		j->first[node] = row + 1;
		return row;
	}
	other = of[--row];
	if (cpf_col_id(&s->thread, other) == thread && cpf_col_id(&s->labels, other) == labels)
		return row;
	h = cpf_hash_mix(hash2(thread, labels), node);
	for (row = cpf_rowset_first(&j->index, h, &it); row != CPF_ROWSET_END;
		row = cpf_rowset_next(&j->index, &it)) {
		other = of[row];
		if (j->canon[cpf_col_id(&s->node, other)] == node &&
			cpf_col_id(&s->thread, other) == thread &&
			cpf_col_id(&s->labels, other) == labels)
			return row;
	}
	row = add_row(j, sample);
	cpf_rowset_add(&j->index, h, row);
	return row;
}

int cpf_pb_plan_rows(struct cpf_pb_plan *plan, struct cpf_err *e)
{
	const struct cpf_samples *s = &plan->p->samples;
	uint32_t *canon = join_nodes(plan), i, k;
	struct joiner j = {.plan = plan, .canon = canon};
	int64_t *sums;
	int bad = 0;

	plan->rows.n = 0;
	j.first = cpf_calloc(plan->p->nodes.n, sizeof(*j.first));
	for (i = 0; i < s->n && !bad; i++) {
		size_t at = (size_t)find_row(&j, i) * s->nraw;

		for (k = 0; k < s->nraw && !bad; k++) {
			sums = plan->rows.sums + at + k;
			bad = cpf_add64(sums, *sums, cpf_col_get(&s->raw[k], i));
		}
	}
	if (bad)
		cpf_fail(e, CPF_E_RANGE, "the sum of equal samples does not fit 64 bits");
	cpf_rowset_release(&j.index);
	cpf_free(j.first);
	cpf_free(canon);
	return bad ? -1 : 0;
}
