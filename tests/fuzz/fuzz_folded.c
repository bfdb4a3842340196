/*
 * fuzz_folded.c - reads folded stacks; what is accepted has no fault, is written, read again and
 * written to the same bytes. The first byte chooses writer options.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/input.h"
#include "base/mem.h"
#include "base/output.h"
#include "core/check.h"
#include "core/dump.h"
#include "formats/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stop(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	abort();
}

/* 0 if it was read. */
static int read_text(struct cpf_profile *p, const void *data, size_t n)
{
	struct cpf_load_opts o = {.want = CPF_WANT_ALL};
	struct cpf_diag d = {0};
	struct cpf_err e = {0};
	struct cpf_input *in;
	int r;

	cpf_profile_init(p);
	d.limits.unpacked = 1 << 22;
	r = cpf_input_memory(&in, "fuzz", data, n, &d, &e);
	if (!r) {
		r = cpf_format_folded.read(in, p, &o, &d, &e);
		cpf_input_close(in);
	}
	cpf_diag_release(&d);
	cpf_profile_seal(p);
	if (!r && cpf_check_ok(p, &e))
		stop("fault", e.reason);
	return r;
}

static int write_text(const struct cpf_profile *p, const struct cpf_save_opts *o, char **data, size_t *n)
{
	struct cpf_output *out;
	struct cpf_err e = {0};

	if (cpf_output_memory(&out, 0, &e))
		stop("output", e.reason);
	if (cpf_format_folded.write(p, out, o, NULL, &e)) {
		cpf_output_discard(out);
		/* Sums of one stack can be larger than the sum of all. */
		if (e.code != CPF_E_RANGE)
			stop("write", e.reason);
		return -1;
	}
	if (cpf_output_take(out, data, n, &e))
		stop("take", e.reason);
	return 0;
}

static void same_dump(const struct cpf_profile *a, const struct cpf_profile *b)
{
	struct cpf_buf x = {0}, y = {0};

	cpf_dump(&x, a, CPF_KEEPS_EMPTY, CPF_NONE, CPF_DUMP_JOIN);
	cpf_dump(&y, b, CPF_KEEPS_EMPTY, CPF_NONE, CPF_DUMP_JOIN);
	if (x.n != y.n || memcmp(x.s, y.s, x.n))
		stop("round trip", "the stacks differ");
	cpf_buf_release(&x);
	cpf_buf_release(&y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cpf_save_opts o = {.type = CPF_NONE};
	struct cpf_profile p, q, r;
	char *first, *second, *third;
	size_t n, m, k;

	if (!size)
		return 0;
	o.marks = data[0] & 1;
	if (!read_text(&p, data + 1, size - 1) && !write_text(&p, &o, &first, &n)) {
		/* Nothing but zeros: no line, and an empty file is none. */
		if (n) {
			if (read_text(&q, first, n))
				stop("read", "what was written is refused");
			same_dump(&p, &q);
			if (write_text(&q, &o, &second, &m))
				stop("write", "what was read again is refused");
			if (read_text(&r, second, m))
				stop("read", "what was written twice is refused");
			if (write_text(&r, &o, &third, &k) || k != m || memcmp(second, third, m))
				stop("write", "the third text differs from the second");
			cpf_free(second);
			cpf_free(third);
			cpf_profile_release(&q);
			cpf_profile_release(&r);
		}
		cpf_free(first);
	}
	cpf_profile_release(&p);
	return 0;
}
