#include "formats/folded.h"

#include "base/base.h"
#include "core/decimal.h"
#include "formats/formats.h"

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int is_control(unsigned char c)
{
	return c < 0x20 || c == 0x7f;
}

/* Bytes the writer ever escapes. */
static int may_be_escaped(unsigned char c)
{
	return is_control(c) || c == ' ' || c == ';' || c == '\\' || c == '(' || c == '[' ||
	       c == 0xef || c == 0xfe || c == 0xff;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that \xHH at s stands for, or -1. */
static int escaped_byte(const char *s, size_t n)
{
	int hi, lo;

	if (n < 4 || s[0] != '\\' || s[1] != 'x')
		return -1;
	hi = hex_digit(s[2]);
	lo = hex_digit(s[3]);
	if (hi < 0 || lo < 0 || !may_be_escaped((unsigned char)(hi * 16 + lo)))
		return -1;
	return hi * 16 + lo;
}

static enum cpf_folded_mark mark_at_end(const char *s, size_t n)
{
	if (n < 5 || s[n - 4] != '_' || s[n - 3] != '[' || s[n - 1] != ']')
		return CPF_FOLDED_PLAIN;
	switch (s[n - 2]) {
	case 'k':
		return CPF_FOLDED_KERNEL;
	case 'i':
		return CPF_FOLDED_INLINE;
	case 'j':
		return CPF_FOLDED_JIT;
	default:
		return CPF_FOLDED_PLAIN;
	}
}

enum cpf_folded_mark cpf_folded_cut_mark(const char *s, size_t *n)
{
	enum cpf_folded_mark mark = mark_at_end(s, *n);

	if (mark != CPF_FOLDED_PLAIN)
		*n -= 4;
	return mark;
}

int cpf_folded_count(const char *s, size_t n, size_t *rest, int64_t *mantissa, int *decimals)
{
	size_t end = n, at;
	int r;

	while (end && is_blank(s[end - 1]))
		end--;
	for (at = end; at && !is_blank(s[at - 1]); at--)
		;
	if (at == end || !at)
		return 0;
	r = cpf_decimal_parse(s + at, end - at, mantissa, decimals);
	if (r > 0)
		return 0;
	while (at && is_blank(s[at - 1]))
		at--;
	*rest = at;
	return r < 0 ? -1 : 1;
}

/* Bytes at the start of a text that mark its encoding. */
static int looks_like_bom(const char *s, size_t n)
{
	unsigned char c = n ? (unsigned char)s[0] : 0;

	return c == 0xfe || c == 0xff || (n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3));
}

static size_t guarded_blank(const char *s, size_t n)
{
	int64_t mantissa;
	int decimals;
	size_t rest, at;

	if (!cpf_folded_count(s, n, &rest, &mantissa, &decimals))
		return SIZE_MAX;
	for (at = n; at && is_blank(s[at - 1]); at--)
		;
	while (at && !is_blank(s[at - 1]))
		at--;
	return at - 1;
}

void cpf_folded_escape(struct cpf_buf *out, const char *s, size_t n, int guard)
{
	size_t blank = guard ? guarded_blank(s, n) : SIZE_MAX;
	size_t bracket = mark_at_end(s, n) != CPF_FOLDED_PLAIN ? n - 3 : SIZE_MAX, i;
	int empty = n == strlen(CPF_FOLDED_EMPTY) && !memcmp(s, CPF_FOLDED_EMPTY, n);

	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (is_control(c) || c == ';' || i == blank || i == bracket ||
			(c == ' ' && (i == 0 || i == n - 1)) ||
			(i == 0 && (empty || looks_like_bom(s, n))) ||
			(c == '\\' && escaped_byte(s + i, n - i) >= 0))
			cpf_buf_fmt(out, "\\x%02x", c);
		else
			cpf_buf_char(out, (char)c);
	}
}

void cpf_folded_unescape(struct cpf_buf *scratch, const char **s, size_t *n)
{
	const char *from = *s;
	size_t i, len, found = 0;
	int guard, c;

	if (!memchr(from, '\\', *n))
		return;
	cpf_buf_clear(scratch);
	for (i = 0; i < *n; i++) {
		c = escaped_byte(from + i, *n - i);
		if (c >= 0) {
			cpf_buf_char(scratch, (char)c);
			i += 3;
			found = 1;
		} else {
			cpf_buf_char(scratch, from[i]);
		}
	}
	if (!found)
		return;
	/* The writer's text for this name goes behind it, to compare. */
	len = scratch->n;
	for (guard = 0; guard < 2; guard++) {
		struct cpf_buf again = {0};
		int same;

		cpf_folded_escape(&again, scratch->s, len, guard);
		same = again.n == *n && !memcmp(again.s, from, *n);
		cpf_buf_release(&again);
		if (same) {
			*s = scratch->s;
			*n = len;
			return;
		}
	}
}

/* Detection. */

/* Bytes of UTF-16 text with the zeros taken out: enough to see lines and numbers. */
static size_t narrow(const uint8_t *head, size_t n, uint8_t *out)
{
	size_t i, len = 0;

	for (i = 2; i < n; i++)
		if (head[i])
			out[len++] = head[i];
	return len;
}

/* The start of one long line: a stack, or a long name; no document of another kind. */
static int looks_long(const uint8_t *s, size_t n)
{
	return memchr(s, ';', n) || !memchr("{[<%", s[0], 4);
}

/*
 * Text in which at least half of the lines end in a count. The last line of a full head may be cut
 * off and tells nothing, unless it is the only one.
 */
static int probe(const uint8_t *head, size_t n)
{
	uint8_t text[4096];
	size_t i, end, rest, lines = 0, counted = 0;
	int whole = n < 4096, decimals;
	int64_t mantissa;

	if (n >= 2 && ((head[0] == 0xff && head[1] == 0xfe) || (head[0] == 0xfe && head[1] == 0xff))) {
		n = narrow(head, n < sizeof(text) ? n : sizeof(text), text);
		head = text;
	}
	for (i = 0; i < n; i++)
		if (head[i] < 0x20 && head[i] != '\n' && head[i] != '\r' && head[i] != '\t')
			return 0;
	for (i = 0; i < n; i = end + 1) {
		const uint8_t *nl = memchr(head + i, '\n', n - i);
		size_t len;

		end = nl ? (size_t)(nl - head) : n;
		len = end - i;
		if (len && head[end - 1] == '\r')
			len--;
		if (!len)
			continue;
		if (!nl && !whole)
			return lines ? counted * 2 >= lines : looks_long(head + i, len);
		lines++;
		counted += cpf_folded_count(
				   (const char *)head + i, len, &rest, &mantissa, &decimals) != 0;
	}
	return lines && counted * 2 >= lines;
}

const struct cpf_format cpf_format_folded = {
	.name = "folded",
	.summary = "folded stacks, one line per stack (text)",
	.suffixes = ".folded.gz .folded .txt.gz .txt",
	.keeps = CPF_KEEPS_EMPTY,
	.probe = probe,
	.read = cpf_folded_read,
	.write = cpf_folded_write,
};
