#include "core/strings.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

static cpf_str add(struct cpf_strings *s, uint64_t hash, const char *text, size_t len)
{
	CPF_GROW(s->texts, s->cap, s->n + (size_t)1);
	s->texts[s->n].s = cpf_arena_text(&s->arena, text, len);
	s->texts[s->n].len = (uint32_t)len;
	cpf_rowset_add(&s->index, hash, s->n);
	return s->n++;
}

struct cpf_strings *cpf_strings_new(void)
{
	struct cpf_strings *s = cpf_calloc(1, sizeof(*s));

	add(s, cpf_hash_bytes("", 0), "", 0);
	return s;
}

void cpf_strings_free(struct cpf_strings *s)
{
	if (!s)
		return;
	cpf_arena_release(&s->arena);
	cpf_free(s->texts);
	cpf_rowset_release(&s->index);
	cpf_free(s);
}

static cpf_str find(const struct cpf_strings *s, uint64_t hash, const char *text, size_t len)
{
	struct cpf_rowset_it it;
	uint32_t id;

	for (id = cpf_rowset_first(&s->index, hash, &it); id != CPF_ROWSET_END;
		id = cpf_rowset_next(&s->index, &it))
		if (s->texts[id].len == len && !memcmp(s->texts[id].s, text, len))
			return id;
	return CPF_NONE;
}

cpf_str cpf_strings_lookup(const struct cpf_strings *s, const char *text, size_t len)
{
	return len ? find(s, cpf_hash_bytes(text, len), text, len) : 0;
}

cpf_str cpf_strings_intern(struct cpf_strings *s, const char *text, size_t len)
{
	uint64_t hash;
	cpf_str id;

	if (!len)
		return 0;
	if (len >= UINT32_MAX)
		len = UINT32_MAX - 1; /* readers refuse long before this */
	hash = cpf_hash_bytes(text, len);
	id = find(s, hash, text, len);
	return id != CPF_NONE ? id : add(s, hash, text, len);
}
