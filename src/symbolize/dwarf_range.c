/*
 * Lists of address ranges: .debug_ranges (DWARF 3 and 4) and .debug_rnglists (DWARF 5, 7.25).
 * Linkers leave debug information of code they throw away, and mark it with addresses that cannot
 * be: 0, or the two highest numbers (the highest but one where the highest means something else).
 */
#include "symbolize/dwarf_impl.h"

#ifdef CPF_WITH_LIBELF

enum { RLE_end, RLE_base_addressx, RLE_startx_endx, RLE_startx_length, RLE_offset_pair,
	RLE_base_address, RLE_start_end, RLE_start_length };

enum { DONE, ONE, OLD, LISTS };

static void begin(struct cpf_dw_ranges *r, const struct cpf_dw_unit *u)
{
	memset(r, 0, sizeof(*r));
	r->u = u;
	r->max = u->addr_size == 8 ? UINT64_MAX : u->addr_size == 4 ? UINT32_MAX : UINT16_MAX;
	r->base = u->has_low ? u->low_pc : 0;
}

void cpf_dw_ranges_one(struct cpf_dw_ranges *r, const struct cpf_dw_unit *u, uint64_t lo,
	uint64_t hi)
{
	begin(r, u);
	r->kind = ONE;
	r->lo = lo;
	r->hi = hi;
}

void cpf_dw_ranges_list(struct cpf_dw_ranges *r, const struct cpf_dw_unit *u,
	const struct cpf_dw_val *v)
{
	struct cpf_dw_sec s;
	uint64_t off = v->u;

	begin(r, u);
	if (u->version >= 5) {
		s = u->rnglists.p ? u->rnglists : cpf_dw_section(u->file, CPF_DW_RNGLISTS);
		if (v->cls == CPF_DW_V_RNGLISTX) {
			if (u->rng_base > s.n || off >= (s.n - u->rng_base) / u->off_size)
				return;
			off = u->rng_base + cpf_dw_load(s.p + u->rng_base + off * u->off_size,
						    u->off_size, u->file->big);
		}
		r->kind = LISTS;
	} else {
		s = u->ranges.p ? u->ranges : cpf_dw_section(u->file, CPF_DW_RANGES);
		/* The base serves the split unit alone; the skeleton's own list has none. */
		if (u->file->dwo)
			off += u->ranges_base;
		r->kind = OLD;
	}
	if (!s.p || off >= s.n || (v->cls != CPF_DW_V_SECOFF && v->cls != CPF_DW_V_CONST &&
					  v->cls != CPF_DW_V_RNGLISTX)) {
		r->kind = DONE;
		return;
	}
	r->c = cpf_dw_at(u->file, s, off);
}

/* 1: *lo, *hi; 0: the end; -1: an entry that is no range. */
static int next_old(struct cpf_dw_ranges *r, uint64_t *lo, uint64_t *hi)
{
	uint64_t a = cpf_dw_uint(&r->c, r->u->addr_size), b = cpf_dw_uint(&r->c, r->u->addr_size);

	if (r->c.bad || (!a && !b))
		return 0;
	if (a == r->max) {
		r->base = b;
		return -1;
	}
	if (a >= r->max - 1 || r->base >= r->max - 1)
		return -1;
	*lo = a + r->base;
	*hi = b + r->base;
	return 1;
}

static int indexed(const struct cpf_dw_ranges *r, uint64_t i, uint64_t *out)
{
	struct cpf_dw_val v = {CPF_DW_V_ADDRX, i, NULL};

	return cpf_dw_address(r->u, &v, out);
}

static int next_lists(struct cpf_dw_ranges *r, uint64_t *lo, uint64_t *hi)
{
	uint64_t a, b;
	int bad = 0;

	switch (cpf_dw_u8(&r->c)) {
	case RLE_base_addressx:
		if (indexed(r, cpf_dw_uleb(&r->c), &r->base))
			r->base = r->max;
		return -1;
	case RLE_base_address:
		r->base = cpf_dw_uint(&r->c, r->u->addr_size);
		return -1;
	case RLE_startx_endx:
		a = cpf_dw_uleb(&r->c);
		b = cpf_dw_uleb(&r->c);
		bad = indexed(r, a, lo) || indexed(r, b, hi);
		break;
	case RLE_startx_length:
		a = cpf_dw_uleb(&r->c);
		b = cpf_dw_uleb(&r->c);
		bad = indexed(r, a, lo);
		if (!bad)
			*hi = *lo + b;
		break;
	case RLE_offset_pair:
		a = cpf_dw_uleb(&r->c);
		b = cpf_dw_uleb(&r->c);
		if (r->base >= r->max - 1)
			return -1;
		*lo = r->base + a;
		*hi = r->base + b;
		break;
	case RLE_start_end:
		*lo = cpf_dw_uint(&r->c, r->u->addr_size);
		*hi = cpf_dw_uint(&r->c, r->u->addr_size);
		break;
	case RLE_start_length:
		*lo = cpf_dw_uint(&r->c, r->u->addr_size);
		*hi = *lo + cpf_dw_uleb(&r->c);
		break;
	default:
		return 0;
	}
	return r->c.bad ? 0 : bad ? -1 : 1;
}

int cpf_dw_ranges_next(struct cpf_dw_ranges *r, uint64_t *lo, uint64_t *hi)
{
	int got;

	while (r->kind != DONE) {
		if (r->kind == ONE) {
			r->kind = DONE;
			*lo = r->lo;
			*hi = r->hi;
			got = 1;
		} else {
			got = r->kind == OLD ? next_old(r, lo, hi) : next_lists(r, lo, hi);
		}
		if (!got)
			r->kind = DONE;
		if (got == 1 && *lo < *hi && *lo < r->max - 1 &&
			*lo >= r->u->file->dwarf->file.lowest)
			return 1;
	}
	return 0;
}

#endif
