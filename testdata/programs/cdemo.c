/*
 * cdemo: a small multi-threaded C program to record with a profiler.
 *
 * What a recording of it shows:
 *   hasher     on the CPU all the time; the hot function mix() is inlined twice over
 *   recurse    a deep, branching recursion: tree_sum() calls itself
 *   locker-1,2 contend for one mutex and work while they hold it
 *   sleeper    asleep nearly all the time, with a little work between two sleeps
 *   main       waits for the time given, then for its threads
 *
 * Build: gcc -g -O2 -D_GNU_SOURCE -pthread -o cdemo cdemo.c
 * Run:   ./cdemo [milliseconds]        (default 400)
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_t threads[5];
static uintptr_t count;
static atomic_bool stop;
static _Atomic uint64_t result; /* keeps the compiler from dropping the work */
static pthread_mutex_t ledger_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t ledger[64];

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static inline __attribute__((always_inline)) uint64_t rotate(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static inline __attribute__((always_inline)) uint64_t mix(uint64_t x)
{
	x ^= rotate(x, 25) ^ rotate(x, 47);
	x *= 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

static __attribute__((noinline)) uint64_t hash_block(uint64_t seed)
{
	for (int i = 0; i < 20000; i++)
		seed = mix(seed + (uint64_t)i);
	return seed;
}

static __attribute__((noinline)) uint64_t tree_sum(int depth, uint64_t seed)
{
	if (depth == 0)
		return mix(seed);
	uint64_t left = tree_sum(depth - 1, seed * 2);
	uint64_t right = tree_sum(depth - 1, seed * 2 + 1);
	return left ^ rotate(right, depth);
}

static __attribute__((noinline)) void update_ledger(uint64_t seed)
{
	pthread_mutex_lock(&ledger_lock);
	for (int i = 0; i < 64; i++)
		ledger[i] += hash_block(seed + (uint64_t)i) & 1;
	pthread_mutex_unlock(&ledger_lock);
}

static void *hasher(void *arg)
{
	while (!stop)
		result = hash_block(result + (uintptr_t)arg);
	return NULL;
}

static void *recurse(void *arg)
{
	while (!stop)
		result ^= tree_sum(14, (uintptr_t)arg);
	return NULL;
}

static void *locker(void *arg)
{
	for (uint64_t i = (uintptr_t)arg; !stop; i += 2)
		update_ledger(i);
	return NULL;
}

static void *sleeper(void *arg)
{
	for (uint64_t i = (uintptr_t)arg; !stop; sleep_ms(40))
		result ^= hash_block(i++);
	return NULL;
}

static void start(const char *name, void *(*run)(void *))
{
	if (pthread_create(&threads[count], NULL, run, (void *)count))
		abort();
	pthread_setname_np(threads[count++], name);
}

int main(int argc, char **argv)
{
	start("hasher", hasher);
	start("recurse", recurse);
	start("locker-1", locker);
	start("locker-2", locker);
	start("sleeper", sleeper);
	sleep_ms(argc > 1 ? atol(argv[1]) : 400);
	stop = true;
	while (count > 0)
		pthread_join(threads[--count], NULL);
	printf("%d %d\n", (int)(result & 1), (int)ledger[0]);
	return 0;
}
