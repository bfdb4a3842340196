/* Random profiles, the same for the same seed. */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include "unit/build.h"

struct rng {
	uint64_t s;
};

static CPF_UNUSED uint32_t rng_next(struct rng *r, uint32_t below)
{
	r->s ^= r->s << 13;
	r->s ^= r->s >> 7;
	r->s ^= r->s << 17;
	return (uint32_t)(r->s >> 33) % below;
}

/* Names that formats stumble over, and short ones that are often equal. */
static CPF_UNUSED cpf_str random_name(struct cpf_profile *p, struct rng *r, int utf8)
{
	/* Apart from the letters, which would go on with the last escape. */
#define BOM "\xef\xbb\xbf"
	static const char *const odd[] = {"(no stack)", "a;b", "f_[k]", "g_[i]", "worker 3", "x\ny",
		" lead", "tail ", "C:\\x3bd", "C:\\x20d", BOM "bom",
		"a 5x", "a", "a 12", "12", "1.5", "operator new(unsigned long)",
		"std::less<int, (x)>", "\x7f\t", "f\\x5cx3b", "-3", "a  7", "h_[j]_[k]", "\xc3\xa9",
		"\xff\xfe", "\xc3(" /* the last two are not UTF-8 */};
	char text[8];
	uint32_t n, i;

	if (rng_next(r, 3) == 0)
		return cpf_intern_z(p, odd[rng_next(r, CPF_LEN(odd) - (utf8 ? 2 : 0))]);
	n = 1 + rng_next(r, 3);
	for (i = 0; i < n; i++)
		text[i] = "ab:! (;5"[rng_next(r, 8)];
	return cpf_intern(p, text, n);
}

static CPF_UNUSED void random_tables(
	struct cpf_profile *p, struct rng *r, int addresses, int utf8)
{
	uint32_t i, k, nf = 1 + rng_next(r, 12), nl = 1 + rng_next(r, 16);

	for (i = 0; i < 2; i++) {
		struct cpf_mapping m = {0};

		m.file = cpf_intern_z(p, i ? "/opt/my lib.so" : "/bin/prog");
		m.flags = CPF_MAP_RELATIVE;
		cpf_add_mapping(p, &m);
	}
	for (i = 0; i < nf; i++) {
		struct cpf_function f = {0};

		f.name = f.system_name = random_name(p, r, utf8);
		f.file = rng_next(r, 2) ? cpf_intern_z(p, "src/a.c") : 0;
		f.start_line = rng_next(r, 3);
		f.resource_lib = CPF_NONE;
		cpf_find_function(p, &f);
	}
	for (i = 0; i < nl; i++) {
		struct cpf_location l = {0};
		struct cpf_line lines[4] = {{0, 0, 0}};

		l.nlines = addresses ? rng_next(r, 4) : 1 + rng_next(r, 3);
		for (k = 0; k < l.nlines; k++) {
			lines[k].function = rng_next(r, p->nfunctions);
			lines[k].line = rng_next(r, 50);
		}
		l.lines = lines;
		l.symbol = l.category = l.subcategory = CPF_NONE;
		l.mapping = rng_next(r, 3) ? rng_next(r, 2) : CPF_NONE;
		if (addresses && (l.mapping != CPF_NONE || !l.nlines)) {
			l.address = 16 + rng_next(r, 5000);
			l.flags = CPF_LOC_ADDRESS;
		}
		cpf_find_location(p, &l);
	}
}

/* Two value columns, the second one with decimals if den is not 1. */
static CPF_UNUSED void random_profile(
	struct cpf_profile *p, struct rng *r, int addresses, int utf8, int64_t den)
{
	uint32_t i, nodes = rng_next(r, 60), samples = 2 + rng_next(r, 80);
	uint32_t first = rng_next(r, 4) ? 0 : nodes; /* now and then only leaves */
	int64_t v[2];

	cpf_profile_init(p);
	random_tables(p, r, addresses, utf8);
	cpf_add_raw(p);
	cpf_add_raw(p);
	cpf_add_type(p, "samples", "count", 0, 1, 1);
	cpf_add_type(p, "cpu", "nanoseconds", 1, 1, den);
	p->default_type = 1;
	build_thread(p, "demo", "1", "main", "1");
	build_thread(p, "demo", "2", "worker 3", "2");
	for (i = 0; i < 2; i++) {
		p->threads[i].end = -1;
		p->threads[i].flags = CPF_THREAD_MAIN;
	}
	for (i = 0; i < nodes; i++)
		cpf_add_node(p, rng_next(r, p->nodes.n), rng_next(r, p->locations.n));
	for (i = 0; i < samples; i++) {
		v[0] = 1 + rng_next(r, 9);
		v[1] = (int64_t)rng_next(r, 4000) - (rng_next(r, 4) ? 0 : 2000);
		cpf_add_sample(p, first + rng_next(r, p->nodes.n - first), i < 2 ? i : rng_next(r, 2),
			0, 0, v);
	}
	cpf_profile_seal(p);
}

#endif
