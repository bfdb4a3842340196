/*
 * progress.h - "reading FILE: 42%" on a terminal, after half a second, gone at the end.
 *
 * Nothing is shown if stderr is no terminal, if we run in the background, or if it was asked not to.
 */
#ifndef CPF_PROGRESS_H
#define CPF_PROGRESS_H

#include "base/base.h"

struct cpf_progress {
	int on;
	const char *what;   /* borrowed */
	int64_t start, last; /* ms, monotonic; last: 0 = nothing shown yet */
	int width;           /* columns of what is shown */
};

/* Starts a new line of progress. */
void cpf_progress_start(struct cpf_progress *p, int on, const char *what);
/* struct cpf_diag's callback; arg is the struct cpf_progress. */
void cpf_progress_update(void *arg, uint64_t done, uint64_t total);
/* Wipes what is shown; call before any message. */
void cpf_progress_clear(struct cpf_progress *p);

#endif
