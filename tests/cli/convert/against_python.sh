# Folded stacks of pprof files, against a decoder of its own. Every sample type of every file.
here=$TOP/tests/cli/convert
for f in "$TESTDATA"/pprof/* "$CASES"/pprof/*.pb.gz "$CORPUS"/pprof/*; do
	[ -f "$f" ] || continue
	types=$("$CPUPROF" info --format json "$f" 2>/dev/null |
		python3 -c 'import json,sys; print(*[t["type"] for t in json.load(sys.stdin)["sample_types"]])')
	for t in $types; do
		python3 "$here/pbfold.py" "$f" "$t" >want
		"$CPUPROF" folded -q --sample-type "$t" "$f" >got || exit 1
		cmp want got || { echo "different: $f $t"; diff want got | head -n 5; }
	done
done
for f in go-cpu.pb.gz go-heap.pb.gz rust-cpu.pb; do
	"$CPUPROF" folded -q "$TESTDATA/pprof/$f" | wc -l | tr -d ' '
done
