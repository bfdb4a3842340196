#include "base/buf.h"

#include "base/mem.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

void cpf_buf_release(struct cpf_buf *b)
{
	cpf_free(b->s);
	b->s = NULL;
	b->n = b->cap = 0;
}

/* One byte more than asked for: the NUL. A size that wraps ends in cpf_grow as out of memory. */
char *cpf_buf_room(struct cpf_buf *b, size_t more)
{
	size_t need;

	if (__builtin_add_overflow(b->n, more, &need) || need == SIZE_MAX)
		need = SIZE_MAX - 1;
	CPF_GROW(b->s, b->cap, need + 1);
	b->s[b->n] = '\0';
	return b->s + b->n;
}

void cpf_buf_add(struct cpf_buf *b, const void *s, size_t n)
{
	char *to = cpf_buf_room(b, n);

	if (n)
		memcpy(to, s, n);
	to[n] = '\0';
	b->n += n;
}

void cpf_buf_str(struct cpf_buf *b, const char *s)
{
	cpf_buf_add(b, s, strlen(s));
}

void cpf_buf_char(struct cpf_buf *b, char c)
{
	cpf_buf_add(b, &c, 1);
}

void cpf_buf_vfmt(struct cpf_buf *b, const char *fmt, va_list ap)
{
	va_list again;
	char *to = cpf_buf_room(b, 64);
	size_t room = b->cap - b->n;
	int n;

	va_copy(again, ap);
	n = vsnprintf(to, room, fmt, ap);
	if (n >= 0 && (size_t)n >= room) {
		to = cpf_buf_room(b, (size_t)n);
		n = vsnprintf(to, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	if (n > 0)
		b->n += (size_t)n;
	b->s[b->n] = '\0';
}

void cpf_buf_fmt(struct cpf_buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cpf_buf_vfmt(b, fmt, ap);
	va_end(ap);
}

static size_t digits(char out[20], uint64_t u)
{
	char tmp[20];
	size_t n = 0, i;

	do
		tmp[n++] = (char)('0' + u % 10);
	while (u /= 10);
	for (i = 0; i < n; i++)
		out[i] = tmp[n - 1 - i];
	return n;
}

void cpf_buf_i64(struct cpf_buf *b, int64_t v)
{
	char *to = cpf_buf_room(b, 21);
	size_t n = 0;

	if (v < 0)
		to[n++] = '-';
	n += digits(to + n, cpf_abs64(v));
	to[n] = '\0';
	b->n += n;
}

void cpf_buf_u64(struct cpf_buf *b, uint64_t v)
{
	char *to = cpf_buf_room(b, 20);
	size_t n = digits(to, v);

	to[n] = '\0';
	b->n += n;
}

void cpf_buf_pad(struct cpf_buf *b, char c, size_t times)
{
	char *to = cpf_buf_room(b, times);

	memset(to, c, times);
	to[times] = '\0';
	b->n += times;
}

/*
 * snprintf rounds correctly on the systems we know, but writes the decimal point of the locale. The
 * program never sets one; a program that uses the library may have.
 */
static void plain_point(char *s)
{
	const char *point = localeconv()->decimal_point;
	size_t n = strlen(point);
	char *at;

	if (!strcmp(point, ".") || !n || !(at = strstr(s, point)))
		return;
	*at = '.';
	memmove(at + 1, at + n, strlen(at + n) + 1);
}

void cpf_buf_fixed(struct cpf_buf *b, double v, int decimals)
{
	size_t from = b->n;

	cpf_buf_fmt(b, "%.*f", decimals, v);
	plain_point(b->s + from);
	b->n = from + strlen(b->s + from);
}

/* Digits without point; the value is 0.DIGITS * 10^*point. */
static size_t shortest(char out[24], double v, int *point)
{
	char tmp[40];
	size_t n = 0, i;
	int precision;

	for (precision = 0; precision < 17; precision++) {
		snprintf(tmp, sizeof(tmp), "%.*e", precision, v);
		if (strtod(tmp, NULL) == v)
			break;
	}
	for (i = 0; tmp[i] && tmp[i] != 'e'; i++)
		if (tmp[i] >= '0' && tmp[i] <= '9' && n < 20)
			out[n++] = tmp[i];
	*point = tmp[i] ? (int)strtol(tmp + i + 1, NULL, 10) + 1 : 1;
	while (n > 1 && out[n - 1] == '0')
		n--;
	return n;
}

static void lay_out(struct cpf_buf *b, const char *d, size_t n, int point)
{
	if (point > 21 || point < -5) {
		cpf_buf_char(b, d[0]);
		if (n > 1) {
			cpf_buf_char(b, '.');
			cpf_buf_add(b, d + 1, n - 1);
		}
		cpf_buf_char(b, 'e');
		cpf_buf_char(b, point > 0 ? '+' : '-');
		cpf_buf_i64(b, point > 0 ? point - 1 : 1 - point);
	} else if (point <= 0) {
		cpf_buf_str(b, "0.");
		cpf_buf_pad(b, '0', (size_t)-point);
		cpf_buf_add(b, d, n);
	} else if ((size_t)point >= n) {
		cpf_buf_add(b, d, n);
		cpf_buf_pad(b, '0', (size_t)point - n);
	} else {
		cpf_buf_add(b, d, (size_t)point);
		cpf_buf_char(b, '.');
		cpf_buf_add(b, d + point, n - (size_t)point);
	}
}

void cpf_buf_double(struct cpf_buf *b, double v)
{
	char d[24];
	size_t n;
	int point;

	if (v < 0) {
		cpf_buf_char(b, '-');
		v = -v;
	}
	if (v == 0) {
		cpf_buf_char(b, '0');
		return;
	}
	/*
	 * Decimals of up to 15 digits are all different doubles, so one that divides back to v is
	 * the shortest once its zeros are gone. Times in ms with ns decimals all go this way.
	 */
	if (v >= 1e-6 && v < 1e9) {
		uint64_t r = (uint64_t)(v * 1e6 + 0.5);

		if (r && (double)r / 1e6 == v) {
			n = digits(d, r);
			point = (int)n - 6;
			while (n > 1 && d[n - 1] == '0')
				n--;
			lay_out(b, d, n, point);
			return;
		}
	}
	n = shortest(d, v, &point);
	lay_out(b, d, n, point);
}

static int continues(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * Table 3-7 of the Unicode standard: how many bytes a lead byte wants, and the range of the second
 * byte, which is what keeps out overlong forms, surrogates and code points past U+10FFFF.
 */
static int utf8_lead(unsigned char c, unsigned char *lo, unsigned char *hi)
{
	*lo = 0x80;
	*hi = 0xbf;
	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	if (c < 0xe0)
		return 2;
	if (c < 0xf0) {
		if (c == 0xe0)
			*lo = 0xa0;
		else if (c == 0xed)
			*hi = 0x9f;
		return 3;
	}
	if (c == 0xf0)
		*lo = 0x90;
	else if (c == 0xf4)
		*hi = 0x8f;
	return 4;
}

/* Bytes that agree with the form the lead byte asks for; *want is that form's length. */
static int utf8_match(const char *s, size_t n, int *want)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned char lo, hi;
	int len;

	*want = n ? utf8_lead(u[0], &lo, &hi) : 0;
	if (!*want)
		return 0;
	if (*want == 1 || n < 2 || u[1] < lo || u[1] > hi)
		return 1;
	for (len = 2; len < *want && (size_t)len < n && continues(u[len]);)
		len++;
	return len;
}

int cpf_utf8_len(const char *s, size_t n)
{
	int want, len = utf8_match(s, n, &want);

	return len == want ? len : 0;
}

int cpf_utf8_bad(const char *s, size_t n)
{
	int want, len = utf8_match(s, n, &want);

	return len ? len : 1;
}

uint32_t cpf_utf8_get(const char *s, int len)
{
	const unsigned char *u = (const unsigned char *)s;

	switch (len) {
	case 1:
		return u[0];
	case 2:
		return (uint32_t)(u[0] & 0x1f) << 6 | (u[1] & 0x3f);
	case 3:
		return (uint32_t)(u[0] & 0x0f) << 12 | (uint32_t)(u[1] & 0x3f) << 6 | (u[2] & 0x3f);
	default:
		return (uint32_t)(u[0] & 0x07) << 18 | (uint32_t)(u[1] & 0x3f) << 12 |
		       (uint32_t)(u[2] & 0x3f) << 6 | (u[3] & 0x3f);
	}
}

int cpf_utf8_put(char out[4], uint32_t cp)
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

int cpf_utf8_ok(const char *s, size_t n)
{
	size_t at = 0;
	int len;

	while (at < n) {
		if ((unsigned char)s[at] < 0x80) {
			at++;
			continue;
		}
		len = cpf_utf8_len(s + at, n - at);
		if (!len)
			return 0;
		at += (size_t)len;
	}
	return 1;
}

size_t cpf_buf_utf8(struct cpf_buf *b, const char *s, size_t n)
{
	size_t at = 0, from = 0, bad = 0;
	int len;

	while (at < n) {
		len = cpf_utf8_len(s + at, n - at);
		if (len) {
			at += (size_t)len;
			continue;
		}
		cpf_buf_add(b, s + from, at - from);
		cpf_buf_str(b, REPLACEMENT);
		at += (size_t)cpf_utf8_bad(s + at, n - at);
		from = at;
		bad++;
	}
	cpf_buf_add(b, s + from, at - from);
	return bad;
}
