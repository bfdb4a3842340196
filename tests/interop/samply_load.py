#!/usr/bin/env python3
"""samply load serves the Firefox profiles that cpuprof writes, and its symbol server names the places
in them: library ids and addresses lead to the functions that the places are in.

usage: samply_load.py CPUPROF SCRATCH FILE...    needs samply and cc

A program is compiled and a pprof profile of it made, mapped high and with an offset; what cpuprof
makes of it (and of it by way of Firefox 49) is asked for. Each FILE must be served as it was written.
"""
import gzip
import json
import os
import re
import subprocess
import sys
import urllib.request

sys.dont_write_bytecode = True
from tally import check, close, run  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = """__attribute__((noinline)) int leaf_of_all(int x) { return x * x + 1; }
__attribute__((noinline)) int calls_it(int x) { return (leaf_of_all(x) + x) * 2; }
int main(int argc, char **argv) { (void)argv; return calls_it(argc); }
"""
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Server:
    def __init__(self, path):
        self.process = subprocess.Popen(["samply", "load", "--no-open", "--port", "3900+", path],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = []
        for line in self.process.stdout:
            said.append(line)
            m = re.search(r"symbolServer=(\S+)", line)
            if m:
                self.base = urllib.request.unquote(m.group(1))
                return
        self.close()
        raise RuntimeError("samply load %s: %s" % (path, "".join(said).strip()))

    def get(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        with opener.open(urllib.request.Request(self.base + path, data=data), timeout=60) as answer:
            got = answer.read()
        return gzip.decompress(got) if got[:2] == b"\x1f\x8b" else got

    def close(self):
        self.process.terminate()
        self.process.wait()


def served(what, path):
    with open(path, "rb") as f:
        want = f.read()
    if want[:2] == b"\x1f\x8b":
        want = gzip.decompress(want)
    server = Server(path)
    try:
        got = server.get("/profile.json")
        check("%s: served as it was written" % what, got == want, "%d and %d bytes" % (len(got), len(want)))
        return json.loads(got), server
    except BaseException:
        server.close()
        raise


def places(profile):
    """(library, address) of each frame of the first thread."""
    tables = profile.get("shared") or profile["threads"][0]
    frames, funcs, resources = tables["frameTable"], tables["funcTable"], tables["resourceTable"]
    return [(resources["lib"][funcs["resource"][f]], a)
            for f, a in zip(frames["func"], frames["address"]) if a is not None and a >= 0]


def symbols(what, path, wanted):
    profile, server = served(what, path)
    try:
        found = places(profile)
        memory_map = [[lib["debugName"], lib["breakpadId"]] for lib in profile["libs"]]
        answer = json.loads(server.get("/symbolicate/v5", {"jobs": [
            {"memoryMap": memory_map, "stacks": [[list(p) for p in found]]}]}))["results"][0]
    finally:
        server.close()
    check("%s: libraries are found" % what, answer["found_modules"] and all(answer["found_modules"].values()),
          answer["found_modules"])
    names = [str(frame.get("function")) for frame in answer["stacks"][0]]
    check("%s: functions" % what, sorted(names) == sorted(wanted), names)


def main():
    cpuprof, scratch, sources = sys.argv[1], sys.argv[2], sys.argv[3:]
    program = os.path.join(scratch, "prog")
    with open(program + ".c", "w") as f:
        f.write(PROGRAM)
    run("cc", "-g", "-O1", "-fPIE", "-pie", "-Wl,--build-id", "-o", program, program + ".c")
    pprof, path = os.path.join(scratch, "prog.pb"), os.path.join(scratch, "prog.json.gz")
    wanted = ["calls_it", "leaf_of_all", "main"]
    run(sys.executable, os.path.join(TOP, "tests/gen/elfprofile.py"), pprof,
        program + ",start=7f1234560000:leaf_of_all,calls_it+4,main+4")
    for version in ("60", "49"):
        run(cpuprof, "convert", "-q", "--firefox-version", version, pprof, "-o", path)
        symbols("pprof as %s" % version, path, wanted)
    # And back, and again: the addresses stay.
    run(cpuprof, "convert", "-q", path, "-o", pprof)
    run(cpuprof, "convert", "-q", pprof, "-o", path[:-3])
    symbols("pprof as 49, pprof, 60", path[:-3], wanted)
    for number, source in enumerate(sources):
        for version in ("60", "49"):
            what = "%s as %s" % (os.path.basename(source), version)
            path = os.path.join(scratch, "%d-%s.json%s" % (number, version, ".gz" if number % 2 else ""))
            try:
                run(cpuprof, "convert", "-q", "--firefox-version", version, source, "-o", path)
                served(what, path)[1].close()
            except (RuntimeError, OSError) as error:
                check(what, False, repr(error))
    close("samply")


main()
