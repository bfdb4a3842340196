ln -s "$TESTDATA/pprof" p
"$CPUPROF" top -n 5 p/go-cpu.pb.gz
"$CPUPROF" top --cum -n 5 p/go-cpu.pb.gz
