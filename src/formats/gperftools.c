#include "base/base.h"

#include "formats/formats.h"

/* Reads one word of the profiled program: size bytes, big or little endian. */
static uint64_t word_at(const uint8_t *s, unsigned size, int big)
{
	uint64_t v = 0;
	unsigned i;

	for (i = 0; i < size; i++)
		v |= (uint64_t)s[i] << 8 * (big ? size - 1 - i : i);
	return v;
}

/* Header: 0 (count), 3 (words that follow), version 0 or 1, period > 0, 0. */
static int header_fits(const uint8_t *s, size_t n, unsigned size, int big)
{
	return n >= 5 * size && word_at(s, size, big) == 0 && word_at(s + size, size, big) == 3 &&
	       word_at(s + 2 * size, size, big) <= 1 && word_at(s + 3 * size, size, big) > 0 &&
	       word_at(s + 4 * size, size, big) == 0;
}

static int probe(const uint8_t *head, size_t n)
{
	return header_fits(head, n, 4, 0) || header_fits(head, n, 4, 1) ||
			       header_fits(head, n, 8, 0) || header_fits(head, n, 8, 1)
		       ? 2
		       : 0;
}

const struct cpf_format cpf_format_gperftools = {
	.name = "gperftools",
	.summary = "CPU profile of gperftools (CPUPROFILE=...), binary",
	.suffixes = "",
	.probe = probe,
};
