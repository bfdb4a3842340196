# Faults go to stdout, with their places; the exit code says how bad it is.
ln -s "$TESTDATA" t
check() {
	"$CPUPROF" check "$@"
	echo "exit $?"
}
check t/pprof/go-cpu.pb.gz t/firefox/c-live.json.gz t/gperftools/c.prof t/folded/c.folded
check t/odd/folded_last_line_cut.folded
check t/bad/fx_lib_out_of_range_70.json
check t/bad/folded_count_2p63.folded t/pprof/rust-cpu.pb
check t/firefox/c-per-cpu.json.gz
check -q t/firefox/c-per-cpu.json.gz
check missing.json
check <t/folded/c.folded
"$CPUPROF" check t/pprof/go-cpu.pb.gz -o out.txt && cat out.txt
