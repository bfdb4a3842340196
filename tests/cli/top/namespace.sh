ln -s "$TESTDATA/firefox" f
ln -s "$TESTDATA/pprof" p
"$CPUPROF" top --by namespace -n 6 f/rust-named.json.gz
"$CPUPROF" top --by namespace f/cpp-named.json.gz | tail -n +4
"$CPUPROF" top --by namespace -n 0 p/go-cpu.pb.gz | tail -n +4
"$CPUPROF" top --by namespace -n 0 --format csv f/c-off-cpu.json.gz
"$CPUPROF" top --by namespace -n 2 --format json f/rust-named.json.gz | sed -n '/"by"/,/]/p'
