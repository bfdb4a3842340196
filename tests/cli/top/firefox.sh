ln -s "$TESTDATA/firefox" f
"$CPUPROF" top -n 5 f/c-live.json.gz
"$CPUPROF" top --by lib f/c-off-cpu.json.gz
"$CPUPROF" top --from 100ms --to 0.2s -n 3 f/c-live.json.gz
"$CPUPROF" top --thread busiest -n 3 f/c-live.json.gz
"$CPUPROF" top --thread main -n 3 f/c-live.json.gz
"$CPUPROF" top --from 1h f/c-live.json.gz
