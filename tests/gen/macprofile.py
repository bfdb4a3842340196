#!/usr/bin/env python3
"""A small Firefox profile (version 60) with libraries of macOS whose places have no names.

    macprofile.py OUT.json LIB...
    LIB = BINARY[,key=value...]:ADDRESS[,ADDRESS...]

ADDRESS is hex and relative to __TEXT; the n-th address of all occurs in n samples, as a leaf. The
UUID and architecture are those of BINARY, a Mach-O file (the first architecture of a universal one).
Keys change what is recorded: path, name, arch, uuid, codeid ("" leaves it out).
"""
import os
import struct
import sys

from places import firefox

ARCHS = {(0x0100000C, 0): "arm64", (0x0100000C, 2): "arm64e", (0x01000007, 3): "x86_64",
         (0x01000007, 8): "x86_64h"}


def describe(path):
    data = open(path, "rb").read()
    at = 0
    if data[:4] == b"\xca\xfe\xba\xbe":
        at = struct.unpack_from(">I", data, 8 + 8)[0]
    magic, cpu, sub, _, n = struct.unpack_from("<5I", data, at)
    if magic != 0xFEEDFACF:
        sys.exit(path + ": not a 64-bit little-endian Mach-O file")
    arch = ARCHS.get((cpu, sub & 0xFFFFFF), "unknown")
    uuid = None
    at += 32
    for _ in range(n):
        cmd, size = struct.unpack_from("<2I", data, at)
        if cmd == 0x1B:
            uuid = data[at + 8:at + 24].hex().upper()
        at += size
    return arch, uuid


def library(spec):
    file, addresses = spec.rsplit(":", 1)
    file, *changes = file.split(",")
    changed = dict(c.split("=", 1) for c in changes)
    arch, uuid = describe(file) if os.path.exists(file) else ("arm64", "0" * 32)
    uuid = changed.get("uuid", uuid)
    path = changed.get("path", os.path.abspath(file))
    name = changed.get("name", os.path.basename(path))
    lib = {"name": name, "path": path, "debugName": name, "debugPath": path,
           "arch": changed.get("arch", arch), "breakpadId": uuid + "0",
           "codeId": changed.get("codeid", uuid) or None}
    return lib, [int(a, 16) for a in addresses.split(",")]


def main():
    libs, places = [], []
    for spec in sys.argv[2:]:
        lib, addresses = library(spec)
        libs.append(lib)
        places += [(len(libs) - 1, a) for a in addresses]
    firefox(sys.argv[1], libs, places, oscpu="macOS 14.5")


if __name__ == "__main__":
    main()
