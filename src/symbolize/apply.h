/*
 * apply.h - the driver's inside: one library's work, and putting its answers into the profile.
 */
#ifndef CPF_APPLY_H
#define CPF_APPLY_H

#include "base/base.h"

#include <cpuprof/profile.h>

#include "symbolize/symbolizer.h"

/* An address of a library, and where its answer is: in sinks[sink], answer at; CPF_NONE = none. */
struct cpf_sym_answer {
	uint32_t sink, at;
	uint32_t why;  /* enum cpf_why, of those without an answer, or with a made-up one */
	int partial;   /* named, and a later source may replace it */
	int made_up;   /* the answer is where the function starts ("fun_12ab"): worth showing, no name */
	cpf_str text;  /* in texts */
};

/* What is to do for one library. Owned by one thread at a time. */
struct cpf_sym_job {
	cpf_id mapping;
	uint64_t *addr;                 /* n of them, ascending and distinct */
	struct cpf_sym_answer *answers; /* one for each */
	size_t n;
	struct cpf_sink *sinks;         /* one for each backend that answered */
	uint64_t *named;                /* by each sink */
	const struct cpf_symbolizer **sources; /* that filled them */
	size_t nsinks;
	struct cpf_strings *texts;
	struct cpf_reason reason;       /* of the library as a whole */
	int forced;                     /* a file that is not the one recorded was taken; reason says which */
};

/* A location that gets the answer of an address. */
struct cpf_sym_place {
	uint64_t address;
	cpf_id mapping, location;
	uint32_t at; /* address number of the mapping's job */
};

/*
 * Puts the answers into the locations. places: n of them; job_of: per mapping, NULL where there is
 * none. raw_names: nothing is demangled.
 */
void cpf_sym_apply(struct cpf_profile *p, const struct cpf_sym_place *places, size_t n,
	struct cpf_sym_job *const *job_of, int raw_names);

#endif
