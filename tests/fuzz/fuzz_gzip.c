/*
 * Unpacking: the first byte chooses how it is read, the rest is the packed data. However it is
 * read, the same bytes and the same error come out, and it is what zlib makes of it. Where packed
 * data is damaged, how far one gets may differ by some bytes; what comes out before may not.
 */
#include "base/buf.h"
#include "base/input.h"

#include <stdlib.h>
#include <zlib.h>

#define LIMIT 1000000

static int read_all(const uint8_t *data, size_t size, size_t step, int head, struct cpf_buf *out,
	struct cpf_err *e)
{
	struct cpf_diag d = {.limits.unpacked = LIMIT};
	struct cpf_input *in;
	const uint8_t *h;
	size_t n;
	int ret;

	memset(e, 0, sizeof(*e));
	cpf_buf_clear(out);
	if (cpf_input_memory(&in, "x", data, size, &d, e))
		abort();
	if (head && cpf_input_head(in, &h, &n, e) && n)
		abort();
	memset(e, 0, sizeof(*e));
	do {
		ret = cpf_input_read(in, cpf_buf_room(out, step), step, &n, e);
		out->n += n;
	} while (!ret && n);
	if (out->n > LIMIT || (ret && e->code == CPF_OK))
		abort();
	cpf_input_close(in);
	cpf_diag_release(&d);
	return ret;
}

/* All members, by zlib itself; -1 if anything is wrong or there is more than the limit. */
static int by_zlib(const uint8_t *data, size_t size, struct cpf_buf *out)
{
	z_stream z = {0};
	int ret = Z_OK;

	cpf_buf_clear(out);
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		abort();
	z.next_in = (z_const Bytef *)(uintptr_t)data;
	z.avail_in = (uInt)size;
	do {
		if (ret == Z_STREAM_END && inflateReset(&z) != Z_OK)
			abort();
		do {
			z.next_out = (Bytef *)cpf_buf_room(out, 100000);
			z.avail_out = 100000;
			ret = inflate(&z, Z_NO_FLUSH);
			out->n += 100000 - z.avail_out;
		} while (ret == Z_OK && out->n <= LIMIT);
	} while (ret == Z_STREAM_END && z.avail_in >= 2 && z.next_in[0] == 0x1f &&
		 z.next_in[1] == 0x8b);
	inflateEnd(&z);
	return ret == Z_STREAM_END && out->n <= LIMIT ? 0 : -1;
}

/* damaged: one may have more than the other. */
static void same(const struct cpf_buf *a, const struct cpf_buf *b, int damaged)
{
	size_t n = a->n < b->n ? a->n : b->n;

	if (!damaged && a->n != b->n)
		abort();
	if (n && memcmp(a->s, b->s, n))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cpf_buf one = {0}, two = {0};
	struct cpf_err e1, e2;
	int ret, head;
	size_t step;

	if (!size)
		return 0;
	step = data[0] < 128 ? data[0] + 1u : data[0] * 1000u;
	head = data[0] & 1;
	data++;
	size--;
	ret = read_all(data, size, 300000, 0, &one, &e1);
	if (read_all(data, size, step, head, &two, &e2) != ret || strcmp(e1.reason, e2.reason))
		abort();
	same(&one, &two, !strcmp(e1.reason, "gzip data is damaged"));
	if (size >= 2 && data[0] == 0x1f && data[1] == 0x8b) {
		int theirs = by_zlib(data, size, &two);

		if (theirs != ret && e1.code != CPF_E_LIMIT)
			abort();
		same(&one, &two, ret);
	} else if (ret != (size > LIMIT ? -1 : 0)) {
		abort();
	}
	cpf_buf_release(&one);
	cpf_buf_release(&two);
	return 0;
}
