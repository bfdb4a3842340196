#include "core/dump.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/mem.h"
#include "core/decimal.h"
#include "core/frame.h"

struct dumper {
	struct cpf_buf *out;
	const struct cpf_profile *p;
	uint32_t keeps, type, flags;
	uint8_t *seen_loc;      /* locations that a sample or marker leads to */
	uint32_t *path;         /* scratch: nodes from leaf to root */
	size_t path_cap;
	struct cpf_line *lines;
	size_t lines_cap;
};

/* A row of text that may be sorted. */
struct row {
	char *s;
	size_t n;
	uint32_t sample;
};

static int by_text(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	int r = memcmp(a->s, b->s, a->n < b->n ? a->n : b->n);

	if (!r)
		r = (a->n > b->n) - (a->n < b->n);
	return r ? r : (a->sample > b->sample) - (a->sample < b->sample);
}

static void quote(struct cpf_buf *b, struct cpf_text t)
{
	uint32_t i;
	int n;

	cpf_buf_char(b, '"');
	for (i = 0; i < t.len; i += (uint32_t)(n ? n : 1)) {
		n = cpf_utf8_len(t.s + i, t.len - i);
		if (!n || (unsigned char)t.s[i] < 0x20 || t.s[i] == 0x7f)
			cpf_buf_fmt(b, "\\x%02x", (unsigned char)t.s[i]);
		else if (t.s[i] == '"' || t.s[i] == '\\')
			cpf_buf_fmt(b, "\\%c", t.s[i]);
		else
			cpf_buf_add(b, t.s + i, (size_t)n);
	}
	cpf_buf_char(b, '"');
}

/* " KEY "TEXT"" unless the string is empty. */
static void field(struct dumper *d, const char *key, cpf_str s)
{
	if (!s)
		return;
	cpf_buf_fmt(d->out, " %s ", key);
	quote(d->out, cpf_text(d->p, s));
}

static void number(struct dumper *d, const char *key, int64_t v)
{
	if (v)
		cpf_buf_fmt(d->out, " %s %" PRId64, key, v);
}

static void end_row(struct dumper *d)
{
	cpf_buf_char(d->out, '\n');
}

/* Header and types. */

static int type_wanted(const struct dumper *d, uint32_t i)
{
	return d->keeps & CPF_KEEPS_TYPES || i == d->type;
}

static void dump_types(struct dumper *d)
{
	const struct cpf_profile *p = d->p;
	uint32_t i;

	for (i = 0; i < p->ntypes; i++) {
		if (!type_wanted(d, i))
			continue;
		cpf_buf_str(d->out, "type ");
		if (d->keeps & CPF_KEEPS_TYPES) {
			quote(d->out, cpf_text(p, p->types[i].type));
			cpf_buf_char(d->out, ' ');
			quote(d->out, cpf_text(p, p->types[i].unit));
			if (i == p->default_type)
				cpf_buf_str(d->out, " default");
		}
		end_row(d);
	}
}

static void dump_header(struct dumper *d)
{
	const struct cpf_header *h = &d->p->head;
	uint32_t i;

	if (!(d->keeps & CPF_KEEPS_HEADER))
		return;
	cpf_buf_str(d->out, "header");
	number(d, "time", h->time_nanos);
	number(d, "duration", h->duration_nanos);
	number(d, "period", h->period);
	field(d, "period-type", h->period_type);
	field(d, "period-unit", h->period_unit);
	field(d, "drop", h->drop_frames);
	field(d, "keep", h->keep_frames);
	field(d, "default", h->default_sample_type);
	field(d, "doc", h->doc_url);
	number(d, "interval", h->interval_nanos);
	field(d, "product", h->product);
	field(d, "producer", h->producer);
	field(d, "platform", h->platform);
	field(d, "marker-schema", h->marker_schema);
	number(d, "counters", d->p->ncounters);
	end_row(d);
	for (i = 0; i < h->ncomments; i++) {
		cpf_buf_str(d->out, "comment");
		field(d, "text", h->comments[i]);
		end_row(d);
	}
}

/* Rows that other rows name. */

static void add_thread(struct dumper *d, cpf_id id, int all)
{
	const struct cpf_profile *p = d->p;
	const struct cpf_thread *t;
	const struct cpf_process *r;

	if (id == CPF_NONE)
		return;
	t = &p->threads[id];
	field(d, "thread", t->name);
	field(d, "tid", t->tid);
	if (t->process != CPF_NONE) {
		r = &p->processes[t->process];
		field(d, "process", r->name);
		field(d, "pid", r->pid);
		if (all)
			field(d, "process-type", r->type);
	}
	if (!all)
		return;
	number(d, "start", t->start);
	number(d, "end", t->end);
	number(d, "flags", t->flags);
}

static void add_category(struct dumper *d, const char *key, cpf_id cat, cpf_id sub)
{
	const struct cpf_category *c;

	if (cat == CPF_NONE || !(d->keeps & CPF_KEEPS_CATEGORIES))
		return;
	c = &d->p->categories[cat];
	cpf_buf_fmt(d->out, " %s ", key);
	quote(d->out, cpf_text(d->p, c->name));
	if (sub != CPF_NONE && sub < c->nsub) {
		cpf_buf_char(d->out, '/');
		quote(d->out, cpf_text(d->p, c->sub[sub]));
	}
}

static void add_mapping(struct dumper *d, cpf_id id)
{
	const struct cpf_mapping *m = &d->p->mappings[id];

	field(d, "file", m->file);
	field(d, "name", m->name);
	field(d, "build-id", m->build_id);
	field(d, "debug-name", m->debug_name);
	field(d, "debug-path", m->debug_path);
	field(d, "debug-id", m->debug_id);
	field(d, "code-id", m->code_id);
	field(d, "arch", m->arch);
	if (d->keeps & CPF_KEEPS_ADDRESSES && (m->start || m->limit || m->offset))
		cpf_buf_fmt(d->out, " at %" PRIx64 "-%" PRIx64 "+%" PRIx64, m->start, m->limit,
			m->offset);
	if (m->flags)
		cpf_buf_fmt(d->out, " flags %x", m->flags);
	if (d->flags & CPF_DUMP_IDS)
		cpf_buf_fmt(d->out, " id %" PRIu64, m->wire_id);
}

/* One line of a location, or the location itself if it has none. */
static void add_frame(struct dumper *d, cpf_id loc, const struct cpf_line *l)
{
	const struct cpf_function *f = l ? &d->p->functions[l->function] : NULL;

	if (!(d->keeps & CPF_KEEPS_ADDRESSES) || (f && cpf_frame_named(d->p, loc, l->function))) {
		struct cpf_buf name = {0};
		struct cpf_text t;

		cpf_frame_name(&name, d->p, loc, l ? l->function : CPF_NONE);
		t.s = name.s;
		t.len = (uint32_t)name.n;
		quote(d->out, t);
		cpf_buf_release(&name);
	} else if (f) {
		quote(d->out, cpf_text(d->p, f->name));
	}
	if (!f)
		return;
	if (d->keeps & CPF_KEEPS_FILES) {
		if (f->system_name != f->name)
			field(d, "system", f->system_name);
		field(d, "in", f->file);
	}
	if (d->keeps & CPF_KEEPS_LINES) {
		number(d, "start-line", f->start_line);
		number(d, "start-column", f->start_column);
		number(d, "line", l->line);
		number(d, "column", l->column);
	}
	if (d->keeps & CPF_KEEPS_CATEGORIES)
		number(d, "flags", f->flags);
	if (d->flags & CPF_DUMP_IDS)
		cpf_buf_fmt(d->out, " id %" PRIu64, f->wire_id);
}

/* Innermost line last, as in stacks from the root; "<" joins the lines of one place. */
static void add_location(struct dumper *d, cpf_id id)
{
	struct cpf_location l;
	uint32_t i;

	cpf_get_location(d->p, id, &l, &d->lines, &d->lines_cap);
	if (!l.nlines)
		add_frame(d, id, NULL);
	for (i = l.nlines; i-- > 0;) {
		add_frame(d, id, &l.lines[i]);
		if (i)
			cpf_buf_str(d->out, d->keeps & CPF_KEEPS_INLINES ? " < " : "; ");
	}
	if (d->keeps & CPF_KEEPS_MAPPINGS && l.mapping != CPF_NONE) {
		struct cpf_text t = cpf_mapping_name(d->p, l.mapping);

		cpf_buf_str(d->out, " lib ");
		quote(d->out, t);
	}
	if (d->keeps & CPF_KEEPS_ADDRESSES) {
		if (l.address || l.flags & CPF_LOC_ADDRESS)
			cpf_buf_fmt(d->out, " at %" PRIx64, cpf_image_address(d->p, id));
		if (l.flags & CPF_LOC_FOLDED)
			cpf_buf_str(d->out, " folded");
	}
	add_category(d, "category", l.category, l.subcategory);
	if (d->keeps & CPF_KEEPS_CATEGORIES && l.symbol != CPF_NONE)
		field(d, "symbol", d->p->symbols[l.symbol].name);
	if (d->flags & CPF_DUMP_IDS)
		cpf_buf_fmt(d->out, " id %" PRIu64, l.wire_id);
}

static void add_stack(struct dumper *d, cpf_id node)
{
	const struct cpf_nodes *t = &d->p->nodes;
	size_t n = 0;

	for (; node; node = cpf_col_id(&t->parent, node)) {
		CPF_GROW(d->path, d->path_cap, n + 1);
		d->path[n++] = cpf_col_id(&t->location, node);
	}
	while (n--) {
		add_location(d, d->path[n]);
		if (n)
			cpf_buf_str(d->out, "; ");
	}
}

static void add_labels(struct dumper *d, cpf_id set)
{
	const struct cpf_label_sets *t = &d->p->label_sets;
	uint32_t i;

	for (i = t->first[set]; i < t->first[set + 1]; i++) {
		const struct cpf_label *l = &t->labels[i];

		cpf_buf_str(d->out, " label ");
		quote(d->out, cpf_text(d->p, l->key));
		cpf_buf_char(d->out, '=');
		if (l->str)
			quote(d->out, cpf_text(d->p, l->str));
		if (l->num || l->unit || !l->str)
			cpf_buf_fmt(d->out, "%" PRId64, l->num);
		if (l->unit)
			quote(d->out, cpf_text(d->p, l->unit));
	}
}

/* Everything of a sample but its values. */
static void add_sample(struct dumper *d, uint32_t i)
{
	const struct cpf_samples *s = &d->p->samples;

	if (d->keeps & CPF_KEEPS_THREADS)
		add_thread(d, cpf_col_id(&s->thread, i), 0);
	if (d->keeps & CPF_KEEPS_TIMES && s->has_time)
		cpf_buf_fmt(d->out, " time %" PRId64, cpf_col_get(&s->time, i));
	if (d->keeps & CPF_KEEPS_LABELS)
		add_labels(d, cpf_col_id(&s->labels, i));
	cpf_buf_str(d->out, ": ");
	add_stack(d, cpf_col_id(&s->node, i));
	end_row(d);
}

/* Tables. */

static void rows_begin(struct cpf_buf *b)
{
	memset(b, 0, sizeof(*b));
}

/* Sorts the rows in b (lines of text) if asked and appends them to out. */
static void rows_end(struct dumper *d, struct cpf_buf *b, struct cpf_buf *out)
{
	struct row *rows = NULL;
	size_t n = 0, cap = 0, i, at;
	char *nl;

	for (at = 0; at < b->n; at = (size_t)(nl - b->s) + 1) {
		nl = memchr(b->s + at, '\n', b->n - at);
		CPF_GROW(rows, cap, n + 1);
		rows[n].s = b->s + at;
		rows[n].n = (size_t)(nl - b->s) + 1 - at;
		rows[n++].sample = 0;
	}
	if (d->flags & CPF_DUMP_SORT && n)
		qsort(rows, n, sizeof(*rows), by_text);
	for (i = 0; i < n; i++)
		cpf_buf_add(out, rows[i].s, rows[i].n);
	cpf_free(rows);
	cpf_buf_release(b);
}

static void dump_mappings(struct dumper *d)
{
	const struct cpf_profile *p = d->p;
	uint8_t *used = cpf_calloc((size_t)p->nmappings + 1, 1);
	struct cpf_buf rows, *out = d->out;
	uint32_t i;

	for (i = 0; i < p->locations.n; i++)
		if (d->seen_loc[i] && cpf_col_id(&p->locations.mapping, i) != CPF_NONE)
			used[cpf_col_id(&p->locations.mapping, i)] = 1;
	rows_begin(&rows);
	d->out = &rows;
	for (i = 0; i < p->nmappings && d->keeps & CPF_KEEPS_MAPPINGS; i++)
		if (used[i] || d->flags & CPF_DUMP_UNUSED) {
			cpf_buf_str(d->out, "mapping");
			add_mapping(d, i);
			end_row(d);
		}
	d->out = out;
	rows_end(d, &rows, out);
	cpf_free(used);
}

static void dump_unused(struct dumper *d)
{
	const struct cpf_profile *p = d->p;
	struct cpf_buf rows, *out = d->out;
	uint8_t *used = cpf_calloc((size_t)p->nfunctions + 1, 1);
	size_t k;
	uint32_t i;

	rows_begin(&rows);
	d->out = &rows;
	for (i = 0; i < p->locations.n; i++)
		if (!d->seen_loc[i]) {
			cpf_buf_str(d->out, "unused location ");
			add_location(d, i);
			end_row(d);
		}
	for (k = 0; k < p->locations.line_fn.n; k++)
		used[cpf_col_id(&p->locations.line_fn, k)] = 1;
	for (i = 0; i < p->nfunctions; i++)
		if (!used[i]) {
			cpf_buf_str(d->out, "unused function");
			field(d, "name", p->functions[i].name);
			field(d, "system", p->functions[i].system_name);
			field(d, "in", p->functions[i].file);
			number(d, "start-line", p->functions[i].start_line);
			if (d->flags & CPF_DUMP_IDS)
				cpf_buf_fmt(d->out, " id %" PRIu64, p->functions[i].wire_id);
			end_row(d);
		}
	d->out = out;
	rows_end(d, &rows, out);
	cpf_free(used);
}

static void dump_threads(struct dumper *d)
{
	const struct cpf_profile *p = d->p;
	struct cpf_buf rows, *out = d->out;
	uint32_t i;

	rows_begin(&rows);
	d->out = &rows;
	for (i = 0; i < p->nthreads && d->keeps & CPF_KEEPS_THREADS; i++) {
		cpf_buf_str(d->out, "row");
		add_thread(d, i, 1);
		end_row(d);
	}
	d->out = out;
	rows_end(d, &rows, out);
}

static void dump_markers(struct dumper *d)
{
	static const char *const phases[] = {"instant", "interval", "start", "end"};
	const struct cpf_profile *p = d->p;
	struct cpf_buf rows, *out = d->out;
	uint32_t i;

	rows_begin(&rows);
	d->out = &rows;
	for (i = 0; i < p->nmarkers && d->keeps & CPF_KEEPS_MARKERS; i++) {
		const struct cpf_marker *m = &p->markers[i];

		cpf_buf_fmt(d->out, "marker %s %" PRId64 " %" PRId64, phases[m->phase & 3],
			m->start, m->end);
		field(d, "name", m->name);
		add_thread(d, m->thread, 0);
		add_category(d, "category", m->category, CPF_NONE);
		field(d, "data", m->data);
		if (m->stack != CPF_NONE) {
			cpf_buf_str(d->out, " stack: ");
			add_stack(d, m->stack);
		}
		end_row(d);
	}
	d->out = out;
	rows_end(d, &rows, out);
}

/* Samples. */

static void add_values(struct dumper *d, const int64_t *raw)
{
	const struct cpf_profile *p = d->p;
	struct cpf_err e = {0};
	uint32_t i;

	for (i = 0; i < p->ntypes; i++) {
		if (!type_wanted(d, i))
			continue;
		cpf_buf_char(d->out, ' ');
		if (cpf_buf_value(d->out, &p->types[i], raw[p->types[i].raw], &e))
			cpf_buf_fmt(d->out, "%" PRId64 "*%" PRId64 "/%" PRId64,
				raw[p->types[i].raw], p->types[i].num, p->types[i].den);
	}
}

static int all_zero(const struct dumper *d, const int64_t *raw)
{
	uint32_t i;

	for (i = 0; i < d->p->ntypes; i++)
		if (type_wanted(d, i) && raw[d->p->types[i].raw])
			return 0;
	return 1;
}

static void emit_samples(struct dumper *d, struct row *rows, size_t n)
{
	const struct cpf_samples *s = &d->p->samples;
	int64_t *raw = cpf_calloc((size_t)s->nraw + 1, sizeof(*raw));
	size_t i, k;
	uint32_t c;

	for (i = 0; i < n; i = k) {
		for (c = 0; c < s->nraw; c++)
			raw[c] = 0;
		for (k = i; k < n; k++) {
			if (k > i && (!(d->flags & CPF_DUMP_JOIN) || rows[k].n != rows[i].n ||
					     memcmp(rows[k].s, rows[i].s, rows[i].n)))
				break;
			for (c = 0; c < s->nraw; c++)
				raw[c] = cpf_wrap_add(
					raw[c], cpf_col_get(&s->raw[c], rows[k].sample));
		}
		if (d->flags & CPF_DUMP_JOIN && all_zero(d, raw))
			continue;
		cpf_buf_str(d->out, "sample");
		add_values(d, raw);
		cpf_buf_add(d->out, rows[i].s, rows[i].n);
	}
	cpf_free(raw);
}

static void dump_samples(struct dumper *d)
{
	const struct cpf_samples *s = &d->p->samples;
	struct row *rows = cpf_calloc((size_t)s->n + 1, sizeof(*rows));
	struct cpf_buf text = {0}, *out = d->out;
	struct cpf_arena arena = {0};
	size_t n = 0;
	uint32_t i;

	d->out = &text;
	for (i = 0; i < s->n; i++) {
		if (!(d->keeps & CPF_KEEPS_EMPTY) && !cpf_col_id(&s->node, i))
			continue;
		cpf_buf_clear(&text);
		add_sample(d, i);
		rows[n].s = cpf_arena_text(&arena, text.s, text.n);
		rows[n].n = text.n;
		rows[n++].sample = i;
	}
	d->out = out;
	if (d->flags & (CPF_DUMP_SORT | CPF_DUMP_JOIN) && n)
		qsort(rows, n, sizeof(*rows), by_text);
	emit_samples(d, rows, n);
	cpf_buf_release(&text);
	cpf_arena_release(&arena);
	cpf_free(rows);
}

static void mark_stack(struct dumper *d, uint8_t *seen, cpf_id node)
{
	for (; node && !seen[node]; node = cpf_col_id(&d->p->nodes.parent, node)) {
		seen[node] = 1;
		d->seen_loc[cpf_col_id(&d->p->nodes.location, node)] = 1;
	}
}

static void mark_locations(struct dumper *d)
{
	const struct cpf_profile *p = d->p;
	uint8_t *seen = cpf_calloc(p->nodes.n, 1);
	uint32_t i;

	d->seen_loc = cpf_calloc((size_t)p->locations.n + 1, 1);
	for (i = 0; i < p->samples.n; i++)
		mark_stack(d, seen, cpf_col_id(&p->samples.node, i));
	if (d->keeps & CPF_KEEPS_MARKERS)
		for (i = 0; i < p->nmarkers; i++)
			if (p->markers[i].stack != CPF_NONE)
				mark_stack(d, seen, p->markers[i].stack);
	cpf_free(seen);
}

void cpf_dump(struct cpf_buf *out, const struct cpf_profile *p, uint32_t keeps, uint32_t type,
	uint32_t flags)
{
	struct dumper d = {0};

	d.out = out;
	d.p = p;
	d.keeps = keeps;
	d.type = type == CPF_NONE ? p->default_type : type;
	d.flags = flags;
	mark_locations(&d);
	dump_header(&d);
	dump_types(&d);
	dump_mappings(&d);
	if (flags & CPF_DUMP_UNUSED)
		dump_unused(&d);
	dump_threads(&d);
	dump_samples(&d);
	dump_markers(&d);
	cpf_free(d.seen_loc);
	cpf_free(d.path);
	cpf_free(d.lines);
}
