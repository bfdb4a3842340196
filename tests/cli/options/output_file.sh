# -o writes a whole file or none.
ln -s "$TESTDATA/pprof" p
"$CPUPROF" top p/rust-cpu.pb >stdout.txt
"$CPUPROF" top -o file.txt p/rust-cpu.pb
cmp stdout.txt file.txt
"$CPUPROF" top -o - p/rust-cpu.pb | cmp - stdout.txt
echo old >kept.txt
"$CPUPROF" top -o kept.txt p/nothing.pb
echo "exit $?"
cat kept.txt
"$CPUPROF" top -o no/such/folder.txt p/rust-cpu.pb
echo "exit $?"
ls
