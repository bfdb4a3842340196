#!/usr/bin/env python3
"""Damaged ELF files: each is looked up through the backend, which must neither crash nor hang.

usage: elf_bad.py LOOKUP    in a scratch folder

From a small program with DWARF: cut at many places, and header fields set to values that lie.
Addresses of the whole program are looked up; the number of runs that gave names, that gave reasons,
and whether any ended by a signal or wrote to stderr something else than one line are told.
"""
import os
import random
import struct
import subprocess
import sys

SOURCE = """
static volatile int sink;
static inline int twice(int n) { return n * 2; }
int spin(int n) { for (int i = 0; i < n; i++) sink += twice(i); return sink; }
int main(int argc, char **argv) { (void)argv; return spin(argc); }
"""


def field_spots(data):
    """(offset, size) of every field of the headers."""
    spots = [(i, 1) for i in range(4, 16)]
    for off, fmt in ((16, "HHIQQQIHHHHHH"),):
        for c in fmt:
            n = struct.calcsize("<" + c)
            spots.append((off, n))
            off += n
    phoff, shoff = struct.unpack_from("<2Q", data, 32)
    phn = struct.unpack_from("<H", data, 56)[0]
    shn = struct.unpack_from("<H", data, 60)[0]
    for start, count, fmt in ((phoff, phn, "IIQQQQQQ"), (shoff, shn, "IIQQQQIIQQ")):
        for i in range(count):
            off = start + i * struct.calcsize("<" + fmt)
            for c in fmt:
                n = struct.calcsize("<" + c)
                spots.append((off, n))
                off += n
    return spots


def main():
    lookup = sys.argv[1]
    open("p.c", "w").write(SOURCE)
    subprocess.run(["gcc", "-g", "-O1", "-o", "whole", "p.c"], check=True)
    data = open("whole", "rb").read()
    rng = random.Random(3)
    variants = [data[:n] for n in sorted(rng.sample(range(len(data)), 100)) + [0, 1, 4, 16, 63, 64, 65]]
    spots = field_spots(data)
    for off, n in rng.sample(spots, min(len(spots), 300)):
        value = rng.choice((0, 1, 0x7f, 0xff, 0x1000, 0xffff, len(data), len(data) - 1, 2 ** 31, 2 ** 32 - 1,
                            2 ** 63, 2 ** 64 - 1, 2 ** 64 - 64)) & (256 ** n - 1)
        variants.append(data[:off] + value.to_bytes(n, "little") + data[off + n:])
    for _ in range(150):
        bad = bytearray(data)
        for _ in range(rng.randrange(1, 40)):
            bad[rng.randrange(len(bad))] = rng.randrange(256)
        variants.append(bytes(bad))
    addresses = "".join("%x\n" % a for a in list(range(0x1000, 0x1200, 3)) + [0, 2 ** 64 - 1])
    named = refused = crashed = 0
    for i, v in enumerate(variants):
        with open("bad", "wb") as f:
            f.write(v)
        try:
            r = subprocess.run([lookup, "bad"], input=addresses.encode(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, timeout=20)
        except subprocess.TimeoutExpired:
            r = None
        if r and r.returncode == 0 and not r.stderr:
            named += 1
        elif r and r.returncode == 1 and r.stderr.count(b"\n") == 1:
            refused += 1
        else:
            crashed += 1
            os.rename("bad", "bad.%d" % i)
            print("bad.%d: %s" % (i, "hangs" if not r else "%d %s" % (r.returncode, r.stderr[-300:])))
    print("crashed: %d" % crashed)
    print("read and refused: %s" % ("some of both" if named > 50 and refused > 50 else (named, refused)))


main()
