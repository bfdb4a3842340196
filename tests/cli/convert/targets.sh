# The suffix or --to chooses the format; .gz and pprof on stdout are packed.
f=$TESTDATA/folded/c.folded
kind() {
	if [ "$(od -An -tx1 -N2 "$1" | tr -d ' \n')" = 1f8b ]; then printf 'gzip '; gzip -dc "$1"; else cat "$1"; fi |
		head -c 60 | tr -c 'a-z;0-9 \n' . | head -n 1
}
for o in x.pb x.pb.gz x.pprof x.folded x.folded.gz x.txt; do
	"$CPUPROF" convert -q "$f" -o $o && echo "$o: $(kind $o)"
done
"$CPUPROF" convert -q "$f" -o x.dat --to pprof && echo "x.dat: $(kind x.dat)"
"$CPUPROF" convert -q "$f" -o x.pb --to folded && echo "x.pb: $(kind x.pb)"
"$CPUPROF" convert -q "$f" -o x.pb.gz --no-gzip && echo "x.pb.gz: $(kind x.pb.gz)"
"$CPUPROF" convert -q "$f" --to pprof >x && echo "stdout: $(kind x)"
"$CPUPROF" convert -q "$f" --to pprof --no-gzip >x && echo "stdout: $(kind x)"
"$CPUPROF" convert -q --to folded <"$f" >x && echo "stdin, stdout: $(kind x)"
# Same input, same bytes.
"$CPUPROF" convert -q "$f" -o a.pb.gz
"$CPUPROF" convert -q "$f" -o b.pb.gz
cmp a.pb.gz b.pb.gz && echo same
