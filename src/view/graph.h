/*
 * graph.h - who calls whom, between the keys of a report.
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

#endif
