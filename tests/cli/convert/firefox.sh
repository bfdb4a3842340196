# Firefox profiles as they are written: both versions, from stacks of text.
printf 'main;work;inner_[i] 3\nmain;idle 2\n(no stack) 1\nmain;[sys]_[k] 1\n' >p.folded
"$CPUPROF" convert p.folded -o p60.json && cat p60.json
echo
"$CPUPROF" convert p.folded --firefox-version 49 -o p49.json && cat p49.json
echo
# The suffix tells packing; stdout is not packed.
"$CPUPROF" convert p.folded -o p.json.gz && gzip -dc p.json.gz | cmp - p60.json
"$CPUPROF" convert p.folded --to firefox | cmp - p60.json
ln -s "$TESTDATA" t
"$CPUPROF" merge p.folded t/pprof/go-cpu.pb.gz --to firefox >m.json
"$CPUPROF" folded -q m.json --root thread | sed -n '\,work, p;$='
"$CPUPROF" convert --firefox-version 50 p.folded -o x.json
echo "exit $?"
printf '{"meta":{"preprocessedProfileVersion":60,"interval":1},"libs":[],"threads":[]}' >empty.json
"$CPUPROF" convert empty.json -o x.json
echo "exit $?"
ls
