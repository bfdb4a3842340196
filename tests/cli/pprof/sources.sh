# Several sources, some of which are not there; stdin; a file for the result.
cd "$TESTDATA/cases/pprof" || exit 1
"$CPUPROF" pprof -top -compact_labels diff_old.pb.gz nosuch.pb.gz
echo "exit $?"
"$CPUPROF" pprof -top nosuch.pb.gz malformed/truncated.pb
echo "exit $?"
"$CPUPROF" pprof -top -base=nosuch.pb.gz diff_new.pb.gz
echo "exit $?"
"$CPUPROF" pprof -top -compact_labels - <diff_old.pb.gz
cd - >/dev/null || exit 1
"$CPUPROF" pprof -top -output=top.txt "$TESTDATA/cases/pprof/diff_old.pb.gz"
"$CPUPROF" pprof -top "$TESTDATA/cases/pprof/diff_old.pb.gz" | cmp - top.txt
"$CPUPROF" pprof -top -output=nosuch/top.txt "$TESTDATA/cases/pprof/diff_old.pb.gz"
echo "exit $?"
"$CPUPROF" pprof -top "$TESTDATA/cases/pprof/diff_old.pb.gz" >/dev/full
echo "exit $?"
ls
