#include "test.h"

#include "base/mem.h"
#include "json_walk.h"

#define S(s) (s), sizeof(s) - 1

static const size_t windows[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 64, 1000, 262144};

/* Opens over bytes with a window of that size; 0: cpf_json_memory. */
struct reader {
	struct cpf_input *in;
	struct cpf_json *j;
};

static void reader_open(
	struct reader *r, const char *s, size_t n, size_t window, struct cpf_diag *d)
{
	struct cpf_err e = {0};

	r->in = NULL;
	if (!window) {
		assert_int_equal(cpf_json_memory(&r->j, s, n, 0, &e), 0);
		return;
	}
	assert_int_equal(cpf_input_memory(&r->in, "f.json", s, n, d, &e), 0);
	assert_int_equal(cpf_json_open_window(&r->j, r->in, window, &e), 0);
}

static void reader_close(struct reader *r)
{
	cpf_json_close(r->j);
	cpf_input_close(r->in);
}

static int walk_text(const char *s, size_t n, size_t window, struct cpf_buf *out, struct cpf_err *e)
{
	struct reader r;
	int ret;

	memset(e, 0, sizeof(*e));
	cpf_buf_clear(out);
	reader_open(&r, s, n, window, NULL);
	ret = walk(r.j, out, e);
	assert_int_equal(cpf_json_failed(r.j), ret ? 1 : 0);
	reader_close(&r);
	return ret;
}

static int skip_text(const char *s, size_t n, size_t window, struct cpf_buf *raw, struct cpf_err *e)
{
	struct reader r;
	int ret;

	memset(e, 0, sizeof(*e));
	reader_open(&r, s, n, window, NULL);
	if (raw) {
		cpf_buf_clear(raw);
		cpf_json_raw(r.j, raw);
	} else {
		cpf_json_skip(r.j);
	}
	ret = cpf_json_end(r.j, e);
	reader_close(&r);
	return ret;
}

/* In every window: walk, skip and raw agree, and come to this. byte: -1 = wherever, but the same.
 */
static void check(const char *name, const char *s, size_t n, const char *value, int64_t byte)
{
	struct cpf_buf out = {0}, raw = {0};
	struct cpf_err e, first = {0};
	size_t i;

	for (i = 0; i <= CPF_LEN(windows); i++) {
		size_t w = i < CPF_LEN(windows) ? windows[i] : 0;
		int ret = walk_text(s, n, w, &out, &e);

		if (value && strcmp(value, "overflow")) {
			if (ret)
				fail_msg("%s: window %zu: byte %" PRIu64 ": %s", name, w, e.byte,
					e.reason);
			assert_string_equal(out.s, value);
			assert_int_equal(skip_text(s, n, w, NULL, &e), 0);
			assert_int_equal(skip_text(s, n, w, &raw, &e), 0);
			assert_int_equal(walk_text(raw.s, raw.n, 0, &out, &e), 0);
			assert_string_equal(out.s, value);
			continue;
		}
		if (!ret)
			fail_msg("%s: window %zu: accepted as %s", name, w, out.s);
		assert_int_equal(e.code, value ? CPF_E_RANGE : CPF_E_FORMAT);
		if (value)
			continue;
		if (byte >= 0 && e.byte != (uint64_t)byte)
			fail_msg("%s: window %zu: byte %" PRIu64 " (%s), should be %" PRId64, name,
				w, e.byte, e.reason, byte);
		if (i == 0)
			first = e;
		assert_int_equal(e.byte, first.byte);
		assert_string_equal(e.reason, first.reason);
		assert_string_equal(e.where, first.where);
		assert_int_equal(skip_text(s, n, w, NULL, &e), -1);
		if (e.byte != first.byte || strcmp(e.reason, first.reason))
			fail_msg("%s: skip says byte %" PRIu64 ": %s; not byte %" PRIu64 ": %s",
				name, e.byte, e.reason, first.byte, first.reason);
		assert_string_equal(e.where, first.where);
		assert_int_equal(skip_text(s, n, w, &raw, &e), -1);
		assert_int_equal(e.byte, first.byte);
	}
	cpf_buf_release(&out);
	cpf_buf_release(&raw);
}

static char *slurp(const char *name, size_t *n)
{
	const char *dir = getenv("TESTDATA");
	struct cpf_err e = {0};
	struct cpf_input *in;
	char path[1024], *s;

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : "testdata", name);
	if (cpf_input_open(&in, path, NULL, &e) || cpf_input_all(in, &s, n, &e))
		fail_msg("%s: %s", path, e.reason);
	cpf_input_close(in);
	return s;
}

static char *field(char **line)
{
	char *f = *line, *end = f + strcspn(f, "\t\n");

	*line = *end ? end + 1 : end;
	*end = '\0';
	return f;
}

static void conformance(void **state)
{
	struct cpf_buf text = {0};
	size_t n, rows = 0;
	char *all = slurp("json/cases.tsv", &n), *line = all, *next;

	(void)state;
	for (next = strchr(line, '\n'); next; next = strchr(line, '\n')) {
		char *name, *verdict, *hex, *value, *byte;
		unsigned b;

		next[0] = '\0';
		name = field(&line);
		verdict = field(&line);
		hex = field(&line);
		value = field(&line);
		byte = field(&line);
		line = next + 1;
		if (!strcmp(verdict, "verdict"))
			continue;
		cpf_buf_clear(&text);
		for (; sscanf(hex, "%2x", &b) == 1; hex += 2)
			cpf_buf_char(&text, (char)b);
		check(name, text.s ? text.s : "", text.n, !strcmp(verdict, "accept") ? value : NULL,
			strcmp(byte, "-") ? strtol(byte, NULL, 10) : -1);
		rows++;
	}
	assert_true(rows > 400);
	cpf_free(all);
	cpf_buf_release(&text);
}

/* Each beginning is refused, at its length, and says that the input ends there. */
static void check_cut(const char *s, size_t n)
{
	struct cpf_buf out = {0};
	struct cpf_err e;
	size_t i, w;

	for (i = 0; i < n; i++) {
		for (w = 0; w <= 64; w = w * 2 + 1) {
			char *cut = cpf_malloc(i);

			memcpy(cut, s, i); /* so that reading further shows */
			assert_int_equal(walk_text(cut, i, w, &out, &e), -1);
			assert_int_equal(e.byte, i);
			assert_int_equal(
				strncmp(e.reason, "unexpected end of input, expected ", 34), 0);
			assert_int_equal(skip_text(cut, i, w, NULL, &e), -1);
			assert_int_equal(e.byte, i);
			cpf_free(cut);
		}
	}
	cpf_buf_release(&out);
}

static void truncation(void **state)
{
	static const char own[] = "[true,false,null,-12.5e-3,\"a\\n\\u00e9\xc3\xa9\\ud83d\\ude00\","
				  "{\"k\":[]} , {} ]";
	size_t n;
	char *s = slurp("json/truncate.json", &n);

	(void)state;
	check_cut(s, n);
	check_cut(own, sizeof(own) - 1);
	cpf_free(s);
}

/* One text with every kind of token, moved through the window byte by byte. */
static void split_everywhere(void **state)
{
	static const char text[] =
		"{ \"key\" :\t[0,-1,12345678,123456789012,1.5,-2.25e+3,0.1,true ,false,\n null],"
		"\"\\u00b5\\ud83d\\ude00\":\"plain\",\"\xc2\xb5\xf0\x9f\x98\x80\":\"\\\"\\\\\\/"
		"\\b\","
		"\"\":{},\"x\" : [ [ ] , { } "
		",\"\\n0123456789abcdef\xc2\xb5\xe2\x82\xac\xf0\x9f\x98\x80z\"] }";
	static const char canon[] =
		"{\"key\":[0,-1,12345678,123456789012,1.5,-2.25e+03,0.1,true,false,null],"
		"\"\\u00b5\\ud83d\\ude00\":\"plain\",\"\\u00b5\\ud83d\\ude00\":\"\\\"\\\\/\\b\","
		"\"\":{},\"x\":[[],{},\"\\n0123456789abcdef\\u00b5\\u20ac\\ud83d\\ude00z\"]}";
	struct cpf_buf b = {0}, out = {0};
	struct cpf_err e;
	size_t pad, w;

	(void)state;
	for (w = 1; w <= 64; w++) {
		for (pad = 0; pad <= w; pad++) {
			cpf_buf_clear(&b);
			cpf_buf_pad(&b, ' ', pad);
			cpf_buf_str(&b, text);
			assert_int_equal(walk_text(b.s, b.n, w, &out, &e), 0);
			assert_string_equal(out.s, canon);
			assert_int_equal(skip_text(b.s, b.n, w, NULL, &e), 0);
		}
	}
	cpf_buf_release(&b);
	cpf_buf_release(&out);
}

static void messages(void **state)
{
	static const struct {
		const char *s;
		size_t n;
		const char *text;
	} rows[] = {
		{S(""), "byte 0: unexpected end of input, expected a value"},
		{S("  "), "byte 2: unexpected end of input, expected a value"},
		{S("{\"a\":{\"b\":[1,{\"c\":nul}]}}"),
			"byte 21: a.b[1].c: expected 'null', found '}'"},
		{S("[1,2 3]"), "byte 5: [1]: expected ',' or ']', found 3"},
		{S("[1,]"), "byte 3: [1]: expected a value, found ']'"},
		{S("{\"a\":1,}"), "byte 7: a: expected a member name, found '}'"},
		{S("{\"a\":1 \"b\"}"), "byte 7: a: expected ',' or '}', found a string"},
		{S("{1:2}"), "byte 1: expected a member name or '}', found 1"},
		{S("{\"a\" 1}"), "byte 5: a: expected ':', found 1"},
		{S("[1] x"), "byte 4: expected the end of the input, found 'x'"},
		{S("[NaN]"), "byte 1: [0]: expected a value, found 'N'"},
		{S("[01]"), "byte 2: [0]: expected no digit after a leading zero, found 1"},
		{S("[-]"), "byte 2: [0]: expected a digit after '-', found ']'"},
		{S("[1.]"), "byte 3: [0]: expected a digit after the decimal point, found ']'"},
		{S("[1e+]"), "byte 4: [0]: expected a digit in the exponent, found ']'"},
		{S("[\"a\nb\"]"), "byte 3: [0]: control character 0x0a in a string"},
		{S("[\"a\\x\"]"), "byte 4: [0]: expected one of \"\\/bfnrtu after '\\', found 'x'"},
		{S("[\"\\u12g4\"]"),
			"byte 6: [0]: expected four hex digits after '\\u', found 'g'"},
		{S("[\"abc"), "byte 5: [0]: unexpected end of input, expected '\"'"},
		{S("{\"a b\":{\"\\u0022\":[x]}}"),
			"byte 18: [\"a b\"][\"\\\"\"][0]: expected a value, found 'x'"},
		{S("[1\0]"), "byte 2: [0]: expected ',' or ']', found byte 0x00"},
		{S("\xff"), "byte 0: expected a value, found byte 0xff"},
		{S("[]]"), "byte 2: expected the end of the input, found ']'"},
	};
	struct cpf_buf out = {0};
	char text[1024];
	struct cpf_err e;
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(rows); i++) {
		assert_int_equal(walk_text(rows[i].s, rows[i].n, 0, &out, &e), -1);
		assert_string_equal(cpf_err_text(&e, text, sizeof(text)), rows[i].text);
		check(rows[i].text, rows[i].s, rows[i].n, NULL, (int64_t)e.byte);
	}
	cpf_buf_release(&out);
}

static void expect(struct cpf_json *j, const char *text)
{
	struct cpf_err e = {0};
	char got[1024];

	assert_int_equal(cpf_json_end(j, &e), -1);
	assert_string_equal(cpf_err_text(&e, got, sizeof(got)), text);
	assert_int_equal(cpf_json_type(j), 0);
	assert_int_equal(cpf_json_elem(j), 0);
	cpf_json_skip(j);
	assert_int_equal(cpf_json_str(j).n, 0);
}

/* What is asked for and what is there. */
static void wrong_types(void **state)
{
	struct cpf_buf raw = {0};
	struct reader r;
	struct cpf_slice key;

	(void)state;
#define OPEN(s) reader_open(&r, (s), strlen(s), 8, NULL)
	OPEN("[1]");
	cpf_json_enter(r.j);
	assert_int_equal(cpf_json_elem(r.j), 1);
	assert_int_equal(cpf_json_str(r.j).n, 0);
	expect(r.j, "f.json: byte 1: [0]: expected a string, found 1");
	reader_close(&r);
	OPEN("{\"a\":\"x\"}");
	cpf_json_enter(r.j);
	assert_int_equal(cpf_json_key(r.j, &key), 1);
	cpf_json_num(r.j);
	expect(r.j, "f.json: byte 5: a: expected a number, found a string");
	reader_close(&r);
	OPEN("null");
	cpf_json_enter(r.j);
	expect(r.j, "f.json: byte 0: expected an object or an array, found null");
	reader_close(&r);
	OPEN("{}");
	cpf_json_null(r.j);
	expect(r.j, "f.json: byte 0: expected null, found an object");
	reader_close(&r);
	OPEN("2");
	assert_int_equal(cpf_json_bool(r.j), 0);
	expect(r.j, "f.json: byte 0: expected true or false, found 2");
	reader_close(&r);
	OPEN("0.5");
	assert_int_equal(cpf_json_bool(r.j), 0);
	expect(r.j, "f.json: byte 0: expected true or false, found 0.5");
	reader_close(&r);
	/* A copy is whole or not there. */
	OPEN("[1,[2,x");
	cpf_buf_str(&raw, "kept");
	cpf_json_raw(r.j, &raw);
	assert_string_equal(raw.s, "kept");
	expect(r.j, "f.json: byte 6: [1][1]: expected a value, found 'x'");
	reader_close(&r);
	OPEN("[ 1.50 , { \"a\" : \"\\u00b5\" } ]");
	cpf_json_raw(r.j, &raw);
	assert_string_equal(raw.s, "kept[1.50,{\"a\":\"\xc2\xb5\"}]");
	cpf_buf_release(&raw);
	reader_close(&r);
	OPEN("1");
	assert_int_equal(cpf_json_bool(r.j), 1);
	assert_int_equal(cpf_json_end(r.j, NULL), 0);
	reader_close(&r);
	/* The caller's own errors keep path and offset. */
	OPEN("{\"t\":[{\"v\":\"66\"}]}");
	cpf_json_enter(r.j);
	assert_int_equal(cpf_json_key(r.j, &key), 1);
	cpf_json_enter(r.j);
	assert_int_equal(cpf_json_elem(r.j), 1);
	cpf_json_enter(r.j);
	assert_int_equal(cpf_json_key(r.j, &key), 1);
	cpf_json_str(r.j);
	cpf_json_fail(r.j, CPF_E_FORMAT, "version is a %s", "string");
	expect(r.j, "f.json: byte 11: t[0].v: version is a string");
	cpf_json_fail(r.j, CPF_E_FORMAT, "too late");
	expect(r.j, "f.json: byte 11: t[0].v: version is a string");
	reader_close(&r);
#undef OPEN
}

static void first_element(void **state)
{
	struct reader r;

	(void)state;
	reader_open(&r, S("[ [ ],[ \"x\" ] ]"), 1, NULL);
	cpf_json_enter(r.j);
	assert_int_equal(cpf_json_type(r.j), '[');
	assert_int_equal(cpf_json_elem(r.j), 1);
	cpf_json_enter(r.j);
	assert_int_equal(cpf_json_type(r.j), ']');
	assert_int_equal(cpf_json_elem(r.j), 0);
	assert_int_equal(cpf_json_elem(r.j), 1);
	cpf_json_enter(r.j);
	assert_int_equal(cpf_json_type(r.j), '"');
	assert_int_equal(cpf_json_elem(r.j), 1);
	assert_int_equal(cpf_json_str(r.j).n, 1);
	assert_int_equal(cpf_json_elem(r.j), 0);
	assert_int_equal(cpf_json_elem(r.j), 0);
	assert_int_equal(cpf_json_end(r.j, NULL), 0);
	reader_close(&r);
}

static void limits(void **state)
{
	struct cpf_diag d = {.limits = {.string = 1000, .depth = 5}};
	struct cpf_buf text = {0};
	struct cpf_err e = {0};
	struct reader r;
	size_t w, n;
	int kind;

	(void)state;
	for (n = 5; n <= 6; n++) {
		for (kind = 0; kind < 2; kind++) {
			cpf_buf_clear(&text);
			for (w = 0; w < n; w++)
				cpf_buf_str(&text, kind ? "{\"a\":" : "[");
			cpf_buf_str(&text, kind ? "0" : "");
			for (w = 0; w < n; w++)
				cpf_buf_char(&text, kind ? '}' : ']');
			memset(&e, 0, sizeof(e));
			reader_open(&r, text.s, text.n, 3, &d);
			cpf_json_skip(r.j);
			assert_int_equal(cpf_json_end(r.j, &e), n == 5 ? 0 : -1);
			if (n == 6) {
				assert_int_equal(e.code, CPF_E_LIMIT);
				assert_int_equal(e.byte, kind ? 25 : 5);
				assert_string_equal(
					e.reason, "nesting is deeper than the limit of 5");
			}
			reader_close(&r);
		}
	}
	/* Strings: as they stand, with escapes, and a number. */
	for (kind = 0; kind < 3; kind++) {
		for (n = 1000; n <= 1001; n++) {
			for (w = 1; w <= 4096; w *= 8) {
				struct cpf_slice s;

				cpf_buf_clear(&text);
				cpf_buf_str(&text, kind == 2 ? "" : "\"");
				cpf_buf_str(&text, kind == 1 ? "\\n" : "");
				cpf_buf_pad(&text, kind == 2 ? '1' : 'x',
					kind == 1               ? n - 1
					: kind == 2 && n > 1000 ? 10000
								: n);
				cpf_buf_str(&text, kind == 2 ? "" : "\"");
				memset(&e, 0, sizeof(e));
				reader_open(&r, text.s, text.n, w, &d);
				if (kind == 2) {
					cpf_json_skip(r.j);
				} else {
					s = cpf_json_str(r.j);
					assert_int_equal(s.n, n == 1000 ? n : 0);
				}
				assert_int_equal(cpf_json_end(r.j, &e), n == 1000 ? 0 : -1);
				if (n > 1000)
					assert_int_equal(e.code, CPF_E_LIMIT);
				reader_close(&r);
			}
		}
	}
	/* A raw copy of much that is small. */
	cpf_buf_clear(&text);
	cpf_buf_char(&text, '[');
	for (n = 0; n < 600; n++)
		cpf_buf_str(&text, "1,");
	cpf_buf_str(&text, "1]");
	reader_open(&r, text.s, text.n, 64, &d);
	memset(&e, 0, sizeof(e));
	{
		struct cpf_buf raw = {0};

		cpf_json_raw(r.j, &raw);
		assert_int_equal(cpf_json_end(r.j, &e), -1);
		assert_int_equal(e.code, CPF_E_LIMIT);
		assert_int_equal(raw.n, 0);
		cpf_buf_release(&raw);
	}
	reader_close(&r);
	cpf_buf_release(&text);
}

static void replaced(void **state)
{
	static const char text[] =
		"[\"\xff\xfe\",\"ok\",\"\\ud800\",\"\\ud83d\\ude00\",\"\xc2\xb5\","
		"{\"\xe2\x82\":1}]";
	struct cpf_buf out = {0};
	struct cpf_err e = {0};
	struct reader r;
	size_t w;

	(void)state;
	for (w = 1; w < 40; w++) {
		cpf_buf_clear(&out);
		reader_open(&r, S(text), w, NULL);
		assert_int_equal(walk(r.j, &out, &e), 0);
		assert_string_equal(out.s,
			"[\"\\ufffd\\ufffd\",\"ok\",\"\\ufffd\",\"\\ud83d\\ude00\","
			"\"\\u00b5\",{\"\\ufffd\":1}]");
		assert_int_equal(cpf_json_replaced(r.j), 3);
		reader_close(&r);
	}
	cpf_buf_release(&out);
}

/* A key stays valid while white space, longer than the window, is passed on the way to its colon.
 */
static void far_colon(void **state)
{
	struct cpf_buf text = {0};
	struct cpf_slice key;
	struct reader r;
	size_t w;

	(void)state;
	cpf_buf_str(&text, "{\"name\"");
	cpf_buf_pad(&text, ' ', 5000);
	cpf_buf_str(&text, ":1}");
	for (w = 1; w < 3000; w = w * 3 + 1) {
		reader_open(&r, text.s, text.n, w, NULL);
		cpf_json_enter(r.j);
		assert_int_equal(cpf_json_key(r.j, &key), 1);
		assert_int_equal(key.n, 4);
		assert_memory_equal(key.s, "name", 4);
		assert_int_equal(cpf_json_num(r.j).i, 1);
		assert_int_equal(cpf_json_key(r.j, &key), 0);
		assert_int_equal(cpf_json_end(r.j, NULL), 0);
		reader_close(&r);
	}
	cpf_buf_release(&text);
}

static void paths(void **state)
{
	struct cpf_buf text = {0};
	struct cpf_err e = {0};
	struct reader r;
	char path[300];
	int i;

	(void)state;
	cpf_buf_str(&text, "{\"first\":");
	for (i = 0; i < 40; i++)
		cpf_buf_str(&text, "{\"a_rather_long_member_name\":");
	cpf_buf_str(&text, "[1,x");
	reader_open(&r, text.s, text.n, 100, NULL);
	cpf_json_skip(r.j);
	assert_int_equal(cpf_json_end(r.j, &e), -1);
	assert_int_equal(strlen(e.where), sizeof(e.where) - 1);
	assert_int_equal(strncmp(e.where, "first.a_rather_long", 19), 0);
	assert_non_null(strstr(e.where, "..."));
	assert_string_equal(e.where + strlen(e.where) - 11, "ber_name[1]");
	reader_close(&r);
	cpf_buf_clear(&text);
	cpf_buf_str(&text, "{\"");
	cpf_buf_pad(&text, 'k', 100);
	cpf_buf_str(&text, "\":x");
	reader_open(&r, text.s, text.n, 100, NULL);
	cpf_json_skip(r.j);
	cpf_json_path(r.j, path, sizeof(path));
	assert_int_equal(strlen(path), 61 + 3);
	assert_string_equal(path + 60, "k...");
	assert_string_equal(cpf_json_path(r.j, path, 1), "");
	reader_close(&r);
	cpf_buf_release(&text);
}

/* The reader tells of a failed read where it comes to it, not before. */
static void read_error(void **state)
{
	static const uint8_t packed[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3,
		/* a stored block of 6 bytes, not the last */
		0, 6, 0, 0xf9, 0xff, '[', '1', ',', '2', ',', '3',
		/* and one of the reserved type */
		7};
	struct cpf_err e = {0};
	struct cpf_input *in;
	struct cpf_json *j;
	int64_t v[8];
	char text[512];

	(void)state;
	assert_int_equal(cpf_input_memory(&in, "f.gz", packed, sizeof(packed), NULL, &e), 0);
	assert_int_equal(cpf_json_open(&j, in, &e), 0);
	cpf_json_enter(j);
	assert_int_equal(cpf_json_ints(j, v, 2, 0), 2);
	assert_int_equal(v[1], 2);
	assert_int_equal(cpf_json_ints(j, v, 8, 0), 0);
	assert_int_equal(cpf_json_end(j, &e), -1);
	cpf_err_text(&e, text, sizeof(text));
	assert_int_equal(strncmp(text, "f.gz: byte 2", 12), 0);
	assert_non_null(strstr(text, ": gzip data is damaged"));
	assert_int_equal(e.unpacked, 0);
	cpf_json_close(j);
	cpf_input_close(in);
}

static void positions(void **state)
{
	struct cpf_err e = {0};
	struct cpf_json *j;

	(void)state;
	assert_int_equal(cpf_json_memory(&j, S("[1,x]"), 1000, &e), 0);
	assert_int_equal(cpf_json_pos(j), 1000);
	cpf_json_enter(j);
	assert_int_equal(cpf_json_pos(j), 1001);
	cpf_json_elem(j);
	cpf_json_skip(j);
	cpf_json_elem(j);
	cpf_json_skip(j);
	assert_int_equal(cpf_json_end(j, &e), -1);
	assert_int_equal(e.byte, 1003);
	cpf_json_close(j);
	/* Nothing there, nothing asked for: not good either. */
	memset(&e, 0, sizeof(e));
	assert_int_equal(cpf_json_memory(&j, "", 0, 7, &e), 0);
	assert_int_equal(cpf_json_end(j, &e), -1);
	assert_int_equal(e.byte, 7);
	cpf_json_close(j);
	/* Not read to the end is the caller's fault, and must not pass for success. */
	memset(&e, 0, sizeof(e));
	assert_int_equal(cpf_json_memory(&j, S("[1]"), 0, &e), 0);
	cpf_json_enter(j);
	assert_int_equal(cpf_json_end(j, &e), -1);
	assert_int_equal(e.code, CPF_E_USAGE);
	cpf_json_close(j);
	memset(&e, 0, sizeof(e));
	assert_int_equal(cpf_json_memory(&j, S("[1]"), 0, &e), 0);
	assert_int_equal(cpf_json_elem(j), 0);
	assert_int_equal(cpf_json_end(j, &e), -1);
	assert_int_equal(e.code, CPF_E_USAGE);
	cpf_json_close(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conformance),
		cmocka_unit_test(truncation),
		cmocka_unit_test(split_everywhere),
		cmocka_unit_test(messages),
		cmocka_unit_test(wrong_types),
		cmocka_unit_test(first_element),
		cmocka_unit_test(limits),
		cmocka_unit_test(replaced),
		cmocka_unit_test(far_colon),
		cmocka_unit_test(paths),
		cmocka_unit_test(read_error),
		cmocka_unit_test(positions),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
