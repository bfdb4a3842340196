ln -s "$TESTDATA/pprof" p
for f in go-cpu.pb.gz go-heap.pb.gz rust-cpu.pb; do
	"$CPUPROF" info p/$f
	echo
done
"$CPUPROF" info --format json p/go-cpu.pb.gz >r.json && python3 -m json.tool r.json >/dev/null
cat r.json
