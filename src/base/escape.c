/*
 * escape.c - cpf_buf_json, _csv, _markdown, _xml, _terminal: untrusted text made harmless.
 *
 * All share one walk. Printable ASCII but for the target's special characters is copied in runs;
 * of everything else the target's rule says what to write instead, if anything.
 */
#include "base/buf.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define BAD         UINT32_MAX

struct piece {
	const char *s, *text, *end; /* this character; all of the text */
	int len;                    /* bytes; of the invalid part if cp is BAD */
	uint32_t cp;
};

struct target {
	const char *special; /* ASCII printable characters to ask put about */
	/* Writes what stands for the character and returns 1, or 0 to keep it. */
	int (*put)(struct cpf_buf *b, const struct piece *c);
};

static void walk(struct cpf_buf *b, const char *s, size_t n, const struct target *t)
{
	struct piece c = { .s = s, .text = s, .end = s + n };
	unsigned char ask[128] = { 0 };
	const char *from;
	size_t i;

	memset(ask, 1, 0x20);
	ask[0x7f] = 1;
	for (i = 0; t->special[i]; i++)
		ask[(unsigned char)t->special[i]] = 1;
	cpf_buf_room(b, n);
	while (c.s < c.end) {
		from = c.s;
		while (c.s < c.end && !(*c.s & 0x80) && !ask[(unsigned char)*c.s])
			c.s++;
		cpf_buf_add(b, from, (size_t)(c.s - from));
		if (c.s == c.end)
			return;
		c.len = cpf_utf8_len(c.s, (size_t)(c.end - c.s));
		c.cp = c.len ? cpf_utf8_get(c.s, c.len) : BAD;
		if (!c.len)
			c.len = cpf_utf8_bad(c.s, (size_t)(c.end - c.s));
		if (!t->put(b, &c))
			cpf_buf_add(b, c.s, (size_t)c.len);
		c.s += c.len;
	}
}

static int is_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0);
}

static int put_json(struct cpf_buf *b, const struct piece *c)
{
	static const char letter[] = "\bb\ff\nn\rr\tt\"\"\\\\";
	size_t i;

	if (c->cp == BAD) {
		cpf_buf_str(b, REPLACEMENT);
		return 1;
	}
	for (i = 0; letter[i]; i += 2) {
		if (c->cp == (unsigned char)letter[i]) {
			cpf_buf_char(b, '\\');
			cpf_buf_char(b, letter[i + 1]);
			return 1;
		}
	}
	if (!is_control(c->cp) && c->cp != 0x2028 && c->cp != 0x2029)
		return 0;
	cpf_buf_fmt(b, "\\u%04x", (unsigned)c->cp);
	return 1;
}

void cpf_buf_json(struct cpf_buf *b, const char *s, size_t n)
{
	static const struct target json = { "\"\\", put_json };

	cpf_buf_char(b, '"');
	walk(b, s, n, &json);
	cpf_buf_char(b, '"');
}

/* No control characters but line ends and tabs: the RFC's TEXTDATA has none, and readers choke. */
static int put_csv(struct cpf_buf *b, const struct piece *c)
{
	if (c->cp == '"') {
		cpf_buf_str(b, "\"\"");
		return 1;
	}
	if (c->cp == BAD || (is_control(c->cp) && c->cp != '\t' && c->cp != '\n' && c->cp != '\r')) {
		cpf_buf_str(b, REPLACEMENT);
		return 1;
	}
	return 0;
}

void cpf_buf_csv(struct cpf_buf *b, const char *s, size_t n)
{
	static const struct target csv = { "\"", put_csv };
	int quote = n && (s[0] == ' ' || s[n - 1] == ' ');
	size_t i;

	for (i = 0; i < n && !quote; i++)
		quote = s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r';
	if (quote)
		cpf_buf_char(b, '"');
	walk(b, s, n, &csv);
	if (quote)
		cpf_buf_char(b, '"');
}

static int is_word(const struct piece *c, const char *s)
{
	unsigned char u;

	if (s < c->text || s >= c->end)
		return 0;
	u = (unsigned char)*s;
	return u >= 0x80 || (u >= '0' && u <= '9') || (u >= 'A' && u <= 'Z') ||
	       (u >= 'a' && u <= 'z');
}

/* Characters that change the order of what is around them, or break the line (Unicode UAX 9, 14). */
static int is_disguise(uint32_t cp)
{
	return cp == 0x61c || cp == 0x200e || cp == 0x200f || (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff;
}

static void put_entity(struct cpf_buf *b, uint32_t cp)
{
	cpf_buf_str(b, cp == '<' ? "&lt;" : cp == '>' ? "&gt;" : "&amp;");
}

static int put_markdown(struct cpf_buf *b, const struct piece *c)
{
	switch (c->cp) {
	case '<':
	case '>':
	case '&':
		put_entity(b, c->cp);
		return 1;
	case '\n':
	case '\r':
	case '\t':
		cpf_buf_char(b, ' ');
		return 1;
	case '_': /* inside a word it means nothing, and names are full of them */
		if (is_word(c, c->s - 1) && is_word(c, c->s + 1))
			return 0;
		break;
	default:
		if (c->cp == BAD || is_control(c->cp) || is_disguise(c->cp)) {
			cpf_buf_str(b, REPLACEMENT);
			return 1;
		}
		if (c->cp >= 0x80)
			return 0;
		break;
	}
	cpf_buf_char(b, '\\');
	cpf_buf_char(b, (char)c->cp);
	return 1;
}

void cpf_buf_markdown(struct cpf_buf *b, const char *s, size_t n)
{
	static const struct target markdown = { "\\`*_~|[]<>&$#", put_markdown };

	walk(b, s, n, &markdown);
}

/* XML 1.0 has no way to write most control characters, nor U+FFFE and U+FFFF. */
static int put_xml(struct cpf_buf *b, const struct piece *c)
{
	switch (c->cp) {
	case '<':
	case '>':
	case '&':
		put_entity(b, c->cp);
		return 1;
	case '"':
		cpf_buf_str(b, "&quot;");
		return 1;
	case '\'':
		cpf_buf_str(b, "&#39;");
		return 1;
	case '\t':
	case '\n':
	case '\r':
		cpf_buf_fmt(b, "&#%u;", (unsigned)c->cp);
		return 1;
	default:
		if (c->cp != BAD && !is_control(c->cp) && c->cp != 0xfffe && c->cp != 0xffff)
			return 0;
		cpf_buf_str(b, REPLACEMENT);
		return 1;
	}
}

void cpf_buf_xml(struct cpf_buf *b, const char *s, size_t n)
{
	static const struct target xml = { "<>&\"'", put_xml };

	walk(b, s, n, &xml);
}

static int put_terminal(struct cpf_buf *b, const struct piece *c)
{
	int i;

	if (c->cp == BAD || c->cp < 0x80) {
		for (i = 0; i < c->len; i++)
			cpf_buf_fmt(b, "\\x%02x", (unsigned)(unsigned char)c->s[i]);
		return 1;
	}
	if (!is_control(c->cp) && !is_disguise(c->cp))
		return 0;
	cpf_buf_fmt(b, "\\u{%x}", (unsigned)c->cp);
	return 1;
}

void cpf_buf_terminal(struct cpf_buf *b, const char *s, size_t n)
{
	static const struct target terminal = { "", put_terminal };

	walk(b, s, n, &terminal);
}
