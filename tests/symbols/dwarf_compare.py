#!/usr/bin/env python3
"""What the DWARF reader says beside what llvm-symbolizer and eu-addr2line say.

    dwarf_compare.py --lookup DWARF_LOOKUP [--quick] [--kinds A,B] [--keep DIR] [--file FILE]

Binaries of many kinds are built from this project's own C and from prog.cc and prog.rs; for each, at
least 20 000 addresses of its text (every byte, or evenly chosen ones) are looked up by all three.
Function, file, line, column of every frame must be equal. A difference passes only by a rule in
RULES, each of which is explained in docs/symbols.md; how many there were is printed.
"""
import argparse
import collections
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
WANT = 20000


def run(cmd, **kw):
    return subprocess.run(cmd, check=True, timeout=kw.pop('timeout', 600), **kw)


def have(tool):
    return shutil.which(tool) is not None


class Kind:
    def __init__(self, name, lang, cc, flags, link='', post=None, quick=False):
        self.name, self.lang, self.cc = name, lang, cc
        self.flags, self.link, self.post, self.quick = flags.split(), link.split(), post, quick


def kinds():
    out = []
    for cc in ('gcc', 'clang'):
        for opt in ('-O0', '-O1', '-O2', '-O3'):
            out.append(Kind(f'c-{cc}{opt}', 'c', cc, f'-g {opt}', quick=opt == '-O2'))
        for v in (2, 3, 4, 5):
            out.append(Kind(f'c-{cc}-dwarf{v}', 'c', cc, f'-gdwarf-{v} -O2'))
        out.append(Kind(f'c-{cc}-strict2', 'c', cc, '-gdwarf-2 -gstrict-dwarf -O2'))
        out.append(Kind(f'c-{cc}-dwarf64', 'c', cc, '-g -gdwarf64 -O2'))
        out.append(Kind(f'c-{cc}-exe', 'c', cc, '-g -O2 -fno-pie', 'exe'))
        out.append(Kind(f'c-{cc}-sections', 'c', cc, '-g -O2 -ffunction-sections', '-Wl,--gc-sections'))
        out.append(Kind(f'c-{cc}-lto', 'c', cc, '-g -O2 -flto' + (' -ffat-lto-objects' if cc == 'gcc' else ''),
                        '-flto -fuse-ld=lld' if cc == 'clang' else '-flto'))
        out.append(Kind(f'c-{cc}-gz', 'c', cc, '-g -O2 -gz'))
        out.append(Kind(f'c-{cc}-gz-old', 'c', cc, '-g -O2', post='gz-old'))
        out.append(Kind(f'c-{cc}-zstd', 'c', cc, '-g -O2', post='zstd'))
        out.append(Kind(f'c-{cc}-types', 'c', cc, '-g -O2 -fdebug-types-section'))
        for v in (4, 5):
            out.append(Kind(f'c-{cc}-dwo{v}', 'c', cc, f'-gdwarf-{v} -O2 -gsplit-dwarf'))
            out.append(Kind(f'c-{cc}-dwp{v}', 'c', cc, f'-gdwarf-{v} -O2 -gsplit-dwarf', post='dwp'))
        out.append(Kind(f'c-{cc}-dwz', 'c', cc, '-gdwarf-4 -O2', post='dwz'))
        out.append(Kind(f'c-{cc}-g1', 'c', cc, '-g1 -O2'))
    out.append(Kind('c-gcc-dwz-shared', 'c', 'gcc', '-g -O2', post='dwz-m', quick=True))
    out.append(Kind('c-clang-icf', 'c', 'clang', '-g -O2 -ffunction-sections', '-fuse-ld=lld -Wl,--icf=all'))
    out.append(Kind('c-clang-gc-lld', 'c', 'clang', '-g -O2 -ffunction-sections -fdata-sections', '-fuse-ld=lld -Wl,--gc-sections'))
    out.append(Kind('c-clang-split-inlining', 'c', 'clang', '-g -O2 -gsplit-dwarf -fsplit-dwarf-inlining'))
    for cc in ('g++', 'clang++'):
        for opt in ('-O0', '-O1', '-O2', '-O3'):
            out.append(Kind(f'cc-{cc}{opt}', 'cc', cc, f'-g {opt}'))
        for v in (2, 3, 4, 5):
            out.append(Kind(f'cc-{cc}-dwarf{v}', 'cc', cc, f'-gdwarf-{v} -O2'))
        out.append(Kind(f'cc-{cc}-exe', 'cc', cc, '-g -O2 -fno-pie', '-no-pie'))
        out.append(Kind(f'cc-{cc}-types', 'cc', cc, '-g -O2 -fdebug-types-section'))
        out.append(Kind(f'cc-{cc}-lto', 'cc', cc, '-g -O2 -flto', '-flto' + (' -fuse-ld=lld' if cc == 'clang++' else '')))
        for v in (4, 5):
            out.append(Kind(f'cc-{cc}-dwo{v}', 'cc', cc, f'-gdwarf-{v} -O2 -gsplit-dwarf'))
            out.append(Kind(f'cc-{cc}-dwp{v}', 'cc', cc, f'-gdwarf-{v} -O2 -gsplit-dwarf', post='dwp'))
        out.append(Kind(f'cc-{cc}-dwz', 'cc', cc, '-g -O2', post='dwz'))
        out.append(Kind(f'cc-{cc}-gz', 'cc', cc, '-g -O2 -gz'))
    for name, flags in (('O0', '-g -C opt-level=0'), ('O2', '-g -C opt-level=2'), ('O3', '-g -C opt-level=3'),
                        ('dwarf5', '-g -C opt-level=2 -Z dwarf-version=5'), ('thin', '-g -C opt-level=3 -C lto=thin'),
                        ('lto', '-g -C opt-level=3 -C lto=fat -C codegen-units=1'), ('lines', '-C debuginfo=1 -C opt-level=2'),
                        ('tables', '-C debuginfo=line-tables-only -C opt-level=2'), ('static', '-g -C opt-level=2 -C relocation-model=static'),
                        ('packed', '-g -C opt-level=2 -C split-debuginfo=packed'), ('unpacked', '-g -C opt-level=2 -C split-debuginfo=unpacked'),
                        ('v0', '-g -C opt-level=2 -C symbol-mangling-version=v0')):
        out.append(Kind(f'rust-{name}', 'rust', 'rustc', flags))
    return out


def build_c(k, out, work):
    objs = []
    pie = 'exe' not in k.link
    flags = ['-std=c11', '-w', '-DCPF_WITH_LIBELF', '-I' + TOP + '/include', '-I' + TOP + '/src']
    for src in sorted(glob.glob(TOP + '/src/symbolize/dwarf*.c') + glob.glob(TOP + '/src/base/[b-j]*.c')):
        obj = os.path.join(work, os.path.basename(src)[:-2] + '.o')
        run([k.cc, *flags, *k.flags, *(['-fPIC'] if pie else []), '-c', '-o', obj, src], cwd=work)
        objs.append(obj)
    link = [f for f in k.link if f != 'exe']
    if pie:
        link += ['-shared']
    else:
        link += ['-no-pie', '-nostartfiles', '-Wl,-e,0', '-Wl,--unresolved-symbols=ignore-all']
    run([k.cc, *k.flags, *link, '-o', out, *objs], cwd=work, stderr=subprocess.DEVNULL)


def build(k, out, work):
    if k.lang == 'c':
        build_c(k, out, work)
    elif k.lang == 'cc':
        run([k.cc, '-std=c++14', '-w', *k.flags, '-c', '-o', work + '/prog.o', HERE + '/prog.cc'], cwd=work)
        run([k.cc, *k.flags, *k.link, '-o', out, work + '/prog.o'], cwd=work)
    else:
        cmd = ['rustc', '--edition', '2021', *k.flags, '-o', out, HERE + '/prog.rs']
        env = dict(os.environ, RUSTC_BOOTSTRAP='1') if '-Z' in k.flags else None
        run(cmd, cwd=work, stderr=subprocess.DEVNULL, env=env)
    if k.post == 'dwp':
        # Versions 14 to 19 of llvm-dwp do not end on what gcc makes of DWARF 5, and that of binutils refuses it.
        dwp = 'llvm-dwp' if k.cc.startswith('clang') or '-gdwarf-5' in k.flags else 'dwp'
        run([dwp, '-e', out, '-o', out + '.dwp'], cwd=work, timeout=20)
        for f in glob.glob(work + '/*.dwo'):
            os.unlink(f)
    elif k.post == 'dwz':
        run(['dwz', out])
    elif k.post == 'dwz-m':
        shutil.copy(out, out + '.twin')
        run(['dwz', '-m', out + '.shared', out, out + '.twin'])
    elif k.post in ('gz-old', 'zstd'):
        shutil.copy(out, out + '.plain')
        how = 'zlib-gnu' if k.post == 'gz-old' else 'zstd'
        run(['objcopy', '--compress-debug-sections=' + how, out])


def addresses(path, want):
    """Text sections and at least want of their addresses, evenly."""
    out = subprocess.run(['readelf', '-SW', path], capture_output=True, text=True).stdout
    spans = []
    for m in re.finditer(r'\] (\.text\S*) +\w+ +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) ', out):
        spans.append((int(m[2], 16), int(m[3], 16)))
    total = sum(n for _, n in spans)
    step = max(1, total // (want + want // 4))
    if step > 1 and step % 2 == 0:
        step -= 1 # an odd step meets every kind of offset
    return [a for lo, n in spans for a in range(lo, lo + n, step)]


def parse(text, n):
    """Blocks of llvm-symbolizer: [(name, file, line, column)]."""
    blocks = text.split('\n\n')
    if blocks and not blocks[-1].strip():
        blocks.pop()
    if len(blocks) != n:
        raise SystemExit(f'{len(blocks)} answers for {n} addresses')
    out = []
    for b in blocks:
        lines = b.strip('\n').split('\n')
        frames = []
        for i in range(0, len(lines), 2):
            f, line, col = lines[i + 1].rsplit(':', 2)
            frames.append((lines[i], f, int(line), int(col)))
        out.append(frames)
    return out


def ask_llvm(tool, path, addr, extra=()):
    p = run([tool, '--inlines', '--functions=linkage', '--no-demangle', *extra, '-e', path],
            input=''.join(f'{a:#x}\n' for a in addr), capture_output=True, text=True)
    return parse(p.stdout, len(addr))


def ask_eu(path, addr):
    p = subprocess.run(['eu-addr2line', '-a', '-f', '-i', '-e', path],
                       input=''.join(f'{a:#x}\n' for a in addr), capture_output=True, text=True)
    out, cur = [], None
    for line in p.stdout.split('\n'):
        if re.fullmatch(r'0x[0-9a-f]{16}', line):
            cur = []
            out.append(cur)
        elif cur is not None and line:
            cur.append(line)
    res = []
    for b in out:
        frames = []
        for i in range(0, len(b) - 1, 2):
            name = re.split(' inlined (?:at|in) ', b[i])[0]
            m = re.fullmatch(r'(.*?):(\d+)(?::(\d+))?', b[i + 1])
            frames.append((name, m[1], int(m[2]), int(m[3] or 0)) if m else (name, b[i + 1], 0, 0))
        res.append(frames)
    return res


class Symbols:
    """All symbols by nm: llvm-symbolizer takes a name from those of link-time optimization, too."""
    def __init__(self, path):
        p = subprocess.run(['nm', '-S', '--defined-only', path], capture_output=True, text=True)
        self.names = set()
        for line in p.stdout.split('\n'):
            m = re.fullmatch(r'[0-9a-f]+ (?:[0-9a-f]+ )?[a-zA-Z] (.*)', line)
            if m:
                self.names.add(m[1].split('@')[0])


def same_file(a, b):
    """eu-addr2line and newer llvm-symbolizers take "x/.." and "." out of paths."""
    return a == b or os.path.normpath(a) == os.path.normpath(b)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--lookup', required=True)
    ap.add_argument('--llvm', default='llvm-symbolizer')
    ap.add_argument('--quick', action='store_true')
    ap.add_argument('--kinds', default='')
    ap.add_argument('--keep', default='')
    ap.add_argument('--eu', type=int, default=300, help='addresses for eu-addr2line')
    ap.add_argument('--show', type=int, default=2)
    args = ap.parse_args()
    work0 = args.keep or tempfile.mkdtemp(prefix='cpf-dwarf-')
    passed = failed = skipped = 0
    version = run([args.llvm, '--version'], capture_output=True, text=True).stdout
    old = int(re.search(r'version (\d+)', version)[1]) < 16
    want = WANT // 4 if args.quick else WANT
    table = []
    for k in kinds():
        if args.quick and not k.quick:
            continue
        if args.kinds and not re.search(args.kinds, k.name):
            continue
        if not have(k.cc):
            print(f'SKIP {k.name}: no {k.cc}')
            skipped += 1
            continue
        work = os.path.join(work0, k.name)
        os.makedirs(work, exist_ok=True)
        path = os.path.join(work, 'prog')
        try:
            build(k, path, work)
            if b'.debug_info' not in subprocess.run(['readelf', '-SW', path], capture_output=True).stdout.replace(b'.zdebug', b'.debug'):
                raise subprocess.CalledProcessError(1, ['no', 'DWARF'])
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as e:
            print(f'SKIP {k.name}: cannot be built: {" ".join(e.cmd)[-120:]}')
            skipped += 1
            continue
        addr = addresses(path, want)
        if len(addr) < want:
            print(f'  {k.name}: {len(addr)} addresses only')
        p = subprocess.run([args.lookup, path], input=''.join(f'{a:#x}\n' for a in addr), capture_output=True, text=True)
        if p.returncode:
            print(f'FAIL {k.name}: {p.stderr.strip()}')
            failed += 1
            continue
        ours = parse(p.stdout, len(addr))
        if 'no-file' in p.stderr or 'fail' in p.stderr:
            print(p.stderr)
        # Neither of the tools reads zstd in all versions: they get the file as it was before.
        theirs = path + '.plain' if k.post == 'zstd' else path
        llvm = ask_llvm(args.llvm, theirs, addr)
        syms = Symbols(path)
        bad, verdicts = compare(k, 'llvm', addr, ours, llvm, syms, table, args.show, old)
        # It takes up to 25 ms for an address of a C++ program.
        few = args.eu * 20 if k.post == 'dwz-m' else args.eu
        every = 1 if few >= len(addr) else len(addr) // few
        some = addr[::every]
        bad += compare(k, 'eu', some, ours[::every], ask_eu(theirs, some), syms, table, args.show, old,
                       verdicts[::every])[0]
        print(f'{"FAIL" if bad else "ok"} {k.name}: {len(addr)} addresses, {bad} differ')
        sys.stdout.flush()
        if bad:
            failed += 1
        else:
            passed += 1
        if not args.keep:
            shutil.rmtree(work)
    for row in table:
        print('  %-24s %-5s %-22s %d' % row)
    print(f'{passed} passed, {failed} failed, {skipped} skipped')
    return 1 if failed else 0


NOTHING = [('??', '??', 0, 0)]


def llvm_rule(o, t, syms, k, old):
    """The rule by which a difference from llvm-symbolizer passes, or None."""
    if o == t:
        return 'equal'
    if o == NOTHING and len(t) == 1 and t[0][0] in syms.names and t[0][2:] == (0, 0):
        return 'symbol, no DWARF'
    if len(o) == len(t) and t[-1][0] in syms.names and o[:-1] + [(t[-1][0],) + o[-1][1:]] == t:
        return 'outer name by symbol'
    # Without a file it prints the name of the object file that the symbol came from.
    if len(o) == len(t) and all(x == y or (x[1] == '??' and '/' not in y[1] and x[2:] == y[2:] == (0, 0) and
                                           (x[0] == y[0] or (x is o[-1] and y[0] in syms.names)))
                                for x, y in zip(o, t)):
        return 'no file'
    # It does not read the file that dwz shares and takes names from elsewhere; eu-addr2line reads it.
    if k.post == 'dwz-m' and len(o) == len(t) and all(x[1:] == y[1:] for x, y in
                                                      zip(o[:-1], t[:-1])) and o[-1][1:] == t[-1][1:]:
        return 'shared by dwz'
    # Version 14 leaves inlined functions of split units out; 19 does not, and agrees there.
    if old and re.search('dw[op][45]', k.name) and len(t) < len(o) and t[0][1:] == o[0][1:] and (
            inside([x[0] for x in t], [x[0] for x in o]) or t[-1][0] in syms.names):
        return 'ranges of split units'
    return None


def inside(part, whole):
    it = iter(whole)
    return all(x in it for x in part)


def eu_rule(o, t, syms):
    """The same for eu-addr2line, asked only where llvm-symbolizer agrees with us."""
    if len(o) == len(t) and all(x[0] == y[0] and x[2:] == y[2:] and same_file(x[1], y[1]) for x, y in zip(o, t)):
        return 'equal'
    if o == NOTHING and len(t) == 1 and t[0][0] in syms.names | {'??'} and t[0][1:] == ('??', 0, 0):
        return 'symbol, no DWARF'
    if o == NOTHING and len(t) == 1 and t[0][0] in syms.names | {'??'}:
        return 'line past the end'
    if len(o) == 1 and o[0][0] == '??' and t[0] == o[0]:
        return 'function past its end'
    if len(t) == 1 and t[0][0] in syms.names | {o[-1][0]} and t[0][1:] == ('??', 0, 0):
        return 'line 0' if o[0][2] == 0 else 'no line'
    if t[0][1:] == o[0][1:] and t[-1] == o[-1] and len(t) < len(o) and inside(t, o):
        return 'frames left out'
    if len(t) == len(o) + 1 and t[0][1:] == o[0][1:] and inside(o, t):
        return 'frame too many'
    if len(t) == 1 < len(o) and t[0][0] in syms.names | {o[-1][0]} and t[0][2:] == o[0][2:] and same_file(t[0][1], o[0][1]):
        return 'frames left out'
    if len(t) == 1 and o[-1][0] != t[0][0] and t[0][0] in syms.names and o[-1][1:] == t[0][1:] and len(o) == 1:
        return 'outer name by symbol'
    return None


def compare(k, who, addr, ours, theirs, syms, table, show, old, agreed=None):
    count = collections.Counter()
    verdicts = []
    shown = 0
    if len(ours) != len(theirs):
        raise SystemExit(f'{who}: {len(theirs)} answers for {len(ours)} addresses')
    for i, (a, o, t) in enumerate(zip(addr, ours, theirs)):
        r = llvm_rule(o, t, syms, k, old) if who == 'llvm' else eu_rule(o, t, syms)
        if agreed and r not in ('equal', None) and not agreed[i]:
            r = None
        count[r] += 1
        verdicts.append(r)
        if r is None and shown < show:
            shown += 1
            print(f'  {k.name} {a:#x}\n    ours {o}\n    {who:4} {t}')
    for r in sorted(x for x in count if x):
        table.append((k.name, who, r, count[r]))
    return count[None], verdicts


if __name__ == '__main__':
    sys.exit(main())
