/*
 * jsonw.h - writes JSON text into a struct cpf_buf, value by value; commas and blanks come by
 * themselves.
 *
 *     struct cpf_jsonw w;
 *     cpf_jsonw_init(&w, &buf, 0);
 *     cpf_jsonw_object(&w);
 *     cpf_jsonw_key(&w, "total");
 *     cpf_jsonw_int(&w, 12);
 *     cpf_jsonw_end(&w);
 *
 * Ownership: the buffer is the caller's, and may be emptied between calls when it is written out in
 * parts. The writer owns nothing. Nesting goes to CPF_JSONW_DEPTH levels; deeper, or an end too
 * many, is a fault of the caller and caught by an assertion.
 */
#ifndef CPF_JSONW_H
#define CPF_JSONW_H

#include "base/base.h"
#include "base/buf.h"

#define CPF_JSONW_DEPTH 256

struct cpf_jsonw {
	struct cpf_buf *out;
	int indent; /* blanks per level; 0: compact */
	unsigned depth, lines; /* open objects and arrays; those of them that are not flat */
	int after_key;
	uint8_t kind[CPF_JSONW_DEPTH]; /* '{' or '[' */
	uint8_t some[CPF_JSONW_DEPTH]; /* something stands in it already */
	uint8_t flat[CPF_JSONW_DEPTH]; /* written on one line */
};

void cpf_jsonw_init(struct cpf_jsonw *w, struct cpf_buf *out, int indent);

void cpf_jsonw_object(struct cpf_jsonw *w);
void cpf_jsonw_array(struct cpf_jsonw *w);
/*
 * An object or array whose values follow on one line though the rest is indented: table rows, columns
 * of numbers. What is not flat inside of it has lines of its own, indented as if it stood outside.
 */
void cpf_jsonw_object_flat(struct cpf_jsonw *w);
void cpf_jsonw_array_flat(struct cpf_jsonw *w);
/* Ends the innermost object or array. */
void cpf_jsonw_end(struct cpf_jsonw *w);

/* Inside of an object, before each value. */
void cpf_jsonw_key(struct cpf_jsonw *w, const char *key);
void cpf_jsonw_key_n(struct cpf_jsonw *w, const char *key, size_t n);

void cpf_jsonw_str(struct cpf_jsonw *w, const char *s);
void cpf_jsonw_str_n(struct cpf_jsonw *w, const char *s, size_t n);
void cpf_jsonw_int(struct cpf_jsonw *w, int64_t v);
void cpf_jsonw_uint(struct cpf_jsonw *w, uint64_t v);
/* Shortest digits that read back the same; null if v is not finite, as JavaScript writes it. */
void cpf_jsonw_double(struct cpf_jsonw *w, double v);
/* Rounded to so many decimals; null if v is not finite. */
void cpf_jsonw_decimals(struct cpf_jsonw *w, double v, int decimals);
/* v / 10^digits, exactly: 1234500 with 6 digits is 1.2345. digits: 0 to 18. */
void cpf_jsonw_fixed(struct cpf_jsonw *w, int64_t v, int digits);
void cpf_jsonw_bool(struct cpf_jsonw *w, int v);
void cpf_jsonw_null(struct cpf_jsonw *w);
/* One value that is JSON text already. */
void cpf_jsonw_raw(struct cpf_jsonw *w, const char *s, size_t n);

/* Key and value. */
void cpf_jsonw_key_str(struct cpf_jsonw *w, const char *key, const char *s);
void cpf_jsonw_key_int(struct cpf_jsonw *w, const char *key, int64_t v);
void cpf_jsonw_key_uint(struct cpf_jsonw *w, const char *key, uint64_t v);
void cpf_jsonw_key_bool(struct cpf_jsonw *w, const char *key, int v);

#endif
