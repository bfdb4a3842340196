/* For realpath, which POSIX has among its XSI extensions. */
#if !defined(__APPLE__)
#define _XOPEN_SOURCE 700
#endif
#include "base/output.h"

#include "base/buf.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define BLOCK   ((size_t)256 << 10)
#define NBLOCKS 4
#define CHUNK   ((size_t)64 << 10) /* packed bytes per write */
#define LEVEL   6

/*
 * Full blocks on their way to the packer. Positions only grow; block i is blocks[i mod NBLOCKS].
 * The thread alone touches the stream, the file and err until it is joined.
 */
struct packer {
	z_stream z;
	gz_header head;
	uint8_t *chunk;
	uint8_t *blocks[NBLOCKS];
	size_t n;            /* bytes in the block being filled */
	uint64_t done, used; /* blocks full; of which packed */
	int threaded, no_thread, finish;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
};

struct cpf_output {
	char *name;        /* as the user gave it */
	char *path, *temp; /* files to put in place */
	int fd, close_fd;
	struct packer *packer; /* gzip */
	struct cpf_buf buf;    /* plain: what is not written yet; memory: all */
	int memory;
	int slot; /* in the list for cleanup, or -1 */
	struct cpf_err err;
};

/*
 * Names of files not committed yet, for cpf_output_cleanup. A handler may run at any time, so a
 * slot is taken and given back by one atomic exchange. Outputs beyond the slots just are not known.
 */
static _Atomic(char *) temps[16];

static int temps_add(char *name)
{
	size_t i;

	for (i = 0; i < CPF_LEN(temps); i++) {
		char *none = NULL;

		if (atomic_compare_exchange_strong(&temps[i], &none, name))
			return (int)i;
	}
	return -1;
}

static void temps_remove(struct cpf_output *out)
{
	if (out->slot >= 0)
		atomic_store(&temps[out->slot], NULL);
	out->slot = -1;
}

int cpf_output_guard(char *name)
{
	return temps_add(name);
}

void cpf_output_let_go(int guard)
{
	if (guard >= 0)
		atomic_store(&temps[guard], NULL);
}

void cpf_output_cleanup(void)
{
	size_t i;

	for (i = 0; i < CPF_LEN(temps); i++) {
		char *name = atomic_exchange(&temps[i], NULL);

		if (name)
			unlink(name);
	}
}

static void write_fd(struct cpf_output *out, const void *s, size_t n)
{
	const char *at = s;
	ssize_t k;

	if (out->memory) {
		cpf_buf_add(&out->buf, s, n);
		return;
	}
	while (n && out->err.code == CPF_OK) {
		k = write(out->fd, at, n < (size_t)1 << 30 ? n : (size_t)1 << 30);
		if (k >= 0) {
			at += k;
			n -= (size_t)k;
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			struct pollfd p = {.fd = out->fd, .events = POLLOUT};

			(void)poll(&p, 1, -1);
		} else if (errno != EINTR) {
			cpf_fail_errno(&out->err, errno, "cannot write");
		}
	}
}

/* Packs n bytes, and what zlib keeps back if it is the end. */
static void pack(struct cpf_output *out, uint8_t *s, size_t n, int flush)
{
	z_stream *z = &out->packer->z;
	int ret;

	if (out->err.code != CPF_OK)
		return;
	z->next_in = s;
	z->avail_in = (uInt)n;
	do {
		z->next_out = out->packer->chunk;
		z->avail_out = (uInt)CHUNK;
		ret = deflate(z, flush);
		write_fd(out, out->packer->chunk, CHUNK - z->avail_out);
	} while (flush == Z_FINISH ? ret == Z_OK : z->avail_out == 0);
}

static void *pack_thread(void *arg)
{
	struct cpf_output *out = arg;
	struct packer *k = out->packer;
	uint8_t *block;

	for (;;) {
		pthread_mutex_lock(&k->lock);
		while (k->done == k->used && !k->finish)
			pthread_cond_wait(&k->filled, &k->lock);
		block = k->done == k->used ? NULL : k->blocks[k->used % NBLOCKS];
		pthread_mutex_unlock(&k->lock);
		if (!block)
			return NULL;
		pack(out, block, BLOCK, Z_NO_FLUSH);
		pthread_mutex_lock(&k->lock);
		k->used++;
		pthread_cond_signal(&k->emptied);
		pthread_mutex_unlock(&k->lock);
	}
}

/* Without a thread (none to be had) packing goes on in this one. Signals stay with the caller's. */
static void start_thread(struct cpf_output *out)
{
	struct packer *k = out->packer;
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	k->threaded = !pthread_create(&k->thread, NULL, pack_thread, out);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	k->no_thread = !k->threaded;
}

static void block_full(struct cpf_output *out)
{
	struct packer *k = out->packer;

	if (!k->threaded && !k->no_thread)
		start_thread(out);
	if (k->no_thread) {
		pack(out, k->blocks[0], BLOCK, Z_NO_FLUSH);
	} else {
		pthread_mutex_lock(&k->lock);
		k->done++;
		pthread_cond_signal(&k->filled);
		while (k->done - k->used == NBLOCKS)
			pthread_cond_wait(&k->emptied, &k->lock);
		pthread_mutex_unlock(&k->lock);
	}
	k->n = 0;
}

static uint8_t *present_block(struct packer *k)
{
	uint8_t **b = &k->blocks[k->no_thread ? 0 : k->done % NBLOCKS];

	if (!*b)
		*b = cpf_malloc(BLOCK);
	return *b;
}

static void packer_write(struct cpf_output *out, const uint8_t *s, size_t n)
{
	struct packer *k = out->packer;
	size_t m;

	while (n) {
		m = n < BLOCK - k->n ? n : BLOCK - k->n;
		memcpy(present_block(k) + k->n, s, m);
		k->n += m;
		s += m;
		n -= m;
		if (k->n == BLOCK)
			block_full(out);
	}
}

static void packer_join(struct packer *k)
{
	if (!k->threaded)
		return;
	pthread_mutex_lock(&k->lock);
	k->finish = 1;
	pthread_cond_signal(&k->filled);
	pthread_mutex_unlock(&k->lock);
	pthread_join(k->thread, NULL);
	k->threaded = 0;
	k->no_thread = 1;
}

static void packer_free(struct packer *k)
{
	size_t i;

	if (!k)
		return;
	packer_join(k);
	deflateEnd(&k->z);
	for (i = 0; i < NBLOCKS; i++)
		cpf_free(k->blocks[i]);
	cpf_free(k->chunk);
	pthread_cond_destroy(&k->filled);
	pthread_cond_destroy(&k->emptied);
	pthread_mutex_destroy(&k->lock);
	cpf_free(k);
}

/* The header's operating system is 255, unknown, so that bytes are the same everywhere. */
static struct packer *packer_new(void)
{
	struct packer *k = cpf_calloc(1, sizeof(*k));

	k->z.zalloc = cpf_z_alloc;
	k->z.zfree = cpf_z_free;
	k->head.os = 255;
	k->chunk = cpf_malloc(CHUNK);
	deflateInit2(&k->z, LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	deflateSetHeader(&k->z, &k->head);
	pthread_mutex_init(&k->lock, NULL);
	pthread_cond_init(&k->filled, NULL);
	pthread_cond_init(&k->emptied, NULL);
	return k;
}

/* The last, partial block, and the end of what zlib has. */
static void flush_all(struct cpf_output *out)
{
	struct packer *k = out->packer;

	if (k) {
		uint8_t *last = present_block(k);

		packer_join(k);
		pack(out, last, k->n, Z_FINISH);
	} else if (!out->memory) {
		write_fd(out, out->buf.s, out->buf.n);
		cpf_buf_clear(&out->buf);
	}
}

/* N of /dev/fd/N and its like, which opening anew would truncate or restart; -1 if it is none. */
static int named_fd(const char *path)
{
	static const char *const dirs[] = {"/dev/fd/", "/proc/self/fd/"};
	const char *digits = NULL;
	size_t i;

	if (!strcmp(path, "/dev/stdout"))
		return 1;
	if (!strcmp(path, "/dev/stderr"))
		return 2;
	for (i = 0; i < CPF_LEN(dirs); i++)
		if (!strncmp(path, dirs[i], strlen(dirs[i])))
			digits = path + strlen(dirs[i]);
	if (!digits || !*digits || strlen(digits) > 5 ||
		strspn(digits, "0123456789") != strlen(digits))
		return -1;
	return (int)strtol(digits, NULL, 10);
}

/* Another name on each try, and in each program that runs at the same time. */
static void temp_name(struct cpf_buf *b, const char *path, unsigned attempt)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	const char *base = strrchr(path, '/');
	size_t dir = base ? (size_t)(base + 1 - path) : 0, n = strlen(path + dir);
	struct timespec ts;
	uint64_t r;
	int i;

	clock_gettime(CLOCK_REALTIME, &ts);
	r = ((uint64_t)ts.tv_sec << 30 ^ (uint64_t)ts.tv_nsec) +
	    (uint64_t)getpid() * 0x9e3779b97f4a7c15u;
	r = (r + attempt) * 0xd6e8feb86659fd93u;
	r ^= r >> 32;
	cpf_buf_clear(b);
	cpf_buf_add(b, path, dir);
	cpf_buf_char(b, '.');
	cpf_buf_add(b, path + dir, n < 200 ? n : 200); /* names end at 255 bytes */
	cpf_buf_char(b, '.');
	for (i = 0; i < 8; i++, r /= 36)
		cpf_buf_char(b, letters[r % 36]);
}

/* No signal may come between the file and its name in the list for cleanup. */
static void create_temp(struct cpf_output *out, char *name)
{
	sigset_t all, old;
	int errnum;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	out->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	errnum = errno;
	if (out->fd >= 0) {
		out->temp = name;
		out->slot = temps_add(name);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = errnum;
}

static int open_temp(struct cpf_output *out, const struct stat *old)
{
	struct cpf_buf b = {0};
	unsigned attempt;
	int ret;

	for (attempt = 0; attempt < 100; attempt++) {
		temp_name(&b, out->path, attempt);
		create_temp(out, b.s);
		if (out->fd >= 0 || (errno != EEXIST && errno != EINTR))
			break;
	}
	if (out->fd < 0) {
		ret = cpf_fail_errno(&out->err, errno, "cannot create");
		cpf_buf_release(&b);
		return ret;
	}
	out->close_fd = 1;
	/* Not being allowed to is no reason to stop: the file is then as private as a new one. */
	if (old)
		(void)!fchmod(out->fd, old->st_mode & 0777);
	return 0;
}

static int open_path(struct cpf_output *out, const char *path)
{
	struct stat st, link;
	int fd = named_fd(path), exists;

	if (fd >= 0) {
		out->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		out->close_fd = 1;
		return out->fd < 0 ? cpf_fail_errno(&out->err, errno, "") : 0;
	}
	exists = !stat(path, &st);
	if (exists && S_ISDIR(st.st_mode))
		return cpf_fail(&out->err, CPF_E_IO, "is a directory");
	if (exists && !S_ISREG(st.st_mode)) {
		do
			out->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		while (out->fd < 0 && errno == EINTR);
		out->close_fd = 1;
		return out->fd < 0 ? cpf_fail_errno(&out->err, errno, "cannot open") : 0;
	}
	if (exists && !lstat(path, &link) && S_ISLNK(link.st_mode)) {
		char *real = realpath(path, NULL);

		if (real)
			out->path = cpf_strdup(real);
		free(real);
	}
	if (!out->path)
		out->path = cpf_strdup(path);
	return open_temp(out, exists ? &st : NULL);
}

/* NULL or a finished output; closes what is open and removes what is not in place. */
static void output_free(struct cpf_output *out)
{
	packer_free(out->packer);
	if (out->close_fd && out->fd >= 0)
		close(out->fd);
	temps_remove(out);
	if (out->temp)
		unlink(out->temp);
	cpf_free(out->temp);
	cpf_free(out->path);
	cpf_free(out->name);
	cpf_buf_release(&out->buf);
	cpf_free(out);
}

static int told(struct cpf_output *out, struct cpf_err *e)
{
	cpf_err_source(&out->err, out->name);
	if (e && e->code == CPF_OK)
		*e = out->err;
	output_free(out);
	return -1;
}

int cpf_output_open(struct cpf_output **res, const char *path, int gzip, struct cpf_err *e)
{
	int is_stdout = !path || !strcmp(path, "-");
	struct cpf_output *out = cpf_calloc(1, sizeof(*out));

	*res = NULL;
	out->name = cpf_strdup(is_stdout ? "<stdout>" : path);
	out->slot = -1;
	out->fd = -1;
	if (is_stdout)
		out->fd = STDOUT_FILENO;
	else if (open_path(out, path))
		return told(out, e);
	if (gzip)
		out->packer = packer_new();
	*res = out;
	return 0;
}

int cpf_output_memory(struct cpf_output **res, int gzip, struct cpf_err *e)
{
	struct cpf_output *out = cpf_calloc(1, sizeof(*out));

	(void)e;
	out->name = cpf_strdup("<memory>");
	out->slot = out->fd = -1;
	out->memory = 1;
	if (gzip)
		out->packer = packer_new();
	*res = out;
	return 0;
}

void cpf_output_write(struct cpf_output *out, const void *s, size_t n)
{
	if (!n)
		return;
	if (out->packer) {
		packer_write(out, s, n);
		return;
	}
	if (!out->memory && out->buf.n + n > BLOCK) {
		write_fd(out, out->buf.s, out->buf.n);
		cpf_buf_clear(&out->buf);
		if (n >= BLOCK) {
			write_fd(out, s, n);
			return;
		}
	}
	cpf_buf_add(&out->buf, s, n);
}

/* Some file systems tell of a full disk only when the file is closed. */
static void put_in_place(struct cpf_output *out)
{
	if (out->close_fd) {
		if (close(out->fd) && errno != EINTR)
			cpf_fail_errno(&out->err, errno, "cannot write");
		out->fd = -1;
	}
	if (out->err.code != CPF_OK || !out->temp)
		return;
	if (rename(out->temp, out->path)) {
		cpf_fail_errno(&out->err, errno, "cannot put in place");
		return;
	}
	temps_remove(out);
	cpf_free(out->temp);
	out->temp = NULL;
}

int cpf_output_commit(struct cpf_output *out, struct cpf_err *e)
{
	flush_all(out);
	put_in_place(out);
	if (out->err.code != CPF_OK)
		return told(out, e);
	output_free(out);
	return 0;
}

int cpf_output_take(struct cpf_output *out, char **data, size_t *n, struct cpf_err *e)
{
	*data = NULL;
	*n = 0;
	flush_all(out);
	if (out->err.code != CPF_OK)
		return told(out, e);
	cpf_buf_room(&out->buf, 0);
	*data = out->buf.s;
	*n = out->buf.n;
	memset(&out->buf, 0, sizeof(out->buf));
	output_free(out);
	return 0;
}

void cpf_output_discard(struct cpf_output *out)
{
	if (out)
		output_free(out);
}
