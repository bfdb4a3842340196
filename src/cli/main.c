#include "base/base.h"

#include "base/opt.h"
#include "base/output.h"
#include "cli/cmd.h"
#include "cli/common.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

const struct cpf_cmd cpf_cmds[] = {
	{"top", "look", "functions by self (flat) and total (cum)", cpf_cmd_top},
	{"threads", "look", "one row per thread: samples, CPU, wall, idle, share named", cpf_cmd_threads},
	{"markers", "look", "markers by name or thread: count, total, longest, I/O, blocking",
		cpf_cmd_markers},
	{"info", "look", "what the file is: producer, sample types, threads, libraries", cpf_cmd_info},
	{"flamegraph", "picture", "one self-contained SVG", cpf_cmd_flamegraph},
	{"convert", "convert", "any readable format to pprof or folded stacks", cpf_cmd_convert},
	{"folded", "convert", "folded stacks, for flame graphs", cpf_cmd_folded},
	{"symbolize", "convert", "write the names found into a profile, or a .syms.json",
		cpf_cmd_symbolize},
	{"merge", "convert", "several profiles summed into one", cpf_cmd_merge},
	{"pprof", "drop-in", "text reports of go tool pprof: same flags, same bytes", cpf_cmd_pprof},
	{"check", "care", "every fault in a file, with its place", cpf_cmd_check},
	{"help", "care", "this text, or the help of a command", cpf_cmd_help},
	{NULL, NULL, NULL, NULL},
};

const struct cpf_cmd *cpf_cmd_find(const char *name)
{
	const struct cpf_cmd *c;

	for (c = cpf_cmds; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

int cpf_cmd_unknown(const char *name)
{
	struct cpf_nearest near = {0};
	const struct cpf_cmd *c;

	if (name[0] == '-') {
		cpf_cli_error("unknown option '%s'; options come behind the command", name);
		fputs("try 'cpuprof help'\n", stderr);
		return CPF_EXIT_USAGE;
	}
	for (c = cpf_cmds; c->name; c++)
		cpf_nearest_offer(&near, name, c->name);
	if (near.best)
		cpf_cli_error("no command '%s'; did you mean '%s'?", name, near.best);
	else
		cpf_cli_error("no command '%s'", name);
	fputs("try 'cpuprof help'\n", stderr);
	return CPF_EXIT_USAGE;
}

/* A file opened as descriptor 1 or 2 would get our output and messages. */
static void sanitize_descriptors(void)
{
	int fd;

	/* Read-only, so that writing to a closed stdout still fails. */
	for (fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) == -1 && errno == EBADF && open("/dev/null", O_RDONLY) < 0)
			return;
}

/* Half-written files go, then the signal does what it would have done. */
static void on_signal(int sig)
{
	cpf_output_cleanup();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void catch_signals(void)
{
	static const int fatal[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGXCPU};
	struct sigaction sa, old;
	size_t i;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sigemptyset(&sa.sa_mask);
	for (i = 0; i < CPF_LEN(fatal); i++) {
		/* What nohup and shells ignore for us stays ignored; a closed pipe ends us in any case. */
		if (fatal[i] != SIGPIPE && !sigaction(fatal[i], NULL, &old) && old.sa_handler == SIG_IGN)
			continue;
		sigaction(fatal[i], &sa, NULL);
	}
	/* A file that may not grow is an error of the write: EFBIG. */
	signal(SIGXFSZ, SIG_IGN);
}

/*
 * Columns grow by doubling. glibc maps large blocks, which grow without copying and go back to the
 * system when freed; but each one freed raises the size from which it does so, up to 32 MiB, and
 * below that what is freed stays as holes. A size of our own stays where it is.
 */
static void keep_memory_tight(void)
{
#if defined(__GLIBC__)
	mallopt(M_MMAP_THRESHOLD, 256 << 10);
#endif
}

static int run(int argc, char **argv)
{
	static char help[] = "help";
	char *overview[] = {help, NULL};
	const struct cpf_cmd *c;

	if (argc < 2) {
		cpf_cli_error("no command given");
		fputs("try 'cpuprof help'\n", stderr);
		return CPF_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return cpf_cmd_version();
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return cpf_cmd_help(1, overview);
	c = cpf_cmd_find(argv[1]);
	if (!c)
		return cpf_cmd_unknown(argv[1]);
	return c->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int code;

	sanitize_descriptors();
	catch_signals();
	keep_memory_tight();
	code = run(argc, argv);
	errno = 0;
	if (fflush(stdout) || ferror(stdout)) {
		cpf_cli_error("<stdout>: cannot write: %s", errno ? strerror(errno) : "write error");
		if (code == CPF_EXIT_OK)
			code = CPF_EXIT_FAILED;
	}
	return code;
}
