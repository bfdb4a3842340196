/*
 * tsv.h - tables of expectations: a header line, then one row a line, columns by name.
 */
#ifndef TSV_H
#define TSV_H

#include "test.h"

struct tsv {
	FILE *f;
	char head[2048], line[8192];
	char *name[32], *cell[32];
	int ncols, nrow;
};

/* Folder of the test data, or of the files of others; NULL if there is none. */
static inline const char *data_dir(const char *variable, const char *otherwise)
{
	const char *dir = getenv(variable);

	return dir && dir[0] ? dir : otherwise;
}

static inline int tsv_split(char *line, char **cell)
{
	int n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	for (cell[n++] = line; n < 32 && (line = strchr(line, '\t')) != NULL; cell[n++] = line)
		*line++ = '\0';
	return n;
}

/* Returns 0 if the file is not there. */
static inline int tsv_open(struct tsv *t, const char *dir, const char *file)
{
	char path[1024];

	memset(t, 0, sizeof(*t));
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	t->f = fopen(path, "r");
	if (!t->f || !fgets(t->head, sizeof(t->head), t->f))
		return 0;
	t->ncols = tsv_split(t->head, t->name);
	return 1;
}

static inline int tsv_next(struct tsv *t)
{
	if (!fgets(t->line, sizeof(t->line), t->f)) {
		fclose(t->f);
		return 0;
	}
	t->nrow++;
	if (tsv_split(t->line, t->cell) != t->ncols)
		fail_msg("row %d has another number of cells than the header", t->nrow);
	return 1;
}

static inline const char *tsv_get(const struct tsv *t, const char *name)
{
	int i;

	for (i = 0; i < t->ncols; i++)
		if (!strcmp(t->name[i], name))
			return t->cell[i];
	fail_msg("no column %s", name);
	return "";
}

static inline int tsv_is(const struct tsv *t, const char *name, const char *value)
{
	return !strcmp(tsv_get(t, name), value);
}

#endif
