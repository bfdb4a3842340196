# Selections on frames give the rows of go tool pprof -relative_percentages: like here, shares of the
# selection.
command -v go >/dev/null || { echo 'SKIP: no go'; exit 77; }
try() {
	go tool pprof -top -relative_percentages -symbolize=none -nodefraction=0 -nodecount=0 "$@" \
		"$TESTDATA/pprof/go-cpu.pb.gz" 2>/dev/null |
		sed '1,/flat%/d; s/ (inline)$//; s/ (partial-inline)$//' >want.txt
	# Our options are the same words behind two dashes.
	for arg; do
		shift
		set -- "$@" "-$arg"
	done
	"$CPUPROF" top -n 0 "$@" "$TESTDATA/pprof/go-cpu.pb.gz" |
		sed '1,/flat%/d; /(no stack)$/d' >got.txt
	diff want.txt got.txt && echo "same: $* ($(wc -l <got.txt | tr -d ' ') rows)"
}
try -focus=sort
try -ignore=sort
try -hide=^runtime
try -show=^main
try -show_from=buildText
try -prune_from=mallocgc
try -focus=sort -ignore=partition -hide=insertion
try -focus=FormatInt -show_from=main.run$ -noinlines

