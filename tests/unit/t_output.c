#include "test.h"

#include "base/input.h"
#include "base/mem.h"
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/cpf-t-output-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[2][512];
	static int which;

	which ^= 1;
	snprintf(path[which], sizeof(path[which]), "%s/%s", dir, name);
	return path[which];
}

static int setup(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int entries(int remove)
{
	DIR *d = opendir(dir);
	struct dirent *de;
	int n = 0;

	while ((de = readdir(d))) {
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		n++;
		if (remove)
			unlink(in_dir(de->d_name));
	}
	closedir(d);
	return n;
}

static int teardown(void **state)
{
	(void)state;
	entries(1);
	return rmdir(dir);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void assert_file(const char *path, const char *text)
{
	char got[256];
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(got, 1, sizeof(got) - 1, f);
	got[n] = '\0';
	fclose(f);
	assert_string_equal(got, text);
}

static void appears_whole(void **state)
{
	const char *path = in_dir("a.txt");
	struct cpf_err e = {0};
	struct cpf_output *out;
	struct stat st;
	mode_t mask = umask(027);

	(void)state;
	assert_int_equal(cpf_output_open(&out, path, 0, &e), 0);
	cpf_output_write(out, "hello ", 6);
	cpf_output_write(out, "", 0);
	cpf_output_write(out, "world", 5);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(entries(0), 1);
	assert_int_equal(cpf_output_commit(out, &e), 0);
	assert_int_equal(entries(0), 1);
	assert_file(path, "hello world");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	umask(mask);
	unlink(path);
}

static void keeps_target(void **state)
{
	const char *path = in_dir("b.txt");
	struct cpf_err e = {0};
	struct cpf_output *out;
	struct stat st;

	(void)state;
	put(path, "old");
	chmod(path, 0600);
	assert_int_equal(cpf_output_open(&out, path, 0, &e), 0);
	cpf_output_write(out, "new", 3);
	cpf_output_discard(out);
	assert_file(path, "old");
	assert_int_equal(entries(0), 1);
	assert_int_equal(cpf_output_open(&out, path, 0, &e), 0);
	cpf_output_write(out, "new", 3);
	assert_int_equal(cpf_output_commit(out, &e), 0);
	assert_file(path, "new");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	cpf_output_discard(NULL);
	unlink(path);
}

static void follows_link(void **state)
{
	struct cpf_err e = {0};
	struct cpf_output *out;
	struct stat st;

	(void)state;
	put(in_dir("real.txt"), "old");
	assert_int_equal(symlink("real.txt", in_dir("link.txt")), 0);
	assert_int_equal(cpf_output_open(&out, in_dir("link.txt"), 0, &e), 0);
	cpf_output_write(out, "new", 3);
	assert_int_equal(cpf_output_commit(out, &e), 0);
	assert_file(in_dir("real.txt"), "new");
	assert_int_equal(lstat(in_dir("link.txt"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(entries(1), 2);
}

static void special_files(void **state)
{
	const char *path = in_dir("fifo");
	struct cpf_err e = {0};
	struct cpf_output *out;
	char got[8] = "";
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(cpf_output_open(&out, "/dev/null", 1, &e), 0);
	cpf_output_write(out, "x", 1);
	assert_int_equal(cpf_output_commit(out, &e), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));

	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(cpf_output_open(&out, path, 0, &e), 0);
	cpf_output_write(out, "piped", 5);
	assert_int_equal(cpf_output_commit(out, &e), 0);
	assert_int_equal(read(fd, got, sizeof(got)), 5);
	assert_string_equal(got, "piped");
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	close(fd);
	unlink(path);

	fd = open(in_dir("n.txt"), O_RDWR | O_CREAT | O_APPEND, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "1", 1), 1);
	snprintf(got, sizeof(got), "%d", fd);
	{
		char name[64];

		snprintf(name, sizeof(name), "/dev/fd/%d", fd);
		assert_int_equal(cpf_output_open(&out, name, 0, &e), 0);
	}
	cpf_output_write(out, "2", 1);
	assert_int_equal(cpf_output_commit(out, &e), 0);
	assert_int_equal(write(fd, "3", 1), 1);
	close(fd);
	assert_file(in_dir("n.txt"), "123");
	assert_int_equal(entries(1), 1);
}

static void errors(void **state)
{
	struct cpf_err e = {0};
	struct cpf_output *out;
	char text[512];
	int fds[2], gzip;

	(void)state;
	assert_int_equal(cpf_output_open(&out, in_dir("no/such/x"), 0, &e), -1);
	assert_null(out);
	assert_non_null(strstr(cpf_err_text(&e, text, sizeof(text)),
		"no/such/x: cannot create: No such file or directory"));
	assert_int_equal(e.sys, ENOENT);
	memset(&e, 0, sizeof(e));
	assert_int_equal(cpf_output_open(&out, dir, 0, &e), -1);
	assert_non_null(strstr(cpf_err_text(&e, text, sizeof(text)), ": is a directory"));

	for (gzip = 0; gzip < 2; gzip++) {
		memset(&e, 0, sizeof(e));
		if (!access("/dev/full", W_OK)) {
			assert_int_equal(cpf_output_open(&out, "/dev/full", gzip, &e), 0);
			cpf_output_write(out, "x", 1);
			assert_int_equal(cpf_output_commit(out, &e), -1);
			assert_string_equal(cpf_err_text(&e, text, sizeof(text)),
				"/dev/full: cannot write: No space left on device");
			assert_int_equal(e.sys, ENOSPC);
		}
		memset(&e, 0, sizeof(e));
		signal(SIGPIPE, SIG_IGN);
		assert_int_equal(pipe(fds), 0);
		snprintf(text, sizeof(text), "/dev/fd/%d", fds[1]);
		assert_int_equal(cpf_output_open(&out, text, gzip, &e), 0);
		close(fds[0]);
		cpf_output_write(out, "x", 1);
		assert_int_equal(cpf_output_commit(out, &e), -1);
		assert_int_equal(e.code, CPF_E_IO);
		assert_int_equal(e.sys, EPIPE);
		close(fds[1]);
	}
	assert_int_equal(entries(0), 0);
}

/* Pseudo-random text that packs about as profiles do. */
static void text_at(char *s, size_t n, uint64_t seed)
{
	size_t i;

	for (i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		s[i] = "0123456789,,,[]\""[seed >> 60];
	}
}

static void gzip_round(void **state)
{
	static const size_t sizes[] = {0, 1, 4095, 262143, 262144, 262145, 3000000};
	static const size_t steps[] = {1 << 30, 1000, 262144, 77777};
	size_t i, k, at, m, n, first_n = 0, back_n;
	char *text = cpf_malloc(3000000), *data, *first = NULL, *back;
	struct cpf_err e = {0};
	struct cpf_output *out;
	struct cpf_input *in;

	(void)state;
	text_at(text, 3000000, 1);
	for (i = 0; i < CPF_LEN(sizes); i++) {
		for (k = 0; k < CPF_LEN(steps); k++) {
			assert_int_equal(cpf_output_memory(&out, 1, &e), 0);
			for (at = 0; at < sizes[i]; at += m) {
				m = sizes[i] - at < steps[k] ? sizes[i] - at : steps[k];
				cpf_output_write(out, text + at, m);
			}
			assert_int_equal(cpf_output_take(out, &data, &n, &e), 0);
			if (k == 0) {
				/* RFC 1952: deflate, no flags, no time, no extra flags, OS unknown.
				 */
				assert_true(n >= 20);
				assert_memory_equal(data, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
				first = data;
				first_n = n;
				assert_int_equal(cpf_input_memory(&in, "x", data, n, NULL, &e), 0);
				assert_true(cpf_input_packed(in));
				assert_int_equal(cpf_input_all(in, &back, &back_n, &e), 0);
				assert_int_equal(back_n, sizes[i]);
				assert_memory_equal(back, text, back_n);
				cpf_free(back);
				cpf_input_close(in);
				continue;
			}
			assert_int_equal(n, first_n);
			assert_memory_equal(data, first, n);
			cpf_free(data);
		}
		cpf_free(first);
	}
	assert_int_equal(cpf_output_memory(&out, 0, &e), 0);
	assert_int_equal(cpf_output_take(out, &data, &n, &e), 0);
	assert_int_equal(n, 0);
	assert_string_equal(data, "");
	cpf_free(data);
	assert_int_equal(cpf_output_memory(&out, 1, &e), 0);
	cpf_output_write(out, text, 3000000);
	cpf_output_discard(out);
	cpf_free(text);
}

static void on_term(int sig)
{
	cpf_output_cleanup();
	_exit(sig);
}

static void cleanup(void **state)
{
	struct cpf_err e = {0};
	struct cpf_output *out;
	int status, fds[2];
	char c;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGTERM, on_term);
		if (cpf_output_open(&out, in_dir("big"), 1, &e))
			_exit(99);
		cpf_output_write(out, "x", 1);
		if (write(fds[1], "r", 1) != 1)
			_exit(98);
		for (;;)
			pause();
	}
	assert_int_equal(read(fds[0], &c, 1), 1);
	assert_int_equal(entries(0), 1);
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), SIGTERM);
	assert_int_equal(entries(0), 0);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appears_whole),
		cmocka_unit_test(keeps_target),
		cmocka_unit_test(follows_link),
		cmocka_unit_test(special_files),
		cmocka_unit_test(errors),
		cmocka_unit_test(gzip_round),
		cmocka_unit_test(cleanup),
	};

	return cmocka_run_group_tests_name("output", tests, setup, teardown);
}
