# Many threads, many samples, much text.
. "$TOP/tests/cli/scale/lib.txt"
gen threads 5000
run 60000 threads -q threads | head -n 4
run 60000 top -n 1 threads
run 60000 pprof -top -tagleaf=tid -nodecount=1 threads
gen samples 100000
run 40000 top -n 1 samples
gen json 12000000
run 16000 top -n 1 json
