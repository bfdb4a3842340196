#include "view/walk.h"

#include "base/mem.h"

void cpf_walk_init(struct cpf_walk *w, const struct cpf_profile *p)
{
	memset(w, 0, sizeof(*w));
	w->p = p;
	w->next = 1;
	w->on_path = cpf_calloc((size_t)p->nodes.n / 64 + 1, sizeof(*w->on_path));
	w->budget = (uint64_t)p->nodes.n * 4 + 1024;
}

void cpf_walk_release(struct cpf_walk *w)
{
	cpf_free(w->path);
	cpf_free(w->on_path);
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
	uint32_t n = w->p->nodes.n, i;

	cpf_free(w->on_path);
	w->on_path = NULL;
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

/* The parent is not on the path: enters the ancestors that are missing, upper ones first. */
static void enter_again(struct cpf_walk *w, uint32_t up)
{
	uint32_t missing = 0, at = up, i;

	while (at && !(w->on_path[at / 64] >> (at % 64) & 1)) {
		missing++;
		at = parent_of(w, at);
	}
	while (w->depth && w->path[w->depth - 1] != at) {
		w->depth--;
		w->on_path[w->path[w->depth] / 64] &= ~(UINT64_C(1) << (w->path[w->depth] % 64));
	}
	w->cut = w->depth;
	CPF_GROW(w->path, w->cap, (size_t)w->depth + missing + 1);
	for (i = missing, at = up; i--; at = parent_of(w, at)) {
		w->path[w->depth + i] = at;
		w->on_path[at / 64] |= UINT64_C(1) << (at % 64);
	}
	w->depth += missing;
	w->budget -= missing < w->budget ? missing : w->budget;
}

int cpf_walk_next(struct cpf_walk *w)
{
	uint32_t node = w->next, up;

	if (!w->on_path)
		return next_depth_first(w);
	if (node >= w->p->nodes.n)
		return 0;
	if (!w->budget) {
		turn_depth_first(w);
		return next_depth_first(w);
	}
	if (node >= w->block_end) {
		uint32_t n = w->p->nodes.n - node;

		n = n < CPF_WALK_BLOCK ? n : CPF_WALK_BLOCK;
		w->block = node;
		w->block_end = node + n;
		cpf_col_read32(&w->p->nodes.parent, node, n, w->parents);
	}
	up = w->parents[node - w->block];
	if (!up || w->on_path[up / 64] >> (up % 64) & 1) {
		while (w->depth && w->path[w->depth - 1] != up) {
			uint32_t gone = w->path[--w->depth];

			w->on_path[gone / 64] &= ~(UINT64_C(1) << (gone % 64));
		}
		w->cut = w->depth;
		CPF_GROW(w->path, w->cap, (size_t)w->depth + 1);
	} else {
		enter_again(w, up);
	}
	w->path[w->depth++] = node;
	w->on_path[node / 64] |= UINT64_C(1) << (node % 64);
	w->node = node;
	w->fresh = 1;
	w->next++;
	return 1;
}
