#include "symbolize/elf_syms.h"

#ifdef CPF_WITH_LIBELF

#include <gelf.h>
#include <libelf.h>

static void add_symbol(
        struct cpf_symtab *s, const struct cpf_elf *f, const GElf_Sym *sym, const char *name)
{
	unsigned type = GELF_ST_TYPE(sym->st_info), bind = GELF_ST_BIND(sym->st_info), flags = 0;
	uint64_t start = sym->st_value;

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE && type != STT_OBJECT)
		return;
	/* Bit 0 of a function's address tells the instruction set, not a place. */
	if (type == STT_FUNC && (f->machine == EM_ARM || f->machine == EM_MIPS))
		start &= ~(uint64_t)1;
	if (type == STT_NOTYPE)
		flags |= CPF_SYM_LABEL;
	if (type == STT_OBJECT)
		flags |= CPF_SYM_DATA;
	if (bind == STB_LOCAL)
		flags |= CPF_SYM_LOCAL;
	else if (bind == STB_WEAK)
		flags |= CPF_SYM_WEAK;
	cpf_symtab_add(s, name, start, sym->st_size, flags);
}

/* Text of a string table that ends within it, or NULL. */
static const char *text_at(const Elf_Data *strings, uint64_t at)
{
	const char *s = strings->d_buf;

	if (at >= strings->d_size || !s[at])
		return NULL;
	if (s[strings->d_size - 1] && !memchr(s + at, '\0', strings->d_size - at))
		return NULL;
	return s + at;
}

static void add_table(struct cpf_symtab *s, const struct cpf_elf *f, Elf_Scn *scn, GElf_Shdr *sh)
{
	Elf_Scn *link = elf_getscn(f->elf, sh->sh_link);
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Data *strings = link ? elf_rawdata(link, NULL) : NULL;
	const char *name;
	size_t each, n, i;
	GElf_Shdr strsh;
	GElf_Sym sym;

	if (!data || !data->d_buf || !strings || !strings->d_buf || !strings->d_size ||
	        !gelf_getshdr(link, &strsh) || strsh.sh_type != SHT_STRTAB)
		return;
	each = gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT);
	n = each ? data->d_size / each : 0;
	for (i = 1; i < n && i < INT32_MAX; i++) {
		if (!gelf_getsym(data, (int)i, &sym))
			break;
		/* An index that does not fit (SHN_XINDEX) is that of a real section. */
		if (sym.st_shndx == SHN_UNDEF ||
		        (sym.st_shndx >= SHN_LORESERVE && sym.st_shndx != SHN_XINDEX))
			continue;
		name = text_at(strings, sym.st_name);
		if (name)
			add_symbol(s, f, &sym, name);
	}
}

void cpf_elf_add_symbols(struct cpf_symtab *s, const struct cpf_elf *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(f->elf, scn)))
		if (gelf_getshdr(scn, &sh) &&
		        (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			add_table(s, f, scn, &sh);
}

#endif
