# Odd profiles through each format and back: the same stacks, thread by thread, or a reason why not;
# where they differ, what was said to be lost.
python3 "$TOP/tests/cli/convert/odd.py" || exit 1
lost() { echo "$1 DIFFERS: $(grep "not carried over" err)"; }
say() { "$CPUPROF" folded -q --sample-type samples --root thread "$1"; }
for f in *.folded *.json; do
	say "$f" >want 2>/dev/null || echo "$f: not read"
	for v in 60 49; do
		if "$CPUPROF" convert --firefox-version $v "$f" -o x.json 2>err; then
			say x.json >got && cmp -s want got && echo "$f: firefox $v" || lost "$f: firefox $v"
			"$CPUPROF" convert -q --firefox-version $v x.json -o y.json && cmp x.json y.json
		else
			cat err
		fi
	done
	if "$CPUPROF" convert "$f" -o x.pb.gz 2>err; then
		say x.pb.gz >got && cmp -s want got && echo "$f: pprof" || lost "$f: pprof"
	else
		cat err
	fi
done
