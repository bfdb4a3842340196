/*
 * merge.h - several profiles into one, and arithmetic on whole profiles.
 *
 * The rules are those of go tool pprof for what it knows: sample types common by name, in the order
 * of the first profile; units of one family rescaled to the finest; drop and keep expressions of the
 * first profile, comments united, the largest period, durations added; mappings equal by size in
 * whole pages, offset and build id (else file), the addresses of later profiles moved along; rows in
 * order of first use. The same idea is extended to what pprof has no word for: libraries with
 * relative addresses, threads, processes, categories, symbols and markers.
 */
#ifndef CPF_MERGE_H
#define CPF_MERGE_H

#include <cpuprof/profile.h>

struct cpf_merge_opts {
	/*
	 * 1: equal (stack, labels, thread) are summed, sample times are dropped, samples that are or
	 * sum up to zero go, and with them all rows only they used. 0: samples stay one by one.
	 */
	int join;
	/*
	 * To the last bit like go tool pprof, where that is not what a reader would expect: sums wrap
	 * around; values are rescaled in floating point, and samples whose rescaled values are all 0
	 * are lost; a later profile without a time resets the time; columns of inlined lines do not
	 * tell locations apart; numeric labels 0 without unit vanish. Implies join.
	 */
	int like_pprof;
};

/*
 * out: initialised and empty; takes copies, the inputs are left as they are. n >= 1. Notes say what
 * was rescaled or left out. CPF_E_USAGE: the profiles do not go together (no common sample type,
 * units or period types of different kinds).
 */
int cpf_merge(struct cpf_profile *out, struct cpf_profile *const *in, uint32_t n,
	const struct cpf_merge_opts *o, struct cpf_diag *d, struct cpf_err *e) CPF_MUST_CHECK;

/* Multiplies all values by num / den in place (den > 0), rounded half away from zero. */
int cpf_multiply(struct cpf_profile *p, int64_t num, int64_t den, struct cpf_err *e) CPF_MUST_CHECK;

/*
 * As pprof scales: value i of each sample times ratios[i] in floating point, rounded half away from
 * zero; samples without any rescaled value that is not 0 are removed. Ratios of 1 leave a value
 * alone, all 1 does nothing. One ratio per value type; types get value columns of their own.
 */
int cpf_scale_types(struct cpf_profile *p, const double *ratios, struct cpf_err *e) CPF_MUST_CHECK;

/* pprof -normalize: scales p so that its sums per value type become those of base. */
int cpf_normalize(struct cpf_profile *p, const struct cpf_profile *base, struct cpf_err *e)
	CPF_MUST_CHECK;

/* Sets a text label on every sample, in place of all values its key had. */
void cpf_set_label(struct cpf_profile *p, const char *key, const char *value);

#endif
