/*
 * formats.h - the list of formats.
 *
 * A format is a constant cpf_format_NAME in a file of this folder and a line here. Detection asks
 * all of them; where the order shows (help, messages), it is this one.
 */
#ifndef CPF_FORMATS_H
#define CPF_FORMATS_H

#include <cpuprof/format.h>

#define CPF_FORMATS(F)                                                                             \
	F(pprof)                                                                                   \
	F(gperftools)                                                                              \
	F(firefox)                                                                                 \
	F(folded)                                                                                  \
	F(svg)

#define CPF_DECLARE_FORMAT(name) extern const struct cpf_format cpf_format_##name;
CPF_FORMATS(CPF_DECLARE_FORMAT)
#undef CPF_DECLARE_FORMAT

#endif
