# A broken file of names is a warning; one that was asked for and is not there is an error.
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=sidecar
cp "$TESTDATA/firefox/rust-presym.json.gz" x.json.gz
head -c 900 "$TESTDATA/firefox/rust-presym.json.syms.json" >x.json.syms.json
"$CPUPROF" top -n 1 --lib rsdemo x.json.gz
"$CPUPROF" top -q -n 1 --strict x.json.gz
echo "strict: $?"
# The file of another program: of the libraries they share only.
cp "$TESTDATA/firefox/cpp-presym.syms.json" x.json.syms.json
"$CPUPROF" info x.json.gz | sed -n '/^named:/p'
"$CPUPROF" top --syms missing.json x.json.gz
echo "missing: $?"
