#include "symbolize/apply.h"

#include "base/buf.h"
#include "base/mem.h"
#include "core/demangle.h"

/* One sink on its way into the profile: what its strings and symbols are there. */
struct names {
	struct cpf_profile *p;
	const struct cpf_sink *s;
	cpf_id mapping;
	int raw_names;
	cpf_str *plain;    /* per string of the sink: id in the profile; CPF_NONE = not yet */
	cpf_str *readable; /* the same, demangled */
	cpf_id *symbol;    /* per symbol of the sink */
	cpf_id *function;  /* per frame of the sink */
	struct cpf_buf buf;
};

static cpf_str *unset(size_t n)
{
	cpf_str *v = cpf_realloc_array(NULL, n + 1, sizeof(*v));

	memset(v, 0xff, (n + 1) * sizeof(*v));
	return v;
}

static void names_init(struct names *t, struct cpf_profile *p, const struct cpf_sym_job *job,
	size_t i, int raw_names)
{
	memset(t, 0, sizeof(*t));
	t->p = p;
	t->s = &job->sinks[i];
	t->mapping = job->mapping;
	t->raw_names = raw_names;
	t->plain = unset(t->s->strings->n);
	t->readable = unset(t->s->strings->n);
	t->symbol = unset(t->s->nsymbols);
	t->function = unset(t->s->nframes);
}

static void names_release(struct names *t)
{
	cpf_free(t->plain);
	cpf_free(t->readable);
	cpf_free(t->symbol);
	cpf_free(t->function);
	cpf_buf_release(&t->buf);
}

static cpf_str plain(struct names *t, cpf_str s)
{
	struct cpf_text text;

	if (t->plain[s] == CPF_NONE) {
		text = t->s->strings->texts[s];
		t->plain[s] = cpf_intern(t->p, text.s, text.len);
	}
	return t->plain[s];
}

static cpf_str readable(struct names *t, cpf_str s)
{
	if (t->raw_names)
		return plain(t, s);
	if (t->readable[s] == CPF_NONE) {
		cpf_buf_clear(&t->buf);
		if (cpf_shown_name(&t->buf, t->s->strings->texts[s].s))
			t->readable[s] = cpf_intern(t->p, t->buf.s, t->buf.n);
		else
			t->readable[s] = plain(t, s);
	}
	return t->readable[s];
}

/* Identical code folding leaves one function for several: the name is that of one of them. */
static cpf_str with_aliases(struct names *t, cpf_str name, uint32_t aliases)
{
	struct cpf_text text = cpf_text(t->p, name);

	cpf_buf_clear(&t->buf);
	cpf_buf_add(&t->buf, text.s, text.len);
	cpf_buf_fmt(&t->buf, " (+%" PRIu32 " alias%s)", aliases, aliases == 1 ? "" : "es");
	return cpf_intern(t->p, t->buf.s, t->buf.n);
}

/* aliases: of the symbol, if the frame is the function the symbol stands for. */
static cpf_id function_of(struct names *t, size_t frame, uint32_t aliases)
{
	const struct cpf_sink_frame *f = &t->s->frames[frame];
	struct cpf_function fn = {0};

	if (t->function[frame] != CPF_NONE)
		return t->function[frame];
	fn.name = f->plain == CPF_PLAIN_YES ? plain(t, f->name) : readable(t, f->name);
	if (f->plain == CPF_PLAIN_NO)
		fn.system_name = plain(t, f->name);
	if (aliases && !t->raw_names)
		fn.name = with_aliases(t, fn.name, aliases);
	fn.file = f->file ? plain(t, f->file) : 0;
	fn.start_line = f->start_line;
	/* Firefox files know the library by the function, pprof files by the location alone. */
	fn.resource_lib = t->p->mappings[t->mapping].flags & CPF_MAP_RELATIVE ? t->mapping : CPF_NONE;
	t->function[frame] = cpf_find_function(t->p, &fn);
	return t->function[frame];
}

static cpf_id symbol_of(struct names *t, uint32_t i)
{
	const struct cpf_mapping *m = &t->p->mappings[t->mapping];
	const struct cpf_sink_symbol *sym;
	struct cpf_symbol row = {0};

	if (i == CPF_NONE)
		return CPF_NONE;
	if (t->symbol[i] == CPF_NONE) {
		sym = &t->s->symbols[i];
		row.address = sym->address;
		if (!(m->flags & CPF_MAP_RELATIVE))
			row.address += m->offset - m->start;
		row.size = sym->size;
		row.mapping = t->mapping;
		row.name = readable(t, sym->name);
		t->symbol[i] = cpf_add_symbol(t->p, &row);
	}
	return t->symbol[i];
}

/* Where a location's lines go while the columns are built anew. */
struct lines {
	struct cpf_col first, fn, no, col;
};

static void add_answer(struct lines *out, struct names *t, cpf_id location, uint32_t at)
{
	const struct cpf_sink_answer *a = &t->s->answers[at];
	uint32_t aliases = a->symbol == CPF_NONE ? 0 : t->s->symbols[a->symbol].aliases;
	struct cpf_mapping *m;
	cpf_id symbol;
	uint32_t i;

	for (i = a->first; i < a->first + a->n; i++) {
		const struct cpf_sink_frame *f = &t->s->frames[i];

		cpf_col_push_id(&out->fn, function_of(t, i, i + 1 == a->first + a->n ? aliases : 0));
		cpf_col_push(&out->no, f->line);
		cpf_col_push(&out->col, f->column);
		m = &t->p->mappings[t->mapping];
		m->flags |= CPF_MAP_HAS_FUNCTIONS;
		if (f->file)
			m->flags |= CPF_MAP_HAS_FILENAMES;
		if (f->line)
			m->flags |= CPF_MAP_HAS_LINES;
	}
	if (a->n > 1)
		t->p->mappings[t->mapping].flags |= CPF_MAP_HAS_INLINES;
	symbol = symbol_of(t, a->symbol);
	if (symbol != CPF_NONE)
		cpf_col_set(&t->p->locations.symbol, location, (int64_t)symbol);
}

static void add_old(struct lines *out, const struct cpf_locations *t, cpf_id location)
{
	size_t i = (size_t)cpf_col_get(&t->first, location);
	size_t end = (size_t)cpf_col_get(&t->first, (size_t)location + 1);

	for (; i < end; i++) {
		cpf_col_push_id(&out->fn, cpf_col_id(&t->line_fn, i));
		cpf_col_push(&out->no, cpf_col_get(&t->line_no, i));
		cpf_col_push(&out->col, cpf_col_get(&t->line_col, i));
	}
}

static void replace(struct cpf_col *old, struct cpf_col *col)
{
	cpf_col_release(old);
	*old = *col;
	cpf_col_trim(old);
}

/* Per location: number of its place + 1; 0 where nothing changes. NULL if nothing does anywhere. */
static uint32_t *answered(const struct cpf_profile *p, const struct cpf_sym_place *places, size_t n,
	struct cpf_sym_job *const *job_of)
{
	uint32_t *of = NULL;
	size_t i;

	for (i = 0; i < n && places[i].mapping != CPF_NONE; i++) {
		if (job_of[places[i].mapping]->answers[places[i].at].sink == CPF_NONE)
			continue;
		if (!of)
			of = cpf_calloc(p->locations.n, sizeof(*of));
		of[places[i].location] = (uint32_t)i + 1;
	}
	return of;
}

void cpf_sym_apply(struct cpf_profile *p, const struct cpf_sym_place *places, size_t n,
	struct cpf_sym_job *const *job_of, int raw_names)
{
	struct cpf_locations *t = &p->locations;
	uint32_t *of = answered(p, places, n, job_of), i;
	struct names **names; /* per mapping, one for each of its sinks */
	struct lines out = {0};
	size_t k;

	if (!of)
		return;
	names = cpf_calloc(p->nmappings, sizeof(*names));
	for (i = 0; i < t->n; i++) {
		const struct cpf_sym_place *place;
		const struct cpf_sym_job *job;

		cpf_col_push(&out.first, (int64_t)out.fn.n);
		if (!of[i]) {
			add_old(&out, t, i);
			continue;
		}
		place = &places[of[i] - 1];
		job = job_of[place->mapping];
		if (!names[place->mapping]) {
			names[place->mapping] = cpf_calloc(job->nsinks, sizeof(**names));
			for (k = 0; k < job->nsinks; k++)
				names_init(&names[place->mapping][k], p, job, k, raw_names);
		}
		add_answer(&out, &names[place->mapping][job->answers[place->at].sink], i,
			job->answers[place->at].at);
	}
	cpf_col_push(&out.first, (int64_t)out.fn.n);
	for (i = 0; i < p->nmappings; i++) {
		for (k = 0; names[i] && k < job_of[i]->nsinks; k++)
			names_release(&names[i][k]);
		cpf_free(names[i]);
	}
	cpf_free(names);
	cpf_free(of);
	replace(&t->first, &out.first);
	replace(&t->line_fn, &out.fn);
	replace(&t->line_no, &out.no);
	replace(&t->line_col, &out.col);
	/* Indices over locations and functions, if there are any, are those of before. */
	cpf_profile_seal(p);
}
