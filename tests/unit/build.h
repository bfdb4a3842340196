/* Small profiles for tests, from text. */
#ifndef TEST_BUILD_H
#define TEST_BUILD_H

#include "unit/test.h"

#include <cpuprof/profile.h>

static CPF_UNUSED cpf_id build_function(struct cpf_profile *p, const char *name, size_t n)
{
	struct cpf_function f = {0};

	f.name = f.system_name = cpf_intern(p, name, n);
	f.resource_lib = CPF_NONE;
	return cpf_find_function(p, &f);
}

/* "a;b<c;d": frames from the root; "<" inlines what follows into what stands before. */
static CPF_UNUSED cpf_id build_stack(struct cpf_profile *p, const char *text)
{
	struct cpf_line lines[16] = {{0, 0, 0}};
	cpf_id node = 0;

	while (*text) {
		struct cpf_location l = {0};
		size_t n = 0, len;

		do {
			text += *text == '<';
			len = strcspn(text, ";<");
			memmove(lines + 1, lines, n * sizeof(*lines));
			lines[0].function = build_function(p, text, len);
			n++;
			text += len;
		} while (*text == '<');
		text += *text == ';';
		l.mapping = l.symbol = l.category = l.subcategory = CPF_NONE;
		l.lines = lines;
		l.nlines = (uint32_t)n;
		node = cpf_find_node(p, node, cpf_find_location(p, &l));
	}
	return node;
}

static CPF_UNUSED cpf_id build_thread(struct cpf_profile *p, const char *process, const char *pid,
	const char *name, const char *tid)
{
	struct cpf_process r = {0};
	struct cpf_thread t = {0};

	r.name = cpf_intern_z(p, process);
	r.pid = cpf_intern_z(p, pid);
	t.process = cpf_add_process(p, &r);
	t.name = cpf_intern_z(p, name);
	t.tid = cpf_intern_z(p, tid);
	return cpf_add_thread(p, &t);
}

static CPF_UNUSED cpf_id build_label(struct cpf_profile *p, const char *key, const char *value)
{
	struct cpf_label l = {0};

	l.key = cpf_intern_z(p, key);
	l.str = cpf_intern_z(p, value);
	return cpf_find_labels(p, &l, 1);
}

/* One value column of type samples/count. */
static CPF_UNUSED void build_samples_type(struct cpf_profile *p)
{
	uint32_t raw = cpf_add_raw(p);

	cpf_add_type(p, "samples", "count", raw, 1, 1);
}

static CPF_UNUSED void build_sample(struct cpf_profile *p, const char *stack, int64_t v)
{
	cpf_add_sample(p, build_stack(p, stack), CPF_NONE, 0, 0, &v);
}

#endif
