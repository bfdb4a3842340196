ln -s "$TESTDATA/pprof" p
for type in 0 alloc_space inuse_objects; do
	"$CPUPROF" top --sample-type $type -n 1 p/go-heap.pb.gz | tail -n +2
done
"$CPUPROF" top --sample_index=alloc_objects --unit count -n 1 p/go-heap.pb.gz | tail -n 1
"$CPUPROF" top --unit MB -n 1 p/go-heap.pb.gz | tail -n 1
"$CPUPROF" top --unit auto -n 2 p/go-heap.pb.gz | tail -n 2
"$CPUPROF" top --sample-type cycles p/go-heap.pb.gz
