"$CPUPROF" pprof -h | awk 'length($0) > 80 { print "too long: " $0 } END { exit NR < 20 }'
"$CPUPROF" help pprof >a
"$CPUPROF" pprof --help | cmp - a
