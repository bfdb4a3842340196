/*
 * firefox_threads.c - thread records, their processes, and the stacks and times of their samples.
 */
#include "formats/firefox.h"

#include <stdio.h>

#include "base/mem.h"

/* A waiting thread takes some KiB, whatever its text takes. */
enum { BATCH = 1024, MAX_WAITING = 16384 };

void cpf_fx_thread_free(struct cpf_fx_thread *t)
{
	if (!t)
		return;
	cpf_fx_tables_release(&t->own);
	cpf_free(t->libs.v);
	cpf_fx_table_release(&t->samples);
	cpf_fx_table_release(&t->markers);
	cpf_fx_table_release(&t->js_allocs);
	cpf_fx_table_release(&t->native_allocs);
	cpf_free(t);
}

/* Reading. */

/* pid and tid are texts or numbers; equal ones look equal as text. */
static cpf_str read_id(struct cpf_fx *r, int *is_text)
{
	int type = cpf_fx_type(&r->x);
	struct cpf_slice s;
	struct cpf_num n;
	char text[40];

	*is_text = type == '"';
	if (type == '"') {
		s = cpf_fx_str(&r->x);
		return cpf_intern(r->p, s.s, s.n);
	}
	if (type != '0') {
		cpf_fx_skip(&r->x);
		return 0;
	}
	n = cpf_fx_num(&r->x);
	if (n.is_int)
		snprintf(text, sizeof(text), "%" PRId64, n.i);
	else if (n.is_uint)
		snprintf(text, sizeof(text), "%" PRIu64, n.u);
	else
		snprintf(text, sizeof(text), "%.17g", n.d);
	return cpf_intern_z(r->p, text);
}

static int64_t read_time(struct cpf_fx *r)
{
	int64_t v;

	return cpf_fx_decimal(&r->x, 6, &v) ? v : CPF_FX_NULL;
}

/* {"_array": [...]}: what a console shows of the array class that stringTable once was. */
static void read_string_table(struct cpf_fx *r, struct cpf_fx_thread *t)
{
	struct cpf_slice key;

	if (cpf_fx_type(&r->x) == '[') {
		cpf_fx_strings_read(&r->x, &t->own.strings, r->p);
		return;
	}
	if (cpf_fx_type(&r->x) != '{') {
		cpf_fx_skip(&r->x);
		return;
	}
	cpf_fx_enter(&r->x);
	while (cpf_fx_key(&r->x, &key)) {
		if (!cpf_slice_is(key, "_array")) {
			cpf_fx_skip(&r->x);
			continue;
		}
		cpf_fx_strings_read(&r->x, &t->own.strings, r->p);
		r->per_thread_strings = 1;
	}
}

static int read_text_member(struct cpf_fx *r, struct cpf_fx_thread *t, struct cpf_slice key)
{
	const struct {
		const char *name;
		cpf_str *to;
	} texts[] = {{"name", &t->name}, {"processName", &t->process_name},
		{"processType", &t->process_type}};
	struct cpf_slice s;
	size_t i;

	for (i = 0; i < CPF_LEN(texts); i++) {
		if (!cpf_slice_is(key, texts[i].name))
			continue;
		if (cpf_fx_type(&r->x) != '"') {
			cpf_fx_skip(&r->x);
			return 1;
		}
		s = cpf_fx_str(&r->x);
		*texts[i].to = cpf_intern(r->p, s.s, s.n);
		return 1;
	}
	return 0;
}

static int read_time_member(struct cpf_fx *r, struct cpf_fx_thread *t, struct cpf_slice key)
{
	const struct {
		const char *name;
		int64_t *to;
	} times[] = {{"registerTime", &t->start}, {"unregisterTime", &t->end},
		{"processStartupTime", &t->process_start},
		{"processShutdownTime", &t->process_end}};
	size_t i;

	for (i = 0; i < CPF_LEN(times); i++)
		if (cpf_slice_is(key, times[i].name)) {
			*times[i].to = read_time(r);
			return 1;
		}
	return 0;
}

static int read_table_member(struct cpf_fx *r, struct cpf_fx_thread *t, struct cpf_slice key)
{
	const struct {
		const char *name;
		struct cpf_fx_table *to;
		const struct cpf_fx_tabdef *def;
		uint32_t skip;
	} tables[] = {{"stackTable", &t->own.stacks, &cpf_fx_stacks, 0},
		{"frameTable", &t->own.frames, &cpf_fx_frames, 0},
		{"funcTable", &t->own.funcs, &cpf_fx_funcs, 0},
		{"resourceTable", &t->own.resources, &cpf_fx_resources, 0},
		{"nativeSymbols", &t->own.symbols, &cpf_fx_symbols, 0},
		{"jsAllocations", &t->js_allocs, &cpf_fx_allocs, 1},
		{"nativeAllocations", &t->native_allocs, &cpf_fx_allocs, 1}};
	size_t i;

	for (i = 0; i < CPF_LEN(tables); i++)
		if (cpf_slice_is(key, tables[i].name)) {
			cpf_fx_table_read(&r->x, tables[i].to, tables[i].def, tables[i].skip);
			return 1;
		}
	return 0;
}

static void read_member(struct cpf_fx *r, struct cpf_fx_thread *t, struct cpf_slice key)
{
	struct cpf_fx_json *x = &r->x;
	int is_text, type;

	if (cpf_slice_is(key, "samples")) {
		cpf_fx_table_read(x, &t->samples, &cpf_fx_samples, 0);
	} else if (cpf_slice_is(key, "markers") && r->o->want & CPF_WANT_MARKERS) {
		cpf_fx_table_read(x, &t->markers, &cpf_fx_markers, 0);
	} else if (cpf_slice_is(key, "stringArray")) {
		cpf_fx_strings_read(x, &t->own.strings, r->p);
		r->per_thread_strings = 1;
	} else if (cpf_slice_is(key, "stringTable")) {
		read_string_table(r, t);
	} else if (cpf_slice_is(key, "libs")) {
		cpf_fx_libs_read(r, &t->libs);
	} else if (cpf_slice_is(key, "pid")) {
		t->pid = read_id(r, &t->pid_is_text);
	} else if (cpf_slice_is(key, "tid")) {
		t->tid = read_id(r, &is_text);
	} else if (cpf_slice_is(key, "isMainThread")) {
		type = cpf_fx_type(x);
		if (type == 't' || type == 'f')
			t->is_main = cpf_fx_bool(x);
		else
			cpf_fx_skip(x);
	} else if (!read_table_member(r, t, key) && !read_time_member(r, t, key) &&
		   !read_text_member(r, t, key)) {
		cpf_fx_skip(x);
	}
}

/* Linking. */

int cpf_fx_is_main(const struct cpf_fx *r, const struct cpf_fx_thread *t)
{
	struct cpf_text name = cpf_text(r->p, t->name);
	int gecko_main = name.len == 9 && !memcmp(name.s, "GeckoMain", 9);

	if (t->is_main >= 0)
		return t->is_main;
	if (cpf_fx_is_gecko(t->root))
		return gecko_main;
	/* isMainThread came with version 46; this is how it was told before. */
	return t->root->version < 46 &&
	       (gecko_main || t->pid_is_text || (t->pid && t->pid == t->tid));
}

static cpf_id find_row(const struct cpf_fx *r, const struct cpf_rowset *index, uint64_t h,
	cpf_str pid, const cpf_str *name)
{
	struct cpf_rowset_it it;
	cpf_id id;

	for (id = cpf_rowset_first(index, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(index, &it))
		if (r->p->processes[id].pid == pid && (!name || r->p->processes[id].name == *name))
			return id;
	return CPF_NONE;
}

/*
 * A process is told by its pid. Two names under one pid are two processes, one after the other: the
 * kernel keeps the pid over exec, and samply before 0.12 writes it twice. No name says nothing.
 */
static cpf_id find_process(struct cpf_fx *r, const struct cpf_fx_thread *t, int64_t shift)
{
	uint64_t by_pid = cpf_hash_mix(cpf_hash_seed(), t->pid);
	uint64_t by_both = cpf_hash_mix(by_pid, t->process_name);
	cpf_id id = find_row(r, &r->process_index, by_both, t->pid, &t->process_name), first;
	struct cpf_process q = {0};

	if (id != CPF_NONE)
		return id;
	first = find_row(r, &r->pid_index, by_pid, t->pid, NULL);
	if (first != CPF_NONE && !t->process_name)
		return first;
	if (first != CPF_NONE && !r->p->processes[first].name) {
		r->p->processes[first].name = t->process_name;
		cpf_rowset_add(&r->process_index, by_both, first);
		return first;
	}
	q.pid = t->pid;
	q.name = t->process_name;
	q.type = t->process_type;
	q.start = t->process_start == CPF_FX_NULL ? 0 : cpf_wrap_add(t->process_start, shift);
	q.end = t->process_end == CPF_FX_NULL ? cpf_wrap_add(q.start, -1)
					      : cpf_wrap_add(t->process_end, shift);
	id = cpf_add_process(r->p, &q);
	cpf_rowset_add(&r->process_index, by_both, id);
	if (first == CPF_NONE)
		cpf_rowset_add(&r->pid_index, by_pid, id);
	return id;
}

static cpf_id add_thread(struct cpf_fx *r, const struct cpf_fx_thread *t, int64_t shift)
{
	struct cpf_thread q = {0};

	q.name = t->name;
	q.tid = t->tid;
	q.process = find_process(r, t, shift);
	q.start = t->start == CPF_FX_NULL ? 0 : cpf_wrap_add(t->start, shift);
	q.end = t->end == CPF_FX_NULL ? cpf_wrap_add(q.start, -1) : cpf_wrap_add(t->end, shift);
	q.flags = cpf_fx_is_main(r, t) ? CPF_THREAD_MAIN : 0;
	return cpf_add_thread(r->p, &q);
}

/*
 * samply record --per-cpu-threads repeats every sample on a track of the processor and on one for
 * all of them, in a process "CPU" with pid 0.
 */
static int is_cpu_track(const struct cpf_fx *r, const struct cpf_fx_thread *t)
{
	struct cpf_text pid = cpf_text(r->p, t->pid), process = cpf_text(r->p, t->process_name),
			name = cpf_text(r->p, t->name);
	uint32_t i;

	if (pid.len != 1 || pid.s[0] != '0' || process.len != 3 || memcmp(process.s, "CPU", 3) ||
		name.len < 3 || memcmp(name.s, "CPU", 3))
		return 0;
	if (name.len == 3)
		return 1;
	for (i = 4; i < name.len; i++)
		if (name.s[i] < '0' || name.s[i] > '9')
			return 0;
	return name.s[3] == ' ' && name.len > 4;
}

/* The record that our own files have for samples of no thread. */
static int is_no_thread(const struct cpf_fx *r, const struct cpf_fx_thread *t)
{
	return !t->pid && !t->tid && !t->markers.rows &&
	       !strcmp(cpf_cstr(r->p, t->name), CPF_FX_NO_THREAD);
}

/* Stacks of samples to nodes. */
static int link_nodes(struct cpf_fx *r, struct cpf_fx_thread *t, struct cpf_fx_tables *tables,
	const struct cpf_fx_table *stacks, const char *where)
{
	const struct cpf_fx_table *s = &t->samples;
	struct cpf_col *node = &r->p->samples.node;
	int64_t v[BATCH];
	uint32_t from, n, i;

	for (from = 0; from < s->rows; from += n) {
		n = s->rows - from < BATCH ? s->rows - from : BATCH;
		cpf_col_read(&s->col[SAMPLE_STACK], from, n, v);
		for (i = 0; i < n; i++) {
			if (CPF_LIKELY((uint64_t)v[i] < stacks->rows && !tables->linker))
				v[i] += tables->base;
			else if (v[i] == -1)
				v[i] = 0;
			else if (v[i] < 0 || v[i] >= (int64_t)stacks->rows)
				return cpf_fx_bad_index(r, where, s, SAMPLE_STACK, from + i, v[i],
					"stackTable", stacks->rows);
			else
				v[i] = (int64_t)cpf_fx_leaf_node(r, tables, (uint32_t)v[i]);
		}
		cpf_col_append(node, v, n);
	}
	cpf_col_release(&t->samples.col[SAMPLE_STACK]);
	return 0;
}

/* "threads[3]." */
static void thread_path(const struct cpf_fx_thread *t, char *out, size_t cap)
{
	snprintf(out, cap, "%sthreads[%" PRIu32 "].", t->root->path, t->index);
}

static int settle_samples(struct cpf_fx *r, struct cpf_fx_thread *t, const char *where)
{
	return cpf_fx_settle(r, &t->samples, ~(1u << SAMPLE_DURATION), 0, where);
}

static int bad_time(
	struct cpf_fx *r, const char *where, const struct cpf_fx_table *s, uint32_t col, size_t row)
{
	cpf_fail(r->e, CPF_E_RANGE, "the sum of times does not fit 64 bits of nanoseconds");
	cpf_fx_where(r, where, s, s->def->cols[col].name, row);
	return -1;
}

/*
 * Times. Deltas are summed as whole nanoseconds: rounding the sums of doubles, or each delta,
 * drifts. A null takes the time of the row before. to: where the times go, or NULL.
 */
static int sum_times(struct cpf_fx *r, struct cpf_fx_thread *t, int64_t shift, struct cpf_col *to,
	const char *where)
{
	const struct cpf_fx_table *s = &t->samples;
	uint32_t col = cpf_fx_has(s, SAMPLE_TIME) ? SAMPLE_TIME : SAMPLE_DELTA, from, n, i;
	int64_t v[BATCH], now = 0;

	for (from = 0; from < s->rows; from += n) {
		n = s->rows - from < BATCH ? s->rows - from : BATCH;
		cpf_col_read(&s->col[col], from, n, v);
		for (i = 0; i < n; i++) {
			if (v[i] == CPF_FX_NULL)
				v[i] = col == SAMPLE_TIME ? now : 0;
			if (col == SAMPLE_TIME)
				now = v[i];
			else if (cpf_add64(&now, now, v[i]))
				return bad_time(r, where, s, col, from + i);
			if (cpf_add64(&v[i], now, shift))
				return bad_time(r, where, s, col, from + i);
			if (from + i == 0)
				t->first = t->low = t->high = now;
			t->low = now < t->low ? now : t->low;
			t->high = now > t->high ? now : t->high;
		}
		if (to)
			cpf_col_append(to, v, n);
	}
	t->timed = 1;
	cpf_col_release(&t->samples.col[col]);
	return 0;
}

/* Where the thread's own times begin is left in t->first. */
static int link_times(struct cpf_fx *r, struct cpf_fx_thread *t, int64_t shift, const char *where)
{
	struct cpf_col *to = r->o->want & CPF_WANT_TIMES ? &r->p->samples.time : NULL;
	struct cpf_fx_table *s = &t->samples;
	int64_t low, high;

	if (!cpf_fx_has(s, SAMPLE_TIME) && !cpf_fx_has(s, SAMPLE_DELTA)) {
		CPF_FX_NOTE(
			r, CPF_WARN, "no-times", 1, "%s: %ssamples has no times", r->source, where);
		if (to)
			cpf_col_fill(to, 0, s->rows);
		return 0;
	}
	if (!t->timed && sum_times(r, t, shift, to, where))
		return -1;
	if (!s->rows)
		return 0;
	if (cpf_add64(&low, t->low, shift) || cpf_add64(&high, t->high, shift))
		return bad_time(r, where, s, cpf_fx_has(s, SAMPLE_TIME) ? SAMPLE_TIME : SAMPLE_DELTA,
			0);
	if (!r->has_time || low < r->first)
		r->first = low;
	if (!r->has_time || high > r->last)
		r->last = high;
	r->has_time = 1;
	return 0;
}

/*
 * A thread that waits for tables keeps its samples, most of them numbers of a few bytes. Times are
 * the largest by far, and if nobody wants them only where they begin and end matters.
 */
static int fold_times(struct cpf_fx *r, struct cpf_fx_thread *t)
{
	char where[96];

	if (r->o->want & CPF_WANT_TIMES || !t->samples.def)
		return 0;
	thread_path(t, where, sizeof(where));
	return settle_samples(r, t, where) || sum_times(r, t, 0, NULL, where) ? -1 : 0;
}

static int no_tables(struct cpf_fx *r, const struct cpf_fx_thread *t, const char *where)
{
	cpf_err_where(r->e, "%sstackTable", where);
	if (t->root->version > CPF_FX_NEWEST)
		return cpf_fail(r->e, CPF_E_FORMAT,
			"version %d is newer than %d, the newest known, and its tables are not in "
			"a "
			"known place",
			t->root->version, CPF_FX_NEWEST);
	return cpf_fail(r->e, CPF_E_FORMAT, "there are samples with stacks but no stackTable");
}

/* Makes sure the tables a thread refers to are in the profile. */
static int link_tables(
	struct cpf_fx *r, struct cpf_fx_thread *t, struct cpf_fx_tables **out, const char *where)
{
	struct cpf_fx_root *root = t->root;
	const struct cpf_fx_libs *libs = root->version <= 40 ? &t->libs : &root->libs;

	if (!libs->have)
		libs = t->libs.have ? &t->libs : &root->libs;
	if (t->own.stacks.def || t->own.frames.def) {
		*out = &t->own;
		return cpf_fx_tables_link(r, &t->own, root, libs, where);
	}
	*out = &r->shared;
	if (r->shared.linked)
		return 0;
	return cpf_fx_tables_link(r, &r->shared, r->roots[0], &r->roots[0]->libs, "shared.");
}

static int link_samples(
	struct cpf_fx *r, struct cpf_fx_thread *t, cpf_id thread, int64_t shift, const char *where)
{
	struct cpf_samples *s = &r->p->samples;
	const struct cpf_fx_table *stacks = CPF_FX_PICK(r, &t->own, stacks);
	uint32_t rows = t->samples.rows, i;
	struct cpf_fx_tables *tables;

	if (!rows && !t->markers.rows)
		return 0;
	if (link_tables(r, t, &tables, where))
		return -1;
	if (rows && !cpf_fx_has(&t->samples, SAMPLE_STACK)) {
		cpf_err_where(r->e, "%ssamples", where);
		return cpf_fail(r->e, CPF_E_FORMAT, "samples have no column stack");
	}
	if (rows >= UINT32_MAX - 1 - s->n) {
		cpf_err_where(r->e, "%ssamples", where);
		return cpf_fail(r->e, CPF_E_LIMIT, "more samples than ids can tell apart");
	}
	/* All null stacks need no table. */
	if (rows && !stacks->def &&
		!(t->samples.col[SAMPLE_STACK].width == 0 &&
			t->samples.col[SAMPLE_STACK].value == -1))
		return no_tables(r, t, where);
	if (link_nodes(r, t, tables, stacks, where) || link_times(r, t, shift, where) ||
		cpf_fx_link_weights(r, t, where) || cpf_fx_link_cpu(r, t, t->first, where))
		return -1;
	cpf_fx_columns_release(&t->samples);
	cpf_col_fill(&s->thread, thread == CPF_NONE ? -1 : (int64_t)thread, rows);
	cpf_col_fill(&s->labels, 0, rows);
	if (!(r->o->want & CPF_WANT_TIMES))
		cpf_col_fill(&s->time, 0, rows);
	s->n += rows;
	for (i = 0; i < s->nraw; i++)
		if (s->raw[i].n < s->n)
			cpf_col_fill(&s->raw[i], 0, s->n - s->raw[i].n);
	return cpf_fx_markers_link(r, t, tables, thread, shift, where);
}

int cpf_fx_thread_link(struct cpf_fx *r, struct cpf_fx_thread *t)
{
	uint32_t allocs = 0;
	int64_t shift = 0;
	char where[96];

	thread_path(t, where, sizeof(where));
	if (!t->samples.def) {
		where[strlen(where) - 1] = '\0';
		cpf_err_where(r->e, "%s", where);
		return cpf_fail(r->e, CPF_E_FORMAT, "the thread has no samples");
	}
	if (settle_samples(r, t, where) ||
		cpf_fx_settle(r, &t->markers, 1u << MARKER_NAME, 0, where) ||
		cpf_fx_settle(r, &t->js_allocs, 0, 0, where) ||
		cpf_fx_settle(r, &t->native_allocs, 0, 0, where))
		return -1;
	if (!r->o->keep_cpu_tracks && is_cpu_track(r, t)) {
		CPF_FX_NOTE(r, CPF_INFO, "cpu-tracks", (int64_t)t->samples.rows,
			"%s: samples on per-CPU tracks left out; they repeat those of the threads",
			r->source);
		return 0;
	}
	allocs = t->js_allocs.rows + t->native_allocs.rows;
	if (allocs)
		CPF_FX_NOTE(r, CPF_INFO, "allocations", (int64_t)allocs,
			"%s: allocation samples are not read", r->source);
	/* Times in a sub-process count from its own start. */
	if (t->root->parent && t->root->has_start && r->roots[0]->has_start &&
		cpf_add64(&shift, t->root->start, -r->roots[0]->start))
		shift = 0;
	return link_samples(
		r, t, is_no_thread(r, t) ? CPF_NONE : add_thread(r, t, shift), shift, where);
}

/* A thread is linked where it ends if what it refers to has been read, else kept for later. */

static int ready(struct cpf_fx *r, const struct cpf_fx_thread *t)
{
	struct cpf_fx_root *root = r->roots[0], *q;

	if (!root->have_meta || !t->root->have_meta)
		return 0;
	/* Threads of sub-processes come after those of the process above, wherever they stand. */
	for (q = t->root->parent; q; q = q->parent)
		if (!q->threads_done)
			return 0;
	if (root->version < 0 && r->per_thread_strings)
		root->version = 0;
	if (root->version < 0)
		return t->root->libs.have;
	if (root->version > 40 && !root->libs.have)
		return 0;
	return root->version < 56 || r->have_shared;
}

void cpf_fx_thread_read(struct cpf_fx *r, struct cpf_fx_root *root)
{
	struct cpf_fx_thread *t = cpf_calloc(1, sizeof(*t));
	struct cpf_slice key;

	t->root = root;
	t->index = root->nthreads++;
	t->is_main = -1;
	t->start = t->end = t->process_start = t->process_end = CPF_FX_NULL;
	cpf_fx_enter(&r->x);
	while (cpf_fx_key(&r->x, &key))
		read_member(r, t, key);
	if (r->x.failed) {
		cpf_fx_thread_free(t);
	} else if (ready(r, t)) {
		if (cpf_fx_thread_link(r, t))
			r->x.failed = 1;
		cpf_fx_thread_free(t);
	} else if (r->nwaiting >= MAX_WAITING) {
		cpf_fx_fail(&r->x, CPF_E_LIMIT,
			"more than %d threads come before meta, libs or shared", MAX_WAITING);
		cpf_fx_thread_free(t);
	} else {
		if (fold_times(r, t))
			r->x.failed = 1;
		CPF_GROW(r->waiting, r->waiting_cap, (size_t)r->nwaiting + 1);
		r->waiting[r->nwaiting++] = t;
	}
}
