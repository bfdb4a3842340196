# Every run of the cases against what go tool pprof printed for it.
command -v python3 >/dev/null || { echo "SKIP: python3 is not installed"; exit 77; }
"$CPUPROF" --version | grep -q '^mangled names: libiberty$' ||
	{ echo "SKIP: built without libiberty, mangled names stay as they are"; exit 77; }
out=$(python3 "$TOP/tests/pprof/against_go.py" recorded) || { printf '%s\n' "$out"; exit 1; }
