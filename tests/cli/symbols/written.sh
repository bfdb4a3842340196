# Names that symbolize writes: pprof tools show them with inlined functions, Firefox files hold the
# same rows as the recording named on the fly, and so does a .syms.json of them.
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=sidecar
for name in c rust; do
	"$CPUPROF" symbolize -q --no-symbols "$TESTDATA/firefox/$name-named.json.gz" -o x.syms.json
	cp "$TESTDATA/firefox/$name-live.json.gz" x.json.gz
	rows() { "$CPUPROF" top --by line -n 0 "$@" | sed 1d; }
	rows x.json.gz >want
	"$CPUPROF" symbolize x.json.gz -o named.json.gz 2>"$name.table" || exit
	cat "$name.table"
	rows --no-symbols named.json.gz | cmp - want && echo "$name: Firefox file equal, $(wc -l <want) lines"
	# Addresses of a pprof file that came from a Firefox file are those of the image, too.
	"$CPUPROF" convert -q --no-symbols x.json.gz -o plain.pb.gz
	"$CPUPROF" symbolize -q --syms x.syms.json plain.pb.gz -o named.pb.gz || exit
	rows --no-symbols named.pb.gz | sed 1d >got
	sed 1d want | cmp - got && echo "$name: pprof file equal"
	"$CPUPROF" symbolize -q --syms x.syms.json x.json.gz -o again.syms.json
	cmp x.syms.json again.syms.json && echo "$name: .syms.json equal"
	rm x.syms.json
done
# What is not asked for, or makes no sense.
"$CPUPROF" symbolize named.json.gz -o x.pb.gz
echo "other format: $?"
"$CPUPROF" symbolize named.json.gz
echo "no output: $?"
"$CPUPROF" folded -q named.json.gz -o x.folded
"$CPUPROF" symbolize x.folded -o y.folded
echo "folded: $?"
ls y.folded x.pb.gz 2>/dev/null
