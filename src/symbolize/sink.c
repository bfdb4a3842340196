#include "symbolize/sink.h"

#include "base/mem.h"

#include <stdio.h>

static const char *const words[CPF_NWHYS] = {
	[CPF_WHY_NONE] = "none",
	[CPF_WHY_NO_LIBRARY] = "no-library",
	[CPF_WHY_NO_ADDRESS] = "no-address",
	[CPF_WHY_NO_FILE] = "no-file",
	[CPF_WHY_ID_DIFFERS] = "id-differs",
	[CPF_WHY_NO_ID] = "no-id",
	[CPF_WHY_NO_SYMBOLS] = "no-symbols",
	[CPF_WHY_OUTSIDE] = "outside",
	[CPF_WHY_UNSUPPORTED] = "unsupported",
	[CPF_WHY_FAILED] = "failed",
	[CPF_WHY_OFF] = "off",
};

const char *cpf_why_word(enum cpf_why why)
{
	return words[why];
}

/*
 * How much a reason tells the reader: that a file of the right name was found and refused says more
 * than that another place holds none.
 */
int cpf_why_weight(enum cpf_why why)
{
	switch (why) {
	case CPF_WHY_NONE:
		return 0;
	case CPF_WHY_NO_LIBRARY:
	case CPF_WHY_NO_ADDRESS:
	case CPF_WHY_OFF:
		return 1;
	case CPF_WHY_NO_FILE:
		return 2;
	case CPF_WHY_UNSUPPORTED:
		return 3;
	case CPF_WHY_NO_ID:
		return 4;
	case CPF_WHY_NO_SYMBOLS:
		return 5;
	case CPF_WHY_OUTSIDE:
		return 6;
	case CPF_WHY_ID_DIFFERS:
		return 7;
	default:
		return 8;
	}
}

void cpf_reason(struct cpf_reason *r, enum cpf_why why, const char *fmt, ...)
{
	va_list ap;

	if (cpf_why_weight(why) <= cpf_why_weight(r->why))
		return;
	r->why = why;
	va_start(ap, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, ap);
	va_end(ap);
}

void cpf_sink_init(struct cpf_sink *s, size_t n)
{
	size_t i;

	memset(s, 0, sizeof(*s));
	s->strings = cpf_strings_new();
	s->answers = cpf_calloc(n, sizeof(*s->answers));
	s->n = n;
	for (i = 0; i < n; i++)
		s->answers[i].symbol = CPF_NONE;
}

void cpf_sink_release(struct cpf_sink *s)
{
	cpf_strings_free(s->strings);
	cpf_free(s->answers);
	cpf_free(s->frames);
	cpf_free(s->symbols);
	memset(s, 0, sizeof(*s));
}

static cpf_str keep(struct cpf_sink *s, const char *text)
{
	return text && *text ? cpf_strings_intern(s->strings, text, strlen(text)) : 0;
}

/* Neighbours mostly lie in the same function, so the last symbol is the one to compare with. */
static uint32_t keep_symbol(struct cpf_sink *s, const struct cpf_sym_symbol *sym)
{
	struct cpf_sink_symbol *last = s->nsymbols ? &s->symbols[s->nsymbols - 1] : NULL;
	cpf_str name = keep(s, sym->name);

	if (last && last->address == sym->address && last->name == name)
		return (uint32_t)s->nsymbols - 1;
	CPF_GROW(s->symbols, s->symbols_cap, s->nsymbols + 1);
	last = &s->symbols[s->nsymbols];
	last->name = name;
	last->address = sym->address;
	last->size = sym->size;
	last->aliases = sym->aliases;
	return (uint32_t)s->nsymbols++;
}

void cpf_sink_frames(struct cpf_sink *s, size_t i, const struct cpf_sym_frame *frames, size_t n,
	const struct cpf_sym_symbol *sym)
{
	struct cpf_sink_answer *a = &s->answers[i];
	struct cpf_sink_frame *f;
	size_t k;

	if (a->n || !n)
		return;
	CPF_GROW(s->frames, s->frames_cap, s->nframes + n);
	a->first = (uint32_t)s->nframes;
	a->n = (uint32_t)n;
	a->why = CPF_WHY_NONE;
	for (k = 0; k < n; k++) {
		f = &s->frames[s->nframes++];
		f->name = keep(s, frames[k].name);
		f->file = keep(s, frames[k].file);
		f->line = frames[k].line;
		f->column = frames[k].column;
		f->start_line = frames[k].start_line;
		f->plain = frames[k].plain;
	}
	if (sym && sym->name && *sym->name)
		a->symbol = keep_symbol(s, sym);
}

void cpf_sink_partial(struct cpf_sink *s, size_t i)
{
	s->answers[i].partial = s->answers[i].n > 0;
}

void cpf_sink_miss(struct cpf_sink *s, size_t i, enum cpf_why why, const char *text)
{
	struct cpf_sink_answer *a = &s->answers[i];

	if (a->n)
		return;
	a->why = (uint32_t)why;
	a->text = keep(s, text);
}
