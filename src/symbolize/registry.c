#include "symbolize/symbolizer.h"

#include "symbolize/atos.h"
#include "symbolize/elf.h"
#include "symbolize/kernel.h"
#include "symbolize/perfmap.h"
#include "symbolize/sidecar.h"

/* The order is that of trust: what was saved with the recording, then what the machine knows. */
const struct cpf_symbolizer *const cpf_symbolizers[] = {
	&cpf_symbolizer_sidecar,
	&cpf_symbolizer_elf,
	&cpf_symbolizer_kernel,
	&cpf_symbolizer_perfmap,
	&cpf_symbolizer_atos,
	NULL,
};
