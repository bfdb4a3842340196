/*
 * Reads bytes as one format; what is accepted must hold every invariant, be writable as pprof, be
 * accepted again, and be written the same again.
 */
#ifndef FUZZ_THROUGH_PPROF_H
#define FUZZ_THROUGH_PPROF_H

#include "base/base.h"

#include "base/input.h"
#include "base/mem.h"
#include "base/output.h"
#include "core/check.h"

#include <cpuprof/format.h>

#include <stdio.h>
#include <stdlib.h>

static void demand(int holds, const char *what, const struct cpf_err *e)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s: %s\n", what, e->where, e->reason);
	abort();
}

/* 0 if accepted; p is initialised in either case. */
static int fuzz_read(struct cpf_profile *p, const char *format, const void *data, size_t n,
	struct cpf_diag *d, struct cpf_err *e)
{
	static const struct cpf_load_opts all = {.want = CPF_WANT_ALL};
	struct cpf_input *in;
	int bad;

	cpf_profile_init(p);
	if (cpf_input_memory(&in, "fuzz", data, n, d, e))
		return -1;
	bad = cpf_format_by_name(format)->read(in, p, &all, d, e);
	cpf_profile_seal(p);
	cpf_input_close(in);
	return bad;
}

/* -1: a sum does not fit 64 bits, which is allowed. */
static int fuzz_write(const struct cpf_profile *p, char **out, size_t *n, struct cpf_diag *d)
{
	static const struct cpf_save_opts o = {.type = CPF_NONE};
	struct cpf_err e = {0};
	struct cpf_output *to;

	demand(!cpf_output_memory(&to, 0, &e), "output", &e);
	if (cpf_format_by_name("pprof")->write(p, to, &o, d, &e)) {
		demand(e.code == CPF_E_RANGE, "write", &e);
		cpf_output_discard(to);
		return -1;
	}
	demand(!cpf_output_take(to, out, n, &e), "take", &e);
	return 0;
}

static CPF_UNUSED void through_pprof(const char *format, const uint8_t *data, size_t size)
{
	struct cpf_diag d = {.limits = {.unpacked = (uint64_t)64 << 20}};
	struct cpf_profile p, again;
	struct cpf_err e = {0};
	char *one, *two;
	size_t n, n2;

	if (!fuzz_read(&p, format, data, size, &d, &e)) {
		demand(!cpf_check_ok(&p, &e), "check", &e);
		if (!fuzz_write(&p, &one, &n, &d)) {
			demand(!fuzz_read(&again, "pprof", one, n, &d, &e), "read again", &e);
			demand(!cpf_check_ok(&again, &e), "check again", &e);
			demand(!fuzz_write(&again, &two, &n2, &d), "write again", &e);
			demand(n == n2 && !memcmp(one, two, n), "not the same", &e);
			cpf_profile_release(&again);
			cpf_free(one);
			cpf_free(two);
		}
	} else {
		demand(e.code != CPF_OK && e.reason[0], "no reason", &e);
	}
	cpf_profile_release(&p);
	cpf_diag_release(&d);
}

#endif
