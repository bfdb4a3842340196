# Deep stacks: nothing may cost samples times frames of memory, or of time where no format asks it.
. "$TOP/tests/cli/scale/lib.txt"
gen comb 20000
run 40000 pprof -top -nodecount=2 comb
run 40000 top -n 2 comb
gen deep 20000 200
run 40000 top -n 2 deep
run 40000 pprof -top -nodecount=1 deep
gen pprofdeep 20000 100
run 40000 top -n 2 pprofdeep
run 40000 pprof -top -nodecount=1 pprofdeep
gen foldedline 10000
run 40000 top -n 2 foldedline
