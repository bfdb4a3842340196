# Rules of a file: order, the built-in ones behind them, and files that are refused.
ln -s "$TESTDATA/firefox" f
cat >rules <<'END'
# what this program does
collatz: name ^rsdemo::collatz
text and maps: name ^(<?core::fmt|hashbrown)
the rest of it: lib ^rsdemo$
END
"$CPUPROF" top --by class --classes rules f/rust-named.json.gz | tail -n +4
echo builtin >>rules
"$CPUPROF" top --by class --classes rules f/rust-named.json.gz | tail -n +4
bad() {
	printf "$1" >bad
	"$CPUPROF" top --by class --classes bad f/rust-named.json.gz
	echo "exit $?"
}
bad ''
bad 'a: name x\nno colon here\n'
bad 'a: nome x\n'
bad '\n\nb: name (x\n'
bad 'c: lib\n'
bad 'c: unnamed x\n'
bad 'builtin\nbuiltin\n'
"$CPUPROF" top --by class --classes missing f/rust-named.json.gz
echo "exit $?"
"$CPUPROF" top --classes rules f/rust-named.json.gz
echo "exit $?"
