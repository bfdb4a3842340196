#include "formats/folded.h"

#include "base/base.h"
#include "base/input.h"
#include "base/mem.h"
#include "core/decimal.h"

#define BLOCK 65536

enum encoding {
	BYTES, /* UTF-8 or whatever it is */
	UTF16_LE,
	UTF16_BE
};

/* Lines of the input, without their ends. */
struct lines {
	struct cpf_input *in;
	char *buf;
	size_t at, n, cap;
	int eof, started;
	enum encoding encoding;
	uint8_t half;         /* UTF-16: a first byte that waits for its second */
	int has_half;
	uint32_t high;        /* UTF-16: a first surrogate that waits for its second; 0 = none */
	uint64_t number;      /* of the line read last, from 1 */
	uint64_t replaced;
};

/* A frame of the line before. */
struct frame {
	size_t end;        /* offset in the text behind the frame */
	cpf_id node;       /* CPF_NONE = not made yet */
	cpf_id base;       /* node above the location this frame stands in */
	cpf_id mapping;
	cpf_str name;
	uint32_t first;    /* frame that starts the location; those up to here are its lines */
};

struct reader {
	struct cpf_profile *p;
	struct cpf_diag *d;
	struct cpf_err *e;
	struct lines lines;
	struct cpf_buf prev, scratch; /* prev: stack text of the line before */
	struct frame *frames;
	size_t nframes, frames_cap;
	cpf_id *locations;  /* by string: the location of a plain frame of that name */
	size_t locations_cap;
	struct cpf_line *line_buf;
	size_t line_cap;
	cpf_id kernel, jit; /* mappings, CPF_NONE = not met yet */
	int decimals;       /* raw numbers are counts times 10^decimals */
	int pairs;          /* all counted lines so far end in two numbers; at first 1 */
	uint64_t uncounted, first_uncounted;
	uint64_t invalid;   /* names that are not UTF-8 */
};

/* An error at a byte of the present line. */
static int fail_at(struct reader *r, enum cpf_code code, size_t column, const char *what)
{
	cpf_fail(r->e, code, "%s", what);
	if (r->e && !r->e->line) {
		r->e->line = r->lines.number;
		r->e->column = (uint64_t)column + 1;
	}
	return -1;
}

/* Lines. */

static void put_code_point(struct lines *l, uint32_t c)
{
	char out[4];
	int n = cpf_utf8_put(out, c);

	memcpy(l->buf + l->n, out, (size_t)n);
	l->n += (size_t)n;
}

static void put_replacement(struct lines *l)
{
	put_code_point(l, 0xfffd);
	l->replaced++;
}

/* The buffer has room for three bytes per two, and for a surrogate of the block before. */
static void add_utf16(struct lines *l, const uint8_t *s, size_t n)
{
	for (; n; n--, s++) {
		uint32_t c;

		if (!l->has_half) {
			l->half = *s;
			l->has_half = 1;
			continue;
		}
		l->has_half = 0;
		c = l->encoding == UTF16_LE ? (uint32_t)(*s << 8 | l->half) :
					      (uint32_t)(l->half << 8 | *s);
		if (l->high && c >= 0xdc00 && c < 0xe000) {
			put_code_point(l, 0x10000 + ((l->high - 0xd800) << 10) + (c - 0xdc00));
			l->high = 0;
			continue;
		}
		if (l->high)
			put_replacement(l);
		l->high = 0;
		if (c >= 0xd800 && c < 0xdc00)
			l->high = c;
		else if (c >= 0xdc00 && c < 0xe000)
			put_replacement(l);
		else
			put_code_point(l, c);
	}
}

static void skip_bom(struct lines *l, const uint8_t *s, size_t *n)
{
	l->started = 1;
	if (*n >= 2 && s[0] == 0xff && s[1] == 0xfe)
		l->encoding = UTF16_LE;
	else if (*n >= 2 && s[0] == 0xfe && s[1] == 0xff)
		l->encoding = UTF16_BE;
	else if (*n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3))
		l->at += 3;
	if (l->encoding != BYTES)
		*n -= 2;
}

static int check_length(const struct lines *l, size_t n, struct cpf_err *e)
{
	uint64_t limit = cpf_input_limits(l->in)->string;

	if (n <= limit)
		return 0;
	cpf_fail(e, CPF_E_LIMIT, "line %" PRIu64 " is longer than the limit of %" PRIu64 " bytes",
		l->number + 1, limit);
	cpf_err_limit(e, CPF_LIMIT_STRING);
	return -1;
}

/* Puts more bytes behind those not read yet. */
static int fill(struct lines *l, struct cpf_err *e)
{
	uint8_t block[BLOCK];
	size_t n = 0, got, skip;

	if (l->at) {
		memmove(l->buf, l->buf + l->at, l->n - l->at);
		l->n -= l->at;
		l->at = 0;
	}
	if (check_length(l, l->n, e))
		return -1;
	CPF_GROW(l->buf, l->cap, l->n + 2 * BLOCK);
	do {
		if (cpf_input_read(l->in, block + n, BLOCK - n, &got, e))
			return -1;
		n += got;
	} while (got && n < 4);
	if (!n) {
		l->eof = 1;
		return l->has_half || l->high ?
			       cpf_fail(e, CPF_E_FORMAT,
				       "the UTF-16 text is cut off in the middle of a character") :
			       0;
	}
	skip = n;
	if (!l->started)
		skip_bom(l, block, &n);
	skip -= n;
	if (l->encoding != BYTES) {
		add_utf16(l, block + skip, n);
	} else {
		memcpy(l->buf + l->n, block, n);
		l->n += n;
	}
	return 0;
}

/* The next line; borrowed until the next call. 1, 0 at the end, -1. */
static int next_line(struct lines *l, const char **s, size_t *n, struct cpf_err *e)
{
	size_t seen = 0;
	char *nl;

	for (;;) {
		nl = l->n > l->at + seen ?
			     memchr(l->buf + l->at + seen, '\n', l->n - l->at - seen) :
			     NULL;
		if (nl || l->eof)
			break;
		seen = l->n - l->at;
		if (fill(l, e))
			return -1;
		if (l->at > seen)
			seen = 0;
		else
			seen -= l->at;
	}
	if (!nl && l->at == l->n)
		return 0;
	*s = l->buf + l->at;
	*n = nl ? (size_t)(nl - *s) : l->n - l->at;
	l->at += *n + (nl != NULL);
	if (*n && (*s)[*n - 1] == '\r')
		(*n)--;
	if (check_length(l, *n, e))
		return -1;
	l->number++;
	return 1;
}

/* Frames. */

static cpf_id library(struct reader *r, cpf_id *id, const char *name)
{
	struct cpf_mapping m = {0};

	if (*id == CPF_NONE) {
		m.file = cpf_intern_z(r->p, name);
		*id = cpf_add_mapping(r->p, &m);
	}
	return *id;
}

static cpf_id find_location(struct reader *r, cpf_id mapping, uint32_t nlines)
{
	struct cpf_location l = {0};

	l.mapping = mapping;
	l.symbol = l.category = l.subcategory = CPF_NONE;
	l.lines = r->line_buf;
	l.nlines = nlines;
	return cpf_find_location(r->p, &l);
}

static cpf_id find_function(struct reader *r, cpf_str name)
{
	struct cpf_function f = {0};

	f.name = f.system_name = name;
	f.resource_lib = CPF_NONE;
	return cpf_find_function(r->p, &f);
}

static void set_line(struct reader *r, size_t i, cpf_id function)
{
	CPF_GROW(r->line_buf, r->line_cap, i + 1);
	r->line_buf[i].function = function;
	r->line_buf[i].line = r->line_buf[i].column = 0;
}

/* Most frames are plain: one step from the name to the location. */
static cpf_id plain_location(struct reader *r, cpf_str name)
{
	if (name >= r->locations_cap) {
		size_t was = r->locations_cap;

		CPF_GROW(r->locations, r->locations_cap, (size_t)name + 1);
		memset(r->locations + was, 0xff, (r->locations_cap - was) * sizeof(*r->locations));
	}
	if (r->locations[name] == CPF_NONE) {
		set_line(r, 0, find_function(r, name));
		r->locations[name] = find_location(r, CPF_NONE, 1);
	}
	return r->locations[name];
}

/* Takes the mark and the escapes off a frame's text. */
static void begin_frame(struct reader *r, const char *s, size_t n, int escaped, struct frame *f)
{
	enum cpf_folded_mark mark = cpf_folded_cut_mark(s, &n);
	uint32_t strings = cpf_nstrings(r->p);

	if (escaped)
		cpf_folded_unescape(&r->scratch, &s, &n);
	f->name = cpf_intern(r->p, s, n);
	if (f->name == strings)
		r->invalid += !cpf_utf8_ok(s, n);
	f->first = (uint32_t)r->nframes;
	f->mapping = CPF_NONE;
	f->node = CPF_NONE;
	if (mark == CPF_FOLDED_KERNEL)
		f->mapping = library(r, &r->kernel, CPF_FOLDED_KERNEL_LIB);
	else if (mark == CPF_FOLDED_JIT)
		f->mapping = library(r, &r->jit, CPF_FOLDED_JIT_LIB);
	else if (mark == CPF_FOLDED_INLINE && r->nframes)
		f->first = r->frames[r->nframes - 1].first;
}

/*
 * The node of frame i. Made when a stack ends there or goes on with another location, so that a long
 * chain of inlined frames makes one location, not one for each of its lengths.
 */
static cpf_id node_of(struct reader *r, size_t i)
{
	struct frame *f = &r->frames[i];
	cpf_id location;
	uint32_t n = 0;
	size_t k;

	if (f->node != CPF_NONE)
		return f->node;
	if (f->first == i && f->mapping == CPF_NONE) {
		location = plain_location(r, f->name);
	} else {
		for (k = i + 1; k-- > f->first;)
			set_line(r, n++, find_function(r, r->frames[k].name));
		location = find_location(r, r->frames[f->first].mapping, n);
	}
	return f->node = cpf_find_node(r->p, f->base, location);
}

static int push_frame(struct reader *r, const char *stack, size_t from, size_t end)
{
	struct frame f = {0};

	if (r->p->nodes.n >= CPF_NONE - 1 || cpf_nstrings(r->p) >= CPF_NONE - 2)
		return fail_at(r, CPF_E_LIMIT, from, "more than 4 billion different stacks");
	f.end = end;
	begin_frame(r, stack + from, end - from, 1, &f);
	if (f.first < r->nframes)
		f.base = r->frames[f.first].base;
	else if (r->nframes)
		f.base = node_of(r, r->nframes - 1);
	CPF_GROW(r->frames, r->frames_cap, r->nframes + 1);
	r->frames[r->nframes++] = f;
	return 0;
}

static size_t common_prefix(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = na < nb ? na : nb, i = 0;
	uint64_t x, y;

	for (; i + 8 <= n; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			break;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* The node of a stack. Frames shared with the line before, the usual case, cost nothing. */
static int stack_node(struct reader *r, const char *s, size_t n, cpf_id *node)
{
	size_t common, from, end;

	while (n && s[n - 1] == ';')
		n--;
	common = common_prefix(r->prev.s ? r->prev.s : "", r->prev.n, s, n);
	while (r->nframes) {
		const struct frame *f = &r->frames[r->nframes - 1];

		if (f->end <= common && (f->end == n || s[f->end] == ';'))
			break;
		r->nframes--;
	}
	r->prev.n = common;
	cpf_buf_add(&r->prev, s + common, n - common);
	from = r->nframes ? r->frames[r->nframes - 1].end + 1 : 0;
	for (; from < n; from = end + 1) {
		const char *semi = memchr(s + from, ';', n - from);

		end = semi ? (size_t)(semi - s) : n;
		if (end == n && end - from == strlen(CPF_FOLDED_EMPTY) &&
			!memcmp(s + from, CPF_FOLDED_EMPTY, end - from))
			break;
		if (push_frame(r, s, from, end))
			return -1;
	}
	*node = r->nframes ? node_of(r, r->nframes - 1) : 0;
	return 0;
}

/* Counts. */

/* Makes room for more decimals in the numbers read so far. */
static int more_decimals(struct reader *r, int decimals)
{
	struct cpf_samples *s = &r->p->samples;
	int64_t factor = cpf_pow10(decimals - r->decimals), v;
	uint32_t c, i;

	for (c = 0; c < s->nraw; c++)
		for (i = 0; i < s->n; i++) {
			if (cpf_mul64(&v, cpf_col_get(&s->raw[c], i), factor))
				return -1;
			cpf_col_set(&s->raw[c], i, v);
		}
	r->decimals = decimals;
	return 0;
}

static void no_count(struct reader *r)
{
	if (!r->uncounted++)
		r->first_uncounted = r->lines.number;
}

/* What stands before the last blanks and number of a line; see pairs_to_types for the second one. */
struct counts {
	size_t stack;        /* length of the text before */
	size_t column;       /* of the last number */
	int64_t mantissa[2]; /* the last number, the one before it */
	int decimals[2];
};

static int read_counts(struct reader *r, const char *s, size_t n, struct counts *c)
{
	size_t rest;
	int found = cpf_folded_count(s, n, &c->stack, &c->mantissa[0], &c->decimals[0]);

	if (!found)
		return 0;
	for (c->column = c->stack; s[c->column] == ' ' || s[c->column] == '\t'; c->column++)
		;
	if (r->pairs)
		r->pairs = cpf_folded_count(s, c->stack, &rest, &c->mantissa[1],
				   &c->decimals[1]) == 1;
	if (!r->pairs)
		c->mantissa[1] = c->decimals[1] = 0;
	return found;
}

static int to_raw(struct reader *r, const struct counts *c, int64_t raw[2])
{
	int most = c->decimals[0] > c->decimals[1] ? c->decimals[0] : c->decimals[1], i;

	if (most > r->decimals && more_decimals(r, most))
		return -1;
	for (i = 0; i < 2; i++)
		if (cpf_mul64(&raw[i], c->mantissa[i], cpf_pow10(r->decimals - c->decimals[i])))
			return -1;
	return 0;
}

static int read_line(struct reader *r, const char *s, size_t n)
{
	struct counts c = {0};
	int64_t raw[2];
	cpf_id node;
	int found;

	if (!n)
		return 0;
	found = read_counts(r, s, n, &c);
	if (!found) {
		no_count(r);
		return 0;
	}
	if (found < 0 || to_raw(r, &c, raw))
		return fail_at(r, CPF_E_RANGE, c.column, "the count does not fit 64 bits");
	if (r->p->samples.n >= CPF_NONE - 1)
		return fail_at(r, CPF_E_LIMIT, 0, "more than 4 billion lines");
	if (stack_node(r, s, c.stack, &node))
		return -1;
	cpf_add_sample(r->p, node, CPF_NONE, 0, 0, raw);
	return 0;
}

/*
 * Every line ended in two numbers, as difffolded.pl of FlameGraph writes them: the leaf frames were
 * read with the first number in their names, which goes now.
 */
static void pairs_to_types(struct reader *r)
{
	struct cpf_profile *p = r->p;
	uint32_t i;

	for (i = 0; i < p->samples.n; i++) {
		cpf_id node = cpf_col_id(&p->samples.node, i), location;
		struct cpf_text name;
		int64_t mantissa;
		int decimals;
		size_t n;

		location = cpf_col_id(&p->nodes.location, node);
		name = cpf_text(p, p->functions[cpf_col_id(&p->locations.line_fn,
						   (size_t)cpf_col_get(&p->locations.first,
							   location))].name);
		if (cpf_folded_count(name.s, name.len, &n, &mantissa, &decimals) != 1)
			continue;
		node = cpf_col_id(&p->nodes.parent, node);
		if (n && !(n == strlen(CPF_FOLDED_EMPTY) && !memcmp(name.s, CPF_FOLDED_EMPTY, n))) {
			r->nframes = 0;
			CPF_GROW(r->frames, r->frames_cap, 1);
			begin_frame(r, name.s, n, 0, &r->frames[0]);
			r->frames[0].base = node;
			node = node_of(r, 0);
		}
		cpf_col_set(&p->samples.node, i, node);
	}
}

static void add_types(struct reader *r)
{
	struct cpf_profile *p = r->p;
	int64_t den = cpf_pow10(r->decimals);

	if (r->pairs) {
		pairs_to_types(r);
		cpf_add_type(p, "before", "count", 1, 1, den);
	} else {
		cpf_col_release(&p->samples.raw[1]);
		p->samples.nraw = 1;
	}
	cpf_add_type(p, "samples", "count", 0, 1, den);
	p->default_type = p->ntypes - 1;
}

static int finish(struct reader *r)
{
	const char *name = cpf_input_name(r->lines.in);
	int overflow, before = 0;

	if (r->uncounted)
		cpf_note(r->d, CPF_WARN, "no-count", (int64_t)r->uncounted,
			"%s: line %" PRIu64 ": no count at its end, left out", name,
			r->first_uncounted);
	if (r->lines.replaced)
		cpf_note(r->d, CPF_WARN, "replaced", (int64_t)r->lines.replaced,
			"%s: broken UTF-16, replaced by U+FFFD", name);
	if (r->invalid)
		cpf_note(r->d, CPF_WARN, "invalid-utf8", (int64_t)r->invalid,
			"%s: names with invalid UTF-8, kept as they are", name);
	if (!r->p->samples.n)
		return cpf_fail(r->e, CPF_E_FORMAT, "no line ends in a count");
	cpf_col_sum(&r->p->samples.raw[0], &overflow);
	if (r->pairs)
		cpf_col_sum(&r->p->samples.raw[1], &before);
	if (overflow || before)
		return cpf_fail(r->e, CPF_E_RANGE, "the sum of all counts does not fit 64 bits");
	add_types(r);
	cpf_add_source(r->p, name, "folded", "", "");
	return 0;
}

int cpf_folded_read(struct cpf_input *in, struct cpf_profile *p, const struct cpf_load_opts *o,
	struct cpf_diag *d, struct cpf_err *e)
{
	struct reader r = {0};
	const char *s;
	size_t n;
	int more, result = 0;

	(void)o;
	r.p = p;
	r.d = d;
	r.e = e;
	r.lines.in = in;
	r.kernel = r.jit = CPF_NONE;
	r.pairs = 1;
	cpf_add_raw(p);
	cpf_add_raw(p);
	while ((more = next_line(&r.lines, &s, &n, e)) > 0)
		if (read_line(&r, s, n)) {
			result = -1;
			break;
		}
	if (more < 0 || result || finish(&r))
		result = -1;
	cpf_free(r.lines.buf);
	cpf_buf_release(&r.prev);
	cpf_buf_release(&r.scratch);
	cpf_free(r.frames);
	cpf_free(r.locations);
	cpf_free(r.line_buf);
	return result;
}
