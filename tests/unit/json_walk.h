/*
 * json_walk.h - reads any JSON through the pull reader and writes it again in one form, for tests.
 *
 * Numbers of digits only (and perhaps a minus) that fit are written exactly, others as the shortest
 * double; strings in ASCII, see testdata/json/PROVENANCE.md.
 */
#ifndef JSON_WALK_H
#define JSON_WALK_H

#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>

#define WALK_DEPTH 1100

static inline void walk_string(struct cpf_buf *out, const char *s, size_t n)
{
	static const char plain[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	size_t i, k;

	cpf_buf_char(out, '"');
	for (i = 0; i < n;) {
		int len = cpf_utf8_len(s + i, n - i);
		uint32_t cp;

		assert_true(len > 0); /* what comes out is always well-formed */
		cp = cpf_utf8_get(s + i, len);
		i += (size_t)len;
		for (k = 0; plain[k] && cp != (unsigned char)plain[k]; k += 2)
			;
		if (plain[k] && cp)
			cpf_buf_fmt(out, "\\%c", plain[k + 1]);
		else if (cp >= 0x20 && cp < 0x7f)
			cpf_buf_char(out, (char)cp);
		else if (cp < 0x10000)
			cpf_buf_fmt(out, "\\u%04x", (unsigned)cp);
		else
			cpf_buf_fmt(out, "\\u%04x\\u%04x",
				0xd800 + (unsigned)((cp - 0x10000) >> 10),
				0xdc00 + (unsigned)((cp - 0x10000) & 0x3ff));
	}
	cpf_buf_char(out, '"');
}

/* token: the number as it stands in the text. */
static inline void walk_number(struct cpf_buf *out, const char *token, struct cpf_num v)
{
	int plain = token[strspn(token, "-0123456789")] == '\0' && strcmp(token, "-0") != 0;
	char s[40];
	int p;

	if (v.is_uint) {
		cpf_buf_u64(out, v.u);
	} else if (plain && v.is_int) {
		cpf_buf_i64(out, v.i);
	} else {
		for (p = 1; p <= 17; p++) {
			snprintf(s, sizeof(s), "%.*g", p, v.d);
			if (strtod(s, NULL) == v.d)
				break;
		}
		cpf_buf_str(out, s);
	}
}

static inline void walk_value(struct cpf_json *j, struct cpf_buf *out)
{
	struct cpf_buf token = {0};
	struct cpf_err e = {0};
	struct cpf_slice s;
	struct cpf_json *k;
	struct cpf_num v;

	switch (cpf_json_type(j)) {
	case '"':
		s = cpf_json_str(j);
		walk_string(out, s.s, s.n);
		break;
	case '0':
		cpf_json_raw(j, &token);
		if (cpf_json_failed(j))
			break;
		assert_int_equal(cpf_json_memory(&k, token.s, token.n, 0, &e), 0);
		v = cpf_json_num(k);
		if (cpf_json_end(k, &e)) {
			assert_int_equal(e.code, CPF_E_RANGE);
			cpf_json_fail(j, CPF_E_RANGE, "overflow");
		} else {
			walk_number(out, token.s, v);
		}
		cpf_json_close(k);
		break;
	case 't':
	case 'f':
		cpf_buf_str(out, cpf_json_bool(j) ? "true" : "false");
		break;
	case 'n':
		cpf_json_null(j);
		cpf_buf_str(out, "null");
		break;
	default:
		cpf_json_skip(j); /* nothing, or an error */
	}
	cpf_buf_release(&token);
}

/* The whole text. Returns what cpf_json_end does. */
static inline int walk(struct cpf_json *j, struct cpf_buf *out, struct cpf_err *e)
{
	static struct {
		int kind, some;
	} at[WALK_DEPTH];
	struct cpf_slice key;
	size_t depth = 0;
	int type;

	for (;;) {
		type = cpf_json_type(j);
		if (type == '{' || type == '[') {
			assert_true(depth < WALK_DEPTH);
			at[depth].kind = type;
			at[depth++].some = 0;
			cpf_buf_char(out, (char)type);
			cpf_json_enter(j);
		} else {
			walk_value(j, out);
		}
		while (depth) {
			if (at[depth - 1].kind == '[' ? !cpf_json_elem(j)
						      : !cpf_json_key(j, &key)) {
				cpf_buf_char(out, at[--depth].kind == '[' ? ']' : '}');
				continue;
			}
			if (at[depth - 1].some++)
				cpf_buf_char(out, ',');
			if (at[depth - 1].kind == '{') {
				walk_string(out, key.s, key.n);
				cpf_buf_char(out, ':');
			}
			break;
		}
		if (!depth)
			return cpf_json_end(j, e);
	}
}

#endif
