/*
 * symbolizer.h - what a source of names (a backend) is: sidecar, ELF/DWARF, perf map, kernel, atos.
 *
 * The driver (driver.h) gathers, per library, the sorted distinct addresses that have no name,
 * offers them to the backends in the order of the table in registry.c, and passes on to the next
 * one only what is still missing. A backend is one const struct cpf_symbolizer in one file and one
 * line in that table.
 *
 * A name may be given only if the backend can prove that it belongs there: the file is the one that
 * was recorded (build id, UUID) and the address lies within the symbol. In every other case the
 * answer is a reason.
 *
 * Addresses are those of the profile, as they are: callers are already one lower than the return
 * address, so the byte named lies inside the call instruction.
 */
#ifndef CPF_SYMBOLIZER_H
#define CPF_SYMBOLIZER_H

#include "base/base.h"

#include "symbolize/sink.h"

/*
 * A library as the profile knows it. Text is borrowed, NUL-terminated, "" if unknown; it comes from
 * the profile and is as trustworthy as that.
 */
struct cpf_module {
	const char *name;       /* what to call it in messages */
	const char *path;       /* of the file when it was recorded */
	const char *build_id;   /* ELF: lower-case hex; "" = unknown */
	const char *debug_name, *debug_path, *debug_id, *code_id, *arch; /* Firefox */
	/*
	 * 1: addresses are relative to the image base, the address of the first PT_LOAD segment (ELF),
	 * of __TEXT (Mach-O), the image base (PE). 0: as in memory; start, limit and offset are those
	 * of the mapping (profile.proto).
	 */
	int relative;
	uint64_t start, limit, offset;
	/* When the recording began and ended, ns since 1970; 0 = unknown. */
	int64_t began, ended;
};

/* Where to look; all lists as given on the command line, in order. Borrowed. */
struct cpf_sym_opts {
	const char *const *dirs;      /* --symbol-dir: binaries, debug files, .build-id trees, dSYMs */
	size_t ndirs;
	const char *const *binaries;  /* --binary FILE: for the library with that file name */
	size_t nbinaries;
	const char *const *sidecars;  /* --syms FILE, or those found beside the profiles */
	size_t nsidecars;
	size_t nsidecars_given;       /* the first so many were asked for by name */
	const char *sysroot;          /* --sysroot DIR, or NULL */
	int force_binary;             /* --force-binary: take a file whose build id differs, and say so */
	int raw_names;                /* --raw-names */
};

/*
 * One source of names. open is called once, close at the end; find once per library that has
 * addresses to name, then lookup, then drop. find and lookup of different libraries may run at the
 * same time in two threads: state is read-only after open, an image belongs to one thread at a time.
 */
struct cpf_symbolizer {
	const char *name;     /* "elf" */
	const char *summary;  /* one line for help */
	/* 0; 1: nothing to do with this backend in this run (no sidecar, no atos); -1: error. */
	int (*open)(void **state, const struct cpf_sym_opts *o, struct cpf_diag *d, struct cpf_err *e);
	/*
	 * 1: *image answers for this library; 0: it cannot, r says why (left untouched if this backend
	 * is not for such libraries at all). Never fails the run: a broken file is a reason. 1 and the
	 * reason CPF_WHY_ID_DIFFERS: names of another build, as --force-binary asks; r says of which.
	 */
	int (*find)(void *state, const struct cpf_module *m, void **image, struct cpf_reason *r);
	/*
	 * Answers for addr[0 .. n-1], ascending, each with cpf_sink_frames or cpf_sink_miss (those
	 * left untouched count as CPF_WHY_OUTSIDE).
	 */
	void (*lookup)(void *image, const uint64_t *addr, size_t n, struct cpf_sink *s);
	void (*drop)(void *image);
	void (*close)(void *state);
};

/* NULL-terminated, in the order they are asked. */
extern const struct cpf_symbolizer *const cpf_symbolizers[];

#endif
