/*
 * ELF files: headers, ids, symbol tables, stubs, packed symbol tables. The file is one in memory.
 * Of what is found, the rules are checked: ranges hold what they answer for, names end.
 */
#include "symbolize/elf_debugdata.h"
#include "symbolize/elf_file.h"
#include "symbolize/elf_map.h"
#include "symbolize/elf_syms.h"

#include "base/mem.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef CPF_WITH_LIBELF

static void ask(struct cpf_symtab *t, const struct cpf_elf *f, uint64_t addr)
{
	struct cpf_symtab_answer a;

	if (!cpf_symtab_find(t, addr, &a))
		return;
	if (addr < a.start || addr >= a.end || !*a.name)
		abort();
	if (!cpf_symtab_has(t, addr, a.name) && strlen(a.name) < 1000)
		abort();
	(void)f;
}

static void ask_all(const struct cpf_elf *f)
{
	struct cpf_symtab *t = cpf_symtab_new();
	size_t i, k;

	cpf_elf_add_symbols(t, f);
	cpf_elf_add_stubs(t, f);
	cpf_symtab_finish(t, f->code, f->ncode);
	for (i = 0; i < f->ncode && i < 16; i++)
		for (k = 0; k < 64; k++)
			ask(t, f, f->code[i].start + k * 7);
	ask(t, f, 0);
	ask(t, f, UINT64_MAX);
	cpf_symtab_free(t);
}

static void map(const struct cpf_elf *f)
{
	struct cpf_module m = {0};
	struct cpf_reason r = {0};
	uint64_t addr[4] = {0, 0x1000, 0x401000, UINT64_MAX}, svma[4];
	uint8_t ok[4];

	m.name = m.path = "x";
	m.relative = 1;
	cpf_elf_map(f, &m, addr, 4, svma, ok, &r);
	m.relative = 0;
	cpf_elf_map(f, &m, addr, 4, svma, ok, &r);
	m.start = 0x1000;
	m.offset = 0x1000;
	cpf_elf_map(f, &m, addr, 4, svma, ok, &r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cpf_reason r = {0};
	struct cpf_elf *f, *inner;
	char id[34];
	void *copy;

	copy = cpf_malloc(size);
	memcpy(copy, data, size);
	if (cpf_elf_memory(&f, "x", copy, size, &r))
		return 0;
	cpf_elf_debug_id(f, id);
	ask_all(f);
	map(f);
	inner = cpf_elf_debugdata(f, &r);
	if (inner)
		ask_all(inner);
	cpf_elf_close(inner);
	cpf_elf_close(f);
	return 0;
}

#else

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return 0;
}

#endif
