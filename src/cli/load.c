/*
 * load.c - the part of common.h that reads files, pools them and applies the selection.
 */
#include "cli/common.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "cli/progress.h"
#include "core/merge.h"

/* As many names are listed in a message. */
#define NAMES_LISTED 40

int cpf_cli_load_file(struct cpf_cli *c, struct cpf_profile *p, const char *path, uint32_t want)
{
	struct cpf_load_opts o = {0};
	struct cpf_err e = {0};

	cpf_profile_init(p);
	o.want = want;
	o.sample_type = c->sample_type;
	o.thread_label = c->thread_label;
	o.keep_cpu_tracks = c->keep_cpu_tracks;
	if (c->from.set || c->to.set)
		o.want |= CPF_WANT_TIMES;
	cpf_progress_start(
		c->progress, !c->quiet && !c->no_progress, strcmp(path, "-") ? path : "<stdin>");
	if (!cpf_load(p, path, &o, &c->diag, &e)) {
		cpf_progress_clear(c->progress);
		return 0;
	}
	/* What was odd before the failure may be its cause. */
	cpf_cli_notes(c);
	c->exit = cpf_cli_fail(c, &e);
	return -1;
}

int cpf_cli_load_merged(struct cpf_cli *c, struct cpf_profile *p, uint32_t want,
	const struct cpf_merge_opts *how)
{
	size_t i, n = c->files.n, loaded;
	struct cpf_profile *all = cpf_calloc(n, sizeof(*all));
	struct cpf_profile **list = cpf_calloc(n, sizeof(*list));
	struct cpf_err e = {0};
	int r = 0;

	cpf_profile_init(p);
	for (loaded = 0; loaded < n && !r; loaded++) {
		list[loaded] = &all[loaded];
		r = cpf_cli_load_file(c, &all[loaded], c->files.items[loaded], want);
	}
	if (!r && cpf_merge(p, list, (uint32_t)n, how, &c->diag, &e)) {
		cpf_cli_notes(c);
		c->exit = cpf_cli_fail(c, &e);
		r = -1;
	}
	for (i = 0; i < loaded; i++)
		cpf_profile_release(&all[i]);
	cpf_free(all);
	cpf_free(list);
	return r;
}

int cpf_cli_load(struct cpf_cli *c, struct cpf_profile *p, uint32_t want)
{
	static const struct cpf_merge_opts rows = {0};

	if (c->files.n == 1)
		return cpf_cli_load_file(c, p, c->files.items[0], want);
	/* Which types the files have in common is known only when all are there. */
	return cpf_cli_load_merged(c, p, want | CPF_WANT_ALL_VALUES, &rows);
}

int cpf_cli_type(struct cpf_cli *c, const struct cpf_profile *p)
{
	struct cpf_buf names = {0};
	uint32_t i;
	int type;

	if (!p->ntypes) {
		cpf_cli_empty(c, "%s: no samples", cpf_cli_inputs(c));
		return -1;
	}
	if (!c->sample_type)
		return (int)p->default_type;
	type = cpf_type_index(p, c->sample_type);
	if (type < 0) {
		for (i = 0; i < p->ntypes; i++)
			cpf_buf_fmt(&names, "%s%s", i ? ", " : "", cpf_cstr(p, p->types[i].type));
		c->exit = cpf_cli_usage(c, "--sample-type: '%s' is not one of %s", c->sample_type,
			names.s ? names.s : "none");
		cpf_buf_release(&names);
	}
	return type;
}

const char *cpf_cli_inputs(const struct cpf_cli *c)
{
	if (c->files.n == 1)
		return strcmp(c->files.items[0], "-") ? c->files.items[0] : "<stdin>";
	return "all files";
}

/* Selection. */

static void list_threads(const struct cpf_profile *p, struct cpf_buf *out)
{
	uint32_t *count = cpf_calloc((size_t)p->nthreads + 1, sizeof(*count));
	uint32_t i, listed = 0, id;

	for (i = 0; i < p->samples.n; i++) {
		id = cpf_col_id(&p->samples.thread, i);
		if (id < p->nthreads)
			count[id]++;
	}
	for (i = 0; i < p->nthreads && listed < NAMES_LISTED; i++) {
		const struct cpf_thread *t = &p->threads[i];

		if (!count[i])
			continue;
		cpf_buf_str(out, listed++ ? ", " : "");
		cpf_buf_str(out, cpf_cstr(p, t->name));
		if (t->tid)
			cpf_buf_fmt(out, " (tid:%s)", cpf_cstr(p, t->tid));
	}
	if (listed == NAMES_LISTED)
		cpf_buf_str(out, ", ...");
	cpf_free(count);
}

static void list_processes(const struct cpf_profile *p, struct cpf_buf *out)
{
	uint32_t i;

	for (i = 0; i < p->nprocesses && i < NAMES_LISTED; i++) {
		cpf_buf_fmt(out, "%s%s", i ? ", " : "", cpf_cstr(p, p->processes[i].name));
		if (p->processes[i].pid)
			cpf_buf_fmt(out, " (pid:%s)", cpf_cstr(p, p->processes[i].pid));
	}
	if (i < p->nprocesses)
		cpf_buf_str(out, ", ...");
}

static void list_libs(const struct cpf_profile *p, struct cpf_buf *out)
{
	struct cpf_text name;
	uint32_t i;

	for (i = 0; i < p->nmappings && i < NAMES_LISTED; i++) {
		name = cpf_mapping_name(p, i);
		cpf_buf_str(out, i ? ", " : "");
		cpf_buf_add(out, name.s, name.len);
	}
	if (i < p->nmappings)
		cpf_buf_str(out, ", ...");
}

static void scope_part(struct cpf_buf *out, const char *word, const char *value)
{
	if (value)
		cpf_buf_fmt(out, "%s%s%s", out->n ? ", " : "", word, value);
}

static void scope_list(struct cpf_buf *out, const char *word, const struct cpf_opt_list *l)
{
	struct cpf_buf names = {0};
	size_t i;

	for (i = 0; i < l->n; i++)
		cpf_buf_fmt(&names, "%s%s", i ? " or " : "", l->items[i]);
	scope_part(out, word, names.s);
	cpf_buf_release(&names);
}

void cpf_cli_scope(const struct cpf_cli *c, struct cpf_buf *out)
{
	char text[64];

	cpf_buf_str(out, "");
	scope_list(out, "in thread ", &c->threads);
	scope_list(out, "in process ", &c->processes);
	scope_list(out, "with library ", &c->libs);
	if (c->from.set)
		scope_part(out, "from ", cpf_unit_label(c->from.ns, "ns", "auto", text, sizeof(text)));
	if (c->to.set)
		scope_part(out, "to ", cpf_unit_label(c->to.ns, "ns", "auto", text, sizeof(text)));
	scope_part(out, "focus=", c->focus);
	scope_part(out, "ignore=", c->ignore);
	scope_part(out, "hide=", c->hide);
	scope_part(out, "show=", c->show);
	scope_part(out, "show_from=", c->show_from);
	scope_part(out, "prune_from=", c->prune_from);
}

/* What there was to be matched, gathered before the samples go. */
struct choices {
	struct cpf_buf threads, processes, libs;
	char span[40]; /* from the first sample to the last */
};

static void measure_span(const struct cpf_profile *p, char out[40])
{
	int64_t first = 0, last = 0, t;
	uint32_t i;

	for (i = 0; i < p->samples.n; i++) {
		t = cpf_col_get(&p->samples.time, i);
		first = !i || t < first ? t : first;
		last = !i || t > last ? t : last;
	}
	cpf_unit_label_double((double)last - (double)first, "ns", "auto", out, 40);
}

static void join(struct cpf_buf *out, const struct cpf_opt_list *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		cpf_buf_fmt(out, "%s'%s'", i ? " or " : "", l->items[i]);
}

static void nothing_matched(struct cpf_cli *c, const char *what, const struct cpf_opt_list *l,
	const struct cpf_buf *names)
{
	struct cpf_buf patterns = {0};

	join(&patterns, l);
	cpf_cli_empty(c, "%s: no %s with samples matches %s", cpf_cli_inputs(c), what, patterns.s);
	if (names->n)
		cpf_cli_error("there are: %s", names->s);
	cpf_buf_release(&patterns);
}

/*
 * Says which option left nothing; the first that matched nothing in the order they are applied. A
 * frame that --ignore meets first keeps --focus from being looked for.
 */
static void explain_empty(struct cpf_cli *c, const struct cpf_filter_result *r, struct choices *had)
{
	static const char none[] = "%s: no samples left after the selection: %s matched nothing";

	if (!r->threads)
		nothing_matched(c, "thread", &c->threads, &had->threads);
	else if (!r->processes)
		nothing_matched(c, "process", &c->processes, &had->processes);
	else if (!r->libs)
		nothing_matched(c, "library", &c->libs, &had->libs);
	else if (!r->focus && !c->ignore)
		cpf_cli_empty(c, none, cpf_cli_inputs(c), "--focus");
	else if (!r->show)
		cpf_cli_empty(c, none, cpf_cli_inputs(c), "--show");
	else if (!r->show_from)
		cpf_cli_empty(c, none, cpf_cli_inputs(c), "--show-from");
	else if (c->from.set || c->to.set)
		cpf_cli_empty(c, "%s: no samples left after the selection (%" PRIu32 " in %s before)",
			cpf_cli_inputs(c), r->samples_before, had->span);
	else
		cpf_cli_empty(c, "%s: no samples left after the selection (%" PRIu32 " before)",
			cpf_cli_inputs(c), r->samples_before);
}

/* An option that changed nothing is most likely a slip. */
static void explain_idle(struct cpf_cli *c, const struct cpf_filter_result *r)
{
	if (!r->ignore)
		cpf_cli_note(c, "%s: --ignore matched nothing", cpf_cli_inputs(c));
	if (!r->hide)
		cpf_cli_note(c, "%s: --hide matched nothing", cpf_cli_inputs(c));
}

int cpf_cli_select(struct cpf_cli *c, struct cpf_profile *p)
{
	struct cpf_filter f = {0};
	struct cpf_filter_result r;
	struct choices had = {0};
	struct cpf_err e = {0};

	if (!p->samples.n) {
		cpf_cli_empty(c, "%s: no samples", cpf_cli_inputs(c));
		return -1;
	}
	f.threads = c->threads.items;
	f.processes = c->processes.items;
	f.libs = c->libs.items;
	f.has_from = c->from.set;
	f.has_to = c->to.set;
	f.from = c->from.ns;
	f.to = c->to.ns;
	f.focus = c->focus;
	f.ignore = c->ignore;
	f.hide = c->hide;
	f.show = c->show;
	f.show_from = c->show_from;
	f.prune_from = c->prune_from;
	if (!cpf_filter_active(&f))
		return cpf_cli_symbolize(c, p);
	if (f.has_from && f.has_to && f.from >= f.to) {
		c->exit = cpf_cli_usage(c, "--from must be before --to");
		return -1;
	}
	if (f.threads)
		list_threads(p, &had.threads);
	if (f.processes)
		list_processes(p, &had.processes);
	if (f.libs)
		list_libs(p, &had.libs);
	if (f.has_from || f.has_to)
		measure_span(p, had.span);
	/* Expressions are for the names that places have in the end. */
	if (cpf_filter_samples(p, &f, &r, &e)) {
		c->exit = cpf_cli_fail(c, &e);
	} else if (cpf_cli_symbolize(c, p)) {
		;
	} else if (cpf_filter_names(p, &f, &r, &e) ||
		   (f.prune_from && cpf_filter_prune_from(p, f.prune_from, &e))) {
		c->exit = cpf_cli_fail(c, &e);
	} else if (!p->samples.n) {
		explain_empty(c, &r, &had);
	} else {
		explain_idle(c, &r);
	}
	cpf_buf_release(&had.threads);
	cpf_buf_release(&had.processes);
	cpf_buf_release(&had.libs);
	return c->exit ? -1 : 0;
}

int cpf_cli_without_stacks(struct cpf_cli *c, const struct cpf_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->samples.n; i++)
		if (cpf_col_id(&p->samples.node, i))
			return 0;
	if (!p->samples.n)
		return 0;
	return cpf_cli_empty(c, "%s: %" PRIu32 " samples, but none has a stack", cpf_cli_inputs(c),
		p->samples.n);
}

/* Changes when frames are cut: samples move to parents, which have smaller ids, or lines go. */
static int64_t frames_mark(const struct cpf_profile *p)
{
	int overflow;

	return cpf_wrap_add(cpf_col_sum(&p->samples.node, &overflow), (int64_t)p->locations.line_fn.n);
}

void cpf_cli_drop_frames(struct cpf_cli *c, struct cpf_profile *p)
{
	int64_t before = frames_mark(p);
	struct cpf_err e = {0};
	const char *drop = cpf_cstr(p, p->head.drop_frames), *keep = cpf_cstr(p, p->head.keep_frames);

	if (!*drop || cpf_cli_symbolize(c, p))
		return;
	if (cpf_filter_drop_frames(p, drop, keep, &e))
		cpf_note(&c->diag, CPF_WARN, "drop-frames", 1,
			"%s: drop_frames of the file is not used: %s", cpf_cli_inputs(c), e.reason);
	else if (frames_mark(p) != before)
		cpf_note(&c->diag, CPF_INFO, "drop-frames", 1,
			"%s: frames left out as the file asks for (drop_frames): %s", cpf_cli_inputs(c),
			drop);
}
