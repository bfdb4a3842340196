# One made-up profile in five layouts: the same report from each but for the first line.
formats=firefox49,firefox60,firefox66,pprof,folded
for names in "" --named; do
	python3 "$TOP/tests/gen/genprofile.py" --scale 0.02 --out . --formats $formats $names \
		>totals.txt || exit
	# Of named functions, the generator gives lines to pprof only.
	granularities='function lib address line'
	[ -z "$names" ] || granularities='function lib'
	for by in $granularities; do
		for f in firefox49.json firefox60.json firefox66.json.gz profile.pb profile.pb.gz; do
			"$CPUPROF" top --by $by -n 0 $f | sed 1d >$f.txt
			cmp firefox49.json.txt $f.txt
		done
		wc -l <firefox49.json.txt | tr -d ' '
	done
	head -n 5 firefox49.json.txt
	# Folded stacks have counts only, and names where the others have addresses.
	for f in firefox49.json profile.folded; do
		"$CPUPROF" top --sample-type samples --format json $f | grep '"total"'
	done
done
