ln -s "$TESTDATA" t
"$CPUPROF" check --format json t/pprof/rust-cpu.pb t/odd/folded_last_line_cut.folded t/bad/folded_count_2p63.folded t/firefox/c-per-cpu.json.gz >out.json
echo "exit $?"
cat out.json
command -v python3 >/dev/null && python3 -m json.tool out.json >/dev/null
exit 0
