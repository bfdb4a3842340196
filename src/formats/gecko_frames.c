/*
 * gecko_frames.c - frames of raw Gecko profiles are texts; their form tells what they are:
 *
 *   0x1a2b                                      an absolute address
 *   name (in lib)   ... + 12   ... (file.c:34)  named while recording: library by name, no address
 *   name (url:line)   name (url:line:column)    JavaScript; where the function starts
 *   url:line   url:line:column                  JavaScript, a script's own code
 *   anything else                               a label
 *
 * From version 33 on "[n]" may follow the JavaScript forms: the row of a table of sources.
 */
#include "formats/firefox.h"

#include "base/mem.h"

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Cuts ":digits" off the end; 0 if it is not there or does not fit. */
static int cut_number(struct cpf_slice *s, int64_t *out)
{
	size_t i = s->n, n;
	int64_t v = 0;

	while (i && is_digit(s->s[i - 1]))
		i--;
	n = s->n - i;
	if (!n || n > 15 || i < 2 || s->s[i - 1] != ':')
		return 0;
	for (; i < s->n; i++)
		v = v * 10 + (s->s[i] - '0');
	*out = v;
	s->n -= n + 1;
	return 1;
}

/* "url:line" or "url:line:column" */
static int cut_position(struct cpf_slice *s, int64_t *line, int64_t *column)
{
	int64_t last, before;

	if (!cut_number(s, &last))
		return 0;
	if (cut_number(s, &before)) {
		*line = before;
		*column = last;
	} else {
		*line = last;
		*column = 0;
	}
	return 1;
}

static int parse_address(struct cpf_gecko_frame *f, const char *s, size_t n)
{
	uint64_t v = 0;
	size_t i;

	if (n < 3 || n > 18 || s[0] != '0' || s[1] != 'x')
		return 0;
	for (i = 2; i < n; i++) {
		char c = s[i];

		if (is_digit(c))
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			v = v << 4 | (uint64_t)(c - 'A' + 10);
		else
			return 0;
	}
	f->has_address = 1;
	f->address = v;
	return 1;
}

static size_t find(const char *s, size_t n, const char *what)
{
	size_t k = strlen(what), i;

	for (i = 0; i + k <= n; i++)
		if (!memcmp(s + i, what, k))
			return i;
	return n;
}

/* "name (in lib)", "name (in lib) + 12", "name (in lib) (file.c:34)" */
static int parse_named(struct cpf_gecko_frame *f, const char *s, size_t n)
{
	size_t in = find(s, n, " (in "), lib = in + 5, end;
	struct cpf_slice rest;
	int64_t column;

	if (in == n)
		return 0;
	end = lib + find(s + lib, n - lib, ")");
	if (end == n)
		return 0;
	f->name = (struct cpf_slice){s, in};
	f->lib = (struct cpf_slice){s + lib, end - lib};
	rest = (struct cpf_slice){s + end + 1, n - end - 1};
	if (rest.n > 3 && !memcmp(rest.s, " (", 2) && rest.s[rest.n - 1] == ')') {
		rest.s += 2;
		rest.n -= 3;
		if (cut_position(&rest, &f->line, &column))
			f->file = rest;
	}
	return 1;
}

static int parse_js(struct cpf_gecko_frame *f, const char *s, size_t n)
{
	struct cpf_slice text = {s, n};
	size_t open;

	if (n > 2 && s[n - 1] == ']') {
		for (open = n - 1; open && is_digit(s[open - 1]); open--)
			;
		if (open && open < n - 1 && s[open - 1] == '[')
			text.n = open - 1;
	}
	if (text.n > 3 && s[text.n - 1] == ')') {
		/* The bracket that opens is the first behind a blank: URLs hold brackets, but no
		 * blank. */
		open = find(s, text.n, " (");
		if (open == text.n)
			return 0;
		f->name = (struct cpf_slice){s, open};
		f->file = (struct cpf_slice){s + open + 2, text.n - open - 3};
		if (!cut_position(&f->file, &f->start_line, &f->start_column)) {
			f->file.n = 0;
			return 0;
		}
		return 1;
	}
	/* A bare "url:line": label texts hold blanks or no path. */
	if (find(s, text.n, " ") != text.n ||
		(find(s, text.n, "/") == text.n && find(s, text.n, ".") == text.n))
		return 0;
	if (!cut_position(&text, &f->start_line, &f->start_column))
		return 0;
	f->file = text;
	f->name = (struct cpf_slice){s, n};
	return 1;
}

void cpf_gecko_parse(struct cpf_gecko_frame *f, const char *s, size_t n)
{
	memset(f, 0, sizeof(*f));
	f->name = (struct cpf_slice){s, n};
	f->lib = f->file = (struct cpf_slice){"", 0};
	if (parse_address(f, s, n) || parse_named(f, s, n))
		return;
	if (parse_js(f, s, n)) {
		f->js = 1;
		return;
	}
	f->name = (struct cpf_slice){s, n};
	f->file = (struct cpf_slice){"", 0};
	f->start_line = f->start_column = 0;
}
