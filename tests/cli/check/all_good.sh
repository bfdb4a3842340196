# Every recording and every odd but right file reads without a broken invariant.
cd "$TESTDATA" || exit 1
for f in firefox/*.json firefox/*.json.gz pprof/* folded/* gperftools/* odd/*.json odd/*.gz odd/*.folded; do
	case $f in *.syms.json) continue ;; esac
	"$CPUPROF" check "$f" 2>&1 | grep -E '^(fault|error):' | sed "s|^|$f: |"
done
if [ -n "$CORPUS" ]; then
	for f in "$CORPUS"/pprof/* "$CORPUS"/firefox-json/*; do
		"$CPUPROF" check "$f" 2>&1 | grep '^fault:'
	done
fi
exit 0
