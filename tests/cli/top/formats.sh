ln -s "$TESTDATA/pprof" p
"$CPUPROF" top --format json -n 2 p/rust-cpu.pb
"$CPUPROF" top --format json -n 0 p/go-cpu.pb.gz | python3 -m json.tool >/dev/null && echo valid
"$CPUPROF" top --format csv -n 2 p/rust-cpu.pb | tr -d '\r'
"$CPUPROF" top --format markdown -n 2 p/rust-cpu.pb
