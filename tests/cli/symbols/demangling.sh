# Names of real programs and libraries are demangled as other tools do it: docs/symbols.md says what
# differs. At least 5000 of them.
shown=$(dirname "$CPUPROF")/symbols/shown
[ -x "$shown" ] || { echo "SKIP: $shown is not built"; exit 77; }
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
if ! printf '%s\n' _Z1fv | "$shown" | grep -q '()'; then
	echo "SKIP: built without libiberty"
	exit 77
fi
python3 "$TOP/tests/symbols/demangle.py" "$shown" >log
code=$?
if [ $code = 0 ]; then
	echo "agrees"
else
	cat log
fi
exit $code
