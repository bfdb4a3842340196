# The same rows as go tool pprof -top without its cuts, for recordings of Go and Rust programs.
command -v go >/dev/null || { echo 'SKIP: no go'; exit 77; }
for f in go-cpu.pb.gz rust-cpu.pb go-heap.pb.gz; do
	for cum in "" -cum; do
		go tool pprof -top $cum -symbolize=none -nodefraction=0 -nodecount=0 \
			"$TESTDATA/pprof/$f" 2>go.err |
			sed '1,/flat%/d; s/ (inline)$//; s/ (partial-inline)$//' >want.txt
		[ -s want.txt ] || cat go.err
		"$CPUPROF" top ${cum:+--cum} -n 0 "$TESTDATA/pprof/$f" | sed '1,/flat%/d' >got.txt
		diff want.txt got.txt && echo "same: $f $cum, $(wc -l <got.txt) rows"
	done
done
