/*
 * fuzz_firefox.c - any bytes through the Firefox reader; what it accepts must hold together.
 */
#include "base/base.h"

#include <stdlib.h>

#include <cpuprof/format.h>

#include "base/input.h"
#include "core/check.h"
#include "formats/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cpf_load_opts o = {.want = CPF_WANT_ALL};
	struct cpf_err e = {.byte = CPF_NO_POS}, broken = {0};
	struct cpf_diag d = {.limits = {.unpacked = 1 << 22}};
	struct cpf_profile p;
	struct cpf_input *in;

	/* The length picks what is asked for, so that each seed sees several ways through. */
	if (size % 4 == 1)
		o.want = 0;
	o.keep_cpu_tracks = size % 4 == 2;
	if (cpf_input_memory(&in, "fuzz", data, size, &d, &e)) {
		cpf_diag_release(&d);
		return 0;
	}
	cpf_profile_init(&p);
	if (!cpf_format_firefox.read(in, &p, &o, &d, &e) && cpf_check_ok(&p, &broken))
		abort();
	cpf_profile_release(&p);
	cpf_input_close(in);
	cpf_diag_release(&d);
	return 0;
}
