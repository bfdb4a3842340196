#include "unit/test.h"

#include "symbolize/macho.h"

#include <stdlib.h>

struct bytes {
	uint8_t s[4096];
	size_t n;
	int big;
};

static void put(struct bytes *b, uint64_t v, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		b->s[b->n++] = (uint8_t)(v >> 8 * (b->big ? size - 1 - i : i));
}

static void put_zeros(struct bytes *b, size_t n)
{
	memset(b->s + b->n, 0, n);
	b->n += n;
}

static void put_name(struct bytes *b, const char *name)
{
	char s[16] = "";

	strcpy(s, name);
	memcpy(b->s + b->n, s, 16);
	b->n += 16;
}

/* An image with a UUID of bytes first, first + 1 ..., and __TEXT. */
static void put_image(struct bytes *b, int wide, uint32_t cpu, uint32_t sub, uint8_t first)
{
	size_t i;

	put(b, wide ? 0xfeedfacf : 0xfeedface, 4);
	put(b, cpu, 4);
	put(b, sub, 4);
	put(b, 2, 4);
	put(b, 3, 4);
	put(b, (uint64_t)24 + (wide ? 72 + 72 : 56 + 56), 4);
	put(b, 0, wide ? 8 : 4);
	for (i = 0; i < 2; i++) {
		put(b, wide ? 0x19 : 1, 4);
		put(b, wide ? 72 : 56, 4);
		put_name(b, i ? "__TEXT" : "__PAGEZERO");
		put(b, i ? 0x4000 : 0, wide ? 8 : 4);
		put(b, i ? 0x8000 : 0x4000, wide ? 8 : 4);
		put_zeros(b, wide ? 32 : 24);
	}
	put(b, 0x1b, 4);
	put(b, 24, 4);
	for (i = 0; i < 16; i++)
		put(b, first + i, 1);
}

static void images(void **state)
{
	static const struct {
		int wide, big;
		uint32_t cpu, sub;
		const char *arch;
	} kinds[] = {
		{1, 0, 0x0100000c, 0, "arm64"}, {1, 0, 0x0100000c, 0x80000002, "arm64e"},
		{1, 0, 0x01000007, 0x80000003, "x86_64"}, {1, 0, 0x01000007, 8, "x86_64h"},
		{0, 0, 7, 3, "i386"}, {0, 1, 18, 0, "ppc"}, {1, 1, 0x01000012, 0, "ppc64"},
		{1, 0, 99, 0, ""},
	};
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(kinds); i++) {
		struct bytes b = {.big = kinds[i].big};
		struct cpf_err e = {0};
		struct cpf_macho m;
		char text[37];

		put_image(&b, kinds[i].wide, kinds[i].cpu, kinds[i].sub, 0x10);
		assert_int_equal(cpf_macho_memory(&m, b.s, b.n, &e), 0);
		assert_int_equal(m.n, 1);
		assert_string_equal(m.slices[0].arch, kinds[i].arch);
		assert_true(m.slices[0].has_text && m.slices[0].has_uuid);
		assert_int_equal(m.slices[0].text, 0x4000);
		assert_int_equal(m.slices[0].text_size, 0x8000);
		assert_int_equal(m.slices[0].type, 2);
		assert_string_equal(cpf_macho_uuid_text(text, m.slices[0].uuid),
			"10111213-1415-1617-1819-1A1B1C1D1E1F");
		cpf_macho_release(&m);
	}
}

/* Every file that is cut short is refused or read as something shorter, never read beyond its end. */
static void cut_short(void **state)
{
	struct bytes b = {.big = 0};
	size_t n;

	(void)state;
	put_image(&b, 1, 0x0100000c, 0, 1);
	for (n = 0; n < b.n; n++) {
		uint8_t *exact = malloc(n ? n : 1);
		struct cpf_err e = {0};
		struct cpf_macho m;

		memcpy(exact, b.s, n);
		assert_int_not_equal(cpf_macho_memory(&m, exact, n, &e), 0);
		assert_int_equal(m.n, 0);
		assert_true(n < 28 ? e.code == CPF_OK : e.code == CPF_E_FORMAT);
		free(exact);
	}
}

static void universal(void **state)
{
	struct bytes image[2] = {{.big = 0}, {.big = 0}}, b = {.big = 1};
	struct cpf_err e = {0};
	struct cpf_macho m;
	uint8_t uuid[CPF_MACHO_UUID];
	int wide;

	(void)state;
	put_image(&image[0], 1, 0x01000007, 3, 0x20);
	put_image(&image[1], 1, 0x0100000c, 2, 0x40);
	for (wide = 0; wide < 2; wide++) {
		size_t i;

		b.n = 0;
		put(&b, wide ? 0xcafebabf : 0xcafebabe, 4);
		put(&b, 2, 4);
		for (i = 0; i < 2; i++) {
			put(&b, i ? 0x0100000c : 0x01000007, 4);
			put(&b, 3, 4);
			put(&b, 512 + 512 * i, wide ? 8 : 4);
			put(&b, image[i].n, wide ? 8 : 4);
			put(&b, 9, wide ? 8 : 4);
		}
		memcpy(b.s + 512, image[0].s, image[0].n);
		memcpy(b.s + 1024, image[1].s, image[1].n);
		b.n = 1024 + image[1].n;
		assert_int_equal(cpf_macho_memory(&m, b.s, b.n, &e), 0);
		assert_int_equal(m.n, 2);
		assert_true(cpf_macho_parse_uuid(uuid, "404142434445464748494a4b4c4d4e4f"));
		assert_string_equal(cpf_macho_find(&m, uuid)->arch, "arm64e");
		assert_true(cpf_macho_parse_uuid(uuid, "20212223-2425-2627-2829-2A2B2C2D2E2F"));
		assert_string_equal(cpf_macho_find(&m, uuid)->arch, "x86_64");
		uuid[3] = 0;
		assert_null(cpf_macho_find(&m, uuid));
		cpf_macho_release(&m);
		assert_int_equal(cpf_macho_memory(&m, b.s, b.n - 1, &e), -1);
		assert_string_equal(e.reason,
			"universal file is cut short: architecture 2 of 2 ends behind it");
		memset(&e, 0, sizeof(e));
	}
	/* A Java class file of version 52. */
	b.n = 0;
	put(&b, 0xcafebabe, 4);
	put(&b, 52, 4);
	put_zeros(&b, 56);
	assert_int_equal(cpf_macho_memory(&m, b.s, b.n, &e), 1);
	assert_int_equal(e.code, CPF_OK);
}

static void hostile(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
		const char *reason;
	} changes[] = {
		{16, 0xffffffff, "Mach-O load commands end too early"},
		{20, 0xffffffff, "Mach-O file is cut short"},
		{20, 0x7fffffff, "Mach-O file is cut short"},
		{36, 0, "Mach-O load command of 0 bytes"},
		{36, 7, "Mach-O load command of 7 bytes"},
		{36, 0xfffffff8, "Mach-O load command of 4294967288 bytes"},
		{36, 169, "Mach-O load command of 169 bytes"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(changes); i++) {
		struct bytes b = {.big = 0};
		struct cpf_err e = {0};
		struct cpf_macho m;

		put_image(&b, 1, 0x0100000c, 0, 1);
		b.n = changes[i].at;
		put(&b, changes[i].value, 4);
		b.n = 32 + 72 + 72 + 24;
		assert_int_equal(cpf_macho_memory(&m, b.s, b.n, &e), -1);
		assert_string_equal(e.reason, changes[i].reason);
	}
}

static void function_starts(void **state)
{
	static const uint8_t data[] = {0xb8, 0x06, 0x34, 0x80, 0x01, 0, 0x55, 0x55};
	static const uint8_t huge[] = {
		1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 2};
	static const uint8_t cut[] = {4, 0x80};
	uint64_t *starts;
	size_t n;

	(void)state;
	cpf_macho_decode_starts(&starts, &n, data, sizeof(data));
	assert_int_equal(n, 3);
	assert_int_equal(starts[0], 0x338);
	assert_int_equal(starts[1], 0x36c);
	assert_int_equal(starts[2], 0x3ec);
	free(starts);
	/* A sum that does not fit ends the list. */
	cpf_macho_decode_starts(&starts, &n, huge, sizeof(huge));
	assert_int_equal(n, 1);
	free(starts);
	cpf_macho_decode_starts(&starts, &n, cut, sizeof(cut));
	assert_int_equal(n, 1);
	free(starts);
	cpf_macho_decode_starts(&starts, &n, data, 0);
	assert_int_equal(n, 0);
	assert_null(starts);
}

static void ids(void **state)
{
	static const struct {
		const char *text;
		int ok;
	} cases[] = {
		{"34FBD46D4A1F3B41A0F14E57D7E25B040", 1}, {"34FBD46D4A1F3B41A0F14E57D7E25B04", 1},
		{"34fbd46d-4a1f-3b41-a0f1-4e57d7e25b04", 1},
		{"34fbd46d-4a1f-3b41-a0f1-4e57d7e25b04-0", 1},
		{"34FBD46D4A1F3B41A0F14E57D7E25B041", 0}, {"34FBD46D4A1F3B41A0F14E57D7E25B0400", 0},
		{"34FBD46D4A1F3B41A0F14E57D7E25B0", 0}, {"", 0},
		{"000000000000000000000000000000000", 0}, {"34FBD46D4A1F3B41A0F14E57D7E25B0G", 0},
		{"63260a3e6e46db57abf718f6a3562c6eedccf269", 0},
	};
	char text[37];
	uint8_t uuid[CPF_MACHO_UUID];
	size_t i;

	(void)state;
	for (i = 0; i < CPF_LEN(cases); i++) {
		assert_int_equal(cpf_macho_parse_uuid(uuid, cases[i].text), cases[i].ok);
		if (cases[i].ok)
			assert_string_equal(cpf_macho_uuid_text(text, uuid),
				"34FBD46D-4A1F-3B41-A0F1-4E57D7E25B04");
	}
}

static void no_files(void **state)
{
	struct cpf_err e = {0};
	struct cpf_macho m;

	(void)state;
	assert_int_equal(cpf_macho_read(&m, "/nowhere/at/all", &e), -1);
	assert_int_equal(e.sys, 2); /* ENOENT */
	memset(&e, 0, sizeof(e));
	assert_int_equal(cpf_macho_read(&m, "/", &e), -1);
	assert_string_equal(e.reason, "not a regular file");
	memset(&e, 0, sizeof(e));
	assert_int_equal(cpf_macho_read(&m, "/dev/tty", &e), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(images),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(universal),
		cmocka_unit_test(hostile),
		cmocka_unit_test(function_starts),
		cmocka_unit_test(ids),
		cmocka_unit_test(no_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
