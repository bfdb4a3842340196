/*
 * driver.c - runs a fuzz target over files, for compilers without libFuzzer: every regression run
 * replays the corpus this way. Arguments are files or folders.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long runs;

static int run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t n = 0, cap = 0, got;

	if (!f) {
		perror(path);
		return 1;
	}
	do {
		if (n == cap) {
			cap = cap ? cap * 2 : 4096;
			data = realloc(data, cap);
			if (!data)
				abort();
		}
		got = fread(data + n, 1, cap - n, f);
		n += got;
	} while (got);
	fclose(f);
	/* An exact-size copy, so that a read past the end is seen by the sanitizer. */
	{
		uint8_t *exact = malloc(n ? n : 1);

		if (!exact)
			abort();
		if (n)
			memcpy(exact, data, n);
		LLVMFuzzerTestOneInput(exact, n);
		free(exact);
	}
	free(data);
	runs++;
	return 0;
}

int main(int argc, char **argv)
{
	int i, bad = 0;

	for (i = 1; i < argc; i++) {
		struct stat st;
		struct dirent *ent;
		DIR *dir;

		if (stat(argv[i], &st) || !S_ISDIR(st.st_mode)) {
			bad |= run_file(argv[i]);
			continue;
		}
		dir = opendir(argv[i]);
		while (dir && (ent = readdir(dir))) {
			char path[4096];

			if (ent->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/%s", argv[i], ent->d_name);
			if (!stat(path, &st) && S_ISREG(st.st_mode))
				bad |= run_file(path);
		}
		if (dir)
			closedir(dir);
	}
	printf("%lu inputs\n", runs);
	return bad;
}
