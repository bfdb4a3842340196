#include "unit/test.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/output.h"
#include "symbolize/driver.h"
#include "symbolize/sidecar.h"

#include <unistd.h>

#define ID   "3E0A2663466E57DBABF718F6A3562C6E0"
#define UUID "3e0a2663-466e-57db-abf7-18f6a3562c6e"

/* Profiles. */

static cpf_id library(struct cpf_profile *p, const char *name, const char *debug_id)
{
	struct cpf_mapping m = {0};

	m.file = m.debug_path = cpf_intern_z(p, name);
	m.debug_name = cpf_intern_z(p, name);
	m.debug_id = cpf_intern_z(p, debug_id);
	m.flags = CPF_MAP_RELATIVE;
	return cpf_add_mapping(p, &m);
}

/* name NULL: no line. */
static cpf_id place(struct cpf_profile *p, cpf_id lib, uint64_t address, const char *name)
{
	struct cpf_function f = {0};
	struct cpf_line line = {0, 0, 0};
	struct cpf_location l = {0};

	l.mapping = lib;
	l.symbol = l.category = l.subcategory = CPF_NONE;
	l.address = address;
	l.flags = CPF_LOC_ADDRESS;
	if (name) {
		f.name = cpf_intern_z(p, name);
		f.resource_lib = CPF_NONE;
		line.function = cpf_find_function(p, &f);
		l.lines = &line;
		l.nlines = 1;
	}
	return cpf_add_location(p, &l);
}

static void sample(struct cpf_profile *p, const cpf_id *places, size_t n)
{
	int64_t one = 1;
	cpf_id node = 0;
	size_t i;

	for (i = 0; i < n; i++)
		node = cpf_add_node(p, node, places[i]);
	cpf_add_sample(p, node, CPF_NONE, 0, 0, &one);
}

static void start(struct cpf_profile *p)
{
	cpf_profile_init(p);
	cpf_add_type(p, "samples", "count", cpf_add_raw(p), 1, 1);
}

/* "inner:file:line<outer:file:line" of every location. */
static void expect_places(struct cpf_profile *p, const char *want)
{
	const struct cpf_locations *t = &p->locations;
	struct cpf_buf b = {0};
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		size_t k = (size_t)cpf_col_get(&t->first, i);
		size_t end = (size_t)cpf_col_get(&t->first, (size_t)i + 1);
		int more = 0;

		cpf_buf_str(&b, i ? " " : "");
		for (; k < end; k++) {
			const struct cpf_function *f = &p->functions[cpf_col_id(&t->line_fn, k)];

			cpf_buf_fmt(&b, "%s%s:%s:%" PRId64, more ? "<" : "", cpf_cstr(p, f->name),
				cpf_cstr(p, f->file), cpf_col_get(&t->line_no, k));
			more = 1;
		}
		if (!more)
			cpf_buf_char(&b, '-');
	}
	assert_string_equal(b.s, want);
	cpf_buf_release(&b);
}

/* Sidecars. */

static int read_sidecar(struct cpf_sidecar *s, const char *text, struct cpf_err *e)
{
	struct cpf_input *in;
	int r;

	memset(s, 0, sizeof(*s));
	assert_int_equal(cpf_input_memory(&in, "x.syms.json", text, strlen(text), NULL, e), 0);
	r = cpf_sidecar_read(s, in, e);
	cpf_input_close(in);
	return r;
}

/* What a file says of the addresses of a library: "name:file:line<... " or the reason. */
static void expect_answers(const char *text, const char *debug_name, const char *debug_id,
	const uint64_t *addr, size_t n, const char *want)
{
	struct cpf_module m = {.name = "x", .path = "", .build_id = "", .debug_name = debug_name,
		.debug_path = "", .debug_id = debug_id, .code_id = "", .arch = "", .relative = 1};
	const struct cpf_sidecar_lib *lib;
	struct cpf_sidecar s;
	struct cpf_err e = {0};
	struct cpf_sink sink;
	struct cpf_buf b = {0};
	size_t i;

	if (read_sidecar(&s, text, &e))
		fail_msg("%s", e.reason);
	lib = cpf_sidecar_lib_of(&s, &m);
	cpf_buf_str(&b, lib ? "" : "no library");
	cpf_sink_init(&sink, n);
	if (lib)
		cpf_sidecar_lookup(&s, lib, addr, n, &sink);
	for (i = 0; lib && i < n; i++) {
		const struct cpf_sink_answer *a = &sink.answers[i];
		uint32_t k;

		cpf_buf_str(&b, i ? " " : "");
		if (!a->n)
			cpf_buf_str(&b, cpf_why_word((enum cpf_why)a->why));
		for (k = a->first; k < a->first + a->n; k++) {
			const struct cpf_sink_frame *f = &sink.frames[k];

			cpf_buf_fmt(&b, "%s%s:%s:%" PRId64, k > a->first ? "<" : "",
				sink.strings->texts[f->name].s, sink.strings->texts[f->file].s,
				f->line);
		}
	}
	assert_string_equal(b.s, want);
	cpf_buf_release(&b);
	cpf_sink_release(&sink);
	cpf_sidecar_release(&s);
}

#define STRINGS "\"string_table\":[\"UNKNOWN\",\"main\",\"main.c\",\"leaf\",\"leaf.h\",\"two\"]"
#define LIB(table, known)                                                                          \
	"{\"debug_name\":\"demo\",\"debug_id\":\"" UUID "\",\"code_id\":\"\",\"symbol_table\":"    \
	table ",\"known_addresses\":" known "}"
#define INLINED                                                                                    \
	"{\"rva\":4096,\"size\":512,\"symbol\":1,\"frames\":[{\"function\":3,\"file\":4,\"line\":7}," \
	"{\"function\":1,\"file\":2,\"line\":12}]}"
#define PLAIN "{\"rva\":4096,\"size\":512,\"symbol\":1,\"frames\":[{\"function\":1,\"file\":2," \
	"\"line\":9}]}"
#define BARE  "{\"rva\":8192,\"symbol\":5}"

static void frames_of_known_addresses(void **state)
{
	static const uint64_t addr[] = {4351, 4352, 4400, 8192, 9000};
	static const char data[] = "\"data\":[" LIB("[" INLINED "," PLAIN "," BARE "]",
		"[[4351,0],[4400,1],[8192,2]]") "]";
	struct cpf_buf text = {0};

	(void)state;
	cpf_buf_fmt(&text, "{%s,%s}", STRINGS, data);
	/* 4352 is not listed, but inside main: its name is certain, its line is not. */
	expect_answers(text.s, "demo", ID, addr, CPF_LEN(addr),
		"leaf:leaf.h:7<main:main.c:12 main:main.c:0 main:main.c:9 two::0 outside");
	/* The strings may come last, and unknown members anywhere. */
	cpf_buf_clear(&text);
	cpf_buf_fmt(&text, "{\"v\":[1,{}],%s,%s}", data, STRINGS);
	expect_answers(text.s, "demo", ID, addr, CPF_LEN(addr),
		"leaf:leaf.h:7<main:main.c:12 main:main.c:0 main:main.c:9 two::0 outside");
	/* The id decides, whatever its spelling; the name alone does not. */
	expect_answers(text.s, "other", "3e0a2663466e57dbabf718f6a3562c6e0", addr, 1,
		"leaf:leaf.h:7<main:main.c:12");
	expect_answers(text.s, "demo", "3E0A2663466E57DBABF718F6A3562C6E1", addr, 1, "no library");
	expect_answers(text.s, "demo", CPF_SIDECAR_NIL, addr, 1, "no library");
	cpf_buf_release(&text);
}

/* One entry for all addresses of a function: only name and file of the function are right. */
static void one_entry_per_function(void **state)
{
	static const uint64_t addr[] = {4351, 4400, 8192};

	(void)state;
	expect_answers("{" STRINGS ",\"data\":[" LIB("[" INLINED "," BARE "]",
			       "[[4351,0],[4400,0],[8192,1]]") "]}",
		"demo", ID, addr, CPF_LEN(addr), "main:main.c:0 main:main.c:0 two::0");
	/* Two entries with the same start: the later shape, and equal places may share one. */
	expect_answers("{" STRINGS ",\"data\":[" LIB("[" INLINED "," PLAIN "]",
			       "[[4351,0],[4400,0],[4401,1]]") "]}",
		"demo", ID, addr, 2, "leaf:leaf.h:7<main:main.c:12 leaf:leaf.h:7<main:main.c:12");
	/* An entry that serves one address was made for it. */
	expect_answers("{" STRINGS ",\"data\":[" LIB("[" INLINED "," BARE "]",
			       "[[4351,0],[8192,1],[8193,1]]") "]}",
		"demo", ID, addr, 1, "leaf:leaf.h:7<main:main.c:12");
}

static void unknown_parts(void **state)
{
	static const uint64_t addr[] = {1, 2, 3};

	(void)state;
	/* 0 and null both say that something is not known. */
	expect_answers("{" STRINGS ",\"data\":[" LIB("["
		"{\"rva\":1,\"size\":1,\"symbol\":1,\"frames\":[{\"function\":3,\"file\":0,\"line\":0},"
		"{\"function\":0,\"file\":null,\"line\":null}]},"
		"{\"rva\":2,\"size\":null,\"symbol\":1,\"frames\":null},"
		"{\"rva\":3,\"size\":1,\"symbol\":0,\"frames\":[]}]", "[[1,0],[2,1],[3,2]]") "]}",
		"demo", ID, addr, 3, "leaf::0<main::0 main::0 outside");
	/* Not in order. */
	expect_answers("{" STRINGS ",\"data\":[" LIB("["
		"{\"rva\":3,\"size\":1,\"symbol\":1},{\"rva\":1,\"size\":2,\"symbol\":5}]",
		"[[3,0],[1,1]]") "]}", "demo", ID, addr, 3, "two::0 two::0 main::0");
}

#define NIL_LIB(name, symbol)                                                                      \
	"{\"debug_name\":\"" name "\",\"debug_id\":\"00000000-0000-0000-0000-000000000000\","      \
	"\"symbol_table\":[{\"rva\":1,\"size\":9,\"symbol\":" symbol "}],\"known_addresses\":[[1,0]]}"

static void libraries_without_id(void **state)
{
	static const uint64_t addr[] = {1};
	static const char text[] =
		"{" STRINGS ",\"data\":[" NIL_LIB("perf-1.map", "1") "," NIL_LIB("perf-2.map", "5") "]}";

	(void)state;
	expect_answers(text, "perf-2.map", CPF_SIDECAR_NIL, addr, 1, "two::0");
	expect_answers(text, "perf-3.map", CPF_SIDECAR_NIL, addr, 1, "no library");
}

static void broken_files(void **state)
{
	static const char *const texts[] = {"", "[]", "{}", "{" STRINGS "}", "{\"data\":[]}",
		"{" STRINGS ",\"data\":[" LIB("[{\"rva\":1,\"symbol\":6}]", "[]") "]}",
		"{" STRINGS ",\"data\":[" LIB("[{\"rva\":-1,\"symbol\":1}]", "[]") "]}",
		"{" STRINGS ",\"data\":[" LIB("[{\"rva\":1.5,\"symbol\":1}]", "[]") "]}",
		"{" STRINGS ",\"data\":[" LIB("[{\"rva\":1,\"symbol\":1}]", "[[1,1]]") "]}",
		"{" STRINGS ",\"data\":[" LIB("[{\"rva\":1,\"symbol\":1}]", "[[1]]") "]}",
		"{" STRINGS ",\"data\":[" LIB("[{\"rva\":1,\"symbol\":1}]", "[[1,null]]") "]}",
		"{" STRINGS ",\"data\":[" LIB("[{\"rva\":1,\"symbol\":1}]", "[[1,0]"),
		"{" STRINGS ",\"data\":[]} x"};
	struct cpf_sidecar s;
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(texts); i++) {
		struct cpf_err e = {0};

		assert_int_equal(read_sidecar(&s, texts[i], &e), -1);
		assert_string_equal(e.source, "x.syms.json");
		assert_true(e.reason[0]);
		cpf_sidecar_release(&s);
	}
}

/* The driver. */

static char path[] = "/tmp/t_symbolize.XXXXXX";

static int make_file(void **state)
{
	static const char text[] =
		"{" STRINGS ",\"data\":[" LIB("[" INLINED "," PLAIN ",{\"rva\":12288,\"symbol\":5}]",
			"[[4351,0],[4400,1],[12288,2]]") ","
		"{\"debug_name\":\"made\",\"debug_id\":\"" "4e0a2663-466e-57db-abf7-18f6a3562c6e\","
		"\"symbol_table\":[{\"rva\":1,\"size\":9,\"symbol\":0,\"frames\":[{\"function\":6}]}],"
		"\"known_addresses\":[[1,0]]}]}";
	char *fun = strdup(text), *at = strstr(fun, "\"two\"]");
	int fd = mkstemp(path);
	struct cpf_buf b = {0};

	(void)state;
	assert_true(fd >= 0);
	cpf_buf_add(&b, fun, (size_t)(at - fun));
	cpf_buf_str(&b, "\"two\",\"fun_10\"]");
	cpf_buf_str(&b, at + 6);
	assert_int_equal(write(fd, b.s, b.n), (ssize_t)b.n);
	close(fd);
	free(fun);
	cpf_buf_release(&b);
	return 0;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void symbolize(struct cpf_profile *p, struct cpf_sym_result *r, int off)
{
	const char *files[] = {path};
	struct cpf_symbolize_opts o = {0};
	struct cpf_diag d = {0};
	struct cpf_err e = {0};

	o.where.sidecars = files;
	o.where.nsidecars = o.where.nsidecars_given = 1;
	o.where.sysroot = "/nowhere";
	o.off = off;
	if (cpf_symbolize(r, p, &o, &d, &e))
		fail_msg("%s", e.reason);
	assert_int_equal(d.n, 0);
	cpf_diag_release(&d);
}

static void expect_lib(const struct cpf_sym_result *r, uint32_t i, uint64_t asked, uint64_t named,
	enum cpf_why why)
{
	assert_int_equal(r->libs[i].asked, asked);
	assert_int_equal(r->libs[i].named, named);
	assert_int_equal(r->libs[i].why, why);
}

static void names_go_into_locations(void **state)
{
	struct cpf_sym_result r;
	struct cpf_profile p;
	cpf_id demo, made, dll, at[9];
	uint32_t nodes;

	(void)state;
	start(&p);
	demo = library(&p, "demo", ID);
	made = library(&p, "made", "4E0A2663466E57DBABF718F6A3562C6E0");
	dll = library(&p, "some.dll", "5E0A2663466E57DBABF718F6A3562C6E1");
	at[0] = place(&p, demo, 4351, NULL);
	at[1] = place(&p, demo, 4400, "0x1130");
	at[2] = place(&p, demo, 4351, "kept");
	at[3] = place(&p, demo, 4351, NULL); /* the same address in another category, say */
	at[4] = place(&p, dll, 7, NULL);
	at[5] = place(&p, CPF_NONE, 99, NULL);
	at[6] = place(&p, made, 1, "0x1");
	at[7] = place(&p, demo, 99999, NULL);
	at[8] = place(&p, demo, 12288, NULL); /* in no sample */
	sample(&p, at, 8);
	nodes = p.nodes.n;
	symbolize(&p, &r, 0);
	expect_places(&p, "leaf:leaf.h:7<main:main.c:12 main:main.c:9 kept::0 "
		"leaf:leaf.h:7<main:main.c:12 - - fun_10::0 - -");
	assert_int_equal(p.nodes.n, nodes);
	expect_lib(&r, demo, 3, 2, CPF_WHY_OUTSIDE);
	assert_string_equal(r.libs[demo].source, "sidecar");
	expect_lib(&r, made, 1, 0, CPF_WHY_NO_SYMBOLS);
	expect_lib(&r, dll, 1, 0, CPF_WHY_UNSUPPORTED);
	assert_string_equal(r.libs[dll].text, "PDB not read");
	expect_lib(&r, 3, 1, 0, CPF_WHY_NO_LIBRARY);
	assert_int_equal(p.mappings[demo].flags, CPF_MAP_RELATIVE | CPF_MAP_HAS_FUNCTIONS |
		CPF_MAP_HAS_FILENAMES | CPF_MAP_HAS_LINES | CPF_MAP_HAS_INLINES);
	assert_int_equal(p.mappings[dll].flags, CPF_MAP_RELATIVE);
	/* Symbols come along. */
	assert_int_equal(p.symbols[cpf_col_id(&p.locations.symbol, 0)].address, 4096);
	assert_int_equal(p.symbols[cpf_col_id(&p.locations.symbol, 0)].size, 512);
	assert_int_equal(cpf_col_id(&p.locations.symbol, 2), CPF_NONE);
	cpf_sym_result_release(&r);
	/* A second time finds nothing new. */
	symbolize(&p, &r, 0);
	expect_lib(&r, demo, 1, 0, CPF_WHY_OUTSIDE);
	cpf_sym_result_release(&r);
	cpf_profile_release(&p);
}

/* Stacks of markers count where they are written. */
static void stacks_of_markers(void **state)
{
	const char *files[] = {path};
	struct cpf_symbolize_opts o = {0};
	struct cpf_sym_result r;
	struct cpf_marker m = {0};
	struct cpf_profile p;
	struct cpf_err e = {0};
	cpf_id demo;

	(void)state;
	start(&p);
	demo = library(&p, "demo", ID);
	m.thread = m.category = CPF_NONE;
	m.stack = cpf_add_node(&p, 0, place(&p, demo, 4400, NULL));
	cpf_add_marker(&p, &m);
	symbolize(&p, &r, 0);
	expect_lib(&r, demo, 0, 0, CPF_WHY_NONE);
	expect_places(&p, "-");
	cpf_sym_result_release(&r);
	o.where.sidecars = files;
	o.where.nsidecars = 1;
	o.markers = 1;
	o.sources = "elf,sidecar";
	assert_int_equal(cpf_symbolize(&r, &p, &o, NULL, &e), 0);
	expect_lib(&r, demo, 1, 1, CPF_WHY_NONE);
	expect_places(&p, "main:main.c:9");
	cpf_sym_result_release(&r);
	cpf_profile_release(&p);
}

static void nothing_is_looked_for(void **state)
{
	struct cpf_sym_result r;
	struct cpf_profile p;
	cpf_id demo, at[1];

	(void)state;
	start(&p);
	demo = library(&p, "demo", ID);
	at[0] = place(&p, demo, 4351, NULL);
	sample(&p, at, 1);
	symbolize(&p, &r, 1);
	expect_lib(&r, demo, 1, 0, CPF_WHY_OFF);
	expect_places(&p, "-");
	cpf_sym_result_release(&r);
	cpf_profile_release(&p);
}

/* What is written is read again: the same names, inlined functions, files and lines. */
static void written_and_read(void **state)
{
	static const uint64_t addr[] = {4351, 4400, 4401};
	struct cpf_profile p;
	struct cpf_sym_result r;
	struct cpf_output *out;
	struct cpf_err e = {0};
	uint64_t written, skipped;
	cpf_id demo, at[3];
	char *text;
	size_t n;

	(void)state;
	start(&p);
	demo = library(&p, "demo", ID);
	at[0] = place(&p, demo, 4351, NULL);
	at[1] = place(&p, demo, 4400, NULL);
	at[2] = place(&p, demo, 4401, "0x1131");
	sample(&p, at, 3);
	symbolize(&p, &r, 0);
	cpf_sym_result_release(&r);
	assert_int_equal(cpf_output_memory(&out, 0, &e), 0);
	cpf_sidecar_write(out, &p, &written, &skipped);
	assert_int_equal(cpf_output_take(out, &text, &n, &e), 0);
	assert_int_equal(written, 3);
	assert_int_equal(skipped, 0);
	assert_non_null(strstr(text, "\"debug_id\":\"" UUID "\""));
	expect_answers(text, "demo", ID, addr, CPF_LEN(addr),
		"leaf:leaf.h:7<main:main.c:12 main:main.c:9 main:main.c:0");
	cpf_free(text);
	cpf_profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_known_addresses),
		cmocka_unit_test(one_entry_per_function),
		cmocka_unit_test(unknown_parts),
		cmocka_unit_test(libraries_without_id),
		cmocka_unit_test(broken_files),
		cmocka_unit_test(names_go_into_locations),
		cmocka_unit_test(stacks_of_markers),
		cmocka_unit_test(nothing_is_looked_for),
		cmocka_unit_test(written_and_read),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
