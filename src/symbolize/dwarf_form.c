/*
 * Values of attributes: what a form means, and how indices, offsets and references are followed.
 */
#include "symbolize/dwarf_impl.h"

#ifdef CPF_WITH_LIBELF

static void set(struct cpf_dw_val *v, enum cpf_dw_cls cls, uint64_t u)
{
	v->cls = cls;
	v->u = u;
}

void cpf_dw_value(struct cpf_dw_cur *c, const struct cpf_dw_unit *u, unsigned form, int64_t implicit,
	struct cpf_dw_val *v)
{
	const uint8_t *from;
	int size, hops = 0;

	for (; form == CPF_FORM_indirect && hops < 4; hops++) {
		form = (unsigned)cpf_dw_uleb(c);
		if (form == CPF_FORM_implicit_const)
			implicit = cpf_dw_sleb(c);
	}
	size = cpf_dw_form_size(form, u);
	v->s = NULL;
	switch (form) {
	case CPF_FORM_addr:
		set(v, CPF_DW_V_ADDR, cpf_dw_uint(c, u->addr_size));
		return;
	case CPF_FORM_addrx:
	case CPF_FORM_GNU_addr_index:
		set(v, CPF_DW_V_ADDRX, cpf_dw_uleb(c));
		return;
	case CPF_FORM_addrx1:
	case CPF_FORM_addrx2:
	case CPF_FORM_addrx3:
	case CPF_FORM_addrx4:
		set(v, CPF_DW_V_ADDRX, cpf_dw_uint(c, (unsigned)size));
		return;
	case CPF_FORM_data1:
	case CPF_FORM_data2:
	case CPF_FORM_data4:
	case CPF_FORM_data8:
		/* Offsets were given as numbers before DWARF 4. */
		set(v, u->version <= 3 && size >= 4 ? CPF_DW_V_SECOFF : CPF_DW_V_CONST,
			cpf_dw_uint(c, (unsigned)size));
		return;
	case CPF_FORM_udata:
		set(v, CPF_DW_V_CONST, cpf_dw_uleb(c));
		return;
	case CPF_FORM_sdata:
		set(v, CPF_DW_V_CONST, (uint64_t)cpf_dw_sleb(c));
		return;
	case CPF_FORM_implicit_const:
		set(v, CPF_DW_V_CONST, (uint64_t)implicit);
		return;
	case CPF_FORM_sec_offset:
		set(v, CPF_DW_V_SECOFF, cpf_dw_uint(c, u->off_size));
		return;
	case CPF_FORM_string:
		from = c->p;
		cpf_dw_pass_form(c, form, u);
		set(v, c->bad ? CPF_DW_NONE : CPF_DW_V_STRING, 0);
		v->s = (const char *)from;
		return;
	case CPF_FORM_strp:
		set(v, CPF_DW_V_STRP, cpf_dw_uint(c, u->off_size));
		return;
	case CPF_FORM_line_strp:
		set(v, CPF_DW_V_LINE_STRP, cpf_dw_uint(c, u->off_size));
		return;
	case CPF_FORM_strp_sup:
	case CPF_FORM_GNU_strp_alt:
		set(v, CPF_DW_V_ALT_STRP, cpf_dw_uint(c, u->off_size));
		return;
	case CPF_FORM_strx:
	case CPF_FORM_GNU_str_index:
		set(v, CPF_DW_V_STRX, cpf_dw_uleb(c));
		return;
	case CPF_FORM_strx1:
	case CPF_FORM_strx2:
	case CPF_FORM_strx3:
	case CPF_FORM_strx4:
		set(v, CPF_DW_V_STRX, cpf_dw_uint(c, (unsigned)size));
		return;
	case CPF_FORM_rnglistx:
		set(v, CPF_DW_V_RNGLISTX, cpf_dw_uleb(c));
		return;
	case CPF_FORM_ref1:
	case CPF_FORM_ref2:
	case CPF_FORM_ref4:
	case CPF_FORM_ref8:
		set(v, CPF_DW_V_REF, cpf_dw_uint(c, (unsigned)size));
		return;
	case CPF_FORM_ref_udata:
		set(v, CPF_DW_V_REF, cpf_dw_uleb(c));
		return;
	case CPF_FORM_ref_addr:
		set(v, CPF_DW_V_REF_INFO, cpf_dw_uint(c, (unsigned)size));
		return;
	case CPF_FORM_ref_sup4:
	case CPF_FORM_ref_sup8:
	case CPF_FORM_GNU_ref_alt:
		set(v, CPF_DW_V_REF_ALT, cpf_dw_uint(c, (unsigned)size));
		return;
	default:
		set(v, CPF_DW_V_SKIP, 0);
		cpf_dw_pass_form(c, form, u);
	}
}

/* Entry i of a table of numbers of a size at base. */
static int entry(const struct cpf_dw_unit *u, struct cpf_dw_sec s, uint64_t base, uint64_t i,
	unsigned size, uint64_t *out)
{
	if (base > s.n || i >= (s.n - base) / size)
		return -1;
	*out = cpf_dw_load(s.p + base + i * size, size, u->file->big);
	return 0;
}

const char *cpf_dw_string(const struct cpf_dw_unit *u, const struct cpf_dw_val *v)
{
	struct cpf_dw_file *alt;
	uint64_t off;

	switch (v->cls) {
	case CPF_DW_V_STRING:
		return v->s;
	case CPF_DW_V_STRP:
		return cpf_dw_text(cpf_dw_section(u->file, CPF_DW_STR), v->u);
	case CPF_DW_V_LINE_STRP:
		return cpf_dw_text(cpf_dw_section(u->file, CPF_DW_LINE_STR), v->u);
	case CPF_DW_V_ALT_STRP:
		alt = cpf_dw_alt(u->file);
		return alt ? cpf_dw_text(cpf_dw_section(alt, CPF_DW_STR), v->u) : NULL;
	case CPF_DW_V_STRX:
		if (entry(u, u->str_offsets, u->str_base, v->u, u->off_size, &off))
			return NULL;
		return cpf_dw_text(cpf_dw_section(u->file, CPF_DW_STR), off);
	default:
		return NULL;
	}
}

int cpf_dw_address(const struct cpf_dw_unit *u, const struct cpf_dw_val *v, uint64_t *out)
{
	if (v->cls == CPF_DW_V_ADDRX)
		return entry(u, u->addr, u->addr_base, v->u, u->addr_size, out);
	if (v->cls != CPF_DW_V_ADDR)
		return -1;
	*out = v->u;
	return 0;
}

static struct cpf_dw_die at_offset(struct cpf_dw_file *f, uint64_t off)
{
	struct cpf_dw_die die = {NULL, NULL};
	struct cpf_dw_sec info = cpf_dw_section(f, CPF_DW_INFO);
	struct cpf_dw_unit *u = cpf_dw_unit_around(f, off);

	if (u && off < info.n && info.p + off >= u->dies && info.p + off < u->end) {
		die.unit = u;
		die.p = info.p + off;
	}
	return die;
}

struct cpf_dw_die cpf_dw_ref(struct cpf_dw_unit *u, const struct cpf_dw_val *v)
{
	struct cpf_dw_die die = {NULL, NULL};
	struct cpf_dw_file *alt;

	switch (v->cls) {
	case CPF_DW_V_REF:
		if (v->u < (uint64_t)(u->end - u->start) && u->start + v->u >= u->dies) {
			die.unit = u;
			die.p = u->start + v->u;
		}
		return die;
	case CPF_DW_V_REF_INFO:
		return at_offset(u->file, v->u);
	case CPF_DW_V_REF_ALT:
		alt = cpf_dw_alt(u->file);
		return alt ? at_offset(alt, v->u) : die;
	default:
		return die;
	}
}

#endif
