#include "base/json_impl.h"

#include "base/mem.h"

#include <stdio.h>

#define WINDOW ((size_t)256 << 10)
#define SHOWN  40 /* bytes of a faulty token */

static void stop(struct cpf_json *j, uint64_t at)
{
	static const uint8_t zeros[PAD];

	memcpy(j->buf, zeros, PAD);
	j->p = j->end = j->buf;
	j->base = at;
	j->failed = j->eof = 1;
}

static void finish_error(struct cpf_json *j)
{
	char path[sizeof(j->err.where)];

	if (j->in) {
		cpf_err_source(&j->err, cpf_input_name(j->in));
		j->err.unpacked = cpf_input_packed(j->in);
	}
	cpf_json_path(j, path, sizeof(path));
	cpf_err_where(&j->err, "%s", path);
}

CPF_PRINTF(4, 0)
static void fail_at(
	struct cpf_json *j, enum cpf_code code, uint64_t at, const char *fmt, va_list ap)
{
	char text[sizeof(j->err.reason)];

	if (j->failed)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	cpf_fail_at(&j->err, code, at, "%s", text);
	finish_error(j);
	stop(j, at);
}

int json_fail(struct cpf_json *j, enum cpf_code code, const uint8_t *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_at(j, code, json_offset(j, at), fmt, ap);
	va_end(ap);
	return 0;
}

void cpf_json_fail(struct cpf_json *j, enum cpf_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_at(j, code, j->at, fmt, ap);
	va_end(ap);
}

static int is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* What stands at a place where a value was wanted. */
static void describe(const struct cpf_json *j, const uint8_t *at, char *out, size_t cap)
{
	static const char *const words[] = {"true", "false", "null"};
	size_t i, n;

	for (i = 0; i < CPF_LEN(words); i++) {
		n = strlen(words[i]);
		if (!memcmp(at, words[i], n)) {
			snprintf(out, cap, "%s", words[i]);
			return;
		}
	}
	if (*at == '{' || *at == '[' || *at == '"') {
		snprintf(out, cap, "%s",
			*at == '{'   ? "an object"
			: *at == '[' ? "an array"
				     : "a string");
	} else if (is_digit(*at) || (*at == '-' && is_digit(at[1]))) {
		for (n = 1; at + n < j->end && n < SHOWN; n++)
			if (!is_digit(at[n]) && !strchr("+-.eE", at[n]))
				break;
		snprintf(out, cap, "%.*s", (int)n, (const char *)at);
	} else if (*at > ' ' && *at < 0x7f) {
		snprintf(out, cap, "'%c'", *at);
	} else {
		snprintf(out, cap, "byte 0x%02x", *at);
	}
}

int json_expected(struct cpf_json *j, const uint8_t *at, const char *what)
{
	char found[64];

	/* Enough of what was found to show, wherever the window ends. */
	j->p = at;
	while (!j->failed && j->end - j->p < SHOWN && json_refill(j, j->p))
		;
	at = j->p;
	if (at == j->end)
		return json_fail(j, CPF_E_FORMAT, at, "unexpected end of input, expected %s", what);
	describe(j, at, found, sizeof(found));
	return json_fail(j, CPF_E_FORMAT, at, "expected %s, found %s", what, found);
}

/* Fills what is free of the window. */
static void fill(struct cpf_json *j, size_t n)
{
	size_t got;

	while (n < j->cap && !j->eof) {
		if (!j->in) {
			got = j->mem_n < j->cap - n ? j->mem_n : j->cap - n;
			if (got)
				memcpy(j->buf + n, j->mem, got);
			j->mem += got;
			j->mem_n -= got;
			j->eof = !j->mem_n;
		} else if (cpf_input_read(j->in, j->buf + n, j->cap - n, &got, &j->err)) {
			/* Only told once the good bytes before it are used up. */
			j->eof = 1;
			break;
		} else {
			j->eof = !got;
		}
		n += got;
	}
	j->end = j->buf + n;
	memset(j->buf + n, 0, PAD);
}

int json_refill(struct cpf_json *j, const uint8_t *keep)
{
	size_t skip = (size_t)(keep - j->buf), kept = (size_t)(j->end - keep);
	size_t p = (size_t)(j->p - keep);

	if (j->eof) {
		/* A read that failed: the text stops here, for a reason that is known. */
		if (j->err.code != CPF_OK && !j->failed)
			stop(j, json_offset(j, j->end));
		return 0;
	}
	if (kept > j->string_limit) {
		json_fail(j, CPF_E_LIMIT, keep,
			"value is longer than the limit of %" PRIu64 " bytes", j->string_limit);
		cpf_err_limit(&j->err, CPF_LIMIT_STRING);
		return 0;
	}
	if (skip)
		memmove(j->buf, keep, kept);
	if (kept > j->cap / 2) {
		j->cap *= 2;
		j->buf = cpf_realloc_array(j->buf, j->cap + PAD, 1);
	}
	j->base += skip;
	fill(j, kept);
	j->p = j->buf + p;
	if (j->end != j->buf + kept)
		return 1;
	return json_refill(j, j->buf); /* at the end now, so this goes no deeper */
}

const uint8_t *json_space(struct cpf_json *j)
{
	const uint8_t *p = j->p;

	for (;;) {
		while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
			p++;
		j->p = p;
		if (p != j->end || !json_refill(j, p))
			return j->p;
		p = j->p;
	}
}

static struct cpf_json *new_reader(size_t window, uint64_t base)
{
	struct cpf_json *j = cpf_calloc(1, sizeof(*j));

	j->cap = window ? window : 1;
	j->base = base;
	return j;
}

static void first_fill(struct cpf_json *j)
{
	j->buf = cpf_malloc(j->cap + PAD);
	fill(j, 0);
	j->p = j->buf;
	/* A byte order mark may be cut by a tiny window. */
	while (j->end - j->p < 3 && json_refill(j, j->p))
		;
	if (!memcmp(j->p, "\xef\xbb\xbf", 3))
		j->p += 3;
}

int cpf_json_open_window(
	struct cpf_json **out, struct cpf_input *in, size_t window, struct cpf_err *e)
{
	const struct cpf_limits *limits = cpf_input_limits(in);
	struct cpf_json *j = new_reader(window, 0);

	(void)e; /* a failed read comes out at the first call, or at cpf_json_end */
	j->in = in;
	j->string_limit = limits->string;
	j->depth_limit = limits->depth;
	first_fill(j);
	*out = j;
	return 0;
}

int cpf_json_open(struct cpf_json **out, struct cpf_input *in, struct cpf_err *e)
{
	return cpf_json_open_window(out, in, WINDOW, e);
}

int cpf_json_memory(
	struct cpf_json **out, const char *text, size_t n, uint64_t base, struct cpf_err *e)
{
	struct cpf_json *j = new_reader(n < WINDOW ? n : WINDOW, base);

	(void)e;
	j->mem = (const uint8_t *)text;
	j->mem_n = n;
	j->string_limit = UINT64_MAX; /* the text is in memory already */
	j->depth_limit = 1000;
	first_fill(j);
	*out = j;
	return 0;
}

void cpf_json_close(struct cpf_json *j)
{
	if (!j)
		return;
	cpf_buf_release(&j->scratch);
	cpf_free(j->levels);
	cpf_free(j->buf);
	cpf_free(j);
}

static int push(struct cpf_json *j, const uint8_t *p)
{
	struct level *l;

	if (j->depth >= j->depth_limit) {
		json_fail(j, CPF_E_LIMIT, p, "nesting is deeper than the limit of %" PRIu32,
			j->depth_limit);
		cpf_err_limit(&j->err, CPF_LIMIT_DEPTH);
		return 0;
	}
	CPF_GROW(j->levels, j->levels_cap, j->depth + 1);
	l = &j->levels[j->depth++];
	l->n = 0;
	l->kind = *p;
	l->key_n = l->key_cut = 0;
	j->p = p + 1;
	return 1;
}

/* Where the next value begins; remembers the place. */
static const uint8_t *value(struct cpf_json *j)
{
	const uint8_t *p = json_peek(j);

	j->at = json_offset(j, p);
	j->begun = 1;
	return p;
}

int cpf_json_type(struct cpf_json *j)
{
	const uint8_t *p = json_peek(j);

	switch (*p) {
	case '{':
	case '[':
	case '"':
	case 't':
	case 'f':
	case 'n':
		return *p;
	default:
		if (is_digit(*p) || *p == '-')
			return '0';
		if (*p == ']' && j->depth && json_top(j)->kind == '[' && !json_top(j)->n)
			return ']';
		if (p != j->end || j->depth)
			json_expected(j, p, "a value");
		return 0;
	}
}

void cpf_json_enter(struct cpf_json *j)
{
	const uint8_t *p = value(j);

	if (*p == '{' || *p == '[')
		push(j, p);
	else
		json_expected(j, p, "an object or an array");
}

/* Up to the next member or element, over the comma. 0 at the end of the container, or on error. */
static int next(struct cpf_json *j, uint8_t kind)
{
	const uint8_t *p;
	struct level *l;

	if (j->failed)
		return 0;
	if (!j->depth || json_top(j)->kind != kind)
		return json_fail(j, CPF_E_USAGE, j->p, "not inside of an %s",
			kind == '{' ? "object" : "array");
	p = json_peek(j);
	l = json_top(j);
	if (*p == kind + 2) { /* '[' ']' and '{' '}' are two apart in ASCII */
		j->p = p + 1;
		j->depth--;
		return 0;
	}
	if (!l->n)
		return 1;
	if (*p != ',')
		return json_expected(j, p, kind == '{' ? "',' or '}'" : "',' or ']'");
	j->p = p + 1;
	return 1;
}

int cpf_json_elem(struct cpf_json *j)
{
	if (!next(j, '['))
		return 0;
	json_top(j)->n++;
	return 1;
}

static void keep_key(struct level *l, const char *s, size_t n)
{
	l->key_cut = n > sizeof(l->key);
	l->key_n = (uint8_t)(l->key_cut ? sizeof(l->key) : n);
	memcpy(l->key, s, l->key_n);
}

/* The colon is not next to the name: the name must be saved, as looking may move the window. */
static int find_colon(struct cpf_json *j, struct cpf_slice *key)
{
	const uint8_t *p;

	if (key->s != j->scratch.s) {
		cpf_buf_clear(&j->scratch);
		cpf_buf_add(&j->scratch, key->s, key->n);
		key->s = j->scratch.s;
	}
	p = json_peek(j);
	if (*p != ':')
		return json_expected(j, p, "':'");
	j->p = p + 1;
	return 1;
}

int cpf_json_key(struct cpf_json *j, struct cpf_slice *key)
{
	const uint8_t *p;
	struct level *l;

	key->s = "";
	key->n = 0;
	if (!next(j, '{'))
		return 0;
	p = json_peek(j);
	l = json_top(j);
	if (*p != '"')
		return json_expected(j, p, l->n ? "a member name" : "a member name or '}'");
	l->key_n = l->key_cut = 0;
	l->n++;
	if (!json_string(j, key))
		return 0;
	keep_key(l, key->s, key->n);
	if (CPF_LIKELY(*j->p == ':')) {
		j->p++;
		return 1;
	}
	return find_colon(j, key);
}

struct cpf_slice cpf_json_str(struct cpf_json *j)
{
	struct cpf_slice s = {"", 0};
	const uint8_t *p = value(j);

	if (*p != '"')
		json_expected(j, p, "a string");
	else if (!json_string(j, &s))
		s = (struct cpf_slice){"", 0};
	return s;
}

/* The word at p. Names the first byte that differs. */
int json_literal(struct cpf_json *j, const char *word)
{
	size_t n = strlen(word), i;
	char what[16];

	while ((size_t)(j->end - j->p) < n && json_refill(j, j->p))
		;
	for (i = 0; i < n && j->p[i] == (uint8_t)word[i]; i++)
		;
	if (i == n) {
		j->p += n;
		return 1;
	}
	snprintf(what, sizeof(what), "'%s'", word);
	return json_expected(j, j->p + i, what);
}

int cpf_json_bool(struct cpf_json *j)
{
	const uint8_t *p = value(j);
	struct dec d;

	if (*p == 't')
		return json_literal(j, "true");
	if (*p == 'f') {
		json_literal(j, "false");
		return 0;
	}
	if ((*p == '0' || *p == '1') && json_number(j, &d)) {
		if (d.plain && d.n == 1)
			return (int)d.mant;
		return json_fail(j, CPF_E_FORMAT, d.token, "expected true or false, found %.*s",
			d.n < 40 ? (int)d.n : 40, (const char *)d.token);
	}
	return json_expected(j, j->p, "true or false");
}

void cpf_json_null(struct cpf_json *j)
{
	const uint8_t *p = value(j);

	if (*p == 'n')
		json_literal(j, "null");
	else
		json_expected(j, p, "null");
}

/* One scalar of the walk below. */
static int pass_scalar(struct cpf_json *j, uint8_t c, struct cpf_buf *out)
{
	struct cpf_slice s;
	struct dec d;

	switch (c) {
	case '"':
		if (!out)
			return json_string_skip(j);
		if (!json_string(j, &s))
			return 0;
		cpf_buf_json(out, s.s, s.n);
		return 1;
	case 't':
	case 'f':
	case 'n':
		if (out)
			cpf_buf_str(out, c == 't' ? "true" : c == 'f' ? "false" : "null");
		return json_literal(j, c == 't' ? "true" : c == 'f' ? "false" : "null");
	default:
		if (!is_digit(c) && c != '-')
			return json_expected(j, j->p, "a value");
		if (!json_number(j, &d))
			return 0;
		if (out)
			cpf_buf_add(out, d.token, d.n);
		return 1;
	}
}

/* To the next value inside of the container; 0 if it ended, which is written too. */
static int pass_next(struct cpf_json *j, struct cpf_buf *out)
{
	struct level *l = json_top(j);
	struct cpf_slice key;
	uint8_t kind = l->kind;
	int first = l->n == 0;

	if (kind == '[' ? !cpf_json_elem(j) : !cpf_json_key(j, &key)) {
		if (out && !j->failed)
			cpf_buf_char(out, (char)(kind + 2));
		return 0;
	}
	if (out && !first)
		cpf_buf_char(out, ',');
	if (out && kind == '{') {
		cpf_buf_json(out, key.s, key.n);
		cpf_buf_char(out, ':');
	}
	return 1;
}

/* Over numbers in an array that is not to be written. 0 if p is at an element still. */
static int numbers(struct cpf_json *j)
{
	const uint8_t *p = json_peek(j);

	if (json_top(j)->kind != '[' || !(is_digit(*p) || *p == '-' || *p == 'n'))
		return 0;
	return !json_pass_numbers(j);
}

/* Over one value, however deep, writing it to out if there is one. */
static void pass(struct cpf_json *j, struct cpf_buf *out)
{
	size_t depth = j->depth, from = out ? out->n : 0;
	const uint8_t *p = value(j);

	for (;;) {
		if (*p == '{' || *p == '[') {
			if (out)
				cpf_buf_char(out, (char)*p);
			if (!push(j, p))
				return;
		} else if (!pass_scalar(j, *p, out)) {
			return;
		}
		if (out && out->n - from > j->string_limit && j->in) {
			json_fail(j, CPF_E_LIMIT, j->p,
				"value is longer than the limit of %" PRIu64 " bytes",
				j->string_limit);
			cpf_err_limit(&j->err, CPF_LIMIT_STRING);
			return;
		}
		do {
			if (j->failed || j->depth == depth)
				return;
		} while (!pass_next(j, out) || (!out && numbers(j)));
		p = json_peek(j);
	}
}

void cpf_json_skip(struct cpf_json *j)
{
	pass(j, NULL);
}

void cpf_json_raw(struct cpf_json *j, struct cpf_buf *out)
{
	size_t from = out->n;

	pass(j, out);
	if (j->failed && out->s) {
		out->n = from;
		out->s[from] = '\0';
	}
}

int cpf_json_failed(const struct cpf_json *j)
{
	return j->failed;
}

uint64_t cpf_json_pos(const struct cpf_json *j)
{
	return json_offset(j, j->p);
}

uint64_t cpf_json_replaced(const struct cpf_json *j)
{
	return j->replaced;
}

static int is_name(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!(is_digit((uint8_t)s[i]) || (s[i] >= 'A' && s[i] <= 'Z') ||
			    (s[i] >= 'a' && s[i] <= 'z') || s[i] == '_' || s[i] == '$' ||
			    s[i] == '-'))
			return 0;
	return n > 0;
}

static void path_key(struct cpf_buf *b, const struct level *l)
{
	if (is_name(l->key, l->key_n)) {
		if (b->n)
			cpf_buf_char(b, '.');
		cpf_buf_add(b, l->key, l->key_n);
		cpf_buf_str(b, l->key_cut ? "..." : "");
	} else {
		cpf_buf_char(b, '[');
		cpf_buf_json(b, l->key, l->key_n);
		cpf_buf_str(b, l->key_cut ? "...]" : "]");
	}
}

/* A long path loses its middle, as what matters most is where it begins and where it ends. */
const char *cpf_json_path(const struct cpf_json *j, char *out, size_t cap)
{
	struct cpf_buf b = {0};
	size_t i, head;

	for (i = 0; i < j->depth; i++) {
		const struct level *l = &j->levels[i];

		if (!l->n)
			continue;
		if (l->kind == '[')
			cpf_buf_fmt(&b, "[%" PRIu64 "]", l->n - 1);
		else
			path_key(&b, l);
	}
	if (b.n < cap) {
		snprintf(out, cap, "%s", b.s ? b.s : "");
	} else if (cap) {
		head = cap / 2;
		snprintf(out, cap, "%.*s...", (int)head, b.s);
		if (cap > head + 4)
			snprintf(
				out + head + 3, cap - head - 3, "%s", b.s + b.n - (cap - head - 4));
	}
	cpf_buf_release(&b);
	return out;
}

int cpf_json_end(struct cpf_json *j, struct cpf_err *e)
{
	const uint8_t *p = json_peek(j);

	if (!j->failed) {
		if (!j->begun)
			json_expected(j, p, "a value");
		else if (j->depth)
			json_fail(j, CPF_E_USAGE, p, "not read to the end");
		else if (p != j->end)
			json_expected(j, p, "the end of the input");
	}
	if (!j->failed)
		return 0;
	if (e && e->code == CPF_OK)
		*e = j->err;
	return -1;
}
