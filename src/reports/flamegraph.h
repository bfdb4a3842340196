/*
 * flamegraph.h - a flame graph: one SVG file with its style and script inside.
 *
 * The file holds the tree twice. Static elements with <title>NAME (N samples, P%)</title>, as other
 * tools write them, are for viewers without script, for grep, and for programs that read flame
 * graphs. A table of a few bytes per frame is for the script, which takes the static elements away
 * and draws only what can be seen: that is what makes large graphs open and zoom fast. Where titles
 * would make the file too large, narrow frames are in the table only.
 */
#ifndef CPF_FLAMEGRAPH_H
#define CPF_FLAMEGRAPH_H

#include "base/buf.h"
#include "view/tree.h"

enum cpf_flame_colors {
	CPF_FLAME_HASH, /* by name */
	CPF_FLAME_LIB,  /* by library, shades by name */
	CPF_FLAME_CLASS /* by class, shades by name */
};

struct cpf_flame_opts {
	uint32_t type;           /* index in the profile's value types */
	enum cpf_by by;
	enum cpf_tree_root root;
	enum cpf_flame_colors colors;
	int merge_generics;      /* see keys.h */
	struct cpf_classes *classes; /* of CPF_FLAME_CLASS and CPF_BY_CLASS; else NULL; borrowed */
	int no_inlines, inverted;
	int64_t width;           /* of the picture, in pixels */
	double min_width;        /* of a frame, in pixels; negative: 0.1, or more if the file would
	                            be larger than 5 MB */
	const char *title;       /* NULL: the file's name */
	const char *scope;       /* what was selected: "in thread main"; "" = everything */
	int64_t total;           /* raw sum of the type before the selection */
};

/* p is not const: keys intern. Notes of what is left out go to d. CPF_E_EMPTY: nothing to draw. */
int cpf_flamegraph(struct cpf_buf *out, struct cpf_profile *p, const struct cpf_flame_opts *o,
	struct cpf_diag *d, struct cpf_err *e) CPF_MUST_CHECK;

#endif
