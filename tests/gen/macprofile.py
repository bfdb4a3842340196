#!/usr/bin/env python3
"""A small Firefox profile (version 60) with libraries of macOS whose places have no names.

    macprofile.py OUT.json LIB...
    LIB = BINARY[,key=value...]:ADDRESS[,ADDRESS...]

ADDRESS is hex and relative to __TEXT; the n-th address of all occurs in n samples, as a leaf. The
UUID and architecture are those of BINARY, a Mach-O file (the first architecture of a universal one).
Keys change what is recorded: path, name, arch, uuid, codeid ("" leaves it out).
"""
import json
import os
import struct
import sys

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
    out, specs = sys.argv[1], sys.argv[2:]
    strings, libs, rows = [], [], []

    def text(s):
        if s not in strings:
            strings.append(s)
        return strings.index(s)

    for spec in specs:
        lib, addresses = library(spec)
        libs.append(lib)
        rows += [(len(libs) - 1, a) for a in addresses]
    n = len(rows)
    samples = [i for i in range(n) for _ in range(i + 1)]
    nulls, zeros = [None] * n, [0] * n
    shared = {
        "stackTable": {"length": n, "frame": list(range(n)), "prefix": nulls},
        "frameTable": {"length": n, "func": list(range(n)), "address": [a for _, a in rows],
                       "inlineDepth": zeros, "category": zeros, "subcategory": zeros,
                       "nativeSymbol": nulls, "innerWindowID": zeros, "line": nulls,
                       "column": nulls},
        "funcTable": {"length": n, "name": [text("0x%x" % a) for _, a in rows],
                      "isJS": [False] * n, "relevantForJS": [False] * n,
                      "resource": [lib for lib, _ in rows], "source": nulls, "lineNumber": nulls,
                      "columnNumber": nulls},
        "resourceTable": {"length": len(libs), "lib": list(range(len(libs))),
                          "name": [text(lib["name"]) for lib in libs],
                          "host": [None] * len(libs), "type": [1] * len(libs)},
        "nativeSymbols": {"length": 0, "libIndex": [], "address": [], "name": [],
                          "functionSize": []},
        "sources": {"length": 0, "uuid": [], "filename": []},
        "stringArray": strings,
    }
    thread = {"name": "main", "isMainThread": True, "processType": "default", "processName": "prog",
              "pid": "1", "tid": "1", "processStartupTime": 0, "processShutdownTime": None,
              "registerTime": 0, "unregisterTime": None, "pausedRanges": [],
              "samples": {"length": len(samples), "stack": samples,
                          "time": list(range(len(samples))), "weight": [1] * len(samples),
                          "weightType": "samples"},
              "markers": {"length": 0, "name": [], "category": [], "startTime": [], "endTime": [],
                          "phase": [], "data": []}}
    profile = {"meta": {"version": 24, "preprocessedProfileVersion": 60, "interval": 1,
                        "startTime": 1700000000000, "processType": 0, "product": "prog",
                        "stackwalk": 1, "symbolicated": False, "oscpu": "macOS 14.5",
                        "categories": [{"name": "Other", "color": "grey",
                                        "subcategories": ["Other"]}], "markerSchema": []},
               "libs": libs, "shared": shared, "threads": [thread], "pages": [], "counters": [],
               "profilerOverhead": []}
    with open(out, "w") as f:
        json.dump(profile, f)


if __name__ == "__main__":
    main()
