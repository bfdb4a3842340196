"""A slow, plain reader of profiles, for checking the test data and nothing else.

It shares no code with the generator: it goes from the bytes of a file to totals
by the rules of the format, and raises Bad for what has to be refused.
"""
import binascii
import json
import math
import re
import struct
import zlib

NEWEST = 75
NEWEST_GECKO = 36
MAX_DEPTH = 1000


class Bad(Exception):
    pass


class Profile:
    def __init__(self, version):
        self.version = version
        self.threads = []  # (name, pid, tid, rows, markers); rows: (time, names, weight, cpu us)
        self.warnings = []
        self.has_cpu = False


# ---- gzip ------------------------------------------------------------------

def gunzip(data, warnings):
    out, at, members = b"", 0, 0
    while at < len(data):
        if members and set(data[at:]) == {0}:
            break
        if members and data[at:at + 2] != b"\x1f\x8b":
            warnings.append("garbage after the gzip data")
            break
        at = header(data, at)
        d = zlib.decompressobj(-15)
        try:
            out += d.decompress(data[at:])
        except zlib.error as e:
            raise Bad("gzip: %s" % e)
        if not d.eof:
            raise Bad("gzip: truncated")
        at = len(data) - len(d.unused_data)
        if at + 8 > len(data):
            raise Bad("gzip: truncated trailer")
        crc, size = struct.unpack_from("<II", data, at)
        at += 8
        # only the last member's text is left to check: keep it simple, check by parts
        part = out if members == 0 else out[mark:]
        if crc != binascii.crc32(part):
            raise Bad("gzip: bad CRC")
        if size != len(part) & 0xFFFFFFFF:
            raise Bad("gzip: bad length")
        members += 1
        mark = len(out)
    return out


def header(data, at):
    start = at
    if at + 10 > len(data):
        raise Bad("gzip: truncated header")
    if data[at + 2] != 8:
        raise Bad("gzip: unknown method")
    flags = data[at + 3]
    if flags & 0xE0:
        raise Bad("gzip: reserved flags")
    at += 10
    if flags & 4:
        if at + 2 > len(data):
            raise Bad("gzip: truncated header")
        at += 2 + struct.unpack_from("<H", data, at)[0]
    for bit in (8, 16):
        if flags & bit:
            end = data.find(b"\0", at)
            if end < 0:
                raise Bad("gzip: truncated header")
            at = end + 1
    if flags & 2:
        if at + 2 > len(data):
            raise Bad("gzip: truncated header")
        if struct.unpack_from("<H", data, at)[0] != binascii.crc32(data[start:at]) & 0xFFFF:
            raise Bad("gzip: bad header CRC")
        at += 2
    if at > len(data):
        raise Bad("gzip: truncated header")
    return at


# ---- JSON ------------------------------------------------------------------

def no_constant(name):
    raise Bad("JSON: %s" % name)


def clean(x):
    if isinstance(x, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", x)
    if isinstance(x, list):
        return [clean(y) for y in x]
    if isinstance(x, dict):
        return {clean(k): clean(v) for k, v in x.items()}
    return x


def parse_json(data, warnings):
    text = data.decode("utf-8", "replace")
    if "\ufffd" in text and "\ufffd".encode() not in data:
        warnings.append("invalid UTF-8")
    if text.startswith("\ufeff"):
        text = text[1:]
    depth = 0
    for c in re.sub(r'"(?:[^"\\]|\\.)*"?', "", text):
        depth += c in "[{"
        depth -= c in "]}"
        if depth > MAX_DEPTH:
            raise Bad("JSON: too deep")
    try:
        return clean(json.loads(text, parse_constant=no_constant))
    except ValueError as e:
        raise Bad("JSON: %s" % e)


# ---- JSLB ------------------------------------------------------------------

KINDS = {0: (1, "b"), 1: (1, "B"), 2: (2, "h"), 3: (2, "H"), 4: (4, "i"), 5: (4, "I"), 6: (4, "f"),
         7: (8, "d"), 8: (8, "q"), 9: (8, "Q"), 10: (1, None)}


def parse_jslb(data, warnings):
    if len(data) < 20:
        raise Bad("JSLB: truncated")
    version, n, root = struct.unpack_from("<III", data, 8)
    if version != 1:
        raise Bad("JSLB: version")
    if n < 1 or 20 + 12 * n > len(data):
        raise Bad("JSLB: count")
    slabs = []
    for i in range(n):
        kind, at, size = struct.unpack_from("<III", data, 20 + 12 * i)
        if kind not in KINDS:
            raise Bad("JSLB: slab type")
        if at + size > len(data):
            raise Bad("JSLB: slab range")
        if size % KINDS[kind][0]:
            raise Bad("JSLB: slab length")
        slabs.append((kind, data[at:at + size]))
    if root >= n or slabs[root][0] != 10:
        raise Bad("JSLB: root")
    busy = set()

    def expand(i):
        kind, raw = slabs[i]
        if kind != 10:
            size, letter = KINDS[kind]
            return list(struct.unpack("<%d%s" % (len(raw) // size, letter), raw))
        if i in busy:
            raise Bad("JSLB: cycle")
        if len(busy) > 100:
            raise Bad("JSLB: slabs nested too deep")
        busy.add(i)
        value = fill(parse_json(raw, warnings))
        busy.remove(i)
        return value

    def fill(x):
        if isinstance(x, list):
            return [fill(y) for y in x]
        if isinstance(x, dict):
            if list(x) == ["$s"]:
                k = x["$s"]
                if isinstance(k, (int, float)) and not isinstance(k, bool) and k == int(k) and 0 <= k < n:
                    return expand(int(k))
            return {k: fill(v) for k, v in x.items()}
        return x

    return expand(root)


# ---- columns ---------------------------------------------------------------

def is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def table(x, path):
    if not isinstance(x, dict):
        raise Bad("%s: not a table" % path)
    return x


def column(t, name, path):
    """A column as a list, or None when missing or null."""
    x = t.get(name)
    if x is None:
        return None
    if not isinstance(x, list):
        raise Bad("%s.%s: not an array" % (path, name))
    return x


def cell(col, i):
    return col[i] if col is not None and i < len(col) else None


def rows(t, required, path, warnings):
    """Row count: `length`, cut to the required columns."""
    n = t.get("length")
    if n is not None and (not is_number(n) or n < 0 or n != int(n)):
        raise Bad("%s.length: bad value" % path)
    lengths = [len(c) for c in (column(t, r, path) for r in required) if c is not None]
    if n is None:
        return min(lengths) if lengths else 0
    if lengths and min(lengths) < n:
        warnings.append("%s: length is larger than the columns" % path)
        return min(lengths)
    return int(n)


def index(x, limit, path, none=(None,)):
    if x in none and not isinstance(x, bool):
        return None
    if not is_number(x) or x != x or x in (math.inf, -math.inf) or x != int(x) or not 0 <= x < limit:
        raise Bad("%s: index %r is out of range (%d rows)" % (path, x, limit))
    return int(x)


def number(x, path, none=None):
    if x is None:
        return none
    if not is_number(x):
        raise Bad("%s: not a number" % path)
    if isinstance(x, float) and (x != x or x in (math.inf, -math.inf)):
        raise Bad("%s: out of range" % path)
    return x


# ---- processed -------------------------------------------------------------

CPU_UNIT = {"ns": 1e-3, "\u00b5s": 1, "\u03bcs": 1}


def strings_of(owner, path):
    x = owner.get("stringArray")
    if x is None and isinstance(owner.get("stringTable"), dict):
        x = owner["stringTable"].get("_array")
    if x is None:
        return None
    if not isinstance(x, list):
        raise Bad("%s.stringArray: not an array" % path)
    for i, s in enumerate(x):
        if not isinstance(s, str):
            raise Bad("%s.stringArray[%d]: not a string" % (path, i))
    return x


def processed(root, v):
    p = Profile(v)
    meta = root["meta"]
    shared = root.get("shared", {})
    table(shared, "shared")
    if v > NEWEST:
        p.warnings.append("version %d is newer than %d" % (v, NEWEST))
    threads = root.get("threads")
    if not isinstance(threads, list):
        raise Bad("threads: not an array")
    categories = meta.get("categories")
    units = meta.get("sampleUnits")
    unit = units.get("threadCPUDelta") if isinstance(units, dict) else None
    scale = CPU_UNIT.get(unit)
    interval = number(meta.get("interval"), "meta.interval", 1)
    left_out = 0
    for k, t in enumerate(threads):
        path = "threads[%d]" % k
        table(t, path)
        if str(t.get("pid")) == "0" and t.get("processName") == "CPU":
            left_out += 1
            continue
        p.threads.append(one_thread(p, t, path, root, shared, v, categories, scale, interval))
    if left_out:
        p.warnings.append("%d per-CPU tracks left out" % left_out)
    return p


def one_thread(p, t, path, root, shared, v, categories, scale, interval):
    warnings = p.warnings

    def find(name):
        if name in t:
            return table(t[name], path + "." + name), path + "." + name
        if name in shared:
            return table(shared[name], "shared." + name), "shared." + name
        return None, name

    strings = strings_of(t, path)
    if strings is None:
        strings = strings_of(shared, "shared")
    samples = table(t.get("samples"), path + ".samples")
    stack_t, stack_p = find("stackTable")
    frame_t, frame_p = find("frameTable")
    func_t, func_p = find("funcTable")
    res_t, res_p = find("resourceTable")
    sym_t, sym_p = find("nativeSymbols")
    src_t, src_p = find("sources")
    loc_t, loc_p = find("sourceLocationTable")
    libs = root.get("libs") if v >= 41 else t.get("libs", root.get("libs"))
    if libs is not None and not isinstance(libs, list):
        raise Bad("libs: not an array")
    nlibs = len(libs or [])

    sp = path + ".samples"
    stack = column(samples, "stack", sp)
    time, deltas = column(samples, "time", sp), column(samples, "timeDeltas", sp)
    n = rows(samples, [c for c in ("stack", "time") if c in samples]
             + (["timeDeltas"] if time is None and deltas is not None else []), sp, warnings)
    weight = column(samples, "weight" if "weight" in samples or v >= 29 else "duration", sp)
    kind = samples.get("weightType")
    if kind not in (None, "samples", "tracing-ms", "bytes"):
        raise Bad("%s.weightType: unknown" % sp)
    cpu = column(samples, "threadCPUDelta", sp)
    used = any(s is not None for s in (stack or [])[:n])
    if used and (stack_t is None or frame_t is None or func_t is None or strings is None):
        raise Bad("%s: missing: %s" % (path, " ".join(n for n, x in (
            ("stackTable", stack_t), ("frameTable", frame_t), ("funcTable", func_t), ("stringArray", strings))
            if x is None)))
    nstack = rows(stack_t, ["frame"], stack_p, warnings) if stack_t else 0
    nframe = rows(frame_t, ["func"], frame_p, warnings) if frame_t else 0
    nfunc = rows(func_t, ["name"], func_p, warnings) if func_t else 0
    nres = rows(res_t, [], res_p, warnings) if res_t else 0
    nsym = rows(sym_t, [], sym_p, warnings) if sym_t else 0
    nsrc = rows(src_t, ["filename"], src_p, warnings) if src_t else 0
    nloc = rows(loc_t, [], loc_p, warnings) if loc_t else 0

    # every column that is used has to be an array
    def col(tab, name, tpath):
        return column(tab, name, tpath) if tab else None

    cache = {}
    strict = (None,) if v >= 41 else (None, -1)

    def func_name(f):
        name = index(cell(col(func_t, "name", func_p), f), len(strings), "%s.name[%d]" % (func_p, f), ())
        flags = cell(col(func_t, "flags", func_p), f) if v >= 75 else None
        r = cell(col(func_t, "resource", func_p), f)
        r = None if flags is not None and not flags & 4 else index(
            r, nres, "%s.resource[%d]" % (func_p, f), (None, -1))
        if r is not None and cell(col(res_t, "type", res_p), r) == 1 and v <= 69:
            index(cell(col(res_t, "lib", res_p), r), nlibs, "%s.lib[%d]" % (res_p, r), strict + (-1,))
        if v >= 58:
            s = cell(col(func_t, "source", func_p), f)
            s = None if flags is not None and not flags & 8 else index(
                s, nsrc, "%s.source[%d]" % (func_p, f))
            if s is not None:
                index(cell(col(src_t, "filename", src_p), s), len(strings),
                      "%s.filename[%d]" % (src_p, s))
        else:
            index(cell(col(func_t, "fileName", func_p), f), len(strings), "%s.fileName[%d]" % (func_p, f))
        text = strings[name]
        if v < 4 and cell(col(func_t, "isJS", func_p), f):
            m = re.match(r"^(.*) \((.*):([0-9]+)\)$", text)
            if m:
                text = m.group(1)
        return text

    def frame_name(i):
        fp = frame_p
        flags = cell(col(frame_t, "flags", fp), i) if v >= 71 else None
        f = index(cell(col(frame_t, "func", fp), i), nfunc, "%s.func[%d]" % (fp, i), ())

        def opt(name, limit, bit, none=(None,)):
            if flags is not None and not flags & bit:
                return
            index(cell(col(frame_t, name, fp), i), limit, "%s.%s[%d]" % (fp, name, i), none)

        if v >= 70:
            opt("lib", nlibs, 2, (None, -1))
        if isinstance(categories, list) and v >= 12:
            opt("category", len(categories), 4)
        opt("nativeSymbol", nsym, 8)
        s = cell(col(frame_t, "nativeSymbol", fp), i)
        if s is not None and (flags is None or flags & 8):
            index(cell(col(sym_t, "libIndex", sym_p), s), nlibs, "%s.libIndex[%d]" % (sym_p, s))
            index(cell(col(sym_t, "name", sym_p), s), len(strings), "%s.name[%d]" % (sym_p, s))
        if v >= 64:
            opt("originalLocation", nloc, 64)
        for name in ("address", "line", "column"):
            x = cell(col(frame_t, name, fp), i)
            if x is not None and not is_number(x):
                raise Bad("%s.%s[%d]: not a number" % (fp, name, i))
        return func_name(f)

    def load(s):
        """Reads the rows of a stack into the cache, without recursion."""
        while s is not None and s not in cache:
            f = index(cell(col(stack_t, "frame", stack_p), s), nframe, "%s.frame[%d]" % (stack_p, s), ())
            if "prefixOffset" in stack_t:
                o = cell(col(stack_t, "prefixOffset", stack_p), s)
                o = 0 if o is None else o
                o = index(o, s + 1, "%s.prefixOffset[%d]" % (stack_p, s), ())
                up = None if o == 0 else s - o
            else:
                up = index(cell(col(stack_t, "prefix", stack_p), s), s, "%s.prefix[%d]" % (stack_p, s))
            cache[s] = (up, frame_name(f))
            s = up

    def unroll(s):
        out = []
        while s is not None:
            up, name = cache[s]
            out.append(name)
            s = up
        return out

    result = []
    now = 0
    born = number(t.get("registerTime"), path + ".registerTime", 0)
    for i in range(n):
        s = index(cell(stack, i), nstack, "%s.stack[%d]" % (sp, i))
        if s is not None:
            load(s)
        if time is not None:
            at = number(cell(time, i), "%s.time[%d]" % (sp, i), 0)
        else:
            now += number(cell(deltas, i), "%s.timeDeltas[%d]" % (sp, i), 0)
            at = now
        w = number(cell(weight, i), "%s.weight[%d]" % (sp, i), 1)
        c = number(cell(cpu, i), "%s.threadCPUDelta[%d]" % (sp, i))
        if c is not None and scale is not None:
            c = c * scale
            if i == 0 and c / 1000 > at - born + interval:
                warnings.append("%s: first CPU delta is longer than the thread has existed" % path)
                c = None
        else:
            c = None
        result.append((at, None if s is None else unroll(s), w, c))
    if cpu is not None and scale is not None and any(x is not None for x in cpu):
        p.has_cpu = True

    nmark = 0
    m = t.get("markers")
    if m is not None:
        mp = path + ".markers"
        table(m, mp)
        nmark = rows(m, ["name"], mp, warnings)
        for i in range(nmark):
            index(cell(column(m, "name", mp), i), len(strings or []), "%s.name[%d]" % (mp, i), ())
            phase = cell(column(m, "phase", mp), i)
            if phase is not None and phase not in (0, 1, 2, 3):
                raise Bad("%s.phase[%d]: unknown" % (mp, i))
            for c in ("startTime", "endTime", "time"):
                number(cell(column(m, c, mp), i), "%s.%s[%d]" % (mp, c, i))
    return (t.get("name"), t.get("pid"), t.get("tid"), result, nmark)


# ---- Gecko -----------------------------------------------------------------

class Schema:
    def __init__(self, t, path):
        table(t, path)
        s, d = t.get("schema"), t.get("data")
        if not isinstance(s, dict):
            raise Bad("%s.schema: missing" % path)
        if not isinstance(d, list):
            raise Bad("%s.data: not an array" % path)
        for k, x in s.items():
            if not is_number(x) or x != int(x) or x < 0:
                raise Bad("%s.schema.%s: bad position" % (path, k))
        for i, row in enumerate(d):
            if not isinstance(row, list):
                raise Bad("%s.data[%d]: not an array" % (path, i))
        self.schema, self.data, self.path = s, d, path

    def get(self, i, *names):
        for name in names:
            if name in self.schema:
                return cell(self.data[i], int(self.schema[name]))
        return None

    def at(self, i):
        return "%s.data[%d]" % (self.path, i)


def location_name(text):
    m = re.match(r"^(.*) \(in ([^)]*)\) (\+ [0-9]+)$", text)
    m = m or re.match(r"^(.*) \(in ([^)]*)\)( \(.*:[0-9]+\))?$", text)
    if m:
        return m.group(1)
    m = re.match(r"^(.*) \((.+?):([0-9]+)(?::([0-9]+))?\)(?:\[[0-9]+\])?$", text)
    if m:
        return m.group(1)
    return text


def inner(text, path, p):
    """JSON inside a JSON string"""
    try:
        return parse_json(text.encode(), p.warnings)
    except Bad as e:
        raise Bad("%s: %s" % (path, e))


def gecko(root, v, p=None, path="", zero=None):
    if p is None:
        if v < 3:
            raise Bad("meta.version: Gecko version %s is too old" % v)
        p = Profile("gecko-%d" % v)
        if v > NEWEST_GECKO:
            p.warnings.append("Gecko version is newer than known")
    meta = root.get("meta")
    table(meta, path + "meta")
    start = number(meta.get("startTime"), path + "meta.startTime", 0)
    if zero is None:
        zero = start
    units = meta.get("sampleUnits")
    scale = CPU_UNIT.get(units.get("threadCPUDelta")) if isinstance(units, dict) else None
    libs = root.get("libs", [])
    if isinstance(libs, str):
        libs = inner(libs, path + "libs", p)
    if not isinstance(libs, list):
        raise Bad(path + "libs: not an array")
    threads = root.get("threads")
    if not isinstance(threads, list):
        raise Bad(path + "threads: not an array")
    subs = []
    for k, t in enumerate(threads):
        tp = "%sthreads[%d]" % (path, k)
        if isinstance(t, str):
            subs.append((inner(t, tp, p), tp + "."))
            continue
        table(t, tp)
        strings = t.get("stringTable")
        if not isinstance(strings, list):
            raise Bad(tp + ".stringTable: not an array")
        for i, s in enumerate(strings):
            if not isinstance(s, str):
                raise Bad("%s.stringTable[%d]: not a string" % (tp, i))
        samples = Schema(t.get("samples"), tp + ".samples")
        stacks = Schema(t.get("stackTable"), tp + ".stackTable")
        frames = Schema(t.get("frameTable"), tp + ".frameTable")
        markers = Schema(t.get("markers"), tp + ".markers") if "markers" in t else None
        out = []
        for i in range(len(samples.data)):
            s = index(samples.get(i, "stack"), len(stacks.data), samples.at(i))
            chain = None if s is None else []
            while s is not None:
                f = index(stacks.get(s, "frame"), len(frames.data), stacks.at(s), ())
                where = index(frames.get(f, "location"), len(strings), frames.at(f), ())
                chain.append(location_name(strings[where]))
                s = index(stacks.get(s, "prefix"), s, stacks.at(s))
            at = number(samples.get(i, "time"), samples.at(i), 0) + start - zero
            c = number(samples.get(i, "threadCPUDelta"), samples.at(i))
            if c is not None and scale is not None:
                p.has_cpu = True
                c *= scale
            else:
                c = None
            out.append((at, chain, 1, c))
        nmark = len(markers.data) if markers else 0
        for i in range(nmark):
            index(markers.get(i, "name"), len(strings), markers.at(i), ())
        p.threads.append((t.get("name"), t.get("pid"), t.get("tid"), out, nmark))
    more = root.get("processes", [])
    if not isinstance(more, list):
        raise Bad(path + "processes: not an array")
    for k, s in enumerate(more):
        subs.append((s, "%sprocesses[%d]." % (path, k)))
    for s, sp in subs:
        table(s, sp)
        gecko(s, v, p, sp, zero)
    return p


# ---- folded ----------------------------------------------------------------

def folded(data):
    p = Profile("-")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        if len(data) % 2:
            raise Bad("UTF-16 text ends in the middle of a character")
        try:
            text = data.decode("utf-16")
        except UnicodeDecodeError as e:
            raise Bad("UTF-16: %s" % e)
    else:
        text = data.decode("utf-8", "replace")
        if "\ufffd" in text and "\ufffd".encode() not in data:
            p.warnings.append("invalid UTF-8")
        if text.startswith("\ufeff"):
            text = text[1:]
    if re.search("[\x00-\x08\x0e-\x1f]", text):
        raise Bad("not a profile: binary data")
    out = []
    for no, line in enumerate(re.split("\r\n|\n", text), 1):
        line = line.rstrip()
        if not line.strip():
            continue
        m = re.match(r"^(.*\S)\s+(-?[0-9]+(?:\.[0-9]+)?)$", line)
        if not m:
            p.warnings.append("line %d: no count" % no)
            continue
        w = float(m.group(2)) if "." in m.group(2) else int(m.group(2))
        if abs(w) >= 2 ** 63:
            raise Bad("line %d: count is out of range" % no)
        out.append((0, [x.strip() for x in m.group(1).split(";")][::-1], w, None))
    if not out:
        raise Bad("no line has a count")
    if abs(sum(r[2] for r in out)) >= 2 ** 63:
        raise Bad("the sum of the counts is out of range")
    p.threads.append(("-", None, None, out, 0))
    return p


# ---- entry -----------------------------------------------------------------

def read(data):
    notes = []
    if data[:2] == b"\x1f\x8b":
        data = gunzip(data, notes)
        if data[:2] == b"\x1f\x8b":
            raise Bad("gzip in gzip")
    p = plain(data, notes)
    p.warnings[:0] = notes
    return p


def plain(data, notes):
    if data[:6] == b"\xdc\xdf\x4aSLB":
        if data[6:8] != b"\x01\x00":
            raise Bad("JSLB: magic version")
        return by_root(parse_jslb(data, notes))
    if data[:4] == b"PK\x03\x04":
        raise Bad("ZIP")
    text = data[3:] if data[:3] == b"\xef\xbb\xbf" else data
    first = text.lstrip(b" \t\r\n")[:1]
    if first == b"":
        raise Bad("empty")
    if first == b"{":
        return by_root(parse_json(data, notes))
    if first == b"[":
        # a Chrome trace, or folded text whose first frame is [unknown] or the like
        try:
            root = parse_json(data, notes)
        except Bad:
            return folded(data)
        return by_root(root)
    return folded(data)


def by_root(root):
    if isinstance(root, list) or (isinstance(root, dict) and "traceEvents" in root):
        raise Bad("Chrome trace")
    if not isinstance(root, dict):
        raise Bad("not a profile")
    if "dhatFileVersion" in root:
        raise Bad("DHAT")
    if list(root) == ["profile"]:
        root = root["profile"]
        if not isinstance(root, dict):
            raise Bad("profile: not an object")
    meta = root.get("meta")
    if not isinstance(meta, dict):
        raise Bad("meta: missing")
    v = meta.get("preprocessedProfileVersion")
    if is_number(v):
        if v != v or v != int(v) or v < 0:
            raise Bad("meta.preprocessedProfileVersion: bad")
        return processed(root, int(v))
    threads = root.get("threads")
    if v is None and isinstance(threads, list) and threads and isinstance(threads[0], dict) \
            and "stringArray" in threads[0]:
        return processed(root, 0)
    v = meta.get("version")
    if is_number(v):
        return gecko(root, int(v))
    raise Bad("meta: no version")
