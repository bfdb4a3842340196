/*
 * fuzz_firefox.c - any bytes through the Firefox reader; what it accepts must hold together, and what
 * is written of it must be read and written again as the same bytes.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

#include <cpuprof/format.h>

#include "base/input.h"
#include "base/mem.h"
#include "base/output.h"
#include "core/check.h"
#include "formats/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds, const char *what, const struct cpf_err *e)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %s: %s\n", what, e->where, e->reason);
	abort();
}

static int read_bytes(struct cpf_profile *p, const void *data, size_t n,
	const struct cpf_load_opts *o, struct cpf_err *e)
{
	struct cpf_diag d = {.limits = {.unpacked = 1 << 24}};
	struct cpf_input *in;
	int bad;

	cpf_profile_init(p);
	e->byte = CPF_NO_POS;
	bad = cpf_input_memory(&in, "fuzz", data, n, &d, e);
	if (!bad) {
		bad = cpf_format_firefox.read(in, p, o, &d, e);
		cpf_profile_seal(p);
		cpf_input_close(in);
	}
	cpf_diag_release(&d);
	return bad;
}

/* NULL: refused, which is for no samples, and for numbers out of range. */
static char *write_bytes(const struct cpf_profile *p, int version, size_t *n)
{
	struct cpf_save_opts o = {.type = CPF_NONE, .firefox_version = version};
	struct cpf_output *out;
	struct cpf_diag d = {0};
	struct cpf_err e = {0};
	char *data = NULL;

	demand(!cpf_output_memory(&out, 0, &e), "output", &e);
	if (cpf_format_firefox.write(p, out, &o, &d, &e)) {
		demand(e.code == CPF_E_EMPTY || e.code == CPF_E_RANGE, "write", &e);
		cpf_output_discard(out);
	} else {
		demand(!cpf_output_take(out, &data, n, &e), "take", &e);
	}
	cpf_diag_release(&d);
	return data;
}

/* Reads what was written, and writes it again. NULL: as above. */
static char *again(const char *data, size_t n, int version, size_t *m)
{
	const struct cpf_load_opts all = {.want = CPF_WANT_ALL, .keep_cpu_tracks = 1};
	struct cpf_profile q;
	struct cpf_err e = {0};
	char *out;

	demand(!read_bytes(&q, data, n, &all, &e), "read again", &e);
	demand(!cpf_check_ok(&q, &e), "check again", &e);
	out = write_bytes(&q, version, m);
	cpf_profile_release(&q);
	return out;
}

/*
 * Samples in order of time may begin with another CPU delta, which does not count if it is too long
 * for a first one; so it is the third text that has to be the second.
 */
static void and_back(const struct cpf_profile *p, int version)
{
	struct cpf_err e = {0};
	size_t n, m, k;
	char *one = write_bytes(p, version, &n), *two = NULL, *three;

	if (one)
		two = again(one, n, version, &m);
	if (two && (n != m || memcmp(one, two, n) != 0)) {
		three = again(two, m, version, &k);
		demand(three && m == k && !memcmp(two, three, m), "not the same", &e);
		cpf_free(three);
	}
	cpf_free(one);
	cpf_free(two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cpf_load_opts o = {.want = CPF_WANT_ALL};
	struct cpf_profile p;
	struct cpf_err e = {0};

	/* The length picks what is asked for, so that each seed sees several ways through. */
	if (size % 4 == 1)
		o.want = 0;
	o.keep_cpu_tracks = size % 4 == 2;
	if (!read_bytes(&p, data, size, &o, &e)) {
		demand(!cpf_check_ok(&p, &e), "check", &e);
		and_back(&p, size % 2 ? 60 : 49);
	}
	cpf_profile_release(&p);
	return 0;
}
