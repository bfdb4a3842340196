/*
 * elf_debugdata.h - the symbol table that some systems leave in stripped files: .gnu_debugdata, an
 * ELF file packed with xz.
 */
#ifndef CPF_ELF_DEBUGDATA_H
#define CPF_ELF_DEBUGDATA_H

#include "base/base.h"

#include "symbolize/elf_file.h"

/* The unpacked file, to close by the caller; NULL: there is none, or r says why it is not read. */
struct cpf_elf *cpf_elf_debugdata(const struct cpf_elf *f, struct cpf_reason *r);

#endif
