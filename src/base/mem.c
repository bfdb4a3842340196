#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The one place where the process ends for want of memory; no allocation may happen here. */
static void out_of_memory(void)
{
	static const char msg[] = "cpuprof: out of memory\n";
	ssize_t ignored = write(2, msg, sizeof(msg) - 1);

	(void)ignored;
	_exit(1);
}

void *cpf_malloc(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *cpf_calloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *cpf_realloc_array(void *old, size_t n, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes))
		out_of_memory();
	p = realloc(old, bytes ? bytes : 1);
	if (!p)
		out_of_memory();
	return p;
}

void cpf_free(void *p)
{
	free(p);
}

char *cpf_strndup(const char *s, size_t n)
{
	char *p = cpf_malloc(n + 1);

	if (n)
		memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *cpf_strdup(const char *s)
{
	return cpf_strndup(s, strlen(s));
}

void *cpf_grow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap + *cap / 2;

	if (n < need)
		n = need;
	if (n < 8)
		n = 8;
	p = cpf_realloc_array(p, n, size);
	*cap = n;
	return p;
}

void *cpf_z_alloc(void *arg, unsigned n, unsigned size)
{
	(void)arg;
	return cpf_calloc(n, size);
}

void cpf_z_free(void *arg, void *p)
{
	(void)arg;
	cpf_free(p);
}
