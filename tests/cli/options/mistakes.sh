# A mistake is one line what and one line where to look, exit code 2, nothing on stdout.
try() {
	"$CPUPROF" "$@" >out.txt </dev/null
	echo "exit $?"
	cat out.txt
}
try top --formt json x
try top --format xml x
try top -n x x
try top -n -1 x
try top -nodecount=5 x
try top --thread
try top --cum=1 x
try top --from 5 x
try top --from 2s --to 1s "$TESTDATA/pprof/rust-cpu.pb"
try top --min-named 200 x
try top --by klass x
try top - -
try info --focus x x
try threads --nonsense
