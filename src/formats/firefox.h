/*
 * firefox.h - inside the Firefox readers: what is staged while a file is walked, and how it is
 * linked.
 *
 * Two shapes are read. Processed profiles (meta.preprocessedProfileVersion 0-75, written by samply,
 * the Firefox Profiler and others) have tables of columns; raw Gecko profiles (meta.version from 3)
 * have tables of rows with a schema, and processes inside processes. Both are staged into the same
 * tables. Members come in any order, so a table is staged as it is met and linked into the profile
 * once all it refers to is known: at the end of its thread as a rule, else at the end of the file.
 *
 * Where a table lives depends on the version; it is looked up in the thread first, then in the
 * root's "shared". Which rule applies is told by the columns that are there, and by the version
 * number where they do not tell.
 */
#ifndef CPF_FIREFOX_H
#define CPF_FIREFOX_H

#include <cpuprof/format.h>
#include <cpuprof/profile.h>

#include "base/rowset.h"
#include "formats/firefox_json.h"

/* How our own files name the record of samples that belong to no thread. */
#define CPF_FX_NO_THREAD "(no thread)"

/* The newest version whose layout is known. */
enum { CPF_FX_NEWEST = 75, CPF_GECKO_OLDEST = 3, CPF_GECKO_NEWEST = 36 };

enum cpf_fx_kind {
	CPF_FX_INT,  /* integers, indices; none, null and -1 are all -1 */
	CPF_FX_BOOL, /* true, false, 0, 1 */
	CPF_FX_TIME, /* milliseconds, kept as nanoseconds; CPF_FX_NULL */
	CPF_FX_DEC,  /* decimals, times a scale of 1 or 10^6; CPF_FX_NULL */
	CPF_FX_DATA  /* any JSON value as text; rows are offsets into text */
};

struct cpf_fx_coldef {
	const char *name;
	enum cpf_fx_kind kind;
};

struct cpf_fx_tabdef {
	const char *name;
	const struct cpf_fx_coldef *cols;
	uint32_t n;
};

enum cpf_fx_state { CPF_FX_ABSENT = 0, CPF_FX_NULLED, CPF_FX_PRESENT };
enum { CPF_FX_COLS = 12, CPF_FX_SCALE = 1000000 };

/* samples.weightType: "samples", "tracing-ms", "bytes". */
enum cpf_fx_weight { CPF_FX_W_SAMPLES, CPF_FX_W_TIME, CPF_FX_W_BYTES, CPF_FX_WEIGHTS };

struct cpf_fx_table {
	const struct cpf_fx_tabdef *def; /* NULL: the table was not met */
	int64_t length;                  /* as written; -1 = not */
	uint8_t state[CPF_FX_COLS];      /* enum cpf_fx_state */
	uint8_t scaled[CPF_FX_COLS];     /* values are times CPF_FX_SCALE */
	uint64_t at[CPF_FX_COLS];        /* byte where the column (or the rows) begins, or CPF_NO_POS */
	struct cpf_col col[CPF_FX_COLS];
	struct cpf_buf text;       /* of the column of kind CPF_FX_DATA */
	uint32_t rows;             /* set by cpf_fx_settle */
	uint8_t settled, by_rows;  /* cpf_fx_settle was called; rows with a schema */
	enum cpf_fx_weight weight; /* of samples */
};

/* Columns of the tables; the order is that of the definitions in firefox_tables.c. */
enum { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_DELTA, SAMPLE_WEIGHT, SAMPLE_CPU, SAMPLE_DURATION };
enum { STACK_FRAME, STACK_PREFIX, STACK_OFFSET };
enum {
	FRAME_FUNC,
	FRAME_ADDRESS,
	FRAME_DEPTH,
	FRAME_CATEGORY,
	FRAME_SUBCATEGORY,
	FRAME_SYMBOL,
	FRAME_LINE,
	FRAME_COLUMN,
	FRAME_ORIGIN,
	FRAME_LIB,
	FRAME_FLAGS,
	FRAME_LOCATION
};
enum {
	FUNC_NAME,
	FUNC_JS,
	FUNC_RELEVANT,
	FUNC_RESOURCE,
	FUNC_FILE,
	FUNC_SOURCE,
	FUNC_LINE,
	FUNC_COLUMN,
	FUNC_ORIGIN,
	FUNC_FLAGS
};
enum { RESOURCE_LIB, RESOURCE_TYPE };
enum { SYMBOL_LIB, SYMBOL_ADDRESS, SYMBOL_NAME, SYMBOL_SIZE };
enum { SOURCE_FILE };
enum { ORIGIN_SOURCE, ORIGIN_LINE, ORIGIN_COLUMN };
enum {
	MARKER_NAME,
	MARKER_START,
	MARKER_END,
	MARKER_TIME,
	MARKER_PHASE,
	MARKER_CATEGORY,
	MARKER_DATA
};
enum { ALLOC_STACK };

extern const struct cpf_fx_tabdef cpf_fx_samples, cpf_fx_stacks, cpf_fx_frames, cpf_fx_funcs,
	cpf_fx_resources, cpf_fx_symbols, cpf_fx_sources, cpf_fx_origins, cpf_fx_markers,
	cpf_fx_allocs;

/*
 * A string array. Texts are interned as they are read, but not the names that unnamed frames have:
 * "0x" and lower-case hex digits without leading zeros. Those are kept as numbers; there is one for
 * every address, and nothing needs the text.
 */
struct cpf_fx_strings {
	int have;
	struct cpf_col id; /* id of the string, or -1 - row of hex */
	uint64_t *hex;
	size_t nhex, cap;
};

struct cpf_fx_lib {
	cpf_id mapping;
	cpf_str name;
	uint64_t start, end, offset; /* where it was loaded; 0 if not said */
};

struct cpf_fx_libs {
	int have;
	struct cpf_fx_lib *v;
	uint32_t n;
	size_t cap;
};

struct cpf_fx_linker;

/* The tables that turn a stack into locations: of a thread, or the shared ones. */
struct cpf_fx_tables {
	struct cpf_fx_strings strings;
	struct cpf_fx_table stacks, frames, funcs, resources, symbols, sources, origins;
	int linked;
	uint32_t base;                /* node of stack row 0 */
	struct cpf_fx_linker *linker; /* kept where leaves have other addresses than callers */
};

/* meta.markerSchema: the fields that hold indices of strings. */
struct cpf_fx_schema {
	cpf_str name;
	cpf_str *keys; /* owned */
	uint32_t nkeys;
};

struct cpf_fx_schemas {
	struct cpf_fx_schema *v;
	uint32_t n;
	size_t cap;
};

/* A root object: of the file, or of a process inside a Gecko profile. */
struct cpf_fx_root {
	struct cpf_fx_root *parent;
	char path[64]; /* "" or "processes[0]." */
	int have_meta;
	int version; /* of the processed format; -1 = none */
	int gecko;   /* meta.version; -1 = none */
	int has_interval;
	int64_t interval_num, interval_den; /* nanoseconds */
	int has_start;
	int64_t start; /* meta.startTime, ns since 1970 */
	int has_profiling_start;
	int64_t profiling_start; /* ns from time zero */
	int monotonic;           /* meta.startTimeAsClockMonotonic...: -1 absent, 0 zero, 1 else */
	int samply;              /* signs that samply wrote it */
	int64_t cpu_num;         /* nanoseconds a unit of threadCPUDelta; 0 = no unit of time */
	cpf_str cpu_unit, product, oscpu, platform, misc, imported;
	int symbolicated;
	/* Of our own section of meta.extra: what the weights were called, how long it lasted. */
	cpf_str extra_type, extra_unit;
	int has_duration;
	int64_t extra_duration;
	int have_categories;
	cpf_id *categories; /* owned: rows of the profile's */
	uint32_t ncategories;
	struct cpf_fx_schemas schemas;
	struct cpf_fx_libs libs;
	uint32_t number; /* in struct cpf_fx.roots */
	int have_threads, threads_done;
	uint32_t nthreads, nprocesses; /* met so far */
};

struct cpf_fx_thread {
	struct cpf_fx_root *root;
	uint32_t index; /* in root.threads */
	cpf_str name, process_name, process_type, pid, tid;
	int pid_is_text;
	int is_main;                                    /* -1 = not said */
	int64_t start, end, process_start, process_end; /* ns; CPF_FX_NULL = not said */
	struct cpf_fx_tables own;
	struct cpf_fx_libs libs;
	struct cpf_fx_table samples, markers, js_allocs, native_allocs;
	int timed;               /* times of samples have been added up: */
	int64_t first, low, high; /* the first, lowest and highest; ns, 0 if there are none */
};

/* A value column of the profile that threads are appended to. */
struct cpf_fx_raw {
	int used;
	uint32_t raw;
	int64_t den; /* 1 or CPF_FX_SCALE */
};

struct cpf_fx {
	struct cpf_fx_json x;
	struct cpf_profile *p;
	const struct cpf_load_opts *o;
	struct cpf_diag *d;
	struct cpf_err *e;
	const char *source;
	struct cpf_fx_root **roots; /* owned; [0] is the file's */
	uint32_t nroots;
	size_t roots_cap;
	struct cpf_fx_tables shared;
	int have_shared;
	struct cpf_fx_thread **waiting; /* owned; threads that could not be linked yet */
	uint32_t nwaiting;
	size_t waiting_cap;
	int per_thread_strings; /* a thread with a stringArray was met: version 0 needs that */
	struct cpf_rowset symbol_index, lib_index, category_index;
	struct cpf_rowset process_index, pid_index;
	struct cpf_fx_raw weight[CPF_FX_WEIGHTS], cpu;
	int64_t cpu_num; /* of the threads in cpu; 0 = none yet */
	int has_time;
	int64_t first, last; /* sample times seen */
	/* Scratch of linking. */
	struct cpf_line *lines;
	size_t lines_cap;
	struct cpf_buf text;
};

/* firefox_tables.c */
void cpf_fx_table_read(struct cpf_fx_json *x, struct cpf_fx_table *t,
	const struct cpf_fx_tabdef *def, uint32_t skip);
void cpf_fx_table_release(struct cpf_fx_table *t);
/* The columns only; the number of rows stays. */
void cpf_fx_columns_release(struct cpf_fx_table *t);
/*
 * Fixes the number of rows: length, but no more than each column in need (bits) has, nor than the
 * longest of the others, which are padded with "none". where names the table in notes and errors,
 * e.g. "threads[3].".
 */
int cpf_fx_settle(struct cpf_fx *r, struct cpf_fx_table *t, uint32_t need, uint32_t quiet,
	const char *where) CPF_MUST_CHECK;
void cpf_fx_strings_read(struct cpf_fx_json *x, struct cpf_fx_strings *s, struct cpf_profile *p);
void cpf_fx_strings_release(struct cpf_fx_strings *s);
void cpf_fx_tables_release(struct cpf_fx_tables *t);
cpf_str cpf_fx_string(struct cpf_profile *p, const struct cpf_fx_strings *s, uint32_t i);
/* The value of row i: CPF_FX_NULL or -1 in a column that is not there. */
static inline int64_t cpf_fx_get(const struct cpf_fx_table *t, uint32_t col, size_t i)
{
	if (t->state[col] != CPF_FX_PRESENT)
		return t->def && t->def->cols[col].kind >= CPF_FX_TIME ? CPF_FX_NULL : -1;
	return cpf_col_get(&t->col[col], i);
}
static inline int cpf_fx_has(const struct cpf_fx_table *t, uint32_t col)
{
	return t->state[col] == CPF_FX_PRESENT;
}
/* Sets an error "index V is past the end of TARGET (N rows)" at WHERE + TABLE.COLUMN[ROW]. */
int cpf_fx_bad_index(struct cpf_fx *r, const char *where, const struct cpf_fx_table *t,
	uint32_t col, size_t row, int64_t v, const char *target, uint32_t rows);

/* Sets the place of an error to a cell of the table. */
void cpf_fx_where(struct cpf_fx *r, const char *where, const struct cpf_fx_table *t,
	const char *column, size_t row);

/* firefox_meta.c */
void cpf_fx_meta_read(struct cpf_fx *r, struct cpf_fx_root *root);
void cpf_fx_libs_read(struct cpf_fx *r, struct cpf_fx_libs *l);
void cpf_fx_schemas_read(struct cpf_fx_json *x, struct cpf_profile *p, struct cpf_fx_schemas *s);
/* The fields of data of this type that hold strings by index; NULL if none is known. */
const struct cpf_fx_schema *cpf_fx_schema_find(const struct cpf_fx_schemas *s, cpf_str name);
void cpf_fx_root_free(struct cpf_fx_root *root);

/* firefox_extra.c */
void cpf_fx_extra_read(struct cpf_fx *r, struct cpf_fx_root *root);

/* firefox_frames.c: tables -> locations and nodes */
int cpf_fx_tables_link(struct cpf_fx *r, struct cpf_fx_tables *own, const struct cpf_fx_root *root,
	const struct cpf_fx_libs *libs, const char *where) CPF_MUST_CHECK;
void cpf_fx_linker_free(struct cpf_fx_linker *l);
/*
 * Node of a stack row as the leaf of a sample. Before version 38 and in Gecko profiles the address
 * of a caller is the return address, which is lowered by one so that it lies in the call; the
 * address of a leaf is the instruction's own. A row may be both, and has then two nodes.
 */
cpf_id cpf_fx_leaf_node(struct cpf_fx *r, struct cpf_fx_tables *t, uint32_t row);

/* gecko_frames.c: what a frame's text says */
struct cpf_gecko_frame {
	int has_address;
	uint64_t address; /* absolute */
	struct cpf_slice name, lib, file;
	int64_t start_line, start_column, line; /* 0 = not said */
	int js;
};
void cpf_gecko_parse(struct cpf_gecko_frame *f, const char *s, size_t n);

/* firefox_threads.c */
void cpf_fx_thread_read(struct cpf_fx *r, struct cpf_fx_root *root);
int cpf_fx_thread_link(struct cpf_fx *r, struct cpf_fx_thread *t) CPF_MUST_CHECK;
void cpf_fx_thread_free(struct cpf_fx_thread *t);
int cpf_fx_is_main(const struct cpf_fx *r, const struct cpf_fx_thread *t);

/* firefox_values.c; where: path of the thread, for messages. */
int cpf_fx_link_weights(struct cpf_fx *r, struct cpf_fx_thread *t, const char *where) CPF_MUST_CHECK;
/* first: ns from time zero of the thread's first sample. */
int cpf_fx_link_cpu(struct cpf_fx *r, struct cpf_fx_thread *t, int64_t first, const char *where)
	CPF_MUST_CHECK;
/* The value types, once all threads are linked. */
int cpf_fx_types(struct cpf_fx *r) CPF_MUST_CHECK;

/* firefox_markers.c */
int cpf_fx_markers_link(struct cpf_fx *r, struct cpf_fx_thread *t, struct cpf_fx_tables *tables,
	cpf_id thread, int64_t shift, const char *where) CPF_MUST_CHECK;

static inline int cpf_fx_is_gecko(const struct cpf_fx_root *root)
{
	return root->version < 0;
}
/* The tables a thread uses: its own where it has them, else the shared ones. */
#define CPF_FX_PICK(r, own, table) ((own)->table.def ? &(own)->table : &(r)->shared.table)

#define CPF_FX_NOTE(r, ...)                                                                        \
	do {                                                                                       \
		if ((r)->d)                                                                        \
			cpf_note((r)->d, __VA_ARGS__);                                             \
	} while (0)

#endif
