# Pipes as sources, the first of several among them, where a program could stand.
f=$TESTDATA/cases/pprof/basic.pb.gz
mkfifo one two
cat "$f" >one &
cat "$f" >two &
timeout 20 "$CPUPROF" pprof -top one two >a || exit 1
wait
"$CPUPROF" pprof -top "$f" "$f" | cmp - a
