# Two numbers on every line are two sample types.
printf 'a;b 10 12\na;c 3 0\n' >x.folded
"$CPUPROF" folded x.folded
"$CPUPROF" folded -q --sample-type before x.folded
# A name may end in a number, if not all of them do.
printf 'worker 3 17\nworker 4 2\nmain 1\n' >x.folded
"$CPUPROF" folded x.folded
# All of them: the names are guarded.
"$CPUPROF" convert -q x.folded --focus worker -o y.folded && cat y.folded
"$CPUPROF" folded y.folded
