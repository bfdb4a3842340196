# Reports of pprof that are not there yet say so.
for r in callgrind comments dot gif pdf png proto ps raw svg tags topproto traces tree web gv eog evince \
	kcachegrind list=x peek=x disasm=x weblist=x; do
	"$CPUPROF" pprof "-$r" "$TESTDATA/cases/pprof/basic.pb.gz"
	[ $? = 1 ] || echo "exit code of -$r"
done
"$CPUPROF" pprof "$TESTDATA/cases/pprof/basic.pb.gz"
[ $? = 1 ] || echo "exit code without a report"
