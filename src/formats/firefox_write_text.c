/*
 * firefox_write_text.c - columns and string arrays as JSON text.
 */
#include "formats/firefox_write.h"

#include "base/mem.h"
#include "base/output.h"

#define CHUNK ((size_t)64 << 10)
enum { BATCH = 1024, NUMBER = 24 };

void cpf_fw_flush(struct cpf_fw_text *t)
{
	if (t->buf.n < CHUNK)
		return;
	cpf_output_write(t->out, t->buf.s, t->buf.n);
	cpf_buf_clear(&t->buf);
}

/* Two digits at a time: columns of numbers are nearly all of a file. */
static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536"
			    "37383940414243444546474849505152535455565758596061626364656667686970717273"
			    "7475767778798081828384858687888990919293949596979899";

static CPF_INLINE char *put_u32(char *s, uint32_t v)
{
	char text[10];
	int at = 10;

	if (v < 10) {
		*s++ = (char)('0' + v);
		return s;
	}
	while (v >= 100) {
		at -= 2;
		memcpy(text + at, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		at -= 2;
		memcpy(text + at, pairs + v * 2, 2);
	} else {
		text[--at] = (char)('0' + v);
	}
	memcpy(s, text + at, (size_t)(10 - at));
	return s + (10 - at);
}

static char *put_u64(char *s, uint64_t v)
{
	uint32_t low;
	int i;

	if (v <= UINT32_MAX)
		return put_u32(s, (uint32_t)v);
	s = put_u64(s, v / 100000000);
	low = (uint32_t)(v % 100000000);
	for (i = 6; i >= 0; i -= 2) {
		memcpy(s + i, pairs + low % 100 * 2, 2);
		low /= 100;
	}
	return s + 8;
}

static CPF_INLINE char *put_i64(char *s, int64_t v)
{
	if (v < 0)
		*s++ = '-';
	return put_u64(s, cpf_abs64(v));
}

static char *put_word(char *s, const char *word, size_t n)
{
	memcpy(s, word, n);
	return s + n;
}

static void begin_column(struct cpf_fw_text *t, const char *key)
{
	cpf_jsonw_key(&t->j, key);
	cpf_jsonw_raw(&t->j, "[", 1);
}

/* Replaces the comma behind the last element. */
static void end_column(struct cpf_fw_text *t, size_t n)
{
	if (n)
		t->buf.n--;
	cpf_buf_char(&t->buf, ']');
	cpf_fw_flush(t);
}

/* The last element of a column has to stay in the buffer until its comma is gone. */
static void flush_column(struct cpf_fw_text *t, int more)
{
	if (more)
		cpf_fw_flush(t);
}

static size_t batch(size_t from, size_t n)
{
	return n - from < BATCH ? n - from : BATCH;
}

void cpf_fw_ids(struct cpf_fw_text *t, const char *key, const uint32_t *v, size_t n, const char *none)
{
	size_t from, m, i, len = strlen(none);
	char *s;

	begin_column(t, key);
	for (from = 0; from < n; from += m) {
		m = batch(from, n);
		s = cpf_buf_room(&t->buf, m * NUMBER);
		for (i = from; i < from + m; i++) {
			s = v[i] == CPF_NONE ? put_word(s, none, len) : put_u32(s, v[i]);
			*s++ = ',';
		}
		t->buf.n = (size_t)(s - t->buf.s);
		flush_column(t, from + m < n);
	}
	end_column(t, n);
}

void cpf_fw_bytes(struct cpf_fw_text *t, const char *key, const uint8_t *v, size_t n)
{
	size_t from, m, i;
	char *s;

	begin_column(t, key);
	for (from = 0; from < n; from += m) {
		m = batch(from, n);
		s = cpf_buf_room(&t->buf, m * NUMBER);
		for (i = from; i < from + m; i++) {
			s = put_u32(s, v[i]);
			*s++ = ',';
		}
		t->buf.n = (size_t)(s - t->buf.s);
		flush_column(t, from + m < n);
	}
	end_column(t, n);
}

void cpf_fw_numbers(struct cpf_fw_text *t, const char *key, const int64_t *v, size_t n,
	int64_t none_value, const char *none)
{
	size_t from, m, i, len = strlen(none);
	char *s;

	begin_column(t, key);
	for (from = 0; from < n; from += m) {
		m = batch(from, n);
		s = cpf_buf_room(&t->buf, m * NUMBER);
		for (i = from; i < from + m; i++) {
			s = v[i] == none_value ? put_word(s, none, len) : put_i64(s, v[i]);
			*s++ = ',';
		}
		t->buf.n = (size_t)(s - t->buf.s);
		flush_column(t, from + m < n);
	}
	end_column(t, n);
}

static char *put_decimal(char *s, int64_t v, int digits, uint64_t one)
{
	uint64_t u = cpf_abs64(v), part;
	char *at;
	int i;

	if (v < 0)
		*s++ = '-';
	s = put_u64(s, u / one);
	part = u % one;
	if (!part)
		return s;
	*s++ = '.';
	for (at = s + digits, i = 0; i < digits; i++) {
		*--at = (char)('0' + part % 10);
		part /= 10;
	}
	s += digits;
	while (s[-1] == '0')
		s--;
	return s;
}

void cpf_fw_decimals(struct cpf_fw_text *t, const char *key, const int64_t *v, size_t n, int digits)
{
	size_t from, m, i;
	uint64_t one = 1;
	char *s;
	int k;

	for (k = 0; k < digits; k++)
		one *= 10;
	begin_column(t, key);
	for (from = 0; from < n; from += m) {
		m = batch(from, n);
		s = cpf_buf_room(&t->buf, m * NUMBER);
		for (i = from; i < from + m; i++) {
			s = digits ? put_decimal(s, v[i], digits, one) : put_i64(s, v[i]);
			*s++ = ',';
		}
		t->buf.n = (size_t)(s - t->buf.s);
		flush_column(t, from + m < n);
	}
	end_column(t, n);
}

void cpf_fw_same(struct cpf_fw_text *t, const char *key, const char *text, size_t n)
{
	size_t from, m, i, len = strlen(text);
	char *s;

	begin_column(t, key);
	for (from = 0; from < n; from += m) {
		m = batch(from, n);
		s = cpf_buf_room(&t->buf, m * NUMBER);
		for (i = 0; i < m; i++) {
			s = put_word(s, text, len);
			*s++ = ',';
		}
		t->buf.n = (size_t)(s - t->buf.s);
		flush_column(t, from + m < n);
	}
	end_column(t, n);
}

/* Strings. */

void cpf_fw_strings_init(struct cpf_fw_strings *s, const struct cpf_profile *p)
{
	memset(s, 0, sizeof(*s));
	s->p = p;
	s->nown = cpf_nstrings(p);
	s->row = cpf_calloc((size_t)s->nown + 1, sizeof(*s->row));
	s->extra = cpf_strings_new();
}

void cpf_fw_strings_release(struct cpf_fw_strings *s)
{
	cpf_free(s->row);
	cpf_free(s->extra_row);
	cpf_free(s->order);
	cpf_buf_release(&s->text);
	if (s->extra)
		cpf_strings_free(s->extra);
	memset(s, 0, sizeof(*s));
}

static struct cpf_text text_of(const struct cpf_fw_strings *s, uint32_t id)
{
	return id < s->nown ? cpf_text(s->p, id) : s->extra->texts[id - s->nown];
}

void cpf_fw_strings_clear(struct cpf_fw_strings *s)
{
	uint32_t i, id;

	for (i = 0; i < s->n; i++) {
		id = s->order[i];
		if (id < s->nown)
			s->row[id] = 0;
		else
			s->extra_row[id - s->nown] = 0;
	}
	s->n = 0;
}

static uint32_t add_string(struct cpf_fw_strings *s, uint32_t id)
{
	CPF_GROW(s->order, s->cap, (size_t)s->n + 1);
	s->order[s->n] = id;
	return ++s->n;
}

uint32_t cpf_fw_string(struct cpf_fw_strings *s, cpf_str id)
{
	struct cpf_text t;

	if (s->row[id])
		return s->row[id] - 1;
	t = cpf_text(s->p, id);
	if (!cpf_utf8_ok(t.s, t.len))
		return cpf_fw_string_text(s, t.s, t.len);
	s->row[id] = add_string(s, id);
	return s->row[id] - 1;
}

uint32_t cpf_fw_string_text(struct cpf_fw_strings *s, const char *text, size_t n)
{
	cpf_str id;

	if (!cpf_utf8_ok(text, n)) {
		cpf_buf_clear(&s->text);
		cpf_buf_utf8(&s->text, text, n);
		text = s->text.s;
		n = s->text.n;
	}
	id = cpf_strings_lookup(s->p->strings, text, n);
	if (id != CPF_NONE) {
		if (!s->row[id])
			s->row[id] = add_string(s, id);
		return s->row[id] - 1;
	}
	id = cpf_strings_intern(s->extra, text, n);
	if (id >= s->extra_cap) {
		size_t old = s->extra_cap;

		CPF_GROW(s->extra_row, s->extra_cap, (size_t)id + 1);
		memset(s->extra_row + old, 0, (s->extra_cap - old) * sizeof(*s->extra_row));
	}
	if (!s->extra_row[id])
		s->extra_row[id] = add_string(s, id + s->nown);
	return s->extra_row[id] - 1;
}

void cpf_fw_strings_write(struct cpf_fw_text *t, const struct cpf_fw_strings *s)
{
	struct cpf_text text;
	uint32_t i;

	cpf_jsonw_key(&t->j, "stringArray");
	cpf_jsonw_array(&t->j);
	for (i = 0; i < s->n; i++) {
		text = text_of(s, s->order[i]);
		cpf_jsonw_str_n(&t->j, text.s, text.len);
		cpf_fw_flush(t);
	}
	cpf_jsonw_end(&t->j);
}
