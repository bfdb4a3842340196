/*
 * pprof_read.h - what the parts of the pprof reader share: the stage between wire and tables.
 *
 * Fields of a Profile come in any order; strings usually last. So rows are added as they arrive,
 * holding raw string indices and numbers that stand for wire ids, and cpf_pb_link turns those into
 * ids of tables when all has been read. Stacks become nodes at once.
 */
#ifndef CPF_PPROF_READ_H
#define CPF_PPROF_READ_H

#include "formats/pprof.h"

#include "base/arena.h"
#include "base/rowset.h"

/*
 * Wire ids of one table: any 64-bit numbers, mostly 1..n. Each is given a number in order of first
 * sight, be it a use or its definition.
 */
struct cpf_pb_ids {
	uint32_t *direct; /* by wire id below ndirect: its number + 1, 0 = not seen */
	size_t ndirect;
	struct cpf_rowset rest; /* of those at or above ndirect */
	uint64_t *wire;         /* by number */
	uint64_t *byte;         /* offset of the message that saw it first */
	uint32_t *row;          /* row in the table, or CPF_NONE while not defined */
	uint32_t n;
	size_t wire_cap, byte_cap, row_cap;
};

uint32_t cpf_pb_ids_add(struct cpf_pb_ids *t, uint64_t wire, uint64_t byte);
void cpf_pb_ids_release(struct cpf_pb_ids *t);

/* The number of a wire id seen in the message at byte. */
static inline uint32_t cpf_pb_ids_get(struct cpf_pb_ids *t, uint64_t wire, uint64_t byte)
{
	if (CPF_LIKELY(wire < t->ndirect && t->direct[wire]))
		return t->direct[wire] - 1;
	return cpf_pb_ids_add(t, wire, byte);
}

/* Stacks as they are built; moved into the profile by cpf_pb_link. */
struct cpf_pb_stacks {
	uint32_t *parent, *loc; /* by node; loc: number of a location id */
	uint32_t n;
	size_t parent_cap, loc_cap;
	struct cpf_rowset nodes; /* by (parent, loc), of those that do not follow their parent */
	uint32_t *cur;           /* the stack of this sample, leaf first */
	size_t cur_cap;
	uint32_t *last, *last_node; /* the stack of the sample before, root first, and its nodes */
	size_t last_cap, last_node_cap;
	size_t depth; /* of the sample before */
	uint8_t *text; /* its ids as they were on the wire, packed; text_len 0: in another form */
	size_t text_len, text_cap;
	size_t shared; /* entries that this sample has in common with it, root side; not in cur */
	int one_list;  /* the ids of this sample came as one packed list, the first field */
};

/* No profile has nearly as many sample types; each costs a column even if it is empty. */
#define CPF_PB_MOST_TYPES 65536

struct cpf_pb_type {
	int64_t type, unit;
	uint64_t byte;
};

struct cpf_pb_reader {
	struct cpf_profile *p;
	struct cpf_input *in;
	struct cpf_err *e;
	/* Window: bytes [at, have) of buf are not parsed yet; buf[0] is at offset base of the
	 * input. */
	uint8_t *buf;
	size_t cap, at, have;
	uint64_t base;
	int eof;

	uint64_t byte;    /* offset of the field of the top level in work */
	cpf_str *strings; /* string_table: id in the profile */
	uint32_t nstrings;
	size_t strings_cap;
	struct cpf_pb_type *types;
	uint32_t ntypes;
	size_t types_cap;
	int64_t *comments;
	uint32_t ncomments;
	size_t comments_cap;
	int64_t drop, keep, default_type, doc;
	struct cpf_pb_type period;

	struct cpf_pb_ids mappings, functions, locations;
	struct cpf_col function_byte, mapping_byte; /* offsets of the messages, for errors */
	struct cpf_pb_stacks stacks;

	int64_t *values; /* of the sample in work */
	size_t nvalues, values_cap;
	struct cpf_label *labels; /* same; strings are raw indices */
	uint32_t nlabels;
	size_t labels_cap;
	char *label_text; /* wire form of the labels of the sample before */
	size_t label_len, label_text_cap;
	cpf_id label_set;               /* and their set */
	uint32_t first_count;           /* values of sample 0 */
	uint32_t odd_sample, odd_count; /* first sample with another number of values */
	uint64_t first_byte, odd_byte;
	int odd;
	/* Faults of ids that pprof finds after those of samples: mappings, functions, locations. */
	struct cpf_err late[3];
	uint64_t unknown; /* fields skipped */
};

/* Fails unless the number can be an index of string_table; *out is the raw index. */
int cpf_pb_index(struct cpf_pb_reader *r, uint64_t v, cpf_str *out, const char *field);
/* A wire error at s inside the message that starts at msg. */
int cpf_pb_broken(struct cpf_pb_reader *r, const uint8_t *msg, const uint8_t *s, const char *why);
int cpf_pb_mistyped(struct cpf_pb_reader *r, const uint8_t *msg, const uint8_t *s,
	const struct cpf_pb_field *f);

enum { CPF_PB_LATE_MAPPING, CPF_PB_LATE_FUNCTION, CPF_PB_LATE_LOCATION };

int cpf_pb_sample(struct cpf_pb_reader *r, const uint8_t *s, size_t n);
void cpf_pb_stacks_init(struct cpf_pb_stacks *t);
void cpf_pb_stacks_release(struct cpf_pb_stacks *t);
/* Turns raw numbers into ids, checks what pprof checks, makes threads out of labels. */
int cpf_pb_link(struct cpf_pb_reader *r, const struct cpf_load_opts *o, struct cpf_diag *d);
/* Threads and processes from labels; label strings must be ids already. */
void cpf_pb_threads(struct cpf_profile *p, const char *thread_label);

#endif
