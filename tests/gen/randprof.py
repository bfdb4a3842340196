#!/usr/bin/env python3
"""Random profile.proto files and random pprof flags, each from a seed.

    randprof.py SEED FOLDER    writes FOLDER/a.pb (and b.pb, c.pb), prints the arguments for them

case(seed, folder) does the same and returns the arguments. Small numbers of everything, so that rows
collide: equal names in several files, libraries and start lines; recursion; inlined lines; values
that cancel; labels of all kinds. No module outside the standard library.
"""
import os
import random
import sys


def varint(v):
    v &= (1 << 64) - 1
    out = bytearray()
    while v > 127:
        out.append(v & 127 | 128)
        v >>= 7
    out.append(v)
    return bytes(out)


def num(field, v):
    return varint(field << 3) + varint(v) if v else b""


def data(field, b):
    return varint(field << 3 | 2) + varint(len(b)) + b


NAMES = ["main", "run", "parse", "lex", "eval", "malloc", "free", "gc", "a::b<int>::c(int)", "f(int)",
         "_ZN3foo3BarIiE3runEv", "_ZNSt6vectorIiSaIiEE9push_backERKi", "0x1234", "runtime.mallocgc",
         "main.(*T).Do", "(anonymous namespace)::work", "operator new(unsigned long)", "", "x y",
         "_ZN4core3fmt5Write17h0123456789abcdefE", ".dot(x)", "h\u00e9llo", "operator()(int)"]
FILES = ["", "a.c", "/src/b.c", "dir//x/../c.c", "./a.c", "/proc/self/cwd/d.c", "/home/me/proj/e.go",
         "main", "<stdin>"]
LIBS = ["/bin/app", "/usr/lib/libc.so.6", "[vdso]", "", "/opt/x (deleted)", "http://x/y", "/bin/app/"]
TYPES = [("samples", "count"), ("cpu", "nanoseconds"), ("space", "bytes"), ("delay", "ms"), ("n", "requests"),
         ("inuse_space", "kb"), ("t", "us"), ("events", ""), ("gcu", "nanogcu"), ("objects", "sample")]
KEYS = ["thread", "pid", "size", "bytes", "request", "x"]


class Profile:
    def __init__(self, r, types=None):
        self.r = r
        self.strings = {"": 0}
        self.types = types or r.sample(TYPES, r.choice([1, 1, 2, 2, 3]))

    def s(self, text):
        return self.strings.setdefault(text, len(self.strings))

    def value(self):
        r = self.r
        v = r.choice([0, 1, 1, 5, 10, 100, 1000, 12345, 10 ** 6, 10 ** 9, r.randrange(10 ** 7)])
        if r.random() < self.negative:
            v = -v
        return v

    def label(self):
        r = self.r
        key = self.s(r.choice(KEYS))
        if r.random() < 0.5:
            return num(1, key) + num(2, self.s(r.choice(["w1", "w2", "io", "77", ""])))
        unit = self.s(r.choice(["", "", "bytes", "kb", "ms"])) if r.random() < 0.6 else 0
        return num(1, key) + num(3, r.choice([0, 1, 77, 100, 2048, 4096, -5])) + num(4, unit)

    def make(self):
        r = self.r
        self.negative = r.choice([0, 0, 0.1, 0.5])
        nmap = r.choice([0, 1, 1, 2, 4])
        nfn = r.randrange(1, 14)
        nloc = r.randrange(1, 20)
        body = b"".join(data(1, num(1, self.s(t)) + num(2, self.s(u))) for t, u in self.types)
        fns = b""
        for i in range(1, nfn + 1):
            name = r.choice(NAMES)
            system = r.choice([name, name, "", r.choice(NAMES)])
            fns += data(5, num(1, i) + num(2, self.s(name)) + num(3, self.s(system)) +
                        num(4, self.s(r.choice(FILES))) + num(5, r.choice([0, 0, 3, 7])))
        locs = b""
        for i in range(1, nloc + 1):
            lines = b""
            for _ in range(r.choice([0, 1, 1, 1, 1, 2, 3, 4])):
                lines += data(4, num(1, r.randrange(1, nfn + 1)) + num(2, r.choice([0, 1, 5, 9, 11])) +
                              num(3, r.choice([0, 0, 2])))
            locs += data(4, num(1, i) + num(2, r.randrange(0, nmap + 2)) +
                         num(3, r.choice([0, 0x400100, 0x400100 + 16 * i, 0x7f0000001000 + i])) + lines +
                         num(5, r.random() < 0.1))
        stacks = [[r.randrange(1, nloc + 1) for _ in range(r.choice([0, 1, 2, 3, 4, 5, 6, 12]))]
                  for _ in range(r.randrange(1, 12))]
        samples = b""
        for _ in range(r.choice([0, 1, 5, 20, 60])):
            st = r.choice(stacks)[r.choice([0, 0, 0, 1]):]
            labels = b"".join(data(3, self.label()) for _ in range(r.choice([0, 0, 0, 1, 2, 3])))
            values = [self.value() for _ in self.types]
            samples += data(2, data(1, b"".join(varint(x) for x in st)) +
                            data(2, b"".join(varint(x) for x in values)) + labels)
        maps = b""
        for i in range(1, nmap + 1):
            start = r.choice([0x400000, 0x500000 * i, 0x7f0000000000])
            maps += data(3, num(1, i) + num(2, start) + num(3, start + r.choice([0x1000, 0x100000])) +
                         num(4, r.choice([0, 0x1000])) + num(5, self.s(r.choice(LIBS))) +
                         num(6, self.s(r.choice(["", "ab12", "cd34"]))) + num(7, r.randrange(2)))
        tail = b""
        if r.random() < 0.3:
            tail += num(7, self.s(r.choice(["malloc|free", "parse", "run", ".*", "(", "operator.*"])))
            if r.random() < 0.5:
                tail += num(8, self.s(r.choice(["free", "lex", "p.*"])))
        if r.random() < 0.7:
            tail += num(9, r.choice([1700000000123456789, 1, 1600000000000000000]))
        if r.random() < 0.7:
            tail += num(10, r.choice([1, 10 ** 9, 2 * 10 ** 9, 123456789012]))
        if r.random() < 0.7:
            tail += data(11, num(1, self.s(self.types[-1][0])) + num(2, self.s(self.types[-1][1])))
            tail += num(12, r.choice([1, 1000, 10 ** 7]))
        for _ in range(r.choice([0, 0, 1, 2])):
            tail += num(13, self.s(r.choice(["a comment", "#hidden", "x=1"])))
        if r.random() < 0.3:
            tail += num(14, self.s(r.choice(self.types)[0]))
        if r.random() < 0.2:
            tail += num(15, self.s("https://example.org/doc"))
        parts = [samples, maps, locs, fns]
        r.shuffle(parts)
        body += b"".join(parts) + tail
        return body + b"".join(data(6, k.encode()) for k in self.strings)


REGEX = ["main", "run|eval", "^p", "lex$", "a\\.c", "libc", "app", ".", "nosuch", "(?i)MAIN", "[a-m]+$",
         "new", "\\(", "x?", "foo::", "work", "^$", "b"]
TAGS = ["w1", "thread=w", "pid=77", "100", "size=1kb:8kb", ":100", "1:", "x=.", "w1,io", "bytes=2kb",
        "size=100:5", "=w1", "-5", "request=2048b", "thread=77", "1ms:2ms", "nokey=1"]


def flags(r, files):
    a = [r.choice(["-top", "-top", "-text"])]
    if r.random() < 0.3:
        a.append("-cum")
    if r.random() < 0.6:
        a.append(r.choice(["-lines", "-addresses", "-files", "-filefunctions", "-functions"]))
    if r.random() < 0.25:
        a.append("-noinlines")
    if r.random() < 0.2:
        a.append("-showcolumns")
    if r.random() < 0.3:
        a.append("-trim=false")
    if r.random() < 0.2:
        a.append("-nodecount=%d" % r.randrange(1, 8))
    if r.random() < 0.25:
        a.append("-nodefraction=%s" % r.choice(["0", "0.01", "0.1", "0.3", "1e-3"]))
    if r.random() < 0.2:
        a.append("-edgefraction=%s" % r.choice(["0", "0.05", "0.2", "0.5"]))
    if r.random() < 0.3:
        a.append("-sample_index=%s" % r.choice(["0", "1", "2", "cpu", "samples", "inuse_space", "n"]))
    if r.random() < 0.15:
        a.append("-mean")
    if r.random() < 0.2:
        a.append("-unit=%s" % r.choice(["ms", "auto", "kb", "seconds", "hours", "mb", "xyz", "count", "bytes"]))
    if r.random() < 0.15:
        a.append("-divide_by=%s" % r.choice(["2", "3", "1000", "0.5", "-1", "1e9"]))
    if r.random() < 0.1:
        a.append("-compact_labels")
    if r.random() < 0.15:
        a.append("-relative_percentages")
    if r.random() < 0.15:
        a.append("-drop_negative")
    for f in ("focus", "ignore", "hide", "show", "show_from", "prune_from"):
        if r.random() < 0.12:
            a.append("-%s=%s" % (f, r.choice(REGEX)))
    for f in ("tagfocus", "tagignore"):
        if r.random() < 0.1:
            a.append("-%s=%s" % (f, r.choice(TAGS)))
    for f in ("tagshow", "taghide"):
        if r.random() < 0.05:
            a.append("-%s=%s" % (f, r.choice(["th", "p|x", "size"])))
    for f in ("tagroot", "tagleaf"):
        if r.random() < 0.08:
            a.append("-%s=%s" % (f, r.choice(["thread", "thread,pid", "size", "nokey", ",x,"])))
    if r.random() < 0.1:
        a.append("-trim_path=%s" % r.choice(["/src", "/home/me", "/src/:/home", "/"]))
    if r.random() < 0.1:
        a.append("-source_path=%s" % r.choice(["/x/proj", "src", "/y/me:/z/src"]))
    if r.random() < 0.3:
        a.append("-symbolize=%s" % r.choice(["none", "demangle=none", "demangle=full", "demangle=templates",
                                             "force", "local:demangle=default", "no", "zzz"]))
    if r.random() < 0.05:
        a.append("-buildid=%s" % r.choice(["ff00", ""]))
    if r.random() < 0.05:
        a.append("-add_comment=note")
    if len(files) > 1 and r.random() < 0.7:
        a.append("%s=%s" % (r.choice(["-base", "-diff_base"]), files.pop()))
        if r.random() < 0.3:
            a.append("-normalize")
    return a + files


def case(seed, folder):
    r = random.Random(seed)
    files = []
    types = None
    for name in ["a.pb", "b.pb", "c.pb"][:r.choice([1, 1, 1, 2, 3])]:
        p = Profile(r, types if r.random() < 0.8 else None)
        open(os.path.join(folder, name), "wb").write(p.make())
        types = p.types
        files.append(name)
    return flags(r, files)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(" ".join(case(int(sys.argv[1]), sys.argv[2])))
