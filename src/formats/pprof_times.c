/*
 * Times of samples out of labels: profile.proto has no field for them. Our own label is "time", in
 * nanoseconds; the others are those of dd-trace and of profilers that followed it.
 */
#include "base/base.h"

#include "base/mem.h"
#include "formats/pprof_read.h"

/* Times past this (March 1973) count from 1970, not from the start of a recording. */
#define ABSOLUTE INT64_C(100000000000000000)

static const struct {
	const char *key;
	int unit_in_name;
} spellings[] = {{"time", 0}, {"end_timestamp_ns", 1}, {"timestamp_ns", 1}, {"timestamp", 0}};

static int is_time(const struct cpf_profile *p, const struct cpf_label *l, cpf_str key, int unit_in_name)
{
	const char *unit = cpf_cstr(p, l->unit);

	if (l->key != key || l->str)
		return 0;
	return !strcmp(unit, "nanoseconds") || !strcmp(unit, "ns") || (unit_in_name && !*unit);
}

/* The time each label set holds; 0 if there is none in a set that samples have. */
static int times_of_sets(const struct cpf_profile *p, cpf_str key, int unit_in_name, int64_t *time)
{
	const struct cpf_label_sets *t = &p->label_sets;
	uint8_t *have = cpf_calloc(t->n, 1);
	uint32_t i, k;

	for (i = 0; i < t->n; i++)
		for (k = t->first[i]; k < t->first[i + 1] && !have[i]; k++)
			if (is_time(p, &t->labels[k], key, unit_in_name)) {
				time[i] = t->labels[k].num;
				have[i] = 1;
			}
	for (i = 0; i < p->samples.n && have[cpf_col_id(&p->samples.labels, i)]; i++)
		;
	cpf_free(have);
	return i == p->samples.n;
}

/* Into times from the start of the profile. */
static int64_t zero_of(const struct cpf_profile *p, const int64_t *time)
{
	int64_t low = INT64_MAX, v;
	uint32_t i;

	for (i = 0; i < p->samples.n; i++) {
		v = time[cpf_col_id(&p->samples.labels, i)];
		low = v < low ? v : low;
	}
	if (low < ABSOLUTE)
		return 0;
	return p->head.time_nanos >= ABSOLUTE && p->head.time_nanos <= low ? p->head.time_nanos
									     : low;
}

void cpf_pb_times(struct cpf_profile *p)
{
	const struct cpf_label_sets *t = &p->label_sets;
	int64_t *time, zero;
	cpf_str key = 0;
	uint32_t i;
	size_t k;

	time = t->n > 1 && p->samples.n ? cpf_calloc(t->n, sizeof(*time)) : NULL;
	for (k = 0; time && k < CPF_LEN(spellings); k++) {
		key = cpf_intern_z(p, spellings[k].key);
		if (times_of_sets(p, key, spellings[k].unit_in_name, time))
			break;
	}
	if (!time || k == CPF_LEN(spellings)) {
		cpf_col_fill(&p->samples.time, 0, p->samples.n);
		cpf_free(time);
		return;
	}
	zero = zero_of(p, time);
	for (i = 0; i < p->samples.n; i++)
		cpf_col_push(&p->samples.time,
			cpf_wrap_add(time[cpf_col_id(&p->samples.labels, i)], -zero));
	p->samples.has_time = 1;
	p->time_label = key;
	cpf_free(time);
}
