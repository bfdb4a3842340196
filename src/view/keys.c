#include "view/keys.h"

#include "base/base.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/rowset.h"
#include "core/classes.h"
#include "core/scope.h"

enum fn_state {
	FN_FRESH = 0,
	FN_NAMED,
	FN_UNNAMED /* no name, or an address in disguise */
};

struct builder {
	struct cpf_keys *k;
	struct cpf_profile *p;
	const struct cpf_keys_opts *o;
	struct cpf_rowset set;
	size_t keys_cap, ids_cap, inlined_cap;
	cpf_id *same;     /* per mapping: the first one that stands for the same library */
	uint8_t *state;   /* per function: enum fn_state */
	cpf_str *files;   /* per function: file as shown; CPF_NONE = not made yet */
	cpf_str *names;   /* per function: the same of its name or namespace; NULL = as it is */
	cpf_str *classes; /* per class: its name */
	struct cpf_buf scratch;
	int loose;        /* file and start_line are not part of the identity */
};

static uint64_t hash_key(const struct builder *b, const struct cpf_key *k)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)k->name << 32 | k->mapping);

	h = cpf_hash_mix(h, k->address);
	h = cpf_hash_mix(h, (uint64_t)(k->has_address << 1 | k->unnamed) << 32 |
				    (b->loose ? 0 : k->file));
	if (b->loose)
		return h;
	h = cpf_hash_mix(h, (uint64_t)k->line);
	h = cpf_hash_mix(h, (uint64_t)k->column);
	return cpf_hash_mix(h, (uint64_t)k->start_line);
}

static int same_key(const struct builder *b, const struct cpf_key *x, const struct cpf_key *y)
{
	return x->name == y->name && x->mapping == y->mapping && x->address == y->address &&
	       x->has_address == y->has_address && x->unnamed == y->unnamed &&
	       (b->loose || (x->file == y->file && x->line == y->line && x->column == y->column &&
				    x->start_line == y->start_line));
}

static void add_key(struct builder *b, const struct cpf_key *key, int inlined)
{
	struct cpf_keys *k = b->k;
	uint64_t h = hash_key(b, key);
	struct cpf_rowset_it it;
	uint32_t id, at = k->first[0];

	for (id = cpf_rowset_first(&b->set, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&b->set, &it))
		if (same_key(b, &k->keys[id], key))
			break;
	if (id == CPF_ROWSET_END) {
		id = k->n++;
		CPF_GROW(k->keys, b->keys_cap, k->n);
		k->keys[id] = *key;
		cpf_rowset_add(&b->set, h, id);
	} else if (b->loose) {
		if (k->keys[id].file != key->file)
			k->keys[id].file = 0, k->keys[id].start_line = 0;
		if (k->keys[id].start_line != key->start_line)
			k->keys[id].start_line = 0;
	}
	CPF_GROW(k->ids, b->ids_cap, (size_t)at + 1);
	CPF_GROW(k->inlined, b->inlined_cap, (size_t)at + 1);
	k->ids[at] = id;
	k->inlined[at] = (uint8_t)inlined;
	k->any_inlined |= inlined;
	k->first[0]++;
}

/* Mappings. */

static cpf_id *same_mappings(const struct cpf_profile *p, enum cpf_key_style style)
{
	cpf_id *same = cpf_realloc_array(NULL, (size_t)p->nmappings + 1, sizeof(*same)), i, j;
	struct cpf_rowset set = {0};
	struct cpf_rowset_it it;

	for (i = 0; i < p->nmappings; i++) {
		const struct cpf_mapping *m = &p->mappings[i], *o;
		cpf_str build_id = style == CPF_KEYS_PPROF ? 0 : m->build_id;
		uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)m->file << 32 | build_id);

		same[i] = i;
		if (style == CPF_KEYS_PPROF && !m->file) {
			same[i] = CPF_NONE;
			continue;
		}
		for (j = cpf_rowset_first(&set, h, &it); j != CPF_ROWSET_END;
			j = cpf_rowset_next(&set, &it)) {
			o = &p->mappings[j];
			if (o->file == m->file && (style == CPF_KEYS_PPROF ||
							  (o->build_id == m->build_id && o->name == m->name)))
				break;
		}
		if (j != CPF_ROWSET_END)
			same[i] = j;
		else
			cpf_rowset_add(&set, h, i);
	}
	cpf_rowset_release(&set);
	return same;
}

/* Functions. */

static enum fn_state name_state(struct builder *b, cpf_id fn)
{
	if (b->state[fn] == FN_FRESH) {
		struct cpf_text t = cpf_text(b->p, b->p->functions[fn].name);

		b->state[fn] = !t.len || cpf_is_hex_name(t.s, t.len) ? FN_UNNAMED : FN_NAMED;
	}
	return (enum fn_state)b->state[fn];
}

/* The file as pprof shows it: shortened, then normalised. */
static cpf_str shown_file(struct builder *b, cpf_id fn)
{
	cpf_str file = b->p->functions[fn].file;
	struct cpf_text t;

	if (b->files[fn] != CPF_NONE)
		return b->files[fn];
	if (b->o->style == CPF_KEYS_PPROF && file) {
		t = cpf_text(b->p, file);
		if (!b->o->whole_paths)
			t = cpf_trim_path(t, b->o->trim_path, b->o->source_path);
		cpf_buf_clear(&b->scratch);
		if (t.len)
			cpf_go_clean(&b->scratch, t);
		file = cpf_intern(b->p, b->scratch.s ? b->scratch.s : "", b->scratch.n);
	}
	b->files[fn] = file;
	return file;
}

/* The name without generics, or the namespace (0 = none). */
static cpf_str shown_name(struct builder *b, cpf_id fn)
{
	cpf_str name = b->p->functions[fn].name;
	struct cpf_text t;

	if (!b->names)
		return name;
	if (b->names[fn] != CPF_NONE)
		return b->names[fn];
	t = cpf_text(b->p, name);
	cpf_buf_clear(&b->scratch);
	if (b->o->by != CPF_BY_NAMESPACE)
		cpf_name_merge_generics(t.s, t.len, &b->scratch);
	else
		cpf_name_scope(t.s, t.len, &b->scratch);
	b->names[fn] = b->scratch.n ? cpf_intern(b->p, b->scratch.s, b->scratch.n) : 0;
	return b->names[fn];
}

/* Locations. */

struct place {
	cpf_id mapping, category;
	uint64_t address;
	int has_address;
};

static void key_pprof(struct builder *b, const struct place *l, const struct cpf_line *line,
	struct cpf_key *key)
{
	enum cpf_by by = b->o->by;
	const struct cpf_function *f;

	if (by == CPF_BY_ADDRESS) {
		key->address = l->address;
		key->has_address = key->address != 0;
	}
	if (line->function == CPF_NONE) {
		key->mapping = l->mapping;
		return;
	}
	f = &b->p->functions[line->function];
	if (by != CPF_BY_FILE)
		key->name = f->name;
	if (by != CPF_BY_FUNCTION)
		key->file = shown_file(b, line->function);
	if (by == CPF_BY_LINE || by == CPF_BY_ADDRESS) {
		key->line = line->line;
		/* Addresses are left as they are in the profile unless inlined lines were removed. */
		if (b->o->columns || (by == CPF_BY_ADDRESS && !b->o->no_inlines))
			key->column = line->column;
	}
	if (!key->name || b->o->objects) {
		key->mapping = l->mapping;
		key->start_line = f->start_line;
	}
}

static cpf_str class_name(struct builder *b, const struct place *l, const struct cpf_function *f,
	int named)
{
	struct cpf_class_place at = {0, 0, l->mapping, l->category, !named};
	uint32_t class;

	if (f) {
		at.name = f->name;
		at.file = f->file;
	}
	class = cpf_class_of(b->o->classes, b->p, &at);
	if (!b->classes[class])
		b->classes[class] =
			cpf_intern_z(b->p, cpf_class_name(b->o->classes, class));
	return b->classes[class];
}

static void key_cpuprof(struct builder *b, const struct place *l, const struct cpf_line *line,
	struct cpf_key *key)
{
	const struct cpf_function *f =
		line->function == CPF_NONE ? NULL : &b->p->functions[line->function];
	int named = f && (name_state(b, line->function) == FN_NAMED || (f->name && !l->has_address));

	key->mapping = l->mapping;
	switch (b->o->by) {
	case CPF_BY_LIB:
		return;
	case CPF_BY_FILE:
		key->file = f ? shown_file(b, line->function) : 0;
		if (key->file)
			key->mapping = CPF_NONE;
		return;
	case CPF_BY_NAMESPACE:
		key->name = named ? shown_name(b, line->function) : 0;
		if (key->name)
			key->mapping = CPF_NONE;
		return;
	case CPF_BY_CLASS:
		key->name = class_name(b, l, f, named);
		key->mapping = CPF_NONE;
		return;
	default:
		break;
	}
	key->unnamed = !named;
	if (!named || b->o->by == CPF_BY_ADDRESS) {
		key->address = l->address;
		key->has_address = l->has_address != 0;
	}
	if (!named)
		return;
	key->name = shown_name(b, line->function);
	key->file = shown_file(b, line->function);
	if (b->o->by == CPF_BY_LINE || b->o->by == CPF_BY_ADDRESS) {
		key->line = line->line;
		if (b->o->columns)
			key->column = line->column;
	} else if (b->loose) {
		key->start_line = f->start_line;
	}
}

static void add_location(struct builder *b, cpf_id id)
{
	const struct cpf_locations *t = &b->p->locations;
	size_t from = (size_t)cpf_col_get(&t->first, id);
	size_t to = (size_t)cpf_col_get(&t->first, (size_t)id + 1), i;
	struct cpf_line line = {CPF_NONE, 0, 0};
	struct cpf_key key;
	struct place l;

	l.mapping = cpf_col_id(&t->mapping, id);
	l.category = cpf_col_id(&t->category, id);
	l.address = (uint64_t)cpf_col_get(&t->address, id);
	l.has_address = l.address || (cpf_col_get(&t->flags, id) & CPF_LOC_ADDRESS);
	if (b->o->style == CPF_KEYS_CPUPROF)
		l.address = cpf_image_address(b->p, id);
	if (l.mapping != CPF_NONE)
		l.mapping = b->same[l.mapping];
	if (b->o->no_inlines && to > from)
		from = to - 1;
	for (i = from; i == from || i < to; i++) {
		if (i < to) {
			line.function = cpf_col_id(&t->line_fn, i);
			line.line = cpf_col_get(&t->line_no, i);
			line.column = cpf_col_get(&t->line_col, i);
		}
		memset(&key, 0, sizeof(key));
		key.mapping = CPF_NONE;
		if (b->o->style == CPF_KEYS_PPROF)
			key_pprof(b, &l, &line, &key);
		else
			key_cpuprof(b, &l, &line, &key);
		add_key(b, &key, i + 1 < to);
	}
}

void cpf_keys_build(struct cpf_keys *k, struct cpf_profile *p, const struct cpf_keys_opts *o)
{
	struct builder b = {0};
	uint32_t i;

	memset(k, 0, sizeof(*k));
	k->by = o->by;
	k->style = o->style;
	b.k = k;
	b.p = p;
	b.o = o;
	b.loose = o->style == CPF_KEYS_CPUPROF && o->by == CPF_BY_FUNCTION;
	b.same = same_mappings(p, o->style);
	b.state = cpf_calloc((size_t)p->nfunctions + 1, sizeof(*b.state));
	b.files = cpf_realloc_array(NULL, (size_t)p->nfunctions + 1, sizeof(*b.files));
	memset(b.files, 0xff, p->nfunctions * sizeof(*b.files));
	if (o->merge_generics || o->by == CPF_BY_NAMESPACE) {
		b.names = cpf_realloc_array(NULL, (size_t)p->nfunctions + 1, sizeof(*b.names));
		memset(b.names, 0xff, p->nfunctions * sizeof(*b.names));
	}
	if (o->classes)
		b.classes = cpf_calloc(cpf_classes_count(o->classes), sizeof(*b.classes));
	k->first = cpf_calloc((size_t)p->locations.n + 1, sizeof(*k->first));
	/* first[0] is the number of ids so far until the end. */
	for (i = 0; i < p->locations.n; i++) {
		add_location(&b, i);
		k->first[i + 1] = k->first[0];
	}
	k->first[0] = 0;
	cpf_rowset_release(&b.set);
	cpf_free(b.same);
	cpf_free(b.state);
	cpf_free(b.files);
	cpf_free(b.names);
	cpf_free(b.classes);
	cpf_buf_release(&b.scratch);
}

void cpf_keys_release(struct cpf_keys *k)
{
	cpf_free(k->keys);
	cpf_free(k->first);
	cpf_free(k->ids);
	cpf_free(k->inlined);
	memset(k, 0, sizeof(*k));
}

/* Names. */

static void add_text(struct cpf_buf *out, struct cpf_text t)
{
	cpf_buf_add(out, t.s, t.len);
}

static void pprof_name(const struct cpf_profile *p, const struct cpf_key *key, struct cpf_buf *out)
{
	size_t start = out->n;

	if (key->address)
		cpf_buf_fmt(out, "%016" PRIx64, key->address);
	if (key->name) {
		if (out->n > start)
			cpf_buf_char(out, ' ');
		add_text(out, cpf_text(p, key->name));
	}
	if (!key->line && !key->file && key->name)
		return;
	if (out->n > start)
		cpf_buf_char(out, ' ');
	if (key->line) {
		add_text(out, cpf_text(p, key->file));
		cpf_buf_fmt(out, ":%" PRId64, key->line);
		if (key->column)
			cpf_buf_fmt(out, ":%" PRId64, key->column);
	} else if (key->file) {
		add_text(out, cpf_text(p, key->file));
	} else if (key->mapping != CPF_NONE) {
		cpf_buf_char(out, '[');
		add_text(out, cpf_go_base(cpf_text(p, p->mappings[key->mapping].file)));
		cpf_buf_char(out, ']');
	} else {
		cpf_buf_str(out, "<unknown>");
	}
}

/* "lib+0x1a2b", "0x1a2b" or nothing. */
static void add_place(const struct cpf_profile *p, const struct cpf_key *key, struct cpf_buf *out)
{
	struct cpf_text lib = cpf_mapping_name(p, key->mapping);

	if (lib.len)
		add_text(out, lib);
	if (key->has_address)
		cpf_buf_fmt(out, lib.len ? "+0x%" PRIx64 : "0x%" PRIx64, key->address);
}

static void cpuprof_name(const struct cpf_profile *p, const struct cpf_key *key, enum cpf_by by,
	struct cpf_buf *out)
{
	size_t start = out->n;

	if (by == CPF_BY_FILE && key->file) {
		add_text(out, cpf_text(p, key->file));
		return;
	}
	if (by == CPF_BY_FILE || (by == CPF_BY_NAMESPACE && !key->name)) {
		struct cpf_text lib = cpf_mapping_name(p, key->mapping);

		if (by == CPF_BY_NAMESPACE && lib.len && lib.s[0] == '[')
			add_text(out, lib);
		else
			cpf_buf_fmt(out, lib.len ? "[%.*s]" : "<unknown>", (int)lib.len, lib.s);
		return;
	}
	if (key->unnamed || by == CPF_BY_LIB || (by == CPF_BY_ADDRESS && key->has_address))
		add_place(p, key, out);
	if (key->name) {
		if (out->n > start)
			cpf_buf_char(out, ' ');
		add_text(out, cpf_text(p, key->name));
		if (by != CPF_BY_FUNCTION && key->file) {
			cpf_buf_char(out, ' ');
			add_text(out, cpf_text(p, key->file));
		}
		if (key->line)
			cpf_buf_fmt(out, key->file ? ":%" PRId64 : " :%" PRId64, key->line);
	}
	if (out->n == start)
		cpf_buf_str(out, "<unknown>");
}

void cpf_key_name(
	const struct cpf_profile *p, const struct cpf_keys *k, uint32_t key, struct cpf_buf *out)
{
	if (k->style == CPF_KEYS_PPROF)
		pprof_name(p, &k->keys[key], out);
	else
		cpuprof_name(p, &k->keys[key], k->by, out);
}
