/*
 * What a frame is called and where it was called from. The name is the linkage name, wherever along
 * the abstract origin and the specification it stands; else the name as in the source, unqualified.
 */
#include "symbolize/dwarf_impl.h"

#ifdef CPF_WITH_LIBELF

#include "base/mem.h"

#define HOPS 16
#define KEPT (1u << 20)

struct parts {
	const char *linkage, *name;
	int64_t line;
};

static struct cpf_dw_table *table(struct cpf_dwarf *d, struct cpf_dw_unit *u)
{
	if (!u->table)
		u->table = cpf_dw_table(&d->tables, u);
	return u->table;
}

static int64_t number(const struct cpf_dw_val *v)
{
	if (v->cls != CPF_DW_V_CONST && v->cls != CPF_DW_V_SECOFF)
		return 0;
	return v->u > UINT32_MAX ? 0 : (int64_t)v->u;
}

/* One attribute of a function on the way; an entry it refers to goes to todo. */
static void part(struct parts *p, unsigned at, struct cpf_dw_unit *u, const struct cpf_dw_val *v,
	struct cpf_dw_die *todo, unsigned *ntodo)
{
	struct cpf_dw_die die;

	switch (at) {
	case CPF_AT_linkage_name:
	case CPF_AT_MIPS_linkage_name:
		if (!p->linkage)
			p->linkage = cpf_dw_string(u, v);
		break;
	case CPF_AT_name:
		if (!p->name)
			p->name = cpf_dw_string(u, v);
		break;
	case CPF_AT_decl_line:
		if (!p->line)
			p->line = number(v);
		break;
	case CPF_AT_abstract_origin:
	case CPF_AT_specification:
		die = cpf_dw_ref(u, v);
		if (die.p && *ntodo < HOPS)
			todo[(*ntodo)++] = die;
		break;
	default:
		break;
	}
}

/* Attributes of one entry; sink is called for those it has. */
static void parts_of(struct cpf_dwarf *d, struct cpf_dw_die die, struct parts *p,
	struct cpf_dw_die *todo, unsigned *ntodo, struct cpf_dw_frame *f)
{
	struct cpf_dw_table *t = table(d, die.unit);
	struct cpf_dw_cur c = {die.p, die.unit->end, die.unit->file->big, 0};
	const struct cpf_dw_abbrev *a = t ? cpf_dw_abbrev(t, cpf_dw_uleb(&c)) : NULL;
	const struct cpf_dw_attr *at;
	struct cpf_dw_val v;
	unsigned i;

	if (!a || a->kind == CPF_DW_BROKEN)
		return;
	for (i = 0; i < a->nattr && !c.bad; i++) {
		at = &t->attrs[a->attr + i];
		cpf_dw_value(&c, die.unit, at->form, at->c, &v);
		if (c.bad)
			return;
		if (f && at->at == CPF_AT_call_file)
			f->call_file = v.u;
		else if (f && at->at == CPF_AT_call_line)
			f->call_line = number(&v);
		else if (f && at->at == CPF_AT_call_column)
			f->call_column = number(&v);
		else
			part(p, at->at, die.unit, &v, todo, ntodo);
	}
}

static size_t slot(const struct cpf_dw_names *n, const uint8_t *die)
{
	size_t i = (size_t)((uint64_t)(uintptr_t)die * 0x9e3779b97f4a7c15u >> 20) & (n->cap - 1);

	while (n->slots[i].die && n->slots[i].die != die)
		i = (i + 1) & (n->cap - 1);
	return i;
}

static void room(struct cpf_dw_names *n)
{
	struct cpf_dw_name *old = n->slots;
	size_t i, cap = n->cap;

	if (n->n > KEPT) {
		memset(n->slots, 0, n->cap * sizeof(*n->slots));
		n->n = 0;
	}
	if (n->n * 2 < n->cap)
		return;
	n->cap = cap ? cap * 2 : 256;
	n->slots = cpf_calloc(n->cap, sizeof(*n->slots));
	for (i = 0; i < cap; i++)
		if (old[i].die)
			n->slots[slot(n, old[i].die)] = old[i];
	cpf_free(old);
}

/* Follows what is to do, breadth first; entries in a circle end at the limit. */
static void follow(struct cpf_dwarf *d, struct parts *p, struct cpf_dw_die *todo, unsigned ntodo)
{
	unsigned i;

	for (i = 0; i < ntodo && !(p->linkage && p->line); i++)
		parts_of(d, todo[i], p, todo, &ntodo, NULL);
}

/* The parts of an entry that others refer to, which many do. */
static void kept(struct cpf_dwarf *d, struct cpf_dw_die die, struct cpf_dw_name *out)
{
	struct cpf_dw_names *n = &d->names;
	struct cpf_dw_die todo[HOPS] = {die};
	struct parts p = {0};
	size_t i;

	room(n);
	i = slot(n, die.p);
	if (!n->slots[i].die) {
		follow(d, &p, todo, 1);
		n->slots[i].die = die.p;
		n->slots[i].name = p.linkage ? p.linkage : p.name;
		n->slots[i].plain = !p.linkage;
		n->slots[i].line = p.line;
		n->n++;
	}
	*out = n->slots[i];
}

void cpf_dw_name_frame(struct cpf_dwarf *d, struct cpf_dw_unit *u, struct cpf_dw_frame *f)
{
	struct cpf_dw_die todo[HOPS], die = {u, f->die};
	struct cpf_dw_name name;
	struct parts p = {0};
	unsigned ntodo = 0;

	if (f->known)
		return;
	f->known = 1;
	parts_of(d, die, &p, todo, &ntodo, f);
	/* Most say nothing themselves and refer to one entry. */
	if (ntodo == 1 && !p.linkage && !p.name) {
		kept(d, todo[0], &name);
		f->name = name.name;
		f->plain = (uint8_t)name.plain;
		f->start_line = p.line ? p.line : name.line;
		return;
	}
	follow(d, &p, todo, ntodo);
	f->name = p.linkage ? p.linkage : p.name;
	f->plain = !p.linkage;
	f->start_line = p.line;
}

#endif
