/*
 * info.h - what a file is: who made it, what was measured, and how much of it has names.
 */
#ifndef CPF_INFO_H
#define CPF_INFO_H

#include "base/base.h"
#include "reports/coverage.h"
#include "reports/table.h"

#include <cpuprof/profile.h>

struct cpf_info_opts {
	int all;    /* libraries without frames, too */
	int json;
	const struct cpf_lib_reason *reasons; /* see coverage.h; NULL = not known */
};

int cpf_info(struct cpf_buf *out, const struct cpf_profile *p, const struct cpf_info_opts *o,
	const struct cpf_diag *d, struct cpf_err *e) CPF_MUST_CHECK;

#endif
