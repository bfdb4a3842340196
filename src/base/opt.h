/*
 * opt.h - command-line options from tables: one row gives parsing, negation and help.
 *
 * A table is a static array ending with a row whose type is CPF_OPT_END; its rows name fields of a
 * struct by offset, so tables can be shared by commands. A command parses with a list of tables,
 * each with the struct it fills. Fields keep what they held before if their option is not given:
 * defaults are set by the caller.
 *
 * Accepted: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, -qv (flags together); "_" equals "-" in
 * names; options and files in any order; "--" ends the options; "-" is a file. The last value of an
 * option wins, lists grow. Flags have a --no- form (--no-inlines has --inlines).
 *
 * Ownership: values are borrowed from argv. Lists own their arrays: cpf_opt_list_release.
 * Errors: CPF_E_USAGE with a reason for people. Nothing is printed.
 */
#ifndef CPF_OPT_H
#define CPF_OPT_H

#include "base/base.h"

struct cpf_buf;

enum cpf_opt_type {
	CPF_OPT_END = 0,
	CPF_OPT_FLAG,    /* int: 1, or 0 by the --no- form */
	CPF_OPT_SET,     /* int: gets value; no --no- form */
	CPF_OPT_STRING,  /* const char * */
	CPF_OPT_INT,     /* int64_t, min to max */
	CPF_OPT_PERCENT, /* double, 0 to 100 */
	CPF_OPT_TIME,    /* struct cpf_opt_time */
	CPF_OPT_SIZE,    /* uint64_t: bytes, 1 to max */
	CPF_OPT_CHOICE,  /* int: index in choices */
	CPF_OPT_LIST     /* struct cpf_opt_list; may be given again */
};

/* Sections of the help text, in this order. */
enum cpf_opt_group {
	CPF_OPT_LOAD,
	CPF_OPT_SELECT,
	CPF_OPT_SHAPE,
	CPF_OPT_OUTPUT,
	CPF_OPT_OTHER
};

struct cpf_opt {
	enum cpf_opt_type type;
	enum cpf_opt_group group;
	char letter;         /* 0 = none */
	const char *name;    /* without dashes; further spellings behind blanks: "nodecount rows" */
	size_t offset;       /* of the field */
	const char *arg;     /* placeholder in the help: "FILE" */
	const char *help;    /* NULL: not shown */
	const char *choices; /* "text|json|csv" */
	int value;           /* CPF_OPT_SET */
	int64_t min, max;    /* CPF_OPT_INT, CPF_OPT_SIZE; both 0: any */
};

struct cpf_opt_time {
	int set;
	int64_t ns;
};

struct cpf_opt_list {
	const char **items; /* ends with NULL; NULL if empty */
	size_t n, cap;
};
void cpf_opt_list_add(struct cpf_opt_list *l, const char *item);
void cpf_opt_list_release(struct cpf_opt_list *l);

struct cpf_opt_set {
	const struct cpf_opt *opts;
	void *base;
};

/* What help says around the options. */
struct cpf_usage {
	const char *name;     /* "top" */
	const char *args;     /* "[OPTIONS] FILE..." */
	const char *summary;  /* one sentence, with a full stop */
	const char *details;  /* lines to print below, or NULL */
	const char *examples; /* lines "command  # what for"; or NULL */
	const char *exits;    /* lines "0  done"; or NULL */
};

/*
 * sets: n tables. Files (arguments that are no options) go to files. Returns 0, 1 if --help or -h was
 * met (parsing stopped there), -1.
 */
int cpf_opt_parse(const struct cpf_opt_set *sets, size_t n, int argc, char **argv,
	struct cpf_opt_list *files, struct cpf_err *e) CPF_MUST_CHECK;

/* The help text, at most 80 columns wide. */
void cpf_opt_help(
	struct cpf_buf *out, const struct cpf_usage *u, const struct cpf_opt_set *sets, size_t n);

/*
 * The candidate nearest to word (letters left out, added, changed or swapped), or NULL if none is
 * near. Candidates are offered one by one; start with a zeroed struct.
 */
struct cpf_nearest {
	const char *best;
	size_t distance;
};
void cpf_nearest_offer(struct cpf_nearest *n, const char *word, const char *candidate);

#endif
