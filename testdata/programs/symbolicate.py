#!/usr/bin/env python3
"""Puts names into a recording of samply, for the recordings named *-named.json.gz.

Usage: symbolicate.py PROFILE URL OUTPUT

samply writes functions as addresses; names appear when the Firefox Profiler page, opened by samply, asks the symbol
server that samply runs beside it. This does what the page does, without a browser: it asks the same server and enters
the answers as the page would. URL is that of the server, or the longer one `samply load --no-open PROFILE` prints.

PROFILE is of version 49 (samply 0.13) and has no names yet. An address becomes one frame for the function it is in
and, below that, one for each function inlined there; functions are told apart by library, name and file. As on the
page, rows of funcTable that are no longer in use keep their address for a name. A library the server does not know
stays as it is. Equal answers make equal bytes.
"""
import gzip
import json
import sys
import urllib.parse
import urllib.request

VERSION = 49
RESOURCE_LIBRARY = 1


def ask(server, libs, addresses):
    """Returns {(lib, address): answer} for addresses, a list of such pairs."""
    known = {}
    for lib in sorted({lib for lib, _ in addresses}):
        wanted = sorted({address for l, address in addresses if l == lib})
        key = [libs[lib]["debugName"], libs[lib]["breakpadId"]]
        body = {"jobs": [{"memoryMap": [key], "stacks": [[[0, address] for address in wanted]]}]}
        request = urllib.request.Request(server.rstrip("/") + "/symbolicate/v5", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        # The server is on this machine, whatever proxy there may be.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request) as reply:
            result = json.load(reply)["results"][0]
        if not result["found_modules"].get("/".join(key)):
            print("no symbols:", "/".join(key), file=sys.stderr)
            continue
        answers = result["stacks"][0]
        assert [int(a["module_offset"], 16) for a in answers] == wanted
        known.update(((lib, address), answer) for address, answer in zip(wanted, answers))
    return known


def native_frames(thread):
    """Yields (frame, lib) for every frame at an address in a library."""
    frames, funcs, resources = thread["frameTable"], thread["funcTable"], thread["resourceTable"]
    for frame in range(frames["length"]):
        resource = funcs["resource"][frames["func"][frame]]
        if frames["address"][frame] >= 0 and resource >= 0 and resources["type"][resource] == RESOURCE_LIBRARY:
            assert frames["inlineDepth"][frame] == 0
            yield frame, resources["lib"][resource]


def add_row(table, **values):
    """Appends a row and returns its index; columns not given get null."""
    for column in table:
        if column != "length":
            table[column].append(values.get(column))
    table["length"] += 1
    return table["length"] - 1


class Symbolicator:
    """Enters the answers into one thread."""

    def __init__(self, thread, known):
        self.thread = thread
        self.known = known
        self.string_index = {}
        for i, text in enumerate(thread["stringArray"]):
            self.string_index.setdefault(text, i)
        self.symbols = {}   # (lib, address of the function) -> row of nativeSymbols
        self.funcs = {}     # (resource, name, file) -> row of funcTable
        self.spare = {}     # resource -> rows of funcTable that lost their frames, to be used again
        self.chains = {}    # frame -> itself and the frames inlined into it, outermost first

    def string(self, text):
        if text is None:
            return None
        if text not in self.string_index:
            self.string_index[text] = len(self.thread["stringArray"])
            self.thread["stringArray"].append(text)
        return self.string_index[text]

    def symbol(self, lib, address, answer):
        start = address - int(answer.get("function_offset", "0x0"), 16)
        if (lib, start) not in self.symbols:
            size = int(answer["function_size"], 16) if "function_size" in answer else None
            self.symbols[lib, start] = add_row(self.thread["nativeSymbols"], libIndex=lib, address=start,
                                               name=self.string(answer["function"]), functionSize=size)
        return self.symbols[lib, start]

    def func(self, resource, name, file):
        key = resource, self.string(name), self.string(file)
        if key not in self.funcs:
            table = self.thread["funcTable"]
            if self.spare[resource]:
                row = self.spare[resource].pop(0)
                table["name"][row], table["fileName"][row] = key[1:]
            else:
                row = add_row(table, name=key[1], isJS=False, relevantForJS=False, resource=resource, fileName=key[2])
            self.funcs[key] = row
        return self.funcs[key]

    def name_frame(self, frame, lib):
        table = self.thread["frameTable"]
        address = table["address"][frame]
        answer = dict(self.known[lib, address])
        # Between or before the functions: the page's words.
        answer.setdefault("function", "<unknown at %s>" % answer["module_offset"])
        resource = self.thread["funcTable"]["resource"][table["func"][frame]]
        table["nativeSymbol"][frame] = self.symbol(lib, address, answer)
        # The answer has the innermost of the inlined functions first.
        chain = [answer] + answer.get("inlines", [])[::-1]
        self.chains[frame] = []
        for depth, level in enumerate(chain):
            row = frame
            if depth > 0:
                row = add_row(table, **{column: table[column][frame] for column in table if column != "length"})
            name = level.get("function") or "<unknown at %s at inline depth %d>" % (answer["module_offset"], depth)
            table["inlineDepth"][row] = depth
            table["func"][row] = self.func(resource, name, level.get("file"))
            table["line"][row] = level.get("line")
            self.chains[frame].append(row)

    def expand_stacks(self):
        """Makes a path of nodes of every node whose frame has inlined ones, and leads all stacks to their ends."""
        old = self.thread["stackTable"]
        new = {column: [] for column in old if column != "length"}
        new["length"] = 0
        ends = {None: None}
        for node in range(old["length"]):
            prefix = ends[old["prefix"][node]]
            for frame in self.chains.get(old["frame"][node], [old["frame"][node]]):
                prefix = add_row(new, prefix=prefix, frame=frame, category=old["category"][node],
                                 subcategory=old["subcategory"][node])
            ends[node] = prefix
        old.update(new)
        self.thread["samples"]["stack"] = [ends[node] for node in self.thread["samples"]["stack"]]
        for data in self.thread["markers"]["data"]:
            if data and data.get("cause"):
                data["cause"]["stack"] = ends[data["cause"]["stack"]]
        assert "jsAllocations" not in self.thread and "nativeAllocations" not in self.thread

    def run(self):
        funcs = self.thread["funcTable"]
        frames = [(frame, lib) for frame, lib in native_frames(self.thread)
                  if (lib, self.thread["frameTable"]["address"][frame]) in self.known]
        for row in sorted({self.thread["frameTable"]["func"][frame] for frame, _ in frames}):
            self.spare.setdefault(funcs["resource"][row], []).append(row)
        for frame, lib in frames:
            self.name_frame(frame, lib)
        self.expand_stacks()


def main(source, url, output):
    profile = json.loads(gzip.open(source).read())
    assert profile["meta"]["preprocessedProfileVersion"] == VERSION and not profile["meta"]["symbolicated"]
    server = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query).get("symbolServer", [url])[0]
    addresses = [(lib, thread["frameTable"]["address"][frame])
                 for thread in profile["threads"] for frame, lib in native_frames(thread)]
    known = ask(server, profile["libs"], addresses)
    for thread in profile["threads"]:
        Symbolicator(thread, known).run()
    profile["meta"]["symbolicated"] = True
    text = json.dumps(profile, ensure_ascii=False, separators=(",", ":"))
    with open(output, "wb") as file:
        file.write(gzip.compress(text.encode(), 9, mtime=0))


if len(sys.argv) != 4:
    sys.exit(__doc__.split("\n\n")[1])
main(*sys.argv[1:])
