/* -callgrind: addresses with their callees, as kcachegrind reads it. */
#include "reports/pprof.h"

#include <stdio.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/rowset.h"

/* Names that were written, in the order of their numbers. */
struct names {
	struct cpf_text *rows;
	uint32_t n;
	size_t cap;
	struct cpf_rowset set;
};

struct writer {
	struct cpf_pprof *r;
	struct cpf_pprof_graph *g;
	struct cpf_buf *out;
	struct names objects, files, functions;
	struct cpf_text *callees; /* by place in g->nodes */
	const struct cpf_key *last;
};

static void names_release(struct names *t)
{
	cpf_free(t->rows);
	cpf_rowset_release(&t->set);
}

/* "(3) name" the first time, "(3)" later. */
static void add_name(struct writer *w, struct names *t, const char *what, struct cpf_text name)
{
	uint64_t h = cpf_hash_bytes(name.s, name.len);
	struct cpf_rowset_it it;
	uint32_t i;

	cpf_buf_str(w->out, what);
	if (name.len) {
		for (i = cpf_rowset_first(&t->set, h, &it); i != CPF_ROWSET_END;
			i = cpf_rowset_next(&t->set, &it))
			if (!cpf_pprof_compare_text(t->rows[i], name))
				break;
		if (i != CPF_ROWSET_END) {
			cpf_buf_fmt(w->out, "(%" PRIu32 ")", i + 1);
		} else {
			CPF_GROW(t->rows, t->cap, (size_t)t->n + 1);
			t->rows[t->n] = name;
			cpf_rowset_add(&t->set, h, t->n++);
			cpf_buf_fmt(w->out, "(%" PRIu32 ") ", t->n);
			cpf_buf_add(w->out, name.s, name.len);
		}
	}
	cpf_buf_char(w->out, '\n');
}

/* Relative to the last node if that is shorter. */
static void add_address(struct writer *w, uint64_t address)
{
	char whole[32], relative[32];
	int n = snprintf(whole, sizeof(whole), address ? "0x%" PRIx64 : "0x0", address);

	if (w->last && w->last->address == address) {
		cpf_buf_char(w->out, '*');
		return;
	}
	if (w->last && snprintf(relative, sizeof(relative), "%+" PRId64,
			       (int64_t)(address - w->last->address)) < n)
		cpf_buf_str(w->out, relative);
	else
		cpf_buf_str(w->out, whole);
}

static struct cpf_text object_of(const struct writer *w, const struct cpf_key *k)
{
	return cpf_text(w->r->p, k->mapping == CPF_NONE ? 0 : w->r->p->mappings[k->mapping].file);
}

static int64_t scaled(const struct writer *w, int64_t v)
{
	const char *suffix;

	return cpf_go_i64(cpf_unit_scale(v, w->r->sample_unit, w->r->out_unit, &suffix));
}

/*
 * What functions are told apart by, beside their name and file, which is all that callgrind knows of
 * them: the library, the line they start at and, in a call tree, the caller.
 */
struct group {
	cpf_str name, file;
	uint32_t nfunctions; /* of that name in that file */
};

struct function {
	uint32_t group, number; /* the how manieth of its group */
	cpf_str object;
	int64_t start_line;
	int64_t column; /* of places with neither address nor line */
	uint32_t parent;
};

struct groups {
	struct group *rows;
	struct function *functions;
	uint32_t n, nfunctions;
	size_t cap, functions_cap;
	struct cpf_rowset set, function_set;
};

static uint32_t find_group(struct groups *t, cpf_str name, cpf_str file)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)name << 32 | file);
	struct cpf_rowset_it it;
	uint32_t i;

	for (i = cpf_rowset_first(&t->set, h, &it); i != CPF_ROWSET_END;
		i = cpf_rowset_next(&t->set, &it))
		if (t->rows[i].name == name && t->rows[i].file == file)
			return i;
	CPF_GROW(t->rows, t->cap, (size_t)t->n + 1);
	t->rows[t->n] = (struct group){name, file, 0};
	cpf_rowset_add(&t->set, h, t->n);
	return t->n++;
}

static uint32_t find_function(struct groups *t, const struct function *f)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)f->group << 32 | f->object);
	struct cpf_rowset_it it;
	uint32_t i;

	h = cpf_hash_mix(cpf_hash_mix(h, (uint64_t)f->start_line), f->parent);
	h = cpf_hash_mix(h, (uint64_t)f->column);
	for (i = cpf_rowset_first(&t->function_set, h, &it); i != CPF_ROWSET_END;
		i = cpf_rowset_next(&t->function_set, &it)) {
		const struct function *o = &t->functions[i];

		if (o->group == f->group && o->object == f->object &&
			o->start_line == f->start_line && o->column == f->column &&
			o->parent == f->parent)
			return i;
	}
	CPF_GROW(t->functions, t->functions_cap, (size_t)t->nfunctions + 1);
	t->functions[t->nfunctions] = *f;
	t->functions[t->nfunctions].number = ++t->rows[f->group].nfunctions;
	cpf_rowset_add(&t->function_set, h, t->nfunctions);
	return t->nfunctions++;
}

/* Names of callees: "name [2/3]" where several functions have the name. */
static void name_callees(struct writer *w)
{
	struct cpf_pprof_graph *g = w->g;
	uint32_t *function = cpf_calloc((size_t)g->n + 1, sizeof(*function)), i;
	struct groups t = {0};
	struct cpf_buf b = {0};

	for (i = 0; i < g->n; i++) {
		const struct cpf_key *k = &g->keys.keys[g->nodes[i].key];
		struct function f = {0};

		f.group = find_group(&t, k->name, k->file);
		f.object = k->mapping == CPF_NONE ? 0 : w->r->p->mappings[k->mapping].file;
		f.start_line = k->start_line;
		f.column = k->address || k->line ? 0 : k->column;
		f.parent = g->is_tree ? g->tree.calls.calls[g->nodes[i].id].parent : CPF_NONE;
		function[i] = find_function(&t, &f);
	}
	w->callees = cpf_calloc((size_t)g->n + 1, sizeof(*w->callees));
	for (i = 0; i < g->n; i++) {
		const struct function *f = &t.functions[function[i]];
		const struct group *group = &t.rows[f->group];

		w->callees[i] = cpf_text(w->r->p, group->name);
		if (group->nfunctions < 2)
			continue;
		cpf_buf_clear(&b);
		cpf_buf_add(&b, w->callees[i].s, w->callees[i].len);
		cpf_buf_fmt(&b, " [%" PRIu32 "/%" PRIu32 "]", f->number, group->nfunctions);
		w->callees[i].s = cpf_arena_text(&g->names, b.s, b.n);
		w->callees[i].len = (uint32_t)b.n;
	}
	cpf_buf_release(&b);
	cpf_free(function);
	cpf_free(t.rows);
	cpf_free(t.functions);
	cpf_rowset_release(&t.set);
	cpf_rowset_release(&t.function_set);
}

static void add_calls(struct writer *w, uint32_t id)
{
	static const struct cpf_text none = {"", 0};
	struct cpf_pprof_graph *g = w->g;
	uint32_t x;

	for (x = g->out.first[id]; x < g->out.first[id + 1]; x++) {
		const struct cpf_edge *edge = &g->edges.edges[g->out.edges[x]];
		const struct cpf_key *callee = &g->keys.keys[cpf_pprof_key(g, edge->dst)];
		uint32_t at = g->node_of[edge->dst];

		add_name(w, &w->files, "cfl=", cpf_text(w->r->p, callee->file));
		/* Only nodes that are shown have a name here. */
		add_name(w, &w->functions, "cfn=", at ? w->callees[at - 1] : none);
		cpf_buf_str(w->out, "calls=0 ");
		add_address(w, callee->address);
		cpf_buf_fmt(w->out, " %" PRId64 "\n", callee->line);
		cpf_buf_fmt(w->out, "* * %" PRId64 "\n", scaled(w, edge->weight));
	}
}

static void add_node(struct writer *w, const struct cpf_pprof_node *n)
{
	const struct cpf_profile *p = w->r->p;
	const struct cpf_key *k = &w->g->keys.keys[n->key];

	if (!w->last || k->name != w->last->name || k->file != w->last->file ||
		cpf_pprof_compare_text(object_of(w, k), object_of(w, w->last)) != 0) {
		cpf_buf_char(w->out, '\n');
		add_name(w, &w->objects, "ob=", object_of(w, k));
		add_name(w, &w->files, "fl=", cpf_text(p, k->file));
		add_name(w, &w->functions, "fn=", cpf_text(p, k->name));
	}
	add_address(w, k->address);
	cpf_buf_fmt(w->out, " %" PRId64 " %" PRId64 "\n", k->line,
		scaled(w, cpf_pprof_mean(n->flat, n->flat_div)));
	add_calls(w, n->id);
	w->last = k;
}

int cpf_pprof_callgrind(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e)
{
	struct cpf_pprof_graph g;
	struct writer w = {.r = r, .g = &g, .out = out};
	uint32_t i;

	if (cpf_pprof_graph_build(r, &g, CPF_PPROF_EDGES, e))
		return -1;
	cpf_pprof_choose_unit(r, &g);
	cpf_buf_fmt(out, "positions: instr line\nevents: %s%s(%s)\n", r->cfg.mean ? "mean_" : "",
		cpf_cstr(r->p, r->p->types[r->type].type), r->out_unit);
	name_callees(&w);
	for (i = 0; i < g.n; i++)
		add_node(&w, &g.nodes[i]);
	cpf_free(w.callees);
	names_release(&w.objects);
	names_release(&w.files);
	names_release(&w.functions);
	cpf_pprof_graph_release(&g);
	return 0;
}
