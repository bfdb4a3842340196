#include "base/base.h"
#include "base/mem.h"
#include "reports/flamegraph_write.h"

#include "flamegraph_js.h"

/*
 * What the script gets, as one object:
 *
 *   names  texts in the order of names, each as a length and a rest: so many characters of the text
 *          before, then the rest. The shared part is ASCII, where bytes are characters of JavaScript.
 *   keys   per name: library + 1, file + 1, line, colour
 *   rows   per row but the first, in preorder: levels to go up from the row before to the parent,
 *          times 3, plus 1 if all or 2 if some of it is inlined; name; total; hidden
 *
 * keys and rows are numbers as text: digits of base 32, the lowest first, each a character of DIGITS;
 * those with another one behind are 32 higher.
 */
static const char DIGITS[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

static void add_number(struct cpf_buf *out, uint64_t v)
{
	char text[13];
	size_t n = 0;

	for (; v >= 32; v >>= 5)
		text[n++] = DIGITS[32 + (v & 31)];
	text[n++] = DIGITS[v];
	cpf_buf_add(out, text, n);
}

/* A string of JavaScript inside CDATA, harmless in HTML, too. */
static void add_string(struct cpf_buf *out, const char *s, size_t n)
{
	struct cpf_buf json = {0};
	size_t i;

	cpf_buf_json(&json, s, n);
	for (i = 0; i < json.n; i++) {
		const char *c = json.s + i;

		if (*c == '<' || *c == '>' || *c == '&') {
			cpf_buf_fmt(out, "\\u%04x", (unsigned char)*c);
		} else if (json.n - i >= 3 && (!memcmp(c, "\xef\xbf\xbe", 3) || !memcmp(c, "\xef\xbf\xbf", 3))) {
			/* XML has no way to write these. */
			cpf_buf_str(out, c[2] == '\xbe' ? "\\ufffe" : "\\uffff");
			i += 2;
		} else {
			cpf_buf_char(out, *c);
		}
	}
	cpf_buf_release(&json);
}

static size_t shared_ascii(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = na < nb ? na : nb, i = 0;

	while (i < n && a[i] == b[i] && !(a[i] & 0x80))
		i++;
	return i;
}

/* Length of the text that name i shares with the one before it. */
static size_t shared(const struct cpf_flame *f, uint32_t i)
{
	const struct cpf_flame_name *n = &f->names[i];

	if (!i)
		return 0;
	return shared_ascii(f->texts.s + n[-1].text, n[-1].len, f->texts.s + n->text, n->len);
}

uint64_t cpf_flame_table_size(const struct cpf_flame *f)
{
	uint64_t size = 10 * (uint64_t)f->tree.n + 8 * (uint64_t)f->nnames;
	uint32_t i;

	for (i = 0; i < f->nnames; i++)
		size += f->names[i].len - shared(f, i) + 8;
	return size;
}

static void add_names(const struct cpf_flame *f, struct cpf_buf *out)
{
	uint32_t i;
	size_t k;

	cpf_buf_str(out, "names:[");
	for (i = 0; i < f->nnames; i++) {
		k = shared(f, i);
		cpf_buf_fmt(out, i ? ",\n%zu," : "%zu,", k);
		add_string(out, f->texts.s + f->names[i].text + k, f->names[i].len - k);
	}
	cpf_buf_str(out, "],\n");
}

/* Texts of the profile that the table names, numbered from 1 in the order they are met. */
struct listed {
	uint32_t *number; /* per string or library */
	struct cpf_buf json;
	uint32_t n;
};

static uint32_t list_text(struct listed *l, uint32_t id, struct cpf_text t)
{
	if (!t.len)
		return 0;
	if (!l->number[id]) {
		l->number[id] = ++l->n;
		if (l->n > 1)
			cpf_buf_str(&l->json, ",\n");
		add_string(&l->json, t.s, t.len);
	}
	return l->number[id];
}

static void add_keys(const struct cpf_flame *f, struct cpf_buf *out)
{
	const struct cpf_profile *p = f->p;
	struct listed libs = {0}, files = {0};
	struct cpf_buf keys = {0};
	uint32_t i;

	libs.number = cpf_calloc((size_t)p->nmappings + 1, sizeof(*libs.number));
	files.number = cpf_calloc((size_t)cpf_nstrings(p) + 1, sizeof(*files.number));
	for (i = 0; i < f->nnames; i++) {
		const struct cpf_flame_name *n = &f->names[i];
		const struct cpf_key *k = n->key < f->keys.n ? &f->keys.keys[n->key] : NULL;
		cpf_id lib = k ? k->mapping : CPF_NONE;
		int64_t line = k ? k->line ? k->line : k->start_line : 0;

		add_number(&keys, lib == CPF_NONE ? 0 : list_text(&libs, lib, cpf_mapping_name(p, lib)));
		add_number(&keys, k ? list_text(&files, k->file, cpf_text(p, k->file)) : 0);
		add_number(&keys, line > 0 ? (uint64_t)line : 0);
		add_number(&keys, n->color);
	}
	cpf_buf_str(out, "libs:[");
	cpf_buf_add(out, libs.json.s, libs.json.n);
	cpf_buf_str(out, "],\nfiles:[");
	cpf_buf_add(out, files.json.s, files.json.n);
	cpf_buf_str(out, "],\nkeys:\"");
	cpf_buf_add(out, keys.s, keys.n);
	cpf_buf_str(out, "\",\n");
	cpf_free(libs.number);
	cpf_free(files.number);
	cpf_buf_release(&libs.json);
	cpf_buf_release(&files.json);
	cpf_buf_release(&keys);
}

static void add_rows(const struct cpf_flame *f, struct cpf_buf *out)
{
	const struct cpf_tree *t = &f->tree;
	uint32_t i;

	cpf_buf_str(out, "rows:\"");
	for (i = 1; i < t->n; i++) {
		const struct cpf_tree_row *r = &t->rows[i];
		uint64_t up = r[-1].depth + 1 - r->depth;

		add_number(out, up * 3 + (!r->inlined ? 0 : r->inlined == r->total ? 1 : 2));
		add_number(out, f->name_of[r->key]);
		add_number(out, (uint64_t)r->total);
		add_number(out, (uint64_t)r->hidden);
	}
	cpf_buf_str(out, "\"");
}

int cpf_flame_script(const struct cpf_flame *f, struct cpf_buf *out)
{
	const struct cpf_tree_row *root = &f->tree.rows[0];
	struct cpf_text unit = cpf_text(f->p, f->type->unit), type = cpf_text(f->p, f->type->type);

	cpf_buf_str(out, "<script><![CDATA[\n(");
	cpf_buf_str(out, cpf_flamegraph_js);
	cpf_buf_fmt(out, ")({n:%" PRIu32 ",total:%" PRId64 ",hidden:%" PRId64 ",num:%" PRId64 ",den:%" PRId64,
		f->tree.n, root->total, root->hidden, f->type->num, f->type->den);
	cpf_buf_fmt(out, ",inverted:%d,pad:%d,row:%d,top:%d,bottom:%d,type:", f->o->inverted,
		CPF_FLAME_PAD, CPF_FLAME_ROW, CPF_FLAME_TOP, CPF_FLAME_BOTTOM);
	add_string(out, type.s, type.len);
	cpf_buf_str(out, ",unit:");
	add_string(out, unit.s, unit.len);
	cpf_buf_str(out, ",\n");
	add_names(f, out);
	add_keys(f, out);
	add_rows(f, out);
	cpf_buf_str(out, "});\n]]></script>\n");
	return 0;
}
