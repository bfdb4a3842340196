#include "formats/losses.h"

#include "base/base.h"
#include "base/mem.h"

static void say(struct cpf_buf *out, const char *fmt, ...) CPF_PRINTF(2, 3);
static void say(struct cpf_buf *out, const char *fmt, ...)
{
	va_list ap;

	if (out->n)
		cpf_buf_str(out, ", ");
	va_start(ap, fmt);
	cpf_buf_vfmt(out, fmt, ap);
	va_end(ap);
}

/* "1 marker", "3 markers" */
static void count(struct cpf_buf *out, uint64_t n, const char *what)
{
	if (n)
		say(out, "%" PRIu64 " %s%s", n, what, n == 1 ? "" : "s");
}

static void other_types(struct cpf_buf *out, const struct cpf_profile *p, uint32_t type)
{
	uint32_t i, n = 0;

	for (i = 0; i < p->ntypes; i++)
		if (i != type) {
			if (n++)
				cpf_buf_char(out, ' ');
			else
				say(out, "sample type%s ", p->ntypes > 2 ? "s" : "");
			cpf_buf_str(out, cpf_cstr(p, p->types[i].type));
		}
}

static int names_thread(const struct cpf_profile *p, cpf_id thread, cpf_str text)
{
	const struct cpf_thread *t;
	const struct cpf_process *r;

	if (thread == CPF_NONE || !text)
		return 0;
	t = &p->threads[thread];
	if (t->name == text || t->tid == text)
		return 1;
	if (t->process == CPF_NONE)
		return 0;
	r = &p->processes[t->process];
	return r->name == text || r->pid == text;
}

/* Samples with a label that does more than name their thread. */
static uint64_t labelled(const struct cpf_profile *p)
{
	const struct cpf_label_sets *t = &p->label_sets;
	uint64_t n = 0;
	uint32_t i, k;

	for (i = 0; i < p->samples.n && t->n > 1; i++) {
		cpf_id set = cpf_col_id(&p->samples.labels, i);
		cpf_id thread = cpf_col_id(&p->samples.thread, i);

		for (k = t->first[set]; k < t->first[set + 1]; k++)
			if (!p->threads_from_labels || !names_thread(p, thread, t->labels[k].str)) {
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

static void lost_places(struct cpf_buf *out, const struct cpf_profile *p, uint32_t lost,
	const struct cpf_save_opts *o)
{
	uint64_t n = lost & CPF_KEEPS_INLINES && !o->marks ? inlined_places(p) : 0;

	if (lost & CPF_KEEPS_ADDRESSES && any_not(&p->locations.address, 0))
		say(out, "addresses");
	if (lost & CPF_KEEPS_MAPPINGS && p->nmappings)
		say(out, "%" PRIu32 " librar%s", p->nmappings, p->nmappings == 1 ? "y" : "ies");
	if (n)
		say(out, "inlining of %" PRIu64 " place%s", n, n == 1 ? "" : "s");
	if (lost & CPF_KEEPS_LINES && any_not(&p->locations.line_no, 0))
		say(out, "line numbers");
	if (lost & CPF_KEEPS_FILES && any_file(p))
		say(out, "source files");
	if (lost & CPF_KEEPS_CATEGORIES && any_not(&p->locations.category, -1))
		say(out, "categories");
}

void cpf_losses(struct cpf_buf *out, const struct cpf_profile *p, const struct cpf_format *f,
	const struct cpf_save_opts *o)
{
	uint32_t lost = ~f->keeps, type = o->type == CPF_NONE ? p->default_type : o->type;
	uint64_t n;

	if (o->timestamps)
		lost &= ~(uint32_t)CPF_KEEPS_TIMES;
	if (o->root && strcmp(o->root, "none"))
		lost &= ~(uint32_t)CPF_KEEPS_THREADS;
	if (lost & CPF_KEEPS_MARKERS)
		count(out, p->nmarkers, "marker");
	count(out, p->ncounters, "counter");
	n = lost & CPF_KEEPS_EMPTY ? without_stack(p) : 0;
	if (n)
		say(out, "%" PRIu64 " sample%s without stack", n, n == 1 ? "" : "s");
	if (lost & CPF_KEEPS_TIMES && p->samples.has_time && p->samples.n)
		say(out, "times of %" PRIu32 " sample%s", p->samples.n, p->samples.n == 1 ? "" : "s");
	if (lost & CPF_KEEPS_TYPES && p->ntypes > 1)
		other_types(out, p, type);
	if (lost & CPF_KEEPS_THREADS)
		count(out, sampled_threads(p), "thread");
	n = lost & CPF_KEEPS_LABELS ? labelled(p) : 0;
	if (n)
		say(out, "labels of %" PRIu64 " sample%s", n, n == 1 ? "" : "s");
	lost_places(out, p, lost, o);
	if (lost & CPF_KEEPS_HEADER) {
		count(out, p->head.ncomments, "comment");
		if (p->head.time_nanos || p->head.duration_nanos || p->head.period)
			say(out, "time and period of the recording");
	}
}
