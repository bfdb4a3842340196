/*
 * pprof_stacks.c - stacks of samples to nodes of the tree, in a thread of their own: finding a node
 * waits for memory most of the time, and decoding the next samples does not depend on it.
 */
#include "formats/pprof_read.h"

/* A piece is handed over with so many stacks or ids: what fits a core's own cache. */
enum { PIECE_STACKS = 4096, PIECE_IDS = 32768 };

static uint64_t node_hash(uint32_t parent, uint32_t loc)
{
	return cpf_hash_mix(cpf_hash_seed(), (uint64_t)parent << 32 | loc);
}

/*
 * Most nodes continue the stack that was just being added, so their id is that of their parent plus
 * one. These are found by looking there; only the other children of a node are in the index.
 */
static inline uint32_t find_child(const struct cpf_pb_stacks *t, uint32_t parent, uint32_t loc)
{
	struct cpf_rowset_it it;
	uint32_t id = parent + 1;

	if (id < t->n && t->loc[id] == loc && t->parent[id] == parent)
		return id;
	for (id = cpf_rowset_first(&t->nodes, node_hash(parent, loc), &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&t->nodes, &it))
		if (t->parent[id] == parent && t->loc[id] == loc)
			return id;
	return CPF_NONE;
}

static inline uint32_t add_child(struct cpf_pb_stacks *t, uint32_t parent, uint32_t loc)
{
	uint32_t id = t->n;

	CPF_GROW(t->parent, t->parent_cap, (size_t)id + 1);
	CPF_GROW(t->loc, t->loc_cap, (size_t)id + 1);
	t->parent[id] = parent;
	t->loc[id] = loc;
	if (id != parent + 1)
		cpf_rowset_add(&t->nodes, node_hash(parent, loc), id);
	t->n++;
	return id;
}

/* The node of n ids at cur, leaf first, on top of those shared with the stack before. */
static uint32_t stack_node(struct cpf_pb_stacks *t, const uint32_t *cur, size_t n, size_t shared)
{
	size_t i = shared, most, all = n + shared;
	uint32_t node, child, loc;

	if (!all)
		return 0;
	CPF_GROW(t->last, t->last_cap, all);
	CPF_GROW(t->last_node, t->last_node_cap, all);
	most = all < t->depth ? all : t->depth;
	while (i < most && cur[all - 1 - i] == t->last[i])
		i++;
	t->depth = all;
	node = i ? t->last_node[i - 1] : 0;
	for (; i < all; i++) {
		loc = cur[all - 1 - i];
		child = find_child(t, node, loc);
		if (child == CPF_NONE)
			break;
		t->last[i] = loc;
		t->last_node[i] = node = child;
	}
	for (; i < all; i++) {
		t->last[i] = cur[all - 1 - i];
		t->last_node[i] = node = add_child(t, node, t->last[i]);
	}
	return node;
}

static void add_piece(void *arg, unsigned slot)
{
	struct cpf_pb_stacks *t = arg;
	struct cpf_pb_piece *p = &t->piece[slot];
	const uint32_t *ids = p->ids;
	size_t i;

	for (i = 0; i < p->n; i++) {
		cpf_col_push_id(
			t->out, stack_node(t, ids, p->stacks[i].n, p->stacks[i].shared));
		ids += p->stacks[i].n;
	}
	p->n = 0;
	p->nids = 0;
}

void cpf_pb_stacks_init(struct cpf_pb_stacks *t, struct cpf_col *out)
{
	CPF_GROW(t->parent, t->parent_cap, 1);
	CPF_GROW(t->loc, t->loc_cap, 1);
	t->parent[0] = 0;
	t->loc[0] = CPF_NONE;
	t->n = 1;
	t->most = 1;
	t->out = out;
	/* So that it is there before two threads ask for it. */
	cpf_hash_seed();
	cpf_lane_init(&t->lane, add_piece, t);
	t->now = &t->piece[cpf_lane_slot(&t->lane)];
}

static void hand_over(struct cpf_pb_stacks *t)
{
	cpf_lane_give(&t->lane);
	t->now = &t->piece[cpf_lane_slot(&t->lane)];
}

int cpf_pb_stacks_add(struct cpf_pb_stacks *t, uint32_t shared, size_t n)
{
	struct cpf_pb_piece *p = t->now;

	if (CPF_UNLIKELY(n + shared > UINT32_MAX - 1 - t->most)) {
		cpf_pb_stacks_finish(t);
		t->most = t->n;
		p = t->now;
		if (n + shared > UINT32_MAX - 1 - t->most)
			return -1;
	}
	/* There is an array to point into even if no stack has ids of its own. */
	CPF_GROW(p->ids, p->ids_cap, 1);
	CPF_GROW(p->stacks, p->cap, p->n + 1);
	p->stacks[p->n].shared = shared;
	p->stacks[p->n++].n = (uint32_t)n;
	p->nids += n;
	t->most += n;
	if (p->n >= PIECE_STACKS || p->nids >= PIECE_IDS)
		hand_over(t);
	return 0;
}

void cpf_pb_stacks_finish(struct cpf_pb_stacks *t)
{
	if (t->now->n)
		hand_over(t);
	cpf_lane_stop(&t->lane);
}

void cpf_pb_stacks_release(struct cpf_pb_stacks *t)
{
	size_t i;

	cpf_lane_stop(&t->lane);
	for (i = 0; i < CPF_LEN(t->piece); i++) {
		cpf_free(t->piece[i].ids);
		cpf_free(t->piece[i].stacks);
	}
	cpf_free(t->parent);
	cpf_free(t->loc);
	cpf_rowset_release(&t->nodes);
	cpf_free(t->last);
	cpf_free(t->last_node);
	memset(t, 0, sizeof(*t));
}
