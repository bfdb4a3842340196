# In a real browser: hover, zoom, links, search, keyboard, dark and light, paper, 100 000 stacks.
python3 "$TOP/tests/interop/flamegraph.py" "$CPUPROF" "$TESTDATA/firefox/cpp-named.json.gz" >log 2>&1
code=$?
case $code in
77) cat log ;;
0) ;;
*) cat log ;;
esac
exit $code
