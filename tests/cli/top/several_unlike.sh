# Several files: the headline and info say of all only what holds for all.
ln -s "$TESTDATA" t
"$CPUPROF" top -n 1 t/firefox/rust-named.json.gz t/firefox/rust-live.json.gz | head -n 1
"$CPUPROF" top -n 1 t/firefox/rust-named.json.gz t/firefox/c-named.json.gz | head -n 1
"$CPUPROF" top -n 1 t/firefox/rust-named.json.gz t/pprof/go-cpu.pb.gz | head -n 1
"$CPUPROF" top -n 1 t/folded/c.folded t/firefox/c-named.json.gz t/gperftools/c.prof \
	t/pprof/rust-cpu.pb 2>&1 | head -n 1
"$CPUPROF" info t/firefox/rust-named.json.gz t/pprof/go-cpu.pb.gz | grep -E '^(interval|period|product)'
"$CPUPROF" info --format json t/firefox/rust-named.json.gz t/pprof/go-cpu.pb.gz |
	grep -E '"(interval_ns|product)"'
# An even number of times between samples: 1 ms, 4 ms.
cat >even.json <<'X'
{"meta":{"version":27,"preprocessedProfileVersion":49,"interval":1,"processType":0,"product":"x","stackwalk":1,"startTime":0,"categories":[{"name":"Other","color":"grey","subcategories":["Other"]}],"markerSchema":[]},"libs":[],"threads":[{"name":"t","processType":"default","pid":"1","tid":1,"isMainThread":true,"registerTime":0,"unregisterTime":null,"pausedRanges":[],"processStartupTime":0,"processShutdownTime":null,
"samples":{"length":3,"stack":[0,0,0],"time":[0,1,5],"weight":null,"weightType":"samples"},
"stackTable":{"length":1,"frame":[0],"prefix":[null],"category":[0],"subcategory":[0]},
"frameTable":{"length":1,"func":[0],"address":[-1],"category":[0],"subcategory":[0],"inlineDepth":[0],"innerWindowID":[null],"implementation":[null],"line":[null],"column":[null],"nativeSymbol":[null]},
"funcTable":{"length":1,"name":[0],"isJS":[false],"relevantForJS":[false],"resource":[-1],"fileName":[null],"lineNumber":[null],"columnNumber":[null]},
"resourceTable":{"length":0,"name":[],"lib":[],"host":[],"type":[]},"nativeSymbols":{"length":0,"name":[],"libIndex":[],"address":[],"functionSize":[]},
"markers":{"length":0,"data":[],"name":[],"startTime":[],"endTime":[],"phase":[],"category":[]},"stringArray":["f"]}]}
X
"$CPUPROF" info even.json | grep '^interval'
