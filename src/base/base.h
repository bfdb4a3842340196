/*
 * base.h - first include of every source file: feature macros, checked arithmetic, helpers.
 */
#ifndef CPF_BASE_H
#define CPF_BASE_H

#if !defined(_POSIX_C_SOURCE) && !defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#endif
#if !defined(_FILE_OFFSET_BITS)
#define _FILE_OFFSET_BITS 64
#endif

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cpuprof/cpuprof.h>

#if defined(__GNUC__)
#define CPF_LIKELY(x)   __builtin_expect(!!(x), 1)
#define CPF_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CPF_NOINLINE    __attribute__((noinline))
#define CPF_INLINE      inline __attribute__((always_inline))
#define CPF_UNUSED      __attribute__((unused))
#else
#define CPF_LIKELY(x)   (x)
#define CPF_UNLIKELY(x) (x)
#define CPF_NOINLINE
#define CPF_INLINE inline
#define CPF_UNUSED
#endif

#define CPF_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* "WHAT: text of errnum" as CPF_E_IO, keeping errnum in e->sys; what may be "". Returns -1. */
int cpf_fail_errno(struct cpf_err *e, int errnum, const char *what);

/* Signed 64-bit arithmetic: nonzero if the result does not fit (then *out is unspecified). */
static inline int cpf_add64(int64_t *out, int64_t a, int64_t b)
{
	return __builtin_add_overflow(a, b, out);
}

static inline int cpf_mul64(int64_t *out, int64_t a, int64_t b)
{
	return __builtin_mul_overflow(a, b, out);
}

/* Wrapping, as Go does. */
static inline int64_t cpf_wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* |v| as unsigned; right for INT64_MIN. */
static inline uint64_t cpf_abs64(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

#endif
