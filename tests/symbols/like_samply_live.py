#!/usr/bin/env python3
"""Programs are recorded with samply, and samply's symbol server and cpuprof name the same addresses:
function, file, line and inlined functions of each, and the 30 functions that cost most.

usage: like_samply_live.py CPUPROF FOLDER     FOLDER: scratch

Needs samply, and a system that lets it record; says so where they are missing. What may differ is listed
in docs/symbols.md; each kind is counted, and anything else is a failure.
"""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = "2"
RESOURCE_LIBRARY = 1
PROGRAMS = {
    "c": ["gcc", "-g", "-O2", "-pthread", "-o", "live-c", "live.c"],
    "c++": ["g++", "-g", "-O2", "-std=c++17", "-pthread", "-o", "live-c++", "live.cc"],
    "c++-clang": ["clang++", "-g", "-O1", "-std=c++17", "-pthread", "-o", "live-c++-clang", "live.cc"],
    "rust": ["rustc", "--edition", "2021", "-g", "-O", "-o", "live-rust", "live.rs"],
}
passed = failed = 0


def check(what, bad):
    global passed, failed
    if bad:
        failed += 1
        print("FAIL %s: %d, such as:" % (what, len(bad)))
        for line in bad[:5]:
            print("    " + str(line)[:1500])
    else:
        passed += 1
        print("ok   " + what)


def skip(why):
    print("SKIP: " + why)
    print("live: 0 passed, 0 failed")
    sys.exit(0)


def read_json(path):
    with open(path, "rb") as file:
        data = file.read()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def native_frames(profile):
    """(library, address, depth, (name, file, line)) of every frame of the profile, which is of version 49."""
    for thread in profile["threads"]:
        frames, funcs, resources = thread["frameTable"], thread["funcTable"], thread["resourceTable"]
        strings = thread["stringArray"] + [None]
        for i in range(frames["length"]):
            func = frames["func"][i]
            resource = funcs["resource"][func]
            if frames["address"][i] < 0 or resource < 0 or resources["type"][resource] != RESOURCE_LIBRARY:
                continue
            file = funcs["fileName"][func]
            yield (resources["lib"][resource], frames["address"][i], frames["inlineDepth"][i],
                   (strings[funcs["name"][func]], strings[-1 if file is None else file], frames["line"][i]))


class Server:
    """samply's, over one recording."""

    def __init__(self, path):
        self.process = subprocess.Popen(["samply", "load", "--no-open", "-P", "3470+", path],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.url = None
        for line in self.process.stdout:
            found = re.search(r"https?://(?:127\.0\.0\.1|localhost):[0-9]+/[0-9a-z]{20,}",
                              urllib.parse.unquote(line))
            if found:
                self.url = found.group(0)
                break

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def ask(self, lib, addresses):
        body = {"jobs": [{"memoryMap": [[lib["debugName"], lib["breakpadId"]]],
                          "stacks": [[[0, a] for a in addresses]]}]}
        request = urllib.request.Request(self.url + "/symbolicate/v5", json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=120) as reply:
            stack = json.load(reply)["results"][0]["stacks"][0]
        for address, answer in zip(addresses, stack):
            chain = answer.get("inlines", []) + [answer]
            yield address, [(f.get("function"), f.get("file"), f.get("line")) for f in chain]


def last_name(name):
    """The identifier alone: no namespace, arguments, parameters, leading underscores."""
    name = re.sub(r" \(\+[0-9]+ alias(es)?\)$", "", name)
    name = re.sub(r"( \[clone [.\w]+\])+$", "", name)
    name = re.sub(r"operator\(\)", "operator_call", name)
    name = re.sub(r"operator(<=>|->\*?|<<=?|>>=?|<=?|>=?)", lambda m: "operator_" + str(len(m.group(1))), name)
    out, depth = "", 0
    for c in name:
        depth += c in "<({["
        if not depth:
            out += c
        depth -= c in ">)}]"
    return out.split("::")[-1].strip().lstrip("_")


def demangled(name):
    return subprocess.run(["c++filt", "-i", name], capture_output=True, text=True).stdout.strip()


def unnamed(name):
    return not name or re.fullmatch(r"(0x|fun_)[0-9a-f]+", name) is not None


def kind_of_name(theirs, ours):
    """Why the names of a function differ: None if they do not, "" if there is no reason."""
    if theirs == ours:
        return None
    if unnamed(theirs):
        return "stub, or only its start known" if unnamed(ours) or ours.endswith("@plt") else ""
    ours = re.sub(r" \(\+[0-9]+ alias(es)?\)$", "", ours)
    if ours == "_" + theirs or ours == theirs:
        return "underscore" if ours != theirs else "aliases"
    if theirs == "EntryPoint" and ours == "_start":
        return "entry point"
    if re.match(r"_?Z", theirs):
        text = demangled("_" + theirs.lstrip("_"))
        return "left mangled" if text == ours or text.endswith(" " + ours) else ""
    if last_name(theirs) == last_name(ours):
        return "spelling of C++"
    return ""


def plain_path(file):
    """samply points files of packages to where they are kept."""
    special = re.match(r"(?:git|hg|s3|cargo):[^:]*:([^:]*):?", file or "")
    return special.group(1) if special else file


def same_path(theirs, ours):
    return theirs == ours or (plain_path(theirs) != theirs and (ours or "").endswith("/" + plain_path(theirs)))


def compare(what, theirs, ours):
    kinds, names, files, lines, chains = Counter(), [], [], [], []
    equal = 0
    for key, chain in theirs.items():
        mine = ours.get(key, [])
        if chain == mine:
            equal += 1
        elif len(chain) != len(mine):
            chains.append((key, chain, mine))
        else:
            for a, b in zip(chain, mine):
                kind = kind_of_name(a[0], b[0])
                if kind == "":
                    names.append((key, a[0], b[0]))
                elif kind:
                    kinds[kind] += 1
                if unnamed(a[0]):
                    continue
                if not same_path(a[1], b[1]):
                    files.append((key, a, b))
                elif a[1] != b[1]:
                    kinds["file in a repository"] += 1
                if a[2] != b[2]:
                    lines.append((key, a, b))
    inlined = sum(len(c) > 1 for c in theirs.values())
    print("%s: %d addresses, %d with inlined functions, %d equal; known: %s" % (
        what, len(theirs), inlined, equal, ", ".join("%s %d" % k for k in sorted(kinds.items())) or "none"))
    check(what + ": enough to compare", [] if len(theirs) >= 50 and inlined >= 10 else [len(theirs)])
    check(what + ": inline chains", chains)
    check(what + ": names", names)
    check(what + ": files", files)
    check(what + ": lines", lines)


def costs(cpuprof, path, *options):
    """The functions that cost most, by the last part of their names."""
    out = subprocess.run([cpuprof, "top", "-q", "-n", "0", "--format", "json", *options, path],
                         capture_output=True, text=True, check=True).stdout
    rows = Counter()
    for row in json.loads(out)["rows"]:
        name = row["name"]
        if re.match(r"_?ZS?[tN0-9]", name):
            name = demangled("_" + name.lstrip("_"))
        if row.get("named", True) and not unnamed(name) and not name.endswith("@plt"):
            rows[last_name(name) or name] += row["flat"]
    return sorted(rows.items(), key=lambda r: (-r[1], r[0]))[:30]


def run(cpuprof, kind, recording):
    profile = read_json(recording)
    wanted = {}
    for lib, address, _, _ in native_frames(profile):
        wanted.setdefault(lib, set()).add(address)
    theirs, ours = {}, {}
    symbolicate = os.path.join(HERE, "../../testdata/programs/symbolicate.py")
    with Server(recording) as server:
        for lib, addresses in sorted(wanted.items()):
            name = profile["libs"][lib]["debugName"]
            for address, chain in server.ask(profile["libs"][lib], sorted(addresses)):
                theirs[name, address] = chain
        subprocess.run([sys.executable, symbolicate, recording, server.url, "theirs.json.gz"], check=True)
    subprocess.run([cpuprof, "convert", "-q", "--symbols", "--firefox-version", "49", recording,
                    "-o", "ours.json"], check=True)
    named = read_json("ours.json")
    for lib, address, depth, frame in native_frames(named):
        ours.setdefault((named["libs"][lib]["debugName"], address), {})[depth] = frame
    ours = {key: [v[d] for d in sorted(v, reverse=True)] for key, v in ours.items()}
    compare(kind, theirs, ours)
    mine, other = costs(cpuprof, recording), costs(cpuprof, "theirs.json.gz", "--no-symbols")
    check("%s: top %d" % (kind, len(mine)), [] if mine == other and len(mine) > 10
          else [set(mine) ^ set(other)])


def main():
    cpuprof, folder = sys.argv[1:]
    for tool in ("samply", "gcc", "g++", "c++filt"):
        if not shutil.which(tool):
            skip("no " + tool)
    version = subprocess.run([cpuprof, "--version"], capture_output=True, text=True).stdout
    if "elfutils" not in version:
        skip("built without elfutils")
    os.chdir(folder)
    os.environ["CPUPROF_SYMBOL_SOURCES"] = "elf"
    os.environ.pop("CPUPROF_NO_SYMBOLS", None)
    for kind, command in PROGRAMS.items():
        if not shutil.which(command[0]):
            print("skip %s: no %s" % (kind, command[0]))
            continue
        for name in command:
            if name.startswith("live."):
                shutil.copy(os.path.join(HERE, "live", name), name)
        subprocess.run(command, check=True)
        recording = "live-%s.json.gz" % kind
        done = subprocess.run(["samply", "record", "--save-only", "-o", recording, "--",
                               "./live-" + kind, SECONDS], capture_output=True, text=True)
        if done.returncode or not os.path.exists(recording):
            skip("samply cannot record here: " + done.stderr.strip().split("\n")[0])
        run(cpuprof, kind, recording)
    print("live: %d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
