/*
 * t_losses.c - the table in docs/formats.md against what conversions of a profile that has everything
 * say.
 */
#include "unit/build.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/output.h"
#include "formats/formats.h"
#include "formats/losses.h"

static void add_mappings(struct cpf_profile *p)
{
	struct cpf_mapping m = {0};

	m.file = cpf_intern_z(p, "/bin/server");
	m.build_id = cpf_intern_z(p, "go/build/id");
	m.start = 0x400000;
	m.limit = 0x500000;
	cpf_add_mapping(p, &m);
	memset(&m, 0, sizeof(m));
	m.file = cpf_intern_z(p, "/lib/net.ko");
	m.name = cpf_intern_z(p, "[net]");
	m.flags = CPF_MAP_RELATIVE;
	cpf_add_mapping(p, &m);
	m.name = 0;
	m.file = cpf_intern_z(p, "C:\\lib.dll");
	m.debug_name = cpf_intern_z(p, "lib.pdb");
	m.debug_id = cpf_intern_z(p, "0123456789ABCDEF0123456789ABCDEF1");
	m.code_id = m.build_id = cpf_intern_z(p, "682AD30F9b000");
	m.flags = CPF_MAP_RELATIVE;
	cpf_add_mapping(p, &m);
}

static void add_locations(struct cpf_profile *p)
{
	struct cpf_line lines[2] = {{0, 12, 0}, {0, 40, 0}};
	struct cpf_location l = {0};
	struct cpf_function f = {0};

	f.name = cpf_intern_z(p, "run");
	f.system_name = cpf_intern_z(p, "_Z3runv");
	f.file = cpf_intern_z(p, "run\xff.cc");
	f.resource_lib = CPF_NONE;
	cpf_add_function(p, &f);
	l.lines = lines;
	l.nlines = 2;
	l.symbol = l.subcategory = CPF_NONE;
	l.address = 0x401000;
	l.flags = CPF_LOC_ADDRESS | CPF_LOC_FOLDED;
	cpf_add_location(p, &l);
	/* Too far out for 32 bits. */
	l.mapping = CPF_NONE;
	l.address = 0x7fff00001000;
	cpf_add_location(p, &l);
}

static void everything(struct cpf_profile *p)
{
	struct cpf_marker m = {0};
	int64_t v[2] = {5, 4096};
	cpf_id thread, node;

	cpf_profile_init(p);
	cpf_add_category(p, cpf_intern_z(p, "Other"), cpf_intern_z(p, "grey"), NULL, 0);
	add_mappings(p);
	add_locations(p);
	cpf_add_raw(p);
	cpf_add_raw(p);
	cpf_add_type(p, "samples", "count", 0, 1, 10);
	cpf_add_type(p, "alloc", "bytes", 1, 1, 1);
	p->default_type = 1;
	thread = build_thread(p, "server", "1", "main", "1");
	node = cpf_add_node(p, cpf_add_node(p, 0, 0), 1);
	cpf_add_sample(p, node, thread, 1000, build_label(p, "colour", "green"), v);
	cpf_add_sample(p, 0, thread, 2000, 0, v);
	p->samples.has_time = 1;
	m.name = cpf_intern_z(p, "GC");
	m.category = m.stack = CPF_NONE;
	cpf_add_marker(p, &m);
	p->ncounters = 1;
	cpf_add_comment(p, cpf_intern_z(p, "a remark"));
	p->head.time_nanos = 1000000000;
	p->head.period = 1000000;
	cpf_profile_seal(p);
}

static void losses_of(struct cpf_losses *l, const struct cpf_profile *p, const struct cpf_format *f)
{
	struct cpf_save_opts o = {.type = CPF_NONE};
	struct cpf_diag notes = {0};
	struct cpf_output *out;
	struct cpf_err e = {0};

	memset(l, 0, sizeof(*l));
	assert_int_equal(cpf_output_memory(&out, 0, &e), 0);
	cpf_losses_find(l, p, f, &o);
	if (f->write(p, out, &o, &notes, &e))
		fail_msg("%s: %s", f->name, e.reason);
	cpf_output_discard(out);
	cpf_losses_noted(l, &notes);
	cpf_diag_release(&notes);
}

static const struct cpf_loss *find(const struct cpf_losses *l, const char *kind)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].kind, kind))
			return &l->v[i];
	return NULL;
}

/* The next cell of a table row, without blanks and back-ticks around it. */
static char *cell(char **at)
{
	char *s = *at + 1, *end = strchr(s, '|');

	assert_non_null(end);
	*end = '\0';
	*at = end;
	while (*s == ' ' || *s == '`')
		s++;
	while (end > s && (end[-1] == ' ' || end[-1] == '`'))
		*--end = '\0';
	return s;
}

/* What folded loses of libraries is said in fewer words. */
static int is_said_otherwise(const struct cpf_format *f, const char *kind)
{
	static const char *const kinds[] = {"library-names", "ranges", "build-ids", "debug-ids",
		"system-names", "folded-code"};
	size_t i;

	for (i = 0; f == &cpf_format_folded && i < CPF_LEN(kinds); i++)
		if (!strcmp(kind, kinds[i]))
			return 1;
	return 0;
}

static void table_tells_the_losses(void **state)
{
	const struct cpf_format *formats[] = {
		&cpf_format_firefox, &cpf_format_pprof, &cpf_format_folded};
	size_t told[3] = {0}, i, rows = 0;
	struct cpf_losses lost[3];
	struct cpf_profile p;
	char line[512], *at, *kind, *s;
	FILE *f = fopen("docs/formats.md", "r");
	int here = 0;

	(void)state;
	assert_non_null(f);
	everything(&p);
	for (i = 0; i < 3; i++)
		losses_of(&lost[i], &p, formats[i]);
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "## ", 3))
			here = !strncmp(line, "## What a format keeps", 22);
		if (!here || line[0] != '|' || !strchr(line, '`') || !strncmp(line, "|---", 4))
			continue;
		at = line;
		cell(&at);
		kind = cell(&at);
		if (!kind[0])
			continue;
		rows++;
		for (i = 0; i < 3; i++) {
			const struct cpf_loss *loss = find(&lost[i], kind);

			s = cell(&at);
			told[i] += loss != NULL;
			if (is_said_otherwise(formats[i], kind))
				continue;
			if ((strncmp(s, "yes", 3) != 0) != (loss != NULL))
				fail_msg("%s, %s: the table says \"%s\", the conversion %s",
					formats[i]->name, kind, s, loss ? loss->text : "nothing");
		}
	}
	fclose(f);
	assert_true(rows >= 20);
	/* No kind is missing in the table. */
	for (i = 0; i < 3; i++) {
		assert_int_equal(told[i], lost[i].n);
		cpf_losses_release(&lost[i]);
	}
	cpf_profile_release(&p);
}

static void texts(void **state)
{
	struct cpf_losses l;
	struct cpf_buf b = {0};
	struct cpf_profile p;

	(void)state;
	everything(&p);
	losses_of(&l, &p, &cpf_format_firefox);
	cpf_losses_text(&b, &l);
	assert_string_equal(b.s, "1 counter, labels of 1 sample, sample type samples, "
				 "build ids of 1 library, addresses of 1 place, bytes that are not "
				 "UTF-8 in 1 name, memory ranges of 1 library, system names of 1 function, marks of folded code of 2 places");
	cpf_losses_release(&l);
	cpf_buf_clear(&b);
	losses_of(&l, &p, &cpf_format_pprof);
	cpf_losses_text(&b, &l);
	assert_string_equal(
		b.s, "1 marker, 1 counter, times of 2 samples, categories, names of 1 library, debug "
		     "ids of 1 library, bytes that are not UTF-8 in 1 name, decimals of 2 values");
	cpf_losses_release(&l);
	cpf_buf_release(&b);
	cpf_profile_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_tells_the_losses),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
