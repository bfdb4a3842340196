# What the target does not keep is said; with --strict the target stays as it was.
ln -s "$TESTDATA" t
"$CPUPROF" convert t/firefox/c-per-cpu.json.gz -o x.pb.gz
"$CPUPROF" convert t/firefox/c-live.json.gz --timestamps -o x.pb.gz
"$CPUPROF" convert t/firefox/cpp-presym.json -o x.folded
"$CPUPROF" convert t/pprof/go-cpu.pb.gz --sample-type samples -o x.folded
"$CPUPROF" convert t/folded/c.folded -o x.pb.gz
"$CPUPROF" folded t/firefox/two-processes.json.gz --root process --marks -o x.folded
"$CPUPROF" folded -q t/firefox/two-processes.json.gz -o x.folded
echo before >x.folded
"$CPUPROF" folded --strict t/firefox/c-live.json.gz -o x.folded
echo "exit $?"
cat x.folded
"$CPUPROF" convert --strict t/pprof/go-cpu.pb.gz -o y.pb.gz
echo "exit $?"
ls -A
