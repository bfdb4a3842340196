#include "formats/firefox_write.h"

#include "base/mem.h"

void cpf_fw_markers_make(struct cpf_fw_markers *m, const struct cpf_profile *p)
{
	memset(m, 0, sizeof(*m));
	m->p = p;
}
void cpf_fw_markers_release(struct cpf_fw_markers *m)
{
	cpf_free(m->marker);
}
void cpf_fw_markers_use(const struct cpf_fw_markers *m, struct cpf_fw_tables *t, uint32_t thread)
{
	(void)m;
	(void)t;
	(void)thread;
}
void cpf_fw_markers_write(struct cpf_fw_text *out, const struct cpf_fw_markers *m,
	struct cpf_fw_tables *t, uint32_t thread, int64_t shift)
{
	static const char *const cols[] = {"name", "startTime", "endTime", "phase", "category", "data"};
	size_t i;

	(void)m;
	(void)t;
	(void)thread;
	(void)shift;
	cpf_jsonw_key(&out->j, "markers");
	cpf_jsonw_object(&out->j);
	cpf_jsonw_key_int(&out->j, "length", 0);
	for (i = 0; i < CPF_LEN(cols); i++)
		cpf_fw_same(out, cols[i], "0", 0);
	cpf_jsonw_end(&out->j);
}
void cpf_fw_schema_write(struct cpf_fw_text *out, const struct cpf_profile *p, int version)
{
	(void)p;
	(void)version;
	cpf_jsonw_key(&out->j, "markerSchema");
	cpf_jsonw_array(&out->j);
	cpf_jsonw_end(&out->j);
}
