#include "symbolize/driver.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/par.h"
#include "core/frame.h"
#include "symbolize/apply.h"

#include <pthread.h>
#include <stdlib.h>

#define MAX_SYMBOLIZERS 16

struct driver {
	struct cpf_profile *p;
	const struct cpf_symbolize_opts *o;
	struct cpf_sym_place *places;
	size_t nplaces, places_cap;
	struct cpf_sym_job *jobs;   /* in order of mappings */
	struct cpf_sym_job **job_of; /* per mapping */
	struct cpf_sym_job **queue; /* the longest first */
	size_t njobs, next;
	pthread_mutex_t lock;       /* of next */
	uint8_t *bare;              /* per mapping: 1 if it has unnamed places without address */
	const struct cpf_symbolizer *open[MAX_SYMBOLIZERS];
	void *state[MAX_SYMBOLIZERS];
	size_t nopen;
};

const char *cpf_why_phrase(enum cpf_why why)
{
	switch (why) {
	case CPF_WHY_NO_LIBRARY:
		return "address of no library";
	case CPF_WHY_NO_ADDRESS:
		return "no address known";
	case CPF_WHY_NO_FILE:
		return "file not found";
	case CPF_WHY_ID_DIFFERS:
		return "build id differs";
	case CPF_WHY_NO_ID:
		return "no build id to compare";
	case CPF_WHY_NO_SYMBOLS:
		return "no symbols";
	case CPF_WHY_OUTSIDE:
		return "outside every symbol";
	case CPF_WHY_UNSUPPORTED:
		return "not read";
	case CPF_WHY_FAILED:
		return "could not be read";
	case CPF_WHY_OFF:
		return "not looked for";
	default:
		return "no source of names";
	}
}

/* What has to be named. */

/* Per function: 1 if it has a name that is no address in disguise. */
static uint8_t *proper_names(const struct cpf_profile *p)
{
	uint8_t *proper = cpf_calloc((size_t)p->nfunctions + 1, 1);
	uint32_t i;

	for (i = 0; i < p->nfunctions; i++) {
		struct cpf_text t = cpf_text(p, p->functions[i].name);

		proper[i] = t.len && !cpf_is_hex_name(t.s, t.len) && !cpf_is_made_up_name(t.s, t.len);
	}
	return proper;
}

/* Per location: 1 if no line has a proper name. NULL if there is no such location. */
static uint8_t *unnamed_locations(const struct cpf_profile *p)
{
	const struct cpf_locations *t = &p->locations;
	uint8_t *proper = proper_names(p), *unnamed = cpf_calloc((size_t)t->n + 1, 1);
	size_t from, to = t->n ? (size_t)cpf_col_get(&t->first, 0) : 0;
	uint32_t i, found = 0;

	for (i = 0; i < t->n; i++) {
		from = to;
		to = (size_t)cpf_col_get(&t->first, (size_t)i + 1);
		for (; from < to && !proper[cpf_col_id(&t->line_fn, from)]; from++)
			;
		unnamed[i] = from == to;
		found += unnamed[i];
	}
	cpf_free(proper);
	if (found)
		return unnamed;
	cpf_free(unnamed);
	return NULL;
}

/* Leaves those marked that occur in stacks of samples, and of markers if they count. */
static void keep_used(const struct cpf_profile *p, int markers, uint8_t *unnamed)
{
	uint8_t *used = cpf_calloc(p->nodes.n, 1);
	uint8_t *seen = cpf_calloc((size_t)p->locations.n + 1, 1);
	uint32_t i;

	for (i = 0; i < p->samples.n; i++)
		used[cpf_col_id(&p->samples.node, i)] = 1;
	for (i = 0; markers && i < p->nmarkers; i++)
		if (p->markers[i].stack != CPF_NONE)
			used[p->markers[i].stack] = 1;
	for (i = p->nodes.n; i-- > 1;) {
		if (!used[i])
			continue;
		used[cpf_col_id(&p->nodes.parent, i)] = 1;
		seen[cpf_col_id(&p->nodes.location, i)] = 1;
	}
	for (i = 0; i < p->locations.n; i++)
		unnamed[i] &= seen[i];
	cpf_free(used);
	cpf_free(seen);
}

static void gather_places(struct driver *v, const uint8_t *unnamed)
{
	const struct cpf_profile *p = v->p;
	uint32_t i;
	cpf_id m;

	v->bare = cpf_calloc((size_t)p->nmappings + 1, 1);
	for (i = 0; i < p->locations.n; i++) {
		struct cpf_sym_place *place;
		uint64_t address = (uint64_t)cpf_col_get(&p->locations.address, i);

		if (!unnamed[i])
			continue;
		m = cpf_col_id(&p->locations.mapping, i);
		if (!address && !(cpf_col_get(&p->locations.flags, i) & CPF_LOC_ADDRESS)) {
			v->bare[m == CPF_NONE ? p->nmappings : m] = 1;
			continue;
		}
		CPF_GROW(v->places, v->places_cap, v->nplaces + 1);
		place = &v->places[v->nplaces++];
		place->address = address;
		place->mapping = m;
		place->location = i;
		place->at = 0;
	}
}

static int compare_places(const void *va, const void *vb)
{
	const struct cpf_sym_place *a = va, *b = vb;

	if (a->mapping != b->mapping)
		return a->mapping < b->mapping ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->location < b->location ? -1 : a->location > b->location;
}

/* The longest first, so that two threads end at about the same time. */
static int compare_jobs(const void *va, const void *vb)
{
	const struct cpf_sym_job *a = *(struct cpf_sym_job *const *)va;
	const struct cpf_sym_job *b = *(struct cpf_sym_job *const *)vb;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return a->mapping < b->mapping ? -1 : a->mapping > b->mapping;
}

static void make_job(struct driver *v, struct cpf_sym_job *job, size_t from, size_t to)
{
	size_t i;

	job->mapping = v->places[from].mapping;
	job->addr = cpf_realloc_array(NULL, to - from, sizeof(*job->addr));
	for (i = from; i < to; i++) {
		if (!job->n || job->addr[job->n - 1] != v->places[i].address)
			job->addr[job->n++] = v->places[i].address;
		v->places[i].at = (uint32_t)job->n - 1;
	}
	job->answers = cpf_calloc(job->n, sizeof(*job->answers));
	for (i = 0; i < job->n; i++)
		job->answers[i].sink = CPF_NONE;
}

/* One job per library; the places without library make none, they come last. */
static void make_jobs(struct driver *v)
{
	size_t i, from, njobs = 0;

	if (v->nplaces)
		qsort(v->places, v->nplaces, sizeof(*v->places), compare_places);
	for (i = 0; i < v->nplaces; i++)
		njobs += !i || v->places[i].mapping != v->places[i - 1].mapping;
	v->jobs = cpf_calloc(njobs + 1, sizeof(*v->jobs));
	v->queue = cpf_calloc(njobs + 1, sizeof(*v->queue));
	v->job_of = cpf_calloc((size_t)v->p->nmappings + 1, sizeof(*v->job_of));
	for (from = 0; from < v->nplaces; from = i) {
		struct cpf_sym_job *job = &v->jobs[v->njobs];

		for (i = from; i < v->nplaces && v->places[i].mapping == v->places[from].mapping; i++)
			;
		make_job(v, job, from, i);
		v->job_of[job->mapping == CPF_NONE ? v->p->nmappings : job->mapping] = job;
		v->queue[v->njobs++] = job;
	}
	qsort(v->queue, v->njobs, sizeof(*v->queue), compare_jobs);
}

/* Asking. */

/* "FROM=TO" applies to whole elements of a path. Returns path itself, or the new one in buf. */
static const char *map_path(const struct driver *v, const char *path, struct cpf_buf *buf)
{
	size_t i, n;

	for (i = 0; i < v->o->npath_maps && *path; i++) {
		const char *map = v->o->path_maps[i], *to = strchr(map, '=');

		if (!to)
			continue;
		n = (size_t)(to - map);
		if (!n || strncmp(path, map, n) || !(map[n - 1] == '/' || !path[n] || path[n] == '/'))
			continue;
		cpf_buf_str(buf, to + 1);
		cpf_buf_str(buf, path + n);
		return buf->s;
	}
	return path;
}

static int ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix), i;

	if (n < k)
		return 0;
	for (i = 0; i < k; i++)
		if ((s[n - k + i] | 0x20) != suffix[i])
			return 0;
	return 1;
}

static int is_windows(const struct cpf_module *m)
{
	return ends_with(m->debug_name, ".pdb") || ends_with(m->name, ".dll") ||
	       ends_with(m->name, ".exe") || ends_with(m->name, ".sys");
}

static void describe(const struct driver *v, cpf_id mapping, struct cpf_module *out,
	struct cpf_buf bufs[2])
{
	const struct cpf_profile *p = v->p;
	const struct cpf_mapping *m = &p->mappings[mapping];

	memset(out, 0, sizeof(*out));
	out->name = cpf_mapping_name(p, mapping).s;
	out->path = map_path(v, cpf_cstr(p, m->file), &bufs[0]);
	out->build_id = cpf_cstr(p, m->build_id);
	out->debug_name = cpf_cstr(p, m->debug_name);
	out->debug_path = map_path(v, cpf_cstr(p, m->debug_path), &bufs[1]);
	out->debug_id = cpf_cstr(p, m->debug_id);
	out->code_id = cpf_cstr(p, m->code_id);
	out->arch = cpf_cstr(p, m->arch);
	out->relative = (m->flags & CPF_MAP_RELATIVE) != 0;
	out->start = m->start;
	out->limit = m->limit;
	out->offset = m->offset;
	if (p->head.time_nanos > 0 && p->head.duration_nanos > 0) {
		out->began = p->head.time_nanos;
		if (cpf_add64(&out->ended, p->head.time_nanos, p->head.duration_nanos))
			out->ended = 0;
	}
}

static int is_named(const struct cpf_sym_answer *a)
{
	return a->sink != CPF_NONE && !a->made_up;
}

/* Whether the next source is asked. */
static int is_wanting(const struct cpf_sym_answer *a)
{
	return !is_named(a) || a->partial;
}

/* 1 if no frame of an answer has a proper name. */
static int is_made_up(const struct cpf_sink *s, const struct cpf_sink_answer *a)
{
	uint32_t i;

	for (i = a->first; i < a->first + a->n; i++) {
		struct cpf_text t = s->strings->texts[s->frames[i].name];

		if (!cpf_is_hex_name(t.s, t.len) && !cpf_is_made_up_name(t.s, t.len))
			return 0;
	}
	return 1;
}

/* Whether an answer says more than the function. */
static int has_lines(const struct cpf_sink *s, const struct cpf_sink_answer *a)
{
	uint32_t i;

	for (i = a->first; i < a->first + a->n; i++)
		if (s->frames[i].line)
			return 1;
	return a->n > 1;
}

/* The numbers of the addresses to ask the next source for; returns how many. */
static size_t missing(const struct cpf_sym_job *job, uint32_t *left)
{
	size_t i, n = 0;

	for (i = 0; i < job->n; i++)
		if (is_wanting(&job->answers[i]))
			left[n++] = (uint32_t)i;
	return n;
}

static void take_miss(struct cpf_sym_job *job, struct cpf_sym_answer *a, const struct cpf_sink *s,
	const struct cpf_sink_answer *miss)
{
	enum cpf_why why = miss->why ? (enum cpf_why)miss->why : CPF_WHY_OUTSIDE;
	struct cpf_text t = s->strings->texts[miss->text];

	if (cpf_why_weight(why) <= cpf_why_weight((enum cpf_why)a->why))
		return;
	a->why = (uint32_t)why;
	a->text = cpf_strings_intern(job->texts, t.s, t.len);
}

/* Keeps the sink if it holds an answer. */
static void take_answers(struct cpf_sym_job *job, const struct cpf_symbolizer *b, struct cpf_sink *s,
	const uint32_t *left, size_t n)
{
	uint64_t named = 0, made_up = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		struct cpf_sym_answer *a = &job->answers[left[i]];

		int fake = s->answers[i].n && is_made_up(s, &s->answers[i]);

		if (is_named(a) && (fake || !has_lines(s, &s->answers[i])))
			continue;
		if (!s->answers[i].n) {
			take_miss(job, a, s, &s->answers[i]);
			continue;
		}
		if (is_named(a))
			job->named[a->sink]--;
		a->made_up = fake;
		a->partial = s->answers[i].partial;
		if (a->made_up && cpf_why_weight(CPF_WHY_NO_SYMBOLS) > cpf_why_weight((enum cpf_why)a->why)) {
			a->why = CPF_WHY_NO_SYMBOLS;
			a->text = 0;
		}
		a->sink = (uint32_t)job->nsinks;
		a->at = (uint32_t)i;
		named += !a->made_up;
		made_up += (uint64_t)a->made_up;
	}
	if (!named && !made_up) {
		cpf_sink_release(s);
		return;
	}
	job->sources[job->nsinks] = b;
	job->named[job->nsinks] = named;
	job->sinks[job->nsinks++] = *s;
}

static void ask(struct cpf_sym_job *job, const struct cpf_symbolizer *b, void *state,
	const struct cpf_module *m, uint32_t *left, uint64_t *addr)
{
	size_t n = missing(job, left), i;
	struct cpf_reason r = {0};
	struct cpf_sink s;
	void *image = NULL;

	if (!n)
		return;
	if (!b->find(state, m, &image, &r)) {
		if (r.why && !job->forced)
			cpf_reason(&job->reason, r.why, "%s", r.text);
		return;
	}
	for (i = 0; i < n; i++)
		addr[i] = job->addr[left[i]];
	cpf_sink_init(&s, n);
	b->lookup(image, addr, n, &s);
	b->drop(image);
	take_answers(job, b, &s, left, n);
	if (r.why == CPF_WHY_ID_DIFFERS) {
		job->reason = r;
		job->forced = 1;
	}
}

static void run_job(struct driver *v, struct cpf_sym_job *job)
{
	uint32_t *left = cpf_realloc_array(NULL, job->n, sizeof(*left));
	uint64_t *addr = cpf_realloc_array(NULL, job->n, sizeof(*addr));
	struct cpf_buf bufs[2] = {{0}};
	struct cpf_module m;
	size_t i;

	job->texts = cpf_strings_new();
	job->sinks = cpf_calloc(v->nopen + 1, sizeof(*job->sinks));
	job->named = cpf_calloc(v->nopen + 1, sizeof(*job->named));
	job->sources = cpf_calloc(v->nopen + 1, sizeof(*job->sources));
	describe(v, job->mapping, &m, bufs);
	for (i = 0; i < v->nopen; i++)
		ask(job, v->open[i], v->state[i], &m, left, addr);
	if (is_windows(&m))
		cpf_reason(&job->reason, CPF_WHY_UNSUPPORTED, "PDB not read");
	else if (!job->reason.why)
		cpf_reason(&job->reason, CPF_WHY_NO_FILE, "%s", m.path);
	for (i = 0; i < CPF_LEN(bufs); i++)
		cpf_buf_release(&bufs[i]);
	cpf_free(left);
	cpf_free(addr);
}

static void work(void *arg)
{
	struct driver *v = arg;
	size_t i;

	for (;;) {
		pthread_mutex_lock(&v->lock);
		i = v->next++;
		pthread_mutex_unlock(&v->lock);
		if (i >= v->njobs)
			return;
		if (v->queue[i]->mapping != CPF_NONE)
			run_job(v, v->queue[i]);
	}
}

static int is_wanted(const char *list, const char *name)
{
	size_t n;

	for (; list && *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n == strlen(name) && !memcmp(list, name, n))
			return 1;
	}
	return !list;
}

static int open_sources(struct driver *v, struct cpf_diag *d, struct cpf_err *e)
{
	size_t i;
	int r;

	for (i = 0; cpf_symbolizers[i] && v->nopen < MAX_SYMBOLIZERS; i++) {
		if (!is_wanted(v->o->sources, cpf_symbolizers[i]->name))
			continue;
		v->state[v->nopen] = NULL;
		r = cpf_symbolizers[i]->open(&v->state[v->nopen], &v->o->where, d, e);
		if (r < 0)
			return -1;
		if (!r)
			v->open[v->nopen++] = cpf_symbolizers[i];
	}
	return 0;
}

static void ask_all(struct driver *v)
{
	pthread_mutex_init(&v->lock, NULL);
	if (v->njobs > 1)
		cpf_run_both(work, v, v);
	else
		work(v);
	pthread_mutex_destroy(&v->lock);
}

/* Results. */

/* The reason that most of the addresses without a name have; of as many, the one that tells more. */
static void explain(const struct cpf_sym_job *job, struct cpf_sym_lib *lib)
{
	uint64_t count[CPF_NWHYS] = {0};
	cpf_str text[CPF_NWHYS] = {0};
	const char *say;
	size_t i, best = 0;

	for (i = 0; i < job->n; i++) {
		const struct cpf_sym_answer *a = &job->answers[i];
		size_t why = a->why;

		if (is_named(a))
			continue;
		if (cpf_why_weight(job->reason.why) > cpf_why_weight((enum cpf_why)why))
			why = job->reason.why;
		else if (!text[why])
			text[why] = a->text;
		count[why]++;
	}
	for (i = 1; i < CPF_NWHYS; i++)
		if (count[i] > count[best] ||
			(count[i] && count[i] == count[best] &&
				cpf_why_weight((enum cpf_why)i) > cpf_why_weight((enum cpf_why)best)))
			best = i;
	lib->why = (enum cpf_why)best;
	say = text[best] ? job->texts->texts[text[best]].s : "";
	if (!*say && job->reason.why == lib->why)
		say = job->reason.text;
	if (*say)
		lib->text = cpf_strdup(say);
}

static void report_lib(const struct driver *v, struct cpf_sym_job *job, struct cpf_sym_lib *lib,
	struct cpf_diag *d)
{
	uint64_t most = 0;
	size_t i;

	lib->asked = job->n;
	if (job->mapping == CPF_NONE || v->o->off) {
		lib->why = job->mapping == CPF_NONE ? CPF_WHY_NO_LIBRARY : CPF_WHY_OFF;
		return;
	}
	for (i = 0; i < job->nsinks; i++) {
		if (job->sinks[i].partly.why)
			cpf_note(d, CPF_WARN, "partial-symbols", 1,
				"%s: some inlined functions and lines are missing: %s",
				cpf_mapping_name(v->p, job->mapping).s, job->sinks[i].partly.text);
		lib->named += job->named[i];
		if (job->named[i] > most) {
			most = job->named[i];
			lib->source = job->sources[i]->name;
		}
	}
	if (job->forced)
		cpf_note(d, CPF_WARN, "forced-binary", 1,
			"names of %s are from a file that may not be the one recorded, as asked for: %s",
			cpf_mapping_name(v->p, job->mapping).s, job->reason.text);
	if (lib->named < lib->asked)
		explain(job, lib);
}

static void report(struct driver *v, struct cpf_sym_result *r, struct cpf_diag *d)
{
	uint32_t i;

	for (i = 0; i < r->n; i++) {
		if (v->job_of[i])
			report_lib(v, v->job_of[i], &r->libs[i], d);
		if (!r->libs[i].why && v->bare[i])
			r->libs[i].why = i < v->p->nmappings ? CPF_WHY_NO_ADDRESS : CPF_WHY_NO_LIBRARY;
	}
}

static void release(struct driver *v)
{
	size_t i, k;

	for (i = 0; i < v->nopen; i++)
		v->open[i]->close(v->state[i]);
	for (i = 0; i < v->njobs; i++) {
		struct cpf_sym_job *job = &v->jobs[i];

		for (k = 0; k < job->nsinks; k++)
			cpf_sink_release(&job->sinks[k]);
		cpf_free(job->sinks);
		cpf_free(job->named);
		cpf_free(job->sources);
		cpf_free(job->addr);
		cpf_free(job->answers);
		if (job->texts)
			cpf_strings_free(job->texts);
	}
	cpf_free(v->places);
	cpf_free(v->jobs);
	cpf_free(v->job_of);
	cpf_free(v->queue);
	cpf_free(v->bare);
}

int cpf_symbolize(struct cpf_sym_result *r, struct cpf_profile *p,
	const struct cpf_symbolize_opts *o, struct cpf_diag *d, struct cpf_err *e)
{
	struct driver v = {0};
	uint8_t *unnamed;
	int ret = 0;

	r->n = p->nmappings + 1;
	r->libs = cpf_calloc(r->n, sizeof(*r->libs));
	unnamed = unnamed_locations(p);
	if (!unnamed)
		return 0;
	keep_used(p, o->markers, unnamed);
	v.p = p;
	v.o = o;
	gather_places(&v, unnamed);
	cpf_free(unnamed);
	make_jobs(&v);
	/* Places that belong to no library are nobody's to name. */
	if (!o->off && v.njobs && v.jobs[0].mapping != CPF_NONE) {
		ret = open_sources(&v, d, e);
		if (!ret) {
			ask_all(&v);
			cpf_sym_apply(p, v.places, v.nplaces, v.job_of, o->where.raw_names);
		}
	}
	if (!ret)
		report(&v, r, d);
	release(&v);
	return ret;
}

void cpf_sym_result_release(struct cpf_sym_result *r)
{
	uint32_t i;

	for (i = 0; i < r->n; i++)
		cpf_free(r->libs[i].text);
	cpf_free(r->libs);
	memset(r, 0, sizeof(*r));
}
