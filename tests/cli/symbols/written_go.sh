# go tool pprof shows the names that symbolize wrote, with their inlined functions: the same text as ours,
# but for the time, whose form differs between versions.
command -v go >/dev/null || { echo 'SKIP: no go'; exit 77; }
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=sidecar
for name in c rust; do
	"$CPUPROF" symbolize -q --no-symbols "$TESTDATA/firefox/$name-named.json.gz" -o x.syms.json
	"$CPUPROF" convert -q "$TESTDATA/firefox/$name-live.json.gz" -o plain.pb.gz
	"$CPUPROF" symbolize -q --syms x.syms.json plain.pb.gz -o named.pb.gz
	go tool pprof -top -symbolize=none -nodecount=0 -nodefraction=0 named.pb.gz 2>/dev/null | sed "/^Time: /d" >want
	"$CPUPROF" pprof -top -symbolize=none -nodecount=0 -nodefraction=0 named.pb.gz 2>/dev/null | sed "/^Time: /d" >got
	cmp want got && echo "$name: $(wc -l <want) lines, $(grep -c '(inline)' want) inlined"
done
