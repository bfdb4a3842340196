#include "symbolize/sidecar.h"

#include "base/mem.h"

#include <stdio.h>

/* More levels of inlining than any compiler makes. */
#define MAX_FRAMES 4096

static const char *text(const struct cpf_sidecar *s, uint32_t i)
{
	return s->strings.s + s->strings.at[i];
}

/* Which library. */

static int same_letters(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		char x = *a >= 'A' && *a <= 'Z' ? (char)(*a | 0x20) : *a;
		char y = *b >= 'A' && *b <= 'Z' ? (char)(*b | 0x20) : *b;

		if (x != y)
			return 0;
	}
	return *a == *b;
}

/*
 * Relative addresses are what the file knows. A pprof file says nothing of the image's base, unless
 * its range is all of memory: then addresses were copied from a file that had them so.
 */
static int relative(const struct cpf_module *m)
{
	return m->relative || (!m->start && !m->offset && m->limit == UINT64_MAX);
}

const struct cpf_sidecar_lib *cpf_sidecar_lib_of(
	const struct cpf_sidecar *s, const struct cpf_module *m)
{
	const struct cpf_sidecar_lib *found = NULL;
	size_t i;

	if (!relative(m))
		return NULL;
	for (i = 0; i < s->nlibs; i++) {
		const struct cpf_sidecar_lib *lib = &s->libs[i];
		int same_name = !strcmp(s->names.s + s->names.at[lib->debug_name], m->debug_name);

		if (m->debug_id[0] ? !lib->id[0] || !same_letters(lib->id, m->debug_id) :
				     !lib->code_id[0] || !same_letters(lib->code_id, m->build_id))
			continue;
		/* Files without id of their own all have this one. */
		if (m->debug_id[0] && !strcmp(lib->id, CPF_SIDECAR_NIL) && !same_name)
			continue;
		if (same_name)
			return lib;
		if (!found)
			found = lib;
	}
	return found;
}

/* Which symbol. */

static const struct cpf_sidecar_known *find_known(const struct cpf_sidecar *s,
	const struct cpf_sidecar_lib *lib, uint64_t address)
{
	const struct cpf_sidecar_known *v;
	size_t lo = 0, hi = lib->nknown, mid;

	if (!hi)
		return NULL;
	v = s->known + lib->known;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (v[mid].address < address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < lib->nknown && v[lo].address == address ? &v[lo] : NULL;
}

/* The last that starts at or before the address, if it reaches so far. */
static const struct cpf_sidecar_symbol *find_range(const struct cpf_sidecar *s,
	const struct cpf_sidecar_lib *lib, uint64_t address)
{
	const struct cpf_sidecar_symbol *v, *sym;
	const uint32_t *order;
	size_t lo = 0, hi = lib->n, mid;

	if (!hi)
		return NULL;
	v = s->symbols + lib->first;
	order = s->by_rva + lib->first;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (v[order[mid]].rva <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	sym = &v[order[lo - 1]];
	return address - sym->rva < sym->size ? sym : NULL;
}

/* Answers. */

/* The function as a whole: its name, and its file if that is known. */
static size_t name_only(const struct cpf_sidecar *s, const struct cpf_sidecar_symbol *sym,
	struct cpf_sym_frame *out)
{
	const struct cpf_sidecar_frame *last = sym->n ? &s->frames[sym->first + sym->n - 1] : NULL;
	uint32_t name = sym->symbol ? sym->symbol : last ? last->function : 0;

	memset(out, 0, sizeof(*out));
	if (!name || !*text(s, name))
		return 0;
	out->name = text(s, name);
	out->plain = CPF_PLAIN_CLONES;
	if (last && last->file)
		out->file = text(s, last->file);
	return 1;
}

static size_t all_frames(const struct cpf_sidecar *s, const struct cpf_sidecar_symbol *sym,
	struct cpf_sym_frame *out)
{
	size_t i, n = 0;

	for (i = 0; i < sym->n && n < MAX_FRAMES; i++) {
		const struct cpf_sidecar_frame *f = &s->frames[sym->first + i];
		uint32_t name = f->function;

		if (!name && i + 1 == sym->n)
			name = sym->symbol;
		if (!name || !*text(s, name))
			continue;
		memset(&out[n], 0, sizeof(out[n]));
		out[n].name = text(s, name);
		out[n].file = f->file ? text(s, f->file) : NULL;
		out[n].line = f->line;
		out[n++].plain = CPF_PLAIN_CLONES;
	}
	return n ? n : name_only(s, sym, out);
}

static void answer(const struct cpf_sidecar *s, const struct cpf_sidecar_symbol *sym, int known,
	struct cpf_sym_frame *frames, size_t i, struct cpf_sink *sink)
{
	struct cpf_sym_symbol symbol = {0};
	size_t n;

	if (known && !(s->one_per_function && sym->uses > 1))
		n = all_frames(s, sym, frames);
	else
		n = name_only(s, sym, frames);
	symbol.name = sym->symbol ? text(s, sym->symbol) : NULL;
	symbol.address = sym->rva;
	symbol.size = sym->size;
	if (!n)
		return;
	cpf_sink_frames(sink, i, frames, n, &symbol);
	/* All of them, if they are not to be trusted: names of one library are spelled one way. */
	if (!known || s->one_per_function)
		cpf_sink_partial(sink, i);
}

void cpf_sidecar_lookup(const struct cpf_sidecar *s, const struct cpf_sidecar_lib *lib,
	const uint64_t *addr, size_t n, struct cpf_sink *sink)
{
	struct cpf_sym_frame *frames = cpf_calloc(MAX_FRAMES, sizeof(*frames));
	char why[600];
	size_t i;

	snprintf(why, sizeof(why), "not in %s", s->path);
	for (i = 0; i < n; i++) {
		const struct cpf_sidecar_known *k = find_known(s, lib, addr[i]);
		const struct cpf_sidecar_symbol *sym =
			k ? &s->symbols[lib->first + k->symbol] : find_range(s, lib, addr[i]);

		if (sym)
			answer(s, sym, k != NULL, frames, i, sink);
		if (!sink->answers[i].n)
			cpf_sink_miss(sink, i, CPF_WHY_OUTSIDE, why);
	}
	cpf_free(frames);
}

/* The source. */

struct state {
	struct cpf_sidecar *files;
	size_t n;
};

struct image {
	const struct cpf_sidecar *file;
	const struct cpf_sidecar_lib *lib;
};

static void sidecar_close(void *arg)
{
	struct state *t = arg;
	size_t i;

	for (i = 0; i < t->n; i++)
		cpf_sidecar_release(&t->files[i]);
	cpf_free(t->files);
	cpf_free(t);
}

/* -1 only if a file that was asked for is not there at all. */
static int read_file(struct state *t, const char *path, struct cpf_diag *d, struct cpf_err *e)
{
	struct cpf_sidecar *s = &t->files[t->n];
	struct cpf_err broken = {0};
	struct cpf_input *in;
	char why[1200];
	int r;

	if (cpf_input_open(&in, path, d, e))
		return -1;
	r = cpf_sidecar_read(s, in, &broken);
	cpf_input_close(in);
	if (r) {
		cpf_sidecar_release(s);
		cpf_note(d, CPF_WARN, "sidecar", 1, "%s: no names from here",
			cpf_err_text(&broken, why, sizeof(why)));
	} else {
		t->n++;
	}
	return 0;
}

static int sidecar_open(void **state, const struct cpf_sym_opts *o, struct cpf_diag *d,
	struct cpf_err *e)
{
	struct state *t;
	size_t i;

	if (!o->nsidecars)
		return 1;
	t = cpf_calloc(1, sizeof(*t));
	t->files = cpf_calloc(o->nsidecars, sizeof(*t->files));
	for (i = 0; i < o->nsidecars; i++) {
		struct cpf_err missing = {0};

		if (read_file(t, o->sidecars[i], d, i < o->nsidecars_given ? e : &missing) &&
			i < o->nsidecars_given) {
			sidecar_close(t);
			return -1;
		}
	}
	if (!t->n) {
		sidecar_close(t);
		return 1;
	}
	*state = t;
	return 0;
}

static int sidecar_find(void *arg, const struct cpf_module *m, void **image, struct cpf_reason *r)
{
	const struct state *t = arg;
	struct image *im;
	size_t i;

	(void)r;
	for (i = 0; i < t->n; i++) {
		const struct cpf_sidecar_lib *lib = cpf_sidecar_lib_of(&t->files[i], m);

		if (!lib)
			continue;
		im = cpf_calloc(1, sizeof(*im));
		im->file = &t->files[i];
		im->lib = lib;
		*image = im;
		return 1;
	}
	return 0;
}

static void sidecar_lookup(void *image, const uint64_t *addr, size_t n, struct cpf_sink *s)
{
	const struct image *im = image;

	cpf_sidecar_lookup(im->file, im->lib, addr, n, s);
}

const struct cpf_symbolizer cpf_symbolizer_sidecar = {
	.name = "sidecar",
	.summary = "names saved beside the recording (.syms.json)",
	.open = sidecar_open,
	.find = sidecar_find,
	.lookup = sidecar_lookup,
	.drop = cpf_free,
	.close = sidecar_close,
};
