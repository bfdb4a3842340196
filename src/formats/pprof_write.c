#include "base/base.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/output.h"
#include "formats/firefox_write.h"
#include "formats/pprof_write.h"

#include "profile.pb-c.h"

#define CHUNK ((size_t)64 << 10)

/* A varint; ids up to 2^49, as all are that are numbered here, else n is 0. */
struct wire_id {
	char s[7];
	uint8_t n;
};

struct writer {
	struct cpf_pb_plan plan;
	int apart;            /* stacks of samples are not written */
	struct cpf_output *out;
	struct cpf_buf buf;   /* on its way to out */
	struct cpf_buf body;  /* of the message in work */
	struct cpf_buf label; /* of one label in it */
	struct cpf_buf labels; /* fields of the labels of a sample, as of label_set and thread: */
	cpf_id label_set, label_thread;
	int have_labels;
	struct wire_id *wire;  /* by location: its id as it is written */
	char *stack;           /* packed ids of the sample in work, leaf first */
	size_t stack_cap;
	char *values;          /* its packed values */
	int64_t *carry; /* by value type: what rounding has left over so far */
	uint64_t replaced; /* texts that were not UTF-8 */
	uint64_t rounded; /* values that were no whole numbers; parts of nanoseconds are not counted */
	Perftools__Profiles__Line *lines, **line_ptrs;
	size_t lines_cap, line_ptrs_cap;
};

/* Wire. */

static void flush(struct writer *w, size_t above)
{
	if (w->buf.n <= above)
		return;
	cpf_output_write(w->out, w->buf.s, w->buf.n);
	cpf_buf_clear(&w->buf);
}

static char *put_varint(char *s, uint64_t v)
{
	while (v >= 0x80) {
		*s++ = (char)(v | 0x80);
		v >>= 7;
	}
	*s++ = (char)v;
	return s;
}

static size_t varint_size(uint64_t v)
{
	size_t n = 1;

	while (v >= 0x80) {
		v >>= 7;
		n++;
	}
	return n;
}

static void add_varint(struct cpf_buf *b, uint64_t v)
{
	char *s = cpf_buf_room(b, 10);

	b->n += (size_t)(put_varint(s, v) - s);
}

/* proto3: a number that is 0 is not written. */
static void add_number(struct cpf_buf *b, unsigned field, uint64_t v)
{
	if (!v)
		return;
	add_varint(b, field << 3 | PB_VARINT);
	add_varint(b, v);
}

static void add_bytes(struct cpf_buf *b, unsigned field, const char *s, size_t n)
{
	add_varint(b, field << 3 | PB_BYTES);
	add_varint(b, n);
	cpf_buf_add(b, s, n);
}

/* A message packed by protobuf-c, as a field of the Profile. */
static void add_message(struct writer *w, unsigned field, const ProtobufCMessage *m)
{
	size_t n = protobuf_c_message_get_packed_size(m);

	add_varint(&w->buf, field << 3 | PB_BYTES);
	add_varint(&w->buf, n);
	protobuf_c_message_pack(m, (uint8_t *)cpf_buf_room(&w->buf, n));
	w->buf.n += n;
	flush(w, CHUNK);
}

/* Samples, by hand: there are many, and protobuf-c wants each as a tree of pointers. */

static void make_wire_ids(struct writer *w)
{
	const struct cpf_pb_plan *plan = &w->plan;
	uint32_t i, n = plan->p->locations.n;
	char text[10];
	size_t len;

	w->wire = cpf_calloc((size_t)n + 1, sizeof(*w->wire));
	for (i = 0; i < n; i++) {
		len = (size_t)(put_varint(text, plan->location_id[i]) - text);
		if (len > sizeof(w->wire[i].s))
			continue;
		memcpy(w->wire[i].s, text, len);
		w->wire[i].n = (uint8_t)len;
	}
}

/* Returns how many bytes the ids take in w->stack. */
static size_t pack_stack(struct writer *w, uint32_t node)
{
	const struct cpf_pb_plan *plan = &w->plan;
	const struct wire_id *id;
	size_t n = 0;

	for (; node; node = plan->parent[node]) {
		if (CPF_UNLIKELY(w->stack_cap - n < 16))
			CPF_GROW(w->stack, w->stack_cap, w->stack_cap + 1024);
		id = &w->wire[plan->location[node]];
		if (CPF_LIKELY(id->n)) {
			/* Bytes behind the id are overwritten by the next. */
			memcpy(w->stack + n, id, sizeof(*id));
			n += id->n;
		} else {
			n = (size_t)(put_varint(w->stack + n,
					     plan->location_id[plan->location[node]]) -
				     w->stack);
		}
	}
	return n;
}

/*
 * raw * num / den, where what the division leaves over goes into the next value of the type, so
 * that the sum of what is written is the sum of what was measured, rounded once.
 */
static int scaled(int64_t *out, const struct cpf_value_type *t, int64_t raw, int64_t *carry,
	struct cpf_err *e)
{
	int64_t whole, part, q = raw / t->den, r = raw % t->den;

	if (t->num == 1 && t->den == 1) {
		*out = raw;
		return 0;
	}
	if (cpf_mul64(&whole, q, t->num) || cpf_mul64(&part, r, t->num) ||
		cpf_add64(&part, part, *carry))
		goto range;
	q = part / t->den;
	r = part % t->den;
	if (r < 0) {
		q--;
		r += t->den;
	}
	*carry = r;
	if (!cpf_add64(out, whole, q))
		return 0;
range:
	return cpf_fail(e, CPF_E_RANGE,
		"value %" PRId64 " times %" PRId64 "/%" PRId64 " does not fit 64 bits", raw, t->num,
		t->den);
}

static int has_part(const struct cpf_profile *p, const struct cpf_value_type *t, int64_t raw)
{
	int64_t part;

	return !cpf_unit_is_time(cpf_cstr(p, t->unit)) &&
	       !cpf_mul64(&part, raw % t->den, t->num) && part % t->den != 0;
}

static int pack_values(
	struct writer *w, uint32_t row, uint32_t sample, size_t *n, struct cpf_err *e)
{
	const struct cpf_profile *p = w->plan.p;
	const int64_t *sums = w->plan.rows.sums;
	char *to = w->values;
	int64_t raw, v = 0;
	uint32_t i, col;

	for (i = 0; i < p->ntypes; i++) {
		col = p->types[i].raw;
		raw = sums ? sums[(size_t)row * p->samples.nraw + col]
			   : cpf_col_get(&p->samples.raw[col], sample);
		if (scaled(&v, &p->types[i], raw, &w->carry[i], e))
			return -1;
		if (CPF_UNLIKELY(p->types[i].den != 1))
			w->rounded += (uint64_t)has_part(p, &p->types[i], raw);
		to = put_varint(to, (uint64_t)v);
	}
	*n = (size_t)(to - w->values);
	return 0;
}

static void add_label(struct writer *w, uint32_t key, uint32_t str, int64_t num, uint32_t unit)
{
	struct cpf_buf *b = &w->label;

	cpf_buf_clear(b);
	add_number(b, PB_LABEL_KEY, key);
	add_number(b, PB_LABEL_STR, str);
	add_number(b, PB_LABEL_NUM, (uint64_t)num);
	add_number(b, PB_LABEL_NUM_UNIT, unit);
	add_bytes(&w->labels, PB_SAMPLE_LABEL, b->s, b->n);
}

static void add_thread_label(struct writer *w, uint32_t set, uint32_t key, cpf_str text)
{
	const struct cpf_label_sets *t = &w->plan.p->label_sets;
	uint32_t i, str = w->plan.string_index[text];

	if (!text)
		return;
	for (i = t->first[set]; i < t->first[set + 1]; i++)
		if (w->plan.string_index[t->labels[i].key] == key)
			return;
	add_label(w, key, str, 0, 0);
}

/* Samples beside each other mostly have the same. */
static void make_labels(struct writer *w, uint32_t sample)
{
	const struct cpf_pb_plan *plan = &w->plan;
	const struct cpf_profile *p = plan->p;
	const struct cpf_label_sets *t = &p->label_sets;
	uint32_t i, set = cpf_col_id(&p->samples.labels, sample);
	uint32_t thread = plan->as_is ? CPF_NONE : cpf_col_id(&p->samples.thread, sample);
	cpf_str texts[CPF_PB_THREAD_KEYS];

	if (w->have_labels && set == w->label_set && thread == w->label_thread)
		return;
	cpf_buf_clear(&w->labels);
	w->label_set = set;
	w->label_thread = thread;
	w->have_labels = !plan->times;
	for (i = t->first[set]; i < t->first[set + 1]; i++)
		/* A time as it was before profiles were pooled. */
		if (!plan->times || plan->string_index[t->labels[i].key] != plan->key_time)
			add_label(w, plan->string_index[t->labels[i].key],
				plan->string_index[t->labels[i].str], t->labels[i].num,
				plan->string_index[t->labels[i].unit]);
	if (thread != CPF_NONE) {
		cpf_pb_thread_texts(p, thread, texts);
		for (i = 0; i < CPF_PB_THREAD_KEYS; i++)
			add_thread_label(w, set, plan->keys[i], texts[i]);
	}
	if (plan->times)
		add_label(
			w, plan->key_time, 0, cpf_col_get(&p->samples.time, sample), plan->unit_ns);
}

static size_t packed_size(size_t n)
{
	return n ? 1 + varint_size(n) + n : 0;
}

static char *put_packed(char *to, unsigned field, const char *s, size_t n)
{
	if (!n)
		return to;
	*to++ = (char)(field << 3 | PB_BYTES);
	to = put_varint(to, n);
	memcpy(to, s, n);
	return to + n;
}

static int write_samples(struct writer *w, struct cpf_err *e)
{
	const struct cpf_pb_plan *plan = &w->plan;
	size_t stack, values = 0, n;
	uint32_t i, sample;
	char *to;

	make_wire_ids(w);
	w->values = cpf_malloc((size_t)plan->p->ntypes * 10);
	for (i = 0; i < plan->rows.n; i++) {
		sample = plan->rows.sample ? plan->rows.sample[i] : i;
		stack = w->apart ? 0 : pack_stack(w, cpf_col_id(&plan->p->samples.node, sample));
		if (pack_values(w, i, sample, &values, e))
			return -1;
		make_labels(w, sample);
		n = packed_size(stack) + packed_size(values) + w->labels.n;
		to = cpf_buf_room(&w->buf, n + 11);
		*to++ = PB_SAMPLE << 3 | PB_BYTES;
		to = put_varint(to, n);
		to = put_packed(to, PB_SAMPLE_LOCATION_ID, w->stack, stack);
		to = put_packed(to, PB_SAMPLE_VALUE, w->values, values);
		if (w->labels.n)
			memcpy(to, w->labels.s, w->labels.n);
		w->buf.n = (size_t)(to - w->buf.s) + w->labels.n;
		flush(w, CHUNK);
	}
	return 0;
}

/* Tables. */

static void write_type(struct writer *w, unsigned field, uint32_t type, uint32_t unit)
{
	Perftools__Profiles__ValueType m = PERFTOOLS__PROFILES__VALUE_TYPE__INIT;

	m.type = type;
	m.unit = unit;
	add_message(w, field, &m.base);
}

static void write_mapping(struct writer *w, uint32_t i)
{
	const struct cpf_pb_plan *plan = &w->plan;
	const struct cpf_mapping *t = &plan->p->mappings[i];
	Perftools__Profiles__Mapping m = PERFTOOLS__PROFILES__MAPPING__INIT;

	m.id = plan->mapping_id[i];
	m.memory_start = t->start;
	m.memory_limit = plan->limit[i];
	m.file_offset = t->offset;
	m.filename = plan->string_index[t->file || plan->as_is ? t->file : t->name];
	m.build_id = plan->string_index[t->build_id];
	m.has_functions = (plan->flags[i] & CPF_MAP_HAS_FUNCTIONS) != 0;
	m.has_filenames = (plan->flags[i] & CPF_MAP_HAS_FILENAMES) != 0;
	m.has_line_numbers = (plan->flags[i] & CPF_MAP_HAS_LINES) != 0;
	m.has_inline_frames = (plan->flags[i] & CPF_MAP_HAS_INLINES) != 0;
	add_message(w, PB_MAPPING, &m.base);
}

static void write_mappings(struct writer *w)
{
	const struct cpf_pb_plan *plan = &w->plan;
	uint32_t i;

	if (plan->first_mapping != CPF_NONE)
		write_mapping(w, plan->first_mapping);
	for (i = 0; i < plan->p->nmappings; i++)
		if (plan->mapping_id[i] && i != plan->first_mapping)
			write_mapping(w, i);
}

static size_t fill_lines(struct writer *w, uint32_t location)
{
	const struct cpf_locations *t = &w->plan.p->locations;
	size_t first = (size_t)cpf_col_get(&t->first, location), i;
	size_t n = (size_t)cpf_col_get(&t->first, (size_t)location + 1) - first;

	if (!w->plan.as_is && !cpf_pb_keeps_lines(w->plan.p, location))
		return 0;
	CPF_GROW(w->lines, w->lines_cap, n);
	CPF_GROW(w->line_ptrs, w->line_ptrs_cap, n);
	for (i = 0; i < n; i++) {
		Perftools__Profiles__Line *l = &w->lines[i];

		perftools__profiles__line__init(l);
		l->function_id = w->plan.function_id[cpf_col_id(&t->line_fn, first + i)];
		l->line = cpf_col_get(&t->line_no, first + i);
		l->column = cpf_col_get(&t->line_col, first + i);
		w->line_ptrs[i] = l;
	}
	return n;
}

static void write_locations(struct writer *w)
{
	const struct cpf_pb_plan *plan = &w->plan;
	const struct cpf_locations *t = &plan->p->locations;
	uint32_t i;
	cpf_id m;

	for (i = 0; i < t->n; i++) {
		Perftools__Profiles__Location l = PERFTOOLS__PROFILES__LOCATION__INIT;

		if (!plan->location_id[i])
			continue;
		m = cpf_col_id(&t->mapping, i);
		l.id = plan->location_id[i];
		l.mapping_id = m == CPF_NONE ? 0 : plan->mapping_id[m];
		l.address = (uint64_t)cpf_col_get(&t->address, i);
		l.is_folded = (cpf_col_get(&t->flags, i) & CPF_LOC_FOLDED) != 0;
		l.n_line = fill_lines(w, i);
		l.line = w->line_ptrs;
		add_message(w, PB_LOCATION, &l.base);
	}
}

/*
 * pprof shortens a readable name if it equals the system name, and leaves it alone if there is
 * none; a mangled one it demangles from the system name.
 */
static cpf_str system_name(const struct writer *w, const struct cpf_function *f)
{
	const char *name = cpf_cstr(w->plan.p, f->name);

	if (!f->system_name && !w->plan.as_is &&
		(!strncmp(name, "_Z", 2) || !strncmp(name, "__Z", 3) || !strncmp(name, "_R", 2)))
		return f->name;
	return f->system_name;
}

static void write_functions(struct writer *w)
{
	const struct cpf_pb_plan *plan = &w->plan;
	uint32_t i;

	for (i = 0; i < plan->p->nfunctions; i++) {
		const struct cpf_function *t = &plan->p->functions[i];
		Perftools__Profiles__Function m = PERFTOOLS__PROFILES__FUNCTION__INIT;

		if (!plan->function_id[i])
			continue;
		m.id = plan->function_id[i];
		m.name = plan->string_index[t->name];
		m.system_name = plan->string_index[system_name(w, t)];
		m.filename = plan->string_index[t->file];
		m.start_line = t->start_line;
		add_message(w, PB_FUNCTION, &m.base);
	}
}

/* Strict readers want UTF-8. What came from pprof stays as it is, byte for byte. */
static void write_string(struct writer *w, const char *s, size_t n)
{
	if (w->plan.as_is) {
		add_bytes(&w->buf, PB_STRING_TABLE, s, n);
	} else {
		cpf_buf_clear(&w->body);
		w->replaced += cpf_buf_utf8(&w->body, s, n) != 0;
		add_bytes(&w->buf, PB_STRING_TABLE, w->body.s, w->body.n);
	}
	flush(w, CHUNK);
}

static void write_strings(struct writer *w)
{
	const struct cpf_pb_plan *plan = &w->plan;
	uint32_t i, n = cpf_nstrings(plan->p);
	struct cpf_text t;

	write_string(w, "", 0);
	for (i = 1; i < n; i++)
		if (plan->string_index[i]) {
			t = cpf_text(plan->p, i);
			write_string(w, t.s, t.len);
		}
	for (i = 0; i < plan->ntexts; i++)
		write_string(w, plan->texts[i].s, plan->texts[i].len);
}

static void write_header(struct writer *w)
{
	const struct cpf_pb_plan *plan = &w->plan;
	const struct cpf_header *h = &plan->p->head;
	uint32_t i;

	add_number(&w->buf, PB_DROP_FRAMES, plan->string_index[h->drop_frames]);
	add_number(&w->buf, PB_KEEP_FRAMES, plan->string_index[h->keep_frames]);
	add_number(&w->buf, PB_TIME_NANOS, (uint64_t)h->time_nanos);
	add_number(&w->buf, PB_DURATION_NANOS, (uint64_t)h->duration_nanos);
	if (plan->has_period_type)
		write_type(w, PB_PERIOD_TYPE, plan->period_type, plan->period_unit);
	add_number(&w->buf, PB_PERIOD, (uint64_t)plan->period);
	cpf_buf_clear(&w->body);
	for (i = 0; i < plan->ncomments; i++)
		add_varint(&w->body, plan->comments[i]);
	if (plan->ncomments)
		add_bytes(&w->buf, PB_COMMENT, w->body.s, w->body.n);
	add_number(&w->buf, PB_DEFAULT_SAMPLE_TYPE, plan->default_type);
	add_number(&w->buf, PB_DOC_URL, plan->string_index[h->doc_url]);
	flush(w, 0);
}

static int same(struct cpf_text a, struct cpf_text b)
{
	return a.len == b.len && (!a.len || !memcmp(a.s, b.s, a.len));
}

/* A mapping has a path, whose last element is what the library is called. */
static int name_follows(const struct cpf_profile *p, cpf_id mapping)
{
	const struct cpf_mapping *m = &p->mappings[mapping];
	struct cpf_text name = cpf_mapping_name(p, mapping);

	return same(name, cpf_basename(cpf_text(p, m->file ? m->file : m->name))) &&
	       (!m->debug_name || !cpf_fw_ids_follow(p, mapping) ||
		       same(name, cpf_text(p, m->debug_name)));
}

static void note_losses(const struct cpf_profile *p, struct cpf_diag *d)
{
	int64_t n = 0, names = 0;
	uint32_t i;

	if (!d)
		return;
	for (i = 0; i < p->nmappings; i++) {
		n += !cpf_fw_ids_follow(p, i);
		names += !name_follows(p, i);
	}
	if (names)
		cpf_note(d, CPF_LOSS, "library-names", names, "names of %" PRId64 " librar%s",
			names, names == 1 ? "y" : "ies");
	if (n)
		cpf_note(d, CPF_LOSS, "debug-ids", n, "debug ids of %" PRId64 " librar%s", n,
			n == 1 ? "y" : "ies");
	if (p->nmarkers)
		cpf_note(d, CPF_LOSS, "markers", p->nmarkers, "pprof has no place for markers");
	if (p->ncounters)
		cpf_note(d, CPF_LOSS, "counters", p->ncounters, "pprof has no place for counters");
}

static int write_all(struct writer *w, struct cpf_err *e)
{
	const struct cpf_profile *p = w->plan.p;
	uint32_t i;

	w->carry = cpf_calloc(p->ntypes, sizeof(*w->carry));
	for (i = 0; i < p->ntypes; i++) {
		w->carry[i] = p->types[i].den / 2;
		write_type(w, PB_SAMPLE_TYPE, w->plan.string_index[p->types[i].type],
			w->plan.string_index[p->types[i].unit]);
	}
	if (write_samples(w, e))
		return -1;
	write_mappings(w);
	write_locations(w);
	write_functions(w);
	write_strings(w);
	write_header(w);
	return 0;
}

static void release_writer(struct writer *w)
{
	cpf_pb_plan_release(&w->plan);
	cpf_buf_release(&w->buf);
	cpf_buf_release(&w->body);
	cpf_buf_release(&w->label);
	cpf_buf_release(&w->labels);
	cpf_free(w->wire);
	cpf_free(w->stack);
	cpf_free(w->values);
	cpf_free(w->carry);
	cpf_free(w->lines);
	cpf_free(w->line_ptrs);
}

int cpf_pprof_write(const struct cpf_profile *p, struct cpf_output *out,
	const struct cpf_save_opts *o, struct cpf_diag *d, struct cpf_err *e)
{
	struct writer w = {.out = out};
	int bad;

	note_losses(p, d);
	bad = cpf_pb_plan_make(&w.plan, p, o, e) || write_all(&w, e);
	if (w.replaced && d)
		cpf_note(d, CPF_LOSS, "bytes", (int64_t)w.replaced,
			"bytes that are not UTF-8 in %" PRIu64 " name%s", w.replaced,
			w.replaced == 1 ? "" : "s");
	if (w.rounded && d)
		cpf_note(d, CPF_LOSS, "decimals", (int64_t)w.rounded, "decimals of %" PRIu64 " value%s",
			w.rounded, w.rounded == 1 ? "" : "s");
	release_writer(&w);
	return bad ? -1 : 0;
}

static void take_stacks(struct cpf_pb_plan *plan, struct cpf_pb_apart *a)
{
	const struct cpf_col *nodes = &plan->p->samples.node;
	uint32_t i;

	a->nnodes = plan->p->nodes.n;
	a->parent = plan->parent;
	a->location = plan->location;
	plan->parent = plan->location = NULL;
	/* Locations stand in the file in the order of their ids, which count from 1. */
	for (i = 1; i < a->nnodes; i++)
		if (a->location[i] != CPF_NONE)
			a->location[i] = (uint32_t)plan->location_id[a->location[i]] - 1;
	a->nleaves = plan->rows.n;
	a->leaf = cpf_realloc_array(NULL, (size_t)a->nleaves + 1, sizeof(*a->leaf));
	for (i = 0; i < a->nleaves; i++)
		a->leaf[i] = cpf_col_id(nodes, plan->rows.sample ? plan->rows.sample[i] : i);
}

int cpf_pb_write_apart(const struct cpf_profile *p, struct cpf_output *out, struct cpf_pb_apart *a,
	struct cpf_err *e)
{
	struct cpf_save_opts save = {.type = CPF_NONE};
	struct writer w = {.out = out, .apart = 1};
	int bad;

	memset(a, 0, sizeof(*a));
	bad = cpf_pb_plan_make(&w.plan, p, &save, e) || write_all(&w, e);
	if (!bad)
		take_stacks(&w.plan, a);
	release_writer(&w);
	return bad ? -1 : 0;
}

void cpf_pb_apart_release(struct cpf_pb_apart *a)
{
	cpf_free(a->parent);
	cpf_free(a->location);
	cpf_free(a->leaf);
	memset(a, 0, sizeof(*a));
}
