/* Firefox profiles through the marker report in all its forms: spans hold together, JSON is JSON. */
#include "base/base.h"

#include <stdlib.h>

#include <cpuprof/format.h>

#include "base/input.h"
#include "base/json.h"
#include "formats/formats.h"
#include "reports/markers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_json(const struct cpf_buf *out)
{
	struct cpf_json *j;
	struct cpf_err e = {0};

	if (cpf_json_memory(&j, out->s, out->n, 0, &e))
		abort();
	cpf_json_skip(j);
	if (cpf_json_end(j, &e))
		abort();
	cpf_json_close(j);
}

static void check_spans(struct cpf_profile *p)
{
	struct cpf_spans_opts o = {0};
	struct cpf_spans s;
	struct cpf_err e = {0};
	size_t i;

	if (cpf_spans_build(&s, p, &o, &e))
		abort();
	for (i = 0; i < s.n; i++)
		if (s.v[i].marker >= p->nmarkers || s.v[i].end < s.v[i].start)
			abort();
	cpf_spans_release(&s);
}

static void report(struct cpf_profile *p)
{
	struct cpf_markers_opts o = {.scope = ""};
	struct cpf_buf out = {0};
	int by, format;
	size_t rows;

	for (by = CPF_MARKERS_NAME; by <= CPF_MARKERS_LIST; by++)
		for (format = CPF_TABLE_TEXT; format <= CPF_TABLE_MARKDOWN; format++) {
			struct cpf_err e = {0};

			o.by = (enum cpf_markers_by)by;
			o.format = (enum cpf_table_format)format;
			cpf_buf_clear(&out);
			if (cpf_markers(&out, &rows, p, &o, NULL, &e)) {
				if (e.code != CPF_E_RANGE)
					abort();
			} else if (format == CPF_TABLE_JSON) {
				check_json(&out);
			}
		}
	cpf_buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cpf_diag d = {.limits = {.unpacked = 1 << 24}};
	struct cpf_load_opts o = {.want = CPF_WANT_ALL};
	struct cpf_input *in;
	struct cpf_profile p;
	struct cpf_err e = {0};

	cpf_profile_init(&p);
	if (!cpf_input_memory(&in, "fuzz", data, size, &d, &e)) {
		if (!cpf_format_firefox.read(in, &p, &o, &d, &e)) {
			cpf_profile_seal(&p);
			check_spans(&p);
			report(&p);
		}
		cpf_input_close(in);
	}
	cpf_diag_release(&d);
	cpf_profile_release(&p);
	return 0;
}
