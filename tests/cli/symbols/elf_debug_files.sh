# Files with the debug information of another one: build-id trees, .gnu_debuglink, .gnu_debugdata.
. "$TOP/tests/cli/symbols/elf.inc"
command -v xz >/dev/null || { echo "SKIP: no xz"; exit 77; }
A=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
mkdir bin
gcc -g -O0 -Wl,--build-id=0x$A -o full prog.c
objcopy --only-keep-debug full full.debug
cp full bin/prog
profile p.json bin/prog:spin,main+4
# Only from the debug file or the file itself comes where a line is.
lines() { "$CPUPROF" top -n 0 --by line "$@" 2>/dev/null | sed -n 's/.*%  *//; s|[^ ]*/||; /[.]c/p'; }

say "stripped"
strip bin/prog
show p.json

say "build-id trees: DIR/.build-id, DIR, DIR/ID"
mkdir -p t1/.build-id/aa t2/aa t3/$A
cp full.debug t1/.build-id/aa/${A#aa}.debug
cp full.debug t2/aa/${A#aa}.debug
cp full.debug t3/$A/debuginfo
for t in t1 t2 t3; do
	show --symbol-dir $t p.json
	lines --symbol-dir $t p.json
done
mkdir -p root/usr/lib/debug/.build-id/aa
cp full.debug root/usr/lib/debug/.build-id/aa/${A#aa}.debug
show --sysroot root p.json
say "the debug file alone"
mv bin/prog stripped
show --symbol-dir t1 p.json
lines --symbol-dir t1 p.json
profile alone.pb full,path=$PWD/bin/prog,start=10000:spin
show --symbol-dir t1 alone.pb
mv stripped bin/prog
show --symbol-dir t1 alone.pb
say "DIR/path.debug, of another build"
mkdir -p "t4$PWD/bin" "t5$PWD/bin"
cp full.debug "t4$PWD/bin/prog.debug"
show --symbol-dir t4 p.json
gcc -g -O0 -Wl,--build-id=0xbb${A#aa} -o "t5$PWD/bin/prog.debug" prog2.c
show --symbol-dir t5 p.json

say "debuglink: to nothing, beside, in .debug, gone, in a folder"
cp full.debug prog.dbg
objcopy --add-gnu-debuglink=prog.dbg bin/prog
show p.json
mv prog.dbg bin
show p.json
mkdir bin/.debug
mv bin/prog.dbg bin/.debug
show p.json
mkdir dbg
mv bin/.debug/prog.dbg dbg
show p.json
show --symbol-dir dbg p.json
lines --symbol-dir dbg p.json

say "debuglink without build ids: the checksum decides"
gcc -g -O0 -Wl,--build-id=none -o full2 prog.c
objcopy --only-keep-debug full2 bin/prog2.dbg
strip -o bin/prog2 full2
objcopy --add-gnu-debuglink=bin/prog2.dbg bin/prog2
profile p2.json full2,path=$PWD/bin/prog2:spin
show --binary bin/prog2 p2.json
printf x >>bin/prog2.dbg
show --binary bin/prog2 p2.json

say "gnu_debugdata"
nm -D full --format=posix --defined-only | awk '{ print $1 }' | sort >dynsyms
nm full --format=posix --defined-only | awk '$2 == "T" || $2 == "t" { print $1 }' | sort >funcsyms
comm -13 dynsyms funcsyms >keep
objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=keep full.debug mini
xz -k mini
strip -o bin/prog full
objcopy --add-section .gnu_debugdata=mini.xz bin/prog
show p.json
head -c 300 mini.xz >cut.xz
strip -o bin/prog full
objcopy --add-section .gnu_debugdata=cut.xz bin/prog
show p.json
