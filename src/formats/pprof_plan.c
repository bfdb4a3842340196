#include "base/base.h"

#include "base/mem.h"
#include "core/frame.h"
#include "core/strings.h"
#include "formats/pprof_write.h"

#include <stdlib.h>

static size_t first_line(const struct cpf_profile *p, size_t location)
{
	return (size_t)cpf_col_get(&p->locations.first, location);
}

int cpf_pb_keeps_lines(const struct cpf_profile *p, cpf_id location)
{
	size_t i, end = first_line(p, (size_t)location + 1);

	if (cpf_col_id(&p->locations.mapping, location) == CPF_NONE)
		return 1;
	for (i = first_line(p, location); i < end; i++)
		if (cpf_frame_named(p, location, cpf_col_id(&p->locations.line_fn, i)))
			return 1;
	return 0;
}

/* Which profiles are written as they are: those whose every part came from pprof's own model. */
static int is_as_is(const struct cpf_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->nsources; i++)
		if (strcmp(p->sources[i].format, "pprof") != 0 &&
			strcmp(p->sources[i].format, "gperftools") != 0)
			return 0;
	return p->nsources > 0;
}

/* What samples lead to. */

static void use_nodes(struct cpf_pb_plan *plan)
{
	const struct cpf_profile *p = plan->p;
	uint8_t *used = cpf_calloc(p->nodes.n, 1);
	uint32_t i;

	for (i = 0; i < p->samples.n; i++)
		used[cpf_col_id(&p->samples.node, i)] = 1;
	for (i = p->nodes.n; i-- > 1;)
		if (used[i]) {
			used[plan->parent[i]] = 1;
			plan->location_id[plan->location[i]] = 1;
		}
	cpf_free(used);
}

static uint64_t hash_location(const struct cpf_profile *p, uint32_t i, int lines)
{
	const struct cpf_locations *t = &p->locations;
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)cpf_col_get(&t->address, i));
	size_t at, end = first_line(p, (size_t)i + 1);

	h = cpf_hash_mix(h, (uint64_t)cpf_col_id(&t->mapping, i) << 32 | (uint32_t)lines);
	for (at = first_line(p, i); lines && at < end; at++)
		h = cpf_hash_mix(h, (uint64_t)cpf_col_id(&t->line_fn, at) << 32 ^
					    (uint64_t)cpf_col_get(&t->line_no, at));
	return h;
}

/* Equal in what pprof has: categories, symbols and the like do not count. */
static int same_location(const struct cpf_profile *p, uint32_t a, uint32_t b)
{
	const struct cpf_locations *t = &p->locations;
	size_t i = first_line(p, a), j = first_line(p, b), end = first_line(p, (size_t)a + 1);

	if (cpf_col_get(&t->address, a) != cpf_col_get(&t->address, b) ||
		cpf_col_get(&t->mapping, a) != cpf_col_get(&t->mapping, b) ||
		cpf_col_get(&t->flags, a) != cpf_col_get(&t->flags, b) ||
		end - i != first_line(p, (size_t)b + 1) - j)
		return 0;
	for (; i < end; i++, j++)
		if (cpf_col_get(&t->line_fn, i) != cpf_col_get(&t->line_fn, j) ||
			cpf_col_get(&t->line_no, i) != cpf_col_get(&t->line_no, j) ||
			cpf_col_get(&t->line_col, i) != cpf_col_get(&t->line_col, j))
			return 0;
	return 1;
}

/* Sends each node to the first of equal locations, and takes the others out of use. */
static void join_locations(struct cpf_pb_plan *plan)
{
	const struct cpf_profile *p = plan->p;
	uint32_t *same = cpf_realloc_array(NULL, p->locations.n, sizeof(*same)), i, id;
	struct cpf_rowset index = {0};
	struct cpf_rowset_it it;
	uint64_t h;

	for (i = 0; i < p->locations.n; i++) {
		same[i] = i;
		if (!plan->location_id[i])
			continue;
		h = hash_location(p, i, 1);
		for (id = cpf_rowset_first(&index, h, &it); id != CPF_ROWSET_END;
			id = cpf_rowset_next(&index, &it))
			if (same_location(p, id, i))
				break;
		if (id == CPF_ROWSET_END) {
			cpf_rowset_add(&index, h, i);
			continue;
		}
		same[i] = id;
		plan->location_id[i] = 0;
	}
	for (i = 1; i < p->nodes.n; i++)
		if (plan->location[i] != CPF_NONE)
			plan->location[i] = same[plan->location[i]];
	cpf_rowset_release(&index);
	cpf_free(same);
}

static void flag_mapping(struct cpf_pb_plan *plan, cpf_id mapping, size_t line, size_t nlines)
{
	const struct cpf_profile *p = plan->p;
	const struct cpf_function *f = &p->functions[cpf_col_id(&p->locations.line_fn, line)];

	if (f->name)
		plan->flags[mapping] |= CPF_MAP_HAS_FUNCTIONS;
	if (f->file)
		plan->flags[mapping] |= CPF_MAP_HAS_FILENAMES;
	if (cpf_col_get(&p->locations.line_no, line))
		plan->flags[mapping] |= CPF_MAP_HAS_LINES;
	if (nlines > 1)
		plan->flags[mapping] |= CPF_MAP_HAS_INLINES;
}

/*
 * Functions and mappings of the locations in use. A mapping is said to have names as soon as one
 * location has: pprof looks for names of a whole mapping or not at all, and would overwrite those
 * that are there.
 */
static void use_locations(struct cpf_pb_plan *plan)
{
	const struct cpf_profile *p = plan->p;
	size_t at, first, end;
	uint32_t i;
	cpf_id m;

	for (i = 0; i < p->locations.n; i++) {
		if (!plan->location_id[i])
			continue;
		m = cpf_col_id(&p->locations.mapping, i);
		if (m != CPF_NONE)
			plan->mapping_id[m] = 1;
		if (!cpf_pb_keeps_lines(p, i))
			continue;
		first = first_line(p, i);
		end = first_line(p, (size_t)i + 1);
		for (at = first; at < end; at++) {
			plan->function_id[cpf_col_id(&p->locations.line_fn, at)] = 1;
			if (m != CPF_NONE)
				flag_mapping(plan, m, at, end - first);
		}
	}
}

/*
 * Libraries that know addresses relative to their image only: the range is all of memory, and
 * addresses stay as they are. For this range pprof looks addresses up in the file without moving
 * them, which is right. With a made-up start it would name them wrongly: go tool pprof takes a
 * start for that of the first executable segment, whose place in the file is not known here. Ranges
 * of two recordings are equal this way too, else pprof would not take their libraries for the same.
 */
static void place_mappings(struct cpf_pb_plan *plan)
{
	const struct cpf_mapping *m = plan->p->mappings;
	uint32_t i;

	for (i = 0; i < plan->p->nmappings; i++)
		plan->limit[i] = m[i].flags & CPF_MAP_RELATIVE ? UINT64_MAX : m[i].limit;
}

/* pprof takes the first mapping for the program. */
static void choose_first_mapping(struct cpf_pb_plan *plan)
{
	const struct cpf_profile *p = plan->p;
	struct cpf_text name, product = cpf_text(p, p->head.product);
	uint32_t i;

	plan->first_mapping = CPF_NONE;
	for (i = 0; i < p->nmappings && product.len; i++) {
		name = cpf_mapping_name(p, i);
		if (plan->mapping_id[i] && name.len == product.len &&
			!memcmp(name.s, product.s, name.len)) {
			plan->first_mapping = i;
			return;
		}
	}
}

/* Ids. */

static void number(uint64_t *id, uint32_t n, uint64_t next)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (id[i])
			id[i] = next++;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Ids as read, where they are unique; rows added since get those behind the highest. Otherwise (a
 * merge, say) all are numbered anew.
 */
static void keep_ids(uint64_t *id, uint32_t n)
{
	uint64_t *sorted, next;
	uint32_t i, rising = 1, zeros = 0;

	for (i = 0; i < n; i++) {
		zeros += !id[i];
		rising &= !i || id[i] > id[i - 1];
	}
	if (rising && !zeros)
		return;
	sorted = cpf_realloc_array(NULL, n, sizeof(*sorted));
	memcpy(sorted, id, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	next = sorted[n - 1];
	for (i = zeros + 1; i < n && sorted[i] != sorted[i - 1]; i++)
		;
	cpf_free(sorted);
	if ((i < n && zeros < n) || next > UINT64_MAX - n) {
		memset(id, 0xff, n * sizeof(*id));
		number(id, n, 1);
		return;
	}
	for (i = 0; i < n; i++)
		if (!id[i])
			id[i] = ++next;
}

static void ids_as_read(struct cpf_pb_plan *plan)
{
	const struct cpf_profile *p = plan->p;
	uint32_t i;

	for (i = 0; i < p->nmappings; i++) {
		plan->mapping_id[i] = p->mappings[i].wire_id;
		plan->flags[i] = p->mappings[i].flags;
	}
	for (i = 0; i < p->nfunctions; i++)
		plan->function_id[i] = p->functions[i].wire_id;
	for (i = 0; i < p->locations.n; i++)
		plan->location_id[i] = (uint64_t)cpf_col_get(&p->locations.wire_id, i);
	if (p->nmappings)
		keep_ids(plan->mapping_id, p->nmappings);
	if (p->nfunctions)
		keep_ids(plan->function_id, p->nfunctions);
	if (p->locations.n)
		keep_ids(plan->location_id, p->locations.n);
}

static void ids_in_use(struct cpf_pb_plan *plan)
{
	const struct cpf_profile *p = plan->p;

	use_nodes(plan);
	join_locations(plan);
	use_locations(plan);
	choose_first_mapping(plan);
	if (plan->first_mapping != CPF_NONE)
		plan->mapping_id[plan->first_mapping] = 0;
	number(plan->mapping_id, p->nmappings, plan->first_mapping == CPF_NONE ? 1 : 2);
	if (plan->first_mapping != CPF_NONE)
		plan->mapping_id[plan->first_mapping] = 1;
	number(plan->function_id, p->nfunctions, 1);
	number(plan->location_id, p->locations.n, 1);
}

/* Strings: those of the profile in their order, then ours. */

static void use_string(struct cpf_pb_plan *plan, cpf_str s)
{
	plan->string_index[s] = 1;
}

static void use_label_strings(struct cpf_pb_plan *plan)
{
	const struct cpf_label_sets *t = &plan->p->label_sets;
	uint8_t *used = cpf_calloc(t->n, 1);
	uint32_t i, j;

	for (i = 0; i < plan->p->samples.n; i++)
		used[cpf_col_id(&plan->p->samples.labels, i)] = 1;
	for (i = 0; i < t->n; i++)
		for (j = t->first[i]; used[i] && j < t->first[i + 1]; j++) {
			use_string(plan, t->labels[j].key);
			use_string(plan, t->labels[j].str);
			use_string(plan, t->labels[j].unit);
		}
	cpf_free(used);
}

static const char *const thread_keys[CPF_PB_THREAD_KEYS] = {"process", "pid", "thread", "tid"};

void cpf_pb_thread_texts(
	const struct cpf_profile *p, cpf_id thread, cpf_str texts[CPF_PB_THREAD_KEYS])
{
	cpf_id process = p->threads[thread].process;

	texts[CPF_PB_THREAD] = p->threads[thread].name;
	texts[CPF_PB_TID] = p->threads[thread].tid;
	texts[CPF_PB_PROCESS] = process == CPF_NONE ? 0 : p->processes[process].name;
	texts[CPF_PB_PID] = process == CPF_NONE ? 0 : p->processes[process].pid;
}

static void use_thread_strings(struct cpf_pb_plan *plan)
{
	const struct cpf_profile *p = plan->p;
	uint8_t *used = cpf_calloc(p->nthreads, 1);
	cpf_str texts[CPF_PB_THREAD_KEYS];
	uint32_t i, k;
	cpf_id id;

	for (i = 0; i < p->samples.n; i++)
		if ((id = cpf_col_id(&p->samples.thread, i)) != CPF_NONE)
			used[id] = 1;
	for (i = 0; i < p->nthreads; i++) {
		if (!used[i])
			continue;
		cpf_pb_thread_texts(p, i, texts);
		for (k = 0; k < CPF_PB_THREAD_KEYS; k++)
			if (texts[k]) {
				use_string(plan, texts[k]);
				plan->has_key[k] = 1;
			}
	}
	cpf_free(used);
}

static void use_strings(struct cpf_pb_plan *plan)
{
	const struct cpf_profile *p = plan->p;
	const struct cpf_header *h = &p->head;
	uint32_t i;

	for (i = 0; i < p->ntypes; i++) {
		use_string(plan, p->types[i].type);
		use_string(plan, p->types[i].unit);
	}
	for (i = 0; i < p->nmappings; i++)
		if (plan->mapping_id[i]) {
			use_string(plan,
				p->mappings[i].file ? p->mappings[i].file : p->mappings[i].name);
			use_string(plan, p->mappings[i].build_id);
		}
	for (i = 0; i < p->nfunctions; i++)
		if (plan->function_id[i]) {
			use_string(plan, p->functions[i].name);
			use_string(plan, p->functions[i].system_name);
			use_string(plan, p->functions[i].file);
		}
	use_string(plan, h->drop_frames);
	use_string(plan, h->keep_frames);
	use_string(plan, h->period_type);
	use_string(plan, h->period_unit);
	use_string(plan, h->default_sample_type);
	use_string(plan, h->doc_url);
	for (i = 0; i < h->ncomments; i++)
		use_string(plan, h->comments[i]);
	use_label_strings(plan);
	if (!plan->as_is)
		use_thread_strings(plan);
}

static void number_strings(struct cpf_pb_plan *plan)
{
	uint32_t i, n = cpf_nstrings(plan->p), next = 1;

	for (i = 1; i < n; i++)
		if (plan->string_index[i])
			plan->string_index[i] = next++;
	plan->string_index[0] = 0;
	plan->nstrings = next;
}

/* Makes sure the text is among the strings to come, if the profile has it. */
static void want_text(struct cpf_pb_plan *plan, const char *s)
{
	cpf_str id = cpf_strings_lookup(plan->p->strings, s, strlen(s));

	if (id != CPF_NONE)
		use_string(plan, id);
}

/* Index in string_table of a text of ours. After number_strings. */
static uint32_t text_index(struct cpf_pb_plan *plan, const char *s)
{
	size_t len = strlen(s);
	cpf_str id = cpf_strings_lookup(plan->p->strings, s, len);
	uint32_t i;

	if (id != CPF_NONE)
		return plan->string_index[id];
	for (i = 0; i < plan->ntexts; i++)
		if (plan->texts[i].len == len && !memcmp(plan->texts[i].s, s, len))
			return plan->nstrings + i;
	CPF_GROW(plan->texts, plan->texts_cap, (size_t)plan->ntexts + 1);
	plan->texts[plan->ntexts].s = cpf_strndup(s, len);
	plan->texts[plan->ntexts].len = (uint32_t)len;
	return plan->nstrings + plan->ntexts++;
}

/* Header. */

static void add_comment(struct cpf_pb_plan *plan, uint32_t index)
{
	CPF_GROW(plan->comments, plan->comments_cap, (size_t)plan->ncomments + 1);
	plan->comments[plan->ncomments++] = index;
}

/*
 * Where the numbers come from: one line per kind of source, the tool that recorded, the program.
 * pass 0 only marks strings.
 */
static void provenance(struct cpf_pb_plan *plan, int pass)
{
	const struct cpf_profile *p = plan->p;
	struct cpf_buf b = {0};
	uint32_t i, j, at;

	for (i = 0; i < p->nsources; i++) {
		const struct cpf_source *s = &p->sources[i];
		const char *producer = s->producer[0] ? s->producer : cpf_cstr(p, p->head.producer);

		cpf_buf_clear(&b);
		cpf_buf_fmt(&b, "converted from %s%s%s", s->format, s->version[0] ? " " : "",
			s->version);
		if (producer[0])
			cpf_buf_fmt(&b, " of %s", producer);
		if (p->head.product)
			cpf_buf_fmt(&b, ", %s", cpf_cstr(p, p->head.product));
		if (!pass) {
			want_text(plan, b.s);
			continue;
		}
		at = text_index(plan, b.s);
		for (j = 0; j < plan->ncomments && plan->comments[j] != at; j++)
			;
		if (j == plan->ncomments)
			add_comment(plan, at);
	}
	cpf_buf_release(&b);
}

static void want_texts(struct cpf_pb_plan *plan)
{
	const struct cpf_profile *p = plan->p;
	size_t i;

	for (i = 0; i < CPF_PB_THREAD_KEYS; i++)
		if (plan->has_key[i])
			want_text(plan, thread_keys[i]);
	if (plan->times)
		want_text(plan, "time");
	if (plan->times || p->head.interval_nanos)
		want_text(plan, "nanoseconds");
	if (p->head.interval_nanos)
		want_text(plan, "cpu");
	provenance(plan, 0);
}

static void header_texts(struct cpf_pb_plan *plan)
{
	const struct cpf_header *h = &plan->p->head;
	uint32_t i;

	plan->has_period_type = h->has_period_type;
	plan->period_type = plan->string_index[h->period_type];
	plan->period_unit = plan->string_index[h->period_unit];
	plan->period = h->period;
	plan->default_type = plan->string_index[h->default_sample_type];
	for (i = 0; i < h->ncomments; i++)
		add_comment(plan, plan->string_index[h->comments[i]]);
	if (plan->as_is)
		return;
	for (i = 0; i < CPF_PB_THREAD_KEYS; i++)
		if (plan->has_key[i])
			plan->keys[i] = text_index(plan, thread_keys[i]);
	if (plan->times) {
		plan->key_time = text_index(plan, "time");
		plan->unit_ns = text_index(plan, "nanoseconds");
	}
	if (!h->has_period_type && h->interval_nanos > 0) {
		plan->has_period_type = 1;
		plan->period_type = text_index(plan, "cpu");
		plan->period_unit = text_index(plan, "nanoseconds");
		plan->period = h->interval_nanos;
	}
	if (plan->p->ntypes)
		plan->default_type = plan->string_index[plan->p->types[plan->p->default_type].type];
	provenance(plan, 1);
}

static void allocate(struct cpf_pb_plan *plan)
{
	const struct cpf_profile *p = plan->p;

	plan->string_index = cpf_calloc(cpf_nstrings(p), sizeof(*plan->string_index));
	plan->mapping_id = cpf_calloc(p->nmappings, sizeof(*plan->mapping_id));
	plan->limit = cpf_calloc(p->nmappings, sizeof(*plan->limit));
	plan->flags = cpf_calloc(p->nmappings, sizeof(*plan->flags));
	plan->function_id = cpf_calloc(p->nfunctions, sizeof(*plan->function_id));
	plan->location_id = cpf_calloc(p->locations.n, sizeof(*plan->location_id));
	plan->parent = cpf_realloc_array(NULL, p->nodes.n, sizeof(*plan->parent));
	plan->location = cpf_realloc_array(NULL, p->nodes.n, sizeof(*plan->location));
	cpf_col_read32(&p->nodes.parent, 0, p->nodes.n, plan->parent);
	cpf_col_read32(&p->nodes.location, 0, p->nodes.n, plan->location);
}

int cpf_pb_plan_make(struct cpf_pb_plan *plan, const struct cpf_profile *p,
	const struct cpf_save_opts *o, struct cpf_err *e)
{
	memset(plan, 0, sizeof(*plan));
	plan->p = p;
	plan->as_is = is_as_is(p);
	plan->times = o && o->timestamps && p->samples.has_time && !plan->as_is;
	plan->first_mapping = CPF_NONE;
	plan->rows.n = p->samples.n;
	allocate(plan);
	if (plan->as_is)
		ids_as_read(plan);
	else
		ids_in_use(plan);
	place_mappings(plan);
	use_strings(plan);
	if (!plan->as_is)
		want_texts(plan);
	number_strings(plan);
	header_texts(plan);
	return plan->as_is || plan->times ? 0 : cpf_pb_plan_rows(plan, e);
}

void cpf_pb_plan_release(struct cpf_pb_plan *plan)
{
	uint32_t i;

	for (i = 0; i < plan->ntexts; i++)
		cpf_free(plan->texts[i].s);
	cpf_free(plan->texts);
	cpf_free(plan->string_index);
	cpf_free(plan->mapping_id);
	cpf_free(plan->limit);
	cpf_free(plan->flags);
	cpf_free(plan->function_id);
	cpf_free(plan->location_id);
	cpf_free(plan->parent);
	cpf_free(plan->location);
	cpf_free(plan->comments);
	cpf_free(plan->rows.sample);
	cpf_free(plan->rows.sums);
	memset(plan, 0, sizeof(*plan));
}
