#include "formats/jslb.h"

#include "base/mem.h"

static const uint8_t magic[8] = {0xdc, 0xdf, 'J', 'S', 'L', 'B', 1, 0};
static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 1};

enum { HEADER = 20, ENTRY = 12 };

static uint32_t u32_at(const char *p)
{
	const uint8_t *b = (const uint8_t *)p;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

int cpf_jslb_probe(const uint8_t *head, size_t n)
{
	return n >= sizeof(magic) && !memcmp(head, magic, sizeof(magic)) ? 2 : 0;
}

static int open_slab(struct cpf_slab *s, uint32_t i, const char *data, size_t n, struct cpf_err *e)
{
	uint64_t at = HEADER + (uint64_t)i * ENTRY;
	uint32_t type = u32_at(data + at), offset = u32_at(data + at + 4);

	if (type >= CPF_LEN(sizes))
		return cpf_fail_at(e, CPF_E_FORMAT, at,
			"slab %" PRIu32 " has the unknown type %" PRIu32, i, type);
	s->type = (uint8_t)type;
	s->size = sizes[type];
	s->bytes = u32_at(data + at + 8);
	if (s->bytes % s->size)
		return cpf_fail_at(e, CPF_E_FORMAT, at + 8,
			"slab %" PRIu32 " of %" PRIu32
			" bytes is no multiple of its elements of %d bytes",
			i, s->bytes, s->size);
	if (offset > n || s->bytes > n - offset)
		return cpf_fail_at(e, CPF_E_FORMAT, at + 4,
			"slab %" PRIu32 " (offset %" PRIu32 ", %" PRIu32
			" bytes) reaches past the end of the file (%zu bytes)",
			i, offset, s->bytes, n);
	s->offset = offset;
	s->data = (const uint8_t *)data + offset;
	return 0;
}

int cpf_jslb_open(struct cpf_jslb *s, const char *data, size_t n, struct cpf_err *e)
{
	uint32_t i;

	memset(s, 0, sizeof(*s));
	if (n < HEADER || memcmp(data, magic, sizeof(magic)))
		return cpf_fail_at(e, CPF_E_FORMAT, n, "JSLB header is cut off");
	if (u32_at(data + 8) != 1)
		return cpf_fail_at(e, CPF_E_FORMAT, 8,
			"JSLB container version %" PRIu32 " is not known (only 1 is)",
			u32_at(data + 8));
	s->n = u32_at(data + 12);
	s->root = u32_at(data + 16);
	if (s->n < 1 || s->n > (n - HEADER) / ENTRY) {
		uint32_t count = s->n;

		s->n = 0;
		return cpf_fail_at(e, CPF_E_FORMAT, 12,
			"slab count %" PRIu32 " does not fit a file of %zu bytes", count, n);
	}
	s->slabs = cpf_calloc(s->n, sizeof(*s->slabs));
	for (i = 0; i < s->n; i++)
		if (open_slab(&s->slabs[i], i, data, n, e))
			return -1;
	if (s->root >= s->n || s->slabs[s->root].type != CPF_SLAB_JSON)
		return cpf_fail_at(e, CPF_E_FORMAT, 16,
			"root slab %" PRIu32 " is not a JSON slab (of %" PRIu32 " slabs)", s->root,
			s->n);
	return 0;
}

void cpf_jslb_release(struct cpf_jslb *s)
{
	cpf_free(s->slabs);
	memset(s, 0, sizeof(*s));
}

static struct cpf_slab_num from_double(double d)
{
	struct cpf_slab_num v = {0};

	v.d = d;
	/* 2^63 is exact as a double; NaN fails both comparisons. */
	if (d >= -9223372036854775808.0 && d < 9223372036854775808.0) {
		v.i = (int64_t)d;
		v.is_int = (double)v.i >= d && (double)v.i <= d;
	}
	return v;
}

struct cpf_slab_num cpf_slab_get(const struct cpf_slab *s, size_t i)
{
	const uint8_t *b = s->data + i * s->size;
	struct cpf_slab_num v = {.is_int = 1};
	uint64_t u = 0;
	float f;
	double d;
	int k;

	for (k = s->size; k-- > 0;)
		u = u << 8 | b[k];
	switch (s->type) {
	case 0:
		v.i = (int8_t)u;
		break;
	case 2:
		v.i = (int16_t)u;
		break;
	case 4:
		v.i = (int32_t)u;
		break;
	case 6: {
		uint32_t w = (uint32_t)u;

		memcpy(&f, &w, sizeof(f));
		return from_double((double)f);
	}
	case 7:
		memcpy(&d, &u, sizeof(d));
		return from_double(d);
	case 9:
		v.is_int = u <= INT64_MAX;
		v.i = (int64_t)u;
		v.d = (double)u;
		return v;
	default:
		v.i = (int64_t)u;
		break;
	}
	v.d = (double)v.i;
	return v;
}
