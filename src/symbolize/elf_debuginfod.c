#include "symbolize/elf_find.h"

#include "base/mem.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * The library brings curl and what curl brings, which would cost every run some milliseconds, so it
 * is opened when there is a server to ask. Its interface is stable (ELFUTILS_0.178).
 */
struct client; /* debuginfod_client */

struct api {
	struct client *(*begin)(void);
	int (*find_debuginfo)(struct client *, const unsigned char *id, int n, char **path);
	int (*find_executable)(struct client *, const unsigned char *id, int n, char **path);
	void (*end)(struct client *);
	int ok;
};

static struct api api;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The way POSIX gives to take a function from dlsym without a cast that C does not know. */
static int take(void *lib, const char *name, void *to)
{
	void *p = dlsym(lib, name);

	memcpy(to, &p, sizeof(p));
	return p != NULL;
}

static void load(void)
{
	void *lib = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	api.ok = lib && take(lib, "debuginfod_begin", &api.begin) &&
	         take(lib, "debuginfod_find_debuginfo", &api.find_debuginfo) &&
	         take(lib, "debuginfod_find_executable", &api.find_executable) &&
	         take(lib, "debuginfod_end", &api.end);
}

char *cpf_debuginfod(const uint8_t *id, size_t n, const char *kind, struct cpf_reason *r)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char hex[2 * CPF_ELF_ID_MAX + 1], text[128], *path = NULL;
	struct client *client;
	int fd;

	if (!urls || !urls[strspn(urls, " \t\n")] || !n)
		return NULL;
	pthread_once(&once, load);
	client = api.ok ? api.begin() : NULL;
	if (!client) {
		cpf_reason(r, CPF_WHY_FAILED, "DEBUGINFOD_URLS is set, but libdebuginfod.so.1 %s",
		        api.ok ? "does not start" : "is not installed");
		return NULL;
	}
	fd = (!strcmp(kind, "executable") ? api.find_executable : api.find_debuginfo)(
	        client, id, (int)n, &path);
	api.end(client);
	if (fd == -ENOENT)
		return NULL;
	if (fd < 0) {
		cpf_hex(hex, id, n);
		if (strerror_r(-fd, text, sizeof(text)))
			snprintf(text, sizeof(text), "error %d", -fd);
		cpf_reason(r, CPF_WHY_FAILED, "debuginfod, %s of build id %s: %s", kind, hex, text);
		return NULL;
	}
	close(fd);
	return path;
}
