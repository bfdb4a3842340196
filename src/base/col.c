#include <cpuprof/column.h>

#include "base/base.h"
#include "base/mem.h"

static uint8_t width_for(int64_t lo, int64_t hi)
{
	if (lo >= INT8_MIN && hi <= INT8_MAX)
		return 1;
	if (lo >= INT16_MIN && hi <= INT16_MAX)
		return 2;
	if (lo >= INT32_MIN && hi <= INT32_MAX)
		return 4;
	return 8;
}

void cpf_col_release(struct cpf_col *c)
{
	cpf_free(c->data);
	memset(c, 0, sizeof(*c));
}

static void store(struct cpf_col *c, size_t i, int64_t v)
{
	switch (c->width) {
	case 1:
		((int8_t *)c->data)[i] = (int8_t)v;
		break;
	case 2:
		((int16_t *)c->data)[i] = (int16_t)v;
		break;
	case 4:
		((int32_t *)c->data)[i] = (int32_t)v;
		break;
	case 8:
		((int64_t *)c->data)[i] = v;
		break;
	default:
		break;
	}
}

static void reserve(struct cpf_col *c, size_t need)
{
	size_t cap = c->cap;

	if (need <= cap)
		return;
	/* Doubling: realloc moves large blocks by remapping pages, and pages not written cost nothing. */
	cap = cap * 2 > need ? cap * 2 : need;
	if (cap < 16)
		cap = 16;
	c->data = cpf_realloc_array(c->data, cap, c->width);
	c->cap = cap;
}

/* Turns the rows into rows of w bytes, last row first so that it works in place. */
static void widen(struct cpf_col *c, uint8_t w, size_t need)
{
	struct cpf_col old = *c;
	size_t i;

	if (need < c->n)
		need = c->n;
	if (c->width && need < c->cap)
		need = c->cap;
	if (need < 16)
		need = 16;
	c->data = cpf_realloc_array(c->width ? c->data : NULL, need, w);
	c->cap = need;
	c->width = w;
	old.data = c->data;
	for (i = c->n; i-- > 0;)
		store(c, i, cpf_col_get(&old, i));
}

/* A width-0 column has no data, so a set value must not be taken for a pointer to free. */
void cpf_col_push_slow(struct cpf_col *c, int64_t v)
{
	if (c->width == 0) {
		if (c->n == 0 || c->value == v) {
			c->value = v;
			c->n++;
			return;
		}
		widen(c, width_for(v < c->value ? v : c->value, v > c->value ? v : c->value),
			c->n + 1);
	} else {
		uint8_t w = width_for(v, v);

		if (w > c->width)
			widen(c, w, c->n + 1);
	}
	reserve(c, c->n + 1);
	store(c, c->n++, v);
}

/*
 * Stores n rows from v at row i and says whether all of them fit. What does not is garbage, of which
 * nobody knows until n rows are added to the column.
 */
static int store_rows(struct cpf_col *c, size_t at, const int64_t *v, size_t n)
{
	int64_t bad = 0;
	size_t i;

	switch (c->width) {
	case 1: {
		int8_t *d = (int8_t *)c->data + at;

		for (i = 0; i < n; i++) {
			d[i] = (int8_t)v[i];
			bad |= v[i] ^ d[i];
		}
		break;
	}
	case 2: {
		int16_t *d = (int16_t *)c->data + at;

		for (i = 0; i < n; i++) {
			d[i] = (int16_t)v[i];
			bad |= v[i] ^ d[i];
		}
		break;
	}
	case 4: {
		int32_t *d = (int32_t *)c->data + at;

		for (i = 0; i < n; i++) {
			d[i] = (int32_t)v[i];
			bad |= v[i] ^ d[i];
		}
		break;
	}
	case 8:
		memcpy((int64_t *)c->data + at, v, n * sizeof(*v));
		break;
	default:
		for (i = 0; i < n; i++)
			bad |= v[i] ^ c->value;
		break;
	}
	return !bad;
}

/* Makes the column wide enough for v[0..n) and so long that need rows fit. */
static void widen_for(struct cpf_col *c, const int64_t *v, size_t n, size_t need)
{
	int64_t lo = v[0], hi = v[0];
	uint8_t w;
	size_t i;

	for (i = 1; i < n; i++) {
		lo = v[i] < lo ? v[i] : lo;
		hi = v[i] > hi ? v[i] : hi;
	}
	if (!c->width && c->n) {
		lo = c->value < lo ? c->value : lo;
		hi = c->value > hi ? c->value : hi;
	}
	w = width_for(lo, hi);
	if (w > c->width)
		widen(c, w, need);
}

void cpf_col_append(struct cpf_col *c, const int64_t *v, size_t n)
{
	if (!n)
		return;
	if (!c->n && !c->width)
		c->value = v[0];
	if (c->width)
		reserve(c, c->n + n);
	if (!store_rows(c, c->n, v, n)) {
		widen_for(c, v, n, c->n + n);
		reserve(c, c->n + n);
		store_rows(c, c->n, v, n);
	}
	c->n += n;
}

void cpf_col_put(struct cpf_col *c, size_t at, const int64_t *v, size_t n)
{
	if (!n || store_rows(c, at, v, n))
		return;
	/* Rows that no longer hold what they did are written again below. */
	widen_for(c, v, n, c->n);
	store_rows(c, at, v, n);
}

/* Narrow rows overwrite only wide ones that have been read. */
static void narrow(void *rows, size_t n, uint8_t width)
{
	uint32_t id;
	size_t i;

	for (i = 0; width == 1 && i < n; i++) {
		memcpy(&id, (const char *)rows + i * sizeof(id), sizeof(id));
		((int8_t *)rows)[i] = (int8_t)id;
	}
	for (i = 0; width == 2 && i < n; i++) {
		memcpy(&id, (const char *)rows + i * sizeof(id), sizeof(id));
		((int16_t *)rows)[i] = (int16_t)id;
	}
}

void cpf_col_adopt(struct cpf_col *c, uint32_t *ids, size_t n, uint32_t bound)
{
	size_t i;

	cpf_col_release(c);
	if (!n || bound > (uint32_t)INT32_MAX) {
		for (i = 0; i < n; i++)
			cpf_col_push(c, ids[i] == UINT32_MAX ? -1 : (int64_t)ids[i]);
		cpf_free(ids);
		return;
	}
	c->n = c->cap = n;
	c->width = width_for(0, (int64_t)bound);
	narrow(ids, n, c->width);
	c->data = cpf_realloc_array(ids, n, c->width);
}

void cpf_col_fill(struct cpf_col *c, int64_t v, size_t n)
{
	if (!n)
		return;
	cpf_col_push(c, v);
	if (c->width == 0) {
		c->n += n - 1;
		return;
	}
	reserve(c, c->n + n - 1);
	if (c->width == 1) {
		memset((int8_t *)c->data + c->n, (uint8_t)v, n - 1);
		c->n += n - 1;
		return;
	}
	while (--n)
		store(c, c->n++, v);
}

void cpf_col_concat(struct cpf_col *c, const struct cpf_col *src)
{
	int64_t tmp[512];
	size_t at, n;

	if (src->width == 0) {
		cpf_col_fill(c, src->value, src->n);
		return;
	}
	if (src->width == c->width) {
		reserve(c, c->n + src->n);
		memcpy((char *)c->data + c->n * c->width, src->data, src->n * c->width);
		c->n += src->n;
		return;
	}
	for (at = 0; at < src->n; at += n) {
		n = src->n - at < CPF_LEN(tmp) ? src->n - at : CPF_LEN(tmp);
		cpf_col_read(src, at, n, tmp);
		cpf_col_append(c, tmp, n);
	}
}

void cpf_col_set(struct cpf_col *c, size_t i, int64_t v)
{
	uint8_t w = width_for(v, v);

	if (c->width == 0) {
		uint8_t w0 = width_for(c->value, c->value);

		if (c->value == v)
			return;
		if (c->n == 1) {
			c->value = v;
			return;
		}
		widen(c, w > w0 ? w : w0, c->n);
	} else if (w > c->width) {
		widen(c, w, c->n);
	}
	store(c, i, v);
}

void cpf_col_truncate(struct cpf_col *c, size_t n)
{
	if (n < c->n)
		c->n = n;
}

void cpf_col_trim(struct cpf_col *c)
{
	if (!c->width || c->cap == c->n)
		return;
	c->data = cpf_realloc_array(c->data, c->n ? c->n : 1, c->width);
	c->cap = c->n ? c->n : 1;
}

void cpf_col_read(const struct cpf_col *c, size_t from, size_t n, int64_t *out)
{
	size_t i;

	switch (c->width) {
	case 0:
		for (i = 0; i < n; i++)
			out[i] = c->value;
		break;
	case 1:
		for (i = 0; i < n; i++)
			out[i] = ((const int8_t *)c->data)[from + i];
		break;
	case 2:
		for (i = 0; i < n; i++)
			out[i] = ((const int16_t *)c->data)[from + i];
		break;
	case 4:
		for (i = 0; i < n; i++)
			out[i] = ((const int32_t *)c->data)[from + i];
		break;
	default:
		memcpy(out, (const int64_t *)c->data + from, n * sizeof(*out));
		break;
	}
}

void cpf_col_read32(const struct cpf_col *c, size_t from, size_t n, uint32_t *out)
{
	size_t i;

	switch (c->width) {
	case 0:
		for (i = 0; i < n; i++)
			out[i] = (uint32_t)c->value;
		break;
	case 1:
		for (i = 0; i < n; i++)
			out[i] = (uint32_t)((const int8_t *)c->data)[from + i];
		break;
	case 2:
		for (i = 0; i < n; i++)
			out[i] = (uint32_t)((const int16_t *)c->data)[from + i];
		break;
	case 4:
		memcpy(out, (const int32_t *)c->data + from, n * sizeof(*out));
		break;
	default:
		for (i = 0; i < n; i++)
			out[i] = (uint32_t)((const int64_t *)c->data)[from + i];
		break;
	}
}

/* Of rows narrow enough that no sum of 2^32 of them overflows. */
static int64_t sum_narrow(const struct cpf_col *c)
{
	int64_t sum = 0;
	size_t i;

	switch (c->width) {
	case 1:
		for (i = 0; i < c->n; i++)
			sum += ((const int8_t *)c->data)[i];
		break;
	case 2:
		for (i = 0; i < c->n; i++)
			sum += ((const int16_t *)c->data)[i];
		break;
	default:
		for (i = 0; i < c->n; i++)
			sum += ((const int32_t *)c->data)[i];
		break;
	}
	return sum;
}

int64_t cpf_col_sum(const struct cpf_col *c, int *overflow)
{
	int64_t sum = 0;
	size_t i;

	*overflow = 0;
	if (c->width == 0) {
		*overflow = cpf_mul64(&sum, c->value, (int64_t)c->n);
		return sum;
	}
	if (c->width <= 4 && c->n <= UINT32_MAX)
		return sum_narrow(c);
	for (i = 0; i < c->n; i++)
		if (cpf_add64(&sum, sum, cpf_col_get(c, i)))
			*overflow = 1;
	return sum;
}
