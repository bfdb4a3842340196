/*
 * lookup - names of addresses of one ELF file, through the elf backend alone.
 *
 *   lookup [-d DIR]... [-s] FILE <ADDRESSES
 *
 * Addresses are the linker's, hexadecimal, one a line. Per frame one line, innermost first:
 *   ADDRESS <TAB> DEPTH <TAB> NAME <TAB> FILE:LINE:COLUMN
 * DEPTH 0 is the outermost function. -s prints the symbol instead: ADDRESS, NAME, START, SIZE,
 * ALIASES. Without a name: "??" and the reason. Names are as in the file, not demangled.
 */
#include "symbolize/elf.h"

#include "base/mem.h"
#include "symbolize/elf_file.h"

#include <stdio.h>
#include <stdlib.h>

struct batch {
	uint64_t *addr; /* as given, sorted */
	size_t n, cap;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void read_addresses(struct batch *b)
{
	char line[256];
	size_t i, n = 0;

	while (fgets(line, sizeof(line), stdin)) {
		CPF_GROW(b->addr, b->cap, b->n + 1);
		b->addr[b->n++] = strtoull(line, NULL, 16);
	}
	if (b->n)
		qsort(b->addr, b->n, sizeof(*b->addr), by_value);
	for (i = 0; i < b->n; i++)
		if (!n || b->addr[n - 1] != b->addr[i])
			b->addr[n++] = b->addr[i];
	b->n = n;
}

static const char *text(const struct cpf_sink *s, cpf_str id)
{
	return id ? s->strings->texts[id].s : "";
}

static void print_frames(const struct cpf_sink *s, size_t i, uint64_t addr)
{
	const struct cpf_sink_answer *a = &s->answers[i];
	uint32_t k;

	for (k = 0; k < a->n; k++) {
		const struct cpf_sink_frame *f = &s->frames[a->first + k];

		printf("%" PRIx64 "\t%u\t%s\t%s:%" PRId64 ":%" PRId64 "\n", addr, a->n - 1 - k,
		        text(s, f->name), text(s, f->file), f->line, f->column);
	}
}

static void print_answer(
        const struct cpf_sink *s, size_t i, uint64_t addr, uint64_t base, int symbol)
{
	const struct cpf_sink_answer *a = &s->answers[i];
	const struct cpf_sink_symbol *sym;

	if (!a->n) {
		printf("%" PRIx64 "\t??\t%s\t%s\n", addr, cpf_why_word((enum cpf_why)a->why),
		        text(s, a->text));
	} else if (!symbol) {
		print_frames(s, i, addr);
	} else if (a->symbol == CPF_NONE) {
		printf("%" PRIx64 "\t?\n", addr);
	} else {
		sym = &s->symbols[a->symbol];
		printf("%" PRIx64 "\t%s\t%" PRIx64 "\t%" PRIx64 "\t%u\n", addr, text(s, sym->name),
		        sym->address + base, sym->size, sym->aliases);
	}
}

int main(int argc, char **argv)
{
	struct cpf_sym_opts o = {0};
	struct cpf_module m = {"", "", "", "", "", "", "", "", 1, 0, 0, 0, 0, 0};
	struct cpf_reason r = {0};
	struct cpf_err e = {0};
	struct batch b = {0};
	struct cpf_elf *f = NULL;
	struct cpf_sink s;
	void *state, *image;
	const char *dirs[16], *slash;
	uint64_t base;
	int symbol = 0, i;
	size_t k;

	for (i = 1; i < argc - 1; i++) {
		if (!strcmp(argv[i], "-s"))
			symbol = 1;
		else if (!strcmp(argv[i], "-d") && o.ndirs < CPF_LEN(dirs))
			dirs[o.ndirs++] = argv[++i];
	}
	if (argc < 2 || cpf_elf_open(&f, argv[argc - 1], &r)) {
		fprintf(stderr, "lookup: %s\n", argc < 2 ? "which file?" : r.text);
		return 1;
	}
	base = f->base;
	cpf_elf_close(f);
	slash = strrchr(argv[argc - 1], '/');
	m.name = slash ? slash + 1 : argv[argc - 1];
	m.path = argv[argc - 1];
	o.dirs = dirs;
	o.binaries = (const char *const *)&argv[argc - 1];
	o.nbinaries = 1;
	if (cpf_symbolizer_elf.open(&state, &o, NULL, &e) ||
	        !cpf_symbolizer_elf.find(state, &m, &image, &r)) {
		fprintf(stderr, "lookup: %s: %s\n", cpf_why_word(r.why), r.text);
		return 1;
	}
	read_addresses(&b);
	for (k = 0; k < b.n; k++)
		b.addr[k] -= base;
	cpf_sink_init(&s, b.n);
	cpf_symbolizer_elf.lookup(image, b.addr, b.n, &s);
	for (k = 0; k < b.n; k++)
		print_answer(&s, k, b.addr[k] + base, base, symbol);
	cpf_sink_release(&s);
	cpf_symbolizer_elf.drop(image);
	cpf_symbolizer_elf.close(state);
	cpf_free(b.addr);
	return 0;
}
