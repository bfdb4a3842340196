#include "base/jsonw.h"

#include <assert.h>
#include <math.h>

void cpf_jsonw_init(struct cpf_jsonw *w, struct cpf_buf *out, int indent)
{
	w->out = out;
	w->indent = indent;
	w->depth = w->lines = 0;
	w->after_key = 0;
}

static void line(struct cpf_jsonw *w)
{
	if (!w->indent)
		return;
	cpf_buf_char(w->out, '\n');
	cpf_buf_pad(w->out, ' ', (size_t)w->indent * w->lines);
}

/* What separates from the value, or member, before. */
static void separate(struct cpf_jsonw *w)
{
	unsigned top = w->depth - 1;

	if (w->after_key) {
		w->after_key = 0;
		return;
	}
	if (!w->depth)
		return;
	if (w->some[top])
		cpf_buf_char(w->out, ',');
	if (!w->flat[top])
		line(w);
	else if (w->some[top] && w->indent)
		cpf_buf_char(w->out, ' ');
	w->some[top] = 1;
}

static void begin(struct cpf_jsonw *w, char kind, int flat)
{
	separate(w);
	assert(w->depth < CPF_JSONW_DEPTH);
	w->kind[w->depth] = (uint8_t)kind;
	w->some[w->depth] = 0;
	w->flat[w->depth] = (uint8_t)flat;
	w->depth++;
	w->lines += !flat;
	cpf_buf_char(w->out, kind);
}

void cpf_jsonw_object(struct cpf_jsonw *w)
{
	begin(w, '{', 0);
}

void cpf_jsonw_array(struct cpf_jsonw *w)
{
	begin(w, '[', 0);
}

void cpf_jsonw_object_flat(struct cpf_jsonw *w)
{
	begin(w, '{', 1);
}

void cpf_jsonw_array_flat(struct cpf_jsonw *w)
{
	begin(w, '[', 1);
}

void cpf_jsonw_end(struct cpf_jsonw *w)
{
	assert(w->depth && !w->after_key);
	w->depth--;
	w->lines -= !w->flat[w->depth];
	if (w->some[w->depth] && !w->flat[w->depth])
		line(w);
	cpf_buf_char(w->out, w->kind[w->depth] == '{' ? '}' : ']');
}

void cpf_jsonw_key_n(struct cpf_jsonw *w, const char *key, size_t n)
{
	assert(w->depth && w->kind[w->depth - 1] == '{' && !w->after_key);
	separate(w);
	cpf_buf_json(w->out, key, n);
	cpf_buf_char(w->out, ':');
	if (w->indent)
		cpf_buf_char(w->out, ' ');
	w->after_key = 1;
}

void cpf_jsonw_key(struct cpf_jsonw *w, const char *key)
{
	cpf_jsonw_key_n(w, key, strlen(key));
}

void cpf_jsonw_str_n(struct cpf_jsonw *w, const char *s, size_t n)
{
	separate(w);
	cpf_buf_json(w->out, s, n);
}

void cpf_jsonw_str(struct cpf_jsonw *w, const char *s)
{
	cpf_jsonw_str_n(w, s, strlen(s));
}

void cpf_jsonw_int(struct cpf_jsonw *w, int64_t v)
{
	separate(w);
	cpf_buf_i64(w->out, v);
}

void cpf_jsonw_uint(struct cpf_jsonw *w, uint64_t v)
{
	separate(w);
	cpf_buf_u64(w->out, v);
}

void cpf_jsonw_double(struct cpf_jsonw *w, double v)
{
	separate(w);
	if (isfinite(v))
		cpf_buf_double(w->out, v);
	else
		cpf_buf_str(w->out, "null");
}

void cpf_jsonw_decimals(struct cpf_jsonw *w, double v, int decimals)
{
	separate(w);
	if (isfinite(v))
		cpf_buf_fixed(w->out, v, decimals);
	else
		cpf_buf_str(w->out, "null");
}

void cpf_jsonw_fixed(struct cpf_jsonw *w, int64_t v, int digits)
{
	uint64_t u = cpf_abs64(v), one = 1;
	size_t from;
	int i;

	separate(w);
	for (i = 0; i < digits; i++)
		one *= 10;
	if (v < 0)
		cpf_buf_char(w->out, '-');
	cpf_buf_u64(w->out, u / one);
	u %= one;
	if (!u)
		return;
	for (; u % 10 == 0; digits--)
		u /= 10;
	cpf_buf_char(w->out, '.');
	from = w->out->n;
	cpf_buf_pad(w->out, '0', (size_t)digits);
	for (i = digits; u; u /= 10)
		w->out->s[from + (size_t)--i] = (char)('0' + u % 10);
}

void cpf_jsonw_bool(struct cpf_jsonw *w, int v)
{
	separate(w);
	cpf_buf_str(w->out, v ? "true" : "false");
}

void cpf_jsonw_null(struct cpf_jsonw *w)
{
	separate(w);
	cpf_buf_str(w->out, "null");
}

void cpf_jsonw_raw(struct cpf_jsonw *w, const char *s, size_t n)
{
	separate(w);
	cpf_buf_add(w->out, s, n);
}

void cpf_jsonw_key_str(struct cpf_jsonw *w, const char *key, const char *s)
{
	cpf_jsonw_key(w, key);
	cpf_jsonw_str(w, s);
}

void cpf_jsonw_key_int(struct cpf_jsonw *w, const char *key, int64_t v)
{
	cpf_jsonw_key(w, key);
	cpf_jsonw_int(w, v);
}

void cpf_jsonw_key_uint(struct cpf_jsonw *w, const char *key, uint64_t v)
{
	cpf_jsonw_key(w, key);
	cpf_jsonw_uint(w, v);
}

void cpf_jsonw_key_bool(struct cpf_jsonw *w, const char *key, int v)
{
	cpf_jsonw_key(w, key);
	cpf_jsonw_bool(w, v);
}
