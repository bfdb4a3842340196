"$CPUPROF" top --help
