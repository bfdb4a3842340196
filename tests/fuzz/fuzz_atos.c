/*
 * Any text as what atos prints for four addresses: each has frames with names, or a reason, or all
 * have none. The first byte says how many addresses are asked for.
 */
#include "symbolize/atos.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(const struct cpf_sink *s, int refused)
{
	size_t i, k;

	for (i = 0; i < s->n; i++) {
		const struct cpf_sink_answer *a = &s->answers[i];

		if (refused && (a->n || a->why))
			abort();
		if (!refused && !a->n && !a->why)
			abort();
		for (k = 0; k < a->n; k++)
			if (!s->frames[a->first + k].name)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const uint64_t addr[] = {0x10, 0x20, 0x30, 0x40};
	struct cpf_atos_query q = {addr, n ? 1 + data[0] % 4u : 1, 0, 0x100000000, 0, NULL, 0, "prog (x)"};
	struct cpf_reason r = {CPF_WHY_NONE, ""};
	struct cpf_buf text = {0};
	struct cpf_sink s;
	int ret;

	cpf_sink_init(&s, q.n);
	if (n > 1)
		cpf_buf_add(&text, data + 1, n - 1);
	ret = cpf_atos_answers(&s, &q, &text, &r);
	if ((ret != 0) != (r.why != CPF_WHY_NONE))
		abort();
	check(&s, ret != 0);
	cpf_sink_release(&s);
	cpf_buf_release(&text);
	return 0;
}
