/* -raw: the whole profile as text. */
#include "reports/pprof.h"

#include <time.h>

#include "base/base.h"

#define DURATION_SHOWN 4 /* characters */

/* A number with a fraction of so many digits, zeros at its end left out. */
static void add_fraction(struct cpf_buf *out, uint64_t whole, uint64_t rest, int digits)
{
	cpf_buf_fmt(out, "%" PRIu64 ".%0*" PRIu64, whole, digits, rest);
	while (out->s[out->n - 1] == '0')
		out->n--;
	if (out->s[out->n - 1] == '.')
		out->n--;
}

/* As Go prints durations. */
static void add_elapsed(struct cpf_buf *out, int64_t nanos)
{
	uint64_t u = cpf_abs64(nanos), s = u / 1000000000;

	cpf_buf_str(out, nanos < 0 ? "-" : "");
	if (!u) {
		cpf_buf_str(out, "0s");
	} else if (u < 1000) {
		cpf_buf_fmt(out, "%" PRIu64 "ns", u);
	} else if (u < 1000000) {
		add_fraction(out, u / 1000, u % 1000, 3);
		cpf_buf_str(out, "\xc2\xb5s");
	} else if (u < 1000000000) {
		add_fraction(out, u / 1000000, u % 1000000, 6);
		cpf_buf_str(out, "ms");
	} else {
		if (s >= 3600)
			cpf_buf_fmt(out, "%" PRIu64 "h", s / 3600);
		if (s >= 60)
			cpf_buf_fmt(out, "%" PRIu64 "m", s / 60 % 60);
		add_fraction(out, s % 60, u % 1000000000, 9);
		cpf_buf_char(out, 's');
	}
}

/* Only the first characters are shown, whatever that makes of the unit. */
static void add_duration(struct cpf_buf *out, int64_t nanos)
{
	struct cpf_buf b = {0};
	size_t n = 0, chars;
	int len;

	add_elapsed(&b, nanos);
	for (chars = 0; n < b.n && chars < DURATION_SHOWN; chars++) {
		len = cpf_utf8_len(b.s + n, b.n - n);
		n += (size_t)(len > 0 ? len : 1);
	}
	cpf_buf_str(out, "Duration: ");
	cpf_buf_add(out, b.s, n);
	cpf_buf_char(out, '\n');
	cpf_buf_release(&b);
}

static void add_time(struct cpf_buf *out, int64_t nanos)
{
	int64_t seconds = nanos / 1000000000 - (nanos % 1000000000 < 0);
	uint64_t rest = (uint64_t)(nanos - seconds * 1000000000);
	struct cpf_buf part = {0};
	time_t t = (time_t)seconds;
	char date[64], zone[96];
	struct tm tm;

	tzset();
	if (!localtime_r(&t, &tm) || !strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm) ||
		!strftime(zone, sizeof(zone), "%z %Z", &tm))
		return;
	cpf_buf_fmt(out, "Time: %s", date);
	if (rest) {
		add_fraction(&part, 0, rest, 9);
		cpf_buf_add(out, part.s + 1, part.n - 1);
		cpf_buf_release(&part);
	}
	cpf_buf_fmt(out, " %s\n", zone);
}

static void add_line(struct cpf_buf *out, const char *before, struct cpf_text t)
{
	cpf_buf_str(out, before);
	cpf_buf_add(out, t.s, t.len);
	cpf_buf_char(out, '\n');
}

static void add_head(const struct cpf_profile *p, struct cpf_buf *out)
{
	const struct cpf_header *h = &p->head;
	uint32_t i;

	for (i = 0; i < h->ncomments; i++)
		add_line(out, "Comment: ", cpf_text(p, h->comments[i]));
	if (h->doc_url)
		add_line(out, "Doc: ", cpf_text(p, h->doc_url));
	cpf_buf_fmt(out, "PeriodType: %s %s\n", cpf_cstr(p, h->period_type), cpf_cstr(p, h->period_unit));
	cpf_buf_fmt(out, "Period: %" PRId64 "\n", h->period);
	if (h->time_nanos)
		add_time(out, h->time_nanos);
	if (h->duration_nanos)
		add_duration(out, h->duration_nanos);
}

static int is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void add_types(const struct cpf_profile *p, struct cpf_buf *out)
{
	struct cpf_buf b = {0};
	size_t from = 0;
	uint32_t i;

	cpf_buf_str(out, "Samples:\n");
	for (i = 0; i < p->ntypes; i++)
		cpf_buf_fmt(&b, "%s/%s%s ", cpf_cstr(p, p->types[i].type), cpf_cstr(p, p->types[i].unit),
			p->types[i].type == p->head.default_sample_type ? "[dflt]" : "");
	while (from < b.n && is_blank(b.s[from]))
		from++;
	while (b.n > from && is_blank(b.s[b.n - 1]))
		b.n--;
	if (b.n)
		cpf_buf_add(out, b.s + from, b.n - from);
	cpf_buf_char(out, '\n');
	cpf_buf_release(&b);
}

/* Samples. */

static void add_texts(
	struct cpf_pprof *r, const struct cpf_label *l, uint32_t n, struct cpf_buf *text)
{
	uint32_t i;

	cpf_buf_fmt(text, "%s:[", cpf_cstr(r->p, l->key));
	for (i = 0; i < n; i++)
		cpf_buf_fmt(text, "%s%s", i ? " " : "", cpf_cstr(r->p, l[i].str));
	cpf_buf_char(text, ']');
}

static void add_numbers(
	struct cpf_pprof *r, const struct cpf_label *l, uint32_t n, struct cpf_buf *text)
{
	uint32_t i;
	int units = 0;

	for (i = 0; i < n; i++)
		units |= l[i].unit != 0;
	cpf_buf_fmt(text, "%s:[", cpf_cstr(r->p, l->key));
	for (i = 0; i < n; i++) {
		cpf_buf_fmt(text, "%s%" PRId64, i ? " " : "", l[i].num);
		if (units)
			cpf_buf_fmt(text, " %s", cpf_cstr(r->p, l[i].unit));
	}
	cpf_buf_char(text, ']');
}

static void add_labels(struct cpf_pprof *r, uint32_t set, enum cpf_pprof_label kind,
	struct cpf_buf *out)
{
	size_t start = out->n, head;

	cpf_buf_pad(out, ' ', 16);
	head = out->n;
	cpf_pprof_sorted_labels(
		r, set, kind, kind == CPF_LABEL_TEXT ? add_texts : add_numbers, " ", out);
	if (out->n == head)
		out->n = start;
	else
		cpf_buf_char(out, '\n');
}

static void add_sample(struct cpf_pprof *r, uint32_t sample, struct cpf_buf *out)
{
	const struct cpf_profile *p = r->p;
	uint32_t node = cpf_col_id(&p->samples.node, sample), set, i;

	for (i = 0; i < p->ntypes; i++)
		cpf_buf_fmt(out, " %10" PRId64, cpf_col_get(&p->samples.raw[p->types[i].raw], sample));
	cpf_buf_str(out, ": ");
	for (; node; node = cpf_col_id(&p->nodes.parent, node)) {
		cpf_buf_u64(out, (uint64_t)cpf_col_get(
			&p->locations.wire_id, cpf_col_id(&p->nodes.location, node)));
		cpf_buf_char(out, ' ');
	}
	cpf_buf_char(out, '\n');
	set = cpf_col_id(&p->samples.labels, sample);
	if (p->label_sets.first[set + 1] == p->label_sets.first[set])
		return;
	add_labels(r, set, CPF_LABEL_TEXT, out);
	add_labels(r, set, CPF_LABEL_NUMBER, out);
}

/* Tables. */

static void add_function(const struct cpf_profile *p, size_t line, struct cpf_buf *out)
{
	const struct cpf_function *f = &p->functions[cpf_col_id(&p->locations.line_fn, line)];

	cpf_pprof_add(out, p, f->name);
	cpf_buf_char(out, ' ');
	cpf_pprof_add(out, p, f->file);
	cpf_buf_fmt(out, ":%" PRId64 ":%" PRId64 " s=%" PRId64, cpf_col_get(&p->locations.line_no, line),
		cpf_col_get(&p->locations.line_col, line), f->start_line);
	if (f->name != f->system_name) {
		cpf_buf_char(out, '(');
		cpf_pprof_add(out, p, f->system_name);
		cpf_buf_char(out, ')');
	}
	cpf_buf_char(out, '\n');
}

static void add_location(const struct cpf_profile *p, uint32_t loc, struct cpf_buf *out)
{
	const struct cpf_locations *t = &p->locations;
	size_t from = (size_t)cpf_col_get(&t->first, loc), i;
	size_t to = (size_t)cpf_col_get(&t->first, (size_t)loc + 1);
	uint32_t mapping = cpf_col_id(&t->mapping, loc);

	cpf_buf_fmt(out, "%6" PRIu64 ": 0x%" PRIx64 " ", (uint64_t)cpf_col_get(&t->wire_id, loc),
		(uint64_t)cpf_col_get(&t->address, loc));
	if (mapping != CPF_NONE)
		cpf_buf_fmt(out, "M=%" PRIu64 " ", p->mappings[mapping].wire_id);
	if (cpf_col_get(&t->flags, loc) & CPF_LOC_FOLDED)
		cpf_buf_str(out, "[F] ");
	for (i = from; i < to; i++) {
		cpf_buf_str(out, i > from ? "             " : "");
		add_function(p, i, out);
	}
	if (from == to)
		cpf_buf_char(out, '\n');
}

static void add_mapping(const struct cpf_profile *p, const struct cpf_mapping *m, struct cpf_buf *out)
{
	cpf_buf_fmt(out, "%" PRIu64 ": 0x%" PRIx64 "/0x%" PRIx64 "/0x%" PRIx64 " ", m->wire_id, m->start,
		m->limit, m->offset);
	cpf_pprof_add(out, p, m->file);
	cpf_buf_char(out, ' ');
	cpf_pprof_add(out, p, m->build_id);
	cpf_buf_fmt(out, " %s%s%s%s\n", m->flags & CPF_MAP_HAS_FUNCTIONS ? "[FN]" : "",
		m->flags & CPF_MAP_HAS_FILENAMES ? "[FL]" : "",
		m->flags & CPF_MAP_HAS_LINES ? "[LN]" : "",
		m->flags & CPF_MAP_HAS_INLINES ? "[IN]" : "");
}

void cpf_pprof_keep_outer(struct cpf_pprof *r)
{
	struct cpf_locations *t = &r->p->locations;
	size_t from = 0, to, at = 0;
	uint32_t i;

	for (i = 0; i < r->p->nmappings; i++)
		r->p->mappings[i].flags &= ~(uint32_t)CPF_MAP_HAS_INLINES;
	for (i = 0; i < t->n; i++, from = to) {
		to = (size_t)cpf_col_get(&t->first, (size_t)i + 1);
		if (to > from) {
			cpf_col_set(&t->line_fn, at, cpf_col_get(&t->line_fn, to - 1));
			cpf_col_set(&t->line_no, at, cpf_col_get(&t->line_no, to - 1));
			cpf_col_set(&t->line_col, at,
				r->cfg.showcolumns ? cpf_col_get(&t->line_col, to - 1) : 0);
			at++;
		}
		cpf_col_set(&t->first, (size_t)i + 1, (int64_t)at);
	}
	cpf_col_truncate(&t->line_fn, at);
	cpf_col_truncate(&t->line_no, at);
	cpf_col_truncate(&t->line_col, at);
	cpf_profile_seal(r->p);
}

int cpf_pprof_raw(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e)
{
	const struct cpf_profile *p = r->p;
	uint32_t i;

	(void)e;
	if (r->cfg.noinlines)
		cpf_pprof_keep_outer(r);
	add_head(p, out);
	add_types(p, out);
	for (i = 0; i < p->samples.n; i++)
		add_sample(r, i, out);
	cpf_buf_str(out, "Locations\n");
	for (i = 0; i < p->locations.n; i++)
		add_location(p, i, out);
	cpf_buf_str(out, "Mappings\n");
	for (i = 0; i < p->nmappings; i++)
		add_mapping(p, &p->mappings[i], out);
	return 0;
}
