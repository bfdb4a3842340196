/* From a loaded profile to a report: which value, its total, filters, and the report itself. */
#include "reports/pprof.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/num.h"
#include "core/filter.h"
#include "core/regex.h"

/* The reports of pprof that are offered. */
static const struct report {
	const char *name;
	int (*run)(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e);
	int untrimmed;
	int nodes;       /* what -nodecount is if it was not given */
	int granularity; /* enum cpf_by, whatever was asked for; -1: what was asked for */
} reports[] = {
	{"callgrind", cpf_pprof_callgrind, 1, 80, CPF_BY_ADDRESS},
	{"comments", cpf_pprof_comments, 0, 80, -1},
	{"dot", cpf_pprof_dot, 0, 80, -1},
	{"list", cpf_pprof_list, 1, 80, CPF_BY_LINE},
	{"peek", cpf_pprof_peek, 1, 80, -1},
	{"proto", cpf_pprof_proto, 1, 80, CPF_BY_ADDRESS},
	{"raw", cpf_pprof_raw, 1, 80, CPF_BY_ADDRESS},
	{"tags", cpf_pprof_tag_list, 0, 80, -1},
	{"text", cpf_pprof_top, 0, 0, -1},
	{"top", cpf_pprof_top, 0, 0, -1},
	{"topproto", cpf_pprof_topproto, 0, 0, -1},
	{"traces", cpf_pprof_traces, 0, 80, -1},
	{"tree", cpf_pprof_tree, 0, 80, -1},
};

static const struct report *find_report(const char *name)
{
	size_t i;

	for (i = 0; i < CPF_LEN(reports); i++)
		if (!strcmp(reports[i].name, name))
			return &reports[i];
	return NULL;
}

int cpf_pprof_has(const char *name)
{
	const struct report *r = find_report(name);

	return r != NULL;
}

int cpf_pprof_is_binary(const char *name)
{
	return !strcmp(name, "proto") || !strcmp(name, "topproto");
}

int64_t cpf_go_i64(double v)
{
	return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? (int64_t)v : INT64_MIN;
}

void cpf_pprof_message(struct cpf_pprof *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cpf_buf_vfmt(r->messages, fmt, ap);
	va_end(ap);
	cpf_buf_char(r->messages, '\n');
}

static void override(struct cpf_pprof_cfg *cfg, const struct report *report)
{
	if (report->granularity >= 0)
		cfg->granularity = (enum cpf_by)report->granularity;
	if (cfg->nodecount == -1)
		cfg->nodecount = report->nodes;
	if (!cfg->trim || report->untrimmed) {
		cfg->nodecount = 0;
		cfg->nodefraction = cfg->edgefraction = 0;
	}
}

/* -sample_index: a number, a type, or "inuse_TYPE". */
static int choose_type(struct cpf_pprof *r, struct cpf_err *e)
{
	const struct cpf_profile *p = r->p;
	const char *want = r->cfg.sample_index, *bare = want;
	struct cpf_buf names = {0};
	char *end;
	uint32_t i;
	long n;

	r->type = p->ntypes - 1;
	if (!*want) {
		for (i = 0; p->head.default_sample_type && i < p->ntypes; i++)
			if (p->types[i].type == p->head.default_sample_type) {
				r->type = i;
				break;
			}
		return 0;
	}
	n = strtol(want, &end, 10);
	if (!*end && *want != ' ' && (*want < '\t' || *want > '\r')) {
		if (n < 0 || n >= (long)p->ntypes)
			return cpf_fail(e, CPF_E_USAGE, "sample_index %s is outside the range [0..%d]",
				want, (int)p->ntypes - 1);
		r->type = (uint32_t)n;
		return 0;
	}
	if (!strncmp(want, "inuse_", 6))
		bare = want + 6;
	for (i = 0; i < p->ntypes; i++) {
		const char *type = cpf_cstr(p, p->types[i].type);

		if (!strcmp(type, want) || !strcmp(type, bare)) {
			r->type = i;
			cpf_buf_release(&names);
			return 0;
		}
		cpf_buf_fmt(&names, "%s%s", i ? " " : "", type);
	}
	cpf_fail(e, CPF_E_USAGE, "sample_index \"%s\" must be one of: [%s]", want, names.s);
	cpf_buf_release(&names);
	return -1;
}

/* Label sets that mark samples of a base for comparison: "pprof::base" with the value "true". */
static uint8_t *base_sets(const struct cpf_profile *p)
{
	const struct cpf_label_sets *t = &p->label_sets;
	uint8_t *base = cpf_calloc((size_t)t->n + 1, 1);
	uint32_t i, x;

	for (i = 0; i < t->n; i++)
		for (x = t->first[i]; x < t->first[i + 1]; x++)
			if (!strcmp(cpf_cstr(p, t->labels[x].key), "pprof::base") &&
				!strcmp(cpf_cstr(p, t->labels[x].str), "true"))
				base[i] = 1;
	return base;
}

/* The sum of magnitudes; of the base alone if there are samples of one. */
static void sum_total(struct cpf_pprof *r)
{
	const struct cpf_samples *s = &r->p->samples;
	uint8_t *base = base_sets(r->p);
	int64_t total = 0, div = 0, base_total = 0, base_div = 0;
	uint32_t i;

	for (i = 0; i < s->n; i++) {
		int64_t v = cpf_go_abs(cpf_col_get(&s->raw[r->raw], i));
		int64_t d = r->div_raw == CPF_NONE ? 0 : cpf_col_get(&s->raw[r->div_raw], i);

		total = cpf_wrap_add(total, v);
		div = cpf_wrap_add(div, d);
		if (base[cpf_col_id(&s->labels, i)]) {
			base_total = cpf_wrap_add(base_total, v);
			base_div = cpf_wrap_add(base_div, d);
		}
	}
	r->total = base_total > 0 ? cpf_pprof_mean(base_total, base_div) : cpf_pprof_mean(total, div);
	cpf_free(base);
}

static int filter(struct cpf_pprof *r, struct cpf_err *e)
{
	static const struct {
		const char *what;
		size_t result;
	} warn[] = {
		{"Focus", offsetof(struct cpf_filter_result, focus)},
		{"Ignore", offsetof(struct cpf_filter_result, ignore)},
		{"Hide", offsetof(struct cpf_filter_result, hide)},
		{"Show", offsetof(struct cpf_filter_result, show)},
		{"ShowFrom", offsetof(struct cpf_filter_result, show_from)},
	};
	const struct cpf_pprof_cfg *c = &r->cfg;
	struct cpf_filter f = {0};
	struct cpf_filter_result result;
	size_t i;

	f.focus = *c->focus ? c->focus : NULL;
	f.ignore = *c->ignore ? c->ignore : NULL;
	f.hide = *c->hide ? c->hide : NULL;
	f.show = *c->show ? c->show : NULL;
	f.show_from = *c->show_from ? c->show_from : NULL;
	memset(&result, 0xff, sizeof(result));
	if (cpf_filter_names(r->p, &f, &result, e))
		return -1;
	for (i = 0; i < CPF_LEN(warn); i++)
		if (!*(const int *)((const char *)&result + warn[i].result))
			cpf_pprof_message(r, "%s expression matched no samples", warn[i].what);
	if (cpf_pprof_filter_tags(r, e))
		return -1;
	return *c->prune_from ? cpf_filter_prune_from(r->p, c->prune_from, e) : 0;
}

static int argument_regex(struct cpf_pprof *r, struct cpf_err *e)
{
	static const char prefix[] = "parsing argument regexp: ";
	struct cpf_err inner = {0};
	const char *why = inner.reason;

	if (!cpf_regex_new(&r->symbol, "argument", r->cfg.argument, &inner))
		return 0;
	if (!strncmp(why, prefix, sizeof(prefix) - 1))
		why += sizeof(prefix) - 1;
	return cpf_fail(e, inner.code, "parsing argument regexp %s: %s", r->cfg.argument, why);
}

static int prepare(struct cpf_pprof *r, struct cpf_err *e)
{
	const struct cpf_pprof_cfg *c = &r->cfg;

	cpf_pprof_label_units(r);
	cpf_pprof_tag_frames(r);
	if (c->relative_percentages && filter(r, e))
		return -1;
	if (!r->p->ntypes)
		return cpf_fail(e, CPF_E_EMPTY, "profile has no samples");
	if (choose_type(r, e))
		return -1;
	if (c->divide_by == 0)
		return cpf_fail(e, CPF_E_USAGE, "zero divisor specified");
	r->raw = r->p->types[r->type].raw;
	r->div_raw = c->mean ? r->p->types[0].raw : CPF_NONE;
	r->sample_unit = cpf_cstr(r->p, r->p->types[r->type].unit);
	r->out_unit = c->unit;
	r->text_cap = CPF_NUM_TEXT + strlen(r->sample_unit) + strlen(r->out_unit) + 16;
	r->text = cpf_malloc(r->text_cap);
	if (c->argument && argument_regex(r, e))
		return -1;
	sum_total(r);
	return c->relative_percentages ? 0 : filter(r, e);
}

int cpf_pprof_run(struct cpf_profile *p, const struct cpf_pprof_cfg *cfg, struct cpf_buf *out,
	struct cpf_buf *messages, struct cpf_err *e)
{
	const struct report *report = find_report(cfg->command);
	struct cpf_pprof r = {0};
	size_t start = out->n;
	int ret;

	if (!report)
		return cpf_fail(e, CPF_E_USAGE, "not offered: -%s", cfg->command);
	r.p = p;
	r.cfg = *cfg;
	r.messages = messages;
	override(&r.cfg, report);
	ret = prepare(&r, e);
	if (!ret)
		ret = report->run(&r, out, e);
	if (!ret && r.symbol)
		ret = cpf_regex_status(r.symbol, e);
	if (ret)
		out->n = start;
	cpf_regex_free(r.symbol);
	cpf_free(r.label_units);
	cpf_free(r.text);
	return ret;
}
