#include "formats/memory_map.h"

#include "base/base.h"
#include "base/buf.h"
#include "base/mem.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Possessive everywhere, so that no line takes longer than its length. */
#define HEX   "[[:xdigit:]]++"
#define RANGE "^\\s*+(?:0x)?+(?<start>" HEX ")[-\\s]?+\\s*+(?:0x)?+(?<limit>" HEX "):?+"
#define PERMS "(?:\\s++(?<perms>[-rwxp]++)(?=\\s|$))?+"

/* START-END PERMS OFFSET MAJOR:MINOR INODE PATH, as the kernel prints it. */
static const char kernel_style[] = RANGE PERMS "(?:\\s++(?<offset>" HEX ")(?=\\s))?+\\s++" HEX
					       ":" HEX "\\s++[0-9]++(?:\\s++(?<file>\\S++))?+";
/* START-END PERMS PATH (@OFFSET) BUILDID; all but the range may be missing. */
static const char brief_style[] =
	RANGE PERMS "(?:\\s++(?<file>(?!\\(@)\\S++))?+(?:\\s++\\(@(?<offset>" HEX ")\\))?+"
		    "(?:\\s++(?<id>" HEX "))?+";

struct parser {
	pcre2_code *kernel, *brief;
	pcre2_match_data *match;
	struct cpf_text *names, *values; /* NAME=VALUE lines so far; point into the text */
	size_t nnames, names_cap, values_cap;
	struct cpf_buf line;
};

static pcre2_code *compile(const char *pattern)
{
	PCRE2_SIZE at;
	int code;

	return pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, 0, &code, &at, NULL);
}

/* The text of a group; empty if it took no part. */
static struct cpf_text group(
	const struct parser *ps, const pcre2_code *re, const char *s, const char *name)
{
	int i = pcre2_substring_number_from_name(re, (PCRE2_SPTR)name);
	const PCRE2_SIZE *v = pcre2_get_ovector_pointer(ps->match);
	struct cpf_text t = {"", 0};

	if (i > 0 && v[2 * i] != PCRE2_UNSET) {
		t.s = s + v[2 * i];
		t.len = (uint32_t)(v[2 * i + 1] - v[2 * i]);
	}
	return t;
}

static int matches(const struct parser *ps, const pcre2_code *re, const char *s, size_t n)
{
	return re && pcre2_match(re, (PCRE2_SPTR)s, n, 0, 0, ps->match, NULL) > 0;
}

static int hex_value(struct cpf_text t, uint64_t *v)
{
	uint32_t i;

	for (*v = 0, i = 0; i < t.len; i++) {
		if (*v >> 60)
			return -1;
		*v = *v << 4 | (unsigned)(t.s[i] <= '9' ? t.s[i] - '0' : (t.s[i] | 32) - 'a' + 10);
	}
	return 0;
}

/* 1 a mapping, 0 one to leave out, -1 no mapping. */
static int parse_line(const struct parser *ps, struct cpf_profile *p, const char *s, size_t n,
	struct cpf_mapping *m)
{
	const pcre2_code *re = ps->kernel;
	struct cpf_text perms, file, id;

	if (!matches(ps, re, s, n)) {
		re = ps->brief;
		if (!matches(ps, re, s, n))
			return -1;
	}
	perms = group(ps, re, s, "perms");
	if (perms.len && !memchr(perms.s, 'x', perms.len))
		return 0;
	memset(m, 0, sizeof(*m));
	file = group(ps, re, s, "file");
	if (hex_value(group(ps, re, s, "start"), &m->start) ||
		hex_value(group(ps, re, s, "limit"), &m->limit) ||
		hex_value(group(ps, re, s, "offset"), &m->offset))
		return -1;
	m->file = cpf_intern(p, file.s, file.len);
	if (re == ps->brief) {
		id = group(ps, re, s, "id");
		m->build_id = cpf_intern(p, id.s, id.len);
	}
	return 1;
}

/* Length of what glog puts in front of a line: "I0101 12:00:00.0 1234 file.cc:42] ". */
static size_t log_prefix(const char *s, size_t n)
{
	size_t close, i;

	for (close = 0; close < n && s[close] != '[' && s[close] != ']'; close++)
		;
	if (close + 1 >= n || s[close] != ']' || (s[close + 1] != ' ' && s[close + 1] != '\t'))
		return 0;
	for (i = close; i && s[i - 1] >= '0' && s[i - 1] <= '9'; i--)
		;
	return i < close && i > 1 && s[i - 1] == ':' ? close + 2 : 0;
}

static struct cpf_text trimmed(const char *s, size_t n)
{
	struct cpf_text t;

	while (n && (*s == ' ' || (*s >= '\t' && *s <= '\r'))) {
		s++;
		n--;
	}
	while (n && (s[n - 1] == ' ' || (s[n - 1] >= '\t' && s[n - 1] <= '\r')))
		n--;
	t.s = s;
	t.len = (uint32_t)(n < UINT32_MAX ? n : UINT32_MAX);
	return t;
}

/* Replaces $NAME by what NAME=VALUE said, the first definition that fits. */
static struct cpf_text expand(struct parser *ps, struct cpf_text t)
{
	uint32_t at = 0;
	size_t i;

	if (!ps->nnames || !memchr(t.s, '$', t.len))
		return t;
	cpf_buf_clear(&ps->line);
	while (at < t.len) {
		for (i = 0; t.s[at] == '$' && i < ps->nnames; i++)
			if (ps->names[i].len <= t.len - at - 1 &&
				!memcmp(t.s + at + 1, ps->names[i].s, ps->names[i].len))
				break;
		if (t.s[at] != '$' || i == ps->nnames) {
			cpf_buf_char(&ps->line, t.s[at++]);
			continue;
		}
		cpf_buf_add(&ps->line, ps->values[i].s, ps->values[i].len);
		at += 1 + ps->names[i].len;
	}
	return trimmed(ps->line.s, ps->line.n);
}

#define MOST_NAMES 64

static void define(struct parser *ps, struct cpf_text t)
{
	const char *eq = t.len ? memchr(t.s, '=', t.len) : NULL;

	if (!eq || ps->nnames == MOST_NAMES)
		return;
	CPF_GROW(ps->names, ps->names_cap, ps->nnames + 1);
	CPF_GROW(ps->values, ps->values_cap, ps->nnames + 1);
	ps->names[ps->nnames] = trimmed(t.s, (size_t)(eq - t.s));
	ps->values[ps->nnames++] = trimmed(eq + 1, (size_t)(t.s + t.len - eq - 1));
}

/* 1 if b continues a: the same file as far as known, no gap, offsets that go on. */
static int adjacent(const struct cpf_mapping *a, const struct cpf_mapping *b)
{
	if ((a->file && b->file && a->file != b->file) ||
		(a->build_id && b->build_id && a->build_id != b->build_id) || a->limit != b->start)
		return 0;
	return !a->offset || !b->offset || a->offset + (a->limit - a->start) == b->offset;
}

static void add(struct cpf_profile *p, const struct cpf_mapping *m)
{
	struct cpf_mapping *last = p->nmappings ? &p->mappings[p->nmappings - 1] : NULL;

	if (!last || !adjacent(last, m)) {
		cpf_add_mapping(p, m);
		return;
	}
	last->limit = m->limit;
	if (m->file)
		last->file = m->file;
	if (m->build_id)
		last->build_id = m->build_id;
}

/* libfoo.so, libfoo.so.1, libfoo.so_1 and what follows. */
static int is_shared_object(struct cpf_text t)
{
	uint32_t i;

	for (i = 0; i + 3 <= t.len; i++)
		if (!memcmp(t.s + i, ".so", 3) &&
			(i + 3 == t.len ||
				(i + 4 < t.len && (t.s[i + 3] == '.' || t.s[i + 3] == '_') &&
					t.s[i + 4] >= '0' && t.s[i + 4] <= '9')))
			return 1;
	return 0;
}

static void program_first(struct cpf_profile *p)
{
	struct cpf_mapping first;
	struct cpf_text t;
	uint32_t i;

	for (i = 0; i < p->nmappings; i++) {
		t = cpf_text(p, p->mappings[i].file);
		if (!t.len || t.s[0] == '[' || is_shared_object(t))
			continue;
		first = p->mappings[i];
		p->mappings[i] = p->mappings[0];
		p->mappings[0] = first;
		return;
	}
}

#define PROGRAM_START 0x400000 /* where linkers put programs that are not relocatable */

/* Some programs' first pages are huge pages without a file, or recorded without the first segment.
 */
static void mend_program(struct cpf_profile *p)
{
	struct cpf_text t;

	if (!p->nmappings)
		return;
	t = cpf_text(p, p->mappings[0].file);
	if (t.len >= 14 && !memcmp(t.s, "/anon_hugepage", 14) && p->nmappings > 1 &&
		p->mappings[0].limit == p->mappings[1].start) {
		p->nmappings--;
		memmove(p->mappings, p->mappings + 1, p->nmappings * sizeof(*p->mappings));
	}
	if (p->mappings[0].start - p->mappings[0].offset == PROGRAM_START) {
		p->mappings[0].start = PROGRAM_START;
		p->mappings[0].offset = 0;
	}
}

/* The mapping that holds a, by the first rule that fits; CPF_NONE if none does. */
static cpf_id mapping_at(struct cpf_profile *p, uint64_t a)
{
	struct cpf_mapping *m = p->mappings;
	uint32_t i;

	for (i = 0; i < p->nmappings; i++)
		if (m[i].start <= a && a < m[i].limit)
			return i;
	/* Only a later part of the file may be in the map: take it back to the file's start. */
	for (i = 0; i < p->nmappings; i++)
		if (m[i].offset && m[i].start - m[i].offset <= a && a < m[i].start) {
			m[i].start -= m[i].offset;
			m[i].offset = 0;
			return i;
		}
	return CPF_NONE;
}

void cpf_memory_map_apply(struct cpf_profile *p)
{
	struct cpf_mapping rest = {.limit = UINT64_MAX};
	cpf_id m;
	uint64_t a;
	uint32_t i;

	mend_program(p);
	for (i = 0; i < p->locations.n; i++) {
		a = (uint64_t)cpf_col_get(&p->locations.address, i);
		if (!a)
			continue;
		m = mapping_at(p, a);
		if (m == CPF_NONE)
			m = cpf_add_mapping(p, &rest);
		cpf_col_set(&p->locations.mapping, i, m);
	}
}

void cpf_memory_map(struct cpf_profile *p, const char *text, size_t n)
{
	struct parser ps = {.kernel = compile(kernel_style), .brief = compile(brief_style)};
	const char *s = text, *end = text + n, *stop;
	struct cpf_mapping m;
	struct cpf_text line, full;
	size_t skip;
	int kind;

	ps.match = pcre2_match_data_create(16, NULL);
	for (; s < end; s = stop + 1) {
		stop = memchr(s, '\n', (size_t)(end - s));
		stop = stop ? stop : end;
		skip = log_prefix(s, (size_t)(stop - s));
		line = trimmed(s + skip, (size_t)(stop - s) - skip);
		if (!line.len)
			continue;
		full = expand(&ps, line);
		kind = parse_line(&ps, p, full.s, full.len, &m);
		if (kind < 0)
			define(&ps, line);
		if (kind > 0)
			add(p, &m);
	}
	program_first(p);
	cpf_memory_map_apply(p);
	pcre2_match_data_free(ps.match);
	pcre2_code_free(ps.kernel);
	pcre2_code_free(ps.brief);
	cpf_free(ps.names);
	cpf_free(ps.values);
	cpf_buf_release(&ps.line);
}
