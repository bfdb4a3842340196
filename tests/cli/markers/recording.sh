# A recording with runs on CPUs: what lies between them is waiting, by name and by thread.
ln -s "$TESTDATA/firefox" f
"$CPUPROF" markers -q f/c-per-cpu.json.gz
"$CPUPROF" markers -q --by thread --kind blocking f/c-per-cpu.json.gz
"$CPUPROF" markers -q --list --thread sleeper f/c-per-cpu.json.gz
"$CPUPROF" markers -q --by thread --name '^Running' --thread 'locker*' --format csv f/c-per-cpu.json.gz
"$CPUPROF" markers f/c-named.json.gz
echo "exit $?"
