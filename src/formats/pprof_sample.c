/*
 * Samples are decoded by hand: there are millions of them, and their stacks go straight into the
 * node tree without a list of ids in between.
 */
#include "base/base.h"

#include "base/mem.h"
#include "formats/pprof_read.h"

/* Wire ids. */

static void cover(struct cpf_pb_ids *t, size_t ndirect)
{
	size_t old = t->ndirect;
	uint32_t i;

	t->direct = cpf_realloc_array(t->direct, ndirect, sizeof(*t->direct));
	memset(t->direct + old, 0, (ndirect - old) * sizeof(*t->direct));
	t->ndirect = ndirect;
	if (old)
		for (i = 0; i < t->n; i++)
			if (t->wire[i] >= old && t->wire[i] < ndirect)
				t->direct[t->wire[i]] = i + 1;
}

uint32_t cpf_pb_ids_add(struct cpf_pb_ids *t, uint64_t wire, uint64_t byte)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), wire);
	struct cpf_rowset_it it;
	uint32_t i;

	/* The array stays in proportion to the ids seen, so that one huge id costs nothing. */
	if (wire >= t->ndirect && wire < 1024 + 4 * (uint64_t)t->n) {
		size_t want = t->ndirect * 2 > 1024 ? t->ndirect * 2 : 1024;

		cover(t, want > wire ? want : (size_t)wire + 1);
		if (t->direct[wire])
			return t->direct[wire] - 1;
	}
	if (wire >= t->ndirect)
		for (i = cpf_rowset_first(&t->rest, h, &it); i != CPF_ROWSET_END;
			i = cpf_rowset_next(&t->rest, &it))
			if (t->wire[i] == wire)
				return i;
	i = t->n;
	CPF_GROW(t->wire, t->wire_cap, (size_t)i + 1);
	CPF_GROW(t->byte, t->byte_cap, (size_t)i + 1);
	CPF_GROW(t->row, t->row_cap, (size_t)i + 1);
	t->wire[i] = wire;
	t->byte[i] = byte;
	t->row[i] = CPF_NONE;
	t->n++;
	if (wire < t->ndirect)
		t->direct[wire] = i + 1;
	else
		cpf_rowset_add(&t->rest, h, i);
	return i;
}

void cpf_pb_ids_release(struct cpf_pb_ids *t)
{
	cpf_free(t->direct);
	cpf_rowset_release(&t->rest);
	cpf_free(t->wire);
	cpf_free(t->byte);
	cpf_free(t->row);
	memset(t, 0, sizeof(*t));
}

/* Stacks. */

void cpf_pb_stacks_init(struct cpf_pb_stacks *t)
{
	CPF_GROW(t->parent, t->parent_cap, 1);
	CPF_GROW(t->loc, t->loc_cap, 1);
	t->parent[0] = 0;
	t->loc[0] = CPF_NONE;
	t->n = 1;
}

void cpf_pb_stacks_release(struct cpf_pb_stacks *t)
{
	cpf_free(t->parent);
	cpf_free(t->loc);
	cpf_rowset_release(&t->nodes);
	cpf_free(t->cur);
	cpf_free(t->last);
	cpf_free(t->last_node);
	cpf_free(t->text);
	memset(t, 0, sizeof(*t));
}

static uint64_t node_hash(uint32_t parent, uint32_t loc)
{
	return cpf_hash_mix(cpf_hash_seed(), (uint64_t)parent << 32 | loc);
}

/*
 * Most nodes continue the stack that was just being added, so their id is that of their parent plus
 * one. These are found by looking there; only the other children of a node are in the index.
 */
static uint32_t find_child(const struct cpf_pb_stacks *t, uint32_t parent, uint32_t loc)
{
	struct cpf_rowset_it it;
	uint32_t id = parent + 1;

	if (id < t->n && t->loc[id] == loc && t->parent[id] == parent)
		return id;
	for (id = cpf_rowset_first(&t->nodes, node_hash(parent, loc), &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&t->nodes, &it))
		if (t->parent[id] == parent && t->loc[id] == loc)
			return id;
	return CPF_NONE;
}

static uint32_t add_child(struct cpf_pb_stacks *t, uint32_t parent, uint32_t loc)
{
	uint32_t id = t->n;

	CPF_GROW(t->parent, t->parent_cap, (size_t)id + 1);
	CPF_GROW(t->loc, t->loc_cap, (size_t)id + 1);
	t->parent[id] = parent;
	t->loc[id] = loc;
	if (id != parent + 1)
		cpf_rowset_add(&t->nodes, node_hash(parent, loc), id);
	t->n++;
	return id;
}

/* The node of the stack of n entries in cur, leaf first, on top of those shared. */
static uint32_t stack_node(struct cpf_pb_stacks *t, size_t n)
{
	size_t i = t->shared, most, all = n + i;
	const uint32_t *cur = t->cur;
	uint32_t node, child, loc;

	if (!all)
		return 0;
	CPF_GROW(t->last, t->last_cap, all);
	CPF_GROW(t->last_node, t->last_node_cap, all);
	most = all < t->depth ? all : t->depth;
	while (i < most && cur[all - 1 - i] == t->last[i])
		i++;
	t->depth = all;
	node = i ? t->last_node[i - 1] : 0;
	for (; i < all; i++) {
		loc = cur[all - 1 - i];
		child = find_child(t, node, loc);
		if (child == CPF_NONE)
			break;
		t->last[i] = loc;
		t->last_node[i] = node = child;
	}
	for (; i < all; i++) {
		t->last[i] = cur[all - 1 - i];
		t->last_node[i] = node = add_child(t, node, t->last[i]);
	}
	return node;
}

/* How many bytes at the end of both are the same. */
static size_t same_tail(const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	size_t most = na < nb ? na : nb, n = 0;
	uint64_t x, y;

	for (; n + 8 <= most; n += 8) {
		memcpy(&x, a + na - n - 8, 8);
		memcpy(&y, b + nb - n - 8, 8);
		if (x != y)
			break;
	}
	while (n < most && a[na - 1 - n] == b[nb - 1 - n])
		n++;
	return n;
}

/* How many varints end in the n bytes at s, behind which eight more can be read. */
static size_t count_ends(const uint8_t *s, size_t n)
{
	size_t ends = 0, i;
	uint64_t w;

	if (!n)
		return 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	/* One bit a byte, added up by the multiplication in the highest byte. */
	for (i = 0;; i += 8) {
		memcpy(&w, s + i, 8);
		w = ~w >> 7 & 0x0101010101010101u;
		if (n - i <= 8)
			break;
		ends += w * 0x0101010101010101u >> 56;
	}
	w <<= 64 - 8 * (n - i);
	return ends + (size_t)(w * 0x0101010101010101u >> 56);
#else
	(void)w;
	for (i = 0; i < n; i++)
		ends += !(s[i] & 0x80);
	return ends;
#endif
}

/*
 * Ids stand leaf first, so what two stacks share is the end of their wire forms. Returns how many
 * bytes of s are not shared with the sample before, and sets the number of ids that are.
 */
static size_t cut_shared(struct cpf_pb_stacks *t, const uint8_t *s, size_t n)
{
	size_t tail;

	if (!t->text_len)
		return n;
	tail = same_tail(s, n, t->text, t->text_len);
	/* Back to where an id begins in both; the bytes before are of other ids. */
	while (tail && ((tail < n && s[n - tail - 1] & 0x80) ||
			       (tail < t->text_len && t->text[t->text_len - tail - 1] & 0x80)))
		tail--;
	t->shared = t->depth - count_ends(t->text, t->text_len - tail);
	return n - tail;
}

/* Another list of ids follows: those shared belong between. */
static void expand_shared(struct cpf_pb_stacks *t, size_t *n)
{
	size_t i;

	CPF_GROW(t->cur, t->cur_cap, *n + t->shared);
	for (i = t->shared; i-- > 0;)
		t->cur[(*n)++] = t->last[i];
	t->shared = 0;
}

static void remember_stack(struct cpf_pb_stacks *t, const uint8_t *s, size_t n)
{
	CPF_GROW(t->text, t->text_cap, n + 8); /* for count_ends */
	if (n)
		memcpy(t->text, s, n);
	t->text_len = n;
}

/* Messages. */

static int nil_location(struct cpf_pb_reader *r, size_t at)
{
	cpf_fail_at(
		r->e, CPF_E_FORMAT, r->byte, "malformed profile: sample has nil location (id 0)");
	cpf_err_where(r->e, "Profile.sample[%" PRIu32 "].location_id[%zu]", r->p->samples.n, at);
	return -1;
}

static int packed_locations(struct cpf_pb_reader *r, const uint8_t *msg, const uint8_t *s,
	const uint8_t *end, size_t *n)
{
	struct cpf_pb_stacks *t = &r->stacks;
	uint32_t *out;
	uint64_t v;

	if (s == end)
		return 0;
	CPF_GROW(t->cur, t->cur_cap, *n + (size_t)(end - s));
	out = t->cur + *n;
	while (s < end) {
		if (CPF_LIKELY(*s < 0x80)) {
			v = *s++;
		} else if (CPF_LIKELY(s + 1 < end && s[1] < 0x80)) {
			v = (s[0] & 0x7fu) | (uint64_t)s[1] << 7;
			s += 2;
		} else {
			const uint8_t *at = s;

			s = cpf_pb_varint(s, end, &v);
			if (!s)
				return cpf_pb_broken(r, msg, at, "bad varint");
		}
		if (CPF_UNLIKELY(!v))
			return nil_location(r, (size_t)(out - t->cur));
		*out++ = cpf_pb_ids_get(&r->locations, v, r->byte);
	}
	*n = (size_t)(out - t->cur);
	return 0;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* A varint of at most eight bytes of the eight at s; returns its length, 0 if it is longer. */
static inline unsigned short_varint(const uint8_t *s, uint64_t *out)
{
	uint64_t w, ends;
	unsigned bits;

	memcpy(&w, s, 8);
	ends = ~w & 0x8080808080808080u;
	if (CPF_UNLIKELY(!ends))
		return 0;
	bits = (unsigned)__builtin_ctzll(ends) + 1;
	w = w << (64 - bits) >> (64 - bits) & 0x7f7f7f7f7f7f7f7fu;
	/* Sevens to fourteens, to twenty-eights, to one number. */
	w = (w & 0x7f007f007f007f00u) >> 1 | (w & 0x007f007f007f007fu);
	w = (w & 0x3fff00003fff0000u) >> 2 | (w & 0x00003fff00003fffu);
	*out = (w >> 32 << 28) | (w & 0x0fffffff);
	return bits / 8;
}
#else
static inline unsigned short_varint(const uint8_t *s, uint64_t *out)
{
	(void)s;
	(void)out;
	return 0;
}
#endif

/* Up to limit, bytes can be read. */
static int packed_values(struct cpf_pb_reader *r, const uint8_t *msg, const uint8_t *s,
	const uint8_t *end, const uint8_t *limit)
{
	const uint8_t *at;
	unsigned n;
	uint64_t v;

	CPF_GROW(r->values, r->values_cap, r->nvalues + (size_t)(end - s));
	while (s < end) {
		n = limit - s >= 8 ? short_varint(s, &v) : 0;
		if (CPF_LIKELY(n && n <= (size_t)(end - s))) {
			s += n;
		} else {
			at = s;
			s = cpf_pb_varint(s, end, &v);
			if (!s)
				return cpf_pb_broken(r, msg, at, "bad varint");
		}
		r->values[r->nvalues++] = (int64_t)v;
	}
	return 0;
}

static int label(struct cpf_pb_reader *r, const uint8_t *msg, const uint8_t *s, const uint8_t *end)
{
	struct cpf_label l = {0};
	struct cpf_pb_field f;
	const char *why;
	int bad = 0;

	while (s < end) {
		const uint8_t *at = s;

		s = cpf_pb_next(s, end, &f, &why);
		if (!s)
			return cpf_pb_broken(r, msg, at, why);
		if (f.number < PB_LABEL_KEY || f.number > PB_LABEL_NUM_UNIT) {
			r->unknown++;
			continue;
		}
		if (f.wire != PB_VARINT)
			return cpf_pb_mistyped(r, msg, at, &f);
		switch (f.number) {
		case PB_LABEL_KEY:
			bad = cpf_pb_index(r, f.v, &l.key, "sample.label.key");
			break;
		case PB_LABEL_STR:
			bad = cpf_pb_index(r, f.v, &l.str, "sample.label.str");
			break;
		case PB_LABEL_NUM:
			l.num = (int64_t)f.v;
			break;
		default:
			bad = cpf_pb_index(r, f.v, &l.unit, "sample.label.num_unit");
		}
		if (bad)
			return -1;
	}
	CPF_GROW(r->labels, r->labels_cap, (size_t)r->nlabels + 1);
	r->labels[r->nlabels++] = l;
	return 0;
}

static int other_field(struct cpf_pb_reader *r, const uint8_t *msg, const uint8_t **s,
	const uint8_t *end, size_t *nloc)
{
	struct cpf_pb_field f;
	const uint8_t *at = *s;
	const char *why;

	*s = cpf_pb_next(at, end, &f, &why);
	if (!*s)
		return cpf_pb_broken(r, msg, at, why);
	if (f.number < PB_SAMPLE_LOCATION_ID || f.number > PB_SAMPLE_LABEL) {
		r->unknown++;
		return 0;
	}
	if (f.number == PB_SAMPLE_LOCATION_ID) {
		expand_shared(&r->stacks, nloc);
		r->stacks.one_list = 0;
	}
	if (f.number == PB_SAMPLE_LABEL) {
		if (f.wire != PB_BYTES)
			return cpf_pb_mistyped(r, msg, at, &f);
		return label(r, msg, f.s, f.s + f.n);
	}
	if (f.wire == PB_BYTES)
		return f.number == PB_SAMPLE_LOCATION_ID
			       ? packed_locations(r, msg, f.s, f.s + f.n, nloc)
			       : packed_values(r, msg, f.s, f.s + f.n, end);
	if (f.wire != PB_VARINT)
		return cpf_pb_mistyped(r, msg, at, &f);
	if (f.number == PB_SAMPLE_VALUE) {
		CPF_GROW(r->values, r->values_cap, r->nvalues + 1);
		r->values[r->nvalues++] = (int64_t)f.v;
		return 0;
	}
	if (!f.v)
		return nil_location(r, *nloc);
	CPF_GROW(r->stacks.cur, r->stacks.cur_cap, *nloc + 1);
	r->stacks.cur[(*nloc)++] = cpf_pb_ids_get(&r->locations, f.v, r->byte);
	return 0;
}

static void push_values(struct cpf_pb_reader *r)
{
	struct cpf_samples *t = &r->p->samples;
	uint32_t i, n = (uint32_t)r->nvalues;

	if (!t->n) {
		r->first_count = n;
		r->first_byte = r->byte;
		for (i = 0; i < n; i++)
			cpf_add_raw(r->p);
	} else if (n != r->first_count && !r->odd) {
		/* One of the two is wrong; which is known when all sample types have been read. */
		r->odd = 1;
		r->odd_sample = t->n;
		r->odd_count = n;
		r->odd_byte = r->byte;
	}
	for (i = 0; i < t->nraw; i++)
		cpf_col_push(&t->raw[i], i < n ? r->values[i] : 0);
}

/*
 * Samples beside each other mostly have the same labels: if all that follows is as in the sample
 * before, so is the set.
 */
static int same_labels(const struct cpf_pb_reader *r, const uint8_t *s, const uint8_t *end)
{
	return r->label_len && r->label_len == (size_t)(end - s) &&
	       !memcmp(r->label_text, s, r->label_len);
}

static void remember_labels(struct cpf_pb_reader *r, const uint8_t *s, size_t n)
{
	CPF_GROW(r->label_text, r->label_text_cap, n);
	memcpy(r->label_text, s, n);
	r->label_len = n;
}

/* A field of a sample in the form it mostly has: one byte of tag, one of length. 0 if it is not. */
static size_t short_field(const uint8_t *s, const uint8_t *end, unsigned number)
{
	if (end - s < 2 || s[0] != (number << 3 | PB_BYTES) || s[1] >= 0x80 || s[1] > end - s - 2)
		return 0;
	return s[1];
}

/* The usual beginning: all locations, then all values. Returns the byte behind it, or NULL. */
static const uint8_t *usual_fields(struct cpf_pb_reader *r, const uint8_t *msg, const uint8_t *end,
	const uint8_t **stack, size_t *stack_len, size_t *nloc)
{
	const uint8_t *s = msg;
	size_t n = short_field(s, end, PB_SAMPLE_LOCATION_ID);

	if (n) {
		r->stacks.one_list = 1;
		*stack = s + 2;
		*stack_len = n;
		if (packed_locations(
			    r, msg, s + 2, s + 2 + cut_shared(&r->stacks, s + 2, n), nloc))
			return NULL;
		s += 2 + n;
	}
	n = short_field(s, end, PB_SAMPLE_VALUE);
	if (n && packed_values(r, msg, s + 2, s + 2 + n, end))
		return NULL;
	return n ? s + 2 + n : s;
}

int cpf_pb_sample(struct cpf_pb_reader *r, const uint8_t *msg, size_t len)
{
	const uint8_t *s, *end = msg + len, *first_label = NULL, *stack = NULL;
	struct cpf_samples *t = &r->p->samples;
	size_t nloc = 0, stack_len = 0;
	int only_labels = 1;

	r->nvalues = 0;
	r->nlabels = 0;
	r->stacks.shared = 0;
	r->stacks.one_list = 0;
	s = usual_fields(r, msg, end, &stack, &stack_len, &nloc);
	if (!s)
		return -1;
	while (s < end) {
		if (*s == (PB_SAMPLE_LABEL << 3 | PB_BYTES)) {
			if (!first_label) {
				if (same_labels(r, s, end))
					goto labelled;
				first_label = s;
			}
		} else if (first_label) {
			only_labels = 0;
		}
		if (other_field(r, msg, &s, end, &nloc))
			return -1;
	}
	r->label_set = cpf_find_labels(r->p, r->labels, r->nlabels);
	r->label_len = 0;
	if (first_label && only_labels)
		remember_labels(r, first_label, (size_t)(end - first_label));
labelled:
	if (t->n == UINT32_MAX - 1 ||
		nloc + r->stacks.shared >= (size_t)UINT32_MAX - r->stacks.n)
		return cpf_fail_at(r->e, CPF_E_LIMIT, r->byte, "more than 2^32 samples or stacks");
	push_values(r);
	cpf_col_push_id(&t->node, stack_node(&r->stacks, nloc));
	if (nloc + r->stacks.shared)
		remember_stack(&r->stacks, stack, r->stacks.one_list ? stack_len : 0);
	cpf_col_push_id(&t->labels, r->label_set);
	t->n++;
	return 0;
}
