# Where to and in what format; nothing is written when the request makes no sense.
ln -s "$TESTDATA/folded/c.folded" c.folded
try() {
	"$CPUPROF" convert -q "$@"
	echo "exit $?" >&2
}
try c.folded
try c.folded -o x.unknown
try c.folded -o x.pb --to nothing
try c.folded -o x.pb --to gperftools
try c.folded -o -
try c.folded -o ''
try c.folded -o x.pb --to 200ms
try c.folded -o x.pb --sample-type cpu
try c.folded -o x.pb --timestamps
try missing.folded -o x.pb
try c.folded -o no-such-folder/x.pb
"$CPUPROF" merge c.folded --timestamps -o x.pb
ls -A
