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
"$CPUPROF" --version | grep -q elfutils || { echo "SKIP: built without elfutils"; exit 77; }
cp "$TESTDATA/programs/cdemo.c" "$TESTDATA/programs/cppdemo.cpp" .
gcc "$map" -g -O2 -D_GNU_SOURCE -pthread -o cdemo cdemo.c 2>/dev/null || {
	echo "SKIP: no gcc"; exit 77; }
g++ "$map" -g -O2 -std=c++17 -pthread -o cppdemo cppdemo.cpp 2>/dev/null || {
	echo "SKIP: no g++"; exit 77; }
check cdemo c
check cppdemo cpp
# Where functions begin is not in the recording of samply; and samply takes an underscore off names that
# are not C++ names for the linker (__memcmp becomes _memcmp). Both are evened out here.
even() {
	grep ",$1," | sed -E 's/,[0-9]+,,true,/,,,true,/; s/^("?)_+/\1/' | sort
}
for name in c cpp; do
	f=$TESTDATA/firefox
	# Rows of the program only: the C library of this machine may have no debug information.
	"$CPUPROF" top --no-symbols -n 0 --format csv "$f/$name-named.json.gz" |
		grep -v '^fun_' | even ${name}demo >samply
	"$CPUPROF" top -n 0 --path-map /usr/lib=none --path-map /opt/demo=none --binary ${name}demo \
		--format csv "$f/$name-live.json.gz" | grep -v '@plt' | even ${name}demo >ours
	echo "$name: $(wc -l <samply) functions, $(comm -12 samply ours | wc -l) equal"
	comm -3 samply ours
done
