/*
 * The JSON reader: the first byte chooses a window and how arrays are read, the rest is the text.
 * A walk in a small window has to come to the same as one in a window that holds it all, and what
 * raw copies has to read back to the same copy.
 */
#include "base/json.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum how {
	SKIP,
	ELEMENTS,
	INTS,
	DOUBLES,
	FIXED,
	MIXED,
	RAW,
	WHOLE,
	HOWS
};

/* What a walk saw, so that two can be compared. */
struct sum {
	uint64_t hash;
	struct cpf_err err;
	int ret;
};

static void add(struct sum *s, const void *p, size_t n)
{
	const unsigned char *c = p;

	for (; n; n--)
		s->hash = (s->hash ^ *c++) * 0x100000001b3u;
	s->hash = (s->hash ^ n) * 0x100000001b3u;
}

static void scalar(struct cpf_json *j, struct sum *s, int type)
{
	struct cpf_slice str;
	struct cpf_num v;
	int b;

	switch (type) {
	case '"':
		str = cpf_json_str(j);
		add(s, str.s, str.n);
		break;
	case '0':
		v = cpf_json_num(j);
		if (!isfinite(v.d) || (v.is_int && (double)v.i != v.d))
			abort();
		add(s, &v.d, sizeof(v.d));
		add(s, &v.u, sizeof(v.u));
		break;
	case 't':
	case 'f':
		b = cpf_json_bool(j);
		add(s, &b, sizeof(b));
		break;
	default:
		cpf_json_null(j);
	}
}

/* The array just entered holds numbers, or so it seems. */
static void column(struct cpf_json *j, struct sum *s, enum how how)
{
	uint64_t fractions = 0;
	int scaled = 0;
	int64_t v[5];
	double d[5];
	size_t n;

	do {
		switch (how) {
		case INTS:
			n = cpf_json_ints(j, v, 5, -1);
			break;
		case FIXED:
			n = cpf_json_fixed(j, v, 5, 6, -1);
			break;
		case WHOLE:
			n = cpf_json_whole(j, v, 5, -1, 6, &scaled);
			if (n)
				v[n - 1] ^= (int64_t)scaled << 62;
			break;
		case MIXED:
			n = cpf_json_mixed_ints(j, v, 5, -1, &fractions);
			break;
		default:
			n = cpf_json_doubles(j, d, 5, -1);
			add(s, d, n * sizeof(*d));
			continue;
		}
		add(s, v, n * sizeof(*v));
	} while (n);
}

static void walk(struct cpf_json *j, struct sum *s, enum how how)
{
	static int kinds[2000];
	struct cpf_buf raw = { 0 };
	struct cpf_slice key;
	size_t depth = 0;
	int type;

	for (;;) {
		type = cpf_json_type(j);
		if (how == RAW && depth > 1) {
			cpf_buf_clear(&raw);
			cpf_json_raw(j, &raw);
			add(s, raw.s, raw.n);
		} else if (how == SKIP && depth > 1) {
			cpf_json_skip(j);
		} else if (type == '{') {
			cpf_json_enter(j);
			kinds[depth++] = type;
		} else if (type == '[') {
			cpf_json_enter(j);
			type = cpf_json_type(j);
			if (((how >= INTS && how <= MIXED) || how == WHOLE) && (type == '0' || type == 'n'))
				column(j, s, how);
			else
				kinds[depth++] = '[';
		} else if (type && type != ']') {
			scalar(j, s, type);
		}
		while (depth && (kinds[depth - 1] == '[' ? !cpf_json_elem(j) : !cpf_json_key(j, &key)))
			depth--;
		if (!depth || cpf_json_failed(j))
			break;
		if (kinds[depth - 1] == '{')
			add(s, key.s, key.n);
	}
	cpf_buf_release(&raw);
	s->ret = cpf_json_end(j, &s->err);
}

static void run(struct sum *s, const uint8_t *data, size_t size, size_t window, enum how how)
{
	struct cpf_err e = { 0 };
	struct cpf_input *in = NULL;
	struct cpf_json *j;

	memset(s, 0, sizeof(*s));
	if (window) {
		if (cpf_input_memory(&in, "x", data, size, NULL, &e) ||
			cpf_json_open_window(&j, in, window, &e))
			abort();
	} else if (cpf_json_memory(&j, (const char *)data, size, 0, &e)) {
		abort();
	}
	walk(j, s, how);
	cpf_json_close(j);
	cpf_input_close(in);
}

/* A copy of a copy is the copy. */
static void copy_twice(const uint8_t *data, size_t size)
{
	struct cpf_buf one = { 0 }, two = { 0 };
	struct cpf_err e = { 0 };
	struct cpf_json *j;

	if (cpf_json_memory(&j, (const char *)data, size, 0, &e))
		abort();
	cpf_json_raw(j, &one);
	if (!cpf_json_end(j, &e)) {
		cpf_json_close(j);
		if (cpf_json_memory(&j, one.s, one.n, 0, &e))
			abort();
		cpf_json_raw(j, &two);
		if (cpf_json_end(j, &e) || one.n != two.n || memcmp(one.s, two.s, one.n))
			abort();
	}
	cpf_json_close(j);
	cpf_buf_release(&one);
	cpf_buf_release(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sum whole, part;
	enum how how;
	size_t window;

	if (!size)
		return 0;
	how = (enum how)(data[0] % HOWS);
	window = data[0] / HOWS + 1u;
	data++;
	size--;
	/* gzip is another target's, and reads the same through any window. */
	if (size >= 2 && data[0] == 0x1f && data[1] == 0x8b)
		return 0;
	run(&whole, data, size, 0, how);
	run(&part, data, size, window, how);
	if (whole.hash != part.hash || whole.ret != part.ret || whole.err.byte != part.err.byte ||
		strcmp(whole.err.reason, part.err.reason) || strcmp(whole.err.where, part.err.where))
		abort();
	copy_twice(data, size);
	return 0;
}
