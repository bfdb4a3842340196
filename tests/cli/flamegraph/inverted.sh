# From the leaves to their callers: the root is on top, sums of a leaf are its self.
printf '%s\n' 'main;f;leaf 3' 'main;g;leaf 5' 'main;f 1' 'leaf 1' >p.folded
"$CPUPROF" flamegraph --inverted p.folded |
	sed -n 's/.*<title>\(.*\)<\/title>.* y="\([0-9]*\)" width.*/\2 \1/p; s/.*data-order="\([a-z]*\)".*/\1/p'
