# Exit code 4, with what there would have been.
ln -s "$TESTDATA/pprof" p
try() {
	"$CPUPROF" "$@"
	echo "exit $?"
}
try top --thread 'zebra*' p/rust-cpu.pb
try top --thread zebra --thread tid:7 p/rust-cpu.pb
try top --lib 'libzebra*' p/go-cpu.pb.gz
try top --focus zebra p/go-cpu.pb.gz
try top --show zebra p/go-cpu.pb.gz
try top --focus sort --ignore . p/go-cpu.pb.gz
try top --from 1s p/go-cpu.pb.gz
try top --focus '(' p/go-cpu.pb.gz
