"""JSON text: what a reader has to accept and to refuse (RFC 8259, plus this
project's rules for bad Unicode, a byte order mark and numbers out of range).

A case is written as text or bytes. In a refused case the sign `@@` marks the
offending byte where there is only one sensible choice; it is taken out.
"""
import json

MARK = b"@@"


def shortest(x):
    """The shortest %.Pg text that reads back as x."""
    for p in range(1, 18):
        s = "%.*g" % (p, x)
        if float(s) == x:
            return s
    raise ValueError(x)


def number(token):
    """Canonical text of a number token."""
    digits = token[1:] if token.startswith("-") else token
    if digits.isdigit() and token != "-0":
        n = int(token)
        if -2 ** 63 <= n < 2 ** 64:
            return str(n)
    x = float(token)
    if x in (float("inf"), float("-inf")):
        return "overflow"
    return shortest(x)


def string(text):
    text = "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)
    return json.dumps(text)


ACCEPT, REFUSE = [], []


def yes(name, data, value):
    ACCEPT.append((name, data.encode() if isinstance(data, str) else data, value))


def no(name, data):
    REFUSE.append((name, data.encode() if isinstance(data, str) else data))


def num(name, token):
    yes("number_" + name, token, number(token))


def text(name, body, value):
    """body: what stands between the quotes; value: the text it means."""
    body = body.encode() if isinstance(body, str) else body
    yes("string_" + name, b'"' + body + b'"', string(value))


def numbers():
    for t in ("0", "-0", "1", "-1", "9", "10", "42", "1234567890", "100000000000000000000"):
        num("int_" + t.replace("-", "minus_"), t)
    num("2p53_less_1", str(2 ** 53 - 1))
    num("2p53", str(2 ** 53))
    num("2p53_plus_1", str(2 ** 53 + 1))
    num("minus_2p53_less_1", str(-2 ** 53 - 1))
    num("2p53_plus_1_point", str(2 ** 53 + 1) + ".0")
    num("2p63_less_1", str(2 ** 63 - 1))
    num("2p63", str(2 ** 63))
    num("2p63_plus_1", str(2 ** 63 + 1))
    num("minus_2p63", str(-2 ** 63))
    num("minus_2p63_less_1", str(-2 ** 63 - 1))
    num("2p64_less_1", str(2 ** 64 - 1))
    num("2p64", str(2 ** 64))
    num("2p64_plus_1", str(2 ** 64 + 1))
    num("minus_2p64", str(-2 ** 64))
    num("20_digits", "99999999999999999999")
    num("int_max", "2147483647")
    num("int_max_plus_1", "2147483648")
    num("int_min", "-2147483648")
    num("uint_max", "4294967295")
    num("uint_max_plus_1", "4294967296")
    for t in ("0.0", "-0.0", "0.5", "1.0", "66.0", "3.14159", "-3.25", "0.1", "0.2", "0.3",
              "0.30000000000000004", "1.7976931348623157", "123456.789", "0.000001", "100.000",
              "75091402.59", "4535.200200000011", "9007199254740993.5"):
        num("frac_" + t.replace("-", "minus_"), t)
    for t in ("1e3", "1E3", "1e+3", "1e-3", "1E+03", "1e00", "0e0", "0e999999", "0e-999999", "-0e5",
              "1.5e3", "1.5E-3", "12.5e1", "1e22", "1e23", "1e15", "1e16", "1e17", "123e-2",
              "1e308", "1.7976931348623157e308", "2.2250738585072014e-308", "5e-324",
              "4.9406564584124654e-324", "2.4703282292062328e-324", "2.4703282292062327e-324",
              "1e-400", "-1e-400", "1e-999999999999", "179769313486231570e291",
              "2.2250738585072011e-308", "6.02214076e23"):
        num("exp_" + t.replace("-", "m").replace("+", "p"), t)
    for t in ("1e309", "-1e309", "1e400", "1e999999999999", "-1e99999", "1.7976931348623159e308",
              "123456789e301"):
        num("overflow_" + t.replace("-", "m"), t)
    num("400_digits", "1" * 400)
    num("minus_400_digits", "-" + "9" * 400)
    num("309_digits", "1" * 309)
    num("310_digits", "1" * 310)
    num("300_digits", "7" * 300)
    num("400_digits_after_point", "0." + "3" * 400)
    num("400_zeros_after_point", "0." + "0" * 400 + "1")
    num("400_zeros_point_exponent", "0." + "0" * 400 + "1e401")
    num("400_digits_negative_exponent", "1" + "0" * 400 + "e-400")
    num("half_way_down", "9007199254740993.0")
    num("half_way_up", "9007199254740995.0")
    num("half_way_long", "9007199254740993." + "0" * 100 + "1")
    num("half_way_below", "9007199254740992." + "9" * 100)
    num("exponent_leading_zeros", "1e" + "0" * 100 + "5")
    num("17_digits", "0.12345678901234568")
    num("25_digits", "1234567890.123456789012345")
    yes("number_then_space", "7 ", "7")
    yes("number_in_array_then_comma", "[1,2]", "[1,2]")
    yes("number_before_brace", '{"a":1}', '{"a":1}')
    yes("number_before_newline", "[1\n]", "[1]")
    yes("number_mixed_array", "[0,-0,1.50,1e2,18446744073709551615]",
        "[0,-0,1.5,1e+02,18446744073709551615]")

    for n, t in (("leading_zero", "01"), ("leading_zeros", "00"), ("minus_leading_zero", "-01"),
                 ("zero_digit_frac", "00.5"), ("no_frac", "1."), ("no_frac_in_array", "[1.]"),
                 ("no_frac_exp", "1.e3"), ("minus", "-"), ("minus_in_array", "[-]"),
                 ("minus_minus", "--1"), ("minus_space", "- 1"), ("minus_letter", "-a"),
                 ("minus_point", "-.5"), ("exp_empty", "1e"), ("exp_plus", "1e+"), ("exp_minus", "1e-"),
                 ("exp_in_array", "[1e]"), ("exp_twice", "1e5e5"), ("exp_frac", "1e5.5"),
                 ("exp_space", "1e 5"), ("exp_sign_twice", "1e+-5"), ("point_twice", "1.2.3"),
                 ("point_point", "1..2"), ("hex", "0x10"), ("hex_upper", "0X1F"), ("octal", "0o17"),
                 ("binary", "0b1"), ("underscore", "1_000"), ("suffix_f", "1.0f"), ("suffix_n", "1n"),
                 ("thousands", "[1'000]"), ("letter", "1a"), ("minus_infinity", "-Infinity"),
                 ("minus_nan", "-NaN"), ("minus_inf", "-inf"), ("nul_inside", "[1\0]"),
                 ("nul_inside_2", "[1\0002]"), ("fraction_letter", "1.a"), ("space_frac", "[1 .5]")):
        no("number_" + n, t)
    for n, t in (("point_first", "@@.5"), ("point_first_in_array", "[@@.5]"), ("plus", "@@+1"),
                 ("plus_in_array", "[@@+1]"), ("nan", "@@NaN"), ("nan_in_array", "[@@NaN]"),
                 ("infinity", "@@Infinity"), ("infinity_in_object", '{"a":@@Infinity}'),
                 ("inf", "@@inf"), ("exp_only", "@@e5"), ("hex_no_prefix", "@@xFF"),
                 ("space_inside", "1 @@2"), ("space_inside_array", "[1 @@2]"),
                 ("comma_decimal", "1@@,5"), ("fullwidth_digit", "@@\uff11"),
                 ("fullwidth_in_array", "[@@\uff11]"), ("arabic_digit", "[@@\u0661]"),
                 ("unicode_minus", "[@@\u22121]"), ("percent", "50@@%")):
        no("number_" + n, t)


def strings():
    text("empty", "", "")
    text("ascii", "abc", "abc")
    text("space", " ", " ")
    text("quote_escaped", '\\"', '"')
    text("backslash_escaped", "\\\\", "\\")
    text("slash_escaped", "\\/", "/")
    text("slash_plain", "/", "/")
    for c, v in (("b", "\b"), ("f", "\f"), ("n", "\n"), ("r", "\r"), ("t", "\t")):
        text("escape_" + c, "\\" + c, v)
    text("all_escapes", '\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041', '"\\/\b\f\n\r\tA')
    text("backslash_then_quote", '\\\\\\"', '\\"')
    text("double_backslash_n", "\\\\n", "\\n")
    text("u_lower", "\\u00e9", "é")
    text("u_upper", "\\u00E9", "é")
    text("u_mixed", "\\uAbCd", "\uabcd")
    text("u_nul", "\\u0000", "\0")
    text("u_nul_inside", "a\\u0000b", "a\0b")
    text("u_control", "\\u001f", "\x1f")
    text("u_delete", "\\u007f", "\x7f")
    text("u_ascii", "\\u0022\\u005c", '"\\')
    text("u_two_bytes", "\\u0080\\u07ff", "\x80\u07ff")
    text("u_three_bytes", "\\u0800\\uffff", "\u0800\uffff")
    text("u_noncharacter", "\\ufffe", "\ufffe")
    text("u_bom", "\\ufeff", "\ufeff")
    text("u_before_surrogates", "\\ud7ff\\ue000", "\ud7ff\ue000")
    text("u_then_digit", "\\u00411", "A1")
    text("line_separator", "\u2028\u2029", "\u2028\u2029")
    text("delete_plain", "\x7f", "\x7f")
    text("c1_plain", "\x85", "\x85")
    text("two_bytes", "é", "é")
    text("three_bytes", "€", "€")
    text("four_bytes", "\U0001f600", "\U0001f600")
    text("last_code_point", "\U0010ffff", "\U0010ffff")
    text("bom_inside", "a\ufeffb", "a\ufeffb")
    text("like_number", "1e400", "1e400")
    text("like_structure", "[{,:}]", "[{,:}]")
    text("like_comment", "/* x */ // y", "/* x */ // y")
    text("long", "x" * 300, "x" * 300)
    text("long_escapes", "\\n" * 40, "\n" * 40)
    text("single_quotes", "'a'", "'a'")
    # surrogates
    text("pair", "\\ud83d\\ude00", "\U0001f600")
    text("pair_upper", "\\uD83D\\uDE00", "\U0001f600")
    text("pair_first", "\\ud800\\udc00", "\U00010000")
    text("pair_last", "\\udbff\\udfff", "\U0010ffff")
    text("pair_in_text", "a\\ud83d\\ude00b", "a\U0001f600b")
    text("pair_twice", "\\ud83d\\ude00\\ud83d\\ude01", "\U0001f600\U0001f601")
    F = "\ufffd"
    text("lone_high", "\\ud800", F)
    text("lone_low", "\\udc00", F)
    text("lone_high_then_text", "\\ud83dx", F + "x")
    text("lone_low_then_text", "\\ude00x", F + "x")
    text("lone_high_then_escape", "\\ud83d\\n", F + "\n")
    text("lone_high_then_bmp", "\\ud83d\\u0041", F + "A")
    text("high_high_low", "\\ud83d\\ud83d\\ude00", F + "\U0001f600")
    text("high_high", "\\ud83d\\ud83d", F + F)
    text("low_high", "\\ude00\\ud83d", F + F)
    text("low_high_low", "\\ude00\\ud83d\\ude00", F + "\U0001f600")
    text("high_backslash_low", "\\ud83d\\\\ude00", F + "\\ude00")
    text("high_then_plain_char", "\\ud83d\U0001f600", F + "\U0001f600")
    yes("string_lone_high_as_name", '{"\\ud800":1}', '{"\\ufffd":1}')
    # invalid UTF-8: every longest part of a well-formed sequence becomes one U+FFFD
    for n, b, v in (("ff", b"\xff", F), ("fe", b"\xfe", F), ("continuation", b"\x80", F),
                    ("continuation_bf", b"\xbf", F), ("c0", b"a\xc0b", "a" + F + "b"),
                    ("c1", b"a\xc1b", "a" + F + "b"), ("f5", b"\xf5", F), ("f8", b"\xf8", F),
                    ("two_cut", b"\xc3", F), ("two_cut_then_ascii", b"\xc3x", F + "x"),
                    ("three_cut_1", b"\xe2", F), ("three_cut_2", b"\xe2\x82", F),
                    ("three_cut_then_ascii", b"\xe2\x82x", F + "x"), ("four_cut_3", b"\xf0\x9f\x98", F),
                    ("overlong_slash", b"\xc0\xaf", F + F), ("overlong_three", b"\xe0\x80\x80", F * 3),
                    ("surrogate", b"\xed\xa0\x80", F * 3), ("too_large", b"\xf4\x90\x80\x80", F * 4),
                    ("latin1", b"caf\xe9", "caf" + F), ("good_after_bad", b"\xff\xc3\xa9", F + "é"),
                    ("bad_then_escape", b"\xff\\n", F + "\n")):
        text("utf8_" + n, b, v)
    yes("string_utf8_bad_in_name", b'{"\xff":0}', '{"\\ufffd":0}')

    for n, t in (("escape_x", '"\\x41"'), ("escape_a", '"\\a"'), ("escape_0", '"\\0"'),
                 ("escape_v", '"\\v"'), ("escape_e", '"\\e"'), ("escape_quote", "\"\\'\""),
                 ("escape_space", '"\\ "'), ("escape_upper_u", '"\\U0041"'),
                 ("escape_upper_n", '"\\N"'), ("escape_line_end", '"\\\n"'),
                 ("escape_non_ascii", '"\\é"'), ("escape_bad_byte", b'"\\\xff"'),
                 ("u_short_1", '"\\u"'), ("u_short_2", '"\\u1"'), ("u_short_3", '"\\u12"'),
                 ("u_short_4", '"\\u123"'), ("u_not_hex", '"\\u12g4"'), ("u_space", '"\\u 041"'),
                 ("u_minus", '"\\u-041"'), ("u_plus", '"\\u+041"'), ("u_0x", '"\\u0x41"'),
                 ("u_braces", '"\\u{41}"'), ("u_fullwidth", '"\\u\uff10041"'),
                 ("high_then_short", '"\\ud83d\\u12"'), ("high_then_u", '"\\ud83d\\u"'),
                 ("high_then_bad_escape", '"\\ud83d\\x"')):
        no("string_" + n, t)
    for n, t in (("raw_nul", '"a@@\0b"'), ("raw_1", '"@@\x01"'), ("raw_tab", '"a@@\tb"'),
                 ("raw_newline", '"a@@\nb"'), ("raw_return", '"@@\r"'), ("raw_escape", '"@@\x1b"'),
                 ("raw_1f", '"@@\x1f"'), ("raw_newline_in_name", '{"a@@\n":1}'),
                 ("single_quoted", "@@'a'"), ("single_quoted_in_array", "[@@'a']"),
                 ("back_quoted", "[@@`a`]"), ("curly_quotes", "[@@\u201ca\u201d]"),
                 ("bare_word", "@@abc"), ("bare_word_in_array", "[@@abc]"),
                 ("two_strings", '"a" @@"b"'), ("two_strings_in_array", '["a" @@"b"]'),
                 ("escaped_outside", '[@@\\n]'), ("escaped_quote_outside", '@@\\"a"'),
                 ("lone_quote", '"@@'), ("unterminated", '"abc@@'), ("unterminated_escaped", '"abc\\"@@'),
                 ("unterminated_in_array", '["abc@@'), ("unterminated_name", '{"abc@@')):
        no("string_" + n, t)


def structures():
    yes("literal_true", "true", "true")
    yes("literal_false", "false", "false")
    yes("literal_null", "null", "null")
    yes("literals_in_array", "[true,false,null]", "[true,false,null]")
    yes("array_empty", "[]", "[]")
    yes("array_empty_space", "[ ]", "[]")
    yes("array_nested_empty", "[[],[[]],{}]", "[[],[[]],{}]")
    yes("array_mixed", '[null,1,"1",{},[]]', '[null,1,"1",{},[]]')
    yes("object_empty", "{}", "{}")
    yes("object_empty_space", "{\n}", "{}")
    yes("object_one", '{"a":null}', '{"a":null}')
    yes("object_empty_name", '{"":0}', '{"":0}')
    yes("object_escaped_name", '{"\\u0061\\n":0}', '{"a\\n":0}')
    yes("object_nul_in_name", '{"a\\u0000b":0}', '{"a\\u0000b":0}')
    yes("object_same_name", '{"a":1,"a":2}', '{"a":1,"a":2}')
    yes("object_same_name_escaped", '{"a":1,"\\u0061":2}', '{"a":1,"a":2}')
    yes("object_same_name_and_value", '{"a":1,"a":1}', '{"a":1,"a":1}')
    yes("object_order", '{"b":1,"a":2}', '{"b":1,"a":2}')
    yes("object_nested", '{"a":{"b":{"c":[1]}}}', '{"a":{"b":{"c":[1]}}}')
    yes("space_all_kinds", " \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n", "[1,2]")
    yes("space_in_object", ' { "a" : 1 , "b" : 2 } ', '{"a":1,"b":2}')
    yes("space_around_scalar", "\n\t 1 \r\n", "1")
    yes("space_long", " " * 300 + "0" + " " * 300, "0")
    yes("line_end_last", "[]\n", "[]")
    yes("bom_object", b"\xef\xbb\xbf{}", "{}")
    yes("bom_scalar", b"\xef\xbb\xbf1", "1")
    yes("bom_then_space", b"\xef\xbb\xbf \n[]", "[]")
    yes("depth_50_arrays", "[" * 50 + "]" * 50, "[" * 50 + "]" * 50)
    yes("depth_100_arrays", "[" * 100 + "0" + "]" * 100, "[" * 100 + "0" + "]" * 100)
    yes("depth_50_objects", '{"a":' * 50 + "0" + "}" * 50, '{"a":' * 50 + "0" + "}" * 50)
    yes("depth_mixed", '[{"a":' * 25 + "0" + "}]" * 25, '[{"a":' * 25 + "0" + "}]" * 25)
    yes("wide_array", "[" + "0," * 299 + "0]", "[" + "0," * 299 + "0]")

    for n, t in (
            ("empty", "@@"), ("only_space", " \n\t@@"), ("only_bom", b"\xef\xbb\xbf@@"),
            ("bom_bom", b"\xef\xbb\xbf@@\xef\xbb\xbf{}"), ("bom_after_space", b" @@\xef\xbb\xbf{}"),
            ("bom_at_end", b"{}@@\xef\xbb\xbf"), ("bom_in_array", b"[@@\xef\xbb\xbf1]"),
            ("nul_first", "@@\0"), ("nul_after", "{}@@\0"), ("nul_in_array", "[@@\0]"),
            ("vertical_tab", "[@@\x0b1]"), ("form_feed", "[@@\x0c1]"), ("no_break_space", "[@@\xa01]"),
            ("line_separator_space", "[@@\u20281]"), ("next_line", "[@@\x851]"),
            ("ideographic_space", "@@\u3000[]"),
            ("comma", "@@,"), ("colon", "@@:"), ("close_bracket", "@@]"), ("close_brace", "@@}"),
            ("array_open", "[@@"), ("array_open_value", "[1 @@"), ("array_open_comma", "[1,@@"),
            ("array_trailing_comma", "[1,@@]"), ("array_only_comma", "[@@,]"),
            ("array_leading_comma", "[@@,1]"), ("array_double_comma", "[1,@@,2]"),
            ("array_colon", "[1@@:2]"), ("array_name", '["a"@@:1]'), ("array_wrong_close", "[1@@}"),
            ("array_extra_close", "[]@@]"), ("array_semicolon", "[1@@;2]"), ("array_no_comma", "[1 @@true]"),
            ("array_dots", "[@@...]"), ("array_after_literal", "[true @@true]"),
            ("object_open", "{@@"), ("object_open_name", '{"a"@@'), ("object_open_colon", '{"a":@@'),
            ("object_open_value", '{"a":1 @@'), ("object_open_comma", '{"a":1,@@'),
            ("object_trailing_comma", '{"a":1,@@}'), ("object_only_comma", "{@@,}"),
            ("object_leading_comma", '{@@,"a":1}'), ("object_double_comma", '{"a":1,@@,"b":2}'),
            ("object_double_colon", '{"a":@@:1}'), ("object_no_colon", '{"a" @@1}'),
            ("object_comma_for_colon", '{"a"@@,1}'), ("object_equals", '{"a"@@=1}'),
            ("object_no_value", '{"a":@@}'), ("object_no_value_comma", '{"a":@@,"b":1}'),
            ("object_no_comma", '{"a":1 @@"b":2}'), ("object_semicolon", '{"a":1@@;"b":2}'),
            ("object_number_name", "{@@1:1}"), ("object_null_name", "{@@null:1}"),
            ("object_bare_name", "{@@a:1}"), ("object_single_quoted_name", "{@@'a':1}"),
            ("object_array_name", "{@@[]:1}"), ("object_object_name", "{@@{}:1}"),
            ("object_value_only", '{"a"@@}'), ("object_wrong_close", '{"a":1@@]'),
            ("object_extra_close", "{}@@}"), ("object_colon_after", '{"a":1@@:2}'),
            ("trailing_word", "{} @@x"), ("trailing_value", "1 @@1"), ("trailing_comma", "{}@@,"),
            ("trailing_object", "{}@@{}"), ("trailing_object_line", "{}\n@@{}\n"),
            ("trailing_quote", '{}@@"'), ("trailing_comment", "{} @@// x"),
            ("trailing_bad_byte", b"{}@@\xff"),
            ("comment_line", "@@// x\n{}"), ("comment_block", "[@@/* x */1]"), ("comment_hash", "@@# x\n{}"),
            ("bad_byte", b"@@\xff"), ("bad_byte_in_array", b"[@@\x80]"), ("bad_byte_after_name", b'{"a"@@\xff:1}'),
            ("upper_true", "@@TRUE"), ("title_true", "[@@True]"), ("title_none", "[@@None]"),
            ("undefined", "[@@undefined]"), ("plus_word", "[@@+]"), ("angle", "@@<html>"),
            ("depth_open", "[" * 60 + "@@"), ("depth_one_missing", "[" * 60 + "]" * 59 + "@@"),
            ("depth_crossed", "[[{@@]}]")):
        no("structure_" + n, t)
    for n, t in (("literal_tru", "tru"), ("literal_truee", "truee"), ("literal_nul", "[nul]"),
                 ("literal_nulll", "[nulll]"), ("literal_fals", "fals"), ("literal_joined", "[truefalse]"),
                 ("literal_upper_tail", "nulL"), ("literal_digit", "[true1]"), ("literal_space", "[nu ll]"),
                 ("utf16_le", "{}".encode("utf-16-le")), ("utf16_be", "{}".encode("utf-16-be")),
                 ("utf16_bom", b"\xff\xfe" + "{}".encode("utf-16-le")),
                 ("utf32_le", "{}".encode("utf-32-le"))):
        no("structure_" + n, t)


DOCUMENT = ('{"m":{"v":60,"i":0.25,"e":-1.5e+3,"s":"a\\u00e9\\ud83d\\ude00\\n\\\\\\"","u":"é€"},'
            ' "t" : [ [ ] , { } , [null, true ,false, 0, -0,12345678901234567890 ] , "" ] }').encode()


def cases():
    ACCEPT.clear()
    REFUSE.clear()
    numbers()
    strings()
    structures()
    out = []
    for name, data, value in ACCEPT:
        out.append([name, "accept", data.hex(), value, "-"])
    for name, data in REFUSE:
        at = data.find(MARK)
        out.append([name, "refuse", data.replace(MARK, b""), "-", "-" if at < 0 else str(at)])
        out[-1][2] = out[-1][2].hex() or "-"
    names = [r[0] for r in out]
    for n in names:
        if names.count(n) > 1:
            raise ValueError("two cases called " + n)
    return out, DOCUMENT
