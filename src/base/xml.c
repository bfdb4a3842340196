#include "base/xml.h"

#include "base/mem.h"

enum { BLOCK = 64 << 10 };

void cpf_xml_init(struct cpf_xml *x, struct cpf_input *in)
{
	memset(x, 0, sizeof(*x));
	x->in = in;
}

void cpf_xml_release(struct cpf_xml *x)
{
	cpf_free(x->buf);
	cpf_free(x->attributes);
	cpf_free(x->starts);
	cpf_buf_release(&x->open);
	memset(x, 0, sizeof(*x));
}

const char *cpf_xml_get(const struct cpf_xml *x, const char *name)
{
	size_t i;

	for (i = 0; i < x->nattributes; i++)
		if (!strcmp(x->attributes[i].name, name))
			return x->attributes[i].value;
	return NULL;
}

static uint64_t offset(const struct cpf_xml *x, size_t at)
{
	return x->base + at;
}

/* Reads on; what is before x->at goes. 1: there is more, 0: there is none. */
static int fill(struct cpf_xml *x, struct cpf_err *e)
{
	size_t got;

	if (x->eof)
		return 0;
	if (x->at) {
		memmove(x->buf, x->buf + x->at, x->n - x->at);
		x->base += x->at;
		x->n -= x->at;
		x->at = 0;
	}
	CPF_GROW(x->buf, x->cap, x->n + BLOCK);
	if (cpf_input_read(x->in, x->buf + x->n, BLOCK, &got, e))
		return -1;
	x->n += got;
	x->eof = !got;
	return got != 0;
}

/* Makes sure that so many bytes are there, unless the document ends before. */
static int need(struct cpf_xml *x, size_t n, struct cpf_err *e)
{
	while (x->n - x->at < n) {
		int r = fill(x, e);

		if (r <= 0)
			return r;
	}
	return 1;
}

static int starts_with(const struct cpf_xml *x, const char *s)
{
	size_t n = strlen(s);

	return x->n - x->at >= n && !memcmp(x->buf + x->at, s, n);
}

/* Where what begin at x->at ends; errors name what it is. */
static int cut_off(const struct cpf_xml *x, const char *what, struct cpf_err *e)
{
	return cpf_fail_at(e, CPF_E_FORMAT, offset(x, x->at), "the file ends inside %s", what);
}

static int too_long(const struct cpf_xml *x, const char *what, struct cpf_err *e)
{
	cpf_fail_at(e, CPF_E_LIMIT, offset(x, x->at), "%s is longer than %" PRIu64 " bytes", what,
		cpf_input_limits(x->in)->string);
	cpf_err_limit(e, CPF_LIMIT_STRING);
	return -1;
}

/* Steps over everything up to the end mark. */
static int skip_past(struct cpf_xml *x, size_t from, const char *mark, const char *what,
	struct cpf_err *e)
{
	size_t n = strlen(mark), start = x->at;
	uint64_t byte = offset(x, start);
	int r;

	x->at += from;
	for (;;) {
		const char *s = x->buf + x->at, *end = x->buf + x->n, *hit;

		while ((hit = memchr(s, mark[0], (size_t)(end - s))) != NULL) {
			if ((size_t)(end - hit) >= n && !memcmp(hit, mark, n)) {
				x->at = (size_t)(hit - x->buf) + n;
				return 0;
			}
			if ((size_t)(end - hit) < n)
				break;
			s = hit + 1;
		}
		x->at = hit ? (size_t)(hit - x->buf) : x->n;
		r = fill(x, e);
		if (r < 0)
			return -1;
		if (!r)
			return cpf_fail_at(e, CPF_E_FORMAT, byte, "the file ends inside %s", what);
	}
}

/* The document type, with a subset in brackets that may hold quoted texts and comments. */
static int skip_doctype(struct cpf_xml *x, struct cpf_err *e)
{
	uint64_t byte = offset(x, x->at);
	int brackets = 0, r;
	char quote = 0, c;

	for (;;) {
		if (x->at == x->n) {
			r = fill(x, e);
			if (r < 0)
				return -1;
			if (!r)
				return cpf_fail_at(e, CPF_E_FORMAT, byte,
					"the file ends inside a document type");
		}
		if (!quote && x->buf[x->at] == '<') {
			if (need(x, 4, e) < 0)
				return -1;
			if (starts_with(x, "<!--")) {
				if (skip_past(x, 4, "-->", "a comment", e))
					return -1;
				continue;
			}
		}
		c = x->buf[x->at++];
		if (quote) {
			quote = c == quote ? 0 : quote;
			continue;
		}
		if (c == '"' || c == '\'')
			quote = c;
		else if (c == '[')
			brackets = 1;
		else if (c == ']')
			brackets = 0;
		else if (c == '>' && !brackets)
			return 0;
	}
}

/* Entities. */

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

/* The code point of "&...;" at s, with its length; 0 if it is none. */
static uint32_t entity(const char *s, size_t n, size_t *len)
{
	static const struct {
		const char *name;
		char c;
	} known[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
	uint32_t cp = 0;
	int base = 10, d;
	size_t i;

	for (i = 0; i < CPF_LEN(known); i++) {
		*len = strlen(known[i].name);
		if (n >= *len && !memcmp(s, known[i].name, *len))
			return (uint32_t)known[i].c;
	}
	if (n < 4 || s[1] != '#')
		return 0;
	i = 2;
	if (s[i] == 'x') {
		base = 16;
		i++;
	}
	for (; i < n && s[i] != ';'; i++) {
		d = digit_of(s[i]);
		if (d >= base || cp > 0x10ffff)
			return 0;
		cp = cp * (uint32_t)base + (uint32_t)d;
	}
	*len = i + 1;
	if (i == n || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		return 0;
	return cp;
}

/* Replaces entities in place, which never makes a text longer. byte: where it begins. */
static int decode(char *s, size_t *n, uint64_t byte, struct cpf_err *e)
{
	char *from = memchr(s, '&', *n), *to = from, *end = s + *n, utf8[4];
	size_t len = 0;
	uint32_t cp;
	int k;

	if (!from)
		return 0;
	while (from < end) {
		if (*from != '&') {
			*to++ = *from++;
			continue;
		}
		cp = entity(from, (size_t)(end - from), &len);
		if (!cp)
			return cpf_fail_at(e, CPF_E_FORMAT, byte + (uint64_t)(from - s),
				"unknown entity, or a bare '&'");
		k = cpf_utf8_put(utf8, cp);
		memcpy(to, utf8, (size_t)k);
		to += k;
		from += len;
	}
	*n = (size_t)(to - s);
	return 0;
}

/* Tags. */

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int is_name(char c)
{
	return c && !is_blank(c) && !strchr("<>/=\"'&", c);
}

static const char *local_name(const char *s)
{
	const char *colon = strchr(s, ':');

	return colon ? colon + 1 : s;
}

/* Length of the tag at x->at up to and with '>', outside of quotes; -1. */
static int find_tag_end(struct cpf_xml *x, size_t *len, struct cpf_err *e)
{
	size_t i = 1;
	char quote = 0;
	int r;

	for (;; i++) {
		while (x->at + i >= x->n) {
			r = fill(x, e);
			if (r < 0)
				return -1;
			if (!r)
				return cut_off(x, "a tag", e);
		}
		if (i > cpf_input_limits(x->in)->string)
			return too_long(x, "a tag", e);
		if (quote) {
			quote = x->buf[x->at + i] == quote ? 0 : quote;
		} else if (x->buf[x->at + i] == '"' || x->buf[x->at + i] == '\'') {
			quote = x->buf[x->at + i];
		} else if (x->buf[x->at + i] == '>') {
			break;
		} else if (x->buf[x->at + i] == '<') {
			return cpf_fail_at(e, CPF_E_FORMAT, offset(x, x->at + i), "'<' inside a tag");
		}
	}
	*len = i + 1;
	return 0;
}

static int bad_tag(const struct cpf_xml *x, const char *at, struct cpf_err *e)
{
	return cpf_fail_at(e, CPF_E_FORMAT, x->base + (uint64_t)(at - x->buf), "this is no XML tag");
}

/* One attribute at s (behind blanks); *s moves behind it. */
static int read_attribute(struct cpf_xml *x, char **s, char *end, struct cpf_err *e)
{
	struct cpf_xml_attribute *a;
	char *name = *s, *at = *s, *name_end, *value, quote;

	while (at < end && is_name(*at))
		at++;
	name_end = at;
	while (at < end && is_blank(*at))
		at++;
	if (name_end == name || at == end || *at != '=')
		return bad_tag(x, at, e);
	for (at++; at < end && is_blank(*at); at++)
		;
	if (at == end || (*at != '"' && *at != '\''))
		return bad_tag(x, at, e);
	quote = *at++;
	value = at;
	at = memchr(value, quote, (size_t)(end - value));
	if (!at)
		return bad_tag(x, value, e);
	CPF_GROW(x->attributes, x->attributes_cap, x->nattributes + 1);
	a = &x->attributes[x->nattributes++];
	a->n = (size_t)(at - value);
	if (decode(value, &a->n, x->base + (uint64_t)(value - x->buf), e))
		return -1;
	*name_end = '\0';
	value[a->n] = '\0';
	a->name = name;
	a->value = value;
	*s = at + 1;
	return 0;
}

static int push_name(struct cpf_xml *x, const char *name, size_t n, struct cpf_err *e)
{
	if (x->depth >= cpf_input_limits(x->in)->depth) {
		cpf_fail_at(e, CPF_E_LIMIT, x->byte, "elements nest deeper than %" PRIu32 " levels",
			cpf_input_limits(x->in)->depth);
		cpf_err_limit(e, CPF_LIMIT_DEPTH);
		return -1;
	}
	CPF_GROW(x->starts, x->starts_cap, (size_t)x->depth + 1);
	x->starts[x->depth++] = x->open.n;
	cpf_buf_add(&x->open, name, n);
	cpf_buf_char(&x->open, '\0');
	return 0;
}

static const char *top_name(const struct cpf_xml *x)
{
	return x->open.s + x->starts[x->depth - 1];
}

static int open_tag(struct cpf_xml *x, size_t len, struct cpf_err *e)
{
	char *s = x->buf + x->at + 1, *end = x->buf + x->at + len - 1, *name = s;

	if (x->seen_root && !x->depth)
		return cpf_fail_at(e, CPF_E_FORMAT, x->byte, "a second element behind the first one");
	if (end > s && end[-1] == '/') {
		x->pending_close = 1;
		end--;
	}
	while (s < end && is_name(*s))
		s++;
	if (s == name || (s < end && !is_blank(*s)))
		return bad_tag(x, s, e);
	if (push_name(x, name, (size_t)(s - name), e))
		return -1;
	x->seen_root = 1;
	x->nattributes = 0;
	for (;;) {
		while (s < end && is_blank(*s))
			s++;
		if (s == end)
			break;
		if (read_attribute(x, &s, end, e))
			return -1;
	}
	x->name = local_name(top_name(x));
	x->at += len;
	return CPF_XML_OPEN;
}

static int close_element(struct cpf_xml *x)
{
	/* The name stays in memory until the next element opens. */
	x->name = local_name(top_name(x));
	x->depth--;
	x->open.n = x->starts[x->depth];
	x->pending_close = 0;
	x->nattributes = 0;
	return CPF_XML_CLOSE;
}

static int close_tag(struct cpf_xml *x, size_t len, struct cpf_err *e)
{
	const char *s = x->buf + x->at + 2;
	size_t n = len - 3;

	while (n && is_blank(s[n - 1]))
		n--;
	if (!x->depth)
		return cpf_fail_at(e, CPF_E_FORMAT, x->byte, "an end tag, and no element is open");
	if (n != strlen(top_name(x)) || memcmp(s, top_name(x), n))
		return cpf_fail_at(e, CPF_E_FORMAT, x->byte, "</%.*s> where </%s> is due",
			n < 60 ? (int)n : 60, s, top_name(x));
	x->at += len;
	return close_element(x);
}

/* Text. */

static int read_cdata(struct cpf_xml *x, struct cpf_err *e)
{
	const size_t mark = strlen("<![CDATA[");
	size_t i = mark;
	int r;

	if (!x->want_text)
		return skip_past(x, mark, "]]>", "CDATA", e);
	for (;; i++) {
		while (x->at + i + 3 > x->n) {
			r = fill(x, e);
			if (r < 0)
				return -1;
			if (!r)
				return cut_off(x, "CDATA", e);
		}
		if (i > cpf_input_limits(x->in)->string)
			return too_long(x, "a text", e);
		if (!memcmp(x->buf + x->at + i, "]]>", 3))
			break;
	}
	x->text = x->buf + x->at + mark;
	x->ntext = i - mark;
	x->at += i + 3;
	return CPF_XML_TEXT;
}

/* Characters up to the next markup: CPF_XML_TEXT, or 0 if nobody wants them. */
static int read_text(struct cpf_xml *x, struct cpf_err *e)
{
	size_t i = 0;
	char *lt = NULL;
	int r = 1;

	while (!lt && r > 0) {
		lt = memchr(x->buf + x->at + i, '<', x->n - x->at - i);
		if (lt)
			break;
		i = x->n - x->at;
		if (!x->want_text) {
			x->at = x->n;
			i = 0;
		} else if (i > cpf_input_limits(x->in)->string) {
			return too_long(x, "a text", e);
		}
		r = fill(x, e);
	}
	if (r < 0)
		return -1;
	i = lt ? (size_t)(lt - x->buf) - x->at : x->n - x->at;
	x->text = x->buf + x->at;
	x->ntext = i;
	if (!x->want_text || !x->depth) {
		x->at += i;
		return 0;
	}
	if (decode(x->buf + x->at, &x->ntext, offset(x, x->at), e))
		return -1;
	x->at += i;
	return CPF_XML_TEXT;
}

static int outside_text(const struct cpf_xml *x, struct cpf_err *e)
{
	size_t i;

	for (i = x->at; i < x->n && x->buf[i] != '<'; i++)
		if (!is_blank(x->buf[i]))
			return cpf_fail_at(e, CPF_E_FORMAT, offset(x, i),
				x->seen_root ? "text behind the last element" :
					       "this is no XML: it does not start with '<'");
	return 0;
}

/* A piece of markup; 0: stepped over. */
static int read_markup(struct cpf_xml *x, struct cpf_err *e)
{
	size_t len = 0;

	if (need(x, 9, e) < 0)
		return -1;
	if (starts_with(x, "<!--"))
		return skip_past(x, 4, "-->", "a comment", e);
	if (starts_with(x, "<![CDATA["))
		return x->depth ? read_cdata(x, e) :
				  cpf_fail_at(e, CPF_E_FORMAT, x->byte, "CDATA outside of elements");
	if (starts_with(x, "<?"))
		return skip_past(x, 2, "?>", "a processing instruction", e);
	if (starts_with(x, "<!"))
		return skip_doctype(x, e);
	if (find_tag_end(x, &len, e))
		return -1;
	return x->buf[x->at + 1] == '/' ? close_tag(x, len, e) : open_tag(x, len, e);
}

int cpf_xml_next(struct cpf_xml *x, struct cpf_err *e)
{
	int r;

	if (x->pending_close)
		return close_element(x);
	if (!x->begun) {
		x->begun = 1;
		if (need(x, 3, e) < 0)
			return -1;
		if (starts_with(x, "\xef\xbb\xbf"))
			x->at += 3;
	}
	for (;;) {
		if (x->at == x->n) {
			r = fill(x, e);
			if (r < 0)
				return -1;
			if (!r)
				break;
		}
		x->byte = offset(x, x->at);
		if (x->buf[x->at] != '<') {
			if (!x->depth && outside_text(x, e))
				return -1;
			r = read_text(x, e);
		} else {
			r = read_markup(x, e);
		}
		if (r)
			return r;
	}
	if (x->depth)
		return cpf_fail_at(e, CPF_E_FORMAT, offset(x, x->at), "the file ends inside <%s>",
			top_name(x));
	if (!x->seen_root)
		return cpf_fail_at(e, CPF_E_FORMAT, offset(x, x->at), "no element");
	return CPF_XML_END;
}
