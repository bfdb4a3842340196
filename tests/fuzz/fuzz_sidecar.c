/*
 * fuzz_sidecar.c - reads names saved beside a recording and looks addresses up in each library: what
 * is answered is within the file's own texts, and a second look gives the same.
 */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/input.h"
#include "base/mem.h"
#include "symbolize/sidecar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const struct cpf_sidecar *s, const struct cpf_sidecar_lib *lib)
{
	static const uint64_t fixed[] = {0, 1, 4095, 4096, 4351, UINT64_MAX - 1, UINT64_MAX};
	uint64_t addr[64];
	struct cpf_sink a, b;
	size_t n = 0, i;

	for (i = 0; i < lib->nknown && n < 32; i++)
		addr[n++] = s->known[lib->known + i].address;
	for (i = 0; i < CPF_LEN(fixed); i++)
		addr[n++] = fixed[i];
	cpf_sink_init(&a, n);
	cpf_sink_init(&b, n);
	cpf_sidecar_lookup(s, lib, addr, n, &a);
	cpf_sidecar_lookup(s, lib, addr, n, &b);
	for (i = 0; i < n; i++) {
		if (a.answers[i].n != b.answers[i].n || (!a.answers[i].n && !a.answers[i].why) ||
			a.answers[i].first + a.answers[i].n > a.nframes) {
			fprintf(stderr, "answers differ, or lack a reason\n");
			abort();
		}
	}
	cpf_sink_release(&a);
	cpf_sink_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cpf_sidecar s = {0};
	struct cpf_diag d = {0};
	struct cpf_err e = {0};
	struct cpf_input *in;
	size_t i;
	int r;

	d.limits.unpacked = 1 << 22;
	if (!cpf_input_memory(&in, "fuzz", data, size, &d, &e)) {
		r = cpf_sidecar_read(&s, in, &e);
		for (i = 0; !r && i < s.nlibs && i < 16; i++)
			look(&s, &s.libs[i]);
		if (r && !e.reason[0]) {
			fprintf(stderr, "failed without a reason\n");
			abort();
		}
		cpf_sidecar_release(&s);
		cpf_input_close(in);
	}
	cpf_diag_release(&d);
	return 0;
}
