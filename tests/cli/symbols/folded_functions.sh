# Functions that the linker folded into one have the name of one of them, and say how many more there are.
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=elf
"$CPUPROF" --version | grep -q elfutils || { echo "SKIP: built without elfutils"; exit 77; }
cat >icf.cpp <<'END'
volatile int g;
namespace a { __attribute__((noinline)) int one(int n) { for (int i = 0; i < 9; i++) g += n * i; return g; } }
namespace a { __attribute__((noinline)) int two(int n) { for (int i = 0; i < 9; i++) g += n * i; return g; } }
namespace a { __attribute__((noinline)) int three(int n) { for (int i = 0; i < 9; i++) g += n * i; return g; } }
int main() { return a::one(1) + a::two(2) + a::three(3); }
END
clang++ -O1 -ffunction-sections -fuse-ld=lld -Wl,--icf=all -Wl,--build-id=sha1 icf.cpp -o icf 2>/dev/null || {
	echo "SKIP: no clang++ with lld"; exit 77; }
[ "$(nm icf | grep -c '_ZN1a')" = 3 ] && [ "$(nm icf | grep '_ZN1a' | cut -d ' ' -f 1 | uniq | wc -l)" = 1 ] || {
	echo "SKIP: nothing was folded"; exit 77; }
python3 "$TOP/tests/gen/elfprofile.py" x.json icf:_ZN1a3twoEi+4,main+4
for option in --symbols --raw-names; do
	"$CPUPROF" top $option --binary icf x.json | tail -n 2
done
# GNU ld folds nothing: several names of one place were made by hand, and are not worth a word.
cat >alias.c <<'END'
volatile int g;
__attribute__((noinline)) int one(int n) { for (int i = 0; i < 9; i++) g += n * i; return g; }
int two(int) __attribute__((alias("one")));
int main(void) { return one(1) + two(2); }
END
gcc -O1 -fuse-ld=bfd -Wl,--build-id=sha1 alias.c -o alias 2>/dev/null || { echo "SKIP: no gcc"; exit 77; }
python3 "$TOP/tests/gen/elfprofile.py" y.json alias:two+4
"$CPUPROF" top --binary alias y.json | tail -n 1
