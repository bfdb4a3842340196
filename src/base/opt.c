#include "base/opt.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"

#define HELP_WIDTH  80
#define HELP_INDENT 28
#define NAME_MAX_LEN 40

void cpf_opt_list_release(struct cpf_opt_list *l)
{
	cpf_free(l->items);
	memset(l, 0, sizeof(*l));
}

void cpf_opt_list_add(struct cpf_opt_list *l, const char *item)
{
	CPF_GROW(l->items, l->cap, l->n + 2);
	l->items[l->n++] = item;
	l->items[l->n] = NULL;
}

/* Names. */

static int same_name(const char *a, size_t na, const char *b, size_t nb)
{
	size_t i;

	if (na != nb)
		return 0;
	for (i = 0; i < na; i++)
		if (a[i] != b[i] && !(a[i] == '_' && b[i] == '-'))
			return 0;
	return 1;
}

/* 1 if word is one of the spellings in names, which blanks separate. */
static int among(const char *names, const char *word, size_t n)
{
	size_t k;

	while (*names) {
		k = strcspn(names, " ");
		if (same_name(word, n, names, k))
			return 1;
		names += k + (names[k] == ' ');
	}
	return 0;
}

static int is_no(const char *s, size_t n)
{
	return n > 3 && s[0] == 'n' && s[1] == 'o' && (s[2] == '-' || s[2] == '_');
}

/* 1 if word names o; *negated: by its opposite. */
static int names_option(const struct cpf_opt *o, const char *word, size_t n, int *negated)
{
	*negated = 0;
	if (among(o->name, word, n))
		return 1;
	if (o->type != CPF_OPT_FLAG)
		return 0;
	*negated = 1;
	if (is_no(word, n))
		return among(o->name, word + 3, n - 3);
	return is_no(o->name, strlen(o->name)) && same_name(word, n, o->name + 3, strcspn(o->name + 3, " "));
}

static const struct cpf_opt *find_long(const struct cpf_opt_set *sets, size_t nsets,
	const char *word, size_t n, void **base, int *negated)
{
	const struct cpf_opt *o;
	size_t i;

	for (i = 0; i < nsets; i++)
		for (o = sets[i].opts; o->type != CPF_OPT_END; o++)
			if (names_option(o, word, n, negated)) {
				*base = sets[i].base;
				return o;
			}
	return NULL;
}

static const struct cpf_opt *find_letter(
	const struct cpf_opt_set *sets, size_t nsets, char letter, void **base)
{
	const struct cpf_opt *o;
	size_t i;

	for (i = 0; i < nsets; i++)
		for (o = sets[i].opts; o->type != CPF_OPT_END; o++)
			if (o->letter == letter) {
				*base = sets[i].base;
				return o;
			}
	return NULL;
}

/* Damerau-Levenshtein (optimal string alignment) over short names; SIZE_MAX if one is too long. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b), i, j, v;
	size_t d[3][NAME_MAX_LEN + 1];

	if (na > NAME_MAX_LEN || nb > NAME_MAX_LEN)
		return SIZE_MAX;
	for (j = 0; j <= nb; j++)
		d[0][j] = j;
	for (i = 1; i <= na; i++) {
		size_t *row = d[i % 3], *up = d[(i + 2) % 3], *up2 = d[(i + 1) % 3];

		row[0] = i;
		for (j = 1; j <= nb; j++) {
			v = up[j - 1] + (a[i - 1] != b[j - 1]);
			if (up[j] + 1 < v)
				v = up[j] + 1;
			if (row[j - 1] + 1 < v)
				v = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				up2[j - 2] + 1 < v)
				v = up2[j - 2] + 1;
			row[j] = v;
		}
	}
	return d[na % 3][nb];
}

void cpf_nearest_offer(struct cpf_nearest *n, const char *word, const char *candidate)
{
	size_t d = edit_distance(word, candidate), len = strlen(word);

	/* The beginning of a name is near, however much is missing. */
	if (len >= 3 && !strncmp(word, candidate, len))
		d = 1;
	if (d > 1 + len / 4)
		return;
	if (!n->best || d < n->distance) {
		n->best = candidate;
		n->distance = d;
	}
}

static int unknown_option(const struct cpf_opt_set *sets, size_t nsets, const char *word, size_t n,
	struct cpf_err *e)
{
	struct cpf_nearest near = {0};
	char text[NAME_MAX_LEN + 1], names[256][NAME_MAX_LEN + 1];
	const struct cpf_opt *o;
	size_t i, k, used = 0;

	if (n > NAME_MAX_LEN)
		return cpf_fail(e, CPF_E_USAGE, "unknown option '--%.*s'", (int)(n < 200 ? n : 200), word);
	for (i = 0; i < n; i++)
		text[i] = word[i] == '_' ? '-' : word[i];
	text[n] = '\0';
	for (i = 0; i < nsets; i++)
		for (o = sets[i].opts; o->type != CPF_OPT_END && used < CPF_LEN(names); o++) {
			k = strcspn(o->name, " ");
			if (k > NAME_MAX_LEN)
				continue;
			memcpy(names[used], o->name, k);
			names[used][k] = '\0';
			cpf_nearest_offer(&near, text, names[used++]);
		}
	if (near.best)
		return cpf_fail(e, CPF_E_USAGE, "unknown option '--%s'; did you mean '--%s'?", text,
			near.best);
	return cpf_fail(e, CPF_E_USAGE, "unknown option '--%s'", text);
}

/* Values. */

static int choose(int *out, const struct cpf_opt *o, const char *value, struct cpf_err *e)
{
	struct cpf_buf list = {0};
	const char *s = o->choices;
	size_t n = strlen(value), k;
	int i;

	for (i = 0; *s; i++) {
		k = strcspn(s, "|");
		if (same_name(value, n, s, k)) {
			*out = i;
			cpf_buf_release(&list);
			return 0;
		}
		cpf_buf_fmt(&list, "%s%.*s", i ? ", " : "", (int)k, s);
		s += k + (s[k] == '|');
	}
	cpf_fail(e, CPF_E_USAGE, "'%s' is not one of %s", value, list.s);
	cpf_buf_release(&list);
	return -1;
}

static int whole(int64_t *out, const struct cpf_opt *o, const char *value, struct cpf_err *e)
{
	int64_t v;

	if (cpf_parse_int(&v, value, e))
		return -1;
	if ((o->min || o->max) && (v < o->min || v > o->max)) {
		if (o->max == INT64_MAX)
			return cpf_fail(e, CPF_E_USAGE, "%s is below %" PRId64, value, o->min);
		return cpf_fail(e, CPF_E_USAGE, "%s is not in %" PRId64 " to %" PRId64, value,
			o->min, o->max);
	}
	*out = v;
	return 0;
}

static int bytes(uint64_t *out, const struct cpf_opt *o, const char *value, struct cpf_err *e)
{
	char most[CPF_NUM_TEXT + 8];
	int64_t v;

	if (cpf_parse_size(&v, value, e))
		return -1;
	if (!v)
		return cpf_fail(e, CPF_E_USAGE, "'%s' is less than a byte", value);
	if (o->max && v > o->max)
		return cpf_fail(e, CPF_E_USAGE, "'%s' is more than %s", value,
			cpf_unit_label(o->max, "B", "auto", most, sizeof(most)));
	*out = (uint64_t)v;
	return 0;
}

/* value: NULL for flags. */
static int store(const struct cpf_opt *o, void *base, const char *value, int negated, struct cpf_err *e)
{
	void *field = (char *)base + o->offset;
	struct cpf_opt_time *time;
	double pct;

	switch (o->type) {
	case CPF_OPT_FLAG:
		*(int *)field = !negated;
		return 0;
	case CPF_OPT_SET:
		*(int *)field = o->value;
		return 0;
	case CPF_OPT_STRING:
		*(const char **)field = value;
		return 0;
	case CPF_OPT_INT:
		return whole(field, o, value, e);
	case CPF_OPT_PERCENT:
		if (cpf_parse_percent(&pct, value, e))
			return -1;
		if (pct > 100)
			return cpf_fail(e, CPF_E_USAGE, "'%s' is more than 100%%", value);
		*(double *)field = pct;
		return 0;
	case CPF_OPT_TIME:
		time = field;
		time->set = 1;
		return cpf_parse_time(&time->ns, value, e);
	case CPF_OPT_SIZE:
		return bytes(field, o, value, e);
	case CPF_OPT_CHOICE:
		return choose(field, o, value, e);
	case CPF_OPT_LIST:
		cpf_opt_list_add(field, value);
		return 0;
	case CPF_OPT_END:
		break;
	}
	return 0;
}

static int takes_value(const struct cpf_opt *o)
{
	return o->type != CPF_OPT_FLAG && o->type != CPF_OPT_SET;
}

/* Puts the option as it was typed before the reason. */
static int bad_value(const char *word, size_t n, const struct cpf_err *inner, struct cpf_err *e)
{
	return cpf_fail(e, inner->code, "%.*s: %s", (int)(n < 100 ? n : 100), word, inner->reason);
}

struct parser {
	const struct cpf_opt_set *sets;
	size_t nsets;
	int argc, i;
	char **argv;
};

/* argv[i] is "--name" or "--name=value". */
static int parse_long(struct parser *p, struct cpf_err *e)
{
	const char *arg = p->argv[p->i], *word = arg + 2, *value = NULL;
	size_t n = strcspn(word, "=");
	const struct cpf_opt *o;
	struct cpf_err inner = {0};
	void *base;
	int negated;

	if (n == 4 && !memcmp(word, "help", 4))
		return 1;
	o = find_long(p->sets, p->nsets, word, n, &base, &negated);
	if (!o)
		return unknown_option(p->sets, p->nsets, word, n, e);
	if (word[n] == '=')
		value = word + n + 1;
	if (!takes_value(o) && value)
		return cpf_fail(e, CPF_E_USAGE, "--%.*s takes no value", (int)n, word);
	if (takes_value(o) && !value) {
		if (p->i + 1 >= p->argc)
			return cpf_fail(e, CPF_E_USAGE, "--%.*s needs a value (%s)", (int)n, word, o->arg);
		value = p->argv[++p->i];
	}
	if (store(o, base, value, negated, &inner))
		return bad_value(arg, n + 2, &inner, e);
	return 0;
}

/* argv[i] is "-x", "-xyz" or "-nVALUE". */
static int parse_letters(struct parser *p, struct cpf_err *e)
{
	const char *s = p->argv[p->i] + 1, *value;
	const struct cpf_opt *o;
	struct cpf_err inner = {0};
	size_t n = strcspn(s, "=");
	char word[3] = "-?";
	void *base;
	int negated;

	/* Go's flags have one dash: people who come from go tool pprof type them so. */
	if (n > 1 && find_long(p->sets, p->nsets, s, n, &base, &negated))
		return cpf_fail(e, CPF_E_USAGE, "unknown option '-%.*s'; did you mean '--%.*s'?", (int)n,
			s, (int)n, s);
	for (; *s; s++) {
		word[1] = *s;
		if (*s == 'h')
			return 1;
		o = find_letter(p->sets, p->nsets, *s, &base);
		if (!o)
			return cpf_fail(e, CPF_E_USAGE, "unknown option '-%c'", *s);
		if (!takes_value(o)) {
			if (store(o, base, NULL, 0, &inner))
				return bad_value(word, 2, &inner, e);
			continue;
		}
		value = s + 1;
		if (*value == '=')
			value++;
		if (!s[1]) {
			if (p->i + 1 >= p->argc)
				return cpf_fail(e, CPF_E_USAGE, "-%c needs a value (%s)", *s, o->arg);
			value = p->argv[++p->i];
		}
		if (store(o, base, value, 0, &inner))
			return bad_value(word, 2, &inner, e);
		return 0;
	}
	return 0;
}

int cpf_opt_parse(const struct cpf_opt_set *sets, size_t n, int argc, char **argv,
	struct cpf_opt_list *files, struct cpf_err *e)
{
	struct parser p = {sets, n, argc, 0, argv};
	int r;

	for (p.i = 1; p.i < argc; p.i++) {
		const char *arg = argv[p.i];

		if (arg[0] != '-' || !arg[1]) {
			cpf_opt_list_add(files, arg);
			continue;
		}
		if (!strcmp(arg, "--")) {
			while (++p.i < argc)
				cpf_opt_list_add(files, argv[p.i]);
			break;
		}
		r = arg[1] == '-' ? parse_long(&p, e) : parse_letters(&p, e);
		if (r)
			return r;
	}
	return 0;
}

/* Help. */

static const char *const group_titles[] = {
	"Load", "Select", "Shape", "Output", "Other",
};

/* Adds text wrapped to the right of column HELP_INDENT; the line is at column at. */
static void wrap(struct cpf_buf *out, const char *text, size_t at)
{
	size_t n;

	if (at + 2 > HELP_INDENT) {
		cpf_buf_char(out, '\n');
		at = 0;
	}
	cpf_buf_pad(out, ' ', HELP_INDENT - at);
	at = HELP_INDENT;
	while (*text) {
		n = strcspn(text, " ");
		if (at + n > HELP_WIDTH && at > HELP_INDENT) {
			out->n--; /* the blank */
			cpf_buf_char(out, '\n');
			cpf_buf_pad(out, ' ', HELP_INDENT);
			at = HELP_INDENT;
		}
		cpf_buf_add(out, text, n);
		at += n + 1;
		text += n + (text[n] == ' ');
		if (*text)
			cpf_buf_char(out, ' ');
	}
	cpf_buf_char(out, '\n');
}

static void help_option(struct cpf_buf *out, const struct cpf_opt *o)
{
	size_t start = out->n;

	if (o->letter)
		cpf_buf_fmt(out, "  -%c, ", o->letter);
	else
		cpf_buf_str(out, "      ");
	cpf_buf_fmt(out, "--%.*s", (int)strcspn(o->name, " "), o->name);
	if (takes_value(o))
		cpf_buf_fmt(out, " %s", o->arg);
	wrap(out, o->help, out->n - start);
}

/* Lines of text, each behind two blanks. */
static void help_lines(struct cpf_buf *out, const char *title, const char *text)
{
	size_t n;

	if (!text)
		return;
	cpf_buf_fmt(out, "\n%s:\n", title);
	while (*text) {
		n = strcspn(text, "\n");
		cpf_buf_fmt(out, "  %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

void cpf_opt_help(
	struct cpf_buf *out, const struct cpf_usage *u, const struct cpf_opt_set *sets, size_t n)
{
	const struct cpf_opt *o;
	size_t g, i;
	int any;

	cpf_buf_fmt(out, "usage: cpuprof %s %s\n\n%s\n", u->name, u->args, u->summary);
	if (u->details)
		cpf_buf_fmt(out, "\n%s\n", u->details);
	for (g = 0; g < CPF_LEN(group_titles); g++) {
		any = 0;
		for (i = 0; i < n; i++)
			for (o = sets[i].opts; o->type != CPF_OPT_END; o++) {
				if ((size_t)o->group != g || !o->help)
					continue;
				if (!any++)
					cpf_buf_fmt(out, "\n%s:\n", group_titles[g]);
				help_option(out, o);
			}
	}
	help_lines(out, "Examples", u->examples);
	help_lines(out, "Exit codes", u->exits);
}
