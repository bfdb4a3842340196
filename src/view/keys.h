/*
 * keys.h - what a report counts by: each location is turned into keys once, so that inner loops touch
 * small integers only.
 *
 * A key is a row of a report: a function, a source line, a library, an address. A location has one
 * key per line it shows (innermost first), or one key if it has no lines (an unnamed address).
 * Equal keys have equal ids; ids are in order of first use by location id, so they do not depend on
 * hash order.
 */
#ifndef CPF_KEYS_H
#define CPF_KEYS_H

#include <cpuprof/profile.h>

enum cpf_by {
	CPF_BY_FUNCTION,      /* name and library (pprof style: name) */
	CPF_BY_FILEFUNCTION,  /* pprof -filefunctions */
	CPF_BY_LINE,          /* function, file and line */
	CPF_BY_FILE,
	CPF_BY_LIB,
	CPF_BY_ADDRESS,
	CPF_BY_NAMESPACE,     /* core/scope.h; without one: the library. CPUPROF style only */
	CPF_BY_CLASS          /* core/classes.h. CPUPROF style only */
};

struct cpf_classes;

enum cpf_key_style {
	CPF_KEYS_CPUPROF, /* keyed by name and library; unnamed: lib+0x1a2b (image address) */
	CPF_KEYS_PPROF    /* node identity of go tool pprof */
};

struct cpf_keys_opts {
	enum cpf_by by;
	enum cpf_key_style style;
	int no_inlines;           /* only the outermost line of each location */
	int merge_generics;       /* CPUPROF: names without template and type arguments */
	struct cpf_classes *classes; /* of CPF_BY_CLASS, not NULL then; borrowed */
	int columns;              /* pprof -showcolumns */
	int objects;              /* PPROF: mapping and start line always count, by line and address */
	int whole_paths;          /* PPROF: files are normalised, but nothing is cut off */
	const char *trim_path;    /* pprof -trim_path, or NULL */
	const char *source_path;  /* pprof -source_path, or NULL */
};

/*
 * Attributes that the granularity dropped are 0 (CPF_NONE for mapping). One exception: with
 * CPF_KEYS_CPUPROF and CPF_BY_FUNCTION, file and start_line are filled in if all functions of the
 * key agree, so that a report can say where a function is; they take no part in its identity.
 *
 * mapping is the first one of those that stand for the same library (CPUPROF: equal file and build
 * id; PPROF: equal file).
 */
struct cpf_key {
	cpf_str name, file;
	cpf_id mapping;       /* library, or the pprof "object" */
	int64_t line, column, start_line;
	uint64_t address;     /* CPUPROF: in the image; PPROF: as in the profile */
	uint8_t has_address;
	uint8_t unnamed;      /* CPUPROF style: shown as lib+0x... */
};

struct cpf_keys {
	struct cpf_key *keys;
	uint32_t n;
	uint32_t *first;      /* nlocations + 1 entries: keys of location i are ids[first[i]] ... */
	uint32_t *ids;        /* innermost first */
	uint8_t *inlined;     /* beside ids: 1 if the line is not the last of its location */
	int any_inlined;
	enum cpf_by by;
	enum cpf_key_style style;
};

/* p is not const: cleaned file names and library names are interned into it. */
void cpf_keys_build(struct cpf_keys *k, struct cpf_profile *p, const struct cpf_keys_opts *o);
void cpf_keys_release(struct cpf_keys *k);

struct cpf_buf;
/*
 * Appends the name a report prints for a key. CPUPROF style: "name", or "lib+0x1a2b" for an address
 * without a name (an address without library: "0x1a2b", nothing known: "<unknown>"); by line "name
 * file:12", by address "lib+0x1a2b name", by namespace "[lib]" where there is none. PPROF style: address, name, file and line as they are set,
 * else "[file of the mapping]", else "<unknown>".
 */
void cpf_key_name(
	const struct cpf_profile *p, const struct cpf_keys *k, uint32_t key, struct cpf_buf *out);

/* The last element of a path as Go's filepath.Base has it: "a/b/" is "b", "" is ".", "//" is "/". */
struct cpf_text cpf_go_base(struct cpf_text path);
/* Appends path normalised as Go's filepath.Clean does: "a//b", "./a", "a/../b"; "" becomes ".". */
void cpf_go_clean(struct cpf_buf *out, struct cpf_text path);
/*
 * The part of a source path that pprof reports show. trim: colon list of directories that are cut
 * off in front; if it is NULL or empty, a path holding "/BASE/" for the last element BASE of one of
 * the directories in search is cut behind that. "/proc/self/cwd/" always goes.
 */
struct cpf_text cpf_trim_path(struct cpf_text path, const char *trim, const char *search);

#endif
