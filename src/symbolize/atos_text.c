#include "symbolize/atos.h"

#include "base/mem.h"
#include "core/demangle.h"

/* Decimal digits from s to end, all of them; -1 if there are none, others, or too many. */
static int64_t digits(const char *s, const char *end)
{
	int64_t v = 0;

	if (s == end || end - s > 18)
		return -1;
	for (; s < end; s++) {
		if (*s < '0' || *s > '9')
			return -1;
		v = v * 10 + (*s - '0');
	}
	return v;
}

/*
 * What stands behind "(in LIBRARY)", s: nothing, " + N", " (FILE:LINE)", or both of these. Returns 0
 * if it is something else.
 */
static int read_place(struct cpf_atos_line *l, char *s)
{
	char *end = s + strlen(s), *plus, *colon;
	int64_t v;

	for (plus = end; plus > s && plus[-1] >= '0' && plus[-1] <= '9';)
		plus--;
	if (plus < end && plus - s >= 3 && !memcmp(plus - 3, " + ", 3)) {
		v = digits(plus, end);
		if (v < 0)
			return 0;
		l->has_offset = 1;
		l->offset = (uint64_t)v;
		end = plus - 3;
	}
	if (end == s)
		return 1;
	if (end - s < 5 || s[0] != ' ' || s[1] != '(' || end[-1] != ')')
		return 0;
	for (colon = end - 1; colon > s + 2 && *colon != ':';)
		colon--;
	v = digits(colon + 1, end - 1);
	if (*colon != ':' || v < 0)
		return 0;
	*colon = 0;
	/* Swift's "/<compiler-generated>:0" is no file. */
	if (colon > s + 2 && !strstr(s + 2, "<compiler-generated>")) {
		l->file = s + 2;
		l->line = v;
	}
	return 1;
}

/* The bracket that closes one which is open at s, or NULL. */
static char *closing(char *s)
{
	size_t depth = 1;

	for (; *s; s++) {
		depth += *s == '(';
		depth -= *s == ')';
		if (!depth)
			return s;
	}
	return NULL;
}

/* at: " (in ". library NULL: whatever stands there, with its brackets in pairs. */
static int split(struct cpf_atos_line *l, char *text, char *at, const char *library)
{
	const size_t n = library ? strlen(library) : 0;
	char *close = at + 5;

	if (!library)
		close = closing(close);
	else if (strncmp(close, library, n) != 0 || close[n] != ')')
		return 0;
	else
		close += n;
	memset(l, 0, sizeof(*l));
	if (!close || !read_place(l, close + 1))
		return 0;
	*at = 0;
	l->name = text;
	return 1;
}

/* Names and paths may hold " (in " too: the last one that makes sense counts. */
static int find_split(struct cpf_atos_line *l, char *text, const char *library)
{
	int tries = 64;
	char *at;

	for (at = text + strlen(text); at > text && tries; tries--) {
		for (at--; at > text && (*at != ' ' || strncmp(at, " (in ", 5) != 0);)
			at--;
		if (at > text && split(l, text, at, library))
			return 1;
	}
	return 0;
}

static int hex(uint64_t *v, const char *s)
{
	int n;

	if (s[0] != '0' || (s[1] != 'x' && s[1] != 'X') || !s[2])
		return 0;
	*v = 0;
	for (s += 2, n = 0; *s; s++, n++) {
		const char c = *s;
		const int d = c >= '0' && c <= '9'   ? c - '0'
			      : c >= 'a' && c <= 'f' ? c - 'a' + 10
			      : c >= 'A' && c <= 'F' ? c - 'A' + 10
						     : -1;

		if (d < 0 || n >= 16)
			return 0;
		*v = *v << 4 | (uint64_t)d;
	}
	return 1;
}

void cpf_atos_line(struct cpf_atos_line *l, char *text, const char *library)
{
	uint64_t address;
	int found = find_split(l, text, library) || find_split(l, text, NULL);

	if (!found) {
		memset(l, 0, sizeof(*l));
		l->name = text;
	}
	if (hex(&address, l->name)) {
		l->kind = CPF_ATOS_ADDRESS;
		l->address = address;
	} else if (!found || !l->name[0]) {
		l->kind = CPF_ATOS_OTHER;
	}
}

/* Names. */

static int is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '$' || c == '.' || (unsigned char)c >= 0x80;
}

/*
 * "core::fmt::write::h0123456789abcdef" was _ZN4core3fmt5write17h0123456789abcdefE. Colons within an
 * element are ".." in such symbols.
 */
static int old_rust(struct cpf_buf *out, const char *name)
{
	const size_t n = strlen(name);
	const char *s, *end;

	if (n < 20 || memcmp(name + n - 19, "::h", 3) != 0 ||
		strspn(name + n - 16, "0123456789abcdef") != 16)
		return 0;
	for (s = name; *s; s++)
		if (!is_word(*s) && *s != ':')
			return 0;
	cpf_buf_str(out, "_ZN");
	for (s = name; *s; s = *end ? end + 2 : end) {
		end = strstr(s, "::");
		if (!end)
			end = s + strlen(s);
		cpf_buf_fmt(out, "%zu%.*s", (size_t)(end - s), (int)(end - s), s);
	}
	cpf_buf_char(out, 'E');
	return 1;
}

/* "f() (.cold.1)": a piece of f. Returns what to keep of the name. */
static size_t without_piece(const char *name)
{
	size_t n = strlen(name), keep = n;
	struct cpf_buf b = {0}, shown = {0};
	const char *at = NULL, *s;

	for (s = name; (s = strstr(s, " (.")) != NULL; s++)
		at = s;
	if (at && name[n - 1] == ')' && at > name) {
		cpf_buf_char(&b, 'x');
		cpf_buf_add(&b, at + 2, (size_t)(name + n - 1 - (at + 2)));
		if (cpf_shown_name(&shown, b.s) && !strcmp(shown.s, "x"))
			keep = (size_t)(at - name);
	}
	cpf_buf_release(&b);
	cpf_buf_release(&shown);
	return keep;
}

int cpf_atos_name(struct cpf_buf *out, const char *name)
{
	const char *s;
	size_t n;

	if (old_rust(out, name))
		return 0;
	if (name[0] == '_' && name[1] == '_' && (name[2] == 'R' || name[2] == 'Z'))
		name++;
	for (s = name; is_word(*s); s++)
		;
	if (!*s) {
		cpf_buf_str(out, name);
		return 0;
	}
	n = without_piece(name);
	cpf_buf_add(out, name, n);
	return 1;
}

/* Answers. */

/* Lines [first, first + n) of the text, for one address. */
struct block {
	size_t first, n;
};

struct text {
	char **lines;
	size_t nlines, lines_cap;
	struct block *blocks;
	size_t nblocks, blocks_cap;
};

static void cut(struct text *t, struct cpf_buf *b)
{
	char *s = b->s, *end = b->s + b->n, *next;
	size_t n;
	int open = 0;

	for (; s < end; s = next + 1) {
		next = memchr(s, '\n', (size_t)(end - s));
		if (!next)
			next = end;
		n = (size_t)(next - s);
		if (n && s[n - 1] == '\r')
			n--;
		s[n] = 0;
		if (!s[strspn(s, " \t")]) {
			open = 0;
			continue;
		}
		if (!open) {
			CPF_GROW(t->blocks, t->blocks_cap, t->nblocks + 1);
			t->blocks[t->nblocks].first = t->nlines;
			t->blocks[t->nblocks++].n = 0;
		}
		open = 1;
		CPF_GROW(t->lines, t->lines_cap, t->nlines + 1);
		t->lines[t->nlines++] = s;
		t->blocks[t->nblocks - 1].n++;
	}
}

/* Without empty lines between them each line is a block, if there is one for each address. */
static int one_per_address(struct text *t, size_t n)
{
	size_t i;

	if (t->nblocks != 1 || t->nlines != n)
		return 0;
	CPF_GROW(t->blocks, t->blocks_cap, n);
	for (i = 0; i < n; i++) {
		t->blocks[i].first = i;
		t->blocks[i].n = 1;
	}
	t->nblocks = n;
	return 1;
}

static void miss(struct cpf_sink *s, size_t i, const char *line)
{
	struct cpf_reason r = {CPF_WHY_NONE, ""};

	cpf_reason(&r, CPF_WHY_FAILED, "cannot read what atos prints: \"%.200s\"", line);
	cpf_sink_miss(s, i, r.why, r.text);
}

#define FOLDED "<deduplicated_symbol>"
#define MAX_FRAMES 1000

/* "_mh_execute_header", "_mh_dylib_header" ...: where the file is mapped to, no code. */
static int is_header(const char *name)
{
	const size_t n = strlen(name);

	name += strspn(name, "_");
	return !strncmp(name, "mh_", 3) && n > 10 && !strcmp(name + strlen(name) - 7, "_header");
}

struct answer {
	struct cpf_sym_frame *frames;
	size_t *names; /* where in text */
	size_t n, cap, names_cap;
	struct cpf_buf text;
};

static void add_frame(struct answer *a, const struct cpf_atos_line *l)
{
	struct cpf_sym_frame *f;

	CPF_GROW(a->frames, a->cap, a->n + 1);
	CPF_GROW(a->names, a->names_cap, a->n + 1);
	a->names[a->n] = a->text.n;
	f = &a->frames[a->n++];
	memset(f, 0, sizeof(*f));
	f->plain = cpf_atos_name(&a->text, l->name);
	cpf_buf_char(&a->text, 0);
	f->file = l->file;
	f->line = l->file ? l->line : 0;
}

/*
 * The symbol that begins offset bytes before address i does not reach it if another function begins
 * in between: symbols here have no sizes, and those of static functions may be stripped.
 */
static int ends_before(const struct cpf_atos_query *q, size_t i, uint64_t offset)
{
	const uint64_t at = q->addr[i] - q->base;
	size_t low = 0, high = q->nstarts, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (q->starts[mid] <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low && q->starts[low - 1] > at - offset;
}

static void read_block(struct cpf_sink *s, const struct cpf_atos_query *q, size_t i, char **lines,
	size_t n, struct answer *a)
{
	struct cpf_sym_symbol sym = {0};
	struct cpf_atos_line l = {CPF_ATOS_OTHER, NULL, NULL, 0, 0, 0, 0};
	size_t k;

	a->n = 0;
	cpf_buf_clear(&a->text);
	if (n > MAX_FRAMES) {
		miss(s, q->first + i, lines[0]);
		return;
	}
	for (k = 0; k < n; k++) {
		cpf_atos_line(&l, lines[k], q->library);
		if (l.kind == CPF_ATOS_OTHER) {
			miss(s, q->first + i, lines[k]);
			return;
		}
		if (l.kind == CPF_ATOS_ADDRESS || is_header(l.name)) {
			cpf_sink_miss(s, q->first + i, CPF_WHY_OUTSIDE, NULL);
			return;
		}
		add_frame(a, &l);
	}
	/* The symbol would begin before the file does. */
	if (l.has_offset && l.offset > q->addr[i] - q->base) {
		miss(s, q->first + i, l.name);
		return;
	}
	if (l.has_offset && ends_before(q, i, l.offset)) {
		cpf_sink_miss(s, q->first + i, CPF_WHY_OUTSIDE, NULL);
		return;
	}
	/* A name that all functions share which the linker found to be equal: it tells nothing. */
	if (n == 1 && !strcmp(l.name, FOLDED)) {
		cpf_sink_miss(s, q->first + i, CPF_WHY_NO_SYMBOLS,
			"the linker folded equal functions and left no name");
		return;
	}
	for (k = 0; k < n; k++)
		a->frames[k].name = a->text.s + a->names[k];
	if (l.has_offset) {
		sym.name = a->frames[n - 1].name;
		sym.address = q->addr[i] - l.offset;
	}
	cpf_sink_frames(s, q->first + i, a->frames, n, sym.name ? &sym : NULL);
}

/* atos repeats addresses it does not know: those have to be the ones asked for. */
static int in_order(const struct text *t, const struct cpf_atos_query *q, struct cpf_reason *r)
{
	uint64_t address;
	size_t i, k;

	for (i = 0; i < q->n; i++) {
		for (k = 0; k < t->blocks[i].n; k++) {
			char *line = t->lines[t->blocks[i].first + k], *end = strchr(line, ' ');
			int ok;

			if (end)
				*end = 0;
			ok = !hex(&address, line) || address == q->addr[i] + q->slide;
			if (end)
				*end = ' ';
			if (ok)
				continue;
			cpf_reason(r, CPF_WHY_FAILED,
				"atos answered out of order: 0x%" PRIx64 " for 0x%" PRIx64, address,
				q->addr[i] + q->slide);
			return 0;
		}
	}
	return 1;
}

int cpf_atos_answers(struct cpf_sink *s, const struct cpf_atos_query *q, struct cpf_buf *b,
	struct cpf_reason *r)
{
	struct text t = {0};
	struct answer a = {0};
	size_t i;
	int ret = -1;

	if (!b->n)
		cpf_buf_str(b, "");
	/* No name holds a NUL: what is behind one would be lost. */
	for (i = 0; i < b->n; i++)
		if (!b->s[i])
			b->s[i] = '?';
	cut(&t, b);
	if (t.nblocks != q->n && !one_per_address(&t, q->n)) {
		cpf_reason(r, CPF_WHY_FAILED, "atos gave %zu answers for %zu addresses", t.nblocks,
			q->n);
	} else if (in_order(&t, q, r)) {
		for (i = 0; i < q->n; i++)
			read_block(s, q, i, t.lines + t.blocks[i].first, t.blocks[i].n, &a);
		ret = 0;
	}
	cpf_free(t.lines);
	cpf_free(t.blocks);
	cpf_free(a.frames);
	cpf_free(a.names);
	cpf_buf_release(&a.text);
	return ret;
}
