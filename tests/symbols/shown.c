/* Reads linkage names, one a line, and prints the names that are shown for them. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/demangle.h"

int main(void)
{
	static char line[1 << 20];
	struct cpf_buf shown = {0};

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		cpf_buf_clear(&shown);
		puts(cpf_shown_name(&shown, line) ? shown.s : line);
	}
	cpf_buf_release(&shown);
	return 0;
}
