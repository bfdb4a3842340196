/*
 * Debug information of an ELF file in memory: some hundred addresses of its code are looked up.
 * Each has one answer at most, with frames whose text ends.
 */
#include "base/base.h"

#include "symbolize/dwarf.h"

#ifdef CPF_WITH_LIBELF

#include <gelf.h>
#include <stdlib.h>

#define MOST 400

struct seen {
	uint8_t times[MOST];
	size_t n, bytes;
};

static void found(void *arg, size_t i, const struct cpf_sym_frame *f, size_t n)
{
	struct seen *s = arg;
	size_t k;

	if (i >= s->n || s->times[i]++ || !n)
		abort();
	for (k = 0; k < n; k++) {
		if (!f[k].name && k + 1 < n)
			abort();
		s->bytes += f[k].name ? strlen(f[k].name) : 0;
		s->bytes += f[k].file ? strlen(f[k].file) : 0;
		if (f[k].line < 0 || f[k].column < 0 || f[k].start_line < 0)
			abort();
	}
}

/* Evenly over the sections of code, at most 100 of each. */
static size_t addresses(Elf *elf, uint64_t *addr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t n = 0, i, step;

	while ((scn = elf_nextscn(elf, scn)) != NULL && n + 100 < MOST) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR))
			continue;
		step = (size_t)(sh.sh_size / 100) + 1;
		for (i = 0; i < 100 && i * step < sh.sh_size; i++)
			if (!n || sh.sh_addr + i * step > addr[n - 1])
				addr[n++] = sh.sh_addr + i * step;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t addr[MOST];
	struct seen s = {.n = 0};
	struct cpf_reason r = {0};
	struct cpf_dwarf *d;
	char *copy;
	Elf *elf;

	if (!size)
		return 0;
	copy = malloc(size);
	if (!copy)
		abort();
	memcpy(copy, data, size);
	elf_version(EV_CURRENT);
	elf = elf_memory(copy, size);
	if (elf) {
		d = cpf_dwarf_open(elf, "nowhere/fuzz", NULL, &r);
		if (d) {
			s.n = addresses(elf, addr);
			cpf_dwarf_lookup(d, addr, s.n, found, &s);
		} else if (!r.why) {
			abort();
		}
		cpf_dwarf_close(d);
		elf_end(elf);
	}
	free(copy);
	return 0;
}

#else

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return 0;
}

#endif
