#include "base/input.h"

#include "base/gunzip.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define PEEK    ((size_t)64 << 10) /* packed input that ends within needs no thread */
#define BLOCK   ((size_t)256 << 10)
#define NBLOCKS 4
#define HEAD    4096

#define DEFAULT_UNPACKED ((uint64_t)64 << 30)
#define DEFAULT_STRING   ((uint64_t)256 << 20)
#define DEFAULT_DEPTH    1000

/* Packed or plain bytes from below. The first PEEK bytes are read ahead, to see what they are. */
struct source {
	int fd; /* -1 for memory */
	const uint8_t *mem;
	size_t n, at;   /* of mem */
	uint8_t *block; /* BLOCK bytes for an fd */
	size_t peeked, peek_at;
	int peek_eof;
	int may_block; /* not a regular file: a read can take for ever */
	int wake[2];   /* pipe; readable once the thread has to stop */
};

/* What the unpacking thread hands over. */
struct block {
	uint8_t *data;
	size_t n, at;
	uint64_t packed; /* offset in the packed data when it was done */
};

/*
 * Blocks between the unpacking thread and the reader. Positions only grow; block i is ring[i mod
 * NBLOCKS]; the thread fills [done, ...), the reader empties [used, done). The thread alone touches
 * source, gunzip and err until finished is set.
 */
struct ring {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	struct block blocks[NBLOCKS];
	uint64_t done, used;
	int finished, stop;
	struct cpf_err err;
};

struct cpf_input {
	char *name;
	struct cpf_diag *diag;
	struct cpf_diag own; /* where notes go if the caller wants none */
	struct cpf_limits limits;
	struct source src;
	int close_fd;
	uint64_t total;    /* packed bytes in all; 0 = unknown */
	uint64_t packed;   /* packed bytes behind what was handed out */
	uint64_t unpacked; /* handed out by read_some */
	struct cpf_gunzip *gz;
	struct ring *ring;
	struct cpf_err err; /* to be told once the head is used up */
	int ended;
	uint8_t *head;
	size_t head_n, head_at;
	int head_done;
};

/* read() that goes on after signals, and waits on descriptors that were set to non-blocking. */
static int read_fd(struct source *s, void *buf, size_t cap, size_t *got, struct cpf_err *e)
{
	struct pollfd p[2] = {
		{.fd = s->fd, .events = POLLIN}, {.fd = s->wake[0], .events = POLLIN}};
	ssize_t n;

	*got = 0;
	if (cap > (size_t)1 << 30)
		cap = (size_t)1 << 30;
	for (;;) {
		if (s->wake[0] >= 0) {
			if (poll(p, 2, -1) < 0)
				continue;
			if (p[1].revents)
				return 0;
		}
		n = read(s->fd, buf, cap);
		if (n >= 0) {
			*got = (size_t)n;
			return 0;
		}
		if (errno == EAGAIN || errno == EWOULDBLOCK)
			(void)poll(p, 1, -1);
		else if (errno != EINTR)
			return cpf_fail_errno(e, errno, "cannot read");
	}
}

static int source_peek(struct source *s, struct cpf_err *e)
{
	size_t got;

	if (s->fd < 0)
		return 0;
	s->block = cpf_malloc(BLOCK);
	while (s->peeked < PEEK) {
		if (read_fd(s, s->block + s->peeked, PEEK - s->peeked, &got, e))
			return -1;
		if (!got) {
			s->peek_eof = 1;
			return 0;
		}
		s->peeked += got;
	}
	return 0;
}

static int is_gzip(const struct source *s)
{
	const uint8_t *p = s->fd < 0 ? s->mem : s->block;
	size_t n = s->fd < 0 ? s->n : s->peeked;

	return n >= 2 && p[0] == 0x1f && p[1] == 0x8b;
}

static int is_small(const struct source *s)
{
	return s->fd < 0 ? s->n < PEEK : s->peek_eof;
}

/* Plain bytes straight into the caller's buffer. */
static int source_read(struct source *s, void *buf, size_t cap, size_t *got, struct cpf_err *e)
{
	if (s->fd < 0) {
		*got = s->n - s->at < cap ? s->n - s->at : cap;
		if (*got)
			memcpy(buf, s->mem + s->at, *got);
		s->at += *got;
		return 0;
	}
	if (s->peek_at < s->peeked) {
		*got = s->peeked - s->peek_at < cap ? s->peeked - s->peek_at : cap;
		memcpy(buf, s->block + s->peek_at, *got);
		s->peek_at += *got;
		return 0;
	}
	*got = 0;
	return s->peek_eof ? 0 : read_fd(s, buf, cap, got, e);
}

/* Packed bytes for gunzip, in place. */
static int source_fill(void *arg, const uint8_t **data, size_t *n, struct cpf_err *e)
{
	struct source *s = arg;

	if (s->fd < 0) {
		*data = s->mem + s->at;
		*n = s->n - s->at;
		s->at = s->n;
		return 0;
	}
	*data = s->block;
	if (s->peek_at < s->peeked) {
		*data += s->peek_at;
		*n = s->peeked - s->peek_at;
		s->peek_at = s->peeked;
		return 0;
	}
	*n = 0;
	return s->peek_eof ? 0 : read_fd(s, s->block, BLOCK, n, e);
}

static void *unpack_thread(void *arg)
{
	struct cpf_input *in = arg;
	struct ring *r = in->ring;
	struct block *b;
	int stop, ret;

	do {
		pthread_mutex_lock(&r->lock);
		while (r->done - r->used == NBLOCKS && !r->stop)
			pthread_cond_wait(&r->emptied, &r->lock);
		stop = r->stop;
		b = &r->blocks[r->done % NBLOCKS];
		pthread_mutex_unlock(&r->lock);
		if (stop)
			return NULL;
		if (!b->data)
			b->data = cpf_malloc(BLOCK);
		b->at = b->n = 0;
		ret = cpf_gunzip_read(in->gz, b->data, BLOCK, &b->n, &r->err);
		b->packed = cpf_gunzip_pos(in->gz);
		stop = ret || !b->n;
		pthread_mutex_lock(&r->lock);
		if (stop)
			r->finished = 1;
		else
			r->done++;
		pthread_cond_signal(&r->filled);
		pthread_mutex_unlock(&r->lock);
	} while (!stop);
	return NULL;
}

/* Without a thread (none to be had) reading goes on in this one. Signals stay with the caller's. */
static void ring_start(struct cpf_input *in)
{
	struct ring *r = cpf_calloc(1, sizeof(*r));
	sigset_t all, old;
	int failed;

	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->filled, NULL);
	pthread_cond_init(&r->emptied, NULL);
	in->ring = r;
	if (in->src.may_block && pipe(in->src.wake))
		in->src.wake[0] = in->src.wake[1] = -1;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	failed = pthread_create(&r->thread, NULL, unpack_thread, in);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!failed)
		return;
	in->ring = NULL;
	cpf_free(r);
}

static void ring_stop(struct cpf_input *in)
{
	struct ring *r = in->ring;
	size_t i;

	if (!r)
		return;
	if (in->src.wake[1] >= 0)
		(void)!write(in->src.wake[1], "", 1);
	pthread_mutex_lock(&r->lock);
	r->stop = 1;
	pthread_cond_signal(&r->emptied);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	for (i = 0; i < NBLOCKS; i++)
		cpf_free(r->blocks[i].data);
	pthread_cond_destroy(&r->filled);
	pthread_cond_destroy(&r->emptied);
	pthread_mutex_destroy(&r->lock);
	cpf_free(r);
}

static int ring_read(struct cpf_input *in, void *buf, size_t cap, size_t *got, struct cpf_err *e)
{
	struct ring *r = in->ring;
	struct block *b;
	int ready;

	pthread_mutex_lock(&r->lock);
	while (r->done == r->used && !r->finished)
		pthread_cond_wait(&r->filled, &r->lock);
	ready = r->done != r->used;
	pthread_mutex_unlock(&r->lock);
	*got = 0;
	if (!ready) {
		if (r->err.code == CPF_OK)
			return 0;
		if (e && e->code == CPF_OK)
			*e = r->err;
		return -1;
	}
	b = &r->blocks[r->used % NBLOCKS];
	*got = b->n - b->at < cap ? b->n - b->at : cap;
	memcpy(buf, b->data + b->at, *got);
	b->at += *got;
	in->packed = b->packed;
	if (b->at == b->n) {
		pthread_mutex_lock(&r->lock);
		r->used++;
		pthread_cond_signal(&r->emptied);
		pthread_mutex_unlock(&r->lock);
	}
	return 0;
}

static void note_trailing(struct cpf_input *in)
{
	uint64_t pos;

	if (in->gz && cpf_gunzip_trailing(in->gz, &pos))
		cpf_note(in->diag, CPF_WARN, "trailing-data", 1,
			"%s: byte %" PRIu64 ": data after the end of the gzip data was left out",
			in->name, pos);
}

/* One read below the head, within the limit. cap > 0. */
static int read_some(struct cpf_input *in, void *buf, size_t cap, size_t *got, struct cpf_err *e)
{
	uint64_t left = in->limits.unpacked - in->unpacked;
	uint8_t probe;
	int ret;

	/* With nothing left, one byte more tells whether the input ends here or goes past. */
	if (!left) {
		buf = &probe;
		cap = 1;
	} else if (cap > left) {
		cap = (size_t)left;
	}
	if (in->ring) {
		ret = ring_read(in, buf, cap, got, e);
	} else if (in->gz) {
		ret = cpf_gunzip_read(in->gz, buf, cap, got, e);
		in->packed = cpf_gunzip_pos(in->gz);
	} else {
		ret = source_read(&in->src, buf, cap, got, e);
		in->packed += *got;
	}
	if (ret)
		return -1;
	if (!*got) {
		note_trailing(in);
		in->ended = 1;
		return 0;
	}
	if (!left) {
		*got = 0;
		cpf_fail(e, CPF_E_LIMIT, "input is larger than the limit of %" PRIu64 " bytes%s",
			in->limits.unpacked, in->gz ? " after unpacking" : "");
		cpf_err_limit(e, CPF_LIMIT_UNPACKED);
		return -1;
	}
	in->unpacked += *got;
	return 0;
}

static void progress(struct cpf_input *in)
{
	struct cpf_diag *d = in->diag;

	if (d->progress)
		d->progress(d->progress_arg, in->packed, in->total);
}

static void fill_head(struct cpf_input *in)
{
	size_t got;

	if (in->head_done)
		return;
	in->head_done = 1;
	in->head = cpf_malloc(HEAD);
	do {
		if (read_some(in, in->head + in->head_n, HEAD - in->head_n, &got, &in->err))
			return;
		in->head_n += got;
	} while (got && in->head_n < HEAD);
}

static int told(struct cpf_input *in, struct cpf_err *e)
{
	cpf_err_source(&in->err, in->name);
	if (e && e->code == CPF_OK)
		*e = in->err;
	return -1;
}

int cpf_input_head(struct cpf_input *in, const uint8_t **head, size_t *n, struct cpf_err *e)
{
	fill_head(in);
	*head = in->head;
	*n = in->head_n;
	if (!in->head_n && in->err.code != CPF_OK)
		return told(in, e);
	return 0;
}

int cpf_input_read(struct cpf_input *in, void *buf, size_t cap, size_t *got, struct cpf_err *e)
{
	*got = 0;
	if (!cap)
		return 0;
	if (in->head_at < in->head_n) {
		*got = in->head_n - in->head_at < cap ? in->head_n - in->head_at : cap;
		memcpy(buf, in->head + in->head_at, *got);
		in->head_at += *got;
		return 0;
	}
	in->head_done = 1;
	if (in->err.code == CPF_OK && !in->ended)
		(void)read_some(in, buf, cap, got, &in->err);
	if (in->err.code != CPF_OK)
		return told(in, e);
	progress(in);
	return 0;
}

int cpf_input_all(struct cpf_input *in, char **data, size_t *n, struct cpf_err *e)
{
	size_t cap = 0, got;
	char *s = NULL;

	*data = NULL;
	*n = 0;
	/* A size known beforehand is only a hint: files grow and shrink while they are read. */
	if (!in->gz && in->total && in->total <= in->limits.unpacked && in->total < SIZE_MAX / 2)
		CPF_GROW(s, cap, in->total + 2);
	do {
		CPF_GROW(s, cap, *n + 2);
		if (cpf_input_read(in, s + *n, cap - *n - 1, &got, e)) {
			cpf_free(s);
			*n = 0;
			return -1;
		}
		*n += got;
	} while (got);
	s = cpf_realloc_array(s, *n + 1, 1);
	s[*n] = '\0';
	*data = s;
	return 0;
}

static struct cpf_input *new_input(const char *name, struct cpf_diag *d)
{
	struct cpf_input *in = cpf_calloc(1, sizeof(*in));

	in->name = cpf_strdup(name);
	in->diag = d ? d : &in->own;
	in->limits = in->diag->limits;
	if (!in->limits.unpacked)
		in->limits.unpacked = DEFAULT_UNPACKED;
	if (!in->limits.string)
		in->limits.string = DEFAULT_STRING;
	if (!in->limits.depth)
		in->limits.depth = DEFAULT_DEPTH;
	in->src.fd = in->src.wake[0] = in->src.wake[1] = -1;
	return in;
}

static int start(struct cpf_input **out, struct cpf_input *in, struct cpf_err *e)
{
	if (source_peek(&in->src, &in->err)) {
		told(in, e);
		cpf_input_close(in);
		return -1;
	}
	if (is_gzip(&in->src)) {
		in->gz = cpf_gunzip_new(source_fill, &in->src);
		if (!is_small(&in->src))
			ring_start(in);
	}
	*out = in;
	return 0;
}

int cpf_input_open(struct cpf_input **out, const char *path, struct cpf_diag *d, struct cpf_err *e)
{
	int is_stdin = !strcmp(path, "-");
	struct cpf_input *in = new_input(is_stdin ? "<stdin>" : path, d);
	struct stat st;

	*out = NULL;
	if (is_stdin) {
		in->src.fd = STDIN_FILENO;
	} else {
		do
			in->src.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		while (in->src.fd < 0 && errno == EINTR);
		in->close_fd = 1;
	}
	if (in->src.fd < 0 || fstat(in->src.fd, &st))
		cpf_fail_errno(&in->err, errno, "");
	else if (S_ISDIR(st.st_mode))
		cpf_fail(&in->err, CPF_E_IO, "is a directory");
	if (in->err.code != CPF_OK) {
		told(in, e);
		cpf_input_close(in);
		return -1;
	}
	in->src.may_block = !S_ISREG(st.st_mode);
	if (S_ISREG(st.st_mode) && st.st_size > 0)
		in->total = (uint64_t)st.st_size;
	return start(out, in, e);
}

int cpf_input_memory(struct cpf_input **out, const char *name, const void *data, size_t n,
	struct cpf_diag *d, struct cpf_err *e)
{
	struct cpf_input *in = new_input(name, d);

	*out = NULL;
	in->src.mem = n ? data : (const void *)"";
	in->src.n = n;
	in->total = n;
	return start(out, in, e);
}

void cpf_input_close(struct cpf_input *in)
{
	if (!in)
		return;
	ring_stop(in);
	cpf_gunzip_free(in->gz);
	if (in->close_fd && in->src.fd >= 0)
		close(in->src.fd);
	if (in->src.wake[0] >= 0) {
		close(in->src.wake[0]);
		close(in->src.wake[1]);
	}
	cpf_free(in->src.block);
	cpf_free(in->head);
	cpf_free(in->name);
	cpf_diag_release(&in->own);
	cpf_free(in);
}

const char *cpf_input_name(const struct cpf_input *in)
{
	return in->name;
}

int cpf_input_packed(const struct cpf_input *in)
{
	return in->gz != NULL;
}

struct cpf_diag *cpf_input_diag(struct cpf_input *in)
{
	return in->diag;
}

const struct cpf_limits *cpf_input_limits(const struct cpf_input *in)
{
	return &in->limits;
}
