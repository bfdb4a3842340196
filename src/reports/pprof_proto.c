/*
 * -proto and -topproto: a profile.proto message, to be packed by the caller. Fields come in the order
 * of their numbers, strings in the order in which pprof meets them, and arrays of one or two numbers
 * are not packed, so that the bytes are pprof's.
 */
#include "reports/pprof.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/rowset.h"

struct encoder {
	struct cpf_pprof *r;
	const struct cpf_profile *p;
	struct cpf_buf *out;
	struct cpf_buf body, inner; /* of the message in work, of one inside it */
	uint32_t *index;            /* by string id: place in the string table + 1; 0: not in it */
	cpf_str *strings;           /* the table */
	uint32_t n;
	uint64_t *ids;              /* scratch for arrays */
	size_t ids_cap;
};

/* Wire. */

static void add_varint(struct cpf_buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		cpf_buf_char(b, (char)(v | 0x80));
	cpf_buf_char(b, (char)v);
}

static void add_always(struct cpf_buf *b, unsigned field, uint64_t v)
{
	add_varint(b, (uint64_t)field << 3);
	add_varint(b, v);
}

static void add_number(struct cpf_buf *b, unsigned field, uint64_t v)
{
	if (v)
		add_always(b, field, v);
}

static void add_bytes(struct cpf_buf *b, unsigned field, const char *s, size_t n)
{
	add_varint(b, (uint64_t)field << 3 | 2);
	add_varint(b, n);
	if (n)
		cpf_buf_add(b, s, n);
}

static void add_array(struct cpf_buf *b, unsigned field, const uint64_t *v, size_t n)
{
	struct cpf_buf packed = {0};
	size_t i;

	for (i = 0; n <= 2 && i < n; i++)
		add_always(b, field, v[i]);
	if (n <= 2)
		return;
	for (i = 0; i < n; i++)
		add_varint(&packed, v[i]);
	add_bytes(b, field, packed.s, packed.n);
	cpf_buf_release(&packed);
}

/* Ends the message in work. */
static void end_message(struct encoder *e, unsigned field)
{
	add_bytes(e->out, field, e->body.s, e->body.n);
	cpf_buf_clear(&e->body);
}

static void end_inner(struct encoder *e, unsigned field)
{
	add_bytes(&e->body, field, e->inner.s, e->inner.n);
	cpf_buf_clear(&e->inner);
}

/* Strings. */

static void encoder_init(struct encoder *e, struct cpf_pprof *r, struct cpf_buf *out)
{
	uint32_t n = cpf_nstrings(r->p);

	memset(e, 0, sizeof(*e));
	e->r = r;
	e->p = r->p;
	e->out = out;
	e->index = cpf_calloc((size_t)n + 1, sizeof(*e->index));
	e->strings = cpf_calloc((size_t)n + 1, sizeof(*e->strings));
	e->index[0] = 1;
	e->n = 1;
}

static void encoder_release(struct encoder *e)
{
	cpf_free(e->index);
	cpf_free(e->strings);
	cpf_free(e->ids);
	cpf_buf_release(&e->body);
	cpf_buf_release(&e->inner);
}

static uint64_t string(struct encoder *e, cpf_str id)
{
	if (!e->index[id]) {
		e->strings[e->n] = id;
		e->index[id] = ++e->n;
	}
	return e->index[id] - 1;
}

static void add_strings(struct encoder *e)
{
	uint32_t i;

	for (i = 0; i < e->n; i++) {
		struct cpf_text t = cpf_text(e->p, e->strings[i]);

		add_bytes(e->out, 6, t.s, t.len);
	}
}

/* Samples. */

struct sorted {
	const struct cpf_profile *p;
	const struct cpf_label *label;
	uint32_t at;
};

static int by_key(const void *x, const void *y)
{
	const struct sorted *a = x, *b = y;
	int c = cpf_pprof_compare_text(cpf_text(a->p, a->label->key), cpf_text(b->p, b->label->key));

	return c ? c : (a->at > b->at) - (a->at < b->at);
}

/* Texts come first, then numbers, each by key. */
static void add_labels(struct encoder *e, uint32_t set)
{
	uint32_t n, i, k;
	const struct cpf_label *l = cpf_pprof_labels(e->p, set, &n);
	struct sorted *rows = cpf_calloc((size_t)n + 1, sizeof(*rows));
	enum cpf_pprof_label kind;

	for (kind = CPF_LABEL_TEXT; kind <= CPF_LABEL_NUMBER; kind++) {
		for (i = k = 0; i < n; i++)
			if (cpf_pprof_label_kind(&l[i]) == kind)
				rows[k++] = (struct sorted){e->p, &l[i], i};
		qsort(rows, k, sizeof(*rows), by_key);
		for (i = 0; i < k; i++) {
			const struct cpf_label *label = rows[i].label;

			add_number(&e->inner, 1, string(e, label->key));
			if (kind == CPF_LABEL_TEXT)
				add_number(&e->inner, 2, string(e, label->str));
			else
				add_number(&e->inner, 3, (uint64_t)label->num);
			if (kind == CPF_LABEL_NUMBER && label->unit)
				add_number(&e->inner, 4, string(e, label->unit));
			end_inner(e, 3);
		}
	}
	cpf_free(rows);
}

static uint64_t divided(const struct encoder *e, int64_t v)
{
	double ratio = 1 / e->r->cfg.divide_by;

	return (uint64_t)(ratio > 0 && ratio != 1 ? cpf_go_i64((double)v * ratio) : v);
}

static void add_sample(struct encoder *e, uint32_t sample)
{
	const struct cpf_profile *p = e->p;
	uint32_t node = cpf_col_id(&p->samples.node, sample), i;
	size_t n = 0;

	for (; node; node = cpf_col_id(&p->nodes.parent, node)) {
		CPF_GROW(e->ids, e->ids_cap, n + 1);
		e->ids[n++] = (uint64_t)cpf_col_get(
			&p->locations.wire_id, cpf_col_id(&p->nodes.location, node));
	}
	add_array(&e->body, 1, e->ids, n);
	CPF_GROW(e->ids, e->ids_cap, (size_t)p->ntypes + 1);
	for (i = 0; i < p->ntypes; i++)
		e->ids[i] = divided(e, cpf_col_get(&p->samples.raw[p->types[i].raw], sample));
	add_array(&e->body, 2, e->ids, p->ntypes);
	add_labels(e, cpf_col_id(&p->samples.labels, sample));
	end_message(e, 2);
}

/* Tables. */

static void add_mapping(struct encoder *e, const struct cpf_mapping *m)
{
	static const uint32_t flags[] = {CPF_MAP_HAS_FUNCTIONS, CPF_MAP_HAS_FILENAMES,
		CPF_MAP_HAS_LINES, CPF_MAP_HAS_INLINES};
	unsigned i;

	add_number(&e->body, 1, m->wire_id);
	add_number(&e->body, 2, m->start);
	add_number(&e->body, 3, m->limit);
	add_number(&e->body, 4, m->offset);
	add_number(&e->body, 5, string(e, m->file));
	add_number(&e->body, 6, string(e, m->build_id));
	for (i = 0; i < CPF_LEN(flags); i++)
		add_number(&e->body, 7 + i, (m->flags & flags[i]) != 0);
	end_message(e, 3);
}

static void add_location(struct encoder *e, uint32_t loc)
{
	const struct cpf_locations *t = &e->p->locations;
	size_t i = (size_t)cpf_col_get(&t->first, loc);
	size_t to = (size_t)cpf_col_get(&t->first, (size_t)loc + 1);
	uint32_t mapping = cpf_col_id(&t->mapping, loc);

	add_number(&e->body, 1, (uint64_t)cpf_col_get(&t->wire_id, loc));
	if (mapping != CPF_NONE)
		add_number(&e->body, 2, e->p->mappings[mapping].wire_id);
	add_number(&e->body, 3, (uint64_t)cpf_col_get(&t->address, loc));
	for (; i < to; i++) {
		add_number(&e->inner, 1, e->p->functions[cpf_col_id(&t->line_fn, i)].wire_id);
		add_number(&e->inner, 2, (uint64_t)cpf_col_get(&t->line_no, i));
		add_number(&e->inner, 3, (uint64_t)cpf_col_get(&t->line_col, i));
		end_inner(e, 4);
	}
	add_number(&e->body, 5, (cpf_col_get(&t->flags, loc) & CPF_LOC_FOLDED) != 0);
	end_message(e, 4);
}

static void add_function(struct encoder *e, uint64_t id, cpf_str name, cpf_str system_name,
	cpf_str file, int64_t start_line)
{
	add_number(&e->body, 1, id);
	add_number(&e->body, 2, string(e, name));
	add_number(&e->body, 3, string(e, system_name));
	add_number(&e->body, 4, string(e, file));
	add_number(&e->body, 5, (uint64_t)start_line);
	end_message(e, 5);
}

static void add_type(struct encoder *e, cpf_str type, cpf_str unit)
{
	add_number(&e->body, 1, string(e, type));
	add_number(&e->body, 2, string(e, unit));
	end_message(e, 1);
}

/* Everything behind the functions; full: with what -topproto leaves out. */
static void add_tail(struct encoder *e, int full)
{
	const struct cpf_header *h = &e->p->head;
	uint64_t drop = full ? string(e, h->drop_frames) : 0;
	uint64_t keep = full ? string(e, h->keep_frames) : 0;
	uint64_t type = string(e, h->period_type), unit = string(e, h->period_unit);
	uint32_t n = full ? h->ncomments : 0, i;
	uint64_t standard, doc;

	CPF_GROW(e->ids, e->ids_cap, (size_t)n + 1);
	for (i = 0; i < n; i++)
		e->ids[i] = string(e, h->comments[i]);
	standard = full ? string(e, h->default_sample_type) : 0;
	doc = full ? string(e, h->doc_url) : 0;
	add_strings(e);
	add_number(e->out, 7, drop);
	add_number(e->out, 8, keep);
	add_number(e->out, 9, (uint64_t)h->time_nanos);
	add_number(e->out, 10, (uint64_t)h->duration_nanos);
	if (type || unit) {
		add_number(&e->body, 1, type);
		add_number(&e->body, 2, unit);
		end_message(e, 11);
	}
	add_number(e->out, 12, (uint64_t)h->period);
	add_array(e->out, 13, e->ids, n);
	add_always(e->out, 14, standard);
	add_number(e->out, 15, doc);
}

int cpf_pprof_proto(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *err)
{
	const struct cpf_profile *p = r->p;
	struct encoder e;
	uint32_t i;

	(void)err;
	if (r->cfg.noinlines)
		cpf_pprof_keep_outer(r);
	encoder_init(&e, r, out);
	for (i = 0; i < p->ntypes; i++)
		add_type(&e, p->types[i].type, p->types[i].unit);
	for (i = 0; i < p->samples.n; i++)
		add_sample(&e, i);
	for (i = 0; i < p->nmappings; i++)
		add_mapping(&e, &p->mappings[i]);
	for (i = 0; i < p->locations.n; i++)
		add_location(&e, i);
	for (i = 0; i < p->nfunctions; i++) {
		const struct cpf_function *f = &p->functions[i];

		add_function(&e, f->wire_id, f->name, f->system_name, f->file, f->start_line);
	}
	add_tail(&e, 1);
	encoder_release(&e);
	return 0;
}

/* -topproto: a sample for each row of -top. */

/* Functions of the rows, numbered from 1 in the order of their first row. */
static uint32_t *number_functions(const struct cpf_pprof_graph *g, uint32_t **first, uint32_t *n)
{
	uint32_t *number = cpf_calloc((size_t)g->n + 1, sizeof(*number)), i, x;
	struct cpf_rowset set = {0};
	struct cpf_rowset_it it;

	*first = cpf_calloc((size_t)g->n + 1, sizeof(**first));
	*n = 0;
	for (i = 0; i < g->n; i++) {
		const struct cpf_key *k = &g->keys.keys[g->nodes[i].key], *o;
		uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)k->name << 32 | k->file);

		h = cpf_hash_mix(h, (uint64_t)k->start_line);
		for (x = cpf_rowset_first(&set, h, &it); x != CPF_ROWSET_END;
			x = cpf_rowset_next(&set, &it)) {
			o = &g->keys.keys[g->nodes[(*first)[x]].key];
			if (o->name == k->name && o->file == k->file &&
				o->start_line == k->start_line)
				break;
		}
		if (x == CPF_ROWSET_END) {
			x = (*n)++;
			(*first)[x] = i;
			cpf_rowset_add(&set, h, x);
		}
		number[i] = x + 1;
	}
	cpf_rowset_release(&set);
	return number;
}

static uint64_t in_unit(const struct cpf_pprof *r, int64_t v)
{
	const char *suffix;

	return (uint64_t)cpf_go_i64(cpf_unit_scale(v, r->sample_unit, r->out_unit, &suffix));
}

static void add_rows(struct encoder *e, const struct cpf_pprof_graph *g)
{
	uint32_t *first, *number, n, i;
	uint64_t v[2];

	for (i = 0; i < g->n; i++) {
		const struct cpf_pprof_node *node = &g->nodes[i];

		add_always(&e->body, 1, (uint64_t)i + 1);
		v[0] = in_unit(e->r, cpf_pprof_mean(node->cum, node->cum_div));
		v[1] = in_unit(e->r, cpf_pprof_mean(node->flat, node->flat_div));
		add_array(&e->body, 2, v, 2);
		end_message(e, 2);
	}
	number = number_functions(g, &first, &n);
	for (i = 0; i < g->n; i++) {
		const struct cpf_key *k = &g->keys.keys[g->nodes[i].key];

		add_number(&e->body, 1, (uint64_t)i + 1);
		add_number(&e->body, 3, k->address);
		add_number(&e->inner, 1, number[i]);
		add_number(&e->inner, 2, (uint64_t)k->line);
		add_number(&e->inner, 3, (uint64_t)k->column);
		end_inner(e, 4);
		end_message(e, 4);
	}
	for (i = 0; i < n; i++) {
		const struct cpf_key *k = &g->keys.keys[g->nodes[first[i]].key];

		add_function(e, (uint64_t)i + 1, k->name, 0, k->file, k->start_line);
	}
	cpf_free(number);
	cpf_free(first);
}

int cpf_pprof_topproto(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *err)
{
	struct cpf_pprof_graph g;
	struct encoder e;
	cpf_str unit, cum, flat;

	if (cpf_pprof_graph_build(r, &g, CPF_PPROF_NODES, err))
		return -1;
	cpf_pprof_choose_unit(r, &g);
	unit = cpf_intern_z(r->p, r->out_unit);
	cum = cpf_intern_z(r->p, "cum");
	flat = cpf_intern_z(r->p, "flat");
	encoder_init(&e, r, out);
	add_type(&e, cum, unit);
	add_type(&e, flat, unit);
	add_rows(&e, &g);
	add_tail(&e, 0);
	encoder_release(&e);
	cpf_profile_seal(r->p);
	cpf_pprof_graph_release(&g);
	return 0;
}
