/*
 * The walk over the entries of a unit: for each wanted address the innermost function or inlined
 * function around it. Of entries that overlap, the later one wins; a child comes after its parent.
 */
#include "symbolize/dwarf_impl.h"

#ifdef CPF_WITH_LIBELF

#include "base/mem.h"

/* Position, and what the attributes of the entry at hand say. */
struct here {
	struct cpf_dw_cur c;
	const struct cpf_dw_abbrev *a;
	const uint8_t *die, *sibling; /* sibling NULL: not given */
	uint64_t depth;
};

static size_t lower(const struct cpf_dw_walk *w, uint64_t a)
{
	size_t lo = 0, hi = w->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (w->addr[mid] < a)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static uint32_t add_frame(struct cpf_dw_walk *w, const uint8_t *die, uint32_t parent, int inlined)
{
	struct cpf_dw_frame *f;

	if (w->nframes >= CPF_DW_NOFRAME)
		return CPF_DW_NOFRAME;
	CPF_GROW(w->frames, w->frames_cap, w->nframes + 1);
	f = &w->frames[w->nframes];
	memset(f, 0, sizeof(*f));
	f->die = die;
	f->parent = parent;
	f->inlined = (uint8_t)inlined;
	return (uint32_t)w->nframes++;
}

/* The frame of the entry around the present one; frames of all that are around it are made. */
static uint32_t parent_frame(struct cpf_dw_walk *w)
{
	size_t i = w->nopen;
	uint32_t parent = CPF_DW_NOFRAME;
	struct cpf_dw_open *o;

	/* An entry that has a frame has all around it done; what is no inlined function ends a chain. */
	while (i && w->open[i - 1].frame == CPF_DW_NOFRAME && w->open[i - 1].inlined)
		i--;
	if (i) {
		o = &w->open[i - 1];
		if (o->frame == CPF_DW_NOFRAME)
			o->frame = add_frame(w, o->die, CPF_DW_NOFRAME, 0);
		parent = o->frame;
	}
	for (; i < w->nopen; i++) {
		o = &w->open[i];
		o->frame = add_frame(w, o->die, parent, 1);
		parent = o->frame;
	}
	return parent;
}

/* Gives the addresses within [lo, hi) to the frame, made if there are any. */
static void cover(struct cpf_dw_walk *w, const struct here *h, uint64_t lo, uint64_t hi,
	uint32_t *frame)
{
	int inlined = h->a->kind == CPF_DW_INLINED;
	size_t i;

	if (hi <= w->addr[0] || lo > w->addr[w->n - 1])
		return;
	for (i = lower(w, lo); i < w->n && w->addr[i] < hi && w->budget; i++, w->budget--) {
		if (*frame == CPF_DW_NOFRAME)
			*frame = add_frame(w, h->die, inlined ? parent_frame(w) : CPF_DW_NOFRAME,
				inlined);
		w->owner[i] = *frame;
	}
}

/* Reads the attributes of a function; returns its frame if it holds a wanted address. */
static uint32_t function(struct cpf_dw_walk *w, struct here *h)
{
	const struct cpf_dw_attr *at = w->u->table->attrs + h->a->attr, *end = at + h->a->nattr;
	struct cpf_dw_val low = {0}, high = {0}, list = {0}, v;
	struct cpf_dw_ranges r;
	uint64_t lo, hi;
	uint32_t frame = CPF_DW_NOFRAME;

	for (; at < end && !h->c.bad; at++) {
		switch (at->at) {
		case CPF_AT_low_pc:
			cpf_dw_value(&h->c, w->u, at->form, at->c, &low);
			break;
		case CPF_AT_high_pc:
			cpf_dw_value(&h->c, w->u, at->form, at->c, &high);
			break;
		case CPF_AT_ranges:
			cpf_dw_value(&h->c, w->u, at->form, at->c, &list);
			break;
		case CPF_AT_sibling:
			cpf_dw_value(&h->c, w->u, at->form, at->c, &v);
			h->sibling = cpf_dw_ref(w->u, &v).p;
			break;
		default:
			cpf_dw_pass_form(&h->c, at->form, w->u);
		}
	}
	if (h->c.bad)
		return frame;
	if (low.cls != CPF_DW_NONE && high.cls != CPF_DW_NONE) {
		if (cpf_dw_address(w->u, &low, &lo))
			return frame;
		if (high.cls == CPF_DW_V_CONST || high.cls == CPF_DW_V_SECOFF)
			hi = lo + high.u;
		else if (cpf_dw_address(w->u, &high, &hi))
			return frame;
		cpf_dw_ranges_one(&r, w->u, lo, hi);
	} else if (list.cls != CPF_DW_NONE) {
		cpf_dw_ranges_list(&r, w->u, &list);
	} else {
		return frame;
	}
	while (cpf_dw_ranges_next(&r, &lo, &hi))
		cover(w, h, lo, hi, &frame);
	return frame;
}

static void push(struct cpf_dw_walk *w, const struct here *h, uint32_t frame, int touched)
{
	struct cpf_dw_open *o;

	CPF_GROW(w->open, w->open_cap, w->nopen + 1);
	o = &w->open[w->nopen++];
	o->depth = h->depth + 1;
	o->die = h->die;
	o->frame = frame;
	o->inlined = h->a->tag == CPF_TAG_inlined_subroutine;
	o->touched = (uint8_t)touched;
}

/* Where the entry's next neighbour is, if it says so at a fixed place. */
static const uint8_t *sibling(const struct cpf_dw_walk *w, const struct here *h)
{
	const uint8_t *at = h->c.p + h->a->sib;
	uint64_t off;

	if (!h->a->sib_size || (uint64_t)(h->c.end - h->c.p) < (uint64_t)h->a->sib + h->a->sib_size)
		return NULL;
	off = cpf_dw_load(at, h->a->sib_size, h->c.big);
	return off < (uint64_t)(w->u->end - w->u->start) ? w->u->start + off : NULL;
}

/* One entry; leaves the position behind it or, where nothing is of use, behind its children. */
static void entry(struct cpf_dw_walk *w, struct here *h, int full)
{
	const struct cpf_dw_abbrev *a = h->a;
	uint32_t frame = CPF_DW_NOFRAME;
	int inside = w->nopen && w->open[w->nopen - 1].touched;
	int bare = a->kind == CPF_DW_BARE && a->tag == CPF_TAG_inlined_subroutine && inside;

	h->sibling = NULL;
	/* Strict DWARF 2 cannot say that an inlined function is in pieces; those in it may still tell. */
	switch (bare ? CPF_DW_DEEP : a->kind) {
	case CPF_DW_FUNC:
		frame = function(w, h);
		break;
	case CPF_DW_INLINED:
		/* What is not in a function is not in what was inlined there. */
		if (inside || full || !w->nopen) {
			frame = function(w, h);
			break;
		}
		/* fall through */
	case CPF_DW_BARE:
	case CPF_DW_OTHER:
		if (!full && a->children)
			h->sibling = sibling(w, h);
		if (h->sibling > h->c.p) {
			h->c.p = h->sibling;
			w->skipped = 1;
			return;
		}
		cpf_dw_pass(&h->c, w->u->table, a, w->u);
		break;
	default:
		cpf_dw_pass(&h->c, w->u->table, a, w->u);
	}
	if (!a->children)
		return;
	if (frame == CPF_DW_NOFRAME && !full && h->sibling && h->sibling >= h->c.p) {
		h->c.p = h->sibling;
		w->skipped = 1;
		return;
	}
	if (a->kind == CPF_DW_FUNC || a->kind == CPF_DW_INLINED || a->kind == CPF_DW_BARE)
		push(w, h, frame, bare || frame != CPF_DW_NOFRAME);
	h->depth++;
}

void cpf_dw_walk(struct cpf_dw_walk *w, struct cpf_dw_unit *u, int full)
{
	struct here h = {.c = {u->dies, u->end, u->file->big, 0}};
	uint64_t code;

	w->u = u;
	w->nopen = 0;
	w->budget = 1000000 + 1024 * (uint64_t)w->n;
	if (!u->table || !w->n)
		return;
	while (h.c.p < h.c.end && !h.c.bad) {
		h.die = h.c.p;
		code = cpf_dw_uleb(&h.c);
		if (!code) {
			if (w->nopen && w->open[w->nopen - 1].depth == h.depth)
				w->nopen--;
			if (h.depth <= 1)
				break;
			h.depth--;
			continue;
		}
		h.a = cpf_dw_abbrev(u->table, code);
		if (!h.a || h.a->kind == CPF_DW_BROKEN)
			break;
		entry(w, &h, full);
		if (!h.depth)
			break;
	}
}

#endif
