/*
 * live.c - for live recordings: threads, functions inlined into each other, copies made by the compiler
 * (.constprop, .isra, .part, .cold), the C library, a function that is called through a table.
 * usage: live [SECONDS]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 4096

static uint32_t table[256];
static volatile uint64_t sink;
static double seconds = 1;

static inline uint32_t step(uint32_t h, unsigned char c)
{
	return (h << 5) + h + table[c ^ (h & 0xff)];
}

static inline uint32_t round_of(uint32_t h, const unsigned char *p)
{
	h = step(h, p[0]);
	h = step(h, p[1]);
	h = step(h, p[2]);
	return step(h, p[3]);
}

static __attribute__((noinline)) uint32_t hash(const unsigned char *p, size_t n, int seed)
{
	uint32_t h = (uint32_t)seed;

	for (size_t i = 0; i + 4 <= n; i += 4)
		h = round_of(h, p + i);
	return h;
}

static __attribute__((noinline)) uint64_t collatz(uint64_t n)
{
	uint64_t steps = 0;

	for (; n > 1; steps++) {
		if (__builtin_expect(n > UINT64_MAX / 4, 0)) {
			fprintf(stderr, "too large: %llu\n", (unsigned long long)n);
			abort();
		}
		n = n & 1 ? 3 * n + 1 : n / 2;
	}
	return steps;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static inline uint32_t next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	return *state ^= *state << 5;
}

static void fill(uint32_t *v, size_t n, uint32_t seed)
{
	uint32_t state = seed | 1;

	for (size_t i = 0; i < n; i++)
		v[i] = next(&state);
}

static void hashing(void)
{
	static unsigned char text[1 << 16];

	fill((uint32_t *)text, sizeof(text) / 4, 7);
	for (int i = 0; i < 20; i++)
		sink += hash(text, sizeof(text), 5381);
}

static void sorting(void)
{
	uint32_t v[N];

	fill(v, N, 3);
	qsort(v, N, sizeof(*v), compare);
	sink += v[N / 2];
}

static void walking(void)
{
	for (uint64_t n = 1; n < 3000; n++)
		sink += collatz(n);
}

static void copying(void)
{
	char *a = malloc(1 << 18), *b = malloc(1 << 18);

	memset(a, 'x', (1 << 18) - 1);
	a[(1 << 18) - 1] = 0;
	for (int i = 0; i < 10; i++) {
		memcpy(b, a, 1 << 18);
		sink += strlen(b);
	}
	free(a);
	free(b);
}

static void (*const work[])(void) = {hashing, sorting, walking, copying};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *run(void *arg)
{
	double end = now() + seconds;

	while (now() < end)
		work[(uintptr_t)arg]();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[4];

	if (argc > 1)
		seconds = atof(argv[1]);
	for (uint32_t i = 0; i < 256; i++)
		table[i] = i * 2654435761u;
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
