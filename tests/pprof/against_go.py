#!/usr/bin/env python3
"""Compare `cpuprof pprof` with the `go tool pprof` of this machine: standard output byte for byte, and
whether the exit status is 0.

    against_go.py cases            every line of testdata/cases/pprof/*.cmd
    against_go.py record           stores what go prints for them in testdata/cases/pprof/expect
    against_go.py recorded         compares with that record; needs no go
    against_go.py sample           a part of the matrix, for every-day tests
    against_go.py matrix [FILE..]  many flags on every profile of the corpus, cases and testdata
    against_go.py reports [FILE..] the same with reports other than -top
    against_go.py random N [SEED [REPORT]]
                                   N random profiles with random flags (printed when they differ)

CPUPROF names the program, TESTDATA, CORPUS and CASES the folders (the latter two may be empty).
Prints "SKIP: why" and exits 77 where go is missing. Results of go are kept in a cache folder
(PPROF_CACHE, else none) since it is two orders of magnitude slower.
"""
import glob
import gzip
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CPUPROF = os.environ.get("CPUPROF") or os.path.join(ROOT, "build", "cpuprof")
TESTDATA = os.environ.get("TESTDATA") or os.path.join(ROOT, "testdata")
CACHE = os.environ.get("PPROF_CACHE")
# Before 1.24, pprof prints times in another way, no address of documentation, and demangles differently.
GO_MINOR = 24
ENV = {"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", "TZ": "UTC", "LC_ALL": "C",
       "GOTOOLCHAIN": os.environ.get("GOTOOLCHAIN", "local")}
# HOME is hidden from pprof, not the places where go keeps what it built and toolchains it was told to use.
for name, place in (("GOCACHE", ".cache/go-build"), ("GOMODCACHE", "go/pkg/mod")):
    if os.environ.get(name) or os.environ.get("HOME"):
        ENV[name] = os.environ.get(name) or os.path.join(os.environ["HOME"], place)


def go_command():
    """The pprof binary itself if it can be told, to save the start of `go tool`."""
    go = shutil.which("go") or ("/usr/local/go/bin/go" if os.path.exists("/usr/local/go/bin/go") else None)
    if not go:
        print("SKIP: go is not installed")
        sys.exit(77)
    text = subprocess.run([go, "version"], env=ENV, capture_output=True, text=True, cwd="/").stdout
    version = re.search(r"\bgo1\.(\d+)", text)
    if version and int(version.group(1)) < GO_MINOR:
        print("SKIP: the pprof of %s prints otherwise; needs Go 1.%d" % (version.group(0), GO_MINOR))
        sys.exit(77)
    try:
        path = subprocess.run([go, "tool", "-n", "pprof"], env=ENV, capture_output=True, text=True,
                              cwd="/").stdout.strip()
        if path and os.path.exists(path):
            return [path]
    except OSError:
        pass
    return [go, "tool", "pprof"]


# The reports that are compared.
REPORTS = ("top", "text", "tree", "peek", "traces", "raw", "tags", "comments",
           "list", "callgrind", "dot", "proto", "topproto")


def unpacked(out):
    """Profiles are compared as the messages that are packed in them."""
    return gzip.decompress(out) if out.startswith(b"\x1f\x8b") else out


def run(tool, args, cwd):
    r = subprocess.run(tool + args, cwd=cwd, env=ENV, capture_output=True, stdin=subprocess.DEVNULL)
    return unpacked(r.stdout), r.stderr, r.returncode


def stamp(args, cwd):
    h = hashlib.sha256()
    for a in args:
        h.update(a.encode("utf-8", "surrogateescape") + b"\0")
        for part in (a, a.split("=", 1)[-1]):
            path = os.path.join(cwd, part)
            if os.path.isfile(path):
                h.update(open(path, "rb").read())
    return h.hexdigest()


def go_run(go, args, cwd):
    if not CACHE:
        return run(go, args, cwd)
    os.makedirs(CACHE, exist_ok=True)
    path = os.path.join(CACHE, stamp(args, cwd))
    if os.path.exists(path):
        rc, out = open(path, "rb").read().split(b"\n", 1)
        return out, b"", int(rc)
    out, err, rc = run(go, args, cwd)
    open(path, "wb").write(b"%d\n" % rc + out)
    return out, err, rc


def rows(out):
    """Lines in any order and without the running sum: pprof leaves rows with equal flat values and
    equal names in an order that changes from run to run."""
    row = re.compile(rb"^( *\S+ +\S+) +\S+( +\S+ +\S+  )")
    return sorted(row.sub(rb"\1\2", line) for line in out.splitlines())


class Compare:
    def __init__(self):
        self.go = None
        self.n = self.bad = self.varying = 0

    def one(self, args, cwd, unstable=False, want=None):
        self.n += 1
        self.go = self.go or (go_command() if unstable or want is None else None)
        if want is None:
            want = go_run(self.go, args, cwd)
        got = run([CPUPROF, "pprof"], args, cwd)
        ok = got[0] == want[0] and (got[2] != 0) == (want[2] != 0)
        if not ok and unstable and got[2] == 0 == want[2]:
            # pprof's own order may change from run to run, and with -nodecount what is shown.
            again = [want[0]] + [run(self.go, args, cwd)[0] for _ in range(8)]
            ok = got[0] in again or any(rows(got[0]) == rows(w) for w in again)
            if not ok and len(set(again)) > 1:
                ok = True
                self.varying += 1
        if not ok:
            self.bad += 1
            print("not ok - %s" % " ".join(args))
            if self.bad <= int(os.environ.get("SHOW", "10")):
                show(want, got)
        return ok

    def end(self, what):
        varying = ", %d that go prints in several ways" % self.varying if self.varying else ""
        print("%s: %d runs, %d differ%s" % (what, self.n, self.bad, varying))
        return 1 if self.bad else 0


def show(want, got):
    import difflib
    if (want[2] != 0) != (got[2] != 0):
        print("  exit status %d, not %d: %s" % (got[2], want[2], got[1][:300].decode("utf-8", "replace")))
    a = want[0].decode("utf-8", "replace").splitlines()
    b = got[0].decode("utf-8", "replace").splitlines()
    for i, line in enumerate(difflib.unified_diff(a, b, "go", "cpuprof", lineterm="", n=1)):
        if i < 16:
            print("  " + line[:160])


def lines():
    """(folder, case name, line number, arguments) of the recorded runs."""
    folder = os.path.join(TESTDATA, "cases", "pprof")
    for cmd in sorted(glob.glob(os.path.join(folder, "*.cmd"))):
        for n, line in enumerate(open(cmd), 1):
            args = line.split()
            if args[0].split("=")[0].lstrip("-") in REPORTS:
                yield folder, os.path.basename(cmd)[:-4], n, args


def cases(c):
    for folder, _, _, args in lines():
        c.one(args, folder)


def record():
    go = go_command()
    for folder, name, n, args in lines():
        out, _, rc = run(go, args, folder)
        os.makedirs(os.path.join(folder, "expect", name), exist_ok=True)
        base = os.path.join(folder, "expect", name, "%02d" % n)
        open(base + ".out", "wb").write(out)
        if rc:
            open(base + ".failed", "w").close()
        elif os.path.exists(base + ".failed"):
            os.remove(base + ".failed")


def recorded(c):
    for folder, name, n, args in lines():
        base = os.path.join(folder, "expect", name, "%02d" % n)
        want = open(base + ".out", "rb").read(), b"", int(os.path.exists(base + ".failed"))
        c.one(args, folder, want=want)


FLAGS = [
    "-top", "-top -cum", "-top -lines", "-top -addresses", "-top -files", "-top -filefunctions",
    "-top -noinlines", "-top -lines -noinlines", "-top -addresses -noinlines", "-top -trim=false",
    "-top -lines -showcolumns", "-top -addresses -trim=false -cum", "-top -nodecount=10",
    "-top -nodecount=7 -cum -lines", "-top -nodefraction=0.05 -edgefraction=0.02",
    "-top -sample_index=0", "-top -sample_index=1", "-top -mean", "-top -unit=ms", "-top -unit=auto",
    "-top -unit=kb", "-top -divide_by=7", "-top -divide_by=1000000", "-top -compact_labels",
    "-top -focus=main", "-top -focus=runtime -ignore=gc", "-top -hide=^runtime", "-top -show=^main",
    "-top -show_from=main", "-top -prune_from=malloc|alloc", "-top -focus=[a-m]\\w+$ -cum",
    "-top -relative_percentages -focus=main", "-top -drop_negative", "-top -symbolize=none",
    "-top -symbolize=demangle=full", "-top -symbolize=demangle=templates",
    "-top -symbolize=demangle=none", "-top -symbolize=force", "-top -tagfocus=.", "-top -tagignore=1",
    "-top -tagfocus=1:100", "-top -tagroot=thread,pid", "-top -tagleaf=bytes -cum", "-top -tagshow=x",
    "-top -trim_path=/usr/local/go/src -files", "-top -source_path=/x/src -lines",
    "-top -buildid=abc -add_comment=hello", "-top -focus=nosuchname", "-top -inuse_space",
    "-top -alloc_objects -mean_delay", "-text -flat -functions",
]


REPORT_FLAGS = [
    "-tree", "-tree -cum -lines", "-tree -addresses -nodecount=20", "-tree -trim=false -files",
    "-tree -nodefraction=0.02 -edgefraction=0.01 -nodecount=9", "-tree -noinlines -mean",
    "-tree -focus=main -unit=us", "-tree -call_tree", "-peek=.", "-peek=main -lines", "-peek=^$ -addresses",
    "-traces", "-traces -lines -noinlines", "-traces -addresses -mean", "-traces -files -unit=ms -divide_by=3",
    "-traces -focus=main -tagshow=t", "-traces -source_path=/x/src -filefunctions",
    "-raw", "-raw -noinlines", "-raw -focus=main -hide=runtime", "-raw -tagroot=thread,pid -tagleaf=bytes",
    "-raw -show_from=main -tagfocus=.", "-raw -prune_from=malloc|alloc", "-raw -symbolize=demangle=full",
    "-tags", "-tags -unit=kb -sample_index=0", "-tags -mean -focus=main", "-tags -divide_by=10",
    "-list=.", "-list=main -source_path=src", "-list=^[a-r] -noinlines", "-list=main -trim_path=/usr/local/go/src",
    "-callgrind", "-callgrind -noinlines", "-callgrind -call_tree", "-callgrind -mean -cum",
    "-callgrind -focus=main -unit=ms",
    "-dot", "-dot -lines", "-dot -nodecount=12 -edgefraction=0.02", "-dot -trim=false -nodecount=0", "-dot -call_tree",
    "-dot -call_tree -nodecount=15", "-dot -nodefraction=0.03 -filefunctions", "-dot -noinlines -addresses -unit=us",
    "-dot -tagfocus=. -sample_index=0", "-dot -focus=main -compact_labels",
    "-proto", "-proto -focus=main -divide_by=10", "-proto -noinlines", "-proto -tagroot=thread -symbolize=none",
    "-topproto", "-topproto -addresses -cum", "-topproto -lines -noinlines -mean", "-topproto -unit=kb -files",
    "-comments", "-comments -add_comment=#new",
]


def profiles():
    found = []
    for name in (os.environ.get("CORPUS"), os.environ.get("CASES")):
        if name:
            found += glob.glob(os.path.join(name, "pprof", "*"))
    found += glob.glob(os.path.join(TESTDATA, "pprof", "*"))
    found += glob.glob(os.path.join(TESTDATA, "gperftools", "*"))
    found += glob.glob(os.path.join(TESTDATA, "cases", "pprof", "*.gz"))
    found += glob.glob(os.path.join(TESTDATA, "cases", "pprof", "malformed", "*.pb"))
    return sorted(f for f in found if f.endswith((".gz", ".pb", ".pprof", ".prof", ".pgo")))


def matrix(c, files, stride=1, sets=FLAGS):
    for i, path in enumerate(files or profiles()):
        folder, name = os.path.split(path)
        for k, flags in enumerate(sets):
            args = flags.split() + [name]
            if folder.startswith(TESTDATA) and "cases" not in folder:
                # Recorded here, perhaps: pprof would look into the binary.
                if "-symbolize=" in flags and "=none" not in flags or "demangle" in flags:
                    continue
                args.insert(0, "-symbolize=none")
            if (i + k) % stride == 0:
                c.one(args, folder, unstable=True)


def pairs(c):
    """Several sources, and bases."""
    # pprof takes a first source that reads as an object file for the program, and gperftools files do.
    files = [f for f in profiles() if "malformed" not in f and not f.endswith(".prof")]
    by_folder = {}
    for f in files:
        by_folder.setdefault(os.path.dirname(f), []).append(os.path.basename(f))
    for folder, names in sorted(by_folder.items()):
        for a in names:
            for b in names:
                for flags in ("-top", "-top -base=%s", "-top -diff_base=%s -cum", "-top -normalize -base=%s"):
                    args = flags.split() + [a]
                    args = [x % b if "%s" in x else x for x in args]
                    if "base" not in flags:
                        args.append(b)
                    c.one(args, folder)


def main(a):
    c = Compare()
    mode = a[0] if a else "matrix"
    if mode == "cases":
        cases(c)
    elif mode == "record":
        return record()
    elif mode == "recorded":
        recorded(c)
    elif mode == "sample":
        matrix(c, [], 24)
    elif mode == "matrix":
        matrix(c, a[1:])
    elif mode == "reports":
        wanted = os.environ.get("REPORTS")
        matrix(c, a[1:], int(os.environ.get("STRIDE", "1")), [f for f in REPORT_FLAGS if not wanted or
                            f.split()[0].split("=")[0][1:] in wanted.split()])
    elif mode == "pairs":
        pairs(c)
    elif mode == "random":
        sys.path.insert(0, os.path.join(ROOT, "tests", "gen"))
        import randprof
        seed = int(a[2]) if len(a) > 2 else random.SystemRandom().randrange(1 << 30)
        with tempfile.TemporaryDirectory() as folder:
            for i in range(int(a[1])):
                args = randprof.case(seed + i, folder)
                if len(a) > 3:
                    args[0:1] = a[3].split()
                if not c.one(args, folder, unstable=True):
                    print("  seed %d" % (seed + i))
                    keep = os.environ.get("KEEP")
                    if keep:
                        shutil.copytree(folder, os.path.join(keep, str(seed + i)), dirs_exist_ok=True)
    else:
        sys.exit(__doc__)
    return c.end(mode)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
