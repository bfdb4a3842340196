/*
 * table.h - rows with typed columns, printed as text, CSV (RFC 4180), Markdown or JSON.
 *
 * A column says in which of the formats it appears, so that one table serves people (percentages,
 * names made short) and programs (whole numbers, names in parts). A cell holds a text or an integer
 * and may carry a second text for people ("1.02s" for 1020000000 ns).
 *
 * Ownership: column descriptions are borrowed (static); all texts are copied.
 */
#ifndef CPF_TABLE_H
#define CPF_TABLE_H

#include "base/base.h"
#include "base/buf.h"
#include "base/jsonw.h"

enum cpf_table_format {
	CPF_TABLE_TEXT,
	CPF_TABLE_JSON,
	CPF_TABLE_CSV,
	CPF_TABLE_MARKDOWN
};
/* For option tables: in the order of the enum. */
#define CPF_TABLE_FORMATS "text|json|csv|markdown"

enum cpf_column_in {
	CPF_IN_PEOPLE = 1,   /* text and Markdown */
	CPF_IN_MACHINES = 2, /* CSV and JSON */
	CPF_IN_BOTH = 3
};

struct cpf_column {
	const char *key;    /* in CSV and JSON */
	const char *title;  /* in text and Markdown; "": none in text, the key in Markdown */
	int in;             /* enum cpf_column_in */
	int left;           /* 1: text is aligned to the left */
	int plain;          /* 1: a number or a truth value, without quotes in JSON */
	uint8_t gap;        /* text: blanks before the column */
	uint8_t width;      /* text: at least so wide */
};

struct cpf_cell {
	size_t text, people;     /* offsets in the table's bytes */
	uint32_t ntext, npeople; /* lengths */
	uint8_t null;            /* JSON null, "-" in text, empty elsewhere */
};

struct cpf_table {
	const struct cpf_column *columns;
	size_t ncolumns, nrows;
	struct cpf_cell *cells;  /* row by row */
	size_t ncells, cap;
	struct cpf_buf bytes;
};

void cpf_table_init(struct cpf_table *t, const struct cpf_column *columns, size_t n);
void cpf_table_release(struct cpf_table *t);

/* Cells are added one by one, row after row, in the order of the columns. */
void cpf_table_text(struct cpf_table *t, const char *s, size_t n);
void cpf_table_str(struct cpf_table *t, const char *s);
/* The text, or null if it is empty. */
void cpf_table_text_or_null(struct cpf_table *t, const char *s, size_t n);
/* people: what text and Markdown show, or NULL for the plain number. */
void cpf_table_number(struct cpf_table *t, int64_t v, const char *people);
/* true or false; "yes" or "no" for people. */
void cpf_table_bool(struct cpf_table *t, int v);
/* A text for machines and another one for people. */
void cpf_table_two(struct cpf_table *t, const char *s, size_t n, const char *people, size_t npeople);
void cpf_table_null(struct cpf_table *t);

/* Appends the table. Text: a title line and a line per row, no blanks at line ends. */
void cpf_table_as_text(const struct cpf_table *t, struct cpf_buf *out);
void cpf_table_as_csv(const struct cpf_table *t, struct cpf_buf *out);
void cpf_table_as_markdown(const struct cpf_table *t, struct cpf_buf *out);
/* An array of objects, each row on a line of its own. */
void cpf_table_as_json(const struct cpf_table *t, struct cpf_jsonw *w);

/* Columns that text takes on a terminal: bytes of UTF-8 sequences count once. */
size_t cpf_text_width(const char *s, size_t n);

#endif
