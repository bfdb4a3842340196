/*
 * classes.h - what kind of work a frame is: allocator, lock and wait, system call ... by an ordered
 * list of rules, of which the first that matches counts. So classes exclude each other, and what
 * they come to adds up to the whole.
 *
 * Rules are text, a line each; the built-in ones are written in the same way (classes_builtin.c):
 *
 *     # comment
 *     CLASS: FIELD REGEX
 *     CLASS: unnamed
 *     builtin
 *
 * CLASS is any text without ':'. FIELD is name (of the function), lib (file name of the library), file
 * (source) or category (Firefox). REGEX runs to the end of the line (core/regex.h: unanchored). A
 * rule with "unnamed" takes frames without a name. A line "builtin" stands for all built-in rules. What no
 * rule takes is "other".
 */
#ifndef CPF_CLASSES_H
#define CPF_CLASSES_H

#include "base/base.h"

#include <cpuprof/profile.h>

#define CPF_CLASS_OTHER 0 /* id of the class "other" */

struct cpf_classes;

/* The built-in rules. */
void cpf_classes_builtin(struct cpf_classes **c);
/* Rules of a text; source is for messages. A bad line is CPF_E_FORMAT with its number. */
int cpf_classes_parse(struct cpf_classes **c, const char *source, const char *text, size_t n,
	struct cpf_err *e) CPF_MUST_CHECK;
/* Rules of a file, "-" is stdin. */
int cpf_classes_load(
	struct cpf_classes **c, const char *path, struct cpf_diag *d, struct cpf_err *e) CPF_MUST_CHECK;
void cpf_classes_free(struct cpf_classes *c); /* NULL is fine */

/* What a rule looks at; 0 and CPF_NONE: nothing known. */
struct cpf_class_place {
	cpf_str name;        /* of the function */
	cpf_str file;
	cpf_id mapping;
	cpf_id category;
	int unnamed;         /* name is missing or an address */
};

/* The class of a place; answers are remembered by string, so use one set with one profile only. */
uint32_t cpf_class_of(
	struct cpf_classes *c, const struct cpf_profile *p, const struct cpf_class_place *at);
/* Number of classes ("other" is one of them), and their names, in order of first rule. */
uint32_t cpf_classes_count(const struct cpf_classes *c);
const char *cpf_class_name(const struct cpf_classes *c, uint32_t id);
/* -1 and the error if some match was given up. */
int cpf_classes_status(const struct cpf_classes *c, struct cpf_err *e) CPF_MUST_CHECK;

extern const char cpf_classes_builtin_text[];

#endif
