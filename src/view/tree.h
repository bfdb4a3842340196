/*
 * tree.h - the call tree: stacks merged by their keys, from the roots down, or from the leaves up to
 * their callers. For flame graphs and trees of text.
 *
 * Rows are in preorder, children in the order of their names (bytes), so the tree depends on nothing
 * but what was measured. Numbers are raw (see profile.h) and never negative: samples below zero are
 * left out and counted, since a part of a picture cannot be smaller than nothing.
 */
#ifndef CPF_TREE_H
#define CPF_TREE_H

#include "base/buf.h"
#include "view/keys.h"

enum cpf_tree_root {
	CPF_TREE_ALL,     /* one root */
	CPF_TREE_THREAD,  /* a child of the root per thread name */
	CPF_TREE_PROCESS  /* a child per process name, threads below */
};

struct cpf_tree_opts {
	uint32_t raw;             /* value column */
	int inverted;             /* children are callers: leaves are next to the root */
	enum cpf_tree_root root;
	double min_share;         /* of the total, 0 to 1: smaller rows are left out with what is below */
	uint32_t max_depth;       /* rows deeper than this are left out; 0 = none are */
};

/*
 * A row. In an inverted tree self is what has no further caller: stacks that begin here.
 * total = self + hidden + the totals of the children.
 */
struct cpf_tree_row {
	uint32_t key;     /* of the keys; from keys.n on: texts[key - keys.n]; of row 0 CPF_NONE */
	uint32_t parent;  /* row; of row 0: 0 */
	uint32_t end;     /* the row behind the last one of the subtree */
	uint32_t depth;   /* of row 0: 0 */
	int64_t total;    /* always > 0, but for row 0 */
	int64_t self;
	int64_t hidden;   /* in children that were left out */
	int64_t inlined;  /* of total, where the frame is an inlined one */
};

struct cpf_tree {
	struct cpf_tree_row *rows;
	uint32_t n;              /* at least 1: row 0 is everything */
	struct cpf_buf *texts;   /* "(no stack)", then names of processes and threads */
	uint32_t ntexts;
	uint32_t *rank;          /* per key, keys.n + ntexts: place in the order of names */
	uint64_t hidden_rows;    /* rows left out, not counting those below them */
	int64_t hidden;          /* what they come to */
	uint64_t negative;       /* samples below zero */
	int64_t negative_sum;
	size_t cap;
};

/* CPF_E_RANGE if the sum of all values does not fit 64 bits. */
int cpf_tree_build(struct cpf_tree *t, const struct cpf_profile *p, const struct cpf_keys *k,
	const struct cpf_tree_opts *o, struct cpf_err *e) CPF_MUST_CHECK;
void cpf_tree_release(struct cpf_tree *t);
/* Leaves out rows below least, with what is below them, from a tree that is there. */
void cpf_tree_prune(struct cpf_tree *t, int64_t least);

/* Appends the name of the key of a row; "all" for row 0. */
void cpf_tree_name(const struct cpf_tree *t, const struct cpf_profile *p, const struct cpf_keys *k,
	uint32_t key, struct cpf_buf *out);

#endif
