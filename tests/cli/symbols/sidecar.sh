# samply 0.13 kept one entry per function: names are right, lines only where an address has its own.
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=sidecar
cp "$TESTDATA/firefox/cpp-presym.json" "$TESTDATA/firefox/cpp-presym.syms.json" .
"$CPUPROF" top --lib cppdemo --format csv cpp-presym.json | cut -d , -f 1-4 | head -n 4
# Copies and pieces are joined to their function; the linker's view has them.
joined() { "$CPUPROF" top --lib cppdemo -n 0 "$@" cpp-presym.json | grep -c 'clone .isra.0\]$'; }
echo "pieces: $(joined), raw: $(joined --raw-names)"
# What each address of the recording is called, by an independent reading of both files.
python3 "$TOP/tests/gen/sidecarnames.py" cpp-presym.json cpp-presym.syms.json |
	sed 's/ \[clone \.isra\.0\]//' >names
echo "$(wc -l <names) functions with self values"
"$CPUPROF" top --format csv -n 0 cpp-presym.json |
	python3 "$TOP/tests/gen/sidecarnames.py" --csv names
