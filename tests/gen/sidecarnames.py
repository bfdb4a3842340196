#!/usr/bin/env python3
"""Names of functions with self values, by PROFILE and its .syms.json, each with its CPU time.

Usage: sidecarnames.py PROFILE SIDECAR          writes "name<TAB>ns" lines, sorted
       sidecarnames.py --csv NAMES < top.csv    compares them with what `top --format csv -n 0` printed

An independent reading for tests: samples of version 49 profiles, leaf frames, their addresses looked up exactly. Entries
that serve one address give their innermost function, others (samply 0.13) the symbol.
"""
import collections
import csv
import json
import sys


def self_values(profile, sidecar):
    strings = sidecar["string_table"]
    tables = {}
    for lib in sidecar["data"]:
        key = lib["debug_id"].replace("-", "").upper() + "0"
        uses = collections.Counter(row for _, row in lib["known_addresses"])
        tables[key] = {}
        for address, row in lib["known_addresses"]:
            entry = lib["symbol_table"][row]
            frames = entry.get("frames") or []
            exact = uses[row] == 1 and frames and frames[0]["function"]
            tables[key][address] = strings[frames[0]["function"] if exact else entry["symbol"]]
    values = collections.Counter()
    for thread in profile["threads"]:
        samples, stacks, frames = thread["samples"], thread["stackTable"], thread["frameTable"]
        functions, resources = thread["funcTable"], thread["resourceTable"]
        for stack, delta in zip(samples["stack"], samples["threadCPUDelta"]):
            if stack is None or not delta:
                continue
            frame = stacks["frame"][stack]
            resource = functions["resource"][frames["func"][frame]]
            if resource < 0:
                continue
            lib = profile["libs"][resources["lib"][resource]]
            name = tables.get(lib["breakpadId"], {}).get(frames["address"][frame])
            if name:
                values[name] += delta * 1000
    return values


def main():
    if sys.argv[1] == "--csv":
        with open(sys.argv[2]) as f:
            want = dict((name, int(ns)) for name, ns in (line.rstrip("\n").split("\t") for line in f))
        got = collections.Counter()
        for row in csv.DictReader(sys.stdin):
            if int(row["flat"]):
                got[row["name"]] += int(row["flat"])
        equal = sum(1 for name, ns in want.items() if got.get(name) == ns)
        for name in sorted(want):
            if got.get(name) != want[name]:
                print("differs:", name, want[name], got.get(name))
        print(equal, "equal;", len([name for name in got if name not in want]), "more rows")
        return
    with open(sys.argv[1]) as f:
        profile = json.load(f)
    with open(sys.argv[2]) as f:
        sidecar = json.load(f)
    for name, ns in sorted(self_values(profile, sidecar).items()):
        print("%s\t%d" % (name, ns))


main()
