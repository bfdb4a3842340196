# The rows add up to the totals counted by other means.
tail -n +2 "$TESTDATA/totals-pprof.tsv" | while IFS="$(printf '\t')" read -r file type unit sum rest; do
	"$CPUPROF" top --format json -n 0 --sample-type "$type" "$TESTDATA/pprof/$file" >r.json
	python3 - "$sum" "$unit" <<'PY'
import json, sys
r = json.load(open("r.json"))
flat = sum(x["flat"] for x in r["rows"]) + r["no_stack"]["value"]
want = int(sys.argv[1])
assert r["total"] == r["selected"] == flat == want, (r["total"], r["selected"], flat, want)
assert r["sample_type"]["unit"] == sys.argv[2]
assert len(r["rows"]) == r["rows_total"]
assert all(x["cum"] >= x["flat"] for x in r["rows"])
PY
	echo "$file $type $sum: exit $?"
done
