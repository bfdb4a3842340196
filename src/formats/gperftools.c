/*
 * CPU profiles of gperftools and of Java agents in its format: words of the profiled program's size
 * and byte order, then text.
 *
 *     header   0, 3, version (0 native, 1 Java), period in us, 0
 *     record   count, n, n addresses, leaf first; callers are return addresses
 *     trailer  0, 1, 0
 *     text     the memory map, or in the Java variant a name for each address
 *
 * The corrections below are those of go tool pprof, so that both show the same.
 */
#include "base/base.h"

#include "base/input.h"
#include "base/mem.h"
#include "base/rowset.h"
#include "formats/formats.h"
#include "formats/java_names.h"
#include "formats/memory_map.h"

struct words {
	const uint8_t *s, *end;
	unsigned size;
	int big;
};

/* Whether there is another word; then it is read into v. */
static int next_word(struct words *w, uint64_t *v)
{
	unsigned i;

	if ((size_t)(w->end - w->s) < w->size)
		return 0;
	for (*v = 0, i = 0; i < w->size; i++)
		*v |= (uint64_t)w->s[i] << 8 * (w->big ? w->size - 1 - i : i);
	w->s += w->size;
	return 1;
}

static int header_fits(struct words *w, int *java, uint64_t *period)
{
	uint64_t count, words, version, pad;

	if (!next_word(w, &count) || !next_word(w, &words) || !next_word(w, &version) ||
		!next_word(w, period) || !next_word(w, &pad))
		return 0;
	*java = version == 1;
	/* pprof takes the period for signed. */
	return !count && words == 3 && version <= 1 && *period && *period <= INT64_MAX && !pad;
}

/* The first of the four layouts whose header fits; w stands behind it then. */
static int find_layout(struct words *w, const uint8_t *s, size_t n, int *java, uint64_t *period)
{
	static const struct {
		unsigned size;
		int big;
	} layouts[] = {{4, 0}, {4, 1}, {8, 0}, {8, 1}};
	size_t i;

	for (i = 0; i < CPF_LEN(layouts); i++) {
		w->s = s;
		w->end = s + n;
		w->size = layouts[i].size;
		w->big = layouts[i].big;
		if (header_fits(w, java, period))
			return 1;
	}
	return 0;
}

static int probe(const uint8_t *head, size_t n)
{
	struct words w;
	uint64_t period;
	int java;

	return find_layout(&w, head, n, &java, &period) ? 2 : 0;
}

/* Stacks before they become nodes, leaf first: addresses, then rows of locations. */
struct record {
	uint64_t count;
	size_t first;
	uint32_t n;
};

struct stage {
	struct cpf_profile *p;
	struct record *records;
	uint32_t n;
	size_t records_cap;
	uint64_t *pcs;
	size_t npcs, pcs_cap;
	struct cpf_rowset index; /* locations by address */
};

static uint32_t location_of(struct stage *st, uint64_t address)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), address);
	struct cpf_location l = {0};
	struct cpf_rowset_it it;
	uint32_t id;

	for (id = cpf_rowset_first(&st->index, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&st->index, &it))
		if ((uint64_t)cpf_col_get(&st->p->locations.address, id) == address)
			return id;
	l.address = address;
	l.mapping = l.symbol = l.category = l.subcategory = CPF_NONE;
	l.flags = address ? CPF_LOC_ADDRESS : 0;
	id = cpf_add_location(st->p, &l);
	cpf_rowset_add(&st->index, h, id);
	return id;
}

static int read_records(
	struct stage *st, struct words *w, const uint8_t *base, int native, struct cpf_err *e)
{
	uint64_t count, n, address = 0, i;
	const uint8_t *at;

	while (w->s < w->end) {
		at = w->s;
		/* pprof allows n to reach beyond a 64-bit file's end and makes up the rest. */
		if (!next_word(w, &count) || !next_word(w, &n) ||
			n > (size_t)(w->end - w->s) / w->size || n >= UINT32_MAX) {
			cpf_fail_at(e, CPF_E_FORMAT, (uint64_t)(at - base),
				"the file ends inside the record, or this is no record");
			cpf_err_where(e, "record[%" PRIu32 "]", st->n);
			return -1;
		}
		CPF_GROW(st->records, st->records_cap, (size_t)st->n + 1);
		CPF_GROW(st->pcs, st->pcs_cap, st->npcs + (size_t)n);
		st->records[st->n].count = count;
		st->records[st->n].first = st->npcs;
		st->records[st->n].n = (uint32_t)n;
		for (i = 0; i < n; i++) {
			next_word(w, &address);
			if (!count && n == 1 && !address)
				return 0;
			/* Return addresses: the call is before. */
			st->pcs[st->npcs++] = address - (native && i > 0);
		}
		st->n++;
	}
	return 0;
}

static void drop_second(struct stage *st, struct record *r)
{
	uint64_t *s = st->pcs + r->first;

	memmove(s + 1, s + 2, (r->n - 2) * sizeof(*s));
	r->n--;
}

/*
 * If nearly all samples have the same caller of the leaf, it is the frame the signal handler
 * pushed, and goes. At most one in 32 may differ, so the candidate is what a majority vote finds.
 */
static void drop_signal_frame(struct stage *st)
{
	uint32_t i, votes = 0, count = 0;
	uint64_t candidate = 0;

	for (i = 0; i < st->n; i++) {
		const struct record *r = &st->records[i];

		if (r->n < 2)
			continue;
		if (!votes)
			candidate = st->pcs[r->first + 1];
		votes += candidate == st->pcs[r->first + 1] ? 1u : UINT32_MAX;
	}
	for (i = 0; i < st->n; i++)
		count += st->records[i].n > 1 && st->pcs[st->records[i].first + 1] == candidate;
	if (!count || count < st->n - st->n / 32)
		return;
	for (i = 0; i < st->n; i++)
		if (st->records[i].n > 1 && st->pcs[st->records[i].first + 1] == candidate)
			drop_second(st, &st->records[i]);
}

/* The handler may have recorded the leaf twice, the second time as if it were a caller. */
static void drop_double_leaf(struct stage *st)
{
	const struct cpf_col *address = &st->p->locations.address;
	const uint64_t *s;
	uint32_t i;

	for (i = 0; i < st->n; i++) {
		if (st->records[i].n < 2)
			continue;
		s = st->pcs + st->records[i].first;
		if ((uint64_t)cpf_col_get(address, (size_t)s[0]) ==
			(uint64_t)cpf_col_get(address, (size_t)s[1]) + 1)
			drop_second(st, &st->records[i]);
	}
}

/* Locations in order of use. Frames dropped so far leave none behind, later ones do. */
static void make_locations(struct stage *st)
{
	uint32_t i, k;

	for (i = 0; i < st->n; i++)
		for (k = 0; k < st->records[i].n; k++) {
			uint64_t *pc = &st->pcs[st->records[i].first + k];

			*pc = location_of(st, *pc);
		}
}

static void make_samples(struct stage *st, int64_t period)
{
	struct cpf_profile *p = st->p;
	int64_t raw[2];
	uint32_t i, k, node;

	cpf_add_raw(p);
	cpf_add_raw(p);
	for (i = 0; i < st->n; i++) {
		const struct record *r = &st->records[i];

		for (node = 0, k = r->n; k-- > 0;)
			node = cpf_find_node(p, node, (cpf_id)st->pcs[r->first + k]);
		raw[0] = (int64_t)r->count;
		raw[1] = (int64_t)(r->count * (uint64_t)period);
		cpf_add_sample(p, node, CPF_NONE, 0, 0, raw);
	}
}

static void make_header(struct cpf_profile *p, int64_t period)
{
	struct cpf_header *h = &p->head;

	cpf_add_type(p, "samples", "count", 0, 1, 1);
	cpf_add_type(p, "cpu", "nanoseconds", 1, 1, 1);
	p->default_type = 1;
	h->has_period_type = 1;
	h->period_type = cpf_intern_z(p, "cpu");
	h->period_unit = cpf_intern_z(p, "nanoseconds");
	h->period = period;
	/* The profiler's own functions, by the names it has in the signal handler's stack. */
	h->drop_frames =
		cpf_intern_z(p, "ProfileData::Add|ProfileData::prof_handler|"
				"CpuProfiler::prof_handler|__pthread_sighandler|__restore");
}

static int read_profile(struct cpf_input *in, struct cpf_profile *p, const struct cpf_load_opts *o,
	struct cpf_diag *d, struct cpf_err *e)
{
	struct stage st = {.p = p};
	struct words w;
	uint64_t us;
	int64_t period;
	char *data;
	size_t n;
	int java, bad;

	(void)o;
	(void)d;
	if (cpf_input_all(in, &data, &n, e))
		return -1;
	if (!find_layout(&w, (const uint8_t *)data, n, &java, &us)) {
		cpf_free(data);
		return cpf_fail_at(e, CPF_E_FORMAT, 0, "not the header of a gperftools profile");
	}
	period = (int64_t)(us * 1000);
	make_header(p, period);
	bad = read_records(&st, &w, (const uint8_t *)data, !java, e);
	if (!bad) {
		if (java) {
			make_locations(&st);
			cpf_java_names(p, (const char *)w.s, (size_t)(w.end - w.s));
		} else {
			drop_signal_frame(&st);
			drop_signal_frame(&st);
			make_locations(&st);
			cpf_memory_map(p, (const char *)w.s, (size_t)(w.end - w.s));
			drop_double_leaf(&st);
		}
		make_samples(&st, period);
		cpf_add_source(p, cpf_input_name(in), "gperftools", java ? "java" : "", "");
	}
	cpf_rowset_release(&st.index);
	cpf_free(st.records);
	cpf_free(st.pcs);
	cpf_free(data);
	return bad;
}

const struct cpf_format cpf_format_gperftools = {
	.name = "gperftools",
	.summary = "CPU profile of gperftools (CPUPROFILE=...), binary",
	.suffixes = "",
	.probe = probe,
	.read = read_profile,
};
