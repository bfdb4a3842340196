# --strict turns warnings into exit code 3, after the report.
ln -s "$TESTDATA/odd" o
"$CPUPROF" top -n 1 o/gzip_garbage_after.json.gz
echo "exit $?"
"$CPUPROF" top -n 1 --strict o/gzip_garbage_after.json.gz
echo "exit $?"
"$CPUPROF" top -n 1 --strict -q o/gzip_garbage_after.json.gz
echo "exit $?"
# A note alone is no warning.
"$CPUPROF" top -n 1 --strict "$TESTDATA/firefox/c-per-cpu.json.gz" 2>/dev/null | tail -n 1
