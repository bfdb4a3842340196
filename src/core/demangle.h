/*
 * demangle.h - readable names out of linker symbols: Itanium C++ (_Z...), Rust legacy (_ZN...17h...E,
 * the hash removed) and Rust v0 (_R...).
 *
 * libiberty parses. How much of a name is shown follows pprof, which cuts names down by default:
 *   CPF_DEMANGLE_SIMPLE     std::vector::push_back
 *   CPF_DEMANGLE_TEMPLATES  std::vector<int, std::allocator<int> >::push_back
 *   CPF_DEMANGLE_FULL       std::vector<int, std::allocator<int> >::push_back(int const&)
 *   CPF_DEMANGLE_SIGNATURE  what "c++filt -i" prints, but without the return type that templates have;
 *                           the form that samply shows (docs/symbols.md lists what differs)
 * Clone suffixes (.constprop.0, .isra.0, .cold) are not shown by the first three; SIGNATURE has them as
 * " [clone .cold]" (cpf_shown_name takes them off first).
 *
 * Hostile symbols are left as they are: names that are too long, whose text would grow out of
 * proportion, or that nest too deeply.
 */
#ifndef CPF_DEMANGLE_H
#define CPF_DEMANGLE_H

#include "base/base.h"
#include "base/buf.h"

enum cpf_demangle_mode {
	CPF_DEMANGLE_SIMPLE,
	CPF_DEMANGLE_TEMPLATES,
	CPF_DEMANGLE_FULL,
	CPF_DEMANGLE_SIGNATURE
};

/* Appends the readable form and returns 1, or appends nothing and returns 0. name: NUL-terminated. */
int cpf_demangle(struct cpf_buf *out, const char *name, enum cpf_demangle_mode mode);
/*
 * The name to show for a linkage name: demangled as SIGNATURE, and joined to the function it was
 * split or copied from: .cold, .part.N, .isra.N, .constprop.N, .lto_priv.N, .localalias, .llvm.N,
 * .__uniq.N, .specialized.N and any row of these are taken off. What compilers cut out of a function
 * as code of its own (._omp_fn.0, .resume) keeps its ending. Behind the name of a function "@plt"
 * stays. A name that was demangled before loses " [clone .isra.0]" by the same rules. Appends it and returns 1, or appends nothing and returns 0 if the name is that already.
 */
int cpf_shown_name(struct cpf_buf *out, const char *linkage_name);
/* 0 if the program was built without libiberty: then no name is mangled. */
int cpf_demangle_available(void);

#endif
