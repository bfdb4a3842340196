"""Containers for test data: gzip members and JSLB files.

The deflate encoder is our own, so that the same bytes come out on every
machine, whatever zlib is installed.
"""
import binascii
import struct

LEN_BASE = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99,
            115, 131, 163, 195, 227, 258]
LEN_BITS = [0] * 8 + [1] * 4 + [2] * 4 + [3] * 4 + [4] * 4 + [5] * 4 + [0]
DIST_BASE = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025,
             1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577]
DIST_BITS = [0, 0, 0, 0] + [n for k in range(1, 14) for n in (k, k)]


class Bits:
    def __init__(self):
        self.out, self.acc, self.n = bytearray(), 0, 0

    def put(self, value, count):
        self.acc |= value << self.n
        self.n += count
        while self.n >= 8:
            self.out.append(self.acc & 255)
            self.acc >>= 8
            self.n -= 8

    def huff(self, code, count):
        self.put(int(format(code, "0%db" % count)[::-1], 2), count)

    def done(self):
        if self.n:
            self.put(0, 8 - self.n)
        return bytes(self.out)


def symbol(bits, s):
    """A literal or length in the fixed code."""
    if s < 144:
        bits.huff(0x30 + s, 8)
    elif s < 256:
        bits.huff(0x190 + s - 144, 9)
    elif s < 280:
        bits.huff(s - 256, 7)
    else:
        bits.huff(0xC0 + s - 280, 8)


def bucket(bases, value):
    i = len(bases) - 1
    while bases[i] > value:
        i -= 1
    return i


def matches(data):
    """Literals (int) and matches (length, distance), greedy over the last 32 places of each key."""
    out, seen, i, n = [], {}, 0, len(data)
    while i < n:
        best, dist = 0, 0
        for at in reversed(seen.get(data[i:i + 3], [])):
            if i - at > 32768 or best == 258:
                break
            run = 0
            while run < 258 and i + run < n and data[at + run] == data[i + run]:
                run += 1
            if run > best:
                best, dist = run, i - at
        if best >= 3:
            out.append((best, dist))
        else:
            best = 1
            out.append(data[i])
        for k in range(i, min(i + best, n - 2)):
            places = seen.setdefault(data[k:k + 3], [])
            places.append(k)
            if len(places) > 32:
                del places[0]
        i += best
    out.append(256)
    return out


def lengths(counts, limit):
    """Code lengths of a Huffman code: counts are halved until no length is above the limit."""
    counts = list(counts)
    while True:
        heap = sorted((c, i, (i,)) for i, c in enumerate(counts) if c)
        out = [0] * len(counts)
        if len(heap) == 1:
            out[heap[0][1]] = 1
            return out
        serial = len(counts)
        while len(heap) > 1:
            a, b = heap[0], heap[1]
            for i in a[2] + b[2]:
                out[i] += 1
            heap = sorted(heap[2:] + [(a[0] + b[0], serial, a[2] + b[2])])
            serial += 1
        if max(out) <= limit:
            return out
        counts = [(c + 1) // 2 if c else 0 for c in counts]


def codes(lens):
    out, code = [0] * len(lens), 0
    for size in range(1, 16):
        for i, n in enumerate(lens):
            if n == size:
                out[i] = code
                code += 1
        code <<= 1
    return out


def deflate(data):
    """One block with its own Huffman codes."""
    items = matches(data)
    literals, distances = [0] * 286, [0] * 30
    for x in items:
        if isinstance(x, tuple):
            literals[257 + bucket(LEN_BASE, x[0])] += 1
            distances[bucket(DIST_BASE, x[1])] += 1
        else:
            literals[x] += 1
    if not any(distances):
        distances[0] = 1
    ll, dl = lengths(literals, 15), lengths(distances, 15)
    while ll[-1] == 0 and len(ll) > 257:
        ll.pop()
    while dl[-1] == 0 and len(dl) > 1:
        dl.pop()
    # run lengths of the code lengths: (symbol, extra value, extra bits)
    packed, i, every = [], 0, ll + dl
    while i < len(every):
        n, run = every[i], 1
        while i + run < len(every) and every[i + run] == n:
            run += 1
        if n == 0 and run >= 11:
            run = min(run, 138)
            packed.append((18, run - 11, 7))
        elif n == 0 and run >= 3:
            packed.append((17, run - 3, 3))
        elif n and run >= 4:
            run = min(run, 7)
            packed.append((n, 0, 0))
            packed.append((16, run - 4, 2))
        else:
            run = 1
            packed.append((n, 0, 0))
        i += run
    counts = [0] * 19
    for s, _, _ in packed:
        counts[s] += 1
    cl = lengths(counts, 7)
    order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    used = max(k for k, s in enumerate(order) if cl[s]) + 1
    used = max(used, 4)
    bits = Bits()
    bits.put(1, 1)  # last block
    bits.put(2, 2)  # its own codes
    bits.put(len(ll) - 257, 5)
    bits.put(len(dl) - 1, 5)
    bits.put(used - 4, 4)
    for s in order[:used]:
        bits.put(cl[s], 3)
    cc, lc, dc = codes(cl), codes(ll), codes(dl)
    for s, extra, width in packed:
        bits.huff(cc[s], cl[s])
        bits.put(extra, width)
    for x in items:
        if isinstance(x, tuple):
            b = bucket(LEN_BASE, x[0])
            bits.huff(lc[257 + b], ll[257 + b])
            bits.put(x[0] - LEN_BASE[b], LEN_BITS[b])
            d = bucket(DIST_BASE, x[1])
            bits.huff(dc[d], dl[d])
            bits.put(x[1] - DIST_BASE[d], DIST_BITS[d])
        else:
            bits.huff(lc[x], ll[x])
    return bits.done()


def fixed(data):
    """One block of literals in the fixed code."""
    bits = Bits()
    bits.put(1, 1)
    bits.put(1, 2)
    for x in data:
        symbol(bits, x)
    symbol(bits, 256)
    return bits.done()


def stored(data):
    """Deflate blocks without compression."""
    out = b""
    for i in range(0, max(len(data), 1), 65535):
        part = data[i:i + 65535]
        last = i + 65535 >= len(data)
        out += struct.pack("<BHH", last, len(part), len(part) ^ 0xFFFF) + part
    return out


def gzip_header(flags=0, method=8, extra=None, name=None, comment=None, hcrc=False):
    flags |= (4 if extra is not None else 0) | (8 if name is not None else 0)
    flags |= (16 if comment is not None else 0) | (2 if hcrc else 0)
    h = bytes([0x1F, 0x8B, method, flags, 0, 0, 0, 0, 0, 255])
    if extra is not None:
        h += struct.pack("<H", len(extra)) + extra
    if name is not None:
        h += name + b"\0"
    if comment is not None:
        h += comment + b"\0"
    if hcrc:
        h += struct.pack("<H", binascii.crc32(h) & 0xFFFF)
    return h


def gz(data, body=None, crc=None, size=None, **header):
    """One gzip member; `body`, `crc` and `size` replace the right values."""
    if body is None:
        body = deflate(data)
    if crc is None:
        crc = binascii.crc32(data)
    if size is None:
        size = len(data) & 0xFFFFFFFF
    return gzip_header(**header) + body + struct.pack("<II", crc & 0xFFFFFFFF, size)


JSLB_MAGIC = bytes([0xDC, 0xDF, 0x4A, 0x53, 0x4C, 0x42, 0x01, 0x00])
SLAB = {"i8": (0, "b"), "u8": (1, "B"), "i16": (2, "h"), "u16": (3, "H"), "i32": (4, "i"),
        "u32": (5, "I"), "f32": (6, "f"), "f64": (7, "d"), "i64": (8, "q"), "u64": (9, "Q")}
JSON_SLAB = 10


def typed(kind, values):
    code, letter = SLAB[kind]
    return code, struct.pack("<%d%s" % (len(values), letter), *values)


def jslb(slabs, root, magic=JSLB_MAGIC, version=1, count=None, edit=None, tail=b""):
    """slabs: list of (type, bytes). `edit(entries)` may change [type, offset, length] triples."""
    n = len(slabs)
    at = 20 + 12 * n
    entries, body = [], b""
    for kind, data in slabs:
        pad = -(at + len(body)) % 8
        body += b"\0" * pad
        entries.append([kind, at + len(body), len(data)])
        body += data
    if edit:
        edit(entries)
    head = magic + struct.pack("<III", version, n if count is None else count, root)
    return head + b"".join(struct.pack("<III", *e) for e in entries) + body + tail
