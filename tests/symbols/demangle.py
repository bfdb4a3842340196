#!/usr/bin/env python3
"""Compares the names cpuprof shows with those of c++filt, rustfilt and (by hand) samply's demanglers.
Without rustfilt: llvm-cxxfilt for Rust's newer scheme, a few lines of Python for the older one.

    demangle.py SHOWN [--cpp FILE...] [--rust FILE...] [--samply PROGRAM] [--min N]

SHOWN is a program that reads linkage names, one a line, and prints the names that are shown
(tests/symbols/shown.c). Symbols come from the dynamic and static tables of FILE (nm). Without files
those are taken that the machine has. --samply: a program that reads names as SHOWN does, and prints
what samply would (cpp_demangle without return types, rustc-demangle in its alternate form); how it
differs is counted only.

Prints one line per tool: symbols, equal ones, ones that differ in a way known (docs/symbols.md), and
others, which fail the test. Exit code 77 with the reason if a tool is missing or has too few names.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
from collections import Counter

LIBRARIES = ["/usr/lib/*/libstdc++.so.6", "/usr/lib/llvm-*/lib/libLLVM-*.so.1",
             "/usr/lib/llvm-*/lib/libclang-cpp.so.*", "/usr/lib/*/libprotobuf.so.*",
             "/usr/lib/*/libicuuc.so.*", "/usr/lib/*/libboost_*.so.*"]
RUST = ["~/.cargo/bin/samply", "/usr/lib/*/librustc_driver-*.so", "/usr/lib/*/libstd-*.so",
        "~/.rustup/toolchains/*/lib/librustc_driver-*.so"]
IS_RUST = re.compile(r"^_R[A-Z0-9]|^_ZN.*17h[0-9a-f]{16}E")


def skip(why):
    print("SKIP: " + why)
    sys.exit(77)


def symbols(files):
    names = set()
    for file in files:
        for options in (["-D"], []):
            try:
                out = subprocess.run(["nm", "--defined-only", *options, file], text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            except OSError:
                skip("no nm")
            for line in out.splitlines():
                names.add(line.split()[-1].split("@")[0])
    return names


def expand(patterns, limit):
    files, seen = [], set()
    for p in patterns:
        for f in sorted(glob.glob(os.path.expanduser(p))):
            real = os.path.realpath(f)
            if real not in seen and os.path.isfile(real):
                seen.add(real)
                files.append(real)
    return files[:limit]


def ask(program, names):
    out = subprocess.run(program, input="".join(n + "\n" for n in names), text=True, check=True,
                         stdout=subprocess.PIPE).stdout.split("\n")[:-1]
    if len(out) != len(names):
        sys.exit("%s: %d answers for %d names" % (program[0], len(out), len(names)))
    return out


def cxxfilt(ours, theirs):
    """c++filt also prints what a template function returns, in front."""
    if theirs.endswith(ours) and theirs[:len(theirs) - len(ours)].endswith(" "):
        return "return type in front"
    return None


CLONE = re.compile(r"(\.(cold|localalias)(\.\d+)?|\.(part|isra|constprop|lto_priv|llvm|specialized)\.\d+)+$")


def rustfilt(ours, theirs):
    """rustfilt leaves what compilers put behind the name."""
    return "clone suffix taken off" if CLONE.sub("", theirs) == ours else None


OLD_CHARACTERS = {"SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ","}


def old_rust(name):
    """_ZN, elements with their lengths, the hash, E; what is no identifier is written $..$ or with dots."""
    m = re.match(r"_ZN((?:\d.*)?)17h[0-9a-f]{16}E(.*)$", name)
    if not m:
        return name
    at, parts, text = 0, [], m[1]
    while at < len(text):
        n = re.match(r"\d+", text[at:])[0]
        at += len(n)
        e = text[at:at + int(n)]
        at += int(n)
        e = e[1:] if e.startswith("_$") else e
        e = re.sub(r"\$(u[0-9a-f]+|[A-Z]+)\$", lambda c: OLD_CHARACTERS.get(c[1]) or
                   chr(int(c[1][1:], 16)), e)
        parts.append(e.replace("..", "::"))
    return "::".join(parts) + re.sub(r"^\.llvm\.[0-9A-F@]+", "", m[2])


def without_rustfilt(names):
    """LLVM reads the newer scheme; what stands behind a name is none of its business."""
    new = [n.split(".", 1)[0] for n in names if n.startswith("_R")]
    new = iter(ask(["llvm-cxxfilt"], new))
    return [old_rust(n) if n.startswith("_Z") else next(new) + "".join(n.partition(".")[1:])
            for n in names]


SUFFIXES = {"unsigned int": "u", "unsigned long long": "ull", "unsigned long": "ul",
            "long long": "ll", "long": "l"}


def plain(s):
    """Both spellings of what cpp_demangle writes in its own way become one."""
    s = re.sub(r"\((unsigned int|unsigned long long|unsigned long|long long|long)\)(-?\d+)",
               lambda m: m[2] + SUFFIXES[m[1]], s)
    s = re.sub(r"\{(vtable|typeinfo|VTT|construction vtable)\((.*)\)\}", r"\1 for \2", s)
    s = s.replace("decltype(nullptr)", "std::nullptr_t")
    return re.sub(r"(, )+>", ">", s.replace("<, ", "<")).replace(" ", "")


def samply(ours, theirs):
    if plain(ours) == plain(theirs):
        return "other spelling"
    if CLONE.sub("", theirs) == ours:
        return "clone suffix taken off"
    if theirs.startswith("_Z"):
        return "not demangled by cpp_demangle"
    if "[abi:" in ours:
        return "ABI tags"
    if sorted(re.sub("[^&*]", "", ours)) != sorted(re.sub("[^&*]", "", theirs)) or "&" in ours:
        return "& or * lost or misplaced by cpp_demangle"
    return "different otherwise"


def compare(label, names, ours, theirs, known):
    count, bad = Counter(), []
    for name, a, b in zip(names, ours, theirs):
        kind = "equal" if a == b else known(a, b)
        count[kind or "other"] += 1
        if not kind:
            bad.append((name, a, b))
    print("%s: %d symbols; %s" % (label, len(names), "; ".join(
        "%d %s" % (n, k) for k, n in sorted(count.items(), key=lambda x: (x[0] != "equal", x[0])))))
    for name, a, b in bad[:5]:
        print("  %s\n    cpuprof: %s\n    %s: %s" % (name, a, label, b))
    return not bad


def main():
    p = argparse.ArgumentParser()
    p.add_argument("shown")
    p.add_argument("--cpp", nargs="*")
    p.add_argument("--rust", nargs="*")
    p.add_argument("--samply")
    p.add_argument("--min", type=int, default=5000)
    a = p.parse_args()
    shown = [os.path.abspath(a.shown)]
    cpp = sorted(n for n in symbols(a.cpp or expand(LIBRARIES, 6))
                 if n.startswith("_Z") and not IS_RUST.match(n))
    rust = sorted(n for n in symbols(a.rust or expand(RUST, 4)) if IS_RUST.match(n))
    missing = []
    ok = True
    done = 0
    # -i: std::string is not spelled out.
    if not shutil.which("c++filt"):
        missing.append("no c++filt")
    elif cpp:
        ok &= compare("c++filt", cpp, ask(shown, cpp), ask(["c++filt", "-i"], cpp), cxxfilt)
        done += len(cpp)
    if not rust:
        missing.append("no Rust symbols")
    elif shutil.which("rustfilt"):
        ok &= compare("rustfilt", rust, ask(shown, rust), ask(["rustfilt"], rust), rustfilt)
        done += len(rust)
    elif shutil.which("llvm-cxxfilt"):
        ok &= compare("llvm-cxxfilt", rust, ask(shown, rust), without_rustfilt(rust), rustfilt)
        done += len(rust)
    else:
        missing.append("no rustfilt and no llvm-cxxfilt")
    if a.samply:
        both = cpp + rust
        ok &= compare("samply", both, ask(shown, both), ask([os.path.abspath(a.samply)], both), samply)
    if done < a.min:
        missing.append("%d symbols where %d are wanted" % (done, a.min))
    if not ok:
        sys.exit(1)
    if missing:
        skip(", ".join(missing))


if __name__ == "__main__":
    main()
