/*
 * elf_vdso.h - the library that the kernel puts into every process. It is in no file, but the one
 * of this process can be read, and is the recorded one if its build id says so.
 */
#ifndef CPF_ELF_VDSO_H
#define CPF_ELF_VDSO_H

#include "symbolize/elf_file.h"
#include "symbolize/symbolizer.h"

/* 1: m is a vdso and this is it; 0: it is not, or r says why it cannot be used. */
int cpf_vdso(struct cpf_elf **out, const struct cpf_module *m, struct cpf_reason *r);

#endif
