#include "symbolize/dwarf.h"

#include "symbolize/dwarf_impl.h"

#ifdef CPF_WITH_LIBELF

#include "base/mem.h"

#include <stdlib.h>

/* Units tried for an address where several claim it, and functions inlined into each other. */
#define RANKS  8
#define LEVELS 512

struct cpf_dwarf *cpf_dwarf_open(struct Elf *elf, const char *path, const struct cpf_dwarf_opts *o,
	struct cpf_reason *r)
{
	struct cpf_dwarf *d = cpf_calloc(1, sizeof(*d));

	if (o)
		d->opts = *o;
	d->file.mapped = o && o->mapped;
	if (cpf_dw_file_init(&d->file, elf, path, d)) {
		cpf_reason(r, CPF_WHY_FAILED, "%s: not an ELF file", path);
	} else if (!d->file.secs[CPF_DW_INFO].state) {
		cpf_reason(r, CPF_WHY_NO_SYMBOLS, "%s: no debug information", path);
	} else {
		cpf_dw_index_build(d);
		if (d->index.n || d->index.nbare)
			return d;
		if (d->trouble.why)
			cpf_reason(r, d->trouble.why, "%s", d->trouble.text);
		else if (d->file.nplaces)
			cpf_reason(r, CPF_WHY_NO_SYMBOLS,
				"%s: no unit of the debug information has code", path);
		else
			cpf_reason(r, CPF_WHY_FAILED, "%s: .debug_info is damaged", path);
	}
	cpf_dwarf_close(d);
	return NULL;
}

void cpf_dwarf_close(struct cpf_dwarf *d)
{
	if (!d)
		return;
	cpf_dw_split_release(d);
	cpf_dw_tables_release(&d->tables);
	cpf_dw_lines_release(&d->lines);
	cpf_free(d->index.spans);
	cpf_free(d->index.ends);
	cpf_free(d->index.bare);
	cpf_free(d->walk.frames);
	cpf_free(d->walk.open);
	cpf_free(d->names.slots);
	cpf_free(d->rows);
	cpf_free(d->addr);
	cpf_free(d->owner);
	cpf_free(d->out);
	cpf_dw_file_release(&d->file);
	cpf_free(d);
}

const struct cpf_reason *cpf_dwarf_trouble(const struct cpf_dwarf *d)
{
	return &d->trouble;
}

/* A lookup under way: items are unit << 32 | index of the address. */
struct job {
	struct cpf_dwarf *d;
	const uint64_t *svma;
	cpf_dwarf_found *found;
	void *arg;
	uint64_t *items, *left, *lost; /* left: those not answered yet; lost: and no unit remains */
	size_t n, nleft, nlost;
};

static void drop_tables(struct cpf_dw_file *f)
{
	size_t i;

	for (i = 0; f && i < f->nplaces; i++)
		if (f->places[i].unit)
			f->places[i].unit->table = NULL;
}

static void trim(struct cpf_dwarf *d)
{
	if (!cpf_dw_tables_full(&d->tables))
		return;
	drop_tables(&d->file);
	drop_tables(d->file.alt);
	drop_tables(d->split.dwp);
	drop_tables(d->split.dwo);
	if (d->split.unit)
		d->split.unit->table = NULL;
	cpf_dw_tables_release(&d->tables);
}

/* Frames from the innermost, which has a name or is the only one, outwards. */
static size_t chain(struct cpf_dwarf *d, struct cpf_dw_unit *u, uint32_t frame,
	const struct cpf_dw_row *row)
{
	struct cpf_sym_frame *out;
	struct cpf_dw_frame *f;
	size_t n = 0;
	uint64_t file = row->file;
	int64_t line = row->line, column = row->column;
	int have = row->have != 0;

	for (; frame != CPF_DW_NOFRAME && n < LEVELS; frame = f->parent) {
		f = &d->walk.frames[frame];
		cpf_dw_name_frame(d, u, f);
		CPF_GROW(d->out, d->out_cap, n + 1);
		out = &d->out[n++];
		memset(out, 0, sizeof(*out));
		out->name = f->name && *f->name ? f->name : NULL;
		if (!out->name && f->inlined)
			out->name = "??";
		out->plain = f->plain;
		out->start_line = f->start_line;
		if (have) {
			out->file = cpf_dw_lines_path(&d->lines, file);
			out->line = line;
			out->column = column;
		}
		have = 1;
		file = f->call_file;
		line = f->call_line;
		column = f->call_column;
	}
	return n;
}

static int is_left(const struct cpf_dwarf *d, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (d->owner[i] == CPF_DW_NOFRAME)
			return 1;
	return 0;
}

static void walk(struct cpf_dwarf *d, struct cpf_dw_unit *u, size_t n, int full)
{
	size_t i;

	for (i = 0; i < n; i++)
		d->owner[i] = CPF_DW_NOFRAME;
	d->walk.nframes = 0;
	d->walk.skipped = 0;
	d->walk.addr = d->addr;
	d->walk.owner = d->owner;
	d->walk.n = n;
	if (!u->table)
		u->table = cpf_dw_table(&d->tables, u);
	cpf_dw_walk(&d->walk, u, full);
}

/* Answers items [from, from + n), all of one unit; what is not in a function is left. */
static void do_unit(struct job *j, size_t from, size_t n, int lines_only)
{
	struct cpf_dwarf *d = j->d;
	struct cpf_dw_unit *u, *full;
	size_t i, at, k;

	trim(d);
	CPF_GROW(d->addr, d->addr_cap, n);
	CPF_GROW(d->owner, d->owner_cap, n);
	CPF_GROW(d->rows, d->rows_cap, n);
	for (i = 0; i < n; i++)
		d->addr[i] = j->svma[(uint32_t)j->items[from + i]];
	u = cpf_dw_place_unit(&d->file, (size_t)(j->items[from] >> 32));
	full = lines_only ? NULL : cpf_dw_full_unit(d, u);
	for (i = 0; i < n; i++)
		d->owner[i] = CPF_DW_NOFRAME;
	if (full) {
		walk(d, full, n, 0);
		if (d->walk.skipped && is_left(d, n))
			walk(d, full, n, 1);
	}
	memset(d->rows, 0, n * sizeof(*d->rows));
	if (!cpf_dw_lines_open(&d->lines, u))
		cpf_dw_lines_run(&d->lines, d->addr, n, d->rows);
	for (i = 0; i < n; i++) {
		at = (uint32_t)j->items[from + i];
		if (d->owner[i] != CPF_DW_NOFRAME) {
			k = chain(d, full, d->owner[i], &d->rows[i]);
			j->found(j->arg, at, d->out, k);
		} else if (!lines_only) {
			j->left[j->nleft++] = at;
		} else if (d->rows[i].have) {
			struct cpf_sym_frame f = {.file = cpf_dw_lines_path(&d->lines, d->rows[i].file),
				.line = d->rows[i].line, .column = d->rows[i].column};

			j->found(j->arg, at, &f, 1);
		}
	}
	cpf_dw_done(&d->file, CPF_DW_INFO, u->end);
	if (d->lines.u)
		cpf_dw_done(&d->file, CPF_DW_LINE, d->lines.program.p);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Sorts items by unit and answers them unit by unit. */
static void do_items(struct job *j, int lines_only)
{
	size_t i, k;

	if (!j->n)
		return;
	cpf_dw_again(&j->d->file);
	qsort(j->items, j->n, sizeof(*j->items), by_value);
	for (i = 0; i < j->n; i = k) {
		for (k = i + 1; k < j->n && j->items[k] >> 32 == j->items[i] >> 32; k++)
			;
		do_unit(j, i, k - i, lines_only);
	}
	j->n = 0;
}

/* Moves those left that have a rank-th unit to the items; the others become lost, or stay left. */
static void assign(struct job *j, unsigned rank, int lose)
{
	size_t i, hint = 0, keep = 0;
	uint32_t unit;

	qsort(j->left, j->nleft, sizeof(*j->left), by_value);
	for (i = 0; i < j->nleft; i++) {
		unit = cpf_dw_index_find(j->d, j->svma[j->left[i]], &hint, rank);
		if (unit != UINT32_MAX)
			j->items[j->n++] = (uint64_t)unit << 32 | j->left[i];
		else if (lose)
			j->lost[j->nlost++] = j->left[i];
		else
			j->left[keep++] = j->left[i];
	}
	j->nleft = keep;
}

/* Units that do not say where their code is are asked for what no other has. */
static void ask_bare(struct job *j)
{
	struct cpf_dw_index *x = &j->d->index;
	uint64_t *items = j->items;
	size_t i, k, n;

	j->items += j->n;
	for (i = 0; i < x->nbare && j->nleft; i++) {
		n = j->nleft;
		for (k = 0; k < n; k++)
			j->items[k] = (uint64_t)x->bare[i] << 32 | j->left[k];
		j->nleft = 0;
		do_unit(j, 0, n, 0);
	}
	j->items = items;
}

void cpf_dwarf_lookup(struct cpf_dwarf *d, const uint64_t *svma, size_t n, cpf_dwarf_found *found,
	void *arg)
{
	struct job j = {.d = d, .svma = svma, .found = found, .arg = arg};
	unsigned rank;
	size_t i;

	if (!n || n > UINT32_MAX)
		return;
	j.items = cpf_calloc(n * 3, sizeof(*j.items));
	j.left = j.items + n;
	j.lost = j.left + n;
	for (i = 0; i < n; i++)
		j.left[j.nleft++] = i;
	assign(&j, 0, 0);
	ask_bare(&j);
	j.nleft = 0;
	do_items(&j, 0);
	for (rank = 1; rank < RANKS && j.nleft; rank++) {
		assign(&j, rank, 1);
		do_items(&j, 0);
	}
	/* Code without a function, as in assembly, still has lines. */
	memcpy(j.left + j.nleft, j.lost, j.nlost * sizeof(*j.left));
	j.nleft += j.nlost;
	assign(&j, 0, 0);
	do_items(&j, 1);
	cpf_free(j.items);
}

#endif
