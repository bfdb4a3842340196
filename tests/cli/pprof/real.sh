# A part of the matrix of profiles and flags, and random profiles, against the go tool pprof that is
# installed here.
command -v python3 >/dev/null || { echo "SKIP: python3 is not installed"; exit 77; }
for mode in "sample" "random 30 20260101"; do
	out=$(python3 "$TOP/tests/pprof/against_go.py" $mode)
	code=$?
	case $code in
	0) ;;
	*) printf '%s\n' "$out"; exit $code ;;
	esac
done
