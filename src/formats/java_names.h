/*
 * java_names.h - the names behind a Java profile in gperftools' format, one line an address:
 *     0xADDR function (file:line)
 *     0xADDR function (path of a shared object)
 *     0xADDR text
 */
#ifndef CPF_JAVA_NAMES_H
#define CPF_JAVA_NAMES_H

#include <cpuprof/profile.h>

/* Gives lines to the locations of p, which so far have addresses only, and takes the addresses
 * away. */
void cpf_java_names(struct cpf_profile *p, const char *text, size_t n);

#endif
