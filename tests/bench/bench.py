#!/usr/bin/env python3
"""Runs cpuprof and its peers side by side and writes docs/benchmarks.md.

usage: bench.py [--cpuprof PROGRAM] [--scale 6] [--runs 5] [--only NAME[,NAME]] [--no-count] [--growth] [--write FILE]

Every table row is one hyperfine run over all commands of the row, so that ratios come from the same
minute on the same machine. Peak memory is the maximum resident set of one more run of each command,
instruction counts are callgrind's (they repeat; seconds do not). Peers that are not installed are
named as missing. Inputs are made by tests/gen/genprofile.py and kept in build/bench/.

--growth measures two sizes and 1 GB of JSON, too; making these inputs takes half an hour and some GB of
memory the first time. What is said of the numbers is in notes.md beside this file, and goes at the end.
"""
import argparse, glob, json, os, platform, resource, shutil, subprocess, sys, tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(TOP, "build", "bench")


def make_inputs(scale, formats):
    out = os.path.join(DATA, f"s{scale:g}")
    want = {"firefox49": "firefox49.json.gz", "firefox60": "firefox60.json.gz", "firefox66": "firefox66.json.gz",
            "pprof": "profile.pb.gz", "folded": "profile.folded.gz"}
    lack = [f for f in formats if not os.path.exists(os.path.join(out, want[f]))]
    if lack:
        print(f"making inputs at scale {scale:g}: {', '.join(lack)}", file=sys.stderr)
        subprocess.run([sys.executable, os.path.join(TOP, "tests", "gen", "genprofile.py"), "--scale", f"{scale:g}",
                        "--out", out, "--formats", ",".join(lack)], check=True, stdout=subprocess.DEVNULL)
    return out


def peak_and_cpu(argv):
    """(kB of maximum resident set, user + system seconds, exit status) of one run."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.execvp("/bin/sh", ["/bin/sh", "-c", "exec " + argv])
    _, status, use = os.wait4(pid, 0)
    return use.ru_maxrss, use.ru_utime + use.ru_stime, status


def make_big(times):
    """1 GB of JSON: a large file's threads, many times."""
    out = os.path.join(DATA, "big.json")
    if not os.path.exists(out):
        small = os.path.join(make_inputs(6, ["firefox49"]), "firefox49.json")
        os.makedirs(DATA, exist_ok=True)
        subprocess.run([sys.executable, os.path.join(TOP, "tests", "gen", "repeat.py"), small, str(times), out], check=True)
    return out


def best_of(argv, runs):
    """Median seconds, kB and CPU seconds."""
    r = hyperfine([argv], runs)[0]
    return r["median"], peak_and_cpu(argv)[0], r["user"] + r["system"]


def growth(cp, runs):
    """Time and memory per sample at two sizes, and the largest input."""
    lines = ["### growth: the same kind of input at two sizes, and 1 GB\n",
             "| command | samples | median | peak memory | per million samples | memory per sample |",
             "|---|---:|---:|---:|---:|---:|"]
    base = {}
    for scale in (3, 24):
        d, n = make_inputs(scale, ["firefox49", "pprof"]), scale * 300000
        for name, command in (("top", f"top {d}/firefox49.json.gz"), ("pprof -top", f"pprof -top {d}/profile.pb.gz")):
            t, kb, _ = best_of(f"{cp} {command}", runs)
            per = (t / n, kb / n)
            more = ["", ""]
            if name in base:
                more = [f" ({a / b - 1:+.0%})" for a, b in zip(per, base[name])]
            base.setdefault(name, per)
            lines.append(f"| {name} {os.path.basename(command.split()[-1])} | {n} | {t:.3f} s | {kb / 1024:.1f} MB | "
                         f"{per[0] * 1e6:.3f} s{more[0]} | {per[1] * 1024:.1f} bytes{more[1]} |")
    big = make_big(12)
    t, kb, _ = best_of(f"{cp} top {big}", max(2, runs // 2))
    n = 12 * 6 * 300000
    lines.append(f"| top big.json ({os.path.getsize(big) / 1e9:.2f} GB, plain) | {n} | {t:.3f} s | {kb / 1024:.1f} MB | "
                 f"{t / n * 1e6:.3f} s | {kb / n * 1024:.1f} bytes |")
    return lines + [""]


def megabytes(kb):
    """What this program itself had when it forked is the least that is seen."""
    return f"{kb / 1024:.1f} MB" if kb > 15 * 1024 else "below 15 MB"


def hyperfine(commands, runs):
    with tempfile.NamedTemporaryFile(suffix=".json") as fh:
        argv = ["hyperfine", "-N", "--warmup", "1", "--runs", str(runs), "--ignore-failure", "--export-json", fh.name]
        subprocess.run(argv + commands, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return json.load(fh)["results"]


def instructions(command):
    """Instructions by callgrind, in millions, or None."""
    if not shutil.which("valgrind"):
        return None
    with tempfile.TemporaryDirectory() as tmp:
        r = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={tmp}/out"] + command.split(),
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in r.stderr.splitlines():
            if "Collected" in line:
                return int(line.split(":")[1].split()[0]) / 1e6
    return None


def version(command):
    try:
        r = subprocess.run(command, shell=True, capture_output=True, text=True)
        return (r.stdout or r.stderr).strip().splitlines()[0]
    except (OSError, IndexError):
        return "?"


def gos():
    """(version, program) of each Go there is: the one on the path, and Debian's beside it."""
    found = {}
    for program in [shutil.which("go")] + sorted(glob.glob("/usr/lib/go-*/bin/go")):
        if program:
            found.setdefault(version(program + " version").split()[2], program)
    return list(found.items())


def make_places(path, out, n=100000):
    """A profile of n places all over the code of an ELF file, and the same as lines of text."""
    sys.path.insert(0, os.path.join(TOP, "tests", "gen"))
    from elfprofile import Elf
    from places import firefox
    elf = Elf(path)
    base, (start, size) = elf.loads[0][1], elf.code
    at = [start + size * i // n for i in range(n)]
    name = os.path.basename(path)
    lib = {"name": name, "path": path, "debugName": name, "debugPath": path, "breakpadId": "", "codeId": elf.id, "arch": None}
    firefox(f"{out}/places.json", [lib], [(0, a - base) for a in at], samples=list(range(n)))
    with open(f"{out}/places.txt", "w") as fh:
        fh.write("".join(f"{a:#x}\n" for a in at))


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--cpuprof", default=os.path.join(TOP, "build", "cpuprof"))
    ap.add_argument("--scale", type=float, default=6)
    ap.add_argument("--runs", type=int, default=5)
    ap.add_argument("--only", default="")
    ap.add_argument("--no-count", action="store_true", help="no callgrind")
    ap.add_argument("--growth", action="store_true")
    ap.add_argument("--debug-file", default="", help="ELF file with much debug information, for the row of names")
    ap.add_argument("--write", default="")
    o = ap.parse_args()
    if not shutil.which("hyperfine"):
        sys.exit("bench.py needs hyperfine (Debian package hyperfine)")
    load = os.getloadavg()[0]
    d = make_inputs(o.scale, ["firefox49", "firefox66", "pprof", "folded"])
    cp = o.cpuprof
    go = gos()
    cli = shutil.which("profiler-cli")
    f49, f66, pb, fold = (os.path.join(d, n) for n in
                          ("firefox49.json.gz", "firefox66.json.gz", "profile.pb.gz", "profile.folded.gz"))
    tmp = tempfile.mkdtemp()
    small = os.path.join(TOP, "testdata", "firefox", "c-named.json.gz")
    script = os.path.join(TOP, "tests", "bench", "selftime.py")
    rows = [  # name, input, cpuprof's command, peers
        ("top49", f49, f"{cp} top {f49}",
         [("gzip -dc", f"gzip -dc {f49}"),
          ("profiler-cli, functions of one thread (its daemon is not counted but in seconds)",
           cli and f"sh -c '{cli} load {f49} && {cli} thread functions; {cli} stop --all'"), ("python", f"{sys.executable} {script} {f49}"),
          ("jq", None if not shutil.which("jq") else f"sh -c 'gzip -dc {f49} | jq -c .threads[0].samples.weight'")]),
        ("top66", f66, f"{cp} top {f66}", [("gzip -dc", f"gzip -dc {f66}")]),
        ("toppb", pb, f"{cp} top {pb}", [("gzip -dc", f"gzip -dc {pb}")]),
        ("pprof", pb, f"{cp} pprof -top {pb}",
         [("gzip -dc", f"gzip -dc {pb}"),
          *((f"go tool pprof of {v}", f"env GOTOOLCHAIN=local {program} tool pprof -top -symbolize=none {pb}") for v, program in go),
          *([] if go else [("go tool pprof", None)])]),
        ("topfold", fold, f"{cp} top {fold}", [("gzip -dc", f"gzip -dc {fold}")]),
        ("convert", f49, f"{cp} convert {f49} -o {tmp}/x.pb.gz",
         [("cpuprof top", f"{cp} top {f49}"), ("gzip -6 of the plain result", f"gzip -6 -c {tmp}/x.pb")]),
        ("convertraw", f49, f"{cp} convert {f49} -o {tmp}/x.pb", [("cpuprof top", f"{cp} top {f49}")]),
        ("convertfx", pb, f"{cp} convert {pb} -o {tmp}/x.json.gz",
         [("cpuprof pprof -top", f"{cp} pprof -top {pb}"), ("gzip -6 of the plain result", f"gzip -6 -c {tmp}/x.json")]),
        ("convertfxraw", pb, f"{cp} convert {pb} -o {tmp}/x.json", [("cpuprof pprof -top", f"{cp} pprof -top {pb}")]),
        ("folded", f49, f"{cp} folded {f49}", [("cpuprof top", f"{cp} top {f49}")]),
        *([("names", o.debug_file, f"{cp} symbolize -q --binary {o.debug_file} {tmp}/places.json -o {tmp}/x.syms.json",
            [(tool, shutil.which(tool.split()[0]) and f"sh -c 'timeout 300 {tool} -e {o.debug_file} <{tmp}/places.txt'")
             for tool in ("llvm-symbolizer --inlines", "eu-addr2line -i -f")])] if o.debug_file else []),
        ("small", small, f"{cp} top {small}", [("cpuprof --version", f"{cp} --version")]),
    ]
    if o.debug_file:
        make_places(o.debug_file, tmp)
    subprocess.run([cp, "convert", "-q", f49, "-o", f"{tmp}/x.pb"], check=True)
    subprocess.run([cp, "convert", "-q", pb, "-o", f"{tmp}/x.json"], check=True)
    only = [x for x in o.only.split(",") if x]
    lines = []
    for name, path, ours, peers in rows:
        if only and name not in only:
            continue
        runs = 2 if name == "names" else min(o.runs, 3) if any(n.startswith("go ") for n, _ in peers) else o.runs
        cmds = [("cpuprof", ours)] + [(n, c) for n, c in peers if c]
        res = hyperfine([c for _, c in cmds], runs)
        base = res[0]["min"]
        size = f" ({os.path.getsize(path) / 1e6:.1f} MB)" if path else ""
        lines.append(f"### {name}: `{ours.replace(d + '/', '').replace(cp, 'cpuprof').replace(tmp + '/', '').replace(TOP + '/', '')}`{size}\n")
        lines.append("| command | median | min | CPU | × cpuprof | peak memory | instructions |")
        lines.append("|---|---:|---:|---:|---:|---:|---:|")
        for (n, c), r in zip(cmds, res):
            rss, _, status = peak_and_cpu(c)
            count = instructions(c) if n == "cpuprof" and not o.no_count else None
            lines.append(f"| {n}{'' if status == 0 else ' (failed)'} | {r['median']:.3f} s | {r['min']:.3f} s | "
                         f"{r['user'] + r['system']:.3f} s | {r['min'] / base:.2f} | {megabytes(rss)} | "
                         f"{f'{count:.0f} M' if count else ''} |")
        missing = [n for n, c in peers if not c]
        if missing:
            lines.append(f"\nNot installed: {', '.join(missing)}.")
        lines.append("")
        print("\n".join(lines[-(len(cmds) + 4):]), flush=True)
    shutil.rmtree(tmp)
    if o.growth:
        lines += growth(cp, o.runs)
        print("\n".join(lines[-8:]), flush=True)
    if o.write:
        cpu = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "?") \
            if os.path.exists("/proc/cpuinfo") else platform.processor()
        unpacked = {n: int(subprocess.run(f"gzip -dc {p} | wc -c", shell=True, capture_output=True, text=True).stdout)
                    for n, p in (("firefox49.json.gz", f49), ("firefox66.json.gz", f66), ("profile.pb.gz", pb))}
        with open(o.write, "w") as fh:
            fh.write("# Benchmarks\n\nWritten by `make bench` (tests/bench/bench.py). Compare within a table only: all commands of a "
                     "table ran in\none run. Ratios (× cpuprof) are of minima, which other work on the machine disturbs least; CPU is user and "
                     "system seconds of\nall threads; instructions are callgrind's and repeat.\n\n")
            fh.write(f"Machine: {cpu}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}; load before the first run "
                     f"{load:.1f}.\n"
                     f"Versions: {version(cp + ' --version')}; {version('gzip --version')}; {', '.join(v for v, _ in go) or 'no go'}; "
                     f"Python {platform.python_version()}; {version('cc --version')}.\n"
                     f"Inputs: `tests/gen/genprofile.py --scale {o.scale:g}`: " +
                     ", ".join(f"{n} {v / 1e6:.1f} MB unpacked" for n, v in unpacked.items()) + ".\n\n")
            fh.write("\n".join(lines))
            notes = os.path.join(os.path.dirname(os.path.abspath(__file__)), "notes.md")
            if os.path.exists(notes):
                fh.write("\n" + open(notes).read())


if __name__ == "__main__":
    main()
