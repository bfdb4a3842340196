#include "unit/build.h"

#include "core/check.h"
#include "core/dump.h"
#include "core/merge.h"

static struct cpf_profile a, b, out;
static struct cpf_err err;

static int setup(void **state)
{
	(void)state;
	cpf_profile_init(&a);
	cpf_profile_init(&b);
	cpf_profile_init(&out);
	memset(&err, 0, sizeof(err));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cpf_profile_release(&a);
	cpf_profile_release(&b);
	cpf_profile_release(&out);
	return 0;
}

static void type(struct cpf_profile *p, const char *name, const char *unit, int64_t num, int64_t den)
{
	cpf_add_type(p, name, unit, cpf_add_raw(p), num, den);
}

static void sample(struct cpf_profile *p, const char *stack, int64_t v0, int64_t v1)
{
	int64_t v[2] = {v0, v1};

	cpf_add_sample(p, build_stack(p, stack), CPF_NONE, 0, 0, v);
}

static int merge(int join, int like_pprof)
{
	struct cpf_merge_opts o = {.join = join, .like_pprof = like_pprof};
	struct cpf_profile *in[2] = {&a, &b};
	int r = cpf_merge(&out, in, 2, &o, NULL, &err);

	if (!r)
		assert_int_equal(cpf_check_ok(&out, &err), 0);
	return r;
}

static void dumps(uint32_t keeps, const char *want)
{
	struct cpf_buf text = {0};

	cpf_dump(&text, &out, keeps, CPF_NONE, 0);
	assert_string_equal(text.s, want);
	cpf_buf_release(&text);
}

static void sums_and_order(void **state)
{
	(void)state;
	build_samples_type(&a);
	build_samples_type(&b);
	build_sample(&a, "main;f", 1);
	build_sample(&a, "zero", 0);
	build_sample(&a, "gone", 4);
	build_sample(&a, "main", 2);
	build_sample(&b, "main;g", 7);
	build_sample(&b, "gone", -4);
	build_sample(&b, "main;f", 10);
	assert_int_equal(merge(1, 0), 0);
	dumps(0, "type \nsample 11: \"main\"; \"f\"\nsample 2: \"main\"\nsample 7: \"main\"; \"g\"\n");
	/* What only zero sums used is not there: f, main, g in order of first use, leaf first. */
	assert_int_equal(out.nfunctions, 3);
	assert_string_equal(cpf_cstr(&out, out.functions[0].name), "f");
	assert_string_equal(cpf_cstr(&out, out.functions[1].name), "main");
	assert_int_equal(out.nodes.n, 4);
}

static void rows_side_by_side(void **state)
{
	struct cpf_marker marker = {0};
	cpf_id thread;
	int64_t v = 3;

	(void)state;
	build_samples_type(&a);
	build_samples_type(&b);
	a.samples.has_time = b.samples.has_time = 1;
	a.head.time_nanos = 1000;
	b.head.time_nanos = 1500;
	thread = build_thread(&a, "demo", "1", "main", "1");
	cpf_add_sample(&a, build_stack(&a, "f"), thread, 5, 0, &v);
	build_thread(&b, "demo", "1", "idle", "2");
	thread = build_thread(&b, "demo", "1", "main", "1");
	cpf_add_sample(&b, build_stack(&b, "f"), thread, 6, 0, &v);
	v = 0;
	cpf_add_sample(&b, 0, thread, 7, 0, &v);
	marker.thread = thread;
	marker.start = 10;
	marker.end = 20;
	marker.phase = CPF_MARK_INTERVAL;
	marker.category = cpf_add_category(&b, cpf_intern_z(&b, "GC"), 0, NULL, 0);
	marker.stack = build_stack(&b, "alloc");
	cpf_add_marker(&b, &marker);
	assert_int_equal(merge(0, 0), 0);
	/* Two processes of b look alike; the one met first is that of a. */
	dumps(CPF_KEEPS_TIMES | CPF_KEEPS_MARKERS | CPF_KEEPS_CATEGORIES | CPF_KEEPS_EMPTY,
		"type \n"
		"sample 3 time 5: \"f\"\n"
		"sample 3 time 506: \"f\"\n"
		"sample 0 time 507: \n"
		"marker interval 510 520 thread \"main\" tid \"1\" process \"demo\" pid \"1\""
		" category \"GC\" stack: \"alloc\"\n");
	assert_int_equal(out.nthreads, 2);
	assert_int_equal(cpf_col_id(&out.samples.thread, 0), cpf_col_id(&out.samples.thread, 1));
}

static void types_in_common(void **state)
{
	(void)state;
	type(&a, "samples", "count", 1, 1);
	type(&a, "cpu", "nanoseconds", 1000, 1);
	type(&b, "cpu", "ms", 1, 1);
	type(&b, "other", "count", 1, 1);
	a.default_type = 1;
	sample(&a, "f", 2, 7);
	sample(&b, "f", 3, 5);
	assert_int_equal(merge(1, 0), 0);
	dumps(CPF_KEEPS_TYPES, "type \"cpu\" \"nanoseconds\" default\nsample 3007000: \"f\"\n");
	assert_int_equal(out.types[0].num, 1000);
	assert_int_equal(out.samples.nraw, 1);
}

static void shared_columns_stay_shared(void **state)
{
	(void)state;
	build_samples_type(&a);
	cpf_add_type(&a, "wall", "nanoseconds", 0, 1000000, 1);
	build_samples_type(&b);
	cpf_add_type(&b, "wall", "nanoseconds", 0, 1000000, 1);
	build_sample(&a, "f", 2);
	build_sample(&b, "f", 3);
	assert_int_equal(merge(1, 0), 0);
	assert_int_equal(out.samples.nraw, 1);
	dumps(CPF_KEEPS_TYPES, "type \"samples\" \"count\" default\n"
			       "type \"wall\" \"nanoseconds\"\nsample 5 5000000: \"f\"\n");
	cpf_profile_release(&out);
	cpf_profile_init(&out);
	/* Another interval: the same counts are worth something else. */
	b.types[1].num = 1500000;
	assert_int_equal(merge(1, 0), 0);
	assert_int_equal(out.samples.nraw, 2);
	dumps(CPF_KEEPS_TYPES, "type \"samples\" \"count\" default\n"
			       "type \"wall\" \"nanoseconds\"\nsample 5 6500000: \"f\"\n");
}

static void decimals(void **state)
{
	(void)state;
	type(&a, "samples", "count", 1, 100);
	type(&b, "samples", "count", 1, 8);
	build_sample(&a, "f", 125);
	build_sample(&b, "f", 2);
	assert_int_equal(merge(1, 0), 0);
	assert_int_equal(out.types[0].den, 200);
	assert_int_equal(cpf_col_get(&out.samples.raw[0], 0), 300);
}

static void refused(void **state)
{
	(void)state;
	type(&a, "cpu", "nanoseconds", 1, 1);
	type(&b, "cpu", "count", 1, 1);
	assert_int_equal(merge(1, 0), -1);
	assert_int_equal(err.code, CPF_E_USAGE);
	assert_non_null(strstr(err.reason, "incompatible types"));
	b.types[0].type = cpf_intern_z(&b, "wall");
	memset(&err, 0, sizeof(err));
	cpf_profile_release(&out);
	cpf_profile_init(&out);
	assert_int_equal(merge(1, 0), -1);
	assert_non_null(strstr(err.reason, "empty common sample type list"));
}

static void sums_that_do_not_fit(void **state)
{
	(void)state;
	build_samples_type(&a);
	build_samples_type(&b);
	build_sample(&a, "f", INT64_MAX);
	build_sample(&b, "f", 2);
	assert_int_equal(merge(1, 0), -1);
	assert_int_equal(err.code, CPF_E_RANGE);
	memset(&err, 0, sizeof(err));
	cpf_profile_release(&out);
	cpf_profile_init(&out);
	assert_int_equal(merge(1, 1), 0);
	assert_int_equal(cpf_col_get(&out.samples.raw[0], 0), INT64_MIN + 1);
}

/* counts 5, time 0 in ms: lost for pprof when it meets nanoseconds. */
static void rescaled_to_nothing(void **state)
{
	(void)state;
	type(&a, "samples", "count", 1, 1);
	type(&a, "cpu", "ms", 1, 1);
	type(&b, "samples", "count", 1, 1);
	type(&b, "cpu", "ns", 1, 1);
	a.default_type = b.default_type = 1;
	sample(&a, "f", 5, 0);
	sample(&a, "g", 1, 2);
	sample(&b, "h", 1, 0);
	assert_int_equal(merge(1, 0), 0);
	dumps(CPF_KEEPS_TYPES, "type \"samples\" \"count\"\ntype \"cpu\" \"ns\" default\n"
			       "sample 5 0: \"f\"\nsample 1 2000000: \"g\"\nsample 1 0: \"h\"\n");
	cpf_profile_release(&out);
	cpf_profile_init(&out);
	assert_int_equal(merge(1, 1), 0);
	dumps(CPF_KEEPS_TYPES, "type \"samples\" \"count\"\ntype \"cpu\" \"ns\" default\n"
			       "sample 1 2000000: \"g\"\nsample 1 0: \"h\"\n");
}

static void header(void **state)
{
	(void)state;
	build_samples_type(&a);
	build_samples_type(&b);
	build_sample(&a, "f", 1);
	build_sample(&b, "f", 1);
	a.head.time_nanos = 5;
	a.head.duration_nanos = 100;
	b.head.duration_nanos = 50;
	a.head.period = 10;
	b.head.period = 20;
	b.head.drop_frames = cpf_intern_z(&b, "x");
	b.head.doc_url = cpf_intern_z(&b, "http://b");
	cpf_add_comment(&a, cpf_intern_z(&a, "one"));
	cpf_add_comment(&b, cpf_intern_z(&b, "two"));
	cpf_add_comment(&b, cpf_intern_z(&b, "one"));
	assert_int_equal(merge(1, 0), 0);
	assert_int_equal(out.head.time_nanos, 5);
	assert_int_equal(out.head.duration_nanos, 150);
	assert_int_equal(out.head.period, 20);
	assert_int_equal(out.head.drop_frames, 0);
	assert_string_equal(cpf_cstr(&out, out.head.doc_url), "http://b");
	assert_int_equal(out.head.ncomments, 2);
	assert_string_equal(cpf_cstr(&out, out.head.comments[1]), "two");
	cpf_profile_release(&out);
	cpf_profile_init(&out);
	/* A later 0 resets it. */
	assert_int_equal(merge(1, 1), 0);
	assert_int_equal(out.head.time_nanos, 0);
}

static cpf_id mapping(struct cpf_profile *p, uint64_t start, uint64_t size, const char *build_id)
{
	struct cpf_mapping m = {0};

	m.file = cpf_intern_z(p, "/bin/x");
	m.build_id = cpf_intern_z(p, build_id);
	m.start = start;
	m.limit = start + size;
	return cpf_add_mapping(p, &m);
}

static void at(struct cpf_profile *p, cpf_id map, uint64_t address)
{
	struct cpf_location l = {0};
	int64_t v = 1;

	l.mapping = map;
	l.address = address;
	l.flags = CPF_LOC_ADDRESS;
	l.symbol = l.category = l.subcategory = CPF_NONE;
	cpf_add_sample(p, cpf_add_node(p, 0, cpf_add_location(p, &l)), CPF_NONE, 0, 0, &v);
}

static void mappings_move(void **state)
{
	(void)state;
	build_samples_type(&a);
	build_samples_type(&b);
	mapping(&a, 0x1000, 0x1000, "unused main program");
	at(&a, mapping(&a, 0x400000, 0x1f00, "id"), 0x400010);
	/* The same pages elsewhere, another size within them. */
	at(&b, mapping(&b, 0x700000, 0x2000, "id"), 0x700010);
	at(&b, mapping(&b, 0x900000, 0x3000, "id"), 0x900010);
	assert_int_equal(merge(1, 0), 0);
	assert_int_equal(out.nmappings, 3);
	assert_int_equal(out.samples.n, 2);
	assert_int_equal(cpf_col_get(&out.samples.raw[0], 0), 2);
	assert_int_equal(cpf_col_get(&out.locations.address, 0), 0x400010);
	assert_int_equal(cpf_col_get(&out.locations.address, 1), 0x900010);
	assert_string_equal(cpf_cstr(&out, out.mappings[0].build_id), "unused main program");
}

/* One input has its threads from labels, the other has not: labels for all. */
static void threads_and_labels(void **state)
{
	int64_t v = 1;

	(void)state;
	build_samples_type(&a);
	build_samples_type(&b);
	cpf_add_sample(&a, build_stack(&a, "f"), build_thread(&a, "", "", "w", ""), 0,
		build_label(&a, "thread", "w"), &v);
	a.threads_from_labels = 1;
	a.thread_label = cpf_intern_z(&a, "thread");
	cpf_add_sample(&b, build_stack(&b, "f"), build_thread(&b, "demo", "1", "main", "2"), 0,
		build_label(&b, "k", "v"), &v);
	assert_int_equal(merge(1, 0), 0);
	assert_int_equal(out.threads_from_labels, 1);
	dumps(CPF_KEEPS_LABELS, "type \n"
				"sample 1 label \"thread\"=\"w\": \"f\"\n"
				"sample 1 label \"k\"=\"v\" label \"pid\"=\"1\" label \"process\"=\"demo\" "
				"label \"thread\"=\"main\" label \"tid\"=\"2\": \"f\"\n");
}

static void labels_in_any_order(void **state)
{
	struct cpf_label l[2] = {{0}, {0}};
	int64_t v = 1;

	(void)state;
	build_samples_type(&a);
	build_samples_type(&b);
	l[0].key = cpf_intern_z(&a, "z");
	l[0].str = cpf_intern_z(&a, "1");
	l[1].key = cpf_intern_z(&a, "bytes");
	l[1].num = 8;
	cpf_add_sample(&a, build_stack(&a, "f"), CPF_NONE, 0, cpf_find_labels(&a, l, 2), &v);
	l[1].key = cpf_intern_z(&b, "z");
	l[1].str = cpf_intern_z(&b, "1");
	l[1].num = 0;
	l[0].key = cpf_intern_z(&b, "bytes");
	l[0].num = 8;
	l[0].str = 0;
	cpf_add_sample(&b, build_stack(&b, "f"), CPF_NONE, 0, cpf_find_labels(&b, l, 2), &v);
	assert_int_equal(merge(1, 0), 0);
	dumps(CPF_KEEPS_LABELS, "type \nsample 2 label \"z\"=\"1\" label \"bytes\"=8: \"f\"\n");
}

static void arithmetic(void **state)
{
	double ratios[2] = {0.5, 1};

	(void)state;
	build_samples_type(&out);
	cpf_add_type(&out, "wall", "nanoseconds", 0, 10, 1);
	build_sample(&out, "f", 3);
	build_sample(&out, "g", 0);
	build_sample(&out, "h", -1);
	assert_int_equal(cpf_multiply(&out, -3, 2, &err), 0);
	dumps(CPF_KEEPS_TYPES, "type \"samples\" \"count\" default\ntype \"wall\" \"nanoseconds\"\n"
			       "sample -5 -50: \"f\"\nsample 0 0: \"g\"\nsample 2 20: \"h\"\n");
	assert_int_equal(cpf_scale_types(&out, ratios, &err), 0);
	dumps(CPF_KEEPS_TYPES, "type \"samples\" \"count\" default\ntype \"wall\" \"nanoseconds\"\n"
			       "sample -3 -50: \"f\"\nsample 1 20: \"h\"\n");
	assert_int_equal(cpf_check_ok(&out, &err), 0);
	assert_int_equal(cpf_multiply(&out, INT64_MAX, 1, &err), -1);
	assert_int_equal(err.code, CPF_E_RANGE);
}

static void normalize_and_label(void **state)
{
	(void)state;
	build_samples_type(&a);
	build_samples_type(&b);
	build_sample(&a, "f", 10);
	build_sample(&a, "g", 30);
	build_sample(&b, "f", 8);
	build_sample(&b, "", 2);
	assert_int_equal(cpf_normalize(&a, &b, &err), 0);
	assert_int_equal(cpf_col_get(&a.samples.raw[0], 0), 3); /* 2.5 */
	assert_int_equal(cpf_col_get(&a.samples.raw[0], 1), 8); /* 7.5 */
	cpf_col_set(&b.samples.labels, 1, build_label(&b, "pprof::base", "x"));
	cpf_set_label(&b, "pprof::base", "true");
	assert_int_equal(cpf_check_ok(&b, &err), 0);
	assert_int_equal(cpf_col_id(&b.samples.labels, 0), cpf_col_id(&b.samples.labels, 1));
	assert_int_not_equal(cpf_col_id(&b.samples.labels, 0), 0);
	assert_int_equal(merge(1, 1), 0);
	dumps(CPF_KEEPS_LABELS | CPF_KEEPS_EMPTY,
		"type \nsample 3: \"f\"\nsample 8: \"g\"\n"
		"sample 8 label \"pprof::base\"=\"true\": \"f\"\n"
		"sample 2 label \"pprof::base\"=\"true\": \n");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(sums_and_order),
		CASE(rows_side_by_side),
		CASE(types_in_common),
		CASE(shared_columns_stay_shared),
		CASE(decimals),
		CASE(refused),
		CASE(sums_that_do_not_fit),
		CASE(rescaled_to_nothing),
		CASE(header),
		CASE(mappings_move),
		CASE(threads_and_labels),
		CASE(labels_in_any_order),
		CASE(arithmetic),
		CASE(normalize_and_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
