# A live recording without names, and as samply named it: with nothing but the program, built again to
# the same bytes, the names and inlined functions are the same.
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=elf
map=-fdebug-prefix-map=$PWD=/opt/demo
id_of() {
	"$CPUPROF" info --no-symbols "$TESTDATA/firefox/$1-live.json.gz" |
		awk -v lib="$1demo" '$3 == lib { print $4 }'
}
check() {
	file=$1
	case $(readelf -n "$file" 2>/dev/null) in
	*"$(id_of "$2")"*) ;;
	*) echo "SKIP: this compiler makes another $file"; exit 77 ;;
	esac
}
cp "$TESTDATA/programs/cdemo.c" "$TESTDATA/programs/cppdemo.cpp" .
gcc "$map" -g -O2 -D_GNU_SOURCE -pthread -o cdemo cdemo.c 2>/dev/null || {
	echo "SKIP: no gcc"; exit 77; }
g++ "$map" -g -O2 -std=c++17 -pthread -o cppdemo cppdemo.cpp 2>/dev/null || {
	echo "SKIP: no g++"; exit 77; }
check cdemo c
check cppdemo cpp
for name in c cpp; do
	f=$TESTDATA/firefox
	# Rows of the program only: the C library of this machine may have no debug information.
	for by in function line; do
		"$CPUPROF" top --no-symbols --by $by -n 0 --format csv "$f/$name-named.json.gz" |
			grep ",${name}demo," | grep -v '^fun_' | sort >samply
		"$CPUPROF" top --by $by -n 0 --path-map /usr/lib=none --path-map /opt/demo=none \
			--binary ${name}demo --format csv "$f/$name-live.json.gz" |
			grep ",${name}demo," | grep -v '@plt' | sort >ours
		echo "$name by $by: $(wc -l <samply) rows, $(comm -12 samply ours | wc -l) equal"
		comm -3 samply ours
	done
done
