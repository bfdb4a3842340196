/*
 * decimal.h - values as decimal text, both ways, without floating point.
 *
 * A value type says value = raw * num / den. Where den is a power of ten the value has finitely many
 * decimals and its text is exact, so text that is written and read again gives the same sums.
 */
#ifndef CPF_DECIMAL_H
#define CPF_DECIMAL_H

#include <cpuprof/profile.h>

#include "base/buf.h"

/* The most decimals that still leave a digit before the point in 64 bits. */
#define CPF_DECIMALS 18

/*
 * Appends the value of raw: an integer, or a decimal number without trailing zeros. If den is no
 * power of ten, rounded to an integer, half away from zero. CPF_E_RANGE if it does not fit 64 bits.
 */
int cpf_buf_value(struct cpf_buf *out, const struct cpf_value_type *t, int64_t raw,
	struct cpf_err *e) CPF_MUST_CHECK;

/*
 * Reads all of s as "[+-]digits[.digits]" ("5.", not ".5"): value = *mantissa / 10^*decimals with
 * the fewest decimals. Returns 0, or 1 if s is no such number, or -1 if it does not fit.
 */
int cpf_decimal_parse(const char *s, size_t n, int64_t *mantissa, int *decimals) CPF_MUST_CHECK;

/* 10^n for 0 <= n <= CPF_DECIMALS. */
int64_t cpf_pow10(int n);

#endif
