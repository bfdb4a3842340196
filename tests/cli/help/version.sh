"$CPUPROF" --version | head -n 1
