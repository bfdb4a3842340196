#!/bin/sh
# Runs the unit tests and fuzz replays given as arguments, then the command-line cases, and closes
# with one line of totals. usage: all.sh UNIT... -- REPLAY... -- CLI-RUNNER
set -u
# Files by others lie beside the project; tests say so where they are missing.
if [ -z "${CORPUS-}" ] && [ -d ../shared/corpus ]; then
	CORPUS=$(cd ../shared/corpus && pwd)
	export CORPUS
fi
pass=0
fail=0
skip=0
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	out=$(CMOCKA_MESSAGE_OUTPUT=TAP "$1" 2>&1)
	rc=$?
	# cmocka marks a skipped test with "not ok N # SKIP".
	s=$(printf '%s\n' "$out" | grep -cE '^(not )?ok .*# SKIP')
	f=$(printf '%s\n' "$out" | grep -E '^not ok ' | grep -cv '# SKIP')
	p=$(printf '%s\n' "$out" | grep -E '^ok ' | grep -cv '# SKIP')
	printf '%s: %d passed, %d failed\n' "$(basename "$1")" "$p" "$f"
	if [ "$s" != 0 ]; then
		printf '%s\n' "$out" | grep -iE '# skip|skip'
		if [ -n "${CPUPROF_NO_SKIP-}" ]; then
			f=$((f + s))
			rc=1
		fi
	fi
	if [ "$rc" != 0 ]; then
		[ "$f" != 0 ] || f=1
		printf '%s\n' "$out" | tail -n 60
	fi
	pass=$((pass + p))
	fail=$((fail + f))
	skip=$((skip + s))
	shift
done
shift
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	name=$(basename "$1")
	corpus=tests/fuzz/corpus/${name#fuzz_}
	if [ ! -d "$corpus" ]; then
		printf '%s: no corpus in %s\n' "$name" "$corpus"
		fail=$((fail + 1))
	elif out=$("$1" "$corpus" 2>&1); then
		printf '%s: %s\n' "$name" "$(printf '%s\n' "$out" | tail -n 1)"
		pass=$((pass + 1))
	else
		printf '%s\n%s: FAILED\n' "$out" "$name"
		fail=$((fail + 1))
	fi
	shift
done
shift
if [ $# -gt 0 ]; then
	log=$(mktemp)
	"$@" >"$log" 2>&1
	rc=$?
	cat "$log"
	line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
	rm -f "$log"
	if [ -n "$line" ]; then
		pass=$((pass + ${line%% passed*}))
		line=${line#*passed, }
		f=${line%% failed*}
		fail=$((fail + f))
		case $line in
		*skipped*)
			line=${line#*failed, }
			skip=$((skip + ${line%% skipped*}))
			;;
		esac
		[ "$rc" = 0 ] || [ "$f" != 0 ] || fail=$((fail + 1))
	else
		echo "the command-line cases printed no totals"
		fail=$((fail + 1))
	fi
fi
printf '%d passed, %d failed, %d skipped\n' "$pass" "$fail" "$skip"
[ "$fail" = 0 ]
