[ -e /dev/full ] || { echo 'SKIP: no /dev/full'; exit 77; }
for args in "top $TESTDATA/pprof/rust-cpu.pb" help "top --help" --version; do
	"$CPUPROF" $args >/dev/full
	echo "exit $?"
done
