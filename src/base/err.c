#include "base/base.h"
#include "base/mem.h"

#include <stdio.h>

CPF_PRINTF(3, 0)
static int vfail(struct cpf_err *e, enum cpf_code code, const char *fmt, va_list ap)
{
	if (e && e->code == CPF_OK) {
		e->code = code;
		e->byte = CPF_NO_POS;
		vsnprintf(e->reason, sizeof(e->reason), fmt, ap);
	}
	return -1;
}

int cpf_fail(struct cpf_err *e, enum cpf_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfail(e, code, fmt, ap);
	va_end(ap);
	return -1;
}

int cpf_fail_at(struct cpf_err *e, enum cpf_code code, uint64_t byte, const char *fmt, ...)
{
	int fresh = e && e->code == CPF_OK;
	va_list ap;

	va_start(ap, fmt);
	vfail(e, code, fmt, ap);
	va_end(ap);
	if (fresh)
		e->byte = byte;
	return -1;
}

int cpf_fail_errno(struct cpf_err *e, int errnum, const char *what)
{
	char text[128] = "unknown error";

	if (e && e->code == CPF_OK) {
		strerror_r(errnum, text, sizeof(text));
		e->sys = errnum;
	}
	return cpf_fail(e, CPF_E_IO, "%s%s%s", what, what[0] ? ": " : "", text);
}

void cpf_err_source(struct cpf_err *e, const char *source)
{
	if (e && !e->source[0])
		snprintf(e->source, sizeof(e->source), "%s", source);
}

void cpf_err_where(struct cpf_err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e || e->where[0])
		return;
	va_start(ap, fmt);
	vsnprintf(e->where, sizeof(e->where), fmt, ap);
	va_end(ap);
}

void cpf_err_limit(struct cpf_err *e, enum cpf_limit limit)
{
	if (e && e->code == CPF_E_LIMIT && !e->limit)
		e->limit = limit;
}

CPF_PRINTF(4, 5)
static size_t put(char *out, size_t cap, size_t n, const char *fmt, ...)
{
	va_list ap;
	int k;

	if (n + 1 >= cap)
		return n;
	va_start(ap, fmt);
	k = vsnprintf(out + n, cap - n, fmt, ap);
	va_end(ap);
	if (k < 0)
		return n;
	return n + (size_t)k < cap ? n + (size_t)k : cap - 1;
}

const char *cpf_err_text(const struct cpf_err *e, char *out, size_t cap)
{
	size_t n = 0;

	if (!cap)
		return out;
	out[0] = '\0';
	if (e->source[0])
		n = put(out, cap, n, "%s: ", e->source);
	if (e->line && e->column)
		n = put(out, cap, n, "line %" PRIu64 ", column %" PRIu64 ": ", e->line, e->column);
	else if (e->line)
		n = put(out, cap, n, "line %" PRIu64 ": ", e->line);
	else if (e->byte != CPF_NO_POS)
		n = put(out, cap, n, "byte %" PRIu64 "%s: ", e->byte, e->unpacked ? " (unpacked)" : "");
	if (e->where[0])
		n = put(out, cap, n, "%s: ", e->where);
	put(out, cap, n, "%s", e->reason);
	return out;
}

void cpf_note(struct cpf_diag *d, enum cpf_level level, const char *kind, int64_t count,
	const char *fmt, ...)
{
	struct cpf_note *note;
	char text[1024];
	va_list ap;
	size_t i;

	if (!d)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (i = 0; i < d->n; i++) {
		note = &d->notes[i];
		if (note->level == level && !strcmp(note->kind, kind) && !strcmp(note->text, text)) {
			if (cpf_add64(&note->count, note->count, count))
				note->count = INT64_MAX;
			return;
		}
	}
	CPF_GROW(d->notes, d->cap, d->n + 1);
	note = &d->notes[d->n++];
	note->level = level;
	note->kind = kind;
	note->count = count;
	note->text = cpf_strdup(text);
}

void cpf_diag_release(struct cpf_diag *d)
{
	size_t i;

	for (i = 0; i < d->n; i++)
		cpf_free(d->notes[i].text);
	cpf_free(d->notes);
	d->notes = NULL;
	d->n = d->cap = 0;
}
