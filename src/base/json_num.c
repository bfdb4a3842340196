/*
 * json_num.c - numbers of the JSON reader, one by one and in bulk.
 *
 * What is common goes fast: digits eight at a time, and exact arithmetic on 64-bit mantissas. The
 * rest takes the general road through json_number, which knows the whole grammar; the fast paths
 * give up on anything they do not know, without having moved.
 */
#include "base/json_impl.h"

#include "base/mem.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>

/* Powers of ten that fit. */
static const uint64_t ten[20] = { 1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u,
	100000000u, 1000000000u, 10000000000u, 100000000000u, 1000000000000u, 10000000000000u,
	100000000000000u, 1000000000000000u, 10000000000000000u, 100000000000000000u,
	1000000000000000000u, 10000000000000000000u };

/* Those that are exact as doubles. */
static const double exact_ten[23] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

static int is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* Digits of the mantissa from p on; each behind the point lowers the exponent. */
static const uint8_t *scan_digits(const uint8_t *p, struct dec *d, int behind)
{
	uint64_t m;

	for (; is_digit(*p); p++) {
		uint8_t c = (uint8_t)(*p - '0');

		if (d->next == UINT8_MAX && !__builtin_mul_overflow(d->mant, 10, &m) &&
			!__builtin_add_overflow(m, c, &m)) {
			d->mant = m;
			d->exp -= behind;
			continue;
		}
		if (d->next == UINT8_MAX)
			d->next = c;
		d->lost |= c != 0;
		d->exp += !behind;
	}
	return p;
}

static const uint8_t *scan_exponent(const uint8_t *p, struct dec *d)
{
	int neg = *p == '-';
	int64_t e = 0;

	if (*p == '-' || *p == '+')
		p++;
	for (; is_digit(*p); p++)
		if (e < INT32_MAX)
			e = e * 10 + (*p - '0');
	d->exp += neg ? -e : e;
	return p;
}

/* Returns where the number ends, or where it goes wrong and *want says what belongs there. */
static const uint8_t *scan(const uint8_t *p, struct dec *d, const char **want)
{
	const uint8_t *from;

	*want = NULL;
	memset(d, 0, sizeof(*d));
	d->next = UINT8_MAX;
	d->plain = 1;
	if (*p == '-') {
		d->neg = 1;
		d->plain = 0;
		p++;
	}
	from = p;
	p = scan_digits(p, d, 0);
	if (p == from) {
		*want = d->neg ? "a digit after '-'" : "a number";
		return p;
	}
	if (*from == '0' && p - from > 1) {
		*want = "no digit after a leading zero";
		return from + 1;
	}
	if (*p == '.') {
		d->plain = 0;
		from = ++p;
		p = scan_digits(p, d, 1);
		if (p == from) {
			*want = "a digit after the decimal point";
			return p;
		}
	}
	if (*p == 'e' || *p == 'E') {
		d->plain = 0;
		from = scan_exponent(p + 1, d);
		if (!is_digit(from[-1])) {
			*want = "a digit in the exponent";
			return from;
		}
		p = from;
	}
	return p;
}

int json_number(struct cpf_json *j, struct dec *d)
{
	const uint8_t *p;
	const char *want;
	size_t n;
	int more;

	/* The window may move even if nothing is added to it. */
	do {
		p = scan(j->p, d, &want);
		n = (size_t)(p - j->p);
		more = CPF_UNLIKELY(p == j->end) && json_refill(j, j->p);
	} while (more);
	if (j->failed)
		return 0;
	p = j->p + n;
	if (want)
		return json_expected(j, p, want);
	d->token = j->p;
	d->n = n;
	j->p = p;
	return 1;
}

/*
 * As an integer scaled by 10^digits. 0 done; 1 done, rounded half away from zero; -1 does not fit.
 * exact: leave it and return 1 instead of rounding.
 */
static int dec_scale(const struct dec *d, int digits, int exact, int64_t *out)
{
	int64_t e = d->exp + digits;
	uint64_t m = d->mant, rest = 0, half;
	int rounded = d->lost;

	if (e > 0 && m) {
		/* Lost digits mean a mantissa near 2^64, so what does not overflow has none. */
		if (e > 19 || __builtin_mul_overflow(m, ten[e], &m))
			return -1;
	} else if (e < 0) {
		if (e <= -20) {
			/* Half of 10^20 is past 2^64. */
			rounded |= m != 0;
			m = 0;
		} else {
			half = ten[-e] / 2;
			rest = m % ten[-e];
			m /= ten[-e];
			rounded |= rest != 0;
			m += rest >= half;
		}
	} else if (d->lost) {
		m += d->next >= 5;
		if (!m)
			return -1;
	}
	if (rounded && exact)
		return 1;
	if (m > (uint64_t)INT64_MAX + d->neg)
		return -1;
	*out = d->neg ? (int64_t)(0 - m) : (int64_t)m;
	return rounded;
}

#if defined(__SIZEOF_INT128__)
#define HAVE_DIVIDE 1
#else
#define HAVE_DIVIDE 0
#define divide(m, k) ((double)(m))
#endif

#if HAVE_DIVIDE
/*
 * m / 10^k, correctly rounded: a quotient of 55 bits or more, of which the last is set if anything
 * is left over, rounds as the true one would.
 */
static CPF_NOINLINE double divide(uint64_t m, int k)
{
	int s = 55 + __builtin_clzll(m) - __builtin_clzll(ten[k]);
	unsigned __int128 n = m;
	uint64_t q;

	if (s < 0)
		s = 0;
	n <<= s;
	q = (uint64_t)(n / ten[k]);
	if (n % ten[k])
		q |= 1;
	return ldexp((double)q, -s);
}
#endif

/*
 * strtod rounds correctly where we know it. It goes by the locale's decimal point; the program never
 * sets a locale, but a program that uses the library may.
 */
static double dec_strtod(const struct dec *d)
{
	const char *point = localeconv()->decimal_point;
	struct cpf_buf b = { 0 };
	const uint8_t *dot = memchr(d->token, '.', d->n);
	double v;

	if (dot) {
		cpf_buf_add(&b, d->token, (size_t)(dot - d->token));
		cpf_buf_str(&b, *point ? point : ".");
		cpf_buf_add(&b, dot + 1, d->n - (size_t)(dot + 1 - d->token));
	} else {
		cpf_buf_add(&b, d->token, d->n);
	}
	v = strtod(b.s, NULL);
	cpf_buf_release(&b);
	return v;
}

/* Wider registers round twice; strtod is right everywhere. */
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
#define EXACT_DOUBLE 1
#else
#define EXACT_DOUBLE 0
#endif

static double dec_double(const struct dec *d)
{
	double v;

	if (!d->mant)
		v = 0;
	else if (EXACT_DOUBLE && !d->lost && d->mant <= (uint64_t)1 << 53 && d->exp >= 0 &&
		 d->exp <= 22)
		v = (double)d->mant * exact_ten[d->exp];
	else if (EXACT_DOUBLE && !d->lost && d->mant <= (uint64_t)1 << 53 && d->exp < 0 &&
		 d->exp >= -22)
		v = (double)d->mant / exact_ten[-d->exp];
#if HAVE_DIVIDE
	else if (!d->lost && d->exp < 0 && d->exp >= -19)
		v = divide(d->mant, (int)-d->exp);
#endif
	else
		return dec_strtod(d);
	return d->neg ? -v : v;
}

static int shown(const struct dec *d)
{
	return d->n < 40 ? (int)d->n : 40;
}

static int no_double(struct cpf_json *j, const struct dec *d)
{
	return json_fail(j, CPF_E_RANGE, d->token, "number %.*s is out of range", shown(d),
		(const char *)d->token);
}

struct cpf_num cpf_json_num(struct cpf_json *j)
{
	struct cpf_num v = { 0 };
	const uint8_t *p = json_peek(j);
	struct dec d;

	j->at = json_offset(j, p);
	j->begun = 1;
	if (*p != '-' && !is_digit(*p)) {
		json_expected(j, p, "a number");
		return v;
	}
	if (!json_number(j, &d))
		return v;
	v.d = dec_double(&d);
	if (!isfinite(v.d)) {
		v.d = 0;
		no_double(j, &d);
		return v;
	}
	if (!dec_scale(&d, 0, 1, &v.i)) {
		v.is_int = 1;
		v.u = (uint64_t)v.i;
	} else {
		v.i = 0;
	}
	if (d.plain && !d.lost && d.exp == 0 && d.next == UINT8_MAX) {
		v.is_uint = 1;
		v.u = d.mant;
	}
	return v;
}

enum kind {
	INTS,
	MIXED,
	WHOLE, /* as INTS; the first number that is none comes scaled and ends the batch */
	FIXED,
	DOUBLES,
	NOTHING /* only pass */
};

/* What a bulk call wants. */
struct bulk {
	enum kind kind;
	int digits;          /* FIXED, WHOLE */
	int ended;           /* WHOLE: the last number is scaled */
	uint64_t scale;      /* FIXED: 10^digits */
	uint64_t whole_max;  /* FIXED: largest whole part the fast path takes */
	int64_t null_int;
	double null_double;
	int64_t *ints;
	double *doubles;
	uint64_t fractions;
};

/* The element at p, whatever it is, into out[i]. 0 on error. */
static CPF_NOINLINE int slow_element(struct cpf_json *j, struct bulk *b, size_t i)
{
	static const char *const want[] = { "an integer", "a number", "a number", "a number",
		"a number" };
	const uint8_t *p = json_peek(j);
	struct dec d;
	int ret;

	j->at = json_offset(j, p);
	if (*p == 'n') {
		if (!json_literal(j, "null"))
			return 0;
		if (b->kind == DOUBLES)
			b->doubles[i] = b->null_double;
		else
			b->ints[i] = b->null_int;
		return 1;
	}
	if (*p != '-' && !is_digit(*p))
		return json_expected(j, p, want[b->kind]);
	if (!json_number(j, &d))
		return 0;
	if (b->kind == DOUBLES) {
		b->doubles[i] = dec_double(&d);
		return isfinite(b->doubles[i]) ? 1 : no_double(j, &d);
	}
	ret = dec_scale(&d, b->kind == FIXED ? b->digits : 0, b->kind == INTS || b->kind == WHOLE,
		&b->ints[i]);
	if (ret > 0 && b->kind == WHOLE) {
		ret = dec_scale(&d, b->digits, 0, &b->ints[i]);
		b->ended = 1;
	}
	if (ret < 0)
		return no_double(j, &d);
	if (ret && b->kind == INTS)
		return json_expected(j, d.token, want[b->kind]);
	/* The smallest integer may stand for null; then it is no number that fits. */
	if (b->ints[i] == INT64_MIN && b->null_int == INT64_MIN)
		return no_double(j, &d);
	if (ret)
		b->fractions++;
	return 1;
}

#ifdef CPF_SWAR
/* How many of the eight bytes are digits, before the first that is none. w: bytes xor '0'. */
static inline int digit_count(uint64_t w)
{
	/* 0x76 lifts 10 and more past 0x7f; a carry out of a byte only spoils later ones. */
	uint64_t m = ((w + EACH(0x76)) | w) & EACH(0x80);

	return m ? __builtin_ctzll(m) >> 3 : 8;
}

/* Value of the first n (1 to 8) digits of w: pairs, then fours, then all. */
static inline uint64_t digits_value(uint64_t w, int n)
{
	w <<= 64 - 8 * n;
	w = w * 10 + (w >> 8);
	return (((w & 0x000000ff000000ffu) * 0x000f424000000064u) +
		       ((w >> 16 & 0x000000ff000000ffu) * 0x0000271000000001u)) >> 32;
}

/* 1 to 15 digits; returns how many, or 0 for anything else. */
static inline int fast_digits(const uint8_t *p, uint64_t *v)
{
	uint64_t w = json_load(p) ^ EACH('0');
	int n = digit_count(w), k;

	if (CPF_UNLIKELY(n == 0))
		return 0;
	*v = digits_value(w, n);
	if (CPF_LIKELY(n < 8))
		return n;
	w = json_load(p + 8) ^ EACH('0');
	k = digit_count(w);
	if (k == 8)
		return 0;
	if (k)
		*v = *v * ten[k] + digits_value(w, k);
	return 8 + k;
}
#else
static inline int fast_digits(const uint8_t *p, uint64_t *v)
{
	int n = 0;

	for (*v = 0; n < 16 && is_digit(p[n]); n++)
		*v = *v * 10 + (uint64_t)(p[n] - '0');
	return n < 16 ? n : 0;
}
#endif

static inline int ends_element(uint8_t c)
{
	return c == ',' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/*
 * A common element at p into slot i; returns its end, or NULL if it takes the slow road: anything
 * odd, and anything that reaches the end of the bytes at hand. kind is a constant in each use.
 */
static CPF_INLINE const uint8_t *fast_element(
	const uint8_t *p, const struct bulk *b, enum kind kind, size_t i)
{
	uint64_t v, f = 0;
	int neg, n, k = 0;

	if (CPF_UNLIKELY(*p == 'n')) {
		if (memcmp(p, "null", 4) || !ends_element(p[4]))
			return NULL;
		if (kind == DOUBLES)
			b->doubles[i] = b->null_double;
		else if (kind != NOTHING)
			b->ints[i] = b->null_int;
		return p + 4;
	}
	neg = *p == '-';
	p += neg;
	n = fast_digits(p, &v);
	if (CPF_UNLIKELY(!n || (*p == '0' && n > 1)))
		return NULL;
	p += n;
	if (kind != INTS && kind != MIXED && kind != WHOLE && *p == '.') {
		k = fast_digits(++p, &f);
		if (CPF_UNLIKELY(!k))
			return NULL;
		p += k;
	}
	if (CPF_UNLIKELY(!ends_element(*p)))
		return NULL;
	if (kind == NOTHING)
		return p;
	if (kind == DOUBLES) {
		uint64_t m = v;
		double r;

		if (!EXACT_DOUBLE || n + k > 19)
			return NULL;
		if (k)
			m = v * ten[k] + f;
		if (CPF_LIKELY(m <= (uint64_t)1 << 53))
			r = k ? (double)m / exact_ten[k] : (double)m;
		else if (HAVE_DIVIDE && k)
			r = divide(m, k);
		else
			return NULL;
		b->doubles[i] = neg ? -r : r;
		return p;
	}
	if (kind == FIXED) {
		if (CPF_UNLIKELY(k > b->digits || v > b->whole_max))
			return NULL;
		v = v * b->scale + f * ten[b->digits - k];
	}
	b->ints[i] = neg ? -(int64_t)v : (int64_t)v;
	return p;
}

#ifdef CPF_SWAR
/*
 * Four elements of one digit and their commas: weights, categories, flags. Digits and commas are
 * told by one comparison: what is left of them after the exclusive or is 0 to 9 and 0.
 */
static CPF_INLINE int four_digits(const uint8_t *p, int64_t *out)
{
	uint64_t t = json_load(p) ^ 0x2c302c302c302c30u;

	if (CPF_LIKELY(((t | (t + 0x0006000600060006u)) & 0xfff0fff0fff0fff0u) != 0))
		return 0;
	if (out) {
		out[0] = (int64_t)(t & 0xff);
		out[1] = (int64_t)(t >> 16 & 0xff);
		out[2] = (int64_t)(t >> 32 & 0xff);
		out[3] = (int64_t)(t >> 48);
	}
	return 1;
}
#else
static CPF_INLINE int four_digits(const uint8_t *p, int64_t *out)
{
	(void)p;
	(void)out;
	return 0;
}
#endif

#ifdef CPF_SWAR
/*
 * The most common elements, as many as there are in a row: up to seven digits and a comma, with as
 * many behind a point where kind is FIXED. *i counts them, up to cap. Returns where the next one is.
 */
static CPF_INLINE const uint8_t *common_run(
	const uint8_t *p, const struct bulk *b, enum kind kind, size_t *i, size_t cap)
{
	size_t n = *i;

	while (n < cap) {
		uint64_t w = json_load(p) ^ EACH('0'), v;
		int len = digit_count(w), more;

		/* One to seven of them, and no zero before another. */
		if (CPF_UNLIKELY(!(len & 7) || ((w & 0xff) == 0 && len > 1)))
			break;
		v = kind == NOTHING ? 0 : digits_value(w, len);
		if (kind == FIXED) {
			if (CPF_UNLIKELY(v > b->whole_max))
				break;
			v *= b->scale;
		}
		if (CPF_LIKELY(p[len] == ',')) {
			p += len + 1;
		} else if ((kind == FIXED || kind == NOTHING) && p[len] == '.') {
			w = json_load(p + len + 1) ^ EACH('0');
			more = digit_count(w);
			if (!(more & 7) || p[len + 1 + more] != ',')
				break;
			if (kind == FIXED) {
				if (more > b->digits)
					break;
				v += digits_value(w, more) * ten[b->digits - more];
			}
			p += len + more + 2;
		} else {
			break;
		}
		if (kind != NOTHING)
			b->ints[n] = (int64_t)v;
		n++;
		while (len == 1 && kind != FIXED && cap - n > 4 &&
			four_digits(p, kind == NOTHING ? NULL : b->ints + n)) {
			p += 8;
			n += 4;
		}
	}
	*i = n;
	return p;
}
#else
static CPF_INLINE const uint8_t *common_run(
	const uint8_t *p, const struct bulk *b, enum kind kind, size_t *i, size_t cap)
{
	(void)b;
	(void)kind;
	(void)i;
	(void)cap;
	return p;
}
#endif

/*
 * From an element at j->p, which is counted, as far as the fast road goes; *i counts elements up to
 * cap. Returns 1 if j->p is at an element again, counted and not read; 0 if it is behind one.
 */
static CPF_INLINE int fast_run(
	struct cpf_json *j, const struct bulk *b, enum kind kind, size_t *i, size_t cap)
{
	const uint8_t *p = j->p, *q, *at;
	size_t from = *i, n = *i;
	int ahead = 0;

	for (;;) {
		/* The last one is left, as its comma is for the next call. */
		if (kind != DOUBLES)
			p = common_run(p, b, kind, &n, cap - 1);
		if (CPF_UNLIKELY(*p <= ' ')) {
			/* Counts first, in case that this is where the input ends. */
			json_top(j)->n += n - from;
			from = n;
			j->p = p;
			p = json_peek(j);
		}
		at = p;
		q = fast_element(p, b, kind, n);
		if (CPF_UNLIKELY(!q)) {
			ahead = 1;
			break;
		}
		p = q;
		if (++n == cap || *p != ',')
			break;
		p++;
	}
	/* The one that j->p was at had been counted. */
	json_top(j)->n += n - from - !ahead;
	j->p = p;
	j->at = json_offset(j, at);
	*i = n;
	return ahead;
}

/* Reads up to cap elements. */
static CPF_INLINE size_t bulk(struct cpf_json *j, struct bulk *b, enum kind kind, size_t cap)
{
	size_t i = 0;

	b->kind = kind;
	while (i < cap && !b->ended) {
		/* The bracket is left for the call that returns 0. */
		if ((i && *json_peek(j) == ']') || !cpf_json_elem(j))
			break;
		json_peek(j);
		if (!fast_run(j, b, kind, &i, cap))
			continue;
		if (!slow_element(j, b, i))
			return 0;
		i++;
	}
	return j->failed ? 0 : i;
}

int json_pass_numbers(struct cpf_json *j)
{
	static const struct bulk nothing = { .kind = NOTHING };
	size_t i = 0;

	return fast_run(j, &nothing, NOTHING, &i, SIZE_MAX);
}

size_t cpf_json_ints(struct cpf_json *j, int64_t *out, size_t cap, int64_t null_value)
{
	struct bulk b = { .ints = out, .null_int = null_value };

	return bulk(j, &b, INTS, cap);
}

size_t cpf_json_mixed_ints(struct cpf_json *j, int64_t *out, size_t cap, int64_t null_value,
	uint64_t *fractions)
{
	struct bulk b = { .ints = out, .null_int = null_value };
	size_t n = bulk(j, &b, MIXED, cap);

	*fractions += b.fractions;
	return n;
}

size_t cpf_json_whole(struct cpf_json *j, int64_t *out, size_t cap, int64_t null_value, int digits,
	int *scaled)
{
	struct bulk b = { .ints = out, .null_int = null_value, .digits = digits };
	size_t n = bulk(j, &b, WHOLE, cap);

	*scaled = b.ended;
	return n;
}

size_t cpf_json_doubles(struct cpf_json *j, double *out, size_t cap, double null_value)
{
	struct bulk b = { .doubles = out, .null_double = null_value };

	return bulk(j, &b, DOUBLES, cap);
}

size_t cpf_json_fixed(struct cpf_json *j, int64_t *out, size_t cap, int digits, int64_t null_value)
{
	struct bulk b = { .ints = out, .null_int = null_value, .digits = digits };

	b.scale = ten[digits];
	b.whole_max = (uint64_t)INT64_MAX / b.scale - 1;
	return bulk(j, &b, FIXED, cap);
}
