/*
 * folded.h - private to folded*.c: the text rules both directions share. docs/formats.md tells them
 * to users.
 *
 * A line is "frame;frame;frame COUNT", root first. Frames are written so that other tools show them
 * readably and this reader gets the same name back: bytes that would break a line, and what would be
 * read as something else, become \xHH (two lower-case hex digits). The reader takes \xHH back only in
 * a frame that the writer would have written just so; other backslashes, as in Windows paths, stay.
 */
#ifndef CPF_FOLDED_H
#define CPF_FOLDED_H

#include "base/buf.h"

#include <cpuprof/format.h>

/* Stands for the leaf of a sample without stack. */
#define CPF_FOLDED_EMPTY "(no stack)"

/* Marks behind a name, as the stackcollapse scripts of FlameGraph write them. */
enum cpf_folded_mark {
	CPF_FOLDED_PLAIN,
	CPF_FOLDED_KERNEL, /* _[k] */
	CPF_FOLDED_INLINE, /* _[i] */
	CPF_FOLDED_JIT     /* _[j] */
};
/* Libraries that frames with a mark belong to. */
#define CPF_FOLDED_KERNEL_LIB "[kernel]"
#define CPF_FOLDED_JIT_LIB    "[jit]"

/* guard: a number behind the last blank is kept from being read as a count. */
void cpf_folded_escape(struct cpf_buf *out, const char *s, size_t n, int guard);
/* Replaces *s, *n by the unescaped text (in scratch) if it was written by cpf_folded_escape. */
void cpf_folded_unescape(struct cpf_buf *scratch, const char **s, size_t *n);
/* The mark at the end of a frame, which is cut off. */
enum cpf_folded_mark cpf_folded_cut_mark(const char *s, size_t *n);
/*
 * If s ends in blanks and a number: 1, with *rest the length before the blanks and the number; -1 if
 * it does not fit 64 bits; else 0. Blanks at the very end are not looked at.
 */
int cpf_folded_count(const char *s, size_t n, size_t *rest, int64_t *mantissa, int *decimals);

int cpf_folded_read(struct cpf_input *in, struct cpf_profile *p, const struct cpf_load_opts *o,
	struct cpf_diag *d, struct cpf_err *e);
int cpf_folded_write(const struct cpf_profile *p, struct cpf_output *out,
	const struct cpf_save_opts *o, struct cpf_diag *d, struct cpf_err *e);

#endif
