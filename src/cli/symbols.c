/*
 * symbols.c - the part of common.h that looks for names: options, files beside the input, reasons.
 */
#include "cli/common.h"

#include "base/buf.h"
#include "base/mem.h"
#include "reports/coverage.h"
#include "symbolize/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define AT(field) offsetof(struct cpf_cli, field)

const struct cpf_opt cpf_cli_symbol_opts[] = {
	{CPF_OPT_LIST, CPF_OPT_LOAD, 0, "syms", AT(syms), "FILE",
		"names from this .syms.json file; may be given again", NULL, 0, 0, 0},
	{CPF_OPT_LIST, CPF_OPT_LOAD, 0, "symbol-dir", AT(symbol_dirs), "DIR",
		"look for programs, libraries and debug files here; may be given again", NULL, 0, 0, 0},
	{CPF_OPT_LIST, CPF_OPT_LOAD, 0, "binary", AT(binaries), "FILE",
		"the file of the library with this file name; may be given again", NULL, 0, 0, 0},
	{CPF_OPT_STRING, CPF_OPT_LOAD, 0, "sysroot", AT(sysroot), "DIR",
		"look for recorded paths below DIR", NULL, 0, 0, 0},
	{CPF_OPT_LIST, CPF_OPT_LOAD, 0, "path-map", AT(path_maps), "FROM=TO",
		"look for recorded paths that begin with FROM at TO", NULL, 0, 0, 0},
	{CPF_OPT_FLAG, CPF_OPT_LOAD, 0, "no-symbols", AT(no_symbols), NULL,
		"do not look for names; --symbols does", NULL, 0, 0, 0},
	{CPF_OPT_FLAG, CPF_OPT_LOAD, 0, "force-binary", AT(force_binary), NULL,
		"take a file even if it is another build: its names may be wrong", NULL, 0, 0, 0},
	{CPF_OPT_FLAG, CPF_OPT_LOAD, 0, "raw-names", AT(raw_names), NULL,
		"names as linkers know them, not demangled", NULL, 0, 0, 0},
	{0},
};

const struct cpf_opt cpf_cli_named_opts[] = {
	{CPF_OPT_PERCENT, CPF_OPT_OUTPUT, 0, "min-named", AT(min_named), "PCT",
		"exit code 3 if less of the self values than that has a name", NULL, 0, 0, 0},
	{0},
};

int cpf_cli_symbols_check(struct cpf_cli *c)
{
	size_t i;

	for (i = 0; i < c->path_maps.n; i++) {
		const char *eq = strchr(c->path_maps.items[i], '=');

		if (eq && eq > c->path_maps.items[i])
			continue;
		c->exit = cpf_cli_usage(
			c, "--path-map: '%s' is not FROM=TO", c->path_maps.items[i]);
		return -1;
	}
	return 0;
}

/*
 * Tests and scripts that must not depend on what is installed switch it off for all commands, or
 * choose the sources to ask.
 */
static int switched_off(const struct cpf_cli *c)
{
	const char *no = getenv("CPUPROF_NO_SYMBOLS");

	return c->no_symbols < 0 ? no && *no : c->no_symbols;
}

static int asked_for(const struct cpf_cli *c)
{
	return c->no_symbols == 0 || c->syms.n || c->symbol_dirs.n || c->binaries.n || c->sysroot ||
	       c->path_maps.n;
}

/* Files beside the input. */

static int offer(struct cpf_opt_list *found, const struct cpf_buf *path)
{
	struct stat st;

	/* Nobody asked for it by name: to wait for a pipe would be to hang. */
	if (stat(path->s, &st) || !S_ISREG(st.st_mode) || access(path->s, R_OK))
		return 0;
	cpf_opt_list_add(found, cpf_strdup(path->s));
	return 1;
}

/*
 * samply puts "syms.json" in the place of the last ending only: x.json has x.syms.json, x.json.gz has
 * x.json.syms.json. For packed files x.syms.json is looked for, too: the profile may have been packed later.
 */
static void find_beside(struct cpf_opt_list *found, const char *input)
{
	const char *base = strrchr(input, '/'), *dot;
	struct cpf_buf path = {0};
	int i;

	base = base ? base + 1 : input;
	dot = strrchr(base, '.');
	for (i = 0; i < 2 && dot && dot > base; i++) {
		cpf_buf_clear(&path);
		cpf_buf_add(&path, input, (size_t)(dot - input));
		cpf_buf_str(&path, ".syms.json");
		if (offer(found, &path) || strcmp(dot, ".gz") != 0)
			break;
		for (dot--; dot > base && *dot != '.'; dot--)
			;
	}
	cpf_buf_release(&path);
}

static void find_sidecars(const struct cpf_cli *c, struct cpf_opt_list *found)
{
	size_t i;

	for (i = 0; i < c->syms.n; i++)
		cpf_opt_list_add(found, cpf_strdup(c->syms.items[i]));
	for (i = 0; i < c->files.n; i++)
		if (strcmp(c->files.items[i], "-") != 0)
			find_beside(found, c->files.items[i]);
}

/* Reasons. */

static void add_reason(struct cpf_lib_reason *out, const struct cpf_sym_lib *lib)
{
	int own_words = lib->text && (lib->why == CPF_WHY_UNSUPPORTED || lib->why == CPF_WHY_FAILED);
	const char *phrase = cpf_why_phrase(lib->why);
	struct cpf_buf text = {0};

	if (lib->why == CPF_WHY_NONE)
		return;
	out->word = cpf_why_word(lib->why);
	if (!own_words)
		cpf_buf_str(&text, phrase);
	if (!own_words && lib->text)
		cpf_buf_str(&text, ": ");
	if (lib->text)
		cpf_buf_str(&text, lib->text);
	out->text = text.s;
	if (lib->why != CPF_WHY_OFF)
		out->phrase = own_words ? out->text : phrase;
}

static void make_reasons(struct cpf_cli *c)
{
	uint32_t i;

	c->reasons = cpf_calloc(c->names->n, sizeof(*c->reasons));
	for (i = 0; i < c->names->n; i++)
		add_reason(&c->reasons[i], &c->names->libs[i]);
}

static void release_names(struct cpf_cli *c)
{
	uint32_t i;

	for (i = 0; c->reasons && i < c->names->n; i++)
		cpf_free((char *)(uintptr_t)c->reasons[i].text);
	cpf_free(c->reasons);
	if (c->names)
		cpf_sym_result_release(c->names);
	cpf_free(c->names);
	c->names = NULL;
	c->reasons = NULL;
}

void cpf_cli_symbols_release(struct cpf_cli *c)
{
	release_names(c);
	cpf_opt_list_release(&c->syms);
	cpf_opt_list_release(&c->symbol_dirs);
	cpf_opt_list_release(&c->binaries);
	cpf_opt_list_release(&c->path_maps);
}

/* Looking. */

/* What was named and is not there is most likely misspelt; the search itself would pass it over. */
static void check_place(struct cpf_cli *c, const char *option, const char *path, int folder)
{
	struct stat st;

	if (stat(path, &st))
		cpf_note(&c->diag, CPF_WARN, "symbol-place", 1, "--%s %s: %s", option, path, strerror(errno));
	else if (folder && !S_ISDIR(st.st_mode))
		cpf_note(&c->diag, CPF_WARN, "symbol-place", 1, "--%s %s: %s", option, path,
			strerror(ENOTDIR));
}

static void check_places(struct cpf_cli *c)
{
	size_t i;

	for (i = 0; i < c->symbol_dirs.n; i++)
		check_place(c, "symbol-dir", c->symbol_dirs.items[i], 1);
	for (i = 0; i < c->binaries.n; i++)
		check_place(c, "binary", c->binaries.items[i], 0);
	if (c->sysroot)
		check_place(c, "sysroot", c->sysroot, 1);
}

int cpf_cli_symbolize(struct cpf_cli *c, struct cpf_profile *p)
{
	struct cpf_symbolize_opts o = {0};
	struct cpf_opt_list sidecars = {0};
	struct cpf_err e = {0};
	size_t i;
	int r;

	if (c->names || !c->naming || (c->naming == CPF_CLI_NAME_IF_ASKED && !asked_for(c)))
		return 0;
	o.off = switched_off(c);
	o.sources = getenv("CPUPROF_SYMBOL_SOURCES");
	if (!o.off) {
		find_sidecars(c, &sidecars);
		check_places(c);
	}
	o.where.dirs = c->symbol_dirs.items;
	o.where.ndirs = c->symbol_dirs.n;
	o.where.binaries = c->binaries.items;
	o.where.nbinaries = c->binaries.n;
	o.where.sidecars = sidecars.items;
	o.where.nsidecars = sidecars.n;
	o.where.nsidecars_given = c->syms.n;
	o.where.sysroot = c->sysroot;
	o.where.force_binary = c->force_binary;
	o.where.raw_names = c->raw_names;
	o.markers = c->name_markers;
	o.path_maps = c->path_maps.items;
	o.npath_maps = c->path_maps.n;
	c->names = cpf_calloc(1, sizeof(*c->names));
	r = cpf_symbolize(c->names, p, &o, &c->diag, &e);
	for (i = 0; i < sidecars.n; i++)
		cpf_free((char *)(uintptr_t)sidecars.items[i]);
	cpf_opt_list_release(&sidecars);
	if (r) {
		cpf_cli_notes(c);
		c->exit = cpf_cli_fail(c, &e);
		return -1;
	}
	make_reasons(c);
	return 0;
}

/* The gate. */

int cpf_cli_named_gate(const struct cpf_cli *c, double named)
{
	if (named >= c->min_named)
		return CPF_EXIT_OK;
	cpf_cli_error("%s: %.1f%% named, less than the %.4g%% of --min-named", cpf_cli_inputs(c), named,
		c->min_named);
	return CPF_EXIT_GATE;
}

int cpf_cli_named_gate_of(const struct cpf_cli *c, const struct cpf_profile *p, uint32_t type)
{
	struct cpf_coverage cover;
	double named;

	if (!(c->min_named > 0) || type >= p->ntypes)
		return CPF_EXIT_OK;
	cpf_coverage_build(&cover, p, p->types[type].raw);
	named = cover.leaf > 0 ? cover.leaf_named / cover.leaf * 100 : 100;
	cpf_coverage_release(&cover);
	return cpf_cli_named_gate(c, named);
}
