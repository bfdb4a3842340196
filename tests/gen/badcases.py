"""Inputs that have to be refused, each with the place and the reason to expect.

`where` and `reason` are extended regular expressions; `reason` is meant to be
matched without regard to case.
"""
import binascii
import collections
import copy
import json
import struct
import zlib

from logical import MINI, plain, processed, tiny
from oddcases import J, gecko, swap, to_jslb
from pack import JSLB_MAGIC, deflate, gz, gzip_header, jslb, stored, typed

Case = collections.namedtuple("Case", "file data where reason")

JSON_WORDS = "json|expected|invalid"
END_WORDS = "end|truncated|unterminated|expected|cut|incomplete"
RANGE_WORDS = "past the end|range|index"
TYPE_WORDS = "expected|not an? |must be|type"
NOT_OURS = "not a profile|recogni|unknown|supported|meta"

# a small Gecko profile with a sub-process
GECKO = dict(pid=1, start=0, threads=[dict(
    name="GeckoMain", tid=1, type="default", frames=[("(root)", None, None, 1), ("run", None, None, 1)],
    stacks=[(None, 0), (0, 1)], samples=[(1, 1, 5), (2, 0, 5)], markers=[("Tick", 1, None)])])
GECKO["sub"] = dict(pid=2, start=10, threads=[dict(GECKO["threads"][0], tid=2)])


MARKED = copy.deepcopy(MINI)
MARKED.threads[0].markers = [("Note", 2, 3, None, None)]


class Set:
    def __init__(self):
        self.list = []

    def add(self, file, data, where, reason):
        self.list.append(Case(file, data.encode() if isinstance(data, str) else data, where, reason))


def at(*offsets):
    """`byte N` with N one of the offsets and nothing longer"""
    if len(offsets) == 1:
        return "byte %d([^0-9]|$)" % offsets[0]
    return "byte (%s)([^0-9]|$)" % "|".join(map(str, sorted(set(offsets))))


def base(v=60):
    d = tiny(MINI, v)
    if v < 71:
        del d["meta"]["sampleUnits"]
        del d["threads"][0]["samples"]["threadCPUDelta"]
    return d


def base_text():
    d = base()
    d["meta"]["zz"] = 0
    return J(d).decode()


# ---- JSON text --------------------------------------------------------------

def json_text(s):
    text = base_text()
    weight = '"weight":[1,2,1,3]'
    assert '"zz":0' in text and weight in text

    def put(name, value, reason, spot='"zz":0', before='"zz":'):
        """value: text for a member; `@@` marks the places an error may be reported at"""
        value = value.encode() if isinstance(value, str) else value
        head, tail = text.split(spot)
        head = head.encode() + before.encode()
        marks, clean = [], b""
        for i, part in enumerate(value.split(b"@@")):
            clean += part
            if i < value.count(b"@@"):
                marks.append(len(head) + len(clean))
        s.add("json_%s.json" % name, head + clean + tail.encode(), at(*marks) if marks else "byte [0-9]+",
              reason)

    num = JSON_WORDS + "|number|digit"
    put("number_leading_zero", "@@0@@1", num)
    put("number_no_fraction", "@@1.@@", num)
    put("number_point_first", "@@.5", num)
    put("number_plus", "@@+1", num)
    put("number_minus_only", "@@-@@", num)
    put("number_exponent_empty", "@@1e@@", num)
    put("number_hex", "@@0@@x10", num)
    put("number_nan", "@@NaN", num + "|nan")
    put("number_infinity", "@@Infinity", num + "|infinity")
    put("number_minus_infinity", "@@-@@Infinity", num + "|infinity")
    w = dict(spot=weight, before='"weight":')
    put("weight_leading_zero", "[1,@@0@@2,1,3]", num, **w)
    put("weight_nan", "[1,@@NaN,1,3]", num + "|nan", **w)
    put("weight_infinity", "[1,2,@@Infinity,3]", num + "|infinity", **w)
    put("weight_trailing_comma", "[1,2,1,3,@@]", JSON_WORDS, **w)
    put("weight_two_commas", "[1,@@,2,1,3]", JSON_WORDS, **w)
    put("weight_no_comma", "[1,2,1 @@3]", JSON_WORDS, **w)
    esc = JSON_WORDS + "|escape"
    put("escape_x", '@@"@@\\@@x41"', esc)
    put("escape_u_short", '@@"@@\\@@u12@@"', esc)
    put("escape_u_not_hex", '@@"@@\\u12@@g4"', esc)
    put("escape_u_braces", '@@"@@\\u@@{41}"', esc)
    put("escape_quote", "@@\"@@\\@@'\"", esc)
    ctl = JSON_WORDS + "|control|raw|escape"
    put("raw_newline", '"a@@\nb"', ctl)
    put("raw_tab", '"a@@\tb"', ctl)
    put("raw_nul", '"a@@\0b"', ctl)
    put("trailing_comma_array", "[1,@@]", JSON_WORDS)
    put("trailing_comma_object", '{"a":1,@@}', JSON_WORDS)
    put("double_colon", '@@:0', JSON_WORDS)
    put("no_colon", ' @@0', JSON_WORDS, before='"zz"')
    put("bare_name", '@@zz:0', JSON_WORDS, before="")
    put("single_quotes", "@@'a'", JSON_WORDS)
    put("comment", "@@/* none */0", JSON_WORDS)
    put("literal_case", "@@True", JSON_WORDS)
    put("literal_undefined", "@@undefined", JSON_WORDS)
    put("literal_cut", "@@nul@@", JSON_WORDS)
    put("crossed_brackets", "[{@@]}", JSON_WORDS)
    put("bom_inside", b"@@\xef\xbb\xbf0", JSON_WORDS)
    put("bad_byte_outside_string", b"@@\xff", JSON_WORDS + "|utf-?8|byte")
    put("no_break_space", "@@\u00a00", JSON_WORDS + "|character|byte")
    put("two_values", "0 @@0", JSON_WORDS)

    whole = J(base())
    n = len(whole)
    end = JSON_WORDS + "|trailing|after|extra|garbage"
    s.add("json_trailing_word.json", whole + b" x", at(n + 1), end)
    s.add("json_trailing_brace.json", whole + b"}", at(n), end)
    s.add("json_trailing_object.json", whole + b"\n{}", at(n + 1), end)
    s.add("json_trailing_comma_root.json", whole + b",", at(n), end)
    s.add("json_trailing_zeros.json", whole + b"\0\0\0\0", at(n), end)
    s.add("json_two_profiles.json", whole + b"\n" + whole, at(n + 1), end)

    def cut(name, after, keep=None, more=()):
        i = whole.index(after) + (len(after) if keep is None else keep)
        s.add("json_cut_%s.json" % name, whole[:i], at(i, *[i - m for m in more]), END_WORDS)

    cut("after_brace", b"{")
    cut("in_name", b'"interval')
    cut("after_name", b'"interval"')
    cut("after_colon", b'"interval":')
    cut("in_string", b'"pid":"7","tid":"')
    cut("in_number", b'"address":[4351,46')
    cut("after_comma", b'"stack":[2,')
    cut("in_column", b'"stack":[2,1')
    cut("in_literal", b'"prefix":[nul', more=(3,))
    i = base_text().encode().index(b'main"')
    s.add("json_cut_in_utf8.json", base_text().encode()[:i] + b"gr\xc3", at(i + 2, i + 3), END_WORDS + "|utf")
    s.add("json_cut_last_brace.json", whole[:-1], at(n - 1), END_WORDS)
    s.add("json_cut_half.json", whole[:n // 2], "byte [0-9]+", END_WORDS)
    esc_doc = b'{"meta":{"product":"a\\'
    s.add("json_cut_in_escape.json", esc_doc, "byte [0-9]+", END_WORDS + "|escape")
    s.add("json_cut_in_u_escape.json", esc_doc + b"u00", "byte [0-9]+", END_WORDS + "|escape")

    deep = "depth|deep|nest|level|" + NOT_OURS
    s.add("json_depth_bomb_arrays.json.gz", gz(b'{"x":' + b"[" * 100000), "-", deep + "|" + END_WORDS)
    s.add("json_depth_bomb_objects.json.gz", gz(b'{"x":' * 50000), "-", deep + "|" + END_WORDS)
    s.add("json_depth_bomb_root.json.gz", gz(b"[" * 100000), "-", deep + "|trace|" + END_WORDS)
    s.add("json_depth_bomb_closed.json.gz", gz(b'{"x":' + b"[" * 100000 + b"]" * 100000 + b"}"), "-", deep)
    s.add("json_depth_bomb_plain.json", b'{"x":' + b"[" * 2000, "-", deep + "|" + END_WORDS)
    s.add("json_depth_bomb_marker.json.gz",
          gz(swap(J(plain(MARKED, 60)), b'"data":[null]', b'"data":[' + b'{"b":' * 60000 + b"0" + b"}" * 60000 + b"]")), "-",
          "depth|deep|nest|level")
    s.add("json_utf16_le.json", b"\xff\xfe" + whole[:300].decode().encode("utf-16-le"), "-", "utf-?16|" + NOT_OURS)
    s.add("json_utf16_be.json", b"\xfe\xff" + whole[:300].decode().encode("utf-16-be"), "-", "utf-?16|" + NOT_OURS)
    s.add("json_utf16_no_bom.json", '{"meta":{}}'.encode("utf-16-le"), "-",
          "utf-?16|" + NOT_OURS + "|" + JSON_WORDS)
    s.add("json_lone_quote.json", b'"', "-", NOT_OURS + "|count|" + END_WORDS)
    s.add("json_lone_brace.json", b"{", at(1), END_WORDS)
    s.add("json_bom_only.json", b"\xef\xbb\xbf", "-", "empty|nothing|no data|" + NOT_OURS)
    s.add("json_bom_twice.json", b"\xef\xbb\xbf\xef\xbb\xbf" + whole, "-",
          NOT_OURS + "|count|byte|" + JSON_WORDS)
    s.add("json_bom_cut.json", b"\xef\xbb" + whole[:40], "-", NOT_OURS + "|count|byte|" + JSON_WORDS)


# ---- gzip -------------------------------------------------------------------

def gzips(s):
    text = J(base())
    good = gz(text)
    any_byte = "byte [0-9]+"
    cut = "gzip|truncated|unexpected end|ends|cut|incomplete|corrupt|end of"
    broken = "gzip|corrupt|inflate|deflate|invalid|damaged|crc|checksum|length|size|mismatch|block|code|distance"
    s.add("gzip_magic_only.gz", good[:2], "-", cut)
    s.add("gzip_cut_header.gz", good[:7], "-", cut)
    s.add("gzip_header_only.gz", good[:10], "-", cut)
    s.add("gzip_cut_body.gz", good[:len(good) // 2], any_byte, cut)
    s.add("gzip_cut_before_trailer.gz", good[:-8], any_byte, cut)
    s.add("gzip_cut_in_trailer.gz", good[:-3], any_byte, cut)
    s.add("gzip_cut_second_member.gz", gz(text[:300]) + gz(text[300:])[:-20], any_byte, cut)
    s.add("gzip_cut_second_header.gz", gz(text) + b"\x1f\x8b\x08\x00", any_byte, cut + "|garbage|trailing")
    s.add("gzip_bad_crc.gz", gz(text, crc=0x12345678), any_byte, broken)
    s.add("gzip_bad_length.gz", gz(text, size=len(text) + 1), any_byte, broken)
    s.add("gzip_bad_length_zero.gz", gz(text, size=0), any_byte, broken)
    s.add("gzip_bad_crc_second_member.gz", gz(text[:300]) + gz(text[300:], crc=1), any_byte, broken)
    s.add("gzip_bad_block_type.gz", gz(text, body=b"\x07\x00\x00"), any_byte, broken)
    wrong = bytearray(stored(text))
    wrong[3] ^= 0xFF
    s.add("gzip_bad_stored_length.gz", gz(text, body=bytes(wrong)), any_byte, broken)
    s.add("gzip_bad_distance.gz", gz(text, body=far_back()), any_byte, broken)
    s.add("gzip_bad_code_lengths.gz", gz(text, body=b"\x05\x00\xff\xff\xff\xff\xff\xff\xff\xff"), any_byte, broken)
    s.add("gzip_flipped_bit.gz", flip(good, len(good) // 2), any_byte, broken + "|" + JSON_WORDS)
    s.add("gzip_garbage_body.gz", gzip_header() + bytes((i * 151 + 89) & 255 for i in range(200)), any_byte,
          broken + "|" + cut)
    s.add("gzip_method_7.gz", b"\x1f\x8b\x07" + good[3:], "-", broken + "|method|unknown|unsupported|" + NOT_OURS)
    s.add("gzip_reserved_flags.gz", b"\x1f\x8b\x08\xe0" + good[4:], "-", broken + "|flag|reserved|header")
    s.add("gzip_name_unterminated.gz", b"\x1f\x8b\x08\x08" + good[4:10] + b"profile.json", "-", cut)
    s.add("gzip_extra_cut.gz", b"\x1f\x8b\x08\x04" + good[4:10] + b"\xff\x00abc", "-", cut)
    h = gzip_header(hcrc=True)
    s.add("gzip_bad_header_crc.gz", h[:-2] + struct.pack("<H", 0x55AA) + good[10:], "-",
          broken + "|header")
    s.add("gzip_in_gzip.json.gz.gz", gz(good), "-", "gzip|twice|nested|compressed|" + NOT_OURS)
    s.add("gzip_of_nothing.gz", gz(b""), "-", "empty|nothing|no data|" + NOT_OURS)
    s.add("gzip_of_space.gz", gz(b" \n" * 50000), "-", "empty|nothing|no data|white|" + NOT_OURS)
    s.add("gzip_of_text.gz", gz(b"just some words\nand no profile\n"), "-", "count|" + NOT_OURS)
    s.add("gzip_of_cut_json.gz", gz(text[:-1]), at(len(text) - 1), END_WORDS)
    s.add("gzip_json_error.json.gz", gz(swap(text, b'"stack":[2,', b'"stack":[2,,')),
          at(text.index(b'"stack":[2,') + 11), JSON_WORDS)
    s.add("zlib_stream.json.zz", b"\x78\x9c" + deflate(text) + struct.pack(">I", zlib.adler32(text)), "-",
          "zlib|count|" + NOT_OURS)


def far_back():
    """A fixed block whose first match points before the beginning of the data."""
    from pack import Bits, symbol
    b = Bits()
    b.put(1, 1)
    b.put(1, 2)
    symbol(b, ord("{"))
    symbol(b, 257)   # length 3
    b.huff(4, 5)     # distance 5 and one more bit
    b.put(0, 1)
    symbol(b, 256)
    return b.done()


def flip(data, i):
    out = bytearray(data)
    out[i] ^= 0x10
    return bytes(out)


# ---- JSLB -------------------------------------------------------------------

def jslbs(s):
    where = "-"
    words = "jslb|slab|"

    def doc():
        return base(70)

    good = to_jslb(doc(), 70)
    root = (10, J(doc()))
    s.add("jslb_magic_only.jslb", JSLB_MAGIC, where, words + "truncated|header|end")
    s.add("jslb_magic_version.jslb", good[:6] + b"\x02" + good[7:], where, words + "version|" + NOT_OURS)
    s.add("jslb_container_version.jslb", jslb([root], 0, version=2), where, words + "version")
    s.add("jslb_cut_header.jslb", good[:15], where, words + "truncated|header|end")
    s.add("jslb_cut_directory.jslb", good[:40], where, words + "truncated|directory|end")
    s.add("jslb_cut_data.jslb", good[:-50], where, words + "truncated|range|past|end")
    s.add("jslb_count_zero.jslb", jslb([root], 0, count=0), where, words + "count|no slab|none|root")
    s.add("jslb_count_huge.jslb", jslb([root], 0, count=0xFFFFFFFF), where, words + "count|past|truncated|end")
    s.add("jslb_count_wraps.jslb", jslb([root], 0, count=0x15555556), where, words + "count|past|truncated|end")
    s.add("jslb_root_out_of_range.jslb", jslb([root], 1), where, words + "root|range")
    s.add("jslb_root_huge.jslb", jslb([root], 0xFFFFFFFF), where, words + "root|range")
    s.add("jslb_root_numeric.jslb", jslb([typed("i32", [1, 2, 3]), root], 0), where, words + "root|type|json")
    s.add("jslb_type_unknown.jslb", jslb([(11, b"12345678"), root], 1), where, words + "type|unknown")
    s.add("jslb_offset_past_end.jslb",
          jslb([typed("i32", [0, 1]), root], 1, edit=lambda e: e[0].__setitem__(1, 0x7FFFFFF0)), where,
          words + "past|range|end|offset")
    s.add("jslb_length_past_end.jslb",
          jslb([root, typed("i32", [0, 1])], 0, edit=lambda e: e[1].__setitem__(2, 4000)), where,
          words + "past|range|end|length")
    s.add("jslb_range_wraps.jslb",
          jslb([typed("u8", [0] * 8), root], 1,
               edit=lambda e: (e[0].__setitem__(1, 0xFFFFFFF8), e[0].__setitem__(2, 16))), where,
          words + "past|range|end|offset|length")
    s.add("jslb_length_not_multiple.jslb",
          jslb([typed("f64", [0, 1]), root], 1, edit=lambda e: e[0].__setitem__(2, 15)), where,
          words + "multiple|length|size")
    loop = words + "cycle|loop|itself|recurs"
    d = doc()
    d["shared"]["stackTable"]["frame"] = {"$s": 0}
    s.add("jslb_cycle_self.jslb", jslb([(10, b'{"$s":0}'), (10, J(d))], 1), where, loop)
    s.add("jslb_cycle_two.jslb", jslb([(10, b'{"$s":2}'), (10, J(d)), (10, b' {"$s":0} ')], 1), where, loop)
    s.add("jslb_cycle_root.jslb", jslb([(10, b'{"meta":{"$s":0},"threads":[]}')], 0), where,
          loop + "|" + NOT_OURS)
    chain = [(10, b'{"$s":%d}' % (i + 1)) for i in range(1500)] + [(10, b"[0,1,2]")]
    s.add("jslb_chain_deep.jslb.gz", gz(jslb(chain + [(10, J(d))], len(chain))), where,
          words + "depth|deep|nest|level")
    d = doc()
    d["shared"]["stackTable"]["frame"] = {"$s": 9}
    s.add("jslb_placeholder_out_of_range.jslb", jslb([(10, J(d))], 0), r"shared\.stackTable\.frame",
          words + TYPE_WORDS + "|range")
    d = doc()
    d["shared"]["stackTable"]["frame"] = {"$s": 0.5}
    s.add("jslb_placeholder_fraction.jslb", jslb([(10, J(d))], 0), r"shared\.stackTable\.frame",
          words + TYPE_WORDS + "|range")
    d = doc()
    d["shared"]["stackTable"]["frame"] = {"$s": 0, "x": 0}
    s.add("jslb_placeholder_two_members.jslb", jslb([typed("i32", [0, 1, 2]), (10, J(d))], 1),
          r"shared\.stackTable\.frame", TYPE_WORDS)
    d = doc()
    d["shared"]["stackTable"]["frame"] = {"$s": 0}
    s.add("jslb_index_out_of_range.jslb", jslb([typed("i32", [0, 1, 99]), (10, J(d))], 1),
          r"shared\.stackTable\.frame\[2\]", RANGE_WORDS)
    s.add("jslb_index_negative.jslb", jslb([typed("i32", [0, -7, 2]), (10, J(d))], 1),
          r"shared\.stackTable\.frame\[1\]", RANGE_WORDS + "|negative")
    s.add("jslb_index_fraction.jslb", jslb([typed("f64", [0, 1.5, 2]), (10, J(d))], 1),
          r"shared\.stackTable\.frame\[1\]", RANGE_WORDS + "|whole|integer|fraction")
    s.add("jslb_index_nan.jslb", jslb([typed("f64", [0, float("nan"), 2]), (10, J(d))], 1),
          r"shared\.stackTable\.frame\[1\]", RANGE_WORDS + "|nan|integer|finite")
    s.add("jslb_index_u64_huge.jslb", jslb([typed("u64", [0, 2 ** 64 - 1, 2]), (10, J(d))], 1),
          r"shared\.stackTable\.frame\[1\]", RANGE_WORDS)
    s.add("jslb_number_slab_for_table.jslb", number_for_table(), r"shared\.stackTable", TYPE_WORDS)
    s.add("jslb_json_error_in_slab.jslb",
          jslb([(10, b"[0,1,,2]"), (10, J(d))], 1), "-", words + JSON_WORDS)
    s.add("jslb_json_cut_in_slab.jslb", jslb([(10, b"[0,1,2"), (10, J(d))], 1), "-", words + END_WORDS)
    s.add("jslb_json_two_values_in_slab.jslb", jslb([(10, b"[0,1,2][0]"), (10, J(d))], 1), "-",
          words + JSON_WORDS)
    s.add("jslb_json_slab_empty.jslb", jslb([(10, b""), (10, J(d))], 1), "-", words + "empty|" + END_WORDS)
    s.add("jslb_cut.jslb.gz", gz(good[:-50]), where, words + "truncated|range|past|end")
    s.add("jslb_in_jslb.jslb", jslb([(10, good)], 0), "-", words + JSON_WORDS)


def number_for_table():
    d = base(70)
    d["shared"]["stackTable"] = {"$s": 0}
    return jslb([typed("i32", [0, 1, 2]), (10, J(d))], 1)


# ---- Firefox structure ------------------------------------------------------

def firefox(s):
    def fx(name, edit, where, reason, v=60, more=False):
        """`more`: a profile with libraries, categories, symbols, sources and markers"""
        d = plain(MARKED, v) if more else base(v)
        got = edit(d)
        s.add("fx_%s.json" % name, J(d if got is None else got), where, reason)

    def put(name, path, value, where, reason, **kw):
        """path: keys and indices; the last one is set to value"""
        def edit(d):
            for k in path[:-1]:
                d = d[k]
            d[path[-1]] = value
        fx(name, edit, where, reason, **kw)

    def drop(name, path, where, reason, **kw):
        def edit(d):
            for k in path[:-1]:
                d = d[k]
            del d[path[-1]]
        fx(name, edit, where, reason, **kw)

    sh, th = ("shared",), ("threads", 0)
    samples = th + ("samples",)

    # what the file is
    ver = "version|" + NOT_OURS
    drop("meta_missing", ("meta",), "-", NOT_OURS)
    put("meta_null", ("meta",), None, "-", NOT_OURS + "|" + TYPE_WORDS)
    put("meta_array", ("meta",), [], "-", NOT_OURS + "|" + TYPE_WORDS)
    put("meta_string", ("meta",), "60", "-", NOT_OURS + "|" + TYPE_WORDS)

    def string_version(d):
        d["meta"]["preprocessedProfileVersion"] = "60"
    fx("version_string", string_version, "-", ver)

    def string_version_gecko(d):
        d["meta"].update(preprocessedProfileVersion="60", version=24)
    fx("version_string_gecko_number", string_version_gecko, "-", ver + "|schema|stringTable|gecko")

    def no_version(d):
        del d["meta"]["preprocessedProfileVersion"]
    fx("version_missing", no_version, "-", ver)
    put("version_negative", ("meta", "preprocessedProfileVersion"), -1, "-", ver)
    put("version_fraction", ("meta", "preprocessedProfileVersion"), 60.5, "-", ver)

    def future(d):
        d["meta"]["preprocessedProfileVersion"] = 77
        d["shared"] = {"stringArray": ["main"], "nodes": {"length": 1, "name": [0]}}
    fx("version_77_other_tables", future, "-", "77|newer|stackTable|missing")

    def future2(d):
        d["meta"]["preprocessedProfileVersion"] = 76
        del d["shared"]["frameTable"]
    fx("version_76_no_frame_table", future2, "-", "76|newer|frameTable|missing")
    s.add("fx_root_null.json", b"null", "-", "count|" + NOT_OURS)
    s.add("fx_root_number.json", b"60", "-", "count|" + NOT_OURS)
    s.add("fx_root_empty_object.json", b"{}", "-", NOT_OURS)
    s.add("fx_wrapper_null.json", b'{"profile":null}', "-", NOT_OURS + "|" + TYPE_WORDS)

    # tables and threads
    missing = "missing|no |absent|without|not found|required|lacks"
    drop("threads_missing", ("threads",), "threads", missing)
    put("threads_object", ("threads",), {}, "threads", TYPE_WORDS)
    put("threads_string", ("threads",), "none", "threads", TYPE_WORDS)
    put("thread_null", th, None, r"threads\[0\]", TYPE_WORDS)
    drop("samples_missing", samples, r"threads\[0\]", missing + "|samples")
    put("samples_array", samples, [], r"threads\[0\]\.samples", TYPE_WORDS)
    put("samples_null", samples, None, r"threads\[0\]", TYPE_WORDS + "|" + missing)
    drop("shared_missing", sh, "(shared|stackTable|stringArray|stack\\[)", missing + "|" + RANGE_WORDS)
    put("shared_array", sh, [], "shared", TYPE_WORDS)
    drop("stack_table_missing", sh + ("stackTable",), "stack", missing + "|" + RANGE_WORDS)
    drop("frame_table_missing", sh + ("frameTable",), "frame", missing + "|" + RANGE_WORDS)
    drop("func_table_missing", sh + ("funcTable",), "func", missing + "|" + RANGE_WORDS)
    drop("string_array_missing", sh + ("stringArray",), "(string|name)", missing + "|" + RANGE_WORDS)
    put("stack_table_array", sh + ("stackTable",), [[0], [None]], r"shared\.stackTable", TYPE_WORDS)
    put("string_array_object", sh + ("stringArray",), {"0": "main"}, r"shared\.stringArray", TYPE_WORDS)
    put("string_array_number", sh + ("stringArray", 1), 5, r"shared\.stringArray\[1\]", TYPE_WORDS)
    put("string_array_null", sh + ("stringArray", 1), None, r"shared\.stringArray\[1\]", TYPE_WORDS)
    put("libs_object", ("libs",), {}, "libs", TYPE_WORDS)

    # columns of the wrong kind
    put("stack_string", samples + ("stack",), "0120", r"threads\[0\]\.samples\.stack", TYPE_WORDS)
    put("stack_object", samples + ("stack",), {"0": 2}, r"threads\[0\]\.samples\.stack", TYPE_WORDS)
    put("time_object", samples + ("time",), {"length": 4}, r"threads\[0\]\.samples\.time", TYPE_WORDS)
    put("weight_string", samples + ("weight",), "1213", r"threads\[0\]\.samples\.weight", TYPE_WORDS)
    put("frame_column_object", sh + ("stackTable", "frame"), {}, r"shared\.stackTable\.frame", TYPE_WORDS)
    put("name_column_object", sh + ("funcTable", "name"), {}, r"shared\.funcTable\.name", TYPE_WORDS)

    # elements of the wrong kind
    put("stack_element_string", samples + ("stack", 2), "1", r"threads\[0\]\.samples\.stack\[2\]",
        TYPE_WORDS + "|" + RANGE_WORDS)
    put("stack_element_true", samples + ("stack", 2), True, r"threads\[0\]\.samples\.stack\[2\]",
        TYPE_WORDS + "|" + RANGE_WORDS)
    put("stack_element_array", samples + ("stack", 2), [1], r"threads\[0\]\.samples\.stack\[2\]",
        TYPE_WORDS + "|" + RANGE_WORDS)
    put("stack_element_object", samples + ("stack", 2), {}, r"threads\[0\]\.samples\.stack\[2\]",
        TYPE_WORDS + "|" + RANGE_WORDS)
    put("time_element_string", samples + ("time", 1), "2", r"threads\[0\]\.samples\.time\[1\]", TYPE_WORDS)
    put("weight_element_string", samples + ("weight", 3), "3", r"threads\[0\]\.samples\.weight\[3\]", TYPE_WORDS)
    put("cpu_element_object", samples + ("threadCPUDelta",), [1, {}], r"threads\[0\]\.samples\.threadCPUDelta\[1\]",
        TYPE_WORDS)

    def overflow(name, spot, path):
        d = J(base()).decode()
        old, new = spot
        s.add("fx_%s.json" % name, swap(d, old, new), path,
              "range|overflow|too (large|big)|finite|infinity")
    overflow("weight_overflow", ('"weight":[1,2,', '"weight":[1,1e400,'),
             r"(threads\[0\]\.samples\.weight\[1\]|byte [0-9]+)")
    overflow("time_overflow", ('"time":[1,2,', '"time":[1,-1e999,'), r"(threads\[0\]\.samples\.time\[1\]|byte [0-9]+)")
    put("weight_type_unknown", samples + ("weightType",), "parsecs", r"threads\[0\]\.samples\.weightType",
        "weightType|unknown|parsecs")
    put("weight_type_number", samples + ("weightType",), 1, r"threads\[0\]\.samples\.weightType",
        "weightType|unknown|" + TYPE_WORDS)
    put("length_negative", samples + ("length",), -1, r"threads\[0\]\.samples\.length", "length|negative|range")
    put("length_string", samples + ("length",), "4", r"threads\[0\]\.samples\.length", TYPE_WORDS + "|length")

    # indices
    st = r"threads\[0\]\.samples\.stack"
    put("stack_out_of_range", samples + ("stack", 2), 3, st + r"\[2\]", RANGE_WORDS)
    put("stack_negative", samples + ("stack", 3), -5, st + r"\[3\]", RANGE_WORDS + "|negative")
    put("stack_fraction", samples + ("stack", 3), 1.5, st + r"\[3\]", RANGE_WORDS + "|whole|integer|fraction")
    put("stack_1e300", samples + ("stack", 1), 1e300, st + r"\[1\]", RANGE_WORDS + "|integer|large")
    put("stack_minus_1e300", samples + ("stack", 1), -1e300, st + r"\[1\]", RANGE_WORDS + "|integer|large|negative")
    put("stack_2p64", samples + ("stack", 1), 2 ** 64, st + r"\[1\]", RANGE_WORDS + "|integer|large")
    overflow("stack_1e400", ('"stack":[2,1,', '"stack":[2,1e400,'), r"(threads\[0\]\.samples\.stack\[1\]|byte [0-9]+)")
    s.list[-1] = s.list[-1]._replace(reason=RANGE_WORDS + "|overflow|large|finite|infinity|integer")
    tab = r"shared\.stackTable"
    put("frame_out_of_range", sh + ("stackTable", "frame", 1), 3, tab + r"\.frame\[1\]", RANGE_WORDS)
    put("frame_negative", sh + ("stackTable", "frame", 1), -1, tab + r"\.frame\[1\]", RANGE_WORDS + "|negative")
    put("frame_fraction", sh + ("stackTable", "frame", 1), 3.7, tab + r"\.frame\[1\]",
        RANGE_WORDS + "|whole|integer|fraction")
    put("frame_null", sh + ("stackTable", "frame", 1), None, tab + r"\.frame\[1\]", RANGE_WORDS + "|null|" + missing)
    loop = "loop|cycle|prefix|parent|before|smaller|order|" + RANGE_WORDS
    put("prefix_itself", sh + ("stackTable", "prefix", 1), 1, tab + r"\.prefix\[1\]", loop)
    put("prefix_later", sh + ("stackTable", "prefix", 1), 2, tab + r"\.prefix\[1\]", loop)
    put("prefix_loop", sh + ("stackTable", "prefix", 0), 2, tab + r"\.prefix\[0\]", loop)
    put("prefix_out_of_range", sh + ("stackTable", "prefix", 2), 77, tab + r"\.prefix\[2\]", loop)
    put("prefix_negative", sh + ("stackTable", "prefix", 2), -3, tab + r"\.prefix\[2\]", loop + "|negative")
    put("prefix_string", sh + ("stackTable", "prefix", 2), "1", tab + r"\.prefix\[2\]", loop + "|" + TYPE_WORDS)
    put("prefix_offset_too_large", sh + ("stackTable", "prefixOffset", 1), 2, tab + r"\.prefixOffset\[1\]", loop,
        v=66)
    put("prefix_offset_negative", sh + ("stackTable", "prefixOffset", 2), -1, tab + r"\.prefixOffset\[2\]",
        loop + "|negative", v=66)
    put("prefix_offset_fraction", sh + ("stackTable", "prefixOffset", 2), 0.5, tab + r"\.prefixOffset\[2\]",
        loop + "|whole|integer", v=66)
    put("func_out_of_range", sh + ("frameTable", "func", 2), 3, r"shared\.frameTable\.func\[2\]", RANGE_WORDS)
    put("func_null", sh + ("frameTable", "func", 2), None, r"shared\.frameTable\.func\[2\]",
        RANGE_WORDS + "|null|" + missing)
    put("name_out_of_range", sh + ("funcTable", "name", 0), 1000, r"shared\.funcTable\.name\[0\]", RANGE_WORDS)
    put("name_negative", sh + ("funcTable", "name", 0), -1, r"shared\.funcTable\.name\[0\]",
        RANGE_WORDS + "|negative")
    put("name_string", sh + ("funcTable", "name", 0), "main", r"shared\.funcTable\.name\[0\]", TYPE_WORDS)
    put("resource_out_of_range", sh + ("funcTable", "resource", 1), 1, r"shared\.funcTable\.resource\[1\]",
        RANGE_WORDS, more=True)
    put("resource_lib_out_of_range", sh + ("resourceTable", "lib", 0), 1, r"shared\.resourceTable\.lib\[0\]",
        RANGE_WORDS, more=True)
    put("source_out_of_range", sh + ("funcTable", "source", 2), 2, r"shared\.funcTable\.source\[2\]", RANGE_WORDS, more=True)
    put("source_filename_out_of_range", sh + ("sources", "filename", 0), 99, r"shared\.sources\.filename\[0\]",
        RANGE_WORDS, more=True)
    put("category_out_of_range", sh + ("frameTable", "category", 1), 2, r"shared\.frameTable\.category\[1\]",
        RANGE_WORDS, more=True)
    put("native_symbol_out_of_range", sh + ("frameTable", "nativeSymbol", 0), 2,
        r"shared\.frameTable\.nativeSymbol\[0\]", RANGE_WORDS, more=True)
    put("native_symbol_name_out_of_range", sh + ("nativeSymbols", "name", 1), 50, r"shared\.nativeSymbols\.name\[1\]",
        RANGE_WORDS, more=True)
    put("native_symbol_lib_out_of_range", sh + ("nativeSymbols", "libIndex", 1), 4,
        r"shared\.nativeSymbols\.libIndex\[1\]", RANGE_WORDS, more=True)
    put("address_string", sh + ("frameTable", "address", 0), "0x10ff", r"shared\.frameTable\.address\[0\]",
        TYPE_WORDS)
    put("line_string", sh + ("frameTable", "line", 0), "3", r"shared\.frameTable\.line\[0\]", TYPE_WORDS, more=True)
    put("lib_out_of_range_70", sh + ("frameTable", "lib", 0), 1, r"shared\.frameTable\.lib\[0\]", RANGE_WORDS,
        v=70, more=True)
    put("lib_out_of_range_75", sh + ("frameTable", "lib", 0), 1, r"shared\.frameTable\.lib\[0\]", RANGE_WORDS,
        v=75, more=True)

    d = processed(MINI, 66)
    d["shared"]["frameTable"]["originalLocation"][0] = 3
    s.add("fx_original_location_out_of_range.json", J(d), r"shared\.frameTable\.originalLocation\[0\]", RANGE_WORDS)
    tt = r"threads\[0\]\."
    put("v49_stack_out_of_range", th + ("samples", "stack", 1), 3, tt + r"samples\.stack\[1\]", RANGE_WORDS, v=49)
    put("v49_frame_out_of_range", th + ("stackTable", "frame", 2), 8, tt + r"stackTable\.frame\[2\]", RANGE_WORDS,
        v=49)
    put("v49_prefix_loop", th + ("stackTable", "prefix", 1), 1, tt + r"stackTable\.prefix\[1\]", loop, v=49)
    put("v49_file_name_out_of_range", th + ("funcTable", "fileName", 2), 99, tt + r"funcTable\.fileName\[2\]",
        RANGE_WORDS, v=49, more=True)
    put("v49_string_array_missing", th + ("stringArray",), None, "(string|name)",
        missing + "|" + TYPE_WORDS + "|" + RANGE_WORDS,
        v=49)
    put("v40_lib_out_of_range", th + ("resourceTable", "lib", 0), 5, tt + r"resourceTable\.lib\[0\]", RANGE_WORDS,
        v=40, more=True)

    d = base()
    d["threads"].append(json.loads(J(d["threads"][0])))
    d["threads"][1]["samples"]["stack"][2] = 99
    s.add("fx_second_thread.json", J(d), r"threads\[1\]\.samples\.stack\[2\]", RANGE_WORDS)
    s.add("fx_in_gzip.json.gz", gz(J(d)), r"threads\[1\]\.samples\.stack\[2\]", RANGE_WORDS)
    put("marker_name_out_of_range", th + ("markers", "name", 0), 99, tt + r"markers\.name\[0\]", RANGE_WORDS, more=True)
    put("marker_phase_unknown", th + ("markers", "phase", 0), 7, tt + r"markers\.phase\[0\]", "phase|unknown|range|7",
        more=True)
    put("marker_time_string", th + ("markers", "startTime", 0), "2", tt + r"markers\.startTime\[0\]", TYPE_WORDS, more=True)
    put("markers_array", th + ("markers",), [], tt + "markers", TYPE_WORDS, more=True)

    # sizes that are lies: nothing may be allocated for them
    def bomb(d):
        d["shared"]["stackTable"] = {"length": 1e12, "frame": [], "prefix": []}
    fx("bomb_stack_table_empty", bomb, st + r"\[0\]", RANGE_WORDS)

    def bomb2(d):
        d["shared"]["frameTable"] = {"length": 1e12, "func": [], "address": []}
    fx("bomb_frame_table_empty", bomb2, tab + r"\.frame\[[02]\]", RANGE_WORDS)
    put("bomb_length_1e300", sh + ("stackTable",), {"length": 1e300, "frame": [], "prefix": []}, st + r"\[0\]|length",
        RANGE_WORDS + "|length")


# ---- Gecko ------------------------------------------------------------------

def geckos(s):
    def small(d):
        d["meta"] = {k: x for k, x in d["meta"].items() if k in ("version", "startTime", "interval")}
        for t in d["threads"]:
            if isinstance(t, dict) and t["markers"]["data"]:
                del t["markers"]
        if isinstance(d["libs"], list):
            d["libs"] = []
        d.pop("pausedRanges", None)
        for sub in d.get("processes", []):
            small(sub)

    def ge(name, edit, where, reason, v=24):
        d = gecko(GECKO, v)
        small(d)
        if not name.startswith(("sub_", "v4_", "processes_")):
            d.pop("processes", None)
        edit(d)
        s.add("gecko_%s.json" % name, J(d), where, reason)

    def put(name, path, value, where, reason, v=24):
        def edit(d):
            for k in path[:-1]:
                d = d[k]
            if value is DROP:
                del d[path[-1]]
            else:
                d[path[-1]] = value
        ge(name, edit, where, reason, v)

    DROP = object()
    th = ("threads", 0)
    t0 = r"threads\[0\]\."
    missing = "missing|schema|no |absent|required|lacks|" + TYPE_WORDS
    put("version_2", ("meta", "version"), 2, "-", "version|old|2")
    put("version_0", ("meta", "version"), 0, "-", "version|old|0")
    put("version_string", ("meta", "version"), "24", "-", "version|" + NOT_OURS)
    put("samples_schema_missing", th + ("samples", "schema"), DROP, t0 + "samples", missing)
    put("stack_table_schema_missing", th + ("stackTable", "schema"), DROP, t0 + "stackTable", missing)
    put("frame_table_schema_array", th + ("frameTable", "schema"), ["location"], t0 + "frameTable", missing)
    put("schema_position_string", th + ("samples", "schema", "stack"), "0", t0 + "samples", missing + "|position")
    put("schema_position_negative", th + ("samples", "schema", "stack"), -1, t0 + "samples",
        missing + "|position|negative|range")
    put("data_missing", th + ("samples", "data"), DROP, t0 + "samples", missing + "|data")
    put("data_object", th + ("samples", "data"), {}, t0 + "samples", missing + "|data")
    put("rows_are_objects", th + ("samples", "data", 1), {"stack": 0, "time": 1}, t0 + r"samples\.data\[1\]", TYPE_WORDS)
    put("rows_are_numbers", th + ("stackTable", "data", 1), 5, t0 + r"stackTable\.data\[1\]", TYPE_WORDS)
    put("stack_out_of_range", th + ("samples", "data", 1, 0), 99, t0 + r"samples\.data\[1\]", RANGE_WORDS)
    put("stack_string", th + ("samples", "data", 1, 0), "3", t0 + r"samples\.data\[1\]", TYPE_WORDS)
    put("prefix_loop", th + ("stackTable", "data", 1, 0), 1, t0 + r"stackTable\.data\[1\]",
        "loop|cycle|prefix|parent|" + RANGE_WORDS)
    put("frame_out_of_range", th + ("stackTable", "data", 1, 1), 99, t0 + r"stackTable\.data\[1\]", RANGE_WORDS)
    put("location_out_of_range", th + ("frameTable", "data", 1, 0), 500, t0 + r"frameTable\.data\[1\]", RANGE_WORDS)
    put("location_null", th + ("frameTable", "data", 1, 0), None, t0 + r"frameTable\.data\[1\]",
        RANGE_WORDS + "|null|" + TYPE_WORDS)
    put("string_table_missing", th + ("stringTable",), DROP, "threads\\[0\\]", missing + "|stringTable")
    put("string_table_number", th + ("stringTable", 1), 7, t0 + r"stringTable\[1\]", TYPE_WORDS)
    put("threads_object", ("threads",), {}, "threads", TYPE_WORDS)
    put("processes_object", ("processes",), {}, "processes", TYPE_WORDS)
    put("sub_process_stack_out_of_range", ("processes", 0, "threads", 0, "samples", "data", 0, 0), 99,
        r"processes\[0\]\.threads\[0\]\.samples\.data\[0\]", RANGE_WORDS)
    put("v3_libs_not_json", ("libs",), "[{", "libs", JSON_WORDS + "|" + END_WORDS, v=3)

    def cut_sub(d):
        d["threads"][-1] = d["threads"][-1][:-20]
    ge("v4_sub_profile_cut", cut_sub, r"threads\[[0-9]+\]", END_WORDS + "|" + JSON_WORDS, v=4)


# ---- folded text ------------------------------------------------------------

def folded(s):
    none = "count|" + NOT_OURS
    s.add("folded_no_counts.folded", b"main;work\nmain;work;leaf\nmain\n", "-", none)
    s.add("folded_one_word.folded", b"main", "-", none)
    s.add("folded_counts_not_numbers.folded", b"main;work x9\nmain many\n", "-", none + "|number")
    s.add("folded_binary.folded", bytes(range(256)), "-", none + "|binary|byte")
    s.add("folded_with_nul.folded", b"main;wo\0rk 5\n", "-", none + "|binary|nul|control|byte")
    text = "main;work 5\nmain 7\n"
    s.add("folded_utf16_cut.folded", b"\xff\xfe" + text.encode("utf-16-le")[:-1], "-",
          "utf-?16|odd|cut|truncated|middle|end|" + none)
    s.add("folded_utf16_cut_pair.folded", b"\xff\xfe" + "main;a\U0001f600".encode("utf-16-le")[:-2], "-",
          "utf-?16|surrogate|cut|truncated|end|" + none)
    s.add("folded_utf16_bom_only.folded", b"\xff\xfe", "-", "empty|utf-?16|nothing|" + none)
    big = "count|range|large|big|overflow|2\\^63|number"
    s.add("folded_count_2p63.folded", b"main;work 5\nmain;leaf 9223372036854775808\n", "line 2", big)
    s.add("folded_count_20_digits.folded", b"main 99999999999999999999\n", "line 1", big)
    s.add("folded_count_400_digits.folded", b"main;a 1\nmain;b 1\nmain " + b"9" * 400 + b"\n", "line 3", big)
    s.add("folded_sum_2p64.folded", b"main;a 9223372036854775807\nmain;b 9223372036854775807\n", "-", big + "|sum|total")
    s.add("folded_only_empty_lines.folded", b"\n\n\r\n\n", "-", "empty|nothing|white|" + none)


# ---- other files ------------------------------------------------------------

def others(s):
    empty = "empty|nothing|no data|" + NOT_OURS
    s.add("other_empty", b"", "-", empty)
    s.add("other_space.json", b" \n\t\r\n ", "-", empty)
    s.add("other_one_zero_byte", b"\0", "-", NOT_OURS + "|binary|count")
    s.add("other_zeros", b"\0" * 64, "-", NOT_OURS + "|binary|count")
    name, data = b"profile.json", J(base())
    head = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, binascii.crc32(data), len(data), len(data), len(name), 0)
    z = b"PK\x03\x04" + head + name + data
    central = b"PK\x01\x02" + struct.pack("<H", 20) + head[:-4] + struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, 0) + name
    z += central + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(z), 0)
    s.add("other_zip_of_profiles.zip", z, "-", "zip")
    s.add("other_zip_named_json.json", z, "-", "zip")
    ev = [{"name": "f", "ph": "B", "ts": 1, "pid": 1, "tid": 1}, {"name": "f", "ph": "E", "ts": 5, "pid": 1, "tid": 1}]
    s.add("other_chrome_trace_array.json", J(ev), "-", "chrome|trace|" + NOT_OURS)
    s.add("other_chrome_trace_object.json", J({"traceEvents": ev, "displayTimeUnit": "ms"}), "-",
          "chrome|trace|" + NOT_OURS)
    s.add("other_dhat.json", J({"dhatFileVersion": 2, "mode": "heap", "verb": "Allocated", "bklt": True, "pps": [],
                                "ftbl": ["[root]"]}), "-", "dhat|" + NOT_OURS)
    s.add("other_cpuprofile.json", J({"nodes": [{"id": 1, "callFrame": {"functionName": "(root)"}, "hitCount": 0}],
                                      "startTime": 0, "endTime": 1, "samples": [1], "timeDeltas": [1]}), "-",
          "cpuprofile|chrome|" + NOT_OURS)
    s.add("other_speedscope.json", J({"$schema": "https://www.speedscope.app/file-format-schema.json",
                                      "shared": {"frames": [{"name": "main"}]},
                                      "profiles": [{"type": "sampled", "name": "a", "unit": "none", "startValue": 0,
                                                    "endValue": 1, "samples": [[0]], "weights": [1]}]}), "-",
          "speedscope|" + NOT_OURS)
    s.add("other_sidecar.syms.json", J({"string_table": ["UNKNOWN", "main"], "data": []}), "-",
          "sidecar|syms|symbol|" + NOT_OURS)
    s.add("other_package.json", J({"name": "demo", "version": "1.0.0", "scripts": {"test": "true"}}), "-", NOT_OURS)
    s.add("other_html.json", b"<!DOCTYPE html>\n<html><body><h1>404 Not Found</h1></body></html>\n", "-",
          "html|count|" + NOT_OURS)
    s.add("other_png.png",
          b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0),
          "-", "png|binary|count|" + NOT_OURS)
    s.add("other_elf", b"\x7fELF\x02\x01\x01" + b"\0" * 57, "-", "elf|binary|count|" + NOT_OURS)
    s.add("other_perf.data", b"PERFILE2" + struct.pack("<QQ", 104, 136) + b"\0" * 80, "-",
          "perf|binary|count|" + NOT_OURS)
    s.add("other_simpleperf.trace", b"SIMPLEPERF\x01\x00" + b"\0" * 20, "-", "simpleperf|binary|count|" + NOT_OURS)
    s.add("other_zstd.json.zst", b"\x28\xb5\x2f\xfd\x04\x00\x11\x00\x00{}\x99\xe9\xd8\x51", "-",
          "zstd|binary|count|" + NOT_OURS)
    s.add("other_utf8_garbage.txt", b"\xff\xfe\xfd\xfc\x80\x81", "-", "binary|count|utf|" + NOT_OURS)


def cases():
    s = Set()
    json_text(s)
    gzips(s)
    jslbs(s)
    firefox(s)
    geckos(s)
    folded(s)
    others(s)
    return s.list
