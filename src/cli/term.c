#include "cli/term.h"

#include <unistd.h>

int cpf_term_is_tty(int fd)
{
	return isatty(fd) == 1;
}

int cpf_term_is_foreground(int fd)
{
	pid_t group;

	if (!cpf_term_is_tty(fd))
		return 0;
	group = tcgetpgrp(fd);
	return group < 0 || group == getpgrp();
}
