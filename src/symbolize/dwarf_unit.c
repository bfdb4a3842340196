/*
 * Units: headers (DWARF 5, 7.5.1) and what the first entry says of the whole. The first entry is
 * read without its abbreviation table being built, since this is done for every unit of a file.
 */
#include "symbolize/dwarf_impl.h"

#ifdef CPF_WITH_LIBELF

#include "base/mem.h"

void cpf_dw_unit_sections(struct cpf_dw_unit *u, struct cpf_dw_file *f)
{
	u->file = f;
	u->info = cpf_dw_section(f, CPF_DW_INFO);
	u->abbrev = cpf_dw_section(f, CPF_DW_ABBREV);
}

/* Those that only some units need, so that packed ones stay packed as long as they can. */
static void more_sections(struct cpf_dw_unit *u)
{
	struct cpf_dw_file *f = u->file;

	if (!u->str_offsets.p)
		u->str_offsets = cpf_dw_section(f, CPF_DW_STR_OFFSETS);
	if (!u->addr.p)
		u->addr = cpf_dw_section(f, CPF_DW_ADDR);
}

/* The length, with its escape to 64 bits; returns the end of the unit, or NULL. */
static const uint8_t *length(struct cpf_dw_cur *c, uint8_t *off_size)
{
	uint64_t len = cpf_dw_uint(c, 4);

	*off_size = 4;
	if (len == 0xffffffff) {
		len = cpf_dw_uint(c, 8);
		*off_size = 8;
	} else if (len >= 0xfffffff0) {
		return NULL;
	}
	if (c->bad || !len)
		return NULL;
	/* A unit that is cut off is read as far as it goes. */
	return len > (uint64_t)(c->end - c->p) ? c->end : c->p + len;
}

static int header(struct cpf_dw_unit *u, struct cpf_dw_cur *c)
{
	u->type = CPF_UT_compile;
	u->version = (uint16_t)cpf_dw_uint(c, 2);
	if (u->version < 2 || u->version > 5)
		return -1;
	if (u->version >= 5) {
		u->type = cpf_dw_u8(c);
		u->addr_size = cpf_dw_u8(c);
		u->abbrev_off = cpf_dw_uint(c, u->off_size);
		switch (u->type) {
		case CPF_UT_skeleton:
		case CPF_UT_split_compile:
			u->dwo_id = cpf_dw_uint(c, 8);
			u->has_dwo_id = 1;
			break;
		case CPF_UT_type:
		case CPF_UT_split_type:
			cpf_dw_skip(c, 8u + u->off_size);
			break;
		default:
			break;
		}
	} else {
		u->abbrev_off = cpf_dw_uint(c, u->off_size);
		u->addr_size = cpf_dw_u8(c);
	}
	u->dies = c->p;
	return c->bad || (u->addr_size != 4 && u->addr_size != 8 && u->addr_size != 2) ? -1 : 0;
}

/* Values of the first entry whose meaning may depend on others that come later. */
struct first {
	struct cpf_dw_val low, high, name, dir, dwo;
};

static void first_attr(struct cpf_dw_unit *u, struct first *f, unsigned at,
	const struct cpf_dw_val *v)
{
	switch (at) {
	case CPF_AT_low_pc:
		f->low = *v;
		break;
	case CPF_AT_high_pc:
		f->high = *v;
		break;
	case CPF_AT_name:
		f->name = *v;
		break;
	case CPF_AT_comp_dir:
		f->dir = *v;
		break;
	case CPF_AT_dwo_name:
	case CPF_AT_GNU_dwo_name:
		f->dwo = *v;
		break;
	case CPF_AT_ranges:
		u->has_ranges = 1;
		u->ranges_cls = (uint8_t)v->cls;
		u->ranges_val = v->u;
		break;
	case CPF_AT_stmt_list:
		u->has_stmt = v->cls == CPF_DW_V_SECOFF || v->cls == CPF_DW_V_CONST;
		u->stmt_list = v->u;
		break;
	case CPF_AT_str_offsets_base:
		u->str_base = v->u;
		break;
	case CPF_AT_addr_base:
	case CPF_AT_GNU_addr_base:
		u->addr_base = v->u;
		break;
	case CPF_AT_rnglists_base:
		u->rng_base = v->u;
		break;
	case CPF_AT_GNU_ranges_base:
		u->ranges_base = v->u;
		break;
	case CPF_AT_GNU_dwo_id:
		u->dwo_id = v->u;
		u->has_dwo_id = 1;
		break;
	default:
		break;
	}
}

static void settle(struct cpf_dw_unit *u, const struct first *f)
{
	more_sections(u);
	u->name = cpf_dw_string(u, &f->name);
	u->comp_dir = cpf_dw_string(u, &f->dir);
	u->dwo_name = cpf_dw_string(u, &f->dwo);
	u->has_low = !cpf_dw_address(u, &f->low, &u->low_pc);
	if (f->high.cls == CPF_DW_V_CONST || f->high.cls == CPF_DW_V_SECOFF) {
		u->has_high = 1;
		u->high_is_size = 1;
		u->high_pc = f->high.u;
	} else {
		u->has_high = !cpf_dw_address(u, &f->high, &u->high_pc);
	}
}

/* c stands at the attributes of the wanted code in the table; v reads the values. */
static void first_entry(struct cpf_dw_unit *u)
{
	struct cpf_dw_cur c = cpf_dw_at(u->file, u->abbrev, u->abbrev_off);
	struct cpf_dw_cur v = {u->dies, u->end, u->file->big, 0};
	uint64_t want = cpf_dw_uleb(&v), code, name, form;
	struct first f;
	struct cpf_dw_val val;
	int64_t implicit;

	memset(&f, 0, sizeof(f));
	for (code = cpf_dw_uleb(&c); code && !c.bad; code = cpf_dw_uleb(&c)) {
		u->tag = (uint16_t)cpf_dw_uleb(&c);
		u->children = cpf_dw_u8(&c) != 0;
		for (;;) {
			name = cpf_dw_uleb(&c);
			form = cpf_dw_uleb(&c);
			implicit = form == CPF_FORM_implicit_const ? cpf_dw_sleb(&c) : 0;
			if ((!name && !form) || c.bad || v.bad)
				break;
			if (code != want)
				continue;
			cpf_dw_value(&v, u, (unsigned)form, implicit, &val);
			first_attr(u, &f, (unsigned)name, &val);
		}
		if (code == want) {
			settle(u, &f);
			return;
		}
	}
	u->tag = 0;
	u->children = 0;
}

int cpf_dw_unit_read(struct cpf_dw_unit *u, struct cpf_dw_file *f, uint64_t off, uint64_t *next)
{
	struct cpf_dw_cur c = cpf_dw_at(f, u->info, off);

	u->start = c.p;
	u->end = length(&c, &u->off_size);
	*next = u->end ? (uint64_t)(u->end - u->info.p) : u->info.n;
	if (!u->end)
		return -1;
	c.end = u->end;
	if (header(u, &c))
		return -1;
	/* Behind the header of the contribution, for units that do not say where it is. */
	if (u->version >= 5) {
		u->str_base = u->off_size == 8 ? 16 : 8;
		u->rng_base = f->dwo ? (u->off_size == 8 ? 20 : 12) : 0;
	}
	first_entry(u);
	return 0;
}

void cpf_dw_places(struct cpf_dw_file *f)
{
	struct cpf_dw_sec info = cpf_dw_section(f, CPF_DW_INFO);
	struct cpf_dw_cur c;
	const uint8_t *end;
	uint64_t off = 0;
	uint8_t size;

	if (f->placed)
		return;
	f->placed = 1;
	while (off < info.n) {
		c = cpf_dw_at(f, info, off);
		end = length(&c, &size);
		if (!end)
			break;
		CPF_GROW(f->places, f->places_cap, f->nplaces + 1);
		f->places[f->nplaces].off = off;
		f->places[f->nplaces++].unit = NULL;
		off = (uint64_t)(end - info.p);
		cpf_dw_done(f, CPF_DW_INFO, c.p);
	}
	cpf_dw_again(f);
}

/* A unit that cannot be read is kept as one without entries. */
struct cpf_dw_unit *cpf_dw_place_unit(struct cpf_dw_file *f, size_t i)
{
	struct cpf_dw_unit *u = f->places[i].unit;
	uint64_t next;

	if (!u) {
		u = cpf_calloc(1, sizeof(*u));
		f->places[i].unit = u;
		cpf_dw_unit_sections(u, f);
		if (cpf_dw_unit_read(u, f, f->places[i].off, &next))
			u->dies = u->end = u->start;
	}
	return u;
}

struct cpf_dw_unit *cpf_dw_unit_around(struct cpf_dw_file *f, uint64_t off)
{
	size_t lo = 0, hi, mid;

	cpf_dw_places(f);
	hi = f->nplaces;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (f->places[mid].off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? cpf_dw_place_unit(f, lo - 1) : NULL;
}

#endif
