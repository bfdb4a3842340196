#include "test.h"

#include "base/buf.h"
#include "base/input.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
#include <zlib.h>

/* Pseudo-random text that packs about as profiles do. */
static void text_at(struct cpf_buf *b, size_t n, uint64_t seed)
{
	char *s = cpf_buf_room(b, n);
	size_t i;

	for (i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		s[i] = "0123456789,,,[]\""[seed >> 60];
	}
	b->n += n;
}

/* One gzip member. head: NULL or fields for the header. */
static void member(struct cpf_buf *out, const char *s, size_t n, int level, gz_header *head)
{
	z_stream z = {0};
	size_t room = n + n / 10 + 10000;

	deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	if (head)
		deflateSetHeader(&z, head);
	z.next_in = (z_const Bytef *)(uintptr_t)s;
	z.avail_in = (uInt)n;
	z.next_out = (Bytef *)cpf_buf_room(out, room);
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out->n += room - z.avail_out;
	deflateEnd(&z);
}

struct feed {
	int fd;
	const char *s;
	size_t n, step;
};

static void *feeder(void *arg)
{
	struct feed *f = arg;
	size_t at, m;

	for (at = 0; at < f->n; at += m) {
		m = f->n - at < f->step ? f->n - at : f->step;
		if (write(f->fd, f->s + at, m) < 0)
			break;
	}
	close(f->fd);
	return NULL;
}

/* How bytes get in: from memory, from a file, through a pipe in pieces of some size. */
enum way { MEMORY, FILE_, PIPE, PIPE_BYTES, WAYS };

struct opened {
	enum way way;
	struct cpf_input *in;
	int saved;
	pthread_t thread;
	struct feed feed;
	char path[64];
};

static int opened_start(struct opened *o, enum way way, const char *s, size_t n, struct cpf_diag *d,
	struct cpf_err *e)
{
	int fds[2], fd;

	memset(o, 0, sizeof(*o));
	o->way = way;
	switch (way) {
	case MEMORY:
		return cpf_input_memory(&o->in, "x", s, n, d, e);
	case FILE_:
		strcpy(o->path, "/tmp/cpf-t-input-XXXXXX");
		fd = mkstemp(o->path);
		assert_true(fd >= 0);
		assert_int_equal(write(fd, s, n), n);
		close(fd);
		return cpf_input_open(&o->in, o->path, d, e);
	default:
		assert_int_equal(pipe(fds), 0);
		o->feed = (struct feed){fds[1], s, n, way == PIPE ? 30000 : 1};
		assert_int_equal(pthread_create(&o->thread, NULL, feeder, &o->feed), 0);
		o->saved = dup(0);
		dup2(fds[0], 0);
		close(fds[0]);
		return cpf_input_open(&o->in, "-", d, e);
	}
}

static void opened_end(struct opened *o)
{
	cpf_input_close(o->in);
	if (o->way == FILE_)
		unlink(o->path);
	if (o->way != PIPE && o->way != PIPE_BYTES)
		return;
	dup2(o->saved, 0);
	close(o->saved);
	pthread_join(o->thread, NULL);
}

/* Reads all, in pieces of step bytes; the good bytes stay in got when there is an error. */
static int read_all(struct cpf_input *in, struct cpf_buf *got, size_t step, struct cpf_err *e)
{
	size_t n;

	do {
		if (cpf_input_read(in, cpf_buf_room(got, step), step, &n, e)) {
			got->s[got->n] = '\0';
			return -1;
		}
		got->n += n;
		assert_true(n <= step);
	} while (n);
	cpf_buf_room(got, 0);
	return 0;
}

static void check_good(const char *packed, size_t n, const char *text, size_t text_n, int is_gzip)
{
	static const size_t steps[] = {1 << 20, 262144, 4097, 100};
	enum way way;
	size_t i;

	for (way = MEMORY; way < WAYS; way++) {
		for (i = 0; i < CPF_LEN(steps); i++) {
			struct cpf_buf got = {0};
			struct cpf_diag d = {0};
			struct cpf_err e = {0};
			struct opened o;
			const uint8_t *head;
			size_t head_n;

			if (way == PIPE_BYTES && n > 5000)
				continue;
			assert_int_equal(opened_start(&o, way, packed, n, &d, &e), 0);
			assert_int_equal(cpf_input_packed(o.in), is_gzip);
			if (i % 2) {
				assert_int_equal(cpf_input_head(o.in, &head, &head_n, &e), 0);
				assert_int_equal(head_n, text_n < 4096 ? text_n : 4096);
				assert_memory_equal(head, text, head_n);
			}
			assert_int_equal(read_all(o.in, &got, steps[i], &e), 0);
			assert_int_equal(got.n, text_n);
			assert_memory_equal(got.s, text, text_n);
			/* The end stays the end. */
			assert_int_equal(cpf_input_read(o.in, got.s, 1, &head_n, &e), 0);
			assert_int_equal(head_n, 0);
			assert_int_equal(d.n, 0);
			opened_end(&o);
			cpf_buf_release(&got);
		}
	}
}

static const size_t sizes[] = {0, 1, 2, 4095, 4096, 4097, 65536, 300000, 3000000};

static void plain(void **state)
{
	struct cpf_buf text = {0};
	size_t i, n;
	char *all;

	(void)state;
	for (i = 0; i < CPF_LEN(sizes); i++) {
		struct cpf_err e = {0};
		struct opened o;

		cpf_buf_clear(&text);
		text_at(&text, sizes[i], i);
		check_good(text.s, text.n, text.s, text.n, 0);
		assert_int_equal(opened_start(&o, FILE_, text.s, text.n, NULL, &e), 0);
		assert_int_equal(cpf_input_all(o.in, &all, &n, &e), 0);
		assert_int_equal(n, text.n);
		assert_memory_equal(all, text.s, n);
		assert_int_equal(all[n], '\0');
		cpf_free(all);
		opened_end(&o);
	}
	/* Half of gzip's magic is no gzip. */
	check_good("\x1f", 1, "\x1f", 1, 0);
	check_good("\x1f\x8c", 2, "\x1f\x8c", 2, 0);
	cpf_buf_release(&text);
}

static void gzip(void **state)
{
	struct cpf_buf text = {0}, packed = {0};
	size_t i;
	int level;

	(void)state;
	for (i = 0; i < CPF_LEN(sizes); i++) {
		for (level = 0; level <= 9; level += 3) {
			cpf_buf_clear(&text);
			cpf_buf_clear(&packed);
			text_at(&text, sizes[i], i);
			member(&packed, text.s, text.n, level, NULL);
			check_good(packed.s, packed.n, text.s, text.n, 1);
		}
	}
	/* Several members, an empty one among them, then zeros. */
	cpf_buf_clear(&text);
	cpf_buf_clear(&packed);
	text_at(&text, 400000, 9);
	member(&packed, text.s, 100000, 6, NULL);
	member(&packed, "", 0, 6, NULL);
	member(&packed, text.s + 100000, 300000, 1, NULL);
	check_good(packed.s, packed.n, text.s, text.n, 1);
	cpf_buf_pad(&packed, '\0', 1000);
	check_good(packed.s, packed.n, text.s, text.n, 1);
	cpf_buf_pad(&packed, '\0', 600000);
	check_good(packed.s, packed.n, text.s, text.n, 1);
	cpf_buf_release(&text);
	cpf_buf_release(&packed);
}

static void header_fields(void **state)
{
	static const char text[] = "some text";
	char extra[3000], name[2000];
	struct cpf_buf packed = {0};
	int bits;

	(void)state;
	memset(extra, 'e', sizeof(extra));
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (bits = 0; bits < 16; bits++) {
		gz_header head = {.os = 3, .time = 77, .hcrc = bits & 1};

		if (bits & 2) {
			head.extra = (Bytef *)extra;
			head.extra_len = sizeof(extra);
		}
		if (bits & 4)
			head.name = (Bytef *)name;
		if (bits & 8)
			head.comment = (Bytef *)name;
		cpf_buf_clear(&packed);
		member(&packed, text, sizeof(text) - 1, 6, &head);
		check_good(packed.s, packed.n, text, sizeof(text) - 1, 1);
	}
	cpf_buf_release(&packed);
}

/* Bytes that go wrong: how much comes out before, and what is said. by: -1 = anywhere. */
static void check_bad(
	const char *s, size_t n, const char *text, size_t good, int64_t byte, const char *reason)
{
	enum way way;

	for (way = MEMORY; way < WAYS; way++) {
		struct cpf_buf got = {0};
		struct cpf_err e = {0};
		struct opened o;
		size_t m;

		if (way == PIPE_BYTES && n > 5000)
			continue;
		assert_int_equal(opened_start(&o, way, s, n, NULL, &e), 0);
		assert_int_equal(read_all(o.in, &got, 1000, &e), -1);
		if (good != SIZE_MAX)
			assert_int_equal(got.n, good);
		assert_memory_equal(got.s, text, got.n);
		assert_int_equal(e.code, CPF_E_FORMAT);
		assert_int_equal(e.unpacked, 0);
		assert_string_equal(e.reason, reason);
		assert_string_equal(e.source, cpf_input_name(o.in));
		if (byte >= 0)
			assert_int_equal(e.byte, byte);
		/* Sticky. */
		memset(&e, 0, sizeof(e));
		assert_int_equal(cpf_input_read(o.in, got.s, 1, &m, &e), -1);
		assert_string_equal(e.reason, reason);
		opened_end(&o);
		cpf_buf_release(&got);
	}
}

static void gzip_faults(void **state)
{
	static const char cut[] = "gzip data is cut off";
	static const char sum[] = "gzip checksum or length does not match";
	struct cpf_buf text = {0}, packed = {0};
	gz_header head = {.os = 3, .hcrc = 1};
	size_t big, i, n;

	(void)state;
	for (big = 0; big < 2; big++) {
		cpf_buf_clear(&text);
		cpf_buf_clear(&packed);
		text_at(&text, big ? 700000 : 300, 3);
		member(&packed, text.s, text.n, 6, NULL);
		n = packed.n;
		for (i = 2; i < n; i += big ? n / 7 : 1)
			check_bad(packed.s, i, text.s, SIZE_MAX, (int64_t)i, cut);
		for (i = n - 8; i < n; i++) {
			packed.s[i] ^= 1;
			check_bad(packed.s, n, text.s, text.n, (int64_t)n - 8, sum);
			packed.s[i] ^= 1;
		}
		/* A second member that is bad: all of the first comes out. */
		member(&packed, text.s, text.n, 6, NULL);
		packed.s[packed.n - 1] ^= 1;
		cpf_buf_room(&text, text.n);
		cpf_buf_add(&text, text.s, text.n);
		check_bad(packed.s, packed.n, text.s, text.n, (int64_t)packed.n - 8, sum);
		check_bad(packed.s, n + 2, text.s, text.n / 2, (int64_t)n + 2, cut);
	}
	cpf_buf_clear(&packed);
	member(&packed, "x", 1, 6, NULL);
	packed.s[2] = 7;
	check_bad(packed.s, packed.n, "", 0, 2,
		"gzip compression method is 7, only 8 (deflate) is known");
	packed.s[2] = 8;
	packed.s[3] = 0x20;
	check_bad(packed.s, packed.n, "", 0, 3, "gzip header has reserved flags set (0x20)");
	packed.s[3] = 0;
	packed.s[10] = 0x07; /* final block of the reserved type 3 */
	check_bad(packed.s, packed.n, "", 0, -1, "gzip data is damaged");
	/* A match that reaches back before the beginning: what it would copy is nobody's. */
	cpf_buf_clear(&packed);
	cpf_buf_add(&packed, "\x1f\x8b\x08\0\0\0\0\0\0\xff\x03\x03", 12);
	cpf_buf_pad(&packed, '\0', 20);
	check_bad(packed.s, packed.n, "", 0, -1, "gzip data is damaged");
	cpf_buf_clear(&packed);
	member(&packed, "x", 1, 6, &head);
	packed.s[10] ^= 1;
	check_bad(packed.s, packed.n, "", 0, 10, "gzip header checksum does not match");
	cpf_buf_release(&text);
	cpf_buf_release(&packed);
}

/* Damage anywhere never hangs, and never gives bytes and success that are not the text. */
static void gzip_damage(void **state)
{
	struct cpf_buf text = {0}, packed = {0}, got = {0};
	uint64_t r = 1;
	int i;

	(void)state;
	text_at(&text, 200000, 5);
	member(&packed, text.s, text.n, 6, NULL);
	for (i = 0; i < 300; i++) {
		struct cpf_err e = {0};
		struct cpf_input *in;
		size_t at;

		r = r * 6364136223846793005u + 1442695040888963407u;
		at = 10 + (size_t)(r >> 33) % (packed.n - 10);
		packed.s[at] ^= (char)(1 << (r >> 20 & 7));
		cpf_buf_clear(&got);
		assert_int_equal(cpf_input_memory(&in, "x", packed.s, packed.n, NULL, &e), 0);
		assert_int_equal(read_all(in, &got, 50000, &e), -1);
		assert_int_equal(e.code, CPF_E_FORMAT);
		assert_true(e.byte <= packed.n);
		cpf_input_close(in);
		packed.s[at] ^= (char)(1 << (r >> 20 & 7));
	}
	cpf_buf_release(&text);
	cpf_buf_release(&packed);
	cpf_buf_release(&got);
}

static void trailing(void **state)
{
	static const char *const tails[] = {"hello", "\x1f", "\x1f\x8c", "x"};
	size_t i, zeros;
	enum way way;

	(void)state;
	for (i = 0; i < CPF_LEN(tails); i++) {
		for (zeros = 0; zeros < 3; zeros++) {
			struct cpf_buf text = {0}, packed = {0}, got = {0};
			char place[64];
			size_t n;

			text_at(&text, 200000, i);
			member(&packed, text.s, text.n, 6, NULL);
			n = packed.n;
			cpf_buf_pad(&packed, '\0', zeros);
			cpf_buf_str(&packed, tails[i]);
			snprintf(place, sizeof(place), ": byte %zu: data after the end", n);
			for (way = MEMORY; way < PIPE_BYTES; way++) {
				struct cpf_diag d = {0};
				struct cpf_err e = {0};
				struct opened o;

				cpf_buf_clear(&got);
				assert_int_equal(
					opened_start(&o, way, packed.s, packed.n, &d, &e), 0);
				assert_int_equal(read_all(o.in, &got, 4000, &e), 0);
				assert_int_equal(got.n, text.n);
				assert_int_equal(d.n, 1);
				assert_int_equal(d.notes[0].level, CPF_WARN);
				assert_string_equal(d.notes[0].kind, "trailing-data");
				assert_int_equal(d.notes[0].count, 1);
				assert_non_null(strstr(d.notes[0].text, place));
				opened_end(&o);
				cpf_diag_release(&d);
			}
			cpf_buf_release(&text);
			cpf_buf_release(&packed);
			cpf_buf_release(&got);
		}
	}
}

static void limit(void **state)
{
	struct cpf_buf text = {0}, packed = {0};
	int packs;
	size_t n;

	(void)state;
	text_at(&text, 500000, 2);
	member(&packed, text.s, text.n, 6, NULL);
	for (packs = 0; packs < 2; packs++) {
		const struct cpf_buf *b = packs ? &packed : &text;

		for (n = text.n - 1; n <= text.n + 1; n++) {
			struct cpf_diag d = {.limits.unpacked = n};
			struct cpf_buf got = {0};
			struct cpf_err e = {0};
			struct opened o;
			int ret;

			assert_int_equal(opened_start(&o, FILE_, b->s, b->n, &d, &e), 0);
			assert_int_equal(cpf_input_limits(o.in)->depth, 1000);
			ret = read_all(o.in, &got, 9999, &e);
			assert_int_equal(ret, n < text.n ? -1 : 0);
			assert_int_equal(got.n, n < text.n ? n : text.n);
			assert_memory_equal(got.s, text.s, got.n);
			if (ret) {
				assert_int_equal(e.code, CPF_E_LIMIT);
				assert_string_equal(e.reason,
					packs ? "input is larger than the limit of 499999 bytes "
						"after unpacking"
					      : "input is larger than the limit of 499999 bytes");
			}
			opened_end(&o);
			cpf_buf_release(&got);
		}
	}
	/* A bomb stops at the limit: 200 MB of zeros would come out of these. */
	cpf_buf_clear(&text);
	cpf_buf_clear(&packed);
	cpf_buf_pad(&text, '\0', 20000000);
	for (n = 0; n < 10; n++)
		member(&packed, text.s, text.n, 9, NULL);
	{
		struct cpf_diag d = {.limits.unpacked = 1000000};
		struct cpf_err e = {0};
		struct cpf_input *in;
		char *all;

		assert_int_equal(cpf_input_memory(&in, "x", packed.s, packed.n, &d, &e), 0);
		assert_int_equal(cpf_input_all(in, &all, &n, &e), -1);
		assert_int_equal(e.code, CPF_E_LIMIT);
		assert_null(all);
		cpf_input_close(in);
	}
	cpf_buf_release(&text);
	cpf_buf_release(&packed);
}

static void head_only(void **state)
{
	struct cpf_buf packed = {0};
	struct cpf_err e = {0};
	struct cpf_input *in;
	const uint8_t *head;
	size_t n;
	char c[8];

	(void)state;
	member(&packed, "short", 5, 6, NULL);
	packed.s[packed.n - 1] ^= 1;
	assert_int_equal(cpf_input_memory(&in, "x", packed.s, packed.n, NULL, &e), 0);
	/* The bytes are good, what is wrong comes behind them. */
	assert_int_equal(cpf_input_head(in, &head, &n, &e), 0);
	assert_int_equal(n, 5);
	assert_int_equal(cpf_input_head(in, &head, &n, &e), 0);
	assert_memory_equal(head, "short", 5);
	assert_int_equal(cpf_input_read(in, c, 3, &n, &e), 0);
	assert_int_equal(n, 3);
	assert_int_equal(cpf_input_read(in, c, 8, &n, &e), 0);
	assert_int_equal(n, 2);
	assert_int_equal(cpf_input_read(in, c, 8, &n, &e), -1);
	cpf_input_close(in);
	memset(&e, 0, sizeof(e));
	assert_int_equal(cpf_input_memory(&in, "x", packed.s, 10, NULL, &e), 0);
	assert_int_equal(cpf_input_head(in, &head, &n, &e), -1);
	assert_string_equal(e.reason, "gzip data is cut off");
	cpf_input_close(in);
	cpf_buf_release(&packed);
}

static void system_errors(void **state)
{
	struct cpf_err e = {0};
	struct cpf_input *in;
	char text[512];
	int saved, fd;

	(void)state;
	assert_int_equal(cpf_input_open(&in, "no/such file", NULL, &e), -1);
	assert_null(in);
	assert_string_equal(
		cpf_err_text(&e, text, sizeof(text)), "no/such file: No such file or directory");
	assert_int_equal(e.sys, ENOENT);
	memset(&e, 0, sizeof(e));
	assert_int_equal(cpf_input_open(&in, "/", NULL, &e), -1);
	assert_string_equal(cpf_err_text(&e, text, sizeof(text)), "/: is a directory");
	memset(&e, 0, sizeof(e));
	/* A descriptor that cannot be read. */
	saved = dup(0);
	fd = open("/dev/null", O_WRONLY);
	dup2(fd, 0);
	close(fd);
	assert_int_equal(cpf_input_open(&in, "-", NULL, &e), -1);
	dup2(saved, 0);
	close(saved);
	assert_string_equal(
		cpf_err_text(&e, text, sizeof(text)), "<stdin>: cannot read: Bad file descriptor");
	assert_int_equal(e.code, CPF_E_IO);
}

/* Closing must not wait for a writer that has stopped, nor for one that goes on and on. */
static void close_early(void **state)
{
	struct cpf_buf text = {0}, packed = {0};
	struct cpf_err e = {0};
	struct cpf_input *in;
	int fds[2], saved = dup(0);
	char c;
	size_t n;

	(void)state;
	text_at(&text, 9000000, 2);
	/* Of two letters only: what the pipe holds is more than one block then. */
	for (n = 0; n < text.n; n++)
		text.s[n] = text.s[n] < '5' ? 'a' : 'b';
	member(&packed, text.s, text.n, 6, NULL);
	assert_int_equal(cpf_input_memory(&in, "x", packed.s, packed.n, NULL, &e), 0);
	assert_int_equal(cpf_input_read(in, &c, 1, &n, &e), 0);
	cpf_input_close(in);
	assert_int_equal(pipe(fds), 0);
	dup2(fds[0], 0);
	close(fds[0]);
	assert_true(fcntl(fds[1], F_SETFL, O_NONBLOCK) == 0);
	assert_int_equal(write(fds[1], packed.s, 65536), 65536);
	assert_int_equal(cpf_input_open(&in, "-", NULL, &e), 0);
	assert_int_equal(cpf_input_read(in, &c, 1, &n, &e), 0);
	poll(NULL, 0, 100); /* so that the thread waits for more by now */
	cpf_input_close(in);
	dup2(saved, 0);
	close(saved);
	close(fds[1]);
	cpf_buf_release(&text);
	cpf_buf_release(&packed);
}

struct seen {
	uint64_t done, total;
	int calls;
};

static void see(void *arg, uint64_t done, uint64_t total)
{
	struct seen *s = arg;

	assert_true(done >= s->done);
	s->done = done;
	s->total = total;
	s->calls++;
}

static void progress(void **state)
{
	struct cpf_buf text = {0}, packed = {0}, got = {0};
	struct seen seen = {0, 0, 0};
	struct cpf_diag d = {.progress = see, .progress_arg = &seen};
	struct cpf_err e = {0};
	struct opened o;

	(void)state;
	text_at(&text, 3000000, 2);
	member(&packed, text.s, text.n, 6, NULL);
	assert_int_equal(opened_start(&o, FILE_, packed.s, packed.n, &d, &e), 0);
	assert_int_equal(read_all(o.in, &got, 100000, &e), 0);
	assert_true(seen.calls > 5);
	assert_true(seen.done > packed.n / 2 && seen.done <= packed.n);
	assert_int_equal(seen.total, packed.n);
	opened_end(&o);
	cpf_buf_release(&text);
	cpf_buf_release(&packed);
	cpf_buf_release(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(gzip),
		cmocka_unit_test(header_fields),
		cmocka_unit_test(gzip_faults),
		cmocka_unit_test(gzip_damage),
		cmocka_unit_test(trailing),
		cmocka_unit_test(limit),
		cmocka_unit_test(head_only),
		cmocka_unit_test(system_errors),
		cmocka_unit_test(close_early),
		cmocka_unit_test(progress),
	};

	return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
