# Layouts that other tools write. What comes out is what EXPECT.tsv of the files says.
ln -s "$TESTDATA/odd" o
for f in o/folded_*; do
	echo "== ${f#o/}"
	"$CPUPROF" folded -q "$f" | cut -c 1-60
	"$CPUPROF" folded "$f" 2>&1 >/dev/null
done
