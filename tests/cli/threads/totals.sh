# Rows, weight, CPU time and null stacks of every recording, as counted by another program.
python3 - <<'PY'
import csv, json, os, subprocess
data = os.environ["TESTDATA"]
for r in csv.DictReader(open(data + "/totals.tsv"), delimiter="\t"):
    out = subprocess.run([os.environ["CPUPROF"], "threads", "--all", "--keep-cpu-tracks",
                          "--format", "json", data + "/firefox/" + r["file"]],
                         check=True, capture_output=True).stdout
    j = json.loads(out)
    types = [t["type"] for t in j["sample_types"]]
    total = dict(zip(types, j["totals"]["values"]))
    assert j["totals"]["rows"] == int(r["samples"]), (r, j["totals"])
    assert total["samples"] == int(r["weight"]), (r, total)
    assert total["cpu"] == int(r["cpu_us"]) * 1000, (r, total)
    assert j["totals"]["no_stack"] == int(r["null_stacks"]), r
    rows = [t for t in j["threads"] if t["thread"] is not None or t["tid"] is not None]
    assert len(rows) == int(r["threads"]), (r, len(rows))
    for i, name in enumerate(types):
        assert sum(t["values"][i] for t in j["threads"]) == total[name], (r, name)
    print(r["file"], "ok")
PY
