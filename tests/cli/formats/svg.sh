# Flame graphs are read back: titles give the counts, rectangles say which frame stands on which.
title() {
	printf '<g><title>%s</title><rect y="%s" x="%s" width="%s" height="15"/><text>t</text></g>\n' "$@"
}
head='<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd"><svg xmlns="http://www.w3.org/2000/svg" width="1200"><!-- <g> -->'
show() {
	echo "-- $1"
	"$CPUPROF" folded "$1" 2>&1
}

# Rows upwards from the bottom, positions in tenths of pixels, frames in any order.
{
	echo "$head"
	title 'leaf(int) (const) (1 samples, 0.10%)' 20 482.0 1.2
	title 'b (600 samples, 60.00%)' 36 482.0 708.0
	title 'all (1,000 samples, 100%)' 52 10.0 1180.0
	title 'a &lt;T&gt; &amp; &#39;&#x42;&apos;&quot; (400 samples, 40.00%; +1.00%)' 36 10.0 472.0
	title 'leaf(int) (const) (399 samples, 39.90%)' 20 10.0 470.8
	title 'Search' 10 1 1
	echo '<title>x (5 samples, 1%)</title><g><title>y (5 samples, 1%)</title></g></svg>'
} >pixels.svg
show pixels.svg
gzip -c pixels.svg >pixels.svg.gz
show pixels.svg.gz | tail -n 3

# Downwards from the top, positions in percent and in counts; a unit of time, decimals.
{
	echo "<svg><svg id='frames'>"
	printf '<g><rect fg:x="%s" fg:w="%s" x="%s%%" width="%s%%" y="%s"/><title><![CDATA[%s]]></title></g>\n' \
		0 9 0.0000 100.0000 20 'all (9 ms, 100%)' \
		0 4 0.0000 44.4444 36 'f<int> (4 ms, 44.44%)' \
		4 5 44.4444 55.5556 36 'g (4.5 ms, 50.00%)' \
		4 1 44.4444 11.1111 52 'f<int> (1 ms, 11.11%)'
	echo '</svg></svg>'
} >icicle.svg
show icicle.svg
"$CPUPROF" top -q icicle.svg

# Saved while zoomed: the positions that count are kept aside.
{
	echo '<svg><g>'
	title 'all (2 samples, 100%)' 30 0 100
	echo '<g><title>a (1 samples, 50%)</title><rect x="0" width="100" _orig_x="0" _orig_width="50" y="20"/></g>'
	echo '<g><title>b (1 samples, 50%)</title><rect x="0" width="1" _orig_x="50" _orig_width="50" y="20"/></g>'
	echo '</g></svg>'
} >zoomed.svg
show zoomed.svg

# Children that are more than what they stand on; a root that is a function.
{
	echo '<svg>'
	title 'main (10 samples, 100%)' 30 0 100
	title 'a (8 samples, 80%)' 20 0 80
	title 'b (4 samples, 40%)' 20 80 20
	echo '</svg>'
} >exceed.svg
show exceed.svg
