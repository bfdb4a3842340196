/* A pattern, a line end, a text: nothing crashes, nothing runs away, valid patterns compile. */
#include "core/regex.h"

#include <stdlib.h>

#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const uint8_t *end = n ? memchr(data, '\n', n) : NULL;
	size_t len = end ? (size_t)(end - data) : n;
	struct cpf_regex *re;
	struct cpf_err e = {0};
	char *pattern;

	if (n > 4096)
		return 0;
	pattern = calloc(1, len + 1);
	if (len)
		memcpy(pattern, data, len);
	if (!cpf_regex_new(&re, "focus", pattern, &e)) {
		if (end)
			(void)cpf_regex_match(re, (const char *)end + 1, n - len - 1);
		(void)cpf_regex_match(re, pattern, strlen(pattern));
		cpf_regex_free(re);
	} else if (e.code != CPF_E_USAGE || !e.reason[0]) {
		abort();
	}
	free(pattern);
	return 0;
}
