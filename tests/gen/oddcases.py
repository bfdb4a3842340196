"""Odd inputs that have to be accepted, with the totals to expect.

Every case is (file, bytes, Expect). The totals come from the logical profile,
never from the bytes.
"""
import copy
import json
import struct

from logical import (FULL, MINI, Expect, Frame, Func, Logical, Thread, expect, fmt, logical_rows, plain, processed,
                     threads_of, tiny)
from pack import fixed, gz, jslb, stored, typed

VERSIONS = [0, 3, 24, 36, 38, 40, 41, 44, 46, 49, 50, 53, 56, 58, 60, 64, 66, 70, 71, 74, 75]
PLAIN = (24, 49, 60)  # the others are packed, to keep the folder small
EITHER = "*"  # a warning is allowed and not asked for


def J(x, **kw):
    kw.setdefault("separators", (",", ":"))
    kw.setdefault("ensure_ascii", False)
    return json.dumps(x, **kw).encode()


# ---- JSLB -------------------------------------------------------------------

SAMPLE_COLUMNS = {"time": "f64", "timeDeltas": "f64"}
MARKER_COLUMNS = {"startTime": "f64", "endTime": "f64"}
SHARED_COLUMNS = {
    "stackTable": {"frame": (65, "i32"), "prefixOffset": (66, "i32")},
    "frameTable": {"func": (67, "i32"), "address": (67, "i32"), "inlineDepth": (67, "u8"), "lib": (70, "i32"),
                   "flags": (71, "u8"), "category": (71, "u8"), "subcategory": (71, "u8"),
                   "nativeSymbol": (71, "i32"), "line": (71, "i32"), "column": (71, "i32"),
                   "originalLocation": (71, "i32"), "innerWindowID": (71, "f64")},
    "nativeSymbols": {"libIndex": (74, "i32"), "name": (74, "i32"), "functionSize": (74, "i32"),
                      "address": (74, "u32")},
    "funcTable": {"flags": (75, "u8"), "name": (75, "i32"), "resource": (75, "i32"), "source": (75, "i32"),
                  "lineNumber": (75, "i32"), "columnNumber": (75, "i32"), "originalLocation": (75, "i32")},
}


def to_jslb(d, v, root_first=False):
    """Columns into numeric slabs, the big parts into JSON slabs, as the reference encoder does."""
    d = copy.deepcopy(d)
    slabs = []

    def take(table, column, kind):
        if column in table and all(x is not None for x in table[column]):
            slabs.append(typed(kind, table[column]))
            table[column] = {"$s": len(slabs) - 1}

    for name, columns in SHARED_COLUMNS.items():
        for column, (since, kind) in columns.items():
            if v >= since:
                if name == "frameTable" and column == "address" and v >= 71:
                    kind = "u32"
                take(d["shared"].get(name, {}), column, kind)
    for t in d["threads"]:
        for column, kind in SAMPLE_COLUMNS.items():
            take(t["samples"], column, kind)
        for column, kind in MARKER_COLUMNS.items():
            if v >= 68 and "markers" in t:
                t["markers"][column] = [0 if x is None else x for x in t["markers"][column]]
                take(t["markers"], column, kind)

    def part(owner, name):
        slabs.append((10, J(owner[name])))
        owner[name] = {"$s": len(slabs) - 1}

    part(d["shared"], "frameTable")
    part(d["shared"], "funcTable")
    part(d["shared"], "stringArray")
    part(d, "threads")
    slabs.append((10, J(d)))
    if root_first:
        # move the root to the front: every number goes up by one
        n = len(slabs)

        def up(x):
            if isinstance(x, dict):
                if list(x) == ["$s"]:
                    return {"$s": x["$s"] + 1}
                return {k: up(y) for k, y in x.items()}
            if isinstance(x, list):
                return [up(y) for y in x]
            return x

        slabs = [slabs[-1]] + slabs[:-1]
        slabs = [(k, J(up(json.loads(b))) if k == 10 else b) for k, b in slabs]
        assert len(slabs) == n
        return jslb(slabs, 0)
    return jslb(slabs, len(slabs) - 1)


# ---- Gecko ------------------------------------------------------------------

# frames: (location, line, column, category); stacks: (prefix, frame); samples: (time, stack, cpu us)
GECKO_MAIN = dict(
    name="GeckoMain", tid=1000, type="default",
    frames=[("(root)", None, None, 1), ("0x401010", None, None, 1), ("nsAppShell::Loop", 120, None, 1),
            ("tick (http://demo.test/app.js:3:9)", 5, 11, 2), ("0x401234", None, None, 1),
            ("0x7f0000000511", None, None, 1), ("compute (in libdemo.so)", None, None, 1),
            ("solve (in libdemo.so) + 12", None, None, 1), ("fill (in libdemo.so) (fill.c:34)", None, None, 1)],
    stacks=[(None, 0), (0, 1), (1, 2), (2, 3), (1, 4), (4, 5), (3, 6), (6, 7), (6, 8)],
    samples=[(1.0, 3, 100), (2.0, 5, 200), (3.0, None, 0), (4.0, 3, 300), (5.0, 7, 150), (6.0, 8, 250),
             (7.0, 2, 50)],
    markers=[("Paint", 2.0, 3.0), ("Tick", 4.0, None)])
GECKO_SECOND = dict(
    name="Compositor", tid=1001, type="default",
    frames=[("(root)", None, None, 1), ("0x402020", None, None, 1), ("Compositor::Wait", None, None, 0)],
    stacks=[(None, 0), (0, 1), (1, 2)],
    samples=[(1.5, 2, 0), (2.5, 1, 70), (3.5, 2, 0)], markers=[])
GECKO_SUB = dict(
    name="GeckoMain", tid=2000, type="tab",
    frames=[("(root)", None, None, 1), ("0xffffffff81000010", None, None, 1),
            ("render (http://demo.test/view.js:10)", 14, None, 2)],
    stacks=[(None, 0), (0, 2), (1, 2), (1, 1)],
    samples=[(1.0, 1, 10), (2.0, 2, 20), (3.0, 3, 30)], markers=[("Styles", 1.0, 2.0)])
GECKO = dict(pid=100, start=1600000000000.0, threads=[GECKO_MAIN, GECKO_SECOND],
             sub=dict(pid=200, start=1600000000500.0, threads=[GECKO_SUB]))
GECKO_NAMES = {"tick (http://demo.test/app.js:3:9)": "tick", "compute (in libdemo.so)": "compute",
               "solve (in libdemo.so) + 12": "solve", "fill (in libdemo.so) (fill.c:34)": "fill",
               "render (http://demo.test/view.js:10)": "render"}


def gecko_thread(t, v, pid, sources):
    strings = []

    def s(text):
        if text not in strings:
            strings.append(text)
        return strings.index(text)

    def location(text):
        if v >= 33 and "http:" in text:
            url = text[text.index("(") + 1:].split(".js")[0] + ".js"
            if url not in sources:
                sources.append(url)
            return s(text + "[%d]" % sources.index(url))
        return s(text)

    def trim(row):
        while len(row) > 1 and row[-1] is None:
            row = row[:-1]
        return row

    category = {0: 16, 1: 16, 2: 64} if v < 11 else {0: 0, 1: 1, 2: 2}
    frames = []
    for loc, line, column, cat in t["frames"]:
        if v >= 16:
            frames.append(trim([location(loc), False, 0, None, line, column, category[cat], 0]))
        elif v >= 12:
            frames.append(trim([location(loc), None, None, line, column, category[cat]]))
        else:
            frames.append(trim([location(loc), None, None, line, category[cat]]))
    if v >= 16:
        fs = ["location", "relevantForJS", "innerWindowID", "implementation", "line", "column", "category",
              "subcategory"]
    elif v >= 12:
        fs = ["location", "implementation", "optimizations", "line", "column", "category"]
    else:
        fs = ["location", "implementation", "optimizations", "line", "category"]
    if v >= 20:
        ss = ["stack", "time", "eventDelay", "threadCPUDelta"]
        rows = [[x[1], x[0], 0, x[2]] for x in t["samples"]]
        ms = ["name", "startTime", "endTime", "phase", "category", "data"]
        marks = [trim([s(n), a, 0 if b is None else b, 0 if b is None else 1, 1, None]) for n, a, b in t["markers"]]
    else:
        ss = ["stack", "time", "responsiveness", "rss", "uss"] + (["frameNumber"] if v < 6 else [])
        rows = [[x[1], x[0], 0] + ([None, None, 7] if v < 6 else []) for x in t["samples"]]
        ms = ["name", "time", "data"]
        marks = [trim([s(n), a, None if b is None else {"type": "tracing", "startTime": a, "endTime": b}])
                 for n, a, b in t["markers"]]

    def schema(names):
        return {n: i for i, n in enumerate(names)}

    d = {"name": t["name"], "processType": t["type"], "pid": pid, "tid": t["tid"]}
    if v >= 8:
        d.update(registerTime=0, unregisterTime=None)
    d["samples"] = {"schema": schema(ss), "data": rows}
    d["markers"] = {"schema": schema(ms), "data": marks}
    d["stackTable"] = {"schema": schema(["prefix", "frame"]), "data": [[p, f] for p, f in t["stacks"]]}
    d["frameTable"] = {"schema": schema(fs), "data": frames}
    d["stringTable"] = strings
    return d


def gecko(g, v, root=True):
    meta = {"version": v, "startTime": g["start"], "interval": 1, "processType": 0 if root else 2,
            "product": "Demo", "stackwalk": 1, "abi": "x86_64-gcc3"}
    if v >= 8:
        meta["shutdownTime"] = None
    if v >= 11:
        cats = [("Idle", "transparent"), ("Other", "grey"), ("JavaScript", "yellow")]
        meta["categories"] = [dict(name=n, color=c, **({"subcategories": ["Other"]} if v >= 16 else {}))
                              for n, c in cats]
    if v >= 20:
        meta["markerSchema"] = []
        meta["sampleUnits"] = {"time": "ms", "eventDelay": "ms", "threadCPUDelta": "µs"}
    ids = ["3E0A2663466E57DBABF718F6A3562C6E0", "4E444475EA7EB5FBA7ECAF94FC3EBEBD0"]
    libs = []
    for k, (path, start) in enumerate((("/opt/demo/demo", 0x400000), ("/usr/lib/libm.so.6", 0x7F0000000000))):
        r = {"start": start, "end": start + 0x10000, "offset": 0}
        if v < 4:
            r.update(name=path, breakpadId=ids[k])
        else:
            name = path.split("/")[-1]
            r.update(name=name, path=path, debugName=name, debugPath=path, breakpadId=ids[k], arch="x86_64")
        libs.append(r)
    sources = []
    d = {"meta": meta, "libs": J(libs).decode() if v < 4 else libs,
         "threads": [gecko_thread(t, v, g["pid"], sources) for t in g["threads"]]}
    if v >= 8:
        d["pausedRanges"] = []
    if v >= 33:
        d["sources"] = {"schema": {"id": 0, "filename": 1, "startLine": 2, "startColumn": 3, "sourceMapURL": 4},
                        "data": [["00%d" % i, u, 1, 1, None] for i, u in enumerate(sources)]}
    if "sub" in g:
        sub = gecko(g["sub"], v, root=False)
        if v < 5:
            d["threads"].append(J(sub).decode())
        else:
            d["processes"] = [sub]
    elif v >= 5:
        d["processes"] = []
    return d


def gecko_expect(g, v, **kw):
    out = []

    def one(p, base):
        for t in p["threads"]:
            rows = []
            for time, s, cpu in t["samples"]:
                chain = None if s is None else []
                while s is not None:
                    s, f = t["stacks"][s]
                    text = t["frames"][f][0]
                    chain.append(GECKO_NAMES.get(text, text))
                rows.append((time + p["start"] - base, chain, 1, cpu))
            out.append((t["name"], str(p["pid"]), str(t["tid"]), rows, len(t["markers"])))
        if "sub" in p:
            one(p["sub"], base)

    one(g, g["start"])
    kw.setdefault("cpu", v >= 20)
    e = Expect(out, "gecko-%d" % v, **kw)
    if e.names is None:
        e.names = [n for n in e.all_names() if not n.startswith("0x")]
    return e


# ---- the cases --------------------------------------------------------------

class Set:
    def __init__(self):
        self.list = []

    def add(self, file, data, e):
        self.list.append((file, data, e))


def mini(rows=None, **kw):
    L = copy.deepcopy(MINI)
    if rows is not None:
        L.threads[0].samples = rows
    for k, x in kw.items():
        setattr(L, k, x)
    return L


def mini_expect(v=60, rows=None, warn="-", edit=None, **kw):
    L = mini(rows)
    threads = threads_of(L, v)
    if edit:
        threads = edit(threads)
    return Expect(threads, v, warn=warn, **kw)


def layouts(s):
    for v in VERSIONS:
        data = J(processed(FULL, v))
        if v not in PLAIN:
            s.add("logical-v%02d.json.gz" % v, gz(data), expect(FULL, v))
        else:
            s.add("logical-v%02d.json" % v, data, expect(FULL, v))
    for v in (70, 75):
        d = processed(FULL, v)
        data = to_jslb(d, v)
        if v == 75:
            s.add("logical-v%d.jslb" % v, data, expect(FULL, v))
        s.add("logical-v%d.jslb.gz" % v, gz(data), expect(FULL, v))
    s.add("logical-v66.jslb.gz", gz(to_jslb(processed(FULL, 66), 66)), expect(FULL, 66))
    s.add("logical-v60.json.gz", gz(J(processed(FULL, 60))), expect(FULL, 60))
    s.add("logical-v49-pretty.json.gz",
          gz(J(processed(FULL, 49), indent=1, separators=(" ,", " : ")).replace(b"\n", b"\r\n")), expect(FULL, 49))
    s.add("logical-v60-deltas.json.gz", gz(J(processed(FULL, 60, deltas=True))), expect(FULL, 60))
    d = processed(FULL, 76)
    s.add("logical-v76.json.gz", gz(J(d)), Expect(threads_of(FULL, 76), 76, warn="76|newer|75"))


def containers(s):
    text = J(tiny(MINI, 60))
    e = mini_expect
    half = len(text) // 2
    s.add("gzip_two_members.json.gz", gz(text[:half]) + gz(text[half:]), e())
    s.add("gzip_many_members.json.gz", b"".join(gz(text[i:i + 97], body=stored(text[i:i + 97]))
                                               for i in range(0, len(text), 97)), e())
    s.add("gzip_empty_member_first.json.gz", gz(b"") + gz(text), e())
    s.add("gzip_empty_member_last.json.gz", gz(text) + gz(b""), e())
    s.add("gzip_zero_padding.json.gz", gz(text) + b"\0" * 512, e())
    s.add("gzip_one_zero.json.gz", gz(text) + b"\0", e())
    s.add("gzip_garbage_after.json.gz", gz(text) + b"left over\n", e(warn="garbage|trailing|after|ignored|left"))
    s.add("gzip_garbage_after_zeros.json.gz", gz(text) + b"\0" * 16 + b"xyz",
          e(warn="garbage|trailing|after|ignored|left"))
    s.add("gzip_garbage_after_two.json.gz", gz(text[:half]) + gz(text[half:]) + b"{",
          e(warn="garbage|trailing|after|ignored|left"))
    s.add("gzip_fixed_codes.json.gz", gz(text, body=fixed(text)), e())
    s.add("gzip_stored.json.gz", gz(text, body=stored(text)), e())
    s.add("gzip_header_fields.json.gz",
          gz(text, extra=b"AB\x04\x00abcd", name=b"profile.json", comment=b"made by hand", hcrc=True), e())
    s.add("gzip_text_flag.json.gz", gz(text, flags=1), e())
    s.add("gzip_without_suffix", gz(text), e())
    s.add("gzip_named_json.json", gz(text), e())
    s.add("plain_named_gz.json.gz", text, e())
    s.add("jslb_named_json.json", to_jslb(tiny(MINI, 70), 70), e(70))
    s.add("jslb_named_folded.folded.gz", gz(to_jslb(tiny(MINI, 75), 75)), e(75))
    s.add("json_named_pb.pb.gz", text, e())
    d = tiny(MINI, 70)
    s.add("jslb_root_first.jslb", to_jslb(d, 70, root_first=True), e(70))
    s.add("jslb_one_slab.jslb", jslb([(10, J(d))], 0), e(70))
    s.add("jslb_bytes_after.jslb", to_jslb(d, 70) + b"\0" * 40, e(70, warn=EITHER))
    # slabs inside slabs, whole tables and plain values out of line
    d = plain(MINI, 70)
    slabs = [(10, b"60e0"), typed("i32", d["shared"]["stackTable"]["frame"])]
    d["shared"]["stackTable"]["frame"] = {"$s": 1}
    slabs.append((10, J(d["shared"]["stackTable"])))
    d["shared"]["stackTable"] = {"$s": 2}
    slabs.append((10, b' {"$s":2} '))
    d["shared"]["stackTable"] = {"$s": 3}
    slabs.append((10, J(d["shared"])))
    d["shared"] = {"$s": 4}
    slabs.append((10, J(d["meta"]["product"])))
    d["meta"]["product"] = {"$s": 5}
    slabs.append((10, J(d["meta"])))
    d["meta"] = {"$s": 6}
    d["comment"] = {"$s": 0}
    slabs.append((10, J(d)))
    s.add("jslb_nested.jslb", jslb(slabs, 7), e(70))
    d = plain(MINI, 70)
    d["comment"] = [{"$s": 77}, {"$s": "0"}, {"$s": -1}, {"$s": 0, "x": 1}, {"$S": 0}, {"$s": None}]
    s.add("jslb_not_placeholders.jslb", jslb([(10, J(d))], 0), e(70))
    d = plain(MINI, 70)
    kinds = ("i8", "u8", "i16", "u16", "u32", "f32", "f64", "i64", "u64")
    slabs = []
    for k, (t, c) in enumerate((("stackTable", "frame"), ("stackTable", "prefixOffset"), ("frameTable", "func"),
                                ("frameTable", "address"), ("frameTable", "inlineDepth"), ("frameTable", "lib"),
                                ("funcTable", "name"), ("funcTable", "resource"), ("nativeSymbols", "address"))):
        slabs.append(typed(kinds[k], d["shared"][t][c]))
        d["shared"][t][c] = {"$s": k}
    slabs.append(typed("u8", d["threads"][0]["samples"]["weight"]))
    d["threads"][0]["samples"]["weight"] = {"$s": 9}
    slabs.append(typed("u16", d["threads"][0]["samples"]["threadCPUDelta"]))
    d["threads"][0]["samples"]["threadCPUDelta"] = {"$s": 10}
    slabs.append((10, J(d)))
    s.add("jslb_every_type.jslb", jslb(slabs, 11), e(70))
    # addresses from 2^31 on in an int32 slab are negative; -1 is none
    d = plain(MINI, 70)
    d["shared"]["frameTable"]["address"] = {"$s": 0}
    d["shared"]["frameTable"]["lib"] = [0, 0, -1]
    slab = typed("i32", [0x800010FF - 2 ** 32, -2, -1])
    s.add("jslb_negative_address.jslb", jslb([slab, (10, J(d))], 1), e(70))
    d = plain(MINI, 75)
    d["shared"]["frameTable"]["address"] = {"$s": 0}
    s.add("jslb_large_address_75.jslb", jslb([typed("u32", [0x800010FF, 0xFFFFFFFE, 0x1320]), (10, J(d))], 1), e(75))
    d = plain(MINI, 70)
    d["threads"][0]["samples"]["timeDeltas"] = {"$s": 0}
    s.add("jslb_unaligned.jslb", misaligned(d), e(70, warn=EITHER))


def misaligned(d):
    """A float64 slab at an odd offset: outside the rule, harmless to a careful reader."""
    deltas = tiny(MINI, 70)["threads"][0]["samples"]["timeDeltas"]
    root = J(d)
    root += b" " * ((1 - (44 + len(root))) % 8)
    raw = struct.pack("<4d", *deltas)
    head = b"\xdc\xdf\x4aSLB\x01\x00" + struct.pack("<III", 1, 2, 1)
    head += struct.pack("<III", 7, 44 + len(root), len(raw)) + struct.pack("<III", 10, 44, len(root))
    assert (44 + len(root)) % 8
    return head + root + raw


def swap(text, old, new):
    assert text.count(old) == 1, old
    return text.replace(old, new)


def json_text(s):
    d = tiny(MINI, 60)
    text = J(d)
    e = mini_expect

    def reorder(x, names):
        return {k: x[k] for k in names + [k for k in x if k not in names]}

    s.add("json_bom.json", b"\xef\xbb\xbf" + text, e())
    s.add("json_bom_space.json", b"\xef\xbb\xbf \r\n\t" + text + b"\n\n", e())
    s.add("json_bom.json.gz", gz(b"\xef\xbb\xbf" + text), e())
    s.add("json_spaces_first.json", b"\n" * 300 + text, e())
    s.add("json_meta_last.json", J({k: d[k] for k in ("libs", "shared", "threads", "meta")}), e())
    s.add("json_shared_last.json", J({k: d[k] for k in ("meta", "libs", "threads", "shared")}), e())
    s.add("json_all_backwards.json", J(backwards(d)), e())
    s.add("json_all_backwards_v49.json", J(backwards(tiny(MINI, 49))), e(49))
    s.add("json_all_backwards_v66.json", J(backwards(tiny(MINI, 66))), e(66))
    d49 = tiny(MINI, 49)
    d49["threads"][0] = reorder(d49["threads"][0], ["samples", "funcTable", "frameTable", "stackTable"])
    s.add("json_samples_first_v49.json", J(d49), e(49))
    s.add("json_length_last.json", J(length_last(d)), e())
    s.add("json_version_point.json", swap(text, b'Version":60', b'Version":60.0'), e())
    s.add("json_version_exponent.json", swap(text, b'Version":60', b'Version":6e1'), e())
    s.add("json_index_spellings.json", swap(text, b'"stack":[2,1,null,2]', b'"stack":[2.0,1e0,null,20e-1]'), e())
    s.add("json_minus_zero_index.json", swap(text, b'"frame":[0,1,2]', b'"frame":[-0,1.000,2]'), e())
    s.add("json_escaped_member_names.json",
          swap(swap(swap(text, b'"threads"', b'"thr\\u0065ads"'), b'"stack"', b'"\\u0073tack"'),
               b'"frameTable"', b'"frame\\u0054able"'), e())
    weight = b'"weight":[1,2,1,3]'
    s.add("json_same_name_column.json", swap(text, weight, b'"weight":[9,9,9,9,9,9],' + weight), e())
    s.add("json_same_name_null_last.json", swap(text, weight, weight + b',"weight":null'),
          e(rows=[(t, k, 1, c) for t, k, _, c in MINI.threads[0].samples]))
    s.add("json_same_name_threads.json", J({"meta": d["meta"], "threads": [{"name": "old"}]})[:-1] + b"," +
          text[text.index(b'"libs"'):], e())
    s.add("json_same_name_version.json", swap(text, b'"preprocessed', b'"preprocessedProfileVersion":1,"preprocessed'), e())
    s.add("json_same_name_stack_table.json",
          swap(text, b'"stackTable":', b'"stackTable":{"length":1,"frame":[0],"prefix":[null]},"stackTable":'), e())
    d2 = copy.deepcopy(d)
    d2["meta"]["unknown"] = {"deep": [[[{"a": [1, 2, {"b": None}]}]]], "n": 12345678901234567890123, "e": 1e-300}
    d2["threads"][0]["unknown"] = ["]", "}", '"', "\\", "\\\"", {"stack": [99, -1]}]
    d2["threads"][0]["samples"]["unknown"] = {"stack": [99]}
    d2["shared"]["unknownTable"] = {"length": 1e12, "x": [True, False]}
    d2["shared"]["stackTable"]["unknown"] = ["x", 2, {}]
    d2["other"] = {"threads": [{"samples": {"stack": ["no"]}}], "meta": {"preprocessedProfileVersion": 3}}
    s.add("json_unknown_members.json", J(d2), e())
    s.add("json_overflow_ignored.json", swap(text, b'"interval":1', b'"interval":1,"unknown":[1e999,-1e999]'),
          e(warn=EITHER))
    s.add("json_deep_60_ignored.json", swap(text, b'"interval":1', b'"interval":1,"x":' + b"[" * 60 + b"]" * 60), e())

    # names
    def named(file, body, name, warn="-"):
        """`body`: the bytes between the quotes for the name of the leaf function"""
        data = swap(text, b'"leaf"', b'"' + body + b'"')
        assert data != text

        def edit(threads):
            return [(t[0], t[1], t[2], [(r[0], None if r[1] is None else [name if n == "leaf" else n for n in r[1]],
                                         r[2], r[3]) for r in t[3]], t[4]) for t in threads]
        s.add(file, data, e(edit=edit, warn=warn))

    named("name_surrogate_pair.json", b"\\ud83d\\udE00x", "\U0001f600x")
    named("name_lone_high_surrogate.json", b"le\\ud800af", "le\ufffdaf", EITHER)
    named("name_lone_low_surrogate.json", b"\\udc00leaf", "\ufffdleaf", EITHER)
    named("name_two_high_surrogates.json", b"\\ud83d\\ud83d\\ude00", "\ufffd\U0001f600", EITHER)
    bad = "utf-?8|invalid|replaced"
    named("name_invalid_utf8.json", b"le\xffaf", "le\ufffdaf", bad)
    named("name_latin1.json", b"caf\xe9", "caf\ufffd", bad)
    named("name_utf8_surrogate.json", b"x\xed\xa0\x80", "x\ufffd\ufffd\ufffd", bad)
    named("name_utf8.json", "größe::日本<é>".encode(), "größe::日本<é>")
    named("name_replacement_char.json", "a\ufffdb".encode(), "a\ufffdb")
    named("name_escaped_quotes.json", b'operator\\"\\" _x\\\\y', 'operator"" _x\\y')
    named("name_empty_looking.json", b"\\u0020", " ")
    s.list[-1][2].names = ["main", "work"]
    named("name_nul.json", b"le\\u0000af", "le\0af", EITHER)
    s.list[-1][2].names = ["main", "work"]
    named("name_control.json", b"le\\u001b[31m\\n\\taf", "?")
    s.list[-1][2].names = ["main", "work"]
    named("name_hex.json", b"0x1320", "0x1320")
    s.list[-1][2].names = ["main", "work"]
    named("name_long.json", b"f" * 700, "f" * 700)
    s.list[-1][2].names = ["main", "work"]
    named("name_empty.json", b"", "", EITHER)
    s.list[-1][2].names = ["main", "work"]
    d2 = copy.deepcopy(d)
    d2["shared"]["stringArray"].append("leaf")
    d2["shared"]["funcTable"]["name"][1] = len(d2["shared"]["stringArray"]) - 1
    s.add("name_string_twice.json", J(d2), e(edit=rename({"work": "leaf"})))


def rename(names):
    def edit(threads):
        return [(t[0], t[1], t[2], [(r[0], None if r[1] is None else [names.get(n, n) for n in r[1]], r[2], r[3])
                                    for r in t[3]], t[4]) for t in threads]
    return edit


def backwards(x):
    if isinstance(x, dict):
        return {k: backwards(x[k]) for k in reversed(list(x))}
    if isinstance(x, list):
        return [backwards(y) for y in x]
    return x


def length_last(x):
    if isinstance(x, dict):
        return {k: length_last(x[k]) for k in [k for k in x if k != "length"] + [k for k in x if k == "length"]}
    if isinstance(x, list):
        return [length_last(y) for y in x]
    return x


def samples(s):
    base = MINI.threads[0].samples

    def ed(name, change, v=60, **kw):
        d = tiny(MINI, v)
        change(d)
        s.add(name + ".json", J(d), mini_expect(v, **kw))

    def col(name, column, value, v=60, **kw):
        def edit(d):
            if value is DROP:
                del d["threads"][0]["samples"][column]
            else:
                d["threads"][0]["samples"][column] = value
        ed(name, edit, v, **kw)

    DROP = object()

    def rows(weights=None, cpu=None, times=None):
        return [(times[i] if times else r[0], r[1], weights[i] if weights else r[2], cpu[i] if cpu else r[3])
                for i, r in enumerate(base)]

    ones = rows([1, 1, 1, 1])
    col("weight_null", "weight", None, rows=ones)
    col("weight_missing", "weight", DROP, rows=ones)
    col("weight_element_null", "weight", [None, 2, 1, 3], rows=rows([1, 2, 1, 3]))
    col("weight_zero", "weight", [0, 2, 0, 3], rows=rows([0, 2, 0, 3]))
    col("weight_fraction", "weight", [0.5, 1.25, 0.25, 2], rows=rows([0.5, 1.25, 0.25, 2]))
    col("weight_negative", "weight", [-1, 2, -4, 5], rows=rows([-1, 2, -4, 5]))
    col("weight_negative_sum", "weight", [-10, 2, 1, -0.5], rows=rows([-10, 2, 1, -0.5]))
    col("weight_large", "weight", [5e9, 0, 1, 0], rows=rows([5000000000, 0, 1, 0]))
    col("weight_type_samples", "weightType", "samples")
    col("weight_type_null", "weightType", None, warn=EITHER)

    def bytes_type(d):
        d["threads"][0]["samples"].update(weightType="bytes", weight=[4096, 64, 0, -128])
    ed("weight_type_bytes", bytes_type, rows=rows([4096, 64, 0, -128]), warn=EITHER)

    def tracing(d):
        d["threads"][0]["samples"].update(weightType="tracing-ms", weight=[0.5, 2, 1, 3.5])
    ed("weight_type_tracing", tracing, rows=rows([0.5, 2, 1, 3.5]), warn=EITHER)

    def duration(d):
        sm = d["threads"][0]["samples"]
        sm["weight"], sm["duration"] = sm.pop("duration"), None
    ed("weight_in_v24_after_all", duration, v=24)

    # CPU
    col("cpu_column_missing", "threadCPUDelta", DROP, cpu=False)
    col("cpu_column_null", "threadCPUDelta", None, cpu=False)
    col("cpu_all_null", "threadCPUDelta", [None] * 4, cpu=False, warn=EITHER)
    col("cpu_some_null", "threadCPUDelta", [None, 200, None, 300], rows=rows(cpu=[None, 200, None, 300]))
    col("cpu_fraction", "threadCPUDelta", [100.5, 200.25, 0, 300.25], rows=rows(cpu=[100.5, 200.25, 0, 300.25]))

    def unit(u, scale):
        def edit(d):
            d["meta"]["sampleUnits"]["threadCPUDelta"] = u
            sm = d["threads"][0]["samples"]
            sm["threadCPUDelta"] = [x * scale for x in sm["threadCPUDelta"]]
        return edit
    ed("cpu_unit_ns", unit("ns", 1000))
    ed("cpu_unit_greek_mu", unit("\u03bcs", 1), warn=EITHER)
    ed("cpu_unit_cycles", unit("variable CPU cycles", 1000), cpu=False, warn=EITHER)

    def no_units(d):
        del d["meta"]["sampleUnits"]
    ed("cpu_unit_missing", no_units, cpu=False, warn=EITHER)
    col("cpu_first_too_long", "threadCPUDelta", [9000000, 200, 0, 300], rows=rows(cpu=[None, 200, 0, 300]),
        warn="cpu|first|delta")

    def late(d):
        t = d["threads"][0]
        t["registerTime"] = 5000
        t["samples"]["time"] = [x + 5000 for x in t["samples"]["time"]]
    ed("cpu_first_late_thread", late, rows=rows(times=[5001, 5002, 5003, 5004]))

    # time
    col("time_unsorted", "time", [4, 2, 3, 1], rows=rows(times=[4, 2, 3, 1]), warn=EITHER)
    col("time_equal", "time", [2, 2, 2, 2], rows=rows(times=[2, 2, 2, 2]))
    col("time_negative", "time", [-3, -2, -1, 0], rows=rows(cpu=[100, 200, 0, 300], times=[-3, -2, -1, 0]), warn=EITHER)
    s.list.pop()  # what a first CPU delta means before time zero is not settled
    col("time_fraction", "time", [1.000001, 2.5, 3.75, 4.999999], rows=rows(times=[1.000001, 2.5, 3.75, 4.999999]))

    def both(d):
        d["threads"][0]["samples"]["timeDeltas"] = [1000, 1000, 1000, 1000]
    ed("time_and_deltas", both, warn=EITHER)

    def deltas(d):
        sm = d["threads"][0]["samples"]
        del sm["time"]
        sm["timeDeltas"] = [4, -2, 1, 0]
    ed("time_deltas_negative", deltas, rows=rows(times=[4, 2, 3, 3]), warn=EITHER)

    def deltas_old(d):
        sm = d["threads"][0]["samples"]
        del sm["time"]
        sm["timeDeltas"] = [1, 1, 1, 1]
    ed("time_deltas_in_v49", deltas_old, v=49, warn=EITHER)

    def boot(d):
        t = d["threads"][0]
        t["samples"]["time"] = [75091402.59, 75091403.59, 75091404.59, 75091405.59]
        t["registerTime"] = 75091400
    ed("time_since_boot", boot, rows=rows(times=[75091402.59, 75091403.59, 75091404.59, 75091405.59]))

    # lengths
    col("length_larger", "length", 9, warn="length|column|rows|short")
    col("length_huge", "length", 1e12, warn="length|column|rows|short")
    col("length_missing", "length", DROP, warn=EITHER)

    def longer(d):
        sm = d["threads"][0]["samples"]
        for c in ("stack", "time", "weight", "threadCPUDelta"):
            sm[c] = sm[c] + [99 if c == "stack" else 7, 0]
    ed("length_smaller", longer, warn=EITHER)

    def short_time(d):
        sm = d["threads"][0]["samples"]
        sm["time"] = sm["time"][:3]
    ed("length_time_short", short_time, rows=base[:3], warn="length|column|rows|short|time")

    def stack_bomb(d):
        d["shared"]["stackTable"]["length"] = 1e12
    ed("length_stack_table_huge", stack_bomb, warn="length|column|rows|short|stackTable")

    def all_bomb(d):
        for t in d["shared"].values():
            if isinstance(t, dict):
                t["length"] = 1e15
    ed("length_every_table_huge", all_bomb, warn="length|column|rows|short")

    def no_lengths(d):
        for t in d["shared"].values():
            if isinstance(t, dict):
                del t["length"]
    ed("length_missing_in_tables", no_lengths, warn=EITHER)

    # stacks
    def all_null(d):
        d["threads"][0]["samples"]["stack"] = [None] * 4
    ed("stack_all_null", all_null, rows=[(r[0], None, r[2], r[3]) for r in base], warn=EITHER)

    def bomb_unused(d):
        all_null(d)
        d["shared"]["stackTable"] = {"length": 1e12, "frame": [], "prefix": []}
    ed("stack_all_null_table_bomb", bomb_unused, rows=[(r[0], None, r[2], r[3]) for r in base],
       warn="length|column|rows|short|stackTable")

    def no_delay(d):
        d["threads"][0]["samples"].update(eventDelay=[0, None, 1, 2], responsiveness=None, argumentValues=[None, 1],
                                          threadId=[7, 7, 7, 7], rss=[1, 2, 3, 4])
    ed("samples_other_columns", no_delay)
    # deep recursion, small on disk
    n = 20000
    L = Logical(MINI.categories, MINI.libs, MINI.funcs, MINI.frames, MINI.stacks, MINI.natives,
                [Thread("demo", True, 7, 7, "demo", [(1, 2, 1, 100)])])
    d = tiny(L, 66)
    d["shared"]["stackTable"] = {"length": n, "frame": [0] + [1] * (n - 2) + [2], "prefixOffset": [0] + [1] * (n - 1)}
    d["threads"][0]["samples"]["stack"] = [n - 1]
    e = Expect([("demo", "7", "7", [(1, ["leaf"] + ["work"] * (n - 2) + ["main"], 1, 100)], 0)], 66)
    s.add("stack_20000_deep.json.gz", gz(J(d)), e)


def tables(s):
    def ed(name, change, v=60, full=False, **kw):
        d = (processed if full else plain)(MINI, v)
        change(d)
        s.add(name + ".json.gz", gz(J(d)), mini_expect(v, **kw))

    def shared(name, table, column, value, v=60, **kw):
        def edit(d):
            t = (d["shared"] if v >= 60 else d["threads"][0])[table]
            if value is DROP:
                del t[column]
            else:
                t[column] = value
        ed(name, edit, v, **kw)

    DROP = object()
    # vmprof, Lean and converters leave columns out; vernier writes null columns
    for c in ("address", "column", "category", "inlineDepth"):
        shared("column_missing_frame_%s" % c, "frameTable", c, DROP, full=True, warn=EITHER if c == "address" else "-")

    def null_columns(d):
        for c in ("column", "line", "category", "subcategory", "inlineDepth", "nativeSymbol", "innerWindowID"):
            d["shared"]["frameTable"][c] = None
    ed("column_null_frame_seven", null_columns, full=True)
    shared("column_null_frame_subcategory", "frameTable", "subcategory", None, full=True)

    def func_columns(value):
        def edit(d):
            for c in ("isJS", "relevantForJS", "resource", "source", "lineNumber", "columnNumber"):
                if value is DROP:
                    del d["shared"]["funcTable"][c]
                else:
                    d["shared"]["funcTable"][c] = None
        return edit
    ed("column_missing_func_all_but_name", func_columns(DROP), full=True)
    ed("column_null_func_all_but_name", func_columns(None), full=True)
    shared("column_short_frame_line", "frameTable", "line", [3], warn=EITHER)
    shared("column_short_frame_column", "frameTable", "column", [], full=True, warn=EITHER)
    shared("column_short_func_source", "funcTable", "source", [0], warn=EITHER)

    def old_resource(d):
        t = d["threads"][0]
        i = t["stringArray"].index("demo")
        t["resourceTable"] = {"length": 2, "type": [1, 5], "name": [i, i], "lib": [0], "icon": [], "addonId": [],
                              "host": []}
        t["funcTable"]["resource"] = [0, 1, 0]
    ed("column_short_resource_lib_v40", old_resource, v=40)
    ed("column_short_resource_lib_v24", old_resource, v=24)

    def resource_none(value):
        def edit(d):
            t = d["threads"][0]
            t["resourceTable"]["lib"] = [value]
        return edit
    ed("resource_lib_minus_one_v40", resource_none(-1), v=40)
    ed("resource_lib_null_v40", resource_none(None), v=40)
    ed("resource_lib_null_v49", resource_none(None), v=49)
    shared("func_resource_minus_one", "funcTable", "resource", [-1, -1, -1])
    shared("func_resource_null", "funcTable", "resource", [None, None, None], warn=EITHER)
    shared("frame_address_null", "frameTable", "address", [None, 0x1210, -1])
    shared("frame_lib_minus_one_v70", "frameTable", "lib", [-1, 0, -1], v=70)
    shared("frame_line_zero", "frameTable", "line", [0, -1, 6])
    shared("func_is_js_numbers", "funcTable", "isJS", [0, 1, 0])
    shared("prefix_offset_null", "stackTable", "prefixOffset", [None, 1, 1], v=66, warn=EITHER)
    shared("stack_category_in_v60", "stackTable", "category", [1, 1, 1])

    def no_stack_category(d):
        del d["threads"][0]["stackTable"]["category"]
        del d["threads"][0]["stackTable"]["subcategory"]
    ed("stack_category_missing_v49", no_stack_category, v=49, full=True)

    def no_meta(*names):
        def edit(d):
            for n in names:
                d["meta"].pop(n, None)
        return edit
    ed("meta_no_categories", no_meta("categories"), warn=EITHER)
    ed("meta_only_version", no_meta("version", "startTime", "processType", "product", "stackwalk", "symbolicated",
                                    "markerSchema", "categories"), full=True, warn=EITHER)

    def no_grey(d):
        d["meta"]["categories"] = [{"name": "A", "color": "red", "subcategories": ["Other"]},
                                   {"name": "B", "color": "blue", "subcategories": ["Other"]}]
        d["shared"]["frameTable"]["category"] = [None, 1, None]
    ed("meta_no_grey_category", no_grey)

    def same_category(d):
        d["meta"]["categories"] = [{"name": "JIT", "color": "grey", "subcategories": ["Other"]},
                                   {"name": "JIT", "color": "blue", "subcategories": ["Other"]}]
    ed("meta_same_category_twice", same_category)

    def no_subcategories(d):
        for c in d["meta"]["categories"]:
            del c["subcategories"]
    ed("meta_no_subcategories", no_subcategories, full=True)

    def string_table(d):
        t = d["threads"][0]
        t["stringTable"] = {"_array": t.pop("stringArray"), "_stringToIndex": {}}
    ed("string_table_array_v49", string_table, v=49)
    ed("string_table_array_v24", string_table, v=24)

    def libs(d):
        d["libs"] = [{}]
    ed("libs_empty_record", libs, warn=EITHER)

    def libs_odd(d):
        d["libs"] = [dict(d["libs"][0], breakpadId="0" * 33, codeId=None, arch=None, path=""),
                     dict(d["libs"][0]), dict(d["libs"][0], breakpadId="0" * 33), {"name": None}]
    ed("libs_nil_and_twice", libs_odd, warn=EITHER)

    def no_libs(d):
        del d["libs"]
        d["shared"]["resourceTable"]["lib"] = [None]
        del d["shared"]["nativeSymbols"]
        d["shared"]["frameTable"]["nativeSymbol"] = None
    ed("libs_missing", no_libs)

    def orphans(d):
        sh = d["shared"]
        sh["stringArray"].append("0x7fff12345678")
        f = sh["funcTable"]
        f["length"] += 1
        for c, x in (("name", len(sh["stringArray"]) - 1), ("isJS", False), ("relevantForJS", False),
                     ("resource", -1), ("source", None), ("lineNumber", None), ("columnNumber", None)):
            f[c].append(x)
        fr = sh["frameTable"]
        fr["length"] += 1
        for c in fr:
            if c != "length":
                fr[c].append({"func": 3, "address": -1, "inlineDepth": 0}.get(c))
    ed("tables_orphan_rows", orphans, full=True)

    def windows(d):
        sh = d["shared"]
        sh["frameTable"]["innerWindowID"] = [2147483649, 9007199254740991, 21474836485]
        d["threads"][0]["nativeAllocations"] = {
            "length": 2, "time": [1, 2], "weight": [64, -64], "weightType": "bytes", "stack": [1, None],
            "memoryAddress": [18446744073709551615, 140737488355328], "threadId": [7, 7]}
        d["threads"][0]["jsAllocations"] = {
            "length": 1, "time": [1], "className": ["Object"], "typeName": ["x"], "coarseType": ["y"], "weight": [32],
            "weightType": "bytes", "inNursery": [True], "stack": [0]}
    ed("allocations_beside_samples", windows, warn=EITHER)

    def counters(d):
        d["counters"] = [{"name": "malloc", "category": "Memory", "description": "", "pid": 7, "mainThreadIndex": 0,
                          "sampleGroups": [{"id": 0, "samples": {"length": 2, "time": [1, 2], "count": [5, -3],
                                                                 "number": [1, 1]}}]}]
    ed("counters_v46_groups", counters, v=46)

    def counters_new(d):
        d["counters"] = [{"name": "cpu", "category": "CPU", "description": "", "pid": "7", "mainThreadIndex": 0,
                          "color": "grey", "samples": {"length": 2, "timeDeltas": [1, 1], "count": [5, 2]}}]
        d["pages"], d["profilerOverhead"], d["profilingLog"] = [{"tabID": 1}], [{}], {"7": {"a": [1]}}
    ed("counters_v60", counters_new)

    def pretty_markers(d):
        st = d["shared"]["stringArray"]
        st.extend(["Span", "left"])
        a = len(st) - 2
        d["threads"][0]["markers"] = {
            "length": 6, "name": [a] * 6, "category": [0] * 6, "phase": [2, 2, 3, 3, 3, 1],
            "startTime": [1, 2, None, 0, 0, 1.5], "endTime": [0, None, 3, 4, 5, 2.5],
            "data": [None, {}, {"type": "Nobody", "x": [1, {"y": None}]}, None,
                     {"type": "Note", "msg": "plain text"}, {"msg": a + 1, "cause": {"stack": 1, "time": 1}}]}
    ed("markers_unpaired", pretty_markers, edit=lambda ts: [t[:4] + (6,) for t in ts], warn=EITHER)

    def no_markers(d):
        del d["threads"][0]["markers"]
        d["meta"]["markerSchema"] = None
    ed("markers_missing", no_markers, edit=lambda ts: [t[:4] + (0,) for t in ts])


def threads(s):
    def ed(name, edit, v=60, who=None, **kw):
        """who: (name, pid, tid) after the edit"""
        d = tiny(MINI, v)
        edit(d)
        change = None if who is None else (lambda ts: [who + t[3:] for t in ts])
        s.add(name + ".json", J(d), mini_expect(v, edit=change, **kw))

    def field(name, key, value, who, v=60, **kw):
        def edit(d):
            if value is DROP:
                del d["threads"][0][key]
            else:
                d["threads"][0][key] = value
        ed(name, edit, v, who, **kw)

    DROP = object()
    field("pid_number", "pid", 7, ("demo", "7", "7"))
    field("pid_dotted", "pid", "7.1", ("demo", "7.1", "7"))
    field("pid_word", "pid", "Unknown Process 1", ("demo", "Unknown Process 1", "7"))
    field("pid_string_in_v44", "pid", "7", ("GeckoMain", "7", "7"), v=44)
    field("pid_missing", "pid", DROP, ("demo", "-", "7"), warn=EITHER)
    field("pid_zero_not_cpu", "pid", "0", ("demo", "0", "7"))
    field("tid_null", "tid", None, ("demo", "7", "-"))
    field("tid_missing", "tid", DROP, ("demo", "7", "-"))
    field("tid_number", "tid", 4294967297, ("demo", "7", "4294967297"))
    field("tid_zero", "tid", 0, ("demo", "7", "0"))
    field("tid_dotted", "tid", "123.1", ("demo", "7", "123.1"))
    field("thread_name_missing", "name", DROP, ("-", "7", "7"), warn=EITHER)

    def bare(d):
        t = d["threads"][0]
        for k in list(t):
            if k not in ("samples", "markers"):
                del t[k]
    ed("thread_only_samples", bare, who=("-", "-", "-"), warn=EITHER)

    def several(name, make, v=60, warn="-"):
        """make(thread record, expected thread) -> lists of both"""
        d = tiny(MINI, v)
        t = threads_of(MINI, v)[0]
        records, wanted = make(d["threads"][0], t)
        d["threads"] = records
        s.add(name + ".json", J(d), Expect(wanted, v, warn=warn))

    def var(rec, **kw):
        r = copy.deepcopy(rec)
        r.update(kw)
        return r

    several("threads_same_name_and_tid", lambda r, t: ([r, var(r), var(r, pid="8")],
                                                      [t, t, (t[0], "8") + t[2:]]))
    several("threads_two_main", lambda r, t: ([r, var(r, tid="9")], [t, t[:2] + ("9",) + t[3:]]))

    def empty(r):
        e = var(r, name="idle", tid="8", isMainThread=False)
        for c in ("stack", "time", "weight", "threadCPUDelta"):
            e["samples"][c] = []
        e["samples"]["length"] = 0
        return e

    def no_rows(t):
        return ("idle", t[1], "8", [], t[4])
    several("threads_one_empty_last", lambda r, t: ([r, empty(r)], [t, no_rows(t)]))
    several("threads_one_empty_first", lambda r, t: ([empty(r), r], [no_rows(t), t]))

    def hollow(r):
        e = empty(r)
        e["samples"] = {"length": 0}
        e["markers"] = {"length": 0}
        return e
    several("threads_one_hollow", lambda r, t: ([r, hollow(r)], [t, no_rows(t)[:4] + (0,)]))
    several("empty_only_thread_without_samples", lambda r, t: ([empty(r)], [no_rows(t)]), warn=EITHER)
    several("empty_no_threads", lambda r, t: ([], []), warn=EITHER)

    # per-CPU tracks: every sample stands there a second and a third time
    L = copy.deepcopy(FULL)
    n = len(L.funcs)
    L.funcs += [Func("demo (tid: 100)"), Func("<Idle>")]
    L.frames += [Frame(n), Frame(n + 1)]
    f = len(L.frames) - 2
    L.stacks += [(None, f), (None, f + 1), (len(L.stacks), 1)]
    a, b = len(L.stacks) - 3, len(L.stacks) - 2
    combined = Thread("CPU", True, 0, 0, "CPU", [(1.0, a + 2, 1, 500), (2.0, b, 1, 0), (3.0, b, 1, 0)])
    cpu0 = Thread("CPU 0", False, 0, "cpu0", "CPU", [(1.0, a, 1, 500), (2.0, b, 1, 0)])
    cpu1 = Thread("CPU 1", False, 0, "cpu1", "CPU", [(1.0, b, 1, 0)])
    for v, name in ((49, "per_cpu_tracks_v49"), (60, "per_cpu_tracks_v60")):
        L2 = copy.copy(L)
        L2.threads = [combined, cpu0, cpu1] + FULL.threads
        s.add(name + ".json.gz", gz(J(processed(L2, v))), Expect(threads_of(FULL, v), v, warn="cpu"))
    L2 = copy.copy(L)
    L2.threads = [FULL.threads[0], cpu0, FULL.threads[1], cpu1]
    d = processed(L2, 44)
    assert d["threads"][1]["pid"] == 0
    s.add("per_cpu_tracks_number_pid_v44.json.gz", gz(J(d)), Expect(threads_of(FULL, 44), 44, warn="cpu"))

    # the whole of another process beside the first, tables per thread
    several("threads_two_processes_v49",
            lambda r, t: ([r, var(r, pid="8", tid="8", processName="other")], [t, (t[0], "8", "8") + t[3:]]), v=49)


def geckos(s):
    for v in (3, 4, 5, 11, 20, 24, 33, 36):
        data = J(gecko(GECKO, v))
        if v == 24:
            s.add("gecko-v%02d.json" % v, data, gecko_expect(GECKO, v))
        else:
            s.add("gecko-v%02d.json.gz" % v, gz(data), gecko_expect(GECKO, v))
    alone = {k: x for k, x in GECKO.items() if k != "sub"}
    s.add("gecko_wrapped_v24.json.gz", gz(J({"profile": gecko(GECKO, 24)})), gecko_expect(GECKO, 24))
    s.add("gecko_backwards_v24.json.gz", gz(J(backwards(gecko(GECKO, 24)))), gecko_expect(GECKO, 24))
    d = gecko(alone, 24)
    for t in d["threads"]:
        shuffle(t["samples"], [3, 0, 2, 1])
        shuffle(t["stackTable"], [1, 0])
        shuffle(t["frameTable"], [7, 3, 0, 1, 5, 4, 2, 6])
        shuffle(t["markers"], [5, 4, 3, 2, 1, 0])
    s.add("gecko_shuffled_schema_v24.json.gz", gz(J(d)), gecko_expect(alone, 24))
    d = gecko(alone, 24)
    for t in d["threads"]:
        t["samples"]["schema"]["power"] = 12
        t["samples"]["data"] = [trim_row(r) for r in t["samples"]["data"]]
        t["stackTable"]["schema"]["category"] = 2
    s.add("gecko_short_rows_v24.json.gz", gz(J(d)), gecko_expect(alone, 24))
    d = gecko(alone, 13)
    for lib in d["libs"]:
        del lib["offset"]
    s.add("gecko_libs_without_offset_v13.json.gz", gz(J(d)), gecko_expect(alone, 13))
    d = gecko(GECKO, 24)
    d["processes"].append({"meta": dict(d["processes"][0]["meta"]), "libs": [], "threads": [], "processes": []})
    d["libs"] = []
    d["counters"], d["pages"] = [], []
    s.add("gecko_no_libs_v24.json.gz", gz(J(d)), gecko_expect(GECKO, 24, warn=EITHER))
    # three levels of processes
    third = dict(pid=300, start=GECKO["start"] - 250.0, threads=[dict(GECKO_SECOND, tid=3000)])
    deep = dict(alone, sub=dict(GECKO["sub"], sub=third))
    s.add("gecko_nested_processes_v24.json.gz", gz(J(gecko(deep, 24))), gecko_expect(deep, 24))
    d = gecko(alone, 24)
    d["meta"]["version"] = 37
    s.add("gecko_newer_v37.json.gz", gz(J(d)), gecko_expect(alone, 37, warn="37|newer|36"))


def trim_row(r):
    r = list(r)
    while len(r) > 2 and not r[-1]:
        r.pop()
    return r


def shuffle(table, order):
    """order[old position] = new position"""
    table["schema"] = {k: order[p] for k, p in table["schema"].items()}
    rows = []
    for r in table["data"]:
        out = [None] * len(order)
        for p, x in enumerate(r):
            out[order[p]] = x
        rows.append(out)
    table["data"] = rows


def folded(s):
    def add(name, data, rows, warn="-", names=None):
        data = data.encode() if isinstance(data, str) else data
        e = Expect([("-", "-", "-", [(0, st.split(";")[::-1], w, None) for st, w in rows], 0)], "-", warn=warn,
                   names=names, cpu=False)
        e.threads = None
        s.add(name, data, e)

    three = [("main;work;leaf", 5), ("main;work", 3), ("main", 2)]
    plain = "".join("%s %d\n" % r for r in three)
    add("folded_plain.folded", plain, three)
    add("folded_crlf.folded", plain.replace("\n", "\r\n"), three)
    add("folded_bom.txt", "\ufeff" + plain, three)
    add("folded_utf16_le.folded", b"\xff\xfe" + plain.encode("utf-16-le"), three)
    add("folded_utf16_be.folded", b"\xfe\xff" + plain.replace("\n", "\r\n").encode("utf-16-be"), three)
    add("folded_utf16_pairs.folded", b"\xff\xfe" + "main;a\U0001f600é 4\n".encode("utf-16-le"), [("main;a\U0001f600é", 4)])
    add("folded_gzip.folded.gz", gz(plain.encode()), three)
    add("folded_no_last_newline.folded", plain[:-1], three)
    add("folded_empty_lines.folded", "\n\n" + plain.replace("\n", "\n\n") + "\n", three)
    add("folded_named_json.json", plain, three)
    add("folded_same_stack_twice.folded", plain + plain, three + three)
    add("folded_recursion.folded", "main;work;work;leaf;work 4\nmain;work;main 2\n",
        [("main;work;work;leaf;work", 4), ("main;work;main", 2)])
    add("folded_spaces_in_names.folded", "main;std::vector<int, std::less<int> >::push 3\nmain;operator new 4\n",
        [("main;std::vector<int, std::less<int> >::push", 3), ("main;operator new", 4)], names=["main", "operator new"])
    add("folded_number_in_name.folded", "main;level 2 cache 7\n", [("main;level 2 cache", 7)])
    add("folded_decimals.folded", "main;work 1.5\nmain;work 2.5\nmain;leaf 0.25\nmain 1.75\n",
        [("main;work", 1.5), ("main;work", 2.5), ("main;leaf", 0.25), ("main", 1.75)], warn=EITHER,
        names=["main", "work"])
    add("folded_zero.folded", "main;work 0\nmain;leaf 3\n", [("main;work", 0), ("main;leaf", 3)], names=["main", "leaf"])
    add("folded_large.folded", "main;work 9007199254740993\nmain;leaf 7\n",
        [("main;work", 2 ** 53 + 1), ("main;leaf", 7)])
    add("folded_2p63_less_1.folded", "main 9223372036854775807\n", [("main", 2 ** 63 - 1)])
    add("folded_leading_zeros.folded", "main;work 007\n", [("main;work", 7)])
    add("folded_kernel_suffix.folded", "main;do_syscall_64_[k];vfs_read_[k] 4\nmain;hot_[j] 2\nmain;tiny_[i] 1\n",
        [("main;do_syscall_64;vfs_read", 4), ("main;hot", 2), ("main;tiny", 1)], names=["main"])
    add("folded_line_without_count.folded", "main;work 5\nmain;broken\nmain;leaf 2\n",
        [("main;work", 5), ("main;leaf", 2)], warn="line 2|count")
    add("folded_last_line_cut.folded", "main;work 5\nmain;leaf 2\nmain;le", [("main;work", 5), ("main;leaf", 2)],
        warn="line 3|count")
    add("folded_tab_before_count.folded", "main;work\t5\nmain\t2\n", [("main;work", 5), ("main", 2)], warn=EITHER)
    add("folded_spaces_at_end.folded", "main;work 5 \nmain;leaf 2\t\n", [("main;work", 5), ("main;leaf", 2)], warn=EITHER)
    add("folded_one_line.folded", "main 1", [("main", 1)])
    add("folded_utf8.folded", "главная;größe 3\nглавная 1\n", [("главная;größe", 3), ("главная", 1)])
    add("folded_invalid_utf8.folded", b"main;caf\xe9 3\nmain 1\n", [("main;caf\ufffd", 3), ("main", 1)],
        warn="utf-?8|invalid|replaced")
    add("folded_square_brackets.folded", "[unknown];[libc.so.6] 3\n[unknown] 1\n",
        [("[unknown];[libc.so.6]", 3), ("[unknown]", 1)])
    add("folded_deep.folded.gz", gz((";".join(["main"] + ["work"] * 5000 + ["leaf"]) + " 2\n").encode()),
        [(";".join(["main"] + ["work"] * 5000 + ["leaf"]), 2)])


def cases():
    s = Set()
    layouts(s)
    containers(s)
    json_text(s)
    samples(s)
    tables(s)
    threads(s)
    geckos(s)
    folded(s)
    return s.list


def thread_rows(odd):
    out = []
    for file, _, e in odd:
        if not file.startswith(("logical", "gecko", "pid", "tid", "thread", "per_cpu", "time", "markers", "cpu_first")):
            continue
        for k, t in enumerate(e.threads or []):
            rows = t[3]
            one = Expect([t], e.version, cpu=e.cpu)
            times = [r[0] for r in rows]
            out.append([file, str(k), t[0], t[1], t[2], str(one.samples), fmt(one.weight), fmt(one.cpu_us),
                        str(one.nulls), fmt(times[0]) if times else "-", fmt(times[-1]) if times else "-", str(t[4])])
    return out


def logical():
    return logical_rows(FULL)
