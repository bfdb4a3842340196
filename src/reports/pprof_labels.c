/* What labels do in pprof: units of numeric ones, pseudo frames, filters. Sets are looked at once. */
#include "reports/pprof.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/rowset.h"
#include "core/filter.h"
#include "core/regex.h"

/* Label sets that samples use, in order of first use. */
struct used {
	uint32_t *sets;
	uint32_t n;
};

static struct used used_sets(const struct cpf_profile *p)
{
	struct used u = {0};
	uint8_t *seen = cpf_calloc((size_t)p->label_sets.n + 1, 1);
	uint32_t i, set;

	u.sets = cpf_calloc((size_t)p->label_sets.n + 1, sizeof(*u.sets));
	for (i = 0; i < p->samples.n; i++) {
		set = cpf_col_id(&p->samples.labels, i);
		if (!seen[set])
			u.sets[u.n++] = set;
		seen[set] = 1;
	}
	cpf_free(seen);
	return u;
}

const struct cpf_label *cpf_pprof_labels(const struct cpf_profile *p, uint32_t set, uint32_t *n)
{
	*n = p->label_sets.first[set + 1] - p->label_sets.first[set];
	/* Without any label in the profile there is no array to point into. */
	return *n ? p->label_sets.labels + p->label_sets.first[set] : NULL;
}

/* Units. */

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One message per key that comes with several units. */
static void report_units(struct cpf_pprof *r, cpf_str key, const struct used *u)
{
	const struct cpf_profile *p = r->p;
	const char **others = NULL;
	size_t n = 0, cap = 0, k;
	struct cpf_buf b = {0};
	uint32_t i, x, nl;

	for (i = 0; i < u->n; i++) {
		const struct cpf_label *l = cpf_pprof_labels(p, u->sets[i], &nl);

		for (x = 0; x < nl; x++) {
			if (l[x].key != key || cpf_pprof_label_kind(&l[x]) != CPF_LABEL_NUMBER ||
				!l[x].unit || l[x].unit == r->label_units[key])
				continue;
			CPF_GROW(others, cap, n + 1);
			others[n++] = cpf_cstr(p, l[x].unit);
		}
	}
	if (n)
		qsort(others, n, sizeof(*others), compare_strings);
	for (k = 0; k < n; k++)
		if (!k || strcmp(others[k], others[k - 1]) != 0)
			cpf_buf_fmt(&b, "%s%s", k ? ", " : "", others[k]);
	cpf_pprof_message(r, "For tag %s used unit %s, also encountered unit(s) %s", cpf_cstr(p, key),
		cpf_cstr(p, r->label_units[key]), b.s);
	cpf_buf_release(&b);
	cpf_free(others);
}

void cpf_pprof_label_units(struct cpf_pprof *r)
{
	const struct cpf_profile *p = r->p;
	struct used u = used_sets(p);
	enum { FRESH, MET, SEVERAL };
	uint32_t i, x, n, keys = 0;
	cpf_str *met, *units;
	uint8_t *state;

	r->nlabel_units = cpf_nstrings(p);
	state = cpf_calloc(r->nlabel_units, 1);
	met = cpf_calloc(r->nlabel_units, sizeof(*met));
	r->label_units = units = cpf_calloc(r->nlabel_units, sizeof(*units));
	for (i = 0; i < u.n; i++) {
		const struct cpf_label *l = cpf_pprof_labels(p, u.sets[i], &n);

		for (x = 0; x < n; x++) {
			cpf_str key = l[x].key;

			if (cpf_pprof_label_kind(&l[x]) != CPF_LABEL_NUMBER)
				continue;
			if (state[key] == FRESH) {
				state[key] = MET;
				met[keys++] = key;
			}
			if (!units[key])
				units[key] = l[x].unit;
			else if (l[x].unit && l[x].unit != units[key])
				state[key] = SEVERAL;
		}
	}
	for (i = 0; i < keys; i++)
		if (state[met[i]] == SEVERAL)
			report_units(r, met[i], &u);
	/* Keys that never have a unit are their own. */
	for (i = 0; i < keys; i++) {
		const char *key = cpf_cstr(p, met[i]);

		if (!units[met[i]])
			units[met[i]] = strcmp(key, "request") && strcmp(key, "alignment")
						? met[i]
						: cpf_intern_z(r->p, "bytes");
	}
	cpf_free(state);
	cpf_free(met);
	cpf_free(u.sets);
}

const char *cpf_pprof_label_unit(const struct cpf_pprof *r, cpf_str key)
{
	return key < r->nlabel_units ? cpf_cstr(r->p, r->label_units[key]) : "";
}

/* Pseudo frames. */

/* The values of one label, text first, joined by commas. Returns 1 if there are any. */
static int join_values(const struct cpf_pprof *r, uint32_t set, cpf_str key, struct cpf_buf *out)
{
	const struct cpf_profile *p = r->p;
	uint32_t n, i;
	const struct cpf_label *l = cpf_pprof_labels(p, set, &n);
	char text[CPF_NUM_TEXT + 256];
	int any = 0, units = 0;

	for (i = 0; i < n; i++)
		if (l[i].key == key && cpf_pprof_label_kind(&l[i]) == CPF_LABEL_NUMBER && l[i].unit)
			units = 1;
	for (i = 0; i < n; i++)
		if (l[i].key == key && cpf_pprof_label_kind(&l[i]) == CPF_LABEL_TEXT) {
			cpf_buf_fmt(out, "%s%s", any ? "," : "", cpf_cstr(p, l[i].str));
			any = 1;
		}
	for (i = 0; i < n; i++)
		if (l[i].key == key && cpf_pprof_label_kind(&l[i]) == CPF_LABEL_NUMBER) {
			cpf_buf_fmt(out, "%s%s", any ? "," : "",
				cpf_unit_label(l[i].num, units ? cpf_cstr(p, l[i].unit) : "",
					units ? r->cfg.unit : "", text, sizeof(text)));
			any = 1;
		}
	return any;
}

struct key_list {
	cpf_str *keys;
	uint32_t n;
	int matched;
	cpf_id *locs; /* per label set, n each: the frames */
};

static void split_keys(struct cpf_pprof *r, const char *list, struct key_list *k)
{
	size_t cap = 0, len;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (!len)
			continue;
		CPF_GROW(k->keys, cap, (size_t)k->n + 1);
		k->keys[k->n++] = cpf_intern(r->p, list, len);
	}
}

/* Frames that were made, each with its function; ids go on where those of the profile end. */
struct frames {
	struct cpf_profile *p;
	uint64_t next_function, next_location;
	cpf_id first; /* location; locations and functions come in pairs from here on */
	cpf_id first_function;
};

static void frames_init(struct frames *f, struct cpf_profile *p)
{
	uint64_t id;
	uint32_t i;

	f->p = p;
	f->first = p->locations.n;
	f->first_function = p->nfunctions;
	f->next_function = f->next_location = 1;
	for (i = 0; i < p->nfunctions; i++)
		if (p->functions[i].wire_id >= f->next_function)
			f->next_function = p->functions[i].wire_id + 1;
	for (i = 0; i < p->locations.n; i++) {
		id = (uint64_t)cpf_col_get(&p->locations.wire_id, i);
		if (id >= f->next_location)
			f->next_location = id + 1;
	}
}

static cpf_id find_frame(struct frames *f, cpf_str name, cpf_str file, struct cpf_rowset *set)
{
	uint64_t h = cpf_hash_mix(cpf_hash_seed(), (uint64_t)name << 32 | file);
	struct cpf_function fn = {0};
	struct cpf_location l = {0};
	struct cpf_line line = {0};
	struct cpf_rowset_it it;
	uint32_t i;

	for (i = cpf_rowset_first(set, h, &it); i != CPF_ROWSET_END; i = cpf_rowset_next(set, &it)) {
		const struct cpf_function *there = &f->p->functions[f->first_function + i];

		if (there->name == name && there->file == file)
			return f->first + i;
	}
	fn.name = name;
	fn.file = file;
	fn.wire_id = f->next_function++;
	fn.resource_lib = CPF_NONE;
	line.function = cpf_add_function(f->p, &fn);
	l.mapping = l.symbol = l.category = l.subcategory = CPF_NONE;
	l.lines = &line;
	l.nlines = 1;
	l.wire_id = f->next_location++;
	cpf_rowset_add(set, h, line.function - f->first_function);
	return cpf_add_location(f->p, &l);
}

/* In the order in which pprof meets them: set by set, the innermost first. */
static void make_frames(struct cpf_pprof *r, const struct used *u, struct key_list *root,
	struct key_list *leaf)
{
	struct key_list *lists[] = {root, leaf};
	struct cpf_rowset set = {0};
	struct cpf_buf b = {0};
	struct frames f;
	uint32_t i, x, which;

	frames_init(&f, r->p);
	for (which = 0; which < 2; which++)
		lists[which]->locs = cpf_calloc(
			(size_t)r->p->label_sets.n * lists[which]->n + 1, sizeof(cpf_id));
	for (i = 0; i < u->n; i++)
		for (which = 0; which < 2; which++)
			for (x = lists[which]->n; x-- > 0;) {
				struct key_list *k = lists[which];

				cpf_buf_clear(&b);
				k->matched |= join_values(r, u->sets[i], k->keys[x], &b);
				k->locs[(size_t)u->sets[i] * k->n + x] = find_frame(&f,
					cpf_intern(r->p, b.s ? b.s : "", b.n), k->keys[x], &set);
			}
	cpf_rowset_release(&set);
	cpf_buf_release(&b);
}

/* The tree under other roots: (root chain, node) -> node. */
struct grafts {
	struct cpf_profile *p;
	struct cpf_rowset set;
	struct graft {
		cpf_id root, from, to;
	} *rows;
	uint32_t n;
	size_t cap;
	uint32_t *path;
	size_t path_cap;
};

static cpf_id find_graft(struct grafts *g, cpf_id root, cpf_id from, uint64_t *hash)
{
	struct cpf_rowset_it it;
	uint32_t i;

	*hash = cpf_hash_mix(cpf_hash_seed(), (uint64_t)root << 32 | from);
	for (i = cpf_rowset_first(&g->set, *hash, &it); i != CPF_ROWSET_END;
		i = cpf_rowset_next(&g->set, &it))
		if (g->rows[i].root == root && g->rows[i].from == from)
			return g->rows[i].to;
	return CPF_NONE;
}

static cpf_id graft(struct grafts *g, cpf_id root, cpf_id node)
{
	uint64_t hash;
	uint32_t depth = 0;
	cpf_id to = root, at;

	for (at = node; at; at = cpf_col_id(&g->p->nodes.parent, at)) {
		to = find_graft(g, root, at, &hash);
		if (to != CPF_NONE)
			break;
		to = root;
		CPF_GROW(g->path, g->path_cap, (size_t)depth + 1);
		g->path[depth++] = at;
	}
	while (depth--) {
		at = g->path[depth];
		to = cpf_add_node(g->p, to, cpf_col_id(&g->p->nodes.location, at));
		(void)find_graft(g, root, at, &hash);
		CPF_GROW(g->rows, g->cap, (size_t)g->n + 1);
		g->rows[g->n] = (struct graft){root, at, to};
		cpf_rowset_add(&g->set, hash, g->n++);
	}
	return to;
}

static void add_frames(struct cpf_pprof *r, const struct key_list *root, const struct key_list *leaf)
{
	struct cpf_profile *p = r->p;
	struct grafts g = {.p = p};
	uint32_t i, x;

	for (i = 0; i < p->samples.n; i++) {
		cpf_id set = cpf_col_id(&p->samples.labels, i);
		cpf_id node = cpf_col_id(&p->samples.node, i), top = 0;

		for (x = 0; x < root->n; x++)
			top = cpf_find_node(p, top, root->locs[(size_t)set * root->n + x]);
		if (top)
			node = graft(&g, top, node);
		for (x = 0; x < leaf->n; x++)
			node = cpf_find_node(p, node, leaf->locs[(size_t)set * leaf->n + x]);
		cpf_col_set(&p->samples.node, i, node);
	}
	cpf_rowset_release(&g.set);
	cpf_free(g.rows);
	cpf_free(g.path);
}

void cpf_pprof_tag_frames(struct cpf_pprof *r)
{
	struct key_list root = {0}, leaf = {0};
	struct used u;

	split_keys(r, r->cfg.tagroot, &root);
	split_keys(r, r->cfg.tagleaf, &leaf);
	if (root.n || leaf.n) {
		u = used_sets(r->p);
		make_frames(r, &u, &root, &leaf);
		add_frames(r, &root, &leaf);
		cpf_profile_seal(r->p);
		cpf_free(u.sets);
	}
	if (*r->cfg.tagroot && !root.matched)
		cpf_pprof_message(r, "TagRoot expression matched no samples");
	if (*r->cfg.tagleaf && !leaf.matched)
		cpf_pprof_message(r, "TagLeaf expression matched no samples");
	cpf_free(root.keys);
	cpf_free(root.locs);
	cpf_free(leaf.keys);
	cpf_free(leaf.locs);
}

/* Filters. */

struct tag_filter {
	const char *name, *key; /* key NULL: any */
	size_t key_len;
	int range, has_low, has_high;
	double low, high;
	char *unit;
	struct cpf_regex **regexes;
	size_t n, cap;
};

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A number with an optional unit, somewhere in s; returns NULL if there is none. */
static const char *find_number(const char *s, const char **unit, const char **end)
{
	for (; *s; s++) {
		const char *at = s + (*s == '+' || *s == '-');

		if (!is_digit(*at))
			continue;
		while (is_digit(*at))
			at++;
		*unit = at;
		while (is_letter(*at))
			at++;
		*end = at;
		return s;
	}
	return NULL;
}

static int number_value(double *v, const char **unit, const char *from, const char *unit_at,
	const char *end, const char *to, char **copy, struct cpf_err *e)
{
	char digits[32];
	int64_t n;

	if (unit_at - from >= (ptrdiff_t)sizeof(digits))
		return cpf_fail(e, CPF_E_USAGE, "failed to parse int %.*s: value out of range",
			(int)(unit_at - from > 200 ? 200 : unit_at - from), from);
	memcpy(digits, from, (size_t)(unit_at - from));
	digits[unit_at - from] = '\0';
	if (cpf_parse_int(&n, digits + (*digits == '+'), e))
		return -1;
	*copy = cpf_strndup(unit_at, (size_t)(end - unit_at));
	*v = cpf_unit_scale(n, *copy, to ? to : *copy, unit);
	return 0;
}

/* N, N:, :N, N:M. Returns 1 if expr is a range, 0 if not, -1. */
static int parse_range(struct tag_filter *f, const char *expr, struct cpf_err *e)
{
	const char *unit1, *end1, *unit2, *end2 = NULL, *first, *second, *unit;
	char *copy = NULL, *copy2 = NULL;
	int ret = 0;

	first = find_number(expr, &unit1, &end1);
	if (!first)
		return 0;
	second = find_number(end1, &unit2, &end2);
	if (number_value(&f->low, &unit, first, unit1, end1, NULL, &copy, e)) {
		cpf_free(copy);
		return -1;
	}
	f->unit = cpf_strdup(unit);
	f->high = f->low;
	if (!second) {
		f->has_low = !(first == expr + 1 && *expr == ':' && !*end1);
		f->has_high = !(first == expr && !strcmp(end1, ":"));
		ret = (first == expr && (!*end1 || !strcmp(end1, ":"))) || !f->has_low;
	} else if (first == expr && *end1 == ':' && second == end1 + 1 && !*end2) {
		ret = number_value(&f->high, &unit, second, unit2, end2, f->unit, &copy2, e);
		if (!ret)
			ret = !strcmp(unit, f->unit);
		f->has_low = f->has_high = 1;
	}
	cpf_free(copy);
	cpf_free(copy2);
	return ret;
}

static int compile_tag_filter(struct cpf_pprof *r, struct tag_filter *f, const char *name,
	const char *value, struct cpf_err *e)
{
	const char *equal = strchr(value, '=');
	char *one;
	size_t len;
	int range, ret = 0;

	f->name = name;
	if (equal) {
		f->key = equal > value ? value : NULL;
		f->key_len = (size_t)(equal - value);
		value = equal + 1;
	}
	range = parse_range(f, value, e);
	if (range < 0)
		return -1;
	f->range = range;
	if (range) {
		cpf_pprof_message(r, "%s:Interpreted '%s' as range, not regexp", name, value);
		return 0;
	}
	for (;; value += len + 1) {
		len = strcspn(value, ",");
		one = cpf_strndup(value, len);
		CPF_GROW(f->regexes, f->cap, f->n + 1);
		ret = cpf_regex_new(&f->regexes[f->n], name, one, e);
		cpf_free(one);
		if (ret)
			return -1;
		f->n++;
		if (!value[len])
			return 0;
	}
}

static void release_tag_filter(struct tag_filter *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		cpf_regex_free(f->regexes[i]);
	cpf_free(f->regexes);
	cpf_free(f->unit);
}

static int has_key(const struct tag_filter *f, struct cpf_text key)
{
	return !f->key || (key.len == f->key_len && !memcmp(key.s, f->key, key.len));
}

static int in_range(const struct cpf_pprof *r, const struct tag_filter *f, const struct cpf_label *l)
{
	const char *unit;
	double v = cpf_unit_scale(l->num, cpf_pprof_label_unit(r, l->key), f->unit, &unit);

	return !strcmp(unit, f->unit) && (!f->has_low || v >= f->low) && (!f->has_high || v <= f->high);
}

static int range_matches(const struct cpf_pprof *r, const struct tag_filter *f, uint32_t set)
{
	uint32_t n, i;
	const struct cpf_label *l = cpf_pprof_labels(r->p, set, &n);

	for (i = 0; i < n; i++)
		if (cpf_pprof_label_kind(&l[i]) == CPF_LABEL_NUMBER &&
			has_key(f, cpf_text(r->p, l[i].key)) && in_range(r, f, &l[i]))
			return 1;
	return 0;
}

/* One expression against the text labels: "key:value" without a key, the value with one. */
static int regex_matches(const struct cpf_pprof *r, const struct tag_filter *f,
	struct cpf_regex *re, uint32_t set)
{
	struct cpf_buf b = {0};
	uint32_t n, i;
	const struct cpf_label *l = cpf_pprof_labels(r->p, set, &n);
	int hit = 0;

	for (i = 0; i < n && !hit; i++) {
		struct cpf_text key = cpf_text(r->p, l[i].key), value = cpf_text(r->p, l[i].str);

		if (cpf_pprof_label_kind(&l[i]) != CPF_LABEL_TEXT || !has_key(f, key))
			continue;
		cpf_buf_clear(&b);
		if (!f->key) {
			cpf_buf_add(&b, key.s, key.len);
			cpf_buf_char(&b, ':');
		}
		cpf_buf_add(&b, value.s, value.len);
		hit = cpf_regex_match(re, b.s, b.n);
	}
	cpf_buf_release(&b);
	return hit;
}

/* Without a key all expressions must match something, with one any will do. */
static int tag_matches(const struct cpf_pprof *r, const struct tag_filter *f, uint32_t set)
{
	size_t i;

	if (f->range)
		return range_matches(r, f, set);
	for (i = 0; i < f->n; i++)
		if (regex_matches(r, f, f->regexes[i], set) != !f->key)
			return f->key != NULL;
	return !f->key;
}

static int filter_samples(struct cpf_pprof *r, struct tag_filter *focus, struct tag_filter *ignore,
	struct cpf_err *e)
{
	struct cpf_profile *p = r->p;
	struct used u = used_sets(p);
	uint8_t *wanted = cpf_calloc((size_t)p->label_sets.n + 1, 1);
	uint64_t *keep = cpf_calloc((size_t)p->samples.n / 64 + 1, sizeof(*keep));
	int focused = 0, ignored = 0, f, g;
	struct tag_filter *both[2];
	uint32_t i;
	size_t x;

	for (i = 0; i < u.n; i++) {
		f = !focus->name || tag_matches(r, focus, u.sets[i]);
		g = ignore->name && tag_matches(r, ignore, u.sets[i]);
		focused |= f;
		ignored |= g;
		wanted[u.sets[i]] = f && !g;
	}
	for (i = 0; i < p->samples.n; i++)
		if (wanted[cpf_col_id(&p->samples.labels, i)])
			keep[i / 64] |= UINT64_C(1) << (i % 64);
	cpf_keep_samples(p, keep);
	if (focus->name && !focused)
		cpf_pprof_message(r, "TagFocus expression matched no samples");
	if (ignore->name && !ignored)
		cpf_pprof_message(r, "TagIgnore expression matched no samples");
	cpf_free(u.sets);
	cpf_free(wanted);
	cpf_free(keep);
	both[0] = focus;
	both[1] = ignore;
	for (i = 0; i < 2; i++)
		for (x = 0; x < both[i]->n; x++)
			if (cpf_regex_status(both[i]->regexes[x], e))
				return -1;
	return 0;
}

/* Takes labels out of the sets, which are edited in place. */
static void filter_labels(struct cpf_pprof *r, struct cpf_regex *show, struct cpf_regex *hide)
{
	struct cpf_label_sets *t = &r->p->label_sets;
	struct used u = used_sets(r->p);
	int shown = 0, hidden = 0, s, h;
	uint32_t i, x, n, at = 0, from = 0;

	for (i = 0; i < u.n; i++) {
		const struct cpf_label *l = cpf_pprof_labels(r->p, u.sets[i], &n);

		for (x = 0; x < n; x++) {
			if (cpf_pprof_label_kind(&l[x]) == CPF_LABEL_NONE)
				continue;
			shown |= !show || cpf_regex_match_str(show, r->p, l[x].key);
			hidden |= hide && cpf_regex_match_str(hide, r->p, l[x].key);
		}
	}
	for (i = 0; i < t->n; i++) {
		for (x = from, from = t->first[i + 1]; x < from; x++) {
			s = !show || cpf_regex_match_str(show, r->p, t->labels[x].key);
			h = hide && cpf_regex_match_str(hide, r->p, t->labels[x].key);
			if (s && !h)
				t->labels[at++] = t->labels[x];
		}
		t->first[i + 1] = at;
	}
	t->nlabels = at;
	cpf_profile_seal(r->p);
	if (show && !shown)
		cpf_pprof_message(r, "TagShow expression matched no samples");
	if (hide && !hidden)
		cpf_pprof_message(r, "TagHide expression matched no samples");
	cpf_free(u.sets);
}

int cpf_pprof_filter_tags(struct cpf_pprof *r, struct cpf_err *e)
{
	const struct cpf_pprof_cfg *c = &r->cfg;
	struct tag_filter focus = {0}, ignore = {0};
	struct cpf_regex *show = NULL, *hide = NULL;
	int ret = -1;

	if ((*c->tagfocus && compile_tag_filter(r, &focus, "tagfocus", c->tagfocus, e)) ||
		(*c->tagignore && compile_tag_filter(r, &ignore, "tagignore", c->tagignore, e)) ||
		(*c->tagshow && cpf_regex_new(&show, "tagshow", c->tagshow, e)) ||
		(*c->taghide && cpf_regex_new(&hide, "taghide", c->taghide, e)))
		goto out;
	if ((focus.name || ignore.name) && filter_samples(r, &focus, &ignore, e))
		goto out;
	if (show || hide)
		filter_labels(r, show, hide);
	if ((show && cpf_regex_status(show, e)) || (hide && cpf_regex_status(hide, e)))
		goto out;
	ret = 0;
out:
	release_tag_filter(&focus);
	release_tag_filter(&ignore);
	cpf_regex_free(show);
	cpf_regex_free(hide);
	return ret;
}
