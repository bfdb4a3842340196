/* -dot: the graph for Graphviz. */
#include "reports/pprof.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/mem.h"
#include "base/num.h"

#define MOST_BOXES 4 /* of tags at a node, and of numbers at one of these */

struct dot {
	struct cpf_pprof *r;
	struct cpf_pprof_graph *g;
	struct cpf_buf *out;
	double most; /* largest magnitude of a flat value */
};

static void escape(struct cpf_buf *out, const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (s[i] == '\\' || s[i] == '"')
			cpf_buf_char(out, '\\');
		if (s[i] == '\n')
			cpf_buf_str(out, "\\l");
		else
			cpf_buf_char(out, s[i]);
	}
}

/* The byte that Go's conversion makes of a number; of what is none it makes 0. */
static unsigned to_byte(double v)
{
	return v > -2147483649.0 && v < 2147483648.0 ? (unsigned)(int32_t)v & 0xff : 0;
}

/* From green over grey to red for a share from -1 to 1; light for what text stands on. */
static void add_color(struct cpf_buf *out, double share, int light)
{
	double saturation = light ? 0.1 : 1.0, value = light ? 0.93 : 0.7, r, g, b;

	if (share > 1)
		share = 1;
	if (share < -1)
		share = -1;
	if (fabs(share) < 0.2)
		saturation *= fabs(share) / 0.2;
	/* Small shares are moved away from grey: the power 0.3. */
	if (share > 0)
		share = exp(0.3 * log(share));
	if (share < 0)
		share = -exp(0.3 * log(-share));
	if (share < 0) {
		g = value;
		r = value * (1 + saturation * share);
	} else {
		r = value;
		g = value * (1 - saturation * share);
	}
	b = value * (1 - saturation);
	cpf_buf_fmt(out, "\"#%02x%02x%02x\"", to_byte(r * 255.0), to_byte(g * 255.0), to_byte(b * 255.0));
}

static double share_of(const struct dot *d, int64_t v)
{
	return (double)v / (double)cpf_go_abs(d->r->total);
}

/* Head. */

static void add_head(struct dot *d)
{
	const struct cpf_profile *p = d->r->p;
	struct cpf_text title = {"", 0};
	struct cpf_buf head = {0};
	size_t first;

	if (p->nmappings && p->mappings[0].file)
		title = cpf_go_base(cpf_text(p, p->mappings[0].file));
	cpf_pprof_graph_head(d->r, d->g, &head);
	cpf_buf_str(&head, "\nSee https://git.io/JfYMW for how to read the graph");
	cpf_buf_str(d->out, "digraph \"");
	if (title.len)
		cpf_buf_add(d->out, title.s, title.len);
	else
		cpf_buf_str(d->out, "unnamed");
	cpf_buf_str(d->out, "\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n");
	first = strcspn(head.s, "\n");
	cpf_buf_str(d->out, "subgraph cluster_L { \"");
	escape(d->out, head.s, first);
	cpf_buf_str(d->out, "\" [shape=box fontsize=16 label=\"");
	escape(d->out, head.s, head.n);
	cpf_buf_str(d->out, "\\l\"");
	if (title.len) {
		cpf_buf_str(d->out, " tooltip=\"");
		cpf_buf_add(d->out, title.s, title.len);
		cpf_buf_char(d->out, '"');
	}
	cpf_buf_str(d->out, "] }\n");
	cpf_buf_release(&head);
}

/* Nodes. */

/* A name over several lines: "::" and "." become line ends, but "[...]" stays together. */
static void add_broken(struct cpf_buf *out, struct cpf_text name)
{
	struct cpf_buf shorter = {0}, b = {0};
	size_t i;

	cpf_pprof_shorten(&shorter, name);
	if (shorter.n)
		escape(&b, shorter.s, shorter.n);
	for (i = 0; i < b.n; i++) {
		if (b.s[i] == ':' && b.s[i + 1] == ':') {
			cpf_buf_str(out, "\\n");
			i++;
		} else if (b.n - i >= 5 && !memcmp(b.s + i, "[...]", 5)) {
			cpf_buf_str(out, "[\xe2\x80\xa6]");
			i += 4;
		} else if (b.s[i] == '.') {
			cpf_buf_str(out, "\\n");
		} else {
			cpf_buf_char(out, b.s[i]);
		}
	}
	cpf_buf_release(&shorter);
	cpf_buf_release(&b);
}

static void add_name(struct dot *d, const struct cpf_key *k)
{
	const struct cpf_profile *p = d->r->p;
	struct cpf_text file = {"", 0};

	if (k->file)
		file = cpf_go_base(cpf_text(p, k->file));
	if (k->address)
		cpf_buf_fmt(d->out, "%016" PRIx64 "\\n", k->address);
	if (k->name) {
		add_broken(d->out, cpf_text(p, k->name));
		cpf_buf_str(d->out, "\\n");
	}
	if (!k->line && !file.len && k->name)
		return;
	if (k->line) {
		cpf_buf_fmt(d->out, "%.*s:%" PRId64, (int)file.len, file.s, k->line);
		if (k->column)
			cpf_buf_fmt(d->out, ":%" PRId64, k->column);
	} else if (file.len) {
		cpf_buf_add(d->out, file.s, file.len);
	} else if (k->mapping != CPF_NONE && p->mappings[k->mapping].file) {
		file = cpf_go_base(cpf_text(p, p->mappings[k->mapping].file));
		cpf_buf_fmt(d->out, "[%.*s]", (int)file.len, file.s);
	} else {
		cpf_buf_str(d->out, "<unknown>");
	}
	cpf_buf_str(d->out, "\\n");
}

static void add_share(struct dot *d, int64_t v)
{
	char text[CPF_NUM_TEXT];

	cpf_buf_fmt(d->out, "%s (", cpf_pprof_value(d->r, v));
	cpf_buf_fmt(d->out, "%s)", cpf_percent_trim(v, d->r->total, text));
}

static int64_t flat_of(const struct cpf_pprof_node *n)
{
	return cpf_pprof_mean(n->flat, n->flat_div);
}

static void add_node(struct dot *d, const struct cpf_pprof_node *n, uint32_t id)
{
	int64_t flat = flat_of(n), cum = cpf_pprof_mean(n->cum, n->cum_div);
	int64_t size = cpf_go_abs(flat);
	int font = 8;

	cpf_buf_fmt(d->out, "N%" PRIu32 " [label=\"", id);
	add_name(d, &d->g->keys.keys[n->key]);
	if (flat)
		add_share(d, flat);
	else
		cpf_buf_char(d->out, '0');
	if (cum != flat) {
		cpf_buf_str(d->out, flat ? "\\nof " : " of ");
		add_share(d, cum);
	}
	if (d->most != 0 && flat && (double)size <= d->most)
		font += (int)ceil(16.0 * sqrt((double)size / d->most));
	cpf_buf_fmt(d->out, "\" id=\"node%" PRIu32 "\" fontsize=%d shape=box tooltip=\"", id, font);
	escape(d->out, n->name.s, n->name.len);
	cpf_buf_fmt(d->out, " (%s)\" color=", cpf_pprof_value(d->r, cum));
	add_color(d->out, share_of(d, cum), 0);
	cpf_buf_str(d->out, " fillcolor=");
	add_color(d->out, share_of(d, cum), 1);
	cpf_buf_str(d->out, "]\n");
}

/* Boxes of tags. */

struct box {
	const struct dot *d;
	struct cpf_text name;
	int64_t value, flat, flat_div, cum, cum_div;
	cpf_str unit, set;
	int by_flat;
	char *owned; /* name.s, or NULL */
};

static int by_size(const void *x, const void *y)
{
	const struct box *a = x, *b = y;
	int64_t v = cpf_go_abs(a->cum), w = cpf_go_abs(b->cum);

	if (!a->by_flat && v != w)
		return v > w ? -1 : 1;
	v = cpf_go_abs(a->flat);
	w = cpf_go_abs(b->flat);
	if (v != w)
		return v > w ? -1 : 1;
	return cpf_pprof_compare_text(a->name, b->name);
}

/* Tags of a node: those that are label sets, or the numbers of one set. */
static struct box *boxes_of(const struct dot *d, uint32_t id, int numbers, cpf_str set, int by_flat,
	uint32_t *n)
{
	const struct cpf_pprof_tags *t = &d->g->tags;
	uint32_t from = t->first[id], to = t->first[id + 1], i;
	struct box *boxes = cpf_calloc((size_t)(to - from) + 1, sizeof(*boxes));

	*n = 0;
	for (i = from; i < to; i++) {
		const struct cpf_pprof_tag *tag = &t->rows[i];

		if (numbers ? !tag->name || tag->set != set : tag->name != 0)
			continue;
		boxes[*n].d = d;
		boxes[*n].name = cpf_text(d->r->p, numbers ? tag->name : tag->set);
		boxes[*n].value = tag->value;
		boxes[*n].flat = tag->flat;
		boxes[*n].flat_div = tag->flat_div;
		boxes[*n].cum = tag->cum;
		boxes[*n].cum_div = tag->cum_div;
		boxes[*n].unit = tag->unit;
		boxes[*n].set = tag->set;
		boxes[(*n)++].by_flat = by_flat;
	}
	qsort(boxes, *n, sizeof(*boxes), by_size);
	return boxes;
}

static double distance(const struct box *a, const struct box *b)
{
	const struct cpf_profile *p = a->d->r->p;
	const char *suffix;
	double v = cpf_unit_scale(b->value, cpf_cstr(p, b->unit), cpf_cstr(p, a->unit), &suffix);

	return v < (double)a->value ? (double)a->value - v : v - (double)a->value;
}

/* One box for all of a group: "8kB..1MB". */
static struct box merge_group(const struct box *boxes, const uint8_t *group, uint32_t n, uint8_t which)
{
	const struct dot *d = boxes[0].d;
	const struct box *least = NULL, *most = NULL;
	struct box sum = {.d = d, .by_flat = boxes[0].by_flat};
	uint32_t i, members = 0;
	struct cpf_buf b = {0};
	const char *unit = cpf_cstr(d->r->p, boxes[0].unit);
	size_t cap = CPF_NUM_TEXT + strlen(unit);
	char *text = cpf_malloc(cap);

	for (i = 0; i < n; i++) {
		if (group[i] != which)
			continue;
		members++;
		if (!least || boxes[i].value < least->value)
			least = &boxes[i];
		if (!most || boxes[i].value > most->value)
			most = &boxes[i];
		sum.flat = cpf_wrap_add(sum.flat, boxes[i].flat);
		sum.flat_div = cpf_wrap_add(sum.flat_div, boxes[i].flat_div);
		sum.cum = cpf_wrap_add(sum.cum, boxes[i].cum);
		sum.cum_div = cpf_wrap_add(sum.cum_div, boxes[i].cum_div);
	}
	sum.flat = cpf_pprof_mean(sum.flat, sum.flat_div);
	sum.cum = cpf_pprof_mean(sum.cum, sum.cum_div);
	sum.flat_div = sum.cum_div = 0;
	cpf_buf_str(&b, cpf_unit_label(least ? least->value : 0, unit, "auto", text, cap));
	if (members > 1)
		cpf_buf_fmt(&b, "..%s", cpf_unit_label(most ? most->value : 0, unit, "auto", text, cap));
	cpf_free(text);
	sum.name.s = sum.owned = b.s;
	sum.name.len = (uint32_t)b.n;
	return sum;
}

/* So many boxes at most: each further number joins the nearest of the largest ones. */
static uint32_t collapse(struct box *boxes, uint32_t n)
{
	uint8_t *group = cpf_calloc((size_t)n + 1, 1), k;
	struct box merged[MOST_BOXES];
	uint32_t i;

	if (n > MOST_BOXES) {
		for (i = 0; i < n; i++) {
			double best, next;

			group[i] = (uint8_t)(i < MOST_BOXES ? i : 0);
			if (i < MOST_BOXES)
				continue;
			best = distance(&boxes[i], &boxes[0]);
			for (k = 1; k < MOST_BOXES; k++) {
				next = distance(&boxes[i], &boxes[k]);
				if (next < best) {
					best = next;
					group[i] = k;
				}
			}
		}
		for (k = 0; k < MOST_BOXES; k++)
			merged[k] = merge_group(boxes, group, n, k);
		memcpy(boxes, merged, sizeof(merged));
		n = MOST_BOXES;
		qsort(boxes, n, sizeof(*boxes), by_size);
	}
	cpf_free(group);
	return n;
}

static void add_box(struct dot *d, const char *source, const char *prefix, uint32_t number,
	const struct box *box, int64_t v, const char *style)
{
	const char *value = cpf_pprof_value(d->r, v);

	cpf_buf_fmt(d->out, "%s%s_%" PRIu32 " [label = \"", prefix, source, number);
	cpf_buf_add(d->out, box->name.s, box->name.len);
	cpf_buf_fmt(d->out, "\" id=\"%s%s_%" PRIu32 "\" fontsize=8 shape=box3d tooltip=\"%s\"]\n", prefix,
		source, number, value);
	cpf_buf_fmt(d->out,
		"%s -> %s%s_%" PRIu32 " [label=\" %s\" weight=100 tooltip=\"%s\" labeltooltip=\"%s\"%s]\n",
		source, prefix, source, number, value, value, value, style);
}

static void add_numbers(struct dot *d, uint32_t id, cpf_str set, int by_flat, const char *source)
{
	uint32_t n, i;
	struct box *boxes = boxes_of(d, id, 1, set, by_flat, &n);

	n = collapse(boxes, n);
	for (i = 0; i < n; i++) {
		int64_t flat = cpf_pprof_mean(boxes[i].flat, boxes[i].flat_div);
		int64_t cum = cpf_pprof_mean(boxes[i].cum, boxes[i].cum_div);
		int solid = by_flat || flat == cum;

		if (solid ? flat : cum)
			add_box(d, source, "N", i, &boxes[i], solid ? flat : cum,
				solid ? "" : " style=\"dotted\"");
		cpf_free(boxes[i].owned);
	}
	cpf_free(boxes);
}

/* Nodes that call others show what is theirs, leaves what goes through them. */
static int add_boxes(struct dot *d, uint32_t id, uint32_t number)
{
	int by_flat = d->g->out.first[id] < d->g->out.first[id + 1];
	struct cpf_buf source = {0};
	size_t start = d->out->n;
	uint32_t n, i;
	struct box *boxes = boxes_of(d, id, 0, 0, by_flat, &n);

	for (i = 0; i < n && i < MOST_BOXES; i++) {
		int64_t v = by_flat ? cpf_pprof_mean(boxes[i].flat, boxes[i].flat_div)
				    : cpf_pprof_mean(boxes[i].cum, boxes[i].cum_div);

		if (!v)
			continue;
		cpf_buf_clear(&source);
		cpf_buf_fmt(&source, "N%" PRIu32, number);
		add_box(d, source.s, "", i, &boxes[i], v, "");
		cpf_buf_fmt(&source, "_%" PRIu32, i);
		add_numbers(d, id, boxes[i].set, by_flat, source.s);
	}
	cpf_buf_clear(&source);
	cpf_buf_fmt(&source, "N%" PRIu32, number);
	add_numbers(d, id, 0, by_flat, source.s);
	cpf_free(boxes);
	cpf_buf_release(&source);
	return d->out->n > start;
}

/* Edges. */

/* 1 + |v * times / total|, at most 1 + times. */
static int64_t strength(int64_t v, int64_t times, int64_t total)
{
	int64_t w = (int64_t)((uint64_t)v * (uint64_t)times);

	w = total == -1 ? (int64_t)(0 - (uint64_t)w) : w / total;
	w = cpf_go_abs(w);
	return 1 + (w < times ? w : times);
}

static void add_tooltip(struct dot *d, const struct cpf_edge *edge, int64_t v)
{
	struct cpf_text src = cpf_pprof_name(d->g, edge->src), dst = cpf_pprof_name(d->g, edge->dst);

	cpf_buf_str(d->out, "tooltip=\"");
	escape(d->out, src.s, src.len);
	cpf_buf_str(d->out, edge->residual ? " ... " : " -> ");
	escape(d->out, dst.s, dst.len);
	cpf_buf_fmt(d->out, " (%s)\"", cpf_pprof_value(d->r, v));
}

static void add_edge(struct dot *d, const struct cpf_edge *edge, int has_boxes)
{
	int64_t v = cpf_pprof_mean(edge->weight, edge->div), total = d->r->total, n;

	cpf_buf_fmt(d->out, "N%" PRIu32 " -> N%" PRIu32 " [label=\" %s%s\"", d->g->node_of[edge->src],
		d->g->node_of[edge->dst], cpf_pprof_value(d->r, v),
		edge->inlined ? "\\n (inline)" : "");
	if (total) {
		n = strength(v, 100, total);
		if (n > 1)
			cpf_buf_fmt(d->out, " weight=%" PRId64, n);
		n = strength(v, 5, total);
		if (n > 1)
			cpf_buf_fmt(d->out, " penwidth=%" PRId64, n);
		cpf_buf_str(d->out, " color=");
		add_color(d->out, share_of(d, v), 0);
	}
	cpf_buf_char(d->out, ' ');
	add_tooltip(d, edge, v);
	cpf_buf_str(d->out, " label");
	add_tooltip(d, edge, v);
	cpf_buf_str(d->out, edge->residual ? " style=\"dotted\"" : "");
	cpf_buf_str(d->out, has_boxes ? " minlen=2]\n" : "]\n");
}

static void add_graph(struct dot *d)
{
	struct cpf_pprof_graph *g = d->g;
	uint8_t *has_boxes = cpf_calloc((size_t)g->n + 1, 1);
	uint32_t i, src;

	for (i = 0; i < g->n; i++)
		if (!i || (double)cpf_go_abs(flat_of(&g->nodes[i])) > d->most)
			d->most = (double)cpf_go_abs(flat_of(&g->nodes[i]));
	for (i = 0; i < g->n; i++) {
		add_node(d, &g->nodes[i], i + 1);
		has_boxes[i] = (uint8_t)add_boxes(d, g->nodes[i].id, i + 1);
	}
	for (i = 0; i < g->edges.n; i++) {
		src = g->node_of[g->edges.edges[i].src];
		if (src && g->live[i / 64] >> (i % 64) & 1)
			add_edge(d, &g->edges.edges[i], has_boxes[src - 1]);
	}
	cpf_free(has_boxes);
}

int cpf_pprof_dot(struct cpf_pprof *r, struct cpf_buf *out, struct cpf_err *e)
{
	struct cpf_pprof_graph g;
	struct dot d = {.r = r, .g = &g, .out = out};

	if (cpf_pprof_graph_build(r, &g, CPF_PPROF_VISUAL, e))
		return -1;
	cpf_pprof_choose_unit(r, &g);
	add_head(&d);
	if (g.n)
		add_graph(&d);
	cpf_buf_str(out, "}\n");
	cpf_pprof_graph_release(&g);
	return 0;
}
