#!/usr/bin/env python3
"""Writes testdata/bad, testdata/odd and testdata/json.

    genbad.py            write everything
    genbad.py --check    compare what is there with what would be written, and
                         check the data itself: JSON cases against Python's own
                         parser, profiles against the plain reader in refread.py

Standard library only. The output depends on nothing but this folder.
"""
import argparse
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import badcases  # noqa: E402
import jsoncases  # noqa: E402
import oddcases  # noqa: E402

KEEP = ("PROVENANCE.md", ".gitattributes")  # written by hand
ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def tsv(header, rows):
    for r in [header] + rows:
        for x in r:
            if "\t" in x or "\n" in x:
                raise ValueError("tab or line end in %r" % x)
    return "".join("\t".join(r) + "\n" for r in [header] + rows).encode()


def everything():
    """path below the root -> bytes"""
    out = {}

    def add(path, data):
        if path in out:
            raise ValueError("two files called " + path)
        out[path] = data

    bad = badcases.cases()
    for c in bad:
        add("testdata/bad/" + c.file, c.data)
    add("testdata/bad/EXPECT.tsv", tsv(["file", "exit", "where", "reason"],
                                       [[c.file, "1", c.where, c.reason] for c in bad]))
    odd = oddcases.cases()
    for file, data, _ in odd:
        add("testdata/odd/" + file, data)
    add("testdata/odd/EXPECT.tsv",
        tsv(["file", "version", "threads", "samples", "weight", "cpu_us", "null_stacks", "warn", "top"],
            [e.row(file) for file, _, e in odd]))
    add("testdata/odd/THREADS.tsv",
        tsv(["file", "thread", "name", "pid", "tid", "samples", "weight", "cpu_us", "null_stacks",
             "first_ms", "last_ms", "markers"], oddcases.thread_rows(odd)))
    add("testdata/odd/LOGICAL.tsv",
        tsv(["thread", "time_ms", "weight", "cpu_us", "stack"], oddcases.logical()))
    cases, document = jsoncases.cases()
    add("testdata/json/cases.tsv", tsv(["name", "verdict", "hex", "value", "byte"], cases))
    add("testdata/json/truncate.json", document)
    return out, bad, odd, cases, document


def write(files):
    for folder in ("bad", "odd", "json"):
        top = os.path.join(ROOT, "testdata", folder)
        for name in os.listdir(top) if os.path.isdir(top) else []:
            if name not in KEEP:
                os.remove(os.path.join(top, name))
    for path, data in files.items():
        full = os.path.join(ROOT, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as f:
            f.write(data)


def check(files, bad, odd, cases, document):
    import checkdata
    faults = []
    for path, data in files.items():
        full = os.path.join(ROOT, path)
        if not os.path.exists(full):
            faults.append("missing: " + path)
        else:
            with open(full, "rb") as f:
                if f.read() != data:
                    faults.append("differs: " + path)
    for folder in ("bad", "odd", "json"):
        top = os.path.join(ROOT, "testdata", folder)
        for name in sorted(os.listdir(top)) if os.path.isdir(top) else []:
            if "testdata/%s/%s" % (folder, name) not in files and name not in KEEP:
                faults.append("stray: testdata/%s/%s" % (folder, name))
    faults += checkdata.json_cases(cases, document)
    faults += checkdata.bad_files(bad)
    faults += checkdata.odd_files(odd)
    return faults


def main():
    ap = argparse.ArgumentParser(description="writes the broken, odd and JSON test data")
    ap.add_argument("--check", action="store_true", help="write nothing, check what is there")
    args = ap.parse_args()
    files, bad, odd, cases, document = everything()
    if not args.check:
        write(files)
    else:
        faults = check(files, bad, odd, cases, document)
        for f in faults:
            print(f, file=sys.stderr)
        if faults:
            return 1
    print("bad %d, odd %d, json %d cases, %d files, %d bytes, largest %d" % (
        len(bad), len(odd), len(cases), len(files), sum(map(len, files.values())),
        max(map(len, files.values()))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
