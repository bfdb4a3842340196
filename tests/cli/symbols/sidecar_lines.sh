# Where a .syms.json of samply 0.13 knows the functions alone, the program itself is asked for lines and
# inlined functions; what a stripped program knows is no more than that, so the file's answers stay.
unset CPUPROF_NO_SYMBOLS
"$CPUPROF" --version | grep -q elfutils || { echo "SKIP: built without elfutils"; exit 77; }
cp "$TESTDATA/programs/cppdemo.cpp" .
g++ -fdebug-prefix-map="$PWD"=/opt/demo -g -O2 -std=c++17 -pthread -o cppdemo cppdemo.cpp 2>/dev/null || {
	echo "SKIP: no g++"; exit 77; }
cp "$TESTDATA/firefox/cpp-presym.json" x.json
cp "$TESTDATA/firefox/cpp-presym.syms.json" x.syms.json
id=$("$CPUPROF" info --no-symbols x.json | awk '$3 == "cppdemo" { print $4 }')
case $(readelf -n cppdemo 2>/dev/null) in
*"$id"*) ;;
*) echo "SKIP: this compiler makes another program"; exit 77 ;;
esac
# Rows whose source is known: stubs have better names in the program than in the file.
rows() {
	"$CPUPROF" top --lib cppdemo --by line -n 0 --format csv --path-map /opt/demo=none "$@" |
		grep ',cppdemo,/'
}
rows --binary cppdemo x.json >both
mv x.syms.json away
rows --binary cppdemo x.json | cmp - both && echo "program first: $(grep -c 'cppdemo.cpp,[0-9]' both) rows with lines"
mv away x.syms.json
rows x.json >alone
mkdir stripped
strip -o stripped/cppdemo cppdemo
rows --binary stripped/cppdemo x.json | cmp - alone && echo "stripped: as without, $(wc -l <alone) rows"
