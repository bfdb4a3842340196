# Threads and processes as root frames; the sums do not depend on them.
f=$TESTDATA/firefox/two-processes.json.gz
for root in none thread process; do
	"$CPUPROF" folded -q --sample-type samples --root $root "$f" >$root.txt
	LC_ALL=C sort -c $root.txt
	awk -v root=$root '{ n += $NF } END { print root, n }' $root.txt
done
cut -d ';' -f 1,2 process.txt | sort -u
# Without the root frame, lines that became equal summed: what the poorer choice prints.
strip() {
	cut -d ';' -f 2- "$1" | awk '{ n = $NF; sub(/ [0-9]+$/, ""); s[$0] += n } END { for (k in s) print k, s[k] }' |
		LC_ALL=C sort
}
strip process.txt | cmp - thread.txt && echo same
strip thread.txt | cmp - none.txt && echo same
