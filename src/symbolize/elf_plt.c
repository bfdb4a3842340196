#include "symbolize/elf_syms.h"

#include "base/buf.h"
#include "base/mem.h"

#ifdef CPF_WITH_LIBELF

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>

/*
 * Calls of functions in other libraries go through stubs that jump to an address in the global
 * offset table. Stubs have no symbols. What a stub is for follows from its code: the slot it loads,
 * and the relocation that fills this slot.
 */

struct slot {
	uint64_t at;      /* address of the slot */
	const char *name; /* borrowed from the file */
	uint64_t target;  /* of a relocation without symbol: the resolver (IRELATIVE) */
};

struct plt {
	struct cpf_symtab *syms;
	const struct cpf_elf *f;
	struct slot *slots; /* by address */
	size_t n, cap;
	struct slot *jumps; /* of .rela.plt, in file order: what pushed numbers mean */
	size_t njumps, jumps_cap;
	uint64_t got; /* .got.plt, the base of i386 stubs in shared code */
	struct cpf_buf name;
};

/* Relocations. */

/* The address of a relocation against no symbol is one for an indirect function of this file. */
static int is_irelative(unsigned machine, uint32_t type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_IRELATIVE;
	case EM_386:
		return type == R_386_IRELATIVE;
	case EM_AARCH64:
		return type == R_AARCH64_IRELATIVE;
	default:
		return 0;
	}
}

static void add_slot(struct plt *p, const Elf_Data *syms, const Elf_Data *strings, uint64_t at,
        uint64_t info, uint64_t addend, int jump)
{
	struct slot slot = {0};
	GElf_Sym sym;
	uint64_t index = GELF_R_SYM(info);

	slot.at = at;
	if (!index && is_irelative(p->f->machine, (uint32_t)GELF_R_TYPE(info))) {
		slot.target = addend;
	} else if (index && index < INT32_MAX && syms &&
	           gelf_getsym((Elf_Data *)syms, (int)index, &sym) && strings && strings->d_buf &&
	           sym.st_name < strings->d_size &&
	           memchr((const char *)strings->d_buf + sym.st_name, '\0',
	                   strings->d_size - sym.st_name)) {
		slot.name = (const char *)strings->d_buf + sym.st_name;
	}
	if (slot.name && (!*slot.name || *slot.name == '@'))
		slot.name = NULL;
	if (slot.name || slot.target) {
		CPF_GROW(p->slots, p->cap, p->n + 1);
		p->slots[p->n++] = slot;
	}
	if (jump) {
		CPF_GROW(p->jumps, p->jumps_cap, p->njumps + 1);
		p->jumps[p->njumps++] = slot;
	}
}

static void add_relocations(struct plt *p, Elf_Scn *scn, const GElf_Shdr *sh, int jump)
{
	Elf_Scn *symscn = elf_getscn(p->f->elf, sh->sh_link), *strscn = NULL;
	Elf_Data *data = elf_getdata(scn, NULL), *syms = NULL, *strings = NULL;
	GElf_Shdr symsh;
	GElf_Rela rela;
	GElf_Rel rel;
	size_t each, n, i;

	if (!data || !data->d_buf)
		return;
	/* Static programs have relocations without symbol table. */
	if (symscn && gelf_getshdr(symscn, &symsh) &&
	        (symsh.sh_type == SHT_DYNSYM || symsh.sh_type == SHT_SYMTAB)) {
		syms = elf_getdata(symscn, NULL);
		strscn = elf_getscn(p->f->elf, symsh.sh_link);
		strings = strscn ? elf_rawdata(strscn, NULL) : NULL;
	}
	each = gelf_fsize(
	        p->f->elf, sh->sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	n = each ? data->d_size / each : 0;
	for (i = 0; i < n && i < INT32_MAX; i++) {
		if (sh->sh_type == SHT_RELA) {
			if (!gelf_getrela(data, (int)i, &rela))
				break;
			add_slot(p, syms, strings, rela.r_offset, rela.r_info,
			        (uint64_t)rela.r_addend, jump);
		} else {
			if (!gelf_getrel(data, (int)i, &rel))
				break;
			add_slot(p, syms, strings, rel.r_offset, rel.r_info, 0, jump);
		}
	}
}

static int by_address(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static const struct slot *slot_at(const struct plt *p, uint64_t at)
{
	struct slot key = {0};

	key.at = at;
	return p->n ? bsearch(&key, p->slots, p->n, sizeof(key), by_address) : NULL;
}

/* Stubs. */

static void add_stub(struct plt *p, const struct slot *slot, uint64_t start, uint64_t size)
{
	const char *target;

	if (!slot)
		return;
	cpf_buf_clear(&p->name);
	if (slot->name)
		cpf_buf_fmt(&p->name, "%.*s@plt", (int)strcspn(slot->name, "@"), slot->name);
	else if ((target = cpf_symtab_exact(p->syms, slot->target)))
		cpf_buf_fmt(&p->name, "%.*s@plt", (int)strcspn(target, "@"), target);
	else
		return;
	cpf_symtab_add(p->syms, p->name.s, start, size,
	        CPF_SYM_LABEL | CPF_SYM_LOCAL | CPF_SYM_PLAIN | CPF_SYM_COPY);
}

static uint32_t le32(const uint8_t *b)
{
	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint64_t extend(uint32_t v)
{
	return (uint64_t)(int64_t)(int32_t)v;
}

/*
 * One stub of x86: [endbr64] [bnd] jmp *slot, or, where a second table does the jump (.plt.sec),
 * [endbr64] push number; [bnd] jmp to the first entry.
 */
static void x86_stub(struct plt *p, const uint8_t *code, size_t n, uint64_t start)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa},
	                     endbr32[] = {0xf3, 0x0f, 0x1e, 0xfb};
	size_t at = 0;
	uint32_t v;

	if (n >= 4 && (!memcmp(code, endbr64, 4) || !memcmp(code, endbr32, 4)))
		at = 4;
	/* mold puts the number into a register first. */
	if (at + 6 <= n && code[at] == 0x41 && code[at + 1] == 0xbb)
		at += 6;
	if (at < n && code[at] == 0xf2)
		at++;
	if (at + 5 <= n && code[at] == 0x68) {
		v = le32(code + at + 1);
		/* i386 pushes an offset into the relocations, of 8 bytes each. */
		if (p->f->machine == EM_386)
			v /= 8;
		if (v < p->njumps)
			add_stub(p, &p->jumps[v], start, n);
		return;
	}
	if (at + 6 > n || code[at] != 0xff)
		return;
	v = le32(code + at + 2);
	if (code[at + 1] == 0x25 && p->f->machine == EM_X86_64)
		add_stub(p, slot_at(p, start + at + 6 + extend(v)), start, n);
	else if (code[at + 1] == 0x25)
		add_stub(p, slot_at(p, v), start, n);
	else if (code[at + 1] == 0xa3 && p->f->machine == EM_386)
		add_stub(p, slot_at(p, (uint32_t)(p->got + v)), start, n);
}

/*
 * Entries of .plt and .plt.sec are 16 bytes; those of .plt.got are 8, or 16 where they begin with
 * endbr64. The size a linker states can be another one (GNU ld says 16 for .plt.got of 8).
 */
static void x86_stubs(
        struct plt *p, const char *name, const uint8_t *code, size_t n, uint64_t start)
{
	size_t each = 16, at;

	if (!strcmp(name, ".plt.got") && n && code[0] != 0xf3)
		each = 8;
	for (at = 0; at + each <= n; at += each)
		x86_stub(p, code + at, each, start + at);
}

/*
 * Stubs of AArch64, from adrp x16, page to br x17, in between ldr x17, [x16, offset] (and bti c in
 * front, autia1716 behind). They follow each other without gap; the first one of .plt saves two
 * registers before and is not a stub.
 */
static void aarch64_stubs(struct plt *p, const uint8_t *code, size_t n, uint64_t start)
{
	uint64_t page = 0, slot = 0, from = 0, pc;
	size_t at;
	uint32_t op;

	for (at = 0; at + 4 <= n; at += 4) {
		op = le32(code + at);
		pc = start + at;
		if (op == 0xd503245f) {
			from = pc; /* bti c */
		} else if ((op & 0x9f00001f) == 0x90000010) {
			page = (op >> 5 & 0x7ffff) << 2 | (op >> 29 & 3);
			if (page & 0x100000)
				page |= ~UINT64_C(0x1fffff);
			page = (pc & ~UINT64_C(0xfff)) + (page << 12);
			if (!from || from + 4 != pc)
				from = pc;
		} else if ((op & 0xffc003ff) == 0xf9400211) {
			slot = page + (op >> 10 & 0xfff) * 8;
		} else if (op == 0xd61f0220) {
			if (slot && from)
				add_stub(p, slot_at(p, slot), from, pc + 4 - from);
			from = slot = 0;
		}
	}
}

static void find_stubs(struct plt *p, Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	Elf_Data *d = elf_rawdata(scn, NULL);

	if (!d || !d->d_buf)
		return;
	switch (p->f->machine) {
	case EM_X86_64:
	case EM_386:
		x86_stubs(p, name, d->d_buf, d->d_size, sh->sh_addr);
		break;
	case EM_AARCH64:
		aarch64_stubs(p, d->d_buf, d->d_size, sh->sh_addr);
		break;
	default:
		break;
	}
}

static int is_plt(const char *name)
{
	return !strcmp(name, ".plt") || !strcmp(name, ".plt.sec") || !strcmp(name, ".plt.got") ||
	       !strcmp(name, ".iplt");
}

/* Calls see for every section with a name; find_stubs needs all relocations first. */
static void each_section(struct plt *p, int stubs)
{
	Elf_Scn *scn = NULL;
	const char *name;
	size_t names = 0;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(p->f->elf, &names))
		return;
	while ((scn = elf_nextscn(p->f->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(p->f->elf, names, sh.sh_name);
		if (!name)
			continue;
		if (stubs && is_plt(name))
			find_stubs(p, scn, &sh, name);
		else if (!stubs && (sh.sh_type == SHT_RELA || sh.sh_type == SHT_REL))
			add_relocations(p, scn, &sh,
			        !strcmp(name, ".rela.plt") || !strcmp(name, ".rel.plt"));
		if (!strcmp(name, ".got.plt") || (!p->got && !strcmp(name, ".got")))
			p->got = sh.sh_addr;
	}
}

void cpf_elf_add_stubs(struct cpf_symtab *s, const struct cpf_elf *f)
{
	struct plt p = {0};

	p.syms = s;
	p.f = f;
	each_section(&p, 0);
	if (p.n) {
		cpf_symtab_sort(s);
		qsort(p.slots, p.n, sizeof(*p.slots), by_address);
		each_section(&p, 1);
	}
	cpf_free(p.slots);
	cpf_free(p.jumps);
	cpf_buf_release(&p.name);
}

#endif
