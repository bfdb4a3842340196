# Where the file of a library is looked for, and what is proven before a name is taken from it.
. "$TOP/tests/cli/symbols/elf.inc"
build() { gcc -O0 -Wl,--build-id=0x"$2" -o "$1" "$3"; }
A=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
B=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
mkdir bin
build bin/prog $A prog.c
profile p.json bin/prog:spin,main+4

say "recorded path"
show p.json
say "file gone"
mv bin/prog kept
show p.json
say "--symbol-dir: DIR/name, DIR/path, --sysroot, --binary"
mkdir -p d1 "d2$PWD/bin"
cp kept d1/prog
cp kept "d2$PWD/bin/prog"
show --symbol-dir none --symbol-dir d1 p.json
show --symbol-dir d2 p.json
show --sysroot d2 p.json
show --binary d1/prog p.json
say "--binary of another name"
show --binary kept p.json

say "recorded path says deleted"
profile del.json "kept,path=$PWD/bin/prog (deleted):spin"
show del.json
cp kept bin/prog
show del.json

say "rebuilt at the same path"
build bin/prog $B prog2.c
show p.json
say "rebuilt, the old one in a folder"
show --symbol-dir d1 p.json
say "rebuilt, --binary proves nothing"
show --binary bin/prog p.json
say "rebuilt, --force-binary"
show --force-binary p.json

say "no id in the file"
build bin/prog $A prog.c
objcopy -R .note.gnu.build-id bin/prog
show p.json
say "no id in the profile"
profile none.json bin/prog,id=,debugid=:spin
show none.json
show --binary bin/prog none.json
say "no id, the code's own checksum recorded"
profile crc.json "bin/prog,id=,debugid=$(text_id bin/prog):spin"
show crc.json
show --binary bin/prog crc.json
say "short id"
cp kept bin/prog
profile short.json kept,path=$PWD/bin/prog,id=,debugid=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA0:spin
show short.json
profile short.json kept,path=$PWD/bin/prog,id=,debugid=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB0:spin
show short.json
profile short.pb kept,path=$PWD/bin/prog,id=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,limit=ffffffffffffffff:spin
show short.pb

say "not ELF, folder, pipe, empty, cut"
echo hello >bin/prog
show p.json
rm bin/prog
mkdir bin/prog
show p.json
rmdir bin/prog
mkfifo bin/prog
show p.json
rm bin/prog
: >bin/prog
show p.json
head -c 100 kept >bin/prog
show p.json
