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
#include "base/lane.h"
#include "base/mem.h"
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

/* Stacks on their way from the decoder to the tree: ids leaf first, on top of `shared` others. */
struct cpf_pb_stack {
	uint32_t shared, n;
};

struct cpf_pb_piece {
	uint32_t *ids;
	size_t nids, ids_cap;
	struct cpf_pb_stack *stacks;
	size_t n, cap;
};

/*
 * Stacks become nodes in a thread beside the one that decodes them. Until cpf_pb_stacks_finish the
 * tree and the column of nodes belong to it.
 */
struct cpf_pb_stacks {
	uint32_t *parent, *loc; /* by node; loc: number of a location id */
	uint32_t n;
	size_t parent_cap, loc_cap;
	struct cpf_rowset nodes; /* by (parent, loc), of those that do not follow their parent */
	uint32_t *last, *last_node; /* the stack of the sample before, root first, and its nodes */
	size_t last_cap, last_node_cap, depth;
	struct cpf_col *out;        /* node of each sample */

	struct cpf_lane lane;
	struct cpf_pb_piece piece[CPF_LANE_SLOTS], *now; /* now: is being filled */
	uint64_t most;              /* there are not more nodes than this */
};

/* So many bytes behind the data may be read: numbers are taken eight bytes at a time. */
#define CPF_PB_SLACK 8

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
	uint8_t *buf; /* cap bytes and CPF_PB_SLACK more, which may be read */
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
	/* Of the sample before, to see what this one shares with it: wire forms, in the window or kept;
	 * length 0: in another form. */
	const uint8_t *text, *label_text; /* ids of its stack; labels */
	size_t text_len, label_len;
	uint8_t *text_kept, *label_kept;
	size_t text_cap, label_cap;
	uint32_t depth;   /* of the stack that text is of */
	cpf_id label_set; /* that label_text is of */
	uint32_t shared;  /* entries this sample has in common with it, root side */
	int one_list;     /* the ids of this sample came as one packed list, the first field */
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
/* To be called before the window moves. */
void cpf_pb_keep_last(struct cpf_pb_reader *r);

/* out: column that gets the node of each stack. */
void cpf_pb_stacks_init(struct cpf_pb_stacks *t, struct cpf_col *out);
void cpf_pb_stacks_release(struct cpf_pb_stacks *t);
/* Where the ids of the next stack go; room for n of them. The first ones keep their values. */
static inline uint32_t *cpf_pb_stacks_room(struct cpf_pb_stacks *t, size_t n)
{
	CPF_GROW(t->now->ids, t->now->ids_cap, t->now->nids + n);
	return t->now->ids + t->now->nids;
}
/*
 * The n ids there are a stack, leaf first, with `shared` more below that it has in common with the
 * one before. Both 0: no stack. Nonzero: there could be more than 2^32 nodes.
 */
int cpf_pb_stacks_add(struct cpf_pb_stacks *t, uint32_t shared, size_t n);
/* All nodes are there when this returns. */
void cpf_pb_stacks_finish(struct cpf_pb_stacks *t);
/* Turns raw numbers into ids, checks what pprof checks, makes threads out of labels. */
int cpf_pb_link(struct cpf_pb_reader *r, const struct cpf_load_opts *o, struct cpf_diag *d);
/* Times of samples from labels, where all samples have one; else zeros. */
void cpf_pb_times(struct cpf_profile *p);
/* Threads and processes from labels; label strings must be ids already. */
void cpf_pb_threads(struct cpf_profile *p, const char *thread_label);

#endif
