/*
 * graph.h - who calls whom, between the keys of a report; and the call tree.
 *
 * An edge goes from a key to the next one below it on a stack. It counts each sample once, however
 * often the pair occurs in its stack; a key has no edge to itself. If only some keys are kept, the
 * others are stepped over and edges across them are residual. Samples whose value (and divisor) is
 * 0 take no part. Sums wrap around.
 *
 * Nodes are the keys themselves: their values come from flat.h and do not depend on what is kept.
 */
#ifndef CPF_GRAPH_H
#define CPF_GRAPH_H

#include "view/keys.h"

struct cpf_edge {
	uint32_t src, dst;   /* keys */
	int64_t weight, div; /* raw sums of the value and of the divisor column */
	uint8_t residual;
	uint8_t inlined;     /* dst was inlined into src every time */
};

struct cpf_graph {
	struct cpf_edge *edges; /* in order of first occurrence in the stack tree */
	uint32_t n;
};

struct cpf_graph_opts {
	uint32_t raw;          /* value column */
	uint32_t div_raw;      /* divisor column, or CPF_NONE */
	const uint64_t *kept;  /* bit per key; NULL: all */
};

void cpf_graph_build(struct cpf_graph *g, const struct cpf_profile *p, const struct cpf_keys *k,
	const struct cpf_graph_opts *o);
void cpf_graph_release(struct cpf_graph *g);

/*
 * Edges by the node they start or end at: those of node i are edges[first[i]] up to but without
 * edges[first[i + 1]], in the order of the graph.
 */
struct cpf_links {
	uint32_t *first; /* n + 1 */
	uint32_t *edges;
};

/* n: nodes (keys). live: bit per edge, the others are left out; NULL: all. */
void cpf_links_build(struct cpf_links *in, struct cpf_links *out, const struct cpf_graph *g,
	uint32_t n, const uint64_t *live);
void cpf_links_release(struct cpf_links *l);

/*
 * The call tree: one node per path of keys from the root. Parents come before their children.
 * Samples whose value (and divisor) is 0 take no part; sums wrap around.
 */
struct cpf_call {
	uint32_t key;
	uint32_t parent;     /* CPF_NONE: called by nobody */
	int64_t flat, cum;   /* raw sums of the value column */
	int64_t flat_div, cum_div;
	uint8_t inlined;     /* into the parent, every time */
};

struct cpf_calls {
	struct cpf_call *calls;
	uint32_t n;
	uint32_t *of_node;   /* by stack node: the call of its leaf, CPF_NONE: none */
};

/* o->kept must be NULL. */
void cpf_calls_build(struct cpf_calls *c, const struct cpf_profile *p, const struct cpf_keys *k,
	const struct cpf_graph_opts *o);
void cpf_calls_release(struct cpf_calls *c);

#endif
