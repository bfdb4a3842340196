/*
 * report.h - what reports have in common: the headline, the frame of the JSON, sums of values.
 *
 * A JSON report is one object: "schema", "inputs", then the report's own fields, then "notes". Fields
 * are only ever added within a schema number.
 */
#ifndef CPF_REPORT_H
#define CPF_REPORT_H

#include "base/base.h"
#include "base/buf.h"
#include "base/jsonw.h"

#include <cpuprof/profile.h>

/* "profile.json.gz: samply 0.13.1, moon_rs, 41.2s, interval 1ms, 25 threads", escaped for people. */
void cpf_report_headline(struct cpf_buf *out, const struct cpf_profile *p);

/* Lines of text as lines of a Markdown paragraph, and an empty line. */
void cpf_report_markdown(struct cpf_buf *out, const char *text);

/* Starts the report: schema and inputs. */
void cpf_report_json_open(struct cpf_jsonw *w, struct cpf_buf *out, const struct cpf_profile *p,
	const char *schema);
/* Ends it with the notes. d may be NULL. */
void cpf_report_json_close(struct cpf_jsonw *w, const struct cpf_diag *d);
/* Fields, key and value. A text of the profile, or null for an empty one. */
void cpf_report_json_text(struct cpf_jsonw *w, const char *key, struct cpf_text t);
void cpf_report_json_str(
	struct cpf_jsonw *w, const char *key, const struct cpf_profile *p, cpf_str s);
/* A flat object with type and unit; the caller may add to it, and ends it. */
void cpf_report_json_type(
	struct cpf_jsonw *w, const struct cpf_profile *p, cpf_str type, cpf_str unit);
/* Share of total in percent with two decimals, or null if total is 0. */
void cpf_report_json_pct(struct cpf_jsonw *w, const char *key, double part, double total);
/* The same as cpf_report_named, or null if total is 0. */
void cpf_report_json_named(struct cpf_jsonw *w, const char *key, double part, double total);
/* Two fields: why places of a library have no name; both null if that is not known. */
struct cpf_lib_reason;
void cpf_report_json_reason(struct cpf_jsonw *w, const struct cpf_lib_reason *why);
/* Share that has a name in percent, cut (not rounded) so that 100 means all; total must be > 0. */
void cpf_report_named(struct cpf_buf *out, double part, double total, int decimals);

/* Sum of a value type over all samples, raw (see profile.h) and in the type's unit. */
int cpf_report_raw_sum(int64_t *out, const struct cpf_profile *p, uint32_t type, struct cpf_err *e)
	CPF_MUST_CHECK;
int cpf_report_sum(int64_t *out, const struct cpf_profile *p, uint32_t type, struct cpf_err *e)
	CPF_MUST_CHECK;

/* cpf_unit_label for a raw number; keeps decimals that weights may have. */
const char *cpf_report_label(const struct cpf_profile *p, const struct cpf_value_type *t, int64_t raw,
	const char *unit, char *out, size_t cap);

/* "2026-11-30 20:08:57 UTC"; returns out. */
const char *cpf_report_time(int64_t nanos, char out[40]);

/* The same as cpf_interval, and 0 if the files differ in it. */
int64_t cpf_report_interval(const struct cpf_profile *p);

/* A duration in nanoseconds with the unit that fits it, at most two decimals. */
const char *cpf_report_duration(int64_t nanos, char out[40]);

#endif
