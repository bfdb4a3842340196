#include "symbolize/elf_file.h"

#include "base/mem.h"
#include "symbolize/macho.h"

#ifdef CPF_WITH_LIBELF

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Notes. */

static int note_id(struct cpf_elf *f, Elf_Data *data)
{
	size_t off = 0, next, name, desc;
	const char *bytes;
	GElf_Nhdr h;

	while (data && (next = gelf_getnote(data, off, &h, &name, &desc)) > 0) {
		bytes = data->d_buf;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == sizeof("GNU") &&
		        !memcmp(bytes + name, "GNU", sizeof("GNU")) && h.n_descsz > 0 &&
		        h.n_descsz <= CPF_ELF_ID_MAX) {
			memcpy(f->id, bytes + desc, h.n_descsz);
			f->nid = h.n_descsz;
			return 1;
		}
		off = next;
	}
	return 0;
}

/*
 * Sections first: in a debug file made by objcopy they hold the notes, and the offsets of segments
 * point at nothing.
 */
static void find_id(struct cpf_elf *f, size_t nph)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Phdr ph;
	size_t i;

	while ((scn = elf_nextscn(f->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE &&
		        note_id(f, elf_getdata(scn, NULL)))
			return;
	for (i = 0; i < nph; i++)
		if (gelf_getphdr(f->elf, (int)i, &ph) && ph.p_type == PT_NOTE && ph.p_filesz &&
		        note_id(f, elf_getdata_rawchunk(f->elf, (int64_t)ph.p_offset, ph.p_filesz,
		                           ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR)))
			return;
}

/* Segments and sections. */

static void read_loads(struct cpf_elf *f, size_t nph)
{
	struct cpf_elf_load *l;
	size_t cap = 0, i;
	GElf_Phdr ph;

	for (i = 0; i < nph; i++) {
		if (!gelf_getphdr(f->elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		CPF_GROW(f->loads, cap, f->nloads + 1);
		l = &f->loads[f->nloads++];
		l->offset = ph.p_offset;
		l->filesz = ph.p_filesz;
		l->vaddr = ph.p_vaddr;
		l->memsz = ph.p_memsz;
		l->exec = (ph.p_flags & PF_X) != 0;
	}
	if (f->nloads)
		f->base = f->loads[0].vaddr;
}

static void add_code(struct cpf_elf *f, size_t *cap, uint64_t start, uint64_t size)
{
	if (!size || start + size < start)
		return;
	CPF_GROW(f->code, *cap, f->ncode + 1);
	f->code[f->ncode].start = start;
	f->code[f->ncode++].end = start + size;
}

static int by_start(const void *a, const void *b)
{
	const struct cpf_code_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

static int read_sections(struct cpf_elf *f)
{
	size_t names = 0, cap = 0, i;
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr sh;
	int any = 0;

	elf_getshdrstrndx(f->elf, &names);
	while ((scn = elf_nextscn(f->elf, scn))) {
		if (!gelf_getshdr(scn, &sh))
			continue;
		any = 1;
		if ((sh.sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) == (SHF_ALLOC | SHF_EXECINSTR)) {
			add_code(f, &cap, sh.sh_addr, sh.sh_size);
			f->has_code |= sh.sh_type != SHT_NOBITS;
		}
		f->has_symtab |= sh.sh_type == SHT_SYMTAB;
		name = elf_strptr(f->elf, names, sh.sh_name);
		if (name && sh.sh_type != SHT_NOBITS)
			f->has_dwarf |=
			        !strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info");
	}
	if (!any) {
		for (i = 0; i < f->nloads; i++)
			if (f->loads[i].exec && f->loads[i].filesz) {
				add_code(f, &cap, f->loads[i].vaddr, f->loads[i].memsz);
				f->has_code = 1;
			}
	}
	if (f->ncode)
		qsort(f->code, f->ncode, sizeof(*f->code), by_start);
	for (i = 0; i + 1 < f->ncode; i++)
		if (f->code[i].end > f->code[i + 1].start)
			f->code[i].end = f->code[i + 1].start;
	return any;
}

/* Opening. */

static int failed(struct cpf_elf *f, struct cpf_reason *r, const char *what)
{
	cpf_reason(r, CPF_WHY_FAILED, "%s: %s", f->path, what);
	cpf_elf_close(f);
	return -1;
}

static int start(struct cpf_elf **out, struct cpf_elf *f, struct cpf_reason *r)
{
	const char *ident;
	size_t nph = 0;
	GElf_Ehdr eh;

	if (!f->elf)
		return failed(f, r, elf_errmsg(-1));
	if (elf_kind(f->elf) != ELF_K_ELF) {
		const void *head;
		size_t n;

		/* Those of macOS are for atos, which says what it lacks. */
		head = elf_rawfile(f->elf, &n);
		if (!head || !cpf_macho_magic(head, n))
			cpf_reason(r, CPF_WHY_UNSUPPORTED, "%s: not an ELF file", f->path);
		cpf_elf_close(f);
		return -1;
	}
	ident = elf_getident(f->elf, NULL);
	if (!gelf_getehdr(f->elf, &eh) || !ident)
		return failed(f, r, elf_errmsg(-1));
	f->type = eh.e_type;
	f->machine = eh.e_machine;
	f->big = ident[EI_DATA] == ELFDATA2MSB;
	if (f->type != ET_EXEC && f->type != ET_DYN) {
		cpf_reason(r, CPF_WHY_UNSUPPORTED,
		        "%s: ELF file, but neither a program nor a library", f->path);
		cpf_elf_close(f);
		return -1;
	}
	if (elf_getphdrnum(f->elf, &nph))
		nph = 0;
	read_loads(f, nph);
	read_sections(f);
	find_id(f, nph);
	if (!f->nloads)
		return failed(f, r, "no segment is loaded (truncated?)");
	*out = f;
	return 0;
}

static int unreadable(const char *path, int err, struct cpf_reason *r)
{
	char text[128];

	if (err == ENOENT || err == ENOTDIR)
		return 1;
	if (strerror_r(err, text, sizeof(text)))
		snprintf(text, sizeof(text), "error %d", err);
	cpf_reason(r, CPF_WHY_FAILED, "%s: %s", path, text);
	return -1;
}

int cpf_elf_open(struct cpf_elf **out, const char *path, struct cpf_reason *r)
{
	struct cpf_elf *f;
	struct stat st = {0};
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return unreadable(path, errno, r);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		/* A folder of the name of a library is nothing unusual among debug files. */
		if (S_ISDIR(st.st_mode))
			return 1;
		cpf_reason(r, CPF_WHY_FAILED, "%s: not a regular file", path);
		return -1;
	}
	f = cpf_calloc(1, sizeof(*f));
	f->fd = fd;
	f->path = cpf_strdup(path);
	elf_version(EV_CURRENT);
	f->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	return start(out, f, r);
}

int cpf_elf_memory(
        struct cpf_elf **out, const char *name, void *data, size_t n, struct cpf_reason *r)
{
	struct cpf_elf *f = cpf_calloc(1, sizeof(*f));

	f->fd = -1;
	f->path = cpf_strdup(name);
	f->memory = data;
	elf_version(EV_CURRENT);
	f->elf = elf_memory(data, n);
	return start(out, f, r);
}

void cpf_elf_close(struct cpf_elf *f)
{
	if (!f)
		return;
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	cpf_free(f->memory);
	cpf_free(f->path);
	cpf_free(f->loads);
	cpf_free(f->code);
	cpf_free(f);
}

const void *cpf_elf_section(const struct cpf_elf *f, const char *name, size_t *n)
{
	Elf_Scn *scn = NULL;
	size_t names = 0;
	const char *have;
	GElf_Shdr sh;
	Elf_Data *d;

	*n = 0;
	if (elf_getshdrstrndx(f->elf, &names))
		return NULL;
	while ((scn = elf_nextscn(f->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		have = elf_strptr(f->elf, names, sh.sh_name);
		if (!have || strcmp(have, name))
			continue;
		d = elf_rawdata(scn, NULL);
		if (!d || !d->d_buf || !d->d_size)
			return NULL;
		*n = d->d_size;
		return d->d_buf;
	}
	return NULL;
}

/* Ids. */

int cpf_elf_debug_id(const struct cpf_elf *f, char out[34])
{
	static const uint8_t swap[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	static const char digits[] = "0123456789ABCDEF";
	uint8_t id[16] = {0};
	const uint8_t *text;
	size_t n, i;

	if (f->nid) {
		memcpy(id, f->id, f->nid < 16 ? f->nid : 16);
	} else {
		text = cpf_elf_section(f, ".text", &n);
		if (!text)
			return 0;
		n = n < 4096 ? n : 4096;
		for (i = 0; i < n; i++)
			id[i % 16] ^= text[i];
	}
	for (i = 0; i < 16; i++) {
		out[2 * i] = digits[id[f->big ? i : swap[i]] >> 4];
		out[2 * i + 1] = digits[id[f->big ? i : swap[i]] & 15];
	}
	out[32] = '0';
	out[33] = '\0';
	return 1;
}

#endif

void cpf_hex(char *out, const uint8_t *id, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < n; i++) {
		out[2 * i] = digits[id[i] >> 4];
		out[2 * i + 1] = digits[id[i] & 15];
	}
	out[2 * n] = '\0';
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

size_t cpf_unhex(uint8_t id[CPF_ELF_ID_MAX], const char *text)
{
	size_t n = strlen(text), i;
	int hi, lo;

	if (!n || n % 2 || n / 2 > CPF_ELF_ID_MAX)
		return 0;
	for (i = 0; i < n / 2; i++) {
		hi = nibble(text[2 * i]);
		lo = nibble(text[2 * i + 1]);
		if (hi < 0 || lo < 0)
			return 0;
		id[i] = (uint8_t)(hi << 4 | lo);
	}
	return n / 2;
}
