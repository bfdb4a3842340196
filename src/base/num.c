#include "base/num.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct unit {
	const char *name;
	double factor;
	const char *aliases; /* blanks between and around */
};

struct family {
	const struct unit *units;
	size_t n;
	size_t standard; /* for "0" and for requests outside the family */
};

static const struct unit memory[] = {
	{"B", 1, " b byte "},
	{"kB", 1024.0, " kb kbyte kilobyte "},
	{"MB", 1048576.0, " mb mbyte megabyte "},
	{"GB", 1073741824.0, " gb gbyte gigabyte "},
	{"TB", 1099511627776.0, " tb tbyte terabyte "},
	{"PB", 1125899906842624.0, " pb pbyte petabyte "},
};

static const struct unit times[] = {
	{"ns", 1, " ns nanosecond "},
	{"us", 1e3, " us microsecond "},
	{"ms", 1e6, " ms millisecond "},
	{"s", 1e9, " s sec second "},
	{"hrs", 3600e9, " hour hr "},
};

static const struct unit gcu[] = {
	{"n*GCU", 1e-9, " nanogcu "},
	{"u*GCU", 1e-6, " microgcu "},
	{"m*GCU", 1e-3, " milligcu "},
	{"GCU", 1, " gcu "},
	{"k*GCU", 1e3, " kilogcu "},
	{"M*GCU", 1e6, " megagcu "},
	{"G*GCU", 1e9, " gigagcu "},
	{"T*GCU", 1e12, " teragcu "},
	{"P*GCU", 1e15, " petagcu "},
};

static const struct family families[] = {
	{memory, CPF_LEN(memory), 0},
	{times, CPF_LEN(times), 3},
	{gcu, CPF_LEN(gcu), 3},
};

/* The unit that name stands for, or NULL. */
static const struct unit *find_unit(const struct family *f, const char *name)
{
	char key[24];
	size_t n = strlen(name), i;

	if (!n || n + 3 > sizeof(key))
		return NULL;
	key[0] = ' ';
	for (i = 0; i < n; i++) {
		if (name[i] == ' ')
			return NULL;
		key[i + 1] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
	}
	if (n > 2 && key[n] == 's')
		n--;
	key[n + 1] = ' ';
	key[n + 2] = '\0';
	for (i = 0; i < f->n; i++)
		if (strstr(f->units[i].aliases, key))
			return &f->units[i];
	return NULL;
}

static const struct family *find_family(const char *unit, const struct unit **u)
{
	size_t i;

	for (i = 0; i < CPF_LEN(families); i++) {
		*u = find_unit(&families[i], unit);
		if (*u)
			return &families[i];
	}
	return NULL;
}

static int is_auto(const char *to)
{
	return !strcmp(to, "minimum") || !strcmp(to, "auto");
}

double cpf_unit_scale_double(double v, const char *from, const char *to, const char **suffix)
{
	const struct family *f;
	const struct unit *u, *t = NULL;
	size_t i;

	/* The smallest 64-bit number has no positive twin in pprof and so never finds a unit. */
	if (v < 0 && v > -0x1p63)
		return -cpf_unit_scale_double(-v, from, to, suffix);
	f = find_family(from, &u);
	if (!f) {
		*suffix = is_auto(to) || !strcmp(to, "count") || !strcmp(to, "sample") ||
					  !strcmp(to, "unit")
				  ? ""
				  : to;
		return v;
	}
	v *= u->factor;
	if (is_auto(to)) {
		for (i = 0; i < f->n; i++)
			if (v / f->units[i].factor >= 1.0)
				t = &f->units[i];
	} else {
		t = find_unit(f, to);
	}
	if (!t)
		t = &f->units[f->standard];
	*suffix = t->name;
	return v / t->factor;
}

double cpf_unit_scale(int64_t v, const char *from, const char *to, const char **suffix)
{
	return cpf_unit_scale_double((double)v, from, to, suffix);
}

const char *cpf_unit_label_double(double v, const char *from, const char *to, char *out, size_t cap)
{
	const char *suffix;
	char text[400];
	size_t n;

	snprintf(text, sizeof(text), "%.2f", cpf_unit_scale_double(v, from, to, &suffix));
	n = strlen(text);
	if (n > 3 && !strcmp(text + n - 3, ".00"))
		text[n - 3] = '\0';
	if (!strcmp(text, "0") || !strcmp(text, "-0"))
		snprintf(out, cap, "0");
	else
		snprintf(out, cap, "%s%s", text, suffix);
	return out;
}

const char *cpf_unit_label(int64_t v, const char *from, const char *to, char *out, size_t cap)
{
	return cpf_unit_label_double((double)v, from, to, out, cap);
}

const char *cpf_percent(int64_t v, int64_t total, char out[CPF_NUM_TEXT])
{
	double r = total ? fabs((double)v / (double)total) * 100 : 0;

	if (r >= 99.95 && r <= 100.05)
		snprintf(out, CPF_NUM_TEXT, "  100%%");
	else if (r >= 1.0)
		snprintf(out, CPF_NUM_TEXT, "%5.2f%%", r);
	else
		snprintf(out, CPF_NUM_TEXT, "%5.2g%%", r);
	return out;
}

const char *cpf_percent_trim(int64_t v, int64_t total, char out[CPF_NUM_TEXT])
{
	size_t blanks;

	cpf_percent(v, total, out);
	blanks = strspn(out, " ");
	memmove(out, out + blanks, strlen(out + blanks) + 1);
	return out;
}

const char *cpf_unit_choose(int64_t low, int64_t high, const char *unit, int callgrind)
{
	const char *u1, *u2;
	int64_t hundred;

	if (!low)
		low = high;
	hundred = (int64_t)((uint64_t)low * 100);
	cpf_unit_scale(low, unit, "minimum", &u1);
	cpf_unit_scale(high, unit, "minimum", &u2);
	if (strcmp(u1, u2) != 0 && hundred < high && !callgrind)
		cpf_unit_scale(hundred, unit, "minimum", &u1);
	return *u1 ? u1 : unit;
}

int cpf_unit_fits(const char *from, const char *to)
{
	const struct unit *u;
	const struct family *f = find_family(from, &u);

	return is_auto(to) || !strcmp(from, to) || (f && find_unit(f, to));
}

int cpf_unit_known(const char *unit)
{
	const struct unit *u;

	return find_family(unit, &u) != NULL;
}

int cpf_unit_is_time(const char *unit)
{
	const struct unit *u;
	const struct family *f = find_family(unit, &u);

	return f && f->units == times;
}

int cpf_unit_is_memory(const char *unit)
{
	const struct unit *u;
	const struct family *f = find_family(unit, &u);

	return f && f->units == memory;
}

/* Parsing. */

static const struct {
	const char *name;
	int64_t ns;
} time_units[] = {
	{"ns", 1},
	{"us", 1000},
	{"\xc2\xb5s", 1000}, /* U+00B5 micro sign */
	{"\xce\xbcs", 1000}, /* U+03BC Greek mu */
	{"ms", 1000000},
	{"s", 1000000000},
	{"m", 60000000000},
	{"min", 60000000000},
	{"h", 3600000000000},
};

/* digits[.digits] * scale; -1 if it does not fit. Digits beyond a nanosecond are cut off. */
static int fixed(int64_t *out, const char *s, size_t n, int64_t scale)
{
	int64_t v = 0, part = scale, d;
	size_t i;
	int fraction = 0;

	for (i = 0; i < n; i++) {
		if (s[i] == '.') {
			fraction = 1;
			continue;
		}
		d = s[i] - '0';
		if (!fraction) {
			if (cpf_mul64(&v, v, 10) || cpf_add64(&v, v, d))
				return -1;
			continue;
		}
		break;
	}
	if (cpf_mul64(&v, v, scale))
		return -1;
	for (; i < n; i++) {
		part /= 10;
		if (cpf_add64(&v, v, part * (s[i] - '0')))
			return -1;
	}
	*out = v;
	return 0;
}

/* The same for a scale that is a power of two; digits far behind the point are left out. */
static int binary(int64_t *out, const char *s, size_t n, int64_t scale)
{
	size_t whole = strspn(s, "0123456789"), i;
	int64_t v = 0, top = 0, bottom = 1;

	if (fixed(&v, s, whole, scale))
		return -1;
	for (i = whole + 1; i < n && bottom < 1000; i++) {
		top = top * 10 + (s[i] - '0');
		bottom *= 10;
	}
	/* No overflow: the scale is at most 2^50. */
	return cpf_add64(out, v, scale * top / bottom);
}

int cpf_parse_time(int64_t *ns, const char *text, struct cpf_err *e)
{
	const char *s = text + (*text == '-'), *unit;
	size_t n = strspn(s, "0123456789"), frac = 0, i;
	int64_t v;

	if (s[n] == '.')
		frac = 1 + strspn(s + n + 1, "0123456789");
	unit = s + n + frac;
	if (n + frac < 1 || (frac == 1 && !n))
		return cpf_fail(e, CPF_E_USAGE, "'%s' is not a time such as 2.5s or 300ms", text);
	if (!*unit && strspn(s, "0.") == n + frac) {
		*ns = 0;
		return 0;
	}
	for (i = 0; i < CPF_LEN(time_units); i++)
		if (!strcmp(unit, time_units[i].name))
			break;
	if (i == CPF_LEN(time_units))
		return cpf_fail(e, CPF_E_USAGE,
			*unit ? "'%s' is not a time: units are ns, us, ms, s, m and h"
			      : "'%s' is not a time: it needs a unit (ns, us, ms, s, m or h)",
			text);
	if (fixed(&v, s, n + frac, time_units[i].ns))
		return cpf_fail(e, CPF_E_USAGE, "time '%s' is too large", text);
	*ns = s != text ? -v : v;
	return 0;
}

int cpf_parse_size(int64_t *bytes, const char *text, struct cpf_err *e)
{
	/* "K", "KB", "KiB" and so on, in any case. */
	static const char prefixes[] = "kmgtp";
	size_t n = strspn(text, "0123456789"), frac = 0, len;
	const char *unit, *at = NULL;
	int64_t scale = 1;

	if (text[n] == '.')
		frac = 1 + strspn(text + n + 1, "0123456789");
	unit = text + n + frac;
	len = strlen(unit);
	if (*unit)
		at = strchr(prefixes, *unit | 0x20);
	if (at) {
		scale = INT64_C(1) << (10 * (at - prefixes + 1));
		unit++;
		if (len == 3 && (*unit | 0x20) == 'i')
			unit++;
	}
	if (n + frac < 1 || (frac == 1 && !n) || (*unit && ((*unit | 0x20) != 'b' || unit[1])))
		return cpf_fail(e, CPF_E_USAGE, "'%s' is not a size such as 500MB or 10GB", text);
	if (binary(bytes, text, n + frac, scale))
		return cpf_fail(e, CPF_E_USAGE, "size '%s' is too large", text);
	return 0;
}

int cpf_parse_int(int64_t *v, const char *text, struct cpf_err *e)
{
	const char *s = text + (*text == '-');
	char *end;
	long long x;

	if (!*s || strspn(s, "0123456789") != strlen(s))
		return cpf_fail(e, CPF_E_USAGE, "'%s' is not a whole number", text);
	errno = 0;
	x = strtoll(text, &end, 10);
	if (errno)
		return cpf_fail(e, CPF_E_USAGE, "number '%s' is too large", text);
	*v = x;
	return 0;
}

int cpf_parse_percent(double *v, const char *text, struct cpf_err *e)
{
	size_t n = strspn(text, "0123456789"), all = n;

	if (text[all] == '.')
		all += 1 + strspn(text + all + 1, "0123456789");
	if (!all || (all == 1 && !n) || (text[all] && strcmp(text + all, "%") != 0))
		return cpf_fail(e, CPF_E_USAGE, "'%s' is not a percentage such as 95 or 2.5%%", text);
	*v = strtod(text, NULL);
	return 0;
}
