#include "formats/losses.h"

#include "base/base.h"
#include "base/mem.h"

#include <stdio.h>

static void say(struct cpf_losses *l, const char *kind, uint64_t count, const char *fmt, ...)
	CPF_PRINTF(4, 5);
static void say(struct cpf_losses *l, const char *kind, uint64_t count, const char *fmt, ...)
{
	struct cpf_buf text = {0};
	va_list ap;

	va_start(ap, fmt);
	cpf_buf_vfmt(&text, fmt, ap);
	va_end(ap);
	CPF_GROW(l->v, l->cap, l->n + 1);
	l->v[l->n++] = (struct cpf_loss){kind, count, cpf_strndup(text.s, text.n)};
	cpf_buf_release(&text);
}

/* "1 marker", "3 markers" */
static void count(struct cpf_losses *l, const char *kind, uint64_t n, const char *what)
{
	if (n)
		say(l, kind, n, "%" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

static void of_samples(struct cpf_losses *l, const char *kind, uint64_t n, const char *what)
{
	if (n)
		say(l, kind, n, "%s of %" PRIu64 " sample%s", what, n, n == 1 ? "" : "s");
}

static void other_types(struct cpf_losses *l, const struct cpf_profile *p, uint32_t type)
{
	struct cpf_buf names = {0};
	uint32_t i, n = 0;

	for (i = 0; i < p->ntypes; i++)
		if (i != type) {
			cpf_buf_fmt(&names, "%s%s", n++ ? " " : "", cpf_cstr(p, p->types[i].type));
		}
	if (n)
		say(l, "sample-types", n, "sample type%s %s", n == 1 ? "" : "s", names.s);
	cpf_buf_release(&names);
}

static int is_number(const struct cpf_profile *p, cpf_str text, int64_t num)
{
	char s[24];

	snprintf(s, sizeof(s), "%" PRId64, num);
	return !strcmp(cpf_cstr(p, text), s);
}

/* Thread ids are texts or numbers. */
static int names_thread(const struct cpf_profile *p, cpf_id thread, const struct cpf_label *l)
{
	const struct cpf_thread *t;
	cpf_str text[4] = {0};
	size_t i;

	if (thread == CPF_NONE)
		return 0;
	t = &p->threads[thread];
	text[0] = t->name;
	text[1] = t->tid;
	if (t->process != CPF_NONE) {
		text[2] = p->processes[t->process].name;
		text[3] = p->processes[t->process].pid;
	}
	for (i = 0; i < CPF_LEN(text); i++)
		if (text[i] && (l->str ? text[i] == l->str : is_number(p, text[i], l->num)))
			return 1;
	return 0;
}

/* Samples with a label that does more than name their thread and, if times are kept, time. */
static uint64_t labelled(const struct cpf_profile *p, int times)
{
	const struct cpf_label_sets *t = &p->label_sets;
	uint64_t n = 0;
	uint32_t i, k;

	for (i = 0; i < p->samples.n && t->n > 1; i++) {
		cpf_id set = cpf_col_id(&p->samples.labels, i);
		cpf_id thread = cpf_col_id(&p->samples.thread, i);

		for (k = t->first[set]; k < t->first[set + 1]; k++)
			if (!(times && t->labels[k].key == p->time_label) &&
				!(p->threads_from_labels &&
					names_thread(p, thread, &t->labels[k]))) {
				n++;
				break;
			}
	}
	return n;
}

/* Threads that samples belong to. */
static uint64_t sampled_threads(const struct cpf_profile *p)
{
	uint8_t *seen = cpf_calloc((size_t)p->nthreads + 1, 1);
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < p->samples.n; i++) {
		cpf_id t = cpf_col_id(&p->samples.thread, i);

		if (t != CPF_NONE && !seen[t])
			n += seen[t] = 1;
	}
	cpf_free(seen);
	return n;
}

static uint64_t inlined_places(const struct cpf_profile *p)
{
	const struct cpf_locations *t = &p->locations;
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < t->n; i++)
		n += cpf_col_get(&t->first, (size_t)i + 1) - cpf_col_get(&t->first, i) > 1;
	return n;
}

static int any_not(const struct cpf_col *c, int64_t none)
{
	size_t i;

	if (!c->width)
		return c->n && c->value != none;
	for (i = 0; i < c->n; i++)
		if (cpf_col_get(c, i) != none)
			return 1;
	return 0;
}

static int any_file(const struct cpf_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->nfunctions; i++)
		if (p->functions[i].file)
			return 1;
	return 0;
}

static uint64_t without_stack(const struct cpf_profile *p)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < p->samples.n; i++)
		n += !cpf_col_id(&p->samples.node, i);
	return n;
}

static void lost_places(struct cpf_losses *l, const struct cpf_profile *p, uint32_t lost,
	const struct cpf_save_opts *o)
{
	uint64_t n = lost & CPF_KEEPS_INLINES && !o->marks ? inlined_places(p) : 0;

	if (lost & CPF_KEEPS_ADDRESSES && any_not(&p->locations.address, 0))
		say(l, "addresses", 1, "addresses");
	if (lost & CPF_KEEPS_MAPPINGS && p->nmappings)
		say(l, "libraries", p->nmappings, "%" PRIu32 " librar%s", p->nmappings,
			p->nmappings == 1 ? "y" : "ies");
	if (n)
		say(l, "inlining", n, "inlining of %" PRIu64 " place%s", n, n == 1 ? "" : "s");
	if (lost & CPF_KEEPS_LINES && any_not(&p->locations.line_no, 0))
		say(l, "lines", 1, "line numbers");
	if (lost & CPF_KEEPS_FILES && any_file(p))
		say(l, "files", 1, "source files");
	if (lost & CPF_KEEPS_CATEGORIES && any_not(&p->locations.category, -1))
		say(l, "categories", 1, "categories");
}

void cpf_losses_find(struct cpf_losses *l, const struct cpf_profile *p, const struct cpf_format *f,
	const struct cpf_save_opts *o)
{
	uint32_t lost = ~f->keeps, type = o->type == CPF_NONE ? p->default_type : o->type;
	uint64_t n;

	/* Where labels are kept, times in labels are. */
	if (o->timestamps || (p->time_label && !(lost & CPF_KEEPS_LABELS)))
		lost &= ~(uint32_t)CPF_KEEPS_TIMES;
	if (o->root && strcmp(o->root, "none"))
		lost &= ~(uint32_t)CPF_KEEPS_THREADS;
	if (lost & CPF_KEEPS_MARKERS)
		count(l, "markers", p->nmarkers, "marker");
	count(l, "counters", p->ncounters, "counter");
	n = lost & CPF_KEEPS_EMPTY ? without_stack(p) : 0;
	if (n)
		say(l, "no-stack", n, "%" PRIu64 " sample%s without stack", n, n == 1 ? "" : "s");
	if (lost & CPF_KEEPS_TIMES && p->samples.has_time)
		of_samples(l, "times", p->samples.n, "times");
	if (lost & CPF_KEEPS_TYPES)
		other_types(l, p, type);
	if (lost & CPF_KEEPS_THREADS)
		count(l, "threads", sampled_threads(p), "thread");
	if (lost & CPF_KEEPS_LABELS)
		of_samples(l, "labels", labelled(p, !(lost & CPF_KEEPS_TIMES)), "labels");
	lost_places(l, p, lost, o);
	if (lost & CPF_KEEPS_HEADER) {
		count(l, "comments", p->head.ncomments, "comment");
		if (p->head.time_nanos || p->head.duration_nanos || p->head.period)
			say(l, "header", 1, "time and period of the recording");
	}
}

void cpf_losses_noted(struct cpf_losses *l, const struct cpf_diag *notes)
{
	size_t i, k;

	for (i = 0; i < notes->n; i++) {
		const struct cpf_note *n = &notes->notes[i];

		if (n->level != CPF_LOSS)
			continue;
		for (k = 0; k < l->n && strcmp(l->v[k].kind, n->kind) != 0; k++)
			;
		if (k == l->n)
			say(l, n->kind, (uint64_t)n->count, "%s", n->text);
	}
}

void cpf_losses_text(struct cpf_buf *out, const struct cpf_losses *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		cpf_buf_fmt(out, "%s%s", i ? ", " : "", l->v[i].text);
}

void cpf_losses_release(struct cpf_losses *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		cpf_free(l->v[i].text);
	cpf_free(l->v);
	memset(l, 0, sizeof(*l));
}
