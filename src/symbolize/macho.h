/*
 * macho.h - what has to be known of a Mach-O file before atos is asked about it: for each
 * architecture its name, its UUID, and where __TEXT lies.
 *
 * Read are thin and universal files ("fat", 32- and 64-bit tables), 32- and 64-bit images, both byte
 * orders; magic numbers, LC_UUID and LC_SEGMENT as in Apple's mach-o/loader.h and mach-o/fat.h. Only
 * regular files are opened, never one that would block; every number is checked against the bytes
 * that are there.
 */
#ifndef CPF_MACHO_H
#define CPF_MACHO_H

#include "base/base.h"

#define CPF_MACHO_UUID 16

/* One architecture of a file. */
struct cpf_macho_slice {
	char arch[12];          /* as atos and lipo call it: "arm64e"; "" = not known here */
	uint32_t type;          /* MH_EXECUTE 2, MH_DYLIB 6, MH_DSYM 10 ... */
	int has_uuid, has_text;
	uint8_t uuid[CPF_MACHO_UUID];
	uint64_t text, text_size; /* __TEXT: address at link time and bytes */
	uint64_t starts;          /* LC_FUNCTION_STARTS: where in the file, and how many bytes */
	uint32_t starts_size;     /* 0 = there is none (dSYMs) */
};

struct cpf_macho {
	struct cpf_macho_slice *slices; /* in file order */
	size_t n;
};

/*
 * 0: read; 1: it is no Mach-O file (m is empty); -1: not to be read, with the reason (e->sys is
 * ENOENT or ENOTDIR if there is no such file). m needs cpf_macho_release in the first case only.
 */
int cpf_macho_read(struct cpf_macho *m, const char *path, struct cpf_err *e) CPF_MUST_CHECK;
int cpf_macho_memory(
	struct cpf_macho *m, const void *data, size_t n, struct cpf_err *e) CPF_MUST_CHECK;
void cpf_macho_release(struct cpf_macho *m);
/* 1 if these first bytes of a file are those of a Mach-O file. */
int cpf_macho_magic(const void *head, size_t n);
/* The slice with that UUID, or NULL. */
const struct cpf_macho_slice *cpf_macho_find(
	const struct cpf_macho *m, const uint8_t uuid[CPF_MACHO_UUID]);

/*
 * Where the functions of a slice of that file begin, relative to __TEXT, ascending; *starts is from
 * cpf_malloc. Linkers list all functions there, those whose names were stripped, too.
 */
int cpf_macho_starts(uint64_t **starts, size_t *n, const char *path,
	const struct cpf_macho_slice *slice, struct cpf_err *e) CPF_MUST_CHECK;
/* The same from the bytes it is written as: distances in ULEB128, 0 at the end. */
void cpf_macho_decode_starts(uint64_t **starts, size_t *n, const uint8_t *data, size_t size);

/*
 * Reads 32 hex digits, with or without dashes and with or without the age of Breakpad's debug ids
 * (always 0 for Mach-O) behind them. Returns 0 for anything else, and for all zeros.
 */
int cpf_macho_parse_uuid(uint8_t uuid[CPF_MACHO_UUID], const char *text);
/* "34FBD46D-4A1F-3B41-A0F1-4E57D7E25B04"; returns out. */
const char *cpf_macho_uuid_text(char out[37], const uint8_t uuid[CPF_MACHO_UUID]);

#endif
