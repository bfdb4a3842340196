/*
 * Which units an address lies in, by the ranges that the first entries of units state. Ranges of
 * units may overlap: the linker folds equal functions, and they stay in the unit of each.
 */
#include "symbolize/dwarf_impl.h"

#ifdef CPF_WITH_LIBELF

#include "base/mem.h"

#include <stdlib.h>

/* Ranges looked at for one address, and units among them. */
#define STEPS 4096
#define RANKS 16

static void add_span(struct cpf_dw_index *x, uint64_t lo, uint64_t hi, uint32_t unit)
{
	struct cpf_dw_span *last = x->n ? &x->spans[x->n - 1] : NULL;

	if (last && last->unit == unit && last->hi == lo) {
		last->hi = hi;
		return;
	}
	CPF_GROW(x->spans, x->cap, x->n + 1);
	x->spans[x->n++] = (struct cpf_dw_span){lo, hi, unit};
}

static void add_unit(struct cpf_dw_index *x, const struct cpf_dw_unit *u, uint32_t unit)
{
	struct cpf_dw_val v = {(enum cpf_dw_cls)u->ranges_cls, u->ranges_val, NULL};
	struct cpf_dw_ranges r;
	uint64_t lo, hi;

	if (u->type == CPF_UT_type || u->tag == CPF_TAG_partial_unit)
		return;
	if (u->has_ranges) {
		cpf_dw_ranges_list(&r, u, &v);
	} else if (u->has_low && u->has_high) {
		cpf_dw_ranges_one(&r, u, u->low_pc,
			u->high_is_size ? u->low_pc + u->high_pc : u->high_pc);
	} else {
		if (u->has_stmt && (u->children || u->dwo_name)) {
			CPF_GROW(x->bare, x->bare_cap, x->nbare + 1);
			x->bare[x->nbare++] = unit;
		}
		return;
	}
	while (cpf_dw_ranges_next(&r, &lo, &hi))
		add_span(x, lo, hi, unit);
}

static int by_lo(const void *a, const void *b)
{
	const struct cpf_dw_span *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->hi < y->hi ? -1 : x->hi > y->hi;
}

void cpf_dw_index_build(struct cpf_dwarf *d)
{
	struct cpf_dw_index *x = &d->index;
	struct cpf_dw_file *f = &d->file;
	struct cpf_dw_unit u;
	uint64_t next, end = 0;
	size_t i;

	cpf_dw_places(f);
	for (i = 0; i < f->nplaces && i < UINT32_MAX; i++) {
		memset(&u, 0, sizeof(u));
		cpf_dw_unit_sections(&u, f);
		if (!cpf_dw_unit_read(&u, f, f->places[i].off, &next))
			add_unit(x, &u, (uint32_t)i);
		cpf_dw_done(f, CPF_DW_INFO, u.start);
	}
	cpf_dw_again(f);
	if (x->n)
		qsort(x->spans, x->n, sizeof(*x->spans), by_lo);
	x->ends = cpf_calloc(x->n, sizeof(*x->ends));
	for (i = 0; i < x->n; i++) {
		if (x->spans[i].hi > end)
			end = x->spans[i].hi;
		x->ends[i] = end;
	}
}

/* Adds a unit to the few found, in order, each once. */
static unsigned insert(uint32_t *units, unsigned n, uint32_t unit)
{
	unsigned i, k;

	for (i = 0; i < n && units[i] < unit; i++)
		;
	if (i < n && units[i] == unit)
		return n;
	if (i == RANKS)
		return n;
	if (n < RANKS)
		n++;
	for (k = n - 1; k > i; k--)
		units[k] = units[k - 1];
	units[i] = unit;
	return n;
}

uint32_t cpf_dw_index_find(struct cpf_dwarf *d, uint64_t addr, size_t *hint, unsigned rank)
{
	const struct cpf_dw_index *x = &d->index;
	uint32_t units[RANKS] = {0};
	unsigned n = 0;
	size_t i, steps = 0;

	while (*hint < x->n && x->spans[*hint].lo <= addr)
		(*hint)++;
	for (i = *hint; i-- > 0 && x->ends[i] > addr && steps < STEPS; steps++)
		if (x->spans[i].hi > addr)
			n = insert(units, n, x->spans[i].unit);
	return rank < n ? units[rank] : UINT32_MAX;
}

#endif
