/*
 * cpuprof.h - what every part of the library shares: version, errors, notes, limits.
 *
 * Ownership: all structs here are plain values on the caller's side, except the notes kept in a
 * struct cpf_diag, which cpf_diag_release frees.
 * Errors: a function that can fail returns 0 or -1 and takes a struct cpf_err * as its last
 * parameter. The library never prints and never exits, with one exception: when memory is
 * exhausted the process ends with a message (src/base/mem.c).
 */
#ifndef CPUPROF_CPUPROF_H
#define CPUPROF_CPUPROF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define CPF_VERSION "0.1.0"

#if defined(__GNUC__)
#define CPF_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define CPF_MUST_CHECK   __attribute__((warn_unused_result))
#else
#define CPF_PRINTF(f, a)
#define CPF_MUST_CHECK
#endif

/* What kind of failure; the text says the rest. */
enum cpf_code {
	CPF_OK = 0,
	CPF_E_IO,     /* a system call failed */
	CPF_E_FORMAT, /* the input breaks the rules of its format */
	CPF_E_LIMIT,  /* the input is larger than a limit */
	CPF_E_RANGE,  /* a number does not fit (64-bit sums, ids) */
	CPF_E_USAGE,  /* the request makes no sense (bad regular expression, unknown name) */
	CPF_E_EMPTY   /* valid, but holds nothing to work on */
};

/* Which field of struct cpf_limits was met, for messages that tell how to raise it. */
enum cpf_limit {
	CPF_LIMIT_FIXED = 0, /* none of them */
	CPF_LIMIT_UNPACKED,
	CPF_LIMIT_STRING,
	CPF_LIMIT_DEPTH
};

#define CPF_NO_POS UINT64_MAX

/*
 * One failure. A zeroed struct means "no failure". The first error wins: setters leave an already
 * set error alone; callers may add a place, never change the reason. Text is cut to fit; bytes that
 * are not printable are escaped when it is formatted for people.
 */
struct cpf_err {
	enum cpf_code code;
	enum cpf_limit limit; /* of CPF_E_LIMIT */
	int sys;           /* errno of the system call that failed, 0 = none */
	int unpacked;      /* byte counts in the unpacked data, not in the file */
	uint64_t byte;     /* offset, or CPF_NO_POS */
	uint64_t line;     /* 1-based, 0 = none */
	uint64_t column;   /* 1-based, in bytes, 0 = none */
	char source[256];  /* file name as the user gave it, or "" */
	char where[256];   /* JSON path or protobuf path, or "" */
	char reason[512];
};

/* Sets code and reason unless an error is set already; returns -1 so that callers can return it. */
int cpf_fail(struct cpf_err *e, enum cpf_code code, const char *fmt, ...) CPF_PRINTF(3, 4);
int cpf_fail_at(struct cpf_err *e, enum cpf_code code, uint64_t byte, const char *fmt, ...)
	CPF_PRINTF(4, 5);
/* Fill source or where if they are empty. */
void cpf_err_source(struct cpf_err *e, const char *source);
void cpf_err_where(struct cpf_err *e, const char *fmt, ...) CPF_PRINTF(2, 3);
/* Says which limit it was, of an error that is CPF_E_LIMIT. */
void cpf_err_limit(struct cpf_err *e, enum cpf_limit limit);
/* "SOURCE: byte N (unpacked): WHERE: REASON", NUL-terminated, cut to cap; returns out. */
const char *cpf_err_text(const struct cpf_err *e, char *out, size_t cap);

/* How a note is meant. --strict turns CPF_WARN and CPF_LOSS into exit code 3. */
enum cpf_level {
	CPF_INFO, /* what was done by rule, worth knowing: copies on per-CPU tracks left out */
	CPF_WARN, /* the input is odd: a column is short, a delta unknown */
	CPF_LOSS  /* something was not carried over */
};

/* Notes of one kind are counted together; the text of the first is kept. */
struct cpf_note {
	enum cpf_level level;
	const char *kind; /* stable word for machines, e.g. "short-column"; static storage */
	int64_t count;
	char *text;   /* owned; names the file and what happened, without the count */
};

/* Limits on input; 0 = the default named in the comment. */
struct cpf_limits {
	uint64_t unpacked;   /* bytes after unpacking: 64 GiB */
	uint64_t string;     /* bytes of one string: 256 MiB */
	uint32_t depth;      /* nesting of JSON values: 1000 */
};

struct cpf_diag {
	struct cpf_note *notes;
	size_t n, cap;
	struct cpf_limits limits;
	/* Called now and then with bytes consumed of the (packed) input; total is 0 if unknown. */
	void (*progress)(void *arg, uint64_t done, uint64_t total);
	void *progress_arg;
};

/* Adds count to the note of this level and kind and (if fmt differs in text) source file. */
void cpf_note(struct cpf_diag *d, enum cpf_level level, const char *kind, int64_t count,
	const char *fmt, ...) CPF_PRINTF(5, 6);
void cpf_diag_release(struct cpf_diag *d);

#endif
