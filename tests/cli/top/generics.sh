# Instances of one template are one row with --generics merge; nothing else changes.
ln -s "$TESTDATA/firefox" f
for how in keep merge; do
	echo "== $how"
	"$CPUPROF" top --generics $how --cum -n 14 f/cpp-named.json.gz | tail -n +3
	"$CPUPROF" top --generics $how -n 8 f/rust-named.json.gz | tail -n +3
done
"$CPUPROF" top --generics merge --by line -n 3 f/cpp-named.json.gz | tail -n +4
