/* pprof: what is refused and how, what is accepted, threads out of labels, detection. */
#include "unit/pprof_files.h"
#include "unit/random.h"

static void test_refused_ids(void **state)
{
	struct cpf_buf b = {0}, p = {0};
	uint64_t at;

	(void)state;
	basis(&b, NO_TYPES);
	refused(&b, 0, "", "missing sample type information");
	basis(&b, NO_LOCATION);
	refused(&b, 6, "Profile.sample[0].location_id[0]", "sample has nil location");
	basis(&b, NO_FUNCTION);
	refused(&b, 12, "Profile.location[0].line[0].function_id",
		"location id: 1 has a line with nil function");
	basis(&b, NO_STRINGS);
	refused(&b, CPF_NO_POS, "", "no string_table");
	basis(&b, 0);
	at = b.n;
	num(&p, 2, 1);
	part(&b, 3, &p);
	refused(&b, at, "Profile.mapping[0]", "found mapping with reserved ID=0");
	basis(&b, 0);
	part(&b, 4, &p);
	refused(&b, at, "Profile.location[1]", "found location with reserved id=0");
	basis(&b, 0);
	part(&b, 5, &p);
	refused(&b, at, "Profile.function[1]", "found function with reserved ID=0");
	basis(&b, 0);
	num(&p, 1, 7);
	part(&b, 3, &p);
	num(&p, 1, 7);
	part(&b, 3, &p);
	refused(&b, at + 4, "Profile.mapping[1]", "multiple mappings with same id: 7");
	basis(&b, 0);
	num(&p, 1, 1);
	part(&b, 4, &p);
	refused(&b, at, "Profile.location[1]", "multiple locations with same id: 1");
	basis(&b, 0);
	num(&p, 1, 1);
	part(&b, 5, &p);
	refused(&b, at, "Profile.function[1]", "multiple functions with same id: 1");
	basis(&b, 0);
	num(&p, 1, 1);
	num(&p, 1, 0);
	num(&p, 2, 5);
	part(&b, 2, &p);
	refused(&b, at, "Profile.sample[1].location_id[1]", "sample has nil location");
	cpf_buf_release(&p);
}

static void test_refused_values(void **state)
{
	struct cpf_buf b = {0}, p = {0};
	uint64_t at;

	(void)state;
	num(&p, 2, 5);
	num(&p, 2, 6);
	part(&b, 2, &p);
	basis(&b, 0);
	refused(&b, 0, "Profile.sample[0].value", "mismatch: sample has 2 values vs. 1 types");
	basis(&b, 0);
	at = b.n;
	part(&b, 2, &p);
	refused(&b, at, "Profile.sample[1].value", "mismatch: sample has 0 values vs. 1 types");
	/* Two profiles one after the other: seen by a second time that is not 0. */
	basis(&b, 0);
	num(&b, 9, 17);
	at = b.n;
	num(&b, 9, 18);
	refused(&b, at, "Profile.time_nanos", "concatenated profiles detected");
	cpf_buf_release(&p);
}

static void test_refused_strings(void **state)
{
	struct cpf_buf b = {0}, p = {0};
	uint64_t at;

	(void)state;
	text(&b, 6, "x");
	basis(&b, 0);
	refused(&b, 0, "Profile.string_table[0]", "string_table[0] must be ''");
	basis(&b, 0);
	at = b.n;
	num(&p, 1, 9);
	num(&p, 5, 6);
	part(&b, 3, &p);
	refused(&b, at, "Profile.mapping[0]", "string index 6 is not in string_table (6 entries)");
	basis(&b, 0);
	num(&b, 13, 6);
	refused(&b, CPF_NO_POS, "Profile.comment[0]", "string index 6 is not");
	basis(&b, 0);
	num(&b, 14, (uint64_t)-1);
	refused(&b, CPF_NO_POS, "Profile.default_sample_type", "string index -1");
	basis(&b, 0);
	num(&p, 1, 1);
	num(&p, 2, 1);
	bytes(&p, 3, "\010\x06", 2);
	part(&b, 2, &p);
	refused(&b, CPF_NO_POS, "Profile.sample[1].label[0]", "string index 6 is not");
	cpf_buf_release(&p);
}

static void test_refused_wire(void **state)
{
	struct cpf_buf b = {0};
	uint64_t at;

	(void)state;
	basis(&b, 0);
	at = b.n;
	varint(&b, 20 << 3 | 3);
	refused(&b, at, "", "unknown wire type");
	basis(&b, 0);
	num(&b, 2, 5);
	refused(&b, at, "Profile.sample[1]", "type mismatch");
	basis(&b, 0);
	bytes(&b, 12, "ab", 2);
	refused(&b, at, "Profile.period", "type mismatch");
	basis(&b, 0);
	bytes(&b, 2, "\x0a\x05\x01", 3);
	refused(&b, at + 2, "Profile.sample[1]", "runs past the end of the message");
	basis(&b, 0);
	bytes(&b, 2, "\x0a\x01\x80", 3);
	refused(&b, at + 4, "Profile.sample[1]", "bad varint");
	basis(&b, 0);
	bytes(&b, 2, "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
	refused(&b, at + 2, "Profile.sample[1]", "bad varint");
	basis(&b, 0);
	bytes(&b, 4, "\x0d\x01\0\0\0", 5);
	refused(&b, at + 2, "Profile.location[1]", "type mismatch");
	basis(&b, 0);
	bytes(&b, 5, "\x12\x01z", 3);
	refused(&b, at + 2, "Profile.function[1]", "type mismatch");
	/* A length that promises more than there is. */
	basis(&b, 0);
	varint(&b, 6 << 3 | 2);
	varint(&b, UINT64_MAX / 4);
	cpf_buf_str(&b, "abc");
	refused(&b, at, "Profile.string_table[6]", "the file ends inside");
}

/* Accepted forms: packed or not, split in several fields, odd tags, ids without order. */
static void test_odd_forms(void **state)
{
	static const uint64_t ids[] = {UINT64_MAX, 5000000000u, 1, 3, 1u << 20, 2};
	struct cpf_buf b = {0}, p = {0}, q = {0};
	struct cpf_profile prof;
	cpf_id node;
	size_t i;

	(void)state;
	/* A sample of all ids, leaf first, as three pieces: packed, single, packed. */
	varint(&q, ids[0]);
	varint(&q, ids[1]);
	part(&p, 1, &q);
	num(&p, 1, ids[2]);
	varint(&q, ids[3]);
	varint(&q, ids[4]);
	varint(&q, ids[5]);
	part(&p, 1, &q);
	/* The value under a tag of two bytes where one would do. */
	cpf_buf_add(&p, "\x90\x00", 2);
	varint(&p, (uint64_t)-7);
	part(&b, 2, &p);
	for (i = 1; i < CPF_LEN(ids); i++) {
		num(&p, 1, ids[i] == 1 ? UINT64_MAX : ids[i]);
		num(&p, 3, 100 + i);
		part(&b, 4, &p);
	}
	basis(&b, 0);
	load_ok(&prof, b.s, b.n);
	assert_int_equal(prof.samples.n, 2);
	assert_int_equal(cpf_col_get(&prof.samples.raw[0], 0), -7);
	node = cpf_col_id(&prof.samples.node, 0);
	for (i = 0; i < CPF_LEN(ids); i++) {
		assert_true((uint64_t)cpf_col_get(&prof.locations.wire_id,
				    cpf_col_id(&prof.nodes.location, node)) == ids[i]);
		node = cpf_col_id(&prof.nodes.parent, node);
	}
	assert_int_equal(node, 0);
	cpf_profile_release(&prof);
	cpf_buf_release(&b);
	cpf_buf_release(&p);
	cpf_buf_release(&q);
}

/* Ids as a list, split in two or one by one, of one or two bytes or more than they need. */
static void random_ids(struct rng *r, struct cpf_buf *out, const uint64_t *ids, size_t n)
{
	size_t cut = rng_next(r, 3) ? n : rng_next(r, (uint32_t)n + 1), i;
	struct cpf_buf q = {0};

	for (i = 0; i < cut; i++) {
		if (rng_next(r, 20)) {
			varint(&q, ids[i]);
		} else {
			cpf_buf_char(&q, (char)(0x80 | (ids[i] & 0x7f)));
			cpf_buf_char(&q, (char)(0x80 | ids[i] >> 7));
			cpf_buf_char(&q, 0);
		}
	}
	part(out, 1, &q);
	if (rng_next(r, 2)) {
		for (; i < n; i++)
			num(out, 1, ids[i]);
	} else {
		for (; i < n; i++)
			varint(&q, ids[i]);
		part(out, 1, &q);
	}
	cpf_buf_release(&q);
}

/* Stacks come out as they went in, whatever they share with the one before and in which form. */
static void test_random_forms(void **state)
{
	enum { SAMPLES = 300, IDS = 200, DEPTH = 120 };
	static uint64_t want[SAMPLES][DEPTH];
	struct rng r = {77};
	size_t depth[SAMPLES], n, keep, i, k;

	(void)state;
	for (i = 0; i < 20 * SAMPLES; i++) {
		static struct cpf_buf b, p;
		size_t at = i % SAMPLES;
		struct cpf_profile prof;
		cpf_id node;

		/* What stays is the root side, as a rule, or the leaf side. */
		keep = at ? rng_next(&r, (uint32_t)depth[at - 1] + 1) : 0;
		n = rng_next(&r, 10) ? rng_next(&r, 4) : rng_next(&r, DEPTH);
		n = n > DEPTH - keep ? DEPTH - keep : n;
		for (k = 0; k < n; k++)
			want[at][k] = 1 + rng_next(&r, IDS);
		if (keep)
			memcpy(want[at] + n,
				want[at - 1] + (rng_next(&r, 9) ? depth[at - 1] - keep : 0),
				keep * sizeof(**want));
		depth[at] = n + keep;
		random_ids(&r, &p, want[at], depth[at]);
		num(&p, 2, i);
		part(&b, 2, &p);
		if (at + 1 < SAMPLES)
			continue;
		for (k = 2; k <= IDS; k++) {
			num(&p, 1, k);
			part(&b, 4, &p);
		}
		basis(&b, 0);
		load_ok(&prof, b.s, b.n);
		for (at = 0; at < SAMPLES; at++) {
			node = cpf_col_id(&prof.samples.node, at);
			for (k = 0; k < depth[at]; k++) {
				assert_true((uint64_t)cpf_col_get(&prof.locations.wire_id,
						    cpf_col_id(&prof.nodes.location, node)) ==
					    want[at][k]);
				node = cpf_col_id(&prof.nodes.parent, node);
			}
			assert_int_equal(node, 0);
		}
		cpf_profile_release(&prof);
		cpf_buf_release(&b);
		cpf_buf_release(&p);
	}
}

/* A message larger than the window, and stacks that share parts in every way. */
static void test_large(void **state)
{
	struct cpf_buf b = {0}, p = {0}, q = {0};
	struct cpf_profile prof;
	unsigned i, k;
	cpf_id node;

	(void)state;
	basis(&b, 0);
	for (i = 0; i < 400000; i++)
		varint(&q, 1 + i % 3);
	part(&p, 1, &q);
	num(&p, 2, 1);
	part(&b, 2, &p);
	for (i = 0; i < 300; i++) {
		for (k = 0; k < 1 + i % 7; k++)
			num(&p, 1, 1 + (i / 7 + k * i) % 3);
		num(&p, 2, i);
		part(&b, 2, &p);
	}
	for (i = 2; i <= 3; i++) {
		num(&p, 1, i);
		part(&b, 4, &p);
	}
	load_ok(&prof, b.s, b.n);
	assert_int_equal(prof.samples.n, 302);
	node = cpf_col_id(&prof.samples.node, 1);
	for (i = 0; node; i++) {
		assert_int_equal(cpf_col_get(&prof.locations.wire_id,
					 cpf_col_id(&prof.nodes.location, node)),
			1 + i % 3);
		node = cpf_col_id(&prof.nodes.parent, node);
	}
	assert_int_equal(i, 400000);
	for (i = 0; i < 300; i++) {
		node = cpf_col_id(&prof.samples.node, i + 2);
		for (k = 0; k < 1 + i % 7; k++) {
			assert_int_equal(cpf_col_get(&prof.locations.wire_id,
						 cpf_col_id(&prof.nodes.location, node)),
				1 + (i / 7 + k * i) % 3);
			node = cpf_col_id(&prof.nodes.parent, node);
		}
		assert_int_equal(node, 0);
	}
	cpf_profile_release(&prof);
	cpf_buf_release(&b);
	cpf_buf_release(&p);
	cpf_buf_release(&q);
}

/* No two nodes of a profile read are equal. */
static void check_nodes(const char *path)
{
	struct cpf_profile p;
	uint32_t i, n;
	char *data;
	size_t size;

	unpacked(path, &data, &size);
	load_ok(&p, data, size);
	n = p.nodes.n;
	for (i = 1; i < n; i++)
		assert_int_equal(cpf_find_node(&p, cpf_col_id(&p.nodes.parent, i),
					 cpf_col_id(&p.nodes.location, i)),
			i);
	assert_int_equal(p.nodes.n, n);
	cpf_profile_release(&p);
	cpf_free(data);
}

static void test_nodes(void **state)
{
	(void)state;
	each_file(check_nodes);
}

/* Value columns. */
static void test_values_wanted(void **state)
{
	const char *data = env_or("TESTDATA", "testdata");
	struct cpf_load_opts o = {0};
	struct cpf_err e = {0};
	struct cpf_profile p;
	char path[4096];

	(void)state;
	snprintf(path, sizeof(path), "%s/pprof/go-heap.pb.gz", data);
	cpf_profile_init(&p);
	assert_int_equal(cpf_load(&p, path, &o, NULL, &e), 0);
	assert_int_equal(p.ntypes, 1);
	assert_int_equal(p.samples.nraw, 1);
	assert_string_equal(cpf_cstr(&p, p.types[0].type), "inuse_space");
	assert_int_equal(cpf_col_sum(&p.samples.raw[0], &(int){0}), 42079400);
	assert_int_equal(cpf_check_ok(&p, &e), 0);
	cpf_profile_release(&p);
	o.sample_type = "alloc_objects";
	cpf_profile_init(&p);
	assert_int_equal(cpf_load(&p, path, &o, NULL, &e), 0);
	assert_int_equal(p.ntypes, 1);
	assert_string_equal(cpf_cstr(&p, p.types[0].type), "alloc_objects");
	assert_int_equal(cpf_col_sum(&p.samples.raw[0], &(int){0}), 2852350);
	cpf_profile_release(&p);
	o.sample_type = "none such";
	cpf_profile_init(&p);
	assert_int_equal(cpf_load(&p, path, &o, NULL, &e), 0);
	assert_int_equal(p.ntypes, 4);
	assert_int_equal(p.default_type, 3);
	cpf_profile_release(&p);
}

/* Threads out of labels. */

static void label_bytes(struct cpf_buf *out, uint64_t key, uint64_t str, uint64_t n)
{
	struct cpf_buf l = {0};

	num(&l, 1, key);
	if (str)
		num(&l, 2, str);
	if (n)
		num(&l, 3, n);
	part(out, 3, &l);
	cpf_buf_release(&l);
}

static void labelled(struct cpf_buf *b, const uint64_t (*labels)[3], size_t n)
{
	struct cpf_buf p = {0};

	num(&p, 1, 1);
	num(&p, 2, 1);
	for (; n--; labels++)
		label_bytes(&p, (*labels)[0], (*labels)[1], (*labels)[2]);
	part(b, 2, &p);
	cpf_buf_release(&p);
}

static const char *thread_text(const struct cpf_profile *p, uint32_t sample, int tid)
{
	cpf_id t = cpf_col_id(&p->samples.thread, sample);

	if (t == CPF_NONE)
		return "none";
	return cpf_cstr(p, tid ? p->threads[t].tid : p->threads[t].name);
}

static void test_threads(void **state)
{
	static const uint64_t a[][3] = {{6, 10, 0}, {7, 0, 42}, {8, 0, 42}};
	static const uint64_t b2[][3] = {{6, 11, 0}, {7, 0, 43}, {8, 0, 42}, {9, 12, 0}};
	struct cpf_load_opts o = {.want = CPF_WANT_ALL};
	struct cpf_buf b = {0};
	struct cpf_profile p;
	struct cpf_err e;

	(void)state;
	basis(&b, 0);
	text(&b, 6, "comm");   /* 6 */
	text(&b, 6, "tid");    /* 7 */
	text(&b, 6, "pid");    /* 8 */
	text(&b, 6, "worker"); /* 9 */
	text(&b, 6, "main");
	text(&b, 6, "helper");
	text(&b, 6, "red");
	labelled(&b, a, CPF_LEN(a));
	labelled(&b, b2, CPF_LEN(b2));
	labelled(&b, a, CPF_LEN(a));
	load_ok(&p, b.s, b.n);
	assert_int_equal(p.nthreads, 2);
	assert_int_equal(p.nprocesses, 1);
	assert_string_equal(cpf_cstr(&p, p.processes[0].pid), "42");
	assert_true(p.threads_from_labels);
	assert_string_equal(cpf_cstr(&p, p.thread_label), "comm");
	assert_string_equal(thread_text(&p, 0, 0), "none");
	assert_string_equal(thread_text(&p, 1, 0), "main");
	assert_string_equal(thread_text(&p, 1, 1), "42");
	assert_string_equal(thread_text(&p, 2, 0), "helper");
	assert_string_equal(thread_text(&p, 3, 0), "main");
	assert_int_equal(p.threads[0].flags, CPF_THREAD_MAIN);
	assert_int_equal(p.threads[1].flags, 0);
	cpf_profile_release(&p);
	o.thread_label = "worker";
	assert_int_equal(load(&p, b.s, b.n, &o, &e), 0);
	assert_string_equal(cpf_cstr(&p, p.thread_label), "worker");
	assert_string_equal(thread_text(&p, 2, 0), "red");
	/* comm is free to name the process now. */
	assert_int_equal(p.nprocesses, 2);
	assert_string_equal(cpf_cstr(&p, p.processes[1].name), "helper");
	cpf_profile_release(&p);
	cpf_buf_release(&b);
}

/* Registry and detection. */
static void test_formats(void **state)
{
	static const char gperf[40] = {0, 0, 0, 0, 0, 0, 0, 0, 3};
	struct cpf_buf b = {0};
	struct cpf_profile p;
	struct cpf_err e;
	int gzip;

	(void)state;
	assert_string_equal(cpf_format_by_suffix("a/b.pb.gz", &gzip)->name, "pprof");
	assert_int_equal(gzip, 1);
	assert_string_equal(cpf_format_by_suffix("b.pb", &gzip)->name, "pprof");
	assert_int_equal(gzip, 0);
	assert_string_equal(cpf_format_by_suffix("b.pprof", &gzip)->name, "pprof");
	assert_int_equal(gzip, 1);
	assert_null(cpf_format_by_suffix(".pb", &gzip));
	assert_null(cpf_format_by_suffix("b.xyz", &gzip));
	assert_null(cpf_format_by_name("xyz"));
	assert_int_equal(load(&p, "", 0, NULL, &e), -1);
	assert_string_equal(e.reason, "empty input file");
	cpf_profile_release(&p);
	assert_int_equal(load(&p, "PK\003\004....", 8, NULL, &e), -1);
	assert_non_null(strstr(e.reason, "ZIP"));
	assert_string_equal(e.source, "test");
	cpf_profile_release(&p);
	assert_int_equal(load(&p, "\001\002\"", 3, NULL, &e), -1);
	assert_non_null(strstr(e.reason, "starts with \"\\x01\\x02\\\"\""));
	cpf_profile_release(&p);
	/* Period 0 is no header of gperftools. */
	assert_int_equal(cpf_format_by_name("gperftools")->probe((const uint8_t *)gperf, 40), 0);
	assert_int_equal(cpf_format_by_name("pprof")->probe((const uint8_t *)gperf, 40), 0);
	basis(&b, 0);
	assert_int_equal(cpf_format_by_name("pprof")->probe((const uint8_t *)b.s, b.n), 2);
	cpf_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused_ids),
		cmocka_unit_test(test_refused_values),
		cmocka_unit_test(test_refused_strings),
		cmocka_unit_test(test_refused_wire),
		cmocka_unit_test(test_odd_forms),
		cmocka_unit_test(test_random_forms),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_values_wanted),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
