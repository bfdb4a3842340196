#include "formats/svg.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/num.h"
#include "core/decimal.h"

/* Frames that stand for no code, in pictures of this program and in folded stacks drawn by others. */
#define ALL      "all"
#define NO_STACK "(no stack)"
#define LEFT_OUT "(left out)"

static int text_is(const struct cpf_svg *s, cpf_str id, const char *text)
{
	struct cpf_text t = cpf_text(s->p, id);

	return t.len == strlen(text) && !memcmp(t.s, text, t.len);
}

static int fail_frame(const struct cpf_svg *s, const struct cpf_svg_frame *f, const char *what,
	struct cpf_err *e)
{
	return cpf_fail_at(e, CPF_E_FORMAT, f->byte, "frame '%.100s' at y=%g: %s",
		cpf_cstr(s->p, f->name), f->y, what);
}

/* Rows. */

static int by_place(const void *pa, const void *pb)
{
	const struct cpf_svg_frame *a = pa, *b = pb;

	if (a->y != b->y)
		return a->y < b->y ? -1 : 1;
	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	/* Where rounding makes two frames start together, the wider one is behind the other. */
	if (a->w != b->w)
		return a->w < b->w ? -1 : 1;
	return (a->byte > b->byte) - (a->byte < b->byte);
}

/* The root lies under or over all others, alone in its row. */
static int is_root_row(const struct cpf_svg *s, size_t from, size_t n, double widest)
{
	return n == 1 && s->frames[from].w >= widest;
}

static size_t row_length(const struct cpf_svg *s, size_t from)
{
	size_t i = from;

	while (i < s->n && s->frames[i].y == s->frames[from].y)
		i++;
	return i - from;
}

/* Turns the order of rows around, so that the root's comes first. */
static void turn_rows(struct cpf_svg *s)
{
	struct cpf_svg_frame *to = cpf_calloc(s->n, sizeof(*to));
	size_t i, n, end = s->n;

	for (i = 0; i < s->n; i += n) {
		n = row_length(s, i);
		end -= n;
		memcpy(to + end, s->frames + i, n * sizeof(*to));
	}
	cpf_free(s->frames);
	s->frames = to;
	s->cap = s->n;
}

/* 1: the root is at the top, 0: at the bottom; -1: there is none. */
static int root_at_top(const struct cpf_svg *s, struct cpf_err *e)
{
	size_t last = s->n - 1, i;
	double widest = 0;
	int top, bottom;

	for (i = 0; i < s->n; i++)
		if (s->frames[i].w > widest)
			widest = s->frames[i].w;
	while (last && s->frames[last - 1].y == s->frames[last].y)
		last--;
	top = is_root_row(s, 0, row_length(s, 0), widest);
	bottom = is_root_row(s, last, s->n - last, widest);
	if (top && bottom && last) {
		/* A single chain. If the counts do not tell: programs call the root "all". */
		if (s->frames[0].count != s->frames[last].count)
			return s->frames[0].count > s->frames[last].count;
		return text_is(s, s->frames[0].name, ALL) && !text_is(s, s->frames[last].name, ALL);
	}
	if (!top && !bottom)
		return cpf_fail_at(e, CPF_E_FORMAT, s->frames[last].byte,
			"neither the top row nor the bottom row is one frame as wide as all others");
	return top;
}

/* Rows are evenly spaced; one that is missing would put frames on the wrong ones. */
static int check_rows(const struct cpf_svg *s, struct cpf_err *e)
{
	double least = 0, step;
	size_t i, n;

	for (i = 0; i < s->n; i += n) {
		n = row_length(s, i);
		if (i + n == s->n)
			break;
		step = s->frames[i + n].y - s->frames[i].y;
		step = step < 0 ? -step : step;
		if (least <= 0 || step < least)
			least = step;
	}
	for (i = 0; i < s->n; i += n) {
		n = row_length(s, i);
		if (i + n == s->n)
			break;
		step = s->frames[i + n].y - s->frames[i].y;
		step = step < 0 ? -step : step;
		if (step > least * 1.5)
			return fail_frame(s, &s->frames[i + n], "there is no row of frames below it", e);
	}
	return 0;
}

/* Parents. */

static int holds(const struct cpf_svg_frame *f, double x, double slack)
{
	return x >= f->x - slack && x <= f->x + f->w + slack;
}

static int has_room(const struct cpf_svg_frame *parent, const struct cpf_svg_frame *child)
{
	return parent->count - parent->children >= child->count;
}

/*
 * Frame [from, to) is the row that child stands on; *at moves along it. Where rounded positions leave
 * it open which of two neighbours it is, the one with room for the count.
 */
static int find_parent(const struct cpf_svg *s, size_t from, size_t to, size_t *at,
	const struct cpf_svg_frame *child)
{
	double mid = child->x + child->w / 2;
	double slack = s->exact ? 0 : s->rough ? 0.11 : 0.0002;
	size_t i;

	while (*at + 1 < to && s->frames[*at + 1].x <= mid)
		++*at;
	if (holds(&s->frames[*at], mid, 0) && has_room(&s->frames[*at], child))
		return 0;
	for (i = *at; i < to && i < *at + 4 && s->frames[i].x <= mid + slack; i++)
		if (holds(&s->frames[i], mid, slack) && has_room(&s->frames[i], child)) {
			*at = i;
			return 0;
		}
	for (i = *at; i > from && i + 4 > *at; i--)
		if (holds(&s->frames[i - 1], mid, slack) && has_room(&s->frames[i - 1], child)) {
			*at = i - 1;
			return 0;
		}
	return holds(&s->frames[*at], mid, slack) ? 0 : -1;
}

static int find_parents(struct cpf_svg *s, struct cpf_err *e)
{
	size_t from = 0, to = row_length(s, 0), n, i, at;

	s->frames[0].parent = CPF_NONE;
	for (; to < s->n; from = to, to += n) {
		n = row_length(s, to);
		at = from;
		for (i = to; i < to + n; i++) {
			struct cpf_svg_frame *f = &s->frames[i];

			if (find_parent(s, from, to, &at, f))
				return fail_frame(s, f, "it stands on no other frame", e);
			f->parent = (uint32_t)at;
			if (cpf_add64(&s->frames[at].children, s->frames[at].children, f->count))
				return fail_frame(s, &s->frames[at], "the sum of what stands on it does not "
								     "fit 64 bits", e);
		}
	}
	return 0;
}

/*
 * Pictures of this program have their frames in preorder, so the rows alone tell, however narrow the
 * frames are.
 */
static int find_parents_in_order(struct cpf_svg *s, struct cpf_err *e)
{
	uint32_t *last = cpf_calloc(s->n, sizeof(*last)), depth = 0, i;
	double pitch = 0, rows;
	int r = 0;

	s->frames[0].parent = CPF_NONE;
	for (i = 1; i < s->n && !r; i++) {
		struct cpf_svg_frame *f = &s->frames[i], *up;
		double off = f->y - s->frames[0].y;

		off = off < 0 ? -off : off;
		/* The second frame is on the first one. */
		pitch = i == 1 ? off : pitch;
		rows = pitch > 0 ? off / pitch : 0;
		if (!(rows >= 1 && rows <= (double)depth + 1) || rows != (double)(uint32_t)rows) {
			r = fail_frame(s, f, "it stands on no other frame", e);
			break;
		}
		depth = (uint32_t)rows;
		f->parent = last[depth - 1];
		last[depth] = i;
		up = &s->frames[f->parent];
		if (cpf_add64(&up->children, up->children, f->count))
			r = fail_frame(s, up, "the sum of what stands on it does not fit 64 bits", e);
	}
	cpf_free(last);
	return r;
}

/* Whether positions are whole tenths, as flamegraph.pl writes them. */
static int is_rough(const struct cpf_svg *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		double tenths = s->frames[i].x * 10, off = tenths - (double)(int64_t)tenths;

		if (off > 1e-6 && off < 1 - 1e-6)
			return 0;
	}
	return 1;
}

/* Stacks. */

static cpf_id location_of(struct cpf_svg *s, cpf_str name)
{
	struct cpf_function f = {.name = name, .system_name = name, .resource_lib = CPF_NONE};
	struct cpf_line line = {0, 0, 0};
	struct cpf_location l = {0};

	line.function = cpf_find_function(s->p, &f);
	l.mapping = l.symbol = l.category = l.subcategory = CPF_NONE;
	l.lines = &line;
	l.nlines = 1;
	return cpf_find_location(s->p, &l);
}

static void add_sample(struct cpf_svg *s, cpf_id node, int64_t value)
{
	if (value)
		cpf_add_sample(s->p, node, CPF_NONE, 0, 0, &value);
}

static int is_nothing(const struct cpf_svg *s, const struct cpf_svg_frame *f)
{
	return f->parent == CPF_NONE ? text_is(s, f->name, ALL) : text_is(s, f->name, NO_STACK);
}

static int64_t self_of(const struct cpf_svg_frame *f)
{
	int64_t self = f->count - f->children - f->hidden;

	return f->children > f->count || self < 0 ? 0 : self;
}

/* Children are callees: a frame's node is below that of the frame it stands on. */
static void build_callees(struct cpf_svg *s, cpf_id left_out)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		struct cpf_svg_frame *f = &s->frames[i];
		cpf_id below = f->parent == CPF_NONE ? 0 : s->frames[f->parent].node;

		f->node = is_nothing(s, f) ? below :
					     cpf_find_node(s->p, below, location_of(s, f->name));
		add_sample(s, f->node, self_of(f));
		if (f->hidden)
			add_sample(s, cpf_find_node(s->p, f->node, left_out), f->hidden);
	}
}

/* Children are callers: what begins at a frame leads from it to the root's child. */
static int build_callers(struct cpf_svg *s, cpf_id left_out, struct cpf_err *e)
{
	/* Every step may take a node. A picture has some dozen bytes for each frame. */
	uint64_t steps = s->bytes + 1000000;
	cpf_id node;
	size_t i;
	uint32_t k;
	int part;

	for (i = 0; i < s->n; i++) {
		const int64_t values[2] = {self_of(&s->frames[i]), s->frames[i].hidden};

		for (part = 0; part < 2; part++) {
			if (!values[part])
				continue;
			node = part ? cpf_find_node(s->p, 0, left_out) : 0;
			for (k = (uint32_t)i; s->frames[k].parent != CPF_NONE; k = s->frames[k].parent) {
				if (!steps--)
					return cpf_fail_at(e, CPF_E_LIMIT, s->frames[i].byte,
						"the stacks take more memory than a picture of its size may");
				if (!is_nothing(s, &s->frames[k]))
					node = cpf_find_node(s->p, node, location_of(s, s->frames[k].name));
			}
			add_sample(s, node, values[part]);
		}
	}
	return 0;
}

/* What is odd or missing. */

static void add_type(struct cpf_svg *s)
{
	const char *unit = s->unit.s ? s->unit.s : "samples";
	int64_t den = cpf_pow10(s->decimals);

	if (s->ours && s->type.n)
		cpf_add_type(s->p, s->type.s, s->our_unit.n ? s->our_unit.s : "count", 0, 1, den);
	else
		cpf_add_type(s->p, unit, cpf_unit_known(unit) ? unit : "count", 0, 1, den);
}

static void tell_losses(const struct cpf_svg *s)
{
	const struct cpf_svg_frame *first = NULL;
	int64_t least = INT64_MAX, hidden = 0, exceed = 0;
	struct cpf_value_type *t = &s->p->types[0];
	struct cpf_buf text = {0};
	struct cpf_err ignored = {0};
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct cpf_svg_frame *f = &s->frames[i];

		if (f->count < least)
			least = f->count;
		/* Sums of parts of the root's count. */
		hidden = cpf_wrap_add(hidden, f->hidden);
		if (f->children > f->count) {
			exceed++;
			first = first ? first : f;
		}
	}
	if (first)
		cpf_note(s->d, CPF_WARN, "children-exceed", exceed,
			"%s: byte %" PRIu64 ": the frames on '%s' come to more than it does; it is taken "
			"for as much as they are",
			s->name, first->byte, cpf_cstr(s->p, first->name));
	if (s->ours) {
		if (hidden && !cpf_buf_value(&text, t, hidden, &ignored))
			cpf_note(s->d, CPF_LOSS, "narrow-frames", 1,
				"%s: %s %s are in frames too narrow for the picture; shown as " LEFT_OUT,
				s->name, text.s, s->unit.s);
	} else if (least > cpf_pow10(s->decimals) && !cpf_buf_value(&text, t, least, &ignored)) {
		/* A picture that shows a frame of one sample shows them all. */
		cpf_note(s->d, CPF_WARN, "narrow-frames", 1,
			"%s: frames below %s %s may be missing from the picture; what they came to is "
			"self of the frames they stood on",
			s->name, text.s, s->unit.s);
	}
	cpf_buf_release(&text);
}

static int find_by_geometry(struct cpf_svg *s, int *top, struct cpf_err *e)
{
	qsort(s->frames, s->n, sizeof(*s->frames), by_place);
	s->rough = !s->exact && is_rough(s);
	*top = root_at_top(s, e);
	if (*top < 0 || check_rows(s, e))
		return -1;
	if (!*top)
		turn_rows(s);
	return find_parents(s, e);
}

int cpf_svg_build(struct cpf_svg *s, struct cpf_err *e)
{
	cpf_id left_out = CPF_NONE;
	size_t i;
	int top = 0;

	if (s->ours ? find_parents_in_order(s, e) : find_by_geometry(s, &top, e))
		return -1;
	for (i = 0; i < s->n; i++)
		if (s->frames[i].hidden && left_out == CPF_NONE)
			left_out = location_of(s, cpf_intern_z(s->p, LEFT_OUT));
	cpf_add_raw(s->p);
	add_type(s);
	if (!s->callers)
		build_callees(s, left_out);
	else if (build_callers(s, left_out, e))
		return -1;
	if (top)
		cpf_note(s->d, CPF_INFO, "icicle", 1,
			"%s: the root is at the top; read from there. If the stacks were reversed when it "
			"was drawn, callers and callees are, too",
			s->name);
	tell_losses(s);
	return 0;
}
