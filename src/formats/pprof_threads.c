/*
 * Threads out of labels. Producers spell the keys differently, as text or as numbers; the list
 * holds the spellings seen in files of perf_to_profile, pprof-rs, instrumentsToPprof, parca-agent,
 * Julia, dd-trace-js and swift-profile-recorder, and our own.
 */
#include "base/base.h"

#include "base/buf.h"
#include "base/mem.h"
#include "formats/pprof_read.h"

enum role { THREAD_NAME, THREAD_ID, PROCESS_NAME, PROCESS_ID, ROLES };

/* Best first within a role: the first key that occurs in the file is the one used. */
static const struct {
	const char *key;
	enum role role;
} spellings[] = {
	{"thread_name", THREAD_NAME},
	{"thread name", THREAD_NAME},
	{"threadname", THREAD_NAME},
	{"thread", THREAD_NAME},
	{"thread_comm", THREAD_NAME},
	{"comm", THREAD_NAME},
	{"tid", THREAD_ID},
	{"thread_id", THREAD_ID},
	{"thread id", THREAD_ID},
	{"threadid", THREAD_ID},
	{"process", PROCESS_NAME},
	{"process_name", PROCESS_NAME},
	{"process name", PROCESS_NAME},
	{"comm", PROCESS_NAME},
	{"pid", PROCESS_ID},
	{"process_id", PROCESS_ID},
	{"process id", PROCESS_ID},
};

/* A thread as its labels tell it: one text per role, 0 = not said. */
struct who {
	cpf_str text[ROLES];
};

static void choose_keys(struct cpf_profile *p, const char *thread_label, cpf_str keys[ROLES])
{
	const struct cpf_label_sets *t = &p->label_sets;
	uint8_t *used = cpf_calloc(cpf_nstrings(p), 1);
	uint32_t known = cpf_nstrings(p), i;
	cpf_str key;

	for (i = 0; i < t->nlabels; i++)
		used[t->labels[i].key] = 1;
	for (i = 0; i < ROLES; i++)
		keys[i] = 0;
	if (thread_label) {
		key = cpf_intern_z(p, thread_label);
		if (key < known && used[key])
			keys[THREAD_NAME] = key;
	}
	for (i = 0; i < CPF_LEN(spellings); i++) {
		enum role role = spellings[i].role;

		if (keys[role] || (role == THREAD_NAME && thread_label))
			continue;
		key = cpf_intern_z(p, spellings[i].key);
		/* "comm" names the thread where nothing else does, and the process otherwise. */
		if (key < known && used[key] && key != keys[THREAD_NAME])
			keys[role] = key;
	}
	cpf_free(used);
}

static void who_is(struct cpf_profile *p, uint32_t set, const cpf_str keys[ROLES], struct who *w)
{
	const struct cpf_label_sets *t = &p->label_sets;
	struct cpf_buf b = {0};
	uint32_t i, role;

	memset(w, 0, sizeof(*w));
	for (i = t->first[set]; i < t->first[set + 1]; i++)
		for (role = 0; role < ROLES; role++) {
			const struct cpf_label *l = &t->labels[i];

			if (!keys[role] || l->key != keys[role] || w->text[role])
				continue;
			if (l->str) {
				w->text[role] = l->str;
				continue;
			}
			cpf_buf_clear(&b);
			cpf_buf_i64(&b, l->num);
			w->text[role] = cpf_intern(p, b.s, b.n);
		}
	cpf_buf_release(&b);
}

static uint64_t hash_texts(cpf_str a, cpf_str b, uint64_t more)
{
	return cpf_hash_mix(cpf_hash_mix(cpf_hash_seed(), (uint64_t)a << 32 | b), more);
}

static cpf_id find_process(struct cpf_profile *p, struct cpf_rowset *index, const struct who *w)
{
	uint64_t h = hash_texts(w->text[PROCESS_NAME], w->text[PROCESS_ID], 0);
	struct cpf_process row = {0};
	struct cpf_rowset_it it;
	cpf_id id;

	for (id = cpf_rowset_first(index, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(index, &it))
		if (p->processes[id].name == w->text[PROCESS_NAME] &&
			p->processes[id].pid == w->text[PROCESS_ID])
			return id;
	row.name = w->text[PROCESS_NAME];
	row.pid = w->text[PROCESS_ID];
	row.end = -1;
	id = cpf_add_process(p, &row);
	cpf_rowset_add(index, h, id);
	return id;
}

static cpf_id find_thread(struct cpf_profile *p, struct cpf_rowset *processes,
	struct cpf_rowset *threads, const struct who *w)
{
	struct cpf_thread row = {0};
	struct cpf_rowset_it it;
	uint64_t h;
	cpf_id id;

	row.name = w->text[THREAD_NAME];
	row.tid = w->text[THREAD_ID];
	row.process = find_process(p, processes, w);
	row.end = -1;
	if (row.tid && row.tid == w->text[PROCESS_ID])
		row.flags = CPF_THREAD_MAIN;
	h = hash_texts(row.name, row.tid, row.process);
	for (id = cpf_rowset_first(threads, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(threads, &it))
		if (p->threads[id].name == row.name && p->threads[id].tid == row.tid &&
			p->threads[id].process == row.process)
			return id;
	id = cpf_add_thread(p, &row);
	cpf_rowset_add(threads, h, id);
	return id;
}

void cpf_pb_threads(struct cpf_profile *p, const char *thread_label)
{
	struct cpf_rowset processes = {0}, threads = {0};
	struct cpf_samples *s = &p->samples;
	cpf_str keys[ROLES];
	int64_t *thread_of; /* by label set: thread + 2, 1 = none; 0 = not looked at yet */
	struct who w;
	uint32_t i, set, role;
	cpf_id thread;

	choose_keys(p, thread_label, keys);
	if (!keys[THREAD_NAME] && !keys[THREAD_ID] && !keys[PROCESS_NAME] && !keys[PROCESS_ID]) {
		cpf_col_fill(&s->thread, -1, s->n);
		return;
	}
	thread_of = cpf_calloc(p->label_sets.n, sizeof(*thread_of));
	for (i = 0; i < s->n; i++) {
		set = cpf_col_id(&s->labels, i);
		if (!thread_of[set]) {
			who_is(p, set, keys, &w);
			for (role = 0; role < ROLES && !w.text[role]; role++)
				;
			thread = role < ROLES ? find_thread(p, &processes, &threads, &w) : CPF_NONE;
			thread_of[set] = thread == CPF_NONE ? 1 : (int64_t)thread + 2;
		}
		cpf_col_push(&s->thread, thread_of[set] - 2);
	}
	p->threads_from_labels = 1;
	p->thread_label = keys[THREAD_NAME] ? keys[THREAD_NAME] : keys[THREAD_ID];
	cpf_free(thread_of);
	cpf_rowset_release(&processes);
	cpf_rowset_release(&threads);
}
