#!/usr/bin/env python3
"""The Firefox Profiler's own command line reads what cpuprof writes: threads, functions with self and
total, and numbers of markers agree with what cpuprof says of the file it was made from.

usage: profiler_cli.py CPUPROF FOLDER FILE...    FOLDER: scratch; profiler-cli is on PATH
"""
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter

sys.dont_write_bytecode = True
from tally import check, close, ours, run  # noqa: E402


def load(path):
    """On a busy machine its server may not be there in the half second that it is given."""
    for attempt in range(6):
        try:
            return run("profiler-cli", "load", path)
        except RuntimeError as error:
            late = re.search(r"still be running as pid ([0-9]+)", str(error))
            if not late or attempt == 5:
                raise
            try:
                os.kill(int(late.group(1)), signal.SIGTERM)
            except OSError:
                pass
            time.sleep(1 + attempt)


def cli(*args):
    return json.loads(run("profiler-cli", *args, "--json"))


def hex_name(name):
    return re.fullmatch(r"0x[0-9a-f]+", name)


def their_functions(thread):
    """Self and total by (library, name); a total is unknown where several functions share them."""
    selfs, totals, seen = Counter(), Counter(), Counter()
    for f in thread["functions"]:
        name, lib = f["name"], f.get("library") or ""
        if hex_name(name) and lib:
            name = lib + "+" + name
        key = (lib, name or lib or "<unknown>")
        selfs[key] += f["selfSamples"]
        totals[key] += f["totalSamples"]
        seen[key] += 1
    return selfs, {k: v for k, v in totals.items() if seen[k] == 1}


def our_functions(report, scale):
    selfs, totals = Counter(), Counter()
    for row in report["rows"]:
        key = (row["lib"] or "", row["name"])
        selfs[key] += row["flat"] * scale
        totals[key] += row["cum"] * scale
    return selfs, totals


def differing(a, b):
    """The first key whose numbers are not the same but for rounding."""
    for k in sorted(set(a) | set(b)):
        if abs(a.get(k, 0) - b.get(k, 0)) > 1e-6 * max(1, abs(b.get(k, 0))):
            return "%s: theirs %s, ours %s" % (k, a.get(k, 0), b.get(k, 0))
    return ""


def compare_thread(cpuprof, what, source, handle, select, types):
    thread = cli("thread", "functions", "--limit", "0", "--include-idle", "--thread", handle)
    weight = thread["weightType"]
    if weight == "samples" and "samples" in types:
        kind = ["--sample-type", "samples"]
    else:
        kind = []
    report = ours(cpuprof, "top", "-q", "-n", "0", "--no-symbols", *kind, *select, source)
    scale = {"nanoseconds": 1e-6, "microseconds": 1e-3, "milliseconds": 1}.get(
        report["sample_type"]["unit"], 1) if weight == "tracing-ms" else 1
    selfs, totals = their_functions(thread)
    our_selfs, our_totals = our_functions(report, scale)
    our_selfs.pop(("", "(no stack)"), None)
    our_totals.pop(("", "(no stack)"), None)
    bad = differing(selfs, our_selfs)
    check("%s: self times" % what, not bad, bad)
    bad = differing(totals, {k: v for k, v in our_totals.items() if k in totals})
    check("%s: totals" % what, not bad, bad)


def compare(cpuprof, source, written, what):
    load(written)
    try:
        profile = cli("profile", "info", "--all")
        info = ours(cpuprof, "info", "-q", "--no-symbols", source)
        threads = ours(cpuprof, "threads", "-q", "--no-symbols", source)
        types = [t["type"] for t in threads["sample_types"]]
        theirs = [t for p in profile["processes"] for t in p["threads"]]
        names = Counter((t["name"], str(t["tid"])) for t in theirs)
        mine = [t for t in threads["threads"] if t["thread"] or t["tid"]]
        missing = [t for t in mine if not names[(t["thread"] or "", t["tid"] or "")]]
        check("%s: threads" % what, not missing, missing)
        if mine:
            tids = Counter(t["tid"] for t in mine)
            by_name = {(t["name"], str(t["tid"])): t["threadHandle"] for t in theirs}
            for t in mine[:4]:
                if not t["tid"] or tids[t["tid"]] > 1:
                    continue
                compare_thread(cpuprof, "%s, thread %s" % (what, t["thread"]), source,
                               by_name[(t["thread"] or "", t["tid"])],
                               ["--thread", "tid:" + t["tid"]], types)
        else:
            compare_thread(cpuprof, what, source, theirs[0]["threadHandle"], [], types)
        if info.get("markers"):
            count = sum(cli("thread", "markers", "--thread", t["threadHandle"])["totalMarkerCount"]
                        for t in theirs)
            check("%s: markers" % what, count == info["markers"], (count, info["markers"]))
    finally:
        subprocess.run(["profiler-cli", "stop"], capture_output=True)


def symbolized(cpuprof, folder):
    """Names and inlined functions that symbolize wrote are those that profiler-cli shows."""
    data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../testdata/firefox")
    for kind in ("c", "rust"):
        names = os.path.join(folder, kind + ".syms.json")
        written = os.path.join(folder, kind + "-symbolized.json.gz")
        live = os.path.join(data, kind + "-live.json.gz")
        run(cpuprof, "symbolize", "-q", "--no-symbols", os.path.join(data, kind + "-named.json.gz"),
            "-o", names)
        os.environ["CPUPROF_SYMBOL_SOURCES"] = "sidecar"
        run(cpuprof, "symbolize", "-q", "--symbols", "--syms", names, live, "-o", written)
        del os.environ["CPUPROF_SYMBOL_SOURCES"]
        compare(cpuprof, written, written, "symbolize, " + kind)
        hidden = run(cpuprof, "top", "-q", "--no-symbols", "-n", "0", "--format", "csv", live)
        shown = run(cpuprof, "top", "-q", "--no-symbols", "-n", "0", "--format", "csv", written)
        check("symbolize, %s: names" % kind, ",true," in shown and shown != hidden)


def main():
    cpuprof, folder, sources = sys.argv[1], sys.argv[2], sys.argv[3:]
    for number, source in enumerate(sources):
        for version in ("60", "49"):
            what = "%s as %s" % (os.path.basename(source), version)
            written = os.path.join(folder, "%d-%s.json%s" % (number, version,
                                                             ".gz" if number % 2 else ""))
            try:
                run(cpuprof, "convert", "-q", "--firefox-version", version, source, "-o", written)
                compare(cpuprof, source, written, what)
            except (RuntimeError, subprocess.TimeoutExpired, KeyError) as error:
                check(what, False, repr(error))
    try:
        symbolized(cpuprof, folder)
    except (RuntimeError, subprocess.TimeoutExpired, KeyError) as error:
        check("symbolize", False, repr(error))
    close("profiler-cli")


main()
