/* Labels of the samples that go through a node, for the boxes of -dot. */
#include "reports/pprof.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/rowset.h"

/* Numbers are shown of this label alone. */
#define NUMBERS_OF "bytes"

/* What a label set comes to. */
struct set_tags {
	cpf_str joined; /* "key:value" of the text labels, sorted; 0 = none */
	struct number {
		cpf_str name;
		int64_t value;
	} *numbers;     /* owned */
	uint32_t n;
};

struct builder {
	struct cpf_pprof *r;
	struct cpf_pprof_graph *g;
	struct set_tags *sets;
	cpf_str unit;       /* of NUMBERS_OF */
	struct cpf_rowset rows;
	size_t cap;
	uint32_t *seen;     /* by id: sample that was there last, + 1 */
	uint32_t *near;     /* by stack node: itself if a frame of it is shown, else the next caller */
	struct recent {
		cpf_str set;
		uint32_t row; /* of that set, + 1 */
	} *recent;          /* by id */
	uint32_t *path;     /* stack nodes, leaf first */
	size_t path_cap;
};

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static cpf_str join_texts(struct builder *b, const struct cpf_label *l, uint32_t n)
{
	const struct cpf_profile *p = b->r->p;
	struct cpf_buf one = {0}, all = {0};
	char **texts = cpf_calloc((size_t)n + 1, sizeof(*texts));
	uint32_t i, k = 0;
	cpf_str id;

	for (i = 0; i < n; i++) {
		if (cpf_pprof_label_kind(&l[i]) != CPF_LABEL_TEXT ||
			!strcmp(cpf_cstr(p, l[i].key), "pprof::base"))
			continue;
		cpf_buf_clear(&one);
		cpf_buf_fmt(&one, "%s:%s", cpf_cstr(p, l[i].key), cpf_cstr(p, l[i].str));
		texts[k++] = cpf_strdup(one.s);
	}
	qsort(texts, k, sizeof(*texts), compare_texts);
	for (i = 0; i < k; i++) {
		cpf_buf_fmt(&all, "%s%s", i ? "\\n" : "", texts[i]);
		cpf_free(texts[i]);
	}
	id = all.n ? cpf_intern(b->r->p, all.s, all.n) : 0;
	cpf_free(texts);
	cpf_buf_release(&one);
	cpf_buf_release(&all);
	return id;
}

static void list_numbers(struct builder *b, struct set_tags *t, const struct cpf_label *l, uint32_t n)
{
	struct cpf_profile *p = b->r->p;
	char text[CPF_NUM_TEXT + 256];
	size_t cap = 0;
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (cpf_pprof_label_kind(&l[i]) != CPF_LABEL_NUMBER ||
			strcmp(cpf_cstr(p, l[i].key), NUMBERS_OF) != 0)
			continue;
		if (l[i].key < b->r->nlabel_units)
			b->unit = b->r->label_units[l[i].key];
		CPF_GROW(t->numbers, cap, (size_t)t->n + 1);
		t->numbers[t->n].value = l[i].num;
		t->numbers[t->n++].name = cpf_intern_z(p, cpf_unit_label(l[i].num,
			cpf_cstr(p, b->unit), b->r->cfg.unit, text, sizeof(text)));
	}
}

/* Returns 1 if some set in use has tags. */
static int make_sets(struct builder *b)
{
	struct cpf_profile *p = b->r->p;
	struct cpf_label_sets *t = &p->label_sets;
	uint32_t i, set, n;
	int any = 0;
	uint8_t *done = cpf_calloc((size_t)t->n + 1, 1);

	b->sets = cpf_calloc((size_t)t->n + 1, sizeof(*b->sets));
	for (i = 0; i < p->samples.n; i++) {
		set = cpf_col_id(&p->samples.labels, i);
		n = t->first[set + 1] - t->first[set];
		if (done[set] || !n)
			continue;
		done[set] = 1;
		b->sets[set].joined = join_texts(b, t->labels + t->first[set], n);
		list_numbers(b, &b->sets[set], t->labels + t->first[set], n);
		any |= b->sets[set].joined || b->sets[set].n;
	}
	cpf_free(done);
	return any;
}

static struct cpf_pprof_tag *find_tag(struct builder *b, uint32_t id, cpf_str set, cpf_str name,
	int64_t value)
{
	struct cpf_pprof_tags *t = &b->g->tags;
	uint64_t h = cpf_hash_mix(cpf_hash_mix(cpf_hash_seed(), (uint64_t)set << 32 | name), id);
	struct cpf_rowset_it it;
	uint32_t i;

	for (i = cpf_rowset_first(&b->rows, h, &it); i != CPF_ROWSET_END;
		i = cpf_rowset_next(&b->rows, &it))
		if (t->rows[i].id == id && t->rows[i].set == set && t->rows[i].name == name)
			return &t->rows[i];
	CPF_GROW(t->rows, b->cap, (size_t)t->n + 1);
	t->rows[t->n] = (struct cpf_pprof_tag){
		.id = id, .set = set, .name = name, .unit = name ? b->unit : 0, .value = value};
	cpf_rowset_add(&b->rows, h, t->n);
	return &t->rows[t->n++];
}

/* The tag of a whole set. Samples of one set often come together. */
static struct cpf_pprof_tag *find_set(struct builder *b, uint32_t id, cpf_str set)
{
	struct recent *recent = &b->recent[id];

	if (!recent->row || recent->set != set) {
		recent->set = set;
		recent->row = (uint32_t)(find_tag(b, id, set, 0, 0) - b->g->tags.rows) + 1;
	}
	return &b->g->tags.rows[recent->row - 1];
}

static void add_value(struct cpf_pprof_tag *t, int64_t v, int64_t d, int flat)
{
	int64_t *sum = flat ? &t->flat : &t->cum, *div = flat ? &t->flat_div : &t->cum_div;

	*sum = cpf_wrap_add(*sum, v);
	*div = cpf_wrap_add(*div, d);
}

static void add_tags(struct builder *b, uint32_t id, const struct set_tags *s, int64_t v, int64_t d,
	int flat)
{
	uint32_t i;

	if (s->joined)
		add_value(find_set(b, id, s->joined), v, d, flat);
	for (i = 0; i < s->n; i++)
		add_value(find_tag(b, id, s->joined, s->numbers[i].name, s->numbers[i].value), v, d,
			flat);
}

/* One sample: each node it goes through once, then the node it ends in. */
static void add_sample(struct builder *b, uint32_t sample, const struct set_tags *s, int64_t v,
	int64_t d)
{
	const struct cpf_pprof_graph *g = b->g;
	const struct cpf_profile *p = b->r->p;
	uint32_t node = cpf_col_id(&p->samples.node, sample), n = 0, i, loc, id, leaf;

	if (g->is_tree) {
		leaf = g->tree.calls.of_node[node];
		for (i = leaf; i != CPF_NONE; i = g->tree.calls.calls[i].parent)
			if (g->node_of[i])
				add_tags(b, i, s, v, d, 0);
	} else {
		leaf = node ? g->keys.ids[g->keys.first[cpf_col_id(&p->nodes.location, node)]] : CPF_NONE;
		for (node = b->near[node]; node; node = b->near[cpf_col_id(&p->nodes.parent, node)]) {
			CPF_GROW(b->path, b->path_cap, (size_t)n + 1);
			b->path[n++] = node;
		}
		while (n--) {
			loc = cpf_col_id(&p->nodes.location, b->path[n]);
			for (i = g->keys.first[loc + 1]; i-- > g->keys.first[loc];) {
				id = g->keys.ids[i];
				if (!g->node_of[id] || b->seen[id] == sample + 1)
					continue;
				b->seen[id] = sample + 1;
				add_tags(b, id, s, v, d, 0);
			}
		}
	}
	if (leaf != CPF_NONE && g->node_of[leaf])
		add_tags(b, leaf, s, v, d, 1);
}

/* Most frames are not shown and need not be looked at sample by sample. */
static void find_near(struct builder *b)
{
	const struct cpf_profile *p = b->r->p;
	const struct cpf_keys *k = &b->g->keys;
	uint8_t *shown = cpf_calloc((size_t)p->locations.n + 1, 1);
	uint32_t i, x, loc;

	for (i = 0; i < p->locations.n; i++)
		for (x = k->first[i]; x < k->first[i + 1]; x++)
			shown[i] |= b->g->node_of[k->ids[x]] != 0;
	b->near = cpf_calloc((size_t)p->nodes.n + 1, sizeof(*b->near));
	for (i = 1; i < p->nodes.n; i++) {
		loc = cpf_col_id(&p->nodes.location, i);
		b->near[i] = shown[loc] ? i : b->near[cpf_col_id(&p->nodes.parent, i)];
	}
	cpf_free(shown);
}

static int by_node(const void *x, const void *y)
{
	const struct cpf_pprof_tag *a = x, *b = y;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

/* Tags below the cut of nodes go; what is left is found by node. */
static void settle(struct cpf_pprof_graph *g)
{
	struct cpf_pprof_tags *t = &g->tags;
	uint32_t i, n = 0;

	for (i = 0; i < t->n; i++)
		if (cpf_go_abs(t->rows[i].flat) >= g->node_cut ||
			cpf_go_abs(t->rows[i].cum) >= g->node_cut)
			t->rows[n++] = t->rows[i];
	t->n = n;
	if (n)
		qsort(t->rows, n, sizeof(*t->rows), by_node);
	t->first = cpf_calloc((size_t)g->nids + 1, sizeof(*t->first));
	for (i = 0; i < n; i++)
		t->first[t->rows[i].id + 1]++;
	for (i = 0; i < g->nids; i++)
		t->first[i + 1] += t->first[i];
}

void cpf_pprof_tags_build(struct cpf_pprof *r, struct cpf_pprof_graph *g)
{
	const struct cpf_samples *s = &r->p->samples;
	struct builder b = {.r = r, .g = g};
	int64_t v, d;
	uint32_t i;

	cpf_pprof_tags_release(&g->tags);
	if (make_sets(&b)) {
		b.seen = cpf_calloc((size_t)g->nids + 1, sizeof(*b.seen));
		b.recent = cpf_calloc((size_t)g->nids + 1, sizeof(*b.recent));
		if (!g->is_tree)
			find_near(&b);
		for (i = 0; i < s->n; i++) {
			const struct set_tags *tags = &b.sets[cpf_col_id(&s->labels, i)];

			v = cpf_col_get(&s->raw[r->raw], i);
			d = r->div_raw == CPF_NONE ? 0 : cpf_col_get(&s->raw[r->div_raw], i);
			if ((v || d) && (tags->joined || tags->n))
				add_sample(&b, i, tags, v, d);
		}
	}
	settle(g);
	for (i = 0; i < r->p->label_sets.n; i++)
		cpf_free(b.sets[i].numbers);
	cpf_profile_seal(r->p);
	cpf_free(b.sets);
	cpf_free(b.seen);
	cpf_free(b.recent);
	cpf_free(b.near);
	cpf_free(b.path);
	cpf_rowset_release(&b.rows);
}

void cpf_pprof_tags_release(struct cpf_pprof_tags *t)
{
	cpf_free(t->rows);
	cpf_free(t->first);
	memset(t, 0, sizeof(*t));
}
