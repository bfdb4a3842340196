/*
 * svg.h - private to flamegraph_svg*.c: flame graphs as other programs and this one draw them.
 *
 * A frame is a group with <title>NAME (N samples, P%)</title> and a rectangle. The title has the count;
 * the rectangles say which frame stands on which: each row of frames lies on the one before it,
 * upwards from the root at the bottom, or downwards from the top.
 */
#ifndef CPF_SVG_H
#define CPF_SVG_H

#include "base/buf.h"
#include "base/xml.h"

#include <cpuprof/format.h>

struct cpf_svg_frame {
	double x, w, y;
	int64_t count;   /* raw: times 10^decimals of the reader */
	int64_t hidden;  /* in frames that were left out; written by this program only */
	cpf_str name;
	uint32_t parent; /* frame; CPF_NONE: the root */
	cpf_id node;
	int64_t children; /* what the frames on it come to */
	uint64_t byte;
};

struct cpf_svg {
	struct cpf_profile *p;
	struct cpf_diag *d;
	const char *name;        /* of the input */
	struct cpf_svg_frame *frames;
	size_t n, cap;
	int decimals;            /* of counts */
	struct cpf_buf unit;     /* as titles say: "samples" */
	int exact;               /* positions are whole counts (fg:x, fg:w) */
	int rough;               /* positions are rounded to tenths of pixels */
	uint64_t bytes;          /* of the document */

	/* What files of this program say of themselves. */
	int ours, callers;
	struct cpf_buf type, our_unit;
};

/* flamegraph_svg_tree.c: finds parents, fills in the stacks and values of the profile. */
int cpf_svg_build(struct cpf_svg *s, struct cpf_err *e);

#endif
