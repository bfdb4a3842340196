function (D) {
"use strict";
// The program inside flame graphs. D is the table that flamegraph_data.c describes.
var SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
var me = document.currentScript;
var svg = me && me.ownerSVGElement || document.documentElement;
var statics = svg.querySelector("#frames");
if (!statics) return;

// The table.
var DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
var VALUE = new Uint8Array(128), i, k;
for (i = 0; i < 64; i++) VALUE[DIGITS.charCodeAt(i)] = i;

function reader(text) {
	var at = 0;
	return function () {
		var v = 0, unit = 1, c;
		do {
			c = VALUE[text.charCodeAt(at++)];
			v += (c & 31) * unit;
			unit *= 32;
		} while (c & 32);
		return v;
	};
}

var N = D.n, nnames = D.names.length / 2;
var names = new Array(nnames), lib = new Uint32Array(nnames), file = new Uint32Array(nnames);
var line = new Float64Array(nnames), color = new Uint16Array(nnames);
var next = reader(D.keys);
for (i = 0; i < nnames; i++) {
	names[i] = (i ? names[i - 1].slice(0, D.names[2 * i]) : "") + D.names[2 * i + 1];
	lib[i] = next();
	file[i] = next();
	line[i] = next();
	color[i] = next();
}

// Frames in preorder: parent, the one behind the subtree, depth, name, left edge, total, left out.
var up = new Int32Array(N), end = new Int32Array(N), depth = new Int32Array(N);
var name = new Int32Array(N), inl = new Uint8Array(N);
var left = new Float64Array(N), total = new Float64Array(N), hidden = new Float64Array(N);
var self = new Float64Array(N), filled = new Float64Array(N), deepest = 0;
var mark = [new Int32Array(N), new Int32Array(N)];
(function () {
	var next = reader(D.rows), path = [0], d = 0, v, r, h = [];
	for (i = 0; i < nnames; i++) h.push(hash(names[i] + "\n" + (lib[i] ? D.libs[lib[i] - 1] : "")));
	total[0] = self[0] = D.total;
	hidden[0] = D.hidden;
	self[0] -= D.hidden;
	name[0] = -1;
	mark[0][0] = 17;
	mark[1][0] = 42;
	for (i = 1; i < N; i++) {
		v = next();
		d -= Math.floor(v / 3);
		r = path[d];
		inl[i] = v % 3;
		name[i] = next();
		total[i] = self[i] = next();
		hidden[i] = next();
		self[i] -= hidden[i];
		up[i] = r;
		left[i] = left[r] + filled[r];
		filled[r] += total[i];
		self[r] -= total[i];
		path[++d] = i;
		depth[i] = d;
		if (d > deepest) deepest = d;
		mark[0][i] = Math.imul(mark[0][r] ^ h[name[i]], 0x9e3779b1) + d | 0;
		mark[1][i] = Math.imul(mark[1][r] + h[name[i]], 0x85ebca6b) ^ mark[1][r] >>> 15;
	}
	for (i = 0; i < N; i++) end[i] = i + 1;
	for (i = N - 1; i > 0; i--) if (end[up[i]] < end[i]) end[up[i]] = end[i];
})();

function hash(s) {
	var h = 0x811c9dc5, i;
	for (i = 0; i < s.length; i++) h = Math.imul(h ^ s.charCodeAt(i), 0x01000193);
	return h ^ h >>> 15;
}

// A frame in a link is told by the names of its path, so links survive another recording.
function link(i) {
	return (mark[0][i] >>> 0).toString(36) + "-" + (mark[1][i] >>> 0).toString(36);
}
function unlink(text) {
	var p = text.split("-"), a = parseInt(p[0], 36) | 0, b = parseInt(p[1], 36) | 0, i;
	for (i = 0; i < N; i++) if (mark[0][i] === a && mark[1][i] === b) return i;
	return 0;
}

// Numbers for people.
var TIME = {ns: 1, nanoseconds: 1, us: 1e3, microseconds: 1e3, ms: 1e6, milliseconds: 1e6,
	s: 1e9, seconds: 1e9};
function grouped(v) {
	var p = String(v).split(".");
	if (!/^-?\d+$/.test(p[0])) return String(v);
	p[0] = p[0].replace(/\B(?=(\d{3})+$)/g, ",");
	return p.join(".");
}
function amount(raw) {
	var v = raw * D.num / D.den, about = Math.abs(v) > Number.MAX_SAFE_INTEGER ? "\u2248" : "", t;
	if (TIME[D.unit]) {
		t = v * TIME[D.unit];
		if (t >= 1e9) return about + (t / 1e9).toFixed(t < 1e10 ? 3 : 2) + " s";
		if (t >= 1e6) return about + (t / 1e6).toFixed(2) + " ms";
		if (t >= 1e3) return about + (t / 1e3).toFixed(2) + " \u00b5s";
		return grouped(t) + " ns";
	}
	if (D.unit === "bytes") {
		for (t = 0; v >= 1024 && t < 4; t++) v /= 1024;
		return t ? v.toFixed(2) + " " + ["", "kB", "MB", "GB", "TB"][t] : grouped(v) + " bytes";
	}
	return about + grouped(v) + " " + (D.unit && D.unit !== "count" ? D.unit : D.type);
}
function percent(part, whole) {
	return whole ? (100 * part / whole).toFixed(2) + "%" : "0%";
}
function nameOf(i) {
	return i ? names[name[i]] : "all";
}

// Elements.
function make(ns, tag, attributes, parent) {
	var e = document.createElementNS(ns, tag), a;
	for (a in attributes) e.setAttribute(a, attributes[a]);
	if (parent) parent.appendChild(e);
	return e;
}
function round(v) {
	return Math.round(v * 100) / 100;
}

// Frames narrower than this on the screen are not drawn, pixels.
var LEAST = 0.4, COLUMN = 6.62;
var W = 0, H = 0, zoomed = 0, query = "", expr = null, matched = null, focused = -1;
var graph = make(SVG, "g", {role: "group", "aria-label": "frames"});
svg.replaceChild(graph, statics);
var tip = make(SVG, "g", {"class": "tip", visibility: "hidden"}, svg);
var box = new Map();

function yOf(d) {
	return D.inverted ? D.top + d * D.row : H - D.bottom - (d + 1) * D.row;
}

function columnsOf(s) {
	return /^[\x20-\u02ff]*$/.test(s) ? s.length : s.length + (s.match(/[\u1100-\uffff]/g) || []).length;
}
function label(s, w) {
	var room = Math.floor((w - 6) / COLUMN), cut = [], used = 0, c;
	if (room < 3) return "";
	if (columnsOf(s) <= room) return s;
	for (c of s) {
		used += columnsOf(c);
		if (used > room - 1) break;
		cut.push(c);
		if (cut.length > room) break;
	}
	return cut.join("") + "\u2026";
}

function draw(i, x, w, faded) {
	var classes = "f c" + (i ? color[name[i]] : 0) + (faded ? " up" : "");
	var g, text = label(nameOf(i), w), y = yOf(depth[i]);
	if (expr && i && matched[name[i]]) classes += " m";
	g = make(SVG, "g", {"class": classes, tabindex: -1}, graph);
	make(SVG, "rect", {x: round(x), y: y, width: round(Math.max(w - (w > 3 ? 0.5 : 0), 0.3)),
		height: D.row - 1, "class": inl[i] === 1 ? "i" : ""}, g);
	if (text) make(SVG, "text", {x: round(x + 3), y: y + 12}, g).textContent = text;
	g.frame = i;
	box.set(i, g);
}

function render() {
	var px, i, w, room = W - 2 * D.pad, had = focused;
	hideTip();
	graph.textContent = "";
	box.clear();
	for (i = zoomed; i; i = up[i]) draw(up[i], D.pad, room, true);
	px = total[zoomed] ? room / total[zoomed] : 0;
	for (i = zoomed; i < end[zoomed];) {
		w = total[i] * px;
		if (w < LEAST) {
			i = end[i];
			continue;
		}
		draw(i, D.pad + (left[i] - left[zoomed]) * px, w, false);
		i++;
	}
	stop(box.has(had) ? had : zoomed);
	reset.hidden = !zoomed;
	telling();
}

// The one frame that the tab key stops at.
function stop(i) {
	if (box.has(focused)) box.get(focused).setAttribute("tabindex", -1);
	focused = i;
	box.get(i).setAttribute("tabindex", 0);
}
function focus(i) {
	if (i < 0 || !box.has(i)) return;
	stop(i);
	box.get(i).focus();
}

function layout() {
	var w = window.innerWidth || 1200, embedded = svg !== document.documentElement;
	if (embedded && svg.parentNode.clientWidth) w = svg.parentNode.clientWidth;
	W = Math.max(w - (embedded ? 0 : 16), 320);
	H = D.top + (deepest + 1) * D.row + D.bottom;
	if (!embedded && !D.inverted) H = Math.max(H, Math.min(window.innerHeight || 0, 400));
	svg.setAttribute("width", "100%");
	svg.setAttribute("height", H);
	svg.setAttribute("viewBox", "0 0 " + W + " " + H);
	svg.setAttribute("preserveAspectRatio", "xMinYMin meet");
	bar.setAttribute("x", Math.max(W - 520 - D.pad, 0));
	render();
}

// Details of a frame.
function details(i) {
	var out = [], n = name[i], first = D.inverted ? "starts here" : "self", where = "";
	out.push("total " + amount(total[i]) + ", " + percent(total[i], D.total) + " of all" +
		(i && up[i] ? ", " + percent(total[i], total[up[i]]) + " of parent" : ""));
	out.push(first + " " + amount(self[i]) + ", " + percent(self[i], D.total) + " of all" +
		(self[i] && self[i] !== total[i] ? ", " + percent(self[i], total[i]) + " of total" : ""));
	if (hidden[i]) out.push("left out " + amount(hidden[i]) + ", " + percent(hidden[i], D.total) +
		" in frames too narrow");
	if (i && file[n]) where = D.files[file[n] - 1] + (line[n] ? ":" + line[n] : "");
	if (where) out.push(where);
	if (i && lib[n]) out.push("in " + D.libs[lib[n] - 1]);
	if (inl[i]) out.push(inl[i] === 1 ? "inlined" : "inlined in part");
	return out;
}
function wrap(s, room) {
	var out = [], part = "", used = 0, c;
	for (c of s) {
		if (used + columnsOf(c) > room && out.length < 12) {
			out.push(part);
			part = "";
			used = 0;
		}
		if (out.length === 12) {
			part = "\u2026";
			break;
		}
		part += c;
		used += columnsOf(c);
	}
	out.push(part);
	return out;
}
function showTip(i, x, y) {
	var room = Math.max(Math.min(110, Math.floor((W - 40) / COLUMN)), 20), lines = [], bold, w = 0, h;
	var top = Math.max(-svg.getBoundingClientRect().top, 0), bottom;
	bold = wrap(nameOf(i), room);
	lines = bold.slice();
	details(i).forEach(function (s) { lines = lines.concat(wrap(s, room)); });
	lines.forEach(function (s) { w = Math.max(w, columnsOf(s)); });
	w = w * 6.9 + 16;
	h = lines.length * 15 + 10;
	bottom = Math.min(top + window.innerHeight, H);
	x = Math.max(Math.min(x + 12, W - w - 4), 4);
	if (y + 18 + h > bottom) y = Math.max(y - h - 30, top + 4);
	tip.textContent = "";
	make(SVG, "rect", {x: x, y: y + 18, width: w, height: h, rx: 4}, tip);
	lines.forEach(function (s, k) {
		var t = make(SVG, "text", {x: x + 8, y: y + 33 + 15 * k}, tip);
		if (k < bold.length) t.style.fontWeight = "bold";
		t.textContent = s;
	});
	tip.setAttribute("visibility", "visible");
}
function hideTip() {
	tip.setAttribute("visibility", "hidden");
}

// Search. Of frames inside each other the outer one counts.
function share() {
	var sum = 0, more = 0, i;
	for (i = 0; i < N;) {
		if (i && matched[name[i]]) {
			sum += total[i];
			i = end[i];
		} else {
			more += hidden[i];
			i++;
		}
	}
	return [sum, more];
}
function telling() {
	var s;
	if (!expr) {
		result.textContent = "";
		return;
	}
	s = share();
	result.textContent = "matched " + percent(s[0], D.total) +
		(s[1] / D.total >= 0.0001 ? " to " + percent(s[0] + s[1], D.total) : "");
	result.title = s[1] ? amount(s[1]) + " is in frames that were left out" : "";
}
function search(text) {
	var k;
	query = text;
	expr = null;
	if (text) {
		try {
			expr = new RegExp(text, /[A-Z]/.test(text) ? "" : "i");
		} catch (e) {
			expr = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
		}
		matched = new Uint8Array(nnames);
		for (k = 0; k < nnames; k++) matched[k] = expr.test(names[k]) ? 1 : 0;
	}
}

// What is shown is in the link: #z=FRAME&q=TEXT.
function go(zoom, text, replace) {
	var parts = [], to;
	if (zoom) parts.push("z=" + link(zoom));
	if (text) parts.push("q=" + encodeURIComponent(text));
	to = "#" + parts.join("&");
	try {
		history[replace ? "replaceState" : "pushState"](null, "", parts.length ? to : to);
	} catch (e) {
		// Documents without an address have no history.
	}
	apply(zoom, text);
}
function apply(zoom, text) {
	if (text !== query) search(text);
	if (input.value !== text) input.value = text;
	zoomed = zoom;
	render();
}
function fromLink() {
	var zoom = 0, text = "";
	location.hash.slice(1).split("&").forEach(function (part) {
		try {
			if (part.slice(0, 2) === "z=") zoom = unlink(part.slice(2));
			if (part.slice(0, 2) === "q=") text = decodeURIComponent(part.slice(2));
		} catch (e) {
			text = "";
		}
	});
	apply(zoom, text);
}

// Controls.
var bar = make(SVG, "foreignObject", {x: 0, y: 4, width: 520, height: 26}, svg);
var div = make(HTML, "div", {"class": "bar"}, bar);
var result = make(HTML, "span", {role: "status", id: "result"}, div);
var reset = make(HTML, "button", {id: "reset", title: "Escape"}, div);
var input = make(HTML, "input", {id: "search", type: "search", placeholder: "search: text or regex",
	"aria-label": "search", title: "/ or Ctrl-F"}, div);
reset.textContent = "reset zoom";
svg.insertBefore(bar, graph);
var typing = 0;
input.addEventListener("input", function () {
	clearTimeout(typing);
	typing = setTimeout(function () { go(zoomed, input.value, true); }, 120);
});
input.addEventListener("keydown", function (e) {
	if (e.key === "Enter") {
		clearTimeout(typing);
		go(zoomed, input.value, true);
	} else if (e.key === "Escape") {
		clearTimeout(typing);
		go(zoomed, "", true);
		focus(focused);
	} else {
		e.stopPropagation();
		return;
	}
	e.preventDefault();
	e.stopPropagation();
});
reset.addEventListener("click", function () {
	go(0, query);
	focus(0);
});

function frameAt(e) {
	var g = e.target.closest ? e.target.closest(".f") : null;
	return g && g.frame !== undefined && graph.contains(g) ? g.frame : -1;
}
function point(e) {
	var r = svg.getBoundingClientRect(), scale = r.width ? W / r.width : 1;
	return [(e.clientX - r.left) * scale, (e.clientY - r.top) * scale];
}
graph.addEventListener("click", function (e) {
	var i = frameAt(e);
	if (i < 0) return;
	go(i, query);
	focus(i);
});
graph.addEventListener("mousemove", function (e) {
	var i = frameAt(e), p = point(e);
	if (i < 0) hideTip();
	else showTip(i, p[0], p[1]);
});
graph.addEventListener("mouseleave", hideTip);
// Not on the group: an SVG element that listens for focus becomes a stop of the tab key itself.
document.addEventListener("focusin", function (e) {
	var i = frameAt(e), r;
	if (i < 0) return;
	stop(i);
	box.get(i).setAttribute("role", "button");
	box.get(i).setAttribute("aria-label", nameOf(i) + ", " + details(i).join(", "));
	if (!e.target.matches(":focus-visible")) return;
	r = box.get(i).firstChild;
	showTip(i, +r.getAttribute("x"), +r.getAttribute("y") + 4);
});
document.addEventListener("focusout", hideTip);

// The drawn frame beside another one in its row.
function beside(i, step) {
	var d = depth[i], k;
	for (k = i + step; k >= 0 && k < N; k += step) if (depth[k] === d && box.has(k)) return k;
	return -1;
}
function widest(i) {
	var k, best = -1;
	for (k = i + 1; k < end[i]; k = end[k])
		if (box.has(k) && (best < 0 || total[k] > total[best])) best = k;
	return best;
}
// Downwards where an ancestor of the zoomed frame is left: its way back.
function towards(i) {
	var k;
	for (k = zoomed; k; k = up[k]) if (up[k] === i) return k;
	return widest(i);
}
graph.addEventListener("keydown", function (e) {
	var i = frameAt(e), inward = D.inverted ? "ArrowDown" : "ArrowUp", to;
	var outward = D.inverted ? "ArrowUp" : "ArrowDown";
	if (i < 0 || e.ctrlKey || e.metaKey || e.altKey) return;
	if (e.key === inward) to = towards(i);
	else if (e.key === outward) to = i ? up[i] : -1;
	else if (e.key === "ArrowLeft") to = beside(i, -1);
	else if (e.key === "ArrowRight") to = beside(i, 1);
	else if (e.key === "Home") to = 0;
	else if (e.key === "Enter" || e.key === " ") {
		go(i, query);
		to = i;
	} else if (e.key === "Backspace") {
		go(up[zoomed], query);
		to = i;
	} else return;
	e.preventDefault();
	focus(to);
});
document.addEventListener("keydown", function (e) {
	if (e.target === input) return;
	if (e.key === "/" || e.key === "f" && (e.ctrlKey || e.metaKey) || e.key === "F3") {
		e.preventDefault();
		input.focus();
		input.select();
	} else if (e.key === "Escape") {
		if (zoomed) {
			go(0, query);
			focus(0);
		} else if (query) go(0, "");
	}
});

// The controls stay in sight in a tall picture.
function follow() {
	var top = -svg.getBoundingClientRect().top;
	bar.setAttribute("y", 4 + Math.max(Math.min(top, H - 40), 0));
}
window.addEventListener("scroll", follow, {passive: true});
window.addEventListener("hashchange", fromLink);
window.addEventListener("popstate", fromLink);
window.addEventListener("resize", function () {
	if (!printing) layout();
});
var printing = false;
window.addEventListener("beforeprint", function () {
	printing = true;
	hideTip();
	svg.setAttribute("height", "100%");
});
window.addEventListener("afterprint", function () {
	printing = false;
	layout();
});
layout();
fromLink();
if (svg === document.documentElement && !D.inverted && H > window.innerHeight) window.scrollTo(0, H);
}
