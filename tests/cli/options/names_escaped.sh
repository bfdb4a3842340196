# Control bytes in file names cannot reach the terminal.
"$CPUPROF" top "$(printf 'a\033[31mb\nc')"
