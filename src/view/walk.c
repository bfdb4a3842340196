#include "view/walk.h"

#include "base/mem.h"

void cpf_walk_init_part(
	struct cpf_walk *w, const struct cpf_profile *p, uint32_t from, uint32_t to)
{
	memset(w, 0, sizeof(*w));
	w->p = p;
	w->next = from;
	w->end = to;
	w->budget = (uint64_t)(to - from) * 4 + 1024;
}

void cpf_walk_init(struct cpf_walk *w, const struct cpf_profile *p)
{
	cpf_walk_init_part(w, p, 1, p->nodes.n);
}

void cpf_walk_release(struct cpf_walk *w)
{
	cpf_free(w->path);
	cpf_free(w->child);
	cpf_free(w->sibling);
	memset(w, 0, sizeof(*w));
}

static inline uint32_t parent_of(const struct cpf_walk *w, uint32_t node)
{
	return cpf_col_id(&w->p->nodes.parent, node);
}

/* From here on nodes below w->next have been visited and are only passed through. */
static void turn_depth_first(struct cpf_walk *w)
{
	uint32_t n = w->end, i;

	w->block_end = 0;
	w->child = cpf_calloc(n, sizeof(*w->child));
	w->sibling = cpf_calloc(n, sizeof(*w->sibling));
	for (i = n - 1; i > 0; i--) {
		uint32_t up = parent_of(w, i);

		w->sibling[i] = w->child[up];
		w->child[up] = i;
	}
	w->depth = 0;
	w->node = 0;
}

static int next_depth_first(struct cpf_walk *w)
{
	uint32_t to = w->child[w->node];

	w->cut = w->depth;
	while (!to) {
		if (!w->cut)
			return 0;
		to = w->sibling[w->path[--w->cut]];
	}
	CPF_GROW(w->path, w->cap, (size_t)w->cut + 1);
	w->path[w->cut] = to;
	w->depth = w->cut + 1;
	w->node = to;
	w->fresh = to >= w->next;
	return 1;
}

/* Cuts the path to what is above the next node, and enters the ancestors that are missing. */
static void enter_ancestors(struct cpf_walk *w, uint32_t up)
{
	uint32_t missing = 0, at = up, i;

	for (;;) {
		while (w->depth && w->path[w->depth - 1] > at)
			w->depth--;
		if (at == (w->depth ? w->path[w->depth - 1] : 0))
			break;
		missing++;
		at = parent_of(w, at);
	}
	w->cut = w->depth;
	CPF_GROW(w->path, w->cap, (size_t)w->depth + missing + 1);
	for (i = missing, at = up; i--; at = parent_of(w, at))
		w->path[w->depth + i] = at;
	w->depth += missing;
	w->budget -= missing < w->budget ? missing : w->budget;
}

int cpf_walk_slow(struct cpf_walk *w)
{
	uint32_t node = w->next;

	if (w->child)
		return next_depth_first(w);
	if (node >= w->end)
		return 0;
	if (!w->budget) {
		turn_depth_first(w);
		return next_depth_first(w);
	}
	if (node >= w->block_end) {
		uint32_t n = w->end - node;

		n = n < CPF_WALK_BLOCK ? n : CPF_WALK_BLOCK;
		w->block = node;
		w->block_end = node + n;
		cpf_col_read32(&w->p->nodes.parent, node, n, w->parents);
	}
	enter_ancestors(w, w->parents[node - w->block]);
	w->path[w->depth++] = node;
	w->node = node;
	w->fresh = 1;
	w->next++;
	return 1;
}
