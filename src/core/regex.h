/*
 * regex.h - one compiled regular expression, matched once per distinct string.
 *
 * The language is RE2 as Go has it, so that an expression means the same here and in pprof:
 * unanchored search, case matters unless (?i), "." is not a newline, "$" is the end of the text
 * alone, \d \w \s \b are ASCII, counts go to 1000. Look-around, back-references, possessive
 * quantifiers and the rest of Perl are refused. PCRE2 does the matching, on a pattern translated
 * from that language; invalid UTF-8 in the text counts as one U+FFFD per byte.
 *
 * A match is bounded: if backtracking goes past a limit, PCRE2's breadth-first matcher takes over,
 * which needs no backtracking for this language; should that give up too, it is CPF_E_LIMIT.
 */
#ifndef CPF_REGEX_H
#define CPF_REGEX_H

#include "base/base.h"

#include <cpuprof/profile.h>

struct cpf_regex;

/* A pattern that is wrong is CPF_E_USAGE: "parsing WHAT regexp: error parsing regexp: ...". */
int cpf_regex_new(struct cpf_regex **re, const char *what, const char *pattern, struct cpf_err *e)
	CPF_MUST_CHECK;
void cpf_regex_free(struct cpf_regex *re); /* NULL is fine */

/* 1 or 0. */
int cpf_regex_match(struct cpf_regex *re, const char *s, size_t n);
/* The same for string id of p, remembered by id: use one regex with one profile only. */
int cpf_regex_match_str(struct cpf_regex *re, const struct cpf_profile *p, cpf_str id);
/* After matching: -1 and the error if some match was given up (and counted as none). */
int cpf_regex_status(const struct cpf_regex *re, struct cpf_err *e) CPF_MUST_CHECK;

struct cpf_buf;
/* The translation alone: Go's syntax to PCRE2's. For tests. */
int cpf_regex_translate(struct cpf_buf *out, const char *pattern, struct cpf_err *e) CPF_MUST_CHECK;

#endif
