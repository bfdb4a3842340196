#include "view/spans.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rowset.h"
#include "core/regex.h"

const char *const cpf_span_kinds[CPF_SPAN_KINDS] = {
	"", "io", "io copy", "blocking", "pause", "hang"};

/* What the members of a marker's data say that matter here. */
struct facts {
	char type[64], status[32], id[64], outwhy[32];
	int sync, elsewhere;
};

struct open {
	cpf_id thread;
	cpf_str name, id;
	size_t top; /* span + 1 */
};

struct builder {
	struct cpf_spans *s;
	struct cpf_profile *p;
	struct cpf_rowset set;
	struct open *open;
	size_t nopen, open_cap;
	size_t *below;          /* per span: the next one on its stack + 1 */
	size_t below_cap;
	size_t *last_run;       /* per thread: span of its last run on a CPU + 1 */
	uint8_t *last_blocked;  /* per thread: how that ended */
	int64_t *ends;          /* per thread */
	int64_t first;
	struct cpf_regex *io, *blocking;
	cpf_str blocked, preempted;
};

/* Data. */

static void copy(char *out, size_t cap, struct cpf_slice s)
{
	size_t n = s.n < cap - 1 ? s.n : cap - 1;

	memcpy(out, s.s, n);
	out[n] = '\0';
}

static int is(struct cpf_slice s, const char *word)
{
	return s.n == strlen(word) && !memcmp(s.s, word, s.n);
}

static void read_member(struct cpf_json *j, struct facts *f, struct cpf_slice key)
{
	int type = cpf_json_type(j);
	struct cpf_buf raw = {0};
	struct cpf_slice v;

	if (type == '"' && is(key, "type")) {
		copy(f->type, sizeof(f->type), cpf_json_str(j));
	} else if (type == '"' && is(key, "status")) {
		copy(f->status, sizeof(f->status), cpf_json_str(j));
	} else if (type == '"' && is(key, "outwhy")) {
		copy(f->outwhy, sizeof(f->outwhy), cpf_json_str(j));
	} else if (is(key, "id") && (type == '0' || type == '"')) {
		cpf_json_raw(j, &raw);
		v = (struct cpf_slice){raw.s, raw.n};
		copy(f->id, sizeof(f->id), v);
	} else if (is(key, "sync") && (type == 't' || type == 'f')) {
		f->sync = cpf_json_bool(j);
	} else {
		f->elsewhere |= is(key, "threadId") && type != 'n';
		cpf_json_skip(j);
	}
	cpf_buf_release(&raw);
}

static void read_facts(const struct cpf_profile *p, cpf_str data, struct facts *f)
{
	struct cpf_text t = cpf_text(p, data);
	struct cpf_slice key;
	struct cpf_json *j;

	memset(f, 0, sizeof(*f));
	if (!t.len || cpf_json_memory(&j, t.s, t.len, 0, NULL))
		return;
	if (cpf_json_type(j) == '{') {
		cpf_json_enter(j);
		while (cpf_json_key(j, &key)) {
			char name[16];
			struct cpf_slice k = {name, key.n};

			/* The key is gone after the next call; none that matters is longer. */
			if (key.n >= sizeof(name)) {
				cpf_json_skip(j);
				continue;
			}
			memcpy(name, key.s, key.n);
			read_member(j, f, k);
		}
	}
	cpf_json_close(j);
}

/* Kinds. */

static const struct known {
	const char *type; /* of the data, or name of the marker */
	uint8_t kind;
} known[] = {
	{"FileIO", CPF_SPAN_IO},
	{"DiskIO", CPF_SPAN_IO},
	{"Network", CPF_SPAN_IO},
	{"THREAD_STALLED", CPF_SPAN_BLOCKING},
	{"THREAD_SUSPENDED", CPF_SPAN_BLOCKING},
	{"GC_PAUSE", CPF_SPAN_PAUSE},
	{"GCMajor", CPF_SPAN_PAUSE},
	{"GCMinor", CPF_SPAN_PAUSE},
	{"GCSlice", CPF_SPAN_PAUSE},
	{"CC", CPF_SPAN_PAUSE},
	{"CCSlice", CPF_SPAN_PAUSE},
	{"MainThreadLongTask", CPF_SPAN_HANG},
	{"BHR-detected hang", CPF_SPAN_HANG},
	{"Jank", CPF_SPAN_HANG},
};

static int matches(
	struct cpf_regex *re, const struct cpf_profile *p, cpf_str name, const char *type)
{
	return re && (cpf_regex_match_str(re, p, name) ||
			     (type[0] && cpf_regex_match(re, type, strlen(type))));
}

static uint8_t kind_of(struct builder *b, const struct cpf_marker *m, const struct facts *f)
{
	const char *name = cpf_cstr(b->p, m->name);
	size_t i;

	if (matches(b->blocking, b->p, m->name, f->type))
		return CPF_SPAN_BLOCKING;
	if (matches(b->io, b->p, m->name, f->type))
		return f->elsewhere ? CPF_SPAN_IO_COPY : CPF_SPAN_IO;
	if (!strcmp(f->type, "IPC") && f->sync)
		return CPF_SPAN_BLOCKING;
	for (i = 0; i < CPF_LEN(known); i++)
		if (!strcmp(f->type, known[i].type) || !strcmp(name, known[i].type))
			return known[i].kind == CPF_SPAN_IO && f->elsewhere ? CPF_SPAN_IO_COPY
									    : known[i].kind;
	return CPF_SPAN_PLAIN;
}

/* Pairing. */

static struct open *find_open(struct builder *b, const struct cpf_marker *m, cpf_str id)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)m->name << 32 | m->thread);
	struct cpf_rowset_it it;
	uint32_t i;

	h = cpf_hash_mix(h, id);
	for (i = cpf_rowset_first(&b->set, h, &it); i != CPF_ROWSET_END;
		i = cpf_rowset_next(&b->set, &it)) {
		struct open *o = &b->open[i];

		if (o->thread == m->thread && o->name == m->name && o->id == id)
			return o;
	}
	CPF_GROW(b->open, b->open_cap, b->nopen + 1);
	b->open[b->nopen] = (struct open){m->thread, m->name, id, 0};
	cpf_rowset_add(&b->set, h, (uint32_t)b->nopen);
	return &b->open[b->nopen++];
}

static struct cpf_span *add_span(struct builder *b, cpf_id marker, int64_t start, int64_t end)
{
	const struct cpf_marker *m = &b->p->markers[marker];
	struct cpf_spans *s = b->s;
	struct cpf_span *v;

	CPF_GROW(s->v, s->cap, s->n + 1);
	CPF_GROW(b->below, b->below_cap, s->n + 1);
	v = &s->v[s->n];
	b->below[s->n++] = 0;
	*v = (struct cpf_span){start, end, marker, CPF_NONE, m->name, m->thread, CPF_SPAN_PLAIN, 0};
	return v;
}

/* The time between two runs on a CPU: the thread waited, or was not let. */
static void add_gap(struct builder *b, cpf_id marker, const struct facts *f, size_t run)
{
	const struct cpf_marker *m = &b->p->markers[marker];
	int blocked = !strcmp(f->outwhy, "blocked");
	struct cpf_span *gap;

	if (m->thread >= b->p->nthreads)
		return;
	if (b->last_run[m->thread] && b->last_blocked[m->thread]) {
		int64_t from = b->s->v[b->last_run[m->thread] - 1].end;

		if (m->start > from) {
			gap = add_span(b, marker, from, m->start);
			gap->flags = CPF_SPAN_MADE;
			gap->name = b->last_blocked[m->thread] == 2 ? b->blocked : b->preempted;
			gap->kind = b->last_blocked[m->thread] == 2 ? CPF_SPAN_BLOCKING : CPF_SPAN_PLAIN;
		}
	}
	b->last_run[m->thread] = run + 1;
	b->last_blocked[m->thread] = blocked ? 2 : !strcmp(f->outwhy, "preempted");
}

static void push(struct builder *b, struct open *o)
{
	b->below[b->s->n - 1] = o->top;
	o->top = b->s->n;
}

static void close_span(struct builder *b, cpf_id marker, struct open *o, int64_t end, uint8_t kind)
{
	struct cpf_span *v;

	if (o->top) {
		v = &b->s->v[o->top - 1];
		o->top = b->below[o->top - 1];
		v->end = end > v->start ? end : v->start;
		v->end_marker = marker;
		v->flags &= (uint8_t)~CPF_SPAN_NO_END;
		if (kind)
			v->kind = kind;
		return;
	}
	v = add_span(b, marker, b->first < end ? b->first : end, end);
	v->flags = CPF_SPAN_NO_START;
	v->kind = kind;
}

static void add_marker(struct builder *b, cpf_id i)
{
	const struct cpf_marker *m = &b->p->markers[i];
	struct cpf_span *v;
	struct facts f;
	uint8_t kind;
	size_t run;

	read_facts(b->p, m->data, &f);
	kind = kind_of(b, m, &f);
	if (!strcmp(f.type, "Network") && f.id[0] && m->phase == CPF_MARK_INTERVAL) {
		struct open *o = find_open(b, m, cpf_intern_z(b->p, f.id));

		if (strcmp(f.status, "STATUS_START") != 0 && o->top) {
			close_span(b, i, o, m->end, kind);
			return;
		}
		v = add_span(b, i, m->start, m->end);
		v->kind = kind;
		if (!strcmp(f.status, "STATUS_START"))
			push(b, o);
		return;
	}
	switch (m->phase) {
	case CPF_MARK_INTERVAL:
		run = b->s->n;
		v = add_span(b, i, m->start, m->end > m->start ? m->end : m->start);
		v->kind = kind;
		if (!strcmp(f.type, "OnCpu"))
			add_gap(b, i, &f, run);
		break;
	case CPF_MARK_START:
		v = add_span(b, i, m->start,
			m->thread < b->p->nthreads && b->ends[m->thread] > m->start ? b->ends[m->thread]
										    : m->start);
		v->kind = kind;
		v->flags = CPF_SPAN_NO_END;
		push(b, find_open(b, m, 0));
		break;
	case CPF_MARK_END:
		close_span(b, i, find_open(b, m, 0), m->end, kind);
		break;
	default:
		v = add_span(b, i, m->start, m->start);
		v->kind = kind;
		v->flags = CPF_SPAN_INSTANT;
		break;
	}
}

/* Times. */

static int64_t last_time(const struct cpf_marker *m)
{
	return m->phase == CPF_MARK_INTERVAL && m->end > m->start ? m->end : m->start;
}

int64_t cpf_spans_zero(const struct cpf_profile *p)
{
	int64_t first = INT64_MAX, t;
	uint32_t i;

	for (i = 0; p->samples.has_time && i < p->samples.n; i++) {
		t = cpf_col_get(&p->samples.time, i);
		first = t < first ? t : first;
	}
	for (i = 0; first == INT64_MAX && i < p->nmarkers; i++)
		first = p->markers[i].start < first ? p->markers[i].start : first;
	return first == INT64_MAX ? 0 : first;
}

/* The end of a thread is its last sample, or the last thing a marker tells of it. */
static void find_ends(struct builder *b)
{
	const struct cpf_profile *p = b->p;
	int64_t t;
	uint32_t i;
	cpf_id th;

	b->ends = cpf_calloc((size_t)p->nthreads + 1, sizeof(*b->ends));
	for (i = 0; i < p->nthreads; i++)
		b->ends[i] = INT64_MIN;
	b->first = cpf_spans_zero(p);
	for (i = 0; p->samples.has_time && i < p->samples.n; i++) {
		th = cpf_col_id(&p->samples.thread, i);
		t = cpf_col_get(&p->samples.time, i);
		if (th < p->nthreads && t > b->ends[th])
			b->ends[th] = t;
	}
	for (i = 0; i < p->nmarkers; i++) {
		th = p->markers[i].thread;
		t = last_time(&p->markers[i]);
		if (th < p->nthreads && t > b->ends[th])
			b->ends[th] = t;
		if (p->markers[i].start < b->first)
			b->first = p->markers[i].start;
	}
}

int cpf_spans_build(struct cpf_spans *s, struct cpf_profile *p, const struct cpf_spans_opts *o,
	struct cpf_err *e)
{
	struct builder b = {.s = s, .p = p};
	cpf_id i;
	int r = -1;

	memset(s, 0, sizeof(*s));
	s->zero = cpf_spans_zero(p);
	if (o->io && cpf_regex_new(&b.io, "io", o->io, e))
		goto out;
	if (o->blocking && cpf_regex_new(&b.blocking, "blocking", o->blocking, e))
		goto out;
	b.last_run = cpf_calloc((size_t)p->nthreads + 1, sizeof(*b.last_run));
	b.last_blocked = cpf_calloc((size_t)p->nthreads + 1, 1);
	b.blocked = cpf_intern_z(p, "(blocked)");
	b.preempted = cpf_intern_z(p, "(preempted)");
	find_ends(&b);
	for (i = 0; i < p->nmarkers; i++)
		add_marker(&b, i);
	r = 0;
	if ((b.io && cpf_regex_status(b.io, e)) || (b.blocking && cpf_regex_status(b.blocking, e)))
		r = -1;
out:
	cpf_regex_free(b.io);
	cpf_regex_free(b.blocking);
	cpf_rowset_release(&b.set);
	cpf_free(b.open);
	cpf_free(b.below);
	cpf_free(b.last_run);
	cpf_free(b.last_blocked);
	cpf_free(b.ends);
	return r;
}

void cpf_spans_release(struct cpf_spans *s)
{
	cpf_free(s->v);
	memset(s, 0, sizeof(*s));
}
