/*
 * filter.h - selections: threads, processes, time, libraries and regular expressions on frames.
 *
 * A filter edits the profile in place: samples that are not wanted go; frames that are hidden leave
 * the stacks (new locations with fewer lines, new nodes). Meaning and order of the frame filters are
 * those of go tool pprof (focus, ignore, hide, show, show_from, prune_from). Regular expressions are
 * PCRE2, matched once per distinct string.
 */
#ifndef CPF_FILTER_H
#define CPF_FILTER_H

#include <cpuprof/profile.h>

struct cpf_filter {
	/* NULL or 0 = not given. Lists end with NULL. */
	const char *const *threads;   /* globs on the name; "tid:N", "main", "busiest" */
	const char *const *processes; /* globs on the name; "pid:N" */
	const char *const *libs;      /* globs: keep samples with a frame in one of these */
	int has_from, has_to;
	int64_t from, to;             /* ns from the first sample; [from, to) */
	const char *focus, *ignore, *hide, *show, *show_from, *prune_from;
};

/* What a filter matched; for notes and exit code 4. */
struct cpf_filter_result {
	int threads, processes, libs;  /* samples of the selection remain: 1, else 0; -1 not given */
	int focus, ignore, hide, show, show_from; /* matched something: 1, nothing: 0, not given: -1 */
	uint32_t samples_before, samples_after;
};

/* Needs sample times for from/to (CPF_E_USAGE if the profile has none). */
int cpf_filter_apply(struct cpf_profile *p, const struct cpf_filter *f,
	struct cpf_filter_result *r, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_filter_active(const struct cpf_filter *f);

/* The steps of cpf_filter_apply, for callers with something of their own between them. */
/* What needs no names: threads, processes, times, libraries. Fills r. */
int cpf_filter_samples(struct cpf_profile *p, const struct cpf_filter *f,
	struct cpf_filter_result *r, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_filter_names(struct cpf_profile *p, const struct cpf_filter *f,
	struct cpf_filter_result *r, struct cpf_err *e) CPF_MUST_CHECK; /* focus ... show_from */
int cpf_filter_prune_from(
	struct cpf_profile *p, const char *pattern, struct cpf_err *e) CPF_MUST_CHECK;
/*
 * Cuts stacks at functions that match drop but not keep (NULL or "": none), expressions for whole
 * names as in profile.proto fields 7 and 8. Frames at the root side that match before any frame
 * that does not are left alone. Names are compared without parameters.
 */
int cpf_filter_drop_frames(struct cpf_profile *p, const char *drop, const char *keep,
	struct cpf_err *e) CPF_MUST_CHECK;

/* Keeps the samples whose bit (sample id) is set, in order. */
void cpf_keep_samples(struct cpf_profile *p, const uint64_t *keep);

#endif
