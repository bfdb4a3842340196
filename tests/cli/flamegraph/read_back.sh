# What is drawn is read back to the same stacks, in either order and with threads as roots; names
# that XML cannot hold are the exception.
printf '%s\n' 'main;b;c 30' 'main;b 10' 'main;a<T>&"x" 40' 'main 15' '(no stack) 5' 'main;b;c;d 1900' 'b 2.25' >p.folded
"$CPUPROF" folded p.folded >want
for options in '' --inverted '--colors lib' '--root thread --width 300' '--min-width 0'; do
	echo "-- $options"
	# shellcheck disable=SC2086
	"$CPUPROF" flamegraph $options p.folded -o p.svg
	"$CPUPROF" folded p.svg | sed 's/^(no thread);//; s/^(no thread) /(no stack) /' >got
	diff want got && echo same
done
echo '-- values with a unit'
"$CPUPROF" flamegraph -q "$TESTDATA/firefox/rust-named.json.gz" -o f.svg
"$CPUPROF" folded -q "$TESTDATA/firefox/rust-named.json.gz" >want
"$CPUPROF" folded f.svg | diff want - && echo same
"$CPUPROF" info f.svg | sed -n '/ample types/,/^$/p'

# Narrow frames are left out; their sum is not taken for self.
echo '-- narrow'
"$CPUPROF" flamegraph --min-width 20 p.folded -o narrow.svg
"$CPUPROF" folded narrow.svg
sed -n 's/.*class="s"[^>]*>\(.*\)<.*/\1/p' narrow.svg
"$CPUPROF" flamegraph --inverted -q --min-width 20 p.folded -o narrow.svg
"$CPUPROF" folded narrow.svg

echo '-- odd names'
printf 'a\\x01\377b;]]>;</script>;c\\d;\357\277\277 3\n' >odd.folded
"$CPUPROF" flamegraph -q odd.folded -o odd.svg
"$CPUPROF" folded odd.svg
sed -n '/^names:\[/,/^keys:/p' odd.svg
