#include "core/merge_rows.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"

static cpf_id *unmapped(uint32_t n)
{
	cpf_id *v = cpf_realloc_array(NULL, (size_t)n + 1, sizeof(*v));

	memset(v, 0xff, ((size_t)n + 1) * sizeof(*v));
	return v;
}

void cpf_merge_rows_begin(struct cpf_merge_rows *m, const struct cpf_profile *in, int64_t shift)
{
	m->in = in;
	m->turn++;
	m->shift = shift;
	m->strings = cpf_calloc(cpf_nstrings(in), sizeof(*m->strings));
	m->mappings = unmapped(in->nmappings);
	m->functions = unmapped(in->nfunctions);
	m->locations = unmapped(in->locations.n);
	m->threads = unmapped(in->nthreads);
	m->processes = unmapped(in->nprocesses);
	m->categories = unmapped(in->ncategories);
	m->symbols = unmapped(in->nsymbols);
	m->labels = unmapped(in->label_sets.n);
}

void cpf_merge_rows_end(struct cpf_merge_rows *m)
{
	cpf_free(m->strings);
	cpf_free(m->mappings);
	cpf_free(m->functions);
	cpf_free(m->locations);
	cpf_free(m->threads);
	cpf_free(m->processes);
	cpf_free(m->categories);
	cpf_free(m->symbols);
	cpf_free(m->labels);
	m->strings = NULL;
	m->mappings = m->functions = m->locations = m->threads = m->processes = NULL;
	m->categories = m->symbols = m->labels = NULL;
	m->in = NULL;
}

void cpf_merge_rows_release(struct cpf_merge_rows *m)
{
	cpf_merge_rows_end(m);
	cpf_rowset_release(&m->mapping_set);
	cpf_rowset_release(&m->location_set);
	cpf_rowset_release(&m->thread_set);
	cpf_rowset_release(&m->process_set);
	cpf_rowset_release(&m->category_set);
	cpf_rowset_release(&m->symbol_set);
	cpf_free(m->thread_claim);
	cpf_free(m->process_claim);
	cpf_free(m->lines);
	cpf_free(m->label_buf);
}

cpf_str cpf_merge_string(struct cpf_merge_rows *m, cpf_str s)
{
	if (s && !m->strings[s]) {
		struct cpf_text t = cpf_text(m->in, s);

		m->strings[s] = cpf_intern(m->out, t.s, t.len);
	}
	return s ? m->strings[s] : 0;
}

static uint64_t mix2(uint64_t h, uint32_t a, uint32_t b)
{
	return cpf_hash_mix(h, (uint64_t)a << 32 | b);
}

/* Mappings. */

/* pprof's key: the size in whole pages of 4096 bytes, so that small differences do not matter. */
static uint64_t pages(const struct cpf_mapping *m)
{
	uint64_t size = m->limit - m->start + 0xfff;

	return size - size % 0x1000;
}

static cpf_str build_id_or_file(const struct cpf_mapping *m)
{
	return m->build_id ? m->build_id : m->file;
}

static uint64_t hash_mapping(const struct cpf_mapping *m)
{
	uint64_t h = cpf_hash_seed();

	if (m->flags & CPF_MAP_RELATIVE) {
		h = mix2(h, m->file, m->name);
		h = mix2(h, m->debug_name, m->debug_id);
		return mix2(h, m->build_id, m->code_id);
	}
	h = cpf_hash_mix(h, pages(m));
	h = cpf_hash_mix(h, m->offset);
	return cpf_hash_mix(h, build_id_or_file(m));
}

static int same_mapping(const struct cpf_mapping *a, const struct cpf_mapping *b)
{
	if ((a->flags ^ b->flags) & CPF_MAP_RELATIVE)
		return 0;
	if (a->flags & CPF_MAP_RELATIVE)
		return a->file == b->file && a->name == b->name && a->build_id == b->build_id &&
		       a->debug_name == b->debug_name && a->debug_path == b->debug_path &&
		       a->debug_id == b->debug_id && a->code_id == b->code_id && a->arch == b->arch;
	return pages(a) == pages(b) && a->offset == b->offset &&
	       build_id_or_file(a) == build_id_or_file(b);
}

cpf_id cpf_merge_mapping(struct cpf_merge_rows *m, cpf_id id)
{
	struct cpf_mapping row;
	struct cpf_rowset_it it;
	uint64_t h;
	cpf_id to;

	if (id == CPF_NONE || m->mappings[id] != CPF_NONE)
		return id == CPF_NONE ? id : m->mappings[id];
	row = m->in->mappings[id];
	row.file = cpf_merge_string(m, row.file);
	row.name = cpf_merge_string(m, row.name);
	row.build_id = cpf_merge_string(m, row.build_id);
	row.debug_name = cpf_merge_string(m, row.debug_name);
	row.debug_path = cpf_merge_string(m, row.debug_path);
	row.debug_id = cpf_merge_string(m, row.debug_id);
	row.code_id = cpf_merge_string(m, row.code_id);
	row.arch = cpf_merge_string(m, row.arch);
	h = hash_mapping(&row);
	for (to = cpf_rowset_first(&m->mapping_set, h, &it); to != CPF_ROWSET_END;
		to = cpf_rowset_next(&m->mapping_set, &it))
		if (same_mapping(&m->out->mappings[to], &row))
			break;
	if (to == CPF_ROWSET_END) {
		if (row.wire_id)
			row.wire_id = (uint64_t)m->out->nmappings + 1;
		to = cpf_add_mapping(m->out, &row);
		cpf_rowset_add(&m->mapping_set, h, to);
	}
	return m->mappings[id] = to;
}

/* Functions. */

static cpf_id merge_function(struct cpf_merge_rows *m, cpf_id id)
{
	struct cpf_function row;

	if (m->functions[id] != CPF_NONE)
		return m->functions[id];
	row = m->in->functions[id];
	row.name = cpf_merge_string(m, row.name);
	row.system_name = cpf_merge_string(m, row.system_name);
	row.file = cpf_merge_string(m, row.file);
	row.resource_lib = cpf_merge_mapping(m, row.resource_lib);
	if (row.wire_id)
		row.wire_id = (uint64_t)m->out->nfunctions + 1;
	return m->functions[id] = cpf_find_function(m->out, &row);
}

/* Categories and symbols. */

static int same_category(const struct cpf_category *a, const struct cpf_category *b)
{
	return a->name == b->name && a->color == b->color && a->nsub == b->nsub &&
	       (!a->nsub || !memcmp(a->sub, b->sub, a->nsub * sizeof(*a->sub)));
}

cpf_id cpf_merge_category(struct cpf_merge_rows *m, cpf_id id)
{
	const struct cpf_category *from;
	struct cpf_category row;
	struct cpf_rowset_it it;
	uint64_t h;
	cpf_id to;
	uint32_t i;

	if (id == CPF_NONE || m->categories[id] != CPF_NONE)
		return id == CPF_NONE ? id : m->categories[id];
	from = &m->in->categories[id];
	row.name = cpf_merge_string(m, from->name);
	row.color = cpf_merge_string(m, from->color);
	row.nsub = from->nsub;
	row.sub = cpf_realloc_array(NULL, (size_t)from->nsub + 1, sizeof(*row.sub));
	h = mix2(cpf_hash_seed(), row.name, row.color);
	for (i = 0; i < from->nsub; i++) {
		row.sub[i] = cpf_merge_string(m, from->sub[i]);
		h = cpf_hash_mix(h, row.sub[i]);
	}
	for (to = cpf_rowset_first(&m->category_set, h, &it); to != CPF_ROWSET_END;
		to = cpf_rowset_next(&m->category_set, &it))
		if (same_category(&m->out->categories[to], &row))
			break;
	if (to == CPF_ROWSET_END) {
		to = cpf_add_category(m->out, row.name, row.color, row.sub, row.nsub);
		cpf_rowset_add(&m->category_set, h, to);
	}
	cpf_free(row.sub);
	return m->categories[id] = to;
}

static cpf_id merge_symbol(struct cpf_merge_rows *m, cpf_id id)
{
	struct cpf_symbol row;
	struct cpf_rowset_it it;
	uint64_t h;
	cpf_id to;

	if (id == CPF_NONE || m->symbols[id] != CPF_NONE)
		return id == CPF_NONE ? id : m->symbols[id];
	row = m->in->symbols[id];
	row.mapping = cpf_merge_mapping(m, row.mapping);
	row.name = cpf_merge_string(m, row.name);
	h = cpf_hash_mix(mix2(cpf_hash_seed(), row.mapping, row.name), row.address);
	for (to = cpf_rowset_first(&m->symbol_set, h, &it); to != CPF_ROWSET_END;
		to = cpf_rowset_next(&m->symbol_set, &it)) {
		const struct cpf_symbol *o = &m->out->symbols[to];

		if (o->address == row.address && o->size == row.size && o->mapping == row.mapping &&
			o->name == row.name)
			break;
	}
	if (to == CPF_ROWSET_END) {
		to = cpf_add_symbol(m->out, &row);
		cpf_rowset_add(&m->symbol_set, h, to);
	}
	return m->symbols[id] = to;
}

/* Locations. */

static uint64_t hash_location(const struct cpf_location *l)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), l->address);
	uint32_t i;

	h = mix2(h, l->mapping, l->nlines);
	h = mix2(h, l->category, l->symbol);
	for (i = 0; i < l->nlines; i++)
		h = cpf_hash_mix(h,
			(uint64_t)l->lines[i].function << 32 ^ (uint64_t)l->lines[i].line);
	return h;
}

static int same_location(const struct cpf_merge_rows *m, cpf_id id, const struct cpf_location *l)
{
	const struct cpf_locations *t = &m->out->locations;
	size_t first = (size_t)cpf_col_get(&t->first, id);
	uint32_t i;

	if ((uint64_t)cpf_col_get(&t->address, id) != l->address ||
		cpf_col_id(&t->mapping, id) != l->mapping ||
		(uint32_t)cpf_col_get(&t->flags, id) != l->flags ||
		cpf_col_id(&t->category, id) != l->category ||
		cpf_col_id(&t->subcategory, id) != l->subcategory ||
		cpf_col_id(&t->symbol, id) != l->symbol ||
		(size_t)cpf_col_get(&t->first, (size_t)id + 1) - first != l->nlines)
		return 0;
	for (i = 0; i < l->nlines; i++) {
		if (cpf_col_id(&t->line_fn, first + i) != l->lines[i].function ||
			cpf_col_get(&t->line_no, first + i) != l->lines[i].line)
			return 0;
		/* pprof's key overwrites the column of each line with the next line's function. */
		if (m->like_pprof && i + 1 < l->nlines)
			continue;
		if (cpf_col_get(&t->line_col, first + i) != l->lines[i].column)
			return 0;
	}
	return 1;
}

cpf_id cpf_merge_location(struct cpf_merge_rows *m, cpf_id id)
{
	struct cpf_location row;
	struct cpf_rowset_it it;
	cpf_id from, to;
	uint64_t h;
	uint32_t i;

	if (m->locations[id] != CPF_NONE)
		return m->locations[id];
	cpf_get_location(m->in, id, &row, &m->lines, &m->lines_cap);
	from = row.mapping;
	row.mapping = cpf_merge_mapping(m, from);
	if (from != CPF_NONE)
		row.address += m->out->mappings[row.mapping].start - m->in->mappings[from].start;
	for (i = 0; i < row.nlines; i++)
		m->lines[i].function = merge_function(m, m->lines[i].function);
	row.category = cpf_merge_category(m, row.category);
	row.symbol = merge_symbol(m, row.symbol);
	h = hash_location(&row);
	for (to = cpf_rowset_first(&m->location_set, h, &it); to != CPF_ROWSET_END;
		to = cpf_rowset_next(&m->location_set, &it))
		if (same_location(m, to, &row))
			break;
	if (to == CPF_ROWSET_END) {
		if (row.wire_id)
			row.wire_id = (uint64_t)m->out->locations.n + 1;
		to = cpf_add_location(m->out, &row);
		cpf_rowset_add(&m->location_set, h, to);
	}
	return m->locations[id] = to;
}

/* Threads and processes. */

/*
 * A row of an earlier input with the same names and ids is the same thread seen again. Within one
 * input equal rows stay apart: each row of out is claimed once per input.
 */
static cpf_id unclaimed(struct cpf_rowset *set, uint64_t h, const uint32_t *claim, uint32_t turn,
	int (*same)(const struct cpf_profile *, cpf_id, const void *), const struct cpf_profile *p,
	const void *row)
{
	struct cpf_rowset_it it;
	cpf_id id;

	for (id = cpf_rowset_first(set, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(set, &it))
		if (claim[id] != turn && same(p, id, row))
			break;
	return id;
}

static int same_process(const struct cpf_profile *p, cpf_id id, const void *row)
{
	const struct cpf_process *a = &p->processes[id], *b = row;

	return a->name == b->name && a->pid == b->pid && a->type == b->type;
}

static int same_thread(const struct cpf_profile *p, cpf_id id, const void *row)
{
	const struct cpf_thread *a = &p->threads[id], *b = row;

	return a->name == b->name && a->tid == b->tid && a->process == b->process &&
	       a->flags == b->flags;
}

/* end < start means "alive at the end", which is later than any end. */
static void widen(int64_t *start, int64_t *end, int64_t more_start, int64_t more_end)
{
	int open = *end < *start || more_end < more_start;

	if (more_start < *start)
		*start = more_start;
	if (open)
		*end = *start == INT64_MIN ? *start : *start - 1;
	else if (more_end > *end)
		*end = more_end;
}

/* 0 to 0: formats without such times. */
static void shift_span(const struct cpf_merge_rows *m, int64_t *start, int64_t *end)
{
	if (!*start && !*end)
		return;
	*start = cpf_wrap_add(*start, m->shift);
	*end = cpf_wrap_add(*end, m->shift);
}

static cpf_id merge_process(struct cpf_merge_rows *m, cpf_id id)
{
	struct cpf_process row;
	uint64_t h;
	cpf_id to;

	if (id == CPF_NONE || m->processes[id] != CPF_NONE)
		return id == CPF_NONE ? id : m->processes[id];
	row = m->in->processes[id];
	row.name = cpf_merge_string(m, row.name);
	row.pid = cpf_merge_string(m, row.pid);
	row.type = cpf_merge_string(m, row.type);
	shift_span(m, &row.start, &row.end);
	h = mix2(cpf_hash_mix(cpf_hash_seed(), row.type), row.name, row.pid);
	to = unclaimed(&m->process_set, h, m->process_claim, m->turn, same_process, m->out, &row);
	if (to == CPF_ROWSET_END) {
		to = cpf_add_process(m->out, &row);
		cpf_rowset_add(&m->process_set, h, to);
		CPF_GROW(m->process_claim, m->process_claim_cap, (size_t)to + 1);
	} else {
		struct cpf_process *was = &m->out->processes[to];

		widen(&was->start, &was->end, row.start, row.end);
	}
	m->process_claim[to] = m->turn;
	return m->processes[id] = to;
}

cpf_id cpf_merge_thread(struct cpf_merge_rows *m, cpf_id id)
{
	struct cpf_thread row;
	uint64_t h;
	cpf_id to;

	if (id == CPF_NONE || m->threads[id] != CPF_NONE)
		return id == CPF_NONE ? id : m->threads[id];
	row = m->in->threads[id];
	row.name = cpf_merge_string(m, row.name);
	row.tid = cpf_merge_string(m, row.tid);
	row.process = merge_process(m, row.process);
	shift_span(m, &row.start, &row.end);
	h = mix2(cpf_hash_mix(cpf_hash_seed(), row.process), row.name, row.tid);
	to = unclaimed(&m->thread_set, h, m->thread_claim, m->turn, same_thread, m->out, &row);
	if (to == CPF_ROWSET_END) {
		to = cpf_add_thread(m->out, &row);
		cpf_rowset_add(&m->thread_set, h, to);
		CPF_GROW(m->thread_claim, m->thread_claim_cap, (size_t)to + 1);
	} else {
		struct cpf_thread *was = &m->out->threads[to];

		widen(&was->start, &was->end, row.start, row.end);
	}
	m->thread_claim[to] = m->turn;
	return m->threads[id] = to;
}

/* Labels. */

static int is_number(const struct cpf_label *l)
{
	return !l->str && (l->num || l->unit);
}

/* A label with what it is sorted by. */
struct keyed {
	struct cpf_label label;
	struct cpf_text key;
	uint32_t at;
};

static int by_key(const void *pa, const void *pb)
{
	const struct keyed *a = pa, *b = pb;
	int r = is_number(&a->label) - is_number(&b->label);

	if (!r && a->label.key != b->label.key) {
		r = memcmp(a->key.s, b->key.s, a->key.len < b->key.len ? a->key.len : b->key.len);
		if (!r)
			r = (a->key.len > b->key.len) - (a->key.len < b->key.len);
	}
	return r ? r : (a->at > b->at) - (a->at < b->at);
}

static void sort_labels(const struct cpf_profile *p, struct cpf_label *l, uint32_t n)
{
	struct keyed *rows;
	uint32_t i;

	if (n < 2)
		return;
	rows = cpf_realloc_array(NULL, n, sizeof(*rows));
	for (i = 0; i < n; i++) {
		rows[i].label = l[i];
		rows[i].key = cpf_text(p, l[i].key);
		rows[i].at = i;
	}
	qsort(rows, n, sizeof(*rows), by_key);
	for (i = 0; i < n; i++)
		l[i] = rows[i].label;
	cpf_free(rows);
}

static void add_text_label(
	struct cpf_merge_rows *m, uint32_t *n, const char *key, cpf_str value)
{
	struct cpf_label l = {0};

	if (!value)
		return;
	l.key = cpf_intern_z(m->out, key);
	l.str = value;
	CPF_GROW(m->label_buf, m->label_cap, (size_t)*n + 1);
	m->label_buf[(*n)++] = l;
}

cpf_id cpf_merge_labels(struct cpf_merge_rows *m, cpf_id set, cpf_id thread, int to_labels)
{
	const struct cpf_label_sets *t = &m->in->label_sets;
	uint32_t i, n = 0;
	cpf_id to;

	if (!to_labels && m->labels[set] != CPF_NONE)
		return m->labels[set];
	for (i = t->first[set]; i < t->first[set + 1]; i++) {
		struct cpf_label l = t->labels[i];

		if (m->like_pprof && !l.str && !l.num && !l.unit)
			continue;
		l.key = cpf_merge_string(m, l.key);
		l.str = cpf_merge_string(m, l.str);
		l.unit = cpf_merge_string(m, l.unit);
		CPF_GROW(m->label_buf, m->label_cap, (size_t)n + 1);
		m->label_buf[n++] = l;
	}
	if (to_labels && thread != CPF_NONE) {
		const struct cpf_thread *row = &m->out->threads[thread];

		add_text_label(m, &n, "thread", row->name);
		add_text_label(m, &n, "tid", row->tid);
		if (row->process != CPF_NONE) {
			add_text_label(m, &n, "process", m->out->processes[row->process].name);
			add_text_label(m, &n, "pid", m->out->processes[row->process].pid);
		}
	}
	sort_labels(m->out, m->label_buf, n);
	to = cpf_find_labels(m->out, m->label_buf, n);
	if (!to_labels)
		m->labels[set] = to;
	return to;
}
