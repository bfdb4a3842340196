/*
 * sink.h - what a backend answers for a batch of addresses of one library.
 *
 * For each address: a list of frames, innermost inlined function first, or a reason why there is
 * none. Text is copied in and kept once. One sink is used by one thread; the driver moves the
 * answers into the profile afterwards.
 */
#ifndef CPF_SINK_H
#define CPF_SINK_H

#include "base/base.h"

#include "core/strings.h"

enum cpf_why {
	CPF_WHY_NONE = 0,      /* not asked yet, or found */
	CPF_WHY_NO_LIBRARY,    /* the address belongs to no library */
	CPF_WHY_NO_ADDRESS,    /* the profile knows the library alone */
	CPF_WHY_NO_FILE,       /* text: the file looked for */
	CPF_WHY_ID_DIFFERS,    /* text: file and both ids */
	CPF_WHY_NO_ID,         /* the profile or the file has no id to compare: text says which */
	CPF_WHY_NO_SYMBOLS,    /* the file is right but has none */
	CPF_WHY_OUTSIDE,       /* address outside every symbol */
	CPF_WHY_UNSUPPORTED,   /* text: what is not read, e.g. "PDB not read" */
	CPF_WHY_FAILED,        /* text: what went wrong, with the file */
	CPF_WHY_OFF,           /* --no-symbols */
	CPF_NWHYS
};

/* A stable word for machines: "no-file", "id-differs" ... */
const char *cpf_why_word(enum cpf_why why);
/* How much a reason tells; the one that tells more is the one to show. */
int cpf_why_weight(enum cpf_why why);

struct cpf_reason {
	enum cpf_why why;
	char text[600]; /* for people, without the library's name; "" = the word says it all */
};
/* Sets the reason. A later one replaces an earlier one only if it says more (see sink.c). */
void cpf_reason(struct cpf_reason *r, enum cpf_why why, const char *fmt, ...) CPF_PRINTF(3, 4);

/* What a name of a frame is. */
enum cpf_plain {
	CPF_PLAIN_NO = 0, /* as the linker has it: demangled for people */
	CPF_PLAIN_YES,    /* meant for people already: stays as it is */
	CPF_PLAIN_CLONES  /* demangled, but endings of clones (.isra.0) may still be there */
};

/* A function that stands at an address. Text is borrowed until the call returns; NULL = unknown. */
struct cpf_sym_frame {
	const char *name;    /* as in the file: mangled if it is there in that form; never NULL or "" */
	const char *file;    /* source file, directories joined */
	int64_t line;        /* of the call for all but the innermost frame; 0 = unknown */
	int64_t column;      /* 0 = unknown */
	int64_t start_line;  /* where the function begins; 0 = unknown */
	int plain;           /* enum cpf_plain */
};

/* The assembly-level symbol around an address. */
struct cpf_sym_symbol {
	const char *name;    /* NULL = not known */
	uint64_t address;    /* in the terms of the module: relative or as in memory */
	uint64_t size;       /* 0 = unknown */
	uint32_t aliases;    /* other symbols at the same place (identical code folding) */
};

struct cpf_sink_frame {
	cpf_str name, file;
	int64_t line, column, start_line;
	int plain;
};

/* Answers: address i has frames [first, first + n) and a symbol; n 0: why, and text if any. */
struct cpf_sink_answer {
	uint32_t first, n;
	uint32_t symbol;     /* in symbols; CPF_NONE */
	uint32_t why;        /* enum cpf_why */
	cpf_str text;        /* reason for people; 0 = none */
	/* 1: the function is right, but lines and inlined functions are unknown to this source. */
	int partial;
};

struct cpf_sink_symbol {
	cpf_str name;
	uint64_t address, size;
	uint32_t aliases;
};

struct cpf_sink {
	struct cpf_strings *strings;
	struct cpf_sink_answer *answers; /* n of them */
	size_t n;
	struct cpf_sink_frame *frames;
	size_t nframes, frames_cap;
	struct cpf_sink_symbol *symbols;
	size_t nsymbols, symbols_cap;
	/* What the source could not read although it answered: part of the debug information, say. */
	struct cpf_reason partly;
};

void cpf_sink_init(struct cpf_sink *s, size_t n);
void cpf_sink_release(struct cpf_sink *s);
/* Frames for address i, innermost first, n > 0; sym may be NULL. A second answer is ignored. */
void cpf_sink_frames(struct cpf_sink *s, size_t i, const struct cpf_sym_frame *frames, size_t n,
	const struct cpf_sym_symbol *sym);
/* Address i was answered as well as this source can: another one may know more. */
void cpf_sink_partial(struct cpf_sink *s, size_t i);
void cpf_sink_miss(struct cpf_sink *s, size_t i, enum cpf_why why, const char *text);

#endif
