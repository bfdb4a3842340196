ln -s "$TESTDATA/firefox" f
"$CPUPROF" threads f/two-processes.json.gz
"$CPUPROF" threads --all f/c-off-cpu.json.gz
"$CPUPROF" threads --process cdemo --thread 'locker*' f/two-processes.json.gz
"$CPUPROF" threads --process 'zebra' f/two-processes.json.gz
