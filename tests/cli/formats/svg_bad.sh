# What is no flame graph, or a broken one, is refused with its place.
try() {
	printf '%s' "$1" >"$2.svg"
	"$CPUPROF" folded "$2.svg"
	echo "$2: $?"
}
frame() {
	printf '<g><title>%s</title><rect x="%s" width="%s" y="%s"/></g>' "$@"
}
all=$(frame 'all (9 samples, 100%)' 0 9 30)
try '<?xml version="1.0"?><html><g/></html>' html
try '<svg><g><title>a drawing</title><rect x="0" y="0" width="9"/></g></svg>' drawing
try '<svg><g></svg>' crossed
try '<svg><g>' cut
try "<svg>$all" cut_later
try '<svg></svg><svg/>' two
try '<svg a=1/>' unquoted
try '<svg>&nbsp;</svg>' no_title
try '<svg><g><title>&nbsp;</title></g></svg>' entity
try '<svg><g><title>&#xD800;</title></g></svg>' surrogate
try '<svg><!-- ' comment
try '<svg><a <b></svg>' less
try "<svg>$all$(frame 'x (1 samples, 1%)' 20 1 20)</svg>" beside
try "<svg>$all$(frame 'x (1 samples, 1%)' 0 1 20)$(frame 'y (1 samples, 1%)' 0 1 0)</svg>" gap
try "<svg>$all$(frame 'x (1 samples, 1%)' 0 9e 20)</svg>" number
try "<svg>$all$(frame 'x (1 ms, 1%)' 0 9 20)</svg>" units
try "<svg>$(frame 'a (1 samples, 1%)' 0 1 20)$(frame 'b (1 samples, 1%)' 1 1 20)</svg>" no_root
try "<svg>$(frame 'a (99999999999999999999 samples, 1%)' 0 1 20)</svg>" large
try "<svg>$all$(frame 'x (9223372036854775807 samples, 1%)' 0 4 20)$(frame 'x (9223372036854775807 samples, 1%)' 4 4 20)</svg>" sum
try "<svg>$all<g><title>x (1 samples, 1%)</title><rect x='0' y='20'/></g></svg>" no_width
i=0
while [ $i -lt 1100 ]; do printf '<g>'; i=$((i + 1)); done >deep
try "<svg>$(cat deep)" deep
try '<svg id="cpuprof-flamegraph"><g><title>all (9 samples, 100%)</title><rect x="0" width="9" y="40"/></g><g><title>x (9 samples, 100%)</title><rect x="0" width="9" y="23"/></g><g><title>y (9 samples, 100%)</title><rect x="0" width="9" y="-28"/></g></svg>' jump
