#!/usr/bin/env python3
"""Counts instructions of common runs and compares them with a budget.

usage: count.py [--cpuprof PROGRAM] [--write]

Seconds differ from run to run, instructions hardly: those of the program itself (not of libraries,
which choose code by processor) repeat within a fraction of a percent, hash seeds included. They
depend on the compiler, so the budget, budget.tsv beside this file, has rows per compiler; without a
row the count is skipped. More than LIMIT over the budget fails, and so does more than LIMIT under
it: the gain is to be recorded (--write), or the next loss would hide in it.

Needs valgrind. Input is made by tests/gen/genprofile.py at scale 0.2 and kept in build/bench/.
"""
import argparse, os, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUDGET = os.path.join(HERE, "budget.tsv")
LIMIT = 0.03
FILES = {"firefox49": "firefox49.json.gz", "firefox66": "firefox66.json.gz", "pprof": "profile.pb.gz"}
RUNS = [
    ("top firefox49", "top {firefox49}"),
    ("top firefox66", "top {firefox66}"),
    ("top pprof", "top {pprof}"),
    ("pprof -top", "pprof -top {pprof}"),
    ("convert firefox49 to pprof", "convert -q {firefox49} -o {out}"),
    ("convert pprof to firefox", "convert -q {pprof} -o {json}"),
    ("folded firefox49", "folded -q {firefox49} -o {out}"),
]


def inputs():
    out = os.path.join(TOP, "build", "bench", "s0.2")
    lack = [k for k, v in FILES.items() if not os.path.exists(os.path.join(out, v))]
    if lack:
        subprocess.run([sys.executable, os.path.join(TOP, "tests", "gen", "genprofile.py"), "--scale", "0.2", "--out", out,
                        "--formats", ",".join(lack)], check=True, stdout=subprocess.DEVNULL)
    return {k: os.path.join(out, v) for k, v in FILES.items()}


def own_instructions(path, program):
    """Self cost of the program's object in a callgrind file: cost lines but those behind calls=."""
    names, total, own, call = {}, 0, False, False
    for line in open(path):
        m = re.match(r"(c?ob)=\((\d+)\)(?: (.*))?", line)
        if m:
            if m.group(3):
                names[m.group(2)] = m.group(3).strip()
            if m.group(1) == "ob":
                own = os.path.basename(names[m.group(2)]) == program
        elif line.startswith("calls="):
            call = True
        elif line[:1] in "0123456789+-*":
            if own and not call:
                total += int(line.split()[-1])
            call = False
    return total


def count(cpuprof, args, tmp):
    data = os.path.join(tmp, "callgrind")
    r = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={data}", cpuprof] + args,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if r.returncode:
        sys.exit(f"{' '.join(args)}: exit {r.returncode}\n{r.stderr[-2000:]}")
    return own_instructions(data, os.path.basename(cpuprof))


def compiler(cpuprof):
    """What the program was built with, told by the stamp the Makefile leaves: version and level."""
    try:
        flags = open(os.path.join(os.path.dirname(cpuprof), "obj", "flags")).read().split()
    except OSError:
        return None
    r = subprocess.run([flags[0], "--version"], capture_output=True, text=True)
    levels = [f for f in flags if re.fullmatch(r"-O.?", f) or f.startswith(("-fsanitize", "--coverage", "-march"))]
    isal = "isal" if "-DCPF_WITH_ISAL" in flags else "zlib"
    return " ".join([r.stdout.splitlines()[0], os.uname().machine] + levels + [isal])


def read_budget():
    rows = {}
    if os.path.exists(BUDGET):
        for line in open(BUDGET):
            if line.strip() and not line.startswith("#"):
                cc, run, n = line.rstrip("\n").split("\t")
                rows[cc, run] = int(n)
    return rows


def write_budget(rows):
    with open(BUDGET, "w") as fh:
        fh.write("# Instructions of cpuprof itself, written by count.py --write: compiler, run, instructions.\n")
        for (cc, run), n in sorted(rows.items()):
            fh.write(f"{cc}\t{run}\t{n}\n")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--cpuprof", default=os.path.join(TOP, "build", "cpuprof"))
    ap.add_argument("--write", action="store_true", help="record what was counted as the budget")
    o = ap.parse_args()
    cc, budget = compiler(o.cpuprof), read_budget()
    if not shutil.which("valgrind") or not cc:
        skipped = "no valgrind" if cc else "not known how the program was built"
        # Where nothing may be left out (CI), a tool that should be there is a failure.
        must = bool(os.environ.get("CPUPROF_NO_SKIP"))
        print(f"SKIP: {skipped}\n0 passed, {int(must)} failed")
        return int(must)
    if not o.write and not any(k[0] == cc for k in budget):
        must = bool(os.environ.get("CPUPROF_NO_SKIP"))
        print(f"SKIP: no budget for {cc} (count.py --write records one)\n0 passed, {int(must)} failed")
        return int(must)
    files, failed, passed = inputs(), 0, 0
    with tempfile.TemporaryDirectory() as tmp:
        for run, args in RUNS:
            n = count(o.cpuprof, args.format(out=os.path.join(tmp, "x.pb"), json=os.path.join(tmp, "x.json"), **files).split(), tmp)
            if o.write:
                budget[cc, run] = n
            want = budget.get((cc, run))
            change = n / want - 1 if want else None
            ok = change is not None and abs(change) <= LIMIT
            passed, failed = passed + ok, failed + (not ok)
            why = "" if ok else ": no budget" if want is None else ": slower" if change > 0 else \
                ": faster; record it with --write"
            print(f"{'ok' if ok else 'not ok'} {run}: {n / 1e6:.2f} M" +
                  (f" ({change:+.2%} of {want / 1e6:.2f} M)" if want else "") + why)
    if o.write:
        write_budget(budget)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
