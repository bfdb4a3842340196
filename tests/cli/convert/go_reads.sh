# What is written from each recording is accepted by go tool pprof, with the totals of the recording.
command -v go >/dev/null || { echo 'SKIP: no go'; exit 77; }
tail -n +2 "$TESTDATA/totals.tsv" | while IFS="$(printf '\t')" read -r file version threads samples weight cpu null; do
	"$CPUPROF" convert -q --keep-cpu-tracks "$TESTDATA/firefox/$file" -o x.pb.gz || exit 1
	go tool pprof -symbolize=none -raw x.pb.gz >raw.txt 2>err.txt || cat err.txt
	# Values stand before the colon, in the order of the header.
	awk '/^Samples:/ { on = 1; getline; n = split($0, t); next } /^Locations/ { on = 0 }
		on && /:/ { for (i = 1; i <= n; i++) { v = $i; sub(":", "", v); sum[i] += v } }
		END { for (i = 1; i <= n; i++) { sub("\\[dflt\\]", "", t[i]); printf "%s %.0f ", t[i], sum[i] }
			print "" }' raw.txt >got.txt
	grep -q "samples/count $weight " got.txt || { echo "$file: weight $weight"; cat got.txt; }
	[ "$cpu" = 0 ] || grep -q "cpu/nanoseconds ${cpu}000 " got.txt || { echo "$file: cpu $cpu"; cat got.txt; }
done
echo "recordings done"
for f in "$TESTDATA"/folded/*.folded; do
	"$CPUPROF" convert -q "$f" -o x.pb.gz
	go tool pprof -symbolize=none -top -nodecount=0 -nodefraction=0 x.pb.gz 2>/dev/null | sed -n '/^Showing/,$p' | head -n 5
done
