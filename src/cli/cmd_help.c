#include "cli/cmd.h"

#include "base/buf.h"
#include "cli/common.h"

#include <stdio.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <zlib.h>
#ifdef CPF_WITH_ISAL
#include <isa-l.h>
#endif
#ifdef CPF_WITH_LIBELF
#include <elfutils/version.h>
#endif

int cpf_cmd_version(void)
{
	char pcre2[64] = "";
	size_t n;

	pcre2_config(PCRE2_CONFIG_VERSION, pcre2);
	n = strcspn(pcre2, " ");
	puts("cpuprof " CPF_VERSION);
#ifdef CPF_WITH_ISAL
	printf("gzip: ISA-L %d.%d.%d, zlib %s\n", ISAL_MAJOR_VERSION, ISAL_MINOR_VERSION,
		ISAL_PATCH_VERSION, zlibVersion());
#else
	printf("gzip: zlib %s\n", zlibVersion());
#endif
	printf("regular expressions: PCRE2 %.*s\n", (int)n, pcre2);
#ifdef CPF_WITH_LIBIBERTY
	puts("mangled names: libiberty");
#else
	puts("mangled names: stay as they are (built without libiberty)");
#endif
#ifdef CPF_WITH_LIBELF
	printf("names from ELF files: elfutils %d.%d\n", _ELFUTILS_VERSION / 1000,
		_ELFUTILS_VERSION % 1000);
#else
	puts("names from ELF files: none (built without libelf)");
#endif
	return CPF_EXIT_OK;
}

static void overview(struct cpf_buf *out)
{
	const struct cpf_cmd *c;
	const char *group = "";

	cpf_buf_str(out, "usage: cpuprof COMMAND [OPTIONS] [FILE...]\n\n"
			 "Reads CPU profiles: samply and Firefox Profiler JSON, pprof, folded stacks.\n");
	for (c = cpf_cmds; c->name; c++) {
		if (strcmp(c->group, group) != 0)
			cpf_buf_fmt(out, "\n%s:\n", c->group);
		group = c->group;
		cpf_buf_fmt(out, "  %-12s %s\n", c->name, c->summary);
	}
	cpf_buf_str(out, "\n"
			 "'cpuprof help COMMAND' tells more; 'cpuprof --version' what was built in.\n"
			 "FILE may be '-' for stdin; formats are told by content; gzip is unpacked.\n"
			 "\n"
			 "Exit codes:\n"
			 "  0  done\n"
			 "  1  could not: input, output or system\n"
			 "  2  wrong usage\n"
			 "  3  done, but a gate was not met\n"
			 "  4  the file is valid but holds nothing to show\n");
}

static const struct cpf_usage usage = {
	.name = "help",
	.args = "[COMMAND]",
	.summary = "Shows the commands there are, or the help of one.",
};

int cpf_cmd_help(int argc, char **argv)
{
	static char flag[] = "--help";
	char *ask[] = {NULL, flag, NULL};
	const struct cpf_cmd *cmd;
	struct cpf_buf out = {0};
	struct cpf_cli c;
	int code = CPF_EXIT_OK;

	cpf_cli_init(&c, &usage);
	if (cpf_cli_parse_nofile(&c, argc, argv, NULL, 0))
		return cpf_cli_done(&c, c.exit);
	if (c.files.n > 1) {
		code = cpf_cli_usage(&c, "one command at a time");
	} else if (c.files.n) {
		cmd = cpf_cmd_find(c.files.items[0]);
		if (!cmd) {
			code = cpf_cmd_unknown(c.files.items[0]);
		} else {
			ask[0] = argv[0];
			code = cmd->run(2, ask);
		}
	} else {
		overview(&out);
		fwrite(out.s, 1, out.n, stdout);
		cpf_buf_release(&out);
	}
	return cpf_cli_done(&c, code);
}
