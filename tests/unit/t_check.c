#include "unit/build.h"

#include "core/check.h"

static struct cpf_profile p;

static int setup(void **state)
{
	struct cpf_category c = {0};
	struct cpf_marker m = {0};
	cpf_str sub = 0;

	(void)state;
	(void)c;
	cpf_profile_init(&p);
	build_samples_type(&p);
	build_sample(&p, "main;f<g;h", 1);
	build_sample(&p, "main;k", 2);
	build_sample(&p, "", 3);
	build_thread(&p, "demo", "1", "main", "2");
	build_label(&p, "k", "v");
	cpf_add_category(&p, cpf_intern_z(&p, "User"), 0, &sub, 1);
	m.category = m.stack = CPF_NONE;
	cpf_add_marker(&p, &m);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cpf_profile_release(&p);
	return 0;
}

/* Exactly one fault, with this text; "" = none. */
static void expect(const char *text)
{
	struct cpf_faults f = {0};
	struct cpf_err e = {0};

	cpf_check(&p, &f);
	assert_string_equal(f.n ? f.texts[0] : "", text);
	if (f.total != (*text != 0))
		print_message("%s / %s\n", text, f.n > 1 ? f.texts[1] : "");
	assert_int_equal(f.total, *text ? 1 : 0);
	assert_int_equal(cpf_check_ok(&p, &e), *text ? -1 : 0);
	cpf_faults_release(&f);
}

static void sound(void **state)
{
	(void)state;
	expect("");
}

/* Each edit breaks one rule and is undone. */
#define BREAK(field, value, text)                                                                  \
	do {                                                                                       \
		__typeof__(field) was = (field);                                                   \
		(field) = (value);                                                                 \
		expect(text);                                                                      \
		(field) = was;                                                                     \
		expect("");                                                                        \
	} while (0)

#define BREAK_COL(col, i, value, text)                                                             \
	do {                                                                                       \
		int64_t was = cpf_col_get(&(col), i);                                              \
		cpf_col_set(&(col), i, value);                                                     \
		expect(text);                                                                      \
		cpf_col_set(&(col), i, was);                                                       \
		expect("");                                                                        \
	} while (0)

static void rows_that_are_not_there(void **state)
{
	(void)state;
	BREAK(p.types[0].type, 999, "types[0].type: no string 999");
	BREAK(p.types[0].raw, 1, "types[0].raw: no row 1 (1 rows)");
	BREAK(p.default_type, 1, "default_type: no type 1 (1 types)");
	BREAK(p.functions[0].name, 999, "functions[0].name: no string 999");
	BREAK(p.functions[1].resource_lib, 0, "functions[1].resource_lib: no row 0 (0 rows)");
	BREAK(p.threads[0].process, 1, "threads[0].process: no row 1 (1 rows)");
	BREAK(p.markers[0].thread, 1, "markers[0].thread: no row 1 (1 rows)");
	BREAK(p.markers[0].stack, 99, "markers[0].stack: no row 99 (5 rows)");
	BREAK(p.markers[0].phase, 4, "markers[0]: phase 4");
	BREAK(p.label_sets.labels[0].key, 999, "labels[0].key: no string 999");
	BREAK(p.head.doc_url, 999, "head[0].doc_url: no string 999");
	BREAK(p.categories[0].sub[0], 999, "categories[0].sub: no string 999");
	BREAK_COL(p.samples.node, 1, 6, "samples[1].node: no row 6 (5 rows)");
	BREAK_COL(p.samples.node, 1, -1, "samples[1].node: missing");
	BREAK_COL(p.samples.thread, 2, 1, "samples[2].thread: no row 1 (1 rows)");
	BREAK_COL(p.samples.labels, 0, 2, "samples[0].labels: no row 2 (2 rows)");
	BREAK_COL(p.locations.mapping, 0, 0, "locations[0].mapping: no row 0 (0 rows)");
	BREAK_COL(p.locations.subcategory, 0, 0, "locations[0].subcategory: no row 0 (0 rows)");
	BREAK_COL(p.locations.line_fn, 0, 50, "lines[0].function: no row 50 (5 rows)");
	BREAK_COL(p.nodes.location, 2, -1, "nodes[2].location: missing");
}

static void shapes(void **state)
{
	(void)state;
	BREAK_COL(p.nodes.parent, 2, 2, "nodes[2]: parent 2 does not come before it");
	BREAK_COL(p.nodes.parent, 2, 3, "nodes[2]: parent 3 does not come before it");
	BREAK_COL(p.nodes.parent, 0, 1, "nodes[0]: not the empty stack");
	BREAK_COL(p.locations.first, 1, 9, "locations[1].first: 9 after 0, 5 lines");
	BREAK_COL(p.locations.first, 4, 4, "lines: 5 rows, locations use 4");
	BREAK(p.types[0].den, 0, "types[0]: factor 1/0 is not positive");
	BREAK(p.types[0].num, -1, "types[0]: factor -1/1 is not positive");
	BREAK(p.samples.raw[0].n, 2, "samples.raw[0]: 2 rows, the table has 3");
	BREAK(p.samples.time.n, 4, "samples.time: 4 rows, the table has 3");
	BREAK(p.locations.address.n, 0, "locations.address: 0 rows, the table has 4");
	BREAK(p.samples.node.width, 3, "samples.node: width 3");
	BREAK(p.label_sets.first[0], 1, "label_sets[0]: not the empty set");
	BREAK(p.label_sets.nlabels, 2, "labels: 2 rows, sets use 1");
}

static void many_faults_are_counted(void **state)
{
	struct cpf_faults f = {0};
	int i;

	(void)state;
	for (i = 0; i < 300; i++)
		build_sample(&p, "main", 1);
	for (i = 0; i < 300; i++)
		cpf_col_set(&p.samples.node, (size_t)i, 77);
	assert_int_equal(cpf_check(&p, &f), 300);
	assert_int_equal(f.n, 100);
	assert_int_equal(f.total, 300);
	cpf_faults_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sound, setup, teardown),
		cmocka_unit_test_setup_teardown(rows_that_are_not_there, setup, teardown),
		cmocka_unit_test_setup_teardown(shapes, setup, teardown),
		cmocka_unit_test_setup_teardown(many_faults_are_counted, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
