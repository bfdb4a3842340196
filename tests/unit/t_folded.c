#include "unit/build.h"

#include "base/buf.h"
#include "base/input.h"
#include "base/mem.h"
#include "core/check.h"
#include "core/dump.h"
#include "formats/folded.h"

static struct cpf_diag diag;

static int read_bytes(struct cpf_profile *p, const void *s, size_t n, struct cpf_err *e)
{
	struct cpf_load_opts o = {0};
	struct cpf_input *in;
	int r;

	cpf_profile_init(p);
	memset(&diag, 0, sizeof(diag));
	memset(e, 0, sizeof(*e));
	assert_int_equal(cpf_input_memory(&in, "x.folded", s, n, &diag, e), 0);
	r = cpf_folded_read(in, p, &o, &diag, e);
	cpf_input_close(in);
	if (!r)
		assert_int_equal(cpf_check_ok(p, e), 0);
	return r;
}

static void expect_bytes(const void *s, size_t n, uint32_t keeps, const char *want)
{
	struct cpf_profile p;
	struct cpf_buf b = {0};
	struct cpf_err e;

	if (read_bytes(&p, s, n, &e))
		fail_msg("%s", e.reason);
	cpf_dump(&b, &p, keeps, CPF_NONE, 0);
	assert_string_equal(b.s, want);
	cpf_buf_release(&b);
	cpf_profile_release(&p);
	cpf_diag_release(&diag);
}

static void expect(const char *text, const char *want)
{
	expect_bytes(text, strlen(text), CPF_KEEPS_INLINES | CPF_KEEPS_MAPPINGS | CPF_KEEPS_EMPTY,
		want);
}

#define TYPE "type \n"

static void plain(void **state)
{
	(void)state;
	expect("main 1\n", TYPE "sample 1: \"main\"\n");
	expect("main 1", TYPE "sample 1: \"main\"\n");
	expect("a;b c;d e  12\n\na;b c\t3\r\n",
		TYPE "sample 12: \"a\"; \"b c\"; \"d e\"\nsample 3: \"a\"; \"b c\"\n");
	expect("a;b 1 \n a 2\n", TYPE "sample 1: \"a\"; \"b\"\nsample 2: \" a\"\n");
	expect("a 1\na -2\na +3\n", TYPE "sample 1: \"a\"\nsample -2: \"a\"\nsample 3: \"a\"\n");
	expect("# top\na 1\n", TYPE "sample 1: \"a\"\n");
	expect("0x1004;0x18c4 3\n", TYPE "sample 3: \"0x1004\"; \"0x18c4\"\n");
}

static void common_prefixes(void **state)
{
	(void)state;
	expect("a;b;c 1\na;b 2\na;bc 3\na;b;c;d 4\na 5\na;b;cd 6\nb;b;c 7\na;b;c 8\n",
		TYPE "sample 1: \"a\"; \"b\"; \"c\"\n"
		     "sample 2: \"a\"; \"b\"\n"
		     "sample 3: \"a\"; \"bc\"\n"
		     "sample 4: \"a\"; \"b\"; \"c\"; \"d\"\n"
		     "sample 5: \"a\"\n"
		     "sample 6: \"a\"; \"b\"; \"cd\"\n"
		     "sample 7: \"b\"; \"b\"; \"c\"\n"
		     "sample 8: \"a\"; \"b\"; \"c\"\n");
}

static void nodes_are_shared(void **state)
{
	static const char text[] = "a;b;c 1\nx 1\na;b;d 1\na;b;c 1\na;b 1\n";
	struct cpf_profile p;
	struct cpf_err e;

	(void)state;
	assert_int_equal(read_bytes(&p, text, sizeof(text) - 1, &e), 0);
	assert_int_equal(p.nodes.n, 1 + 5);
	assert_int_equal(p.locations.n, 5);
	cpf_profile_release(&p);
}

static void empty_frames(void **state)
{
	(void)state;
	expect("a;;b 1\n", TYPE "sample 1: \"a\"; \"<unknown>\"; \"b\"\n");
	expect(";a 1\n", TYPE "sample 1: \"<unknown>\"; \"a\"\n");
	expect("a; 1\na;; 2\n", TYPE "sample 1: \"a\"\nsample 2: \"a\"\n");
	expect(" 7\n(no stack) 8\na;(no stack) 9\n(no stack);a 1\n",
		TYPE "sample 7: \nsample 8: \nsample 9: \"a\"\nsample 1: \"(no stack)\"; \"a\"\n");
}

static void decimals(void **state)
{
	(void)state;
	expect("a 1.5\nb 2\nc 0.125\nd -3.10\n",
		TYPE "sample 1.5: \"a\"\nsample 2: \"b\"\nsample 0.125: \"c\"\nsample -3.1: \"d\"\n");
}

static void two_numbers(void **state)
{
	struct cpf_profile p;
	struct cpf_err e;
	static const char text[] = "a;b 10 12.5\na 0 3\na;x_[k] 1 2\n(no stack) 4 5\n";
	struct cpf_buf b = {0};

	(void)state;
	assert_int_equal(read_bytes(&p, text, sizeof(text) - 1, &e), 0);
	cpf_dump(&b, &p, CPF_KEEPS_TYPES | CPF_KEEPS_EMPTY | CPF_KEEPS_MAPPINGS, CPF_NONE, 0);
	assert_string_equal(b.s, "type \"before\" \"count\"\n"
				 "type \"samples\" \"count\" default\n"
				 "mapping file \"[kernel]\"\n"
				 "sample 10 12.5: \"a\"; \"b\"\n"
				 "sample 0 3: \"a\"\n"
				 "sample 1 2: \"a\"; \"x\" lib \"[kernel]\"\n"
				 "sample 4 5: \n");
	cpf_buf_release(&b);
	cpf_profile_release(&p);
	/* One line with one number: the others end in a name with a number. */
	expect("worker 3 17\nworker 4 2\nmain 1\n",
		TYPE "sample 17: \"worker 3\"\nsample 2: \"worker 4\"\nsample 1: \"main\"\n");
}

static void marks(void **state)
{
	(void)state;
	expect("a;read_[k];f_[k] 1\na;read 2\nj_[j];i_[i] 3\n",
		TYPE "mapping file \"[kernel]\"\nmapping file \"[jit]\"\n"
		     "sample 1: \"a\"; \"read\" lib \"[kernel]\"; \"f\" lib \"[kernel]\"\n"
		     "sample 2: \"a\"; \"read\"\n"
		     "sample 3: \"j\" < \"i\" lib \"[jit]\"\n");
	expect("a;f;g_[i];h_[i] 1\na;f;g_[i] 2\na;f 3\na;f;g_[i];h_[i];k 4\n_[k] 5\ng_[i] 6\n",
		TYPE "sample 1: \"a\"; \"f\" < \"g\" < \"h\"\n"
		     "sample 2: \"a\"; \"f\" < \"g\"\n"
		     "sample 3: \"a\"; \"f\"\n"
		     "sample 4: \"a\"; \"f\" < \"g\" < \"h\"; \"k\"\n"
		     "sample 5: \"_[k]\"\n"
		     "sample 6: \"g\"\n");
}

static void encodings(void **state)
{
	static const char utf8[] = "\xef\xbb\xbf"
				   "a;b 1\n";
	static const char le[] = "\xff\xfe"
				 "a\0;\0\xe9\0 \0\x31\0\r\0\n\0"
				 "\x3d\xd8\x00\xde \0\x32\0\n\0";
	static const char be[] = "\xfe\xff\0a\0;\0b\0 \0"
				 "1\0\n\xd8\x3d\0 \0"
				 "2";

	(void)state;
	expect_bytes(utf8, sizeof(utf8) - 1, 0, TYPE "sample 1: \"a\"; \"b\"\n");
	expect_bytes(le, sizeof(le) - 1, 0,
		TYPE "sample 1: \"a\"; \"\xc3\xa9\"\nsample 2: \"\xf0\x9f\x98\x80\"\n");
	expect_bytes(be, sizeof(be) - 1, 0,
		TYPE "sample 1: \"a\"; \"b\"\nsample 2: \"\xef\xbf\xbd\"\n");
	expect_bytes("\xff\xc0;\xe2\x82 1\n", 8, 0, TYPE "sample 1: \"\\xff\\xc0\"; \"\\xe2\\x82\"\n");
}

static void no_counts(void **state)
{
	static const char text[] = "a 1\nno count here\n\n12\nb 2x\nc 3\n";
	struct cpf_profile p;
	struct cpf_err e;

	(void)state;
	assert_int_equal(read_bytes(&p, text, sizeof(text) - 1, &e), 0);
	assert_int_equal(p.samples.n, 2);
	assert_int_equal(diag.n, 1);
	assert_int_equal(diag.notes[0].level, CPF_WARN);
	assert_int_equal(diag.notes[0].count, 3);
	assert_string_equal(diag.notes[0].text, "x.folded: line 2: no count at its end, left out");
	cpf_profile_release(&p);
	cpf_diag_release(&diag);
}

static void refuse(const char *text, enum cpf_code code, uint64_t line, uint64_t column)
{
	struct cpf_profile p;
	struct cpf_err e;

	assert_int_equal(read_bytes(&p, text, strlen(text), &e), -1);
	assert_int_equal(e.code, code);
	assert_int_equal(e.line, line);
	assert_int_equal(e.column, column);
	cpf_profile_release(&p);
	cpf_diag_release(&diag);
}

static void refused(void **state)
{
	(void)state;
	refuse("just text\nmore\n", CPF_E_FORMAT, 0, 0);
	refuse("\n\n", CPF_E_FORMAT, 0, 0);
	refuse("a 1\nb 9223372036854775808\n", CPF_E_RANGE, 2, 3);
	refuse("a;bc   -9223372036854775809\n", CPF_E_RANGE, 1, 8);
	refuse("a 0.0000000000000000001\n", CPF_E_RANGE, 1, 3);
	refuse("a 9223372036854775807\nb 0.5\n", CPF_E_RANGE, 2, 3);
}

static void escaped(const char *name, size_t n, int guard, const char *want)
{
	struct cpf_buf b = {0}, scratch = {0};
	const char *s;
	size_t len;

	cpf_folded_escape(&b, name, n, guard);
	assert_string_equal(b.s, want);
	s = b.s;
	len = b.n;
	cpf_folded_unescape(&scratch, &s, &len);
	assert_int_equal(len, n);
	assert_memory_equal(s, name, n);
	cpf_buf_release(&b);
	cpf_buf_release(&scratch);
}

static void kept(const char *text)
{
	struct cpf_buf scratch = {0};
	const char *s = text;
	size_t len = strlen(text);

	cpf_folded_unescape(&scratch, &s, &len);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(s, text, len);
	cpf_buf_release(&scratch);
}

static void escapes(void **state)
{
	(void)state;
	escaped("a", 1, 0, "a");
	escaped("a;b\nc\td\x7f\0", 9, 0, "a\\x3bb\\x0ac\\x09d\\x7f\\x00");
	escaped(" a b ", 5, 0, "\\x20a b\\x20");
	escaped("  ", 2, 0, "\\x20\\x20");
	escaped("C:\\dir\\x64\\x", 12, 0, "C:\\dir\\x64\\x");
	escaped("C:\\x3bd", 7, 0, "C:\\x5cx3bd");
	escaped("\\x5cx3b", 7, 0, "\\x5cx5cx3b");
	escaped("(no stack)", 10, 0, "\\x28no stack)");
	escaped("f_[k]", 5, 0, "f_\\x5bk]");
	escaped("_[k]", 4, 0, "_[k]");
	escaped("worker 3", 8, 0, "worker 3");
	escaped("worker 3", 8, 1, "worker\\x203");
	escaped("\xef\xbb\xbfx", 4, 0, "\\xef\xbb\xbfx");
	escaped("\xc3\xa9\xff", 3, 0, "\xc3\xa9\xff");
	kept("C:\\x20foo");
	kept("a\\x41b");
	kept("a\\x3B");
	kept("a\\");
	kept("\\x3");
	kept("a\\x3bb\\x20c");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(common_prefixes),
		cmocka_unit_test(nodes_are_shared),
		cmocka_unit_test(empty_frames),
		cmocka_unit_test(decimals),
		cmocka_unit_test(two_numbers),
		cmocka_unit_test(marks),
		cmocka_unit_test(encodings),
		cmocka_unit_test(no_counts),
		cmocka_unit_test(refused),
		cmocka_unit_test(escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
