#!/usr/bin/env python3
"""The script people write: self time per function of a samply file (version 49 layout), top 30."""
import collections, gzip, json, sys

with gzip.open(sys.argv[1], "rt") as fh:
    profile = json.load(fh)
count = collections.Counter()
for thread in profile["threads"]:
    strings, funcs = thread["stringArray"], thread["funcTable"]["name"]
    frames, stacks = thread["frameTable"]["func"], thread["stackTable"]["frame"]
    for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
        if stack is not None:
            count[strings[funcs[frames[stacks[stack]]]]] += weight
for name, n in count.most_common(30):
    print(f"{n:10} {name}")
