/*
 * folded_names.h - names of frames as folded stacks are written with, and their order. Private to
 * folded_*.c.
 *
 * Lines are in byte order, as LC_ALL=C sort leaves them: below one prefix, a frame's own line sorts
 * as "name " and its callees as "name;", and other names may come in between. Both texts of every
 * name are ranked once.
 */
#ifndef CPF_FOLDED_NAMES_H
#define CPF_FOLDED_NAMES_H

#include "core/strings.h"
#include "formats/folded.h"

struct cpf_folded_names {
	struct cpf_strings *names; /* as written */
	/* Location i has frames [start[i], start[i + 1]), at least one, outermost first. */
	uint32_t *start, *frame;   /* frame: its name; 0 if the location is not used */
	uint32_t *rank;            /* [2 * name]: "name ", [2 * name + 1]: "name;" */
	uint8_t *begins;           /* 1: another name starts with this one and a blank */
	uint32_t empty;            /* name of samples without stack */
	int guard;                 /* names that end in a number must not look like counts */
};

/*
 * used: per location, 1 if it is in a stack. raw: value column, of which negative and zero values
 * matter for what readers would take for counts. marks: _[k], _[i], _[j] behind names.
 */
void cpf_folded_names_build(struct cpf_folded_names *t, const struct cpf_profile *p,
	const uint8_t *used, uint32_t raw, int marks);
void cpf_folded_names_release(struct cpf_folded_names *t);

/* Number of frames of a node (node 0: a sample without stack); *name is that of frame k. */
static inline uint32_t cpf_folded_frames(const struct cpf_folded_names *t,
	const struct cpf_profile *p, cpf_id node, uint32_t k, uint32_t *name)
{
	uint32_t location, n;

	if (CPF_UNLIKELY(!node)) {
		*name = t->empty;
		return 1;
	}
	location = cpf_col_id(&p->nodes.location, node);
	n = t->start[location + 1] - t->start[location];
	*name = k < n ? t->frame[t->start[location] + k] : 0;
	return n;
}

#endif
