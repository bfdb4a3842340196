#include "core/frame.h"

#include "base/base.h"

static int has_address(const struct cpf_profile *p, cpf_id location)
{
	return cpf_col_get(&p->locations.address, location) ||
	       (cpf_col_get(&p->locations.flags, location) & CPF_LOC_ADDRESS);
}

int cpf_is_made_up_name(const char *s, size_t n)
{
	size_t i;
	int decimal = 0;

	if (n < 5 || memcmp(s, "fun_", 4) != 0)
		return 0;
	for (i = 4; i < n; i++) {
		if (s[i] >= '0' && s[i] <= '9')
			decimal = 1;
		else if (s[i] < 'a' || s[i] > 'f')
			return 0;
	}
	return decimal;
}

int cpf_frame_named(const struct cpf_profile *p, cpf_id location, cpf_id function)
{
	struct cpf_text t;

	if (function == CPF_NONE)
		return 0;
	t = cpf_text(p, p->functions[function].name);
	return t.len && !(cpf_is_hex_name(t.s, t.len) && has_address(p, location));
}

void cpf_frame_name(
	struct cpf_buf *out, const struct cpf_profile *p, cpf_id location, cpf_id function)
{
	struct cpf_text t;

	if (cpf_frame_named(p, location, function)) {
		t = cpf_text(p, p->functions[function].name);
		cpf_buf_add(out, t.s, t.len);
		return;
	}
	t = cpf_mapping_name(p, cpf_col_id(&p->locations.mapping, location));
	cpf_buf_add(out, t.s, t.len);
	if (has_address(p, location))
		cpf_buf_fmt(out, t.len ? "+0x%" PRIx64 : "0x%" PRIx64,
			cpf_image_address(p, location));
	else if (!t.len)
		cpf_buf_str(out, "<unknown>");
}
