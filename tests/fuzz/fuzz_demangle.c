/* Any name: nothing crashes; what comes out is bounded, the same each time, and not empty. */
#include "core/demangle.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const enum cpf_demangle_mode modes[] = {
		CPF_DEMANGLE_SIMPLE, CPF_DEMANGLE_TEMPLATES, CPF_DEMANGLE_FULL,
		CPF_DEMANGLE_SIGNATURE};
	struct cpf_buf a = {0}, b = {0};
	char *name = calloc(1, n + 1);
	size_t i;

	if (n)
		memcpy(name, data, n);
	for (i = 0; i < CPF_LEN(modes); i++) {
		int got = cpf_demangle(&a, name, modes[i]);

		if (got != cpf_demangle(&b, name, modes[i]) || a.n != b.n || a.n > 3 << 20 ||
			(got && !a.n))
			abort();
		if (a.n && memcmp(a.s, b.s, a.n) != 0)
			abort();
		cpf_buf_clear(&a);
		cpf_buf_clear(&b);
	}
	if (cpf_shown_name(&a, name) != (a.n > 0) || a.n > 3 << 20)
		abort();
	cpf_buf_release(&a);
	cpf_buf_release(&b);
	free(name);
	return 0;
}
