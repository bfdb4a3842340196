# A recording without names, and the same one as samply named it: with the names of the one in a
# file beside the other, every line with its inlined functions is the same.
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=sidecar
for name in c rust; do
	f=$TESTDATA/firefox
	"$CPUPROF" symbolize -q --no-symbols "$f/$name-named.json.gz" -o names.syms.json || exit
	cp "$f/$name-live.json.gz" names.json.gz
	"$CPUPROF" top --no-symbols --by line -n 0 "$f/$name-named.json.gz" | tail -n +2 >samply
	# Without names of its own, that of the first row is an address.
	"$CPUPROF" top --no-symbols --by line -n 0 names.json.gz | tail -n +2 >none
	cmp -s samply none && echo "no difference to be seen"
	"$CPUPROF" top --by line -n 0 names.json.gz | tail -n +2 >beside
	cmp samply beside && echo "$name: $(wc -l <beside) lines equal"
	cp names.syms.json other.json
	rm names.syms.json
	"$CPUPROF" top --by line -n 0 --syms other.json names.json.gz | tail -n +2 >given
	cmp samply given && echo "$name: --syms gives the same"
done
