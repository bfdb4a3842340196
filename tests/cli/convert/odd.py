"""Odd profiles for odd.sh: folded stacks NAME.folded and Firefox profiles NAME.json."""
import json


def folded(name, *lines):
    with open(name + ".folded", "wb") as f:
        for stack, count in lines:
            f.write(stack + b" " + str(count).encode() + b"\n")


folded("deep", (b";".join(b"f%d" % (i % 7) for i in range(100000)), 3))
folded("controls", *((b"a\\x%02xb;c%d" % (i, i), i) for i in range(1, 32)))
folded("quotes", (b'"a";\\;<b>&\'', 1), (b'say "hi"\\n;{}[]', 2))
folded("separators", ("\u2028;\u2029;\ufeff".encode(), 2))
folded("long", (b"a;b", 1), (b"n" * 1000000 + b";a", 1))
folded("long-first", (b"n" * 1000000 + b";a", 1))
folded("not-utf8", (b"a\xff;b\xc3", 3), (b"a\xfe;\xed\xa0\x80", 2))
folded("smallest", (b"a;b", -2 ** 63))
folded("negative", (b"a;b", -5), (b"a;c", 7))
folded("large", (b"a;b", 2 ** 63 - 1))
folded("decimals", (b"a;b", "0.125"), (b"a;c", "2.5"))


def meta():
    return {"version": 24, "preprocessedProfileVersion": 60, "interval": 1, "stackwalk": 1,
            "startTime": 1700000000000, "product": "demo", "symbolicated": True,
            "categories": [{"name": "Other", "color": "grey", "subcategories": ["Other"]}],
            "sampleUnits": {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "\u00b5s"},
            "markerSchema": []}


def shared(strings):
    n = len(strings)
    none = [None] * n
    return {"stackTable": {"length": n, "frame": list(range(n)), "prefix": [None] * n},
            "frameTable": {"length": n, "func": list(range(n)), "address": [-1] * n,
                           "inlineDepth": [0] * n, "category": [0] * n, "subcategory": [0] * n,
                           "nativeSymbol": none, "innerWindowID": [0] * n, "line": none,
                           "column": none},
            "funcTable": {"length": n, "name": list(range(n)), "isJS": [False] * n,
                          "relevantForJS": [False] * n, "resource": [-1] * n, "source": none,
                          "lineNumber": none, "columnNumber": none},
            "resourceTable": {"length": 0, "lib": [], "name": [], "host": [], "type": []},
            "nativeSymbols": {"length": 0, "libIndex": [], "address": [], "name": [],
                              "functionSize": []},
            "sources": {"length": 0, "uuid": [], "filename": []}, "stringArray": strings}


def thread(tid, stacks, weights):
    n = len(stacks)
    return {"name": "t%d" % tid, "isMainThread": tid == 1, "processType": "default",
            "processName": "demo", "pid": "1", "tid": str(tid), "processStartupTime": 0,
            "processShutdownTime": None, "registerTime": 0, "unregisterTime": None,
            "pausedRanges": [],
            "samples": {"length": n, "stack": stacks, "time": list(range(n)), "weight": weights,
                        "weightType": "samples"},
            "markers": {"length": 0, "category": [], "data": [], "endTime": [], "name": [],
                        "phase": [], "startTime": []}}


def firefox(name, threads, strings=("main", "work")):
    profile = {"meta": meta(), "libs": [], "shared": shared(list(strings)), "threads": threads,
               "pages": [], "counters": [], "profilerOverhead": []}
    with open(name + ".json", "w") as f:
        json.dump(profile, f)


firefox("empty-thread", [thread(1, [], []), thread(2, [0, 1], [1, 2])])
firefox("null-stacks", [thread(1, [None, None], [2, 3])])
firefox("weights", [thread(1, [0, 1, 0, 1], [-3, 0.5, 0, 7])])
firefox("large-weights", [thread(1, [0, 1], [2 ** 53 - 1, -2 ** 53])])
firefox("surrogates", [thread(1, [0, 1], [1, 1])], ("\ud83d\ude00 \u2028", "q\"\\\x00\x1f\x7f"))
firefox("smallest-weight", [thread(1, [0, 1], [1, -2 ** 63])])
firefox("threads", [thread(i, [i % 2], [1]) for i in range(1, 100001)])
