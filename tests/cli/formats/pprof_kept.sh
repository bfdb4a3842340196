# pprof -> pprof: go tool pprof prints the same of the copy as of the source, ids and unused rows
# included. -raw of a message shows all but labels without a value, unused functions and doc_url.
command -v go >/dev/null || { echo "SKIP: no go"; exit 77; }
go tool -n pprof >/dev/null 2>&1 || { echo "SKIP: no go tool pprof"; exit 77; }
n=0
for f in "$TESTDATA"/pprof/*.pb* "$TESTDATA"/cases/pprof/*.pb.gz "$TESTDATA"/cases/pprof/malformed/ok_* \
	"$TESTDATA"/gperftools/*.prof "$TESTDATA"/cases/pprof/legacy.prof ${CORPUS:+"$CORPUS"/pprof/*}; do
	case $f in */ok_no_samples.pb) continue ;; esac
	[ -f "$f" ] || continue
	"$CPUPROF" convert -q "$f" -o copy.pb.gz || echo "$f: status $?"
	go tool pprof -symbolize=none -raw "$f" >want 2>/dev/null || echo "$f: pprof refuses it"
	go tool pprof -symbolize=none -raw copy.pb.gz >got 2>/dev/null || echo "$f: pprof refuses the copy"
	cmp -s want got || { echo "$f: differs"; diff want got | head -n 5; }
	n=$((n + 1))
done
[ "$n" -ge 20 ] && echo "compared" || echo "only $n files"
