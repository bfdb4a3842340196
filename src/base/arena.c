#include "base/arena.h"

#include "base/mem.h"

struct cpf_arena_block {
	struct cpf_arena_block *older;
	size_t size;
	max_align_t data[];
};

#define BLOCK_MIN ((size_t)64 << 10)
#define BLOCK_MAX ((size_t)4 << 20)

static void add_block(struct cpf_arena *a, size_t need)
{
	size_t size = a->head ? a->head->size * 2 : BLOCK_MIN;
	struct cpf_arena_block *b;

	if (size > BLOCK_MAX)
		size = BLOCK_MAX;
	if (size < need)
		size = need;
	b = cpf_malloc(sizeof(*b) + size);
	b->older = a->head;
	b->size = size;
	a->head = b;
	a->next = (char *)b->data;
	a->end = a->next + size;
}

static void *carve(struct cpf_arena *a, size_t n, size_t align)
{
	size_t skip = (size_t)(-(uintptr_t)a->next) & (align - 1);

	if (!a->head || (size_t)(a->end - a->next) < skip || (size_t)(a->end - a->next) - skip < n) {
		add_block(a, n);
		skip = 0;
	}
	a->next += skip + n;
	return a->next - n;
}

void *cpf_arena_alloc(struct cpf_arena *a, size_t n)
{
	return carve(a, n, _Alignof(max_align_t));
}

char *cpf_arena_text(struct cpf_arena *a, const char *s, size_t n)
{
	char *p = carve(a, n + 1, 1);

	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

void cpf_arena_clear(struct cpf_arena *a)
{
	struct cpf_arena_block *b = a->head;

	if (!b)
		return;
	while (b->older) {
		struct cpf_arena_block *older = b->older;

		b->older = older->older;
		cpf_free(older);
	}
	a->next = (char *)b->data;
	a->end = a->next + b->size;
}

void cpf_arena_release(struct cpf_arena *a)
{
	while (a->head) {
		struct cpf_arena_block *older = a->head->older;

		cpf_free(a->head);
		a->head = older;
	}
	a->next = a->end = NULL;
}
