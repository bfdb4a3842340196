# Pictures drawn by inferno and flamegraph.pl give the stacks back that they were drawn from.
perl=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
inferno=$(command -v inferno-flamegraph || echo "$HOME/.cargo/bin/inferno-flamegraph")
[ -f "$perl" ] || [ -x "$inferno" ] || {
	echo 'SKIP: neither inferno-flamegraph nor flamegraph.pl (Debian: libdevel-nytprof-perl)'
	exit 77
}
# Neither keeps marks of frames; flamegraph.pl writes round brackets for angle brackets.
same() {
	"$CPUPROF" folded -q "$2" 2>&1 | diff "$1" - >diff || {
		echo "$2 of $3:"
		cat diff
	}
}
for f in "$TESTDATA"/folded/*.folded; do
	"$CPUPROF" folded -q "$f" >stacks
	tr '<>' '()' <stacks >round
	for options in '' '--inverted' '--width 400 --minwidth 0'; do
		if [ -f "$perl" ]; then
			# shellcheck disable=SC2086
			perl "$perl" $options stacks >perl.svg 2>/dev/null && same round perl.svg "$options $f"
		fi
		if [ -x "$inferno" ]; then
			# shellcheck disable=SC2086
			"$inferno" $options stacks >inferno.svg 2>/dev/null && same stacks inferno.svg "$options $f"
		fi
	done
done
