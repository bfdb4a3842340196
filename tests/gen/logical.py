"""One logical profile, written in every layout the Firefox Profiler had.

A logical profile is a plain description (libraries, functions, frames, stacks,
threads with samples and markers). `processed(L, version)` lays it out as that
version of the processed format does: tables in the threads or in `shared`,
strings here or there, sentinels or flags, `duration` or `weight`.
"""


class Lib:
    def __init__(self, name, path, start, code_id, breakpad):
        self.name, self.path, self.start = name, path, start
        self.code_id, self.breakpad = code_id, breakpad


class Func:
    def __init__(self, name, lib=None, file=None, line=None, column=None, js=False, relevant=False):
        self.name, self.lib, self.file, self.line, self.column = name, lib, file, line, column
        self.js, self.relevant = js, relevant


class Frame:
    def __init__(self, func, address=None, depth=0, line=None, column=None, category=1, sub=0,
                 native=None, generated=None):
        self.func, self.address, self.depth, self.line, self.column = func, address, depth, line, column
        self.category, self.sub, self.native = category, sub, native
        self.generated = generated  # (file, line, column) before source maps, from version 64


class Thread:
    def __init__(self, name, main, pid, tid, process, samples, markers=()):
        self.name, self.main, self.pid, self.tid, self.process = name, main, pid, tid, process
        self.samples, self.markers = samples, markers


class Logical:
    """stacks: (prefix or None, frame); natives: (lib, address, name, size or None)
    samples: (time ms, stack or None, weight, cpu us or None)
    markers: (name, start, end or None, text or None, cause stack or None)"""

    def __init__(self, categories, libs, funcs, frames, stacks, natives, threads, interval=1):
        self.categories, self.libs, self.funcs, self.frames = categories, libs, funcs, frames
        self.stacks, self.natives, self.threads, self.interval = stacks, natives, threads, interval

    def walk(self, stack):
        """Frames of a stack, leaf first."""
        out = []
        while stack is not None:
            prefix, frame = self.stacks[stack]
            out.append(self.frames[frame])
            stack = prefix
        return out

    def callers(self):
        """Frames that some stack continues: before version 38 they hold return addresses."""
        return {self.stacks[p][1] for p, _ in self.stacks if p is not None}


FULL = Logical(
    categories=[("Other", "grey", ["Other"]), ("User", "yellow", ["Other", "Math"]),
                ("JavaScript", "lightblue", ["Other"])],
    libs=[Lib("demo", "/opt/demo/demo", 0x400000, "63260a3e6e46db57abf718f6a3562c6eedccf269",
              "3E0A2663466E57DBABF718F6A3562C6E0"),
          Lib("libm.so.6", "/usr/lib/libm.so.6", 0x7F0000000000,
              "7544444e7eeafbb5a7ecaf94fc3ebebd2b986846", "4E444475EA7EB5FBA7ECAF94FC3EBEBD0")],
    funcs=[Func("(root)"),
           Func("main", 0, "main.c", 10),
           Func("work", 0, "work.c", 20),
           Func("step", 0, "step.h", 5),
           Func("sine", 1),
           Func("js_tick", None, "app.js", 2, 1, js=True),
           Func("worker_main", 0, "worker.c", 40)],
    frames=[Frame(0, category=None),
            Frame(1, 0x10FF, line=12, native=0),
            Frame(2, 0x2010, line=25, native=1),
            Frame(3, 0x2010, depth=1, line=7, native=1),
            Frame(4, 0x510, category=1, sub=1, native=2),
            Frame(2, 0x2040, line=30, column=3, native=1),
            Frame(2, 0x2050, line=28, native=1),
            Frame(5, line=3, column=9, category=2, generated=("bundle.js", 1, 777)),
            Frame(6, 0x3020, line=44, native=3),
            Frame(6, 0x3030, line=46, native=3)],
    stacks=[(None, 0),   # 0 (root)
            (0, 1),      # 1 (root) main
            (1, 2),      # 2 (root) main work
            (2, 3),      # 3 (root) main work step       (step inlined into work)
            (1, 6),      # 4 (root) main work
            (4, 4),      # 5 (root) main work sine
            (4, 5),      # 6 (root) main work work       (recursion)
            (1, 7),      # 7 (root) main js_tick
            (None, 8),   # 8 worker_main
            (8, 4),      # 9 worker_main sine
            (None, 9),   # 10 worker_main, as a leaf
            (8, 5)],     # 11 worker_main work
    natives=[(0, 0x1000, "main", 0x200), (0, 0x2000, "work", None), (1, 0x500, "sine", 0x40),
             (0, 0x3000, "worker_main", 0x80)],
    threads=[Thread("demo", True, 100, 100, "demo",
                    [(1.0, 3, 1, 500), (2.0, 5, 2, 900), (3.0, None, 1, 0), (4.0, 6, 1, 1000),
                     (5.5, 3, 3, 1200), (7.0, 7, 1, 300)],
                    [("Note", 2.0, 4.0, "hello", 1), ("Tick", 5.0, None, None, None)]),
             Thread("worker", False, 100, 101, "demo",
                    [(2.5, 9, 1, 250), (3.5, 10, 2, 0), (4.5, 11, 1, 700)])])

MINI = Logical(
    categories=[("Other", "grey", ["Other"]), ("User", "yellow", ["Other"])],
    libs=[Lib("demo", "/opt/demo", 0x400000, "63260a3e6e46db57abf718f6a3562c6eedccf269",
              "3E0A2663466E57DBABF718F6A3562C6E0")],
    funcs=[Func("main", 0, "m.c", 1), Func("work", 0, "m.c", 9), Func("leaf", 0, "l.c", 5)],
    frames=[Frame(0, 0x10FF, line=3, native=0), Frame(1, 0x1210, line=11, native=1),
            Frame(2, 0x1320, line=6)],
    stacks=[(None, 0), (0, 1), (1, 2)],
    natives=[(0, 0x1000, "main", 0x100), (0, 0x1200, "work", 0x80)],
    threads=[Thread("demo", True, 7, 7, "demo",
                    [(1, 2, 1, 100), (2, 1, 2, 200), (3, None, 1, 0), (4, 2, 3, 300)])])


class Strings:
    def __init__(self):
        self.list, self.index = [], {}

    def __call__(self, text):
        if text is None:
            return None
        if text not in self.index:
            self.index[text] = len(self.list)
            self.list.append(text)
        return self.index[text]


class Subset:
    """Old index -> new index, in order of first use."""

    def __init__(self):
        self.new, self.old = {}, []

    def __call__(self, i):
        if i is None:
            return None
        if i not in self.new:
            self.new[i] = len(self.old)
            self.old.append(i)
        return self.new[i]


def tables(L, v, threads, strings):
    """The symbol tables for some threads: (dict of tables, stack map)."""
    stacks = Subset()

    def need(s):
        if s is not None and s not in stacks.new:
            need(L.stacks[s][0])
            stacks(s)

    for t in threads:
        for row in t.samples:
            need(row[1])
        for m in t.markers:
            need(m[4])
    frames, funcs, natives, sources = Subset(), Subset(), Subset(), Subset()
    locations = []
    resources = Subset()  # ("lib", i) or ("url", file)
    files = []

    def source(name):
        if name is None:
            return None
        if name not in files:
            files.append(name)
        return files.index(name)

    callers = L.callers()
    out = {}
    st = {"length": len(stacks.old), "frame": [frames(L.stacks[s][1]) for s in stacks.old]}
    prefix = [stacks(L.stacks[s][0]) for s in stacks.old]
    if v >= 66:
        st["prefixOffset"] = [0 if p is None else i - p for i, p in enumerate(prefix)]
    else:
        st["prefix"] = prefix

    def category(s):
        for f in L.walk(s):
            if f.category is not None:
                return f.category, f.sub
        return 0, 0

    if 13 <= v <= 52:
        st["category"] = [category(s)[0] for s in stacks.old]
    if 23 <= v <= 52:
        st["subcategory"] = [category(s)[1] for s in stacks.old]

    fr = [L.frames[f] for f in frames.old]
    ft = {"length": len(fr), "func": [funcs(f.func) for f in fr]}

    def address(i):
        f = L.frames[i]
        if f.address is None:
            return 0 if v >= 71 else -1
        return f.address + (1 if v < 38 and i in callers else 0)

    ft["address"] = [address(i) for i in frames.old]
    if 40 <= v <= 70:
        ft["inlineDepth"] = [f.depth for f in fr]
    none = 0 if v >= 71 else None
    if v < 12:
        ft["category"] = [None if f.category is None else 64 if f.category == 2 else 16 for f in fr]
    else:
        ft["category"] = [none if f.category is None else f.category for f in fr]
    if v >= 23:
        ft["subcategory"] = [none if f.category is None else f.sub for f in fr]
    if v >= 36:
        ft["nativeSymbol"] = [none if f.native is None else natives(f.native) for f in fr]
    if v >= 27:
        ft["innerWindowID"] = [0 if v >= 58 else None for f in fr]

    def shown(f):
        return f.generated if v >= 64 and f.generated else (None, f.line, f.column)

    ft["line"] = [none if shown(f)[1] is None else shown(f)[1] for f in fr]
    if v >= 15:
        ft["column"] = [none if shown(f)[2] is None else shown(f)[2] for f in fr]
    if v <= 53:
        ft["implementation"] = [None for f in fr]
    if v <= 44:
        ft["optimizations"] = [None for f in fr]
    if v >= 64:
        original = []
        for f in fr:
            if f.generated:
                original.append(len(locations))
                locations.append((L.funcs[f.func].file, f.line, f.column))
            else:
                original.append(none)
        ft["originalLocation"] = original
    if v >= 70:
        miss = 0 if v >= 71 else -1
        ft["lib"] = [miss if L.funcs[f.func].lib is None or f.address is None else L.funcs[f.func].lib
                     for f in fr]
    if v >= 71:
        ft["flags"] = [(1 if f.depth else 0) | (2 if f.address is not None else 0)
                       | (4 if f.category is not None else 0) | (8 if f.native is not None else 0)
                       | (16 if shown(f)[1] is not None else 0) | (32 if shown(f)[2] is not None else 0)
                       | (64 if f.generated else 0) for f in fr]
    out["frameTable"] = ft

    fn = [L.funcs[f] for f in funcs.old]

    def where(i):
        """file, line, column of a function's start as this version stores them"""
        f = L.funcs[i]
        if v >= 64:
            for g in L.frames:
                if g.func == i and g.generated:
                    return g.generated[0], 1, 700
        return f.file, f.line, f.column

    def resource(f):
        if f.lib is not None:
            return resources(("lib", f.lib))
        if f.js:
            return resources(("url", f.file))
        return None

    def name(f):
        if v < 4 and f.js:
            return "%s (%s:%d)" % (f.name, f.file, f.line)
        return f.name

    fu = {"length": len(fn), "name": [strings(name(f)) for f in fn]}
    if v <= 74:
        fu["isJS"] = [f.js for f in fn]
    if 17 <= v <= 74:
        fu["relevantForJS"] = [f.relevant for f in fn]
    miss = 0 if v >= 75 else -1
    fu["resource"] = [miss if resource(f) is None else resource(f) for f in fn]
    none = 0 if v >= 75 else None
    places = [where(i) for i in funcs.old]
    if 4 <= v <= 57:
        fu["fileName"] = [strings(p[0]) for p in places]
    if v >= 58:
        fu["source"] = [none if p[0] is None else source(p[0]) for p in places]
    if v >= 4:
        fu["lineNumber"] = [none if p[1] is None else p[1] for p in places]
    if v >= 18:
        fu["columnNumber"] = [none if p[2] is None else p[2] for p in places]
    if v <= 35:
        starts = {(lib, n): a for lib, a, n, _ in L.natives}
        fu["address"] = [starts.get((f.lib, f.name), -1) for f in fn]
    if v >= 64:
        original = []
        for i, f in zip(funcs.old, fn):
            if where(i)[0] != f.file:
                original.append(len(locations))
                locations.append((f.file, f.line, f.column))
            else:
                original.append(none)
        fu["originalLocation"] = original
    if v >= 75:
        fu["flags"] = [(1 if f.js else 0) | (2 if f.relevant else 0)
                       | (4 if resource(f) is not None else 0) | (8 if p[0] is not None else 0)
                       | (16 if p[1] is not None else 0) | (32 if p[2] is not None else 0)
                       | (64 if p[0] != f.file else 0) for f, p in zip(fn, places)]
    out["funcTable"] = fu

    rs = resources.old
    rt = {"length": len(rs)}
    if v <= 69:
        libs = [r[1] if r[0] == "lib" else None for r in rs]
        if v <= 40:
            while libs and libs[-1] is None:
                libs.pop()  # a short column is what old Firefox wrote
            libs = [-1 if i is None else i for i in libs]
        rt["lib"] = libs
    rt["name"] = [strings(L.libs[r[1]].name if r[0] == "lib" else r[1]) for r in rs]
    if v >= 4:
        rt["host"] = [] if v <= 40 else [None] * len(rs)
    rt["type"] = [1 if r[0] == "lib" else 5 for r in rs]
    if v <= 40:
        rt["icon"], rt["addonId"] = [], []
    out["resourceTable"] = rt

    if v >= 36:
        ns = [L.natives[i] for i in natives.old]
        nt = {"length": len(ns), "libIndex": [n[0] for n in ns], "address": [n[1] for n in ns],
              "name": [strings(n[2]) for n in ns]}
        if v >= 42:
            nt["functionSize"] = [(-1 if v >= 74 else None) if n[3] is None else n[3] for n in ns]
        out["nativeSymbols"] = nt
    out["stackTable"] = st
    if v >= 64:
        lt = {"length": len(locations), "source": [source(p[0]) for p in locations],
              "line": [p[1] for p in locations], "column": [p[2] for p in locations]}
        out["sourceLocationTable"] = lt
    if v >= 58:
        n = len(files)
        so = {"length": n, "uuid" if v <= 60 else "id": [None] * n,
              "filename": [strings(f) for f in files]}
        if v >= 61:
            so["startLine"], so["startColumn"] = [1] * n, [1] * n
        if v >= 64:
            so["sourceMapURL"], so["content"] = [None] * n, [None] * n
        out["sources"] = so
    return out, stacks


def markers_table(v, t, strings, stacks):
    rows = t.markers

    def data(m):
        if m[3] is None and m[4] is None:
            return None
        d = {"type": "Note"}
        if m[3] is not None:
            d["msg"] = strings(m[3]) if v >= 44 else m[3]
        if v < 30 and m[2] is not None:
            d["startTime"], d["endTime"] = m[1], m[2]
        if m[4] is not None:
            if v >= 10:
                d["cause"] = {"time": m[1], "stack": stacks(m[4])}
            else:
                d["stack"] = {"name": "SyncProfile",
                              "samples": {"schema": {"stack": 0, "time": 1},
                                          "data": [[stacks(m[4]), m[1]]]},
                              "markers": {"schema": {"name": 0, "time": 1, "data": 2}, "data": []}}
        return d

    mt = {"length": len(rows), "name": [strings(m[0]) for m in rows]}
    if v >= 30:
        mt["startTime"] = [m[1] for m in rows]
        mt["endTime"] = [m[2] for m in rows]
        mt["phase"] = [0 if m[2] is None else 1 for m in rows]
    else:
        mt["time"] = [m[1] for m in rows]
    if v >= 24:
        mt["category"] = [0 for m in rows]
    mt["data"] = [data(m) for m in rows]
    return mt


def lib_record(lib, v):
    if v < 2:
        r = {"name": lib.path, "pdbName": lib.name, "pdbSignature": "{%s}" % lib.breakpad[:32],
             "pdbAge": 0}
    else:
        r = {"name": lib.name, "path": lib.path, "debugName": lib.name}
        if v >= 3:
            r["debugPath"] = lib.path if v >= 41 else ""
        r["arch"] = None if v >= 41 else "x86_64"
        r["breakpadId"] = lib.breakpad
    if v >= 41:
        r["codeId"] = lib.code_id
    else:
        r["start"], r["end"], r["offset"] = lib.start, lib.start + 0x10000, 0
    return r


def processed(L, v, deltas=None, marker_schema=True):
    """The profile as version v; `deltas` chooses timeDeltas (from 50 on)."""
    if deltas is None:
        deltas = v >= 50 and v % 2 == 0 and v != 60
    meta = {"interval": L.interval, "startTime": 1700000000000, "processType": 0, "product": "demo",
            "stackwalk": 1, "version": 3 if v == 0 else 24}
    if v > 0:
        meta["preprocessedProfileVersion"] = v
    if v < 2:
        meta["abi"] = "x86_64-gcc3"
    if v >= 12:
        meta["categories"] = [dict(name=n, color=c, **({"subcategories": s} if v >= 23 else {}))
                              for n, c, s in L.categories]
    meta["sampleUnits"] = {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "µs"}
    meta["symbolicated"] = True
    if v >= 33 and marker_schema:
        field = {"key": "msg", "label": "Message", "format": "unique-string" if v >= 44 else "string"}
        meta["markerSchema"] = [{"name": "Note", "display": ["marker-chart", "marker-table"],
                                 "data" if v <= 54 else "fields": [field]}]
    root = {"meta": meta}
    if v >= 41:
        root["libs"] = [lib_record(x, v) for x in L.libs]
    shared = {}
    common = Strings()
    threads = []
    whole = tables(L, v, L.threads, common) if v >= 60 else None
    for t in L.threads:
        strings = common if v >= 56 else Strings()
        if whole:
            tabs, stacks = whole
        else:
            tabs, stacks = tables(L, v, [t], strings)
        r = {"name": "GeckoMain" if t.main and v < 46 else t.name}
        if v >= 1:
            r["processType"] = "default"
        if v >= 24:
            r["processName"] = t.process
        if v >= 46:
            r["isMainThread"] = t.main
        if v >= 14:
            r["pid"] = str(t.pid) if v >= 47 else t.pid
            r["tid"] = str(t.tid) if v >= 46 else t.tid
        if v >= 7:
            r.update(processStartupTime=0, processShutdownTime=None, registerTime=0,
                     unregisterTime=None, pausedRanges=[])
        rows = t.samples
        s = {"length": len(rows), "stack": [stacks(x[1]) for x in rows]}
        if deltas:
            last, col = 0, []
            for x in rows:
                col.append(x[0] - last)
                last = x[0]
            s["timeDeltas"] = col
        else:
            s["time"] = [x[0] for x in rows]
        if v >= 29:
            s["weight"], s["weightType"] = [x[2] for x in rows], "samples"
        else:
            s["duration"] = [x[2] for x in rows]
            s["responsiveness"] = [None for x in rows]
        if v < 20:
            s["rss"], s["uss"] = [None for x in rows], [None for x in rows]
        if v < 5:
            s["frameNumber"] = [None for x in rows]
        s["threadCPUDelta"] = [x[3] for x in rows]
        r["samples"] = s
        r["markers"] = markers_table(v, t, strings, stacks)
        if not whole:
            sources = tabs.pop("sources", None)
            if sources is not None:
                # one source list for all threads: remap this thread's rows
                base = shared.setdefault("sources", {"length": 0, "uuid": [], "filename": []})
                remap = []
                for f in sources["filename"]:
                    if f not in base["filename"]:
                        base["filename"].append(f)
                        base["uuid"].append(None)
                        base["length"] += 1
                    remap.append(base["filename"].index(f))
                col = tabs["funcTable"]["source"]
                tabs["funcTable"]["source"] = [None if i is None else remap[i] for i in col]
            r.update(tabs)
        if v < 41:
            r["libs"] = [lib_record(x, v) for x in L.libs]
        if v < 56:
            r["stringArray"] = strings.list
        threads.append(r)
    if whole:
        shared.update(whole[0])
    if v >= 56:
        shared["stringArray"] = common.list
        root["shared"] = shared
    root["threads"] = threads
    return root


def plain(L, v, **kw):
    """processed() without members that no reader needs: small files."""
    d = processed(L, v, **kw)

    def without(t, *names):
        for n in names:
            t.pop(n, None)

    meta = d["meta"]
    without(meta, "startTime", "processType", "stackwalk", "version", "symbolicated", "markerSchema")
    meta["sampleUnits"] = {"threadCPUDelta": "µs"}
    for c in meta.get("categories", []):
        without(c, "subcategories")
    shared = d.get("shared", {})
    for t in d["threads"]:
        without(t, "processType", "processName", "processStartupTime", "processShutdownTime", "unregisterTime",
                "pausedRanges", "isMainThread")
    for owner in [shared] + d["threads"]:
        for lib in owner.get("libs", []) + d.get("libs", []):
            without(lib, "path", "debugPath", "arch", "codeId")
        if "frameTable" in owner:
            without(owner["frameTable"], "innerWindowID", "implementation", "optimizations")
            without(owner["funcTable"], "relevantForJS")
            if v < 71:
                without(owner["frameTable"], "subcategory", "column", "originalLocation")
            if v < 75:
                without(owner["funcTable"], "lineNumber", "columnNumber", "originalLocation")
            without(owner["resourceTable"], "host", "icon", "addonId")
            without(owner.get("nativeSymbols", {}), "functionSize")
            without(owner["stackTable"], "category", "subcategory")
        if "sources" in owner:
            without(owner["sources"], "uuid", "id", "startLine", "startColumn", "sourceMapURL", "content")
        without(owner, "sourceLocationTable")
    return d


def tiny(L, v, **kw):
    """plain() cut down to what a sample needs to have a name: the smallest files.

    Categories, libraries, native symbols, source files and markers are gone; a
    reader has to take a missing column as one without values.
    """
    d = plain(L, v, **kw)
    if v >= 71:
        return d  # the flags of these versions speak of the columns
    d["meta"].pop("categories", None)
    d["meta"].pop("product", None)
    for owner in [d.get("shared", {})] + d["threads"]:
        owner.pop("registerTime", None)
        owner.get("samples", {}).pop("weightType", None)
        owner.pop("nativeSymbols", None)
        owner.pop("resourceTable", None)
        owner.pop("sources", None)
        owner.pop("markers", None)
        for t, keep in (("frameTable", ("length", "func", "address")), ("funcTable", ("length", "name"))):
            if t in owner:
                owner[t] = {k: x for k, x in owner[t].items() if k in keep}
        if "stringArray" in owner:
            used = {f.name for f in L.funcs}
            n = max(i for i, s in enumerate(owner["stringArray"]) if s in used) + 1
            owner["stringArray"] = owner["stringArray"][:n]
        if "libs" in owner:
            owner["libs"] = []
    if v >= 41:
        d["libs"] = []
    return d


# ---- expectations ---------------------------------------------------------

def fmt(x):
    """A sum as decimal text: integers without a point."""
    if x is None:
        return "-"
    if float(x) == int(x):
        return str(int(x))
    return repr(float(x))


class Expect:
    """Totals of a set of threads. threads: list of (name, pid, tid, rows, markers) with
    rows (time, [names leaf first] or None, weight, cpu us or None)."""

    def __init__(self, threads, version, warn="-", names=None, cpu=True):
        self.threads, self.version, self.warn, self.cpu = threads, version, warn, cpu
        rows = [r for t in threads for r in t[3]]
        self.samples = len(rows)
        self.weight = sum(r[2] for r in rows)
        self.nulls = sum(1 for r in rows if r[1] is None)
        self.cpu_us = sum(r[3] for r in rows if r[3] is not None) if cpu and rows else None
        flat, cum = {}, {}
        for _, stack, w, _ in rows:
            if not stack:
                continue
            flat[stack[0]] = flat.get(stack[0], 0) + w
            for n in set(stack):
                cum[n] = cum.get(n, 0) + w
        self.flat, self.cum = flat, cum
        self.names = names

    def all_names(self):
        return sorted(self.cum, key=lambda n: (-self.cum[n], n))

    def top(self):
        names = self.names
        if names is None:
            names = self.all_names()
        if not names:
            return "-"
        return ";".join("%s=%s/%s" % (n, fmt(self.flat.get(n, 0)), fmt(self.cum[n])) for n in names)

    def row(self, file):
        return [file, str(self.version), str(len(self.threads)) if self.threads is not None else "-",
                str(self.samples), fmt(self.weight), fmt(self.cpu_us), str(self.nulls), self.warn,
                self.top()]


def threads_of(L, v):
    out = []
    for t in L.threads:
        rows = [(x[0], None if x[1] is None else [L.funcs[f.func].name for f in L.walk(x[1])], x[2], x[3])
                for x in t.samples]
        name = "GeckoMain" if t.main and v < 46 else t.name
        pid, tid = ("-", "-") if v < 14 else (str(t.pid), str(t.tid))
        out.append((name, pid, tid, rows, len(t.markers)))
    return out


def expect(L, v, **kw):
    return Expect(threads_of(L, v), v, **kw)


def logical_rows(L):
    """LOGICAL.tsv: what every layout of L says, row by row."""
    out = []
    for k, t in enumerate(L.threads):
        for time, stack, w, cpu in t.samples:
            parts = []
            for f in reversed(L.walk(stack)):
                fn = L.funcs[f.func]
                lib = "-" if fn.lib is None or f.address is None else L.libs[fn.lib].name
                parts.append("|".join([fn.name, fn.file or "-", "-" if f.line is None else str(f.line),
                                       "-" if f.column is None else str(f.column), lib,
                                       "-" if f.address is None else hex(f.address), str(f.depth)]))
            out.append([str(k), fmt(time), fmt(w), fmt(cpu), ";".join(parts) or "-"])
    return out
