/*
 * coverage.h - how much of a profile has names, by value.
 *
 * A frame counts as named if its function has a name that is not an address in disguise: neither
 * "0x12ab" nor "fun_12ab", which samply makes up where it knows only that a function starts there.
 * Shares are of magnitudes (|value|), so that negative values do not cancel. Samples without stack
 * have no frame and are in none of the sums.
 */
#ifndef CPF_COVERAGE_H
#define CPF_COVERAGE_H

#include "base/base.h"

#include <cpuprof/profile.h>

#include "core/frame.h"
#include "view/sums.h"

/* Why places of a library have no name. Borrowed texts. */
struct cpf_lib_reason {
	const char *word;   /* for machines: "no-file"; NULL = none, everything has a name */
	const char *phrase; /* for a line of text: "file not found"; NULL: none worth the room */
	const char *text;   /* with the file looked for: "file not found: /usr/bin/x" */
};

struct cpf_coverage_lib {
	cpf_id mapping;       /* CPF_NONE: frames without library */
	double leaf, all;     /* of which without a name */
	const struct cpf_lib_reason *why; /* NULL = not known */
	uint64_t frames, named; /* distinct places (lines of locations) that are used at all */
};

struct cpf_coverage {
	double leaf, leaf_named;   /* weight of all leaf frames, and of those with a name */
	double all, all_named;     /* the same for the frames of whole stacks */
	struct cpf_coverage_lib *libs; /* every mapping in order, then "no library" */
	uint32_t nlibs;
};

/* raw: value column. The libraries' reasons are left for the caller: cpf_coverage_reasons. */
void cpf_coverage_build(struct cpf_coverage *c, const struct cpf_profile *p, uint32_t raw);
/* From weights of places that are there already; frames and named of the libraries stay 0. */
void cpf_coverage_of(
	struct cpf_coverage *c, const struct cpf_profile *p, const struct cpf_places *places);
/* reasons: per mapping, then no library; borrowed by c. NULL: none are known. */
void cpf_coverage_reasons(struct cpf_coverage *c, const struct cpf_lib_reason *reasons);
void cpf_coverage_release(struct cpf_coverage *c);

/*
 * Per location: 0 no frame has a name, 1 some or all have; bit 2: the innermost one has. Owned by
 * the caller (cpf_free).
 */
enum cpf_named {
	CPF_NAMED_SOME = 1,
	CPF_NAMED_LEAF = 2
};
uint8_t *cpf_named_locations(const struct cpf_profile *p);

#endif
