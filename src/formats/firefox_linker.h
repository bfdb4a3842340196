/*
 * firefox_linker.h - between the files that turn staged tables into locations and nodes.
 */
#ifndef CPF_FIREFOX_LINKER_H
#define CPF_FIREFOX_LINKER_H

#include "formats/firefox.h"

/* One set of tables while it is linked. Row numbers are checked where they are followed. */
struct cpf_fx_linker {
	struct cpf_fx *r;
	const struct cpf_fx_root *root;
	const struct cpf_fx_libs *libs;
	const struct cpf_fx_strings *strings;
	struct cpf_fx_table *stacks, *frames, *funcs, *resources, *symbols, *sources, *origins;
	int lower;                          /* addresses of callers are return addresses */
	int flags;                          /* frames say by bits what is valid (version 71 on) */
	int func_flags;                     /* the same of functions (75 on) */
	cpf_id *function;                   /* of each func row; CPF_FX_UNSET, CPF_FX_UNNAMED */
	cpf_id *symbol;                     /* of each native symbol row; CPF_FX_UNSET */
	cpf_id *location;                   /* of each frame row; CPF_FX_UNSET */
	cpf_id *leaf_location;              /* the same for leaves, if lower */
	cpf_id *leaf_node;                  /* of each stack row, if lower; CPF_FX_UNSET */
	const struct cpf_fx_lib **by_start; /* libs in order of start, once asked for (Gecko) */
	const struct cpf_fx_lib **by_name;  /* in order of name */
	uint32_t base;
	char where[96];
};

/* Never ids: tables stay below 2^32 - 2 rows. */
#define CPF_FX_UNSET   UINT32_MAX
#define CPF_FX_UNNAMED (UINT32_MAX - 1)

/* What a frame row says, checked. */
struct cpf_fx_frame {
	int has_address, inlined;
	uint64_t address;
	int64_t depth, line, column;
	uint32_t func;   /* row of funcs, or CPF_NONE (Gecko) */
	cpf_id function; /* CPF_NONE: unnamed */
	cpf_id mapping, symbol, category, subcategory;
};

/* leaf: the frame is the innermost of a sample. Returns -1 with the error set. */
int cpf_fx_frame_get(
	struct cpf_fx_linker *l, uint32_t row, int leaf, struct cpf_fx_frame *f) CPF_MUST_CHECK;
/* Library and address only: what tells frames of one inline chain. */
int cpf_fx_frame_place(
	struct cpf_fx_linker *l, uint32_t row, struct cpf_fx_frame *f) CPF_MUST_CHECK;

#endif
