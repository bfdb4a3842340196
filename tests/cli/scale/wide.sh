# Many rows of one table.
. "$TOP/tests/cli/scale/lib.txt"
gen wide 20000
run 60000 top -n 1 wide
gen libs 10000
run 60000 top -n 1 --by lib libs
gen labels 20000
run 60000 pprof -top -tagfocus='request=^r77$' -nodecount=1 labels
gen folded 30000
run 60000 top -n 1 folded
run 80000 convert -q --to pprof folded >folded.pb
run 80000 pprof -top -nodecount=1 folded.pb
gen types 20000
run 40000 merge -o both.pb types types
run 40000 info both.pb | grep -c '^ .*type_[0-9]* '
