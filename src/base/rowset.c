#include "base/rowset.h"

#include "base/mem.h"

#include <time.h>
#include <unistd.h>

#define MIN_SLOTS 64

/* A slot keeps the high half of the hash, which is also what places it, so that growing needs no rows. */
static void put(struct cpf_rowset *s, uint64_t tag, size_t at, uint32_t id)
{
	while (s->slot[at & s->mask])
		at++;
	s->slot[at & s->mask] = tag | (id + 1u);
}

static void resize(struct cpf_rowset *s, size_t slots)
{
	uint64_t *old = s->slot;
	size_t i, nold = old ? s->mask + 1 : 0;

	s->slot = cpf_calloc(slots, sizeof(*s->slot));
	s->mask = slots - 1;
	for (i = 0; i < nold; i++)
		if (old[i])
			put(s, old[i] & 0xffffffff00000000u, (size_t)(old[i] >> 32),
				(uint32_t)old[i] - 1);
	cpf_free(old);
}

void cpf_rowset_reserve(struct cpf_rowset *s, size_t n)
{
	size_t slots = s->slot ? s->mask + 1 : MIN_SLOTS;

	while (slots - slots / 4 < n)
		slots *= 2;
	if (!s->slot || slots > s->mask + 1)
		resize(s, slots);
}

void cpf_rowset_add(struct cpf_rowset *s, uint64_t hash, uint32_t id)
{
	cpf_rowset_reserve(s, s->n + 1);
	put(s, hash & 0xffffffff00000000u, (size_t)(hash >> 32), id);
	s->n++;
}

void cpf_rowset_release(struct cpf_rowset *s)
{
	cpf_free(s->slot);
	memset(s, 0, sizeof(*s));
}

uint64_t cpf_hash_seed(void)
{
	static uint64_t seed;

	if (!seed) {
		struct timespec ts;

		clock_gettime(CLOCK_REALTIME, &ts);
		seed = cpf_hash_mix((uint64_t)ts.tv_nsec << 20 ^ (uint64_t)ts.tv_sec,
			(uint64_t)getpid() ^ (uint64_t)(uintptr_t)&ts) | 1;
	}
	return seed;
}

uint64_t cpf_hash_bytes(const void *p, size_t n)
{
	const unsigned char *s = p;
	uint64_t h = cpf_hash_seed() ^ n, v;

	while (n >= 8) {
		memcpy(&v, s, 8);
		h = cpf_hash_mix(h, v);
		s += 8;
		n -= 8;
	}
	if (n) {
		v = 0;
		memcpy(&v, s, n);
		h = cpf_hash_mix(h, v);
	}
	return cpf_hash_mix(h, 0x2545f4914f6cdd1du);
}
