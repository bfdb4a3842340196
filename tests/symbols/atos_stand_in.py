#!/usr/bin/env python3
"""Stands in for atos of macOS where there is none. It is NOT atos.

It understands the options cpuprof uses, asks llvm-symbolizer about the same Mach-O file or dSYM, and
prints the answers in the form of the real program: a block of lines per address, innermost inlined
function first, an empty line between blocks; C++ demangled, one leading underscore off, Rust's
newer names as they are. That form is taken from recorded output of the real one.

How it behaves can be changed to see what cpuprof makes of it, with STAND_IN=WORD: see the end.
"""
import bisect
import json
import os
import subprocess
import sys
import time


def tool(name):
    for n in (name, name + "-14", name + "-15", name + "-16", name + "-19"):
        for d in os.environ.get("PATH", "").split(":"):
            if os.access(os.path.join(d, n), os.X_OK):
                return n
    sys.exit("stand-in for atos: no " + name)


def run(*args, text=""):
    return subprocess.run(args, input=text, stdout=subprocess.PIPE, check=True, text=True).stdout


def demangled(names):
    """As atos does: an underscore off, then C++ only."""
    names = [n[1:] if n.startswith(("__Z", "__R")) else n for n in names]
    out = run(tool("llvm-cxxfilt"), "--no-strip-underscore",
              text="".join(n + "\n" if n.startswith("_Z") else "-\n" for n in names))
    return [o if n.startswith("_Z") else n for n, o in zip(names, out.split("\n"))]


def functions(path, arch):
    """Start and name of each symbol in __TEXT, sorted."""
    rows = []
    for line in run(tool("llvm-nm"), "--arch", arch, path).splitlines():
        parts = line.split(None, 2)
        if len(parts) == 3 and parts[1] in "tT":
            rows.append((int(parts[0], 16), parts[2]))
    return sorted(rows)


def text_segment(path, arch):
    out = run(tool("llvm-objdump"), "--macho", "--private-headers", "--arch=" + arch, path)
    lines = [line.split() for line in out.splitlines()]
    for i, words in enumerate(lines):
        if words == ["segname", "__TEXT"] and lines[i + 1][0] == "vmaddr":
            return int(lines[i + 1][1], 16)
    return 0


def main():
    args = sys.argv[1:]
    opt = {"-o": None, "-arch": None, "-l": "0", "-f": None}
    inline = full = False
    while args:
        a = args.pop(0)
        if a in opt:
            opt[a] = args.pop(0)
        elif a == "-i":
            inline = True
        elif a == "-fullPath" and os.environ.get("STAND_IN") != "old":
            full = True
        else:
            sys.exit("atos: unrecognized option `%s'\nUsage: atos [-p pid] [-o executable]" % a)
    path, arch = opt["-o"], opt["-arch"]
    asked = [int(a, 16) for a in open(opt["-f"]).read().split()]
    library = os.path.basename(path)
    base = text_segment(path, arch)
    addresses = [a - int(opt["-l"], 16) + base for a in asked]
    reply = run(tool("llvm-symbolizer"), "--obj=" + path, "--default-arch=" + arch, "--no-demangle",
                "--output-style=JSON", text="".join("0x%x\n" % a for a in addresses))
    answers = [json.loads(line)["Symbol"] for line in reply.splitlines() if line.strip()]
    table = functions(path, arch)
    starts = [s for s, _ in table]
    names = demangled([f["FunctionName"] for frames in answers for f in frames])
    blocks = []
    for ask, at, frames in zip(asked, addresses, answers):
        mine, names = names[:len(frames)], names[len(frames):]
        lines = []
        for frame, name in zip(frames, mine):
            if name in ("", "??"):
                continue
            if "mh_execute_header" in name:
                name = "__mh_execute_header"
            if frame["FileName"] not in ("", "??"):
                where = frame["FileName"] if full else os.path.basename(frame["FileName"])
                lines.append("%s (in %s) (%s:%d)" % (name, library, where, frame["Line"]))
            else:
                k = bisect.bisect_right(starts, at) - 1
                lines.append("%s (in %s) + %d" % (name.removeprefix("_"), library, at - starts[k]))
        if not lines:
            lines = ["0x%016x (in %s)" % (ask, library)]
        blocks.append("\n".join(lines if inline else lines[-1:]) + "\n")
    return blocks


def misbehave(how):
    """Ways to fail. Those that return True go on with blocks."""
    if how == "exit1":
        sys.exit("atos cannot load symbols for the file x for architecture arm64.")
    if how == "signal":
        os.kill(os.getpid(), 9)
    if how == "hang":
        print("work (in prog) (work.cc:1)", flush=True)
        time.sleep(1000)
    if how == "child":
        # A child that keeps the output open.
        subprocess.Popen(["sleep", "1000"])
        sys.exit(0)
    if how == "garbage":
        sys.stdout.buffer.write(bytes(range(256)) * 4)
        sys.exit(0)
    if how == "huge":
        while True:
            sys.stdout.write("work (in prog) (work.cc:1)\n\n" * 10000)
    if how == "empty":
        sys.exit(0)
    if how == "args":
        with open("args", "a") as f:
            f.write("".join(a + "\n" for a in sys.argv[1:]))
            f.write("mode %o\n" % (os.stat(sys.argv[-1]).st_mode & 0o777))
            f.write(open(sys.argv[-1]).read())


if __name__ == "__main__":
    HOW = os.environ.get("STAND_IN", "")
    misbehave(HOW)
    BLOCKS = main()
    if HOW == "short":
        BLOCKS = BLOCKS[1:]
    if HOW == "swapped":
        BLOCKS = BLOCKS[::-1]
    if HOW == "noise":
        BLOCKS = ["got symbolicator for prog\n"] + BLOCKS[1:]
    TEXT = "\n".join(BLOCKS)
    if HOW == "crlf":
        TEXT = TEXT.replace("\n", "\r\n")
    sys.stdout.write(TEXT)
    sys.stdout.flush()
