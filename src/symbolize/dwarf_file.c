/*
 * Sections of an ELF file that holds debug information. Offsets and sizes in headers are checked
 * against the file here, so that everything behind works on runs of bytes that are there.
 */
#if !defined(__APPLE__)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "symbolize/dwarf_impl.h"

#ifdef CPF_WITH_LIBELF

#include "base/mem.h"

#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef CPF_WITH_ZSTD
#include <zstd.h>
#endif

static const char *const names[CPF_DW_NSECS] = {
	[CPF_DW_INFO] = "info",
	[CPF_DW_ABBREV] = "abbrev",
	[CPF_DW_LINE] = "line",
	[CPF_DW_STR] = "str",
	[CPF_DW_LINE_STR] = "line_str",
	[CPF_DW_STR_OFFSETS] = "str_offsets",
	[CPF_DW_ADDR] = "addr",
	[CPF_DW_RANGES] = "ranges",
	[CPF_DW_RNGLISTS] = "rnglists",
	[CPF_DW_CU_INDEX] = "cu_index",
};

/* The section called .debug_NAME, .zdebug_NAME or (split) .debug_NAME.dwo; -1: none of ours. */
static int which(const char *name, int dwo, int *old)
{
	size_t n, i;

	*old = 0;
	if (!strcmp(name, ".gnu_debugaltlink"))
		return CPF_DW_ALTLINK;
	if (!strncmp(name, ".zdebug_", 8)) {
		*old = 1;
		name += 8;
	} else if (!strncmp(name, ".debug_", 7)) {
		name += 7;
	} else {
		return -1;
	}
	for (i = 0; i < CPF_DW_ALTLINK; i++) {
		n = strlen(names[i]);
		if (strncmp(name, names[i], n))
			continue;
		if (!strcmp(name + n, dwo && i != CPF_DW_CU_INDEX ? ".dwo" : ""))
			return (int)i;
	}
	return -1;
}

/* A section without bytes in the file has no raw data. */
static void take(struct cpf_dw_file *f, const GElf_Shdr *sh, const char *name)
{
	struct cpf_dw_lazy *z;
	size_t size;
	const char *base = elf_rawfile(f->elf, &size);
	int old, id = which(name, f->dwo, &old);

	/* libelf reads into allocated memory where it cannot map; that never starts with a page. */
	if ((uintptr_t)base % 4096)
		f->mapped = 0;
	if (id < 0 || sh->sh_type == SHT_NOBITS || !base || sh->sh_offset > size ||
		sh->sh_size > size - sh->sh_offset || !sh->sh_size)
		return;
	z = &f->secs[id];
	if (z->state)
		return;
	z->raw.p = (const uint8_t *)base + sh->sh_offset;
	z->raw.n = (size_t)sh->sh_size;
	z->old = (uint8_t)old;
	z->state = old || (sh->sh_flags & SHF_COMPRESSED) ? 2 : 1;
	if (z->state == 1)
		z->sec = z->raw;
}

int cpf_dw_file_init(struct cpf_dw_file *f, struct Elf *elf, const char *path, struct cpf_dwarf *d)
{
	GElf_Ehdr eh;
	GElf_Shdr sh;
	Elf_Scn *scn = NULL;
	size_t strndx;
	const char *name;
	int any = 0;

	f->elf = elf;
	f->path = cpf_strdup(path);
	f->dwarf = d;
	f->lowest = UINT64_MAX;
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh) ||
		elf_getshdrstrndx(elf, &strndx))
		return -1;
	f->big = eh.e_ident[EI_DATA] == ELFDATA2MSB;
	f->elf64 = eh.e_ident[EI_CLASS] == ELFCLASS64;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		if (!gelf_getshdr(scn, &sh))
			continue;
		if ((sh.sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) == (SHF_ALLOC | SHF_EXECINSTR)) {
			any = 1;
			if (sh.sh_addr < f->lowest)
				f->lowest = sh.sh_addr;
		}
		name = elf_strptr(elf, strndx, sh.sh_name);
		if (name)
			take(f, &sh, name);
	}
	if (!any)
		f->lowest = 0;
	return 0;
}

struct cpf_dw_file *cpf_dw_file_open(const char *path, int dwo, struct cpf_dwarf *d)
{
	struct cpf_dw_file *f;
	/* The name comes out of a file: it may be that of a pipe, at which open would wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	Elf *elf;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return NULL;
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf) {
		close(fd);
		return NULL;
	}
	f = cpf_calloc(1, sizeof(*f));
	f->fd = fd;
	f->owned = 1;
	f->dwo = (uint8_t)dwo;
	f->mapped = 1;
	if (cpf_dw_file_init(f, elf, path, d)) {
		cpf_dw_file_free(f);
		return NULL;
	}
	return f;
}

void cpf_dw_file_release(struct cpf_dw_file *f)
{
	size_t i;

	for (i = 0; i < CPF_DW_NSECS; i++)
		cpf_free(f->secs[i].owned);
	for (i = 0; i < f->nplaces; i++)
		cpf_free(f->places[i].unit);
	cpf_free(f->places);
	cpf_free(f->path);
	cpf_dw_file_free(f->alt);
	if (f->owned) {
		elf_end(f->elf);
		close(f->fd);
	}
	memset(f, 0, sizeof(*f));
}

void cpf_dw_file_free(struct cpf_dw_file *f)
{
	if (!f)
		return;
	cpf_dw_file_release(f);
	cpf_free(f);
}

/* Deflate makes at most 1032 bytes of one. */
static uint8_t *by_zlib(const uint8_t *in, size_t n, uint64_t size)
{
	z_stream z = {.zalloc = cpf_z_alloc, .zfree = cpf_z_free};
	uint8_t *out;
	uint64_t done = 0, room;
	int ret = Z_OK;

	if (size / 1040 > n || size > SIZE_MAX / 2 || inflateInit(&z) != Z_OK)
		return NULL;
	out = cpf_malloc((size_t)size + 1);
	z.next_in = (z_const Bytef *)(uintptr_t)in;
	while (ret == Z_OK && done < size) {
		room = size - done > (1u << 30) ? 1u << 30 : size - done;
		if (!z.avail_in) {
			z.avail_in = (uInt)(n > (1u << 30) ? 1u << 30 : n);
			n -= z.avail_in;
		}
		z.next_out = out + done;
		z.avail_out = (uInt)room;
		ret = inflate(&z, Z_NO_FLUSH);
		done += room - z.avail_out;
	}
	inflateEnd(&z);
	if (done == size)
		return out;
	cpf_free(out);
	return NULL;
}

#ifdef CPF_WITH_ZSTD
/* A block of Zstandard is at most 128 KiB and takes four bytes at least (RFC 8878, 3.1.1.2). */
static uint8_t *by_zstd(const uint8_t *in, size_t n, uint64_t size)
{
	uint8_t *out;
	size_t got;

	if (size >> 15 > n || size > SIZE_MAX / 2)
		return NULL;
	out = cpf_malloc((size_t)size + 1);
	got = ZSTD_decompress(out, (size_t)size, in, n);
	if (!ZSTD_isError(got) && got == size)
		return out;
	cpf_free(out);
	return NULL;
}
#endif

static void trouble(struct cpf_dw_file *f, enum cpf_dw_sid id, enum cpf_why why, const char *what)
{
	cpf_reason(&f->dwarf->trouble, why, "%s: section .debug_%s %s", f->path, names[id], what);
}

static void unpack(struct cpf_dw_file *f, enum cpf_dw_sid id, struct cpf_dw_lazy *z)
{
	struct cpf_dw_cur c = cpf_dw_at(f, z->raw, 0);
	uint64_t type = 1, size;

	z->state = 3;
	if (z->old) {
		/* "ZLIB", then the size, most significant byte first whatever the file is. */
		c.big = 1;
		if (cpf_dw_uint(&c, 4) != 0x5a4c4942)
			c.bad = 1;
		size = cpf_dw_uint(&c, 8);
	} else {
		type = cpf_dw_uint(&c, 4);
		if (f->elf64)
			cpf_dw_skip(&c, 4);
		size = cpf_dw_uint(&c, f->elf64 ? 8 : 4);
		cpf_dw_skip(&c, f->elf64 ? 8 : 4);
	}
	if (c.bad) {
		trouble(f, id, CPF_WHY_FAILED, "ends within its header");
		return;
	}
	if (type == 1) {
		z->owned = by_zlib(c.p, (size_t)(c.end - c.p), size);
	} else if (type == 2) {
#ifdef CPF_WITH_ZSTD
		z->owned = by_zstd(c.p, (size_t)(c.end - c.p), size);
#else
		trouble(f, id, CPF_WHY_UNSUPPORTED,
			"is packed with zstd, which this cpuprof was built without");
		return;
#endif
	} else {
		trouble(f, id, CPF_WHY_UNSUPPORTED, "is packed in a way that is not read");
		return;
	}
	if (!z->owned) {
		trouble(f, id, CPF_WHY_FAILED, "cannot be unpacked");
		return;
	}
	z->state = 1;
	z->sec.p = z->owned;
	z->sec.n = (size_t)size;
}

struct cpf_dw_sec cpf_dw_section(struct cpf_dw_file *f, enum cpf_dw_sid id)
{
	struct cpf_dw_lazy *z = &f->secs[id];

	if (z->state == 2)
		unpack(f, id, z);
	return z->sec;
}

/* Handing back a page takes a while; in pieces it does not show. */
#define PIECE (8u << 20)

void cpf_dw_done(struct cpf_dw_file *f, enum cpf_dw_sid id, const uint8_t *p)
{
#ifdef MADV_DONTNEED
	struct cpf_dw_lazy *z = &f->secs[id];
	uintptr_t page = 65536, from, to;

	if (!f->mapped || z->owned || z->state != 1 || p < z->sec.p ||
		(size_t)(p - z->sec.p) < z->done + PIECE)
		return;
	/* Both ends inwards, so that only what was read goes. */
	from = ((uintptr_t)(z->sec.p + z->done) + page - 1) & ~(page - 1);
	to = (uintptr_t)p & ~(page - 1);
	z->done = (size_t)(p - z->sec.p);
	if (from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
#else
	(void)f;
	(void)id;
	(void)p;
#endif
}

void cpf_dw_again(struct cpf_dw_file *f)
{
	size_t i;

	for (i = 0; i < CPF_DW_NSECS; i++)
		f->secs[i].done = 0;
}

const char *cpf_dw_text(struct cpf_dw_sec s, uint64_t off)
{
	if (off >= s.n || !memchr(s.p + off, 0, s.n - (size_t)off))
		return NULL;
	return (const char *)s.p + off;
}

int cpf_dw_is_build_id(struct cpf_dw_file *f, const uint8_t *id, size_t n)
{
	GElf_Shdr sh;
	GElf_Nhdr nh;
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	size_t at, next, name, desc;

	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(scn, NULL);
		for (at = 0; data && (next = gelf_getnote(data, at, &nh, &name, &desc)) > 0;
			at = next) {
			if (nh.n_type == NT_GNU_BUILD_ID && nh.n_namesz == 4 &&
				!memcmp((char *)data->d_buf + name, "GNU", 4))
				return nh.n_descsz == n &&
				       !memcmp((char *)data->d_buf + desc, id, n);
		}
	}
	return 0;
}

#endif
