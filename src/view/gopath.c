#include "base/base.h"

#include "base/buf.h"
#include "view/keys.h"

struct cpf_text cpf_go_base(struct cpf_text path)
{
	static const char dot[] = ".";
	struct cpf_text r = path;

	if (!r.len)
		return (struct cpf_text){dot, 1};
	while (r.len > 1 && r.s[r.len - 1] == '/')
		r.len--;
	while (r.len > 1 && memchr(r.s, '/', r.len - 1)) {
		const char *slash = memchr(r.s, '/', r.len - 1);
		uint32_t skip = (uint32_t)(slash - r.s) + 1;

		r.s += skip;
		r.len -= skip;
	}
	return r;
}

/* The result is written over one buffer: ".." takes back the last element. */
void cpf_go_clean(struct cpf_buf *out, struct cpf_text path)
{
	size_t start = out->n, floor;
	int rooted = path.len && path.s[0] == '/';
	uint32_t i = 0, n;

	if (rooted)
		cpf_buf_char(out, '/');
	floor = out->n;
	for (; i < path.len; i += n) {
		const char *s = path.s + i;

		n = 0;
		while (i + n < path.len && s[n] != '/')
			n++;
		if (!n) {
			n = 1;
			continue;
		}
		if (n == 1 && s[0] == '.')
			continue;
		if (n == 2 && s[0] == '.' && s[1] == '.') {
			if (out->n > floor) {
				while (out->n > floor && out->s[out->n - 1] != '/')
					out->n--;
				if (out->n > floor)
					out->n--;
				continue;
			}
			if (rooted)
				continue;
			if (out->n > start)
				cpf_buf_char(out, '/');
			cpf_buf_add(out, "..", 2);
			floor = out->n;
			continue;
		}
		if (out->n > start + (size_t)rooted)
			cpf_buf_char(out, '/');
		cpf_buf_add(out, s, n);
	}
	if (out->n == start)
		cpf_buf_char(out, '.');
}

static const char *list_entry(const char *list, size_t *n, const char **rest)
{
	const char *end = strchr(list, ':');

	*n = end ? (size_t)(end - list) : strlen(list);
	*rest = end ? end + 1 : NULL;
	return list;
}

/* Position behind the first "/NAME/" in path, or 0. */
static uint32_t behind_element(struct cpf_text path, struct cpf_text name)
{
	uint32_t i;

	for (i = 0; i + name.len + 2 <= path.len; i++)
		if (path.s[i] == '/' && path.s[i + name.len + 1] == '/' &&
			!memcmp(path.s + i + 1, name.s, name.len))
			return i + name.len + 2;
	return 0;
}

static struct cpf_text cut(struct cpf_text path, uint32_t n)
{
	path.s += n;
	path.len -= n;
	return path;
}

struct cpf_text cpf_trim_path(struct cpf_text path, const char *trim, const char *search)
{
	static const char *const built_in[] = {"/proc/self/cwd/./", "/proc/self/cwd/"};
	const char *dir, *rest;
	size_t n, i;

	if (!(trim && *trim))
		for (rest = search && *search ? search : NULL; rest;) {
			uint32_t at;

			dir = list_entry(rest, &n, &rest);
			at = behind_element(path, cpf_go_base((struct cpf_text){dir, (uint32_t)n}));
			if (at)
				return cut(path, at);
		}
	for (rest = trim && *trim ? trim : NULL; rest;) {
		dir = list_entry(rest, &n, &rest);
		if (n && dir[n - 1] == '/')
			n--;
		if (path.len > n && path.s[n] == '/' && !memcmp(path.s, dir, n))
			return cut(path, (uint32_t)n + 1);
	}
	for (i = 0; i < CPF_LEN(built_in); i++) {
		n = strlen(built_in[i]);
		if (path.len >= n && !memcmp(path.s, built_in[i], n))
			return cut(path, (uint32_t)n);
	}
	return path;
}
