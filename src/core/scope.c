#include "core/scope.h"

/* No name that means something nests this much. */
#define GROUPS_KEPT 64

static int is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static int starts(const char *s, size_t n, const char *with)
{
	size_t k = strlen(with);

	return n >= k && !memcmp(s, with, k);
}

/*
 * Length of an operator's name at s, or 0: its signs are no brackets. "operator<" may stand before
 * template arguments: "operator< <int>".
 */
static size_t operator_at(const char *s, size_t n, size_t at)
{
	static const char *const signs[] = {"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->",
		"()", "[]", "<", ">"};
	size_t i;

	if (!starts(s + at, n - at, "operator") || (at && is_word(s[at - 1])))
		return 0;
	for (i = 0; i < CPF_LEN(signs); i++)
		if (starts(s + at + 8, n - at - 8, signs[i]))
			return 8 + strlen(signs[i]);
	return 0;
}

/* The place behind the bracket that closes the one at `at`; n if none does. "->" closes nothing. */
static size_t closing(const char *s, size_t n, size_t at)
{
	size_t depth = 0, op;

	while (at < n) {
		op = operator_at(s, n, at);
		if (op) {
			at += op;
			continue;
		}
		if (s[at] == '<' || s[at] == '(' || s[at] == '[' || s[at] == '{')
			depth++;
		else if ((s[at] == '>' && !(at && (s[at - 1] == '-' || s[at - 1] == '='))) ||
			 s[at] == ')' || s[at] == ']' || s[at] == '}')
			depth--;
		at++;
		if (!depth)
			break;
	}
	return at;
}

/* The " as " of "<T as U>" between from and to, or to. */
static size_t find_as(const char *s, size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to;) {
		if (s[i] == '<' || s[i] == '(' || s[i] == '[' || s[i] == '{') {
			i = closing(s, to, i);
			continue;
		}
		if (starts(s + i, to - i, " as "))
			return i;
		i++;
	}
	return to;
}

/* Generics. */

/*
 * The result type in front of a C++ name goes with the parameters: the last blank outside of
 * brackets ends it, but for those of "operator new" and of conversions.
 */
static size_t skip_result(const char *s, size_t n)
{
	size_t i, from = 0;

	for (i = 0; i < n;) {
		size_t op = operator_at(s, n, i);

		if (op) {
			i += op;
			i += i + 1 < n && s[i] == ' ' && s[i + 1] == '<';
		} else if (starts(s + i, n - i, "operator ") && (!i || !is_word(s[i - 1]))) {
			break;
		} else if (s[i] == '<' || s[i] == '(' || s[i] == '[' || s[i] == '{') {
			i = closing(s, n, i);
		} else if (s[i++] == ' ') {
			from = i;
		}
	}
	return from;
}

/* Where the parameters of a C++ function begin: the "(" of the last group outside others; or n. */
static size_t find_parameters(const char *s, size_t n)
{
	size_t i, at = n;

	for (i = 0; i < n;) {
		size_t op = operator_at(s, n, i);

		if (op) {
			i += op;
		} else if (s[i] == '(' && i && s[i - 1] != ':' && s[i - 1] != ' ' &&
			   !starts(s + i, n - i, "(anonymous")) {
			at = i;
			i = closing(s, n, i);
			/* What follows belongs to the same name: "f(int)::{lambda()#1}::operator()". */
			if (i < n && s[i] == ':')
				at = n;
		} else if (s[i] == '<' || s[i] == '(' || s[i] == '[' || s[i] == '{') {
			i = closing(s, n, i);
		} else {
			i++;
		}
	}
	return at;
}

/* Copies s without <...> that follow a word; returns how many went. Rust: also "::<...>". */
static size_t strip_arguments(const char *s, size_t n, struct cpf_buf *out)
{
	size_t i = 0, gone = 0, end, op;
	int kept = 0; /* groups that stay are read again for what is in them: not without end */

	while (i < n) {
		op = operator_at(s, n, i);
		if (op) {
			cpf_buf_add(out, s + i, op);
			i += op;
			while (i < n && s[i] == ' ' && i + 1 < n && s[i + 1] == '<')
				i++;
			if (i < n && s[i] == '<') {
				i = closing(s, n, i);
				gone++;
			}
			continue;
		}
		end = s[i] == '<' && i && kept < GROUPS_KEPT ? closing(s, n, i) : i;
		if (end > i && s[end - 1] == '>' && is_word(s[i - 1])) {
			i = end;
			gone++;
		} else if (end > i && s[end - 1] == '>' && i > 2 && s[i - 1] == ':' &&
			   s[i - 2] == ':' && is_word(s[i - 3]) &&
			   !starts(s + i, n - i, "<impl ") && find_as(s, i + 1, end) == end) {
			if (out->n >= 2)
				out->s[out->n -= 2] = '\0';
			i = end;
			gone++;
		} else {
			kept += end > i;
			cpf_buf_char(out, s[i++]);
		}
	}
	return gone;
}

void cpf_name_merge_generics(const char *s, size_t n, struct cpf_buf *out)
{
	struct cpf_buf text = {0};
	const char *shape = NULL;
	size_t i, from, end;

	for (i = 0; i + 10 <= n && !shape; i++)
		if (!memcmp(s + i, "[go.shape.", 10))
			shape = s + i;
	if (shape) {
		i = (size_t)(shape - s);
		end = closing(s, n, i);
		cpf_buf_add(out, s, i);
		cpf_buf_str(out, "[...]");
		cpf_buf_add(out, s + end, n - end);
		return;
	}
	if (!strip_arguments(s, n, &text) || !text.n) {
		cpf_buf_add(out, s, n);
	} else {
		end = s[0] == '<' ? text.n : find_parameters(text.s, text.n);
		from = end < text.n ? skip_result(text.s, end) : 0;
		if (from >= end)
			from = 0;
		cpf_buf_add(out, text.s + from, end - from);
	}
	cpf_buf_release(&text);
}

/* Namespaces. */

struct part {
	size_t from, to;
	int generic; /* has arguments, or is a group in brackets */
};

static int is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* The next part of a path with "::" from *at on; 0 at the end. */
static int next_part(const char *s, size_t n, size_t *at, struct part *p)
{
	size_t i = *at;

	if (i >= n)
		return 0;
	p->from = i;
	p->generic = 0;
	while (i < n && !starts(s + i, n - i, "::")) {
		size_t op = operator_at(s, n, i);

		if (op) {
			i += op;
		} else if (s[i] == '<' || s[i] == '(' || s[i] == '[' || s[i] == '{') {
			p->generic |= s[i] == '<' || s[i] == '(';
			i = closing(s, n, i);
		} else {
			i++;
		}
	}
	p->to = i;
	*at = i < n ? i + 2 : n;
	return 1;
}

/*
 * Path parts up to the first that is no namespace. The last part is the function, unless whole is
 * set (the path is that of a type); then it is taken for the type.
 */
static int colon_scope(const char *s, size_t n, struct cpf_buf *out)
{
	size_t at = 0, start = out->n;
	struct part p;

	while (next_part(s, n, &at, &p)) {
		const char *t = s + p.from;
		size_t len = p.to - p.from;
		int anonymous = starts(t, len, "(anonymous namespace)") ||
				starts(t, len, "{anonymous}") || starts(t, len, "`anonymous");

		if (at >= n || !len)
			break;
		if (anonymous)
			continue;
		if (t[0] == '{' || (p.generic && t[0] != '<') || (out->n > start && is_capital(t[0])))
			break;
		if (t[0] == '<')
			break;
		if (out->n > start)
			cpf_buf_str(out, "::");
		cpf_buf_add(out, t, len);
	}
	return out->n > start;
}

/* A type without references, pointers and the like: "&mut [a::T]" is "a::T]". */
static size_t type_start(const char *s, size_t n)
{
	static const char *const words[] = {
		"mut ", "const ", "dyn ", "impl ", "struct ", "class ", "enum "};
	size_t i = 0, k, was;

	do {
		was = i;
		while (i < n && strchr("&*[( <", s[i]) && s[i])
			i++;
		for (k = 0; k < CPF_LEN(words); k++)
			if (starts(s + i, n - i, words[k]))
				i += strlen(words[k]);
	} while (i > was);
	return i;
}

/* "<T as U>::f", "<T>::f" */
static int angle_scope(const char *s, size_t n, struct cpf_buf *out)
{
	size_t end = closing(s, n, 0), as, from, to;

	to = end > 1 ? end - 1 : 1;
	as = find_as(s, 1, to);
	from = 1 + type_start(s + 1, as - 1);
	if (from < as && colon_scope(s + from, as - from, out))
		return 1;
	if (as == to)
		return 0;
	return colon_scope(s + as + 4, to - as - 4, out);
}

/*
 * Without what compilers put behind the name of a function: ".func1", ".gowrap2", ".0" of Go,
 * ".isra.0", ".cold" of C.
 */
static size_t without_suffixes(const char *s, size_t n)
{
	static const char *const made[] = {".func", ".gowrap", ".deferwrap", ".isra.", ".constprop.",
		".part.", ".llvm.", ".lto_priv.", "."};
	size_t i, k, end;

	for (;;) {
		if (n > 5 && !memcmp(s + n - 5, ".cold", 5)) {
			n -= 5;
			continue;
		}
		for (end = n; end && s[end - 1] >= '0' && s[end - 1] <= '9'; end--)
			;
		for (i = 0, k = 0; i < CPF_LEN(made) && end < n; i++) {
			k = strlen(made[i]);
			if (end > k && !memcmp(s + end - k, made[i], k))
				break;
		}
		if (end == n || i == CPF_LEN(made))
			return n;
		n = end - k;
	}
}

/* "java.util.HashMap.get", "http.(*conn).serve" behind its last slash: base is where that is. */
static int dot_scope(const char *s, size_t n, size_t base, struct cpf_buf *out)
{
	size_t i, from = base, last = 0, stop = n;

	for (i = base; i < n; i++)
		if (s[i] == '(' || s[i] == '<' || s[i] == '[' || s[i] == ' ') {
			stop = i;
			break;
		}
	if (base) {
		for (i = base; i < n && s[i] != '.'; i++)
			;
		/* Go writes the dots of a package's last element as %2e. */
		if (i >= n)
			return 0;
		cpf_buf_add(out, s, i);
		return 1;
	}
	stop = without_suffixes(s, stop);
	/* The packages of every Go program, whose types begin with small letters. */
	if (starts(s, stop, "runtime.") || starts(s, stop, "main.")) {
		cpf_buf_add(out, s, (size_t)((const char *)memchr(s, '.', stop) - s));
		return 1;
	}
	for (i = base; i < stop; i++) {
		if (s[i] != '.')
			continue;
		if (is_capital(s[from]) && last)
			break;
		last = i;
		if (is_capital(s[from]))
			break;
		from = i + 1;
	}
	if (!last)
		return 0;
	cpf_buf_add(out, s, last);
	return 1;
}

static int is_plain(const char *s, size_t n, size_t to)
{
	size_t i;

	for (i = 0; i < to && i < n; i++)
		if (!is_word(s[i]) && s[i] != '.' && s[i] != '/' && s[i] != '-' && s[i] != '%' &&
			s[i] != '~')
			return 0;
	return 1;
}

int cpf_name_scope(const char *s, size_t n, struct cpf_buf *out)
{
	size_t i, slash = 0, params, from, stop;
	int colons = 0, dots = 0;

	if (n && s[0] == '<' && closing(s, n, 0) < n)
		return angle_scope(s, n, out);
	if (n > 3 && (s[0] == '-' || s[0] == '+') && s[1] == '[') {
		for (i = 2; i < n && is_word(s[i]); i++)
			;
		cpf_buf_add(out, s + 2, i - 2);
		return i > 2;
	}
	for (stop = 0; stop < n && !strchr("(<[{ ", s[stop]); stop++) {
		colons |= starts(s + stop, n - stop, "::");
		dots |= s[stop] == '.';
		if (s[stop] == '/')
			slash = stop + 1;
	}
	if (!colons && dots && is_plain(s, n, stop))
		return dot_scope(s, n, slash, out);
	params = find_parameters(s, n);
	from = params < n ? skip_result(s, params) : 0;
	return colon_scope(s + from, params - from, out);
}
