/*
 * t_firefox_rules.c - single rules of the Firefox reader, each on a profile of a few lines.
 */
#include "test.h"

#include <cpuprof/format.h>

#include "base/input.h"
#include "core/check.h"

static struct cpf_profile p;
static struct cpf_diag d;
static struct cpf_err e;

static int read_text(const char *text, const struct cpf_load_opts *o)
{
	struct cpf_input *in;
	int r;

	memset(&d, 0, sizeof(d));
	memset(&e, 0, sizeof(e));
	e.byte = CPF_NO_POS;
	cpf_profile_init(&p);
	assert_int_equal(cpf_input_memory(&in, "text", text, strlen(text), &d, &e), 0);
	r = cpf_load_input(&p, in, o, &d, &e);
	cpf_input_close(in);
	return r;
}

static void read_good(const char *text)
{
	struct cpf_err broken = {0};

	if (read_text(text, NULL))
		fail_msg("%s: %s", e.where, e.reason);
	if (cpf_check_ok(&p, &broken))
		fail_msg("%s", broken.reason);
}

static void drop(void)
{
	cpf_profile_release(&p);
	cpf_diag_release(&d);
}

static int64_t note(const char *kind)
{
	size_t i;

	for (i = 0; i < d.n; i++)
		if (!strcmp(d.notes[i].kind, kind))
			return d.notes[i].count;
	return 0;
}

static int64_t raw(const char *type, uint32_t row)
{
	int t = cpf_type_index(&p, type);

	assert_true(t >= 0);
	return cpf_col_get(&p.samples.raw[p.types[t].raw], row);
}

#define META(more)                                                                                 \
	"{\"meta\":{\"preprocessedProfileVersion\":60,\"interval\":1" more "},\"libs\":[],"
#define SHARED                                                                                     \
	"\"shared\":{\"stackTable\":{\"length\":1,\"frame\":[0],\"prefix\":[null]},"               \
	"\"frameTable\":{\"length\":1,\"func\":[0]},\"funcTable\":{\"length\":1,\"name\":[0]},"    \
	"\"stringArray\":[\"main\"]},"
#define US ",\"sampleUnits\":{\"threadCPUDelta\":\"\xc2\xb5s\"}"

static void units_of_weights_side_by_side(void **state)
{
	(void)state;
	read_good(META("") SHARED
		"\"threads\":[{\"name\":\"a\",\"samples\":{\"stack\":[0],\"time\":[1],\"weight\":["
		"3]}},"
		"{\"name\":\"b\",\"samples\":{\"stack\":[0,0],\"time\":[1,2],\"weight\":[0.5,2],"
		"\"weightType\":\"tracing-ms\"}},{\"name\":\"c\",\"samples\":{\"stack\":[0],"
		"\"time\":[1],\"weight\":[4096],\"weightType\":\"bytes\"}},"
		"{\"name\":\"d\",\"samples\":{\"stack\":[0],\"time\":[1],\"weight\":[0.25]}}]}");
	assert_int_equal(p.samples.n, 5);
	assert_int_equal(p.ntypes, 4);
	/* Fractions came with the last thread: everything is in millionths. */
	assert_int_equal(raw("samples", 0), 3000000);
	assert_int_equal(raw("samples", 1), 0);
	assert_int_equal(raw("samples", 4), 250000);
	assert_int_equal(p.types[cpf_type_index(&p, "samples")].den, 1000000);
	assert_int_equal(raw("time", 1), 500000);
	assert_int_equal(raw("time", 2), 2000000);
	assert_int_equal(raw("time", 0), 0);
	assert_int_equal(p.types[cpf_type_index(&p, "time")].num, 1);
	assert_int_equal(raw("bytes", 3), 4096);
	assert_string_equal(cpf_cstr(&p, p.types[p.default_type].type), "wall");
	drop();
}

static void first_cpu_delta(void **state)
{
	static const struct {
		const char *thread;
		int64_t want, unknown;
	} threads[] = {/* 5 ms old and one interval: 6 ms fit, 7 do not. */
		{"\"registerTime\":1000,\"samples\":{\"stack\":[0],\"time\":[1005],"
		 "\"threadCPUDelta\":[6000]}",
			6000, 0},
		{"\"registerTime\":1000,\"samples\":{\"stack\":[0],\"time\":[1005],"
		 "\"threadCPUDelta\":[7000]}",
			0, 1},
		/* Its process was seen earlier. */
		{"\"registerTime\":1000,\"processStartupTime\":990,\"samples\":{\"stack\":[0],"
		 "\"time\":[1005],\"threadCPUDelta\":[7000]}",
			7000, 0},
		/* A main thread ran before it was first seen, but not before the recording. */
		{"\"isMainThread\":true,\"registerTime\":1000,\"samples\":{\"stack\":[0],"
		 "\"time\":[1005],\"threadCPUDelta\":[1006000]}",
			1006000, 0},
		{"\"isMainThread\":true,\"registerTime\":1000,\"samples\":{\"stack\":[0],"
		 "\"time\":[1005],\"threadCPUDelta\":[1007000]}",
			0, 1},
		/* Times since boot say nothing of the recording. */
		{"\"isMainThread\":true,\"registerTime\":4000000,\"samples\":{\"stack\":[0],"
		 "\"time\":[4000005],\"threadCPUDelta\":[7000]}",
			0, 1}};
	char text[2048];
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(threads); i++) {
		snprintf(text, sizeof(text), "%s\"threads\":[{\"name\":\"t\",%s}]}",
			META(US) SHARED, threads[i].thread);
		read_good(text);
		assert_int_equal(raw("cpu", 0), threads[i].want);
		assert_int_equal(note("first-cpu-delta"), threads[i].unknown);
		drop();
	}
}

static void wall_clock(void **state)
{
	static const struct {
		const char *meta, *time;
		int64_t want;
	} cases[] = {/* Time 0 is meta.startTime. */
		{",\"startTime\":1000", "5", 1005000000},
		/* Times since boot, told by the first sample ... */
		{",\"startTime\":1000", "7200000", 1000000000},
		/* ... by the clock at time 0 ... */
		{",\"startTime\":1000,\"startTimeAsClockMonotonicNanosecondsSinceBoot\":0", "5",
			1000000000},
		{",\"startTime\":1000,\"startTimeAsClockMonotonicNanosecondsSinceBoot\":99",
			"7200000", INT64_C(7201000000000)},
		/* ... or by samply's system. */
		{",\"startTime\":1000,\"version\":24,\"oscpu\":\"Debian\"", "5", 1000000000},
		{",\"startTime\":1000,\"version\":24,\"oscpu\":\"macOS 14\"", "5", 1005000000},
		{",\"startTime\":1000,\"profilingStartTime\":2.5", "5", 1002500000}};
	char text[2048];
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(cases); i++) {
		snprintf(text, sizeof(text),
			"{\"meta\":{\"preprocessedProfileVersion\":60,\"interval\":1%s},\"libs\":[]"
			",%s"
			"\"threads\":[{\"samples\":{\"stack\":[0],\"time\":[%s]}}]}",
			cases[i].meta, SHARED, cases[i].time);
		read_good(text);
		assert_int_equal(p.head.time_nanos, cases[i].want);
		drop();
	}
}

static void deltas_are_summed_exactly(void **state)
{
	(void)state;
	read_good(META("") SHARED
		"\"threads\":[{\"samples\":{\"stack\":[0,0,0,0],"
		"\"timeDeltas\":[75091423.481378,2.079372,0.100001,0.2000004999]}}]}");
	assert_int_equal(cpf_col_get(&p.samples.time, 0), INT64_C(75091423481378));
	assert_int_equal(cpf_col_get(&p.samples.time, 1), INT64_C(75091425560750));
	assert_int_equal(cpf_col_get(&p.samples.time, 2), INT64_C(75091425660751));
	assert_int_equal(cpf_col_get(&p.samples.time, 3), INT64_C(75091425860751));
	assert_int_equal(p.head.duration_nanos, 2379373);
	drop();
}

static void processes_by_pid_and_name(void **state)
{
	(void)state;
	read_good(META("") SHARED "\"threads\":[{\"pid\":7,\"processName\":\"sh\",\"samples\":{}},"
				  "{\"pid\":\"7\",\"processName\":\"sh\",\"samples\":{}},"
				  "{\"pid\":\"7\",\"processName\":\"ls\",\"samples\":{}},"
				  "{\"pid\":\"7.1\",\"processName\":\"ls\",\"samples\":{}},"
				  "{\"pid\":\"7\",\"samples\":{}},"
				  "{\"pid\":\"8\",\"samples\":{}},{\"pid\":\"8\",\"processName\":"
				  "\"x\",\"samples\":{}}]}");
	assert_int_equal(p.nthreads, 7);
	assert_int_equal(p.nprocesses, 4);
	assert_int_equal(p.threads[1].process, 0);
	assert_int_equal(p.threads[2].process, 1);
	assert_int_equal(p.threads[3].process, 2);
	assert_int_equal(p.threads[4].process, 0);
	assert_int_equal(p.threads[6].process, 3);
	assert_string_equal(cpf_cstr(&p, p.processes[3].name), "x");
	drop();
}

static void build_ids(void **state)
{
	static const struct {
		const char *lib, *want;
	} libs[] = {
		{"\"codeId\":\"63260a3e6e46db57abf718f6a3562c6eedccf269\",\"path\":\"/opt/demo\"",
			"63260a3e6e46db57abf718f6a3562c6eedccf269"},
		/* Without codeId the first 16 bytes come back from the breakpad id, for ELF. */
		{"\"breakpadId\":\"3E0A2663466E57DBABF718F6A3562C6E0\",\"path\":\"/opt/demo\"",
			"63260a3e6e46db57abf718f6a3562c6e"},
		{"\"breakpadId\":\"4E444475EA7EB5FBA7ECAF94FC3EBEBD0\",\"path\":\"/lib/libm.so.6\","
		 "\"arch\":\"x86_64\"",
			"7544444e7eeafbb5a7ecaf94fc3ebebd"},
		{"\"breakpadId\":\"F1D957D30B413D55A539BBA06F90DD8F0\",\"path\":\"/Applications/"
		 "x\","
		 "\"arch\":\"x86_64\"",
			"F1D957D30B413D55A539BBA06F90DD8F0"},
		{"\"breakpadId\":\"21EB609F5CD42F738B9AD508893634BD1\",\"path\":\"C:\\\\ntdll."
		 "dll\","
		 "\"debugName\":\"ntdll.pdb\"",
			"21EB609F5CD42F738B9AD508893634BD1"},
		{"\"breakpadId\":\"000000000000000000000000000000000\",\"path\":\"/opt/demo\"",
			""}};
	char text[1024];
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(libs); i++) {
		snprintf(text, sizeof(text),
			"{\"meta\":{\"preprocessedProfileVersion\":60},\"libs\":[{%s}],\"threads\":"
			"[]}",
			libs[i].lib);
		read_good(text);
		assert_int_equal(p.nmappings, 1);
		assert_string_equal(cpf_cstr(&p, p.mappings[0].build_id), libs[i].want);
		drop();
	}
}

static void equal_libs_are_one(void **state)
{
	(void)state;
	read_good("{\"meta\":{\"preprocessedProfileVersion\":60},\"libs\":["
		  "{\"name\":\"a\",\"debugName\":\"a\",\"breakpadId\":"
		  "\"3E0A2663466E57DBABF718F6A3562C6E0\"},"
		  "{\"name\":\"b\",\"debugName\":\"a\",\"breakpadId\":"
		  "\"3E0A2663466E57DBABF718F6A3562C6E0\"},"
		  "{\"name\":\"c\",\"debugName\":\"c\",\"breakpadId\":"
		  "\"000000000000000000000000000000000\"},"
		  "{\"name\":\"d\",\"debugName\":\"c\",\"breakpadId\":"
		  "\"000000000000000000000000000000000\"}],"
		  "\"threads\":[]}");
	assert_int_equal(p.nmappings, 3);
	drop();
}

/* A frame called 0x... is no name: of a library's frame the address counts, else the name's. */
static void hex_names(void **state)
{
	(void)state;
	read_good("{\"meta\":{\"preprocessedProfileVersion\":49,\"interval\":1},\"libs\":[{"
		  "\"name\":\"a\"}],"
		  "\"threads\":[{\"samples\":{\"stack\":[0,1,2,3],\"time\":[1,2,3,4]},"
		  "\"stackTable\":{\"length\":4,\"frame\":[0,1,2,3],\"prefix\":[null,null,null,"
		  "null]},"
		  "\"frameTable\":{\"length\":4,\"func\":[0,1,2,3],\"address\":[4351,-1,64,-1]},"
		  "\"funcTable\":{\"length\":4,\"name\":[0,1,2,3],\"resource\":[0,-1,-1,-1]},"
		  "\"resourceTable\":{\"length\":1,\"lib\":[0],\"type\":[1]},"
		  "\"stringArray\":[\"0xffff00\",\"0xffffffff81000001\",\"<unknown at 0x40>\","
		  "\"0x00ab\"]}]}");
	assert_int_equal(p.nfunctions, 1); /* the last: no number prints like that */
	assert_int_equal(p.locations.n, 4);
	assert_int_equal(cpf_col_get(&p.locations.address, 0), 4351);
	assert_int_equal(cpf_col_get(&p.locations.mapping, 0), 0);
	assert_int_equal(
		(uint64_t)cpf_col_get(&p.locations.address, 1), UINT64_C(0xffffffff81000001));
	assert_int_equal(cpf_col_get(&p.locations.mapping, 1), -1);
	assert_int_equal(cpf_col_get(&p.locations.flags, 1), CPF_LOC_ADDRESS);
	assert_int_equal(cpf_col_get(&p.locations.address, 2), 64);
	assert_int_equal(cpf_col_get(&p.locations.flags, 3), 0);
	drop();
}

/* Before version 38 callers hold return addresses; a row that is both has two nodes. */
static void return_addresses(void **state)
{
	uint32_t i;
	int64_t want[] = {100, 199, 200};

	(void)state;
	read_good("{\"meta\":{\"preprocessedProfileVersion\":37,\"interval\":1},"
		  "\"threads\":[{\"libs\":[{\"name\":\"a\"}],\"samples\":{\"stack\":[1,0],\"time\":"
		  "[1,2]},"
		  "\"stackTable\":{\"length\":2,\"frame\":[0,1],\"prefix\":[null,0]},"
		  "\"frameTable\":{\"length\":2,\"func\":[0,0],\"address\":[200,100]},"
		  "\"funcTable\":{\"length\":1,\"name\":[0],\"resource\":[0]},"
		  "\"resourceTable\":{\"length\":1,\"lib\":[0],\"type\":[1]},\"stringArray\":["
		  "\"f\"]}]}");
	for (i = 0; i < 2; i++) {
		cpf_id node = cpf_col_id(&p.samples.node, i),
		       loc = cpf_col_id(&p.nodes.location, node);
		cpf_id parent = cpf_col_id(&p.nodes.parent, node);

		assert_int_equal(cpf_col_get(&p.locations.address, loc), want[i ? 2 : 0]);
		if (i == 0)
			assert_int_equal(cpf_col_get(&p.locations.address,
						 cpf_col_id(&p.nodes.location, parent)),
				want[1]);
	}
	drop();
}

static void missing_sample_type(void **state)
{
	struct cpf_load_opts o = {.sample_type = "cpu"};

	(void)state;
	assert_int_equal(read_text(META("") SHARED
				 "\"threads\":[{\"samples\":{\"stack\":[0],\"time\":[1]}}]}",
				 &o),
		-1);
	assert_int_equal(e.code, CPF_E_USAGE);
	assert_non_null(strstr(e.reason, "samples, wall"));
	drop();
}

static void members_in_any_order(void **state)
{
	(void)state;
	read_good("{\"threads\":[{\"samples\":{\"timeDeltas\":[1,1],\"stack\":[0,null]}}]," SHARED
		  "\"libs\":[],\"meta\":{\"interval\":0.3333333333,\"preprocessedProfileVersion\":"
		  "60}}");
	assert_int_equal(p.samples.n, 2);
	assert_int_equal(cpf_col_get(&p.samples.node, 1), 0);
	/* Parts of a nanosecond stay in the factor. */
	assert_int_equal(p.types[cpf_type_index(&p, "wall")].num, 333333333);
	assert_int_equal(p.types[cpf_type_index(&p, "wall")].den, 1000);
	drop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(units_of_weights_side_by_side),
		cmocka_unit_test(first_cpu_delta), cmocka_unit_test(wall_clock),
		cmocka_unit_test(deltas_are_summed_exactly),
		cmocka_unit_test(processes_by_pid_and_name), cmocka_unit_test(build_ids),
		cmocka_unit_test(equal_libs_are_one), cmocka_unit_test(hex_names),
		cmocka_unit_test(return_addresses), cmocka_unit_test(missing_sample_type),
		cmocka_unit_test(members_in_any_order)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
