/*
 * json.h - pull reader for JSON text (RFC 8259) over a refillable window.
 *
 * Never holds the whole text, never builds a tree, never recurses. The caller walks:
 *
 *     cpf_json_open(&j, in, e);
 *     if (cpf_json_type(j) == '{') {
 *         cpf_json_enter(j);
 *         while (cpf_json_key(j, &key))           // 1 a key, 0 end of the object or error
 *             if (key is "stack") cpf_json_ints(...); else cpf_json_skip(j);
 *     }
 *     if (cpf_json_end(j)) fail
 *
 * Numbers: RFC 8259's grammar, strictly. Every value must be consumed exactly once: enter+walk to
 * the end, str, num, raw, skip, or a bulk call. Errors are sticky: after one, all calls return
 * "nothing" (type 0, key 0, elem 0), so a loop needs no check of its own; cpf_json_failed or
 * cpf_json_end tells. An error carries the byte offset and the path, e.g.
 * threads[3].samples.stack[17].
 *
 * Accepted beyond the RFC: a UTF-8 BOM at the start; invalid UTF-8 and lone surrogate escapes in
 * strings, which become U+FFFD (counted: cpf_json_replaced). NaN and Infinity are errors.
 */
#ifndef CPF_JSON_H
#define CPF_JSON_H

#include "base/base.h"
#include "base/buf.h"
#include "base/input.h"

struct cpf_json;

/* Borrowed text: valid until the next call on the reader. Not NUL-terminated. */
struct cpf_slice {
	const char *s;
	size_t n;
};

struct cpf_num {
	double d;      /* always set; never NaN or infinite (1e400 is an error of range) */
	int64_t i;     /* set if is_int */
	uint64_t u;    /* set if is_int or is_uint: tokens of digits only, up to 2^64 - 1 */
	uint8_t is_int;  /* integral and fits int64_t: 66, 66.0, 1e3, -5 */
	uint8_t is_uint; /* digits only and fits uint64_t */
};

/* in is borrowed. A failure to read comes out at the first call on the reader that needs the bytes. */
int cpf_json_open(struct cpf_json **j, struct cpf_input *in, struct cpf_err *e) CPF_MUST_CHECK;
/* With a window of so many bytes instead of 256 KiB, for tests. */
int cpf_json_open_window(struct cpf_json **j, struct cpf_input *in, size_t window,
	struct cpf_err *e) CPF_MUST_CHECK;
/* Over text in memory (JSON slabs, marker data): must stay valid. base: offset to add in messages. */
int cpf_json_memory(struct cpf_json **j, const char *text, size_t n, uint64_t base,
	struct cpf_err *e) CPF_MUST_CHECK;
void cpf_json_close(struct cpf_json *j);

/* What comes next: '{' '[' '"' '0' (number) 't' 'f' 'n', or 0 at the end or after an error.
 * Right after an array was entered it tells about the first element, or ']' if there is none. */
int cpf_json_type(struct cpf_json *j);
/* Enters the object or array that comes next. Fails (sticky) on anything else. */
void cpf_json_enter(struct cpf_json *j);
/* In an object: 1 and the next key, its value comes next; 0 at the closing brace (consumed). */
int cpf_json_key(struct cpf_json *j, struct cpf_slice *key);
/* In an array: 1 if another element comes next; 0 at the closing bracket (consumed). */
int cpf_json_elem(struct cpf_json *j);

struct cpf_slice cpf_json_str(struct cpf_json *j); /* error unless a string comes next */
struct cpf_num cpf_json_num(struct cpf_json *j);   /* error unless a number comes next */
int cpf_json_bool(struct cpf_json *j);             /* true, false; 0/1 tolerated */
void cpf_json_null(struct cpf_json *j);            /* error unless null */
void cpf_json_skip(struct cpf_json *j);            /* any value */
/* Appends the next value as compact JSON text. */
void cpf_json_raw(struct cpf_json *j, struct cpf_buf *out);

/*
 * Bulk: inside an array (after cpf_json_enter), reads up to cap elements; returns how many, 0 at the
 * end (bracket consumed) or on error. ints: null becomes null_value; an element that is not an
 * integer fitting int64_t is an error naming the element. doubles: null becomes null_value.
 * mixed_ints: as ints, but numbers with a fraction are rounded half away from zero and counted in
 * *fractions (which is added to). If null_value is INT64_MIN, that number does not fit.
 */
size_t cpf_json_ints(struct cpf_json *j, int64_t *out, size_t cap, int64_t null_value);
size_t cpf_json_mixed_ints(struct cpf_json *j, int64_t *out, size_t cap, int64_t null_value,
	uint64_t *fractions);
/*
 * whole: as ints, up to and including the first number that is no integer. That one, the last of the
 * batch, comes as cpf_json_fixed gives it, and *scaled is 1; else it is 0.
 */
size_t cpf_json_whole(struct cpf_json *j, int64_t *out, size_t cap, int64_t null_value, int digits,
	int *scaled);
size_t cpf_json_doubles(struct cpf_json *j, double *out, size_t cap, double null_value);
/*
 * Decimal numbers as integers scaled by 10^digits, exactly where the text allows: "12.5" with
 * digits 6 gives 12500000. Rounded half away from zero beyond; null becomes null_value; a result
 * outside int64_t is an error. digits: 0 to 18. For times in ms -> ns (digits 6) and for weights.
 */
size_t cpf_json_fixed(struct cpf_json *j, int64_t *out, size_t cap, int digits, int64_t null_value);

/* Sticky error set by the caller at the present place (keeps path and offset). */
void cpf_json_fail(struct cpf_json *j, enum cpf_code code, const char *fmt, ...) CPF_PRINTF(3, 4);
int cpf_json_failed(const struct cpf_json *j);
/* Offset of the next unread byte. */
uint64_t cpf_json_pos(const struct cpf_json *j);
/* Path of the present value, for messages; out is NUL-terminated, cut to cap. */
const char *cpf_json_path(const struct cpf_json *j, char *out, size_t cap);
/* Strings in which something was replaced by U+FFFD so far. */
uint64_t cpf_json_replaced(const struct cpf_json *j);
/* After the root value: -1 and the error, or if anything but white space follows. */
int cpf_json_end(struct cpf_json *j, struct cpf_err *e) CPF_MUST_CHECK;

#endif
