/* Filters on frames. All are passes over tables in order: locations, nodes, samples. */
#include "core/filter.h"

#include "base/base.h"
#include "base/buf.h"
#include "base/mem.h"
#include "core/regex.h"

/* Edits of the lines of locations: keep[i] belongs to line i of the line columns. */
struct lines {
	uint8_t *keep;
	size_t n;
	int edited;
};

static void lines_init(struct lines *l, const struct cpf_profile *p)
{
	l->n = p->locations.line_fn.n;
	l->keep = cpf_realloc_array(NULL, l->n + 1, 1);
	memset(l->keep, 1, l->n + 1);
	l->edited = 0;
}

static void drop_line(struct lines *l, size_t i)
{
	l->edited |= l->keep[i];
	l->keep[i] = 0;
}

static void lines_apply(struct lines *l, struct cpf_profile *p)
{
	struct cpf_locations *t = &p->locations;
	size_t from = 0, to, i, at = 0;
	uint32_t loc;

	for (loc = 0; l->edited && loc < t->n; loc++, from = to) {
		to = (size_t)cpf_col_get(&t->first, (size_t)loc + 1);
		for (i = from; i < to; i++) {
			if (!l->keep[i])
				continue;
			cpf_col_set(&t->line_fn, at, cpf_col_get(&t->line_fn, i));
			cpf_col_set(&t->line_no, at, cpf_col_get(&t->line_no, i));
			cpf_col_set(&t->line_col, at, cpf_col_get(&t->line_col, i));
			at++;
		}
		cpf_col_set(&t->first, (size_t)loc + 1, (int64_t)at);
	}
	if (l->edited) {
		cpf_col_truncate(&t->line_fn, at);
		cpf_col_truncate(&t->line_no, at);
		cpf_col_truncate(&t->line_col, at);
		/* Indices over locations would find rows as they were. */
		cpf_profile_seal(p);
	}
	cpf_free(l->keep);
	l->keep = NULL;
}

static void line_span(const struct cpf_profile *p, uint32_t loc, size_t *from, size_t *to)
{
	*from = (size_t)cpf_col_get(&p->locations.first, loc);
	*to = (size_t)cpf_col_get(&p->locations.first, (size_t)loc + 1);
}

static const struct cpf_function *line_function(const struct cpf_profile *p, size_t line)
{
	return &p->functions[cpf_col_id(&p->locations.line_fn, line)];
}

static int line_matches(const struct cpf_profile *p, struct cpf_regex *re, size_t line)
{
	const struct cpf_function *f = line_function(p, line);

	return cpf_regex_match_str(re, p, f->name) || cpf_regex_match_str(re, p, f->file);
}

static int mapping_matches(const struct cpf_profile *p, struct cpf_regex *re, uint32_t loc)
{
	cpf_id m = cpf_col_id(&p->locations.mapping, loc);

	return m != CPF_NONE && cpf_regex_match_str(re, p, p->mappings[m].file);
}

static int location_matches(const struct cpf_profile *p, struct cpf_regex *re, uint32_t loc)
{
	size_t i, to;

	for (line_span(p, loc, &i, &to); i < to; i++)
		if (line_matches(p, re, i))
			return 1;
	return mapping_matches(p, re, loc);
}

/* Focus, ignore, hide and show. */

enum loc_flags {
	LOC_FOCUS = 1,
	LOC_IGNORE = 2,
	LOC_HIDDEN = 4
};

struct names {
	struct cpf_regex *focus, *ignore, *hide, *show;
	struct lines lines;
	uint8_t *locs; /* enum loc_flags per location */
	int any_hidden;
};

/* hide: lines that match go; a match of the mapping takes them all. */
static int hide_lines(struct names *n, const struct cpf_profile *p, uint32_t loc)
{
	size_t from, to, i;
	int all = mapping_matches(p, n->hide, loc), left = 0;

	line_span(p, loc, &from, &to);
	for (i = from; i < to; i++)
		if (all || line_matches(p, n->hide, i))
			drop_line(&n->lines, i);
		else
			left = 1;
	return left;
}

/* show: lines that do not match go, unless the mapping matches. */
static int show_lines(struct names *n, const struct cpf_profile *p, uint32_t loc)
{
	size_t from, to, i;
	int all = mapping_matches(p, n->show, loc), left = 0;

	line_span(p, loc, &from, &to);
	for (i = from; i < to; i++) {
		if (!n->lines.keep[i])
			continue;
		if (all || line_matches(p, n->show, i))
			left = 1;
		else
			drop_line(&n->lines, i);
	}
	return left;
}

static void judge_locations(struct names *n, const struct cpf_profile *p, struct cpf_filter_result *r)
{
	uint32_t loc;
	int left;

	for (loc = 0; loc < p->locations.n; loc++) {
		uint8_t *flags = &n->locs[loc];

		if (n->ignore && location_matches(p, n->ignore, loc)) {
			r->ignore = 1;
			*flags |= LOC_IGNORE;
		} else if (!n->focus || location_matches(p, n->focus, loc)) {
			if (n->focus)
				r->focus = 1;
			*flags |= LOC_FOCUS;
		}
		if (n->hide && location_matches(p, n->hide, loc)) {
			r->hide = 1;
			if (!hide_lines(n, p, loc))
				*flags |= LOC_HIDDEN;
		}
		if (n->show) {
			left = show_lines(n, p, loc);
			if (left)
				r->show = 1;
			else
				*flags |= LOC_HIDDEN;
		}
		n->any_hidden |= *flags & LOC_HIDDEN;
	}
}

/* Takes hidden frames out of the tree, and samples without focus, with ignore, or left empty. */
static void apply_locations(struct names *n, struct cpf_profile *p)
{
	struct cpf_nodes *t = &p->nodes;
	uint8_t *seen = cpf_calloc(t->n, 1);
	cpf_id *shown = n->any_hidden ? cpf_calloc(t->n, sizeof(*shown)) : NULL;
	uint64_t *keep = cpf_calloc((size_t)p->samples.n / 64 + 1, sizeof(*keep));
	uint32_t i;

	for (i = 1; i < t->n; i++) {
		cpf_id up = cpf_col_id(&t->parent, i);
		uint8_t flags = n->locs[cpf_col_id(&t->location, i)];

		seen[i] = seen[up] | (flags & (LOC_FOCUS | LOC_IGNORE));
		if (!shown)
			continue;
		/* A hidden node stays in the table, but nothing hangs on it any more. */
		shown[i] = flags & LOC_HIDDEN ? shown[up] : i;
		cpf_col_set(&t->parent, i, shown[up]);
	}
	for (i = 0; i < p->samples.n; i++) {
		cpf_id node = cpf_col_id(&p->samples.node, i);

		if (seen[node] != LOC_FOCUS || (shown && !shown[node]))
			continue;
		keep[i / 64] |= UINT64_C(1) << (i % 64);
		if (shown)
			cpf_col_set(&p->samples.node, i, shown[node]);
	}
	cpf_keep_samples(p, keep);
	cpf_free(seen);
	cpf_free(shown);
	cpf_free(keep);
}

/* The node index of the profile, if any, is of no use after the tree was edited. */
static void edited(struct cpf_profile *p)
{
	cpf_profile_seal(p);
}

/* Show from: frames above the match nearest the root go, samples without one too. */

static uint8_t *show_from_locations(struct cpf_profile *p, struct cpf_regex *re, int *matched)
{
	uint8_t *hit = cpf_calloc((size_t)p->locations.n + 1, 1);
	struct lines l;
	uint32_t loc;
	size_t from, to, i;

	lines_init(&l, p);
	for (loc = 0; loc < p->locations.n; loc++) {
		if (mapping_matches(p, re, loc)) {
			hit[loc] = 1;
			continue;
		}
		line_span(p, loc, &from, &to);
		for (i = to; i > from && !line_matches(p, re, i - 1); i--)
			;
		if (i == from)
			continue;
		hit[loc] = 1;
		for (; i < to; i++)
			drop_line(&l, i);
	}
	for (loc = 0; loc < p->locations.n; loc++)
		*matched |= hit[loc];
	lines_apply(&l, p);
	return hit;
}

static void show_from(struct cpf_profile *p, struct cpf_regex *re, int *matched)
{
	struct cpf_nodes *t = &p->nodes;
	uint8_t *hit = show_from_locations(p, re, matched);
	uint64_t *in = cpf_calloc((size_t)t->n / 64 + 1, sizeof(*in));
	uint64_t *keep = cpf_calloc((size_t)p->samples.n / 64 + 1, sizeof(*keep));
	uint32_t i;

	for (i = 1; i < t->n; i++) {
		cpf_id up = cpf_col_id(&t->parent, i);
		int below = (int)(in[up / 64] >> (up % 64) & 1);

		if (!below && !hit[cpf_col_id(&t->location, i)])
			continue;
		if (!below)
			cpf_col_set(&t->parent, i, 0);
		in[i / 64] |= UINT64_C(1) << (i % 64);
	}
	for (i = 0; i < p->samples.n; i++) {
		cpf_id node = cpf_col_id(&p->samples.node, i);

		if (in[node / 64] >> (node % 64) & 1)
			keep[i / 64] |= UINT64_C(1) << (i % 64);
	}
	cpf_keep_samples(p, keep);
	cpf_free(hit);
	cpf_free(in);
	cpf_free(keep);
	edited(p);
}

static int status(struct cpf_regex *re, struct cpf_err *e)
{
	return re ? cpf_regex_status(re, e) : 0;
}

static int maybe_regex(
	struct cpf_regex **re, const char *what, const char *pattern, struct cpf_err *e)
{
	return pattern ? cpf_regex_new(re, what, pattern, e) : 0;
}

static void run_names(struct names *n, struct cpf_profile *p, struct cpf_filter_result *r)
{
	n->locs = cpf_calloc((size_t)p->locations.n + 1, 1);
	lines_init(&n->lines, p);
	judge_locations(n, p, r);
	lines_apply(&n->lines, p);
	apply_locations(n, p);
	cpf_free(n->locs);
	edited(p);
}

int cpf_filter_names(struct cpf_profile *p, const struct cpf_filter *f,
	struct cpf_filter_result *r, struct cpf_err *e)
{
	struct names n = {0};
	struct cpf_regex *from = NULL;
	int ret = -1;

	r->focus = f->focus ? 0 : -1;
	r->ignore = f->ignore ? 0 : -1;
	r->hide = f->hide ? 0 : -1;
	r->show = f->show ? 0 : -1;
	r->show_from = f->show_from ? 0 : -1;
	if (maybe_regex(&n.focus, "focus", f->focus, e) ||
		maybe_regex(&n.ignore, "ignore", f->ignore, e) ||
		maybe_regex(&n.hide, "hide", f->hide, e) ||
		maybe_regex(&n.show, "show", f->show, e) ||
		maybe_regex(&from, "show_from", f->show_from, e))
		goto out;
	if (n.focus || n.ignore || n.hide || n.show)
		run_names(&n, p, r);
	if (from)
		show_from(p, from, &r->show_from);
	if (status(n.focus, e) || status(n.ignore, e) || status(n.hide, e) || status(n.show, e) ||
		status(from, e))
		goto out;
	ret = 0;
out:
	cpf_regex_free(n.focus);
	cpf_regex_free(n.ignore);
	cpf_regex_free(n.hide);
	cpf_regex_free(n.show);
	cpf_regex_free(from);
	return ret;
}

/* Pruning. */

/*
 * A name without parameters: what precedes the first "(" that does not belong to "operator()" or
 * "(anonymous namespace)", without one leading dot.
 */
static struct cpf_text simple_name(struct cpf_text t)
{
	static const char anonymous[] = "(anonymous namespace)", op[] = "operator()";
	uint32_t i;

	if (t.len && t.s[0] == '.')
		t.s++, t.len--;
	for (i = 0; i < t.len; i++) {
		if (t.s[i] != '(')
			continue;
		if (t.len - i >= sizeof(anonymous) - 1 &&
			!memcmp(t.s + i, anonymous, sizeof(anonymous) - 1))
			i += (uint32_t)sizeof(anonymous) - 2;
		else if (i >= 8 && t.len - i >= 2 && !memcmp(t.s + i - 8, op, sizeof(op) - 1))
			i++;
		else
			t.len = i;
	}
	return t;
}

enum verdict {
	V_UNKNOWN = 0,
	V_NO,
	V_YES
};

struct pruner {
	struct cpf_regex *drop, *keep;
	uint8_t *names; /* enum verdict per function */
};

static int prunes(struct pruner *u, const struct cpf_profile *p, size_t line)
{
	cpf_id fn = cpf_col_id(&p->locations.line_fn, line);
	struct cpf_text t;

	if (!u->names[fn]) {
		t = cpf_text(p, p->functions[fn].name);
		u->names[fn] = V_NO;
		if (t.len) {
			t = simple_name(t);
			if (cpf_regex_match(u->drop, t.s, t.len) &&
				!(u->keep && cpf_regex_match(u->keep, t.s, t.len)))
				u->names[fn] = V_YES;
		}
	}
	return u->names[fn] == V_YES;
}

int cpf_filter_prune_from(struct cpf_profile *p, const char *pattern, struct cpf_err *e)
{
	struct cpf_nodes *t = &p->nodes;
	struct pruner u = {0};
	struct lines l;
	cpf_id *last;
	uint8_t *hit;
	uint32_t i;
	size_t from, to, at;
	int ret;

	if (cpf_regex_new(&u.drop, "prune_from", pattern, e))
		return -1;
	u.names = cpf_calloc((size_t)p->nfunctions + 1, 1);
	hit = cpf_calloc((size_t)p->locations.n + 1, 1);
	last = cpf_calloc(t->n, sizeof(*last));
	lines_init(&l, p);
	for (i = 0; i < p->locations.n; i++) {
		line_span(p, i, &from, &to);
		for (at = from; at < to && !prunes(&u, p, at); at++)
			;
		if (at == to)
			continue;
		hit[i] = 1;
		while (at > from)
			drop_line(&l, --at);
	}
	lines_apply(&l, p);
	for (i = 1; i < t->n; i++)
		last[i] = hit[cpf_col_id(&t->location, i)] ? i : last[cpf_col_id(&t->parent, i)];
	for (i = 0; i < p->samples.n; i++) {
		cpf_id node = cpf_col_id(&p->samples.node, i);

		if (last[node])
			cpf_col_set(&p->samples.node, i, last[node]);
	}
	ret = cpf_regex_status(u.drop, e);
	cpf_free(u.names);
	cpf_free(hit);
	cpf_free(last);
	cpf_regex_free(u.drop);
	return ret;
}

enum cut {
	CUT_NONE = 0,
	CUT_BELOW, /* the location stays, what it called goes */
	CUT_HERE   /* the location goes too */
};

/* The first match from the caller's side; it and what was inlined into it goes. */
static uint8_t *cut_locations(struct pruner *u, struct cpf_profile *p)
{
	uint8_t *cut = cpf_calloc((size_t)p->locations.n + 1, 1);
	struct lines l;
	size_t from, to, at;
	uint32_t i;

	lines_init(&l, p);
	for (i = 0; i < p->locations.n; i++) {
		line_span(p, i, &from, &to);
		for (at = to; at > from && !prunes(u, p, at - 1); at--)
			;
		if (at == from)
			continue;
		cut[i] = at == to ? CUT_HERE : CUT_BELOW;
		while (cut[i] == CUT_BELOW && at > from)
			drop_line(&l, --at);
	}
	lines_apply(&l, p);
	return cut;
}

static void drop_frames(struct pruner *u, struct cpf_profile *p)
{
	struct cpf_nodes *t = &p->nodes;
	uint8_t *cut = cut_locations(u, p);
	uint8_t *other = cpf_calloc(t->n, 1); /* a frame that does not match was met */
	cpf_id *end = cpf_calloc(t->n, sizeof(*end));
	uint32_t i;

	for (i = 1; i < t->n; i++) {
		cpf_id up = cpf_col_id(&t->parent, i);
		uint8_t c = cut[cpf_col_id(&t->location, i)];

		other[i] = other[up] || !c;
		if (end[up])
			end[i] = end[up];
		else if (c && other[up])
			end[i] = c == CUT_HERE ? up : i;
	}
	for (i = 0; i < p->samples.n; i++) {
		cpf_id node = cpf_col_id(&p->samples.node, i);

		if (end[node])
			cpf_col_set(&p->samples.node, i, end[node]);
	}
	cpf_free(cut);
	cpf_free(other);
	cpf_free(end);
}

static int whole_name(struct cpf_regex **re, const char *what, const char *pattern, struct cpf_err *e)
{
	struct cpf_buf b = {0};
	int r;

	cpf_buf_fmt(&b, "^(%s)$", pattern);
	r = cpf_regex_new(re, what, b.s, e);
	cpf_buf_release(&b);
	return r;
}

int cpf_filter_drop_frames(
	struct cpf_profile *p, const char *drop, const char *keep, struct cpf_err *e)
{
	struct pruner u = {0};
	int r = 0;

	if (!drop || !*drop)
		return 0;
	if (whole_name(&u.drop, "drop_frames", drop, e) ||
		(keep && *keep && whole_name(&u.keep, "keep_frames", keep, e))) {
		r = -1;
	} else {
		u.names = cpf_calloc((size_t)p->nfunctions + 1, 1);
		drop_frames(&u, p);
		if (cpf_regex_status(u.drop, e) || (u.keep && cpf_regex_status(u.keep, e)))
			r = -1;
	}
	cpf_free(u.names);
	cpf_regex_free(u.drop);
	cpf_regex_free(u.keep);
	return r;
}
