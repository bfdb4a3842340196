#include "formats/folded_names.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "core/frame.h"

#define UNNAMED UINT32_MAX

struct namer {
	struct cpf_folded_names *t;
	const struct cpf_profile *p;
	uint32_t *function; /* name of each, 0 = not yet, UNNAMED */
	int marks;
	struct cpf_buf text, plain;
};

static uint32_t intern_name(struct namer *w, const char *s, size_t n, const char *mark)
{
	cpf_buf_clear(&w->text);
	cpf_folded_escape(&w->text, s, n, w->t->guard);
	cpf_buf_str(&w->text, mark);
	return cpf_strings_intern(w->t->names, w->text.s, w->text.n);
}

static const char *mark_of(const struct namer *w, cpf_id location, int inlined)
{
	struct cpf_text lib;

	if (!w->marks)
		return "";
	if (inlined)
		return "_[i]";
	lib = cpf_mapping_name(w->p, cpf_col_id(&w->p->locations.mapping, location));
	if ((lib.len >= 7 && !memcmp(lib.s, "[kernel", 7)) ||
		(lib.len >= 7 && !memcmp(lib.s, "vmlinux", 7)))
		return "_[k]";
	if ((lib.len == 5 && !memcmp(lib.s, CPF_FOLDED_JIT_LIB, 5)) ||
		(lib.len > 9 && !memcmp(lib.s, "perf-", 5) &&
			!memcmp(lib.s + lib.len - 4, ".map", 4)))
		return "_[j]";
	return "";
}

static uint32_t name_frame(struct namer *w, cpf_id location, cpf_id function, int inlined)
{
	if (function != CPF_NONE && !w->marks) {
		if (!w->function[function]) {
			struct cpf_text t = cpf_text(w->p, w->p->functions[function].name);

			w->function[function] = t.len && !cpf_is_hex_name(t.s, t.len) ?
							intern_name(w, t.s, t.len, "") :
							UNNAMED;
		}
		if (w->function[function] != UNNAMED)
			return w->function[function];
	}
	cpf_buf_clear(&w->plain);
	cpf_frame_name(&w->plain, w->p, location, function);
	return intern_name(w, w->plain.s, w->plain.n, mark_of(w, location, inlined));
}

static void name_location(struct namer *w, cpf_id location)
{
	const struct cpf_locations *l = &w->p->locations;
	uint32_t at = w->t->start[location], end = w->t->start[location + 1], i;
	size_t first = (size_t)cpf_col_get(&l->first, location);
	size_t lines = (size_t)cpf_col_get(&l->first, (size_t)location + 1) - first;

	if (!lines)
		w->t->frame[at] = name_frame(w, location, CPF_NONE, 0);
	for (i = 0; i < lines; i++)
		w->t->frame[end - 1 - i] = name_frame(
			w, location, cpf_col_id(&l->line_fn, first + i), i + 1 < lines);
}

static void make_names(struct cpf_folded_names *t, const struct cpf_profile *p,
	const uint8_t *used, int marks)
{
	struct namer w = {.t = t, .p = p, .marks = marks};
	uint32_t i;

	t->names = cpf_strings_new();
	t->empty = cpf_strings_intern(t->names, CPF_FOLDED_EMPTY, strlen(CPF_FOLDED_EMPTY));
	w.function = cpf_calloc((size_t)p->nfunctions + 1, sizeof(*w.function));
	for (i = 0; i < p->locations.n; i++)
		if (used[i])
			name_location(&w, i);
	cpf_free(w.function);
	cpf_buf_release(&w.text);
	cpf_buf_release(&w.plain);
}

static void make_starts(struct cpf_folded_names *t, const struct cpf_profile *p)
{
	const struct cpf_locations *l = &p->locations;
	uint32_t at = 0, i;
	size_t lines;

	t->start = cpf_realloc_array(NULL, (size_t)l->n + 1, sizeof(*t->start));
	for (i = 0; i < l->n; i++) {
		t->start[i] = at;
		lines = (size_t)(cpf_col_get(&l->first, (size_t)i + 1) - cpf_col_get(&l->first, i));
		at += lines ? (uint32_t)lines : 1;
	}
	t->start[l->n] = at;
	t->frame = cpf_calloc((size_t)at + 1, sizeof(*t->frame));
}

/* A name with what follows it in a line. */
struct ranked {
	const char *s;
	uint32_t len;
	uint32_t id; /* 2 * name, + 1 for ";" */
};

static int by_bytes(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;
	uint32_t n = a->len < b->len ? a->len : b->len;
	int r = memcmp(a->s, b->s, n), x, y;

	if (r)
		return r;
	if (a->len == b->len)
		return (a->id > b->id) - (a->id < b->id);
	x = n == a->len ? (a->id & 1 ? ';' : ' ') : (unsigned char)a->s[n];
	y = n == b->len ? (b->id & 1 ? ';' : ' ') : (unsigned char)b->s[n];
	/* Equal: the longer text goes on behind the blank. */
	return x != y ? (x > y) - (x < y) : a->len < b->len ? -1 : 1;
}

static void rank_names(struct cpf_folded_names *t)
{
	uint32_t n = t->names->n, i;
	struct ranked *rows = cpf_realloc_array(NULL, 2 * (size_t)n, sizeof(*rows));

	t->rank = cpf_calloc(2 * (size_t)n, sizeof(*t->rank));
	t->begins = cpf_calloc(n, 1);
	for (i = 0; i < n; i++) {
		rows[2 * i].s = rows[2 * i + 1].s = t->names->texts[i].s;
		rows[2 * i].len = rows[2 * i + 1].len = t->names->texts[i].len;
		rows[2 * i].id = 2 * i;
		rows[2 * i + 1].id = 2 * i + 1;
	}
	qsort(rows, 2 * (size_t)n, sizeof(*rows), by_bytes);
	for (i = 0; i < 2 * n; i++) {
		const struct ranked *row = &rows[i];

		t->rank[row->id] = i;
		if (!(row->id & 1) && i + 1 < 2 * n && row[1].len > row->len &&
			!memcmp(row[1].s, row->s, row->len) && row[1].s[row->len] == ' ')
			t->begins[row->id / 2] = 1;
	}
	cpf_free(rows);
}

/*
 * The reader takes two numbers at the end of all lines for two counts. That cannot happen by chance
 * unless all leaf frames end in a number; lines that cancel out are not there to tell.
 */
static int need_guard(const struct cpf_folded_names *t, const struct cpf_profile *p, uint32_t raw)
{
	enum { UNKNOWN, NUMBER, OTHER };
	uint8_t *ends = cpf_calloc(t->names->n, 1); /* per name */
	int numbers = 0, others = 0, negative = 0, decimals;
	uint32_t i, name, n;
	int64_t mantissa;
	size_t rest;

	for (i = 0; i < p->samples.n; i++) {
		cpf_id node = cpf_col_id(&p->samples.node, i);
		int64_t v = cpf_col_get(&p->samples.raw[raw], i);

		if (!v)
			continue;
		negative |= v < 0;
		n = cpf_folded_frames(t, p, node, 0, &name);
		if (n > 1)
			cpf_folded_frames(t, p, node, n - 1, &name);
		if (ends[name] == UNKNOWN)
			ends[name] = cpf_folded_count(t->names->texts[name].s,
					     t->names->texts[name].len, &rest, &mantissa,
					     &decimals) ?
					     NUMBER :
					     OTHER;
		numbers |= ends[name] == NUMBER;
		others |= ends[name] == OTHER;
		/* Nothing that follows can change the answer. */
		if (numbers && negative)
			break;
	}
	cpf_free(ends);
	return numbers && (!others || negative);
}

void cpf_folded_names_build(struct cpf_folded_names *t, const struct cpf_profile *p,
	const uint8_t *used, uint32_t raw, int marks)
{
	memset(t, 0, sizeof(*t));
	make_starts(t, p);
	make_names(t, p, used, marks);
	if (need_guard(t, p, raw)) {
		cpf_strings_free(t->names);
		t->guard = 1;
		make_names(t, p, used, marks);
	}
	rank_names(t);
}

void cpf_folded_names_release(struct cpf_folded_names *t)
{
	if (t->names)
		cpf_strings_free(t->names);
	cpf_free(t->start);
	cpf_free(t->frame);
	cpf_free(t->rank);
	cpf_free(t->begins);
	memset(t, 0, sizeof(*t));
}
