# Folded to pprof and back: the same lines.
for f in "$TESTDATA"/folded/*.folded; do
	"$CPUPROF" convert -q "$f" -o x.pb.gz || exit 1
	"$CPUPROF" convert -q x.pb.gz -o x.folded || exit 1
	cmp "$f" x.folded && echo "same: ${f##*/}, $(wc -l <x.folded | tr -d ' ') lines"
done
# Of other tools: sorted, it is what was there.
if [ -n "$CORPUS" ]; then
	for f in "$CORPUS"/folded/*; do
		"$CPUPROF" convert -q "$f" -o x.pb || exit 1
		"$CPUPROF" folded -q x.pb >x.folded || exit 1
		LC_ALL=C sort "$f" | cmp - x.folded
	done
fi
