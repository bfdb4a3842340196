/*
 * dwarf_lookup [-d DIR] [-q] FILE < addresses
 *
 * What the DWARF reader alone says of link-time addresses (hex, ascending), in the layout of
 * llvm-symbolizer --inlines: a line with the function and one with file:line:column for each frame,
 * innermost first, then an empty line. "??" is what is not known. -q looks up and prints nothing.
 */
#include "base/base.h"

#include "base/mem.h"
#include "symbolize/dwarf.h"

#include <fcntl.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct answers {
	char **text;
	int quiet;
	size_t found;
};

static void found(void *arg, size_t i, const struct cpf_sym_frame *f, size_t n)
{
	struct answers *a = arg;
	size_t k, len = 0;
	FILE *out;

	a->found++;
	if (a->quiet)
		return;
	out = open_memstream(&a->text[i], &len);
	for (k = 0; k < n; k++)
		fprintf(out, "%s\n%s:%lld:%lld\n", f[k].name ? f[k].name : "??",
			f[k].file ? f[k].file : "??", (long long)f[k].line, (long long)f[k].column);
	fclose(out);
}

int main(int argc, char **argv)
{
	struct answers a = {0};
	struct cpf_dwarf_opts o = {0};
	struct cpf_reason r = {0};
	struct cpf_dwarf *d;
	uint64_t *addr = NULL;
	size_t n = 0, cap = 0, i;
	const char *dirs[8];
	char line[64];
	Elf *elf;
	int opt, fd;

	o.dirs = dirs;
	o.mapped = 1;
	while ((opt = getopt(argc, argv, "d:q")) != -1) {
		if (opt == 'd' && o.ndirs < CPF_LEN(dirs))
			dirs[o.ndirs++] = optarg;
		else if (opt == 'q')
			a.quiet = 1;
		else
			return 2;
	}
	if (optind + 1 != argc)
		return 2;
	while (fgets(line, sizeof(line), stdin)) {
		CPF_GROW(addr, cap, n + 1);
		addr[n++] = strtoull(line, NULL, 16);
	}
	elf_version(EV_CURRENT);
	fd = open(argv[optind], O_RDONLY);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		return 2;
	d = cpf_dwarf_open(elf, argv[optind], &o, &r);
	if (!d) {
		fprintf(stderr, "%s: %s\n", cpf_why_word(r.why), r.text);
		return 1;
	}
	a.text = cpf_calloc(n, sizeof(*a.text));
	cpf_dwarf_lookup(d, addr, n, found, &a);
	for (i = 0; i < n && !a.quiet; i++) {
		printf("%s\n", a.text[i] ? a.text[i] : "??\n??:0:0\n");
		free(a.text[i]);
	}
	if (cpf_dwarf_trouble(d)->why)
		fprintf(stderr, "%s: %s\n", cpf_why_word(cpf_dwarf_trouble(d)->why),
			cpf_dwarf_trouble(d)->text);
	fprintf(stderr, "%zu of %zu\n", a.found, n);
	cpf_dwarf_close(d);
	elf_end(elf);
	close(fd);
	cpf_free(a.text);
	cpf_free(addr);
	return 0;
}
