/*
 * firefox_write.c - processed profiles for the Firefox Profiler and samply: root, meta, threads.
 */
#include "formats/firefox_write.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/output.h"
#include "formats/firefox.h"

#define MS_DIGITS 6

struct writer {
	const struct cpf_profile *p;
	const struct cpf_save_opts *o;
	int version;
	struct cpf_fw_text t;
	struct cpf_fw_libs libs;
	struct cpf_fw_categories categories;
	struct cpf_fw_values values;
	struct cpf_fw_rows rows;
	struct cpf_fw_markers markers;
	struct cpf_fw_tables tables;
	int64_t first, last; /* times of samples, made up or not */
	int64_t shift;      /* added to all times: none is negative in the file */
	cpf_id *main_of;    /* by process: its main thread */
	char **pid;         /* by process, owned: unique in the file */
	uint64_t lost_addresses;
	cpf_id leader;      /* thread that is main of threads without a process */
};

/* Times. */

static void earliest(int64_t *low, int64_t v)
{
	if (v < *low)
		*low = v;
}

/* Front ends want no sample or marker before time 0. */
static int64_t time_shift(const struct cpf_profile *p)
{
	int64_t low = 0;
	uint32_t i;

	for (i = 0; i < p->samples.n && p->samples.has_time; i++)
		earliest(&low, cpf_col_get(&p->samples.time, i));
	for (i = 0; i < p->nmarkers; i++) {
		earliest(&low, p->markers[i].start);
		earliest(&low, p->markers[i].end);
	}
	return low == INT64_MIN ? INT64_MAX : -low;
}

static void key_time(struct writer *w, const char *key, int64_t v)
{
	cpf_jsonw_key(&w->t.j, key);
	cpf_jsonw_fixed(&w->t.j, cpf_wrap_add(v, w->shift), MS_DIGITS);
}

/* Alive at the end of the profile: null. */
static void key_end(struct writer *w, const char *key, int64_t start, int64_t end)
{
	cpf_jsonw_key(&w->t.j, key);
	if (end < start)
		cpf_jsonw_null(&w->t.j);
	else
		cpf_jsonw_fixed(&w->t.j, cpf_wrap_add(end, w->shift), MS_DIGITS);
}

/*
 * meta.startTime is the wall clock of time 0; the header has that of the first sample, unless times
 * count from boot, which is what a first sample after more than an hour says.
 */
static int64_t start_time(const struct writer *w)
{
	const int64_t hour = INT64_C(3600) * 1000000000;
	int64_t first = cpf_wrap_add(w->first, w->shift), at = w->p->head.time_nanos, v;

	return first > hour || cpf_add64(&v, at, -first) ? at : v;
}

/* 1 if the duration is what the times of samples say; not if it is unknown. */
static int is_span(const struct writer *w)
{
	int64_t v;

	return w->first < w->last && !cpf_add64(&v, w->last, -w->first) &&
	       v == w->p->head.duration_nanos;
}

/* meta */

static void write_interval(struct writer *w)
{
	const struct cpf_profile *p = w->p;
	int64_t den = 1, num = cpf_interval(p), v;
	int digits = MS_DIGITS;
	uint32_t i;

	/* Wall time is weight times interval: exactly what was read. */
	for (i = 0; i < p->ntypes; i++)
		if (!strcmp(cpf_cstr(p, p->types[i].type), "wall") &&
			w->values.weight[CPF_FW_SAMPLES].have &&
			p->types[i].raw == w->values.weight[CPF_FW_SAMPLES].raw) {
			num = p->types[i].num;
			den = p->types[i].den;
			for (v = 0; v < w->values.weight[CPF_FW_SAMPLES].digits && den % 10 == 0; v++)
				den /= 10;
		}
	if (num <= 0)
		num = 1000000;
	for (; den > 1 && den % 10 == 0 && digits < 12; den /= 10)
		digits++;
	cpf_jsonw_key(&w->t.j, "interval");
	cpf_jsonw_fixed(&w->t.j, num / den, digits);
}

static void write_units(struct writer *w)
{
	struct cpf_jsonw *j = &w->t.j;

	cpf_jsonw_key(j, "sampleUnits");
	cpf_jsonw_object(j);
	cpf_jsonw_key_str(j, "time", "ms");
	cpf_jsonw_key_str(j, "eventDelay", "ms");
	cpf_jsonw_key_str(
		j, "threadCPUDelta", w->values.cpu_micros || !w->values.cpu.have ? "\xc2\xb5s" : "ns");
	cpf_jsonw_end(j);
}

/* What the profile is called: the program, which in pprof is the first mapping that is a file. */
static struct cpf_text product(const struct cpf_profile *p)
{
	struct cpf_text t = cpf_text(p, p->head.product), lib;
	uint32_t i;

	for (i = 0; i < p->nmappings && !t.len; i++) {
		lib = cpf_mapping_name(p, i);
		if (p->mappings[i].flags & CPF_MAP_RELATIVE)
			break;
		if (lib.len && lib.s[0] != '[')
			t = lib;
	}
	return t;
}

static void key_text(struct writer *w, const char *key, struct cpf_text v)
{
	cpf_jsonw_key(&w->t.j, key);
	cpf_jsonw_str_n(&w->t.j, v.s ? v.s : "", v.len);
}

/*
 * True if front ends need not look for names. False only if some are missing and there is a library
 * to find them in.
 */
static int is_symbolicated(const struct writer *w)
{
	return w->p->head.symbolicated == 1 || !w->tables.unnamed;
}

static void write_origin(struct writer *w)
{
	const struct cpf_profile *p = w->p;

	if (p->head.producer)
		key_text(w, "importedFrom", cpf_text(p, p->head.producer));
	else if (p->nsources && strcmp(p->sources[0].format, "firefox") != 0 &&
		 strcmp(p->sources[0].format, "gecko") != 0)
		cpf_jsonw_key_str(&w->t.j, "importedFrom", p->sources[0].format);
	if (p->head.platform)
		key_text(w, "oscpu", cpf_text(p, p->head.platform));
}

static void write_meta(struct writer *w)
{
	struct cpf_jsonw *j = &w->t.j;

	cpf_jsonw_key(j, "meta");
	cpf_jsonw_object(j);
	/* Of the layout that Gecko would have had, as samply writes it. */
	cpf_jsonw_key_int(j, "version", 24);
	cpf_jsonw_key_int(j, "preprocessedProfileVersion", w->version);
	write_interval(w);
	if (w->p->head.time_nanos) {
		cpf_jsonw_key(j, "startTime");
		cpf_jsonw_fixed(j, start_time(w), MS_DIGITS);
	}
	cpf_jsonw_key_int(j, "processType", 0);
	key_text(w, "product", product(w->p));
	write_origin(w);
	cpf_jsonw_key_int(j, "stackwalk", 1);
	cpf_jsonw_key_bool(j, "debug", 0);
	cpf_jsonw_key_bool(j, "symbolicated", is_symbolicated(w));
	cpf_fw_categories_write(&w->t, &w->categories, w->p);
	write_units(w);
	cpf_fw_schema_write(&w->t, w->p, w->version);
	cpf_fw_extra_write(&w->t, w->p, w->values.only, !is_span(w));
	if (w->version < CPF_FW_SHARED) {
		cpf_jsonw_key_bool(j, "usesOnlyOneStackType", 1);
		cpf_jsonw_key_bool(j, "doesNotUseFrameImplementation", 1);
	}
	cpf_jsonw_key_bool(j, "sourceCodeIsNotOnSearchfox", 1);
	cpf_jsonw_end(j);
}

/* Threads. */

/*
 * Exactly one main thread in a process, and no two processes with one pid: the page's list of tracks
 * would show only one of them. The kernel keeps the pid over exec; like samply, later ones get a
 * number behind it.
 */
static void name_processes(struct writer *w)
{
	const struct cpf_profile *p = w->p;
	struct cpf_strings *seen = cpf_strings_new();
	struct cpf_buf b = {0};
	uint32_t i, n, before;

	w->main_of = cpf_realloc_array(NULL, (size_t)p->nprocesses + 1, sizeof(*w->main_of));
	w->pid = cpf_calloc((size_t)p->nprocesses + 1, sizeof(*w->pid));
	for (i = 0; i < p->nprocesses; i++) {
		struct cpf_text pid = cpf_text(p, p->processes[i].pid);

		w->main_of[i] = CPF_NONE;
		for (n = 0;; n++) {
			cpf_buf_clear(&b);
			cpf_buf_utf8(&b, pid.s, pid.len);
			if (n)
				cpf_buf_fmt(&b, ".%" PRIu32, n);
			before = seen->n;
			if ((!b.n && !i) || (b.n && (cpf_strings_intern(seen, b.s, b.n), seen->n > before)))
				break;
		}
		w->pid[i] = cpf_strndup(b.s ? b.s : "", b.n);
	}
	w->leader = CPF_NONE;
	for (i = 0; i < p->nthreads; i++) {
		cpf_id q = p->threads[i].process, *to = q == CPF_NONE ? &w->leader : &w->main_of[q];

		if (*to == CPF_NONE || (p->threads[i].flags & CPF_THREAD_MAIN &&
					       !(p->threads[*to].flags & CPF_THREAD_MAIN)))
			*to = i;
	}
	cpf_buf_release(&b);
	cpf_strings_free(seen);
}

static void thread_head(struct writer *w, cpf_id id)
{
	static const struct cpf_process no_process = {.end = -1};
	const struct cpf_profile *p = w->p;
	const struct cpf_thread *t = &p->threads[id];
	const struct cpf_process *q =
		t->process == CPF_NONE ? &no_process : &p->processes[t->process];
	cpf_id main_thread = t->process == CPF_NONE ? w->leader : w->main_of[t->process];

	key_text(w, "name", cpf_text(p, t->name));
	cpf_jsonw_key_bool(&w->t.j, "isMainThread", main_thread == id);
	if (q->type)
		key_text(w, "processType", cpf_text(p, q->type));
	else
		cpf_jsonw_key_str(&w->t.j, "processType", "default");
	key_text(w, "processName", cpf_text(p, q->name));
	cpf_jsonw_key_str(&w->t.j, "pid", t->process == CPF_NONE ? "" : w->pid[t->process]);
	key_text(w, "tid", cpf_text(p, t->tid));
	key_time(w, "processStartupTime", q->start);
	key_end(w, "processShutdownTime", q->start, q->end);
	key_time(w, "registerTime", t->start);
	key_end(w, "unregisterTime", t->start, t->end);
}

/* Samples that belong to no thread. */
static void no_thread_head(struct writer *w)
{
	struct cpf_jsonw *j = &w->t.j;

	cpf_jsonw_key_str(j, "name", CPF_FX_NO_THREAD);
	cpf_jsonw_key_bool(j, "isMainThread", w->leader == CPF_NONE);
	cpf_jsonw_key_str(j, "processType", "default");
	key_text(w, "processName", product(w->p));
	cpf_jsonw_key_str(j, "pid", "");
	cpf_jsonw_key_str(j, "tid", "");
	key_time(w, "processStartupTime", 0);
	key_end(w, "processShutdownTime", 0, -1);
	key_time(w, "registerTime", 0);
	key_end(w, "unregisterTime", 0, -1);
}

static int write_thread(struct writer *w, cpf_id id, struct cpf_err *e)
{
	struct cpf_jsonw *j = &w->t.j;
	const uint32_t *sample = w->rows.sample + w->rows.first[id];
	uint32_t n = w->rows.first[id + 1] - w->rows.first[id], i;

	cpf_jsonw_object(j);
	if (id == w->p->nthreads)
		no_thread_head(w);
	else
		thread_head(w, id);
	cpf_jsonw_key(j, "pausedRanges");
	cpf_jsonw_array(j);
	cpf_jsonw_end(j);
	cpf_jsonw_key_bool(j, "showMarkersInTimeline", 0);
	if (w->version < CPF_FW_SHARED) {
		cpf_fw_tables_clear(&w->tables);
		for (i = 0; i < n; i++)
			cpf_fw_tables_use(
				&w->tables, cpf_col_id(&w->p->samples.node, sample[i]));
		cpf_fw_markers_use(&w->markers, &w->tables, id);
		if (cpf_fw_tables_build(&w->tables, 0, e))
			return -1;
	}
	if (cpf_fw_samples_write(&w->t, &w->values, &w->tables, sample, n, w->shift, e))
		return -1;
	cpf_fw_markers_write(&w->t, &w->markers, &w->tables, id, w->shift);
	if (w->version < CPF_FW_SHARED)
		cpf_fw_tables_write(&w->t, &w->tables);
	cpf_jsonw_end(j);
	cpf_fw_flush(&w->t);
	return 0;
}

static int write_threads(struct writer *w, struct cpf_err *e)
{
	uint32_t i, n = w->p->nthreads;

	cpf_jsonw_key(&w->t.j, "threads");
	cpf_jsonw_array(&w->t.j);
	for (i = 0; i < n; i++)
		if (write_thread(w, i, e))
			return -1;
	if ((w->rows.first[n + 1] > w->rows.first[n] || !n) && write_thread(w, n, e))
		return -1;
	cpf_jsonw_end(&w->t.j);
	return 0;
}

/* Everything. */

static int make_plan(struct writer *w, struct cpf_err *e)
{
	const struct cpf_profile *p = w->p;
	uint32_t i;

	w->shift = time_shift(p);
	cpf_fw_libs_make(&w->libs, p);
	cpf_fw_categories_make(&w->categories, p);
	cpf_fw_values_plan(&w->values, p, w->o);
	cpf_fw_rows_make(&w->rows, &w->values, p);
	w->first = INT64_MAX;
	w->last = INT64_MIN;
	for (i = 0; i <= p->nthreads; i++)
		cpf_fw_span(&w->values, p, w->rows.sample + w->rows.first[i],
			w->rows.first[i + 1] - w->rows.first[i], &w->first, &w->last);
	cpf_fw_markers_make(&w->markers, p);
	name_processes(w);
	cpf_fw_tables_init(&w->tables, p, &w->libs, &w->categories, w->version);
	/* For version 49, too: meta says whether there are names. */
	for (i = 0; i < w->rows.first[p->nthreads + 1]; i++)
		cpf_fw_tables_use(&w->tables, cpf_col_id(&p->samples.node, w->rows.sample[i]));
	cpf_fw_markers_use(&w->markers, &w->tables, CPF_NONE);
	if (cpf_fw_tables_build(&w->tables, 1, e))
		return -1;
	w->lost_addresses = w->tables.lost_addresses;
	return 0;
}

static int write_root(struct writer *w, struct cpf_err *e)
{
	static const char *const empty[] = {"pages", "profilerOverhead", "counters"};
	struct cpf_jsonw *j = &w->t.j;
	size_t i;

	cpf_jsonw_object(j);
	write_meta(w);
	cpf_fw_libs_write(&w->t, &w->libs, w->p);
	if (w->version >= CPF_FW_SHARED) {
		cpf_jsonw_key(j, "shared");
		cpf_jsonw_object(j);
		cpf_fw_tables_write(&w->t, &w->tables);
		cpf_jsonw_end(j);
	}
	if (write_threads(w, e))
		return -1;
	for (i = 0; i < CPF_LEN(empty); i++) {
		cpf_jsonw_key(j, empty[i]);
		cpf_jsonw_array(j);
		cpf_jsonw_end(j);
	}
	cpf_jsonw_end(j);
	cpf_output_write(w->t.out, w->t.buf.s, w->t.buf.n);
	return 0;
}

/* One note of n things: "TEXT of 3 places". */
static void lose(struct cpf_diag *d, const char *kind, uint64_t n, const char *text, const char *one,
	const char *many)
{
	if (n)
		cpf_note(d, CPF_LOSS, kind, (int64_t)n, "%s %" PRIu64 " %s", text, n,
			n == 1 ? one : many);
}

static void lost_types(const struct writer *w, struct cpf_diag *d)
{
	const struct cpf_profile *p = w->p;
	struct cpf_buf names = {0};
	int64_t n = 0;
	uint32_t i;

	for (i = 0; i < p->ntypes; i++)
		if (!cpf_fw_values_keep(&w->values, p, i))
			cpf_buf_fmt(&names, "%s%s", n++ ? " " : "", cpf_cstr(p, p->types[i].type));
	if (n)
		cpf_note(d, CPF_LOSS, "sample-types", n, "sample type%s %s", n == 1 ? "" : "s",
			names.s);
	cpf_buf_release(&names);
}

/* All of memory, as libraries from Firefox profiles have it in pprof, says nothing. */
static int has_range(const struct cpf_mapping *m)
{
	return !(m->flags & CPF_MAP_RELATIVE) && m->limit &&
	       !(m->start == 0 && m->offset == 0 && m->limit == UINT64_MAX);
}

static void lost_of_tables(const struct cpf_profile *p, struct cpf_diag *d)
{
	uint64_t ranges = 0, names = 0, folded = 0, broken = 0;
	struct cpf_text t;
	uint32_t i;

	for (i = 0; i < cpf_nstrings(p); i++) {
		t = cpf_text(p, i);
		broken += !cpf_utf8_ok(t.s, t.len);
	}
	lose(d, "bytes", broken, "bytes that are not UTF-8 in", "name", "names");
	for (i = 0; i < p->nmappings; i++)
		ranges += (uint64_t)has_range(&p->mappings[i]);
	for (i = 0; i < p->nfunctions; i++)
		names += p->functions[i].system_name &&
			 p->functions[i].system_name != p->functions[i].name;
	for (i = 0; i < p->locations.n && p->locations.flags.n; i++)
		folded += (cpf_col_get(&p->locations.flags, i) & CPF_LOC_FOLDED) != 0;
	lose(d, "ranges", ranges, "memory ranges of", "library", "libraries");
	lose(d, "system-names", names, "system names of", "function", "functions");
	lose(d, "folded-code", folded, "marks of folded code of", "place", "places");
}

static void note_losses(const struct writer *w, struct cpf_diag *d)
{
	if (!d)
		return;
	lost_types(w, d);
	lose(d, "build-ids", w->libs.lost_ids, "build ids of", "library", "libraries");
	lose(d, "addresses", w->lost_addresses, "addresses of", "place", "places");
	lost_of_tables(w->p, d);
	lose(d, "decimals", w->values.rounded, "decimals past the sixth of", "value", "values");
	if (w->values.inexact)
		cpf_note(d, CPF_WARN, "inexact", (int64_t)w->values.inexact,
			"numbers past 2^53, which the Firefox Profiler rounds");
}

static void release(struct writer *w)
{
	uint32_t i;

	for (i = 0; w->pid && i < w->p->nprocesses; i++)
		cpf_free(w->pid[i]);
	cpf_free(w->pid);
	cpf_free(w->main_of);
	cpf_buf_release(&w->t.buf);
	cpf_fw_tables_release(&w->tables);
	cpf_fw_markers_release(&w->markers);
	cpf_fw_rows_release(&w->rows);
	cpf_fw_categories_release(&w->categories);
	cpf_fw_libs_release(&w->libs);
}

int cpf_firefox_write(const struct cpf_profile *p, struct cpf_output *out,
	const struct cpf_save_opts *o, struct cpf_diag *d, struct cpf_err *e)
{
	struct writer w = {.p = p, .o = o};
	int bad;

	w.version = o->firefox_version ? o->firefox_version : CPF_FW_SHARED;
	if (w.version != CPF_FW_OWN_TABLES && w.version != CPF_FW_SHARED)
		return cpf_fail(e, CPF_E_USAGE, "version %d is not written; 49 and 60 are", w.version);
	if (!p->samples.n)
		return cpf_fail(e, CPF_E_EMPTY,
			"there are no samples, and the Firefox Profiler does not open such a file");
	w.t.out = out;
	cpf_jsonw_init(&w.t.j, &w.t.buf, 0);
	bad = make_plan(&w, e) || write_root(&w, e);
	note_losses(&w, d);
	release(&w);
	return bad ? -1 : 0;
}
