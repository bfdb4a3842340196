/*
 * fuzz_svg.c - reads flame graphs; what is accepted has no fault, is drawn whole and read again, and
 * comes to the same sum. The first byte chooses how it is drawn.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/input.h"
#include "base/mem.h"
#include "core/check.h"
#include "core/decimal.h"
#include "formats/formats.h"
#include "reports/flamegraph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stop(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	abort();
}

/* 0 if it was read. */
static int read_svg(struct cpf_profile *p, const void *data, size_t n, struct cpf_err *e)
{
	struct cpf_load_opts o = {.want = CPF_WANT_ALL};
	struct cpf_diag d = {0};
	struct cpf_err fault = {0};
	struct cpf_input *in;
	int r;

	cpf_profile_init(p);
	d.limits.unpacked = 1 << 24;
	r = cpf_input_memory(&in, "fuzz", data, n, &d, e);
	if (!r) {
		r = cpf_format_svg.read(in, p, &o, &d, e);
		cpf_input_close(in);
	}
	cpf_diag_release(&d);
	cpf_profile_seal(p);
	if (!r && cpf_check_ok(p, &fault))
		stop("fault", fault.reason);
	return r;
}

static void add_sum(struct cpf_buf *out, const struct cpf_profile *p)
{
	struct cpf_err e = {0};
	int overflow;

	if (cpf_buf_value(out, &p->types[0], cpf_col_sum(&p->samples.raw[0], &overflow), &e))
		stop("sum", e.reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cpf_flame_opts o = {.width = 1200, .scope = ""};
	struct cpf_buf svg = {0}, a = {0}, b = {0};
	struct cpf_diag d = {0};
	struct cpf_err e = {0}, again = {0};
	struct cpf_profile p, q;

	if (!size)
		return 0;
	o.inverted = data[0] & 1;
	o.colors = data[0] & 2 ? CPF_FLAME_LIB : CPF_FLAME_HASH;
	o.min_width = data[0] & 4 ? -1 : data[0] & 8 ? 5 : 0;
	if (!read_svg(&p, data + 1, size - 1, &e)) {
		if (!cpf_flamegraph(&svg, &p, &o, &d, &e)) {
			/* Stacks of callers may be longer together than the picture. */
			if (read_svg(&q, svg.s, svg.n, &again)) {
				if (again.code != CPF_E_LIMIT)
					stop("read again", again.reason);
			} else {
				add_sum(&a, &p);
				add_sum(&b, &q);
				if (strcmp(a.s, b.s))
					stop("sums", b.s);
			}
			cpf_profile_release(&q);
		} else if (e.code != CPF_E_RANGE && e.code != CPF_E_EMPTY) {
			stop("draw", e.reason);
		}
	}
	cpf_profile_release(&p);
	cpf_diag_release(&d);
	cpf_buf_release(&svg);
	cpf_buf_release(&a);
	cpf_buf_release(&b);
	return 0;
}
