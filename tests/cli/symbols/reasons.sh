# Every library with places that have no name says why, in text and in JSON.
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=sidecar
cp "$TESTDATA/firefox/c-live.json.gz" x.json.gz
"$CPUPROF" top -n 1 --no-symbols x.json.gz
"$CPUPROF" top -n 1 --no-symbols --format json x.json.gz | sed -n '/"named"/,/]}/p'
"$CPUPROF" info --no-symbols x.json.gz | sed -n '/^named:/p; /^without/,$p'
"$CPUPROF" top --min-named 50 -n 1 --no-symbols x.json.gz | head -n 2 | tail -n 1
"$CPUPROF" folded --min-named 50 --no-symbols x.json.gz >/dev/null
echo "folded: $?"
"$CPUPROF" threads --min-named 50 --no-symbols x.json.gz >/dev/null
echo "threads: $?"
"$CPUPROF" info --min-named 50 --no-symbols x.json.gz >/dev/null
echo "info: $?"
"$CPUPROF" symbolize -q --min-named 50 --no-symbols x.json.gz -o x.syms.json
echo "symbolize: $?"
ls
"$CPUPROF" top --path-map nonsense x.json.gz
echo "path-map: $?"
