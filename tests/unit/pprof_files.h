/* Pprof files to try, profiles in and out of memory, and messages by hand. */
#ifndef TEST_PPROF_FILES_H
#define TEST_PPROF_FILES_H

#include "unit/build.h"

#include "base/buf.h"
#include "base/input.h"
#include "base/mem.h"
#include "base/output.h"
#include "core/check.h"

#include <cpuprof/format.h>

#include <dirent.h>

#include "profile.pb-c.h"

typedef Perftools__Profiles__Profile message;

/* Files to try: folders that may be missing. */

static CPF_UNUSED const char *env_or(const char *name, const char *fallback)
{
	const char *s = getenv(name);

	return s && *s ? s : fallback;
}

static CPF_UNUSED int is_pprof(const char *name)
{
	static const char *const ends[] = {".pb", ".pb.gz", ".pprof", ".pgo"};
	size_t i, n = strlen(name), k;

	for (i = 0; i < CPF_LEN(ends); i++) {
		k = strlen(ends[i]);
		if (n > k && !strcmp(name + n - k, ends[i]))
			return 1;
	}
	return 0;
}

static CPF_UNUSED unsigned each_in(
	const char *root, const char *under, const char *start, void (*run)(const char *path))
{
	char folder[2048], path[4096];
	struct dirent *ent;
	unsigned n = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/%s", root, under);
	dir = opendir(folder);
	if (!dir)
		return 0;
	while ((ent = readdir(dir))) {
		if (!is_pprof(ent->d_name) || strncmp(ent->d_name, start, strlen(start)) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, ent->d_name);
		run(path);
		n++;
	}
	closedir(dir);
	return n;
}

static CPF_UNUSED void each_file(void (*run)(const char *path))
{
	const char *data = env_or("TESTDATA", "testdata"), *corpus = env_or("CORPUS", "");
	unsigned n;

	n = each_in(data, "pprof", "", run);
	assert_true(n >= 3);
	each_in(data, "cases/pprof", "", run);
	each_in(data, "cases/pprof/malformed", "ok_", run);
	if (*corpus)
		each_in(corpus, "pprof", "", run);
}

/* Loading and writing. */

static CPF_UNUSED int load(struct cpf_profile *p, const void *data, size_t n,
	const struct cpf_load_opts *o, struct cpf_err *e)
{
	struct cpf_input *in;
	int bad;

	memset(e, 0, sizeof(*e));
	cpf_profile_init(p);
	assert_int_equal(cpf_input_memory(&in, "test", data, n, NULL, e), 0);
	bad = cpf_load_input(p, in, o, NULL, e);
	cpf_input_close(in);
	return bad;
}

static CPF_UNUSED void load_ok(struct cpf_profile *p, const void *data, size_t n)
{
	struct cpf_err e;

	if (load(p, data, n, NULL, &e) || cpf_check_ok(p, &e))
		fail_msg("%s: %s", e.where, e.reason);
}

static CPF_UNUSED void write_out(
	const struct cpf_profile *p, const struct cpf_save_opts *o, char **data, size_t *n)
{
	struct cpf_err e = {0};
	struct cpf_output *out;

	assert_int_equal(cpf_output_memory(&out, 0, &e), 0);
	if (cpf_format_by_name("pprof")->write(p, out, o, NULL, &e))
		fail_msg("%s", e.reason);
	assert_int_equal(cpf_output_take(out, data, n, &e), 0);
}

static CPF_UNUSED void unpacked(const char *path, char **data, size_t *n)
{
	struct cpf_err e = {0};
	struct cpf_input *in;

	assert_int_equal(cpf_input_open(&in, path, NULL, &e), 0);
	assert_int_equal(cpf_input_all(in, data, n, &e), 0);
	cpf_input_close(in);
}

static CPF_UNUSED message *decode(const void *data, size_t n)
{
	message *m = perftools__profiles__profile__unpack(NULL, n, data);

	assert_non_null(m);
	return m;
}

static CPF_UNUSED void forget(message *m)
{
	perftools__profiles__profile__free_unpacked(m, NULL);
}

/* Messages by hand. */

static CPF_UNUSED void varint(struct cpf_buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		cpf_buf_char(b, (char)(v | 0x80));
	cpf_buf_char(b, (char)v);
}

static CPF_UNUSED void num(struct cpf_buf *b, unsigned field, uint64_t v)
{
	varint(b, field << 3);
	varint(b, v);
}

static CPF_UNUSED void bytes(struct cpf_buf *b, unsigned field, const char *s, size_t n)
{
	varint(b, field << 3 | 2);
	varint(b, n);
	cpf_buf_add(b, s, n);
}

static CPF_UNUSED void text(struct cpf_buf *b, unsigned field, const char *s)
{
	bytes(b, field, s, strlen(s));
}

/* The message built in *part goes into b and *part is empty again. */
static CPF_UNUSED void part(struct cpf_buf *b, unsigned field, struct cpf_buf *p)
{
	bytes(b, field, p->n ? p->s : "", p->n);
	cpf_buf_clear(p);
}

enum { NO_TYPES = 1, NO_STRINGS = 2, NO_FUNCTION = 4, NO_LOCATION = 8 };

/*
 * A valid profile: samples/count; one sample 5 of location 1, function 1 "main" ("" samples count
 * main key value), without the parts in leave.
 */
static CPF_UNUSED void basis(struct cpf_buf *b, unsigned leave)
{
	struct cpf_buf p = {0}, q = {0};

	if (!(leave & NO_TYPES)) {
		num(&p, 1, 1);
		num(&p, 2, 2);
		part(b, 1, &p);
	}
	num(&p, 1, 1);
	num(&p, 2, 5);
	part(b, 2, &p);
	if (!(leave & NO_LOCATION)) {
		num(&p, 1, 1);
		num(&q, 1, 1);
		num(&q, 2, 12);
		part(&p, 4, &q);
		part(b, 4, &p);
	}
	if (!(leave & NO_FUNCTION)) {
		num(&p, 1, 1);
		num(&p, 2, 3);
		part(b, 5, &p);
	}
	if (!(leave & NO_STRINGS)) {
		text(b, 6, "");
		text(b, 6, "samples");
		text(b, 6, "count");
		text(b, 6, "main");
		text(b, 6, "key");
		text(b, 6, "value");
	}
	cpf_buf_release(&p);
	cpf_buf_release(&q);
}

/* b is refused at byte (CPF_NO_POS: no place), path where, for a reason that holds why. */
static CPF_UNUSED void refused(struct cpf_buf *b, uint64_t byte, const char *where, const char *why)
{
	struct cpf_profile p;
	struct cpf_err e;

	assert_int_equal(load(&p, b->s, b->n, NULL, &e), -1);
	cpf_profile_release(&p);
	if (!strstr(e.reason, why))
		fail_msg("'%s' does not say '%s'", e.reason, why);
	assert_string_equal(e.where, where);
	assert_int_equal(e.byte, byte);
	assert_int_equal(e.code, CPF_E_FORMAT);
	cpf_buf_release(b);
	memset(b, 0, sizeof(*b));
}

#endif
