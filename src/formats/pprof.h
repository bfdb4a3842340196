/*
 * pprof.h - field numbers of profile.proto and its wire level, shared by reader, writer and probe.
 */
#ifndef CPF_PPROF_H
#define CPF_PPROF_H

#include "base/base.h"

#include <cpuprof/format.h>

enum {
	PB_SAMPLE_TYPE = 1,
	PB_SAMPLE = 2,
	PB_MAPPING = 3,
	PB_LOCATION = 4,
	PB_FUNCTION = 5,
	PB_STRING_TABLE = 6,
	PB_DROP_FRAMES = 7,
	PB_KEEP_FRAMES = 8,
	PB_TIME_NANOS = 9,
	PB_DURATION_NANOS = 10,
	PB_PERIOD_TYPE = 11,
	PB_PERIOD = 12,
	PB_COMMENT = 13,
	PB_DEFAULT_SAMPLE_TYPE = 14,
	PB_DOC_URL = 15,

	PB_SAMPLE_LOCATION_ID = 1,
	PB_SAMPLE_VALUE = 2,
	PB_SAMPLE_LABEL = 3,

	PB_LABEL_KEY = 1,
	PB_LABEL_STR = 2,
	PB_LABEL_NUM = 3,
	PB_LABEL_NUM_UNIT = 4,

	PB_LOCATION_ID = 1,
	PB_LOCATION_MAPPING_ID = 2,
	PB_LOCATION_ADDRESS = 3,
	PB_LOCATION_LINE = 4,
	PB_LOCATION_IS_FOLDED = 5,

	PB_LINE_FUNCTION_ID = 1,
	PB_LINE_LINE = 2,
	PB_LINE_COLUMN = 3
};

/* Wire types of protocol buffers. 3 and 4 (groups), 6 and 7 are refused, as pprof does. */
enum { PB_VARINT = 0, PB_FIXED64 = 1, PB_BYTES = 2, PB_FIXED32 = 5 };

/*
 * Reads a varint of at most ten bytes from [s, end); bits beyond 64 are dropped, as pprof does.
 * Returns the byte behind it, or NULL if it is too long or the end comes first.
 */
static inline const uint8_t *cpf_pb_varint(const uint8_t *s, const uint8_t *end, uint64_t *out)
{
	uint64_t v = 0;
	unsigned shift;

	for (shift = 0; s < end && shift < 70; shift += 7) {
		v |= (uint64_t)(*s & 0x7f) << shift;
		if (!(*s++ & 0x80)) {
			*out = v;
			return s;
		}
	}
	return NULL;
}

/* One field of a message: a number, or the bytes [s, s + n). */
struct cpf_pb_field {
	uint64_t number; /* of the field */
	unsigned wire;
	uint64_t v; /* varint and fixed */
	const uint8_t *s;
	size_t n; /* PB_BYTES */
};

/*
 * Reads the next field of the message at [s, end), s < end. Returns the byte behind it, or NULL and
 * a reason in *why.
 */
const uint8_t *cpf_pb_next(
	const uint8_t *s, const uint8_t *end, struct cpf_pb_field *f, const char **why);

/*
 * Makes p what reading the pprof file gives that is written of it; one that was read from pprof or
 * gperftools stays. name: of its file, for messages. On failure p may be empty; release it.
 */
int cpf_pprof_model(struct cpf_profile *p, const char *name, struct cpf_err *e) CPF_MUST_CHECK;

int cpf_pprof_probe(const uint8_t *head, size_t n);
int cpf_pprof_read(struct cpf_input *in, struct cpf_profile *p, const struct cpf_load_opts *o,
	struct cpf_diag *d, struct cpf_err *e);
int cpf_pprof_write(const struct cpf_profile *p, struct cpf_output *out,
	const struct cpf_save_opts *o, struct cpf_diag *d, struct cpf_err *e);

#endif
