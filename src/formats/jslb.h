/*
 * jslb.h - "JSON slabs": a container of one JSON text whose big arrays lie beside it in binary.
 *
 * All numbers are little-endian. Header: magic DC DF 4A 53 4C 42 01 00, u32 container version (1),
 * u32 slab count, u32 index of the root slab, then per slab u32 type, u32 offset from byte 0, u32
 * length in bytes. Types 0-9 are int8, uint8, int16, uint16, int32, uint32, float32, float64,
 * int64, uint64; type 10 is JSON text. In any JSON text an object with the one member "$s" stands
 * for the slab of that number.
 *
 * Ownership: the slabs borrow the file's bytes; cpf_jslb_release frees the directory only.
 */
#ifndef CPF_JSLB_H
#define CPF_JSLB_H

#include "base/base.h"

#define CPF_SLAB_INT32 4
#define CPF_SLAB_JSON  10

struct cpf_slab {
	const uint8_t *data;
	uint32_t bytes, offset;
	uint8_t type;
	uint8_t size; /* bytes an element */
	uint8_t busy; /* being expanded: a reference to it from inside would be a cycle */
};

struct cpf_jslb {
	struct cpf_slab *slabs;
	uint32_t n, root;
};

int cpf_jslb_probe(const uint8_t *head, size_t n);
/* Checks the header and every entry of the directory. */
int cpf_jslb_open(struct cpf_jslb *s, const char *data, size_t n, struct cpf_err *e) CPF_MUST_CHECK;
void cpf_jslb_release(struct cpf_jslb *s);

/* Element i of a numeric slab. */
struct cpf_slab_num {
	int is_int; /* integral and fits int64_t: i is set */
	int64_t i;
	double d;
};
struct cpf_slab_num cpf_slab_get(const struct cpf_slab *s, size_t i);

#endif
