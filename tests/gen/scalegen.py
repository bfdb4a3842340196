#!/usr/bin/env python3
"""Write one deterministic profile that is large in one direction, to find what grows too fast.

usage: scalegen.py --kind KIND --n N [--m M] --out FILE ("-" is stdout)

  samples    N samples of one thread on few stacks                          Firefox v60
  threads    N threads of a few samples each                                Firefox v60
  deep       M samples (default 3), all on one stack of N frames            Firefox v60
  comb       N samples, sample i on frame i of one stack of N frames        Firefox v60
  libs       N libraries with one frame each, a sample on each              Firefox v60
  wide       N functions with names of their own, a sample on each          Firefox v60
  json       N bytes of text or a little more: columns that nobody reads    Firefox v60
  nest       N arrays inside each other                                     Firefox v60
  pprofdeep  M samples (default 3) of N location ids each                   pprof
  labels     N samples with a label set of their own each                   pprof
  types      20 samples with N values each, of a type of its own each       pprof
  folded     N lines with a stack of their own each                         folded
  foldedline one line of N frames with names of their own                   folded

The text is written as it is made: memory stays small whatever N is. Plain text, no gzip. Only the
Python standard library is used.
"""
import argparse
import sys

CHUNK = 20000


class Out:
    def __init__(self, file):
        self.file = file
        self.size = 0

    def text(self, s):
        self.raw(s.encode())

    def raw(self, b):
        self.file.write(b)
        self.size += len(b)

    def items(self, texts):
        """Texts with commas between them, in brackets."""
        self.text("[")
        part, first = [], True
        for t in texts:
            part.append(t)
            if len(part) == CHUNK:
                self.text(("" if first else ",") + ",".join(part))
                part, first = [], False
        if part:
            self.text(("" if first else ",") + ",".join(part))
        self.text("]")

    def same(self, value, n):
        self.items(value for _ in range(n))


def table(out, name, n, columns, last=False):
    out.text('"%s":{"length":%d' % (name, n))
    for key, values in columns:
        out.text(',"%s":' % key)
        if isinstance(values, str):
            out.same(values, n)
        else:
            out.items(values)
    out.text("}" if last else "},")


META = (
    '"meta":{"categories":[{"name":"Other","color":"grey","subcategories":["Other"]}],'
    '"debug":false,"extensions":{"baseURL":[],"id":[],"length":0,"name":[]},"interval":1,'
    '"preprocessedProfileVersion":60,"processType":0,"product":"scale",'
    '"sampleUnits":{"eventDelay":"ms","threadCPUDelta":"µs","time":"ms"},'
    '"startTime":1700000000000,"symbolicated":true,"pausedRanges":[],"version":24,"markerSchema":[]}'
)
NO_MARKERS = (
    '"markers":{"length":0,"category":[],"data":[],"endTime":[],"name":[],"phase":[],"startTime":[]}'
)


def firefox(out, threads, frames, prefix, stacks=None, libs=1, funcs=None, filler=0):
    """threads: lists of (samples, function from row to stack); prefix: from stack to its text."""
    stacks = frames if stacks is None else stacks
    funcs = frames if funcs is None else funcs
    out.text("{" + META + ',"libs":')
    out.items(
        '{"name":"l%d.so","path":"/l%d.so","debugName":"l%d.so","debugPath":"/l%d.so",'
        '"breakpadId":"%032X0","codeId":null,"arch":null}' % (i, i, i, i, i)
        for i in range(libs)
    )
    out.text(',"shared":{')
    table(out, "frameTable", frames, [
        ("address", (str(16 * i) for i in range(frames))), ("inlineDepth", "0"),
        ("category", "0"), ("subcategory", "0"), ("func", (str(i % funcs) for i in range(frames))),
        ("nativeSymbol", "null"), ("innerWindowID", "null"), ("line", "null"), ("column", "null")])
    table(out, "funcTable", funcs, [
        ("name", (str(libs + i) for i in range(funcs))), ("isJS", "false"),
        ("relevantForJS", "false"), ("resource", (str(i % libs) for i in range(funcs))),
        ("source", "null"), ("lineNumber", "null"), ("columnNumber", "null")])
    table(out, "resourceTable", libs, [
        ("lib", (str(i) for i in range(libs))), ("name", (str(i) for i in range(libs))),
        ("host", "null"), ("type", "1")])
    table(out, "nativeSymbols", 0, [("address", []), ("functionSize", []), ("libIndex", []), ("name", [])])
    table(out, "stackTable", stacks, [
        ("frame", (str(i % frames) for i in range(stacks))),
        ("prefix", (prefix(i) for i in range(stacks)))])
    out.text('"sources":{"length":0,"uuid":[],"filename":[]},"stringArray":')
    names = (("l%d.so" % i if i < libs else "function_%d" % (i - libs)) for i in range(libs + funcs))
    out.items('"%s"' % s for s in names)
    out.text('},"threads":')
    out.text("[")
    for i, (n, stack) in enumerate(threads):
        out.text(("," if i else "") + '{"name":"thread %d","isMainThread":%s,"pausedRanges":[],"pid":"1",'
                 '"tid":"%d","processName":"scale","processShutdownTime":null,"processStartupTime":0,'
                 '"processType":"default","registerTime":0,"unregisterTime":null,%s,'
                 % (i, "false" if i else "true", i + 1, NO_MARKERS))
        columns = [("stack", (str(stack(k)) for k in range(n))), ("weight", "1"),
                   ("timeDeltas", "1"), ("threadCPUDelta", "990")]
        if filler and not i:
            columns.append(("responsiveness", filling(out, filler)))
        table(out, "samples", n, columns)
        out.text('"unused":null}')
    out.text("]}\n")


def filling(out, size):
    k = 0
    while out.size < size:
        yield "%d.%06d" % (k, k * 7919 % 1000000)
        k += 1


def chain(i):
    return "null" if i == 0 else str(i - 1)


def flat(_):
    return "null"


def varint(n):
    b = bytearray()
    while n > 127:
        b.append(n & 127 | 128)
        n >>= 7
    b.append(n)
    return bytes(b)


def ld(field, body):
    return varint(field << 3 | 2) + varint(len(body)) + body


def num(field, n):
    return varint(field << 3) + varint(n)


def pprof(out, samples, nlocations, nlabels):
    strings = ["", "samples", "count", "request"]
    out.raw(ld(1, num(1, 1) + num(2, 2)))
    for body in samples:
        out.raw(ld(2, body))
    out.raw(ld(3, num(1, 1) + num(2, 4096) + num(3, 1 << 40)))
    for i in range(1, nlocations + 1):
        out.raw(ld(4, num(1, i) + num(2, 1) + num(3, 4096 + 16 * i) + ld(4, num(1, i))))
        name = 3 + i
        out.raw(ld(5, num(1, i) + num(2, name) + num(3, name)))
    for s in strings:
        out.raw(ld(6, s.encode()))
    for i in range(nlocations):
        out.raw(ld(6, b"function_%d" % i))
    for i in range(nlabels):
        out.raw(ld(6, b"r%d" % i))


def pprof_deep(out, n, m):
    ids = b"".join(varint(i) for i in range(n, 0, -1))
    one = ld(1, ids) + ld(2, varint(1))
    pprof(out, (one for _ in range(m)), n, 0)


def pprof_labels(out, n):
    first = 4 + 4

    def samples():
        for i in range(n):
            label = num(1, 3) + num(2, first + i)
            yield ld(1, varint(1 + i % 4)) + ld(2, varint(1)) + ld(3, label)
    pprof(out, samples(), 4, n)


def pprof_types(out, n):
    for i in range(n):
        out.raw(ld(1, num(1, 2 + i) + num(2, 1)))
    for _ in range(20):
        out.raw(ld(2, ld(2, b"\x01" * n)))
    for s in ["", "count"] + ["type_%d" % i for i in range(n)]:
        out.raw(ld(6, s.encode()))


def lines(out, texts):
    part = []
    for t in texts:
        part.append(t)
        if len(part) == CHUNK:
            out.text("".join(part))
            part = []
    out.text("".join(part))


def write(out, kind, n, m):
    if kind == "samples":
        firefox(out, [(n, lambda k: k % 10)], 10, chain)
    elif kind == "threads":
        firefox(out, [(3, lambda k: k)] * n, 10, chain)
    elif kind == "deep":
        firefox(out, [(m or 3, lambda k: n - 1)], n, chain)
    elif kind == "comb":
        firefox(out, [(n, lambda k: k)], n, chain)
    elif kind == "libs":
        firefox(out, [(n, lambda k: k)], n, flat, libs=n)
    elif kind == "wide":
        firefox(out, [(n, lambda k: k)], n, flat)
    elif kind == "json":
        firefox(out, [(10, lambda k: k)], 10, chain, filler=n)
    elif kind == "nest":
        out.text('{"deep":' + "[" * n + "]" * n + "," + META + ',"libs":[],"threads":[]}\n')
    elif kind == "pprofdeep":
        pprof_deep(out, n, m or 3)
    elif kind == "labels":
        pprof_labels(out, n)
    elif kind == "types":
        pprof_types(out, n)
    elif kind == "folded":
        lines(out, ("main;part_%d;leaf_%d %d\n" % (i % 1000, i, 1 + i % 7) for i in range(n)))
    elif kind == "foldedline":
        lines(out, ("frame_%d%s" % (i, ";" if i + 1 < n else " 1\n") for i in range(n)))
    else:
        sys.exit("scalegen.py: unknown kind " + kind)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--kind", required=True)
    ap.add_argument("--n", type=int, required=True)
    ap.add_argument("--m", type=int, default=0)
    ap.add_argument("--out", required=True)
    o = ap.parse_args()
    if o.out == "-":
        write(Out(sys.stdout.buffer), o.kind, o.n, o.m)
        sys.stdout.buffer.flush()
    else:
        with open(o.out, "wb") as f:
            write(Out(f), o.kind, o.n, o.m)


if __name__ == "__main__":
    main()
