# Firefox -> pprof: accepted by go tool pprof, totals as in the table of the recordings, a thread
# label for each thread with samples. Weights and CPU time (us) are the sums over all threads.
command -v go >/dev/null || { echo "SKIP: no go"; exit 77; }
go tool -n pprof >/dev/null 2>&1 || { echo "SKIP: no go tool pprof"; exit 77; }
tail -n +2 "$TESTDATA/totals.tsv" | while read -r file _ _ _ weight cpu _; do
	"$CPUPROF" convert -q --keep-cpu-tracks "$TESTDATA/firefox/$file" -o out.pb.gz ||
		echo "$file: status $?"
	go tool pprof -symbolize=none -raw out.pb.gz >raw 2>err || cat err
	awk -v file="$file" -v weight="$weight" -v cpu="$cpu" '
		/^Samples:/ { on = 1; next }
		/^Locations/ { on = 0 }
		on && !head { head = 1; for (i = 1; i <= NF; i++) if ($i ~ /^cpu/) c = i; next }
		on && /:\[/ { next }
		on { sub(/:.*/, ""); w += $1; if (c) t += $c }
		END { printf "%s: weight %d, cpu %d us%s\n", file, w, t / 1000,
			(w == weight && t / 1000 == cpu) ? "" : " (expected " weight ", " cpu ")" }' raw
done
