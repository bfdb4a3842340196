ln -s "$TESTDATA/pprof" p
"$CPUPROF" top --thread fib -n 2 p/rust-cpu.pb
"$CPUPROF" top --focus 'sort' -n 2 p/go-cpu.pb.gz
"$CPUPROF" top --focus 'sort' --ignore partition -n 2 p/go-cpu.pb.gz | sed -n 2p
"$CPUPROF" top --hide '^runtime' --lib 'go*' -n 1 p/go-cpu.pb.gz | sed -n 2p
