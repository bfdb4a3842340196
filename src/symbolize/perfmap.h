/*
 * perfmap.h - names of code that a JIT compiler wrote into /tmp/perf-PID.map, one line for each
 * piece: START SIZE NAME, numbers hexadecimal.
 *
 * A map carries no id, and process ids come again. It is taken for the recorded one if it was last
 * written while the recording ran: a later process of the same id would have written later, an
 * earlier one earlier, and what the process wrote after the recording may have taken the place of
 * code that was recorded. A map given with --binary is taken as it is.
 *
 * Where pieces overlap, the one written last was there last. Addresses have to be those in memory.
 */
#ifndef CPF_PERFMAP_H
#define CPF_PERFMAP_H

#include "symbolize/symbolizer.h"

extern const struct cpf_symbolizer cpf_symbolizer_perfmap;

#endif
