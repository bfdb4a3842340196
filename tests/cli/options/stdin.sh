"$CPUPROF" top -n 2 - <"$TESTDATA/pprof/rust-cpu.pb"
"$CPUPROF" top -n 2 <"$TESTDATA/pprof/go-cpu.pb.gz" | head -n 2
