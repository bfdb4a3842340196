"""A Firefox profile (version 60) of places without names: what generators beside this file write."""
import json


def firefox(out, libs, places, samples=None, **meta):
    """libs: records; places: (index in libs, relative address); samples: place of each, else the n-th is in n."""
    ids = {}

    def text(s):
        return ids.setdefault(s, len(ids))

    n = len(places)
    if samples is None:
        samples = [i for i in range(n) for _ in range(i + 1)]
    m = len(samples)
    nulls, zeros = [None] * n, [0] * n
    shared = {
        "stackTable": {"length": n, "frame": list(range(n)), "prefix": nulls},
        "frameTable": {"length": n, "func": list(range(n)), "address": [a for _, a in places],
                       "inlineDepth": zeros, "category": zeros, "subcategory": zeros,
                       "nativeSymbol": nulls, "innerWindowID": zeros, "line": nulls,
                       "column": nulls},
        "funcTable": {"length": n, "name": [text("0x%x" % a) for _, a in places],
                      "isJS": [False] * n, "relevantForJS": [False] * n,
                      "resource": [lib for lib, _ in places], "source": nulls, "lineNumber": nulls,
                      "columnNumber": nulls},
        "resourceTable": {"length": len(libs), "lib": list(range(len(libs))),
                          "name": [text(lib["name"]) for lib in libs],
                          "host": [None] * len(libs), "type": [1] * len(libs)},
        "nativeSymbols": {"length": 0, "libIndex": [], "address": [], "name": [], "functionSize": []},
        "sources": {"length": 0, "uuid": [], "filename": []},
        "stringArray": list(ids),
    }
    thread = {"name": "main", "isMainThread": True, "processType": "default", "processName": "prog",
              "pid": "1", "tid": "1", "processStartupTime": 0, "processShutdownTime": None,
              "registerTime": 0, "unregisterTime": None, "pausedRanges": [],
              "samples": {"length": m, "stack": samples, "time": list(range(m)), "weight": [1] * m,
                          "weightType": "samples"},
              "markers": {"length": 0, "name": [], "category": [], "startTime": [], "endTime": [],
                          "phase": [], "data": []}}
    with open(out, "w") as f:
        json.dump({"meta": {"version": 24, "preprocessedProfileVersion": 60, "interval": 1,
                            "startTime": 1700000000000, "processType": 0, "product": "prog",
                            "stackwalk": 1, "symbolicated": False,
                            "categories": [{"name": "Other", "color": "grey",
                                            "subcategories": ["Other"]}], "markerSchema": [], **meta},
                   "libs": libs, "shared": shared, "threads": [thread], "pages": [],
                   "counters": [], "profilerOverhead": []}, f)
