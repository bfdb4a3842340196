#include "base/base.h"

#include "base/input.h"
#include "base/mem.h"
#include "base/par.h"
#include "formats/pprof_read.h"

/* Strings. */

static int string_at(struct cpf_pb_reader *r, int64_t index, cpf_str *out, uint64_t byte)
{
	if (index >= 0 && (uint64_t)index < r->nstrings) {
		*out = r->strings[index];
		return 0;
	}
	*out = 0;
	return cpf_fail_at(r->e, CPF_E_FORMAT, byte,
		"malformed profile format: string index %" PRId64
		" is not in string_table (%" PRIu32 " entries)",
		index, r->nstrings);
}

static int link_header(struct cpf_pb_reader *r)
{
	struct cpf_header *h = &r->p->head;
	const char *field = "drop_frames";
	cpf_str s;
	uint32_t i;

	if (string_at(r, r->drop, &h->drop_frames, CPF_NO_POS))
		goto bad;
	field = "keep_frames";
	if (string_at(r, r->keep, &h->keep_frames, CPF_NO_POS))
		goto bad;
	field = "period_type";
	if (string_at(r, r->period.type, &h->period_type, r->period.byte) ||
		string_at(r, r->period.unit, &h->period_unit, r->period.byte))
		goto bad;
	field = "default_sample_type";
	if (string_at(r, r->default_type, &h->default_sample_type, CPF_NO_POS))
		goto bad;
	field = "doc_url";
	if (string_at(r, r->doc, &h->doc_url, CPF_NO_POS))
		goto bad;
	for (i = 0; i < r->ncomments; i++) {
		if (string_at(r, r->comments[i], &s, CPF_NO_POS)) {
			cpf_err_where(r->e, "Profile.comment[%" PRIu32 "]", i);
			return -1;
		}
		cpf_add_comment(r->p, s);
	}
	return 0;
bad:
	cpf_err_where(r->e, "Profile.%s", field);
	return -1;
}

static int link_types(struct cpf_pb_reader *r)
{
	struct cpf_profile *p = r->p;
	cpf_str type, unit;
	uint32_t i;

	while (p->samples.nraw < r->ntypes)
		cpf_add_raw(p);
	for (i = 0; i < r->ntypes; i++) {
		if (string_at(r, r->types[i].type, &type, r->types[i].byte) ||
			string_at(r, r->types[i].unit, &unit, r->types[i].byte)) {
			cpf_err_where(r->e, "Profile.sample_type[%" PRIu32 "]", i);
			return -1;
		}
		cpf_add_type(p, "", "", i, 1, 1);
		p->types[i].type = type;
		p->types[i].unit = unit;
	}
	p->default_type = p->ntypes ? p->ntypes - 1 : 0;
	for (i = 0; i < p->ntypes && p->head.default_sample_type; i++)
		if (p->types[i].type == p->head.default_sample_type) {
			p->default_type = i;
			break;
		}
	return 0;
}

static int link_mappings(struct cpf_pb_reader *r)
{
	struct cpf_mapping *m = r->p->mappings;
	uint64_t byte;
	uint32_t i;

	for (i = 0; i < r->p->nmappings; i++, m++) {
		byte = (uint64_t)cpf_col_get(&r->mapping_byte, i);
		if (string_at(r, m->file, &m->file, byte) ||
			string_at(r, m->build_id, &m->build_id, byte)) {
			cpf_err_where(r->e, "Profile.mapping[%" PRIu32 "]", i);
			return -1;
		}
	}
	return 0;
}

static int link_functions(struct cpf_pb_reader *r)
{
	struct cpf_function *f = r->p->functions;
	uint64_t byte;
	uint32_t i;

	for (i = 0; i < r->p->nfunctions; i++, f++) {
		byte = (uint64_t)cpf_col_get(&r->function_byte, i);
		if (string_at(r, f->name, &f->name, byte) ||
			string_at(r, f->system_name, &f->system_name, byte) ||
			string_at(r, f->file, &f->file, byte)) {
			cpf_err_where(r->e, "Profile.function[%" PRIu32 "]", i);
			return -1;
		}
	}
	return 0;
}

static int label_error(struct cpf_pb_reader *r, uint32_t at)
{
	const struct cpf_label_sets *t = &r->p->label_sets;
	uint32_t set = 0, i;

	while (t->first[set + 1] <= at)
		set++;
	for (i = 0; i < r->p->samples.n && cpf_col_id(&r->p->samples.labels, i) != set; i++)
		;
	cpf_err_where(
		r->e, "Profile.sample[%" PRIu32 "].label[%" PRIu32 "]", i, at - t->first[set]);
	return -1;
}

static int link_labels(struct cpf_pb_reader *r)
{
	struct cpf_label *l = r->p->label_sets.labels;
	uint32_t i;

	for (i = 0; i < r->p->label_sets.nlabels; i++, l++)
		if (string_at(r, l->key, &l->key, CPF_NO_POS) ||
			string_at(r, l->str, &l->str, CPF_NO_POS) ||
			string_at(r, l->unit, &l->unit, CPF_NO_POS))
			return label_error(r, i);
	return 0;
}

/* What pprof checks, in its order. Reserved and double ids were refused on arrival. */

static int mismatch(struct cpf_pb_reader *r, uint32_t sample, uint32_t count, uint64_t byte)
{
	cpf_fail_at(r->e, CPF_E_FORMAT, byte,
		"malformed profile: mismatch: sample has %" PRIu32 " values vs. %" PRIu32 " types",
		count, r->ntypes);
	cpf_err_where(r->e, "Profile.sample[%" PRIu32 "].value", sample);
	return -1;
}

static int check_values(struct cpf_pb_reader *r)
{
	if (!r->p->samples.n)
		return 0;
	if (!r->ntypes)
		return cpf_fail_at(r->e, CPF_E_FORMAT, r->first_byte,
			"malformed profile: missing sample type information");
	if (r->first_count != r->ntypes)
		return mismatch(r, 0, r->first_count, r->first_byte);
	if (r->odd)
		return mismatch(r, r->odd_sample, r->odd_count, r->odd_byte);
	return 0;
}

/* Finds the first sample with the location numbered loc and its place there, for the message. */
static int nil_location(struct cpf_pb_reader *r, uint32_t loc)
{
	const struct cpf_pb_stacks *t = &r->stacks;
	const struct cpf_col *nodes = &r->p->samples.node;
	uint32_t i, node, at;

	cpf_fail_at(r->e, CPF_E_FORMAT, r->locations.byte[loc],
		"malformed profile: sample has nil location (no location has id %" PRIu64 ")",
		r->locations.wire[loc]);
	for (i = 0; i < nodes->n; i++)
		for (at = 0, node = cpf_col_id(nodes, i); node; node = t->parent[node], at++)
			if (t->loc[node] == loc) {
				cpf_err_where(r->e,
					"Profile.sample[%" PRIu32 "].location_id[%" PRIu32 "]", i,
					at);
				return -1;
			}
	return -1;
}

static int nil_function(struct cpf_pb_reader *r, uint32_t function)
{
	const struct cpf_locations *t = &r->p->locations;
	uint32_t loc = 0, i;

	for (i = 0; cpf_col_id(&t->line_fn, i) != function; i++)
		;
	while ((uint32_t)cpf_col_get(&t->first, (size_t)loc + 1) <= i)
		loc++;
	cpf_fail_at(r->e, CPF_E_FORMAT, r->functions.byte[function],
		"malformed profile: location id: %" PRIu64
		" has a line with nil function (no function has id %" PRIu64 ")",
		(uint64_t)cpf_col_get(&t->wire_id, loc), r->functions.wire[function]);
	cpf_err_where(r->e, "Profile.location[%" PRIu32 "].line[%" PRIu32 "].function_id", loc,
		i - (uint32_t)cpf_col_get(&t->first, loc));
	return -1;
}

static int check_ids(struct cpf_pb_reader *r)
{
	uint32_t i;

	for (i = 0; i < r->locations.n; i++)
		if (r->locations.row[i] == CPF_NONE)
			return nil_location(r, i);
	for (i = 0; i < CPF_LEN(r->late); i++)
		if (r->late[i].code) {
			if (r->e && r->e->code == CPF_OK)
				*r->e = r->late[i];
			return -1;
		}
	for (i = 0; i < r->functions.n; i++)
		if (r->functions.row[i] == CPF_NONE)
			return nil_function(r, i);
	return 0;
}

/* Fewer nodes are not worth a second thread. */
enum { WORTH_TWO = 100000 };

/* Turning numbers into rows. */

static void renumber(struct cpf_col *c, const struct cpf_pb_ids *ids)
{
	struct cpf_col out = {0};
	int64_t v[512];
	size_t at, n, i;

	for (i = 0; i < ids->n && ids->row[i] == i; i++)
		;
	if (i == ids->n)
		return;
	for (at = 0; at < c->n; at += n) {
		n = c->n - at < CPF_LEN(v) ? c->n - at : CPF_LEN(v);
		cpf_col_read(c, at, n, v);
		for (i = 0; i < n; i++)
			if (v[i] >= 0)
				v[i] = ids->row[v[i]] == CPF_NONE ? -1 : (int64_t)ids->row[v[i]];
		cpf_col_append(&out, v, n);
	}
	cpf_col_release(c);
	*c = out;
}

struct move {
	struct cpf_col *to;
	uint32_t *ids;      /* given away */
	const uint32_t *as; /* what each becomes, or NULL; CPF_NONE stays */
	uint32_t n, bound;
};

static void move_ids(void *arg)
{
	struct move *m = arg;
	uint32_t i;

	for (i = 0; m->as && i < m->n; i++)
		if (m->ids[i] != CPF_NONE)
			m->ids[i] = m->as[m->ids[i]];
	cpf_col_adopt(m->to, m->ids, m->n, m->bound);
}

static void move_nodes(struct cpf_pb_reader *r)
{
	struct cpf_pb_stacks *t = &r->stacks;
	struct cpf_nodes *nodes = &r->p->nodes;
	struct move parents = {&nodes->parent, t->parent, NULL, t->n, t->n - 1};
	struct move locs = {
		&nodes->location, t->loc, r->locations.row, t->n, r->p->locations.n};

	cpf_rowset_release(&t->nodes);
	if (t->n < WORTH_TWO) {
		move_ids(&parents);
		move_ids(&locs);
	} else {
		cpf_run_both(move_ids, &parents, &locs);
	}
	t->parent = t->loc = NULL;
	nodes->n = t->n;
}

/* Columns this format does not have. */
static void fill_locations(struct cpf_locations *t)
{
	cpf_col_fill(&t->category, -1, t->n);
	cpf_col_fill(&t->subcategory, -1, t->n);
	cpf_col_fill(&t->symbol, -1, t->n);
}

/*
 * Keeps one value column if the caller wants no more. A name that is not there keeps all, and the
 * caller finds out by looking it up.
 */
static void choose_values(struct cpf_profile *p, const struct cpf_load_opts *o)
{
	struct cpf_samples *s = &p->samples;
	struct cpf_col keep;
	uint32_t i, want = p->default_type;

	if (o->want & CPF_WANT_ALL_VALUES || p->ntypes < 2)
		return;
	if (o->sample_type) {
		int at = cpf_type_index(p, o->sample_type);

		if (at < 0)
			return;
		want = (uint32_t)at;
	}
	keep = s->raw[want];
	for (i = 0; i < s->nraw; i++)
		if (i != want)
			cpf_col_release(&s->raw[i]);
	s->raw[0] = keep;
	s->nraw = 1;
	p->types[0] = p->types[want];
	p->types[0].raw = 0;
	p->ntypes = 1;
	p->default_type = 0;
}

static void note_oddities(struct cpf_pb_reader *r, struct cpf_diag *d)
{
	const struct cpf_label *l = r->p->label_sets.labels;
	int64_t zeros = 0, dangling = 0;
	uint32_t i;

	for (i = 0; i < r->p->label_sets.nlabels; i++, l++)
		zeros += !l->str && !l->num && !l->unit;
	if (zeros)
		cpf_note(d, CPF_INFO, "label-zero", zeros,
			"%s: labels with number 0 and no unit, which go tool pprof drops",
			cpf_input_name(r->in));
	for (i = 0; i < r->mappings.n; i++)
		dangling += r->mappings.row[i] == CPF_NONE;
	if (dangling)
		cpf_note(d, CPF_WARN, "dangling-mapping", dangling,
			"%s: mapping ids used by locations but not defined; taken as no mapping",
			cpf_input_name(r->in));
}

int cpf_pb_link(struct cpf_pb_reader *r, const struct cpf_load_opts *o, struct cpf_diag *d)
{
	struct cpf_profile *p = r->p;

	/* The indices know rows by raw numbers, which are about to change. */
	cpf_profile_seal(p);
	if (!r->nstrings)
		return cpf_fail(r->e, CPF_E_FORMAT, "malformed profile format: no string_table");
	if (link_header(r) || link_types(r) || link_mappings(r) || link_functions(r) ||
		link_labels(r) || check_values(r) || check_ids(r))
		return -1;
	move_nodes(r);
	renumber(&p->locations.mapping, &r->mappings);
	renumber(&p->locations.line_fn, &r->functions);
	fill_locations(&p->locations);
	if (o->want & CPF_WANT_TIMES)
		cpf_pb_times(p);
	else
		cpf_col_fill(&p->samples.time, 0, p->samples.n);
	choose_values(p, o);
	cpf_pb_threads(p, o->thread_label);
	note_oddities(r, d);
	return 0;
}
