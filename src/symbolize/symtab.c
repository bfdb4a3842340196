#include "symbolize/symtab.h"

#include "base/arena.h"
#include "base/mem.h"

#include <stdlib.h>

enum what {
	FUNCTION,
	LABEL, /* only a name for a place */
	DATA   /* ends what has no size, and is never an answer */
};

enum bind { BIND_GLOBAL, BIND_WEAK, BIND_LOCAL };

struct sym {
	uint64_t start, size;
	const char *name; /* in the file or in the arena */
	uint8_t label;    /* no function, only a name for a place */
	uint8_t bind;     /* enum bind */
	uint8_t plain;    /* no version behind the name */
};

/* Symbols of one start and size are neighbours; first is the name that is taken. */
struct group {
	uint64_t end;
	size_t first, n;
	uint32_t aliases;
	uint8_t counted;
	uint8_t has; /* answer of cpf_symtab_has for the name whose hash is asked */
	uint64_t asked;
};

/* From start on group holds, up to the next segment. */
struct segment {
	uint64_t start;
	size_t group; /* NO_GROUP: a gap */
};

#define NO_GROUP SIZE_MAX

struct cpf_symtab {
	struct cpf_arena arena;
	struct sym *syms;
	size_t n, cap;
	size_t sorted; /* the first so many are in order */
	struct group *groups;
	size_t ngroups, groups_cap;
	struct segment *segments;
	size_t nsegments, segments_cap;
};

struct cpf_symtab *cpf_symtab_new(void)
{
	return cpf_calloc(1, sizeof(struct cpf_symtab));
}

void cpf_symtab_free(struct cpf_symtab *s)
{
	if (!s)
		return;
	cpf_arena_release(&s->arena);
	cpf_free(s->syms);
	cpf_free(s->groups);
	cpf_free(s->segments);
	cpf_free(s);
}

size_t cpf_symtab_count(const struct cpf_symtab *s)
{
	return s->n;
}

/* Adding. */

/*
 * Labels that mark something else than a place people know: data and code in ARM and RISC-V
 * ($d, $x), local labels of assemblers, notes of annobin (.annobin_...).
 */
static int is_marker(const char *name)
{
	return name[0] == '$' || name[0] == '.';
}

void cpf_symtab_add(
        struct cpf_symtab *s, const char *name, uint64_t start, uint64_t size, unsigned flags)
{
	struct sym *to;

	if (!*name || (*name == '@' && !(flags & CPF_SYM_PLAIN)) ||
	        ((flags & CPF_SYM_LABEL) && is_marker(name)))
		return;
	CPF_GROW(s->syms, s->cap, s->n + 1);
	to = &s->syms[s->n++];
	to->start = start;
	to->size = size;
	to->label = flags & CPF_SYM_DATA ? DATA : flags & CPF_SYM_LABEL ? LABEL : FUNCTION;
	to->bind = flags & CPF_SYM_LOCAL  ? BIND_LOCAL
	           : flags & CPF_SYM_WEAK ? BIND_WEAK
	                                  : BIND_GLOBAL;
	to->plain = (flags & CPF_SYM_PLAIN) != 0;
	to->name = flags & CPF_SYM_COPY ? cpf_arena_text(&s->arena, name, strlen(name)) : name;
}

/* The order of names. */

/* A name ends before the version that GNU ld writes behind it (memcpy@@GLIBC_2.14). */
static size_t name_length(const struct sym *s)
{
	return s->plain ? strlen(s->name) : strcspn(s->name, "@");
}

static int by_place(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;
	size_t n, m, under_x, under_y;
	int c;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* What holds more comes first, so that what nests in it is met later. */
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	if (x->label != y->label)
		return x->label - y->label;
	/* Weak names count as much as global ones: in C libraries the well-known names are weak. */
	if ((x->bind == BIND_LOCAL) != (y->bind == BIND_LOCAL))
		return x->bind == BIND_LOCAL ? 1 : -1;
	under_x = strspn(x->name, "_");
	under_y = strspn(y->name, "_");
	if (under_x != under_y)
		return under_x < under_y ? -1 : 1;
	if (x->bind != y->bind)
		return x->bind - y->bind;
	n = name_length(x);
	m = name_length(y);
	c = memcmp(x->name, y->name, n < m ? n : m);
	return c ? c : (n > m) - (n < m);
}

/* Segments. */

static const struct cpf_code_range *code_around(
        const struct cpf_code_range *code, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (code[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < code[lo - 1].end ? &code[lo - 1] : NULL;
}

static void make_groups(struct cpf_symtab *s, const struct cpf_code_range *codes, size_t ncodes)
{
	const struct cpf_code_range *code;
	struct group *g;
	size_t i, n;

	for (i = 0; i < s->n; i += n) {
		for (n = 1; i + n < s->n && s->syms[i + n].start == s->syms[i].start &&
		            s->syms[i + n].size == s->syms[i].size;
		        n++)
			;
		code = code_around(codes, ncodes, s->syms[i].start);
		if (!code)
			continue;
		CPF_GROW(s->groups, s->groups_cap, s->ngroups + 1);
		g = &s->groups[s->ngroups++];
		memset(g, 0, sizeof(*g));
		g->first = i;
		g->n = n;
		g->end = code->end;
		if (s->syms[i].size && s->syms[i].size < code->end - s->syms[i].start)
			g->end = s->syms[i].start + s->syms[i].size;
	}
}

static void emit(struct cpf_symtab *s, uint64_t start, size_t group)
{
	struct segment *last = s->nsegments ? &s->segments[s->nsegments - 1] : NULL;

	if (last && last->start == start) {
		last->group = group;
		return;
	}
	CPF_GROW(s->segments, s->segments_cap, s->nsegments + 1);
	s->segments[s->nsegments].start = start;
	s->segments[s->nsegments++].group = group;
}

/* Ends the groups on the stack that end at or before addr. */
static size_t unwind(struct cpf_symtab *s, size_t *stack, size_t depth, uint64_t addr)
{
	uint64_t end;

	while (depth && (end = s->groups[stack[depth - 1]].end) <= addr) {
		while (depth && s->groups[stack[depth - 1]].end <= end)
			depth--;
		emit(s, end, depth ? stack[depth - 1] : NO_GROUP);
	}
	return depth;
}

/* Groups come by rising start; the stack holds those that are open, the innermost on top. */
static void make_segments(struct cpf_symtab *s)
{
	size_t *stack = cpf_realloc_array(NULL, s->ngroups, sizeof(*stack));
	size_t depth = 0, i;
	const struct sym *sym;

	for (i = 0; i < s->ngroups; i++) {
		sym = &s->syms[s->groups[i].first];
		depth = unwind(s, stack, depth, sym->start);
		if (sym->label == DATA) {
			if (depth && !s->syms[s->groups[stack[depth - 1]].first].size) {
				s->groups[stack[--depth]].end = sym->start;
				emit(s, sym->start, NO_GROUP);
			}
			continue;
		}
		if (depth && !s->syms[s->groups[stack[depth - 1]].first].size) {
			depth--;
			s->groups[stack[depth]].end = sym->start;
		} else if (depth && !sym->size) {
			continue;
		}
		stack[depth++] = i;
		emit(s, sym->start, i);
	}
	unwind(s, stack, depth, UINT64_MAX);
	cpf_free(stack);
}

void cpf_symtab_sort(struct cpf_symtab *s)
{
	if (s->n > s->sorted)
		qsort(s->syms, s->n, sizeof(*s->syms), by_place);
	s->sorted = s->n;
}

const char *cpf_symtab_exact(const struct cpf_symtab *s, uint64_t start)
{
	size_t lo = 0, hi = s->sorted, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->syms[mid].start < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->sorted && s->syms[lo].start == start ? s->syms[lo].name : NULL;
}

void cpf_symtab_finish(struct cpf_symtab *s, const struct cpf_code_range *code, size_t n)
{
	cpf_symtab_sort(s);
	make_groups(s, code, n);
	make_segments(s);
}

/* Aliases. */

static uint64_t hash(uint64_t h, const char *s, size_t n)
{
	for (; n; n--)
		h = (h ^ (unsigned char)*s++) * UINT64_C(0x100000001b3);
	return h;
}

static int is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

/* Length without the hash that ends a legacy Rust name: 17h, 16 hex digits, E. */
static size_t without_hash(const char *name, size_t n)
{
	size_t i;

	if (n < 20 || name[n - 1] != 'E' || memcmp(name + n - 20, "17h", 3))
		return n;
	for (i = n - 17; i < n - 1; i++)
		if (!strchr("0123456789abcdef", name[i]))
			return n;
	return n - 20;
}

/*
 * What a name comes down to in the source. Constructors and destructors end in C1, C2, D0, D1, D2
 * by the kind of object they are for (Itanium C++ ABI, 5.1.4.3) and mostly are one piece of code.
 */
static uint64_t gist(const struct sym *s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	const char *name = s->name;
	size_t n = strcspn(name, "@."), i, from = 0;

	if (!is_mangled(name)) {
		name += strspn(name, "_");
		if (!strncmp(name, "GI_", 3))
			name += 3;
		name += strspn(name, "_");
		if (!strncmp(name, "libc_", 5))
			name += 5;
		return hash(h, name, strcspn(name, "@."));
	}
	n = without_hash(name, n);
	for (i = 0; i + 2 < n; i++) {
		if ((name[i] != 'C' && name[i] != 'D') || name[i + 1] < '0' || name[i + 1] > '5' ||
		        (name[i + 2] != 'E' && name[i + 2] != 'I'))
			continue;
		h = hash(h, name + from, i + 1 - from);
		from = i + 2;
	}
	return hash(h, name + from, n - from);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Weak names in C are made by hand, for a function that has another name as well. */
static int counts(const struct sym *s)
{
	return s->label == FUNCTION && (s->bind != BIND_WEAK || is_mangled(s->name));
}

static void count_aliases(struct cpf_symtab *s, struct group *g)
{
	const struct sym *sym = &s->syms[g->first];
	uint64_t *gists, last;
	size_t i, n = 0;

	g->counted = 1;
	if (g->n < 2 || !sym->size || sym->label != FUNCTION)
		return;
	gists = cpf_realloc_array(NULL, g->n, sizeof(*gists));
	gists[n++] = gist(sym);
	for (i = 1; i < g->n; i++)
		if (counts(sym + i))
			gists[n++] = gist(sym + i);
	qsort(gists, n, sizeof(*gists), by_value);
	last = gists[0];
	for (i = 1; i < n; i++) {
		g->aliases += gists[i] != last;
		last = gists[i];
	}
	cpf_free(gists);
}

/* Questions. */

static struct group *holder(struct cpf_symtab *s, uint64_t addr)
{
	size_t lo = 0, hi = s->nsegments, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (s->segments[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || s->segments[lo - 1].group == NO_GROUP)
		return NULL;
	return &s->groups[s->segments[lo - 1].group];
}

int cpf_symtab_find(struct cpf_symtab *s, uint64_t addr, struct cpf_symtab_answer *out)
{
	struct group *g = holder(s, addr);
	struct sym *sym;
	size_t n;

	if (!g)
		return 0;
	sym = &s->syms[g->first];
	n = name_length(sym);
	if (sym->name[n])
		sym->name = cpf_arena_text(&s->arena, sym->name, n);
	if (!g->counted)
		count_aliases(s, g);
	out->name = sym->name;
	out->start = sym->start;
	out->end = g->end;
	out->aliases = g->aliases;
	return 1;
}

int cpf_symtab_has(struct cpf_symtab *s, uint64_t addr, const char *name)
{
	struct group *g = holder(s, addr);
	size_t n = strlen(name), i;
	uint64_t h;

	if (!g)
		return 0;
	/* Identical code folding can put thousands of names into a group, and neighbours ask alike.
	 */
	h = hash(UINT64_C(0xcbf29ce484222325), name, n) | 1;
	if (g->asked == h)
		return g->has;
	g->asked = h;
	g->has = 0;
	for (i = 0; i < g->n && !g->has; i++)
		g->has = name_length(&s->syms[g->first + i]) == n &&
		         !memcmp(s->syms[g->first + i].name, name, n);
	return g->has;
}
