/*
 * walk.h - visits every stack node once, with the path from the root to it at hand.
 *
 * Nodes are taken in table order, which costs next to nothing if a table is written the way stacks
 * are met (a node follows its parent closely). Tables that jump between deep branches would cost a
 * walk of the path per node: after a few entries per node the rest is visited depth first over
 * child lists, so that the whole is O(nodes) whatever the order.
 *
 * Each step cuts the path to `cut` entries and then adds entries up to `depth`. The last one is
 * visited for the first time if `fresh` is set; the others were visited before and are entered
 * again only to make the path complete.
 *
 *     struct cpf_walk w;
 *     cpf_walk_init(&w, p);
 *     for (was = 0; cpf_walk_next(&w); was = w.depth) {
 *             while (was > w.cut) leave(w's former entry was--)
 *             for (d = w.cut; d < w.depth; d++) enter(w.path[d], w.fresh && d + 1 == w.depth)
 *     }
 *     cpf_walk_release(&w);
 */
#ifndef CPF_WALK_H
#define CPF_WALK_H

#include "base/base.h"

#include <cpuprof/profile.h>

#define CPF_WALK_BLOCK 1024

struct cpf_walk {
	const struct cpf_profile *p;
	uint32_t *path;          /* node ids, root side first, rising; node 0 is not in it */
	size_t cap;
	uint32_t depth, cut;
	uint32_t node;           /* path[depth - 1] */
	int fresh;
	uint32_t next, end;      /* next node in table order; where to stop */
	uint32_t parents[CPF_WALK_BLOCK];
	uint32_t block, block_end; /* nodes that parents[] holds */
	uint64_t budget;         /* entries left before the walk turns depth first */
	uint32_t *child, *sibling; /* depth first only */
};

void cpf_walk_init(struct cpf_walk *w, const struct cpf_profile *p);
/* Only nodes [from, to) are visited; 0 < from. */
void cpf_walk_init_part(
	struct cpf_walk *w, const struct cpf_profile *p, uint32_t from, uint32_t to);
void cpf_walk_release(struct cpf_walk *w);
/* The part of cpf_walk_next for what is not common. */
int cpf_walk_slow(struct cpf_walk *w);

/* 1 and a step, or 0 at the end. */
static inline int cpf_walk_next(struct cpf_walk *w)
{
	uint32_t node = w->next, d = w->depth, up;

	if (CPF_UNLIKELY(node >= w->block_end))
		return cpf_walk_slow(w);
	/* Ids rise along the path, so what is larger than the parent is not above it. */
	up = w->parents[node - w->block];
	while (d && w->path[d - 1] > up)
		d--;
	if (CPF_UNLIKELY((d ? w->path[d - 1] : 0) != up || d == w->cap))
		return cpf_walk_slow(w);
	w->cut = d;
	w->path[d] = w->node = node;
	w->depth = d + 1;
	w->fresh = 1;
	w->next++;
	return 1;
}

#endif
