#!/usr/bin/env python3
"""Prints the totals of the recordings in firefox/ as the table kept in totals.tsv.

Usage: totals.py FILE...

It knows just enough of the format to add up columns, and shares no code with cpuprof: its figures are what the tests
compare cpuprof's with. Every thread counts, with or without samples, also the threads of CPUs that --per-cpu-threads
adds. cpu_us is the sum of threadCPUDelta, the first row of each thread included. null_stacks counts samples without
a stack.
"""
import gzip
import json
import os
import sys

print("file\tversion\tthreads\tsamples\tweight\tcpu_us\tnull_stacks")
for path in sys.argv[1:]:
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    profile = json.loads(data)
    assert profile["meta"]["sampleUnits"]["threadCPUDelta"] == "µs"
    samples = weight = cpu = null_stacks = 0
    for thread in profile["threads"]:
        table = thread["samples"]
        assert table["weightType"] == "samples"
        for column in ("stack", "time", "weight", "threadCPUDelta"):
            assert len(table[column]) == table["length"], (path, column)
        samples += table["length"]
        weight += sum(table["weight"])
        cpu += sum(table["threadCPUDelta"])
        null_stacks += table["stack"].count(None)
    print(os.path.basename(path), profile["meta"]["preprocessedProfileVersion"], len(profile["threads"]),
          samples, weight, cpu, null_stacks, sep="\t")
