/*
 * output.h - where results go: stdout, or a file that appears whole or not at all.
 *
 * A file is written beside its target (same folder, mode as the umask says) and renamed by
 * cpf_output_commit; anything else that happens leaves the target as it was. Special files
 * (/dev/null, FIFOs) are written directly. gzip output is one member, level 6, no time, no name.
 * Errors (short write, full disk) are sticky and come out at commit.
 */
#ifndef CPF_OUTPUT_H
#define CPF_OUTPUT_H

#include "base/base.h"

struct cpf_output;

/* path NULL or "-": stdout. gzip: 1 to pack. */
int cpf_output_open(struct cpf_output **out, const char *path, int gzip, struct cpf_err *e)
	CPF_MUST_CHECK;
/* Collects in memory (tests, fuzzing). */
int cpf_output_memory(struct cpf_output **out, int gzip, struct cpf_err *e) CPF_MUST_CHECK;
void cpf_output_write(struct cpf_output *out, const void *s, size_t n);
/* Finishes, flushes, checks, puts in place. The output is freed in either case. */
int cpf_output_commit(struct cpf_output *out, struct cpf_err *e) CPF_MUST_CHECK;
/* For cpf_output_memory: as commit, and hands over the bytes (cpf_free). */
int cpf_output_take(struct cpf_output *out, char **data, size_t *n, struct cpf_err *e)
	CPF_MUST_CHECK;
/* Gives up: nothing is left behind. NULL is fine. */
void cpf_output_discard(struct cpf_output *out);

#endif
