#include "core/decimal.h"

#include "base/base.h"

int64_t cpf_pow10(int n)
{
	int64_t v = 1;

	while (n-- > 0)
		v *= 10;
	return v;
}

/* Decimals of 1 / den, or -1 if den is no power of ten. */
static int power_of_ten(int64_t den)
{
	int n = 0;

	while (den > 1) {
		if (den % 10)
			return -1;
		den /= 10;
		n++;
	}
	return n;
}

static void add_fraction(struct cpf_buf *out, uint64_t part, int digits)
{
	char text[CPF_DECIMALS + 1];
	int i;

	for (i = digits - 1; i >= 0; i--) {
		text[i] = (char)('0' + part % 10);
		part /= 10;
	}
	while (digits && text[digits - 1] == '0')
		digits--;
	cpf_buf_char(out, '.');
	cpf_buf_add(out, text, (size_t)digits);
}

int cpf_buf_value(
	struct cpf_buf *out, const struct cpf_value_type *t, int64_t raw, struct cpf_err *e)
{
	uint64_t a = cpf_abs64(raw), num = (uint64_t)t->num, den = (uint64_t)t->den, whole, part;
	int digits;

	if (num == 1 && den == 1) {
		cpf_buf_i64(out, raw);
		return 0;
	}
	/* a = q * den + r: only q * num and r * num have to fit. */
	if (__builtin_mul_overflow(a / den, num, &whole) ||
		__builtin_mul_overflow(a % den, num, &part) ||
		__builtin_add_overflow(whole, part / den, &whole))
		goto range;
	part %= den;
	digits = power_of_ten(t->den);
	if (digits < 0) {
		whole += part >= den - part;
		part = 0;
	}
	if (whole > INT64_MAX)
		goto range;
	if (raw < 0 && (whole || part))
		cpf_buf_char(out, '-');
	cpf_buf_i64(out, (int64_t)whole);
	if (part)
		add_fraction(out, part, digits);
	return 0;
range:
	return cpf_fail(e, CPF_E_RANGE,
		"value %" PRId64 " times %" PRId64 "/%" PRId64 " does not fit 64 bits", raw, t->num,
		t->den);
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int cpf_decimal_parse(const char *s, size_t n, int64_t *mantissa, int *decimals)
{
	size_t i = 0, end = n, point;
	int64_t v = 0;
	int neg = 0, k = 0;

	if (n && (s[0] == '-' || s[0] == '+'))
		neg = s[i++] == '-';
	if (i == n || !is_digit(s[i]))
		return 1;
	for (point = i; point < n && is_digit(s[point]); point++)
		;
	if (point < n) {
		size_t j;

		if (s[point] != '.')
			return 1;
		for (j = point + 1; j < n; j++)
			if (!is_digit(s[j]))
				return 1;
		while (end > point + 1 && s[end - 1] == '0')
			end--;
		if (end == point + 1)
			end = point;
	}
	/* Built up below zero, so that INT64_MIN fits. */
	for (; i < end; i++) {
		if (i == point)
			continue;
		if (i > point && ++k > CPF_DECIMALS)
			return -1;
		if (cpf_mul64(&v, v, 10) || cpf_add64(&v, v, -(s[i] - '0')))
			return -1;
	}
	if (!neg && v == INT64_MIN)
		return -1;
	*mantissa = neg ? v : -v;
	*decimals = k;
	return 0;
}
