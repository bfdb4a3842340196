#include "core/classes.h"

#include "base/buf.h"
#include "base/input.h"
#include "base/mem.h"
#include "core/regex.h"

/* A file of rules is written by people. */
#define LINE_MAX_BYTES 65536

enum field {
	FIELD_NAME,
	FIELD_LIB,
	FIELD_FILE,
	FIELD_CATEGORY,
	FIELD_UNNAMED
};
static const char *const field_names[] = {"name", "lib", "file", "category", "unnamed"};

struct rule {
	uint32_t class;
	enum field field;
	struct cpf_regex *re;    /* NULL: unnamed */
	uint8_t *libs;           /* lib: per mapping: 0 not looked at, 1 no, 2 yes */
	cpf_id nlibs;
};

struct cpf_classes {
	struct rule *rules;
	size_t n, cap;
	char **names;            /* owned */
	uint32_t nnames;
	size_t names_cap;
	int builtin;             /* the built-in rules are in it */
};

static struct cpf_classes *classes_new(void)
{
	struct cpf_classes *c = cpf_calloc(1, sizeof(*c));

	CPF_GROW(c->names, c->names_cap, 1);
	c->names[c->nnames++] = cpf_strdup("other");
	return c;
}

void cpf_classes_free(struct cpf_classes *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->n; i++) {
		cpf_regex_free(c->rules[i].re);
		cpf_free(c->rules[i].libs);
	}
	for (i = 0; i < c->nnames; i++)
		cpf_free(c->names[i]);
	cpf_free(c->names);
	cpf_free(c->rules);
	cpf_free(c);
}

/* Parsing. */

struct line {
	const char *s;
	size_t n;
};

static void trim(struct line *l)
{
	while (l->n && (l->s[0] == ' ' || l->s[0] == '\t'))
		l->s++, l->n--;
	while (l->n && (l->s[l->n - 1] == ' ' || l->s[l->n - 1] == '\t' || l->s[l->n - 1] == '\r'))
		l->n--;
}

static int is(const struct line *l, const char *word)
{
	return l->n == strlen(word) && !memcmp(l->s, word, l->n);
}

static uint32_t find_class(struct cpf_classes *c, const struct line *name)
{
	uint32_t i;

	for (i = 0; i < c->nnames; i++)
		if (is(name, c->names[i]))
			return i;
	CPF_GROW(c->names, c->names_cap, (size_t)c->nnames + 1);
	c->names[c->nnames] = cpf_strndup(name->s, name->n);
	return c->nnames++;
}

static int parse_text(struct cpf_classes *c, const char *text, size_t n, struct cpf_err *e);

static int add_builtin(struct cpf_classes *c, struct cpf_err *e)
{
	if (c->builtin)
		return cpf_fail(e, CPF_E_FORMAT, "the built-in rules are in already");
	c->builtin = 1;
	return parse_text(c, cpf_classes_builtin_text, strlen(cpf_classes_builtin_text), e);
}

/* "CLASS: FIELD REGEX" */
static int add_rule(struct cpf_classes *c, const struct line *l, struct cpf_err *e)
{
	const char *colon = memchr(l->s, ':', l->n);
	struct line name, field, pattern;
	struct rule r = {0};
	char *text;
	size_t i;
	int bad;

	if (!colon)
		return cpf_fail(e, CPF_E_FORMAT,
			"a rule is CLASS: FIELD REGEX, but there is no ':' in this line");
	name = (struct line){l->s, (size_t)(colon - l->s)};
	field = (struct line){colon + 1, l->n - name.n - 1};
	trim(&name);
	trim(&field);
	if (!name.n)
		return cpf_fail(e, CPF_E_FORMAT, "a rule begins with the name of a class");
	for (i = 0; i < field.n && field.s[i] != ' ' && field.s[i] != '\t'; i++)
		;
	pattern = (struct line){field.s + i, field.n - i};
	field.n = i;
	trim(&pattern);
	for (i = 0; i < CPF_LEN(field_names) && !is(&field, field_names[i]); i++)
		;
	if (i == CPF_LEN(field_names))
		return cpf_fail(e, CPF_E_FORMAT,
			"'%.*s' is none of name, lib, file, category and unnamed",
			(int)(field.n < 100 ? field.n : 100), field.s);
	r.field = (enum field)i;
	if ((r.field == FIELD_UNNAMED) != !pattern.n)
		return cpf_fail(e, CPF_E_FORMAT, "'%s' %s", field_names[r.field],
			pattern.n ? "takes no regular expression" : "needs a regular expression");
	if (pattern.n && memchr(pattern.s, '\0', pattern.n))
		return cpf_fail(e, CPF_E_FORMAT, "a NUL in a regular expression");
	if (pattern.n) {
		text = cpf_strndup(pattern.s, pattern.n);
		bad = cpf_regex_new(&r.re, field_names[r.field], text, e);
		cpf_free(text);
		if (bad)
			return -1;
	}
	r.class = find_class(c, &name);
	CPF_GROW(c->rules, c->cap, c->n + 1);
	c->rules[c->n++] = r;
	return 0;
}

static int parse_text(struct cpf_classes *c, const char *text, size_t n, struct cpf_err *e)
{
	uint64_t number = 0;
	size_t at = 0;

	while (at < n) {
		const char *end = memchr(text + at, '\n', n - at);
		struct line l = {text + at, end ? (size_t)(end - text) - at : n - at};
		int r = 0;

		at += l.n + 1;
		number++;
		if (number == 1 && l.n >= 3 && !memcmp(l.s, "\xef\xbb\xbf", 3))
			l.s += 3, l.n -= 3;
		trim(&l);
		if (!l.n || l.s[0] == '#')
			continue;
		if (l.n > LINE_MAX_BYTES)
			r = cpf_fail(e, CPF_E_LIMIT, "a line longer than %d bytes", LINE_MAX_BYTES);
		else if (is(&l, "builtin"))
			r = add_builtin(c, e);
		else
			r = add_rule(c, &l, e);
		if (r) {
			if (e && !e->line)
				e->line = number;
			return -1;
		}
	}
	return 0;
}

int cpf_classes_parse(struct cpf_classes **out, const char *source, const char *text, size_t n,
	struct cpf_err *e)
{
	struct cpf_classes *c = classes_new();
	struct cpf_err why = {.byte = CPF_NO_POS};
	int r = parse_text(c, text, n, &why);

	if (!r && !c->n)
		r = cpf_fail(&why, CPF_E_FORMAT, "no rules in it");
	if (r) {
		/* What is wrong with an expression is wrong with the file it stands in. */
		if (why.code == CPF_E_USAGE)
			why.code = CPF_E_FORMAT;
		cpf_err_source(&why, source);
		if (e && !e->code)
			*e = why;
		cpf_classes_free(c);
		return -1;
	}
	*out = c;
	return 0;
}

void cpf_classes_builtin(struct cpf_classes **out)
{
	struct cpf_classes *c = classes_new();

	c->builtin = 1;
	/* Tests see to it that the built-in text has no fault. */
	(void)!parse_text(c, cpf_classes_builtin_text, strlen(cpf_classes_builtin_text), NULL);
	*out = c;
}

int cpf_classes_load(
	struct cpf_classes **c, const char *path, struct cpf_diag *d, struct cpf_err *e)
{
	struct cpf_input *in;
	char *text = NULL;
	size_t n;
	int r;

	if (cpf_input_open(&in, path, d, e))
		return -1;
	r = cpf_input_all(in, &text, &n, e);
	if (!r)
		r = cpf_classes_parse(c, cpf_input_name(in), text, n, e);
	cpf_input_close(in);
	cpf_free(text);
	return r;
}

/* Matching. */

static int match_lib(struct rule *r, const struct cpf_profile *p, cpf_id mapping)
{
	struct cpf_text name;

	if (mapping == CPF_NONE)
		return 0;
	if (mapping >= r->nlibs) {
		r->libs = cpf_realloc_array(r->libs, p->nmappings, sizeof(*r->libs));
		memset(r->libs + r->nlibs, 0, p->nmappings - r->nlibs);
		r->nlibs = p->nmappings;
	}
	if (!r->libs[mapping]) {
		name = cpf_mapping_name(p, mapping);
		r->libs[mapping] = (uint8_t)(1 + (name.len && cpf_regex_match(r->re, name.s, name.len)));
	}
	return r->libs[mapping] == 2;
}

static int match(struct rule *r, const struct cpf_profile *p, const struct cpf_class_place *at)
{
	switch (r->field) {
	case FIELD_NAME:
		return !at->unnamed && at->name && cpf_regex_match_str(r->re, p, at->name);
	case FIELD_LIB:
		return match_lib(r, p, at->mapping);
	case FIELD_FILE:
		return at->file && cpf_regex_match_str(r->re, p, at->file);
	case FIELD_CATEGORY:
		return at->category != CPF_NONE && at->category < p->ncategories &&
		       cpf_regex_match_str(r->re, p, p->categories[at->category].name);
	default:
		return at->unnamed;
	}
}

uint32_t cpf_class_of(
	struct cpf_classes *c, const struct cpf_profile *p, const struct cpf_class_place *at)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (match(&c->rules[i], p, at))
			return c->rules[i].class;
	return CPF_CLASS_OTHER;
}

uint32_t cpf_classes_count(const struct cpf_classes *c)
{
	return c->nnames;
}

const char *cpf_class_name(const struct cpf_classes *c, uint32_t id)
{
	return c->names[id];
}

int cpf_classes_status(const struct cpf_classes *c, struct cpf_err *e)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->rules[i].re && cpf_regex_status(c->rules[i].re, e))
			return -1;
	return 0;
}
