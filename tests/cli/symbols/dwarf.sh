# Functions, inline chains, files, lines: some kinds of debug information beside other tools.
lookup=${CPUPROF%/*}/symbols/dwarf_lookup
for tool in gcc clang dwz llvm-symbolizer eu-addr2line readelf python3; do
	command -v $tool >/dev/null || { echo "SKIP: no $tool"; exit 77; }
done
[ -x "$lookup" ] || { echo "SKIP: no $lookup"; exit 77; }
"$CPUPROF" --version | grep -q elfutils || { echo "SKIP: built without libelf"; exit 77; }
python3 "$TOP/tests/symbols/dwarf_compare.py" --lookup "$lookup" --quick --eu 30 |
	sed -n '/^ /d; s/: [0-9]* addresses, 0 differ/: equal/; p'
