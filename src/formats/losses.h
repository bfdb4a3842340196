/*
 * losses.h - what a profile holds and a format does not keep, in words.
 */
#ifndef CPF_LOSSES_H
#define CPF_LOSSES_H

#include "base/buf.h"

#include <cpuprof/format.h>

/*
 * Appends "12 markers, times of 312 samples, ..."; nothing if all is kept. Only what p holds can be
 * told: what its reader was asked to leave out (enum cpf_want) is not in it.
 */
void cpf_losses(struct cpf_buf *out, const struct cpf_profile *p, const struct cpf_format *f,
	const struct cpf_save_opts *o);

#endif
