# What is lost as JSON: beside the output, with --strict too, and not when writing fails.
ln -s "$TESTDATA" t
"$CPUPROF" convert -q t/pprof/go-heap.pb.gz -o x.json --loss-report l.json && cat l.json
"$CPUPROF" convert --strict t/firefox/cpp-presym.json -o y.pb.gz --loss-report strict.json
echo "exit $?"
sed -n '/"output"/,/^  \]/p' strict.json
"$CPUPROF" convert t/pprof/go-cpu.pb.gz -o z.pb.gz --loss-report - | sed -n '/"losses"/,/\]/p'
"$CPUPROF" convert t/pprof/go-cpu.pb.gz --to pprof --loss-report - >out
echo "exit $?"
"$CPUPROF" convert t/pprof/go-cpu.pb.gz -o z.pb.gz --loss-report missing/l.json
echo "exit $?"
ls -A
