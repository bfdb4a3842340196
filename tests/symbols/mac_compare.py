#!/usr/bin/env python3
"""mac_compare.py FILE.syms.json DWARF: names, inline chains, files and lines of all addresses in the
sidecar are those of llvm-symbolizer. Prints how many were compared."""
import json
import shutil
import subprocess
import sys


def main():
    sidecar = json.load(open(sys.argv[1]))
    strings, lib = sidecar["string_table"], sidecar["data"][0]
    tool = next(t for t in ("llvm-symbolizer", "llvm-symbolizer-14", "llvm-symbolizer-19")
                if shutil.which(t))
    addresses = [a for a, _ in lib["known_addresses"]]
    out = subprocess.run([tool, "--obj=" + sys.argv[2], "--output-style=JSON"], check=True, text=True,
                         input="".join("0x%x\n" % (0x100000000 + a) for a in addresses),
                         stdout=subprocess.PIPE).stdout
    frames = bad = 0
    for (address, symbol), line in zip(lib["known_addresses"], out.splitlines()):
        want = [(f["FunctionName"], f["FileName"], f["Line"]) for f in json.loads(line)["Symbol"]]
        got = [(strings[f["function"]], strings[f["file"]], f["line"])
               for f in lib["symbol_table"][symbol].get("frames", [])]
        # Line 0 (made by the compiler) is no line.
        frames += len(want)
        if [(n, f, x or None) for n, f, x in want] != [(n, f, x or None) for n, f, x in got]:
            bad += 1
            print("0x%x: %s instead of %s" % (address, got, want))
    print("%d addresses, %d frames, %d differ" % (len(addresses), frames, bad))


if __name__ == "__main__":
    main()
