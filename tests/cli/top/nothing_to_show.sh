# Exit code 4 for valid files, each with its own reason; info shows them all the same.
ln -s "$TESTDATA" t
try() {
	"$CPUPROF" "$@"
	echo "exit $?"
}
try top t/odd/empty_no_threads.json
try top t/odd/stack_all_null.json
try top --sample-type cpu t/firefox/cpp-no-cpu.json.gz
try threads t/odd/empty_no_threads.json
try threads t/odd/stack_all_null.json
try info t/odd/empty_no_threads.json
