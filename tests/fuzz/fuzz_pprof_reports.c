/*
 * fuzz_pprof_reports.c - the reports of go tool pprof on whatever the pprof reader accepts. The first
 * bytes choose report and flags. What fails gives a reason and writes nothing.
 */
#include "through_pprof.h"

#include "reports/pprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Not -list, which opens files. */
	static const char *const reports[] = {"top", "tree", "peek", "traces", "raw", "tags", "comments",
		"callgrind", "dot", "proto", "topproto"};
	struct cpf_pprof_cfg c = {.output = "", .unit = "minimum", .source_path = "", .trim_path = "",
		.sample_index = "", .tagroot = "", .tagleaf = "", .focus = "", .ignore = "",
		.prune_from = "", .hide = "", .show = "", .show_from = "", .tagfocus = "",
		.tagignore = "", .tagshow = "", .taghide = "", .divide_by = 1, .nodefraction = 0.005,
		.edgefraction = 0.001, .nodecount = -1, .trim = 1};
	struct cpf_diag d = {.limits = {.unpacked = (uint64_t)16 << 20}};
	struct cpf_buf out = {0}, messages = {0};
	struct cpf_profile p;
	struct cpf_err e = {0};

	if (size < 3)
		return 0;
	c.command = reports[data[0] % CPF_LEN(reports)];
	c.argument = !strcmp(c.command, "peek") ? "." : NULL;
	c.granularity = data[1] & 1 ? CPF_BY_LINE : data[1] & 2 ? CPF_BY_ADDRESS : CPF_BY_FUNCTION;
	c.noinlines = data[1] >> 2 & 1;
	c.call_tree = data[1] >> 3 & 1;
	c.mean = data[1] >> 4 & 1;
	c.drop_negative = data[1] >> 5 & 1;
	c.nodecount = data[1] & 64 ? 3 : -1;
	c.tagroot = data[1] & 128 ? "thread" : "";
	c.unit = data[2] & 1 ? "auto" : "minimum";
	c.divide_by = data[2] & 2 ? 3 : 1;
	c.edgefraction = data[2] & 4 ? 0.3 : 0.001;
	if (!fuzz_read(&p, "pprof", data + 3, size - 3, &d, &e)) {
		if (cpf_pprof_run(&p, &c, &out, &messages, &e))
			demand(e.reason[0] && !out.n, "no reason, or half a report", &e);
	}
	cpf_buf_release(&out);
	cpf_buf_release(&messages);
	cpf_profile_release(&p);
	cpf_diag_release(&d);
	return 0;
}
