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

/*
 * Protocol buffers have no magic number. Sure if the head is nothing but fields of a Profile;
 * perhaps if it starts with some and then breaks, so that the reader can say where.
 */
int cpf_pprof_probe(const uint8_t *head, size_t n)
{
	const uint8_t *s = head, *end = head + n;
	unsigned good = 0;

	if (all_text(head, n))
		return 0;
	while (s < end) {
		uint64_t tag, len;
		const uint8_t *t = cpf_pb_varint(s, end, &tag);

		if (!t)
			break;
		if (!fits(tag >> 3, (unsigned)(tag & 7)))
			return good > 0;
		if (tag >> 3 && tag >> 3 <= PB_DOC_URL)
			good++;
		switch (tag & 7) {
		case PB_BYTES:
		case PB_VARINT:
			t = cpf_pb_varint(t, end, &len);
			if (!t || (tag & 7) == PB_VARINT)
				break;
			t = len < (size_t)(end - t) ? t + len : NULL;
			break;
		default:
			len = (tag & 7) == PB_FIXED64 ? 8 : 4;
			t = len < (size_t)(end - t) ? t + len : NULL;
		}
		if (!t)
			break;
		s = t;
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
