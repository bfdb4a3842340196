# Nothing is looked for when everything has a name, and no library that is not in the selection.
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=sidecar
"$CPUPROF" top -n 1 --syms missing.json "$TESTDATA/firefox/c-named.json.gz" | tail -n 1
"$CPUPROF" top -n 1 --syms missing.json "$TESTDATA/pprof/go-cpu.pb.gz" | tail -n 1
# Expressions are for the names that were found.
cp "$TESTDATA/firefox/rust-presym.json.gz" x.json.gz
cp "$TESTDATA/firefox/rust-presym.json.syms.json" x.json.syms.json
"$CPUPROF" top -n 2 --focus 'rsdemo::balance' x.json.gz | tail -n +2
"$CPUPROF" folded --show 'rsdemo::' x.json.gz | head -n 3
"$CPUPROF" threads x.json.gz | sed -n '2,4p'
# The files of convert and merge stay as they are unless names are asked for.
"$CPUPROF" convert -q x.json.gz -o plain.pb.gz
"$CPUPROF" convert -q --symbols x.json.gz -o named.pb.gz
"$CPUPROF" merge -q --syms x.json.syms.json x.json.gz -o merged.pb.gz
for f in plain named merged; do
	echo "$f: $("$CPUPROF" info --no-symbols $f.pb.gz | sed -n '/^named:/p')"
done
