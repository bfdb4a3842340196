# A unit is for numbers of its kind; others are refused, or left as they are beside those that fit.
ln -s "$TESTDATA" t
"$CPUPROF" top --unit us -n 1 t/firefox/c-named.json.gz | tail -n 1
"$CPUPROF" top --unit count -n 1 t/folded/c.folded | tail -n 1
for unit in ms kB parsecs; do
	"$CPUPROF" top --unit $unit -n 1 t/folded/c.folded
	echo "exit $?"
done
"$CPUPROF" top --unit kB -n 1 t/firefox/c-named.json.gz
echo "exit $?"
"$CPUPROF" threads --unit us t/firefox/c-named.json.gz
"$CPUPROF" threads --unit parsecs t/firefox/c-named.json.gz
echo "exit $?"
