/*
 * frame.h - the name a frame is shown under where there is room for one name only.
 *
 * A function's name counts unless it is an address in disguise beside a known address. Without a
 * name: "lib+0x1a2b" (address inside the image), "0x1a2b", "lib", "<unknown>", whatever is known.
 * The same rule as the rows of the reports (src/view/keys.c), so that folded stacks and tables agree.
 */
#ifndef CPF_FRAME_H
#define CPF_FRAME_H

#include <cpuprof/profile.h>

#include "base/buf.h"

/* 1 if frames of this function at this location are shown by the function's name. */
int cpf_frame_named(const struct cpf_profile *p, cpf_id location, cpf_id function);
/* Appends the name of a line of location; function CPF_NONE: the location has no lines. */
void cpf_frame_name(
	struct cpf_buf *out, const struct cpf_profile *p, cpf_id location, cpf_id function);

/*
 * 1 for "fun_" and hex digits, at least one of them decimal (fun_add may be somebody's function):
 * samply makes such names up where it knows only that a function starts there.
 */
int cpf_is_made_up_name(const char *s, size_t n);

#endif
