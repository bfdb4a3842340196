/*
 * profile.h - the sample graph: what was measured, in columns.
 *
 * A profile is a set of tables. A row of a table is named by its index, a 32-bit id; a column is an
 * array with one entry per row. CPF_NONE is "no row". All ids of a table run from 0 to n - 1.
 *
 *   strings    bytes and length; id 0 is ""
 *   mappings   libraries and executables
 *   functions  names and where they are defined
 *   locations  a place in a program: mapping, address, and the lines (function, file line) that
 *              stand there, innermost inlined function first (profile.proto's notion)
 *   nodes      stacks, as a tree of locations: node = (parent node, location); node 0 is the empty
 *              stack; parent < child always. Two nodes may be equal: readers that get a stack
 *              table keep its rows, so count by keys, never by node id.
 *   samples    node, thread, time, label set, one number per value column
 *   threads, processes, label sets, markers, categories, symbols
 *
 * Symbolization edits locations, never nodes. Call trees and tables are derived from this
 * (src/view), thrown away and rebuilt.
 *
 * Values: columns hold raw integers; a value type says what they are worth:
 *   value = raw * num / den      (in the type's unit)
 * so wall time needs no column of its own, microseconds stay small, and weights with decimals are
 * exact (den is a power of ten). Sum raw numbers, scale the sum once: totals do not drift.
 *
 * Ownership: one profile owns all its tables. Pointers into strings stay valid until
 * cpf_profile_release; pointers into columns until the next append.
 */
#ifndef CPUPROF_PROFILE_H
#define CPUPROF_PROFILE_H

#include <cpuprof/column.h>
#include <cpuprof/cpuprof.h>

#define CPF_NONE UINT32_MAX

typedef uint32_t cpf_str;  /* id of a string */
typedef uint32_t cpf_id;   /* id in the table named beside it */

struct cpf_strings; /* src/core/strings.h: interner */

/* A counted string; NUL-terminated too, but may hold NULs. */
struct cpf_text {
	const char *s;
	uint32_t len;
};

enum cpf_map_flags {
	CPF_MAP_HAS_FUNCTIONS = 1, /* profile.proto has_* bits, as read */
	CPF_MAP_HAS_FILENAMES = 2,
	CPF_MAP_HAS_LINES = 4,
	CPF_MAP_HAS_INLINES = 8,
	CPF_MAP_RELATIVE = 16      /* addresses of its locations are relative to the image (Firefox) */
};

struct cpf_mapping {
	uint64_t start, limit, offset; /* as in profile.proto; 0 if CPF_MAP_RELATIVE */
	uint64_t wire_id;              /* id in the pprof file it came from; 0 = none */
	cpf_str file;                  /* path; the name to show is its last element */
	cpf_str name;                  /* Firefox lib name (0: last element of file) */
	cpf_str build_id;              /* lower-case hex for ELF; as written otherwise */
	cpf_str debug_name, debug_path, debug_id, code_id, arch; /* Firefox; 0 = none */
	uint32_t flags;                /* enum cpf_map_flags */
};

enum cpf_fn_flags {
	CPF_FN_JS = 1,
	CPF_FN_RELEVANT_JS = 2
};

struct cpf_function {
	uint64_t wire_id;
	int64_t start_line;   /* 0 = unknown */
	int64_t start_column; /* 0 = unknown; Firefox only */
	cpf_str name, system_name, file;
	cpf_id resource_lib;  /* Firefox: mapping its resource points to, or CPF_NONE */
	uint32_t flags;       /* enum cpf_fn_flags */
};

enum cpf_loc_flags {
	CPF_LOC_FOLDED = 1,  /* profile.proto is_folded */
	CPF_LOC_ADDRESS = 2  /* address is known (0 can be a real one) */
};

struct cpf_line {
	cpf_id function;     /* always a row of functions */
	int64_t line;        /* 0 = unknown */
	int64_t column;      /* 0 = unknown */
};

/* Locations: columns, since there can be millions. */
struct cpf_locations {
	uint32_t n;
	struct cpf_col mapping;   /* id or CPF_NONE (stored as -1) */
	struct cpf_col address;   /* raw 64 bits; relative if the mapping says so */
	struct cpf_col flags;     /* enum cpf_loc_flags */
	struct cpf_col wire_id;   /* pprof ids as read; all 0 otherwise */
	struct cpf_col category;  /* id or -1: of the frame, Firefox */
	struct cpf_col subcategory;
	struct cpf_col symbol;    /* id in symbols or -1 */
	struct cpf_col first;     /* n + 1 entries: lines of i are [first[i], first[i + 1]) */
	struct cpf_col line_fn, line_no, line_col; /* columns of all lines */
};

/* Assembly-level symbols known for an address (Firefox nativeSymbols). */
struct cpf_symbol {
	uint64_t address;  /* relative to the mapping */
	uint64_t size;     /* 0 = unknown */
	cpf_id mapping;
	cpf_str name;
};

struct cpf_nodes {
	uint32_t n;              /* node 0 exists always */
	struct cpf_col parent;   /* of node 0: 0 */
	struct cpf_col location; /* of node 0: -1 */
};

/* Samples: row i of every column. Absent columns are constant (struct cpf_col costs nothing then). */
struct cpf_samples {
	uint32_t n;
	struct cpf_col node;
	struct cpf_col thread;   /* id or -1 */
	struct cpf_col time;     /* nanoseconds from the profile's time zero; see has_time */
	struct cpf_col labels;   /* label set id, 0 = empty set */
	struct cpf_col *raw;     /* nraw value columns */
	uint32_t nraw;
	int has_time;
};

struct cpf_value_type {
	cpf_str type, unit;
	uint32_t raw;        /* which value column */
	int64_t num, den;    /* value = raw * num / den; both > 0 */
};

struct cpf_thread {
	cpf_str name, tid;
	cpf_id process;
	int64_t start, end;  /* ns from time zero; end < start: alive at the end of the profile */
	uint32_t flags;
};
enum cpf_thread_flags {
	CPF_THREAD_MAIN = 1
};

struct cpf_process {
	cpf_str name, pid, type;
	int64_t start, end;
};

/* One label: string label if str != 0 or num_unit == 0 && num == 0; else numeric. As on the wire. */
struct cpf_label {
	cpf_str key, str, unit;
	int64_t num;
};

/* Label sets: set i holds labels[first[i]] .. labels[first[i + 1] - 1], in file order. Set 0 is {}. */
struct cpf_label_sets {
	uint32_t n;
	uint32_t *first;
	struct cpf_label *labels;
	uint32_t nlabels;
	size_t first_cap, labels_cap;
};

struct cpf_category {
	cpf_str name, color;
	cpf_str *sub;       /* owned, nsub names */
	uint32_t nsub;
};

enum cpf_phase {
	CPF_MARK_INSTANT = 0,
	CPF_MARK_INTERVAL = 1,
	CPF_MARK_START = 2,
	CPF_MARK_END = 3
};

struct cpf_marker {
	int64_t start, end;  /* ns; which are valid depends on the phase */
	cpf_str name;
	cpf_id thread;
	cpf_id category;     /* or CPF_NONE */
	cpf_str data;        /* JSON text of the data object with string indices resolved; 0 = none */
	cpf_id stack;        /* node of data.cause, or CPF_NONE */
	uint8_t phase;       /* enum cpf_phase */
};

/* What a file says about itself. Strings 0 and numbers 0 mean unknown unless said otherwise. */
struct cpf_header {
	int64_t time_nanos;      /* wall clock of time zero (pprof: of collection), ns since 1970 */
	int64_t duration_nanos;
	int64_t period;
	cpf_str period_type, period_unit;
	int has_period_type;
	cpf_str drop_frames, keep_frames, default_sample_type, doc_url;
	cpf_str *comments;       /* owned */
	uint32_t ncomments;
	int64_t interval_nanos;  /* Firefox meta.interval */
	cpf_str product, producer; /* program recorded; tool that recorded (with version) */
	cpf_str platform;        /* oscpu and the like */
	cpf_str marker_schema;   /* JSON text of meta.markerSchema */
	int symbolicated;        /* Firefox: 1 yes, 0 no, -1 not said */
	int mixed_intervals, mixed_products; /* merged: the inputs do not agree */
};

/* One input that went into this profile; several after a merge. */
struct cpf_source {
	char *file;     /* owned; as the user gave it */
	char *format;   /* owned; "firefox", "gecko", "pprof", "gperftools", "folded" */
	char *version;  /* owned; e.g. "49"; "" if the format has none */
	char *producer; /* owned; "" if unknown */
};

struct cpf_profile {
	struct cpf_header head;
	struct cpf_source *sources;
	uint32_t nsources;

	struct cpf_strings *strings;
	struct cpf_mapping *mappings;
	uint32_t nmappings;
	struct cpf_function *functions;
	uint32_t nfunctions;
	struct cpf_locations locations;
	struct cpf_symbol *symbols;
	uint32_t nsymbols;
	struct cpf_nodes nodes;
	struct cpf_samples samples;
	struct cpf_value_type *types;
	uint32_t ntypes;
	uint32_t default_type;    /* index in types: what reports show if nothing is asked for */
	struct cpf_thread *threads;
	uint32_t nthreads;
	struct cpf_process *processes;
	uint32_t nprocesses;
	struct cpf_label_sets label_sets;
	int threads_from_labels;  /* threads were derived from labels, which still hold them */
	cpf_str thread_label;     /* key used for that, or 0 */
	cpf_str time_label;       /* key of the labels that sample times came from, which still hold
	                             them; or 0 */
	struct cpf_category *categories;
	uint32_t ncategories;
	struct cpf_marker *markers;
	uint32_t nmarkers;
	uint32_t ncounters;       /* counters in the input; not kept */

	struct cpf_build *build;  /* indices used while building; freed by cpf_profile_seal */
	size_t mappings_cap, functions_cap, symbols_cap, types_cap, threads_cap, processes_cap,
		categories_cap, markers_cap, sources_cap, comments_cap, raw_cap;
};

/* An empty profile: node 0, string 0, label set 0 exist. */
void cpf_profile_init(struct cpf_profile *p);
void cpf_profile_release(struct cpf_profile *p);
/* Frees the indices that only adding needs; adding again rebuilds them. */
void cpf_profile_seal(struct cpf_profile *p);

/* Strings: copied in. */
cpf_str cpf_intern(struct cpf_profile *p, const char *s, size_t len);
cpf_str cpf_intern_z(struct cpf_profile *p, const char *s);
/* Borrowed until the profile is released. */
struct cpf_text cpf_text(const struct cpf_profile *p, cpf_str id);
const char *cpf_cstr(const struct cpf_profile *p, cpf_str id);
uint32_t cpf_nstrings(const struct cpf_profile *p);

/* Rows are appended as they are (no search for an equal one); returns the id. */
cpf_id cpf_add_mapping(struct cpf_profile *p, const struct cpf_mapping *m);
cpf_id cpf_add_function(struct cpf_profile *p, const struct cpf_function *f);
cpf_id cpf_add_symbol(struct cpf_profile *p, const struct cpf_symbol *s);
cpf_id cpf_add_type(struct cpf_profile *p, const char *type, const char *unit, uint32_t raw,
	int64_t num, int64_t den);
cpf_id cpf_add_thread(struct cpf_profile *p, const struct cpf_thread *t);
cpf_id cpf_add_process(struct cpf_profile *p, const struct cpf_process *t);
cpf_id cpf_add_marker(struct cpf_profile *p, const struct cpf_marker *m);
cpf_id cpf_add_category(struct cpf_profile *p, cpf_str name, cpf_str color, const cpf_str *sub,
	uint32_t nsub);
void cpf_add_comment(struct cpf_profile *p, cpf_str text);
void cpf_add_source(struct cpf_profile *p, const char *file, const char *format,
	const char *version, const char *producer);
uint32_t cpf_add_raw(struct cpf_profile *p); /* a new value column of zeros; returns its index */

/* The row of an equal mapping or function, added if there is none. */
cpf_id cpf_find_mapping(struct cpf_profile *p, const struct cpf_mapping *m);
cpf_id cpf_find_function(struct cpf_profile *p, const struct cpf_function *f);

/* A location to add: everything but wire ids takes part in equality. Lines are copied. */
struct cpf_location {
	uint64_t address, wire_id;
	cpf_id mapping, symbol, category, subcategory; /* CPF_NONE = none */
	uint32_t flags;
	const struct cpf_line *lines; /* innermost first */
	uint32_t nlines;
};
cpf_id cpf_add_location(struct cpf_profile *p, const struct cpf_location *l);
cpf_id cpf_find_location(struct cpf_profile *p, const struct cpf_location *l);
/* Copies row id out; lines go to *lines (grown as needed, *cap entries, freed by the caller). */
void cpf_get_location(const struct cpf_profile *p, cpf_id id, struct cpf_location *out,
	struct cpf_line **lines, size_t *cap);

/* Nodes. add appends; find returns an equal child of parent, added if there is none. */
cpf_id cpf_add_node(struct cpf_profile *p, cpf_id parent, cpf_id location);
cpf_id cpf_find_node(struct cpf_profile *p, cpf_id parent, cpf_id location);

/* The id of the set with exactly these labels in this order. n = 0 gives 0. */
cpf_id cpf_find_labels(struct cpf_profile *p, const struct cpf_label *labels, uint32_t n);

/* Appends one sample; raw holds nraw numbers. Readers with whole columns append to them directly
 * and keep samples.n in step. */
cpf_id cpf_add_sample(struct cpf_profile *p, cpf_id node, cpf_id thread, int64_t time,
	cpf_id labels, const int64_t *raw);

/*
 * raw * num / den rounded half away from zero. A 128-bit sum comes in as hi/lo through
 * struct cpf_sum. Fails with CPF_E_RANGE if the result does not fit 64 bits.
 */
int cpf_scale(int64_t *out, const struct cpf_value_type *t, int64_t raw, struct cpf_err *e)
	CPF_MUST_CHECK;
/* The same in floating point, for display of values that are decimals in their unit. */
double cpf_scale_double(const struct cpf_value_type *t, int64_t raw);

/* Index of the value type named (case as is), by number or by type; -1 if there is none. */
int cpf_type_index(const struct cpf_profile *p, const char *name);

/* 1 if name is an address in disguise: "0x" and hex digits. Such names never count as names. */
int cpf_is_hex_name(const char *s, size_t len);

/* Time between samples that was asked for, in ns; 0 = unknown, or they are not taken by time. */
int64_t cpf_interval(const struct cpf_profile *p);

/* Last path element ('/' and '\\'), borrowed from s. */
struct cpf_text cpf_basename(struct cpf_text path);
/* Name of a mapping to show: name, else last element of file, else "". */
struct cpf_text cpf_mapping_name(const struct cpf_profile *p, cpf_id mapping);
/* Address of a location inside its image (pprof: address - start + offset). */
uint64_t cpf_image_address(const struct cpf_profile *p, cpf_id location);

#endif
