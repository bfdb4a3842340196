#include "formats/svg.h"

#include "base/base.h"
#include "base/mem.h"
#include "core/decimal.h"
#include "formats/formats.h"

/* A group that may turn out to be a frame. */
struct group {
	uint32_t depth;      /* of the element; 0 = none is open */
	int has_title, has_rect;
	struct cpf_buf title;
	struct cpf_svg_frame frame;
	struct cpf_buf hidden;
};

struct reader {
	struct cpf_svg s;
	struct cpf_xml x;
	struct cpf_err *e;
	struct group g;
	uint32_t title_depth; /* of the title that is being read, 0 = none */
	uint64_t others;      /* titles beside a rectangle that name no frame */
};

/* "REASON: TEXT", the text cut to fit. */
static int fail(struct reader *r, uint64_t byte, const char *reason, const char *text)
{
	return cpf_fail_at(r->e, CPF_E_FORMAT, byte, "%s%s%.200s", reason, text ? ": " : "",
		text ? text : "");
}

/* Numbers. */

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * A coordinate: "12.5", "1.2e3", with "%" or "px" behind it. By hand, since strtod follows the locale.
 */
static int parse_number(const char *s, double *v)
{
	double n = 0, unit = 1;
	int digits = 0, negative = *s == '-', exponent = 0, down;

	s += negative || *s == '+';
	for (; is_digit(*s); s++, digits++)
		n = n * 10 + (*s - '0');
	if (*s == '.')
		for (s++; is_digit(*s); s++, digits++) {
			n = n * 10 + (*s - '0');
			unit *= 10;
		}
	if (!digits)
		return -1;
	if ((*s == 'e' || *s == 'E') && (is_digit(s[1]) || (s[1] == '-' && is_digit(s[2])))) {
		down = *++s == '-';
		for (s += down; is_digit(*s) && exponent < 400; s++)
			exponent = exponent * 10 + (*s - '0');
		for (; exponent; exponent--) {
			if (down)
				unit *= 10;
			else
				n *= 10;
		}
	}
	if (*s && strcmp(s, "%") && strcmp(s, "px"))
		return -1;
	*v = (negative ? -n : n) / unit;
	/* Neither infinite nor without value. */
	return *v - *v == 0 && *v < 1e15 && *v > -1e15 ? 0 : -1;
}

/* A count in a title: digits with commas between them, and decimals. */
struct count {
	int64_t mantissa;
	int decimals;
};

/* Length of the count at s; 0: there is none; -1: it does not fit. */
static int parse_count(const char *s, size_t n, struct count *c)
{
	char digits[64];
	size_t i, len = 0;

	for (i = 0; i < n && (is_digit(s[i]) || s[i] == '.' || (s[i] == ',' && i)); i++) {
		if (s[i] == ',')
			continue;
		if (len + 1 >= sizeof(digits))
			return -1;
		digits[len++] = s[i];
	}
	if (!len || !is_digit(digits[0]))
		return 0;
	switch (cpf_decimal_parse(digits, len, &c->mantissa, &c->decimals)) {
	case 0:
		return (int)i;
	case 1:
		return 0;
	default:
		return -1;
	}
}

/* Brings a count to the decimals of the reader, which grow if need be. */
static int to_raw(struct reader *r, const struct count *c, int64_t *raw)
{
	struct cpf_svg *s = &r->s;
	size_t i;

	if (c->decimals > s->decimals) {
		int64_t factor = cpf_pow10(c->decimals - s->decimals);

		for (i = 0; i < s->n; i++)
			if (cpf_mul64(&s->frames[i].count, s->frames[i].count, factor) ||
				cpf_mul64(&s->frames[i].hidden, s->frames[i].hidden, factor))
				return -1;
		s->decimals = c->decimals;
	}
	return cpf_mul64(raw, c->mantissa, cpf_pow10(s->decimals - c->decimals)) ? -1 : 0;
}

/* Titles. */

struct title {
	size_t name;         /* length */
	struct count count;
	const char *unit;
	size_t nunit;
};

/* "12.34%", and in a differential picture "; +1.23%": the rest of a title, but for its ")". */
static int is_share(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && (is_digit(s[i]) || s[i] == '.' || s[i] == ','))
		i++;
	if (!i || i == n || s[i++] != '%')
		return 0;
	return i == n || s[i] == ';';
}

/* 1: a frame's title, 0: not; -1: its count does not fit. */
static int parse_title(const char *s, size_t n, struct title *t)
{
	size_t i, k;
	int len;

	while (n && (s[n - 1] == ' ' || s[n - 1] == '\n'))
		n--;
	if (!n || s[n - 1] != ')')
		return 0;
	for (i = n; i-- > 1;) {
		const char *at = s + i + 1;
		size_t left = n - i - 2;

		if (s[i] != '(' || s[i - 1] != ' ')
			continue;
		len = parse_count(at, left, &t->count);
		if (len < 0)
			return -1;
		if (!len || (size_t)len >= left || at[len] != ' ')
			continue;
		t->unit = at + len + 1;
		left -= (size_t)len + 1;
		for (k = 0; k + 1 < left && (t->unit[k] != ',' || t->unit[k + 1] != ' '); k++)
			;
		if (k + 2 >= left || !k || !is_share(t->unit + k + 2, left - k - 2))
			continue;
		t->nunit = k;
		t->name = i - 1;
		return 1;
	}
	return 0;
}

/* Frames. */

static int check_unit(struct reader *r, const struct title *t, uint64_t byte)
{
	struct cpf_buf *unit = &r->s.unit;

	if (!r->s.n)
		cpf_buf_add(unit, t->unit, t->nunit);
	else if (unit->n != t->nunit || memcmp(unit->s, t->unit, t->nunit))
		return cpf_fail_at(r->e, CPF_E_FORMAT, byte,
			"a title counts '%.*s', the ones before it '%s'",
			t->nunit < 60 ? (int)t->nunit : 60, t->unit, unit->s);
	return 0;
}

/* A group is complete. */
static int end_group(struct reader *r)
{
	struct cpf_svg *s = &r->s;
	struct group *g = &r->g;
	struct title t = {0};
	struct count hidden = {0, 0};
	int found;

	g->depth = 0;
	if (!g->has_title || !g->has_rect)
		return 0;
	found = parse_title(g->title.s, g->title.n, &t);
	if (found < 0)
		return fail(r, g->frame.byte, "the count does not fit 64 bits", g->title.s);
	if (!found) {
		r->others++;
		return 0;
	}
	if (check_unit(r, &t, g->frame.byte))
		return -1;
	if (g->hidden.n && parse_count(g->hidden.s, g->hidden.n, &hidden) != (int)g->hidden.n)
		return fail(r, g->frame.byte, "data-hidden is no count", g->hidden.s);
	if (s->n >= CPF_NONE - 1)
		return cpf_fail_at(r->e, CPF_E_LIMIT, g->frame.byte, "more than 4 billion frames");
	CPF_GROW(s->frames, s->cap, s->n + 1);
	g->frame.name = cpf_intern(s->p, g->title.s, t.name);
	if (to_raw(r, &t.count, &g->frame.count) || to_raw(r, &hidden, &g->frame.hidden) ||
		to_raw(r, &t.count, &g->frame.count))
		return fail(r, g->frame.byte, "the count does not fit 64 bits", g->title.s);
	s->frames[s->n++] = g->frame;
	return 0;
}

static int coordinate(struct reader *r, const char *name, double *v)
{
	const char *s = cpf_xml_get(&r->x, name);

	if (!s)
		return fail(r, r->x.byte, "a rectangle beside a title has no attribute", name);
	if (parse_number(s, v))
		return fail(r, r->x.byte, "a position is no number", s);
	return 0;
}

/* 1: both attributes are there. */
static int pair(struct reader *r, const char *x, const char *w, struct cpf_svg_frame *f)
{
	const char *a = cpf_xml_get(&r->x, x), *b = cpf_xml_get(&r->x, w);

	return a && b && !parse_number(a, &f->x) && !parse_number(b, &f->w);
}

static int read_rect(struct reader *r)
{
	struct cpf_svg_frame *f = &r->g.frame;
	const char *hidden;
	int exact = 0;

	if (r->g.has_rect)
		return 0;
	f->byte = r->x.byte;
	if (coordinate(r, "y", &f->y))
		return -1;
	/* Positions in counts; what a picture saved while it was zoomed keeps of its true ones. */
	if (pair(r, "fg:x", "fg:w", f))
		exact = 1;
	else if (!pair(r, "_orig_x", "_orig_width", f) &&
		 (coordinate(r, "x", &f->x) || coordinate(r, "width", &f->w)))
		return -1;
	if (r->s.n && exact != r->s.exact)
		return fail(r, f->byte, "some frames have fg:x and fg:w, others have not", NULL);
	r->s.exact = exact;
	if (f->w < 0)
		return fail(r, f->byte, "the width of a frame is negative", NULL);
	hidden = cpf_xml_get(&r->x, "data-hidden");
	cpf_buf_clear(&r->g.hidden);
	if (hidden)
		cpf_buf_str(&r->g.hidden, hidden);
	r->g.has_rect = 1;
	return 0;
}

/* What a picture of this program says about itself. */
static int read_root(struct reader *r)
{
	const char *id, *s;

	if (strcmp(r->x.name, "svg"))
		return fail(r, r->x.byte, "the document's element is not svg, but", r->x.name);
	id = cpf_xml_get(&r->x, "id");
	if (!id || strcmp(id, "cpuprof-flamegraph"))
		return 0;
	r->s.ours = 1;
	s = cpf_xml_get(&r->x, "data-order");
	r->s.callers = s && !strcmp(s, "callers");
	s = cpf_xml_get(&r->x, "data-type");
	cpf_buf_str(&r->s.type, s ? s : "");
	s = cpf_xml_get(&r->x, "data-unit");
	cpf_buf_str(&r->s.our_unit, s ? s : "");
	return 0;
}

static int open_element(struct reader *r)
{
	const char *name = r->x.name;

	if (r->x.depth == 1)
		return read_root(r);
	if (!strcmp(name, "g") || !strcmp(name, "a")) {
		/* flamegraph.pl puts a link around the group or in its place; the inner one counts. */
		r->g.depth = r->x.depth;
		r->g.has_title = r->g.has_rect = 0;
		cpf_buf_clear(&r->g.title);
	} else if (r->g.depth && r->x.depth == r->g.depth + 1 && !strcmp(name, "title") &&
		   !r->g.has_title) {
		r->g.has_title = 1;
		r->title_depth = r->x.depth;
		r->x.want_text = 1;
	} else if (r->g.depth && r->x.depth == r->g.depth + 1 && !strcmp(name, "rect")) {
		return read_rect(r);
	}
	return 0;
}

static int close_of(struct reader *r)
{
	/* The event comes with the depth that is left. */
	if (r->title_depth == r->x.depth + 1) {
		r->title_depth = 0;
		r->x.want_text = 0;
	} else if (r->g.depth == r->x.depth + 1) {
		return end_group(r);
	}
	return 0;
}

static int read_document(struct reader *r)
{
	int event;

	for (;;) {
		event = cpf_xml_next(&r->x, r->e);
		switch (event) {
		case CPF_XML_OPEN:
			if (open_element(r))
				return -1;
			break;
		case CPF_XML_CLOSE:
			if (close_of(r))
				return -1;
			break;
		case CPF_XML_TEXT:
			cpf_buf_add(&r->g.title, r->x.text, r->x.ntext);
			break;
		case CPF_XML_END:
			r->s.bytes = r->x.base + r->x.at;
			return 0;
		default:
			return -1;
		}
	}
}

static void release(struct reader *r)
{
	cpf_xml_release(&r->x);
	cpf_free(r->s.frames);
	cpf_buf_release(&r->s.unit);
	cpf_buf_release(&r->s.type);
	cpf_buf_release(&r->s.our_unit);
	cpf_buf_release(&r->g.title);
	cpf_buf_release(&r->g.hidden);
}

static int read_svg(struct cpf_input *in, struct cpf_profile *p, const struct cpf_load_opts *o,
	struct cpf_diag *d, struct cpf_err *e)
{
	struct reader r = {.e = e};
	int result;

	(void)o;
	r.s.p = p;
	r.s.d = d;
	r.s.name = cpf_input_name(in);
	cpf_xml_init(&r.x, in);
	result = read_document(&r);
	if (!result && !r.s.n)
		result = cpf_fail(e, CPF_E_FORMAT,
			"no flame graph: no group in it has a rectangle and a title like "
			"'NAME (12 samples, 3.45%%)'");
	if (!result && r.others)
		cpf_note(d, CPF_WARN, "titles", (int64_t)r.others,
			"%s: rectangles with a title that is no frame's, left out", r.s.name);
	if (!result)
		result = cpf_svg_build(&r.s, e);
	if (!result)
		cpf_add_source(p, r.s.name, "svg", "", r.s.ours ? "cpuprof" : "");
	release(&r);
	return result;
}

/* A document that has <svg at its beginning; other XML is taken, too, to be told what is wrong. */
static int probe(const uint8_t *head, size_t n)
{
	size_t i = n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;
	size_t k;

	while (i < n && (head[i] == ' ' || head[i] == '\t' || head[i] == '\n' || head[i] == '\r'))
		i++;
	if (n - i < 5 || head[i] != '<')
		return 0;
	if (!memcmp(head + i, "<?xml", 5))
		return 2;
	for (k = i; k + 4 < n; k++)
		if (!memcmp(head + k, "<svg", 4))
			return 2;
	return 0;
}

const struct cpf_format cpf_format_svg = {
	.name = "svg",
	.summary = "flame graphs: inferno, flamegraph.pl, pprof-rs, cpuprof (read only)",
	.suffixes = ".svg",
	.probe = probe,
	.read = read_svg,
};
