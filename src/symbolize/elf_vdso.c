#include "symbolize/elf_vdso.h"

#include "base/mem.h"
#include "symbolize/elf_find.h"

#ifdef CPF_WITH_LIBELF

#ifdef __linux__
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#endif

static int is_vdso(const char *name)
{
	const char *slash = strrchr(name, '/');

	name = slash ? slash + 1 : name;
	return !strcmp(name, "[vdso]") || !strncmp(name, "linux-vdso", 10) ||
	       !strncmp(name, "linux-gate", 10);
}

#ifdef __linux__

/* A copy, of the segment as it lies in memory: headers, sections and contents are all in it. */
static void *own_vdso(size_t *n)
{
	uintptr_t at = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *eh = (const ElfW(Ehdr) *)at;
	const ElfW(Phdr) * ph;
	size_t size = 0, end;
	unsigned i;
	void *copy;

	if (!at || memcmp(eh->e_ident, ELFMAG, SELFMAG))
		return NULL;
	ph = (const ElfW(Phdr) *)(at + eh->e_phoff);
	for (i = 0; i < eh->e_phnum; i++) {
		end = (size_t)ph[i].p_offset + (size_t)ph[i].p_filesz;
		if (ph[i].p_type == PT_LOAD && end > size)
			size = end;
	}
	/* Section headers lie behind the segment, in the same page or the next. */
	end = (size_t)eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize;
	if (eh->e_shnum && end > size && (end - 1) / 4096 == (size - 1) / 4096)
		size = end;
	copy = cpf_malloc(size);
	memcpy(copy, (const void *)at, size);
	*n = size;
	return copy;
}

#else

static void *own_vdso(size_t *n)
{
	*n = 0;
	return NULL;
}

#endif

int cpf_vdso(struct cpf_elf **out, const struct cpf_module *m, struct cpf_reason *r)
{
	uint8_t id[CPF_ELF_ID_MAX];
	char own[34] = "", has[2 * CPF_ELF_ID_MAX + 1], want[2 * CPF_ELF_ID_MAX + 1];
	struct cpf_elf *f;
	size_t n, size;
	void *data;

	if (!is_vdso(m->name) && !is_vdso(m->path))
		return 0;
	data = own_vdso(&size);
	if (!data || cpf_elf_memory(&f, "vdso of this machine", data, size, r))
		return 0;
	n = cpf_module_id(id, m);
	if (n ? n == f->nid && !memcmp(id, f->id, n)
	      : f->nid && cpf_elf_debug_id(f, own) && !strcmp(own, m->debug_id)) {
		*out = f;
		return 1;
	}
	cpf_hex(has, f->id, f->nid);
	cpf_hex(want, id, n);
	if (n)
		cpf_reason(r, CPF_WHY_ID_DIFFERS, "%s: build id %s, recorded is %s", f->path, has,
		        want);
	else
		cpf_reason(r, CPF_WHY_NO_ID, "%s: the profile has no build id to compare", f->path);
	cpf_elf_close(f);
	return 0;
}

#endif
