# Profiles that do not go together.
ln -s "$TESTDATA" t
"$CPUPROF" merge t/pprof/go-cpu.pb.gz t/pprof/go-heap.pb.gz -o x.pb.gz
echo "exit $?"
printf 'a 9223372036854775807\n' >x.folded
"$CPUPROF" merge x.folded x.folded --to folded
echo "exit $?"
printf 'a 1\n' >x.folded
printf 'a -1\n' >y.folded
"$CPUPROF" merge x.folded y.folded --to folded
echo "exit $?"
"$CPUPROF" merge x.folded missing.folded --to folded
echo "exit $?"
ls -A
