/*
 * buf.h - growable bytes: formatted append and escaping for each kind of target.
 *
 * Text from profiles is untrusted: it goes through the escape of the place it is printed into.
 * buf.s is NUL-terminated after every call (the NUL is not counted in n).
 */
#ifndef CPF_BUF_H
#define CPF_BUF_H

#include "base/base.h"

struct cpf_buf {
	char *s;
	size_t n, cap;
};

void cpf_buf_release(struct cpf_buf *b);
static inline void cpf_buf_clear(struct cpf_buf *b)
{
	b->n = 0;
	if (b->s)
		b->s[0] = '\0';
}
/* Room for more bytes behind n; returns where they go. The caller adds to n. */
char *cpf_buf_room(struct cpf_buf *b, size_t more);
void cpf_buf_add(struct cpf_buf *b, const void *s, size_t n);
void cpf_buf_str(struct cpf_buf *b, const char *s);
void cpf_buf_char(struct cpf_buf *b, char c);
void cpf_buf_fmt(struct cpf_buf *b, const char *fmt, ...) CPF_PRINTF(2, 3);
void cpf_buf_vfmt(struct cpf_buf *b, const char *fmt, va_list ap) CPF_PRINTF(2, 0);
void cpf_buf_i64(struct cpf_buf *b, int64_t v);
void cpf_buf_u64(struct cpf_buf *b, uint64_t v);
/*
 * The shortest digits that read back as the same double, laid out as JavaScript does (0.1, 1e+21,
 * 1e-7); v must be finite. And with a fixed number of decimals, correctly rounded.
 */
void cpf_buf_double(struct cpf_buf *b, double v);
void cpf_buf_fixed(struct cpf_buf *b, double v, int decimals);
void cpf_buf_pad(struct cpf_buf *b, char c, size_t times);

/* JSON string with quotes; invalid UTF-8 becomes U+FFFD; U+2028/2029 and controls are escaped. */
void cpf_buf_json(struct cpf_buf *b, const char *s, size_t n);
/* Field for RFC 4180, quoted if needed; a leading = + - @ is kept (data, not formulas). */
void cpf_buf_csv(struct cpf_buf *b, const char *s, size_t n);
/* Text for a Markdown table cell: | and back-ticks and markup escaped, line ends as blanks. */
void cpf_buf_markdown(struct cpf_buf *b, const char *s, size_t n);
/* Text and attribute text for XML and HTML. */
void cpf_buf_xml(struct cpf_buf *b, const char *s, size_t n);
/* For a terminal: control bytes (C0, DEL, C1), invalid UTF-8 and bidi controls as \xNN, \u{...}. */
void cpf_buf_terminal(struct cpf_buf *b, const char *s, size_t n);

/* Length of the valid UTF-8 sequence at s (1-4), or 0; no surrogates, no overlong forms. */
int cpf_utf8_len(const char *s, size_t n);
/* Length of the maximal invalid part at s (1-3), for s where cpf_utf8_len is 0; n > 0. */
int cpf_utf8_bad(const char *s, size_t n);
/* Decodes the valid sequence of len bytes at s. */
uint32_t cpf_utf8_get(const char *s, int len);
/* Encodes a code point; returns the number of bytes (1-4). */
int cpf_utf8_put(char out[4], uint32_t cp);
/* Whether all of s is valid. */
int cpf_utf8_ok(const char *s, size_t n);
/* Copies s to b with each maximal invalid part as U+FFFD; returns the number of replacements. */
size_t cpf_buf_utf8(struct cpf_buf *b, const char *s, size_t n);

#endif
