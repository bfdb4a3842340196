# A program built again at the recorded path gives no name; both ids are told. With --force-binary it
# does, with a warning. One library that is missing does not keep the others from their names.
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=sidecar,elf
mkdir opt
cp "$TESTDATA/programs/cdemo.c" .
gcc -g -O2 -D_GNU_SOURCE -pthread -Wl,--build-id=0x0123456789abcdef -o opt/cdemo cdemo.c 2>/dev/null || {
	echo "SKIP: no gcc"; exit 77; }
cp "$TESTDATA/firefox/c-live.json.gz" x.json.gz
set -- --path-map /usr/lib=none --path-map /opt/demo=opt x.json.gz
"$CPUPROF" --version | grep -q elfutils || { echo "SKIP: built without elfutils"; exit 77; }
"$CPUPROF" top -n 1 "$@"
"$CPUPROF" info "$@" | sed -n '/^without/p; /^  cdemo, /p'
"$CPUPROF" top --format json -n 1 "$@" | sed -n '/"lib": "cdemo", "leaf"/s/,$//; /"lib": "cdemo", "leaf"/p'
"$CPUPROF" top --force-binary -n 0 "$@" >forced
echo "forced: $?"
"$CPUPROF" top --force-binary --strict -n 0 "$@" >forced 2>/dev/null
echo "strict: $?"
sed -n '2{s/.*; //;p;}' forced
# The C library of another recording's file beside this one is the same: named, the program is not.
# Whether by that file or by debug information depends on this machine.
cp "$TESTDATA/firefox/rust-presym.json.syms.json" x.syms.json
"$CPUPROF" symbolize "$@" -o named.json.gz 2>table
sed 's/\(libc.so.6  \)elf$/\1sidecar/' table >&2
