/*
 * Abbreviation tables. Most entries are only stepped over, so each abbreviation carries its values
 * as steps: a number of bytes, then one value of varying size. Tables are kept while units share
 * them and dropped together once they take too much memory.
 */
#include "symbolize/dwarf_impl.h"

#ifdef CPF_WITH_LIBELF

#include "base/mem.h"

#include <stdlib.h>

#define KEPT (8u << 20)

int cpf_dw_form_size(unsigned form, const struct cpf_dw_unit *u)
{
	switch (form) {
	case CPF_FORM_flag_present:
	case CPF_FORM_implicit_const:
		return 0;
	case CPF_FORM_data1:
	case CPF_FORM_ref1:
	case CPF_FORM_flag:
	case CPF_FORM_strx1:
	case CPF_FORM_addrx1:
		return 1;
	case CPF_FORM_data2:
	case CPF_FORM_ref2:
	case CPF_FORM_strx2:
	case CPF_FORM_addrx2:
		return 2;
	case CPF_FORM_strx3:
	case CPF_FORM_addrx3:
		return 3;
	case CPF_FORM_data4:
	case CPF_FORM_ref4:
	case CPF_FORM_strx4:
	case CPF_FORM_addrx4:
	case CPF_FORM_ref_sup4:
		return 4;
	case CPF_FORM_data8:
	case CPF_FORM_ref8:
	case CPF_FORM_ref_sig8:
	case CPF_FORM_ref_sup8:
		return 8;
	case CPF_FORM_data16:
		return 16;
	case CPF_FORM_addr:
		return u->addr_size;
	case CPF_FORM_ref_addr:
		return u->version <= 2 ? u->addr_size : u->off_size;
	case CPF_FORM_strp:
	case CPF_FORM_sec_offset:
	case CPF_FORM_line_strp:
	case CPF_FORM_strp_sup:
	case CPF_FORM_GNU_ref_alt:
	case CPF_FORM_GNU_strp_alt:
		return u->off_size;
	case CPF_FORM_block:
	case CPF_FORM_block1:
	case CPF_FORM_block2:
	case CPF_FORM_block4:
	case CPF_FORM_exprloc:
	case CPF_FORM_string:
	case CPF_FORM_sdata:
	case CPF_FORM_udata:
	case CPF_FORM_ref_udata:
	case CPF_FORM_strx:
	case CPF_FORM_addrx:
	case CPF_FORM_loclistx:
	case CPF_FORM_rnglistx:
	case CPF_FORM_GNU_addr_index:
	case CPF_FORM_GNU_str_index:
	case CPF_FORM_indirect:
		return -1;
	default:
		return -2;
	}
}

static uint8_t kind(unsigned tag, int code)
{
	switch (tag) {
	case CPF_TAG_subprogram:
		return code ? CPF_DW_FUNC : CPF_DW_BARE;
	case CPF_TAG_inlined_subroutine:
		return code ? CPF_DW_INLINED : CPF_DW_BARE;
	case CPF_TAG_compile_unit:
	case CPF_TAG_partial_unit:
	case CPF_TAG_skeleton_unit:
	case CPF_TAG_namespace:
	case CPF_TAG_module:
	case CPF_TAG_lexical_block:
	case CPF_TAG_try_block:
	case CPF_TAG_catch_block:
	case CPF_TAG_with_stmt:
	case CPF_TAG_common_block:
		return CPF_DW_DEEP;
	default:
		return CPF_DW_OTHER;
	}
}

static void add_step(struct cpf_dw_table *t, struct cpf_dw_abbrev *a, unsigned bytes, unsigned form)
{
	CPF_GROW(t->steps, t->steps_cap, t->nsteps + 1);
	t->steps[t->nsteps].bytes = (uint16_t)bytes;
	t->steps[t->nsteps].form = (uint16_t)form;
	t->nsteps++;
	a->nstep++;
}

/* One attribute: its step, and what it says about the entry. */
static void add_attr(struct cpf_dw_table *t, struct cpf_dw_abbrev *a, const struct cpf_dw_unit *u,
	const struct cpf_dw_attr *at, unsigned *bytes, int *code)
{
	int size = cpf_dw_form_size(at->form, u);

	CPF_GROW(t->attrs, t->attrs_cap, t->nattrs + 1);
	t->attrs[t->nattrs++] = *at;
	a->nattr++;
	if (at->at == CPF_AT_low_pc || at->at == CPF_AT_ranges)
		*code = 1;
	if (at->at == CPF_AT_sibling && !a->nstep &&
		(at->form == CPF_FORM_ref4 || at->form == CPF_FORM_ref1 ||
			at->form == CPF_FORM_ref2 || at->form == CPF_FORM_ref8)) {
		a->sib = (uint16_t)*bytes;
		a->sib_size = (uint8_t)size;
	}
	if (size == -2)
		a->kind = CPF_DW_BROKEN;
	if (size >= 0)
		*bytes += (unsigned)size;
	if (size < 0 || *bytes > 60000) {
		add_step(t, a, *bytes, size < 0 ? at->form : 0);
		*bytes = 0;
	}
}

/* 1: one more; 0: the end of the table or of what can be read. */
static int add_abbrev(struct cpf_dw_table *t, const struct cpf_dw_unit *u, struct cpf_dw_cur *c)
{
	struct cpf_dw_abbrev a = {0};
	struct cpf_dw_attr at;
	uint64_t code = cpf_dw_uleb(c), tag, name, form;
	unsigned bytes = 0;
	int has_code = 0;

	if (!code || code > UINT32_MAX || c->bad)
		return 0;
	tag = cpf_dw_uleb(c);
	a.code = (uint32_t)code;
	a.tag = tag > UINT16_MAX ? UINT16_MAX : (uint16_t)tag;
	a.children = cpf_dw_u8(c) != 0;
	a.attr = (uint32_t)t->nattrs;
	a.step = (uint32_t)t->nsteps;
	for (;;) {
		name = cpf_dw_uleb(c);
		form = cpf_dw_uleb(c);
		at.c = form == CPF_FORM_implicit_const ? cpf_dw_sleb(c) : 0;
		if (c->bad || a.nattr == UINT16_MAX)
			return 0;
		if (!name && !form)
			break;
		at.at = name > UINT16_MAX ? UINT16_MAX : (uint16_t)name;
		at.form = form > UINT16_MAX ? 0 : (uint16_t)form;
		add_attr(t, &a, u, &at, &bytes, &has_code);
	}
	if (bytes)
		add_step(t, &a, bytes, 0);
	if (a.kind != CPF_DW_BROKEN)
		a.kind = kind(a.tag, has_code);
	if (a.code != t->n + 1)
		t->dense = 0;
	CPF_GROW(t->abbrevs, t->cap, t->n + 1);
	t->abbrevs[t->n++] = a;
	return 1;
}

static int by_code(const void *a, const void *b)
{
	uint32_t x = ((const struct cpf_dw_abbrev *)a)->code;
	uint32_t y = ((const struct cpf_dw_abbrev *)b)->code;

	return x < y ? -1 : x > y;
}

static void table_free(struct cpf_dw_table *t)
{
	cpf_free(t->abbrevs);
	cpf_free(t->attrs);
	cpf_free(t->steps);
	cpf_free(t);
}

void cpf_dw_tables_release(struct cpf_dw_tables *t)
{
	struct cpf_dw_table *next;
	size_t i;

	for (i = 0; i < CPF_LEN(t->slots); i++) {
		for (; t->slots[i]; t->slots[i] = next) {
			next = t->slots[i]->next;
			table_free(t->slots[i]);
		}
	}
	t->bytes = 0;
}

int cpf_dw_tables_full(const struct cpf_dw_tables *t)
{
	return t->bytes > KEPT;
}

struct cpf_dw_table *cpf_dw_table(struct cpf_dw_tables *ts, const struct cpf_dw_unit *u)
{
	struct cpf_dw_cur c = cpf_dw_at(u->file, u->abbrev, u->abbrev_off);
	uint32_t sizes = (uint32_t)(u->addr_size | u->off_size << 8 | (u->version <= 2) << 16);
	struct cpf_dw_table *t, **slot;

	if (c.bad)
		return NULL;
	slot = &ts->slots[((uintptr_t)c.p * 0x9e3779b1u >> 12) % CPF_LEN(ts->slots)];
	for (t = *slot; t; t = t->next)
		if (t->at == c.p && t->sizes == sizes)
			return t;
	t = cpf_calloc(1, sizeof(*t));
	t->at = c.p;
	t->sizes = sizes;
	t->dense = 1;
	while (add_abbrev(t, u, &c))
		;
	if (!t->dense)
		qsort(t->abbrevs, t->n, sizeof(*t->abbrevs), by_code);
	t->next = *slot;
	*slot = t;
	ts->bytes += sizeof(*t) + t->cap * sizeof(*t->abbrevs) + t->attrs_cap * sizeof(*t->attrs) +
		     t->steps_cap * sizeof(*t->steps);
	return t;
}

const struct cpf_dw_abbrev *cpf_dw_abbrev_search(const struct cpf_dw_table *t, uint64_t code)
{
	size_t lo = 0, hi = t->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (t->abbrevs[mid].code < code)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n && t->abbrevs[lo].code == code ? &t->abbrevs[lo] : NULL;
}

/* Steps over a value whose size is not fixed. */
static void pass_form(struct cpf_dw_cur *c, unsigned form, const struct cpf_dw_unit *u)
{
	const uint8_t *nul;
	int size, hops = 0;

	for (; form == CPF_FORM_indirect && hops < 4; hops++)
		form = (unsigned)cpf_dw_uleb(c);
	switch (form) {
	case CPF_FORM_block1:
		cpf_dw_skip(c, cpf_dw_u8(c));
		return;
	case CPF_FORM_block2:
		cpf_dw_skip(c, cpf_dw_uint(c, 2));
		return;
	case CPF_FORM_block4:
		cpf_dw_skip(c, cpf_dw_uint(c, 4));
		return;
	case CPF_FORM_block:
	case CPF_FORM_exprloc:
		cpf_dw_skip(c, cpf_dw_uleb(c));
		return;
	case CPF_FORM_string:
		nul = c->p < c->end ? memchr(c->p, 0, (size_t)(c->end - c->p)) : NULL;
		if (!nul)
			c->bad = 1;
		c->p = nul ? nul + 1 : c->end;
		return;
	default:
		size = cpf_dw_form_size(form, u);
		if (size >= 0)
			cpf_dw_skip(c, (uint64_t)size);
		else if (size == -1 && form != CPF_FORM_indirect)
			(void)cpf_dw_uleb(c);
		else
			c->bad = 1;
	}
}

void cpf_dw_pass(struct cpf_dw_cur *c, const struct cpf_dw_table *t, const struct cpf_dw_abbrev *a,
	const struct cpf_dw_unit *u)
{
	const struct cpf_dw_step *s = t->steps + a->step, *end = s + a->nstep;

	for (; s < end; s++) {
		cpf_dw_skip(c, s->bytes);
		if (s->form)
			pass_form(c, s->form, u);
	}
}

void cpf_dw_pass_form(struct cpf_dw_cur *c, unsigned form, const struct cpf_dw_unit *u)
{
	int size = cpf_dw_form_size(form, u);

	if (size >= 0)
		cpf_dw_skip(c, (uint64_t)size);
	else
		pass_form(c, form, u);
}

#endif
