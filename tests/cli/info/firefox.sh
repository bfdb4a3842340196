ln -s "$TESTDATA/firefox" f
"$CPUPROF" info f/c-per-cpu.json.gz
"$CPUPROF" info --all f/cpp-presym.json
"$CPUPROF" info --format json f/rust-faults.json.gz >r.json && python3 -m json.tool r.json >/dev/null
cat r.json
