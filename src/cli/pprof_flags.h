/*
 * pprof_flags.h - the command line of `go tool pprof`, by the rules of Go's flag package: -x and --x
 * are the same, values follow as -x=v or -x v, switches are -x or -x=false, the first argument that
 * is no flag ends the flags, the last value wins.
 */
#ifndef CPF_PPROF_FLAGS_H
#define CPF_PPROF_FLAGS_H

#include "base/base.h"
#include "reports/pprof.h"

struct cpf_pprof_args {
	struct cpf_pprof_cfg cfg; /* command NULL: none was asked for */
	char *const *sources;     /* borrowed from argv */
	int nsources;
	struct cpf_limits limits; /* our own flags -max-size, -max-string, -max-depth */
	int help;                 /* -h or -help was met; nothing else counts */
	struct cpf_buf messages;  /* lines of warning; owned */
};

/* Errors are CPF_E_USAGE with pprof's own words. */
int cpf_pprof_parse(struct cpf_pprof_args *a, int argc, char *const *argv, struct cpf_err *e)
	CPF_MUST_CHECK;
void cpf_pprof_args_release(struct cpf_pprof_args *a);

#endif
