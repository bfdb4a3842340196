/*
 * elf.h - names from ELF files: DWARF first (dwarf.h), then symbol tables and stubs.
 */
#ifndef CPF_ELF_H
#define CPF_ELF_H

#include "symbolize/symbolizer.h"

extern const struct cpf_symbolizer cpf_symbolizer_elf;

#endif
