#!/usr/bin/env python3
"""Opens flame graphs in headless Chromium, through ChromeDriver, and tries what a user does: hover,
zoom, links, reset, search, keyboard; light, dark, and paper; a graph of 100 000 stacks.

usage: flamegraph.py CPUPROF PROFILE [FOLDER]    FOLDER: pictures of the screen are left there
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from random import Random

sys.dont_write_bytecode = True
from browser import ELEMENT, Browser  # noqa: E402

passed = failed = 0


def check(what, good, seen=""):
    global passed, failed
    if good:
        passed += 1
        print("ok   " + what)
    else:
        failed += 1
        print("FAIL %s: %s" % (what, seen))


# What is drawn: names with their places, by what the page shows.
FRAMES = """return [...document.querySelectorAll('.f')].map(g => { let r = g.firstChild.getBoundingClientRect();
 let t = g.querySelector('text');
 return {text: t ? t.textContent : '', x: r.x, y: r.y, w: r.width, h: r.height,
 found: g.classList.contains('m'), faded: g.classList.contains('up')}; });"""
ACTIVE = """let a = document.activeElement, t = a && a.querySelector ? a.querySelector('text') : null;
 return a ? (t ? t.textContent : a.id || a.tagName) : ''"""
TIP = """let t = document.querySelector('.tip'); return t.getAttribute('visibility') === 'visible' ?
 [...t.querySelectorAll('text')].map(e => e.textContent) : []"""
RESULT = "return document.querySelector('#result').textContent"


def frame(b, name):
    for f in b.js(FRAMES):
        if f["text"] == name:
            return f
    return None


def middle(f):
    return f["x"] + f["w"] / 2, f["y"] + f["h"] / 2


def small(b, cpuprof, folder, scratch):
    """A tree known by heart."""
    text = "main;parse;lex 30\nmain;parse 10\nmain;run;loop;step 50\nmain;run;loop 5\nother;lex 5\n"
    folded = os.path.join(scratch, "small.folded")
    svg = os.path.join(scratch, "small.svg")
    with open(folded, "w") as f:
        f.write(text)
    subprocess.run([cpuprof, "flamegraph", "-q", folded, "-o", svg], check=True)
    b.open(svg)
    frames = {f["text"]: f for f in b.js(FRAMES) if f["text"]}
    check("all frames are drawn", set(frames) == {"all", "main", "parse", "run", "loop", "step", "lex", "other"},
          sorted(frames))
    check("the root is below, callees on their callers",
          frames["all"]["y"] > frames["main"]["y"] > frames["run"]["y"] > frames["step"]["y"])
    check("widths are shares", abs(frames["run"]["w"] / frames["all"]["w"] - 0.55) < 0.01)
    check("static elements are gone", b.js("return document.querySelectorAll('#frames').length") == 0)

    b.move(*middle(frames["run"]))
    tip = b.js(TIP)
    check("hover tells name, total, self, share of parent",
          tip == ["run", "total 55 samples, 55.00% of all, 57.89% of parent",
                  "self 0 samples, 0.00% of all"], tip)

    b.click(*middle(frames["run"]))
    run = frame(b, "run")
    check("a click zooms", run and abs(run["w"] - frames["all"]["w"]) < 2 and not frame(b, "parse"), run)
    check("callers stay, faded", frame(b, "main")["faded"] and frame(b, "all")["faded"])
    link = b.js("return location.hash")
    check("the address tells the zoom", re.fullmatch(r"#z=[0-9a-z]+-[0-9a-z]+", link), link)
    b.call("/refresh", {})
    run = frame(b, "run")
    check("zoom survives reloading", run and abs(run["w"] - frames["all"]["w"]) < 2 and not frame(b, "parse"), run)
    b.call("/back", {})
    check("back goes back", frame(b, "parse") is not None)
    # The same program, measured again: frames are told by their paths.
    with open(folded, "w") as f:
        f.write("aaa;b 3\n" + text)
    again = os.path.join(scratch, "again.svg")
    subprocess.run([cpuprof, "flamegraph", "-q", folded, "-o", again], check=True)
    b.open(again, link)
    check("a link holds for another recording", frame(b, "run") and not frame(b, "parse"), b.js(FRAMES))
    b.open(svg, link)
    b.call("/element/%s/click" % b.call("/element", {"using": "css selector", "value": "#reset"})[ELEMENT], {})
    check("reset shows all", frame(b, "parse") is not None and b.js("return location.hash") == "")

    b.open(svg)
    b.keys("/")
    check("/ goes to the search", b.js(ACTIVE) == "search", b.js(ACTIVE))
    b.keys(*"LEX")
    b.keys("enter")
    check("capitals count in a search that has them", b.js(RESULT) == "matched 0.00%", b.js(RESULT))
    b.keys("escape", "/", *"lex|step", "enter")
    check("search tells its share", b.js(RESULT) == "matched 85.00%", b.js(RESULT))
    found = [f["text"] for f in b.js(FRAMES) if f["found"]]
    check("matches are marked", sorted(found) == ["lex", "lex", "step"], found)
    check("the address tells the search", b.js("return location.hash") == "#q=lex%7Cstep")
    b.picture(folder, "search.png")
    b.call("/refresh", {})
    check("a search survives reloading", b.js(RESULT) == "matched 85.00%", b.js(RESULT))
    b.keys("/", "escape")
    check("escape ends the search", b.js(RESULT) == "" and not any(f["found"] for f in b.js(FRAMES)))
    b.keys("/", *"a(", "enter")
    check("half an expression is taken as text", b.js(RESULT) == "matched 0.00%", b.js(RESULT))
    b.keys("escape")
    # Of frames inside each other the outer one counts.
    b.keys("/", *"main|run|step", "enter")
    check("nested matches count once", b.js(RESULT) == "matched 95.00%", b.js(RESULT))

    b.open(svg)
    seen = []
    b.keys("tab", "tab")
    seen.append(b.js(ACTIVE))
    check("focus can be seen", b.js("return getComputedStyle(document.activeElement.firstChild).strokeWidth") ==
          "2.5px", seen)
    tip = b.js(TIP)
    check("focus shows details", tip and tip[0] == "all", tip)
    for key in ("up", "up", "left", "up", "right", "down", "right", "home"):
        b.keys(key)
        seen.append(b.js(ACTIVE))
    check("arrows move", seen == ["all", "main", "run", "parse", "lex", "loop", "run", "lex", "all"], seen)
    b.picture(folder, "focus.png")
    b.keys("up", "up", "enter")
    run = frame(b, "run")
    check("enter zooms, focus stays", run and abs(run["w"] - frames["all"]["w"]) < 2 and b.js(ACTIVE) == "run",
          b.js(ACTIVE))
    b.keys("down")
    check("down goes to the caller, though it is faded", b.js(ACTIVE) == "main", b.js(ACTIVE))
    b.keys("enter", "up", "enter", "backspace")
    check("backspace zooms out by one", b.js(ACTIVE) == "run" and frame(b, "parse") and not frame(b, "other"),
          b.js(ACTIVE))
    b.keys("escape")
    check("escape resets", frame(b, "other") is not None and b.js("return location.hash") == "")


def hostile(b, cpuprof, scratch):
    """Names that would break out of text, script or markup."""
    names = ["</title><script>window.bad=1</script>", "]]><x/>", "</script><script>window.bad=2//",
             "\"onload=\"window.bad=3", "\\u003c'\\", "\u2028&amp;\u202e", "a\\x01b", "\U0001f525" * 40]
    folded = os.path.join(scratch, "odd.folded")
    svg = os.path.join(scratch, "odd.svg")
    with open(folded, "w", encoding="utf-8") as f:
        for n in names:
            f.write(n.replace(";", "\\x3b") + " 3\n")
    subprocess.run([cpuprof, "flamegraph", "-q", folded, "--title", "<b>&\"' ]]>", "-o", svg], check=True)
    b.open(svg)
    check("odd names stay text", b.js("return window.bad") is None and
          b.js("return document.querySelectorAll('script').length") == 1)
    check("odd names are drawn", len(b.js(FRAMES)) == len(names) + 1, len(b.js(FRAMES)))
    check("the title is text", b.js("return document.querySelector('.t').textContent") == "<b>&\"' ]]>")


def looks(b, cpuprof, profile, folder, scratch):
    svg = os.path.join(scratch, "looks.svg")
    subprocess.run([cpuprof, "flamegraph", "-q", profile, "--colors", "lib", "--root", "thread", "-o", svg],
                   check=True)
    b.open(svg)
    light = b.js("return getComputedStyle(document.querySelector('.bg')).fill")
    b.picture(folder, "light.png")
    b.move(*middle(frame(b, "clone3")))
    tip = b.js(TIP)
    check("hover tells library and file", any(t.startswith("in libc.so.6") for t in tip) and
          any(re.search(r"clone3\.S(:\d+)?$", t) for t in tip), tip)
    b.picture(folder, "hover.png")
    b.media(prefers_color_scheme="dark")
    dark = b.js("return getComputedStyle(document.querySelector('.bg')).fill")
    b.picture(folder, "dark.png")
    check("light and dark", light == "rgb(255, 255, 255)" and dark == "rgb(21, 24, 28)", (light, dark))
    b.media(media="print", prefers_color_scheme="dark")
    check("paper is white and without controls",
          b.js("return getComputedStyle(document.querySelector('.bg')).fill") == "none" and
          b.js("return getComputedStyle(document.querySelector('.bar')).display") == "none")
    b.media(prefers_color_scheme="light")
    pdf = b.paper(folder, "paper.pdf")
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    check("prints on one page", pages == 1, pages)
    check("stands as before after printing", frame(b, "all") is not None and
          abs(frame(b, "all")["w"] - b.js("return innerWidth") + 36) < 3, frame(b, "all"))
    for options, name in (([], "hash.png"), (["--inverted"], "inverted.png")):
        subprocess.run([cpuprof, "flamegraph", "-q", profile, "-o", svg] + options, check=True)
        b.open(svg)
        b.picture(folder, name)
    frames = b.js(FRAMES)
    root = [f for f in frames if f["text"] == "all"][0]
    check("inverted: the root is on top", all(f["y"] >= root["y"] for f in frames))
    # Without its script the picture is the same.
    with open(svg) as f:
        text = re.sub(r"<script>.*?</script>", "", f.read(), flags=re.S)
    with open(svg, "w") as f:
        f.write(text)
    b.open(svg)
    b.picture(folder, "no-script.png")
    check("without script", b.js("return document.querySelectorAll('#frames rect').length") > 20)


def large(b, cpuprof, scratch):
    """100 000 distinct stacks: under 5 MB, open in 3 s, zoomed at once."""
    folded = os.path.join(scratch, "large.folded")
    svg = os.path.join(scratch, "large.svg")
    random = Random(1)
    stacks = set()
    while len(stacks) < 100000:
        stack = ["main"]
        for depth in range(random.randint(5, 40)):
            # A few callees take most, as in programs.
            callee = min(int(random.expovariate(0.9)), 7)
            stack.append("project::module_%d::Type<%d>::function_%d" % (depth, callee * 37 % 11, callee))
        stacks.add(";".join(stack))
    lines = ["%s %d\n" % (stack, random.randint(1, 40)) for stack in sorted(stacks)]
    with open(folded, "w") as f:
        f.writelines(lines)
    subprocess.run([cpuprof, "flamegraph", "-q", folded, "-o", svg], check=True)
    size = os.path.getsize(svg)
    check("100 000 stacks: the file stays under 5 MB", size < 5000000, size)
    b.open(svg)
    start = time.time()
    b.open(svg)
    b.js("return new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")
    took = time.time() - start
    print("     %d bytes, %d frames drawn, opened in %.2f s" % (size, len(b.js(FRAMES)), took))
    check("100 000 stacks: open in under 3 s", took < 3, "%.2f s" % took)
    start = time.time()
    took = b.js("""let g = document.querySelectorAll('.f')[40], t = performance.now();
        g.dispatchEvent(new MouseEvent('click', {bubbles: true})); g.getBoundingClientRect();
        return performance.now() - t""")
    check("100 000 stacks: zoom in under 0.3 s", took < 300, "%.0f ms" % took)


def main():
    cpuprof, profile = os.path.abspath(sys.argv[1]), sys.argv[2]
    folder = sys.argv[3] if len(sys.argv) > 3 else None
    if folder:
        os.makedirs(folder, exist_ok=True)
    for tool in ("chromedriver", "chromium"):
        if not shutil.which(tool):
            print("SKIP: no %s (Debian: chromium chromium-driver)" % tool)
            return 77
    b = Browser()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            small(b, cpuprof, folder, scratch)
            hostile(b, cpuprof, scratch)
            looks(b, cpuprof, profile, folder, scratch)
            large(b, cpuprof, scratch)
    finally:
        b.close()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
