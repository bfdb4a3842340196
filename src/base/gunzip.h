/*
 * gunzip.h - unpacks gzip (RFC 1952) as a stream: one or more members, joined.
 *
 * After the last member zeros are skipped in silence; anything else ends the stream there and is
 * told by cpf_gunzip_trailing. Errors carry offsets in the packed data, and come after all good
 * bytes before them. ISA-L does the work where it was there at build time, else zlib; both behave
 * the same, but for the offset at which damage is noticed, and the few good bytes before it that
 * get lost.
 *
 * Ownership: cpf_gunzip_free; the source must outlive it. Not bound to a thread.
 */
#ifndef CPF_GUNZIP_H
#define CPF_GUNZIP_H

#include "base/base.h"

struct cpf_gunzip;

/* The next packed bytes, valid until the next call; *n = 0 at the end. */
typedef int cpf_fill(void *arg, const uint8_t **data, size_t *n, struct cpf_err *e);

struct cpf_gunzip *cpf_gunzip_new(cpf_fill *fill, void *arg);
void cpf_gunzip_free(struct cpf_gunzip *u);
/* Unpacks up to cap bytes; *got = 0 only at the end. cap > 0. */
int cpf_gunzip_read(struct cpf_gunzip *u, uint8_t *out, size_t cap, size_t *got,
	struct cpf_err *e) CPF_MUST_CHECK;
/* Packed bytes used up so far. */
uint64_t cpf_gunzip_pos(const struct cpf_gunzip *u);
/* After the end: 1 and the packed offset if something other than zeros follows. */
int cpf_gunzip_trailing(const struct cpf_gunzip *u, uint64_t *pos);

#endif
