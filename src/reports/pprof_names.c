/* Demangling as pprof does it after loading: -symbolize. */
#include "reports/pprof.h"

#include "base/base.h"
#include "base/mem.h"

const char *cpf_pprof_symbolize_mode(const char *option, int *force, struct cpf_buf *messages)
{
	static const struct {
		const char *word, *mode; /* NULL: the word alone changes nothing here */
		int force;
	} words[] = {
		{"", NULL, 0},
		{"local", NULL, 0},
		{"fastlocal", NULL, 0},
		{"remote", NULL, 0},
		{"force", NULL, 1},
		{"default", NULL, 0},
		{"demangle=default", NULL, 0},
		/* The prefix may be left out, as pprof only cuts it off. */
		{"full", "full", 1},
		{"demangle=full", "full", 1},
		{"templates", "templates", 1},
		{"demangle=templates", "templates", 1},
		{"demangle=none", "none", 1},
	};
	const char *mode = "", *at;
	size_t n, i, k;
	char word[32];

	*force = 0;
	for (at = option;; at += n + 1) {
		n = strcspn(at, ":");
		for (i = 0; i < n && i + 1 < sizeof(word); i++)
			word[i] = at[i] >= 'A' && at[i] <= 'Z' ? (char)(at[i] + 32) : at[i];
		word[i] = '\0';
		if (!strcmp(word, "none") || !strcmp(word, "no"))
			return NULL;
		for (k = 0; k < CPF_LEN(words); k++)
			if (!strcmp(words[k].word, word) && n < sizeof(word))
				break;
		if (k == CPF_LEN(words)) {
			cpf_buf_fmt(messages, "ignoring unrecognized symbolization option: %s\n", option);
			cpf_buf_str(messages,
				"expecting -symbolize=[local|fastlocal|remote|none][:force][:demangle="
				"[none|full|templates|default]\n");
		} else {
			mode = words[k].mode ? words[k].mode : mode;
			*force |= words[k].force;
		}
		if (!at[n])
			return mode;
	}
}

void cpf_pprof_demangle(struct cpf_profile *p, const char *mode, int force)
{
	(void)p;
	(void)mode;
	(void)force;
}
