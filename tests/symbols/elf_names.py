#!/usr/bin/env python3
"""Names from symbol tables alone, compared with llvm-symbolizer, readelf and objdump.

usage: elf_names.py LOOKUP [KIND]...    in a scratch folder; prints one line for each kind

Each kind is a binary built here, without DWARF. 20 000 addresses and more of its code sections are
looked up; every name has to be
  same     the one llvm-symbolizer gives,
  alias    another name of the same symbol (same address and size in readelf's list),
  stub     that of objdump for entries of a procedure linkage table, which llvm-symbolizer counts to
           the last function in front, or
  gap      none, where no symbol holds the address (llvm-symbolizer extends symbols without size over
           the end of their section), or
  data     none, where llvm-symbolizer gives the name of an object.
Anything else is printed and fails the test.
"""
import random
import re
import subprocess
import sys
from collections import Counter

WANT = 20500

C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int c, char **v)
{
	int x[100];
	for (int i = 0; i < 100; i++)
		x[i] = (i * 7919) % 101;
	qsort(x, 100, sizeof(*x), cmp);
	printf("%d %s %f\n", x[c], strchr(v[0], '/'), strtod("1.5", NULL));
	return 0;
}
"""

# Many functions of some size, for the kinds that bring no library along.
def many(n):
    out = ["#include <stdio.h>"]
    for i in range(n):
        out.append(
            "%s int f%d(int a, int *p) { int i, s = 0; for (i = 0; i < a; i++) "
            "{ s += p[i] * %d ^ (s >> %d); if (s %% %d == 3) printf(\"%%d\\n\", s); } return s; }"
            % ("static" if i % 2 else "", i, i + 3, i % 7 + 1, i % 11 + 5))
    out.append("int main(int c, char **v) { int p[16] = {0}, s = 0; (void)v;")
    out += ["s += f%d(c, p);" % i for i in range(n)]
    out.append("return s; }")
    return "\n".join(out)

CXX = r"""
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <vector>
struct B { virtual ~B() {} virtual int f(int) = 0; };
template <int N> struct D : B {
	std::map<int, std::string> m;
	int f(int x) override { m[x] = std::to_string(x + N); return (int)m.size(); }
};
int main(int, char **v)
{
	std::vector<std::unique_ptr<B>> b;
	b.emplace_back(new D<1>);
	b.emplace_back(new D<2>);
	std::regex r("a(b|c)+d");
	int s = 0;
	for (auto &x : b)
		for (int i = 0; i < 10; i++)
			s += x->f(i);
	std::vector<long> q{3, 2, 1};
	std::sort(q.begin(), q.end());
	std::cout << s << std::regex_match(v[0], r) << q[0] << std::endl;
}
"""

RUST = r"""
use std::collections::{BTreeMap, HashMap};
fn main() {
	let mut m = BTreeMap::new();
	let mut h = HashMap::new();
	for i in 0..100u32 {
		m.insert(i.to_string(), i);
		h.insert(i, format!("{:?}", i));
	}
	let mut v: Vec<_> = h.into_iter().collect();
	v.sort_by(|a, b| b.1.cmp(&a.1));
	println!("{:?} {:?}", m.iter().next(), v[0]);
}
"""

# Functions without size, labels, gaps, symbols in each other, data between code.
def assembly(n):
    out = [".text"]
    for i in range(n):
        out.append(".globl s%d\ns%d: .fill %d, 1, 0x90" % (i, i, 5 + i % 60))
        if i % 3 == 0:
            out.append("in%d: .fill 7, 1, 0x90" % i)
        if i % 4 == 0:
            out.append(".type z%d, @function\nz%d: .fill 33, 1, 0x90\n.size z%d, 33\n.fill %d, 1, 0x90"
                       % (i, i, i, i % 5))
        if i % 10 == 0:
            out.append('.section .text.part%d, "ax", @progbits' % (i % 3))
        if i % 50 == 0:
            out.append(".type o%d, @object\n o%d: .fill 9, 1, 0x11\n.size o%d, 9" % (i, i, i))
    out.append(".globl main\n.type main, @function\nmain: ret\n.size main, 1")
    return "\n".join(out)

KINDS = {
    "c-gcc-O0": ("many.c", "gcc -O0 -o {o} {i}"),
    "c-gcc-O2-nopie": ("many.c", "gcc -O2 -no-pie -o {o} {i}"),
    "c-gcc-static": ("c.c", "gcc -O2 -static -o {o} {i}"),
    "c-clang-O3-lld": ("many.c", "clang -O3 -fuse-ld=lld -o {o} {i}"),
    "c-clang-lld-noseparate": ("many.c", "clang -O1 -fuse-ld=lld -Wl,-z,noseparate-code -o {o} {i}"),
    "c-gcc-ibt": ("many.c", "gcc -O1 -fcf-protection -Wl,-z,ibtplt -o {o} {i}"),
    "cxx-gcc-O2": ("cxx.cc", "g++ -O2 -static-libstdc++ -o {o} {i}"),
    "cxx-gcc-lto-static": ("cxx.cc", "g++ -O2 -flto=1 -static -o {o} {i}"),
    "cxx-clang-O0": ("cxx.cc", "clang++ -O0 -o {o} {i}"),
    "cxx-clang-lto": ("cxx.cc", "clang++ -O3 -flto -fuse-ld=lld -o {o} {i}"),
    "cxx-clang-icf": ("cxx.cc", "clang++ -O2 -ffunction-sections -fuse-ld=lld -Wl,--icf=all "
                      "-static-libstdc++ -o {o} {i}"),
    "rust-O": ("rust.rs", "rustc -O -o {o} {i}"),
    "rust-O0": ("rust.rs", "rustc -C opt-level=0 -o {o} {i}"),
    "rust-lto": ("rust.rs", "rustc -O -C lto=fat -o {o} {i}"),
    "assembly": ("asm.s", "gcc -o {o} {i}"),
    "stripped-libc-dynsym": (None, None),
}


def run(*cmd, **kw):
    return subprocess.run(cmd, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, **kw).stdout


def code_sections(path):
    out = []
    for line in run("readelf", "-SW", path).splitlines():
        m = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)\s+\S+\s+(\w+)\s", line)
        if m and "X" in m[4] and "A" in m[4] and int(m[3], 16):
            out.append((m[1], int(m[2], 16), int(m[3], 16)))
    return out


def sample(sections):
    """Every byte if they are few, else a random choice, with all of the small sections."""
    rng = random.Random(7)
    total = sum(size for _, _, size in sections)
    picked = set()
    for _, start, size in sections:
        k = max(1600, WANT * size // total + 1)
        picked.update(range(start, start + size) if size <= k or total <= WANT else
                      rng.sample(range(start, start + size), k))
    return sorted(picked)


class Symbols:
    """What readelf lists, independent of the code under test."""

    def __init__(self, path, sections):
        self.names = {}       # (address, size) -> names
        self.holders = []     # (address, end, name) of those with size
        self.loose = []       # addresses of those without
        self.by_name = {}
        self.objects = set()
        for line in run("readelf", "-sW", path).splitlines():
            f = line.split()
            if len(f) > 7 and f[3] == "OBJECT":
                self.objects.add(f[7])
            if len(f) < 8 or not f[0].endswith(":") or f[6] in ("UND", "ABS") or \
                    f[3] not in ("FUNC", "IFUNC", "NOTYPE"):
                continue
            addr, size = int(f[1], 16), int(f[2], 0)
            if not any(s <= addr < s + n for _, s, n in sections):
                continue
            name = f[7].split("@")[0]
            self.names.setdefault((addr, size), set()).add(name)
            self.by_name.setdefault(name, set()).add((addr, size))
            if size:
                self.holders.append((addr, addr + size))
            else:
                self.loose.append(addr)
        self.holders.sort()
        self.loose.sort()

    def alias(self, a, b, addr):
        for at, size in self.by_name.get(a, ()):
            if b in self.names[(at, size)] and at <= addr:
                return True
        return False

    def held(self, addr):
        return any(s <= addr < e for s, e in self.holders)


def stubs(path):
    """Entries of procedure linkage tables as objdump names them: address -> name."""
    out = {}
    for name in (".plt", ".plt.sec", ".plt.got", ".iplt"):
        try:
            text = run("objdump", "-d", "-j", name, path)
        except subprocess.CalledProcessError:
            continue
        at = None
        for line in text.splitlines():
            m = re.match(r"([0-9a-f]+) <(.*)@plt>:", line)
            if m:
                at = int(m[1], 16)
                out[at] = re.sub(r"@.*", "", m[2]) if not m[2].startswith("*ABS*") else None
    return out


def check(lookup, kind, path):
    sections = code_sections(path)
    addrs = sample(sections)
    text = "".join("0x%x\n" % a for a in addrs)
    mine = {}
    for line in run(lookup, "-s", path, input=text).splitlines():
        f = line.split("\t")
        mine[int(f[0], 16)] = f[1]
    ref = run("llvm-symbolizer", "--functions=linkage", "--no-inlines", "--no-demangle",
              "--obj=" + path, input=text).split("\n\n")
    symbols = Symbols(path, sections)
    plt = stubs(path)
    count, bad = Counter(), []
    for addr, block in zip(addrs, ref):
        want, have = block.split("\n")[0].split("@")[0], mine.get(addr)
        section = next(n for n, s, z in sections if s <= addr < s + z)
        if section.startswith((".plt", ".iplt")):
            at = max((a for a in plt if a <= addr), default=None)
            name = plt.get(at)
            if have == "??":
                # The first entry is none, and objdump gives names for one of two tables only.
                count["stub"] += 1
            elif have.endswith("@plt") and (name in (have[:-4], None) or addr - at >= 16):
                count["stub"] += 1
            else:
                bad.append((addr, have, name))
        elif have == want:
            count["same"] += 1
        elif have != "??" and want != "??" and symbols.alias(have, want, addr):
            count["alias"] += 1
        elif have == "??" and not symbols.held(addr) and not any(
                s <= a <= addr for _, s, z in sections if s <= addr < s + z for a in symbols.loose):
            count["gap"] += 1
        elif have == "??" and want in symbols.objects:
            count["data"] += 1
        else:
            bad.append((addr, have, want))
    named = sum(1 for a in addrs if mine.get(a) != "??")
    for addr, have, want in bad[:10]:
        print("  %s: %x: %s, not %s" % (kind, addr, have, want))
    few = len(addrs) < 20000
    print("%s: %s" % (kind, "%d of %d differ" % (len(bad), len(addrs)) if bad else
                      "only %d addresses" % len(addrs) if few else
                      "only %d named" % named if named < 0.6 * len(addrs) and "dynsym" not in kind else "equal"))
    sys.stderr.write("%s: %d addresses, %d named, %s\n" % (kind, len(addrs), named, dict(count)))
    return not bad and not few


def main():
    lookup, only = sys.argv[1], sys.argv[2:]
    for name, text in (("many.c", many(260)), ("c.c", C), ("cxx.cc", CXX), ("rust.rs", RUST),
                       ("asm.s", assembly(500))):
        with open(name, "w") as f:
            f.write(text)
    for kind, (source, cmd) in KINDS.items():
        if only and kind not in only:
            continue
        if source:
            run(*cmd.format(o=kind, i=source).split())
            run("strip", "-g", kind)
        else:
            libc = re.search(r"libc\.so\.6 => (\S+)", run("ldd", "/bin/sh"))[1]
            run("strip", "-o", kind, "-R", ".gnu_debuglink", libc)
            run("objcopy", "--remove-section=.note.gnu.build-id", kind)
        check(lookup, kind, "./" + kind)


main()
