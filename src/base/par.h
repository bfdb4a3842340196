/*
 * par.h - two pieces of work at the same time.
 */
#ifndef CPF_PAR_H
#define CPF_PAR_H

#include "base/base.h"

/*
 * Calls run(a) and run(b), b in a thread of its own if one is to be had, and returns when both are
 * done. They must not touch the same things. Signals stay with the caller's thread.
 */
void cpf_run_both(void (*run)(void *), void *a, void *b);

#endif
