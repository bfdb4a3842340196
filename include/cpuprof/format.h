/*
 * format.h - reading and writing profile files: what a format is, detection, load and save.
 *
 * A format is one const struct in one file of src/formats and one line in the table of
 * src/formats/format.c. Readers know nothing of reports, writers nothing of readers.
 */
#ifndef CPUPROF_FORMAT_H
#define CPUPROF_FORMAT_H

#include <cpuprof/profile.h>

struct cpf_input;  /* src/base/input.h: a stream of unpacked bytes */
struct cpf_output; /* src/base/output.h: stdout, or a file put in place at the end */

/* What the caller will look at; a reader may leave the rest out (and then says nothing of it). */
enum cpf_want {
	CPF_WANT_TIMES = 1,    /* sample times */
	CPF_WANT_MARKERS = 2,
	CPF_WANT_ALL_VALUES = 4, /* every value column; else only what sample_type needs */
	CPF_WANT_ALL = 7
};

struct cpf_load_opts {
	uint32_t want;             /* enum cpf_want */
	const char *sample_type;   /* the only one needed; NULL = the default; with ALL_VALUES unused */
	const char *thread_label;  /* pprof: label key that names threads; NULL = the known spellings */
	int keep_cpu_tracks;       /* Firefox: keep the copies on per-CPU tracks */
};

/* What a format can carry. A conversion reports what the source has and the target does not keep. */
enum cpf_keeps {
	CPF_KEEPS_ADDRESSES = 1,
	CPF_KEEPS_MAPPINGS = 2,
	CPF_KEEPS_INLINES = 4,
	CPF_KEEPS_LINES = 8,
	CPF_KEEPS_FILES = 16,
	CPF_KEEPS_THREADS = 32,
	CPF_KEEPS_LABELS = 64,
	CPF_KEEPS_TIMES = 128,
	CPF_KEEPS_TYPES = 256,     /* several value columns */
	CPF_KEEPS_MARKERS = 512,
	CPF_KEEPS_HEADER = 1024,   /* period, comments, time, duration */
	CPF_KEEPS_CATEGORIES = 2048,
	CPF_KEEPS_EMPTY = 4096     /* samples without stack */
};

struct cpf_save_opts {
	uint32_t type;           /* value type for formats with one; CPF_NONE = the profile's default */
	int timestamps;          /* pprof: one sample each with label "time" instead of sums */
	const char *root;        /* folded: "none", "thread", "process" */
	int marks;               /* folded: _[k], _[i], _[j] behind kernel, inlined and JIT frames */
	int firefox_version;     /* firefox: 60, or 49 with tables in each thread; 0 = 60 */
};

struct cpf_format {
	const char *name;     /* "pprof" */
	const char *summary;  /* one line for help */
	const char *suffixes; /* of files it writes, longest first, blanks between: ".pb.gz .pprof .pb" */
	uint32_t keeps;       /* enum cpf_keeps */
	int binary;           /* not for terminals */
	/* 0 no, 1 perhaps (text that only this reader would take), 2 surely. head: up to 4 KiB unpacked. */
	int (*probe)(const uint8_t *head, size_t n);
	/* Reads all of in into p (initialised, empty). NULL: cannot read. */
	int (*read)(struct cpf_input *in, struct cpf_profile *p, const struct cpf_load_opts *o,
		struct cpf_diag *d, struct cpf_err *e);
	/* NULL: cannot write. Losses go to d before the last byte is written. */
	int (*write)(const struct cpf_profile *p, struct cpf_output *out,
		const struct cpf_save_opts *o, struct cpf_diag *d, struct cpf_err *e);
};

/* NULL-terminated, in the order of detection. */
extern const struct cpf_format *const cpf_formats[];
const struct cpf_format *cpf_format_by_name(const char *name);
/* By the suffix of a path; NULL if none fits. *gzip tells whether the suffix asks for gzip. */
const struct cpf_format *cpf_format_by_suffix(const char *path, int *gzip);

/* Reads one file ("-" is stdin). p must be initialised and empty; it is sealed afterwards. */
int cpf_load(struct cpf_profile *p, const char *path, const struct cpf_load_opts *o,
	struct cpf_diag *d, struct cpf_err *e) CPF_MUST_CHECK;
/* The same from an open input. */
int cpf_load_input(struct cpf_profile *p, struct cpf_input *in, const struct cpf_load_opts *o,
	struct cpf_diag *d, struct cpf_err *e) CPF_MUST_CHECK;

#endif
