/* Demangling as pprof does it after loading: -symbolize. */
#include "reports/pprof.h"

#include <stdio.h>

#include "base/base.h"
#include "base/mem.h"
#include "core/demangle.h"

const char *cpf_pprof_symbolize_mode(const char *option, int *force, struct cpf_buf *messages)
{
	static const struct {
		const char *word, *mode; /* NULL: the word alone changes nothing here */
		int force;
	} words[] = {
		{"", NULL, 0},
		{"local", NULL, 0},
		{"fastlocal", NULL, 0},
		{"remote", NULL, 0},
		{"force", NULL, 1},
		{"default", NULL, 0},
		{"demangle=default", NULL, 0},
		/* The prefix may be left out, as pprof only cuts it off. */
		{"full", "full", 1},
		{"demangle=full", "full", 1},
		{"templates", "templates", 1},
		{"demangle=templates", "templates", 1},
		{"demangle=none", "none", 1},
	};
	const char *mode = "", *at;
	size_t n, i, k;
	char word[32];

	*force = 0;
	for (at = option;; at += n + 1) {
		n = strcspn(at, ":");
		for (i = 0; i < n && i + 1 < sizeof(word); i++)
			word[i] = at[i] >= 'A' && at[i] <= 'Z' ? (char)(at[i] + 32) : at[i];
		word[i] = '\0';
		if (!strcmp(word, "none") || !strcmp(word, "no"))
			return NULL;
		for (k = 0; k < CPF_LEN(words); k++)
			if (!strcmp(words[k].word, word) && n < sizeof(word))
				break;
		if (k == CPF_LEN(words)) {
			cpf_buf_fmt(messages, "ignoring unrecognized symbolization option: %s\n", option);
			cpf_buf_str(messages,
				"expecting -symbolize=[local|fastlocal|remote|none][:force][:demangle="
				"[none|full|templates|default]\n");
		} else {
			mode = words[k].mode ? words[k].mode : mode;
			*force |= words[k].force;
		}
		if (!at[n])
			return mode;
	}
}

/*
 * The demangler of pprof reads the empty name of a closure and the length of the name behind it
 * ("0" and "3foo") as one number, and gives up on functions inside closures.
 */
static int confuses_pprof(const char *mangled, const char *text)
{
	char name[160];
	const char *at;
	size_t n;

	for (at = text; (at = strstr(at, "}::")) != NULL; at += 3) {
		n = strcspn(at + 3, ":<>{} ,()[]");
		if (!n || n > 100)
			continue;
		snprintf(name, sizeof(name), "0%zu%s%.*s", n,
			at[3] == '_' || (at[3] >= '0' && at[3] <= '9') ? "_" : "", (int)n, at + 3);
		if (strstr(mangled, name))
			return 1;
	}
	return 0;
}

/* Stands for an element of a path that is empty. */
static const char nothing[] = "21cpuprof_empty_element";

/*
 * Elements of old Rust names start with an underscore if they would start with "$" otherwise; pprof
 * takes any first underscore for that one: "std::sys::backtrace::__rust_begin_short_backtrace" loses
 * one, "_" is nothing. Writes such a name without them to out, or returns 0 if it is none.
 */
static int without_underscores(struct cpf_buf *out, const char *mangled)
{
	const char *s = mangled + 3, *last = NULL;
	size_t left, n;

	if (strncmp(mangled, "_ZN", 3) != 0)
		return 0;
	cpf_buf_clear(out);
	cpf_buf_str(out, "_ZN");
	for (left = strlen(s); *s >= '1' && *s <= '9'; s += n, left -= n) {
		for (n = 0; *s >= '0' && *s <= '9' && n < 100000; s++, left--)
			n = n * 10 + (size_t)(*s - '0');
		if (n > left)
			return 0;
		last = n == 17 ? s : NULL;
		if (*s != '_' || (n > 1 && s[1] == '$'))
			cpf_buf_fmt(out, "%zu%.*s", n, (int)n, s);
		else if (n == 1)
			cpf_buf_str(out, nothing);
		else
			cpf_buf_fmt(out, "%zu%.*s", n - 1, (int)n - 1, s + 1);
	}
	if (!last || *last != 'h' || strspn(last + 1, "0123456789abcdef") != 16 || *s != 'E')
		return 0;
	cpf_buf_str(out, s);
	return 1;
}

static void remove_nothing(struct cpf_buf *b)
{
	const size_t n = sizeof(nothing) - 3;
	char *at = b->s;

	while ((at = strstr(at, nothing + 2)) != NULL) {
		memmove(at, at + n, strlen(at + n) + 1);
		b->n -= n;
	}
}

static int demangle(struct cpf_buf *b, const char *mangled, enum cpf_demangle_mode mode)
{
	struct cpf_buf old = {0};
	int ok;

	cpf_buf_clear(b);
	if (without_underscores(&old, mangled) && cpf_demangle(b, old.s, mode)) {
		remove_nothing(b);
		ok = 1;
	} else {
		cpf_buf_clear(b);
		ok = cpf_demangle(b, mangled, mode) &&
		     !(mangled[1] == 'R' && confuses_pprof(mangled, b->s));
	}
	cpf_buf_release(&old);
	return ok;
}

/* Removes balanced pairs from a name; if a closing one comes too early the rest stays as it is. */
static void remove_pairs(struct cpf_buf *b, char open, char close)
{
	size_t i, first = 0, depth = 0;

	for (i = 0; i < b->n; i++) {
		if (b->s[i] == open) {
			if (!depth++)
				first = i;
		} else if (b->s[i] == close) {
			if (!depth)
				return;
			if (--depth)
				continue;
			memmove(b->s + first, b->s + i + 1, b->n - i - 1);
			b->n -= i + 1 - first;
			i = first - 1;
		}
	}
}

static int has(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

/* A name that is readable already but carries what the mode leaves out. */
static void shorten_plain(struct cpf_buf *b, const char *name, const char *mode)
{
	cpf_buf_clear(b);
	cpf_buf_str(b, name);
	/* Java's class.<init> and Go's pkg.(*T[...]).Method are no C++. */
	if (has(name, ".<") || has(name, "]).") || (!strpbrk(name, "<>[]") && !has(name, "::")))
		return;
	if (!strcmp(mode, "full"))
		return;
	remove_pairs(b, '(', ')');
	if (!*mode)
		remove_pairs(b, '<', '>');
}

static cpf_str readable(struct cpf_profile *p, cpf_str system_name, const char *mode,
	struct cpf_buf *b)
{
	enum cpf_demangle_mode m = !strcmp(mode, "full")	? CPF_DEMANGLE_FULL
				   : !strcmp(mode, "templates") ? CPF_DEMANGLE_TEMPLATES
								: CPF_DEMANGLE_SIMPLE;
	const char *name = cpf_cstr(p, system_name);

	/* macOS puts an underscore in front of every symbol. */
	if (demangle(b, name, m) || (*name == '_' && demangle(b, name + 1, m)))
		return cpf_intern(p, b->s, b->n);
	shorten_plain(b, name, mode);
	return cpf_intern(p, b->s, b->n);
}

void cpf_pprof_demangle(struct cpf_profile *p, const char *mode, int force)
{
	struct cpf_buf b = {0};
	cpf_str *done; /* per system name: readable name + 1 */
	uint32_t i, n = cpf_nstrings(p);

	done = cpf_calloc(n, sizeof(*done));
	for (i = 0; i < p->nfunctions; i++) {
		struct cpf_function *f = &p->functions[i];

		if (force && f->name && f->system_name)
			f->name = f->system_name;
		/* A name of its own is readable already. */
		if (!strcmp(mode, "none") || (f->name && f->name != f->system_name))
			continue;
		if (!done[f->system_name])
			done[f->system_name] = readable(p, f->system_name, mode, &b) + 1;
		f->name = done[f->system_name] - 1;
	}
	cpf_profile_seal(p);
	cpf_free(done);
	cpf_buf_release(&b);
}
