# Every odd but valid input: samples, weights, CPU time, null stacks and hottest functions as counted
# by the generator of these files, not by us.
python3 - <<'PY'
import csv, json, os, re, subprocess, sys
from decimal import Decimal, ROUND_HALF_UP
folder = os.environ["TESTDATA"] + "/odd"
prog = os.environ["CPUPROF"]
bad = []

def run(*args):
    p = subprocess.run([prog, *args], capture_output=True, stdin=subprocess.DEVNULL)
    return p.returncode, p.stdout, p.stderr.decode()

def rounded(text):
    d = Decimal(text)
    return int(d.quantize(Decimal(1), rounding=ROUND_HALF_UP))  # half away from zero

def differs(got, want):
    # The table holds doubles: beyond 2^53 it is right to 16 digits only.
    if got is None or abs(want) < 2 ** 53:
        return got != want
    return abs(got - want) > abs(want) >> 50

n = 0
for row in csv.DictReader(open(folder + "/EXPECT.tsv"), delimiter="\t"):
    f = folder + "/" + row["file"]
    n += 1
    def fail(what):
        bad.append("%s: %s" % (row["file"], what))
    code, out, err = run("info", "--format", "json", f)
    if code:
        fail("info: exit %d: %s" % (code, err.strip()))
        continue
    info = json.loads(out)
    if info["samples"] != int(row["samples"]):
        fail("samples %s, want %s" % (info["samples"], row["samples"]))
    if info["samples_without_stack"] != int(row["null_stacks"]):
        fail("null stacks %s, want %s" % (info["samples_without_stack"], row["null_stacks"]))
    if row["threads"] != "-" and info["threads"] != int(row["threads"]):
        fail("threads %s, want %s" % (info["threads"], row["threads"]))
    types = {t["type"]: t["total"] for t in info["sample_types"]}
    if row["cpu_us"] != "-" and types.get("cpu") != rounded(str(Decimal(row["cpu_us"]) * 1000)):
        fail("cpu %s ns, want %s us" % (types.get("cpu"), row["cpu_us"]))
    if row["cpu_us"] == "-" and types.get("cpu"):
        fail("cpu %s, but the file gives none" % types["cpu"])
    first = info["sample_types"][0]["type"] if info["sample_types"] else None
    unit = info["sample_types"][0]["unit"] if first else None
    scale = 1000000 if unit == "nanoseconds" else 1
    if first and differs(types[first], rounded(str(Decimal(row["weight"]) * scale))):
        fail("%s %s, want %s" % (first, types[first], row["weight"]))
    warned = "warning:" in err
    if row["warn"] == "-" and warned:
        fail("unexpected warning: " + err.strip())
    elif row["warn"] not in ("-", "*") and not re.search(row["warn"], err, re.I):
        fail("stderr does not match %s: %s" % (row["warn"], err.strip()))
    args = ["top", "--format", "json", "-n", "0", f]
    if first:
        args[1:1] = ["--sample-type", first]
    code, out, err = run(*args)
    if row["top"] == "-":
        if code != 4 or out:
            fail("top: exit %d instead of 4" % code)
        continue
    if code:
        fail("top: exit %d: %s" % (code, err.strip()))
        continue
    top = json.loads(out)
    got = {}
    for r in top["rows"]:
        flat, cum = got.get(r["name"], (0, 0))
        got[r["name"]] = (flat + r["flat"], cum + r["cum"])
    for want in row["top"].split(";"):
        name, _, nums = want.rpartition("=")
        flat, cum = (rounded(str(Decimal(x) * scale)) for x in nums.split("/"))
        have = got.get(name, (None, None))
        if differs(have[0], flat) or differs(have[1], cum):
            if got.get(name) is None and flat == cum == 0:
                continue
            fail("%s is %s, want %s" % (name, got.get(name), (flat, cum)))
print("\n".join(bad) if bad else "all right")
sys.exit(1 if bad or n < 200 else 0)
PY
