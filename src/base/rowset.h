/*
 * rowset.h - hash index over rows that are stored elsewhere: (hash, id) pairs, open addressing.
 *
 * The caller hashes and compares; the set only finds candidates. Iteration order is never used, so
 * output cannot depend on it. Hashes are seeded per process against chosen keys.
 */
#ifndef CPF_ROWSET_H
#define CPF_ROWSET_H

#include "base/base.h"

struct cpf_rowset {
	uint64_t *slot;  /* high 32 bits of the hash << 32 | id + 1; 0 = free */
	size_t mask;     /* slots - 1; 0 = none yet */
	size_t n;
};

/*
 * Walks the candidates for hash:
 *     for (pos = cpf_rowset_first(s, h, &it); pos != CPF_ROWSET_END; pos = cpf_rowset_next(s, &it))
 *         if (equal(row pos)) found
 *     cpf_rowset_add(s, h, new id)
 */
#define CPF_ROWSET_END UINT32_MAX
struct cpf_rowset_it {
	uint64_t tag;
	size_t at;
};

static inline uint32_t cpf_rowset_next(const struct cpf_rowset *s, struct cpf_rowset_it *it)
{
	uint64_t v;

	while ((v = s->slot[it->at]) != 0) {
		it->at = (it->at + 1) & s->mask;
		if ((v & 0xffffffff00000000u) == it->tag)
			return (uint32_t)v - 1;
	}
	return CPF_ROWSET_END;
}

static inline uint32_t cpf_rowset_first(
	const struct cpf_rowset *s, uint64_t hash, struct cpf_rowset_it *it)
{
	it->tag = hash & 0xffffffff00000000u;
	it->at = (size_t)(hash >> 32) & s->mask;
	if (!s->slot)
		return CPF_ROWSET_END;
	return cpf_rowset_next(s, it);
}

void cpf_rowset_add(struct cpf_rowset *s, uint64_t hash, uint32_t id);
void cpf_rowset_release(struct cpf_rowset *s);
/* Room for n rows in all, so that adding does not rehash. */
void cpf_rowset_reserve(struct cpf_rowset *s, size_t n);

uint64_t cpf_hash_seed(void);
uint64_t cpf_hash_bytes(const void *p, size_t n);

/* Mixes one 64-bit word into a hash (multiply and fold). */
static inline uint64_t cpf_hash_mix(uint64_t h, uint64_t v)
{
#if defined(__SIZEOF_INT128__)
	unsigned __int128 m = (unsigned __int128)(h ^ v ^ 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
#else
	h ^= v;
	h *= 0xd6e8feb86659fd93u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return h ^ h >> 32;
#endif
}

#endif
