/*
 * json_str.c - strings of the JSON reader.
 */
#include "base/json_impl.h"

/*
 * First byte from p on that is a quote, a backslash, a control character (the end mark is one) or,
 * if ascii is set, not ASCII. Of each test (v - n) & ~v & 0x80 the lowest bit set is right, higher
 * ones may come from a borrow; the lowest is all that is looked at.
 */
static inline const uint8_t *plain_run(const uint8_t *p, int ascii)
{
#ifdef CPF_SWAR
	for (;;) {
		uint64_t v = json_load(p), q = v ^ EACH('"'), b = v ^ EACH('\\'), hit;

		hit = ((q - EACH(1)) & ~q) | ((b - EACH(1)) & ~b) | ((v - EACH(0x20)) & ~v);
		if (ascii)
			hit |= v;
		hit &= EACH(0x80);
		if (hit)
			return p + (__builtin_ctzll(hit) >> 3);
		p += 8;
	}
#else
	while (*p >= 0x20 && *p != '"' && *p != '\\' && (!ascii || *p < 0x80))
		p++;
	return p;
#endif
}

static int too_long(struct cpf_json *j)
{
	json_fail(j, CPF_E_LIMIT, j->p, "string is longer than the limit of %" PRIu64 " bytes",
		j->string_limit);
	cpf_err_limit(&j->err, CPF_LIMIT_STRING);
	return 0;
}

/* A byte that cannot stand in a string, or the end of what is at hand; 1 if there is more now. */
static int stuck(struct cpf_json *j, const uint8_t *p, const uint8_t *keep)
{
	if (p != j->end)
		return json_fail(j, CPF_E_FORMAT, p, "control character 0x%02x in a string", *p);
	if (json_refill(j, keep))
		return 1;
	if (j->failed)
		return 0;
	return json_expected(j, j->end, "'\"'");
}

/* At least n bytes from p on, if the input has as many. p is all that needs to be kept. */
static const uint8_t *ensure(struct cpf_json *j, const uint8_t *p, size_t n)
{
	j->p = p;
	while ((size_t)(j->end - j->p) < n && json_refill(j, j->p))
		;
	return j->p;
}

static int hex(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four hex digits at p; 0 and *bad at the first byte that is none. */
static int hex4(const uint8_t *p, uint32_t *out, const uint8_t **bad)
{
	int i, h;

	*out = 0;
	for (i = 0; i < 4; i++) {
		h = hex(p[i]);
		if (h < 0) {
			*bad = p + i;
			return 0;
		}
		*out = *out << 4 | (uint32_t)h;
	}
	return 1;
}

/* The escape at p, of which twelve bytes are at hand if there are as many. Returns its end. */
static const uint8_t *escape(struct cpf_json *j, const uint8_t *p, int *replaced)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const uint8_t *bad;
	const char *known = p[1] ? strchr(from, p[1]) : NULL;
	uint32_t cp, low;
	char out[4];

	if (known) {
		cpf_buf_char(&j->scratch, to[known - from]);
		return p + 2;
	}
	if (p[1] != 'u') {
		json_expected(j, p + 1, "one of \"\\/bfnrtu after '\\'");
		return NULL;
	}
	if (!hex4(p + 2, &cp, &bad)) {
		json_expected(j, bad, "four hex digits after '\\u'");
		return NULL;
	}
	p += 6;
	if (cp >= 0xd800 && cp < 0xe000) {
		if (cp < 0xdc00 && p[0] == '\\' && p[1] == 'u' && hex4(p + 2, &low, &bad) &&
			low >= 0xdc00 && low < 0xe000) {
			cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
			p += 6;
		} else {
			cp = 0xfffd;
			*replaced = 1;
		}
	}
	cpf_buf_add(&j->scratch, out, (size_t)cpf_utf8_put(out, cp));
	return p;
}

/* The rest of a string, which is not as it stands: built up in scratch, from p on. */
static int decode(struct cpf_json *j, const uint8_t *p, struct cpf_slice *out)
{
	const uint8_t *run;
	int replaced = 0, len;

	for (;;) {
		run = p;
		p = plain_run(p, 1);
		cpf_buf_add(&j->scratch, run, (size_t)(p - run));
		if (j->scratch.n > j->string_limit) {
			j->p = p;
			return too_long(j);
		}
		if (*p == '"') {
			break;
		} else if (*p == '\\') {
			p = escape(j, ensure(j, p, 12), &replaced);
			if (!p)
				return 0;
		} else if (*p >= 0x80) {
			p = ensure(j, p, 4);
			len = cpf_utf8_len((const char *)p, (size_t)(j->end - p));
			if (len) {
				cpf_buf_add(&j->scratch, p, (size_t)len);
				p += len;
			} else {
				cpf_buf_str(&j->scratch, "\xef\xbf\xbd");
				p += cpf_utf8_bad((const char *)p, (size_t)(j->end - p));
				replaced = 1;
			}
		} else {
			j->p = p;
			if (!stuck(j, p, p))
				return 0;
			p = j->p;
		}
	}
	j->p = p + 1;
	j->replaced += (uint64_t)replaced;
	out->s = j->scratch.s;
	out->n = j->scratch.n;
	return 1;
}

int json_string(struct cpf_json *j, struct cpf_slice *out)
{
	const uint8_t *p = j->p + 1;
	size_t at;
	int len;

	for (;;) {
		p = plain_run(p, 1);
		if (CPF_LIKELY(*p == '"'))
			break;
		at = (size_t)(p - j->p);
		if (*p >= 0x80) {
			while ((size_t)(j->end - j->p) < at + 4 && json_refill(j, j->p))
				;
			if (j->failed)
				return 0;
			p = j->p + at;
			len = cpf_utf8_len((const char *)p, (size_t)(j->end - p));
			p += len;
			if (len)
				continue;
		} else if (*p != '\\') {
			if (!stuck(j, p, j->p))
				return 0;
			p = j->p + at;
			continue;
		}
		cpf_buf_clear(&j->scratch);
		cpf_buf_add(&j->scratch, j->p + 1, at - 1);
		return decode(j, p, out);
	}
	out->s = (const char *)j->p + 1;
	out->n = (size_t)(p - j->p) - 1;
	if (out->n > j->string_limit)
		return too_long(j);
	j->p = p + 1;
	return 1;
}

int json_string_skip(struct cpf_json *j)
{
	const uint8_t *p = j->p + 1;

	for (;;) {
		p = plain_run(p, 0);
		if (CPF_LIKELY(*p == '"'))
			break;
		if (*p == '\\') {
			int ignored = 0;

			/* Escapes are rare, and what they stand for is cheap to work out. */
			cpf_buf_clear(&j->scratch);
			p = escape(j, ensure(j, p, 12), &ignored);
			if (!p)
				return 0;
			continue;
		}
		j->p = p;
		if (!stuck(j, p, p))
			return 0;
		p = j->p;
	}
	j->p = p + 1;
	return 1;
}
