# A part of the matrix of profiles and flags, and random profiles, against the go tool pprof that is
# installed here.
command -v python3 >/dev/null || { echo "SKIP: python3 is not installed"; exit 77; }
for mode in "sample" "random 30 20260101" "random 6 1 -tree" "random 6 2 -traces" "random 6 3 -raw" \
	"random 6 4 -tags" "random 6 5 -list=." "random 6 6 -callgrind" "random 6 7 -dot" \
	"random 6 8 -proto" "random 6 9 -topproto" "random 6 10 -peek=."; do
	# Each is one word or several.
	out=$(python3 "$TOP/tests/pprof/against_go.py" $mode)
	code=$?
	case $code in
	0) ;;
	*) printf '%s\n' "$out"; exit $code ;;
	esac
done
out=$(STRIDE=40 python3 "$TOP/tests/pprof/against_go.py" reports) || { printf '%s\n' "$out"; exit 1; }
