#include "core/filter.h"

#include <fnmatch.h>

#include "base/base.h"
#include "base/mem.h"

int cpf_filter_active(const struct cpf_filter *f)
{
	return f->threads || f->processes || f->libs || f->has_from || f->has_to || f->focus ||
	       f->ignore || f->hide || f->show || f->show_from || f->prune_from;
}

/* Samples. */

static inline int bit(const uint64_t *set, uint32_t i)
{
	return (int)(set[i / 64] >> (i % 64) & 1);
}

static inline void set_bit(uint64_t *set, uint32_t i)
{
	set[i / 64] |= UINT64_C(1) << (i % 64);
}

static void keep_rows(struct cpf_col *c, const uint64_t *keep, uint32_t n, uint32_t left)
{
	uint32_t i, to = 0;

	/* A column of one value has no rows to move. */
	for (i = 0; c->width && i < n; i++)
		if (bit(keep, i))
			cpf_col_set(c, to++, cpf_col_get(c, i));
	cpf_col_truncate(c, left);
}

void cpf_keep_samples(struct cpf_profile *p, const uint64_t *keep)
{
	struct cpf_samples *s = &p->samples;
	uint32_t n = s->n, left = 0, i;

	for (i = 0; i < n; i++)
		left += (uint32_t)bit(keep, i);
	if (left == n)
		return;
	keep_rows(&s->node, keep, n, left);
	keep_rows(&s->thread, keep, n, left);
	keep_rows(&s->time, keep, n, left);
	keep_rows(&s->labels, keep, n, left);
	for (i = 0; i < s->nraw; i++)
		keep_rows(&s->raw[i], keep, n, left);
	s->n = left;
}

/* Threads, processes and time. */

static int64_t clamp_add(int64_t a, int64_t b)
{
	int64_t r;

	if (cpf_add64(&r, a, b))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return r;
}

/* The thread with the largest sum of the default type; the first of equals. */
static cpf_id busiest_thread(const struct cpf_profile *p)
{
	const struct cpf_col *values;
	int64_t *sum;
	cpf_id best = CPF_NONE, t;
	uint32_t i;

	if (!p->nthreads || !p->ntypes)
		return CPF_NONE;
	values = &p->samples.raw[p->types[p->default_type].raw];
	sum = cpf_calloc(p->nthreads, sizeof(*sum));
	for (i = 0; i < p->samples.n; i++) {
		t = cpf_col_id(&p->samples.thread, i);
		if (t != CPF_NONE)
			sum[t] = clamp_add(sum[t], cpf_col_get(values, i));
	}
	for (t = 0; t < p->nthreads; t++)
		if (best == CPF_NONE || sum[t] > sum[best])
			best = t;
	cpf_free(sum);
	return best;
}

/* "main" is the thread marked so; files that mark none are taken by name. */
static int is_main(const struct cpf_profile *p, cpf_id t, int marked)
{
	if (marked)
		return (p->threads[t].flags & CPF_THREAD_MAIN) != 0;
	return !strcmp(cpf_cstr(p, p->threads[t].name), "main");
}

static int thread_matches(const struct cpf_profile *p, const char *const *patterns, cpf_id t,
	cpf_id busiest, int marked)
{
	for (; *patterns; patterns++) {
		const char *s = *patterns;

		if (!strcmp(s, "busiest") ? t == busiest
		    : !strcmp(s, "main")  ? is_main(p, t, marked)
		    : !strncmp(s, "tid:", 4)
			    ? !strcmp(s + 4, cpf_cstr(p, p->threads[t].tid))
			    : !fnmatch(s, cpf_cstr(p, p->threads[t].name), 0))
			return 1;
	}
	return 0;
}

static int process_matches(const struct cpf_profile *p, const char *const *patterns, cpf_id process)
{
	if (process == CPF_NONE)
		return 0;
	for (; *patterns; patterns++) {
		const char *s = *patterns;

		if (!strncmp(s, "pid:", 4) ? !strcmp(s + 4, cpf_cstr(p, p->processes[process].pid))
					   : !fnmatch(s, cpf_cstr(p, p->processes[process].name), 0))
			return 1;
	}
	return 0;
}

/* Per thread: 1 in the threads asked for, 2 in the processes asked for; 3 is wanted. */
static uint8_t *wanted_threads(const struct cpf_profile *p, const struct cpf_filter *f)
{
	uint8_t *want = cpf_calloc((size_t)p->nthreads + 1, 1);
	cpf_id busiest = f->threads ? busiest_thread(p) : CPF_NONE, t;
	int marked = 0;

	for (t = 0; t < p->nthreads; t++)
		marked |= (p->threads[t].flags & CPF_THREAD_MAIN) != 0;
	for (t = 0; t < p->nthreads; t++) {
		if (!f->threads || thread_matches(p, f->threads, t, busiest, marked))
			want[t] |= 1;
		if (!f->processes || process_matches(p, f->processes, p->threads[t].process))
			want[t] |= 2;
	}
	return want;
}

static int lib_matches(const struct cpf_profile *p, const char *const *patterns, cpf_id mapping)
{
	const char *name = cpf_mapping_name(p, mapping).s, *path = cpf_cstr(p, p->mappings[mapping].file);

	for (; *patterns; patterns++)
		if (!fnmatch(*patterns, strchr(*patterns, '/') ? path : name, 0))
			return 1;
	return 0;
}

/* Per node: a frame of its stack is in one of the libraries. */
static uint64_t *stacks_in_libs(const struct cpf_profile *p, const char *const *patterns)
{
	uint64_t *hit = cpf_calloc((size_t)p->nodes.n / 64 + 1, sizeof(*hit));
	uint8_t *want = cpf_calloc((size_t)p->nmappings + 1, 1);
	uint32_t i;

	for (i = 0; i < p->nmappings; i++)
		want[i] = (uint8_t)lib_matches(p, patterns, i);
	for (i = 1; i < p->nodes.n; i++) {
		cpf_id m = cpf_col_id(&p->locations.mapping, cpf_col_id(&p->nodes.location, i));

		if (bit(hit, cpf_col_id(&p->nodes.parent, i)) || (m != CPF_NONE && want[m]))
			set_bit(hit, i);
	}
	cpf_free(want);
	return hit;
}

struct window {
	int64_t from, to; /* of sample times */
};

/* Times in the filter count from the first sample of the file. */
static struct window time_window(const struct cpf_profile *p, const struct cpf_filter *f)
{
	struct window w = {INT64_MIN, INT64_MAX};
	int64_t first = p->samples.n ? INT64_MAX : 0, t;
	uint32_t i;

	for (i = 0; i < p->samples.n; i++) {
		t = cpf_col_get(&p->samples.time, i);
		first = t < first ? t : first;
	}
	if (f->has_from)
		w.from = clamp_add(first, f->from);
	if (f->has_to)
		w.to = clamp_add(first, f->to);
	return w;
}

/* Markers of threads and times that are not selected go too. */
static void keep_markers(struct cpf_profile *p, const uint8_t *want, int by_thread,
	const struct cpf_filter *f, struct window w)
{
	uint32_t i, left = 0;

	for (i = 0; i < p->nmarkers; i++) {
		const struct cpf_marker *m = &p->markers[i];
		int64_t start = m->phase == CPF_MARK_END ? m->end : m->start;
		int64_t end = m->phase == CPF_MARK_INTERVAL ? m->end : start;

		if (by_thread && (m->thread == CPF_NONE || want[m->thread] != 3))
			continue;
		if ((f->has_to && start >= w.to) || (f->has_from && end < w.from))
			continue;
		p->markers[left++] = *m;
	}
	p->nmarkers = left;
}

static void select_samples(
	struct cpf_profile *p, const struct cpf_filter *f, struct cpf_filter_result *r)
{
	const struct cpf_samples *s = &p->samples;
	int by_thread = f->threads || f->processes, by_time = f->has_from || f->has_to;
	uint8_t *want = wanted_threads(p, f);
	uint64_t *keep = cpf_calloc((size_t)s->n / 64 + 1, sizeof(*keep));
	uint64_t *hit = f->libs ? stacks_in_libs(p, f->libs) : NULL;
	struct window w = {0, 0};
	uint32_t i;

	if (by_time)
		w = time_window(p, f);
	for (i = 0; i < s->n; i++) {
		cpf_id t = cpf_col_id(&s->thread, i);
		int w_thread = t == CPF_NONE ? (f->threads ? 0 : 1) | (f->processes ? 0 : 2) : want[t];

		if (by_time) {
			int64_t time = cpf_col_get(&s->time, i);

			if (time < w.from || time >= w.to)
				continue;
		}
		if (f->threads && w_thread & 1)
			r->threads = 1;
		if (f->processes && w_thread & 2)
			r->processes = 1;
		if (w_thread != 3)
			continue;
		if (hit && !bit(hit, cpf_col_id(&s->node, i)))
			continue;
		if (hit)
			r->libs = 1;
		set_bit(keep, i);
	}
	keep_markers(p, want, by_thread, f, w);
	cpf_keep_samples(p, keep);
	cpf_free(hit);
	cpf_free(keep);
	cpf_free(want);
}

int cpf_filter_samples(struct cpf_profile *p, const struct cpf_filter *f,
	struct cpf_filter_result *r, struct cpf_err *e)
{
	memset(r, 0xff, sizeof(*r)); /* -1 everywhere: not given */
	r->samples_before = r->samples_after = p->samples.n;
	if ((f->has_from || f->has_to) && !p->samples.has_time)
		return cpf_fail(e, CPF_E_USAGE,
			"this profile has no sample times: a time span cannot be selected");
	if (f->threads)
		r->threads = 0;
	if (f->processes)
		r->processes = 0;
	if (f->libs)
		r->libs = 0;
	if (f->threads || f->processes || f->libs || f->has_from || f->has_to)
		select_samples(p, f, r);
	return 0;
}

int cpf_filter_apply(struct cpf_profile *p, const struct cpf_filter *f,
	struct cpf_filter_result *r, struct cpf_err *e)
{
	if (cpf_filter_samples(p, f, r, e) || cpf_filter_names(p, f, r, e))
		return -1;
	if (f->prune_from && cpf_filter_prune_from(p, f->prune_from, e))
		return -1;
	r->samples_after = p->samples.n;
	return 0;
}
