/*
 * column.h - an integer column that is as wide as its widest value.
 *
 * A column starts constant (width 0: every row has the value of row 0, no memory), and widens to 1,
 * 2, 4 or 8 bytes a row when a value needs it. Rows are int64_t on the outside; ids store CPF_NONE
 * as -1; 64-bit addresses go through the cast to int64_t.
 *
 * Ownership: data is owned by the column; cpf_col_release frees it. Zeroed is a valid empty column.
 * Complexity: append amortized O(1); widening O(rows), at most three times a column.
 */
#ifndef CPUPROF_COLUMN_H
#define CPUPROF_COLUMN_H

#include <stddef.h>
#include <stdint.h>

struct cpf_col {
	void *data;
	size_t n, cap;   /* rows; cap counts rows of the present width */
	int64_t value;   /* of every row while width is 0 */
	uint8_t width;   /* bytes a row: 0, 1, 2, 4, 8 */
};

void cpf_col_release(struct cpf_col *c);
/* Makes room so that v fits and one more row can be stored; called by cpf_col_push. */
void cpf_col_push_slow(struct cpf_col *c, int64_t v);
/* Appends n rows from v. Faster than n pushes. */
void cpf_col_append(struct cpf_col *c, const int64_t *v, size_t n);
/*
 * Makes n ids the rows of an empty column, in place: the array, which came from base/mem.h, is the
 * column's then. All ids are at most bound, or CPF_NONE, which becomes -1.
 */
void cpf_col_adopt(struct cpf_col *c, uint32_t *ids, size_t n, uint32_t bound);
/* Writes rows [at, at + n), which are there already. Faster than n sets. */
void cpf_col_put(struct cpf_col *c, size_t at, const int64_t *v, size_t n);
/* Appends n rows of the same value. */
void cpf_col_fill(struct cpf_col *c, int64_t v, size_t n);
/* Appends all rows of src. */
void cpf_col_concat(struct cpf_col *c, const struct cpf_col *src);
void cpf_col_set(struct cpf_col *c, size_t i, int64_t v);
/* Cuts to n rows (n <= c->n). */
void cpf_col_truncate(struct cpf_col *c, size_t n);
/* Returns the rows to the allocator that are not in use. */
void cpf_col_trim(struct cpf_col *c);
/* Copies rows [from, from + n) to out; the way to run over a column in a tight loop. */
void cpf_col_read(const struct cpf_col *c, size_t from, size_t n, int64_t *out);
void cpf_col_read32(const struct cpf_col *c, size_t from, size_t n, uint32_t *out);
/* Sum of all rows; *overflow is set to 1 if it does not fit. */
int64_t cpf_col_sum(const struct cpf_col *c, int *overflow);

static inline int64_t cpf_col_get(const struct cpf_col *c, size_t i)
{
	switch (c->width) {
	case 0:
		return c->value;
	case 1:
		return ((const int8_t *)c->data)[i];
	case 2:
		return ((const int16_t *)c->data)[i];
	case 4:
		return ((const int32_t *)c->data)[i];
	default:
		return ((const int64_t *)c->data)[i];
	}
}

/* The row as an id: -1 becomes CPF_NONE. */
static inline uint32_t cpf_col_id(const struct cpf_col *c, size_t i)
{
	return (uint32_t)cpf_col_get(c, i);
}

static inline void cpf_col_push(struct cpf_col *c, int64_t v)
{
	if (c->n < c->cap) {
		switch (c->width) {
		case 1:
			if (v == (int8_t)v) {
				((int8_t *)c->data)[c->n++] = (int8_t)v;
				return;
			}
			break;
		case 2:
			if (v == (int16_t)v) {
				((int16_t *)c->data)[c->n++] = (int16_t)v;
				return;
			}
			break;
		case 4:
			if (v == (int32_t)v) {
				((int32_t *)c->data)[c->n++] = (int32_t)v;
				return;
			}
			break;
		case 8:
			((int64_t *)c->data)[c->n++] = v;
			return;
		default:
			break;
		}
	}
	cpf_col_push_slow(c, v);
}

/* Appends an id; CPF_NONE (all bits set) becomes -1. */
static inline void cpf_col_push_id(struct cpf_col *c, uint32_t id)
{
	cpf_col_push(c, id == UINT32_MAX ? -1 : (int64_t)id);
}

#endif
