/*
 * firefox_extra.c - what a profile says about itself and the format has no members for: a section of
 * meta.extra, which the Firefox Profiler shows as it is. Written by us, read back by us.
 *
 * meta.extra is a list of sections {label, entries: [{label, format, value}]}; ours has the label
 * "cpuprof", and texts for values.
 */
#include "formats/firefox.h"

#include <stdlib.h>

#include "base/mem.h"
#include "formats/firefox_write.h"

#define SECTION      "cpuprof"
#define COMMENT      "comment"
#define DURATION     "duration in nanoseconds"
#define PERIOD       "period"
#define SAMPLE_TYPE  "sample type"
#define SAMPLE_UNIT  "sample unit"

static const struct {
	const char *label;
	size_t at; /* a cpf_str of struct cpf_header */
} texts[] = {
	{"period type", offsetof(struct cpf_header, period_type)},
	{"period unit", offsetof(struct cpf_header, period_unit)},
	{"drop frames", offsetof(struct cpf_header, drop_frames)},
	{"keep frames", offsetof(struct cpf_header, keep_frames)},
	{"documentation", offsetof(struct cpf_header, doc_url)},
};

static cpf_str *text_at(struct cpf_header *h, size_t i)
{
	return (cpf_str *)(void *)((char *)h + texts[i].at);
}

/* Writing. */

static void entry(struct cpf_fw_text *t, int *some, const char *label, struct cpf_text v)
{
	struct cpf_jsonw *j = &t->j;

	if (!(*some)++) {
		cpf_jsonw_key(j, "extra");
		cpf_jsonw_array(j);
		cpf_jsonw_object(j);
		cpf_jsonw_key_str(j, "label", SECTION);
		cpf_jsonw_key(j, "entries");
		cpf_jsonw_array(j);
	}
	cpf_jsonw_object(j);
	cpf_jsonw_key_str(j, "label", label);
	cpf_jsonw_key_str(j, "format", "string");
	cpf_jsonw_key(j, "value");
	cpf_jsonw_str_n(j, v.s, v.len);
	cpf_jsonw_end(j);
}

static void number(struct cpf_fw_text *t, int *some, const char *label, int64_t v)
{
	struct cpf_buf b = {0};

	cpf_buf_i64(&b, v);
	entry(t, some, label, (struct cpf_text){b.s, (uint32_t)b.n});
	cpf_buf_release(&b);
}

void cpf_fw_extra_write(struct cpf_fw_text *t, const struct cpf_profile *p, int type, int duration)
{
	struct cpf_header h = p->head;
	int some = 0;
	size_t i;

	if (type >= 0) {
		entry(t, &some, SAMPLE_TYPE, cpf_text(p, p->types[type].type));
		entry(t, &some, SAMPLE_UNIT, cpf_text(p, p->types[type].unit));
	}
	if (duration)
		number(t, &some, DURATION, h.duration_nanos);
	if (h.period)
		number(t, &some, PERIOD, h.period);
	for (i = 0; i < CPF_LEN(texts); i++)
		if (*text_at(&h, i))
			entry(t, &some, texts[i].label, cpf_text(p, *text_at(&h, i)));
	for (i = 0; i < h.ncomments; i++)
		entry(t, &some, COMMENT, cpf_text(p, h.comments[i]));
	for (i = 0; some && i < 3; i++)
		cpf_jsonw_end(&t->j);
}

/* Reading. */

struct found {
	struct cpf_buf label, value;
};

static void take_text(struct cpf_fx_json *x, struct cpf_buf *to)
{
	struct cpf_slice s;

	cpf_buf_clear(to);
	if (cpf_fx_type(x) != '"') {
		cpf_fx_skip(x);
		return;
	}
	s = cpf_fx_str(x);
	cpf_buf_add(to, s.s, s.n);
}

static int is(const struct cpf_buf *b, const char *word)
{
	return b->n == strlen(word) && !memcmp(b->s, word, b->n);
}

static void take_entry(struct cpf_fx *r, struct cpf_fx_root *root, const struct found *f)
{
	struct cpf_header *h = &r->p->head;
	cpf_str v = cpf_intern(r->p, f->value.s ? f->value.s : "", f->value.n);
	size_t i;

	if (is(&f->label, COMMENT)) {
		cpf_add_comment(r->p, v);
	} else if (is(&f->label, DURATION)) {
		root->has_duration = 1;
		root->extra_duration = strtoll(cpf_cstr(r->p, v), NULL, 10);
	} else if (is(&f->label, PERIOD)) {
		h->period = strtoll(cpf_cstr(r->p, v), NULL, 10);
	} else if (is(&f->label, SAMPLE_TYPE)) {
		root->extra_type = v;
	} else if (is(&f->label, SAMPLE_UNIT)) {
		root->extra_unit = v;
	}
	for (i = 0; i < CPF_LEN(texts); i++)
		if (is(&f->label, texts[i].label)) {
			*text_at(h, i) = v;
			h->has_period_type |= v && (text_at(h, i) == &h->period_type ||
							   text_at(h, i) == &h->period_unit);
		}
}

/* The entries of a section: taken if it is ours. Its label stands in front. */
static void read_entries(
	struct cpf_fx *r, struct cpf_fx_root *root, struct found *f, int ours)
{
	struct cpf_slice key;

	if (cpf_fx_type(&r->x) != '[' || !ours) {
		cpf_fx_skip(&r->x);
		return;
	}
	cpf_fx_enter(&r->x);
	while (cpf_fx_elem(&r->x)) {
		if (cpf_fx_type(&r->x) != '{') {
			cpf_fx_skip(&r->x);
			continue;
		}
		cpf_buf_clear(&f->label);
		cpf_buf_clear(&f->value);
		cpf_fx_enter(&r->x);
		while (cpf_fx_key(&r->x, &key)) {
			if (cpf_slice_is(key, "label"))
				take_text(&r->x, &f->label);
			else if (cpf_slice_is(key, "value"))
				take_text(&r->x, &f->value);
			else
				cpf_fx_skip(&r->x);
		}
		if (!r->x.failed)
			take_entry(r, root, f);
	}
}

void cpf_fx_extra_read(struct cpf_fx *r, struct cpf_fx_root *root)
{
	struct found f = {{0}, {0}};
	struct cpf_slice key;
	int ours;

	if (cpf_fx_type(&r->x) != '[' || root->parent) {
		cpf_fx_skip(&r->x);
		return;
	}
	cpf_fx_enter(&r->x);
	while (cpf_fx_elem(&r->x)) {
		if (cpf_fx_type(&r->x) != '{') {
			cpf_fx_skip(&r->x);
			continue;
		}
		ours = 0;
		cpf_fx_enter(&r->x);
		while (cpf_fx_key(&r->x, &key)) {
			if (cpf_slice_is(key, "label")) {
				take_text(&r->x, &f.label);
				ours = is(&f.label, SECTION);
			} else if (cpf_slice_is(key, "entries")) {
				read_entries(r, root, &f, ours);
			} else {
				cpf_fx_skip(&r->x);
			}
		}
	}
	cpf_buf_release(&f.label);
	cpf_buf_release(&f.value);
}
