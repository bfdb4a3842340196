#include "symbolize/kernel.h"

#include "base/buf.h"
#include "base/input.h"
#include "base/mem.h"
#include "symbolize/elf_find.h"
#include "symbolize/symtab.h"

#include <stdio.h>

/* Kernels are moved by multiples of this (x86-64: CONFIG_PHYSICAL_ALIGN, arm64: MIN_KIMG_ALIGN). */
#define MOVE (UINT64_C(2) << 20)

struct image {
	struct cpf_symtab *syms;
	char *names;   /* text of kallsyms, lines cut in place */
	uint64_t bias; /* profile's addresses minus those of kallsyms */
};

static int has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static int is_kernel_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	if (has_prefix(name, "[kernel.kallsyms]") || has_prefix(name, "[kernel]") ||
	        has_prefix(name, "[guest.kernel.kallsyms]"))
		return 1;
	name = slash ? slash + 1 : name;
	return !strcmp(name, "vmlinux") || has_prefix(name, "vmlinux-");
}

int cpf_is_kernel(const struct cpf_module *m)
{
	return is_kernel_name(m->name) || is_kernel_name(m->path);
}

static int ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && !strcmp(s + n - m, suffix);
}

int cpf_kernel_bias(const struct cpf_module *m, uint64_t text, uint64_t stext, uint64_t *bias)
{
	if (m->relative) {
		*bias = 0 - text;
		return text ? 0 : -1;
	}
	/* perf says in the name which symbol the start is that of. */
	if (stext && (ends_with(m->name, "]_stext") || ends_with(m->path, "]_stext")))
		*bias = m->start - stext;
	else if (text && (ends_with(m->name, "]_text") || ends_with(m->path, "]_text")))
		*bias = m->start - text;
	else if (text && (m->start - text) % MOVE == 0)
		*bias = m->start - text;
	else if (stext && (m->start - stext) % MOVE == 0)
		*bias = m->start - stext;
	else
		return -1;
	return *bias % MOVE ? -1 : 0;
}

/* The files. */

/* All of a file of a few megabytes, NUL-terminated; NULL: not there. */
static char *slurp(const char *root, const char *path, size_t *n)
{
	struct cpf_buf p = {0};
	struct cpf_input *in;
	struct cpf_err e = {0};
	char *data = NULL;

	cpf_buf_fmt(&p, "%s%s", root, path);
	if (!cpf_input_open(&in, p.s, NULL, &e)) {
		if (cpf_input_all(in, &data, n, &e))
			data = NULL;
		cpf_input_close(in);
	}
	cpf_buf_release(&p);
	return data;
}

static uint32_t word(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The build id among ELF notes in the byte order of the machine; 0: none. */
static size_t id_of_notes(uint8_t id[CPF_ELF_ID_MAX], const char *p, size_t n)
{
	uint64_t name, desc, skip;

	for (; n >= 12; p += skip, n -= skip) {
		name = word(p);
		desc = word(p + 4);
		skip = 12 + ((name + 3) & ~UINT64_C(3)) + ((desc + 3) & ~UINT64_C(3));
		if (skip > n)
			return 0;
		if (word(p + 8) != 3 || name != 4 || memcmp(p + 12, "GNU", 4) || !desc ||
		        desc > CPF_ELF_ID_MAX)
			continue;
		memcpy(id, p + 16, (size_t)desc);
		return (size_t)desc;
	}
	return 0;
}

struct marks {
	uint64_t text, stext, etext, sinittext, einittext;
	int any; /* an address that is not 0 */
};

static void mark(struct marks *k, const char *name, uint64_t addr)
{
	k->any |= addr != 0;
	if (!strcmp(name, "_text"))
		k->text = addr;
	else if (!strcmp(name, "_stext"))
		k->stext = addr;
	else if (!strcmp(name, "_etext"))
		k->etext = addr;
	else if (!strcmp(name, "_sinittext"))
		k->sinittext = addr;
	else if (!strcmp(name, "_einittext"))
		k->einittext = addr;
}

/* "ADDRESS TYPE NAME[\tMODULE]". Lines are cut in place. */
static void read_line(struct cpf_symtab *s, struct marks *k, char *line)
{
	unsigned flags = CPF_SYM_PLAIN;
	uint64_t addr = 0;
	char *p = line;
	int d;

	for (; *p && *p != ' '; p++) {
		d = *p >= '0' && *p <= '9' ? *p - '0' : *p >= 'a' && *p <= 'f' ? *p - 'a' + 10 : -1;
		if (d < 0 || addr >> 60)
			return;
		addr = addr << 4 | (uint64_t)d;
	}
	if (p == line || !p[0] || !p[1] || p[2] != ' ' || strchr(p, '\t'))
		return;
	mark(k, p + 3, addr);
	if (!strchr("tTwW", p[1]))
		return;
	if (p[1] == 't')
		flags |= CPF_SYM_LOCAL;
	if (p[1] == 'w' || p[1] == 'W')
		flags |= CPF_SYM_WEAK;
	/* These lie at the first function and name a place, as their kin at the end do. */
	if (!strcmp(p + 3, "_text") || !strcmp(p + 3, "_stext"))
		flags |= CPF_SYM_LABEL;
	cpf_symtab_add(s, p + 3, addr, 0, flags);
}

static int read_names(
        struct image *im, const struct cpf_module *m, const char *root, struct cpf_reason *r)
{
	struct cpf_code_range code[2];
	struct marks k = {0};
	char *line, *end;
	size_t n = 0, ncode = 0;

	im->names = slurp(root, "/proc/kallsyms", &n);
	if (!im->names) {
		cpf_reason(r, CPF_WHY_FAILED, "%s/proc/kallsyms cannot be read", root);
		return -1;
	}
	im->syms = cpf_symtab_new();
	for (line = im->names; *line; line = end + 1) {
		end = strchr(line, '\n');
		if (!end)
			break;
		*end = '\0';
		read_line(im->syms, &k, line);
	}
	if (!k.any) {
		cpf_reason(r, CPF_WHY_FAILED,
		        "%s/proc/kallsyms hides addresses (kernel.kptr_restrict)", root);
		return -1;
	}
	if (cpf_kernel_bias(m, k.text, k.stext, &im->bias)) {
		cpf_reason(r, CPF_WHY_NO_ID,
		        "%s/proc/kallsyms: where the kernel lay when it was recorded is not known",
		        root);
		return -1;
	}
	if (k.text && k.text < k.etext) {
		code[ncode].start = k.text;
		code[ncode++].end = k.etext;
	}
	if (k.sinittext >= k.etext && k.sinittext < k.einittext) {
		code[ncode].start = k.sinittext;
		code[ncode++].end = k.einittext;
	}
	cpf_symtab_finish(im->syms, code, ncode);
	return 0;
}

/* The backend. */

static int kernel_open(
        void **state, const struct cpf_sym_opts *o, struct cpf_diag *d, struct cpf_err *e)
{
	(void)d;
	(void)e;
	*state = (void *)(uintptr_t)o;
	return 0;
}

static void kernel_close(void *state)
{
	(void)state;
}

static void kernel_drop(void *image)
{
	struct image *im = image;

	cpf_symtab_free(im->syms);
	cpf_free(im->names);
	cpf_free(im);
}

static int is_running(const char *root, const uint8_t *want, size_t n, struct cpf_reason *r)
{
	char has_hex[2 * CPF_ELF_ID_MAX + 1], want_hex[2 * CPF_ELF_ID_MAX + 1], *notes;
	uint8_t has[CPF_ELF_ID_MAX];
	size_t size = 0, nhas;

	notes = slurp(root, "/sys/kernel/notes", &size);
	if (!notes)
		return 0;
	nhas = id_of_notes(has, notes, size);
	cpf_free(notes);
	if (nhas == n && !memcmp(has, want, n))
		return 1;
	cpf_hex(has_hex, has, nhas);
	cpf_hex(want_hex, want, n);
	cpf_reason(r, nhas ? CPF_WHY_ID_DIFFERS : CPF_WHY_NO_ID,
	        "kernel of %s/sys/kernel/notes: build id %s, recorded is %s", root,
	        nhas ? has_hex : "unknown", want_hex);
	return 0;
}

static int kernel_find(void *state, const struct cpf_module *m, void **image, struct cpf_reason *r)
{
	const struct cpf_sym_opts *o = state;
	const char *roots[2] = {o->sysroot, ""};
	uint8_t id[CPF_ELF_ID_MAX];
	struct image *im;
	size_t n, i;

	if (!cpf_is_kernel(m))
		return 0;
	n = cpf_module_id(id, m);
	if (!n) {
		cpf_reason(r, CPF_WHY_NO_ID, "the profile has no build id of the kernel");
		return 0;
	}
	for (i = 0; i < CPF_LEN(roots); i++) {
		if (!roots[i] || !is_running(roots[i], id, n, r))
			continue;
		im = cpf_calloc(1, sizeof(*im));
		if (!read_names(im, m, roots[i], r)) {
			*image = im;
			return 1;
		}
		kernel_drop(im);
		return 0;
	}
	return 0;
}

static void kernel_lookup(void *image, const uint64_t *addr, size_t n, struct cpf_sink *s)
{
	struct image *im = image;
	struct cpf_symtab_answer found;
	size_t i;

	for (i = 0; i < n; i++) {
		struct cpf_sym_frame frame = {0};
		struct cpf_sym_symbol sym = {0};

		if (!cpf_symtab_find(im->syms, addr[i] - im->bias, &found)) {
			cpf_sink_miss(s, i, CPF_WHY_OUTSIDE, "/proc/kallsyms");
			continue;
		}
		sym.name = frame.name = found.name;
		sym.address = found.start + im->bias;
		sym.size = found.end - found.start;
		cpf_sink_frames(s, i, &frame, 1, &sym);
	}
}

const struct cpf_symbolizer cpf_symbolizer_kernel = {
        "kernel",
        "kernel functions of /proc/kallsyms",
        kernel_open,
        kernel_find,
        kernel_lookup,
        kernel_drop,
        kernel_close,
};
