/*
 * flamegraph_write.h - private to flamegraph*.c: what the parts of the file share.
 */
#ifndef CPF_FLAMEGRAPH_WRITE_H
#define CPF_FLAMEGRAPH_WRITE_H

#include "reports/flamegraph.h"

enum {
	CPF_FLAME_PAD = 10,    /* left and right of the frames, pixels */
	CPF_FLAME_ROW = 17,    /* from one row of frames to the next; the frame itself is one less */
	CPF_FLAME_TOP = 56,    /* above the frames: title, two lines */
	CPF_FLAME_BOTTOM = 12,
	CPF_FLAME_HUES = 16    /* colours told apart by name or library */
};

/* A key that occurs in the tree, in the order of names. */
struct cpf_flame_name {
	uint32_t key;
	size_t text, len;      /* in texts; UTF-8 */
	uint16_t color;        /* class cN of the style */
};

struct cpf_flame {
	const struct cpf_profile *p;
	const struct cpf_flame_opts *o;
	const struct cpf_value_type *type;
	struct cpf_keys keys;
	struct cpf_tree tree;
	struct cpf_flame_name *names;
	uint32_t nnames;
	uint32_t *name_of;     /* per key and text of the tree */
	struct cpf_buf texts;
	uint32_t *class_of;    /* per key; NULL: colours are not by class */
	int64_t least_title;   /* rows below have no static element */
	uint64_t untitled;     /* how many these are */
	double asked, used;    /* width of the narrowest frame, pixels */
	uint32_t depth;        /* of the deepest row */
	struct cpf_err *e;
};

/* flamegraph_style.c */
/* Chooses the colours of all names. */
void cpf_flame_color(struct cpf_flame *f);
/* The style element, with the colours that are used. */
void cpf_flame_style(const struct cpf_flame *f, struct cpf_buf *out);

/* flamegraph_data.c */
/* The script elements: the table, and the program. */
int cpf_flame_script(const struct cpf_flame *f, struct cpf_buf *out);
/* Bytes that the table takes, about. */
uint64_t cpf_flame_table_size(const struct cpf_flame *f);

#endif
