/*
 * input.h - a stream of unpacked bytes from a file, stdin or memory.
 *
 * Packing is recognised by content (1f 8b, RFC 1952), never by name: gzip with any number of
 * members, zeros after the last one, and other bytes after it (a warning). One layer only.
 * Unpacking runs in a thread of its own, a few blocks ahead of the reader, so that it overlaps
 * parsing. The unpacked size is limited (struct cpf_limits); a bomb stops there with a message.
 *
 * Ownership: the caller owns the input and closes it. Errors carry the source name.
 */
#ifndef CPF_INPUT_H
#define CPF_INPUT_H

#include "base/base.h"

struct cpf_input;

/* path "-" is stdin ("<stdin>" in messages). d may be NULL: default limits, notes are lost. */
int cpf_input_open(struct cpf_input **in, const char *path, struct cpf_diag *d,
	struct cpf_err *e) CPF_MUST_CHECK;
/* Reads from memory, which must stay valid; unpacks like a file. For tests and fuzzing. */
int cpf_input_memory(struct cpf_input **in, const char *name, const void *data, size_t n,
	struct cpf_diag *d, struct cpf_err *e) CPF_MUST_CHECK;
void cpf_input_close(struct cpf_input *in);

/* Up to 4096 of the first unpacked bytes, without consuming them; valid until the first read. */
int cpf_input_head(
	struct cpf_input *in, const uint8_t **head, size_t *n, struct cpf_err *e) CPF_MUST_CHECK;
/* Reads up to cap bytes; *got = 0 only at the end. Errors of unpacking appear here. */
int cpf_input_read(
	struct cpf_input *in, void *buf, size_t cap, size_t *got, struct cpf_err *e) CPF_MUST_CHECK;
/* Puts all that is left into *data (owned by the caller, cpf_free), NUL-terminated. */
int cpf_input_all(struct cpf_input *in, char **data, size_t *n, struct cpf_err *e) CPF_MUST_CHECK;

const char *cpf_input_name(const struct cpf_input *in);
int cpf_input_packed(const struct cpf_input *in); /* 1 if positions count unpacked bytes */
struct cpf_diag *cpf_input_diag(struct cpf_input *in);
const struct cpf_limits *cpf_input_limits(const struct cpf_input *in); /* with defaults filled in */

#endif
