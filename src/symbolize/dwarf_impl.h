/*
 * dwarf_impl.h - what the files of the DWARF reader share; no one else includes it.
 *
 *   dwarf_file.c    sections of an ELF file, unpacked when they are first asked for
 *   dwarf_abbrev.c  abbreviation tables, with what is needed to step over an entry
 *   dwarf_form.c    values of attributes, strings, references
 *   dwarf_unit.c    headers and first entries of units
 *   dwarf_range.c   .debug_ranges and .debug_rnglists
 *   dwarf_index.c   which unit an address lies in
 *   dwarf_line.c    line tables
 *   dwarf_walk.c    functions of a unit that hold wanted addresses
 *   dwarf_name.c    names of functions
 *   dwarf_split.c   .dwo, .dwp and the file shared by dwz
 *   dwarf.c         the interface
 *
 * Numbers of tags, attributes and forms are those of DWARF 5, chapter 7, and of the GNU extensions
 * that came before it.
 */
#ifndef CPF_DWARF_IMPL_H
#define CPF_DWARF_IMPL_H

#include "base/base.h"

#include "base/arena.h"
#include "symbolize/dwarf.h"

/* A run of bytes; p is NULL if there is none. */
struct cpf_dw_sec {
	const uint8_t *p;
	size_t n;
};

/* Reading position. After a read past the end p is end, bad is set, and zeros come out. */
struct cpf_dw_cur {
	const uint8_t *p, *end;
	uint8_t big; /* most significant byte first */
	uint8_t bad;
};

static inline int cpf_dw_have(struct cpf_dw_cur *c, uint64_t n)
{
	if (CPF_LIKELY((uint64_t)(c->end - c->p) >= n))
		return 1;
	c->p = c->end;
	c->bad = 1;
	return 0;
}

static inline void cpf_dw_skip(struct cpf_dw_cur *c, uint64_t n)
{
	if (cpf_dw_have(c, n))
		c->p += n;
}

static inline uint64_t cpf_dw_load(const uint8_t *p, unsigned n, int big)
{
	uint64_t v = 0;
	unsigned i;

	if (big) {
		for (i = 0; i < n; i++)
			v = v << 8 | p[i];
		return v;
	}
	for (i = n; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

/* n: 1, 2, 3, 4 or 8. */
static inline uint64_t cpf_dw_uint(struct cpf_dw_cur *c, unsigned n)
{
	uint64_t v;

	if (!cpf_dw_have(c, n))
		return 0;
	v = cpf_dw_load(c->p, n, c->big);
	c->p += n;
	return v;
}

static inline uint8_t cpf_dw_u8(struct cpf_dw_cur *c)
{
	return CPF_LIKELY(c->p < c->end) ? *c->p++ : (uint8_t)cpf_dw_uint(c, 1);
}

/* Bits past the 64th are dropped. */
static inline uint64_t cpf_dw_uleb(struct cpf_dw_cur *c)
{
	uint64_t v;
	unsigned shift;
	uint8_t b;

	if (CPF_LIKELY(c->p < c->end && *c->p < 0x80))
		return *c->p++;
	v = 0;
	shift = 0;
	do {
		if (c->p >= c->end) {
			c->bad = 1;
			return 0;
		}
		b = *c->p++;
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80);
	return v;
}

static inline int64_t cpf_dw_sleb(struct cpf_dw_cur *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		if (c->p >= c->end) {
			c->bad = 1;
			return 0;
		}
		b = *c->p++;
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80);
	if ((b & 0x40) && shift < 64)
		v |= ~(uint64_t)0 << shift;
	return (int64_t)v;
}

enum cpf_dw_sid {
	CPF_DW_INFO,
	CPF_DW_ABBREV,
	CPF_DW_LINE,
	CPF_DW_STR,
	CPF_DW_LINE_STR,
	CPF_DW_STR_OFFSETS,
	CPF_DW_ADDR,
	CPF_DW_RANGES,
	CPF_DW_RNGLISTS,
	CPF_DW_CU_INDEX,
	CPF_DW_ALTLINK,
	CPF_DW_NSECS
};

/* How an entry is treated in the walk. */
enum cpf_dw_kind {
	CPF_DW_OTHER,   /* holds no code, or only in rare cases: stepped over where a sibling is given */
	CPF_DW_DEEP,    /* may hold functions: namespaces, blocks */
	CPF_DW_FUNC,    /* subprogram with code */
	CPF_DW_INLINED, /* inlined subroutine with code */
	CPF_DW_BARE,    /* either without code */
	CPF_DW_BROKEN   /* has a form that is not known, so its end is not known either */
};

struct cpf_dw_attr {
	uint16_t at, form;
	int64_t c; /* of DW_FORM_implicit_const */
};

/* A piece of the way over an entry: so many bytes, then a value of varying size (0: none). */
struct cpf_dw_step {
	uint16_t bytes, form;
};

struct cpf_dw_abbrev {
	uint32_t code;
	uint32_t attr, step;  /* first of nattr, nstep */
	uint16_t nattr, nstep;
	uint16_t tag;
	uint8_t children, kind;
	uint16_t sib;         /* where DW_AT_sibling lies behind the code; valid if sib_size */
	uint8_t sib_size;     /* 0: no sibling at a fixed place */
};

struct cpf_dw_table {
	const uint8_t *at;    /* in .debug_abbrev */
	uint32_t sizes;       /* of addresses and offsets of the units it serves, and version */
	struct cpf_dw_abbrev *abbrevs;
	struct cpf_dw_attr *attrs;
	struct cpf_dw_step *steps;
	size_t n, nattrs, nsteps, cap, attrs_cap, steps_cap;
	int dense;            /* code i is row i - 1 */
	struct cpf_dw_table *next;
};

struct cpf_dw_lazy {
	struct cpf_dw_sec raw, sec;
	void *owned;          /* unpacked */
	uint8_t state;        /* 0 not there; 1 as it is; 2 packed; 3 could not be unpacked */
	uint8_t old;          /* .zdebug_ */
	size_t done;          /* bytes that were handed back */
};

/* A unit in the table of a file. */
struct cpf_dw_place {
	uint64_t off; /* of its header; its end is the next one's, or that of the section */
	struct cpf_dw_unit *unit; /* read on demand; owned */
};

struct cpf_dw_file {
	struct Elf *elf;
	int fd, owned;           /* owned: elf and fd are closed at the end */
	char *path;
	uint8_t big, elf64, dwo; /* dwo: sections are named .dwo */
	uint8_t mapped;          /* pages can be handed back */
	uint64_t lowest;         /* lowest address of code; what lies below was thrown away */
	struct cpf_dw_lazy secs[CPF_DW_NSECS];
	struct cpf_dw_place *places;
	size_t nplaces, places_cap;
	int placed;
	struct cpf_dw_file *alt; /* shared by dwz; owned */
	int alt_tried;
	struct cpf_dwarf *dwarf; /* borrowed: options and trouble */
};

struct cpf_dw_unit {
	struct cpf_dw_file *file;
	/* In a package each unit sees slices of the sections. */
	struct cpf_dw_sec info, abbrev, line, str_offsets, rnglists, addr, ranges;
	const uint8_t *start, *dies, *end;
	uint64_t abbrev_off, dwo_id;
	uint16_t version;
	uint8_t off_size, addr_size, type, has_dwo_id;
	uint64_t addr_base, str_base, rng_base, ranges_base;
	uint64_t low_pc, stmt_list;
	uint8_t has_low, has_stmt, has_high, has_ranges, high_is_size, children;
	uint64_t high_pc;
	uint64_t ranges_val;
	uint8_t ranges_cls;
	uint16_t tag;
	const char *name, *comp_dir, *dwo_name; /* NULL: none */
	struct cpf_dw_table *table;             /* of entries; NULL until asked for */
};

enum cpf_dw_cls {
	CPF_DW_NONE,
	CPF_DW_V_ADDR,
	CPF_DW_V_ADDRX,
	CPF_DW_V_CONST,
	CPF_DW_V_SECOFF,
	CPF_DW_V_STRING,   /* s */
	CPF_DW_V_STRP,
	CPF_DW_V_LINE_STRP,
	CPF_DW_V_ALT_STRP,
	CPF_DW_V_STRX,
	CPF_DW_V_RNGLISTX,
	CPF_DW_V_REF,      /* from the start of the unit */
	CPF_DW_V_REF_INFO, /* from the start of the section */
	CPF_DW_V_REF_ALT,
	CPF_DW_V_SKIP      /* blocks, signatures, flags: nothing that is needed here */
};

struct cpf_dw_val {
	enum cpf_dw_cls cls;
	uint64_t u;
	const char *s;
};

/* A place in the entries. */
struct cpf_dw_die {
	struct cpf_dw_unit *unit;
	const uint8_t *p; /* of the abbreviation code */
};

struct cpf_dw_span {
	uint64_t lo, hi;
	uint32_t unit;   /* index in places */
};

/* dwarf_file.c */
int cpf_dw_file_init(struct cpf_dw_file *f, struct Elf *elf, const char *path, struct cpf_dwarf *d);
struct cpf_dw_file *cpf_dw_file_open(const char *path, int dwo, struct cpf_dwarf *d);
void cpf_dw_file_release(struct cpf_dw_file *f);
void cpf_dw_file_free(struct cpf_dw_file *f);
/* The section, unpacked; empty if it is not there or damaged. */
struct cpf_dw_sec cpf_dw_section(struct cpf_dw_file *f, enum cpf_dw_sid id);
/*
 * Bytes of the section before p have been read for now: their pages may go. Nothing is lost, they
 * come back when they are read again.
 */
void cpf_dw_done(struct cpf_dw_file *f, enum cpf_dw_sid id, const uint8_t *p);
/* Starts over: the section will be read from its start. */
void cpf_dw_again(struct cpf_dw_file *f);
int cpf_dw_is_build_id(struct cpf_dw_file *f, const uint8_t *id, size_t n);

static inline struct cpf_dw_cur cpf_dw_at(const struct cpf_dw_file *f, struct cpf_dw_sec s,
	uint64_t off)
{
	static const uint8_t none[1];
	struct cpf_dw_cur c = {s.p ? s.p : none, (s.p ? s.p : none) + s.n, f->big, 0};

	if (off > s.n) {
		c.p = c.end;
		c.bad = 1;
	} else {
		c.p += off;
	}
	return c;
}

/* NUL-terminated text at off, or NULL. */
const char *cpf_dw_text(struct cpf_dw_sec s, uint64_t off);

/* dwarf_abbrev.c */
struct cpf_dw_tables {
	struct cpf_dw_table *slots[256];
	size_t bytes;
};
/* NULL if there is no such place. Valid until the tables are released. */
struct cpf_dw_table *cpf_dw_table(struct cpf_dw_tables *t, const struct cpf_dw_unit *u);
void cpf_dw_tables_release(struct cpf_dw_tables *t);
/* 1: they take enough memory to be dropped, when no unit that refers to one is in use. */
int cpf_dw_tables_full(const struct cpf_dw_tables *t);
const struct cpf_dw_abbrev *cpf_dw_abbrev_search(const struct cpf_dw_table *t, uint64_t code);
static inline const struct cpf_dw_abbrev *cpf_dw_abbrev(const struct cpf_dw_table *t, uint64_t code)
{
	if (CPF_LIKELY(code - 1 < t->n && t->dense))
		return &t->abbrevs[code - 1];
	return cpf_dw_abbrev_search(t, code);
}
/* Places c behind the values of an entry. */
void cpf_dw_pass(struct cpf_dw_cur *c, const struct cpf_dw_table *t, const struct cpf_dw_abbrev *a,
	const struct cpf_dw_unit *u);
void cpf_dw_pass_form(struct cpf_dw_cur *c, unsigned form, const struct cpf_dw_unit *u);
/* Size of a form: >= 0; -1: it varies; -2: not known. */
int cpf_dw_form_size(unsigned form, const struct cpf_dw_unit *u);

/* dwarf_form.c */
void cpf_dw_value(struct cpf_dw_cur *c, const struct cpf_dw_unit *u, unsigned form, int64_t implicit,
	struct cpf_dw_val *v);
const char *cpf_dw_string(const struct cpf_dw_unit *u, const struct cpf_dw_val *v);
/* 0, or -1 if it is no address. */
int cpf_dw_address(const struct cpf_dw_unit *u, const struct cpf_dw_val *v, uint64_t *out);
/* The entry referred to; p NULL: none. */
struct cpf_dw_die cpf_dw_ref(struct cpf_dw_unit *u, const struct cpf_dw_val *v);

/* dwarf_unit.c */
/* Reads the header at off of u->info and the first entry; 0 or -1. *next: behind the unit. */
int cpf_dw_unit_read(struct cpf_dw_unit *u, struct cpf_dw_file *f, uint64_t off, uint64_t *next);
void cpf_dw_unit_sections(struct cpf_dw_unit *u, struct cpf_dw_file *f);
/* Headers of all units of .debug_info. */
void cpf_dw_places(struct cpf_dw_file *f);
struct cpf_dw_unit *cpf_dw_place_unit(struct cpf_dw_file *f, size_t i);
struct cpf_dw_unit *cpf_dw_unit_around(struct cpf_dw_file *f, uint64_t off);

/* dwarf_range.c */
struct cpf_dw_ranges {
	const struct cpf_dw_unit *u;
	struct cpf_dw_cur c;
	uint64_t base, max, lo, hi;
	int kind; /* 0 nothing more; 1 one pair in lo, hi; 2 .debug_ranges; 3 .debug_rnglists */
};
void cpf_dw_ranges_one(struct cpf_dw_ranges *r, const struct cpf_dw_unit *u, uint64_t lo,
	uint64_t hi);
void cpf_dw_ranges_list(struct cpf_dw_ranges *r, const struct cpf_dw_unit *u,
	const struct cpf_dw_val *v);
/* 1: the next range that is neither empty nor of code thrown away by the linker; 0: no more. */
int cpf_dw_ranges_next(struct cpf_dw_ranges *r, uint64_t *lo, uint64_t *hi);

/* dwarf_line.c */
struct cpf_dw_row {
	uint64_t high;  /* end of its sequence */
	uint32_t file, line, column;
	uint32_t have;
};
struct cpf_dw_linefile {
	const char *name;
	const char *path; /* joined; NULL until asked for */
	uint64_t dir;
};
struct cpf_dw_lines {
	const struct cpf_dw_unit *u; /* whose table it is; NULL: none read */
	uint16_t version;
	uint8_t off_size, addr_size, min_inst, max_ops, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *lengths;
	struct cpf_dw_cur program;
	const char **dirs;
	size_t ndirs, dirs_cap;
	struct cpf_dw_linefile *files;
	size_t nfiles, files_cap;
	struct cpf_dw_row *pending;
	size_t pending_cap;
	struct cpf_arena paths;
};
/* Reads the header; 0, or -1 if there is no table (then it is empty). */
int cpf_dw_lines_open(struct cpf_dw_lines *l, const struct cpf_dw_unit *u);
/* Fills rows[i] for addr[i], ascending. */
void cpf_dw_lines_run(struct cpf_dw_lines *l, const uint64_t *addr, size_t n,
	struct cpf_dw_row *rows);
/* As in the table of its unit; NULL if there is no such file. Valid until the next open. */
const char *cpf_dw_lines_path(struct cpf_dw_lines *l, uint64_t file);
void cpf_dw_lines_release(struct cpf_dw_lines *l);

/* dwarf_walk.c */
struct cpf_dw_frame {
	const uint8_t *die;
	uint32_t parent;   /* frame around it, CPF_DW_NOFRAME: none */
	uint8_t known;     /* the rest is filled in */
	uint8_t plain, inlined;
	const char *name;
	int64_t start_line, call_line, call_column;
	uint64_t call_file;
};
#define CPF_DW_NOFRAME UINT32_MAX

struct cpf_dw_open { /* entries around the present one that are functions */
	uint64_t depth;
	const uint8_t *die;
	uint32_t frame;
	uint8_t inlined, touched;
};
struct cpf_dw_walk {
	struct cpf_dw_unit *u;
	const uint64_t *addr;
	size_t n;
	uint32_t *owner;   /* of each address: frame */
	struct cpf_dw_frame *frames;
	size_t nframes, frames_cap;
	struct cpf_dw_open *open;
	size_t nopen, open_cap;
	uint64_t budget;
	int skipped;       /* something with children was stepped over */
};
/* Finds the functions; with full set it looks where functions hardly ever are. */
void cpf_dw_walk(struct cpf_dw_walk *w, struct cpf_dw_unit *u, int full);

/* dwarf_name.c */
struct cpf_dw_name {
	const uint8_t *die;
	const char *name;
	int64_t line;
	int plain;
};
struct cpf_dw_names {
	struct cpf_dw_name *slots;
	size_t n, cap;
};
void cpf_dw_name_frame(struct cpf_dwarf *d, struct cpf_dw_unit *u, struct cpf_dw_frame *f);

/* dwarf_index.c */
struct cpf_dw_index {
	struct cpf_dw_span *spans; /* by lo */
	uint64_t *ends;            /* the highest hi up to this one */
	size_t n, cap;
	uint32_t *bare;            /* units that do not say where their code is */
	size_t nbare, bare_cap;
};
void cpf_dw_index_build(struct cpf_dwarf *d);
/* The rank-th unit, in the order of the file, that covers addr; or UINT32_MAX. */
uint32_t cpf_dw_index_find(struct cpf_dwarf *d, uint64_t addr, size_t *hint, unsigned rank);

/* dwarf_split.c */
/* The unit that holds the functions of u: u itself, or that of a .dwo file; NULL: not found. */
struct cpf_dw_unit *cpf_dw_full_unit(struct cpf_dwarf *d, struct cpf_dw_unit *u);
struct cpf_dw_file *cpf_dw_alt(struct cpf_dw_file *f);
void cpf_dw_split_release(struct cpf_dwarf *d);

struct cpf_dw_split {
	struct cpf_dw_file *dwo;    /* the last one */
	struct cpf_dw_file *dwp;
	int dwp_tried;
	struct cpf_dw_unit *unit;   /* of either; owned */
	const struct cpf_dw_unit *of; /* its skeleton */
};

struct cpf_dwarf {
	struct cpf_dw_file file;
	struct cpf_dwarf_opts opts;
	struct cpf_reason trouble;
	struct cpf_dw_tables tables;
	struct cpf_dw_index index;
	struct cpf_dw_lines lines;
	struct cpf_dw_walk walk;
	struct cpf_dw_names names;
	struct cpf_dw_split split;
	struct cpf_dw_row *rows;
	uint64_t *addr;
	uint32_t *owner;
	size_t rows_cap, addr_cap, owner_cap;
	struct cpf_sym_frame *out;
	size_t out_cap;
};

enum {
	CPF_TAG_class_type = 0x02,
	CPF_TAG_entry_point = 0x03,
	CPF_TAG_lexical_block = 0x0b,
	CPF_TAG_compile_unit = 0x11,
	CPF_TAG_common_block = 0x1a,
	CPF_TAG_inlined_subroutine = 0x1d,
	CPF_TAG_module = 0x1e,
	CPF_TAG_with_stmt = 0x22,
	CPF_TAG_catch_block = 0x25,
	CPF_TAG_subprogram = 0x2e,
	CPF_TAG_try_block = 0x32,
	CPF_TAG_namespace = 0x39,
	CPF_TAG_partial_unit = 0x3c,
	CPF_TAG_skeleton_unit = 0x4a
};

enum {
	CPF_AT_sibling = 0x01,
	CPF_AT_name = 0x03,
	CPF_AT_stmt_list = 0x10,
	CPF_AT_low_pc = 0x11,
	CPF_AT_high_pc = 0x12,
	CPF_AT_comp_dir = 0x1b,
	CPF_AT_abstract_origin = 0x31,
	CPF_AT_decl_line = 0x3b,
	CPF_AT_specification = 0x47,
	CPF_AT_ranges = 0x55,
	CPF_AT_call_column = 0x57,
	CPF_AT_call_file = 0x58,
	CPF_AT_call_line = 0x59,
	CPF_AT_linkage_name = 0x6e,
	CPF_AT_str_offsets_base = 0x72,
	CPF_AT_addr_base = 0x73,
	CPF_AT_rnglists_base = 0x74,
	CPF_AT_dwo_name = 0x76,
	CPF_AT_MIPS_linkage_name = 0x2007,
	CPF_AT_GNU_dwo_name = 0x2130,
	CPF_AT_GNU_dwo_id = 0x2131,
	CPF_AT_GNU_ranges_base = 0x2132,
	CPF_AT_GNU_addr_base = 0x2133
};

enum {
	CPF_FORM_addr = 0x01,
	CPF_FORM_block2 = 0x03,
	CPF_FORM_block4 = 0x04,
	CPF_FORM_data2 = 0x05,
	CPF_FORM_data4 = 0x06,
	CPF_FORM_data8 = 0x07,
	CPF_FORM_string = 0x08,
	CPF_FORM_block = 0x09,
	CPF_FORM_block1 = 0x0a,
	CPF_FORM_data1 = 0x0b,
	CPF_FORM_flag = 0x0c,
	CPF_FORM_sdata = 0x0d,
	CPF_FORM_strp = 0x0e,
	CPF_FORM_udata = 0x0f,
	CPF_FORM_ref_addr = 0x10,
	CPF_FORM_ref1 = 0x11,
	CPF_FORM_ref2 = 0x12,
	CPF_FORM_ref4 = 0x13,
	CPF_FORM_ref8 = 0x14,
	CPF_FORM_ref_udata = 0x15,
	CPF_FORM_indirect = 0x16,
	CPF_FORM_sec_offset = 0x17,
	CPF_FORM_exprloc = 0x18,
	CPF_FORM_flag_present = 0x19,
	CPF_FORM_strx = 0x1a,
	CPF_FORM_addrx = 0x1b,
	CPF_FORM_ref_sup4 = 0x1c,
	CPF_FORM_strp_sup = 0x1d,
	CPF_FORM_data16 = 0x1e,
	CPF_FORM_line_strp = 0x1f,
	CPF_FORM_ref_sig8 = 0x20,
	CPF_FORM_implicit_const = 0x21,
	CPF_FORM_loclistx = 0x22,
	CPF_FORM_rnglistx = 0x23,
	CPF_FORM_ref_sup8 = 0x24,
	CPF_FORM_strx1 = 0x25,
	CPF_FORM_strx2 = 0x26,
	CPF_FORM_strx3 = 0x27,
	CPF_FORM_strx4 = 0x28,
	CPF_FORM_addrx1 = 0x29,
	CPF_FORM_addrx2 = 0x2a,
	CPF_FORM_addrx3 = 0x2b,
	CPF_FORM_addrx4 = 0x2c,
	CPF_FORM_GNU_addr_index = 0x1f01,
	CPF_FORM_GNU_str_index = 0x1f02,
	CPF_FORM_GNU_ref_alt = 0x1f20,
	CPF_FORM_GNU_strp_alt = 0x1f21
};

enum {
	CPF_UT_compile = 1,
	CPF_UT_type = 2,
	CPF_UT_partial = 3,
	CPF_UT_skeleton = 4,
	CPF_UT_split_compile = 5,
	CPF_UT_split_type = 6
};

#endif
