/*
 * elf_syms.h - the function symbols of an ELF file.
 */
#ifndef CPF_ELF_SYMS_H
#define CPF_ELF_SYMS_H

#include "base/base.h"

#include "symbolize/elf_file.h"
#include "symbolize/symtab.h"

/* Adds what .symtab and .dynsym have; the file is borrowed until the table is freed. */
void cpf_elf_add_symbols(struct cpf_symtab *s, const struct cpf_elf *f);
/* Adds NAME@plt for the stubs that calls of other libraries go through; symbols come first. */
void cpf_elf_add_stubs(struct cpf_symtab *s, const struct cpf_elf *f);

#endif
