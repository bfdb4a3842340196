#include "reports/report.h"

#include "base/num.h"
#include "reports/coverage.h"

#include <stdio.h>
#include <time.h>

/* So many are named in the line about the files. */
#define MAX_PRODUCERS 3

static void add_escaped(struct cpf_buf *out, const char *s)
{
	cpf_buf_terminal(out, s, strlen(s));
}

const char *cpf_report_duration(int64_t nanos, char out[40])
{
	return cpf_unit_label(nanos, "nanoseconds", "auto", out, 40);
}

const char *cpf_report_time(int64_t nanos, char out[40])
{
	time_t t = (time_t)(nanos / 1000000000 - (nanos % 1000000000 < 0));
	struct tm tm;

	if (!gmtime_r(&t, &tm))
		snprintf(out, 40, "%" PRId64 " s after 1970", (int64_t)t);
	else
		snprintf(out, 40, "%04d-%02d-%02d %02d:%02d:%02d UTC", tm.tm_year + 1900, tm.tm_mon + 1,
			tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	return out;
}

static const char *source_name(const struct cpf_source *s)
{
	return s->producer[0] ? s->producer : s->format;
}

int64_t cpf_report_interval(const struct cpf_profile *p)
{
	return p->head.mixed_intervals ? 0 : cpf_interval(p);
}

/* Who recorded it, or what it is. Several files: each of them once. */
static void producers(struct cpf_buf *out, const struct cpf_profile *p)
{
	uint32_t i, k, n = 0;

	for (i = 0; i < p->nsources; i++) {
		for (k = 0; k < i; k++)
			if (!strcmp(source_name(&p->sources[k]), source_name(&p->sources[i])))
				break;
		if (k < i)
			continue;
		if (n++ == MAX_PRODUCERS) {
			cpf_buf_str(out, " + ...");
			return;
		}
		if (n > 1)
			cpf_buf_str(out, " + ");
		add_escaped(out, source_name(&p->sources[i]));
	}
}

void cpf_report_headline(struct cpf_buf *out, const struct cpf_profile *p)
{
	const struct cpf_source *s = p->sources;
	char text[40];

	if (p->nsources == 1)
		add_escaped(out, s->file);
	else
		cpf_buf_fmt(out, "%" PRIu32 " files", p->nsources);
	cpf_buf_str(out, ": ");
	if (p->nsources > 1)
		producers(out, p);
	else if (p->head.producer)
		add_escaped(out, cpf_cstr(p, p->head.producer));
	else if (p->nsources)
		add_escaped(out, source_name(s));
	if (p->head.product && !p->head.mixed_products) {
		cpf_buf_str(out, ", ");
		add_escaped(out, cpf_cstr(p, p->head.product));
	}
	if (p->head.duration_nanos > 0)
		cpf_buf_fmt(out, ", %s", cpf_report_duration(p->head.duration_nanos, text));
	if (cpf_report_interval(p) > 0)
		cpf_buf_fmt(out, ", interval %s", cpf_report_duration(cpf_report_interval(p), text));
	if (p->nthreads)
		cpf_buf_fmt(out, ", %" PRIu32 " thread%s", p->nthreads, p->nthreads == 1 ? "" : "s");
	cpf_buf_char(out, '\n');
}

void cpf_report_markdown(struct cpf_buf *out, const char *text)
{
	size_t n;

	for (; *text; text += n + 1) {
		n = strcspn(text, "\n");
		cpf_buf_markdown(out, text, n);
		if (!text[n])
			break;
		cpf_buf_str(out, text[n + 1] ? "  \n" : "\n");
	}
	cpf_buf_char(out, '\n');
}

/* JSON. */

void cpf_report_json_text(struct cpf_jsonw *w, const char *key, struct cpf_text t)
{
	cpf_jsonw_key(w, key);
	if (t.len)
		cpf_jsonw_str_n(w, t.s, t.len);
	else
		cpf_jsonw_null(w);
}

void cpf_report_json_str(
	struct cpf_jsonw *w, const char *key, const struct cpf_profile *p, cpf_str s)
{
	cpf_report_json_text(w, key, cpf_text(p, s));
}

static void json_z(struct cpf_jsonw *w, const char *key, const char *s)
{
	cpf_jsonw_key(w, key);
	if (s[0])
		cpf_jsonw_str(w, s);
	else
		cpf_jsonw_null(w);
}

void cpf_report_json_type(
	struct cpf_jsonw *w, const struct cpf_profile *p, cpf_str type, cpf_str unit)
{
	cpf_jsonw_object_flat(w);
	cpf_report_json_str(w, "type", p, type);
	cpf_report_json_str(w, "unit", p, unit);
}

void cpf_report_json_pct(struct cpf_jsonw *w, const char *key, double part, double total)
{
	cpf_jsonw_key(w, key);
	if (total == 0)
		cpf_jsonw_null(w);
	else
		cpf_jsonw_decimals(w, part / total * 100, 2);
}

static double named(double part, double total, int decimals)
{
	double step = decimals == 1 ? 1000 : 10000;

	return (double)(int64_t)(part / total * step) * 100 / step;
}

void cpf_report_json_reason(struct cpf_jsonw *w, const struct cpf_lib_reason *why)
{
	static const struct cpf_lib_reason unknown = {NULL, NULL, NULL};

	if (!why)
		why = &unknown;
	cpf_jsonw_key(w, "reason");
	if (why->word)
		cpf_jsonw_str(w, why->word);
	else
		cpf_jsonw_null(w);
	cpf_jsonw_key(w, "text");
	if (why->text)
		cpf_jsonw_str(w, why->text);
	else
		cpf_jsonw_null(w);
}

void cpf_report_named(struct cpf_buf *out, double part, double total, int decimals)
{
	cpf_buf_fixed(out, named(part, total, decimals), decimals);
}

void cpf_report_json_named(struct cpf_jsonw *w, const char *key, double part, double total)
{
	cpf_jsonw_key(w, key);
	if (total > 0)
		cpf_jsonw_decimals(w, named(part, total, 2), 2);
	else
		cpf_jsonw_null(w);
}

void cpf_report_json_open(struct cpf_jsonw *w, struct cpf_buf *out, const struct cpf_profile *p,
	const char *schema)
{
	uint32_t i;

	cpf_jsonw_init(w, out, 2);
	cpf_jsonw_object(w);
	cpf_jsonw_key_str(w, "schema", schema);
	cpf_jsonw_key(w, "inputs");
	cpf_jsonw_array(w);
	for (i = 0; i < p->nsources; i++) {
		const struct cpf_source *s = &p->sources[i];

		cpf_jsonw_object_flat(w);
		cpf_jsonw_key_str(w, "file", s->file);
		cpf_jsonw_key_str(w, "format", s->format);
		json_z(w, "version", s->version);
		json_z(w, "producer", s->producer);
		cpf_jsonw_end(w);
	}
	cpf_jsonw_end(w);
}

void cpf_report_json_close(struct cpf_jsonw *w, const struct cpf_diag *d)
{
	static const char *const level[] = {"info", "warning", "loss"};
	size_t i;

	cpf_jsonw_key(w, "notes");
	cpf_jsonw_array(w);
	for (i = 0; d && i < d->n; i++) {
		const struct cpf_note *n = &d->notes[i];

		cpf_jsonw_object_flat(w);
		cpf_jsonw_key_str(w, "kind", n->kind);
		cpf_jsonw_key_str(w, "level", level[n->level]);
		cpf_jsonw_key_int(w, "count", n->count);
		cpf_jsonw_key_str(w, "text", n->text);
		cpf_jsonw_end(w);
	}
	cpf_jsonw_end(w);
	cpf_jsonw_end(w);
	cpf_buf_char(w->out, '\n');
}

/* Values. */

int cpf_report_raw_sum(int64_t *out, const struct cpf_profile *p, uint32_t type, struct cpf_err *e)
{
	const struct cpf_value_type *t = &p->types[type];
	int overflow;

	*out = cpf_col_sum(&p->samples.raw[t->raw], &overflow);
	if (overflow)
		return cpf_fail(e, CPF_E_RANGE, "the sum of '%s' does not fit 64 bits",
			cpf_cstr(p, t->type));
	return 0;
}

int cpf_report_sum(int64_t *out, const struct cpf_profile *p, uint32_t type, struct cpf_err *e)
{
	int64_t raw;

	if (cpf_report_raw_sum(&raw, p, type, e))
		return -1;
	return cpf_scale(out, &p->types[type], raw, e);
}

const char *cpf_report_label(const struct cpf_profile *p, const struct cpf_value_type *t, int64_t raw,
	const char *unit, char *out, size_t cap)
{
	return cpf_unit_label_double(
		cpf_scale_double(t, raw), cpf_cstr(p, t->unit), unit, out, cap);
}
