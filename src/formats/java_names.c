#include "formats/java_names.h"

#include "base/base.h"
#include "base/mem.h"
#include "base/rowset.h"
#include "formats/memory_map.h"

/* One name: texts point into the line. */
struct name {
	struct cpf_text function, file;
	int64_t line;
};

static int is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct cpf_text slice(const char *s, size_t n)
{
	struct cpf_text t = {s, (uint32_t)n};

	return t;
}

/* ":NUMBER" at the end of [s, s + n): where the colon is, or n if there is none. */
static size_t find_line(const char *s, size_t n, int64_t *line)
{
	size_t colon, i;
	int64_t v = 0;

	for (i = n; i && is_digit(s[i - 1]); i--)
		;
	if (i == n || !i)
		return n;
	colon = s[i - 1] == '-' ? i - 1 : i;
	if (!colon || s[colon - 1] != ':')
		return n;
	*line = 0;
	if (colon < i)
		return colon - 1;
	for (; i < n; i++)
		if (cpf_mul64(&v, v, 10) || cpf_add64(&v, v, s[i] - '0'))
			return colon - 1;
	*line = v;
	return colon - 1;
}

/* Last element of a path as pprof takes it: slashes at the end do not count. */
static struct cpf_text base_name(const char *s, size_t n)
{
	size_t i;

	if (!n)
		return slice(".", 1);
	while (n > 1 && s[n - 1] == '/')
		n--;
	for (i = n; i && (s[i - 1] != '/' || n == 1); i--)
		;
	return slice(s + i, n - i);
}

/* "function (place)": the last parenthesis that a blank precedes opens the place. */
static int split_place(const char *s, size_t n, struct name *out)
{
	size_t i, end, colon;

	if (!n || s[n - 1] != ')')
		return 0;
	end = n - 1;
	colon = find_line(s, end, &out->line);
	for (i = end; colon < end && i-- > 1;)
		if (s[i] == '(' && is_space(s[i - 1]) && i + 1 < colon) {
			out->function = slice(s, i - 1);
			out->file = slice(s + i + 1, colon - i - 1);
			return 1;
		}
	out->line = 0;
	for (i = end; i-- > 1;)
		if (s[i] == '(' && is_space(s[i - 1])) {
			out->function = slice(s, i - 1);
			out->file = base_name(s + i + 1, end - i - 1);
			return 1;
		}
	return 0;
}

static void parse_name(const char *s, size_t n, struct name *out)
{
	static const char jit[] = "generated stub/JIT";
	size_t i;

	memset(out, 0, sizeof(*out));
	if (split_place(s, n, out))
		return;
	out->file = slice("", 0);
	out->function = slice(s, n);
	for (i = 0; i + sizeof(jit) - 1 <= n; i++)
		if (!memcmp(s + i, jit, sizeof(jit) - 1))
			out->function = slice("STUB", 4);
}

/* "0xADDR rest"; 0 if the line is something else. */
static int split_address(const char **s, const char *end, uint64_t *address)
{
	const char *at = *s;
	int d;

	if (end - at < 3 || at[0] != '0' || at[1] != 'x')
		return 0;
	for (at += 2, *address = 0; at < end; at++) {
		d = is_digit(*at)                            ? *at - '0'
		    : (*at | 32) >= 'a' && (*at | 32) <= 'f' ? (*at | 32) - 'a' + 10
							     : -1;
		if (d < 0)
			break;
		if (*address >> 60)
			return 0;
		*address = *address << 4 | (unsigned)d;
	}
	if (at == *s + 2 || at == end || !is_space(*at))
		return 0;
	while (at < end && is_space(*at))
		at++;
	*s = at;
	return 1;
}

struct namer {
	struct cpf_profile *p;
	struct cpf_rowset addresses; /* locations */
	struct cpf_rowset names;     /* functions */
	uint32_t *function;          /* by location; CPF_NONE = no name */
	int64_t *line;
};

static uint32_t find_address(const struct namer *nm, uint64_t address)
{
	struct cpf_rowset_it it;
	uint32_t id;

	for (id = cpf_rowset_first(&nm->addresses, cpf_hash_mix(cpf_hash_seed(), address), &it);
		id != CPF_ROWSET_END; id = cpf_rowset_next(&nm->addresses, &it))
		if ((uint64_t)cpf_col_get(&nm->p->locations.address, id) == address)
			break;
	return id;
}

/* Functions are told apart by name alone, and have the file that came with it first. */
static uint32_t find_function(struct namer *nm, const struct name *name)
{
	struct cpf_function f = {0};
	struct cpf_rowset_it it;
	uint64_t h;
	uint32_t id;

	f.name = f.system_name = cpf_intern(nm->p, name->function.s, name->function.len);
	h = cpf_hash_mix(cpf_hash_seed(), f.name);
	for (id = cpf_rowset_first(&nm->names, h, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&nm->names, &it))
		if (nm->p->functions[id].name == f.name)
			return id;
	f.file = cpf_intern(nm->p, name->file.s, name->file.len);
	f.resource_lib = CPF_NONE;
	id = cpf_add_function(nm->p, &f);
	cpf_rowset_add(&nm->names, h, id);
	return id;
}

static void read_line(struct namer *nm, const char *s, const char *end)
{
	struct name name;
	uint64_t address;
	uint32_t id;

	while (s < end && is_space(*s))
		s++;
	while (s < end && is_space(end[-1]))
		end--;
	if (!split_address(&s, end, &address))
		return;
	id = find_address(nm, address);
	if (id == CPF_ROWSET_END)
		return;
	parse_name(s, (size_t)(end - s), &name);
	nm->function[id] = find_function(nm, &name);
	nm->line[id] = name.line > 0 ? name.line : 0;
}

/* Addresses of unnamed locations lie in a mapping of their own, as in a native profile. */
static void place_unnamed(struct namer *nm)
{
	struct cpf_locations *t = &nm->p->locations;
	uint32_t i;

	for (i = 0; i < t->n; i++)
		if (nm->function[i] != CPF_NONE)
			cpf_col_set(&t->address, i, 0);
	cpf_memory_map_apply(nm->p);
}

static void set_lines(struct namer *nm)
{
	struct cpf_locations *t = &nm->p->locations;
	uint32_t i;

	cpf_col_release(&t->first);
	cpf_col_release(&t->address);
	cpf_col_release(&t->flags);
	cpf_col_push(&t->first, 0);
	cpf_col_fill(&t->address, 0, t->n);
	cpf_col_fill(&t->flags, 0, t->n);
	for (i = 0; i < t->n; i++) {
		if (nm->function[i] != CPF_NONE) {
			cpf_col_push_id(&t->line_fn, nm->function[i]);
			cpf_col_push(&t->line_no, nm->line[i]);
			cpf_col_push(&t->line_col, 0);
		}
		cpf_col_push(&t->first, (int64_t)t->line_fn.n);
	}
}

void cpf_java_names(struct cpf_profile *p, const char *text, size_t n)
{
	const char *s = text, *end = text + n, *stop;
	struct namer nm = {.p = p};
	uint32_t i;

	nm.function = cpf_realloc_array(NULL, p->locations.n, sizeof(*nm.function));
	nm.line = cpf_calloc(p->locations.n, sizeof(*nm.line));
	for (i = 0; i < p->locations.n; i++) {
		nm.function[i] = CPF_NONE;
		cpf_rowset_add(&nm.addresses,
			cpf_hash_mix(
				cpf_hash_seed(), (uint64_t)cpf_col_get(&p->locations.address, i)),
			i);
	}
	for (; s < end; s = stop + 1) {
		stop = memchr(s, '\n', (size_t)(end - s));
		stop = stop ? stop : end;
		read_line(&nm, s, stop);
	}
	place_unnamed(&nm);
	set_lines(&nm);
	cpf_rowset_release(&nm.addresses);
	cpf_rowset_release(&nm.names);
	cpf_free(nm.function);
	cpf_free(nm.line);
}
