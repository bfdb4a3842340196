/* Any file: read or refused, nothing beyond its end, no more slices than fit. */
#include "symbolize/macho.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *exact = malloc(n ? n : 1);
	struct cpf_err e = {0};
	struct cpf_macho m;
	uint64_t *starts;
	size_t nstarts, i;
	int ret;

	if (n)
		memcpy(exact, data, n);
	ret = cpf_macho_memory(&m, exact, n, &e);
	if ((ret < 0) != (e.code != CPF_OK) || (ret != 0) != (m.n == 0) || m.n > 44)
		abort();
	if (!ret && !cpf_macho_magic(exact, n))
		abort();
	cpf_macho_release(&m);
	cpf_macho_decode_starts(&starts, &nstarts, exact, n);
	for (i = 1; i < nstarts; i++)
		if (starts[i] <= starts[i - 1])
			abort();
	free(starts);
	free(exact);
	return 0;
}
