#include "reports/table.h"

#include "base/mem.h"

#include <stdio.h>

void cpf_table_init(struct cpf_table *t, const struct cpf_column *columns, size_t n)
{
	memset(t, 0, sizeof(*t));
	t->columns = columns;
	t->ncolumns = n;
}

void cpf_table_release(struct cpf_table *t)
{
	cpf_free(t->cells);
	cpf_buf_release(&t->bytes);
	memset(t, 0, sizeof(*t));
}

static struct cpf_cell *add_cell(struct cpf_table *t)
{
	struct cpf_cell *c;

	CPF_GROW(t->cells, t->cap, t->ncells + 1);
	c = &t->cells[t->ncells++];
	memset(c, 0, sizeof(*c));
	t->nrows = t->ncells / t->ncolumns;
	return c;
}

static size_t keep(struct cpf_table *t, const char *s, size_t n, uint32_t *len)
{
	size_t at = t->bytes.n;

	cpf_buf_add(&t->bytes, s, n);
	*len = (uint32_t)n;
	return at;
}

void cpf_table_two(struct cpf_table *t, const char *s, size_t n, const char *people, size_t npeople)
{
	struct cpf_cell *c = add_cell(t);

	c->text = keep(t, s, n, &c->ntext);
	c->people = keep(t, people, npeople, &c->npeople);
}

void cpf_table_text(struct cpf_table *t, const char *s, size_t n)
{
	struct cpf_cell *c = add_cell(t);

	c->text = c->people = keep(t, s, n, &c->ntext);
	c->npeople = c->ntext;
}

void cpf_table_str(struct cpf_table *t, const char *s)
{
	cpf_table_text(t, s, strlen(s));
}

void cpf_table_text_or_null(struct cpf_table *t, const char *s, size_t n)
{
	if (n)
		cpf_table_text(t, s, n);
	else
		cpf_table_null(t);
}

void cpf_table_number(struct cpf_table *t, int64_t v, const char *people)
{
	char plain[24];

	snprintf(plain, sizeof(plain), "%" PRId64, v);
	if (people)
		cpf_table_two(t, plain, strlen(plain), people, strlen(people));
	else
		cpf_table_str(t, plain);
}

void cpf_table_bool(struct cpf_table *t, int v)
{
	const char *machines = v ? "true" : "false", *people = v ? "yes" : "no";

	cpf_table_two(t, machines, strlen(machines), people, strlen(people));
}

void cpf_table_null(struct cpf_table *t)
{
	add_cell(t)->null = 1;
}

size_t cpf_text_width(const char *s, size_t n)
{
	size_t i, w = 0;

	for (i = 0; i < n; i++)
		w += ((unsigned char)s[i] & 0xc0) != 0x80;
	return w;
}

/* Text. */

static void text_cell(struct cpf_buf *out, const struct cpf_column *col, const char *s, size_t n,
	size_t width, int last)
{
	size_t w = cpf_text_width(s, n), pad = w < width ? width - w : 0;

	cpf_buf_pad(out, ' ', col->gap);
	if (!col->left)
		cpf_buf_pad(out, ' ', pad);
	cpf_buf_add(out, s, n);
	if (col->left && !last)
		cpf_buf_pad(out, ' ', pad);
}

/* A title may come from the file, such as the name of a sample type. */
static void title_text(const struct cpf_column *col, struct cpf_buf *tmp)
{
	cpf_buf_clear(tmp);
	cpf_buf_terminal(tmp, col->title, strlen(col->title));
}

/* Escapes a cell for people into tmp. */
static void people_text(const struct cpf_table *t, const struct cpf_cell *c, struct cpf_buf *tmp)
{
	cpf_buf_clear(tmp);
	if (c->null)
		cpf_buf_char(tmp, '-');
	else if (c->npeople)
		cpf_buf_terminal(tmp, t->bytes.s + c->people, c->npeople);
}

void cpf_table_as_text(const struct cpf_table *t, struct cpf_buf *out)
{
	size_t *width = cpf_calloc(t->ncolumns, sizeof(*width));
	struct cpf_buf tmp = {0};
	size_t i, k, w, last = 0;

	for (k = 0; k < t->ncolumns; k++) {
		width[k] = t->columns[k].width;
		title_text(&t->columns[k], &tmp);
		w = cpf_text_width(tmp.s, tmp.n);
		if (w > width[k])
			width[k] = w;
		if (t->columns[k].in & CPF_IN_PEOPLE)
			last = k;
	}
	for (i = 0; i < t->nrows; i++)
		for (k = 0; k < t->ncolumns; k++) {
			if (!(t->columns[k].in & CPF_IN_PEOPLE) || (k == last && t->columns[k].left))
				continue;
			people_text(t, &t->cells[i * t->ncolumns + k], &tmp);
			w = cpf_text_width(tmp.s, tmp.n);
			if (w > width[k])
				width[k] = w;
		}
	for (k = 0; k < t->ncolumns; k++)
		if (t->columns[k].in & CPF_IN_PEOPLE) {
			title_text(&t->columns[k], &tmp);
			text_cell(out, &t->columns[k], tmp.s, tmp.n, width[k], k == last);
		}
	while (out->n && out->s[out->n - 1] == ' ')
		out->n--;
	cpf_buf_char(out, '\n');
	for (i = 0; i < t->nrows; i++) {
		for (k = 0; k < t->ncolumns; k++) {
			if (!(t->columns[k].in & CPF_IN_PEOPLE))
				continue;
			people_text(t, &t->cells[i * t->ncolumns + k], &tmp);
			text_cell(out, &t->columns[k], tmp.s, tmp.n, width[k], k == last);
		}
		while (out->n && out->s[out->n - 1] == ' ')
			out->n--;
		cpf_buf_char(out, '\n');
	}
	cpf_buf_release(&tmp);
	cpf_free(width);
}

/* CSV. */

void cpf_table_as_csv(const struct cpf_table *t, struct cpf_buf *out)
{
	const struct cpf_cell *c;
	size_t i, k;
	int first = 1;

	for (k = 0; k < t->ncolumns; k++)
		if (t->columns[k].in & CPF_IN_MACHINES) {
			if (!first)
				cpf_buf_char(out, ',');
			cpf_buf_csv(out, t->columns[k].key, strlen(t->columns[k].key));
			first = 0;
		}
	cpf_buf_str(out, "\r\n");
	for (i = 0; i < t->nrows; i++) {
		first = 1;
		for (k = 0; k < t->ncolumns; k++) {
			if (!(t->columns[k].in & CPF_IN_MACHINES))
				continue;
			if (!first)
				cpf_buf_char(out, ',');
			first = 0;
			c = &t->cells[i * t->ncolumns + k];
			if (c->ntext && !c->null)
				cpf_buf_csv(out, t->bytes.s + c->text, c->ntext);
		}
		cpf_buf_str(out, "\r\n");
	}
}

/* Markdown. */

void cpf_table_as_markdown(const struct cpf_table *t, struct cpf_buf *out)
{
	const struct cpf_cell *c;
	const char *s;
	size_t i, k, n;

	for (k = 0; k < t->ncolumns; k++)
		if (t->columns[k].in & CPF_IN_PEOPLE) {
			s = t->columns[k].title[0] ? t->columns[k].title : t->columns[k].key;
			cpf_buf_str(out, "| ");
			cpf_buf_markdown(out, s, strlen(s));
			cpf_buf_char(out, ' ');
		}
	cpf_buf_str(out, "|\n");
	for (k = 0; k < t->ncolumns; k++)
		if (t->columns[k].in & CPF_IN_PEOPLE)
			cpf_buf_str(out, t->columns[k].left ? "|---" : "|---:");
	cpf_buf_str(out, "|\n");
	for (i = 0; i < t->nrows; i++) {
		for (k = 0; k < t->ncolumns; k++) {
			if (!(t->columns[k].in & CPF_IN_PEOPLE))
				continue;
			c = &t->cells[i * t->ncolumns + k];
			s = c->npeople ? t->bytes.s + c->people : "";
			for (n = c->npeople; n && *s == ' '; n--)
				s++;
			cpf_buf_str(out, "| ");
			cpf_buf_markdown(out, s, n);
			cpf_buf_char(out, ' ');
		}
		cpf_buf_str(out, "|\n");
	}
}

/* JSON. */

static void json_cell(const struct cpf_table *t, const struct cpf_column *col,
	const struct cpf_cell *c, struct cpf_jsonw *w)
{
	const char *s = c->ntext ? t->bytes.s + c->text : "";

	cpf_jsonw_key(w, col->key);
	if (c->null)
		cpf_jsonw_null(w);
	else if (col->plain)
		cpf_jsonw_raw(w, s, c->ntext);
	else
		cpf_jsonw_str_n(w, s, c->ntext);
}

void cpf_table_as_json(const struct cpf_table *t, struct cpf_jsonw *w)
{
	size_t i, k;

	cpf_jsonw_array(w);
	for (i = 0; i < t->nrows; i++) {
		cpf_jsonw_object_flat(w);
		for (k = 0; k < t->ncolumns; k++)
			if (t->columns[k].in & CPF_IN_MACHINES)
				json_cell(t, &t->columns[k], &t->cells[i * t->ncolumns + k], w);
		cpf_jsonw_end(w);
	}
	cpf_jsonw_end(w);
}
