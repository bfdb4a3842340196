/*
 * firefox_json.h - the JSON reader as the Firefox readers use it: one walk over nested sources.
 *
 * The calls are those of base/json.h with one addition: a value may lie in another text. In a JSLB
 * container that is a slab named by a placeholder {"$s":N}, in old Gecko profiles a string that
 * holds JSON. cpf_fx_type looks through placeholders; a numeric slab shows as type 'S' and is read
 * by the bulk calls like an array of numbers. When a value of an inner text has been consumed, the
 * walk goes on behind it in the outer one.
 *
 * Errors are sticky across the texts: after the first one every call returns "nothing".
 */
#ifndef CPF_FIREFOX_JSON_H
#define CPF_FIREFOX_JSON_H

#include "base/json.h"
#include "formats/jslb.h"

/* Stands for null and for missing elements in columns of times and decimals. */
#define CPF_FX_NULL INT64_MIN

struct cpf_fx_level {
	struct cpf_json *j;
	char *text;     /* owned, or NULL */
	uint32_t slab;  /* its number, or CPF_FX_NO_SLAB */
	uint32_t depth; /* open objects and arrays */
};
#define CPF_FX_NO_SLAB UINT32_MAX

struct cpf_fx_json {
	struct cpf_fx_level *level;
	size_t n, cap;
	struct cpf_json *j; /* of the innermost level */
	struct cpf_jslb slabs;
	struct cpf_err *e;
	int failed;
	int entered; /* an object was entered to look for "$s": 1 with a key, 2 and it is empty */
	struct cpf_buf key; /* that key */
	struct cpf_buf copy;
	uint32_t number;   /* numeric slab that comes next, or CPF_FX_NO_SLAB */
	size_t at;         /* next element of it */
	uint64_t budget;   /* bytes of slabs that may still be read */
	uint64_t replaced; /* strings with U+FFFD in texts that are closed */
};

int cpf_fx_open(struct cpf_fx_json *x, struct cpf_input *in, struct cpf_err *e) CPF_MUST_CHECK;
/* Over a JSLB file in memory, which must stay valid. */
int cpf_fx_open_jslb(
	struct cpf_fx_json *x, const char *data, size_t n, struct cpf_err *e) CPF_MUST_CHECK;
/* Fails if there was an error or if something follows the root value. */
int cpf_fx_end(struct cpf_fx_json *x) CPF_MUST_CHECK;
void cpf_fx_close(struct cpf_fx_json *x);
/* The next value is the one in this text, which is taken over (cpf_free). */
void cpf_fx_push(struct cpf_fx_json *x, char *text, size_t n);

/* Byte of the file where the next value begins; CPF_NO_POS in a text inside a string. */
uint64_t cpf_fx_pos(const struct cpf_fx_json *x);
/* As cpf_json_type, or 'S' before a numeric slab. */
int cpf_fx_type(struct cpf_fx_json *x);
void cpf_fx_enter(struct cpf_fx_json *x);
int cpf_fx_key(struct cpf_fx_json *x, struct cpf_slice *key);
int cpf_fx_elem(struct cpf_fx_json *x);
struct cpf_slice cpf_fx_str(struct cpf_fx_json *x);
struct cpf_num cpf_fx_num(struct cpf_fx_json *x);
int cpf_fx_bool(struct cpf_fx_json *x);
void cpf_fx_skip(struct cpf_fx_json *x);
void cpf_fx_raw(struct cpf_fx_json *x, struct cpf_buf *out);
size_t cpf_fx_ints(struct cpf_fx_json *x, int64_t *out, size_t cap, int64_t null_value);
size_t cpf_fx_fixed(struct cpf_fx_json *x, int64_t *out, size_t cap, int digits);
/* As cpf_json_whole. Not for slabs. */
size_t cpf_fx_whole(struct cpf_fx_json *x, int64_t *out, size_t cap, int digits, int *scaled);
/* 1 if the array that was entered is a slab of int32, which shows addresses from 2^31 negative. */
int cpf_fx_signed32(const struct cpf_fx_json *x);
static inline int cpf_fx_is_slab(const struct cpf_fx_json *x)
{
	return x->number != CPF_FX_NO_SLAB;
}
/* One number scaled by 10^digits as cpf_json_fixed does; anything but a number: 0 and consumed. */
int cpf_fx_decimal(struct cpf_fx_json *x, int digits, int64_t *out);
void cpf_fx_fail(struct cpf_fx_json *x, enum cpf_code code, const char *fmt, ...) CPF_PRINTF(3, 4);

static inline int cpf_slice_is(struct cpf_slice s, const char *word)
{
	size_t n = strlen(word);

	return s.n == n && !memcmp(s.s, word, n);
}

#endif
