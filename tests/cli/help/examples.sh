# The examples in help run, with recordings in place of the names they use.
ln -s "$TESTDATA/pprof/go-cpu.pb.gz" profile.pb.gz
for cmd in top threads info; do
	"$CPUPROF" help $cmd | sed -n '/^Examples:/,/^$/s/^  cpuprof //p' | grep -v 'json\.gz$' |
		while read -r args; do
			eval "\"\$CPUPROF\" -- $args" >/dev/null 2>&1 && echo "-- is no command"
			eval "\"\$CPUPROF\" $args" >out.txt || echo "exit $?: $args"
			[ -s out.txt ] || echo "nothing printed: $args"
		done
done
