# Files that are refused, each with its place and reason.
cd "$TESTDATA/bad" || exit 1
for f in folded_*; do
	"$CPUPROF" folded "$f"
	echo "exit $?" >&2
done
