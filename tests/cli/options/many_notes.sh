# Five notes of one kind, then how many more; -v shows all of them.
for i in 1 2 3 4 5 6 7; do
	cp "$TESTDATA/odd/gzip_garbage_after.json.gz" $i.json.gz
done
"$CPUPROF" top -n 1 ?.json.gz
"$CPUPROF" top -v -n 1 ?.json.gz 2>&1 >/dev/null | wc -l | tr -d ' '
