# Kernel names from copies of /proc/kallsyms and /sys/kernel/notes, which --sysroot points at.
. "$TOP/tests/cli/symbols/elf.inc"
export CPUPROF_SYMBOL_SOURCES=kernel
mkdir -p root/proc root/sys/kernel
ID=cccccccccccccccccccccccccccccccccccccccc
python3 - root/sys/kernel/notes $ID <<'P'
import struct, sys
with open(sys.argv[1], "wb") as f:
    f.write(struct.pack("=3I", 4, 4, 6) + b"Xen\0" + b"abcd")
    f.write(struct.pack("=3I", 4, 20, 3) + b"GNU\0" + bytes.fromhex(sys.argv[2]))
P
# Moved by 0x1d600000 from where it was linked.
cat >root/proc/kallsyms <<'K'
0000000000000000 A fixed_percpu_data
ffffffff9e600000 T _text
ffffffff9e600000 T startup_64
ffffffff9e600100 t local_one
ffffffff9e601000 T _stext
ffffffff9e601000 T do_work
ffffffff9e601000 W weak_work
ffffffff9e602000 T last_one
ffffffff9e603000 T _etext
ffffffff9e700000 D some_data
ffffffff9e800000 T _sinittext
ffffffff9e800010 T init_thing
ffffffff9e801000 T _einittext
ffffffffc0000000 t of_module	[mod]
K
: >none
k="none,name=[kernel.kallsyms],path=[kernel.kallsyms],id=$ID"
say "relative to _text"
profile p.json "$k:0,150,1000,1fff,2000,2fff,3000,200020,1a00000"
show --sysroot root p.json
say "in memory, of another start: moved by 0x200000"
profile p.pb "none,path=[kernel.kallsyms]_text,id=$ID,memory=ffffffff9e800000:ffffffff9e800150,ffffffff9e801000"
show --sysroot root p.pb
profile p.pb "none,path=[kernel.kallsyms],id=$ID,memory=ffffffff9e801000:ffffffff9e801001"
show --sysroot root p.pb
say "in memory, start of neither _text nor _stext"
profile p.pb "none,path=[kernel.kallsyms],id=$ID,memory=ffffffff9e801800:ffffffff9e801801"
show --sysroot root p.pb
say "another kernel"
profile p.json "none,name=[kernel.kallsyms],path=[kernel.kallsyms],id=dddddddddddddddddddddddddddddddddddddddd:1000"
show --sysroot root p.json
say "no id"
profile p.json "none,name=[kernel.kallsyms],path=[kernel.kallsyms],id=:1000"
show --sysroot root p.json
say "addresses hidden"
sed -i 's/^[0-9a-f]*/0000000000000000/' root/proc/kallsyms
profile p.json "$k:1000"
show --sysroot root p.json
say "vmlinux, addresses of another start"
export CPUPROF_SYMBOL_SOURCES=elf
cat >v.c <<'C'
int first(int x) { return x * 3; }
int second(int x) { return x / 3; }
C
gcc -O1 -ffreestanding -mcmodel=large -fno-pie -no-pie -nostdlib -static -Wl,--build-id=0x$ID,-e,first \
	-Wl,-Ttext-segment=0xffffffff81000000 -o vmlinux v.c || exit
mkdir dir
cp vmlinux dir
moved=20000000
for place in first second; do
	profile p.pb "vmlinux,path=[kernel.kallsyms],memory=ffffffffa1000000,shift=$moved:$place"
	show --binary dir/vmlinux --symbol-dir dir p.pb
	profile p.pb "vmlinux,memory=ffffffffa1000000,shift=$moved:$place"
	show --symbol-dir dir p.pb
	profile p.pb "vmlinux,memory=ffffffffa1001000,shift=$moved:$place"
	show --symbol-dir dir p.pb
done
