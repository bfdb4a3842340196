# foldscript.awk: turns the text of `perf script -F comm,tid,ip,sym` into folded stacks, one line for each distinct
# stack: "thread;outermost;...;innermost count".
#
# Usage: perf script -F comm,tid,ip,sym -i perf.data | awk -f foldscript.awk | LC_ALL=C sort
#
# The input has a block for each sample with a blank line after it: a line "comm tid" at the left margin, and below it
# the frames "address symbol", indented by a tab, innermost first. A frame without a symbol reads "[unknown]".

/^[^\t]/ {
	sub(/ +[0-9]+ *$/, "")
	thread = $0
	stack = ""
}

/^\t/ {
	sub(/^[\t ]*[0-9a-f]+ /, "")
	sub(/ \(inlined\)$/, "")
	gsub(/;/, ":")
	stack = ";" $0 stack
}

/^$/ {
	if (thread != "")
		count[thread stack]++
	thread = ""
}

END {
	for (s in count)
		print s, count[s]
}
