/*
 * kernel.h - names of the Linux kernel out of /proc/kallsyms.
 *
 * They are those of the kernel that runs: taken only if its build id (/sys/kernel/notes) is that of
 * the recording. Addresses relative to _text need no more. Addresses in memory do, since a kernel
 * lies elsewhere after each start: how far it moved follows from the start of the mapping, which is
 * the address of _text or _stext at the time.
 *
 * With --sysroot DIR both files are looked for in DIR first, as copies of another machine.
 */
#ifndef CPF_KERNEL_H
#define CPF_KERNEL_H

#include "symbolize/symbolizer.h"

extern const struct cpf_symbolizer cpf_symbolizer_kernel;

/* Is m the kernel, by its name? Loadable modules are not. */
int cpf_is_kernel(const struct cpf_module *m);

/*
 * What to take from addresses of m so that they fit a kernel whose _text and _stext are there (0 =
 * unknown). 0 and *bias; -1: they do not tell.
 */
int cpf_kernel_bias(const struct cpf_module *m, uint64_t text, uint64_t stext, uint64_t *bias);

#endif
