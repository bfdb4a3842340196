# Broken profiles and files of other programs: status 1, nothing on stdout, one line that tells the
# place and the reason, in the words the generator of these files expects.
python3 - <<'PY'
import csv, gzip, os, re, subprocess, sys
folder = os.environ["TESTDATA"] + "/bad"
prog = os.environ["CPUPROF"]
bad, n, linked = [], 0, 0
with open(folder + "/EXPECT.tsv", encoding="utf-8") as f:
    rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
for row in rows:
    if not re.match("fx_|gecko_|jslb_|other_", row["file"]):
        continue
    n += 1
    path = folder + "/" + row["file"]
    p = subprocess.run([prog, "info", path], capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    lines = [x for x in p.stderr.decode("utf-8", "replace").splitlines() if not re.match("cpuprof: (warning|note): ", x)]
    text = " ".join(lines).replace(path, "")
    if p.returncode != int(row["exit"]) or p.stdout:
        bad.append("%s: status %d, %d bytes on stdout" % (row["file"], p.returncode, len(p.stdout)))
    if len(lines) != 1:
        bad.append("%s: %d lines: %s" % (row["file"], len(lines), text))
    for column in "where", "reason":
        if row[column] != "-" and not re.search(row[column], text, re.I):
            bad.append("%s: %s: not like %s: %s" % (row["file"], column, row[column], text))
    # What is found when tables are linked names the byte where its column begins.
    m = re.search(r"byte ([0-9]+)(?: \(unpacked\))?: .*\w\[[0-9]+\][.\w]*: (index|there is no index|parent|offset)", text)
    if re.search(r"index -?[0-9]+ is|no index into|parent [0-9]+ does|offset -?[0-9]+ to", text):
        linked += 1
        with open(path, "rb") as f:
            data = f.read()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        if not m:
            bad.append("%s: no byte: %s" % (row["file"], text))
        elif not row["file"].startswith("jslb") and data[int(m.group(1)):][:1] != b"[":
            bad.append("%s: no array at byte %s" % (row["file"], m.group(1)))
print("\n".join(bad) or "every one is refused as it should be")
print("at least 180 files" if n >= 180 else "only %d files" % n)
print("at least 40 found in linking" if linked >= 40 else "only %d found in linking" % linked)
PY
