/*
 * num.h - numbers for people: units, labels and percentages exactly as go tool pprof prints them, and
 * times as users write them.
 *
 * Unit families (aliases are compared in lower case, after one trailing "s" is taken off names longer
 * than two bytes): memory B kB MB GB TB PB in powers of 1024, time ns us ms s hrs, and GCU. Names
 * outside the families (count, KiB, minutes) are kept as they are.
 *
 * Ownership: unit names that come out are static or borrowed from the argument named "to" or "unit".
 */
#ifndef CPF_NUM_H
#define CPF_NUM_H

#include "base/base.h"

/* Enough for any label but the unit name: "-9223372036854775808.00". */
#define CPF_NUM_TEXT 48

/*
 * v in unit from, expressed in unit to. "minimum" and "auto": the largest unit of the family that
 * leaves at least 1. *suffix: what to print behind the number.
 */
double cpf_unit_scale(int64_t v, const char *from, const char *to, const char **suffix);
/* The same for a number that is not whole. */
double cpf_unit_scale_double(double v, const char *from, const char *to, const char **suffix);

/* "1.50s", "0", "12requests"; cut to cap; returns out. */
const char *cpf_unit_label(int64_t v, const char *from, const char *to, char *out, size_t cap);
const char *cpf_unit_label_double(
	double v, const char *from, const char *to, char *out, size_t cap);

/* "  100%", " 5.00%", "0.099%": share of total without sign, six columns or more; returns out. */
const char *cpf_percent(int64_t v, int64_t total, char out[CPF_NUM_TEXT]);
/* Without the leading blanks. */
const char *cpf_percent_trim(int64_t v, int64_t total, char out[CPF_NUM_TEXT]);

/*
 * The one unit for a whole table: low is its smallest number that is not 0 (as magnitude; 0 = none),
 * high the total (as magnitude). callgrind: that format never moves up for a large total.
 */
const char *cpf_unit_choose(int64_t low, int64_t high, const char *unit, int callgrind);

/* 1 if numbers in unit from can be shown in unit to: same family, the same unit, "auto", "minimum". */
int cpf_unit_fits(const char *from, const char *to);
/* 1 if the unit belongs to a family. */
int cpf_unit_known(const char *unit);
int cpf_unit_is_time(const char *unit);
int cpf_unit_is_memory(const char *unit);

/* "2.5s" "300ms" "1m" "12us" "7ns" "1.5h" "-1s" as nanoseconds, exactly; 0 needs no unit. */
int cpf_parse_time(int64_t *ns, const char *text, struct cpf_err *e) CPF_MUST_CHECK;
/* "10GB" "1.5MB" "64kB" "512": bytes, in powers of 1024 as everywhere here; fractions are cut off. */
int cpf_parse_size(int64_t *bytes, const char *text, struct cpf_err *e) CPF_MUST_CHECK;
/* A whole decimal number and nothing else. */
int cpf_parse_int(int64_t *v, const char *text, struct cpf_err *e) CPF_MUST_CHECK;
/* A decimal number, a "%" behind it allowed. */
int cpf_parse_percent(double *v, const char *text, struct cpf_err *e) CPF_MUST_CHECK;

#endif
