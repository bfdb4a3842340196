#include "base/base.h"

#include <stdio.h>

int main(void)
{
	puts("cpuprof " CPF_VERSION);
	return 0;
}
