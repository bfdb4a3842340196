/*
 * driver.h - gives names to the places of a profile that have none.
 *
 * Asked for are the addresses of locations that occur in the stacks of the samples at hand and have
 * no proper name (core/frame.h: none of their lines has one). Select samples first: libraries that
 * do not occur are not looked for, and if everything has a name, nothing is opened. A location that
 * has a name keeps it, whatever a source of names says.
 *
 * Answers go into locations (lines with functions, native symbol) and mappings (CPF_MAP_HAS_...);
 * stacks and samples stay as they are. Names are shown as cpf_shown_name has them (core/demangle.h):
 * with parameters, joined to their function; system_name keeps the linkage name. With raw_names that
 * is the name.
 */
#ifndef CPF_DRIVER_H
#define CPF_DRIVER_H

#include "base/base.h"

#include <cpuprof/profile.h>

#include "symbolize/symbolizer.h"

struct cpf_symbolize_opts {
	struct cpf_sym_opts where;
	const char *const *path_maps; /* "FROM=TO": paths of libraries that begin so are looked for there */
	size_t npath_maps;
	const char *sources;          /* names of those to ask, commas between; NULL = all */
	int markers;                  /* stacks of markers, too */
	int off;                      /* look for nothing; the reasons say so */
};

/* What became of a library. Counts are of distinct addresses. */
struct cpf_sym_lib {
	uint64_t asked, named;
	const char *source;  /* backend that gave most of the names, NULL = none; static */
	enum cpf_why why;    /* of those without a name: the reason most of them have */
	char *text;          /* for people, the file looked for in it; owned; NULL = the word says it all */
};

struct cpf_sym_result {
	struct cpf_sym_lib *libs; /* every mapping in order, then places without library */
	uint32_t n;
};

/*
 * r is filled whatever happens. Fails only if a source that was asked for by name cannot be opened
 * at all; what is odd goes to d.
 */
int cpf_symbolize(struct cpf_sym_result *r, struct cpf_profile *p,
	const struct cpf_symbolize_opts *o, struct cpf_diag *d, struct cpf_err *e) CPF_MUST_CHECK;
void cpf_sym_result_release(struct cpf_sym_result *r);

/* "file not found", "build id differs" ...: the reason in a few words. */
const char *cpf_why_phrase(enum cpf_why why);

#endif
