#include "unit/test.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/opt.h"

struct fields {
	int flag, no_flag, sort, format;
	int64_t n;
	double pct;
	const char *text;
	struct cpf_opt_time time;
	struct cpf_opt_list list;
};

#define AT(field) offsetof(struct fields, field)

static const struct cpf_opt shape[] = {
	{CPF_OPT_FLAG, CPF_OPT_SHAPE, 'f', "flag", AT(flag), NULL, "a flag", NULL, 0, 0, 0},
	{CPF_OPT_FLAG, CPF_OPT_SHAPE, 0, "no-inlines noinlines", AT(no_flag), NULL, "no", NULL, 0, 0, 0},
	{CPF_OPT_SET, CPF_OPT_SHAPE, 'c', "cum", AT(sort), NULL, "sort", NULL, 7, 0, 0},
	{0},
};
static const struct cpf_opt output[] = {
	{CPF_OPT_INT, CPF_OPT_OUTPUT, 'n', "nodecount rows", AT(n), "N", "rows", NULL, 0, 0, INT64_MAX},
	{CPF_OPT_PERCENT, CPF_OPT_OUTPUT, 0, "min-named", AT(pct), "PCT", "named", NULL, 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_OUTPUT, 'o', "output", AT(text), "FILE", "file", NULL, 0, 0, 0},
	{CPF_OPT_TIME, CPF_OPT_SELECT, 0, "from", AT(time), "TIME", "begin", NULL, 0, 0, 0},
	{CPF_OPT_CHOICE, CPF_OPT_OUTPUT, 0, "format", AT(format), "FORMAT", "how", "text|json|csv", 0, 0,
		0},
	{CPF_OPT_LIST, CPF_OPT_SELECT, 't', "thread", AT(list), "PATTERN", "which", NULL, 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_OTHER, 0, "secret", AT(text), "X", NULL, NULL, 0, 0, 0},
	{0},
};

struct run {
	struct fields f;
	struct cpf_opt_list files;
	struct cpf_err e;
	int r;
};

/* line: arguments with one blank between them. */
static void parse(struct run *run, const char *line)
{
	static char text[512];
	char *argv[40];
	int argc = 0;
	struct cpf_opt_set sets[] = {{shape, &run->f}, {output, &run->f}};

	memset(run, 0, sizeof(*run));
	snprintf(text, sizeof(text), "cmd %s", line);
	for (char *s = strtok(text, " "); s; s = strtok(NULL, " "))
		argv[argc++] = s;
	argv[argc] = NULL;
	run->r = cpf_opt_parse(sets, 2, argc, argv, &run->files, &run->e);
}

static void done(struct run *run)
{
	cpf_opt_list_release(&run->f.list);
	cpf_opt_list_release(&run->files);
}

static void forms(void **state)
{
	struct run r;

	(void)state;
	parse(&r, "a -n5 -fc --output=x.txt b --from 2.5s --format json -t one --thread=two --min-named 95% -");
	assert_int_equal(r.r, 0);
	assert_int_equal(r.f.n, 5);
	assert_int_equal(r.f.flag, 1);
	assert_int_equal(r.f.sort, 7);
	assert_string_equal(r.f.text, "x.txt");
	assert_true(r.f.time.set);
	assert_int_equal(r.f.time.ns, 2500000000);
	assert_int_equal(r.f.format, 1);
	assert_int_equal(r.f.list.n, 2);
	assert_string_equal(r.f.list.items[1], "two");
	assert_null(r.f.list.items[2]);
	assert_true(r.f.pct == 95);
	assert_int_equal(r.files.n, 3);
	assert_string_equal(r.files.items[2], "-");
	done(&r);

	parse(&r, "-n 7 --rows 8 -o -x -- --flag -q");
	assert_int_equal(r.r, 0);
	assert_int_equal(r.f.n, 8);
	assert_string_equal(r.f.text, "-x");
	assert_int_equal(r.f.flag, 0);
	assert_int_equal(r.files.n, 2);
	done(&r);
}

static void spellings(void **state)
{
	struct run r;

	(void)state;
	parse(&r, "--min_named=1 --no_inlines --flag --no-flag");
	assert_int_equal(r.r, 0);
	assert_true(r.f.pct == 1);
	assert_int_equal(r.f.no_flag, 1);
	assert_int_equal(r.f.flag, 0);
	done(&r);
	parse(&r, "--noinlines --inlines");
	assert_int_equal(r.r, 0);
	assert_int_equal(r.f.no_flag, 0);
	done(&r);
	parse(&r, "--bogus --help");
	assert_int_equal(r.r, -1);
	done(&r);
	parse(&r, "x --help --bogus");
	assert_int_equal(r.r, 1);
	done(&r);
	parse(&r, "-fh");
	assert_int_equal(r.r, 1);
	done(&r);
}

static void refused(void **state)
{
	static const struct {
		const char *line, *reason;
	} cases[] = {
		{"--formt=json", "unknown option '--formt'; did you mean '--format'?"},
		{"--thr x", "unknown option '--thr'; did you mean '--thread'?"},
		{"--zzzzz", "unknown option '--zzzzz'"},
		{"-z", "unknown option '-z'"},
		{"-format json", "unknown option '-format'; did you mean '--format'?"},
		{"-nodecount=3", "unknown option '-nodecount'; did you mean '--nodecount'?"},
		{"--flag=1", "--flag takes no value"},
		{"--no-cum", "unknown option '--no-cum'"},
		{"--output", "--output needs a value (FILE)"},
		{"-n", "-n needs a value (N)"},
		{"-n -1", "-n: -1 is below 0"},
		{"-n 1.5", "-n: '1.5' is not a whole number"},
		{"--nodecount=", "--nodecount: '' is not a whole number"},
		{"--format xml", "--format: 'xml' is not one of text, json, csv"},
		{"--from 5", "--from: '5' is not a time: it needs a unit (ns, us, ms, s, m or h)"},
		{"--min-named 101", "--min-named: '101' is more than 100%"},
	};
	struct run r;
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(cases); i++) {
		parse(&r, cases[i].line);
		assert_int_equal(r.r, -1);
		assert_int_equal(r.e.code, CPF_E_USAGE);
		assert_string_equal(r.e.reason, cases[i].reason);
		done(&r);
	}
}

/* Names of any length and content neither overrun anything nor match by accident. */
static void long_names(void **state)
{
	char word[1000];
	struct run r;
	size_t n;

	(void)state;
	for (n = 1; n < 400; n++) {
		memset(word, 'x', n + 2);
		memcpy(word, "--", 2);
		word[n + 2] = '\0';
		parse(&r, word);
		assert_int_equal(r.r, -1);
		done(&r);
	}
}

static void help(void **state)
{
	static const struct cpf_usage usage = {
		.name = "cmd",
		.args = "[FILE...]",
		.summary = "Does it.",
		.examples = "cpuprof cmd x",
		.exits = "0  done",
	};
	struct fields f;
	struct cpf_opt_set sets[] = {{shape, &f}, {output, &f}};
	struct cpf_buf out = {0};
	size_t width = 0, n;
	const char *s;

	(void)state;
	cpf_opt_help(&out, &usage, sets, 2);
	assert_non_null(strstr(out.s, "usage: cpuprof cmd [FILE...]\n\nDoes it.\n"));
	assert_non_null(strstr(out.s, "\nSelect:\n      --from TIME           begin\n"));
	assert_non_null(strstr(out.s, "  -n, --nodecount N         rows\n"));
	assert_non_null(strstr(out.s, "\nExamples:\n  cpuprof cmd x\n"));
	assert_null(strstr(out.s, "secret"));
	assert_true(strstr(out.s, "Select:") < strstr(out.s, "Shape:"));
	for (s = out.s; *s; s += n + 1) {
		n = strcspn(s, "\n");
		if (n > width)
			width = n;
	}
	assert_true(width <= 80);
	cpf_buf_release(&out);
}

static const char *nearest(const char *word)
{
	static const char *const names[] = {"top", "threads", "info", "convert", "folded", "merge"};
	struct cpf_nearest near = {0};
	size_t i;

	for (i = 0; i < CPF_LEN(names); i++)
		cpf_nearest_offer(&near, word, names[i]);
	return near.best ? near.best : "";
}

static void near_names(void **state)
{
	(void)state;
	assert_string_equal(nearest("tpo"), "top");
	assert_string_equal(nearest("thread"), "threads");
	assert_string_equal(nearest("convrt"), "convert");
	assert_string_equal(nearest("conv"), "convert");
	assert_string_equal(nearest("mrege"), "merge");
	assert_string_equal(nearest("xyz"), "");
	assert_string_equal(nearest(""), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),
		cmocka_unit_test(spellings),
		cmocka_unit_test(refused),
		cmocka_unit_test(long_names),
		cmocka_unit_test(help),
		cmocka_unit_test(near_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
