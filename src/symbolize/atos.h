/*
 * atos.h - the parts of the atos backend: running the program, and reading what it prints.
 *
 * atos (macOS) is asked once per library:
 *     atos -o FILE -arch ARCH -l ADDRESS -i -fullPath -f INPUT
 * (and again without -fullPath if it does not know that)
 * and answers in the order of the addresses in INPUT. With -i there is one block per address, its
 * lines innermost inlined function first, and an empty line between blocks; versions without that
 * print one line per address. The lines, as macOS 26 prints them:
 *     name (in library) (file.c:12)      debug information
 *     name (in library) + 16             symbol table: bytes behind the start of the symbol
 *     0x0000000100002000 (in library)    nothing known there
 *     0x100002000                        outside of the library
 */
#ifndef CPF_ATOS_H
#define CPF_ATOS_H

#include "base/base.h"
#include "base/buf.h"

#include "symbolize/macho.h"
#include "symbolize/symbolizer.h"

extern const struct cpf_symbolizer cpf_symbolizer_atos;

enum cpf_atos_kind {
	CPF_ATOS_NAME,    /* name, and what else is known */
	CPF_ATOS_ADDRESS, /* address: nothing known */
	CPF_ATOS_OTHER    /* no line of atos */
};

struct cpf_atos_line {
	enum cpf_atos_kind kind;
	const char *name;  /* in the text given */
	const char *file;  /* NULL = unknown */
	int64_t line;      /* 0 = unknown */
	int has_offset;
	uint64_t offset;   /* from the start of the symbol */
	uint64_t address;
};

/*
 * Takes one line without its end apart; text is written to. library: the name atos gives the file,
 * for names and paths that hold " (in " themselves.
 */
void cpf_atos_line(struct cpf_atos_line *l, char *text, const char *library);

/* What was asked: addr[i] + slide (mod 2^64) is what atos was given; first + i its number in the sink. */
struct cpf_atos_query {
	const uint64_t *addr;
	size_t n, first;
	uint64_t slide;
	uint64_t base; /* of __TEXT, in the terms of addr */
	const uint64_t *starts; /* where functions begin, from base on, ascending; NULL = not known */
	size_t nstarts;
	const char *library;
};

/*
 * Puts the answers in text (changed) into s. Returns 0, or -1 with the reason and no answer at all if
 * it cannot be told which line belongs to which address.
 */
int cpf_atos_answers(struct cpf_sink *s, const struct cpf_atos_query *q, struct cpf_buf *text,
	struct cpf_reason *r);

/*
 * The name as it stands in the symbol table, as far as it can be told from what atos prints: it
 * takes one underscore off, demangles C++ and Swift, takes old Rust names for C++ (so that their
 * hash is at the end) and leaves new ones. Returns 1 if the name is meant for people: then it is not
 * to be demangled. Appends to out.
 */
int cpf_atos_name(struct cpf_buf *out, const char *name);

/* dSYM bundles in the folders of --symbol-dir, with what is in them; in order of folder and name. */
struct cpf_atos_index {
	struct cpf_atos_file {
		char *path; /* of the file with the debug information */
		struct cpf_macho macho;
	} *files;
	size_t n, cap;
};
void cpf_atos_index_build(struct cpf_atos_index *x, const struct cpf_sym_opts *o);
void cpf_atos_index_release(struct cpf_atos_index *x);

/* The file to ask about. */
struct cpf_atos_found {
	char *path; /* owned */
	struct cpf_macho_slice slice; /* text_size 0: not known */
};
/*
 * 1: f is the file of this library, by its UUID, and r is left alone; or it is taken by force, and r
 * says that its UUID differs. 0: there is none, r says why (left alone if the library is not from
 * macOS). dSYMs, which have lines, go before what was linked.
 */
int cpf_atos_find(struct cpf_atos_found *f, const struct cpf_atos_index *x,
	const struct cpf_sym_opts *o, const struct cpf_module *m, struct cpf_reason *r);

/*
 * Runs argv[0], a path, without a shell and without input. Standard output is appended to out; the
 * first line of standard error goes into the reason if the program fails. Returns 0 if it ended with
 * status 0, 1 if with another one or by a signal, -1 if it could not be started or was killed:
 * for printing more than limit bytes or taking longer than so many seconds. What it started is
 * killed with it.
 */
int cpf_atos_run(struct cpf_buf *out, char *const argv[], size_t limit, unsigned seconds,
	struct cpf_reason *r);

#endif
