# A reader that leaves early is no error worth a word, with SIGPIPE ignored or not.
"$CPUPROF" help | :
"$CPUPROF" top -n 0 "$TESTDATA/pprof/go-cpu.pb.gz" | head -n 1 | wc -l | tr -d ' '
(trap '' PIPE; "$CPUPROF" top -n 0 "$TESTDATA/pprof/go-cpu.pb.gz") | :
