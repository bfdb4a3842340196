# Formats may be mixed: the types they have in common, threads of each, exact sums.
ln -s "$TESTDATA" t
"$CPUPROF" merge t/firefox/c-live.json.gz t/pprof/rust-cpu.pb -o m.pb.gz
"$CPUPROF" info --format json m.pb.gz | grep -E '"total"|"threads"'
"$CPUPROF" info --format json t/firefox/c-live.json.gz | grep '"total"'
"$CPUPROF" info --format json t/pprof/rust-cpu.pb | grep '"total"'
"$CPUPROF" merge -q t/firefox/c-live.json.gz t/firefox/c-live.json.gz --to folded --sample-type samples --root thread |
	awk '{ n += $NF } END { print n }'
"$CPUPROF" merge t/folded/c.folded t/folded/cpp.folded --to folded | awk '{ n += $NF } END { print NR, n }'
# Counts with other decimals.
printf 'a 1.5\nb 1\n' >x.folded
printf 'a 0.25\nc 3\nb -1\n' >y.folded
"$CPUPROF" merge x.folded y.folded --to folded
