/* Translation of RE2 syntax, as Go accepts it, to PCRE2: what means the same is copied. */
#include "core/regex.h"

#include "base/buf.h"

#define MAX_REPEAT  1000
#define MAX_NESTING 1000

struct parser {
	const char *s, *end;
	const char *pattern;
	struct cpf_buf *out;
	struct cpf_err *e;
	uint32_t depth;
	size_t atom;      /* where in out the atom starts that a repetition would apply to */
	int has_atom;     /* there is something to repeat */
	uint32_t size;    /* product of the counts inside the atom */
	uint32_t sizes[MAX_NESTING + 1]; /* per open group: the largest size in it */
	int empty_atom;   /* ... which is an assertion: PCRE2 repeats groups only */
};

static int bad(struct parser *p, const char *what, const char *from, const char *to)
{
	return cpf_fail(p->e, CPF_E_USAGE, "error parsing regexp: %s: `%.*s`", what,
		(int)(to - from > 200 ? 200 : to - from), from);
}

static int is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static void put_char(struct parser *p, uint32_t c)
{
	cpf_buf_fmt(p->out, "\\x{%" PRIx32 "}", c);
}

/* \x41, \x{1F600} */
static int hex_escape(struct parser *p, const char *from, uint32_t *c)
{
	int digits = 0;

	*c = 0;
	if (p->s < p->end && *p->s == '{') {
		for (p->s++; p->s < p->end && *p->s != '}'; p->s++, digits++) {
			int d = hex_digit(*p->s);

			if (d < 0 || (*c = *c * 16 + (uint32_t)d) > 0x10ffff)
				return bad(p, "invalid escape sequence", from, p->s + 1);
		}
		if (p->s == p->end || !digits)
			return bad(p, "invalid escape sequence", from, p->s);
		p->s++;
		return 0;
	}
	for (; digits < 2; digits++, p->s++) {
		if (p->s == p->end || hex_digit(*p->s) < 0)
			return bad(p, "invalid escape sequence", from, p->s);
		*c = *c * 16 + (uint32_t)hex_digit(*p->s);
	}
	return 0;
}

/* The escape of one character, p->s behind the backslash; 1 if it is none of those. */
static int char_escape(struct parser *p, const char *from, uint32_t *c)
{
	static const char letters[] = "a\af\ft\tn\nr\rv\v";
	char ch = *p->s++;
	size_t i;

	/* One octal digit other than 0 alone would be a back-reference. */
	if ((ch >= '1' && ch <= '7' && p->s < p->end && *p->s >= '0' && *p->s <= '7') || ch == '0') {
		*c = (uint32_t)(ch - '0');
		for (i = 0; i < 2 && p->s < p->end && *p->s >= '0' && *p->s <= '7'; i++, p->s++)
			*c = *c * 8 + (uint32_t)(*p->s - '0');
		return 0;
	}
	if (ch == 'x')
		return hex_escape(p, from, c);
	for (i = 0; letters[i]; i += 2)
		if (letters[i] == ch) {
			*c = (uint32_t)letters[i + 1];
			return 0;
		}
	if (!is_alnum(ch) && (unsigned char)ch < 0x80) {
		*c = (uint32_t)ch;
		return 0;
	}
	return 1;
}

/* \d and the like, \pL, \p{Greek}: p->s at the letter. Returns 0, -1, or 1 if it is none of those. */
static int class_escape(struct parser *p, const char *from, int inside)
{
	const char *name = p->s + 1;

	switch (*p->s) {
	case 'd':
	case 'D':
	case 'w':
	case 'W':
		cpf_buf_add(p->out, from, 2);
		p->s++;
		return 0;
	case 's': /* PCRE2's has the vertical tab, RE2's has not */
		cpf_buf_str(p->out, inside ? "\\t\\n\\f\\r\\x20" : "[\\t\\n\\f\\r\\x20]");
		p->s++;
		return 0;
	case 'S':
		cpf_buf_str(p->out, inside ? "\\x00-\\x08\\x0b\\x0e-\\x1f\\x21-\\x{10ffff}"
					   : "[^\\t\\n\\f\\r\\x20]");
		p->s++;
		return 0;
	case 'p':
	case 'P':
		if (name == p->end)
			break;
		if (*name == '{') {
			for (name++; name < p->end && (is_alnum(*name) || *name == '_' || *name == '^');)
				name++;
			if (name == p->end || *name != '}' || name == p->s + 2)
				return bad(p, "invalid character class range", from,
					name < p->end ? name + 1 : name);
		}
		cpf_buf_add(p->out, from, (size_t)(name + 1 - from));
		p->s = name + 1;
		return 0;
	default:
		break;
	}
	return 1;
}

/* Bytes of one character of the pattern, whose text is valid UTF-8. */
static size_t char_len(const struct parser *p)
{
	int n = cpf_utf8_len(p->s, (size_t)(p->end - p->s));

	return n > 0 ? (size_t)n : 1;
}

/* One end of a range inside brackets. */
static int class_char(struct parser *p, uint32_t *c, const char **raw, size_t *n)
{
	const char *from = p->s;
	int r;

	*raw = NULL;
	if (*p->s == '\\') {
		if (++p->s == p->end)
			return bad(p, "trailing backslash at end of expression", p->s, p->s);
		r = char_escape(p, from, c);
		if (r > 0)
			return bad(p, "invalid escape sequence", from, p->s);
		return r;
	}
	*n = char_len(p);
	*raw = p->s;
	*c = (unsigned char)*p->s;
	if (*n == 2)
		*c = (*c & 0x1fu) << 6 | ((uint32_t)p->s[1] & 0x3fu);
	else if (*n == 3)
		*c = (*c & 0x0fu) << 12 | ((uint32_t)p->s[1] & 0x3fu) << 6 |
		     ((uint32_t)p->s[2] & 0x3fu);
	else if (*n == 4)
		*c = (*c & 0x07u) << 18 | ((uint32_t)p->s[1] & 0x3fu) << 12 |
		     ((uint32_t)p->s[2] & 0x3fu) << 6 | ((uint32_t)p->s[3] & 0x3fu);
	p->s += *n;
	return 0;
}

/* [:alpha:] inside brackets; 1 if it is none. */
static int posix_class(struct parser *p)
{
	static const char *const names[] = {"alnum", "alpha", "ascii", "blank", "cntrl", "digit",
		"graph", "lower", "print", "punct", "space", "upper", "word", "xdigit"};
	const char *from = p->s, *name, *end;
	size_t i, n;

	if (p->end - p->s < 2 || p->s[1] != ':')
		return 1;
	for (end = p->s + 2; end + 1 < p->end && !(end[0] == ':' && end[1] == ']');)
		end++;
	if (end + 1 >= p->end)
		return 1;
	name = p->s + 2 + (p->s[2] == '^');
	n = (size_t)(end - name);
	for (i = 0; i < CPF_LEN(names); i++)
		if (strlen(names[i]) == n && !memcmp(names[i], name, n)) {
			cpf_buf_add(p->out, from, (size_t)(end + 2 - from));
			p->s = end + 2;
			return 0;
		}
	return bad(p, "invalid character class range", from, end + 2);
}

static int bracket(struct parser *p)
{
	const char *open = p->s++, *from, *raw;
	uint32_t lo, hi;
	size_t n;
	int first = 1, r;

	cpf_buf_char(p->out, '[');
	if (p->s < p->end && *p->s == '^') {
		cpf_buf_char(p->out, '^');
		p->s++;
	}
	for (; p->s < p->end && (*p->s != ']' || first); first = 0) {
		from = p->s;
		if (*p->s == '[') {
			r = posix_class(p);
			if (r <= 0) {
				if (r < 0)
					return -1;
				continue;
			}
		}
		if (*p->s == '\\' && p->s + 1 < p->end) {
			p->s++;
			r = class_escape(p, from, 1);
			if (r < 0)
				return -1;
			if (!r)
				continue;
			p->s = from;
		}
		if (class_char(p, &lo, &raw, &n))
			return -1;
		put_char(p, lo);
		if (p->end - p->s < 2 || *p->s != '-' || p->s[1] == ']')
			continue;
		p->s++;
		if (class_char(p, &hi, &raw, &n))
			return -1;
		if (hi < lo)
			return bad(p, "invalid character class range", from, p->s);
		cpf_buf_char(p->out, '-');
		put_char(p, hi);
	}
	if (p->s == p->end)
		return bad(p, "missing closing ]", open, p->end);
	p->s++;
	cpf_buf_char(p->out, ']');
	return 0;
}

/* "(?i)", "(?P<name>", ...: p->s at the parenthesis. *group: it opens one. */
static int perl_group(struct parser *p, int *group)
{
	const char *s = p->s + 2, *name;
	int minus = 0, letters = 0;

	*group = 1;
	if (s < p->end && (*s == '<' || (*s == 'P' && s + 1 < p->end && s[1] == '<'))) {
		const char *end;

		name = s + (*s == 'P' ? 2 : 1);
		end = memchr(name, '>', (size_t)(p->end - name));
		for (s = name; s < p->end && (is_alnum(*s) || *s == '_');)
			s++;
		if (!end || s != end || s == name)
			return bad(p, "invalid named capture", p->s, end ? end + 1 : p->end);
		/* Names are of no use here, and PCRE2 has other rules for them. */
		cpf_buf_char(p->out, '(');
		p->s = s + 1;
		return 0;
	}
	for (; s < p->end && *s != ':' && *s != ')'; s++) {
		if (*s == '-' && !minus) {
			minus = 1;
			letters = 0;
			continue;
		}
		if (!strchr("imsU", *s))
			return bad(p, "invalid or unsupported Perl syntax", p->s, s + 1);
		letters = 1;
	}
	if (s == p->end)
		return bad(p, "missing closing )", p->pattern, p->end);
	if (minus && !letters)
		return bad(p, "invalid or unsupported Perl syntax", p->s, s + 1);
	cpf_buf_add(p->out, p->s, (size_t)(s + 1 - p->s));
	*group = *s == ':';
	p->s = s + 1;
	return 0;
}

/* {2}, {2,} or {2,5}; 1 if it is none of those and so the brace is itself. */
static int counts(const char *s, const char *end, const char **behind, uint32_t *min, uint32_t *max)
{
	const char *at = s + 1;
	int digits;

	for (*min = 0, digits = 0; at < end && *at >= '0' && *at <= '9'; at++, digits++)
		*min = *min > 100000 ? *min : *min * 10 + (uint32_t)(*at - '0');
	if (!digits || at == end || (digits > 1 && s[1] == '0'))
		return 1;
	*max = *min;
	if (*at == ',') {
		const char *second = ++at;

		for (*max = 0, digits = 0; at < end && *at >= '0' && *at <= '9'; at++, digits++)
			*max = *max > 100000 ? *max : *max * 10 + (uint32_t)(*at - '0');
		if (!digits)
			*max = UINT32_MAX;
		else if (digits > 1 && *second == '0')
			return 1;
	}
	if (at == end || *at != '}')
		return 1;
	*behind = at + 1;
	return 0;
}

/* * + ? {n,m}, each with an optional ?. Returns 1 if there is none here. */
static int repetition(struct parser *p)
{
	const char *from = p->s, *behind = p->s + 1;
	uint32_t min = 0, max = 0;

	if (*p->s == '{') {
		if (counts(p->s, p->end, &behind, &min, &max))
			return 1;
		if (min > MAX_REPEAT || (max != UINT32_MAX && (max > MAX_REPEAT || max < min)))
			return bad(p, "invalid repeat count", from, behind);
	}
	if (!p->has_atom)
		return bad(p, "missing argument to repetition operator", from, behind);
	/* Nested counts multiply, and the product has the same limit. */
	if (*p->s == '{') {
		uint32_t m = max == UINT32_MAX ? min : max;

		if ((min >= 2 || max >= 2) && m * p->size > MAX_REPEAT)
			return bad(p, "invalid repeat count", from, behind);
		p->size *= m;
		if (p->sizes[p->depth] < p->size)
			p->sizes[p->depth] = p->size;
	}
	if (p->empty_atom) {
		/* An assertion repeated is the assertion or nothing. */
		struct cpf_buf *b = p->out;
		size_t n = b->n - p->atom;

		cpf_buf_str(b, "    ");
		memmove(b->s + p->atom + 3, b->s + p->atom, n);
		memcpy(b->s + p->atom, "(?:", 3);
		b->s[b->n - 1] = ')';
	}
	if (behind < p->end && *behind == '?')
		behind++;
	cpf_buf_add(p->out, from, (size_t)(behind - from));
	p->s = behind;
	if (p->s < p->end && (strchr("*+?", *p->s) || (*p->s == '{' && !counts(p->s, p->end, &behind,
								  &min, &max))))
		return bad(p, "invalid nested repetition operator", from,
			*p->s == '{' ? behind : p->s + 1);
	p->has_atom = p->empty_atom = 0;
	return 0;
}

static void atom(struct parser *p, int empty)
{
	p->atom = p->out->n;
	p->has_atom = 1;
	p->size = 1;
	p->empty_atom = empty;
}

static int escape(struct parser *p)
{
	const char *from = p->s++;
	uint32_t c;
	int r;

	if (p->s == p->end)
		return bad(p, "trailing backslash at end of expression", p->s, p->s);
	if (strchr("AzbB", *p->s)) {
		atom(p, 1);
		cpf_buf_add(p->out, from, 2);
		p->s++;
		return 0;
	}
	if (*p->s == 'Q') {
		for (p->s++; p->s < p->end; p->s += char_len(p)) {
			if (p->s + 1 < p->end && p->s[0] == '\\' && p->s[1] == 'E') {
				p->s += 2;
				return 0;
			}
			atom(p, 0);
			if (!is_alnum(*p->s) && (unsigned char)*p->s < 0x80)
				cpf_buf_char(p->out, '\\');
			cpf_buf_add(p->out, p->s, char_len(p));
		}
		return 0;
	}
	atom(p, 0);
	r = class_escape(p, from, 0);
	if (r <= 0)
		return r;
	r = char_escape(p, from, &c);
	if (r > 0)
		return bad(p, "invalid escape sequence", from, p->s);
	if (!r)
		put_char(p, c);
	return r;
}

static int step(struct parser *p)
{
	int group = 1, r;

	switch (*p->s) {
	case '(':
		if (p->s + 1 < p->end && p->s[1] == '?') {
			if (perl_group(p, &group))
				return -1;
		} else {
			cpf_buf_char(p->out, '(');
			p->s++;
		}
		p->depth += (uint32_t)group;
		if (p->depth > MAX_NESTING)
			return bad(p, "expression nests too deeply", p->pattern, p->end);
		if (group)
			p->sizes[p->depth] = 1;
		p->has_atom = 0;
		return 0;
	case ')':
		if (!p->depth)
			return bad(p, "unexpected )", p->pattern, p->end);
		cpf_buf_char(p->out, ')');
		p->s++;
		atom(p, 0);
		p->size = p->sizes[p->depth--];
		if (p->sizes[p->depth] < p->size)
			p->sizes[p->depth] = p->size;
		return 0;
	case '|':
		cpf_buf_char(p->out, '|');
		p->s++;
		p->has_atom = 0;
		return 0;
	case '[':
		atom(p, 0);
		return bracket(p);
	case '\\':
		return escape(p);
	case '*':
	case '+':
	case '?':
	case '{':
		r = repetition(p);
		if (r <= 0)
			return r;
		break;
	default:
		break;
	}
	atom(p, *p->s == '^' || *p->s == '$');
	if (*p->s == '{' || *p->s == '}' || *p->s == ']')
		cpf_buf_char(p->out, '\\');
	cpf_buf_add(p->out, p->s, char_len(p));
	p->s += char_len(p);
	return 0;
}

int cpf_regex_translate(struct cpf_buf *out, const char *pattern, struct cpf_err *e)
{
	struct parser p = {0};
	const char *s;

	p.s = p.pattern = pattern;
	p.end = pattern + strlen(pattern);
	p.out = out;
	p.e = e;
	for (s = pattern; s < p.end;) {
		int n = cpf_utf8_len(s, (size_t)(p.end - s));

		if (n <= 0)
			return cpf_fail(e, CPF_E_USAGE, "error parsing regexp: invalid UTF-8");
		s += n;
	}
	while (p.s < p.end)
		if (step(&p))
			return -1;
	if (p.depth)
		return bad(&p, "missing closing )", pattern, p.end);
	cpf_buf_str(out, "");
	return 0;
}
