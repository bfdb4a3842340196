/*
 * common.h - what commands share: option groups, loading and selecting, messages, exit codes.
 *
 * A command's run function goes like this:
 *
 *     struct cpf_cli c;
 *     cpf_cli_init(&c, &usage);
 *     if (cpf_cli_parse(&c, argc, argv, sets, CPF_LEN(sets)))   // help shown or usage error
 *             return cpf_cli_done(&c, c.exit);
 *     code = cpf_cli_report(&c, CPF_WANT_TIMES, make, &options); // load, make, write
 *     return cpf_cli_done(&c, code);                            // notes, --strict, release
 *
 * Messages go to stderr; bytes of file names and texts that are not printable are escaped.
 */
#ifndef CPF_COMMON_H
#define CPF_COMMON_H

#include "base/base.h"
#include "base/opt.h"
#include "core/filter.h"

#include <cpuprof/format.h>

/* The highest --max-string and --max-depth: lengths are 32-bit, levels cost memory. */
#define CPF_CLI_MOST_STRING INT64_C(2147483647)
#define CPF_CLI_MOST_DEPTH  1000000

enum cpf_exit {
	CPF_EXIT_OK = 0,
	CPF_EXIT_FAILED = 1, /* input, output, system */
	CPF_EXIT_USAGE = 2,
	CPF_EXIT_GATE = 3,   /* done, but a gate was not met: --strict, --min-named, check ... */
	CPF_EXIT_EMPTY = 4   /* valid input, but nothing to show */
};

struct cpf_cli {
	const struct cpf_usage *usage;
	struct cpf_opt_list files; /* what is no option; "-" if there is none, see cpf_cli_parse */
	int exit;                  /* set by the calls below that return nonzero */

	/* cpf_cli_load_opts */
	int strict, keep_cpu_tracks;
	const char *thread_label;
	uint64_t max_size, max_string; /* 0 = default of the library */
	int64_t max_depth;
	/* cpf_cli_select_opts */
	struct cpf_opt_list threads, processes, libs;
	struct cpf_opt_time from, to;
	const char *focus, *ignore, *hide, *show, *show_from, *prune_from;
	/* cpf_cli_type_opts */
	const char *sample_type;
	/* cpf_cli_symbol_opts */
	struct cpf_opt_list syms, symbol_dirs, binaries, path_maps;
	const char *sysroot;
	int no_symbols;            /* -1: neither --no-symbols nor --symbols */
	int force_binary, raw_names;
	enum cpf_cli_naming {
		CPF_CLI_NAME_NEVER = 0, /* the command has no such options */
		CPF_CLI_NAME_IF_ASKED,  /* with one of --symbols --syms --symbol-dir --binary */
		CPF_CLI_NAME            /* without --no-symbols */
	} naming;                  /* set by the command before it parses */
	int name_markers;          /* places in stacks of markers are named, too; set by the command */
	struct cpf_sym_result *names; /* what cpf_cli_symbolize found; NULL = nothing was done */
	struct cpf_lib_reason *reasons; /* per library, then those without; NULL if names is */
	/* cpf_cli_named_opts */
	double min_named;
	/* cpf_cli_output_opts */
	const char *output;
	/* cpf_cli_common_opts */
	int quiet, verbose, no_progress;

	struct cpf_diag diag;
	size_t notes_shown;        /* of diag.notes */
	struct cpf_progress *progress; /* progress.h */
};

/* Option tables over struct cpf_cli. */
extern const struct cpf_opt cpf_cli_load_opts[];   /* --strict --keep-cpu-tracks --thread-label --max-... */
extern const struct cpf_opt cpf_cli_select_opts[]; /* --thread ... --prune-from */
extern const struct cpf_opt cpf_cli_type_opts[];   /* --sample-type */
extern const struct cpf_opt cpf_cli_symbol_opts[]; /* --syms ... --raw-names */
extern const struct cpf_opt cpf_cli_named_opts[];  /* --min-named */
extern const struct cpf_opt cpf_cli_output_opts[]; /* -o */
extern const struct cpf_opt cpf_cli_common_opts[]; /* -q -v --no-progress */

/* Exit codes as help prints them, for struct cpf_usage. */
#define CPF_CLI_EXITS                                                                              \
	"0  done\n"                                                                                \
	"1  could not: input, output or system\n"                                                  \
	"2  wrong usage\n"                                                                         \
	"3  done, but --strict met a warning\n"                                                    \
	"4  the file is valid but holds nothing to show"

void cpf_cli_init(struct cpf_cli *c, const struct cpf_usage *u);
/*
 * Nonzero: help was printed or usage was wrong (message is out); c->exit is the exit code. Without a
 * file: stdin, unless that is a terminal (usage).
 */
int cpf_cli_parse(struct cpf_cli *c, int argc, char **argv, const struct cpf_opt_set *sets,
	size_t nsets);
/* As above, for commands that may have no file at all (help). */
int cpf_cli_parse_nofile(struct cpf_cli *c, int argc, char **argv, const struct cpf_opt_set *sets,
	size_t nsets);

/*
 * Reads all files into p (initialised here, released by the caller whatever happens); several are
 * pooled. want: enum cpf_want. Nonzero: message is out, c->exit is set.
 */
int cpf_cli_load(struct cpf_cli *c, struct cpf_profile *p, uint32_t want);
/* The same, but merged as how says (merge.h), a single file, too; no more than want is read. */
struct cpf_merge_opts;
int cpf_cli_load_merged(struct cpf_cli *c, struct cpf_profile *p, uint32_t want,
	const struct cpf_merge_opts *how);
/* The same for one file, without looking at c->files. */
int cpf_cli_load_file(struct cpf_cli *c, struct cpf_profile *p, const char *path, uint32_t want);
/*
 * Applies the selection. Nonzero: message is out; CPF_EXIT_EMPTY if nothing is left (with what there
 * would have been: the threads for --thread ...) or if the file has no samples.
 */
int cpf_cli_select(struct cpf_cli *c, struct cpf_profile *p);
/* Nonzero: there are samples, but none has a stack; the message is out, c->exit is CPF_EXIT_EMPTY. */
int cpf_cli_without_stacks(struct cpf_cli *c, const struct cpf_profile *p);
/*
 * Looks for names of the places that occur in the samples of p, as c->naming and the options say, and
 * puts them in; the first call does it, later ones do nothing. cpf_cli_select calls it between samples and
 * expressions. Nonzero: message is out, c->exit is set.
 */
int cpf_cli_symbolize(struct cpf_cli *c, struct cpf_profile *p);
/* Checks the options once they are parsed; as cpf_cli_parse. */
int cpf_cli_symbols_check(struct cpf_cli *c);
void cpf_cli_symbols_release(struct cpf_cli *c);
/* Exit code of --min-named, for a share in percent: 3 with a message, or 0. */
int cpf_cli_named_gate(const struct cpf_cli *c, double named);
/* The same, by the values of a type. */
int cpf_cli_named_gate_of(const struct cpf_cli *c, const struct cpf_profile *p, uint32_t type);

/*
 * Does what a pprof file asks of every report with its drop_frames: cuts stacks at the matching
 * functions, and says so.
 */
void cpf_cli_drop_frames(struct cpf_cli *c, struct cpf_profile *p);
/* Appends what was selected, for headers: "in thread main, from 1s", or nothing. */
struct cpf_buf;
void cpf_cli_scope(const struct cpf_cli *c, struct cpf_buf *out);
/* Index of the value type asked for, or the default one; -1: message with the names is out. */
int cpf_cli_type(struct cpf_cli *c, const struct cpf_profile *p);

/*
 * The rules of --classes FILE, or the built-in ones if path is NULL and they are wanted; else *out
 * stays NULL. Freed by the caller. Nonzero: message is out, c->exit is set;
 * a path that nothing wants is wrong usage.
 */
struct cpf_classes;
int cpf_cli_classes(struct cpf_cli *c, struct cpf_classes **out, const char *path, int wanted);

/* How messages name what was read: the file, "<stdin>" or "all files". Borrowed. */
const char *cpf_cli_inputs(const struct cpf_cli *c);

/* "cpuprof: TEXT" */
void cpf_cli_error(const char *fmt, ...) CPF_PRINTF(1, 2);
/* Notes so far, then "cpuprof: TEXT"; sets c->exit to CPF_EXIT_EMPTY and returns it. */
int cpf_cli_empty(struct cpf_cli *c, const char *fmt, ...) CPF_PRINTF(2, 3);
/* "cpuprof: note: TEXT", not with -q */
void cpf_cli_note(const struct cpf_cli *c, const char *fmt, ...) CPF_PRINTF(2, 3);
/* Prints the error; returns the exit code that goes with it (usage: with the "try" line). */
int cpf_cli_fail(const struct cpf_cli *c, const struct cpf_err *e);
/* The option, without dashes, that sets this limit; NULL for CPF_LIMIT_FIXED. */
const char *cpf_cli_limit_option(enum cpf_limit limit);
/* "cpuprof: TEXT", "try 'cpuprof NAME --help'"; returns CPF_EXIT_USAGE. */
int cpf_cli_usage(const struct cpf_cli *c, const char *fmt, ...) CPF_PRINTF(2, 3);
/* Prints the notes gathered since the last time (cpf_cli_done calls it). */
void cpf_cli_notes(struct cpf_cli *c);

/* Writes text to c->output or stdout. Nonzero: message is out, c->exit is set. */
int cpf_cli_write(struct cpf_cli *c, const struct cpf_buf *text);

/*
 * Loads the files, lets make append its report to out, writes that, releases the profile; returns
 * the exit code. arg is passed on. make returns nonzero if there is nothing to write: either e says
 * why, or the message is out and c->exit is set.
 */
typedef int cpf_cli_make(struct cpf_cli *c, void *arg, struct cpf_profile *p, struct cpf_buf *out,
	struct cpf_err *e);
int cpf_cli_report(struct cpf_cli *c, uint32_t want, cpf_cli_make *make, void *arg);

/* Notes, --strict (exit 0 becomes 3), release. Returns the exit code to return from main. */
int cpf_cli_done(struct cpf_cli *c, int exit);

#endif
