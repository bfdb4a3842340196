# pprof: which label names threads can be said.
ln -s "$TESTDATA/pprof" p
"$CPUPROF" threads --thread-label job p/go-cpu.pb.gz | tail -n +2
"$CPUPROF" top --thread-label phase --thread sort -n 1 p/go-cpu.pb.gz | sed -n 2p
