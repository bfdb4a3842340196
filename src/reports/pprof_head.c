/* Numbers and header lines. */
#include "reports/pprof.h"

#include <time.h>

#include "base/base.h"
#include "base/num.h"

#define FILTER_SHOWN 80 /* bytes */

const char *cpf_pprof_value(struct cpf_pprof *r, int64_t v)
{
	double ratio = 1 / r->cfg.divide_by;

	if (ratio > 0 && ratio != 1)
		v = cpf_go_i64((double)v * ratio);
	return cpf_unit_label(v, r->sample_unit, r->out_unit, r->text, r->text_cap);
}

void cpf_pprof_pad(struct cpf_buf *out, const char *text, size_t width)
{
	size_t n = strlen(text), chars = 0, i;
	int len;

	for (i = 0; i < n; i += (size_t)(len > 0 ? len : 1), chars++)
		len = cpf_utf8_len(text + i, n - i);
	if (chars < width)
		cpf_buf_pad(out, ' ', width - chars);
	cpf_buf_add(out, text, n);
}

void cpf_pprof_percent(struct cpf_buf *out, int64_t v, int64_t total)
{
	char text[CPF_NUM_TEXT];

	cpf_buf_str(out, cpf_percent(v, total, text));
}

void cpf_pprof_numbers(struct cpf_pprof *r, const struct cpf_pprof_node *n, int64_t *sum,
	struct cpf_buf *out)
{
	int64_t flat = cpf_pprof_mean(n->flat, n->flat_div);
	int64_t cum = cpf_pprof_mean(n->cum, n->cum_div);

	*sum = cpf_wrap_add(*sum, flat);
	cpf_pprof_pad(out, cpf_pprof_value(r, flat), 10);
	cpf_buf_char(out, ' ');
	cpf_pprof_percent(out, flat, r->total);
	cpf_buf_char(out, ' ');
	cpf_pprof_percent(out, *sum, r->total);
	cpf_buf_char(out, ' ');
	cpf_pprof_pad(out, cpf_pprof_value(r, cum), 10);
	cpf_buf_char(out, ' ');
	cpf_pprof_percent(out, cum, r->total);
}

static void add_text(struct cpf_buf *out, const char *before, struct cpf_text t)
{
	cpf_buf_str(out, before);
	cpf_buf_add(out, t.s, t.len);
	cpf_buf_char(out, '\n');
}

static void add_time(struct cpf_buf *out, int64_t nanos)
{
	int64_t seconds = nanos / 1000000000 - (nanos % 1000000000 < 0);
	time_t t = (time_t)seconds;
	char text[128];
	struct tm tm;

	tzset();
	if (!localtime_r(&t, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %Z", &tm))
		return;
	cpf_buf_fmt(out, "Time: %s\n", text);
}

static void add_duration(struct cpf_pprof *r, struct cpf_buf *out)
{
	int64_t duration = r->p->head.duration_nanos;
	char text[CPF_NUM_TEXT];
	const char *suffix;
	double ns = cpf_unit_scale(r->total, r->sample_unit, "nanoseconds", &suffix);

	cpf_buf_fmt(out, "Duration: %s, ",
		cpf_unit_label(duration, "nanoseconds", "auto", text, sizeof(text)));
	cpf_buf_fmt(out, "Total samples = %s ", cpf_pprof_value(r, r->total));
	if (!strcmp(suffix, "ns") && ns != 0) {
		cpf_buf_char(out, '(');
		cpf_pprof_percent(out, cpf_go_i64(ns), duration);
		cpf_buf_char(out, ')');
	}
	cpf_buf_char(out, '\n');
}

void cpf_pprof_profile_head(struct cpf_pprof *r, struct cpf_buf *out)
{
	const struct cpf_profile *p = r->p;
	const struct cpf_header *h = &p->head;
	struct cpf_text type = cpf_text(p, p->types[r->type].type);
	uint32_t i;

	if (p->nmappings && p->mappings[0].file)
		add_text(out, "File: ", cpf_go_base(cpf_text(p, p->mappings[0].file)));
	if (p->nmappings && p->mappings[0].build_id)
		add_text(out, "Build ID: ", cpf_text(p, p->mappings[0].build_id));
	for (i = 0; i < h->ncomments; i++)
		if (cpf_cstr(p, h->comments[i])[0] != '#')
			add_text(out, "", cpf_text(p, h->comments[i]));
	if (type.len || r->cfg.mean)
		add_text(out, r->cfg.mean ? "Type: mean_" : "Type: ", type);
	if (h->doc_url)
		add_text(out, "Doc: ", cpf_text(p, h->doc_url));
	if (h->time_nanos)
		add_time(out, h->time_nanos);
	if (h->duration_nanos)
		add_duration(r, out);
}

static void add_filters(struct cpf_pprof *r, struct cpf_buf *out)
{
	const struct cpf_pprof_cfg *c = &r->cfg;
	const char *const filters[][2] = {{"focus", c->focus}, {"ignore", c->ignore},
		{"hide", c->hide}, {"show", c->show}, {"show_from", c->show_from},
		{"tagfocus", c->tagfocus}, {"tagignore", c->tagignore}, {"tagshow", c->tagshow},
		{"taghide", c->taghide}};
	size_t i, start;
	int any = 0;

	for (i = 0; i < CPF_LEN(filters); i++) {
		if (!*filters[i][1])
			continue;
		if (!any)
			cpf_buf_str(out, "Active filters:\n");
		any = 1;
		cpf_buf_str(out, "   ");
		start = out->n;
		cpf_buf_fmt(out, "%s=%s", filters[i][0], filters[i][1]);
		if (out->n - start > FILTER_SHOWN) {
			out->n = start + FILTER_SHOWN;
			cpf_buf_str(out, "\xe2\x80\xa6");
		}
		cpf_buf_char(out, '\n');
	}
}

static void add_dropped(struct cpf_pprof *r, uint32_t n, const char *what, const char *value,
	double share, struct cpf_buf *out)
{
	if (n)
		cpf_buf_fmt(out, "Dropped %" PRIu32 " %s%s (%s <= %s)\n", n, what, n > 1 ? "s" : "",
			value, cpf_pprof_value(r, cpf_go_abs(cpf_go_i64((double)r->total * share))));
}

void cpf_pprof_graph_head(struct cpf_pprof *r, const struct cpf_pprof_graph *g, struct cpf_buf *out)
{
	char percent[CPF_NUM_TEXT];
	int visual = !strcmp(r->cfg.command, "dot");
	int64_t shown = 0;
	uint32_t i;

	for (i = 0; i < g->n; i++)
		shown = cpf_wrap_add(shown, cpf_pprof_mean(g->nodes[i].flat, g->nodes[i].flat_div));
	if (!r->cfg.compact_labels || visual)
		cpf_pprof_profile_head(r, out);
	add_filters(r, out);
	cpf_buf_fmt(out, "Showing nodes accounting for %s, ", cpf_pprof_value(r, shown));
	cpf_buf_fmt(out, "%s of ", cpf_percent_trim(shown, r->total, percent));
	cpf_buf_fmt(out, "%s total\n", cpf_pprof_value(r, r->total));
	if (!r->total)
		return;
	add_dropped(r, g->ndropped, "node", "cum", r->cfg.nodefraction, out);
	if (visual)
		add_dropped(r, g->nedges_dropped, "edge", "freq", r->cfg.edgefraction, out);
	if (g->n && g->n < g->norig)
		cpf_buf_fmt(out, "Showing top %" PRIu32 " nodes out of %" PRIu32 "\n", g->n, g->norig);
}
