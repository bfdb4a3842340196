# perf-PID.map files: taken only if last written while the recording ran, or given by name.
. "$TOP/tests/cli/symbols/elf.inc"
export CPUPROF_SYMBOL_SOURCES=perfmap
mkdir -p root/tmp given
map=root/tmp/perf-4242.map
cat >$map <<'M'
1000 100 first
1100 80 LazyCompile:*run app.js:10:5
garbage
1180 zz no
0x1200 0x40 with prefix
1000 20 later, over the first
ffffffffffffff00 fff at the end
fffffffffffffffff 1 too large
1300 0 empty
M
printf '1240 10 cut short' >>$map
# Recorded from 1700000000 on, for 10 s.
began=1700000000000000000
lasted=10000000000
make_profile() {
	profile p.pb "$1:1000,101f,1020,10ff,1100,117f,1180,1239,1240,1300"
}
: >none
lib="none,path=/tmp/perf-4242.map,id=,began=$began,lasted=$lasted"
make_profile "$lib"
for when in 1700000005 1699999900 1700000100; do
	touch -d @$when $map
	say "written at $when"
	show --sysroot root p.pb
done
say "given by name"
cp $map given
show --binary given/perf-4242.map p.pb
say "in a folder, of the right time"
touch -d @1700000010 given/perf-4242.map
show --symbol-dir given p.pb | head -n 2
say "time unknown"
make_profile "none,path=/tmp/perf-4242.map,id="
show --sysroot root p.pb | tail -n 1
say "not there"
show p.pb | tail -n 1
say "addresses that are no memory addresses"
touch -d @1700000000 $map
profile p.json "none,path=/tmp/perf-4242.map,id=:10"
show --binary given/perf-4242.map p.json
