# A limit on the size of files is an error like any other: said, and nothing left behind.
f=$TESTDATA/folded/cpp.folded
(ulimit -f 1; "$CPUPROF" convert -q "$f" -o big.folded; echo "exit $?")
(ulimit -f 1; "$CPUPROF" convert -q "$f" -o big.pb; echo "exit $?")
ls -A
