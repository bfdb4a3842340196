/*
 * save.h - writing a profile, as convert, folded and merge do it: options, choice of the format,
 * losses told, nothing left behind on failure.
 */
#ifndef CPF_SAVE_H
#define CPF_SAVE_H

#include "cli/common.h"

/* Options of all writers; cpf_save_table is over this struct. */
struct cpf_cli_save {
	const char *to;    /* format name, NULL: by the suffix of -o */
	int gzip;          /* 1, 0, -1: by the suffix of -o */
	int timestamps, root, marks, firefox;
	const char *loss_report; /* file, or NULL */
	const struct cpf_format *format; /* chosen by cpf_cli_save_plan */
	uint32_t want;                   /* what to load for it, enum cpf_want */
};

extern const struct cpf_opt cpf_cli_to_opts[];    /* --to, --firefox-version */
extern const struct cpf_opt cpf_cli_times_opts[]; /* --timestamps */
extern const struct cpf_opt cpf_cli_save_opts[];  /* --gzip --loss-report, what single formats take */

void cpf_cli_save_init(struct cpf_cli_save *s);
/* Chooses format and packing from --to and -o, before anything is read. Nonzero: as cpf_cli_load. */
int cpf_cli_save_plan(struct cpf_cli *c, struct cpf_cli_save *s);
/*
 * Writes p, then says what was not carried over. With --strict a warning or loss keeps the output
 * from being put in place. Returns the exit code.
 */
int cpf_cli_save(struct cpf_cli *c, struct cpf_cli_save *s, struct cpf_profile *p);

#endif
