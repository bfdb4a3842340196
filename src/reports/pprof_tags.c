/* -tags: values of labels with what they account for; and -comments. */
#include "reports/pprof.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/rowset.h"

struct row {
	const struct cpf_profile *p;
	cpf_str key, value;
	int64_t sum;
};

struct table {
	struct row *rows;
	uint32_t n;
	size_t cap;
	struct cpf_rowset set;
};

static void add_value(struct cpf_pprof *r, struct table *t, cpf_str key, cpf_str value, int64_t v)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)key << 32 | value);
	struct cpf_rowset_it it;
	uint32_t i;

	for (i = cpf_rowset_first(&t->set, h, &it); i != CPF_ROWSET_END;
		i = cpf_rowset_next(&t->set, &it))
		if (t->rows[i].key == key && t->rows[i].value == value)
			break;
	if (i == CPF_ROWSET_END) {
		i = t->n++;
		CPF_GROW(t->rows, t->cap, t->n);
		t->rows[i] = (struct row){r->p, key, value, 0};
		cpf_rowset_add(&t->set, h, i);
	}
	t->rows[i].sum = cpf_wrap_add(t->rows[i].sum, v);
}

/* Each value of a label counts, so a sample may count twice for a key. */
static void add_set(struct cpf_pprof *r, struct table *t, uint32_t set, int64_t v)
{
	uint32_t n, i;
	const struct cpf_label *l = cpf_pprof_labels(r->p, set, &n);

	for (i = 0; i < n; i++) {
		const char *unit = cpf_pprof_label_unit(r, l[i].key);
		size_t cap = CPF_NUM_TEXT + strlen(unit) + strlen(r->cfg.unit);
		char *text;

		if (cpf_pprof_label_kind(&l[i]) == CPF_LABEL_TEXT)
			add_value(r, t, l[i].key, l[i].str, v);
		if (cpf_pprof_label_kind(&l[i]) != CPF_LABEL_NUMBER)
			continue;
		text = cpf_malloc(cap);
		cpf_unit_label(l[i].num, unit, r->cfg.unit, text, cap);
		add_value(r, t, l[i].key, cpf_intern_z(r->p, text), v);
		cpf_free(text);
	}
}

static void collect(struct cpf_pprof *r, struct table *t)
{
	const struct cpf_samples *s = &r->p->samples;
	uint32_t nsets = r->p->label_sets.n, i, set;
	int64_t *sums = cpf_calloc((size_t)nsets + 1, sizeof(*sums));
	uint8_t *used = cpf_calloc((size_t)nsets + 1, 1);

	for (i = 0; i < s->n; i++) {
		set = cpf_col_id(&s->labels, i);
		sums[set] = cpf_wrap_add(sums[set], cpf_col_get(&s->raw[r->raw], i));
		used[set] = 1;
	}
	for (i = 0; i < nsets; i++)
		if (used[i])
			add_set(r, t, i, sums[i]);
	cpf_free(sums);
	cpf_free(used);
}

static int by_key(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	int c = cpf_pprof_compare_text(cpf_text(a->p, a->key), cpf_text(b->p, b->key));
	int64_t v = cpf_go_abs(a->sum), w = cpf_go_abs(b->sum);

	if (c)
		return c;
	if (v != w)
		return v > w ? -1 : 1;
	return cpf_pprof_compare_text(cpf_text(a->p, a->value), cpf_text(b->p, b->value));
}

static size_t width(const char *s, size_t n)
{
	size_t chars = 0, i;
	int len;

	for (i = 0; i < n; i += (size_t)(len > 0 ? len : 1), chars++)
		len = cpf_utf8_len(s + i, n - i);
	return chars;
}

static void add_share(struct cpf_pprof *r, int64_t v, struct cpf_buf *out)
{
	if (r->total <= 0)
		return;
	cpf_buf_str(out, " (");
	cpf_pprof_percent(out, v, r->total);
	cpf_buf_char(out, ')');
}

/* Columns are right-aligned: the key, the value with its share, and the name, which is not. */
static void print_key(struct cpf_pprof *r, const struct row *rows, uint32_t n, struct cpf_buf *out)
{
	struct cpf_text key = cpf_text(r->p, rows[0].key), name;
	struct cpf_buf cells = {0};
	size_t *end = cpf_calloc((size_t)n + 1, sizeof(*end)), left, second = 0, w;
	int64_t total = 0;
	uint32_t i;

	left = width(key.s, key.len) + 2;
	for (i = 0; i < n; i++) {
		total = cpf_wrap_add(total, rows[i].sum);
		cpf_buf_str(&cells, cpf_pprof_value(r, rows[i].sum));
		add_share(r, rows[i].sum, &cells);
		cpf_buf_char(&cells, ':');
		end[i + 1] = cells.n;
		w = width(cells.s + end[i], end[i + 1] - end[i]) + 1;
		second = w > second ? w : second;
	}
	cpf_buf_fmt(out, " %s: Total %s", key.s, cpf_pprof_value(r, total));
	cpf_buf_fmt(out, " of %s", cpf_pprof_value(r, r->total));
	add_share(r, total, out);
	cpf_buf_char(out, '\n');
	for (i = 0; i < n; i++) {
		cpf_buf_pad(out, ' ', left + second -
						     width(cells.s + end[i], end[i + 1] - end[i]));
		cpf_buf_add(out, cells.s + end[i], end[i + 1] - end[i]);
		name = cpf_text(r->p, rows[i].value);
		cpf_buf_char(out, ' ');
		cpf_buf_add(out, name.s, name.len);
		cpf_buf_char(out, '\n');
	}
	cpf_buf_char(out, '\n');
	cpf_buf_release(&cells);
	cpf_free(end);
}

int cpf_pprof_tag_list(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e)
{
	struct table t = {0};
	uint32_t i, from;

	(void)e;
	collect(r, &t);
	cpf_profile_seal(r->p);
	if (t.n)
		qsort(t.rows, t.n, sizeof(*t.rows), by_key);
	for (from = 0; from < t.n; from = i) {
		for (i = from; i < t.n && t.rows[i].key == t.rows[from].key;)
			i++;
		print_key(r, t.rows + from, i - from, out);
	}
	cpf_free(t.rows);
	cpf_rowset_release(&t.set);
	return 0;
}

int cpf_pprof_comments(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e)
{
	const struct cpf_header *h = &r->p->head;
	uint32_t i;

	(void)e;
	for (i = 0; i < h->ncomments; i++) {
		struct cpf_text t = cpf_text(r->p, h->comments[i]);

		cpf_buf_add(out, t.s, t.len);
		cpf_buf_char(out, '\n');
	}
	return 0;
}
