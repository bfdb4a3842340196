/* -traces: every sample with its labels and its stack. */
#include "reports/pprof.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/num.h"

static const char separator[] =
	"-----------+-------------------------------------------------------\n";

struct traces {
	struct cpf_pprof *r;
	struct cpf_keys keys;
	struct cpf_text *names; /* by key; s NULL: not made yet */
	struct cpf_text *heads; /* by label set; s NULL: not made yet */
	struct cpf_arena arena;
	struct cpf_buf scratch;
};

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct sorted {
	const struct cpf_label *label;
	uint32_t at;
};

static int by_key(const void *x, const void *y)
{
	const struct sorted *a = x, *b = y;

	if (a->label->key != b->label->key)
		return a->label->key < b->label->key ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* Labels of one kind, those of a key together and in their order. The caller frees them. */
static struct cpf_label *group_labels(const struct cpf_label *l, uint32_t n, enum cpf_pprof_label kind,
	uint32_t *count)
{
	struct cpf_label *out = cpf_calloc((size_t)n + 1, sizeof(*out));
	struct sorted *rows = cpf_calloc((size_t)n + 1, sizeof(*rows));
	uint32_t i, k = 0;

	for (i = 0; i < n; i++)
		if (cpf_pprof_label_kind(&l[i]) == kind)
			rows[k++] = (struct sorted){&l[i], i};
	qsort(rows, k, sizeof(*rows), by_key);
	for (i = 0; i < k; i++)
		out[i] = *rows[i].label;
	cpf_free(rows);
	*count = k;
	return out;
}

void cpf_pprof_sorted_labels(struct cpf_pprof *r, uint32_t set, enum cpf_pprof_label kind,
	void (*add)(struct cpf_pprof *r, const struct cpf_label *l, uint32_t n, struct cpf_buf *text),
	const char *between, struct cpf_buf *out)
{
	uint32_t n, i, from, ntexts = 0;
	const struct cpf_label *all = cpf_pprof_labels(r->p, set, &n);
	struct cpf_label *l = group_labels(all, n, kind, &n);
	char **texts = cpf_calloc((size_t)n + 1, sizeof(*texts));
	struct cpf_buf one = {0};

	for (from = 0; from < n; from = i) {
		for (i = from; i < n && l[i].key == l[from].key;)
			i++;
		cpf_buf_clear(&one);
		add(r, l + from, i - from, &one);
		texts[ntexts++] = cpf_strdup(one.s);
	}
	qsort(texts, ntexts, sizeof(*texts), compare_texts);
	for (i = 0; i < ntexts; i++) {
		cpf_buf_str(out, i ? between : "");
		cpf_buf_str(out, texts[i]);
		cpf_free(texts[i]);
	}
	cpf_free(texts);
	cpf_free(l);
	cpf_buf_release(&one);
}

static void add_key(struct cpf_pprof *r, cpf_str key, struct cpf_buf *text)
{
	cpf_pprof_pad(text, cpf_cstr(r->p, key), 10);
	cpf_buf_str(text, ": ");
}

static void add_texts(
	struct cpf_pprof *r, const struct cpf_label *l, uint32_t n, struct cpf_buf *text)
{
	uint32_t i;

	add_key(r, l->key, text);
	for (i = 0; i < n; i++)
		cpf_buf_fmt(text, " %s", cpf_cstr(r->p, l[i].str));
	cpf_buf_char(text, '\n');
}

static void add_numbers(
	struct cpf_pprof *r, const struct cpf_label *l, uint32_t n, struct cpf_buf *text)
{
	const char *unit = cpf_pprof_label_unit(r, l->key);
	size_t cap = CPF_NUM_TEXT + strlen(unit);
	char *number = cpf_malloc(cap);
	uint32_t i;

	add_key(r, l->key, text);
	for (i = 0; i < n; i++)
		cpf_buf_fmt(text, " %s", cpf_unit_label(l[i].num, unit, "auto", number, cap));
	cpf_buf_char(text, '\n');
	cpf_free(number);
}

static struct cpf_text keep(struct traces *t)
{
	struct cpf_text text;

	text.s = cpf_arena_text(&t->arena, t->scratch.s ? t->scratch.s : "", t->scratch.n);
	text.len = (uint32_t)t->scratch.n;
	return text;
}

static struct cpf_text head(struct traces *t, uint32_t set)
{
	if (!t->heads[set].s) {
		cpf_buf_clear(&t->scratch);
		cpf_pprof_sorted_labels(t->r, set, CPF_LABEL_TEXT, add_texts, "", &t->scratch);
		cpf_pprof_sorted_labels(t->r, set, CPF_LABEL_NUMBER, add_numbers, "", &t->scratch);
		t->heads[set] = keep(t);
	}
	return t->heads[set];
}

static struct cpf_text name(struct traces *t, uint32_t key)
{
	if (!t->names[key].s) {
		cpf_buf_clear(&t->scratch);
		cpf_key_name(t->r->p, &t->keys, key, &t->scratch);
		t->names[key] = keep(t);
	}
	return t->names[key];
}

static void add_sample(struct traces *t, uint32_t sample, struct cpf_buf *out)
{
	struct cpf_pprof *r = t->r;
	const struct cpf_profile *p = r->p;
	uint32_t node = cpf_col_id(&p->samples.node, sample), loc, i;
	struct cpf_text text;
	int64_t d = 0, v;
	int first = 1;

	if (!node)
		return;
	cpf_buf_str(out, separator);
	text = head(t, cpf_col_id(&p->samples.labels, sample));
	cpf_buf_add(out, text.s, text.len);
	v = cpf_col_get(&p->samples.raw[r->raw], sample);
	if (r->div_raw != CPF_NONE)
		d = cpf_col_get(&p->samples.raw[r->div_raw], sample);
	v = cpf_pprof_mean(v, d);
	for (; node; node = cpf_col_id(&p->nodes.parent, node)) {
		loc = cpf_col_id(&p->nodes.location, node);
		for (i = t->keys.first[loc]; i < t->keys.first[loc + 1]; i++, first = 0) {
			cpf_pprof_pad(out, first ? cpf_pprof_value(r, v) : "", 10);
			cpf_buf_str(out, "   ");
			text = name(t, t->keys.ids[i]);
			cpf_buf_add(out, text.s, text.len);
			cpf_buf_str(out, t->keys.inlined[i] ? " (inline)\n" : "\n");
		}
	}
}

int cpf_pprof_traces(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e)
{
	struct cpf_keys_opts o = {0};
	struct traces t = {.r = r};
	uint32_t i;

	(void)e;
	cpf_pprof_profile_head(r, out);
	/* A head without lines is an empty line. */
	if (!out->n)
		cpf_buf_char(out, '\n');
	o.by = r->cfg.granularity;
	o.style = CPF_KEYS_PPROF;
	o.no_inlines = r->cfg.noinlines;
	o.columns = r->cfg.showcolumns;
	o.whole_paths = 1;
	cpf_keys_build(&t.keys, r->p, &o);
	t.names = cpf_calloc((size_t)t.keys.n + 1, sizeof(*t.names));
	t.heads = cpf_calloc((size_t)r->p->label_sets.n + 1, sizeof(*t.heads));
	for (i = 0; i < r->p->samples.n; i++)
		add_sample(&t, i, out);
	cpf_buf_str(out, separator);
	cpf_keys_release(&t.keys);
	cpf_free(t.names);
	cpf_free(t.heads);
	cpf_arena_release(&t.arena);
	cpf_buf_release(&t.scratch);
	return 0;
}
