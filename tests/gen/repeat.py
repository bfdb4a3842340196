#!/usr/bin/env python3
"""Writes a Firefox profile with the threads of another one many times, for a large input made fast.

usage: repeat.py IN.json TIMES OUT.json

IN is as genprofile.py writes it: version 49, threads last. Every copy of a thread has its own tid.
"""
import re, sys


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    text = open(sys.argv[1], "rb").read()
    at = text.index(b'"threads":[') + len(b'"threads":[')
    if not text.endswith(b"]}"):
        sys.exit("the threads are not the last member")
    threads = text[at:-2]
    with open(sys.argv[3], "wb") as fh:
        fh.write(text[:at])
        for i in range(int(sys.argv[2])):
            fh.write(b"," if i else b"")
            fh.write(re.sub(rb'"tid":"(\d+)"', lambda m: b'"tid":"%d%s"' % (i + 1, m.group(1)), threads))
        fh.write(b"]}")


if __name__ == "__main__":
    main()
