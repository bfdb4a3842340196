# Names of Windows programs are in PDB files, which are not read: no row has a name, each has a reason.
[ -n "$CORPUS" ] || { echo "SKIP: no corpus"; exit 77; }
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=sidecar
plain=$(echo "$CORPUS"/firefox-json/*sempal__f8d33401_profile.json.gz)
saved=$(echo "$CORPUS"/firefox-json/*sempal__sempal-bench.exe_*_profile.json.gz)
[ -f "$plain" ] && [ -f "$saved" ] || { echo "SKIP: not in the corpus"; exit 77; }
cp "$plain" plain.json.gz
cp "$saved" saved.json.gz
"$CPUPROF" top -n 2 plain.json.gz
"$CPUPROF" top -n 0 --format csv plain.json.gz | cut -d , -f 1 |
	grep -cvE '^(name|[^+]+\+0x[0-9a-f]+|\(no stack\))$'
"$CPUPROF" info plain.json.gz | sed -n '/^without/,$p' | grep -cv ': PDB not read$'
# Saved by the Firefox Profiler with names: they and the inlined functions show.
"$CPUPROF" top -n 2 saved.json.gz
"$CPUPROF" top --focus fft_radix2 -n 3 saved.json.gz | tail -n 3
"$CPUPROF" top --focus fft_radix2 --no-inlines -n 3 saved.json.gz | tail -n 3
