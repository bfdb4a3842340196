/*
 * json_impl.h - what the parts of the JSON reader share: window, levels, errors. Not for others.
 *
 * The window. Bytes [p, end) are unread. Behind end lie PAD bytes of zero, which are the end mark
 * of every inner loop: a zero cannot stand in JSON text, so loops look for what they know, stop at
 * anything else, and only then ask whether that is the end of the bytes at hand (p == end: refill)
 * or a fault. Loops may read up to PAD bytes past end. A token is kept whole: refill moves it to
 * the front, and widens the window if it fills it.
 */
#ifndef CPF_JSON_IMPL_H
#define CPF_JSON_IMPL_H

#include "base/json.h"

#define PAD ((size_t)64)

struct level {
	uint64_t n;   /* elements or members begun */
	uint8_t kind; /* '{' or '[' */
	uint8_t key_n;
	uint8_t key_cut; /* the name was longer */
	char key[61];    /* of the present member, for paths */
};

struct cpf_json {
	const uint8_t *p, *end;
	uint8_t *buf;
	size_t cap;    /* of buf, PAD not counted */
	uint64_t base; /* offset of buf[0] in the text */
	uint64_t at;   /* offset of the present value */
	int eof;       /* nothing follows end */
	int begun;     /* the root value has been touched */
	int failed;
	struct level *levels;
	size_t depth, levels_cap;
	struct cpf_input *in; /* or */
	const uint8_t *mem;   /* what has not yet been copied to the window */
	size_t mem_n;
	uint64_t string_limit;
	uint32_t depth_limit;
	uint64_t replaced;
	struct cpf_buf scratch; /* a string that is not as it stands in the text */
	struct cpf_err err;
};

/*
 * A number as written: mant * 10^exp, exactly unless digits beyond 64 bits were lost, of which next
 * was the first. token is valid until the next call.
 */
struct dec {
	uint64_t mant;
	int64_t exp;
	const uint8_t *token;
	size_t n;
	uint8_t neg, lost, next;
	uint8_t plain; /* digits only */
};

/* Sticky error at a place in the window; always returns 0. */
int json_fail(struct cpf_json *j, enum cpf_code code, const uint8_t *at, const char *fmt, ...)
	CPF_PRINTF(4, 5);
/* "expected WHAT, found ...", or that the input ends there; always returns 0. */
int json_expected(struct cpf_json *j, const uint8_t *at, const char *what);
/* Makes more bytes follow end, keeping those from keep on; 0 if there are none, or on error.
 * Pointers into the window but p and end are void afterwards, whatever it returns. */
int json_refill(struct cpf_json *j, const uint8_t *keep);
/* Skips white space; returns p. */
const uint8_t *json_space(struct cpf_json *j);

/* The string whose opening quote is at p, decoded. 0 on error. */
int json_string(struct cpf_json *j, struct cpf_slice *out);
/* The same without looking at what it means. 0 on error. */
int json_string_skip(struct cpf_json *j);

/* The word that has to be at p. 0 on error. */
int json_literal(struct cpf_json *j, const char *word);

/* The number at p. 0 on error. */
int json_number(struct cpf_json *j, struct dec *d);
/*
 * Passes plain elements of an array from the one at p, which is counted, on. 1 if p is at an
 * element again, counted and not passed; 0 if it is behind one.
 */
int json_pass_numbers(struct cpf_json *j);

/* The next byte that is not white space. It may be the end mark: then the input ends here. */
static inline const uint8_t *json_peek(struct cpf_json *j)
{
	return CPF_LIKELY(*j->p > ' ') ? j->p : json_space(j);
}

static inline struct level *json_top(struct cpf_json *j)
{
	return &j->levels[j->depth - 1];
}

static inline uint64_t json_offset(const struct cpf_json *j, const uint8_t *p)
{
	return j->base + (uint64_t)(p - j->buf);
}

/* Eight bytes in memory order; byte i is bits 8i to 8i + 7 where SWAR is defined. */
static inline uint64_t json_load(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define CPF_SWAR 1
#endif

#define EACH(byte) (0x0101010101010101u * (uint64_t)(byte))

#endif
