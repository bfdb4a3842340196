# One profile in the layout of every version gives the same table. The four oldest have no file names
# (before 4) or no inline frames (before 40), which this table does not show.
for f in "$TESTDATA"/odd/logical-v*; do
	"$CPUPROF" top --format csv -n 0 "$f" 2>/dev/null | tr -d "\r" | cut -d, -f1,2,7,8 | cksum
done | sort | uniq -c | awk '{ print ((NR == 1 && $1 > 20) ? "the same in all layouts" : "differs: " $0) }'
"$CPUPROF" top --format csv -n 0 "$TESTDATA/odd/logical-v75.jslb" | tr -d "\r" | cut -d, -f1,2,7,8
