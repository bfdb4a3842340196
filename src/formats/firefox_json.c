#include "formats/firefox_json.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "core/decimal.h"

enum { MAX_LEVELS = 64, MAX_REPEAT = 4 };

static void push_level(struct cpf_fx_json *x, struct cpf_json *j, char *text, uint32_t slab)
{
	CPF_GROW(x->level, x->cap, x->n + 1);
	x->level[x->n++] = (struct cpf_fx_level){j, text, slab, 0};
	x->j = j;
}

/* Takes the error over from the reader; a path in an inner text goes on where the outer one ends.
 */
static void capture(struct cpf_fx_json *x)
{
	struct cpf_buf where = {0};
	char part[sizeof(x->e->where)];
	size_t i;

	x->failed = 1;
	if (!cpf_json_end(x->j, x->e))
		cpf_fail(x->e, CPF_E_FORMAT, "JSON error");
	if (x->n < 2)
		return;
	for (i = 0; i < x->n; i++) {
		const char *next = i + 1 < x->n ? cpf_json_path(x->level[i].j, part, sizeof(part))
						: x->e->where;

		if (where.n && next[0] && next[0] != '[')
			cpf_buf_char(&where, '.');
		cpf_buf_str(&where, next);
	}
	snprintf(x->e->where, sizeof(x->e->where), "%s", where.n ? where.s : "");
	cpf_buf_release(&where);
}

static int bad(struct cpf_fx_json *x)
{
	if (!x->failed && cpf_json_failed(x->j))
		capture(x);
	return x->failed;
}

static void pop_level(struct cpf_fx_json *x)
{
	struct cpf_fx_level *l = &x->level[x->n - 1];

	x->replaced += cpf_json_replaced(l->j);
	cpf_json_close(l->j);
	cpf_free(l->text);
	if (l->slab != CPF_FX_NO_SLAB)
		x->slabs.slabs[l->slab].busy = 0;
	x->n--;
	x->j = x->n ? x->level[x->n - 1].j : NULL;
}

/* After a value: leaves the inner texts that are used up. */
static void done(struct cpf_fx_json *x)
{
	if (bad(x))
		return;
	while (x->n > 1 && x->level[x->n - 1].depth == 0) {
		if (cpf_json_end(x->j, x->e)) {
			capture(x);
			return;
		}
		pop_level(x);
	}
}

static void leave(struct cpf_fx_json *x)
{
	if (bad(x))
		return;
	x->level[x->n - 1].depth--;
	done(x);
}

int cpf_fx_open(struct cpf_fx_json *x, struct cpf_input *in, struct cpf_err *e)
{
	struct cpf_json *j;

	memset(x, 0, sizeof(*x));
	x->e = e;
	x->number = CPF_FX_NO_SLAB;
	if (cpf_json_open(&j, in, e))
		return -1;
	push_level(x, j, NULL, CPF_FX_NO_SLAB);
	return 0;
}

/*
 * A slab that is named many times is read many times. Writers name each once; a small file that
 * names a large slab over and over would grow without bound.
 */
static int spend(struct cpf_fx_json *x, uint32_t n)
{
	uint32_t bytes = x->slabs.slabs[n].bytes;

	if (bytes > x->budget) {
		cpf_fx_fail(x, CPF_E_LIMIT,
			"slabs are repeated: they come to more than %d times the file", MAX_REPEAT);
		return 0;
	}
	x->budget -= bytes;
	return 1;
}

static void push_slab(struct cpf_fx_json *x, uint32_t n)
{
	struct cpf_slab *s = &x->slabs.slabs[n];
	struct cpf_json *j;

	if (x->n >= MAX_LEVELS) {
		cpf_fx_fail(x, CPF_E_LIMIT, "slabs are nested more than %d deep", MAX_LEVELS);
		return;
	}
	if (s->busy) {
		cpf_fx_fail(x, CPF_E_FORMAT, "slab %" PRIu32 " contains itself", n);
		return;
	}
	if (!spend(x, n))
		return;
	if (cpf_json_memory(&j, (const char *)s->data, s->bytes, s->offset, x->e)) {
		x->failed = 1;
		return;
	}
	s->busy = 1;
	push_level(x, j, NULL, n);
}

int cpf_fx_open_jslb(struct cpf_fx_json *x, const char *data, size_t n, struct cpf_err *e)
{
	memset(x, 0, sizeof(*x));
	x->e = e;
	x->number = CPF_FX_NO_SLAB;
	if (cpf_jslb_open(&x->slabs, data, n, e))
		return -1;
	x->budget = (uint64_t)n * MAX_REPEAT;
	push_slab(x, x->slabs.root);
	return x->failed ? -1 : 0;
}

int cpf_fx_end(struct cpf_fx_json *x)
{
	if (bad(x))
		return -1;
	return cpf_json_end(x->j, x->e);
}

void cpf_fx_close(struct cpf_fx_json *x)
{
	while (x->n)
		pop_level(x);
	cpf_free(x->level);
	cpf_jslb_release(&x->slabs);
	cpf_buf_release(&x->key);
	cpf_buf_release(&x->copy);
	memset(x, 0, sizeof(*x));
}

void cpf_fx_push(struct cpf_fx_json *x, char *text, size_t n)
{
	struct cpf_json *j;

	if (bad(x) || x->n >= MAX_LEVELS) {
		cpf_free(text);
		if (!x->failed)
			cpf_fx_fail(
				x, CPF_E_LIMIT, "texts are nested more than %d deep", MAX_LEVELS);
		return;
	}
	if (cpf_json_memory(&j, text, n, 0, x->e)) {
		x->failed = 1;
		cpf_free(text);
		return;
	}
	push_level(x, j, text, CPF_FX_NO_SLAB);
}

/* The value {"$s":n} has just been consumed. */
static void placeholder(struct cpf_fx_json *x, struct cpf_num n)
{
	x->level[x->n - 1].depth--;
	if (!n.is_int || n.i < 0 || n.i >= (int64_t)x->slabs.n) {
		cpf_fx_fail(
			x, CPF_E_FORMAT, "there is no slab %g (of %" PRIu32 ")", n.d, x->slabs.n);
		return;
	}
	if (x->slabs.slabs[n.i].type == CPF_SLAB_JSON) {
		push_slab(x, (uint32_t)n.i);
	} else if (spend(x, (uint32_t)n.i)) {
		x->number = (uint32_t)n.i;
		x->at = 0;
	}
}

int cpf_fx_type(struct cpf_fx_json *x)
{
	struct cpf_slice key;
	struct cpf_num n;
	int t;

	for (;;) {
		if (bad(x))
			return 0;
		if (x->entered)
			return '{';
		if (x->number != CPF_FX_NO_SLAB)
			return 'S';
		t = cpf_json_type(x->j);
		if (t != '{' || !x->slabs.n) {
			(void)bad(x);
			return t;
		}
		cpf_json_enter(x->j);
		x->level[x->n - 1].depth++;
		if (!cpf_json_key(x->j, &key)) {
			x->entered = 2;
			continue;
		}
		if (cpf_slice_is(key, "$s") && cpf_json_type(x->j) == '0') {
			n = cpf_json_num(x->j);
			if (!cpf_json_key(x->j, &key)) {
				if (!bad(x))
					placeholder(x, n);
				continue;
			}
		}
		cpf_buf_clear(&x->key);
		cpf_buf_add(&x->key, key.s, key.n);
		x->entered = 1;
	}
}

void cpf_fx_enter(struct cpf_fx_json *x)
{
	int t = cpf_fx_type(x);

	if (!t || t == 'S' || x->entered)
		return;
	cpf_json_enter(x->j);
	if (!bad(x))
		x->level[x->n - 1].depth++;
}

int cpf_fx_key(struct cpf_fx_json *x, struct cpf_slice *key)
{
	int entered = x->entered;

	if (bad(x))
		return 0;
	x->entered = 0;
	if (entered == 1) {
		*key = (struct cpf_slice){x->key.s, x->key.n};
		return 1;
	}
	if (entered == 0 && cpf_json_key(x->j, key))
		return 1;
	leave(x);
	return 0;
}

int cpf_fx_elem(struct cpf_fx_json *x)
{
	if (bad(x))
		return 0;
	if (x->number != CPF_FX_NO_SLAB) {
		cpf_fx_fail(x, CPF_E_FORMAT, "a slab of numbers where other values are expected");
		return 0;
	}
	if (cpf_json_elem(x->j))
		return 1;
	leave(x);
	return 0;
}

struct cpf_slice cpf_fx_str(struct cpf_fx_json *x)
{
	struct cpf_slice s = {"", 0};

	if (cpf_fx_type(x) == 'S')
		cpf_fx_fail(x, CPF_E_FORMAT, "expected a string, found a slab of numbers");
	if (x->entered)
		cpf_fx_fail(x, CPF_E_FORMAT, "expected a string, found an object");
	if (bad(x))
		return s;
	s = cpf_json_str(x->j);
	if (x->n > 1 && x->level[x->n - 1].depth == 0) {
		/* The text it lies in is about to be closed. */
		cpf_buf_clear(&x->copy);
		cpf_buf_add(&x->copy, s.s, s.n);
		s = (struct cpf_slice){x->copy.s, x->copy.n};
	}
	done(x);
	return x->failed ? (struct cpf_slice){"", 0} : s;
}

uint64_t cpf_fx_pos(const struct cpf_fx_json *x)
{
	const struct cpf_fx_level *l = &x->level[x->n - 1];

	if (x->number != CPF_FX_NO_SLAB)
		return x->slabs.slabs[x->number].offset;
	if (l->text && l->slab == CPF_FX_NO_SLAB)
		return CPF_NO_POS;
	return cpf_json_pos(l->j);
}

struct cpf_num cpf_fx_num(struct cpf_fx_json *x)
{
	struct cpf_num n = {0};

	if (cpf_fx_type(x) == 'S' || x->entered)
		cpf_fx_fail(x, CPF_E_FORMAT, "expected a number");
	if (bad(x))
		return n;
	n = cpf_json_num(x->j);
	done(x);
	return n;
}

int cpf_fx_bool(struct cpf_fx_json *x)
{
	int v;

	if (cpf_fx_type(x) == 'S' || x->entered)
		cpf_fx_fail(x, CPF_E_FORMAT, "expected true or false");
	if (bad(x))
		return 0;
	v = cpf_json_bool(x->j);
	done(x);
	return v;
}

void cpf_fx_skip(struct cpf_fx_json *x)
{
	struct cpf_slice key;

	if (bad(x))
		return;
	if (x->number != CPF_FX_NO_SLAB) {
		x->number = CPF_FX_NO_SLAB;
		done(x);
		return;
	}
	if (x->entered) {
		while (cpf_fx_key(x, &key)) {
			cpf_json_skip(x->j);
			if (bad(x))
				return;
		}
		return;
	}
	cpf_json_skip(x->j);
	done(x);
}

/* A captured value that is a placeholder for a JSON slab is replaced by that slab's text. */
static void raw_slab(struct cpf_fx_json *x, struct cpf_buf *out, size_t from)
{
	struct cpf_json *j;
	uint32_t n = 0;
	size_t i = from + 6;

	if (out->n < from + 8 || out->n > from + 16 || memcmp(out->s + from, "{\"$s\":", 6))
		return;
	for (; out->s[i] >= '0' && out->s[i] <= '9'; i++)
		n = n * 10 + (uint32_t)(out->s[i] - '0');
	if (out->s[i] != '}' || n >= x->slabs.n || x->slabs.slabs[n].type != CPF_SLAB_JSON ||
		!spend(x, n))
		return;
	if (cpf_json_memory(&j, (const char *)x->slabs.slabs[n].data, x->slabs.slabs[n].bytes,
		    x->slabs.slabs[n].offset, x->e)) {
		x->failed = 1;
		return;
	}
	out->n = from;
	cpf_json_raw(j, out);
	if (cpf_json_end(j, x->e))
		x->failed = 1;
	cpf_json_close(j);
}

void cpf_fx_raw(struct cpf_fx_json *x, struct cpf_buf *out)
{
	size_t from = out->n;

	if (x->entered || x->number != CPF_FX_NO_SLAB) {
		cpf_fx_skip(x);
		cpf_buf_str(out, "null");
		return;
	}
	if (bad(x))
		return;
	cpf_json_raw(x->j, out);
	if (x->slabs.n && !bad(x))
		raw_slab(x, out, from);
	done(x);
}

/* Bulk. */

/* An element of a slab that is none of the column's: told as if it stood in the JSON text. */
static size_t bad_element(struct cpf_fx_json *x, enum cpf_code code, double d, const char *what)
{
	char where[sizeof(x->e->where)];

	cpf_fx_fail(x, code, "value %g of slab %" PRIu32 " %s", d, x->number, what);
	memcpy(where, x->e->where, sizeof(where));
	snprintf(x->e->where, sizeof(x->e->where), "%.230s[%zu]", where, x->at);
	return 0;
}

static size_t slab_end(struct cpf_fx_json *x)
{
	x->number = CPF_FX_NO_SLAB;
	done(x);
	return 0;
}

size_t cpf_fx_ints(struct cpf_fx_json *x, int64_t *out, size_t cap, int64_t null_value)
{
	const struct cpf_slab *s;
	struct cpf_slab_num v;
	size_t n, rows;

	if (bad(x))
		return 0;
	if (x->number == CPF_FX_NO_SLAB) {
		n = cpf_json_ints(x->j, out, cap, null_value);
		if (!n)
			leave(x);
		return bad(x) ? 0 : n;
	}
	s = &x->slabs.slabs[x->number];
	rows = s->bytes / s->size;
	for (n = 0; n < cap && x->at < rows; n++, x->at++) {
		v = cpf_slab_get(s, x->at);
		if (!v.is_int)
			return bad_element(x, CPF_E_FORMAT, v.d, "is not an integer in range");
		out[n] = v.i;
	}
	return n ? n : slab_end(x);
}

size_t cpf_fx_fixed(struct cpf_fx_json *x, int64_t *out, size_t cap, int digits)
{
	const struct cpf_slab *s;
	struct cpf_slab_num v;
	double scale = 1, d;
	int64_t whole = 1;
	size_t n, rows;
	int i;

	if (bad(x))
		return 0;
	if (x->number == CPF_FX_NO_SLAB) {
		n = cpf_json_fixed(x->j, out, cap, digits, CPF_FX_NULL);
		if (!n)
			leave(x);
		return bad(x) ? 0 : n;
	}
	for (i = 0; i < digits; i++) {
		scale *= 10;
		whole *= 10;
	}
	s = &x->slabs.slabs[x->number];
	rows = s->bytes / s->size;
	for (n = 0; n < cap && x->at < rows; n++, x->at++) {
		v = cpf_slab_get(s, x->at);
		if (v.is_int && !cpf_mul64(&out[n], v.i, whole))
			continue;
		d = v.d * scale;
		if (!(fabs(d) < 9.2e18))
			return bad_element(x, CPF_E_RANGE, v.d, "is out of range");
		out[n] = (int64_t)llround(d);
	}
	return n ? n : slab_end(x);
}

size_t cpf_fx_whole(struct cpf_fx_json *x, int64_t *out, size_t cap, int digits, int *scaled)
{
	size_t n;

	*scaled = 0;
	if (bad(x))
		return 0;
	n = cpf_json_whole(x->j, out, cap, CPF_FX_NULL, digits, scaled);
	if (!n)
		leave(x);
	return bad(x) ? 0 : n;
}

int cpf_fx_signed32(const struct cpf_fx_json *x)
{
	return x->number != CPF_FX_NO_SLAB && x->slabs.slabs[x->number].type == CPF_SLAB_INT32;
}

/* The usual form, without exponent; 0 if it is another or does not fit. */
static int plain_decimal(const char *s, size_t n, int digits, int64_t *out)
{
	int64_t scale = 1, half;
	int decimals, i;

	if (cpf_decimal_parse(s, n, out, &decimals))
		return 0;
	for (i = decimals; i < digits; i++)
		if (cpf_mul64(out, *out, 10))
			return 0;
	for (i = digits; i < decimals; i++)
		scale *= 10;
	half = scale / 2;
	if (scale > 1 && !cpf_add64(out, *out, *out < 0 ? -half : half))
		*out /= scale;
	return 1;
}

int cpf_fx_decimal(struct cpf_fx_json *x, int digits, int64_t *out)
{
	struct cpf_json *j;
	int ok = 0;

	if (cpf_fx_type(x) != '0') {
		cpf_fx_skip(x);
		return 0;
	}
	cpf_buf_clear(&x->copy);
	cpf_buf_char(&x->copy, '[');
	cpf_fx_raw(x, &x->copy);
	if (!x->failed && plain_decimal(x->copy.s + 1, x->copy.n - 1, digits, out))
		return 1;
	cpf_buf_char(&x->copy, ']');
	if (!x->failed && !cpf_json_memory(&j, x->copy.s, x->copy.n, 0, NULL)) {
		cpf_json_enter(j);
		ok = cpf_json_fixed(j, out, 1, digits, 0) == 1;
		if (!ok)
			cpf_fx_fail(x, CPF_E_RANGE, "%.*s is out of range", (int)x->copy.n - 2,
				x->copy.s + 1);
		cpf_json_close(j);
	}
	return ok;
}

void cpf_fx_fail(struct cpf_fx_json *x, enum cpf_code code, const char *fmt, ...)
{
	char reason[sizeof(x->e->reason)];
	va_list ap;

	if (x->failed)
		return;
	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	cpf_json_fail(x->j, code, "%s", reason);
	capture(x);
}
