#include "symbolize/atos.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define DWARF     "/Contents/Resources/DWARF"
#define MAX_DWARF 256 /* files in one bundle; real ones have one */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int ends_with(const char *s, size_t n, const char *end)
{
	const size_t k = strlen(end);

	return n > k && !memcmp(s + n - k, end, k);
}

static char *join(const char *a, const char *b, const char *c)
{
	struct cpf_buf out = {0};

	cpf_buf_str(&out, a);
	cpf_buf_str(&out, b);
	cpf_buf_str(&out, c);
	return out.s;
}

/* Names in a folder, sorted, so that the choice does not depend on the file system. */
struct names {
	char **s;
	size_t n, cap;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(struct names *l, const char *dir, const char *end, size_t max)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	memset(l, 0, sizeof(*l));
	while (d && l->n < max && (entry = readdir(d)) != NULL) {
		if (entry->d_name[0] == '.' ||
			(*end && !ends_with(entry->d_name, strlen(entry->d_name), end)))
			continue;
		CPF_GROW(l->s, l->cap, l->n + 1);
		l->s[l->n++] = cpf_strdup(entry->d_name);
	}
	if (d)
		closedir(d);
	if (l->n)
		qsort(l->s, l->n, sizeof(*l->s), by_text);
}

static void list_release(struct names *l)
{
	while (l->n)
		cpf_free(l->s[--l->n]);
	cpf_free(l->s);
}

/* The index. */

static void index_bundle(struct cpf_atos_index *x, const char *bundle)
{
	struct cpf_atos_file f;
	struct cpf_err e;
	struct names l;
	char *dir = join(bundle, DWARF, "");
	size_t i;

	list(&l, dir, "", MAX_DWARF);
	for (i = 0; i < l.n; i++) {
		memset(&e, 0, sizeof(e));
		f.path = join(dir, "/", l.s[i]);
		if (cpf_macho_read(&f.macho, f.path, &e)) {
			cpf_free(f.path);
			continue;
		}
		CPF_GROW(x->files, x->cap, x->n + 1);
		x->files[x->n++] = f;
	}
	list_release(&l);
	cpf_free(dir);
}

void cpf_atos_index_build(struct cpf_atos_index *x, const struct cpf_sym_opts *o)
{
	struct names l;
	size_t i, k;

	for (i = 0; i < o->ndirs; i++) {
		index_bundle(x, o->dirs[i]);
		list(&l, o->dirs[i], ".dSYM", SIZE_MAX);
		for (k = 0; k < l.n; k++) {
			char *bundle = join(o->dirs[i], "/", l.s[k]);

			index_bundle(x, bundle);
			cpf_free(bundle);
		}
		list_release(&l);
	}
}

void cpf_atos_index_release(struct cpf_atos_index *x)
{
	size_t i;

	for (i = 0; i < x->n; i++) {
		cpf_free(x->files[i].path);
		cpf_macho_release(&x->files[i].macho);
	}
	cpf_free(x->files);
	memset(x, 0, sizeof(*x));
}

/* The search. */

struct search {
	const struct cpf_module *m;
	const struct cpf_sym_opts *o;
	struct cpf_atos_found *f;
	struct cpf_reason *r;
	uint8_t uuid[CPF_MACHO_UUID];
	int has_uuid;
	int sure; /* it is from macOS for certain: then what is missing is said */
	int force; /* in the second round: any UUID */
	char name[256]; /* of the file; "" = not known */
};

static int take(struct search *s, const char *path, const struct cpf_macho_slice *slice)
{
	if (!slice->arch[0]) {
		cpf_reason(s->r, CPF_WHY_UNSUPPORTED, "%s is for an unknown architecture", path);
		return 0;
	}
	s->f->path = cpf_strdup(path);
	s->f->slice = *slice;
	/* Executables are linked to this address unless told otherwise. */
	if (!slice->has_text && slice->type == 2)
		s->f->slice.text = 0x100000000;
	return 1;
}

static const struct cpf_macho_slice *any_slice(const struct search *s, const struct cpf_macho *m)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		if (!strcmp(m->slices[i].arch, s->m->arch))
			return &m->slices[i];
	return m->n == 1 ? &m->slices[0] : NULL;
}

static void differs(struct search *s, const char *path, const struct cpf_macho_slice *slice)
{
	char there[37], want[37];

	if (!s->has_uuid)
		cpf_reason(s->r, CPF_WHY_NO_ID, "%s: the profile has no UUID to compare", path);
	else if (!slice->has_uuid)
		cpf_reason(s->r, CPF_WHY_NO_ID, "%s has no UUID", path);
	else
		cpf_reason(s->r, CPF_WHY_ID_DIFFERS, "%s: UUID %s, recorded was %s", path,
			cpf_macho_uuid_text(there, slice->uuid), cpf_macho_uuid_text(want, s->uuid));
}

static int try_image(struct search *s, const char *path, const struct cpf_macho *m)
{
	const struct cpf_macho_slice *slice = s->has_uuid ? cpf_macho_find(m, s->uuid) : NULL;

	if (slice)
		return take(s, path, slice);
	slice = any_slice(s, m);
	if (s->force && slice) {
		memset(s->r, 0, sizeof(*s->r));
		differs(s, path, slice);
		s->r->why = CPF_WHY_ID_DIFFERS;
		return take(s, path, slice);
	}
	differs(s, path, slice ? slice : &m->slices[0]);
	return 0;
}

static int try_file(struct search *s, const char *path)
{
	struct cpf_err e = {0};
	struct cpf_macho m;
	int ret = cpf_macho_read(&m, path, &e);

	if (!ret) {
		ret = try_image(s, path, &m);
		cpf_macho_release(&m);
		return ret;
	}
	if (ret < 0 && e.sys != ENOENT && e.sys != ENOTDIR && s->sure)
		cpf_reason(s->r, CPF_WHY_FAILED, "%s: %s", path, e.reason);
	else if (ret > 0 && s->sure)
		cpf_reason(s->r, CPF_WHY_UNSUPPORTED, "%s is not a Mach-O file", path);
	return 0;
}

static int try_bundle(struct search *s, const char *bundle)
{
	char *dir = join(bundle, DWARF, ""), *path;
	struct names l;
	size_t i;
	int got = 0;

	list(&l, dir, "", MAX_DWARF);
	for (i = 0; i < l.n && !got; i++) {
		path = join(dir, "/", l.s[i]);
		got = try_file(s, path);
		cpf_free(path);
	}
	list_release(&l);
	cpf_free(dir);
	return got;
}

/* FILE.dSYM, and X.app.dSYM for a file in X.app, as Xcode puts them. */
static int try_beside(struct search *s, const char *path)
{
	static const char *const kinds[] = {
		".app", ".framework", ".appex", ".bundle", ".plugin", ".xctest", ".xpc", ".kext"};
	const char *slash = path;
	char *bundle = join(path, ".dSYM", ""), *dir;
	int got = try_bundle(s, bundle);
	size_t i, n;

	cpf_free(bundle);
	while (!got && (slash = strchr(slash + 1, '/')) != NULL) {
		n = (size_t)(slash - path);
		for (i = 0; i < CPF_LEN(kinds) && !got; i++) {
			if (!ends_with(path, n, kinds[i]))
				continue;
			dir = cpf_strndup(path, n);
			bundle = join(dir, ".dSYM", "");
			got = try_bundle(s, bundle);
			cpf_free(bundle);
			cpf_free(dir);
		}
	}
	return got;
}

static int try_index(struct search *s, const struct cpf_atos_index *x)
{
	char want[300];
	size_t i;

	for (i = 0; i < x->n; i++)
		if (s->has_uuid && cpf_macho_find(&x->files[i].macho, s->uuid))
			return try_image(s, x->files[i].path, &x->files[i].macho);
	/* Those that bear its name: to say what is wrong with them, or to be forced. */
	snprintf(want, sizeof(want), "/%s", s->name);
	for (i = 0; i < x->n && s->name[0]; i++)
		if (ends_with(x->files[i].path, strlen(x->files[i].path), want) &&
			try_image(s, x->files[i].path, &x->files[i].macho))
			return 1;
	return 0;
}

/* --binary FILE is for the library of that name; the bundle of debug information may be named too. */
static int try_binaries(struct search *s, int (*try)(struct search *, const char *))
{
	char bundle[300];
	size_t i;

	snprintf(bundle, sizeof(bundle), "%s.dSYM", s->name);
	for (i = 0; i < s->o->nbinaries && s->name[0]; i++) {
		const char *path = s->o->binaries[i], *name = base_name(path);

		if (!strcmp(name, s->name) && try(s, path))
			return 1;
		if (!strcmp(name, bundle) && try == try_beside && try_bundle(s, path))
			return 1;
	}
	return 0;
}

static int try_paths(struct search *s, int (*try)(struct search *, const char *))
{
	const char *paths[2] = {s->m->path, s->m->debug_path};
	size_t i;
	char *path;
	int got = 0;

	for (i = 0; i < s->o->ndirs && s->name[0] && !got; i++) {
		path = join(s->o->dirs[i], "/", s->name);
		got = try(s, path);
		cpf_free(path);
	}
	for (i = 0; s->o->sysroot && i < 2 && !got; i++) {
		if (paths[i][0] != '/')
			continue;
		path = join(s->o->sysroot, paths[i], "");
		got = try(s, path);
		cpf_free(path);
	}
	for (i = 0; i < 2 && !got; i++)
		if (paths[i][0] == '/' && (!i || strcmp(paths[0], paths[1]) != 0))
			got = try(s, paths[i]);
	return got;
}

static int search_all(struct search *s, const struct cpf_atos_index *x)
{
	return try_binaries(s, try_beside) || try_index(s, x) || try_paths(s, try_beside) ||
	       try_binaries(s, try_file) || try_paths(s, try_file);
}

/*
 * Is it from macOS? samply and Firefox write an architecture for such libraries and the UUID both as
 * debug id and as code id; those of ELF files differ, and paths of Windows have no slash in front.
 * A pprof file only has a build id: 16 bytes may be a UUID.
 */
static int judge(struct search *s)
{
	static const char *const archs[] = {"arm64", "arm64e", "arm64_32", "x86_64", "x86_64h", "i386"};
	const struct cpf_module *m = s->m;
	uint8_t code[CPF_MACHO_UUID];
	size_t i;
	int has_code = cpf_macho_parse_uuid(code, m->code_id);

	if (m->debug_id[0] || m->code_id[0] || m->arch[0]) {
		s->has_uuid = cpf_macho_parse_uuid(s->uuid, m->debug_id);
		if (m->code_id[0])
			s->sure = has_code && (!s->has_uuid || !memcmp(code, s->uuid, sizeof(code)));
		else
			for (i = 0; i < CPF_LEN(archs); i++)
				s->sure |= !strcmp(m->arch, archs[i]) && m->path[0] == '/';
		if (s->sure && !s->has_uuid && has_code) {
			memcpy(s->uuid, code, sizeof(code));
			s->has_uuid = 1;
		}
		return s->sure;
	}
	s->has_uuid = cpf_macho_parse_uuid(s->uuid, m->build_id);
	return s->has_uuid;
}

static void set_name(struct search *s)
{
	const struct cpf_module *m = s->m;
	const char *name = base_name(m->path[0] ? m->path : m->name);

	/* A name that leads out of the folder, or too long for one, is none. */
	if (strcmp(name, "..") != 0 && strcmp(name, ".") != 0 && strlen(name) < sizeof(s->name))
		snprintf(s->name, sizeof(s->name), "%s", name);
}

static void say_not_found(const struct cpf_module *m, struct cpf_reason *r)
{
	const char *path = m->path[0] ? m->path : m->name;

	if (!strncmp(path, "/usr/lib/", 9) || !strncmp(path, "/System/", 8))
		cpf_reason(r, CPF_WHY_NO_FILE, "%s (macOS keeps it in the dyld shared cache)", path);
	else
		cpf_reason(r, CPF_WHY_NO_FILE, "%s", path);
}

int cpf_atos_find(struct cpf_atos_found *f, const struct cpf_atos_index *x,
	const struct cpf_sym_opts *o, const struct cpf_module *m, struct cpf_reason *r)
{
	struct cpf_reason why = {CPF_WHY_NONE, ""};
	struct search s = {.m = m, .o = o, .f = f, .r = &why};

	memset(f, 0, sizeof(*f));
	if (!judge(&s))
		return 0;
	set_name(&s);
	if (search_all(&s, x))
		return 1;
	if (o->force_binary) {
		s.force = 1;
		if (search_all(&s, x)) {
			*r = why;
			return 1;
		}
	}
	if (s.sure)
		say_not_found(m, &why);
	if (why.why)
		*r = why;
	return 0;
}
