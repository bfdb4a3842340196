#!/usr/bin/env python3
"""A small profile with libraries whose places have no names: Firefox (OUT ends in .json) or pprof.

    elfprofile.py OUT LIB...
    LIB = BINARY[,key=value...]:PLACE[,PLACE...]
    PLACE = SYMBOL[+HEX] (of BINARY's .symtab or .dynsym) or HEX, an address as the linker gave it

The n-th place of all occurs in n samples, as a leaf. In Firefox profiles addresses count from the
first PT_LOAD segment. In pprof files the segment with the place lies at start= (of its page), and
limit and offset follow; with start=0 the mapping covers all memory (limit=0, or ffff...: limit=). The
build id is that of BINARY. Keys change what is recorded: path, name, id, debugid, start, limit, offset
("" leaves out; numbers hex). shift=HEX is added to the address that is recorded. memory=HEX is a start
for places that are addresses in memory; began= and lasted= (of the first library) are nanoseconds.
"""
import os
import struct
import subprocess
import sys

from places import firefox as write_firefox

PAGE = 4096


class Elf:
    def __init__(self, path):
        self.data = data = open(path, "rb").read()
        self.id, self.loads, self.symbols, self.code = "", [], {}, None
        if data[:4] != b"\x7fELF":
            return
        phoff, phsize, phn = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<2H", data, 54)
        for i in range(phn):
            kind, flags, off, vaddr, _, filesz, memsz, align = struct.unpack_from("<2I6Q", data, phoff + i * phsize)
            if kind == 1:
                self.loads.append((off, vaddr, filesz, memsz))
                if flags & 1 and not self.code:
                    self.code = (vaddr, memsz)
            while kind == 4 and filesz >= 16:
                n, d, t = struct.unpack_from("<3I", data, off)
                end = 12 + (n + 3 & ~3) + d
                if t == 3 and data[off + 12:off + 16] == b"GNU\0":
                    self.id = data[off + end - d:off + end].hex()
                step = end + align - 1 & ~(align - 1)
                off, filesz = off + step, filesz - step
        for flag in ("-D", "-a"):
            out = subprocess.run(["nm", flag, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 text=True).stdout
            for line in out.splitlines():
                f = line.split()
                if len(f) == 3:
                    self.symbols[f[2].split("@")[0]] = int(f[0], 16)

    def address(self, place):
        name, _, more = place.partition("+")
        if name in self.symbols:
            return self.symbols[name] + int(more or "0", 16)
        return int(place, 16)


def debug_id(build_id):
    if not build_id:
        return "0" * 33
    b = (bytes.fromhex(build_id) + bytes(16))[:16]
    return (b[3::-1] + b[5:3:-1] + b[7:5:-1] + b[8:]).hex().upper() + "0"


def parse(spec):
    file, places = spec.rsplit(":", 1)
    file, *changes = file.split(",")
    changed = dict(c.split("=", 1) for c in changes)
    elf = Elf(file)
    lib = {"path": os.path.abspath(file), "id": elf.id}
    lib.update(changed)
    lib.setdefault("name", os.path.basename(lib["path"].replace(" (deleted)", "")))
    lib.setdefault("debugid", debug_id(lib["id"]))
    shift = int(lib.get("shift", "0"), 16)
    return elf, lib, [elf.address(p) + shift for p in places.split(",")]


def firefox(out, libs):
    rows, records = [], []
    for elf, lib, places in libs:
        records.append({"name": lib["name"], "path": lib["path"], "debugName": lib["name"],
                        "debugPath": lib["path"], "breakpadId": lib["debugid"], "arch": None,
                        "codeId": lib["id"] or None})
        base = elf.loads[0][1] if elf.loads else 0
        rows += [(len(records) - 1, a - base) for a in places]
    write_firefox(out, records, rows)


def varint(v):
    out = b""
    while v > 127:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def field(number, v):
    if isinstance(v, int):
        return varint(number << 3) + varint(v) if v else b""
    return varint(number << 3 | 2) + varint(len(v)) + v


def place_mapping(elf, lib, places):
    """start, limit, offset of the mapping, and the addresses in memory."""
    if "memory" in lib:
        return int(lib["memory"], 16), int(lib.get("limit", "0"), 16), 0, places
    if "start" not in lib or int(lib["start"], 16) == 0:
        return 0, int(lib.get("limit", "0"), 16), 0, places
    start = int(lib["start"], 16)
    off, vaddr, filesz, _ = next(x for x in elf.loads if x[1] <= places[0] < x[1] + x[3])
    offset = int(lib["offset"], 16) if "offset" in lib else off & ~(PAGE - 1)
    limit = int(lib["limit"], 16) if "limit" in lib else start + (off + filesz - offset + PAGE - 1 & ~(PAGE - 1))
    return start, limit, offset, [p - vaddr + off - offset + start for p in places]


def pprof(out, libs):
    strings, body, n = [""], b"", 0

    def text(s):
        if s not in strings:
            strings.append(s)
        return strings.index(s)

    body += field(1, field(1, text("samples")) + field(2, text("count")))
    for i, (elf, lib, places) in enumerate(libs):
        start, limit, offset, places = place_mapping(elf, lib, places)
        body += field(3, field(1, i + 1) + field(2, start) + field(3, limit) + field(4, offset) +
                      field(5, text(lib["path"])) + field(6, text(lib["id"])))
        for a in places:
            n += 1
            body += field(4, field(1, n) + field(2, i + 1) + field(3, a))
            body += field(2, field(1, n) + field(2, n))
    if "began" in libs[0][1]:
        body += field(9, int(libs[0][1]["began"])) + field(10, int(libs[0][1]["lasted"]))
    for s in strings:
        body += field(6, s.encode())
    with open(out, "wb") as f:
        f.write(body)


def main():
    libs = [parse(s) for s in sys.argv[2:]]
    (firefox if sys.argv[1].endswith(".json") else pprof)(sys.argv[1], libs)


if __name__ == "__main__":
    main()
