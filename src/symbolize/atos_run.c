#include "symbolize/atos.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define MAX_ERR 4096

/*
 * Two threads may start programs at the same time. Descriptors are not to be inherited by the other
 * one's program: it would hold this one's pipe open. pipe2 is not on macOS.
 */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

struct child {
	pid_t pid;
	int out, err; /* to read from; -1 = closed */
};

static int make_pipe(int fd[2])
{
	if (pipe(fd))
		return -1;
	fcntl(fd[0], F_SETFD, FD_CLOEXEC);
	fcntl(fd[1], F_SETFD, FD_CLOEXEC);
	return 0;
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * The program gets a process group of its own, to be killed with all it starts, and signals as a
 * shell would give them: worker threads here block all of them.
 */
static int spawn(struct child *c, char *const argv[], int out, int err)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t set;
	int ret;

	ret = posix_spawn_file_actions_init(&files);
	if (ret)
		return ret;
	ret = posix_spawnattr_init(&attr);
	if (ret) {
		posix_spawn_file_actions_destroy(&files);
		return ret;
	}
	ret = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	if (!ret)
		ret = posix_spawn_file_actions_adddup2(&files, out, 1);
	if (!ret)
		ret = posix_spawn_file_actions_adddup2(&files, err, 2);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attr, &set);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXFSZ);
	posix_spawnattr_setsigdefault(&attr, &set);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr,
		POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	if (!ret)
		ret = posix_spawn(&c->pid, argv[0], &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return ret;
}

static int start(struct child *c, char *const argv[], struct cpf_reason *r)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1}, ret;

	pthread_mutex_lock(&starting);
	ret = make_pipe(out) || make_pipe(err) ? errno : spawn(c, argv, out[1], err[1]);
	shut(&out[1]);
	shut(&err[1]);
	pthread_mutex_unlock(&starting);
	c->out = out[0];
	c->err = err[0];
	if (!ret)
		return 0;
	shut(&c->out);
	shut(&c->err);
	cpf_reason(r, CPF_WHY_FAILED, "cannot start %s: %s", argv[0], strerror(ret));
	return -1;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* 1 if there may be more. Bytes beyond keep are read and forgotten. */
static int take(int *fd, struct cpf_buf *b, size_t keep)
{
	char bytes[16384];
	ssize_t n = read(*fd, bytes, sizeof(bytes));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	if (n <= 0) {
		shut(fd);
		return 0;
	}
	if (b->n < keep)
		cpf_buf_add(b, bytes, (size_t)n < keep - b->n ? (size_t)n : keep - b->n);
	return 1;
}

/* 0: both ends are closed; 1: too late; 2: too much. */
static int collect(struct child *c, struct cpf_buf *out, struct cpf_buf *err, size_t limit,
	int64_t until)
{
	struct pollfd p[2];
	int64_t left;

	while (c->out >= 0 || c->err >= 0) {
		left = until - now_ms();
		if (left <= 0)
			return 1;
		p[0].fd = c->out;
		p[1].fd = c->err;
		p[0].events = p[1].events = POLLIN;
		p[0].revents = p[1].revents = 0;
		if (poll(p, 2, left < 1000 ? (int)left : 1000) < 0)
			continue;
		if (c->out >= 0 && p[0].revents)
			(void)take(&c->out, out, limit + 1);
		if (c->err >= 0 && p[1].revents)
			(void)take(&c->err, err, MAX_ERR);
		if (out->n > limit)
			return 2;
	}
	return 0;
}

/* Waits for the end; 1 = too late. *status -1: somebody else (SIGCHLD ignored) has taken it. */
static int reap(struct child *c, int *status, int64_t until)
{
	const struct timespec moment = {0, 5000000};
	pid_t got;

	for (;;) {
		got = waitpid(c->pid, status, WNOHANG);
		if (got == c->pid)
			return 0;
		if (got < 0 && errno != EINTR) {
			*status = -1;
			return 0;
		}
		if (now_ms() >= until)
			return 1;
		nanosleep(&moment, NULL);
	}
}

static void kill_all(struct child *c)
{
	int status;

	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
}

/* The first line a program says on stderr, or "". */
static const char *first_line(struct cpf_buf *err)
{
	char *s = err->s;

	if (!s)
		return "";
	s += strspn(s, " \t\r\n");
	s[strcspn(s, "\r\n")] = 0;
	return s;
}

/* 0, or 1 if it ended badly. */
static int verdict(int status, struct cpf_buf *err, const char *program, struct cpf_reason *r)
{
	const char *said;

	if (status == -1 || (WIFEXITED(status) && !WEXITSTATUS(status)))
		return 0;
	said = first_line(err);
	if (WIFEXITED(status))
		cpf_reason(r, CPF_WHY_FAILED, "%s ended with status %d%s%.300s", program,
			WEXITSTATUS(status), *said ? ": " : "", said);
	else
		cpf_reason(r, CPF_WHY_FAILED, "%s was ended by signal %d%s%.300s", program,
			WIFSIGNALED(status) ? WTERMSIG(status) : 0, *said ? ": " : "", said);
	return 1;
}

int cpf_atos_run(struct cpf_buf *out, char *const argv[], size_t limit, unsigned seconds,
	struct cpf_reason *r)
{
	const int64_t until = now_ms() + (int64_t)seconds * 1000;
	struct cpf_buf err = {0};
	struct child c = {-1, -1, -1};
	int status = 0, bad, ret = -1;

	if (start(&c, argv, r))
		return -1;
	bad = collect(&c, out, &err, limit, until);
	if (!bad)
		bad = reap(&c, &status, until);
	shut(&c.out);
	shut(&c.err);
	if (!bad) {
		ret = verdict(status, &err, argv[0], r);
	} else {
		kill_all(&c);
		if (bad == 1)
			cpf_reason(r, CPF_WHY_FAILED, "%s did not answer within %u s", argv[0], seconds);
		else
			cpf_reason(r, CPF_WHY_FAILED, "%s printed more than %zu bytes", argv[0], limit);
	}
	cpf_buf_release(&err);
	return ret;
}
