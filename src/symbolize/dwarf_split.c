/*
 * Further files: .dwo files and .dwp packages that hold what -gsplit-dwarf left out of the program,
 * and the file that dwz shares between several. Each is taken only if its id is the one asked for.
 */
#if !defined(__APPLE__)
#define _XOPEN_SOURCE 700 /* realpath */
#endif
#include "symbolize/dwarf_impl.h"

#ifdef CPF_WITH_LIBELF

#include "base/buf.h"
#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>

#define DEBUG_DIR "/usr/lib/debug"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add_dir(struct cpf_buf *b, const char *dir)
{
	cpf_buf_str(b, dir);
	if (b->n && b->s[b->n - 1] != '/')
		cpf_buf_char(b, '/');
}

static void add_dir_of(struct cpf_buf *b, const char *path)
{
	cpf_buf_add(b, path, (size_t)(base_name(path) - path));
}

/* Drops what lookups keep that points into a split file about to be closed. */
static void forget(struct cpf_dwarf *d)
{
	cpf_dw_tables_release(&d->tables);
	cpf_free(d->names.slots);
	memset(&d->names, 0, sizeof(d->names));
}

static void close_dwo(struct cpf_dwarf *d)
{
	struct cpf_dw_split *s = &d->split;

	if (s->dwo)
		forget(d);
	cpf_free(s->unit);
	s->unit = NULL;
	cpf_dw_file_free(s->dwo);
	s->dwo = NULL;
}

void cpf_dw_split_release(struct cpf_dwarf *d)
{
	close_dwo(d);
	cpf_dw_file_free(d->split.dwp);
	d->split.dwp = NULL;
}

/* What a split unit takes from its skeleton. */
static struct cpf_dw_unit *new_unit(struct cpf_dw_file *f, const struct cpf_dw_unit *skeleton)
{
	struct cpf_dw_unit *u = cpf_calloc(1, sizeof(*u));

	cpf_dw_unit_sections(u, f);
	u->addr = skeleton->addr;
	u->ranges = cpf_dw_section(skeleton->file, CPF_DW_RANGES);
	return u;
}

static void inherit(struct cpf_dw_unit *u, const struct cpf_dw_unit *skeleton)
{
	u->addr_base = skeleton->addr_base;
	u->ranges_base = skeleton->ranges_base;
	u->low_pc = skeleton->low_pc;
	u->has_low = skeleton->has_low;
}

static struct cpf_dw_unit *unit_in_dwo(struct cpf_dw_file *f, const struct cpf_dw_unit *skeleton)
{
	struct cpf_dw_unit *u = new_unit(f, skeleton), blank = *u;
	uint64_t off = 0, next;

	for (; off < u->info.n; off = next) {
		*u = blank;
		if (cpf_dw_unit_read(u, f, off, &next))
			continue;
		if (u->has_dwo_id && u->dwo_id == skeleton->dwo_id && u->type != CPF_UT_skeleton) {
			inherit(u, skeleton);
			return u;
		}
	}
	cpf_free(u);
	return NULL;
}

/* 1: path holds the unit. A file of the right name with another id is remembered as the reason. */
static int try_dwo(struct cpf_dwarf *d, const struct cpf_dw_unit *skeleton, const char *path)
{
	struct cpf_dw_split *s = &d->split;
	struct cpf_dw_file *f = cpf_dw_file_open(path, 1, d);

	if (!f)
		return 0;
	s->unit = unit_in_dwo(f, skeleton);
	if (!s->unit) {
		cpf_reason(&d->trouble, CPF_WHY_ID_DIFFERS, "%s: no unit with id %016" PRIx64, path,
			skeleton->dwo_id);
		cpf_dw_file_free(f);
		return 0;
	}
	s->dwo = f;
	return 1;
}

/* Calls try_dwo for the places in order. */
static int find_dwo(struct cpf_dwarf *d, const struct cpf_dw_unit *u)
{
	struct cpf_buf b = {0};
	size_t i;
	int found = 0, absolute = u->dwo_name[0] == '/';

	if (!absolute && u->comp_dir)
		add_dir(&b, u->comp_dir);
	cpf_buf_str(&b, u->dwo_name);
	if (d->opts.sysroot && b.s[0] == '/') {
		struct cpf_buf r = {0};

		cpf_buf_str(&r, d->opts.sysroot);
		cpf_buf_str(&r, b.s);
		found = try_dwo(d, u, r.s);
		cpf_buf_release(&r);
	}
	if (!found)
		found = try_dwo(d, u, b.s);
	for (i = 0; i < d->opts.ndirs * 2 && !found; i++) {
		cpf_buf_clear(&b);
		add_dir(&b, d->opts.dirs[i / 2]);
		cpf_buf_str(&b, i % 2 ? base_name(u->dwo_name) : u->dwo_name);
		found = try_dwo(d, u, b.s);
	}
	for (i = 0; i < 4 && !found; i++) {
		const char *beside = i / 2 ? d->opts.binary : d->file.path;

		if (!beside)
			continue;
		cpf_buf_clear(&b);
		add_dir_of(&b, beside);
		cpf_buf_str(&b, i % 2 ? base_name(u->dwo_name) : u->dwo_name);
		found = try_dwo(d, u, b.s);
	}
	cpf_buf_release(&b);
	return found;
}

/* PATH.dwp beside the file or its binary, or in one of the folders. */
static void find_dwp(struct cpf_dwarf *d)
{
	const char *of[2] = {d->opts.binary, d->file.path};
	struct cpf_buf b = {0};
	size_t i, k;

	for (k = 0; k < 2 && !d->split.dwp; k++) {
		if (!of[k])
			continue;
		cpf_buf_clear(&b);
		cpf_buf_str(&b, of[k]);
		cpf_buf_str(&b, ".dwp");
		d->split.dwp = cpf_dw_file_open(b.s, 1, d);
		for (i = 0; i < d->opts.ndirs && !d->split.dwp; i++) {
			cpf_buf_clear(&b);
			add_dir(&b, d->opts.dirs[i]);
			cpf_buf_str(&b, base_name(of[k]));
			cpf_buf_str(&b, ".dwp");
			d->split.dwp = cpf_dw_file_open(b.s, 1, d);
		}
	}
	cpf_buf_release(&b);
}

/* The index of a package: a hash table of ids, then offsets and sizes by row and section. */
struct index {
	uint32_t columns, units, slots;
	const uint8_t *ids, *rows, *names, *offsets, *sizes;
	int big, version;
};

static int open_index(struct index *x, struct cpf_dw_file *f)
{
	struct cpf_dw_sec s = cpf_dw_section(f, CPF_DW_CU_INDEX);
	struct cpf_dw_cur c = cpf_dw_at(f, s, 0);
	uint64_t cells;

	x->big = f->big;
	x->version = (int)cpf_dw_uint(&c, 2);
	if (x->version == 5) {
		cpf_dw_skip(&c, 2);
	} else {
		c = cpf_dw_at(f, s, 0);
		x->version = (int)cpf_dw_uint(&c, 4);
	}
	x->columns = (uint32_t)cpf_dw_uint(&c, 4);
	x->units = (uint32_t)cpf_dw_uint(&c, 4);
	x->slots = (uint32_t)cpf_dw_uint(&c, 4);
	if (c.bad || (x->version != 2 && x->version != 5) || x->columns > 32)
		return -1;
	x->ids = c.p;
	cpf_dw_skip(&c, (uint64_t)x->slots * 8);
	x->rows = c.p;
	cpf_dw_skip(&c, (uint64_t)x->slots * 4);
	x->names = c.p;
	cpf_dw_skip(&c, (uint64_t)x->columns * 4);
	cells = (uint64_t)x->columns * x->units * 4;
	x->offsets = c.p;
	cpf_dw_skip(&c, cells);
	x->sizes = c.p;
	cpf_dw_skip(&c, cells);
	return c.bad ? -1 : 0;
}

/* The row of an id, counted from 0, or -1. */
static int64_t find_row(const struct index *x, uint64_t id)
{
	uint64_t mask = (uint64_t)x->slots - 1, at = id & mask, step = ((id >> 32) & mask) | 1;
	uint32_t i, row;

	if (!x->slots || (x->slots & mask))
		return -1;
	for (i = 0; i < x->slots; i++, at = (at + step) & mask) {
		row = (uint32_t)cpf_dw_load(x->rows + at * 4, 4, x->big);
		if (!row)
			return -1;
		if (cpf_dw_load(x->ids + at * 8, 8, x->big) == id)
			return row <= x->units ? (int64_t)row - 1 : -1;
	}
	return -1;
}

static struct cpf_dw_sec slice(struct cpf_dw_sec s, uint64_t off, uint64_t n)
{
	if (off > s.n)
		off = s.n;
	if (n > s.n - off)
		n = s.n - off;
	s.p += off;
	s.n = (size_t)n;
	return s;
}

/* Cuts the sections down to what is the unit's. Rows are named as DW_SECT_* (DWARF 5, 7.3.5.3). */
static void cut(struct cpf_dw_unit *u, struct cpf_dw_file *f, const struct index *x, uint64_t row)
{
	uint64_t off, n, cell;
	uint32_t i;

	for (i = 0; i < x->columns; i++) {
		cell = (row * x->columns + i) * 4;
		off = cpf_dw_load(x->offsets + cell, 4, x->big);
		n = cpf_dw_load(x->sizes + cell, 4, x->big);
		switch (cpf_dw_load(x->names + i * 4, 4, x->big)) {
		case 1:
			u->info = slice(u->info, off, n);
			break;
		case 3:
			u->abbrev = slice(u->abbrev, off, n);
			break;
		case 4:
			u->line = slice(cpf_dw_section(f, CPF_DW_LINE), off, n);
			break;
		case 6:
			u->str_offsets = slice(cpf_dw_section(f, CPF_DW_STR_OFFSETS), off, n);
			break;
		case 8:
			if (x->version == 5)
				u->rnglists = slice(cpf_dw_section(f, CPF_DW_RNGLISTS), off, n);
			break;
		default:
			break;
		}
	}
}

static int from_dwp(struct cpf_dwarf *d, const struct cpf_dw_unit *skeleton)
{
	struct cpf_dw_split *s = &d->split;
	struct cpf_dw_unit *u;
	struct index x;
	uint64_t next;
	int64_t row;

	if (!s->dwp_tried) {
		s->dwp_tried = 1;
		find_dwp(d);
	}
	if (!s->dwp || open_index(&x, s->dwp))
		return 0;
	row = find_row(&x, skeleton->dwo_id);
	if (row < 0)
		return 0;
	u = new_unit(s->dwp, skeleton);
	cut(u, s->dwp, &x, (uint64_t)row);
	if (cpf_dw_unit_read(u, s->dwp, 0, &next)) {
		cpf_free(u);
		return 0;
	}
	inherit(u, skeleton);
	s->unit = u;
	return 1;
}

struct cpf_dw_unit *cpf_dw_full_unit(struct cpf_dwarf *d, struct cpf_dw_unit *u)
{
	if (!u->dwo_name || !u->has_dwo_id || u->type == CPF_UT_split_compile)
		return u;
	if (d->split.unit && d->split.of == u)
		return d->split.unit;
	close_dwo(d);
	d->split.of = u;
	if (from_dwp(d, u) || find_dwo(d, u))
		return d->split.unit;
	cpf_reason(&d->trouble, CPF_WHY_NO_FILE, "%s: split debug information %s was not found",
		d->file.path, u->dwo_name);
	/* clang can leave inlined functions in the skeleton for this case. */
	return u->children ? u : NULL;
}

static struct cpf_dw_file *try_alt(struct cpf_dw_file *f, const char *path, const uint8_t *id,
	size_t n)
{
	struct cpf_dw_file *alt = cpf_dw_file_open(path, 0, f->dwarf);

	if (!alt)
		return NULL;
	if (cpf_dw_is_build_id(alt, id, n)) {
		alt->alt_tried = 1; /* the shared file shares nothing */
		return alt;
	}
	cpf_reason(&f->dwarf->trouble, CPF_WHY_ID_DIFFERS, "%s: build id is not that which %s asks for",
		path, f->path);
	cpf_dw_file_free(alt);
	return NULL;
}

/* DIR/.build-id/xx/yyyy.debug */
static void add_build_id(struct cpf_buf *b, const char *dir, const uint8_t *id, size_t n)
{
	size_t i;

	add_dir(b, dir);
	cpf_buf_str(b, ".build-id/");
	for (i = 0; i < n; i++)
		cpf_buf_fmt(b, i == 1 ? "/%02x" : "%02x", id[i]);
	cpf_buf_str(b, ".debug");
}

/* As it is written: absolute, or from the folder of the file, links resolved or not. */
static struct cpf_dw_file *alt_beside(struct cpf_dw_file *f, const char *name, const uint8_t *id,
	size_t n)
{
	struct cpf_dw_file *alt = NULL;
	struct cpf_buf b = {0};
	char *real;

	if (name[0] == '/') {
		if (f->dwarf->opts.sysroot) {
			cpf_buf_str(&b, f->dwarf->opts.sysroot);
			cpf_buf_str(&b, name);
			alt = try_alt(f, b.s, id, n);
		}
		if (!alt)
			alt = try_alt(f, name, id, n);
	} else {
		add_dir_of(&b, f->path);
		cpf_buf_str(&b, name);
		alt = try_alt(f, b.s, id, n);
		real = alt ? NULL : realpath(f->path, NULL);
		if (real) {
			cpf_buf_clear(&b);
			add_dir_of(&b, real);
			cpf_buf_str(&b, name);
			alt = try_alt(f, b.s, id, n);
			free(real);
		}
	}
	cpf_buf_release(&b);
	return alt;
}

static struct cpf_dw_file *alt_in_dirs(struct cpf_dw_file *f, const char *name, const uint8_t *id,
	size_t n)
{
	const struct cpf_dwarf_opts *o = &f->dwarf->opts;
	struct cpf_dw_file *alt = NULL;
	struct cpf_buf b = {0};
	size_t i;

	for (i = 0; i < o->ndirs && !alt; i++) {
		cpf_buf_clear(&b);
		add_build_id(&b, o->dirs[i], id, n);
		alt = try_alt(f, b.s, id, n);
		if (alt)
			break;
		cpf_buf_clear(&b);
		add_dir(&b, o->dirs[i]);
		cpf_buf_str(&b, base_name(name));
		alt = try_alt(f, b.s, id, n);
	}
	if (!alt) {
		cpf_buf_clear(&b);
		if (o->sysroot)
			cpf_buf_str(&b, o->sysroot);
		add_build_id(&b, DEBUG_DIR, id, n);
		alt = try_alt(f, b.s, id, n);
	}
	cpf_buf_release(&b);
	return alt;
}

struct cpf_dw_file *cpf_dw_alt(struct cpf_dw_file *f)
{
	struct cpf_dw_sec s;
	const char *name;
	size_t len;

	if (f->alt_tried)
		return f->alt;
	f->alt_tried = 1;
	s = cpf_dw_section(f, CPF_DW_ALTLINK);
	name = s.p ? cpf_dw_text(s, 0) : NULL;
	len = name ? strlen(name) + 1 : 0;
	if (!name || len == 1 || len == s.n || s.n - len > 64)
		return NULL;
	f->alt = alt_beside(f, name, s.p + len, s.n - len);
	if (!f->alt)
		f->alt = alt_in_dirs(f, name, s.p + len, s.n - len);
	if (!f->alt)
		cpf_reason(&f->dwarf->trouble, CPF_WHY_NO_FILE,
			"%s: shared debug information %s was not found", f->path, name);
	return f->alt;
}

#endif
