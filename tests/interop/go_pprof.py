#!/usr/bin/env python3
"""go tool pprof reads the pprof that cpuprof writes: reports of a pprof source are the same as of the
source itself; of other sources -top, -raw, -tags and -peek have the numbers of the source; and its web
server shows a flame graph with the functions of the source.

usage: go_pprof.py CPUPROF SCRATCH FILE...
"""
import html
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter

sys.dont_write_bytecode = True
from tally import check, close, ours, run  # noqa: E402

REPORTS = (["-top", "-nodecount=0", "-nodefraction=0"], ["-raw"], ["-tags"], ["-peek", "."],
           ["-traces"], ["-top", "-lines", "-nodefraction=0"])
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def pprof(*args):
    return run("go", "tool", "pprof", "-symbolize=none", *args)


def is_pprof(cpuprof, path):
    return ours(cpuprof, "info", "-q", "--no-symbols", path)["inputs"][0]["format"] == "pprof"


def same_reports(what, source, written):
    for report in REPORTS:
        for kind in ([], ["-sample_index=0"]):
            args = report + kind
            try:
                want = pprof(*args, source)
            except RuntimeError:
                continue  # what it cannot say of the source
            try:
                got = pprof(*args, written)
            except RuntimeError as error:
                got = str(error)
            check("%s: %s" % (what, " ".join(args)), got == want,
                  next(((a, b) for a, b in zip(got.splitlines(), want.splitlines()) if a != b),
                       "%d and %d bytes" % (len(got), len(want))))


def in_unit(text):
    """A number as pprof prints it with -unit."""
    return float(re.match(r"-?[0-9.e+]+", text).group(0))


def close_to(a, b):
    return abs(a - b) <= 0.0051 + 1e-6 * abs(b)


def top(what, cpuprof, source, written):
    report = ours(cpuprof, "top", "-q", "-n", "0", "--no-symbols", source)
    kind = report["sample_type"]["type"]
    unit = {"nanoseconds": "ms", "count": "count"}[report["sample_type"]["unit"]]
    scale = 1e-6 if unit == "ms" else 1
    flat, cum, many = Counter(), Counter(), Counter()
    text = pprof("-top", "-nodecount=0", "-nodefraction=0", "-edgefraction=0", "-unit", unit,
                 "-sample_index", kind, written)
    rows = text[text.index("cum%"):].splitlines()[1:]
    for row in rows:
        cells = row.split(None, 5)
        name = re.sub(r" \((partial-inline|inline)\)$", "", cells[5]) if len(cells) > 5 else ""
        flat[name] += in_unit(cells[0])
        cum[name] += in_unit(cells[3])
    want, want_cum = Counter(), Counter()
    for r in report["rows"]:
        if re.search(r"\+0x[0-9a-f]+$|^0x|^<unknown>|^\(no stack\)", r["name"]):
            continue  # written without a name; pprof has words of its own for them
        want[r["name"]] += r["flat"] * scale
        want_cum[r["name"]] += r["cum"] * scale
        many[r["name"]] += 1
    bad = [(n, flat.get(n), v) for n, v in want.items() if n not in flat or not close_to(flat[n], v)]
    check("%s: -top, %d functions, flat" % (what, len(want)), not bad, bad[:3])
    bad = [(n, cum.get(n), v) for n, v in want_cum.items() if many[n] == 1 and not close_to(cum.get(n, -1), v)]
    check("%s: -top, cum" % what, not bad, bad[:3])
    # Of -peek the line of the function itself, between callers and callees.
    if want:
        text = pprof("-peek", ".", "-unit", unit, "-sample_index", kind, written)
        peeked = Counter()
        for line in text.splitlines():
            m = re.match(r"\s*(-?[0-9.]+\w*)\s+\S+%\s+\S+%\s+(-?[0-9.]+\w*)\s+\S+%\s+\|\s(\S.*)$", line)
            if m:
                peeked[re.sub(r" \((partial-inline|inline)\)$", "", m.group(3))] += in_unit(m.group(1))
        bad = [(n, peeked.get(n), v) for n, v in want.items() if n not in peeked or not close_to(peeked[n], v)]
        check("%s: -peek" % what, not bad, bad[:3])


def raw(what, cpuprof, source, written):
    report = ours(cpuprof, "threads", "-q", "--no-symbols", source)
    text = pprof("-raw", written)
    body = text[text.index("Samples:\n") + 9:text.index("\nLocations")].splitlines()
    types = [t.replace("[dflt]", "").split("/")[0] for t in body[0].split()]
    sums = [0] * len(types)
    for line in body[1:]:
        m = re.match(r"\s*(-?\d+(?:\s+-?\d+)*):", line)
        if m:
            sums = [a + int(b) for a, b in zip(sums, m.group(1).split())]
    want = dict(zip((t["type"] for t in report["sample_types"]), report["totals"]["values"]))
    check("%s: -raw" % what, dict(zip(types, sums)) == want, (types, sums, want))


def tags(what, cpuprof, source, written):
    report = ours(cpuprof, "threads", "-q", "--no-symbols", source)
    kind = report["sample_types"][0]["type"]
    tids = Counter()
    for t in report["threads"]:
        if t["tid"]:
            tids[t["tid"]] += t["values"][0]
    tids = {k: v for k, v in tids.items() if v}
    if not tids or kind != "samples":
        return
    text = pprof("-tags", "-unit", "count", "-sample_index", kind, written)
    found, on = Counter(), False
    for line in text.splitlines():
        if re.match(r" *[^ :]+: Total", line):
            on = line.split(":")[0].strip() == "tid"
        m = re.match(r"\s+(\S+) \([ 0-9.]+%\): (.*)$", line)
        if on and m:
            found[m.group(2)] += in_unit(m.group(1))
    check("%s: -tags, %d threads" % (what, len(tids)), found == Counter(tids), (found, tids))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def fetch(url):
    for attempt in range(100):
        try:
            with opener.open(url, timeout=60) as answer:
                return answer.read().decode()
        except OSError:
            if attempt == 99:
                raise
            time.sleep(0.2)


def web(what, cpuprof, source, written):
    """The page holds its stacks as JSON: functions (fullName), and values of stacks of them."""
    address = "127.0.0.1:%d" % free_port()
    # go tool starts pprof as a child, which outlives it: both are ended as one group.
    server = subprocess.Popen(["go", "tool", "pprof", "-symbolize=none", "-no_browser", "-http", address, written],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        page = fetch("http://%s/ui/flamegraph" % address)
        others = [fetch("http://%s/ui/%s" % (address, p)) for p in ("top", "peek?f=.")]
    finally:
        os.killpg(server.pid, 15)
        server.wait()
    m = re.search(r"stackViewer\((\{.*?\})\s*,\s*\[", page, re.S) or re.search(r"stackViewer\((\{.*\})", page)
    data = json.JSONDecoder().raw_decode(page[m.start(1):])[0]
    report = ours(cpuprof, "top", "-q", "-n", "0", "--no-symbols", source)
    check("%s: -http, total" % what, data["Total"] == report["total"], (data["Total"], report["total"]))
    shown = {s["FullName"] for s in data["Sources"]}
    want = {r["name"] for r in report["rows"] if not re.search(r"\+0x[0-9a-f]+$|^0x|^<unknown>|^\(no stack\)", r["name"])}
    check("%s: -http, %d functions" % (what, len(want)), want and want <= shown, sorted(want - shown)[:3])
    hottest = max((r for r in report["rows"] if r["name"] in want), key=lambda r: r["flat"])["name"]
    check("%s: -http, other pages" % what, all(hottest in html.unescape(p) or json.dumps(hottest)[1:-1] in p
                                               for p in others), hottest)


def main():
    cpuprof, scratch, sources = sys.argv[1], sys.argv[2], sys.argv[3:]
    for number, source in enumerate(sources):
        what = os.path.basename(source)
        written = os.path.join(scratch, "%d.pb%s" % (number, ".gz" if number % 2 else ""))
        try:
            run(cpuprof, "convert", "-q", source, "-o", written)
            if is_pprof(cpuprof, source):
                same_reports(what, source, written)
            else:
                top(what, cpuprof, source, written)
                raw(what, cpuprof, source, written)
                tags(what, cpuprof, source, written)
            if number < 4:
                web(what, cpuprof, source, written)
        except (RuntimeError, OSError, KeyError, ValueError) as error:
            check(what, False, repr(error))
    close("go tool pprof")


main()
