#include "reports/info.h"

#include "base/mem.h"
#include "base/num.h"
#include "reports/coverage.h"
#include "reports/report.h"

#include <stdlib.h>

struct info {
	const struct cpf_profile *p;
	const struct cpf_info_opts *o;
	int64_t *totals;          /* per type, in its unit */
	struct cpf_coverage cover;
	uint32_t busy_threads, no_stack, marker_names;
	int64_t first, last;      /* times of samples, if there are any */
	int64_t observed;         /* median time between samples of a thread, -1 = unknown */
	int64_t period;           /* asked for, ns; 0 = unknown or no time */
	int has_value;            /* cover is filled in */
};

static void info_release(struct info *t)
{
	cpf_free(t->totals);
	cpf_coverage_release(&t->cover);
}

/* Facts. */

/* Element k of v in order; v is shuffled. Median of three keeps sorted input from being slow. */
static int64_t select_nth(int64_t *v, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1, i, j;
	int64_t a, b, c, pivot, swap;

	while (lo < hi) {
		a = v[lo];
		b = v[lo + (hi - lo) / 2];
		c = v[hi];
		pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
		i = lo;
		j = hi;
		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i > j)
				break;
			swap = v[i];
			v[i++] = v[j];
			v[j] = swap;
			if (!j)
				break;
			j--;
		}
		if (k <= j)
			hi = j;
		else if (k >= i)
			lo = i;
		else
			break;
	}
	return v[k];
}

/* Of positive numbers; they are shuffled. Of an even count: the middle of the two in the middle. */
static int64_t median(int64_t *v, size_t n)
{
	int64_t high = select_nth(v, n, n / 2), low = v[0];
	size_t i;

	if (n % 2)
		return high;
	/* What is before element n / 2 is no larger. */
	for (i = 1; i < n / 2; i++)
		if (v[i] > low)
			low = v[i];
	return low + (high - low) / 2;
}

static void look_at_times(struct info *t)
{
	const struct cpf_samples *s = &t->p->samples;
	size_t threads = (size_t)t->p->nthreads + 1;
	int64_t *last = cpf_calloc(threads, sizeof(*last)), *delta, time;
	uint8_t *seen = cpf_calloc(threads, 1);
	size_t n = 0;
	uint32_t i, id;

	delta = cpf_realloc_array(NULL, s->n, sizeof(*delta));
	for (i = 0; i < s->n; i++) {
		id = cpf_col_id(&s->thread, i);
		if (id >= t->p->nthreads)
			id = t->p->nthreads;
		time = cpf_col_get(&s->time, i);
		if (!i || time < t->first)
			t->first = time;
		if (!i || time > t->last)
			t->last = time;
		if (seen[id] && time > last[id] && !__builtin_sub_overflow(time, last[id], &delta[n]))
			n++;
		seen[id] = 1;
		last[id] = time;
	}
	if (n)
		t->observed = median(delta, n);
	cpf_free(delta);
	cpf_free(last);
	cpf_free(seen);
}

static void count_samples(struct info *t)
{
	const struct cpf_samples *s = &t->p->samples;
	uint8_t *busy = cpf_calloc((size_t)t->p->nthreads + 1, 1);
	uint32_t i, id;

	for (i = 0; i < s->n; i++) {
		id = cpf_col_id(&s->thread, i);
		if (id < t->p->nthreads && !busy[id]) {
			busy[id] = 1;
			t->busy_threads++;
		}
		t->no_stack += !cpf_col_id(&s->node, i);
	}
	cpf_free(busy);
}

static void count_markers(struct info *t)
{
	uint8_t *seen = cpf_calloc((size_t)cpf_nstrings(t->p) + 1, 1);
	uint32_t i;

	for (i = 0; i < t->p->nmarkers; i++) {
		t->marker_names += !seen[t->p->markers[i].name];
		seen[t->p->markers[i].name] = 1;
	}
	cpf_free(seen);
}

static int gather(struct info *t, struct cpf_err *e)
{
	const struct cpf_profile *p = t->p;
	uint32_t i;

	t->totals = cpf_calloc((size_t)p->ntypes + 1, sizeof(*t->totals));
	for (i = 0; i < p->ntypes; i++)
		if (cpf_report_sum(&t->totals[i], p, i, e))
			return -1;
	t->observed = -1;
	t->period = cpf_report_interval(p);
	count_samples(t);
	if (p->samples.has_time && p->samples.n)
		look_at_times(t);
	if (p->nmarkers)
		count_markers(t);
	if (p->ntypes) {
		cpf_coverage_build(&t->cover, p, p->types[p->default_type].raw);
		cpf_coverage_reasons(&t->cover, t->o->reasons);
		t->has_value = 1;
	}
	return 0;
}

/* Text. */

static void key(struct cpf_buf *out, const char *name)
{
	cpf_buf_fmt(out, "%s:", name);
	cpf_buf_pad(out, ' ', strlen(name) < 13 ? 13 - strlen(name) : 1);
}

static void add_text(struct cpf_buf *out, struct cpf_text t)
{
	cpf_buf_terminal(out, t.s, t.len);
}

static void line_z(struct cpf_buf *out, const char *name, const char *value)
{
	if (!value[0])
		return;
	key(out, name);
	cpf_buf_terminal(out, value, strlen(value));
	cpf_buf_char(out, '\n');
}

static void line_str(struct cpf_buf *out, const struct info *t, const char *name, cpf_str s)
{
	struct cpf_text text = cpf_text(t->p, s);

	if (!text.len)
		return;
	key(out, name);
	add_text(out, text);
	cpf_buf_char(out, '\n');
}

static void text_sources(struct cpf_buf *out, const struct info *t)
{
	uint32_t i;

	for (i = 0; i < t->p->nsources; i++) {
		const struct cpf_source *s = &t->p->sources[i];

		line_z(out, "file", s->file);
		key(out, "format");
		cpf_buf_terminal(out, s->format, strlen(s->format));
		if (s->version[0]) {
			cpf_buf_str(out, ", version ");
			cpf_buf_terminal(out, s->version, strlen(s->version));
		}
		cpf_buf_char(out, '\n');
		line_z(out, "producer", s->producer);
	}
}

static void text_times(struct cpf_buf *out, const struct info *t)
{
	const struct cpf_header *h = &t->p->head;
	char a[40];

	if (h->time_nanos)
		line_z(out, "recorded", cpf_report_time(h->time_nanos, a));
	if (h->duration_nanos)
		line_z(out, "duration", cpf_report_duration(h->duration_nanos, a));
	if (t->p->samples.has_time && t->p->samples.n) {
		key(out, "sample times");
		cpf_buf_fmt(out, "%s", cpf_report_duration(t->first, a));
		cpf_buf_fmt(out, " to %s\n", cpf_report_duration(t->last, a));
	}
	if (t->period > 0 || t->observed >= 0) {
		key(out, "interval");
		if (t->period > 0)
			cpf_buf_fmt(out, "%s asked for", cpf_report_duration(t->period, a));
		if (t->observed >= 0)
			cpf_buf_fmt(out, "%s%s observed (median in a thread)", t->period > 0 ? ", " : "",
				cpf_report_duration(t->observed, a));
		cpf_buf_char(out, '\n');
	} else if (h->has_period_type && h->period && !h->mixed_intervals) {
		key(out, "period");
		cpf_buf_fmt(out, "%" PRId64 " ", h->period);
		add_text(out, cpf_text(t->p, h->period_type));
		cpf_buf_char(out, ' ');
		add_text(out, cpf_text(t->p, h->period_unit));
		cpf_buf_char(out, '\n');
	}
}

static void text_counts(struct cpf_buf *out, const struct info *t)
{
	const struct cpf_profile *p = t->p;

	key(out, "samples");
	cpf_buf_fmt(out, "%" PRIu32, p->samples.n);
	if (t->no_stack)
		cpf_buf_fmt(out, ", %" PRIu32 " without stack", t->no_stack);
	cpf_buf_char(out, '\n');
	if (p->nthreads) {
		key(out, "threads");
		cpf_buf_fmt(out, "%" PRIu32, p->nthreads);
		if (t->busy_threads < p->nthreads)
			cpf_buf_fmt(out, ", %" PRIu32 " with samples", t->busy_threads);
		if (p->thread_label) {
			cpf_buf_str(out, " (label '");
			add_text(out, cpf_text(p, p->thread_label));
			cpf_buf_str(out, "')");
		}
		cpf_buf_char(out, '\n');
	}
	if (p->nprocesses) {
		key(out, "processes");
		cpf_buf_fmt(out, "%" PRIu32 "\n", p->nprocesses);
	}
	key(out, "tables");
	cpf_buf_fmt(out, "%" PRIu32 " stack nodes, %" PRIu32 " locations, %" PRIu32 " functions\n",
		p->nodes.n - 1, p->locations.n, p->nfunctions);
	if (t->cover.leaf > 0) {
		key(out, "named");
		cpf_report_named(out, t->cover.leaf_named, t->cover.leaf, 1);
		cpf_buf_str(out, "% of leaf frames, ");
		cpf_report_named(out, t->cover.all_named, t->cover.all, 1);
		cpf_buf_str(out, "% of all frames, by ");
		add_text(out, cpf_text(p, p->types[p->default_type].type));
		cpf_buf_char(out, '\n');
	}
	if (p->nmarkers) {
		key(out, "markers");
		cpf_buf_fmt(out, "%" PRIu32 " with %" PRIu32 " name%s\n", p->nmarkers, t->marker_names,
			t->marker_names == 1 ? "" : "s");
	}
	if (p->ncounters) {
		key(out, "counters");
		cpf_buf_fmt(out, "%" PRIu32 "\n", p->ncounters);
	}
}

static void text_types(struct cpf_buf *out, const struct info *t)
{
	static const struct cpf_column columns[] = {
		{"type", "", CPF_IN_PEOPLE, 1, 0, 2, 0},
		{"unit", "", CPF_IN_PEOPLE, 1, 0, 2, 0},
		{"total", "", CPF_IN_PEOPLE, 0, 1, 2, 0},
		{"label", "", CPF_IN_PEOPLE, 1, 0, 2, 0},
		{"default", "", CPF_IN_PEOPLE, 1, 0, 2, 0},
	};
	const struct cpf_profile *p = t->p;
	struct cpf_table table;
	struct cpf_buf rows = {0};
	char label[128];
	uint32_t i;

	if (!p->ntypes)
		return;
	cpf_table_init(&table, columns, CPF_LEN(columns));
	for (i = 0; i < p->ntypes; i++) {
		struct cpf_text type = cpf_text(p, p->types[i].type), unit = cpf_text(p, p->types[i].unit);

		cpf_table_text(&table, type.s, type.len);
		cpf_table_text(&table, unit.s, unit.len);
		cpf_table_number(&table, t->totals[i], NULL);
		cpf_unit_label(t->totals[i], unit.s, "auto", label, sizeof(label));
		cpf_table_str(&table, cpf_unit_known(unit.s) ? label : "");
		cpf_table_str(&table, i == p->default_type ? "default" : "");
	}
	cpf_table_as_text(&table, &rows);
	/* The line of titles is empty. */
	cpf_buf_fmt(out, "\nsample types:%s", rows.s);
	cpf_table_release(&table);
	cpf_buf_release(&rows);
}

/* Frames of a library with "of them named", and the id that its debug file is found by. */
static void lib_row(struct cpf_table *table, const struct info *t, const struct cpf_coverage_lib *l)
{
	const struct cpf_profile *p = t->p;
	struct cpf_text name = cpf_mapping_name(p, l->mapping), id = {"", 0}, file = {"", 0};
	char pct[CPF_NUM_TEXT];

	if (l->mapping != CPF_NONE) {
		const struct cpf_mapping *m = &p->mappings[l->mapping];

		id = cpf_text(p, m->build_id ? m->build_id : m->code_id ? m->code_id : m->debug_id);
		file = cpf_text(p, m->file ? m->file : m->debug_path);
	}
	cpf_table_number(table, (int64_t)l->frames, NULL);
	if (l->frames)
		cpf_table_str(table, cpf_percent_trim((int64_t)l->named, (int64_t)l->frames, pct));
	else
		cpf_table_null(table);
	if (l->mapping == CPF_NONE)
		cpf_table_str(table, "(no library)");
	else
		cpf_table_text(table, name.s, name.len);
	cpf_table_text_or_null(table, id.s, id.len);
	cpf_table_text_or_null(table, file.s, file.len);
}

static int compare_libs(const void *va, const void *vb)
{
	const struct cpf_coverage_lib *a = va, *b = vb;

	if (a->frames != b->frames)
		return a->frames > b->frames ? -1 : 1;
	return a->mapping < b->mapping ? -1 : a->mapping > b->mapping;
}

static void text_libs(struct cpf_buf *out, const struct info *t)
{
	static const struct cpf_column columns[] = {
		{"frames", "frames", CPF_IN_PEOPLE, 0, 1, 2, 6},
		{"named", "named", CPF_IN_PEOPLE, 0, 0, 2, 6},
		{"library", "library", CPF_IN_PEOPLE, 1, 0, 2, 0},
		{"build_id", "build id", CPF_IN_PEOPLE, 1, 0, 2, 0},
		{"path", "path", CPF_IN_PEOPLE, 1, 0, 2, 0},
	};
	struct cpf_table table;
	uint32_t i, idle = 0;

	if (!t->p->nmappings)
		return;
	cpf_table_init(&table, columns, CPF_LEN(columns));
	for (i = 0; i < t->cover.nlibs; i++) {
		const struct cpf_coverage_lib *l = &t->cover.libs[i];

		if (l->frames || (t->o->all && l->mapping != CPF_NONE))
			lib_row(&table, t, l);
		else
			idle += l->mapping != CPF_NONE;
	}
	cpf_buf_str(out, "\nlibraries:\n");
	cpf_table_as_text(&table, out);
	if (idle)
		cpf_buf_fmt(out, "  %" PRIu32 " more without frames (--all lists %s)\n", idle,
			idle == 1 ? "it" : "them");
	cpf_table_release(&table);
}

/* Libraries with places that have no name, in the order of the table above. */
static void text_reasons(struct cpf_buf *out, const struct info *t)
{
	uint32_t i, n = 0;

	for (i = 0; i < t->cover.nlibs; i++) {
		const struct cpf_coverage_lib *l = &t->cover.libs[i];
		struct cpf_text name = cpf_mapping_name(t->p, l->mapping);

		if (l->named == l->frames || !l->why || !l->why->phrase)
			continue;
		cpf_buf_str(out, n++ ? "  " : "\nwithout a name:\n  ");
		if (l->mapping == CPF_NONE)
			cpf_buf_str(out, "(no library)");
		else
			add_text(out, name);
		cpf_buf_fmt(out, ", %" PRIu64 " of %" PRIu64 ": ", l->frames - l->named, l->frames);
		cpf_buf_terminal(out, l->why->text, strlen(l->why->text));
		cpf_buf_char(out, '\n');
	}
}

static void text_comments(struct cpf_buf *out, const struct info *t)
{
	const struct cpf_header *h = &t->p->head;
	uint32_t i;

	if (!h->ncomments)
		return;
	cpf_buf_str(out, "\ncomments:\n");
	for (i = 0; i < h->ncomments; i++) {
		cpf_buf_str(out, "  ");
		add_text(out, cpf_text(t->p, h->comments[i]));
		cpf_buf_char(out, '\n');
	}
}

static void as_text(struct cpf_buf *out, const struct info *t)
{
	const struct cpf_header *h = &t->p->head;

	text_sources(out, t);
	line_str(out, t, "product", h->mixed_products ? 0 : h->product);
	line_str(out, t, "platform", h->platform);
	text_times(out, t);
	text_counts(out, t);
	if (h->symbolicated >= 0)
		line_z(out, "symbolicated", h->symbolicated ? "yes, says the file" : "no, says the file");
	line_str(out, t, "drop frames", h->drop_frames);
	line_str(out, t, "keep frames", h->keep_frames);
	line_str(out, t, "docs", h->doc_url);
	text_types(out, t);
	text_libs(out, t);
	text_reasons(out, t);
	text_comments(out, t);
}

/* JSON. */

static void json_number(struct cpf_jsonw *w, const char *key, int64_t v, int known)
{
	cpf_jsonw_key(w, key);
	if (known)
		cpf_jsonw_int(w, v);
	else
		cpf_jsonw_null(w);
}

static void json_types(struct cpf_jsonw *w, const struct info *t)
{
	const struct cpf_profile *p = t->p;
	uint32_t i;

	cpf_jsonw_key(w, "sample_types");
	cpf_jsonw_array(w);
	for (i = 0; i < p->ntypes; i++) {
		cpf_report_json_type(w, p, p->types[i].type, p->types[i].unit);
		cpf_jsonw_key_int(w, "total", t->totals[i]);
		cpf_jsonw_key_bool(w, "default", i == p->default_type);
		cpf_jsonw_end(w);
	}
	cpf_jsonw_end(w);
}

static void json_libs(struct cpf_jsonw *w, const struct info *t)
{
	const struct cpf_profile *p = t->p;
	uint32_t i;

	cpf_jsonw_key(w, "libs");
	cpf_jsonw_array(w);
	for (i = 0; i < t->cover.nlibs; i++) {
		const struct cpf_coverage_lib *l = &t->cover.libs[i];
		const struct cpf_mapping *m = l->mapping == CPF_NONE ? NULL : &p->mappings[l->mapping];

		if (!l->frames && !m)
			continue;
		cpf_jsonw_object_flat(w);
		cpf_report_json_text(w, "name", cpf_mapping_name(p, l->mapping));
		cpf_report_json_str(w, "path", p, m ? m->file : 0);
		cpf_report_json_str(w, "build_id", p, m ? m->build_id : 0);
		cpf_report_json_str(w, "debug_id", p, m ? m->debug_id : 0);
		cpf_report_json_str(w, "arch", p, m ? m->arch : 0);
		cpf_jsonw_key_uint(w, "frames", l->frames);
		cpf_jsonw_key_uint(w, "named", l->named);
		cpf_report_json_reason(w, l->why);
		cpf_jsonw_end(w);
	}
	cpf_jsonw_end(w);
}

static void json_comments(struct cpf_jsonw *w, const struct info *t)
{
	const struct cpf_header *h = &t->p->head;
	uint32_t i;

	cpf_jsonw_key(w, "comments");
	cpf_jsonw_array_flat(w);
	for (i = 0; i < h->ncomments; i++) {
		struct cpf_text c = cpf_text(t->p, h->comments[i]);

		cpf_jsonw_str_n(w, c.s, c.len);
	}
	cpf_jsonw_end(w);
}

static void json_head(struct cpf_jsonw *w, const struct info *t)
{
	const struct cpf_profile *p = t->p;
	const struct cpf_header *h = &p->head;
	int timed = p->samples.has_time && p->samples.n;

	cpf_report_json_str(w, "product", p, h->mixed_products ? 0 : h->product);
	cpf_report_json_str(w, "platform", p, h->platform);
	json_number(w, "time_ns", h->time_nanos, h->time_nanos != 0);
	json_number(w, "duration_ns", h->duration_nanos, h->duration_nanos != 0);
	json_number(w, "first_sample_ns", t->first, timed);
	json_number(w, "last_sample_ns", t->last, timed);
	json_number(w, "interval_ns", t->period, t->period > 0);
	json_number(w, "observed_interval_ns", t->observed, t->observed >= 0);
	cpf_jsonw_key(w, "period");
	if (h->has_period_type) {
		cpf_report_json_type(w, p, h->period_type, h->period_unit);
		cpf_jsonw_key_int(w, "value", h->period);
		cpf_jsonw_end(w);
	} else {
		cpf_jsonw_null(w);
	}
}

static void json_counts(struct cpf_jsonw *w, const struct info *t)
{
	const struct cpf_profile *p = t->p;

	cpf_jsonw_key_uint(w, "samples", p->samples.n);
	cpf_jsonw_key_uint(w, "samples_without_stack", t->no_stack);
	cpf_jsonw_key_uint(w, "threads", p->nthreads);
	cpf_jsonw_key_uint(w, "threads_with_samples", t->busy_threads);
	cpf_jsonw_key_uint(w, "processes", p->nprocesses);
	cpf_jsonw_key_uint(w, "stack_nodes", p->nodes.n - 1);
	cpf_jsonw_key_uint(w, "locations", p->locations.n);
	cpf_jsonw_key_uint(w, "functions", p->nfunctions);
}

static void json_names(struct cpf_jsonw *w, const struct info *t)
{
	cpf_jsonw_key(w, "symbolicated");
	if (t->p->head.symbolicated < 0)
		cpf_jsonw_null(w);
	else
		cpf_jsonw_bool(w, t->p->head.symbolicated);
	cpf_jsonw_key(w, "named");
	cpf_jsonw_object_flat(w);
	cpf_report_json_named(w, "leaf", t->cover.leaf_named, t->cover.leaf);
	cpf_report_json_named(w, "all", t->cover.all_named, t->cover.all);
	cpf_jsonw_end(w);
}

static void as_json(struct cpf_buf *out, const struct info *t, const struct cpf_diag *d)
{
	const struct cpf_profile *p = t->p;
	const struct cpf_header *h = &p->head;
	struct cpf_jsonw w;

	cpf_report_json_open(&w, out, p, "cpuprof/info/1");
	json_head(&w, t);
	json_types(&w, t);
	json_counts(&w, t);
	json_names(&w, t);
	json_libs(&w, t);
	cpf_jsonw_key_uint(&w, "markers", p->nmarkers);
	cpf_jsonw_key_uint(&w, "marker_names", t->marker_names);
	cpf_jsonw_key_uint(&w, "counters", p->ncounters);
	cpf_report_json_str(&w, "drop_frames", p, h->drop_frames);
	cpf_report_json_str(&w, "keep_frames", p, h->keep_frames);
	cpf_report_json_str(&w, "doc_url", p, h->doc_url);
	json_comments(&w, t);
	cpf_report_json_close(&w, d);
}

int cpf_info(struct cpf_buf *out, const struct cpf_profile *p, const struct cpf_info_opts *o,
	const struct cpf_diag *d, struct cpf_err *e)
{
	struct info t = {0};
	int r;

	t.p = p;
	t.o = o;
	r = gather(&t, e);
	if (!r) {
		if (t.cover.nlibs)
			qsort(t.cover.libs, t.cover.nlibs, sizeof(*t.cover.libs), compare_libs);
		if (o->json)
			as_json(out, &t, d);
		else
			as_text(out, &t);
	}
	info_release(&t);
	return r;
}
