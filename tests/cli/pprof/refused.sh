# What pprof has and this program does not says what to use instead.
for r in disasm=x weblist=x kcachegrind gif pdf png ps svg web gv eog evince; do
	"$CPUPROF" pprof "-$r" "$TESTDATA/cases/pprof/basic.pb.gz"
	[ $? = 1 ] || echo "exit code of -$r"
done
"$CPUPROF" pprof "$TESTDATA/cases/pprof/basic.pb.gz"
[ $? = 1 ] || echo "exit code without a report"
"$CPUPROF" pprof -http=: "$TESTDATA/cases/pprof/basic.pb.gz"
[ $? = 2 ] || echo "exit code of -http"
