#include "base/base.h"

#include "base/arena.h"
#include "base/input.h"
#include "base/mem.h"
#include "formats/pprof_read.h"

#include "profile.pb-c.h"

#define WINDOW ((size_t)256 << 10)

/* Errors. */

static uint64_t offset_of(const struct cpf_pb_reader *r, const uint8_t *s)
{
	return r->base + (uint64_t)(s - r->buf);
}

static const char *const field_name[] = {"", "sample_type", "sample", "mapping", "location",
	"function", "string_table", "drop_frames", "keep_frames", "time_nanos", "duration_nanos",
	"period_type", "period", "comment", "default_sample_type", "doc_url"};

/* Which of its kind the message in work is. */
static void name_message(struct cpf_pb_reader *r, const uint8_t *msg)
{
	uint32_t at[] = {0, r->ntypes, r->p->samples.n, r->p->nmappings, r->p->locations.n,
		r->p->nfunctions, r->nstrings};
	uint64_t tag = 0;

	/* The tag stands in front of the message: r->byte is its offset. */
	if (r->byte < r->base || !cpf_pb_varint(r->buf + (r->byte - r->base), msg, &tag))
		return;
	tag >>= 3;
	if (tag && tag < CPF_LEN(at))
		cpf_err_where(r->e, "Profile.%s[%" PRIu32 "]", field_name[tag], at[tag]);
	else if (tag && tag < CPF_LEN(field_name))
		cpf_err_where(r->e, "Profile.%s", field_name[tag]);
}

int cpf_pb_broken(struct cpf_pb_reader *r, const uint8_t *msg, const uint8_t *s, const char *why)
{
	cpf_fail_at(r->e, CPF_E_FORMAT, offset_of(r, s), "%s", why);
	name_message(r, msg);
	return -1;
}

int cpf_pb_mistyped(
	struct cpf_pb_reader *r, const uint8_t *msg, const uint8_t *s, const struct cpf_pb_field *f)
{
	cpf_fail_at(r->e, CPF_E_FORMAT, offset_of(r, s),
		"type mismatch: field %" PRIu64 " has wire type %u", f->number, f->wire);
	name_message(r, msg);
	return -1;
}

int cpf_pb_index(struct cpf_pb_reader *r, uint64_t v, cpf_str *out, const char *field)
{
	if (v < CPF_NONE) {
		*out = (cpf_str)v;
		return 0;
	}
	cpf_fail_at(r->e, CPF_E_FORMAT, r->byte,
		"malformed profile format: string index %" PRId64 " is past any string_table",
		(int64_t)v);
	cpf_err_where(r->e, "Profile.%s", field);
	return -1;
}

/*
 * One message at a time is decoded by protobuf-c into an arena. Its own lists cost up to twenty
 * times the wire form, so what a message may take is limited.
 */
struct scratch {
	struct cpf_arena arena;
	size_t left;
};

static void *scratch_alloc(void *data, size_t n)
{
	struct scratch *s = data;

	if (n > s->left)
		return NULL;
	s->left -= n;
	return cpf_arena_alloc(&s->arena, n);
}

static void scratch_free(void *data, void *p)
{
	(void)data;
	(void)p;
}

/*
 * Checks a message of numbers only: fields 1 to nfields are varints, others are skipped. What
 * passes here, protobuf-c decodes; it gives no reason for what it refuses.
 */
static int check_numbers(struct cpf_pb_reader *r, const uint8_t *msg, size_t n, unsigned nfields)
{
	const uint8_t *s = msg, *end = msg + n, *at;
	struct cpf_pb_field f;
	const char *why;

	while (s < end) {
		at = s;
		s = cpf_pb_next(s, end, &f, &why);
		if (!s)
			return cpf_pb_broken(r, msg, at, why);
		if (!f.number || f.number > nfields)
			r->unknown++;
		else if (f.wire != PB_VARINT)
			return cpf_pb_mistyped(r, msg, at, &f);
	}
	return 0;
}

static int undecodable(struct cpf_pb_reader *r, const uint8_t *msg)
{
	cpf_fail_at(
		r->e, CPF_E_LIMIT, r->byte, "message cannot be decoded: too many or odd fields");
	name_message(r, msg);
	return -1;
}

static int read_type(struct cpf_pb_reader *r, ProtobufCAllocator *a, const uint8_t *s, size_t n,
	struct cpf_pb_type *out)
{
	Perftools__Profiles__ValueType *m;

	if (check_numbers(r, s, n, 2))
		return -1;
	m = perftools__profiles__value_type__unpack(a, n, s);
	if (!m)
		return undecodable(r, s);
	out->type = m->type;
	out->unit = m->unit;
	out->byte = r->byte;
	return 0;
}

/*
 * Takes note of a reserved or double id; the first of its kind is reported when the rest of the
 * file turns out to be right. Returns 1 if the row must not be added.
 */
static int bad_id(struct cpf_pb_reader *r, struct cpf_pb_ids *ids, uint64_t wire, int kind,
	const uint8_t *msg, uint32_t *id)
{
	static const char *const what[] = {"mapping", "function", "location"};
	struct cpf_err *e = r->e;

	if (!wire) {
		cpf_fail_at(&r->late[kind], CPF_E_FORMAT, r->byte,
			"malformed profile: found %s with reserved %s=0", what[kind],
			kind == CPF_PB_LATE_LOCATION ? "id" : "ID");
	} else {
		*id = cpf_pb_ids_get(ids, wire, r->byte);
		if (ids->row[*id] == CPF_NONE)
			return 0;
		cpf_fail_at(&r->late[kind], CPF_E_FORMAT, r->byte,
			"malformed profile: multiple %ss with same id: %" PRIu64, what[kind], wire);
	}
	r->e = &r->late[kind];
	name_message(r, msg);
	r->e = e;
	return 1;
}

static int read_mapping(struct cpf_pb_reader *r, ProtobufCAllocator *a, const uint8_t *s, size_t n)
{
	Perftools__Profiles__Mapping *m;
	struct cpf_mapping row = {0};
	uint32_t id;

	if (check_numbers(r, s, n, 10))
		return -1;
	m = perftools__profiles__mapping__unpack(a, n, s);
	if (!m)
		return undecodable(r, s);
	if (bad_id(r, &r->mappings, m->id, CPF_PB_LATE_MAPPING, s, &id))
		return 0;
	if (cpf_pb_index(r, (uint64_t)m->filename, &row.file, "mapping.filename") ||
		cpf_pb_index(r, (uint64_t)m->build_id, &row.build_id, "mapping.build_id"))
		return -1;
	row.wire_id = m->id;
	row.start = m->memory_start;
	row.limit = m->memory_limit;
	row.offset = m->file_offset;
	row.flags = (m->has_functions ? CPF_MAP_HAS_FUNCTIONS : 0u) |
		    (m->has_filenames ? CPF_MAP_HAS_FILENAMES : 0u) |
		    (m->has_line_numbers ? CPF_MAP_HAS_LINES : 0u) |
		    (m->has_inline_frames ? CPF_MAP_HAS_INLINES : 0u);
	cpf_col_push(&r->mapping_byte, (int64_t)r->byte);
	r->mappings.row[id] = cpf_add_mapping(r->p, &row);
	return 0;
}

static int read_function(struct cpf_pb_reader *r, ProtobufCAllocator *a, const uint8_t *s, size_t n)
{
	Perftools__Profiles__Function *m;
	struct cpf_function row = {0};
	uint32_t id;

	if (check_numbers(r, s, n, 5))
		return -1;
	m = perftools__profiles__function__unpack(a, n, s);
	if (!m)
		return undecodable(r, s);
	if (bad_id(r, &r->functions, m->id, CPF_PB_LATE_FUNCTION, s, &id))
		return 0;
	if (cpf_pb_index(r, (uint64_t)m->name, &row.name, "function.name") ||
		cpf_pb_index(
			r, (uint64_t)m->system_name, &row.system_name, "function.system_name") ||
		cpf_pb_index(r, (uint64_t)m->filename, &row.file, "function.filename"))
		return -1;
	row.wire_id = m->id;
	row.start_line = m->start_line;
	row.resource_lib = CPF_NONE;
	cpf_col_push(&r->function_byte, (int64_t)r->byte);
	r->functions.row[id] = cpf_add_function(r->p, &row);
	return 0;
}

/* Locations and lines by hand as well: a program may have millions. */
static int read_line(struct cpf_pb_reader *r, const uint8_t *msg, const uint8_t *s, size_t n)
{
	struct cpf_locations *t = &r->p->locations;
	const uint8_t *end = s + n, *at;
	uint64_t function = 0;
	int64_t line = 0, column = 0;
	struct cpf_pb_field f;
	const char *why;

	while (s < end) {
		at = s;
		s = cpf_pb_next(s, end, &f, &why);
		if (!s)
			return cpf_pb_broken(r, msg, at, why);
		if (f.number < PB_LINE_FUNCTION_ID || f.number > PB_LINE_COLUMN) {
			r->unknown++;
			continue;
		}
		if (f.wire != PB_VARINT)
			return cpf_pb_mistyped(r, msg, at, &f);
		if (f.number == PB_LINE_FUNCTION_ID)
			function = f.v;
		else if (f.number == PB_LINE_LINE)
			line = (int64_t)f.v;
		else
			column = (int64_t)f.v;
	}
	cpf_col_push_id(&t->line_fn, cpf_pb_ids_get(&r->functions, function, r->byte));
	cpf_col_push(&t->line_no, line);
	cpf_col_push(&t->line_col, column);
	return 0;
}

static int add_location(struct cpf_pb_reader *r, const uint8_t *msg, uint64_t wire,
	uint64_t mapping, uint64_t address, int folded)
{
	struct cpf_locations *t = &r->p->locations;
	uint32_t id;

	if (bad_id(r, &r->locations, wire, CPF_PB_LATE_LOCATION, msg, &id)) {
		/* Its lines must not fall to the next one. */
		cpf_col_truncate(&t->line_fn, (size_t)cpf_col_get(&t->first, t->n));
		cpf_col_truncate(&t->line_no, t->line_fn.n);
		cpf_col_truncate(&t->line_col, t->line_fn.n);
		return 0;
	}
	r->locations.row[id] = t->n++;
	cpf_col_push_id(
		&t->mapping, mapping ? cpf_pb_ids_get(&r->mappings, mapping, r->byte) : CPF_NONE);
	cpf_col_push(&t->address, (int64_t)address);
	cpf_col_push(&t->flags, (folded ? CPF_LOC_FOLDED : 0) | (address ? CPF_LOC_ADDRESS : 0));
	cpf_col_push(&t->wire_id, (int64_t)wire);
	cpf_col_push(&t->first, (int64_t)t->line_fn.n);
	return 0;
}

static int read_location(struct cpf_pb_reader *r, const uint8_t *msg, size_t n)
{
	const uint8_t *s = msg, *end = msg + n, *at;
	uint64_t id = 0, mapping = 0, address = 0;
	struct cpf_pb_field f;
	const char *why;
	int folded = 0;

	while (s < end) {
		at = s;
		s = cpf_pb_next(s, end, &f, &why);
		if (!s)
			return cpf_pb_broken(r, msg, at, why);
		if (f.number < PB_LOCATION_ID || f.number > PB_LOCATION_IS_FOLDED) {
			r->unknown++;
			continue;
		}
		if (f.wire != (f.number == PB_LOCATION_LINE ? PB_BYTES : PB_VARINT))
			return cpf_pb_mistyped(r, msg, at, &f);
		switch (f.number) {
		case PB_LOCATION_ID:
			id = f.v;
			break;
		case PB_LOCATION_MAPPING_ID:
			mapping = f.v;
			break;
		case PB_LOCATION_ADDRESS:
			address = f.v;
			break;
		case PB_LOCATION_LINE:
			if (read_line(r, msg, f.s, f.n))
				return -1;
			break;
		default:
			folded = f.v != 0;
		}
	}
	return add_location(r, msg, id, mapping, address, folded);
}

static int read_string(struct cpf_pb_reader *r, const uint8_t *s, size_t n)
{
	uint64_t limit = cpf_input_limits(r->in)->string;

	if (n > limit) {
		cpf_fail_at(r->e, CPF_E_LIMIT, r->byte,
			"string of %zu bytes is longer than the limit of %" PRIu64, n, limit);
		cpf_err_limit(r->e, CPF_LIMIT_STRING);
		name_message(r, s);
		return -1;
	}
	if (!r->nstrings && n) {
		cpf_fail_at(r->e, CPF_E_FORMAT, r->byte, "string_table[0] must be ''");
		name_message(r, s);
		return -1;
	}
	if (r->nstrings == CPF_NONE - 1)
		return cpf_fail_at(r->e, CPF_E_LIMIT, r->byte, "more than 2^32 strings");
	CPF_GROW(r->strings, r->strings_cap, (size_t)r->nstrings + 1);
	r->strings[r->nstrings++] = cpf_intern(r->p, (const char *)s, n);
	return 0;
}

static int add_comment(struct cpf_pb_reader *r, uint64_t v)
{
	if (r->ncomments == UINT32_MAX)
		return cpf_fail_at(r->e, CPF_E_LIMIT, r->byte, "more than 2^32 comments");
	CPF_GROW(r->comments, r->comments_cap, (size_t)r->ncomments + 1);
	r->comments[r->ncomments++] = (int64_t)v;
	return 0;
}

static int read_comments(struct cpf_pb_reader *r, const uint8_t *msg, size_t n)
{
	const uint8_t *s = msg, *end = msg + n, *at;
	uint64_t v;

	while (s < end) {
		at = s;
		s = cpf_pb_varint(s, end, &v);
		if (!s)
			return cpf_pb_broken(r, msg, at, "bad varint");
		if (add_comment(r, v))
			return -1;
	}
	return 0;
}

static int read_bytes(struct cpf_pb_reader *r, struct scratch *scratch, uint64_t number,
	const uint8_t *s, size_t n)
{
	ProtobufCAllocator a = {scratch_alloc, scratch_free, scratch};
	struct cpf_pb_field f = {number, PB_BYTES, 0, NULL, 0};
	int bad = 0;

	scratch->left = ((size_t)64 << 20) + 2 * n;
	switch (number) {
	case PB_SAMPLE:
		return cpf_pb_sample(r, s, n);
	case PB_LOCATION:
		return read_location(r, s, n);
	case PB_STRING_TABLE:
		return read_string(r, s, n);
	case PB_COMMENT:
		return read_comments(r, s, n);
	case PB_SAMPLE_TYPE:
		if (r->ntypes == CPF_PB_MOST_TYPES)
			return cpf_fail_at(r->e, CPF_E_LIMIT, r->byte, "more than %d sample types",
				CPF_PB_MOST_TYPES);
		CPF_GROW(r->types, r->types_cap, (size_t)r->ntypes + 1);
		bad = read_type(r, &a, s, n, &r->types[r->ntypes]);
		r->ntypes += !bad;
		break;
	case PB_PERIOD_TYPE:
		bad = read_type(r, &a, s, n, &r->period);
		r->p->head.has_period_type = 1;
		break;
	case PB_MAPPING:
		bad = read_mapping(r, &a, s, n);
		break;
	case PB_FUNCTION:
		bad = read_function(r, &a, s, n);
		break;
	default:
		if (number && number <= PB_DOC_URL)
			return cpf_pb_mistyped(r, s, r->buf + (r->byte - r->base), &f);
		r->unknown++;
	}
	cpf_arena_clear(&scratch->arena);
	return bad;
}

static int read_number(struct cpf_pb_reader *r, const struct cpf_pb_field *f)
{
	struct cpf_header *h = &r->p->head;
	const uint8_t *at = r->buf + (r->byte - r->base);

	if (f->number && f->number <= PB_DOC_URL &&
		(f->wire != PB_VARINT || f->number <= PB_STRING_TABLE ||
			f->number == PB_PERIOD_TYPE))
		return cpf_pb_mistyped(r, r->buf + r->have, at, f);
	switch (f->number) {
	case PB_DROP_FRAMES:
		r->drop = (int64_t)f->v;
		break;
	case PB_KEEP_FRAMES:
		r->keep = (int64_t)f->v;
		break;
	case PB_TIME_NANOS:
		if (h->time_nanos)
			return cpf_pb_broken(
				r, r->buf + r->have, at, "concatenated profiles detected");
		h->time_nanos = (int64_t)f->v;
		break;
	case PB_DURATION_NANOS:
		h->duration_nanos = (int64_t)f->v;
		break;
	case PB_PERIOD:
		h->period = (int64_t)f->v;
		break;
	case PB_COMMENT:
		return add_comment(r, f->v);
	case PB_DEFAULT_SAMPLE_TYPE:
		r->default_type = (int64_t)f->v;
		break;
	case PB_DOC_URL:
		r->doc = (int64_t)f->v;
		break;
	default:
		r->unknown++;
	}
	return 0;
}

/* Brings up to n unread bytes into the window; fewer only at the end of the input. */
static int fill(struct cpf_pb_reader *r, size_t n)
{
	size_t got;

	while (r->have - r->at < n && !r->eof) {
		cpf_pb_keep_last(r);
		if (r->at) {
			memmove(r->buf, r->buf + r->at, r->have - r->at);
			r->base += r->at;
			r->have -= r->at;
			r->at = 0;
		}
		/* A length is not believed: the window grows only as bytes really come. */
		if (r->have == r->cap) {
			r->cap *= 2;
			r->buf = cpf_realloc_array(r->buf, r->cap + CPF_PB_SLACK, 1);
		}
		if (cpf_input_read(r->in, r->buf + r->have, r->cap - r->have, &got, r->e))
			return -1;
		r->have += got;
		r->eof = !got;
	}
	return 0;
}

static int cut_short(struct cpf_pb_reader *r, const char *what)
{
	cpf_fail_at(r->e, CPF_E_FORMAT, r->byte,
		"too much data: the file ends inside %s (%zu bytes left)", what, r->have - r->at);
	name_message(r, r->buf + r->have);
	return -1;
}

/* One field of the top level; the window holds at least one byte. */
static int read_field(struct cpf_pb_reader *r, struct scratch *scratch)
{
	const uint8_t *start, *end, *s;
	struct cpf_pb_field f;
	const char *why;
	size_t at, lead;
	uint64_t tag, len;

	r->byte = r->base + r->at;
	if (r->have - r->at < 20 && fill(r, 20))
		return -1;
	start = r->buf + r->at;
	end = r->buf + r->have;
	s = cpf_pb_varint(start, end, &tag);
	if (!s || (tag & 7) != PB_BYTES) {
		s = cpf_pb_next(start, end, &f, &why);
		if (!s)
			return cpf_pb_broken(r, end, start, why);
		if (read_number(r, &f))
			return -1;
		r->at = (size_t)(s - r->buf);
		return 0;
	}
	s = cpf_pb_varint(s, end, &len);
	if (!s)
		return cpf_pb_broken(r, end, start, "bad varint");
	lead = (size_t)(s - start);
	if (len > SIZE_MAX / 2)
		return cut_short(r, "a field");
	if (len > r->have - r->at - lead) {
		if (fill(r, lead + (size_t)len))
			return -1;
		if (len > r->have - r->at - lead)
			return cut_short(r, "a field");
	}
	at = r->at + lead;
	if (read_bytes(r, scratch, tag >> 3, r->buf + at, (size_t)len))
		return -1;
	r->at = at + (size_t)len;
	return 0;
}

static int read_all(struct cpf_pb_reader *r)
{
	struct scratch scratch = {0};
	int bad;

	do {
		bad = r->at == r->have && fill(r, 1);
		if (!bad && r->at < r->have)
			bad = read_field(r, &scratch);
	} while (!bad && (r->at < r->have || !r->eof));
	cpf_arena_release(&scratch.arena);
	return bad ? -1 : 0;
}

static void release(struct cpf_pb_reader *r)
{
	cpf_free(r->buf);
	cpf_free(r->strings);
	cpf_free(r->types);
	cpf_free(r->comments);
	cpf_pb_ids_release(&r->mappings);
	cpf_pb_ids_release(&r->functions);
	cpf_pb_ids_release(&r->locations);
	cpf_col_release(&r->function_byte);
	cpf_col_release(&r->mapping_byte);
	cpf_pb_stacks_release(&r->stacks);
	cpf_free(r->values);
	cpf_free(r->labels);
	cpf_free(r->text_kept);
	cpf_free(r->label_kept);
}

int cpf_pprof_read(struct cpf_input *in, struct cpf_profile *p, const struct cpf_load_opts *o,
	struct cpf_diag *d, struct cpf_err *e)
{
	struct cpf_pb_reader r = {.p = p, .in = in, .e = e, .cap = WINDOW};
	int bad;

	r.buf = cpf_malloc(r.cap + CPF_PB_SLACK);
	cpf_pb_stacks_init(&r.stacks, &p->samples.node);
	bad = read_all(&r);
	cpf_pb_stacks_finish(&r.stacks);
	bad = bad || cpf_pb_link(&r, o, d);
	if (!bad) {
		cpf_add_source(p, cpf_input_name(in), "pprof", "", "");
		if (r.unknown)
			cpf_note(d, CPF_INFO, "unknown-field", (int64_t)r.unknown,
				"%s: fields profile.proto does not have were skipped",
				cpf_input_name(in));
	}
	release(&r);
	return bad ? -1 : 0;
}
