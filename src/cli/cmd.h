/*
 * cmd.h - the commands. To add one: src/cli/cmd_NAME.c with its run function, a prototype here, a line
 * in the table of main.c.
 *
 * run gets argv with the command's name in argv[0] and returns the exit code (enum cpf_exit). Help
 * is the command's own: main calls run with "--help".
 */
#ifndef CPF_CMD_H
#define CPF_CMD_H

struct cpf_cmd {
	const char *name;
	const char *group;   /* heading in the overview: "look", "convert" ...; rows of one group together */
	const char *summary; /* one line, under 60 columns */
	int (*run)(int argc, char **argv);
};

/* In the order of the overview; ends with a row without name. */
extern const struct cpf_cmd cpf_cmds[];
const struct cpf_cmd *cpf_cmd_find(const char *name);

int cpf_cmd_top(int argc, char **argv);
int cpf_cmd_threads(int argc, char **argv);
int cpf_cmd_markers(int argc, char **argv);
int cpf_cmd_info(int argc, char **argv);
int cpf_cmd_flamegraph(int argc, char **argv);
int cpf_cmd_convert(int argc, char **argv);
int cpf_cmd_folded(int argc, char **argv);
int cpf_cmd_symbolize(int argc, char **argv);
int cpf_cmd_merge(int argc, char **argv);
int cpf_cmd_pprof(int argc, char **argv);
int cpf_cmd_check(int argc, char **argv);
int cpf_cmd_help(int argc, char **argv);
int cpf_cmd_version(void);

/* The message for a command that is none, with near names; returns CPF_EXIT_USAGE. */
int cpf_cmd_unknown(const char *name);

#endif
