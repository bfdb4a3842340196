ln -s "$TESTDATA/pprof" p
"$CPUPROF" threads p/rust-cpu.pb
"$CPUPROF" threads --sample-type samples --unit auto p/go-cpu.pb.gz
"$CPUPROF" threads --format csv p/rust-cpu.pb | tr -d '\r'
"$CPUPROF" threads --format markdown p/rust-cpu.pb
"$CPUPROF" threads --format json p/rust-cpu.pb >r.json && python3 -m json.tool r.json >/dev/null
cat r.json
