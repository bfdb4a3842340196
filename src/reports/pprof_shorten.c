/* Names for the small boxes of -dot: without packages and namespaces. */
#include "reports/pprof.h"

#include "base/base.h"

static int is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static int is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static int is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Length of the run of word characters (and "$") at s. */
static uint32_t word(struct cpf_text t, uint32_t at, int dollar)
{
	uint32_t i = at;

	while (i < t.len && (is_word(t.s[i]) || (dollar && t.s[i] == '$')))
		i++;
	return i - at;
}

static uint32_t line_end(struct cpf_text t, uint32_t at)
{
	const char *end = at < t.len ? memchr(t.s + at, '\n', t.len - at) : NULL;

	return end ? (uint32_t)(end - t.s) : t.len;
}

static char at(struct cpf_text t, uint32_t i)
{
	return i < t.len ? t.s[i] : '\0';
}

static int starts(struct cpf_text t, uint32_t i, const char *with)
{
	size_t n = strlen(with);

	return t.len >= n && i <= t.len - n && !memcmp(t.s + i, with, n);
}

/* Takes the first "/vN", N from 2 on, out of an import path. */
static void without_version(struct cpf_buf *out, struct cpf_text t)
{
	uint32_t i, n;

	for (i = 0; line_end(t, 0) == t.len && i < t.len; i++) {
		if (!starts(t, i, "/v"))
			continue;
		for (n = 0; is_digit(at(t, i + 2 + n)); n++)
			;
		if (!n || t.s[i + 2] == '0' || (n == 1 && t.s[i + 2] == '1'))
			continue;
		if (at(t, i + 2 + n) != '.' && at(t, i + 2 + n) != '/')
			continue;
		cpf_buf_add(out, t.s, i);
		cpf_buf_add(out, t.s + i + 2 + n, t.len - i - 2 - n);
		return;
	}
	cpf_buf_add(out, t.s, t.len);
}

/* Go: "path/to/pkg.Func" behind the last path element that leaves "pkg.Func". */
static int shorten_go(struct cpf_text *out, struct cpf_text t)
{
	uint32_t i, from = 0, best = 0, end = 0, dot;

	for (i = 0; i < t.len; i++) {
		if (t.s[i] == '/' && i > from) {
			from = i + 1;
			for (dot = from; dot < t.len && t.s[dot] != '.';)
				dot++;
			if (dot > from && dot + 1 < t.len && t.s[dot + 1] != '\n') {
				best = from;
				end = line_end(t, dot);
			}
		} else if (!is_word(t.s[i]) && t.s[i] != '-' && t.s[i] != '.') {
			break;
		}
	}
	if (!best)
		return 0;
	out->s = t.s + best;
	out->len = end - best;
	return 1;
}

/* Java: "com.example.Class.method" with nothing or parameters behind it. */
static int shorten_java(struct cpf_text *out, struct cpf_text t)
{
	uint32_t i = 0, n, from;

	while (is_lower(at(t, i)) && at(t, i + (n = word(t, i, 0))) == '.')
		i += n + 1;
	from = i;
	if (!is_upper(at(t, i)))
		return 0;
	i += word(t, i, 1);
	if (at(t, i++) != '.')
		return 0;
	if (starts(t, i, "<init>"))
		i += 6;
	else if (is_lower(at(t, i)))
		i += word(t, i, 1);
	else
		return 0;
	if (i < t.len && t.s[i] != '(')
		return 0;
	out->s = t.s + from;
	out->len = i - from;
	return 1;
}

/* The end of "Class::method<...>" at i, or 0. */
static uint32_t cpp_method(struct cpf_text t, uint32_t i)
{
	uint32_t k, end;

	while (at(t, i) == '_')
		i++;
	if (!is_upper(at(t, i)))
		return 0;
	i += word(t, i, 0);
	if (!starts(t, i, "::"))
		return 0;
	i += 2;
	i += at(t, i) == '~';
	if (!is_word(at(t, i)) || is_digit(at(t, i)))
		return 0;
	i += word(t, i, 0);
	if (at(t, i) == '<')
		for (end = line_end(t, i), k = end; k > i + 1; k--)
			if (t.s[k - 1] == '>')
				return k;
	return i;
}

/* C++: namespaces in front of a class go, and what follows the method. */
static int shorten_cpp(struct cpf_text *out, struct cpf_text t)
{
	uint32_t i = 0, n, end;
	int found = 0;

	while (i < t.len && is_word(t.s[i]) && !is_digit(t.s[i])) {
		n = word(t, i, 0);
		if (!starts(t, i + n, "::"))
			break;
		i += n + 2;
		end = cpp_method(t, i);
		if (!end)
			continue;
		out->s = t.s + i;
		out->len = end - i;
		found = 1;
	}
	return found;
}

void cpf_pprof_shorten(struct cpf_buf *out, struct cpf_text name)
{
	static const char anonymous[] = "(anonymous namespace)::";
	struct cpf_buf b = {0};
	struct cpf_text t, shorter;

	if (starts(name, 0, anonymous)) {
		name.s += sizeof(anonymous) - 1;
		name.len -= (uint32_t)sizeof(anonymous) - 1;
	}
	without_version(&b, name);
	t.s = b.s ? b.s : "";
	t.len = (uint32_t)b.n;
	if (shorten_go(&shorter, t) || shorten_java(&shorter, t) || shorten_cpp(&shorter, t))
		t = shorter;
	cpf_buf_add(out, t.s, t.len);
	cpf_buf_release(&b);
}
