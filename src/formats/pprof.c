#include "formats/pprof.h"

#include "formats/formats.h"

const uint8_t *cpf_pb_next(
	const uint8_t *s, const uint8_t *end, struct cpf_pb_field *f, const char **why)
{
	uint64_t v;
	unsigned size;

	s = cpf_pb_varint(s, end, &v);
	if (!s) {
		*why = "bad varint";
		return NULL;
	}
	f->number = v >> 3;
	f->wire = (unsigned)(v & 7);
	f->s = NULL;
	f->n = 0;
	switch (f->wire) {
	case PB_VARINT:
		s = cpf_pb_varint(s, end, &f->v);
		if (!s)
			*why = "bad varint";
		return s;
	case PB_BYTES:
		s = cpf_pb_varint(s, end, &f->v);
		if (!s) {
			*why = "bad varint";
			return NULL;
		}
		if (f->v > (size_t)(end - s)) {
			*why = "too much data: a length runs past the end of the message";
			return NULL;
		}
		f->s = s;
		f->n = (size_t)f->v;
		return s + f->n;
	case PB_FIXED64:
	case PB_FIXED32:
		size = f->wire == PB_FIXED64 ? 8 : 4;
		if ((size_t)(end - s) < size) {
			*why = "not enough data for a fixed field";
			return NULL;
		}
		for (f->v = 0; size--;)
			f->v = f->v << 8 | s[size];
		return s + (f->wire == PB_FIXED64 ? 8 : 4);
	default:
		*why = "unknown wire type";
		return NULL;
	}
}

/* Whether a field of the top level may have this wire type; comments may be packed or not. */
static int fits(uint64_t number, unsigned wire)
{
	if (number == 0 || number > PB_DOC_URL)
		return wire == PB_VARINT || wire == PB_BYTES || wire == PB_FIXED64 ||
		       wire == PB_FIXED32;
	if (number == PB_COMMENT)
		return wire == PB_VARINT || wire == PB_BYTES;
	if (number <= PB_STRING_TABLE || number == PB_PERIOD_TYPE)
		return wire == PB_BYTES;
	return wire == PB_VARINT;
}

static int all_text(const uint8_t *s, size_t n)
{
	for (; n; n--, s++)
		if ((*s < 0x20 && *s != '\n' && *s != '\r' && *s != '\t') || *s == 0x7f)
			return 0;
	return 1;
}

/* Whether the fields of a message inside have wire types they may have. */
static int plausible(uint64_t number, const uint8_t *s, size_t n)
{
	/* By message: the fields that are messages, or lists that may be packed, as bits. */
	static const uint16_t bytes[] = {
		[PB_SAMPLE] =
			1 << PB_SAMPLE_LOCATION_ID | 1 << PB_SAMPLE_VALUE | 1 << PB_SAMPLE_LABEL,
		[PB_LOCATION] = 1 << PB_LOCATION_LINE,
		[PB_PERIOD_TYPE] = 0,
	};
	const uint8_t *end = s + n;
	struct cpf_pb_field f;
	const char *why;

	if (!number || number == PB_STRING_TABLE || number >= CPF_LEN(bytes))
		return 1;
	while (s < end) {
		s = cpf_pb_next(s, end, &f, &why);
		if (!s)
			return 0;
		if (f.number && f.number <= PB_LOCATION_IS_FOLDED && f.wire != PB_VARINT &&
			!(f.wire == PB_BYTES && bytes[number] >> f.number & 1))
			return 0;
	}
	return 1;
}

/* The byte behind the field at s; NULL if the head ends before; *bad if it is none of a Profile. */
static const uint8_t *skip_field(const uint8_t *s, const uint8_t *end, int *known, int *bad)
{
	uint64_t tag, v, number;

	*known = *bad = 0;
	s = cpf_pb_varint(s, end, &tag);
	if (!s)
		return NULL;
	number = tag >> 3;
	*bad = !fits(number, (unsigned)(tag & 7));
	*known = !*bad && number && number <= PB_DOC_URL;
	if (*bad)
		return NULL;
	if ((tag & 7) == PB_FIXED64 || (tag & 7) == PB_FIXED32) {
		v = (tag & 7) == PB_FIXED64 ? 8 : 4;
	} else {
		s = cpf_pb_varint(s, end, &v);
		if (!s || (tag & 7) == PB_VARINT)
			return s;
	}
	if (v > (size_t)(end - s))
		return NULL;
	*bad = (tag & 7) == PB_BYTES && !plausible(number, s, (size_t)v);
	return s + v;
}

/*
 * Protocol buffers have no magic number. Sure if the head is nothing but fields of a Profile;
 * perhaps if it starts with some and then breaks, so that the reader can say where.
 */
int cpf_pprof_probe(const uint8_t *head, size_t n)
{
	const uint8_t *s = head, *end = head + n;
	int good = 0, known, bad;

	if (all_text(head, n))
		return 0;
	while (s && s < end) {
		s = skip_field(s, end, &known, &bad);
		good |= known;
		if (bad)
			return good;
	}
	return good ? 2 : 0;
}

const struct cpf_format cpf_format_pprof = {
	.name = "pprof",
	.summary = "profile.proto, as go tool pprof and many profilers write it",
	.suffixes = ".pb.gz .pprof .pb",
	.keeps = CPF_KEEPS_ADDRESSES | CPF_KEEPS_MAPPINGS | CPF_KEEPS_INLINES | CPF_KEEPS_LINES |
		 CPF_KEEPS_FILES | CPF_KEEPS_THREADS | CPF_KEEPS_LABELS | CPF_KEEPS_TYPES |
		 CPF_KEEPS_HEADER | CPF_KEEPS_EMPTY,
	.binary = 1,
	.probe = cpf_pprof_probe,
	.read = cpf_pprof_read,
	.write = cpf_pprof_write,
};
