# Roots, colours, title, width; what is refused; nothing to draw.
titles() {
	sed -n 's/.*<title>\(.*\)<\/title>.* class="\([^"]*\)".* y="\([0-9]*\)" width.*/\3 \2 \1/p'
}
run() {
	echo "-- $*"
	"$CPUPROF" flamegraph "$@" >out.svg
	echo "exit $?"
}
cp "$TESTDATA/firefox/two-processes.json.gz" .
two=two-processes.json.gz
run -q --root process --sample-type samples --min-width 40 "$two"
titles <out.svg
run -q --root thread --thread 'busiest' --min-width 300 --colors lib "$two"
titles <out.svg
sed -n 's/.*class="[ts]" x="[0-9]*" y="[0-9]*">\(.*\)<\/text>/\1/p; s/^\.c[1-9].*/&/p' out.svg

printf 'main;a 1\nmain;b 3\n' >p.folded
run --title '<&>"' --width 300 p.folded
sed -n 's/.*viewBox="\([^"]*\)".*/\1/p; s/.*class="t"[^>]*>\(.*\)<.text>/\1/p' out.svg
titles <out.svg
run p.folded p.folded
sed -n 's/.*class="[ts]"[^>]*>\(.*\)<.text>/\1/p' out.svg
run --inverted --focus a --by file p.folded
sed -n 's/.*class="[ts]"[^>]*>\(.*\)<.text>/\1/p' out.svg
titles <out.svg
"$CPUPROF" flamegraph p.folded -o one.svg && "$CPUPROF" flamegraph p.folded | cmp - one.svg && echo 'the same bytes'

for w in -1 1e3 1.2.3 '' . 301 abc 1234567890123456; do run --width 300 "--min-width=$w" p.folded 2>&1; done
run --width 20 p.folded 2>&1
run --colors klass p.folded 2>&1
printf 'a;b -5\na;c 2\n' >negative.folded
run negative.folded 2>&1
titles <out.svg
printf 'a;b -5\n' >below.folded
run below.folded 2>&1
printf '(no stack) 5\n' >empty.folded
run empty.folded 2>&1
titles <out.svg
run --thread none p.folded 2>&1
"$CPUPROF" convert p.folded -o p.svg
echo "exit $?"
"$CPUPROF" convert p.folded --to svg -o p.svg
echo "exit $?"
