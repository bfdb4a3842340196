# Types, sums and table sizes as counted by other means.
"$CPUPROF" info --format json "$TESTDATA/pprof/go-cpu.pb.gz" >/dev/null || exit
python3 - <<'PY'
import csv, json, os, subprocess
data = os.environ["TESTDATA"]
rows = list(csv.DictReader(open(data + "/totals-pprof.tsv"), delimiter="\t"))
for f in sorted({r["file"] for r in rows}):
    out = subprocess.run([os.environ["CPUPROF"], "info", "--format", "json", data + "/pprof/" + f],
                         check=True, capture_output=True).stdout
    j = json.loads(out)
    want = [r for r in rows if r["file"] == f]
    got = [(t["type"], t["unit"], t["total"]) for t in j["sample_types"]]
    assert got == [(r["type"], r["unit"], int(r["sum"])) for r in want], (f, got)
    for key, col in ("samples", "samples"), ("locations", "locations"), ("functions", "functions"):
        assert j[key] == int(want[0][col]), (f, key, j[key], want[0][col])
    assert len([l for l in j["libs"] if l["name"]]) == int(want[0]["mappings"]), f
    print(f, "ok")
PY
