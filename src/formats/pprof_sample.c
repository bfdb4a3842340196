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

/* How many varints end in the n bytes at s, behind which CPF_PB_SLACK more can be read. */
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
static size_t cut_shared(struct cpf_pb_reader *r, const uint8_t *s, size_t n)
{
	const uint8_t *text = r->text;
	size_t tail, len = r->text_len;

	if (!len)
		return n;
	tail = same_tail(s, n, text, len);
	/* Back to where an id begins in both; the bytes before are of other ids. */
	while (tail && ((tail < n && s[n - tail - 1] & 0x80) ||
			       (tail < len && text[len - tail - 1] & 0x80)))
		tail--;
	r->shared = r->depth - (uint32_t)count_ends(text, len - tail);
	return n - tail;
}

/* The window is about to move: what is remembered of it is copied. */
static void keep(const uint8_t **s, size_t n, uint8_t **kept, size_t *cap)
{
	if (!n || *s == *kept)
		return;
	CPF_GROW(*kept, *cap, n + CPF_PB_SLACK);
	memcpy(*kept, *s, n);
	*s = *kept;
}

void cpf_pb_keep_last(struct cpf_pb_reader *r)
{
	keep(&r->text, r->text_len, &r->text_kept, &r->text_cap);
	keep(&r->label_text, r->label_len, &r->label_kept, &r->label_cap);
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
	uint32_t *ids, *out;
	uint64_t v;

	if (s == end)
		return 0;
	ids = cpf_pb_stacks_room(&r->stacks, *n + (size_t)(end - s));
	out = ids + *n;
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
			return nil_location(r, (size_t)(out - ids));
		*out++ = cpf_pb_ids_get(&r->locations, v, r->byte);
	}
	*n = (size_t)(out - ids);
	return 0;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* A varint of at most eight bytes of the eight at s (CPF_PB_SLACK); returns its length, 0 if it is longer. */
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

static int packed_values(struct cpf_pb_reader *r, const uint8_t *msg, const uint8_t *s,
	const uint8_t *end)
{
	const uint8_t *at;
	unsigned n;
	uint64_t v;

	CPF_GROW(r->values, r->values_cap, r->nvalues + (size_t)(end - s));
	while (s < end) {
		n = short_varint(s, &v);
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
	if (f.number == PB_SAMPLE_LOCATION_ID)
		r->one_list = 0;
	if (f.number == PB_SAMPLE_LABEL) {
		if (f.wire != PB_BYTES)
			return cpf_pb_mistyped(r, msg, at, &f);
		return label(r, msg, f.s, f.s + f.n);
	}
	if (f.wire == PB_BYTES)
		return f.number == PB_SAMPLE_LOCATION_ID
			       ? packed_locations(r, msg, f.s, f.s + f.n, nloc)
			       : packed_values(r, msg, f.s, f.s + f.n);
	if (f.wire != PB_VARINT)
		return cpf_pb_mistyped(r, msg, at, &f);
	if (f.number == PB_SAMPLE_VALUE) {
		CPF_GROW(r->values, r->values_cap, r->nvalues + 1);
		r->values[r->nvalues++] = (int64_t)f.v;
		return 0;
	}
	if (!f.v)
		return nil_location(r, *nloc);
	cpf_pb_stacks_room(&r->stacks, *nloc + 1)[*nloc] =
		cpf_pb_ids_get(&r->locations, f.v, r->byte);
	++*nloc;
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

/* A field of a sample in the form it mostly has: one byte of tag, one of length. 0 if it is not. */
static size_t short_field(const uint8_t *s, const uint8_t *end, unsigned number)
{
	if (end - s < 2 || s[0] != (number << 3 | PB_BYTES) || s[1] >= 0x80 || s[1] > end - s - 2)
		return 0;
	return s[1];
}

/*
 * The usual beginning: all locations, then all values. Returns the byte behind it, or NULL. whole: no
 * ids are left to the sample before.
 */
static const uint8_t *usual_fields(struct cpf_pb_reader *r, const uint8_t *msg, const uint8_t *end,
	int whole, const uint8_t **stack, size_t *stack_len, size_t *nloc)
{
	const uint8_t *s = msg;
	size_t n = short_field(s, end, PB_SAMPLE_LOCATION_ID), own;

	r->shared = 0;
	r->one_list = 0;
	if (n) {
		r->one_list = 1;
		*stack = s + 2;
		*stack_len = n;
		own = whole ? n : cut_shared(r, s + 2, n);
		if (packed_locations(r, msg, s + 2, s + 2 + own, nloc))
			return NULL;
		s += 2 + n;
	}
	n = short_field(s, end, PB_SAMPLE_VALUE);
	if (n && packed_values(r, msg, s + 2, s + 2 + n))
		return NULL;
	return n ? s + 2 + n : s;
}

static int decode(struct cpf_pb_reader *r, const uint8_t *msg, size_t len, int whole)
{
	const uint8_t *s, *end = msg + len, *first_label = NULL, *stack = NULL;
	size_t nloc = 0, stack_len = 0;
	uint64_t unknown = r->unknown;
	int only_labels = 1;

	r->nvalues = 0;
	r->nlabels = 0;
	s = usual_fields(r, msg, end, whole, &stack, &stack_len, &nloc);
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
		/* More ids follow those that were left out. */
		if (r->shared && !r->one_list) {
			r->unknown = unknown;
			return decode(r, msg, len, 1);
		}
	}
	r->label_set = cpf_find_labels(r->p, r->labels, r->nlabels);
	r->label_text = first_label;
	r->label_len = first_label && only_labels ? (size_t)(end - first_label) : 0;
labelled:
	if (cpf_pb_stacks_add(&r->stacks, r->shared, nloc))
		return cpf_fail_at(r->e, CPF_E_LIMIT, r->byte, "more than 2^32 stacks");
	if (nloc + r->shared) {
		r->depth = (uint32_t)nloc + r->shared;
		r->text = stack;
		r->text_len = r->one_list ? stack_len : 0;
	}
	return 0;
}

int cpf_pb_sample(struct cpf_pb_reader *r, const uint8_t *msg, size_t len)
{
	struct cpf_samples *t = &r->p->samples;

	if (t->n == UINT32_MAX - 1)
		return cpf_fail_at(r->e, CPF_E_LIMIT, r->byte, "more than 2^32 samples");
	if (decode(r, msg, len, 0))
		return -1;
	push_values(r);
	cpf_col_push_id(&t->labels, r->label_set);
	t->n++;
	return 0;
}
