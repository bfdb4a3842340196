ln -s "$TESTDATA" t
"$CPUPROF" top --min-named 100 -n 1 t/pprof/rust-cpu.pb
echo "exit $?"
"$CPUPROF" top --min-named 0.5% -n 1 t/firefox/c-live.json.gz
echo "exit $?"
