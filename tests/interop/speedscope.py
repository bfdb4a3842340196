#!/usr/bin/env python3
"""speedscope, in headless Chromium, opens the pprof and the folded stacks that cpuprof writes: its
sandwich view lists the functions of the source, with the same shares of self and total.

usage: speedscope.py CPUPROF SPEEDSCOPE SCRATCH FILE...
SPEEDSCOPE: the folder of its index.html; pictures of the screen are left in the folder named by PICTURES
"""
import functools
import http.server
import os
import sys
import threading
import time
from collections import Counter

sys.dont_write_bytecode = True
from browser import Browser  # noqa: E402
from tally import check, close, ours, run  # noqa: E402

ROWS = """return [...document.querySelectorAll('tr')].filter(r => r.querySelector('td div div')).map(r => {
 let w = r.querySelectorAll('td div div'), name = r.cells[2].textContent;
 return [name, parseFloat(w[0].style.width), parseFloat(w[1].style.width)]; })"""
TEXT = "return document.body.innerText"
PICTURES = os.environ.get("PICTURES")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


def rows(b):
    """Self and total of each function, in percent; the table is there once the file is read."""
    for _ in range(100):
        seen = b.js(ROWS)
        if seen:
            return seen
        time.sleep(0.2)
    raise RuntimeError("no function is shown: " + b.js(TEXT)[:300])


def compare(what, theirs, report):
    selfs, totals, names = Counter(), {}, Counter()
    for name, total, own in theirs:
        selfs[name] += own
        totals[name] = total
        names[name] += 1
    all_of = sum(abs(r["flat"]) for r in report["rows"] if r["name"] != "(no stack)")
    want, want_total, libs = Counter(), {}, Counter()
    for r in report["rows"]:
        if r["name"] == "(no stack)":
            continue
        want[r["name"]] += 100 * r["flat"] / all_of
        want_total[r["name"]] = 100 * r["cum"] / all_of
        libs[r["name"]] += 1
    check("%s: %d functions" % (what, len(want)), set(selfs) == set(want),
          "theirs only %s, ours only %s" % (sorted(set(selfs) - set(want))[:3], sorted(set(want) - set(selfs))[:3]))
    bad = [(n, selfs[n], want[n]) for n in want if abs(selfs[n] - want[n]) > 1e-3]
    check("%s: self" % what, not bad, bad[:3])
    bad = [(n, totals.get(n), want_total[n]) for n in want_total
           if libs[n] == 1 and names[n] == 1 and abs(totals[n] - want_total[n]) > 1e-3]
    check("%s: total" % what, not bad, bad[:3])


def opened(b, base, scratch, name):
    # The sandwich is the last of three views; keys choose them.
    b.go("%s/speedscope/index.html#profileURL=%s/files/%s" % (base, base, name))
    for _ in range(100):
        if name in b.js(TEXT):
            break
        time.sleep(0.2)
    if PICTURES:
        time.sleep(1)
        b.picture(PICTURES, name + ".png")
    b.keys("3")
    return rows(b)


def main():
    cpuprof, page, scratch, sources = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    web = os.path.join(scratch, "web")
    files = os.path.join(web, "files")
    os.makedirs(files)
    os.symlink(os.path.abspath(page), os.path.join(web, "speedscope"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=web))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = "http://127.0.0.1:%d" % server.server_port
    b = Browser()
    try:
        # Only rows in sight are in the page.
        b.call("/window/rect", {"width": 1200, "height": 8000})
        for number, source in enumerate(sources):
            for suffix, select in (("pb.gz", ["--no-inlines"]), ("pb", ["--no-inlines"]), ("folded", [])):
                what = "%s as %s" % (os.path.basename(source), suffix)
                name = "%d.%s" % (number, suffix)
                try:
                    run(cpuprof, "convert", "-q", "--symbols", source, "-o", os.path.join(files, name))
                    # Of inlined functions of pprof, speedscope shows the place they are inlined at only.
                    report = ours(cpuprof, "top", "-q", "-n", "0", *select, source)
                    compare(what, opened(b, base, scratch, name), report)
                except (RuntimeError, OSError) as error:
                    check(what, False, repr(error))
    finally:
        b.close()
    close("speedscope")


main()
