for word in tpo thread xyzzy inof --top; do
	"$CPUPROF" $word
	echo "exit $?"
done
"$CPUPROF" help tpo
echo "exit $?"
"$CPUPROF" help top info
echo "exit $?"
