# A profile of another format is shown as the pprof file would be that convert writes from it; the
# real pprof agrees where it is installed.
go=$(command -v go)
# Before 1.24 it prints the time in another way.
minor=$("${go:-false}" version 2>/dev/null | sed -n 's/.* go1\.\([0-9]*\).*/\1/p')
[ "${minor:-24}" -ge 24 ] || go=
for f in "$TESTDATA"/firefox/*.json.gz "$TESTDATA"/folded/*.folded; do
	"$CPUPROF" convert -q -o c.pb.gz "$f" || exit 1
	for flags in "" "-cum -lines" "-addresses -trim=false"; do
		# shellcheck disable=SC2086
		"$CPUPROF" pprof -top -symbolize=none $flags "$f" >direct 2>err || cat err
		# shellcheck disable=SC2086
		"$CPUPROF" pprof -top -symbolize=none $flags c.pb.gz >converted 2>err || cat err
		cmp direct converted || echo "differs: $f $flags"
		[ -s direct ] || echo "nothing: $f $flags"
	done
	[ -z "$go" ] || {
		"$go" tool pprof -top -symbolize=none -addresses -trim=false c.pb.gz >real 2>/dev/null
		cmp real direct || echo "differs from pprof: $f"
	}
done
