#include "symbolize/elf_debugdata.h"

#include "base/mem.h"

#ifdef CPF_WITH_LIBELF
#ifdef CPF_WITH_LZMA

#include <lzma.h>

/* Symbol tables pack to a fifth or so; what grows far beyond is made to. */
#define GROWTH   200
#define DICT_MAX (UINT64_C(128) << 20)

static size_t unpack(char **out, const void *data, size_t n)
{
	lzma_stream z = LZMA_STREAM_INIT;
	size_t cap = 0,
	       max = n > (SIZE_MAX >> 1) / GROWTH ? SIZE_MAX >> 1 : n * GROWTH + (1u << 16);
	lzma_ret ret;

	*out = NULL;
	if (lzma_stream_decoder(&z, DICT_MAX, 0) != LZMA_OK)
		return 0;
	z.next_in = data;
	z.avail_in = n;
	do {
		*out = cpf_grow(*out, &cap, (size_t)z.total_out + (1u << 16), 1);
		z.next_out = (uint8_t *)*out + z.total_out;
		z.avail_out = cap - (size_t)z.total_out;
		ret = lzma_code(&z, LZMA_FINISH);
	} while (ret == LZMA_OK && z.total_out < max);
	n = ret == LZMA_STREAM_END ? (size_t)z.total_out : 0;
	lzma_end(&z);
	return n;
}

struct cpf_elf *cpf_elf_debugdata(const struct cpf_elf *f, struct cpf_reason *r)
{
	struct cpf_elf *inner = NULL;
	const void *packed;
	char *data;
	size_t n;

	packed = cpf_elf_section(f, ".gnu_debugdata", &n);
	if (!packed)
		return NULL;
	n = unpack(&data, packed, n);
	if (!n) {
		cpf_free(data);
		cpf_reason(r, CPF_WHY_FAILED, "%s: .gnu_debugdata cannot be unpacked", f->path);
		return NULL;
	}
	cpf_elf_memory(&inner, f->path, data, n, r);
	return inner;
}

#else

struct cpf_elf *cpf_elf_debugdata(const struct cpf_elf *f, struct cpf_reason *r)
{
	size_t n;

	if (cpf_elf_section(f, ".gnu_debugdata", &n))
		cpf_reason(r, CPF_WHY_UNSUPPORTED,
		        "%s: .gnu_debugdata not read (built without liblzma)", f->path);
	return NULL;
}

#endif
#endif
