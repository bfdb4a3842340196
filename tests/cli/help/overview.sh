"$CPUPROF" help >help.txt
"$CPUPROF" --help | cmp - help.txt
"$CPUPROF" -h | cmp - help.txt
# Every command is listed once, and every listed command has help that starts with its usage.
sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' help.txt | sort | uniq -d
for cmd in $(sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' help.txt); do
	"$CPUPROF" help "$cmd" >one.txt || echo "help $cmd: exit $?"
	head -n 1 one.txt | grep -q "^usage: cpuprof $cmd" || head -n 1 one.txt
	[ "$cmd" = pprof ] || "$CPUPROF" "$cmd" --help | cmp - one.txt
done
sed -n 1,3p help.txt
