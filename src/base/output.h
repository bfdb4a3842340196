/*
 * output.h - where results go: stdout, or a file that appears whole or not at all.
 *
 * A file is written beside its target and renamed by cpf_output_commit; anything else that happens
 * leaves the target as it was. A new file has the mode the umask says, one that is replaced keeps
 * its permission bits, and a symbolic link stays one. Special files (/dev/null, FIFOs, /dev/stdout,
 * /dev/fd/N) are written directly.
 *
 * gzip output is one member, level 6, no time, no name, and the same bytes whatever the sizes of
 * the writes; it is packed in a thread of its own, a few blocks behind the writer.
 *
 * Errors (short write, full disk) are sticky and come out at commit, with errno in err.sys. Writing
 * to a closed pipe is EPIPE if the program ignores SIGPIPE.
 */
#ifndef CPF_OUTPUT_H
#define CPF_OUTPUT_H

#include "base/base.h"

struct cpf_output;

/* path NULL or "-": stdout. gzip: 1 to pack. */
int cpf_output_open(
	struct cpf_output **out, const char *path, int gzip, struct cpf_err *e) CPF_MUST_CHECK;
/* Collects in memory (tests, fuzzing). */
int cpf_output_memory(struct cpf_output **out, int gzip, struct cpf_err *e) CPF_MUST_CHECK;
void cpf_output_write(struct cpf_output *out, const void *s, size_t n);
/* Finishes, flushes, checks, puts in place. The output is freed in either case. */
int cpf_output_commit(struct cpf_output *out, struct cpf_err *e) CPF_MUST_CHECK;
/* For cpf_output_memory: as commit, and hands over the bytes (cpf_free). */
int cpf_output_take(
	struct cpf_output *out, char **data, size_t *n, struct cpf_err *e) CPF_MUST_CHECK;
/* Gives up: nothing is left behind. NULL is fine. */
void cpf_output_discard(struct cpf_output *out);
/*
 * A temporary file of the caller's: cpf_output_cleanup removes it too, until it is let go. name stays
 * valid till then. Returns what to let go of (-1 if the list is full: then it just is not known).
 */
int cpf_output_guard(char *name);
void cpf_output_let_go(int guard);
/* Removes files that are not committed yet. For signal handlers: async-signal-safe. */
void cpf_output_cleanup(void);

#endif
