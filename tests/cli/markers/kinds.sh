# I/O, copies of it, waits, pauses and hangs; starts and ends; fields as the schema says.
cp "$TOP/tests/cli/markers/kinds.json" m.json
"$CPUPROF" markers m.json
"$CPUPROF" markers --list m.json
for kind in io blocking pause hang waiting; do
	echo "== $kind"
	"$CPUPROF" markers --kind $kind --blocking '^my wait$' --format csv m.json
done
"$CPUPROF" markers --list --name '^Span$' --format json m.json | sed -n '/"rows"/,/]/p'
"$CPUPROF" markers --list --from 8ms --to 10ms --format markdown m.json
"$CPUPROF" markers --name nothing m.json
echo "exit $?"
"$CPUPROF" markers --name '(' m.json
echo "exit $?"
