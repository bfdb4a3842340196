"""Checks of the data itself, for genbad.py --check."""
import json
import re

import refread

# Python's json module differs from the rules here in these points, and the
# checks below take them out before comparing:
#  - it reads NaN, Infinity and -Infinity; we refuse them (parse_constant)
#  - it keeps lone surrogates; we read them as U+FFFD
#  - it works on decoded text, so bad UTF-8 is replaced and a byte order mark
#    is cut off before it sees the text
#  - it reads numbers out of range as infinity; here the value is `overflow`
#  - it keeps the last of several members with one name; `value` shows all


class Pairs(list):
    pass


def parse(data):
    text = data.decode("utf-8", "replace")
    if text.startswith("\ufeff"):
        text = text[1:]

    def refuse(name):
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=Pairs,
                      parse_float=lambda t: ("number", t), parse_int=lambda t: ("number", t))


def shortest(x):
    for p in range(1, 18):
        if float("%.*g" % (p, x)) == x:
            return "%.*g" % (p, x)
    raise ValueError(x)


def render(x):
    if isinstance(x, tuple):
        t = x[1]
        if re.fullmatch("-?[0-9]+", t) and t != "-0" and -2 ** 63 <= int(t) < 2 ** 64:
            return t
        f = float(t)
        return "overflow" if abs(f) == float("inf") else shortest(f)
    if isinstance(x, Pairs):
        return "{" + ",".join(render(k) + ":" + render(v) for k, v in x) + "}"
    if isinstance(x, list):
        return "[" + ",".join(map(render, x)) + "]"
    if isinstance(x, str):
        return json.dumps(re.sub("[\ud800-\udfff]", "\ufffd", x))
    return json.dumps(x)


def json_cases(cases, document):
    faults = []
    for name, verdict, hexed, value, byte in cases:
        data = bytes.fromhex("" if hexed == "-" else hexed)
        try:
            got = render(parse(data))
        except ValueError:
            got = None
        if verdict == "accept" and got != value:
            faults.append("json %s: %r, not %r" % (name, got, value))
        if verdict == "refuse" and got is not None:
            faults.append("json %s: accepted as %s" % (name, got))
        if byte != "-":
            k = int(byte)
            if k > len(data):
                faults.append("json %s: byte %d is past the end" % (name, k))
            # nothing before the place may be wrong: the error of Python comes at or after it,
            # and every shorter text fails only because it ends
            try:
                parse(data)
            except json.JSONDecodeError as e:
                text = data.decode("utf-8", "replace")
                skip = 1 if text.startswith("\ufeff") else 0
                pos = len(text[:e.pos + skip].encode("utf-8", "surrogatepass"))
                exact = data.decode("utf-8", "ignore").encode() == data
                near = "Unterminated" not in e.msg and "Expecting value" in e.msg or "Extra" in e.msg
                if exact and near and pos != k:
                    faults.append("json %s: byte %d, Python says %d (%s)" % (name, k, pos, e.msg))
            except ValueError:
                pass
    try:
        json.loads(document)
    except ValueError as e:
        faults.append("truncate.json: %s" % e)
    for k in range(len(document)):
        try:
            parse(document[:k])
            faults.append("truncate.json: the first %d bytes are accepted" % k)
        except ValueError:
            pass
    return faults


def bad_files(bad):
    faults = []
    for c in bad:
        for e in (c.where, c.reason):
            try:
                re.compile(e)
            except re.error as err:
                faults.append("%s: %s: %s" % (c.file, e, err))
        try:
            refread.read(c.data)
            faults.append("bad/%s: accepted by the plain reader" % c.file)
        except refread.Bad as e:
            place = c.where
            if place.startswith("-") or "byte" in place or place.startswith("line"):
                place = ""
            if not re.search(place, str(e)):
                faults.append("bad/%s: %s, not at %s" % (c.file, e, c.where))
        if c.file.startswith("json_") and c.file.endswith(".json"):
            try:
                parse(c.data)
                faults.append("bad/%s: Python accepts it" % c.file)
            except (ValueError, RecursionError):
                pass
    return faults


def odd_files(odd):
    faults = []
    for file, data, e in odd:
        try:
            p = refread.read(data)
        except refread.Bad as err:
            faults.append("odd/%s: refused: %s" % (file, err))
            continue
        threads = p.threads
        rows = [r for t in threads for r in t[3]]
        from logical import fmt

        def compare(what, got, want):
            if got != want:
                faults.append("odd/%s: %s: read %r, expected %r" % (file, what, got, want))

        compare("version", str(p.version), str(e.version))
        if e.threads is not None:
            compare("threads", len(threads), len(e.threads))
            for got, want in zip(threads, e.threads):
                compare("thread", ["-" if x is None else str(x) for x in got[:3]], list(want[:3]))
                compare("markers", got[4], want[4])
                compare("times", [round(r[0], 6) for r in got[3]], [round(r[0], 6) for r in want[3]])
        compare("samples", len(rows), e.samples)
        compare("weight", fmt(sum(r[2] for r in rows)), fmt(e.weight))
        compare("null stacks", sum(r[1] is None for r in rows), e.nulls)
        cpu = [r[3] for r in rows if r[3] is not None]
        compare("cpu", fmt(sum(cpu)) if p.has_cpu else "-", fmt(e.cpu_us))
        if e.top() != "-":
            flat, cum = {}, {}
            for r in rows:
                if r[1]:
                    flat[r[1][0]] = flat.get(r[1][0], 0) + r[2]
                    for n in set(r[1]):
                        cum[n] = cum.get(n, 0) + r[2]
            for item in e.top().split(";"):
                m = re.fullmatch(r"(.*)=([^=/]+)/([^=/]+)", item)
                n = m.group(1)
                compare("top " + n, (fmt(flat.get(n, 0)), fmt(cum.get(n, 0))), m.groups()[1:])
        said = "\n".join(p.warnings)
        if e.warn == "-" and said:
            faults.append("odd/%s: warns: %s" % (file, said))
        if e.warn not in ("-", "*") and not re.search(e.warn, said, re.I):
            faults.append("odd/%s: warnings %r do not match %s" % (file, said, e.warn))
    return faults
