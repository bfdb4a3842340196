# 32 MB that come out of some kilobytes: stops at the limit, in little memory.
head='{"meta":{"version":24,"preprocessedProfileVersion":60},"threads":['
{
	printf '%s' "$head"
	dd if=/dev/zero bs=1048576 count=32 2>/dev/null | tr '\0' ' '
} | gzip >bomb.json.gz
{
	printf '%s"' "$head"
	dd if=/dev/zero bs=1048576 count=32 2>/dev/null | tr '\0' ' '
} | gzip >string.json.gz

run() {
	(
		# Address space in KiB, where the shell can limit it; ASan needs more than there is.
		grep -q __asan_init "$CPUPROF" || ulimit -v 150000 2>/dev/null
		"$CPUPROF" "$@" 2>&1
		echo "exit $?"
	)
}
run top --max-size 16MB bomb.json.gz
run info --max-size=1.5k bomb.json.gz
run convert -o out.pb.gz --max-size 16MB bomb.json.gz
run check --max-size 16MB bomb.json.gz
run pprof -top -max-size=16MB bomb.json.gz
run top --max-string 1MB string.json.gz
ls
