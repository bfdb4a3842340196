/*
 * threads.h - one row per process and thread: rows, values of every sample type, idle share, share
 * named, rows without stack.
 *
 * Idle is the share of the "wall" value in rows whose "cpu" value is 0: known only where the input
 * has both, that is, CPU deltas. Busiest first: by the magnitude of the profile's default type, then
 * name, then tid.
 */
#ifndef CPF_THREADS_H
#define CPF_THREADS_H

#include "base/base.h"
#include "reports/table.h"

#include <cpuprof/profile.h>

struct cpf_threads_opts {
	uint32_t type;         /* sorts, and weighs the share named */
	int all;               /* threads without samples, too */
	const char *unit;      /* for people; NULL: one per column as pprof chooses it */
	enum cpf_table_format format;
	const char *scope;
};

int cpf_threads(struct cpf_buf *out, const struct cpf_profile *p, const struct cpf_threads_opts *o,
	const struct cpf_diag *d, struct cpf_err *e) CPF_MUST_CHECK;

#endif
