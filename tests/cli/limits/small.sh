# Each limit a byte or a level on both sides, and values that are refused.
run() {
	"$CPUPROF" "$@" 2>&1
	echo "exit $?"
}
printf 'main;work 3\n' >ten.folded
run convert --max-string 11 --to folded ten.folded
run convert --max-string 10 --to folded ten.folded
run convert --max-size 12 --to folded ten.folded
run convert --max-size 11 --to folded ten.folded
run pprof -top --max-string 10 ten.folded

python3 "$TOP/tests/gen/scalegen.py" --kind nest --n 1000 --out deep.json
run top --max-depth 1001 deep.json
run top deep.json | sed 's/deep\[0\].*\[0\]/PATH/'
run check --max-depth 8 deep.json

for size in 0 -1 x 1x 1kk 1.5kbb .5. 99999999999 9999999999999999999999 99999999PB; do
	run top --max-string "$size" ten.folded | head -n 1
done
run top --max-depth 0 ten.folded | head -n 1
run pprof -top -max-depth=-1 ten.folded | head -n 1
run pprof -top -max-size=1x ten.folded | head -n 1
run pprof -top -max-string=3GB ten.folded | head -n 1
