/*
 * firefox_read.c - the root of a Firefox profile: walk, order of linking, header.
 */
#include "formats/firefox.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/input.h"
#include "base/mem.h"
#include "formats/firefox_write.h"
#include "formats/formats.h"

/* The walk keeps its own stack: profiles hold processes that hold processes. */
enum state { MEMBERS, PROCESSES, THREADS };

struct place {
	struct cpf_fx_root *root;
	enum state state; /* inside the root object, or in one of its arrays */
};

struct walk {
	struct place *v;
	size_t n, cap;
	const char *foreign; /* what else this file seems to be */
};

enum { MAX_ROOTS = 16384 };

static struct cpf_fx_root *new_root(struct cpf_fx *r, struct cpf_fx_root *parent)
{
	struct cpf_fx_root *root = cpf_calloc(1, sizeof(*root));

	root->parent = parent;
	root->version = root->gecko = root->monotonic = root->symbolicated = -1;
	if (parent)
		snprintf(root->path, sizeof(root->path), "%.40sprocesses[%" PRIu32 "].",
			parent->path, parent->nprocesses++);
	root->number = r->nroots;
	CPF_GROW(r->roots, r->roots_cap, (size_t)r->nroots + 1);
	r->roots[r->nroots++] = root;
	return root;
}

static void push(struct walk *w, struct cpf_fx_root *root)
{
	CPF_GROW(w->v, w->cap, w->n + 1);
	w->v[w->n++] = (struct place){root, MEMBERS};
}

static void read_shared(struct cpf_fx *r)
{
	const struct {
		const char *name;
		struct cpf_fx_table *to;
		const struct cpf_fx_tabdef *def;
	} tables[] = {{"stackTable", &r->shared.stacks, &cpf_fx_stacks},
		{"frameTable", &r->shared.frames, &cpf_fx_frames},
		{"funcTable", &r->shared.funcs, &cpf_fx_funcs},
		{"resourceTable", &r->shared.resources, &cpf_fx_resources},
		{"nativeSymbols", &r->shared.symbols, &cpf_fx_symbols},
		{"sources", &r->shared.sources, &cpf_fx_sources},
		{"sourceLocationTable", &r->shared.origins, &cpf_fx_origins}};
	struct cpf_slice key;
	size_t i;

	if (cpf_fx_type(&r->x) != '{') {
		cpf_fx_fail(&r->x, CPF_E_FORMAT, "expected an object");
		return;
	}
	cpf_fx_tables_release(&r->shared);
	cpf_fx_enter(&r->x);
	while (cpf_fx_key(&r->x, &key)) {
		for (i = 0; i < CPF_LEN(tables); i++)
			if (cpf_slice_is(key, tables[i].name))
				break;
		if (i < CPF_LEN(tables))
			cpf_fx_table_read(&r->x, tables[i].to, tables[i].def, 0);
		else if (cpf_slice_is(key, "stringArray"))
			cpf_fx_strings_read(&r->x, &r->shared.strings, r->p);
		else
			cpf_fx_skip(&r->x);
	}
	r->have_shared = 1;
}

static void count_counters(struct cpf_fx *r)
{
	r->p->ncounters = 0;
	if (cpf_fx_type(&r->x) != '[') {
		cpf_fx_skip(&r->x);
		return;
	}
	cpf_fx_enter(&r->x);
	while (cpf_fx_elem(&r->x)) {
		cpf_fx_skip(&r->x);
		r->p->ncounters++;
	}
}

/* Members that other programs' files have at their root. */
static void note_foreign(struct walk *w, struct cpf_slice key)
{
	static const struct {
		const char *member, *what;
	} known[] = {{"traceEvents", "a Chrome trace"}, {"dhatFileVersion", "a DHAT heap profile"},
		{"$schema", "a speedscope file"}, {"nodes", "a V8 .cpuprofile"},
		{"string_table", "a .syms.json file of symbols (give it with --syms)"}};
	size_t i;

	for (i = 0; !w->foreign && i < CPF_LEN(known); i++)
		if (cpf_slice_is(key, known[i].member))
			w->foreign = known[i].what;
}

/* threads, processes: entered here, walked in walk(). */
static void enter_list(struct cpf_fx *r, struct place *at, enum state state)
{
	if (cpf_fx_type(&r->x) != '[') {
		cpf_fx_fail(&r->x, CPF_E_FORMAT, "expected an array");
		return;
	}
	cpf_fx_enter(&r->x);
	at->state = state;
}

/* Of two members "threads" the last counts, as for any name that is there twice. */
static void drop_threads(struct cpf_fx *r, struct cpf_fx_root *root)
{
	struct cpf_samples *s = &r->p->samples;
	uint32_t i;

	if (r->nroots > 1) {
		cpf_fx_fail(&r->x, CPF_E_FORMAT, "there are threads twice");
		return;
	}
	for (i = 0; i < r->nwaiting; i++)
		cpf_fx_thread_free(r->waiting[i]);
	r->nwaiting = root->nthreads = 0;
	cpf_col_release(&s->node);
	cpf_col_release(&s->thread);
	cpf_col_release(&s->time);
	cpf_col_release(&s->labels);
	for (i = 0; i < s->nraw; i++)
		cpf_col_release(&s->raw[i]);
	s->n = s->nraw = r->p->nthreads = r->p->nprocesses = r->p->nmarkers = 0;
	memset(r->weight, 0, sizeof(r->weight));
	memset(&r->cpu, 0, sizeof(r->cpu));
	r->cpu_num = 0;
	r->has_time = 0;
	cpf_rowset_release(&r->process_index);
	cpf_rowset_release(&r->pid_index);
	memset(&r->process_index, 0, sizeof(r->process_index));
	memset(&r->pid_index, 0, sizeof(r->pid_index));
}

static void read_member(struct cpf_fx *r, struct walk *w, struct cpf_slice key)
{
	struct place *at = &w->v[w->n - 1];
	struct cpf_fx_root *root = at->root;

	if (cpf_slice_is(key, "meta")) {
		cpf_fx_meta_read(r, root);
	} else if (cpf_slice_is(key, "libs") && !(root->libs.have && r->p->nthreads)) {
		/* A second list comes too late once frames refer to the first. */
		cpf_fx_libs_read(r, &root->libs);
	} else if (cpf_slice_is(key, "threads")) {
		if (root->have_threads)
			drop_threads(r, root);
		root->have_threads = 1;
		enter_list(r, at, THREADS);
	} else if (cpf_slice_is(key, "shared") && !root->parent) {
		read_shared(r);
	} else if (cpf_slice_is(key, "counters") && !root->parent) {
		count_counters(r);
	} else if (cpf_slice_is(key, "processes") && cpf_fx_type(&r->x) != 'n') {
		enter_list(r, at, PROCESSES);
	} else if (cpf_slice_is(key, "profile") && w->n == 1) {
		/* Old exports of the developer tools have the profile one level deeper. */
		if (cpf_fx_type(&r->x) == '{') {
			cpf_fx_enter(&r->x);
			push(w, root);
		} else {
			cpf_fx_skip(&r->x);
		}
	} else {
		if (!root->parent)
			note_foreign(w, key);
		cpf_fx_skip(&r->x);
	}
}

/* An element of "processes", or before Gecko 5 of "threads", where it is JSON in a string. */
static void enter_process(struct cpf_fx *r, struct walk *w)
{
	struct cpf_slice s;

	if (r->nroots >= MAX_ROOTS) {
		cpf_fx_fail(&r->x, CPF_E_LIMIT, "more than %d processes", MAX_ROOTS);
		return;
	}
	if (cpf_fx_type(&r->x) == '"') {
		s = cpf_fx_str(&r->x);
		cpf_fx_push(&r->x, cpf_strndup(s.s, s.n), s.n);
	}
	if (cpf_fx_type(&r->x) != '{') {
		cpf_fx_fail(&r->x, CPF_E_FORMAT, "expected an object");
		return;
	}
	cpf_fx_enter(&r->x);
	push(w, new_root(r, w->v[w->n - 1].root));
}

static void walk(struct cpf_fx *r, struct walk *w)
{
	struct cpf_fx_json *x = &r->x;
	struct cpf_slice key;
	struct place *at;
	int type;

	push(w, new_root(r, NULL));
	cpf_fx_enter(x);
	while (w->n && !x->failed) {
		at = &w->v[w->n - 1];
		if (at->state == MEMBERS) {
			if (cpf_fx_key(x, &key))
				read_member(r, w, key);
			else
				w->n--;
		} else if (!cpf_fx_elem(x)) {
			at->root->threads_done |= at->state == THREADS;
			at->state = MEMBERS;
		} else if (at->state == PROCESSES) {
			enter_process(r, w);
		} else {
			type = cpf_fx_type(x);
			if (type == '"')
				enter_process(r, w);
			else if (type == '{')
				cpf_fx_thread_read(r, at->root);
			else if (type == 'n' && at->root->parent)
				cpf_fx_skip(x);
			else
				cpf_fx_fail(x, CPF_E_FORMAT, "expected an object");
		}
	}
}

/* What the file is. */

static int check_version(struct cpf_fx *r, const struct walk *w)
{
	struct cpf_fx_root *root = r->roots[0];

	if (!root->have_meta)
		return cpf_fail(r->e, CPF_E_FORMAT, "not a Firefox profile: %s%s",
			w->foreign ? "it looks like " : "it has no meta",
			w->foreign ? w->foreign : "");
	if (root->version < 0 && root->gecko < 0 && r->per_thread_strings)
		root->version = 0;
	if (root->version < 0 && root->gecko < 0) {
		cpf_err_where(r->e, "meta");
		return cpf_fail(r->e, CPF_E_FORMAT,
			"there is no version (preprocessedProfileVersion, or version of a Gecko "
			"profile)");
	}
	if (!root->have_threads) {
		cpf_err_where(r->e, "threads");
		return cpf_fail(r->e, CPF_E_FORMAT, "not a profile: there are no threads");
	}
	if (root->version < 0 && root->gecko < CPF_GECKO_OLDEST) {
		cpf_err_where(r->e, "meta.version");
		return cpf_fail(r->e, CPF_E_FORMAT,
			"Gecko version %d is older than %d, the oldest readable", root->gecko,
			CPF_GECKO_OLDEST);
	}
	if (root->version > CPF_FX_NEWEST)
		CPF_FX_NOTE(r, CPF_WARN, "newer-version", 1,
			"%s: version %d is newer than %d, the newest known; read as that",
			r->source, root->version, CPF_FX_NEWEST);
	if (root->version < 0 && root->gecko > CPF_GECKO_NEWEST)
		CPF_FX_NOTE(r, CPF_WARN, "newer-version", 1,
			"%s: Gecko version %d is newer than %d, the newest known; read as that",
			r->source, root->gecko, CPF_GECKO_NEWEST);
	return 0;
}

static int starts_with(struct cpf_text t, const char *word)
{
	return t.len >= strlen(word) && !memcmp(t.s, word, strlen(word));
}

static int is_samply(const struct cpf_fx_root *root)
{
	return root->samply && root->gecko == 24 && root->version >= 0;
}

/*
 * Time zero and wall clock. meta.startTime is the wall clock of time 0, except in recordings of
 * samply on Linux: there times count from boot, and startTime is when the recording began. They are
 * told by the clock value of time 0 or the system's name where these are given, else by a first
 * sample later than an hour. What samply imports on Linux starts with a sample at time 0.
 */
static int64_t wall_clock(const struct cpf_fx *r, const struct cpf_fx_root *root)
{
	const int64_t hour = INT64_C(3600) * 1000000000;
	struct cpf_text os = cpf_text(r->p, root->oscpu);
	int64_t v = root->start;

	if (!root->has_start)
		return 0;
	if (is_samply(root) && os.len && !starts_with(os, "macOS") && !starts_with(os, "Windows"))
		return root->start;
	if (root->has_profiling_start)
		return cpf_add64(&v, root->start, root->profiling_start) ? root->start : v;
	if (!r->has_time || root->monotonic == 0 || (root->monotonic < 0 && r->first > hour))
		return root->start;
	return cpf_add64(&v, root->start, r->first) ? root->start : v;
}

static int is_word(struct cpf_text t, const char *word)
{
	return t.len == strlen(word) && !memcmp(t.s, word, t.len);
}

/*
 * The tool that recorded. samply writes no name: its files have meta.version 24 and no stackwalk,
 * and its releases are told by the version they write.
 */
static cpf_str producer(struct cpf_fx *r, const struct cpf_fx_root *root)
{
	static const struct {
		int version;
		const char *name;
	} samply[] = {{41, "samply 0.9/0.10"}, {44, "samply 0.11"}, {46, "samply 0.12"},
		{49, "samply 0.13"}};
	struct cpf_text product = cpf_text(r->p, root->product), misc = cpf_text(r->p, root->misc);
	size_t i;

	if (root->imported)
		return root->imported;
	if (is_word(product, "Ruby/Vernier"))
		return cpf_intern_z(r->p, "vernier");
	if (is_word(product, "Firefox")) {
		cpf_buf_clear(&r->text);
		cpf_buf_str(&r->text, "Firefox");
		if (misc.len > 3 && !memcmp(misc.s, "rv:", 3)) {
			cpf_buf_char(&r->text, ' ');
			cpf_buf_add(&r->text, misc.s + 3, misc.len - 3);
		}
		return cpf_intern(r->p, r->text.s, r->text.n);
	}
	if (!is_samply(root))
		return 0;
	for (i = 0; i < CPF_LEN(samply); i++)
		if (samply[i].version == root->version)
			return cpf_intern_z(r->p, samply[i].name);
	return cpf_intern_z(r->p, "samply");
}

static void set_header(struct cpf_fx *r)
{
	struct cpf_fx_root *root = r->roots[0];
	struct cpf_header *h = &r->p->head;
	int gecko = cpf_fx_is_gecko(root);
	int64_t duration;
	char version[16];

	h->time_nanos = wall_clock(r, root);
	if (r->has_time && !cpf_add64(&duration, r->last, -r->first))
		h->duration_nanos = duration;
	if (root->has_duration)
		h->duration_nanos = root->extra_duration;
	if (root->has_interval)
		h->interval_nanos =
			(root->interval_num + root->interval_den / 2) / root->interval_den;
	h->product = root->product;
	h->producer = producer(r, root);
	h->platform = root->oscpu ? root->oscpu : root->platform;
	h->symbolicated = root->symbolicated;
	snprintf(version, sizeof(version), "%d", gecko ? root->gecko : root->version);
	cpf_add_source(
		r->p, r->source, gecko ? "gecko" : "firefox", version, cpf_cstr(r->p, h->producer));
	r->p->samples.has_time = r->has_time && r->o->want & CPF_WANT_TIMES;
}

/* Into the order of processes; within one, into that of the file. */
static int compare_threads(const void *a, const void *b)
{
	const struct cpf_fx_thread *x = *(struct cpf_fx_thread *const *)a;
	const struct cpf_fx_thread *y = *(struct cpf_fx_thread *const *)b;

	if (x->root->number != y->root->number)
		return x->root->number < y->root->number ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static int finish(struct cpf_fx *r, const struct walk *w)
{
	uint64_t replaced;
	uint32_t i;

	if (cpf_fx_end(&r->x) || check_version(r, w))
		return -1;
	replaced = r->x.replaced + cpf_json_replaced(r->x.j);
	if (replaced)
		CPF_FX_NOTE(r, CPF_WARN, "bad-utf8", (int64_t)replaced,
			"%s: strings with invalid UTF-8 or lone surrogates, which were replaced by "
			"U+FFFD",
			r->source);
	if (r->nwaiting)
		qsort(r->waiting, r->nwaiting, sizeof(struct cpf_fx_thread *), compare_threads);
	for (i = 0; i < r->nwaiting; i++) {
		if (cpf_fx_thread_link(r, r->waiting[i]))
			return -1;
		cpf_fx_thread_free(r->waiting[i]);
		r->waiting[i] = NULL;
	}
	if (cpf_fx_types(r))
		return -1;
	set_header(r);
	return 0;
}

static void release(struct cpf_fx *r)
{
	uint32_t i;

	for (i = 0; i < r->nwaiting; i++)
		cpf_fx_thread_free(r->waiting[i]);
	cpf_free(r->waiting);
	for (i = 0; i < r->nroots; i++)
		cpf_fx_root_free(r->roots[i]);
	cpf_free(r->roots);
	cpf_fx_tables_release(&r->shared);
	cpf_rowset_release(&r->symbol_index);
	cpf_rowset_release(&r->lib_index);
	cpf_rowset_release(&r->process_index);
	cpf_rowset_release(&r->pid_index);
	cpf_rowset_release(&r->category_index);
	cpf_free(r->lines);
	cpf_buf_release(&r->text);
	cpf_fx_close(&r->x);
}

/* A Chrome trace may be a bare array of events. */
static int check_root(struct cpf_fx *r)
{
	int type = cpf_fx_type(&r->x);

	if (type == '[')
		cpf_fail(r->e, CPF_E_FORMAT,
			"not a Firefox profile: it is a JSON array, which looks like a Chrome "
			"trace");
	else if (type && type != '{')
		cpf_fail(r->e, CPF_E_FORMAT, "not a Firefox profile: the root is no JSON object");
	else if (!type && !cpf_fx_end(&r->x))
		cpf_fail(r->e, CPF_E_FORMAT, "not a Firefox profile: there is no JSON object");
	return type == '{' ? 0 : -1;
}

static int open_input(struct cpf_fx *r, struct cpf_input *in, char **slabs)
{
	const uint8_t *head;
	size_t n;

	if (cpf_input_head(in, &head, &n, r->e))
		return -1;
	if (!cpf_jslb_probe(head, n))
		return cpf_fx_open(&r->x, in, r->e);
	/* Slabs are in any order, so the file has to be in memory. */
	if (cpf_input_all(in, slabs, &n, r->e))
		return -1;
	return cpf_fx_open_jslb(&r->x, *slabs, n, r->e);
}

static int read_firefox(struct cpf_input *in, struct cpf_profile *p, const struct cpf_load_opts *o,
	struct cpf_diag *d, struct cpf_err *e)
{
	struct cpf_err local = {0};
	struct cpf_fx r = {0};
	struct walk w = {0};
	char *slabs = NULL;
	int ret = -1;

	r.p = p;
	r.o = o;
	r.d = d;
	r.e = e ? e : &local;
	r.source = cpf_input_name(in);
	if (!open_input(&r, in, &slabs) && !check_root(&r)) {
		walk(&r, &w);
		ret = finish(&r, &w);
	}
	cpf_free(w.v);
	release(&r);
	cpf_free(slabs);
	return ret;
}

static int probe_firefox(const uint8_t *head, size_t n)
{
	size_t i = 0;
	int array;

	if (cpf_jslb_probe(head, n))
		return 2;
	if (n >= 3 && !memcmp(head, "\xef\xbb\xbf", 3))
		i = 3;
	while (i < n && memchr(" \t\r\n", head[i], 4))
		i++;
	if (i == n || (head[i] != '{' && head[i] != '['))
		return 0;
	/* Arrays are recognised to say what they are; a folded stack may begin with a bracket, too.
	 */
	array = head[i++] == '[';
	while (i < n && memchr(" \t\r\n", head[i], 4))
		i++;
	if (array)
		return i < n && head[i] == '{' ? 2 : 0;
	return i == n || head[i] == '"' || head[i] == '}' ? 2 : 1;
}

const struct cpf_format cpf_format_firefox = {
	.name = "firefox",
	.summary = "Firefox Profiler and samply JSON, raw Gecko profiles, JSLB",
	.suffixes = ".json.gz .json",
	.keeps = CPF_KEEPS_ADDRESSES | CPF_KEEPS_MAPPINGS | CPF_KEEPS_INLINES | CPF_KEEPS_LINES |
		 CPF_KEEPS_FILES | CPF_KEEPS_THREADS | CPF_KEEPS_TIMES | CPF_KEEPS_TYPES |
		 CPF_KEEPS_MARKERS | CPF_KEEPS_HEADER | CPF_KEEPS_CATEGORIES | CPF_KEEPS_EMPTY,
	.probe = probe_firefox,
	.read = read_firefox,
	.write = cpf_firefox_write,
};
