/* Rules of classes and names: nothing crashes, what is refused says why, names only get shorter. */
#include "core/classes.h"

#include <stdlib.h>

#include "base/buf.h"
#include "core/scope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void rules(const char *text, size_t n)
{
	struct cpf_class_place at = {0, 0, CPF_NONE, CPF_NONE, 0};
	struct cpf_classes *c;
	struct cpf_profile p;
	struct cpf_err e = {0};

	if (cpf_classes_parse(&c, "rules", text, n, &e)) {
		if ((e.code != CPF_E_FORMAT && e.code != CPF_E_LIMIT) || !e.reason[0])
			abort();
		return;
	}
	cpf_profile_init(&p);
	at.name = at.file = cpf_intern(&p, text, n);
	if (cpf_class_of(c, &p, &at) >= cpf_classes_count(c))
		abort();
	cpf_classes_free(c);
	cpf_profile_release(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cpf_buf out = {0};

	if (n > 4096)
		return 0;
	rules((const char *)data, n);
	cpf_name_scope((const char *)data, n, &out);
	if (out.n > n)
		abort();
	cpf_buf_clear(&out);
	cpf_name_merge_generics((const char *)data, n, &out);
	if (out.n > n)
		abort();
	cpf_buf_release(&out);
	return 0;
}
