#include "unit/test.h"

#include "symbolize/atos.h"

#include "core/demangle.h"

/* Lines as atos prints them. */
static void lines(void **state)
{
	static const struct {
		const char *text, *library;
		enum cpf_atos_kind kind;
		const char *name, *file;
		int64_t line;
		int64_t number; /* offset (-1: none), or address */
	} cases[] = {
		{"axpy (in triad) (triad.c:5)", "triad", CPF_ATOS_NAME, "axpy", "triad.c", 5, -1},
		{"axpy (in nodebug) + 100", "nodebug", CPF_ATOS_NAME, "axpy", NULL, 0, 100},
		{"0x0000000100002000 (in triad)", "triad", CPF_ATOS_ADDRESS, NULL, NULL, 0,
			0x100002000},
		{"0x100002000", "triad", CPF_ATOS_ADDRESS, NULL, NULL, 0, 0x100002000},
		{"start (in libdyld.dylib) + 4", "libdyld.dylib", CPF_ATOS_NAME, "start", NULL, 0, 4},
		/* The name of a dSYM need not be that of the library. */
		{"main (in Other) (/src/a b/main.m:12)", "App", CPF_ATOS_NAME, "main",
			"/src/a b/main.m", 12, -1},
		{"-[AppDelegate application:didFinishLaunchingWithOptions:] (in My App) (AppDelegate.m:26)",
			"My App", CPF_ATOS_NAME,
			"-[AppDelegate application:didFinishLaunchingWithOptions:]", "AppDelegate.m",
			26, -1},
		{"__45-[Foo bar:]_block_invoke_2 (in Foo) + 8", "Foo", CPF_ATOS_NAME,
			"__45-[Foo bar:]_block_invoke_2", NULL, 0, 8},
		{"(anonymous namespace)::f(int (*)(char)) (in prog (beta)) (a (in b).cc:7)",
			"prog (beta)", CPF_ATOS_NAME, "(anonymous namespace)::f(int (*)(char))",
			"a (in b).cc", 7, -1},
		{"operator()(int) const (in x) (y.h:3)", "x", CPF_ATOS_NAME, "operator()(int) const",
			"y.h", 3, -1},
		{"closure #1 in BackgroundTaskManager.add(id:operation:mapError:) (in ContextApp) "
		 "(/<compiler-generated>:0)",
			"ContextApp", CPF_ATOS_NAME,
			"closure #1 in BackgroundTaskManager.add(id:operation:mapError:)", NULL, 0, -1},
		{"thunk for @escaping @callee_guaranteed (@guaranteed Error?) -> () (in Woop) "
		 "(/<compiler-generated>:0)",
			"Woop", CPF_ATOS_NAME,
			"thunk for @escaping @callee_guaranteed (@guaranteed Error?) -> ()", NULL, 0,
			-1},
		{"type metadata accessor for (Foo in _B4F2) (in App) (App.swift:1)", "App",
			CPF_ATOS_NAME, "type metadata accessor for (Foo in _B4F2)", "App.swift", 1, -1},
		{"<deduplicated_symbol> (in Woop) + 2", "Woop", CPF_ATOS_NAME,
			"<deduplicated_symbol>", NULL, 0, 2},
		{"foo (in bar) (x.c:5) + 12", "bar", CPF_ATOS_NAME, "foo", "x.c", 5, 12},
		{"foo (in bar)", "bar", CPF_ATOS_NAME, "foo", NULL, 0, -1},
		{"foo (in bar) (:5)", "bar", CPF_ATOS_NAME, "foo", NULL, 0, -1},
		{"foo (in bar) (x.c:0)", "bar", CPF_ATOS_NAME, "foo", "x.c", 0, -1},
		{"got symbolicator for triad, base address 100000000", "triad", CPF_ATOS_OTHER, NULL,
			NULL, 0, 0},
		{"N/A - failed to search symbol table", "a", CPF_ATOS_OTHER, NULL, NULL, 0, 0},
		{"foo (in bar) (x.c:99999999999999999999)", "bar", CPF_ATOS_OTHER, NULL, NULL, 0, 0},
		{"foo (in bar) + ", "bar", CPF_ATOS_OTHER, NULL, NULL, 0, 0},
		{"foo (in bar", "bar", CPF_ATOS_OTHER, NULL, NULL, 0, 0},
		{" (in bar) + 3", "bar", CPF_ATOS_OTHER, NULL, NULL, 0, 0},
		{"0x", "bar", CPF_ATOS_OTHER, NULL, NULL, 0, 0},
		{"0x12345678901234567", "bar", CPF_ATOS_OTHER, NULL, NULL, 0, 0},
		{"", "bar", CPF_ATOS_OTHER, NULL, NULL, 0, 0},
	};
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(cases); i++) {
		struct cpf_atos_line l;
		char text[300];

		snprintf(text, sizeof(text), "%s", cases[i].text);
		cpf_atos_line(&l, text, cases[i].library);
		assert_int_equal(l.kind, cases[i].kind);
		if (l.kind == CPF_ATOS_ADDRESS)
			assert_int_equal(l.address, cases[i].number);
		if (l.kind != CPF_ATOS_NAME)
			continue;
		assert_string_equal(l.name, cases[i].name);
		assert_int_equal(l.file != NULL, cases[i].file != NULL);
		if (l.file)
			assert_string_equal(l.file, cases[i].file);
		assert_int_equal(l.line, cases[i].line);
		assert_int_equal(l.has_offset, cases[i].number >= 0);
		if (l.has_offset)
			assert_int_equal(l.offset, cases[i].number);
	}
}

static void names(void **state)
{
	static const struct {
		const char *printed, *name;
		int plain;
	} cases[] = {
		{"main", "main", 0},
		{"foo(int)", "foo(int)", 1},
		{"-[Foo bar:]", "-[Foo bar:]", 1},
		{"core::fmt::write::h0123456789abcdef", "_ZN4core3fmt5write17h0123456789abcdefE", 0},
		{"_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$::drop::h00112233445566aa",
			"_ZN66_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h"
			"00112233445566aaE",
			0},
		{"_RNvNtCs2_3std2io4read", "_RNvNtCs2_3std2io4read", 0},
		{"__RNvNtCs2_3std2io4read", "_RNvNtCs2_3std2io4read", 0},
		{"f(int) (.cold.1)", "f(int)", 1},
		{"f(int) (.resume)", "f(int) (.resume)", 1},
		{"f.cold.1", "f.cold.1", 0},
		{"std::h0123456789abcde", "std::h0123456789abcde", 1},
		{"a b::h0123456789abcdef", "a b::h0123456789abcdef", 1},
	};
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(cases); i++) {
		struct cpf_buf b = {0};

		assert_int_equal(cpf_atos_name(&b, cases[i].printed), cases[i].plain);
		assert_string_equal(b.s, cases[i].name);
		cpf_buf_release(&b);
	}
}

/* What atos prints for addresses 0x10, 0x20, 0x30 ..., as text: "name|name;?why;name". */
static void expect(const char *printed, size_t n, const char *want)
{
	static const uint64_t addr[] = {0x10, 0x20, 0x30, 0x40};
	struct cpf_atos_query q = {addr, n, 0, 0x100000000, 0, NULL, 0, "triad"};
	struct cpf_reason r = {CPF_WHY_NONE, ""};
	struct cpf_buf text = {0}, got = {0};
	struct cpf_sink s;
	size_t i, k;

	cpf_sink_init(&s, n);
	cpf_buf_str(&text, printed);
	if (cpf_atos_answers(&s, &q, &text, &r)) {
		cpf_buf_fmt(&got, "%s", r.text);
		for (i = 0; i < n; i++)
			assert_int_equal(s.answers[i].n, 0);
	}
	for (i = 0; !r.why && i < n; i++) {
		const struct cpf_sink_answer *a = &s.answers[i];

		cpf_buf_str(&got, i ? ";" : "");
		for (k = 0; k < a->n; k++) {
			const struct cpf_sink_frame *f = &s.frames[a->first + k];

			cpf_buf_fmt(&got, "%s%s:%d", k ? "|" : "", s.strings->texts[f->name].s,
				(int)f->line);
		}
		if (a->n && a->symbol != CPF_NONE)
			cpf_buf_fmt(&got, "@%x", (unsigned)s.symbols[a->symbol].address);
		if (!a->n)
			cpf_buf_fmt(&got, "?%s", cpf_why_word((enum cpf_why)a->why));
	}
	assert_string_equal(got.s, want);
	cpf_sink_release(&s);
	cpf_buf_release(&text);
	cpf_buf_release(&got);
}

static void answers(void **state)
{
	static const char mac26[] = "axpy (in triad) (triad.c:5)\n\nmain (in triad) (triad.c:12)\n\n"
				    "0x0000000100000030 (in triad)\n";

	(void)state;
	expect(mac26, 3, "axpy:5;main:12;?outside");
	/* Without empty lines: one line each. */
	expect("axpy (in triad) + 2\nmain (in triad) (triad.c:12)\n0x100000030\n", 3,
		"axpy:0@e;main:12;?outside");
	/* Inlined functions, innermost first. */
	expect("poly (in inlined) (symbols.c:22)\naxpy (in inlined) (symbols.c:32)\n\n"
	       "main (in inlined) (symbols.c:40)\n\n",
		2, "poly:22|axpy:32;main:40");
	expect("poly (in inlined) (symbols.c:22)\naxpy (in inlined) (symbols.c:32)\n", 1,
		"poly:22|axpy:32");
	expect("a (in t) (x.c:1)\r\nb (in t) (x.c:2)\r\n\r\nc (in t) (x.c:3)\r\n", 2, "a:1|b:2;c:3");
	expect("\n\naxpy (in triad) (triad.c:5)\n\n\n\nmain (in triad) (triad.c:12)", 2,
		"axpy:5;main:12");
	/* Not as many answers as addresses: none is taken. */
	expect(mac26, 4, "atos gave 3 answers for 4 addresses");
	expect(mac26, 2, "atos gave 3 answers for 2 addresses");
	expect("", 1, "atos gave 0 answers for 1 addresses");
	expect("a (in t) (x.c:1)\nb (in t) (x.c:2)\nc (in t) (x.c:3)\n", 2,
		"atos gave 1 answers for 2 addresses");
	/* An address comes back at another place. */
	expect("0x0000000100000030 (in triad)\n\nmain (in triad) (triad.c:12)\n", 2,
		"atos answered out of order: 0x100000030 for 0x100000010");
	/* What is no name. */
	expect("<deduplicated_symbol> (in triad) + 2\n\nmain (in triad) + 4\n", 2,
		"?no-symbols;main:0@1c");
	expect("f (in triad) (f.h:1)\n<deduplicated_symbol> (in triad) + 2\n\nmain (in triad) + 4\n", 2,
		"f:1|<deduplicated_symbol>:0@e;main:0@1c");
	expect("_mh_execute_header (in triad) + 16\n\nmain (in triad) + 4\n", 2,
		"?outside;main:0@1c");
	expect("main (in triad) + 4096\n\nmain (in triad) + 4\n", 2, "?failed;main:0@1c");
	expect("hello\n\nmain (in triad) + 4\n", 2, "?failed;main:0@1c");
}

/* Symbols have no sizes: they end where the next function begins, with or without a name. */
static void symbols_that_end(void **state)
{
	static const uint64_t addr[] = {0x10, 0x1f, 0x20, 0x3f}, starts[] = {0x10, 0x20, 0x30};
	struct cpf_atos_query q = {addr, 4, 0, 0x100000000, 0, starts, 3, "x"};
	struct cpf_reason r = {CPF_WHY_NONE, ""};
	struct cpf_buf text = {0};
	struct cpf_sink s;

	(void)state;
	cpf_buf_str(&text, "f (in x) + 0\n\nf (in x) + 15\n\nf (in x) + 16\n\nf (in x) + 47\n");
	cpf_sink_init(&s, 4);
	assert_int_equal(cpf_atos_answers(&s, &q, &text, &r), 0);
	assert_int_equal(s.answers[0].n, 1);
	assert_int_equal(s.answers[1].n, 1);
	assert_int_equal(s.answers[2].n, 0);
	assert_int_equal(s.answers[2].why, CPF_WHY_OUTSIDE);
	assert_int_equal(s.answers[3].why, CPF_WHY_OUTSIDE);
	cpf_sink_release(&s);
	cpf_buf_release(&text);
}

static void all_bytes(void **state)
{
	static const uint64_t addr[] = {1};
	struct cpf_atos_query q = {addr, 1, 0, 0, 0, NULL, 0, "x"};
	struct cpf_reason r = {CPF_WHY_NONE, ""};
	struct cpf_buf text = {0};
	struct cpf_sink s;
	int i;

	(void)state;
	for (i = 0; i < 256; i++)
		if (i != '\n')
			cpf_buf_char(&text, (char)i);
	cpf_sink_init(&s, 1);
	assert_int_equal(cpf_atos_answers(&s, &q, &text, &r), 0);
	assert_int_equal(s.answers[0].why, CPF_WHY_FAILED);
	cpf_sink_release(&s);
	cpf_buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(names),
		cmocka_unit_test(answers),
		cmocka_unit_test(symbols_that_end),
		cmocka_unit_test(all_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
