/*
 * sidecar.h - names saved beside a samply recording: PROFILE.syms.json.
 *
 * A JSON object: "string_table" (texts; number 0 is always "UNKNOWN") and "data", a list of libraries:
 *   debug_name, debug_id (UUID in lower case with dashes, "-age" if that is not 0), code_id
 *   symbol_table      [{rva, size, symbol, frames: [{function, file, line}]}], frames innermost
 *                     first, any of their members null; addresses relative to the image
 *   known_addresses   [[address, index in symbol_table]], ascending, as the profile stores them
 * The two members come in any order, unknown ones are passed over.
 *
 * samply 0.13 kept one entry per function, filled from the lowest address it saw there: for all
 * others lines and inlined functions are wrong. Such a file is known by no two entries having the
 * same rva while entries serve several addresses; of those entries only the name and the file of
 * the function are used. For a few days of May 2024 it wrote string 0 and line 0 where nothing was
 * known; they count as unknown.
 */
#ifndef CPF_SIDECAR_H
#define CPF_SIDECAR_H

#include "base/base.h"
#include "base/input.h"

#include "symbolize/symbolizer.h"

#define CPF_SIDECAR_NIL "000000000000000000000000000000000" /* id of libraries that have none */

struct cpf_sidecar_frame {
	uint32_t function, file; /* strings; 0 = unknown */
	int64_t line;            /* 0 = unknown */
};

struct cpf_sidecar_symbol {
	uint64_t rva, size;  /* size 0 = unknown */
	uint32_t symbol;     /* string */
	uint32_t first, n;   /* frames */
	uint32_t uses;       /* by known addresses; counted up to 2 */
};

struct cpf_sidecar_known {
	uint64_t address;
	uint32_t symbol; /* within the library */
};

struct cpf_sidecar_lib {
	uint32_t debug_name;   /* in names */
	char id[64];           /* as Breakpad spells it: upper-case hex, age at the end */
	char code_id[64];      /* "" = none, or too long to be one */
	size_t first, n;       /* symbols */
	size_t known, nknown;
};

/* Texts lie in one block, each with a NUL behind it. */
struct cpf_sidecar_texts {
	char *s;
	size_t len, cap;
	size_t *at;
	size_t n, at_cap;
};

struct cpf_sidecar {
	char *path;
	struct cpf_sidecar_texts strings, names; /* string_table; names of libraries */
	struct cpf_sidecar_lib *libs;
	size_t nlibs, libs_cap;
	struct cpf_sidecar_symbol *symbols;
	size_t nsymbols, symbols_cap;
	uint32_t *by_rva;      /* symbols of each library in order of rva, numbered within it */
	struct cpf_sidecar_frame *frames;
	size_t nframes, frames_cap;
	struct cpf_sidecar_known *known;
	size_t nknown, known_cap;
	int one_per_function;  /* samply 0.13, see above */
};

/* s is zeroed by the caller and released by it whatever happens. */
int cpf_sidecar_read(struct cpf_sidecar *s, struct cpf_input *in, struct cpf_err *e) CPF_MUST_CHECK;
void cpf_sidecar_release(struct cpf_sidecar *s);
/* The library that m is, or NULL. */
const struct cpf_sidecar_lib *cpf_sidecar_lib_of(
	const struct cpf_sidecar *s, const struct cpf_module *m);
/* Answers for addresses of lib; addr ascending. */
void cpf_sidecar_lookup(const struct cpf_sidecar *s, const struct cpf_sidecar_lib *lib,
	const uint64_t *addr, size_t n, struct cpf_sink *sink);

/*
 * Writes the names of a profile as such a file, in the shape samply has had since April 2025: every place
 * that has a name, with inlined functions, files and lines. Each address has an entry of its own,
 * which no reader can take for the shape of 0.13. Places without name, address or library are left
 * out, and so are libraries whose addresses are not relative to the image (pprof): *skipped counts
 * the places of these.
 */
struct cpf_output;
void cpf_sidecar_write(struct cpf_output *out, const struct cpf_profile *p, uint64_t *written,
	uint64_t *skipped);

extern const struct cpf_symbolizer cpf_symbolizer_sidecar;

#endif
