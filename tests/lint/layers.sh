#!/bin/sh
# Which layer may include which: base < core < view < reports < cli; formats and symbolize sit on core.
set -u
cd "$(dirname "$0")/../.." || exit
fail=0
pass=0
check() {
	layer=$1
	allowed=$2
	bad=$(grep -rnE '^#include "[a-z]+/' "src/$layer" 2>/dev/null | grep -vE "#include \"($allowed)/")
	if [ -n "$bad" ]; then
		printf 'layer %s may include only %s:\n%s\n' "$layer" "$allowed" "$bad"
		fail=$((fail + 1))
	else
		pass=$((pass + 1))
	fi
}
check base 'base'
check core 'base|core'
check view 'base|core|view'
check formats 'base|core|formats'
check symbolize 'base|core|symbolize'
check reports 'base|core|view|reports'
check cli 'base|core|view|formats|symbolize|reports|cli'
if grep -rnE '#include "' include; then
	echo 'public headers include only public headers'
	fail=$((fail + 1))
else
	pass=$((pass + 1))
fi
# Library code neither prints nor ends the process; mem.c is the one exception.
bad=$(grep -rnE '\b(printf|puts|putchar|exit|abort|_exit)\(' src --include='*.c' |
	grep -vE '^src/cli/|^src/base/mem\.c')
bad=$(printf '%s\n' "$bad" | grep -vE '\b(v?s?n?|f)printf\(|^$')
if [ -n "$bad" ]; then
	printf 'library code prints or exits:\n%s\n' "$bad"
	fail=$((fail + 1))
else
	pass=$((pass + 1))
fi
# Every header compiles alone.
for h in $(find include src -name '*.h' | sort); do
	if echo "#include \"base/base.h\"
#include \"$h\"" | ${CC:-cc} -std=c11 -Iinclude -Isrc -I. -Ibuild/gen -fsyntax-only -x c - ; then
		pass=$((pass + 1))
	else
		echo "$h does not compile alone"
		fail=$((fail + 1))
	fi
done
# Words and paths that belong to nobody's source tree.
if git grep -nIE '/(work|root|tmp/wt)/[a-z]' -- . ':!tests/lint/layers.sh' 2>/dev/null; then
	echo 'paths of one machine'
	fail=$((fail + 1))
else
	pass=$((pass + 1))
fi
printf '%d passed, %d failed\n' "$pass" "$fail"
[ "$fail" = 0 ]
