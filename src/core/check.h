/*
 * check.h - every invariant of <cpuprof/profile.h>: ids in range, parents before children, columns
 * of equal length, label sets and value types that make sense.
 *
 * A reader that returns success must leave a profile without faults; tests call this after each
 * reader, writer input and edit. Safe on any profile whose pointers are valid, however wrong.
 */
#ifndef CPF_CHECK_H
#define CPF_CHECK_H

#include <cpuprof/profile.h>

/* Zeroed is valid and empty. */
struct cpf_faults {
	char **texts;    /* owned; "nodes[17]: parent 20 does not come before it"; at most 100 are kept */
	size_t n, cap;
	uint64_t total;  /* faults found, kept or not */
};

/* Adds the faults of p to f; returns how many there were. */
uint64_t cpf_check(const struct cpf_profile *p, struct cpf_faults *f);
void cpf_faults_release(struct cpf_faults *f);
/* The same for callers that want one error: 0, or -1 and the first fault as CPF_E_FORMAT. */
int cpf_check_ok(const struct cpf_profile *p, struct cpf_err *e) CPF_MUST_CHECK;

#endif
