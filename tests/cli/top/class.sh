# Classes exclude each other and add up to what was selected, by every value.
ln -s "$TESTDATA/firefox" f
ln -s "$TESTDATA/pprof" p
"$CPUPROF" top --by class f/rust-named.json.gz
"$CPUPROF" top --by class -n 0 f/c-off-cpu.json.gz | tail -n +4
"$CPUPROF" top --by class --format csv p/go-cpu.pb.gz
for file in f/rust-faults.json.gz f/cpp-named.json.gz f/two-processes.json.gz p/go-cpu.pb.gz \
	p/rust-cpu.pb; do
	for by in function class namespace; do
		"$CPUPROF" top --by $by -n 0 --format csv "$file" >$by.csv || echo "$file: $by"
	done
	for by in class namespace; do
		awk -v by=$by -v file="$file" '
			{ gsub(/"[^"]*"/, "x") }
			FNR == 1 { n = split($0, h, ","); for (i = 1; i <= n; i++) at[h[i]] = i }
			FNR > 1 { split($0, v, ","); sum[FILENAME] += v[at["flat"]] }
			END {
				if (!sum["function.csv"]) print file ": nothing"
				if (sum[by ".csv"] != sum["function.csv"])
					print file ": " by " " sum[by ".csv"] " of " sum["function.csv"]
			}' function.csv $by.csv
	done
done
