/*
 * firefox_write_libs.c - libraries with their ids, and categories.
 */
#include "formats/firefox_write.h"

#include "base/mem.h"

/* An id of 16 bytes in hex, and its age. */
enum { GUID = 32, BREAKPAD = GUID + 1 };
static const char nil_id[BREAKPAD + 1] = "000000000000000000000000000000000";

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 1 if all bytes are hex digits; *lower, *upper: whether such letters are among them. */
static int is_hex(struct cpf_text t, int *lower, int *upper)
{
	uint32_t i;

	*lower = *upper = 0;
	for (i = 0; i < t.len; i++) {
		if (is_digit(t.s[i]))
			continue;
		if (t.s[i] >= 'a' && t.s[i] <= 'f')
			*lower = 1;
		else if (t.s[i] >= 'A' && t.s[i] <= 'F')
			*upper = 1;
		else
			return 0;
	}
	return t.len > 0;
}

/* What is written of a library; texts are borrowed. */
struct lib {
	struct cpf_text name, path, debug_name, debug_path, code_id, arch;
	char breakpad[64];
	int lost_id;
};

static struct cpf_text or_else(struct cpf_text a, struct cpf_text b)
{
	return a.len ? a : b;
}

/* Symbol servers are asked for debugName/breakpadId, so there is no slash in a name. */
static struct cpf_text behind_slash(struct cpf_text t)
{
	uint32_t i;

	for (i = t.len; i > 0 && t.s[i - 1] != '/'; i--)
		;
	return (struct cpf_text){t.s + i, t.len - i};
}

/*
 * The id breakpad's tools use for an ELF file: the first 16 bytes of the build id, taken for a GUID
 * in little-endian order (bytes of its first groups reversed), and age 0.
 */
static void swapped(char out[BREAKPAD + 1], struct cpf_text build_id)
{
	static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
	uint32_t i, k, at;

	for (i = 0; i < 16; i++)
		for (k = 0; k < 2; k++) {
			at = order[i] * 2u + k;
			out[i * 2 + k] = at < build_id.len ? build_id.s[at] : '0';
			if (out[i * 2 + k] >= 'a')
				out[i * 2 + k] = (char)(out[i * 2 + k] - 'a' + 'A');
		}
	out[GUID] = '0';
	out[BREAKPAD] = '\0';
}

/*
 * Ids from a build id alone, as pprof has it: hex digits of an ELF build id; a UUID of Mach-O in
 * capitals, whose breakpad id has the same order; a breakpad id (the age makes its length odd); or
 * text, which has no place here (Go's own build ids).
 */
static void ids_of_build_id(struct lib *l, struct cpf_text id)
{
	int lower, upper, windows = memchr(l->path.s ? l->path.s : "", '\\', l->path.len) != NULL;

	memcpy(l->breakpad, nil_id, sizeof(nil_id));
	if (!id.len)
		return;
	if (!is_hex(id, &lower, &upper)) {
		l->lost_id = 1;
	} else if (id.len == BREAKPAD && !lower) {
		memcpy(l->breakpad, id.s, BREAKPAD);
	} else if (id.len > 8 && id.len <= 16 && (windows || id.len % 2)) {
		/* Time stamp and size of a PE file; its debug id is that of another file. */
		l->code_id = id;
	} else if (id.len % 2) {
		l->lost_id = 1;
	} else {
		l->code_id = id;
		if (id.len == GUID && upper && !lower)
			memcpy(l->breakpad, id.s, GUID);
		else if (id.len >= 16 && !upper)
			swapped(l->breakpad, id);
	}
}

static void describe(struct lib *l, const struct cpf_profile *p, cpf_id mapping)
{
	const struct cpf_mapping *m = &p->mappings[mapping];
	struct cpf_text id = cpf_text(p, m->debug_id);

	memset(l, 0, sizeof(*l));
	l->path = cpf_text(p, m->file);
	l->name = or_else(cpf_mapping_name(p, mapping), cpf_text(p, m->debug_name));
	l->path = or_else(l->path, l->name);
	l->debug_name = behind_slash(or_else(cpf_text(p, m->debug_name), l->name));
	l->debug_path = cpf_text(p, m->debug_path);
	if (!m->debug_id && !m->debug_path)
		l->debug_path = l->path;
	l->arch = cpf_text(p, m->arch);
	if (id.len && id.len < sizeof(l->breakpad)) {
		memcpy(l->breakpad, id.s, id.len);
		l->code_id = cpf_text(p, m->code_id);
	} else {
		ids_of_build_id(l, cpf_text(p, m->build_id));
	}
}

int cpf_fw_ids_follow(const struct cpf_profile *p, cpf_id mapping)
{
	const struct cpf_mapping *m = &p->mappings[mapping];
	struct lib l = {0};

	if (!m->debug_id)
		return 1;
	l.path = cpf_text(p, m->file);
	ids_of_build_id(&l, cpf_text(p, m->build_id));
	return !strcmp(l.breakpad, cpf_cstr(p, m->debug_id));
}

static int same_text(struct cpf_text a, struct cpf_text b)
{
	return a.len == b.len && (!a.len || !memcmp(a.s, b.s, a.len));
}

static int is_nil(const char *id)
{
	return !id[strspn(id, "0")];
}

/* A nil id says nothing, so there the rest has to be equal. */
static int same_lib(const struct lib *a, const struct lib *b)
{
	if (strcmp(a->breakpad, b->breakpad) != 0 || !same_text(a->debug_name, b->debug_name))
		return 0;
	return !is_nil(a->breakpad) || (same_text(a->name, b->name) && same_text(a->path, b->path) &&
					       same_text(a->debug_path, b->debug_path) &&
					       same_text(a->code_id, b->code_id) &&
					       same_text(a->arch, b->arch));
}

void cpf_fw_libs_make(struct cpf_fw_libs *l, const struct cpf_profile *p)
{
	struct cpf_rowset index = {0};
	struct cpf_rowset_it it;
	struct lib a, b;
	uint32_t i, row;
	uint64_t h;

	memset(l, 0, sizeof(*l));
	l->of = cpf_calloc((size_t)p->nmappings + 1, sizeof(*l->of));
	l->first = cpf_calloc((size_t)p->nmappings + 1, sizeof(*l->first));
	for (i = 0; i < p->nmappings; i++) {
		describe(&a, p, i);
		h = cpf_hash_mix(cpf_hash_bytes(a.breakpad, strlen(a.breakpad)),
			cpf_hash_bytes(a.debug_name.s, a.debug_name.len));
		for (row = cpf_rowset_first(&index, h, &it); row != CPF_ROWSET_END;
			row = cpf_rowset_next(&index, &it)) {
			describe(&b, p, l->first[row]);
			if (same_lib(&a, &b))
				break;
		}
		if (row == CPF_ROWSET_END) {
			row = l->n++;
			l->first[row] = i;
			l->lost_ids += (uint32_t)a.lost_id;
			cpf_rowset_add(&index, h, row);
		}
		l->of[i] = row;
	}
	cpf_rowset_release(&index);
}

void cpf_fw_libs_release(struct cpf_fw_libs *l)
{
	cpf_free(l->of);
	cpf_free(l->first);
	memset(l, 0, sizeof(*l));
}

struct cpf_text cpf_fw_lib_name(const struct cpf_fw_libs *l, const struct cpf_profile *p, uint32_t row)
{
	struct lib lib;

	describe(&lib, p, l->first[row]);
	return lib.name;
}

static void text_member(struct cpf_fw_text *t, const char *key, struct cpf_text v)
{
	cpf_jsonw_key(&t->j, key);
	cpf_jsonw_str_n(&t->j, v.s ? v.s : "", v.len);
}

static void text_or_null(struct cpf_fw_text *t, const char *key, struct cpf_text v)
{
	if (v.len) {
		text_member(t, key, v);
		return;
	}
	cpf_jsonw_key(&t->j, key);
	cpf_jsonw_null(&t->j);
}

void cpf_fw_libs_write(struct cpf_fw_text *t, const struct cpf_fw_libs *l, const struct cpf_profile *p)
{
	struct lib lib;
	uint32_t i;

	cpf_jsonw_key(&t->j, "libs");
	cpf_jsonw_array(&t->j);
	for (i = 0; i < l->n; i++) {
		describe(&lib, p, l->first[i]);
		cpf_jsonw_object(&t->j);
		text_member(t, "name", lib.name);
		text_member(t, "path", lib.path);
		text_member(t, "debugName", lib.debug_name);
		text_member(t, "debugPath", lib.debug_path);
		cpf_jsonw_key_str(&t->j, "breakpadId", lib.breakpad);
		text_or_null(t, "codeId", lib.code_id);
		text_or_null(t, "arch", lib.arch);
		cpf_jsonw_end(&t->j);
		cpf_fw_flush(t);
	}
	cpf_jsonw_end(&t->j);
}

/* Categories. */

enum { MADE_OTHER, MADE_USER, MADE_KERNEL, MADE_JIT, MADE };

/* Names and colours as samply has them. */
static const struct {
	const char *name, *color;
} made[MADE] = {{"Other", "grey"}, {"User", "yellow"}, {"Kernel", "orange"}, {"JIT", "purple"}};

static int starts(struct cpf_text t, const char *word)
{
	size_t n = strlen(word);

	return t.len >= n && !memcmp(t.s, word, n);
}

static int ends(struct cpf_text t, const char *word)
{
	size_t n = strlen(word);

	return t.len >= n && !memcmp(t.s + t.len - n, word, n);
}

/*
 * By the names perf, samply and folded stacks give: the kernel and its modules, maps and dumps of
 * compiled code.
 */
static uint8_t kind_of(struct cpf_text lib)
{
	if (starts(lib, "[kernel") || starts(lib, "[guest.kernel") || starts(lib, "vmlinux") ||
		ends(lib, ".ko"))
		return MADE_KERNEL;
	if (starts(lib, "[jit]") || (starts(lib, "perf-") && ends(lib, ".map")) ||
		(starts(lib, "jit-") && ends(lib, ".dump")) ||
		(starts(lib, "jitted-") && ends(lib, ".so")))
		return MADE_JIT;
	return MADE_USER;
}

static int is_grey(const struct cpf_profile *p, uint32_t i)
{
	return !strcmp(cpf_cstr(p, p->categories[i].color), "grey");
}

void cpf_fw_categories_make(struct cpf_fw_categories *c, const struct cpf_profile *p)
{
	uint32_t i;

	memset(c, 0, sizeof(*c));
	if (p->ncategories) {
		for (i = 0; i < p->ncategories && !is_grey(p, i); i++)
			;
		c->shift = i == p->ncategories;
		c->grey = c->shift ? 0 : i;
		c->n = p->ncategories + c->shift;
		return;
	}
	c->made = 1;
	c->n = MADE;
	c->kind = cpf_calloc((size_t)p->nmappings + 1, 1);
	for (i = 0; i < p->nmappings; i++)
		c->kind[i] = kind_of(cpf_mapping_name(p, i));
}

void cpf_fw_categories_release(struct cpf_fw_categories *c)
{
	cpf_free(c->kind);
	memset(c, 0, sizeof(*c));
}

uint32_t cpf_fw_category(
	const struct cpf_fw_categories *c, const struct cpf_profile *p, cpf_id location)
{
	cpf_id id;

	if (c->made) {
		id = cpf_col_id(&p->locations.mapping, location);
		return id == CPF_NONE ? MADE_USER : c->kind[id];
	}
	id = cpf_col_id(&p->locations.category, location);
	return id == CPF_NONE ? CPF_NONE : id + c->shift;
}

static void category(struct cpf_fw_text *t, struct cpf_text name, struct cpf_text color,
	const struct cpf_profile *p, const struct cpf_category *from)
{
	uint32_t i;

	cpf_jsonw_object(&t->j);
	text_member(t, "name", name);
	text_member(t, "color", color);
	cpf_jsonw_key(&t->j, "subcategories");
	cpf_jsonw_array(&t->j);
	for (i = 0; from && i < from->nsub; i++) {
		struct cpf_text sub = cpf_text(p, from->sub[i]);

		cpf_jsonw_str_n(&t->j, sub.s, sub.len);
	}
	if (!from || !from->nsub)
		cpf_jsonw_str(&t->j, "Other");
	cpf_jsonw_end(&t->j);
	cpf_jsonw_end(&t->j);
}

static struct cpf_text text_z(const char *s)
{
	return (struct cpf_text){s, (uint32_t)strlen(s)};
}

void cpf_fw_categories_write(
	struct cpf_fw_text *t, const struct cpf_fw_categories *c, const struct cpf_profile *p)
{
	uint32_t i;

	cpf_jsonw_key(&t->j, "categories");
	cpf_jsonw_array(&t->j);
	if (c->made || c->shift)
		category(t, text_z("Other"), text_z("grey"), p, NULL);
	for (i = 1; c->made && i < MADE; i++)
		category(t, text_z(made[i].name), text_z(made[i].color), p, NULL);
	for (i = 0; !c->made && i < p->ncategories; i++)
		category(t, cpf_text(p, p->categories[i].name),
			or_else(cpf_text(p, p->categories[i].color), text_z("grey")), p,
			&p->categories[i]);
	cpf_jsonw_end(&t->j);
}
