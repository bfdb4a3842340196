/*
 * spans.h - markers as stretches of time: starts and ends paired, waits between runs on a CPU made
 * visible, I/O and blocking told apart.
 *
 * Of one thread and name, an end belongs to the last start without one. Network markers belong
 * together by their id. An end without start begins where the profile does (or at its end, if that
 * is earlier); a start without end lasts to the end of its thread. Times are ns of the profile.
 */
#ifndef CPF_SPANS_H
#define CPF_SPANS_H

#include "base/base.h"

#include <cpuprof/profile.h>

enum cpf_span_kind {
	CPF_SPAN_PLAIN,
	CPF_SPAN_IO,       /* files and network */
	CPF_SPAN_IO_COPY,  /* I/O of another thread, told here too: not to be added to the rest */
	CPF_SPAN_BLOCKING, /* the thread waits */
	CPF_SPAN_PAUSE,    /* a collector holds it up */
	CPF_SPAN_HANG,     /* it did not answer in time */
	CPF_SPAN_KINDS
};
/* "", "io", "io copy", "blocking", "pause", "hang" */
extern const char *const cpf_span_kinds[CPF_SPAN_KINDS];

enum cpf_span_flags {
	CPF_SPAN_INSTANT = 1,
	CPF_SPAN_NO_START = 2,
	CPF_SPAN_NO_END = 4,
	CPF_SPAN_MADE = 8  /* no marker of the file: time between two runs on a CPU */
};

struct cpf_span {
	int64_t start, end;
	cpf_id marker;     /* the one that starts it, or the only one */
	cpf_id end_marker; /* its partner, whose data counts first; or CPF_NONE */
	cpf_str name;
	cpf_id thread;
	uint8_t kind, flags;
};

struct cpf_spans {
	struct cpf_span *v; /* in the order of markers */
	size_t n, cap;
	int64_t zero;       /* first sample, else first marker: where times are counted from */
};

struct cpf_spans_opts {
	/* Expressions for names and types of markers that are I/O, or block; NULL = only what is known. */
	const char *io, *blocking;
};

/* Interns into p the names of what is made. */
int cpf_spans_build(struct cpf_spans *s, struct cpf_profile *p, const struct cpf_spans_opts *o,
	struct cpf_err *e) CPF_MUST_CHECK;
void cpf_spans_release(struct cpf_spans *s);

/* From the start of which times are counted. */
int64_t cpf_spans_zero(const struct cpf_profile *p);

#endif
