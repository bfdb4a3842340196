# Sums of pprof files, against go tool pprof: the same tables in the same order.
command -v go >/dev/null || { echo 'SKIP: no go'; exit 77; }
both() {
	"$CPUPROF" merge -q "$@" -o m.pb.gz || return
	go tool pprof -symbolize=none -raw "$@" >want.txt 2>want.err || cat want.err
	go tool pprof -symbolize=none -raw m.pb.gz >got.txt 2>got.err || cat got.err
	cmp want.txt got.txt || { echo "different: $*"; diff want.txt got.txt | head; }
}
n=0
pairs() {
	for a; do
		[ -f "$a" ] || continue
		both "$a" "$a"
		n=$((n + 1))
	done
}
p=$TESTDATA/pprof
c=$CASES/pprof
pairs "$p"/go-cpu.pb.gz "$p"/go-heap.pb.gz "$p"/rust-cpu.pb "$c"/basic.pb.gz "$c"/inline.pb.gz "$c"/unsym.pb.gz \
	"$c"/diff_old.pb.gz "$c"/labels.pb.gz "$c"/trim.pb.gz "$c"/units.pb.gz "$c"/demangle.pb.gz
echo "$n with themselves"
[ -n "$CORPUS" ] && pairs "$CORPUS"/pprof/*
both "$c"/diff_old.pb.gz "$c"/diff_new.pb.gz
both "$c"/inline.pb.gz "$c"/diff_new.pb.gz "$c"/diff_old.pb.gz
both "$c"/diff_new.pb.gz "$c"/basic.pb.gz "$p"/go-cpu.pb.gz
