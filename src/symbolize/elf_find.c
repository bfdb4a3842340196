#include "symbolize/elf_find.h"

#include "base/buf.h"
#include "base/mem.h"
#include "symbolize/kernel.h"

size_t cpf_module_id(uint8_t id[CPF_ELF_ID_MAX], const struct cpf_module *m)
{
	size_t n = cpf_unhex(id, m->build_id);

	return n ? n : cpf_unhex(id, m->code_id);
}

#ifdef CPF_WITH_LIBELF

#include <libelf.h>
#include <stdio.h>
#include <zlib.h>

#define DEBUG_ROOT "/usr/lib/debug"

static size_t prefix_end(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);

	return n > m && !strcmp(text + n - m, suffix) ? n - m : n;
}

struct search {
	const struct cpf_sym_opts *o;
	const struct cpf_module *m;
	struct cpf_elf_found *out;
	struct cpf_reason *r;
	uint8_t id[CPF_ELF_ID_MAX]; /* recorded; of the binary, once that is found */
	size_t nid;
	char debug_id[34];   /* recorded, where id is not known; "" = none */
	struct cpf_buf path; /* of the library, without " (deleted)" */
	const char *base;    /* its last element */
	struct cpf_buf tmp;
};

/* How a candidate was come by, which decides what may be taken without proof. */
enum how {
	BY_NAME, /* --binary */
	BY_PATH, /* it has the name and place of the library */
	BY_ID,   /* it lies where a file of this id belongs */
	BY_LINK  /* the binary names it, with its checksum */
};

/* Proof. */

static int refuse(struct search *s, const struct cpf_elf *f, enum how how, enum cpf_why why,
        const char *has, const char *want)
{
	struct cpf_reason *r = s->r;

	if (s->o->force_binary && how <= BY_PATH && f->has_code) {
		memset(&s->out->forced, 0, sizeof(s->out->forced));
		r = &s->out->forced;
	}
	cpf_reason(r, why, "%s: %s%s%s", f->path, has, *want ? ", recorded is " : "", want);
	return r == &s->out->forced;
}

/* Without a whole id in the profile: its short form, or nothing. */
static int proven_otherwise(struct search *s, const struct cpf_elf *f, enum how how)
{
	char own[34];

	if (!*s->debug_id)
		return how == BY_NAME || refuse(s, f, how, CPF_WHY_NO_ID,
		                                 "the profile has no build id to compare", "");
	if (!cpf_elf_debug_id(f, own))
		return refuse(s, f, how, CPF_WHY_NO_ID, "the file has no id", s->debug_id);
	if (strcmp(own, s->debug_id))
		return refuse(s, f, how, CPF_WHY_ID_DIFFERS, own, s->debug_id);
	/* Two builds can begin with the same code. */
	return f->nid || how == BY_NAME ||
	       refuse(s, f, how, CPF_WHY_NO_ID,
	               "no build id; that the first 4096 bytes of code agree is no proof", "");
}

static int proven(struct search *s, const struct cpf_elf *f, enum how how)
{
	char has[2 * CPF_ELF_ID_MAX + 16] = "build id ", want[2 * CPF_ELF_ID_MAX + 1];

	if (!s->nid)
		return proven_otherwise(s, f, how);
	cpf_hex(want, s->id, s->nid);
	if (!f->nid)
		return refuse(s, f, how, CPF_WHY_NO_ID, "no build id in the file", want);
	/* 16 bytes are what is left of a longer id where a short one was all that was known. */
	if ((f->nid == s->nid || (s->nid == 16 && f->nid > 16)) && !memcmp(f->id, s->id, s->nid))
		return 1;
	cpf_hex(has + strlen(has), f->id, f->nid);
	return refuse(s, f, how, CPF_WHY_ID_DIFFERS, has, want);
}

/* Candidates. */

static int enough(const struct search *s)
{
	const struct cpf_elf_found *f = s->out;

	return f->main && (f->main->has_dwarf || (f->debug && f->debug->has_dwarf));
}

/* Takes f over. */
static void take(struct search *s, struct cpf_elf *f)
{
	struct cpf_elf_found *out = s->out;

	if (f->has_code && !out->main) {
		out->main = f;
		if (f->nid) {
			memcpy(s->id, f->id, f->nid);
			s->nid = f->nid;
		}
		return;
	}
	if ((f->has_dwarf && !(out->debug && out->debug->has_dwarf)) ||
	        (f->has_symtab && !out->debug)) {
		cpf_elf_close(out->debug);
		out->debug = f;
		return;
	}
	cpf_elf_close(f);
}

static void consider(struct search *s, const char *path, enum how how)
{
	struct cpf_elf *f;

	if (enough(s) || cpf_elf_open(&f, path, s->r))
		return;
	if (proven(s, f, how))
		take(s, f);
	else
		cpf_elf_close(f);
}

/* a + "/" + b + c */
static void consider_in(struct search *s, const char *a, const char *b, const char *c, enum how how)
{
	cpf_buf_clear(&s->tmp);
	cpf_buf_fmt(&s->tmp, "%s%s%s%s", a, b[0] == '/' ? "" : "/", b, c);
	consider(s, s->tmp.s, how);
}

/* Places under a root that are named by the id. */
static void consider_tree(struct search *s, const char *root, const char *tree)
{
	char hex[2 * CPF_ELF_ID_MAX + 1], rest[2 * CPF_ELF_ID_MAX + 8];

	if (s->nid < 2)
		return;
	cpf_hex(hex, s->id, s->nid);
	snprintf(rest, sizeof(rest), "%.2s/%s", hex, hex + 2);
	cpf_buf_clear(&s->tmp);
	cpf_buf_fmt(&s->tmp, "%s%s/%s.debug", root, tree, rest);
	consider(s, s->tmp.s, BY_ID);
}

static void consider_dir(struct search *s, const char *dir)
{
	char hex[2 * CPF_ELF_ID_MAX + 1];

	if (s->path.n)
		consider_in(s, dir, s->path.s, "", BY_PATH);
	if (*s->base)
		consider_in(s, dir, s->base, "", BY_PATH);
	consider_tree(s, dir, "/.build-id");
	consider_tree(s, dir, "");
	if (s->nid) {
		cpf_hex(hex, s->id, s->nid);
		consider_in(s, dir, hex, "/debuginfo", BY_ID);
		consider_in(s, dir, hex, "/executable", BY_ID);
	}
	if (s->path.n)
		consider_in(s, dir, s->path.s, ".debug", BY_ID);
	if (*s->base)
		consider_in(s, dir, s->base, ".debug", BY_ID);
}

/* .gnu_debuglink */

static uint32_t checksum(const struct cpf_elf *f)
{
	uLong crc = crc32(0, NULL, 0);
	size_t n = 0, part;
	const char *p = elf_rawfile(f->elf, &n);

	for (; p && n; p += part, n -= part) {
		part = n < 1u << 30 ? n : 1u << 30;
		crc = crc32(crc, (const Bytef *)p, (uInt)part);
	}
	return (uint32_t)crc;
}

/* Equal ids say as much as the checksum, and cost nothing; the checksum reads all of the file. */
static void consider_link(struct search *s, const char *path, uint32_t crc)
{
	const struct cpf_elf *main = s->out->main;
	struct cpf_elf *f;
	int same;

	if (enough(s) || cpf_elf_open(&f, path, s->r))
		return;
	if (f->nid && main->nid)
		same = f->nid == main->nid && !memcmp(f->id, main->id, f->nid);
	else
		same = checksum(f) == crc;
	if (same) {
		take(s, f);
		return;
	}
	cpf_reason(s->r, CPF_WHY_ID_DIFFERS, "%s: not the debug file that %s was split from", path,
	        main->path);
	cpf_elf_close(f);
}

static void follow_link(struct search *s)
{
	const struct cpf_elf *main = s->out->main;
	const char *name, *slash;
	const uint8_t *b;
	struct cpf_buf p = {0};
	size_t n, len, dir, i;
	uint32_t crc;

	name = cpf_elf_section(main, ".gnu_debuglink", &n);
	if (!name || !memchr(name, '\0', n))
		return;
	len = strlen(name);
	if (!len || strchr(name, '/') || n < ((len + 4) & ~(size_t)3) + 4)
		return;
	b = (const uint8_t *)name + ((len + 4) & ~(size_t)3);
	crc = main->big ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
	                : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
	slash = strrchr(main->path, '/');
	dir = slash ? (size_t)(slash - main->path) : 0;
	for (i = 0; i < 3 + s->o->ndirs; i++) {
		cpf_buf_clear(&p);
		if (i < s->o->ndirs)
			cpf_buf_fmt(&p, "%s/%s", s->o->dirs[i], name);
		else if (i - s->o->ndirs < 2)
			cpf_buf_fmt(&p, "%.*s/%s%s", slash ? (int)dir : 1, slash ? main->path : ".",
			        i == s->o->ndirs ? "" : ".debug/", name);
		else
			cpf_buf_fmt(&p, DEBUG_ROOT "/%.*s/%s", (int)dir, main->path, name);
		/* A program that is its own debug file has been considered already. */
		if (strcmp(p.s, main->path))
			consider_link(s, p.s, crc);
	}
	cpf_buf_release(&p);
}

/* The order of things. */

static void by_name_and_place(struct search *s)
{
	const char *slash;
	size_t i;

	for (i = 0; i < s->o->nbinaries; i++) {
		slash = strrchr(s->o->binaries[i], '/');
		if (!strcmp(slash ? slash + 1 : s->o->binaries[i], s->base))
			consider(s, s->o->binaries[i], BY_NAME);
	}
	for (i = 0; i < s->o->ndirs; i++)
		consider_dir(s, s->o->dirs[i]);
	if (!s->path.n)
		return;
	if (s->o->sysroot)
		consider_in(s, s->o->sysroot, s->path.s, "", BY_PATH);
	consider(s, s->path.s, BY_PATH);
	if (strcmp(s->path.s, s->m->path))
		consider(s, s->m->path, BY_PATH);
	if (*s->m->debug_path && strcmp(s->m->debug_path, s->m->path))
		consider(s, s->m->debug_path, BY_PATH);
}

static void debug_files(struct search *s)
{
	struct cpf_buf root = {0};

	if (s->o->sysroot) {
		cpf_buf_fmt(&root, "%s" DEBUG_ROOT, s->o->sysroot);
		consider_tree(s, root.s, "/.build-id");
		if (s->path.n)
			consider_in(s, root.s, s->path.s, ".debug", BY_ID);
		cpf_buf_release(&root);
	}
	consider_tree(s, DEBUG_ROOT, "/.build-id");
	if (s->out->main && !enough(s))
		follow_link(s);
	if (s->path.n)
		consider_in(s, DEBUG_ROOT, s->path.s, ".debug", BY_ID);
}

static void from_servers(struct search *s)
{
	char *path;

	/* The debug information of a kernel is a gigabyte; /proc/kallsyms may do, and is asked next. */
	if (enough(s) || cpf_is_kernel(s->m))
		return;
	path = cpf_debuginfod(s->id, s->nid, "debuginfo", s->r);
	if (path)
		consider(s, path, BY_ID);
	cpf_free(path);
	/* Where a mapping lies in a file, only the file itself tells. */
	if (s->out->main || (s->out->debug && s->m->relative))
		return;
	path = cpf_debuginfod(s->id, s->nid, "executable", s->r);
	if (path)
		consider(s, path, BY_ID);
	cpf_free(path);
}

static void set_up(struct search *s)
{
	const char *slash;

	/* What the Firefox Profiler has of a file without code id is its short id only. */
	if (strlen(s->m->debug_id) == 33 && strspn(s->m->debug_id, "0") != 33 && !*s->m->code_id)
		memcpy(s->debug_id, s->m->debug_id, 34);
	else
		s->nid = cpf_module_id(s->id, s->m);
	cpf_buf_add(&s->path, s->m->path, prefix_end(s->m->path, " (deleted)"));
	slash = strrchr(s->path.s, '/');
	s->base = slash ? slash + 1 : s->path.s;
	if (!*s->base)
		s->base = s->m->name;
	if (*s->base == '[' && cpf_is_kernel(s->m)) {
		cpf_buf_clear(&s->path);
		s->base = "vmlinux";
	}
}

int cpf_elf_find(struct cpf_elf_found *out, const struct cpf_sym_opts *o,
        const struct cpf_module *m, struct cpf_reason *r)
{
	struct cpf_reason why = {0};
	struct search s = {0};

	memset(out, 0, sizeof(*out));
	s.o = o;
	s.m = m;
	s.out = out;
	s.r = &why;
	set_up(&s);
	by_name_and_place(&s);
	debug_files(&s);
	from_servers(&s);
	if (!out->main && !out->debug) {
		cpf_reason(&why, CPF_WHY_NO_FILE, "%s", s.path.n ? s.path.s : s.base);
		cpf_reason(r, why.why, "%s", why.text);
	}
	out->refused = why;
	cpf_buf_release(&s.path);
	cpf_buf_release(&s.tmp);
	return out->main || out->debug;
}

void cpf_elf_found_release(struct cpf_elf_found *f)
{
	cpf_elf_close(f->main);
	cpf_elf_close(f->debug);
	memset(f, 0, sizeof(*f));
}

#endif
