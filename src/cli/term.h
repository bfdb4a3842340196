/*
 * term.h - what is known of the terminal.
 */
#ifndef CPF_TERM_H
#define CPF_TERM_H

#include "base/base.h"

int cpf_term_is_tty(int fd);
/* 1 if this process may write to the terminal of fd: it is one, and we are not in the background. */
int cpf_term_is_foreground(int fd);

#endif
