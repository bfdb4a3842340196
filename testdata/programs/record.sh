#!/bin/sh
# record.sh: makes the recordings under testdata/ again, from the programs beside this script.
#
# Usage: record.sh OUTPUT-DIRECTORY
#
# Needs root (perf_event_paranoid, host name), gcc, g++, rustc, cargo, go, samply 0.13, perf and gperftools. Everything
# runs in /opt/demo under the host name "demo", so that no recording names the machine or directory it was made on.
# A new run gives other numbers: see PROVENANCE.md for those of the files kept here.
set -eu

if [ "${RECORDING:-}" != yes ]; then
	RECORDING=yes exec unshare --uts "$0" "$@"
fi
hostname demo
sources=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/firefox" "$1/pprof" "$1/folded" "$1/gperftools"
out=$(cd "$1" && pwd)
paranoid=$(sysctl -n kernel.perf_event_paranoid)
trap 'sysctl -q -w "kernel.perf_event_paranoid=$paranoid"' EXIT
sysctl -q -w kernel.perf_event_paranoid=-1
mkdir -p /opt/demo
cp -R "$sources"/. /opt/demo
cd /opt/demo

gcc -g -O2 -D_GNU_SOURCE -pthread -o cdemo cdemo.c
g++ -g -O2 -std=c++17 -pthread -o cppdemo cppdemo.cpp
rustc -g -O --edition 2021 rsdemo.rs
go build -o godemo godemo.go
(cd rspprof && RUSTFLAGS="--remap-path-prefix=$HOME/.cargo/registry/src=/crates" \
	cargo build --quiet --release && cp target/release/rspprof ../rspprof-demo)

# Live recordings: on-CPU samples only.
record="samply record --save-only --rate 499"
$record -o c-live.json.gz -- ./cdemo 400
$record -o cpp-live.json.gz -- ./cppdemo 400
$record -o rust-live.json.gz -- ./rsdemo 400
$record -o two-processes.json.gz -- sh -c './cdemo 200 & ./rsdemo 200; wait'
# Every sample a second and third time, in threads for the CPUs; the first 100 ms are idle.
$record -o c-per-cpu.json.gz --per-cpu-threads --cswitch-markers -- sh -c 'sleep 0.1; ./cdemo 100'

# With a sidecar of symbols; the two profiles show its two namings.
$record -o cpp-presym.json --unstable-presymbolicate -- ./cppdemo 300
$record -o rust-presym.json.gz --unstable-presymbolicate -- ./rsdemo 300

# Imported from perf: kernel frames, and off-CPU time from the context switches.
perf="perf record -q --call-graph dwarf,4096"
switches="--sample-cpu --switch-events -e sched:sched_switch"
$perf -o c.perf.data -e cpu-clock -c 4000000 $switches ./cdemo 400
samply import c.perf.data --save-only -o c-off-cpu.json.gz
# The main event is not a clock: rows of off-CPU time weigh 0.
$perf -o rust.perf.data -e page-faults -c 1 $switches ./rsdemo 200
samply import rust.perf.data --save-only -o rust-faults.json.gz
# No context switches: CPU deltas are the event's period (-F), or 0 if that is not recorded (-c).
$perf -o cpp.perf.data -e cpu-clock -F 250 ./cppdemo 300
samply import cpp.perf.data --save-only -o cpp-clock.json.gz
$perf -o cpp-fixed.perf.data -e cpu-clock -c 10000000 ./cppdemo 300
samply import cpp-fixed.perf.data --save-only -o cpp-no-cpu.json.gz
# Names: what the Firefox Profiler page does with the recording that samply serves.
name() {
	samply load --no-open "$1-live.json.gz" >server.log 2>&1 &
	server=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		grep -q symbolServer server.log && break
		sleep 1
	done
	./symbolicate.py "$1-live.json.gz" "$(grep symbolServer server.log)" "$1-named.json.gz"
	kill "$server"
}
name c
name cpp
name rust
mv ./*.json ./*.json.gz "$out/firefox"

fold="perf script -F comm,tid,ip,sym -i"
$fold cpp-fixed.perf.data | awk -f foldscript.awk | LC_ALL=C sort >"$out/folded/cpp.folded"
$perf -o c-clock.perf.data -e cpu-clock -c 10000000 ./cdemo 400
$fold c-clock.perf.data | awk -f foldscript.awk | LC_ALL=C sort >"$out/folded/c.folded"

./godemo "$out/pprof/go-cpu.pb.gz" "$out/pprof/go-heap.pb.gz"
./rspprof-demo "$out/pprof/rust-cpu.pb"

gcc -g -O2 -D_GNU_SOURCE -pthread -o cgperf cdemo.c -Wl,--no-as-needed -lprofiler
CPUPROFILE="$out/gperftools/c.prof" CPUPROFILE_FREQUENCY=200 ./cgperf 400
