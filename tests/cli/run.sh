#!/bin/sh
# run.sh - runs the command-line cases tests/cli/AREA/NAME.sh and compares what they print.
#
#   tests/cli/run.sh [--bless] [AREA/NAME | AREA]...     no argument: all cases
#
# A case runs in an empty scratch folder. Beside NAME.sh stand NAME.out (stdout), NAME.err (stderr)
# and NAME.exit (exit code); without one of them: nothing printed there, exit code 0. --bless
# writes them from what the case did. A case that cannot run here prints "SKIP: why" and exits 77;
# with CPUPROF_NO_SKIP=1 that is a failure.
#
# Cases see: CPUPROF (the program), TESTDATA, CORPUS, CASES (folders; CORPUS and CASES are empty if
# there are none), TOP (root of the sources), LC_ALL=C TZ=UTC COLUMNS=80, CPUPROF_NO_SYMBOLS=1, stdin
# empty.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
top=$(cd "$here/../.." && pwd) || exit 1

# One case: prints its line, leaves "ok", "bad" or "skip" in RESULTS. A call of its own for xargs.
if [ "$1" = --one ]; then
	name=$2
	base=$here/$name
	dir=$RESULTS/$(echo "$name" | tr / _)
	mkdir -p "$dir/scratch" || exit 1
	(cd "$dir/scratch" && exec sh "$base.sh") </dev/null >"$dir/out" 2>"$dir/err"
	code=$?
	if [ $code = 77 ]; then
		why=$(sed -n 's/^SKIP: *//p' "$dir/out" | head -n 1)
		if [ "$CPUPROF_NO_SKIP" = 1 ]; then
			echo "FAIL $name: skipped (${why:-no reason given}), and skipping is not allowed"
			echo bad >"$dir/result"
		else
			echo "skip $name: ${why:-no reason given}"
			echo skip >"$dir/result"
		fi
	elif [ "$BLESS" = 1 ]; then
		for part in out err; do
			if [ -s "$dir/$part" ]; then
				cp "$dir/$part" "$base.$part"
			else
				rm -f "$base.$part"
			fi
		done
		if [ $code = 0 ]; then rm -f "$base.exit"; else echo $code >"$base.exit"; fi
		echo "bless $name"
		echo ok >"$dir/result"
	else
		bad=0
		want=0
		[ -f "$base.exit" ] && want=$(cat "$base.exit")
		for part in out err; do
			golden=$base.$part
			[ -f "$golden" ] || golden=/dev/null
			if ! diff -u "$golden" "$dir/$part" >"$dir/$part.diff" 2>&1; then
				bad=1
			fi
		done
		[ "$want" = "$code" ] || bad=1
		if [ $bad = 0 ]; then
			echo "ok   $name"
			echo ok >"$dir/result"
		else
			# One write, so that lines of two cases do not mix.
			{
				echo "FAIL $name"
				[ "$want" = "$code" ] || echo "  exit code $code instead of $want"
				sed 1,2d "$dir/out.diff" | head -n 60 | sed 's/^/  out: /'
				sed 1,2d "$dir/err.diff" | head -n 60 | sed 's/^/  err: /'
			} >"$dir/report"
			cat "$dir/report"
			echo bad >"$dir/result"
		fi
	fi
	# Scratch folders may hold read-only things.
	chmod -R u+rwX "$dir/scratch" 2>/dev/null
	rm -rf "$dir/scratch"
	exit 0
fi

BLESS=0
if [ "$1" = --bless ]; then
	BLESS=1
	shift
	if [ $# = 0 ]; then
		echo "run.sh: --bless needs the names of cases" >&2
		exit 2
	fi
fi

: "${CPUPROF:=$top/build/cpuprof}"
: "${TESTDATA:=$top/testdata}"
: "${CASES:=$top/testdata/cases}"
case $CPUPROF in /*) ;; *) CPUPROF=$PWD/$CPUPROF ;; esac
[ -d "$CORPUS" ] || CORPUS=
[ -d "$CASES" ] || CASES=
if [ ! -x "$CPUPROF" ]; then
	echo "run.sh: no program at $CPUPROF" >&2
	exit 1
fi

RESULTS=$(mktemp -d "${TMPDIR:-/tmp}/cpuprof-cli.XXXXXX") || exit 1
trap 'rm -rf "$RESULTS"' EXIT
trap 'exit 130' INT TERM
export CPUPROF TESTDATA CORPUS CASES RESULTS BLESS
TOP=$top
LC_ALL=C
TZ=UTC
COLUMNS=80
# What a case prints must not depend on the libraries of this machine; those about names unset it.
CPUPROF_NO_SYMBOLS=1
export TOP LC_ALL TZ COLUMNS CPUPROF_NO_SYMBOLS
unset NO_COLOR DEBUGINFOD_URLS CLICOLOR_FORCE

# The names, from the arguments or the tree.
if [ $# = 0 ]; then
	(cd "$here" && find . -mindepth 2 -name '*.sh' | sed 's|^\./||; s|\.sh$||' | sort)
else
	for arg; do
		arg=${arg#"$here/"}
		arg=${arg%.sh}
		if [ -d "$here/$arg" ]; then
			(cd "$here" && find "$arg" -name '*.sh' | sed 's|\.sh$||' | sort)
		elif [ -f "$here/$arg.sh" ]; then
			echo "$arg"
		else
			echo "run.sh: no case $arg" >&2
			echo "$arg" >"$RESULTS/missing"
		fi
	done
fi >"$RESULTS/names"

xargs -P 2 -n 1 sh "$0" --one <"$RESULTS/names"

count() {
	cat "$RESULTS"/*/result 2>/dev/null | grep -c "^$1\$"
}
total=$(grep -c . "$RESULTS/names")
passed=$(count ok)
skipped=$(count skip)
failed=$((total - passed - skipped))
[ -f "$RESULTS/missing" ] && failed=$((failed + 1))
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ] && [ "$total" -gt 0 ]
