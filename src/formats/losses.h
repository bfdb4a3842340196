/*
 * losses.h - what a profile holds and a format does not keep: a list for people and for machines.
 */
#ifndef CPF_LOSSES_H
#define CPF_LOSSES_H

#include "base/buf.h"

#include <cpuprof/format.h>

/* One thing that is lost, e.g. "markers", 12, "12 markers". */
struct cpf_loss {
	const char *kind; /* stable word for machines; static storage */
	uint64_t count;   /* how many of them; of what is not counted: 1 */
	char *text;       /* owned */
};

struct cpf_losses {
	struct cpf_loss *v;
	size_t n, cap;
};

/*
 * Adds all that f does not keep of p. Only what p holds can be told: what its reader was asked to leave
 * out (enum cpf_want) is not in it.
 */
void cpf_losses_find(struct cpf_losses *l, const struct cpf_profile *p, const struct cpf_format *f,
	const struct cpf_save_opts *o);
/* Adds those that the writer noted (CPF_LOSS), but none of a kind that is there already. */
void cpf_losses_noted(struct cpf_losses *l, const struct cpf_diag *notes);
/* Appends "12 markers, times of 312 samples, ..."; nothing if all is kept. */
void cpf_losses_text(struct cpf_buf *out, const struct cpf_losses *l);
void cpf_losses_release(struct cpf_losses *l);

#endif
