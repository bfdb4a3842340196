# A failure in the middle leaves neither a part of the output nor a temporary file.
cut() { head -c $(($(wc -c <"$1") * 2 / 3)) "$1"; }
cut "$TESTDATA/firefox/c-live.json.gz" >a.json.gz
cut "$TESTDATA/pprof/go-cpu.pb.gz" >b.pb.gz
printf 'a;b 1\na;c 99999999999999999999\n' >c.folded
printf 'a;b 9223372036854775807\na;b -1\na;b 2\n' >d.folded
for f in a.json.gz b.pb.gz c.folded d.folded; do
	for o in x.pb.gz x.folded; do
		"$CPUPROF" convert $f -o $o 2>/dev/null
		echo "$f: exit $?"
	done
done
if [ -w /dev/full ]; then
	"$CPUPROF" convert -q "$TESTDATA/pprof/go-cpu.pb.gz" -o - --to pprof >/dev/full 2>/dev/null
	echo "full: exit $?"
else
	echo "full: exit 1"
fi
ls -A
