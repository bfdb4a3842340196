#include "base/gunzip.h"

#include "base/mem.h"

#include <zlib.h>
#ifdef CPF_WITH_ISAL
#include <isa-l/igzip_lib.h>
#endif

enum state {
	START, /* before the first member */
	BODY,
	BETWEEN, /* at least one member is complete */
	DONE
};

/* What one call of the library came to. */
enum step {
	STEP_MORE,
	STEP_END, /* of the member, trailer included, and it was right */
	STEP_DAMAGED,
	STEP_SUM /* the trailer does not agree */
};

struct cpf_gunzip {
	cpf_fill *fill;
	void *arg;
	const uint8_t *in, *end; /* packed bytes at hand */
	uint64_t end_pos;        /* offset of end */
	uint64_t fault;          /* offset to name, set by a step that fails */
	enum state state;
	int eof;
	int trailing;
	uint64_t trailing_pos;
	struct cpf_err err; /* to be told once the bytes before it are out */
#ifdef CPF_WITH_ISAL
	struct inflate_state z;
#else
	z_stream z;
	uint32_t crc, size;
	uint8_t trailer[8];
	int ntrailer; /* -1 while in the deflate data */
#endif
};

uint64_t cpf_gunzip_pos(const struct cpf_gunzip *u)
{
	return u->end_pos - (uint64_t)(u->end - u->in);
}

int cpf_gunzip_trailing(const struct cpf_gunzip *u, uint64_t *pos)
{
	*pos = u->trailing_pos;
	return u->trailing;
}

#ifdef CPF_WITH_ISAL

static void body_init(struct cpf_gunzip *u)
{
	isal_inflate_init(&u->z);
}

static void body_start(struct cpf_gunzip *u)
{
	isal_inflate_reset(&u->z);
	u->z.crc_flag = ISAL_GZIP_NO_HDR_VER;
}

static void body_release(struct cpf_gunzip *u)
{
	(void)u;
}

static enum step body_step(struct cpf_gunzip *u, uint8_t *out, size_t cap, size_t *got)
{
	size_t avail = (size_t)(u->end - u->in);
	uint32_t in = avail < UINT32_MAX ? (uint32_t)avail : UINT32_MAX;
	uint32_t room = cap < UINT32_MAX ? (uint32_t)cap : UINT32_MAX;
	int ret;

	/* ISA-L has no const here, but does not write to its input. */
	u->z.next_in = (uint8_t *)(uintptr_t)u->in;
	u->z.avail_in = in;
	u->z.next_out = out;
	u->z.avail_out = room;
	ret = isal_inflate(&u->z);
	u->in += in - u->z.avail_in;
	*got = room - u->z.avail_out;
	if (ret == ISAL_INCORRECT_CHECKSUM) {
		u->fault = cpf_gunzip_pos(u) - 8;
		return STEP_SUM;
	}
	if (ret < 0) {
		u->fault = cpf_gunzip_pos(u) - (uint32_t)(u->z.read_in_length / 8);
		/* It has copied the match that reaches back too far, up to 258 bytes of anything.
		 */
		if (ret == ISAL_INVALID_LOOKBACK)
			*got -= *got < 258 ? *got : 258;
		return STEP_DAMAGED;
	}
	return u->z.block_state == ISAL_BLOCK_FINISH ? STEP_END : STEP_MORE;
}

#else

/* Only want of memory could make this fail, and cpf_z_alloc never returns then. */
static void body_init(struct cpf_gunzip *u)
{
	u->z.zalloc = cpf_z_alloc;
	u->z.zfree = cpf_z_free;
	inflateInit2(&u->z, -15);
}

static void body_start(struct cpf_gunzip *u)
{
	inflateReset(&u->z);
	u->crc = (uint32_t)crc32(0, NULL, 0);
	u->size = 0;
	u->ntrailer = -1;
}

static void body_release(struct cpf_gunzip *u)
{
	inflateEnd(&u->z);
}

static uint32_t le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static enum step body_step(struct cpf_gunzip *u, uint8_t *out, size_t cap, size_t *got)
{
	size_t avail = (size_t)(u->end - u->in);
	uInt in = avail < UINT32_MAX ? (uInt)avail : UINT32_MAX;
	uInt room = cap < UINT32_MAX ? (uInt)cap : UINT32_MAX;
	int ret;

	*got = 0;
	if (u->ntrailer < 0) {
		u->z.next_in = (z_const Bytef *)(uintptr_t)u->in;
		u->z.avail_in = in;
		u->z.next_out = out;
		u->z.avail_out = room;
		ret = inflate(&u->z, Z_NO_FLUSH);
		u->in += in - u->z.avail_in;
		*got = room - u->z.avail_out;
		u->crc = (uint32_t)crc32(u->crc, out, (uInt)*got);
		u->size += (uint32_t)*got;
		if (ret != Z_STREAM_END) {
			u->fault = cpf_gunzip_pos(u);
			return ret == Z_OK || ret == Z_BUF_ERROR ? STEP_MORE : STEP_DAMAGED;
		}
		u->ntrailer = 0;
	}
	while (u->ntrailer < 8 && u->in < u->end)
		u->trailer[u->ntrailer++] = *u->in++;
	if (u->ntrailer < 8)
		return STEP_MORE;
	u->fault = cpf_gunzip_pos(u) - 8;
	return le32(u->trailer) == u->crc && le32(u->trailer + 4) == u->size ? STEP_END : STEP_SUM;
}

#endif

struct cpf_gunzip *cpf_gunzip_new(cpf_fill *fill, void *arg)
{
	struct cpf_gunzip *u = cpf_calloc(1, sizeof(*u));

	u->fill = fill;
	u->arg = arg;
	body_init(u);
	return u;
}

void cpf_gunzip_free(struct cpf_gunzip *u)
{
	if (!u)
		return;
	body_release(u);
	cpf_free(u);
}

/* At least one packed byte at hand, or 0 at the end, or -1. */
static int more(struct cpf_gunzip *u)
{
	size_t n = 0;

	if (u->in < u->end)
		return 1;
	if (u->eof)
		return 0;
	if (u->fill(u->arg, &u->in, &n, &u->err)) {
		u->in = u->end;
		return -1;
	}
	u->end = u->in + n;
	u->end_pos += n;
	u->eof = n == 0;
	return n != 0;
}

static int cut_off(struct cpf_gunzip *u)
{
	return cpf_fail_at(&u->err, CPF_E_FORMAT, cpf_gunzip_pos(u), "gzip data is cut off");
}

/* One byte of the header, added to its checksum. */
static int header_byte(struct cpf_gunzip *u, uint32_t *crc, uint8_t *out)
{
	int got = more(u);

	if (got <= 0)
		return got < 0 ? -1 : cut_off(u);
	*out = *u->in++;
	*crc = (uint32_t)crc32(*crc, out, 1);
	return 0;
}

static int skip_bytes(struct cpf_gunzip *u, uint32_t *crc, uint32_t n)
{
	uint8_t b;

	for (; n; n--)
		if (header_byte(u, crc, &b))
			return -1;
	return 0;
}

static int skip_text(struct cpf_gunzip *u, uint32_t *crc)
{
	uint8_t b;

	do
		if (header_byte(u, crc, &b))
			return -1;
	while (b);
	return 0;
}

static int header_u16(struct cpf_gunzip *u, uint32_t *crc, uint32_t *out)
{
	uint8_t lo, hi;

	if (header_byte(u, crc, &lo) || header_byte(u, crc, &hi))
		return -1;
	*out = (uint32_t)lo | (uint32_t)hi << 8;
	return 0;
}

enum { FHCRC = 2, FEXTRA = 4, FNAME = 8, FCOMMENT = 16, FRESERVED = 0xe0 };

/* RFC 1952, 2.3, from behind the two magic bytes. */
static int header(struct cpf_gunzip *u)
{
	static const uint8_t magic[2] = {0x1f, 0x8b};
	uint32_t crc = (uint32_t)crc32(0, magic, 2), n, sum;
	uint8_t method, flags;

	if (header_byte(u, &crc, &method))
		return -1;
	if (method != 8)
		return cpf_fail_at(&u->err, CPF_E_FORMAT, cpf_gunzip_pos(u) - 1,
			"gzip compression method is %u, only 8 (deflate) is known", method);
	if (header_byte(u, &crc, &flags))
		return -1;
	if (flags & FRESERVED)
		return cpf_fail_at(&u->err, CPF_E_FORMAT, cpf_gunzip_pos(u) - 1,
			"gzip header has reserved flags set (0x%02x)", flags);
	if (skip_bytes(u, &crc, 6))
		return -1;
	if ((flags & FEXTRA) && (header_u16(u, &crc, &n) || skip_bytes(u, &crc, n)))
		return -1;
	if ((flags & FNAME) && skip_text(u, &crc))
		return -1;
	if ((flags & FCOMMENT) && skip_text(u, &crc))
		return -1;
	sum = crc & 0xffff;
	if (!(flags & FHCRC))
		return 0;
	if (header_u16(u, &crc, &n))
		return -1;
	if (n != sum)
		return cpf_fail_at(&u->err, CPF_E_FORMAT, cpf_gunzip_pos(u) - 2,
			"gzip header checksum does not match");
	return 0;
}

/* 1 if the magic bytes come next (used up then), 0 if something else, or -1. */
static int magic(struct cpf_gunzip *u)
{
	int got = more(u);

	if (got <= 0 || *u->in != 0x1f)
		return got < 0 ? -1 : 0;
	u->in++;
	got = more(u);
	if (got <= 0 || *u->in != 0x8b)
		return got < 0 ? -1 : 0;
	u->in++;
	return 1;
}

/* 1 if only zeros are left, 0 if something else, or -1. */
static int only_zeros(struct cpf_gunzip *u)
{
	int got;

	while ((got = more(u)) > 0) {
		while (u->in < u->end && !*u->in)
			u->in++;
		if (u->in < u->end)
			return 0;
	}
	return got < 0 ? -1 : 1;
}

/* Begins the next member, or sees that there is none. */
static int next_member(struct cpf_gunzip *u)
{
	uint64_t pos = cpf_gunzip_pos(u);
	int got = magic(u);

	if (got < 0)
		return -1;
	if (got) {
		body_start(u);
		u->state = BODY;
		return header(u);
	}
	if (u->state == START)
		return cpf_fail_at(&u->err, CPF_E_FORMAT, pos, "not gzip data");
	u->state = DONE;
	/* A byte may be gone already, but it was 1f: not a zero, so trailing it is. */
	got = cpf_gunzip_pos(u) == pos ? only_zeros(u) : 0;
	if (got < 0)
		return -1;
	u->trailing = !got;
	u->trailing_pos = pos;
	return 0;
}

static int unpack(struct cpf_gunzip *u, uint8_t *out, size_t cap, size_t *got)
{
	const uint8_t *before;
	int in = more(u);

	if (in < 0)
		return -1;
	before = u->in;
	/* A step without input can still give what the library has kept back. */
	switch (body_step(u, out, cap, got)) {
	case STEP_END:
		u->state = BETWEEN;
		return 0;
	case STEP_SUM:
		return cpf_fail_at(
			&u->err, CPF_E_FORMAT, u->fault, "gzip checksum or length does not match");
	case STEP_DAMAGED:
		return cpf_fail_at(&u->err, CPF_E_FORMAT, u->fault, "gzip data is damaged");
	default:
		if (*got || u->in != before)
			return 0;
		/* Neither bytes in nor bytes out: another round would be no different. */
		return in ? cpf_fail_at(&u->err, CPF_E_FORMAT, cpf_gunzip_pos(u),
				    "gzip data is damaged")
			  : cut_off(u);
	}
}

int cpf_gunzip_read(struct cpf_gunzip *u, uint8_t *out, size_t cap, size_t *got, struct cpf_err *e)
{
	size_t n;

	*got = 0;
	while (*got < cap && u->err.code == CPF_OK && u->state != DONE) {
		n = 0;
		if (u->state != BODY)
			next_member(u);
		else
			unpack(u, out + *got, cap - *got, &n);
		*got += n;
	}
	if (*got || u->err.code == CPF_OK)
		return 0;
	if (e && e->code == CPF_OK)
		*e = u->err;
	return -1;
}
