ln -s "$TESTDATA/pprof" p
for by in function line file lib address; do
	"$CPUPROF" top --by $by -n 3 p/go-cpu.pb.gz | tail -n +4
done
"$CPUPROF" top --no-inlines -n 3 p/go-cpu.pb.gz | tail -n +4
