#!/bin/sh
# Runs typical command lines under valgrind's memcheck: any error or leak fails.
set -u
cd "$(dirname "$0")/.." || exit
: "${CPUPROF:=$PWD/build/cpuprof}"
d=$PWD/testdata
supp=$PWD/tests/valgrind.supp
tmp=$(mktemp -d) || exit
trap 'rm -rf "$tmp"' EXIT
pass=0
fail=0
# run EXPECTED-STATUS ARGUMENTS
run() {
	want=$1
	shift
	(cd "$tmp" && valgrind --quiet --suppressions="$supp" --leak-check=full --show-leak-kinds=definite,indirect,possible \
		--errors-for-leak-kinds=definite,indirect,possible --error-exitcode=99 "$CPUPROF" "$@" >out.txt 2>err.txt)
	got=$?
	if [ "$got" = "$want" ]; then
		pass=$((pass + 1))
	else
		printf 'status %s instead of %s: cpuprof %s\n' "$got" "$want" "$*"
		tail -n 30 "$tmp/err.txt"
		fail=$((fail + 1))
	fi
}
run 0 --version
run 0 help top
run 2 top --no-such-option
run 0 top "$d/firefox/rust-named.json.gz"
run 0 top --by line --cum -n 0 --format json "$d/firefox/cpp-presym.json"
run 0 top --thread 'c*' --from 10ms --to 200ms --focus . --hide core "$d/firefox/rust-named.json.gz"
run 0 top "$d/pprof/go-cpu.pb.gz" "$d/pprof/go-cpu.pb.gz"
run 4 top --thread nobody "$d/firefox/c-live.json.gz"
run 0 threads --format csv "$d/firefox/two-processes.json.gz"
run 0 info "$d/firefox/c-off-cpu.json.gz"
run 0 info --format json "$d/gperftools/c.prof"
run 0 convert "$d/firefox/cpp-named.json.gz" -o a.pb.gz
run 0 convert "$d/firefox/cpp-named.json.gz" --to folded -o a.folded
run 0 convert a.pb.gz -o b.pb.gz
run 0 convert a.folded -o c.pb.gz
run 0 convert "$d/gperftools/c.prof" -o d.pb.gz
run 0 folded --root process "$d/firefox/cpp-named.json.gz"
run 0 flamegraph "$d/firefox/cpp-named.json.gz" -o a.svg
run 0 flamegraph --inverted --root process --colors lib --min-width 0 "$d/firefox/two-processes.json.gz" -o b.svg
run 0 top a.svg b.svg
run 0 merge a.pb.gz b.pb.gz "$d/firefox/c-live.json.gz" -o m.pb.gz
run 0 check "$d/pprof/go-heap.pb.gz"
run 0 pprof -top -cum -focus=main -symbolize=none "$d/pprof/go-cpu.pb.gz"
run 0 pprof -top -diff_base=a.pb.gz -normalize -symbolize=none b.pb.gz
run 0 pprof -top -lines -tagroot=thread -tagfocus=c "$d/firefox/cpp-named.json.gz"
for f in "$d"/bad/*; do
	case $f in *.tsv) continue ;; esac
	case $(($(printf '%s' "$f" | cksum | cut -d' ' -f1) % 16)) in
	0) run 1 convert "$f" -o bad.pb.gz ;;
	esac
done
[ ! -e "$tmp/bad.pb.gz" ] || { echo "an output file was left behind"; fail=$((fail + 1)); }
printf '%d passed, %d failed\n' "$pass" "$fail"
[ "$fail" = 0 ]
