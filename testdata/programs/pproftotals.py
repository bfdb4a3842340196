#!/usr/bin/env python3
"""Prints the totals of pprof files as the table kept in totals-pprof.tsv: a row for each sample type of each file.

Usage: pproftotals.py FILE...

Like totals.py it shares no code with cpuprof. It reads the wire format by hand and knows only the fields it needs:
of Profile 1 sample_type, 2 sample, 3 mapping, 4 location, 5 function, 6 string_table; of ValueType 1 type, 2 unit; of
Sample 2 value.
"""
import gzip
import os
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Yields (field number, value): an int for varints, bytes for everything length-delimited."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at : at + value], at + value
        else:
            assert tag & 7 == 0, "wire type not used by pprof"
        yield tag >> 3, value


def integers(value):
    """The integers of one repeated field: packed bytes, or a single one."""
    if isinstance(value, int):
        return [value]
    result, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        result.append(number)
    return result


def signed(number):
    return number - (1 << 64) if number >> 63 else number


print("file\ttype\tunit\tsum\tsamples\tmappings\tlocations\tfunctions")
for path in sys.argv[1:]:
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    top = list(fields(data))
    strings = [value.decode() for number, value in top if number == 6]
    types = [dict(fields(value)) for number, value in top if number == 1]
    sums = [0] * len(types)
    for sample in (value for number, value in top if number == 2):
        values = [v for number, value in fields(sample) if number == 2 for v in integers(value)]
        assert len(values) == len(types)
        sums = [total + signed(v) for total, v in zip(sums, values)]
    counts = [sum(number == n for number, _ in top) for n in (2, 3, 4, 5)]
    for kind, total in zip(types, sums):
        print(os.path.basename(path), strings[kind[1]], strings[kind[2]], total, *counts, sep="\t")
