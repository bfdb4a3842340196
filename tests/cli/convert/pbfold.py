"""Folded stacks of a profile.proto file, by another road: pbfold.py FILE TYPE"""
import collections, gzip, re, sys


def fields(b):
    i = 0
    while i < len(b):
        def varint():
            nonlocal i
            v = s = 0
            while True:
                c = b[i]
                i += 1
                v |= (c & 127) << s
                s += 7
                if c < 128:
                    return v
        k = varint()
        if k & 7 == 0:
            yield k >> 3, varint()
        elif k & 7 == 2:
            n = varint()
            yield k >> 3, b[i:i + n]
            i += n
        else:
            raise SystemExit('wire type')


def ints(v):
    if isinstance(v, int):
        return [v]
    return [x for x in unpack(v)]


def unpack(b):
    v = s = 0
    for c in b:
        v |= (c & 127) << s
        s += 7
        if c < 128:
            yield v
            v = s = 0


def main(path, want):
    data = open(path, 'rb').read()
    if data[:2] == b'\x1f\x8b':
        data = gzip.decompress(data)
    strings, types, samples, maps, locs, funcs = [], [], [], {}, {}, {}
    for k, v in fields(data):
        if k == 6:
            strings.append(v)
        elif k == 1:
            types.append(dict(fields(v)).get(1, 0))
        elif k == 2:
            samples.append(v)
        elif k == 3:
            m = dict(fields(v))
            maps[m[1]] = m
        elif k == 5:
            f = dict(fields(v))
            funcs[f[1]] = f.get(2, 0)
        elif k == 4:
            loc = list(fields(v))
            d = dict(loc)
            locs[d[1]] = (d.get(2, 0), d.get(3, 0), [dict(fields(x))[1] for n, x in loc if n == 4])
    col = [strings[t] for t in types].index(want.encode())

    def names(loc):
        m, addr, lines = locs[loc]
        out = []
        for fn in reversed(lines or [None]):
            name = strings[funcs[fn]] if fn is not None else b''
            if not name or name.startswith(b'0x') and addr:
                lib = strings[maps[m].get(5, 0)].split(b'/')[-1] if m in maps else b''
                if m in maps:
                    addr = (addr - maps[m].get(2, 0) + maps[m].get(4, 0)) & (2**64 - 1)
                name = lib + (b'+' if lib and addr else b'') + (b'0x%x' % addr if addr else b'')
                name = name or b'<unknown>'
            out.append(re.sub(rb'[\x00-\x1f\x7f;]', lambda c: b'\\x%02x' % c[0][0], name))
        return out

    sums = collections.Counter()
    for s in samples:
        ids, vals = [], []
        for k, v in fields(s):
            if k == 1:
                ids += ints(v)
            elif k == 2:
                vals += ints(v)
        stack = b';'.join(n for i in reversed(ids) for n in names(i)) or b'(no stack)'
        v = vals[col]
        sums[stack] += v - (1 << 64) if v >= 1 << 63 else v
    lines = sorted(b'%s %d\n' % (k, v) for k, v in sums.items() if v)
    sys.stdout.buffer.write(b''.join(lines))


main(sys.argv[1], sys.argv[2])
