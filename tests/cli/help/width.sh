# No help text is wider than a terminal of 80 columns.
"$CPUPROF" help >all.txt
for cmd in $(sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' all.txt); do
	"$CPUPROF" help "$cmd" >>all.txt
done
awk 'length($0) > 80 { print length($0) ": " $0 }' all.txt
