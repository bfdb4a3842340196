#include "symbolize/elf.h"

#include "base/mem.h"

#ifdef CPF_WITH_LIBELF

#include "symbolize/dwarf.h"
#include "symbolize/elf_debugdata.h"
#include "symbolize/elf_find.h"
#include "symbolize/elf_map.h"
#include "symbolize/elf_syms.h"
#include "symbolize/elf_vdso.h"

#include <libelf.h>
#include <stdlib.h>

struct image {
	const struct cpf_module *m;
	struct cpf_elf_found files;
	struct cpf_elf *inner; /* of .gnu_debugdata */
	struct cpf_symtab *syms;
	struct cpf_dwarf *dwarf;
	struct cpf_reason why; /* what keeps names away although the file is there */
	/* The batch at hand. */
	uint64_t *svma;  /* ascending */
	uint32_t *index; /* number in the caller's batch */
	size_t n;
	int folds;     /* functions that are equal may be one */
	uint64_t bias; /* of the address at hand: profile's minus linker's */
	const uint64_t *addr;
	struct cpf_sink *sink;
};

static int elf_open(
        void **state, const struct cpf_sym_opts *o, struct cpf_diag *d, struct cpf_err *e)
{
	(void)d;
	(void)e;
	elf_version(EV_CURRENT);
	*state = (void *)(uintptr_t)o;
	return 0;
}

static void elf_close(void *state)
{
	(void)state;
}

static const struct cpf_elf *addresses_of(const struct image *im)
{
	return im->files.main ? im->files.main : im->files.debug;
}

static void read_symbols(struct image *im)
{
	const struct cpf_elf *main = im->files.main, *debug = im->files.debug;

	im->syms = cpf_symtab_new();
	if (debug)
		cpf_elf_add_symbols(im->syms, debug);
	if (main)
		cpf_elf_add_symbols(im->syms, main);
	if (main && !main->has_symtab && !(debug && debug->has_symtab)) {
		im->inner = cpf_elf_debugdata(main, &im->why);
		if (im->inner)
			cpf_elf_add_symbols(im->syms, im->inner);
	}
	if (main)
		cpf_elf_add_stubs(im->syms, main);
	cpf_symtab_finish(im->syms, addresses_of(im)->code, addresses_of(im)->ncode);
}

static void read_dwarf(struct image *im, const struct cpf_sym_opts *o)
{
	const struct cpf_elf *main = im->files.main, *debug = im->files.debug, *f;
	struct cpf_dwarf_opts d = {0};

	f = debug && debug->has_dwarf ? debug : main;
	if (!f || !f->has_dwarf)
		return;
	d.dirs = o->dirs;
	d.ndirs = o->ndirs;
	d.sysroot = o->sysroot;
	d.mapped = !f->memory;
	d.binary = f == debug && main ? main->path : NULL;
	im->dwarf = cpf_dwarf_open(f->elf, f->path, &d, &im->why);
}

static int contains(const char *s, size_t n, const char *word)
{
	size_t k = strlen(word), i;

	for (i = 0; s && i + k <= n; i++)
		if (!memcmp(s + i, word, k))
			return 1;
	return 0;
}

/*
 * Which linkers fold identical functions: lld and mold sign in .comment, gold has a note of its own.
 * GNU ld never does, so what has several names there got them by hand.
 */
static int linker_folds(const struct cpf_elf *f)
{
	size_t n;
	const char *s = cpf_elf_section(f, ".comment", &n);

	return contains(s, n, "LLD") || contains(s, n, "mold") ||
	       cpf_elf_section(f, ".note.gnu.gold-version", &n);
}

static void elf_drop(void *image)
{
	struct image *im = image;

	cpf_dwarf_close(im->dwarf);
	cpf_symtab_free(im->syms);
	cpf_elf_close(im->inner);
	cpf_elf_found_release(&im->files);
	cpf_free(im);
}

static int elf_find(void *state, const struct cpf_module *m, void **image, struct cpf_reason *r)
{
	const struct cpf_sym_opts *o = state;
	struct image *im = cpf_calloc(1, sizeof(*im));

	im->m = m;
	if (!cpf_vdso(&im->files.main, m, r) && !cpf_elf_find(&im->files, o, m, r)) {
		cpf_free(im);
		return 0;
	}
	read_symbols(im);
	read_dwarf(im, o);
	im->folds = linker_folds(addresses_of(im));
	if (!im->dwarf && !cpf_symtab_count(im->syms)) {
		if (!im->why.why)
			cpf_reason(&im->why, CPF_WHY_NO_SYMBOLS, "%s: no function symbols",
			        addresses_of(im)->path);
		cpf_reason(r, im->why.why, "%s", im->why.text);
		elf_drop(im);
		return 0;
	}
	if (im->files.forced.why) {
		*r = im->files.forced;
		r->why = CPF_WHY_ID_DIFFERS;
	}
	*image = im;
	return 1;
}

/* Answers. */

/* The symbol around address i of the batch, in the profile's terms. */
static int symbol_of(struct image *im, size_t i, struct cpf_sym_symbol *sym)
{
	struct cpf_symtab_answer s;

	if (!cpf_symtab_find(im->syms, im->svma[i], &s))
		return 0;
	sym->name = s.name;
	sym->address = s.start + (im->addr[im->index[i]] - im->svma[i]);
	sym->size = s.end - s.start;
	sym->aliases = im->folds ? s.aliases : 0;
	return 1;
}

/*
 * The function that stands outermost is the one whose code it is, so its symbol is its name: that
 * has the suffix of a clone. But where code has several names, DWARF tells which of them was meant.
 * Code without a function in DWARF, as in assembly, comes with file and line alone.
 */
static void from_dwarf(void *arg, size_t i, const struct cpf_sym_frame *frames, size_t n)
{
	struct image *im = arg;
	struct cpf_sym_frame own[64], *copy = own;
	struct cpf_sym_symbol sym = {0};
	int known = symbol_of(im, i, &sym);
	size_t at = im->index[i];
	const char *name = frames[n - 1].name;

	if (!name && !known)
		return;
	if (known && (!name || strcmp(name, sym.name))) {
		if (name && cpf_symtab_has(im->syms, im->svma[i], name)) {
			sym.name = name;
		} else {
			if (n > CPF_LEN(own))
				copy = cpf_realloc_array(NULL, n, sizeof(*copy));
			memcpy(copy, frames, n * sizeof(*copy));
			copy[n - 1].name = sym.name;
			copy[n - 1].plain = 0;
			frames = copy;
		}
	}
	cpf_sink_frames(im->sink, at, frames, n, known ? &sym : NULL);
	if (copy != own)
		cpf_free(copy);
}

/* Why an address has no name: a stripped file could have named it, had there been more of it. */
static void missed(struct image *im, struct cpf_reason *r)
{
	const struct cpf_elf_found *f = &im->files;
	const char *path = addresses_of(im)->path;

	if (im->dwarf || im->inner || f->debug || f->main->has_symtab)
		cpf_reason(r, CPF_WHY_OUTSIDE, "%s", path);
	else if (im->why.why)
		*r = im->why;
	else if (f->refused.why > CPF_WHY_NO_FILE)
		cpf_reason(r, CPF_WHY_NO_SYMBOLS, "%s is stripped; %s", path, f->refused.text);
	else
		cpf_reason(r, CPF_WHY_NO_SYMBOLS,
		        "%s is stripped, and its debug file was not found", path);
}

static void from_symbols(struct image *im)
{
	struct cpf_sym_symbol sym = {0};
	struct cpf_reason why = {0};
	struct cpf_sym_frame frame;
	size_t i;

	missed(im, &why);
	for (i = 0; i < im->n; i++) {
		if (im->sink->answers[im->index[i]].n)
			continue;
		if (symbol_of(im, i, &sym)) {
			memset(&frame, 0, sizeof(frame));
			frame.name = sym.name;
			cpf_sink_frames(im->sink, im->index[i], &frame, 1, &sym);
		} else {
			cpf_sink_miss(im->sink, im->index[i], why.why, why.text);
		}
	}
}

struct order {
	uint64_t svma;
	uint32_t index;
};

static int by_svma(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->svma != y->svma)
		return x->svma < y->svma ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Fills svma and index with what maps, ascending. */
static void place(struct image *im, size_t n)
{
	uint64_t *svma = cpf_realloc_array(NULL, n, sizeof(*svma));
	struct order *order;
	uint8_t *ok = cpf_calloc(n, 1);
	struct cpf_reason r = {0};
	size_t i, rising = 1;

	cpf_elf_map(addresses_of(im), im->m, im->addr, n, svma, ok, &r);
	order = cpf_realloc_array(NULL, n, sizeof(*order));
	for (i = 0; i < n; i++) {
		if (!ok[i]) {
			cpf_sink_miss(im->sink, i, r.why ? r.why : CPF_WHY_OUTSIDE,
			        r.why ? r.text : addresses_of(im)->path);
			continue;
		}
		order[im->n].svma = svma[i];
		order[im->n].index = (uint32_t)i;
		rising &= !im->n || svma[i] > order[im->n - 1].svma;
		im->n++;
	}
	if (!rising)
		qsort(order, im->n, sizeof(*order), by_svma);
	for (i = 0; i < im->n; i++) {
		im->svma[i] = order[i].svma;
		im->index[i] = order[i].index;
	}
	cpf_free(order);
	cpf_free(svma);
	cpf_free(ok);
}

static void elf_lookup(void *image, const uint64_t *addr, size_t n, struct cpf_sink *s)
{
	struct image *im = image;

	im->addr = addr;
	im->sink = s;
	im->n = 0;
	im->svma = cpf_realloc_array(NULL, n, sizeof(*im->svma));
	im->index = cpf_realloc_array(NULL, n, sizeof(*im->index));
	place(im, n);
	if (im->dwarf && im->n)
		cpf_dwarf_lookup(im->dwarf, im->svma, im->n, from_dwarf, im);
	if (im->dwarf)
		s->partly = *cpf_dwarf_trouble(im->dwarf);
	from_symbols(im);
	cpf_free(im->svma);
	cpf_free(im->index);
}

#else

static int elf_open(
        void **state, const struct cpf_sym_opts *o, struct cpf_diag *d, struct cpf_err *e)
{
	(void)state;
	(void)o;
	(void)d;
	(void)e;
	return 0;
}

static void elf_close(void *state)
{
	(void)state;
}

static int elf_find(void *state, const struct cpf_module *m, void **image, struct cpf_reason *r)
{
	(void)state;
	(void)image;
	/* A library with the id of a Mach-O or PE file is somebody else's. */
	if (!*m->arch)
		cpf_reason(r, CPF_WHY_UNSUPPORTED, "ELF files are not read (built without libelf)");
	return 0;
}

static void elf_lookup(void *image, const uint64_t *addr, size_t n, struct cpf_sink *s)
{
	(void)image;
	(void)addr;
	(void)n;
	(void)s;
}

static void elf_drop(void *image)
{
	(void)image;
}

#endif

const struct cpf_symbolizer cpf_symbolizer_elf = {
        "elf",
        "symbol tables and DWARF of ELF files",
        elf_open,
        elf_find,
        elf_lookup,
        elf_drop,
        elf_close,
};
