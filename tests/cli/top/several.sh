# Files are pooled: sums add up.
ln -s "$TESTDATA/pprof" p
"$CPUPROF" top -n 2 p/rust-cpu.pb p/rust-cpu.pb
"$CPUPROF" top -n 2 p/rust-cpu.pb p/go-heap.pb.gz
