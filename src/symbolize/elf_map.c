#include "symbolize/elf_map.h"

#include "symbolize/kernel.h"

#ifdef CPF_WITH_LIBELF

static int is_loaded(const struct cpf_elf *f, uint64_t svma)
{
	size_t i;

	for (i = 0; i < f->nloads; i++)
		if (svma - f->loads[i].vaddr < f->loads[i].memsz)
			return 1;
	return 0;
}

static int all_loaded(const struct cpf_elf *f, const uint64_t *addr, size_t n, uint64_t add)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!is_loaded(f, addr[i] + add))
			return 0;
	return 1;
}

static size_t add_to_all(const uint64_t *addr, size_t n, uint64_t add, uint64_t *svma, uint8_t *ok)
{
	size_t i, done = 0;

	for (i = 0; i < n; i++) {
		svma[i] = addr[i] + add;
		ok[i] = (svma[i] >= addr[i]) == (add < UINT64_C(1) << 63);
		done += ok[i];
	}
	return done;
}

static size_t whole_memory(const struct cpf_elf *f, const uint64_t *addr, size_t n, uint64_t *svma,
        uint8_t *ok, struct cpf_reason *r)
{
	int linked = all_loaded(f, addr, n, 0), relative = all_loaded(f, addr, n, f->base);

	if (f->base && linked && relative) {
		cpf_reason(r, CPF_WHY_FAILED,
		        "%s: the profile does not say what its addresses are relative to", f->path);
		return 0;
	}
	return add_to_all(addr, n, relative && !linked ? f->base : 0, svma, ok);
}

static const struct cpf_elf_load *segment_of(const struct cpf_elf *f, uint64_t offset)
{
	const struct cpf_elf_load *found = NULL;
	size_t i;

	for (i = 0; i < f->nloads; i++) {
		const struct cpf_elf_load *l = &f->loads[i];

		if (offset >= l->offset && offset - l->offset < l->filesz &&
		        (!found || (l->exec && !found->exec)))
			found = l;
	}
	return found;
}

size_t cpf_elf_map(const struct cpf_elf *f, const struct cpf_module *m, const uint64_t *addr,
        size_t n, uint64_t *svma, uint8_t *ok, struct cpf_reason *r)
{
	const struct cpf_elf_load *l;
	size_t i, done = 0;
	uint64_t offset;

	if (!m->relative && cpf_is_kernel(m)) {
		/* Images of the kernel begin with _text. */
		if (!cpf_kernel_bias(m, f->base, 0, &offset))
			return add_to_all(addr, n, 0 - offset, svma, ok);
		cpf_reason(r, CPF_WHY_NO_ID,
			"%s: where the kernel lay when it was recorded is not known", f->path);
		memset(ok, 0, n);
		return 0;
	}
	if (m->relative)
		return add_to_all(addr, n, f->base, svma, ok);
	if (!m->start && !m->offset && (!m->limit || m->limit == UINT64_MAX))
		return whole_memory(f, addr, n, svma, ok, r);
	if (!f->has_code) {
		cpf_reason(r, CPF_WHY_NO_FILE,
		        "%s alone does not tell where the mapping lies: the file itself is missing",
		        f->path);
		memset(ok, 0, n);
		return 0;
	}
	for (i = 0; i < n; i++) {
		ok[i] = 0;
		if (addr[i] < m->start || (m->limit > m->start && addr[i] >= m->limit))
			continue;
		offset = addr[i] - m->start + m->offset;
		l = segment_of(f, offset);
		if (!l)
			continue;
		svma[i] = offset - l->offset + l->vaddr;
		ok[i] = 1;
		done++;
	}
	return done;
}

#endif
