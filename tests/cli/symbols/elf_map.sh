# Addresses of profiles against those of the linker: programs at fixed addresses and others, segments
# that lie elsewhere in memory than in the file, in Firefox profiles and in pprof files.
. "$TOP/tests/cli/symbols/elf.inc"
for tool in clang ld.lld; do
	command -v $tool >/dev/null || { echo "SKIP: no $tool"; exit 77; }
done
# Large enough for a wrong base to meet other functions.
python3 -c '
for i in range(900):
    print("int f%d(int n) { static int s; for (int i = 0; i < n; i++) s = s * %d + i; return s; }" % (i, i + 2))
print("int main(int n, char **v) { (void)v; return " + " + ".join("f%d(n)" % i for i in range(900)) + "; }")
' >big.c
id=-Wl,--build-id=sha1
gcc -O1 $id -o pie big.c
gcc -O1 $id -no-pie -o fixed big.c
gcc -O1 $id -no-pie -Wl,-Ttext-segment=0x12345000 -o odd big.c
gcc -O1 $id -Wl,-z,noseparate-code -o mixed big.c
clang -O1 $id -fuse-ld=lld -o lld big.c
clang -O1 $id -fuse-ld=lld -no-pie -o lld-fixed big.c
clang -O1 $id -fuse-ld=lld -Wl,-z,noseparate-code -o lld-mixed big.c
gcc -O1 $id -shared -fPIC -o lib.so big.c
want='  5 f899
  4 f700+1
  3 f450+3
  2 f100+2
  1 f0'
try() {
	got=$(show "$2" | sed 's/^\(  4 f700\)$/\1+1/; s/^\(  3 f450\)$/\1+3/; s/^\(  2 f100\)$/\1+2/')
	if [ "$got" = "$want" ]; then echo "$1: right"; else printf '%s:\n%s\n' "$1" "$got"; fi
}
for f in pie fixed odd mixed lld lld-fixed lld-mixed lib.so; do
	places=f0,f100+2,f450+3,f700+1,f899
	profile p.json $f:$places
	try "$f, Firefox" p.json
	start=555555554000
	profile p.pb $f,start=$start:$places
	try "$f, mapping of the segment" p.pb
	profile p.pb $f,start=$start,offset=0:$places
	try "$f, mapping from the start of the file" p.pb
	profile p.pb $f:$places
	try "$f, mapping unknown" p.pb
done

echo "== addresses counted from the first segment, all of memory mapped"
# Behind the end of the file's segments if taken as they are; or before their start.
profile p.pb fixed,limit=ffffffffffffffff,shift=-400000:f0,f100+2
show p.pb
profile p.pb odd,limit=ffffffffffffffff,shift=-12345000:f0,f100+2
show p.pb
echo "== outside of the mapping, of the file, of every function"
profile p.pb pie,start=10000,limit=10001:f0
show p.pb
profile p.pb pie,start=10000000000,offset=7000000:f0
show p.pb
profile p.json pie:ffffff,f0
show p.json
