# Notes and warnings go to stderr; -q silences them, never errors.
ln -s "$TESTDATA/pprof" p
"$CPUPROF" top -n 1 --hide nothing_has_this_name p/rust-cpu.pb >out.txt
"$CPUPROF" top -n 1 --hide nothing_has_this_name -q p/rust-cpu.pb | cmp - out.txt
"$CPUPROF" top -q nothing.pb
