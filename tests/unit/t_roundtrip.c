#include "unit/random.h"

#include "base/buf.h"
#include "base/input.h"
#include "base/mem.h"
#include "base/output.h"
#include "core/check.h"
#include "core/dump.h"
#include "formats/formats.h"
#include "formats/pprof.h"

/* CPUPROF_SEED and CPUPROF_ROUNDS run others, or more. */
static uint64_t number_from(const char *name, uint64_t otherwise)
{
	const char *s = getenv(name);

	return s ? strtoull(s, NULL, 10) : otherwise;
}

static void write_to(const struct cpf_format *f, const struct cpf_profile *p,
	const struct cpf_save_opts *o, char **data, size_t *n)
{
	struct cpf_output *out;
	struct cpf_err e = {0};

	assert_int_equal(cpf_output_memory(&out, 0, &e), 0);
	if (f->write(p, out, o, NULL, &e))
		fail_msg("%s", e.reason);
	assert_int_equal(cpf_output_take(out, data, n, &e), 0);
}

static void read_from(const struct cpf_format *f, struct cpf_profile *p, const char *data, size_t n)
{
	struct cpf_load_opts o = {.want = CPF_WANT_ALL};
	struct cpf_diag d = {0};
	struct cpf_input *in;
	struct cpf_err e = {0};

	cpf_profile_init(p);
	assert_int_equal(cpf_input_memory(&in, "x", data, n, &d, &e), 0);
	if (f->read(in, p, &o, &d, &e))
		fail_msg("%s", e.reason);
	cpf_input_close(in);
	cpf_diag_release(&d);
	cpf_profile_seal(p);
	if (cpf_check_ok(p, &e))
		fail_msg("%s", e.reason);
}

static void sorted(const char *data, size_t n)
{
	const char *line = NULL, *nl;
	size_t at, len = 0;

	for (at = 0; at < n; at = (size_t)(nl - data) + 1) {
		size_t now;

		nl = memchr(data + at, '\n', n - at);
		assert_non_null(nl);
		now = (size_t)(nl - data) - at;
		if (line) {
			int r = memcmp(line, data + at, len < now ? len : now);

			if (r > 0 || (!r && len >= now))
				fail_msg("out of order: %.*s", (int)now, data + at);
		}
		line = data + at;
		len = now;
	}
}

static void same(const struct cpf_profile *a, const struct cpf_profile *b, uint32_t keeps,
	uint32_t type_a, uint64_t seed)
{
	struct cpf_buf x = {0}, y = {0};

	cpf_dump(&x, a, keeps, type_a, CPF_DUMP_JOIN | CPF_DUMP_SORT);
	cpf_dump(&y, b, keeps, CPF_NONE, CPF_DUMP_JOIN | CPF_DUMP_SORT);
	if (strcmp(x.s, y.s))
		print_message("seed %llu\n", (unsigned long long)seed);
	assert_string_equal(x.s, y.s);
	cpf_buf_release(&x);
	cpf_buf_release(&y);
}

/*
 * What was read is written the same however often. (The first writing may have escaped numbers in
 * names that turn out to be harmless once lines are summed.)
 */
static void write_again(const struct cpf_profile *p, const struct cpf_save_opts *o, uint64_t seed)
{
	struct cpf_profile q;
	char *data, *again;
	size_t n, m;

	write_to(&cpf_format_folded, p, o, &data, &n);
	read_from(&cpf_format_folded, &q, data, n);
	same(p, &q, CPF_KEEPS_EMPTY, CPF_NONE, seed);
	write_to(&cpf_format_folded, &q, o, &again, &m);
	assert_int_equal(m, n);
	assert_memory_equal(again, data, n);
	cpf_free(again);
	cpf_profile_release(&q);
	/* By way of pprof, whose numbers are whole and whose texts are UTF-8. */
	if (p->types[0].den == 1 && seed % 4) {
		write_to(&cpf_format_pprof, p, o, &again, &m);
		read_from(&cpf_format_pprof, &q, again, m);
		cpf_free(again);
		same(p, &q, CPF_KEEPS_EMPTY | CPF_KEEPS_INLINES, CPF_NONE, seed);
		write_to(&cpf_format_folded, &q, o, &again, &m);
		assert_int_equal(m, n);
		assert_memory_equal(again, data, n);
		cpf_free(again);
		cpf_profile_release(&q);
	}
	cpf_free(data);
}

static void folded_keeps_stacks(void **state)
{
	uint64_t seed = number_from("CPUPROF_SEED", 1), rounds = number_from("CPUPROF_ROUNDS", 400);
	uint64_t end = seed + rounds;

	(void)state;
	for (; seed < end; seed++) {
		struct rng r = {seed * 0x9e3779b97f4a7c15u | 1};
		struct cpf_profile p, q;
		struct cpf_save_opts o = {.type = (uint32_t)(seed & 1)};
		char *data;
		size_t n;

		o.marks = seed % 5 == 0;
		random_profile(&p, &r, 1, seed % 4 != 0, seed % 3 ? 1 : 1000);
		write_to(&cpf_format_folded, &p, &o, &data, &n);
		sorted(data, n);
		if (n) {
			read_from(&cpf_format_folded, &q, data, n);
			same(&p, &q, CPF_KEEPS_EMPTY | (o.marks ? CPF_KEEPS_INLINES : 0), o.type,
				seed);
			o.type = CPF_NONE;
			write_again(&q, &o, seed);
			cpf_profile_release(&q);
		}
		cpf_free(data);
		cpf_profile_release(&p);
	}
}

static void roots_are_frames(void **state)
{
	struct cpf_profile p;
	struct cpf_save_opts o = {.type = 0, .root = "process"};
	int64_t v = 1;
	char *data;
	size_t n;
	cpf_id main_thread, other;

	(void)state;
	cpf_profile_init(&p);
	build_samples_type(&p);
	main_thread = build_thread(&p, "de;mo", "7", "main", "1");
	other = build_thread(&p, "", "8", "", "2");
	cpf_add_sample(&p, build_stack(&p, "a;b"), main_thread, 0, 0, &v);
	cpf_add_sample(&p, build_stack(&p, "a;b"), other, 0, 0, &v);
	cpf_add_sample(&p, build_stack(&p, "a"), CPF_NONE, 0, 0, &v);
	cpf_add_sample(&p, 0, main_thread, 0, 0, &v);
	cpf_add_sample(&p, build_stack(&p, "a;b"), build_thread(&p, "de;mo", "9", "main", "3"), 0, 0,
		&v);
	write_to(&cpf_format_folded, &p, &o, &data, &n);
	assert_string_equal(data, "(no process);(no thread);a 1\n"
				  "de\\x3bmo;main;(no stack) 1\n"
				  "de\\x3bmo;main;a;b 2\n"
				  "process 8;thread 2;a;b 1\n");
	cpf_free(data);
	o.root = "thread";
	write_to(&cpf_format_folded, &p, &o, &data, &n);
	assert_string_equal(data, "(no thread);a 1\n"
				  "main;(no stack) 1\n"
				  "main;a;b 2\n"
				  "thread 2;a;b 1\n");
	cpf_free(data);
	cpf_profile_release(&p);
}

static void sums_that_do_not_fit(void **state)
{
	struct cpf_profile p;
	struct cpf_save_opts o = {.type = CPF_NONE};
	struct cpf_output *out;
	struct cpf_err e = {0};

	(void)state;
	cpf_profile_init(&p);
	build_samples_type(&p);
	build_sample(&p, "a", INT64_MAX);
	build_sample(&p, "a", 1);
	assert_int_equal(cpf_output_memory(&out, 0, &e), 0);
	assert_int_equal(cpf_format_folded.write(&p, out, &o, NULL, &e), -1);
	assert_int_equal(e.code, CPF_E_RANGE);
	cpf_output_discard(out);
	cpf_profile_release(&p);
}

static void pprof_keeps_more(void **state)
{
	uint64_t seed = number_from("CPUPROF_SEED", 1), rounds = number_from("CPUPROF_ROUNDS", 400);
	uint64_t end = seed + rounds;

	(void)state;
	for (; seed < end; seed++) {
		struct rng r = {seed * 0x9e3779b97f4a7c15u | 1};
		struct cpf_profile p, q;
		struct cpf_save_opts o = {.type = CPF_NONE};
		char *data;
		size_t n;

		random_profile(&p, &r, seed & 1, 1, 1);
		write_to(&cpf_format_pprof, &p, &o, &data, &n);
		read_from(&cpf_format_pprof, &q, data, n);
		same(&p, &q,
			CPF_KEEPS_INLINES | CPF_KEEPS_LINES | CPF_KEEPS_FILES | CPF_KEEPS_TYPES |
				CPF_KEEPS_THREADS | CPF_KEEPS_EMPTY,
			CPF_NONE, seed);
		cpf_free(data);
		cpf_profile_release(&p);
		cpf_profile_release(&q);
	}
}

/* Without the way through the list of each sample's stack: the same, row by row. */
static void model_is_what_is_read_back(void **state)
{
	uint64_t seed = number_from("CPUPROF_SEED", 1), rounds = number_from("CPUPROF_ROUNDS", 400);
	uint64_t end = seed + rounds;

	(void)state;
	for (; seed < end; seed++) {
		struct rng r = {seed * 0x9e3779b97f4a7c15u | 1};
		struct cpf_profile p, q;
		struct cpf_save_opts o = {.type = CPF_NONE};
		struct cpf_buf x = {0}, y = {0};
		struct cpf_err e = {0};
		char *data, *again;
		size_t n, m;

		random_profile(&p, &r, seed & 1, seed % 4 != 0, 1);
		cpf_add_source(&p, "x", "folded", "", "");
		write_to(&cpf_format_pprof, &p, &o, &data, &n);
		read_from(&cpf_format_pprof, &q, data, n);
		cpf_free(data);
		assert_int_equal(cpf_pprof_model(&p, "x", &e), 0);
		if (cpf_check_ok(&p, &e))
			fail_msg("%s", e.reason);
		assert_int_equal(p.nodes.n, q.nodes.n);
		cpf_dump(&x, &p, UINT32_MAX, CPF_NONE, CPF_DUMP_UNUSED | CPF_DUMP_IDS);
		cpf_dump(&y, &q, UINT32_MAX, CPF_NONE, CPF_DUMP_UNUSED | CPF_DUMP_IDS);
		assert_string_equal(x.s, y.s);
		write_to(&cpf_format_pprof, &p, &o, &data, &n);
		write_to(&cpf_format_pprof, &q, &o, &again, &m);
		assert_int_equal(n, m);
		assert_memory_equal(data, again, n);
		cpf_free(data);
		cpf_free(again);
		cpf_buf_release(&x);
		cpf_buf_release(&y);
		cpf_profile_release(&p);
		cpf_profile_release(&q);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_keeps_stacks),
		cmocka_unit_test(roots_are_frames),
		cmocka_unit_test(sums_that_do_not_fit),
		cmocka_unit_test(pprof_keeps_more),
		cmocka_unit_test(model_is_what_is_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
