# A recording without names, converted: go tool pprof finds the names in the program by itself, and
# they are the right ones. (With a made-up start of the mapping it would be off by a segment.)
command -v go >/dev/null || { echo "SKIP: no go"; exit 77; }
go tool -n pprof >/dev/null 2>&1 || { echo "SKIP: no go tool pprof"; exit 77; }
command -v gcc >/dev/null && command -v nm >/dev/null || { echo "SKIP: no gcc, no nm"; exit 77; }
[ "$(uname -s)" = Linux ] || { echo "SKIP: not Linux"; exit 77; }
awk 'BEGIN {
	for (i = 0; i < 400; i++)
		printf "__attribute__((noinline)) int f%d(int x) { volatile int y = x * %d; return y; }\n", i, i
	printf "int main(int c, char **v) { (void)v; return 0"
	for (i = 0; i < 400; i++)
		printf " + f%d(c)", i
	print "; }"
}' >prog.c
gcc -g -O1 -pie -fPIE -o prog prog.c || { echo "SKIP: gcc makes no such program"; exit 77; }
nm prog | awk '$3 == "f100" || $3 == "f200" { print $1 }' >addresses
python3 - <<'PY'
import json
a = [int(x, 16) for x in open("addresses")]
n = len(a)
lib = {"name": "prog", "path": "prog", "debugName": "prog", "debugPath": "prog", "breakpadId": "", "codeId": None, "arch": None}
strings = ["prog"] + ["0x%x" % x for x in a]
json.dump({"meta": {"interval": 1, "startTime": 0, "processType": 0, "product": "prog", "version": 24,
    "preprocessedProfileVersion": 49, "categories": [{"name": "Other", "color": "grey", "subcategories": ["Other"]}],
    "markerSchema": []}, "libs": [lib], "threads": [{
    "processType": "default", "processStartupTime": 0, "registerTime": 0, "name": "prog", "isMainThread": True, "pid": "1", "tid": 1,
    "samples": {"length": n, "weightType": "samples", "weight": [1] * n, "stack": list(range(n)), "time": list(range(n))},
    "markers": {"length": 0, "category": [], "data": [], "endTime": [], "name": [], "phase": [], "startTime": []},
    "stackTable": {"length": n, "prefix": [None] * n, "frame": list(range(n)), "category": [0] * n, "subcategory": [0] * n},
    "frameTable": {"length": n, "address": a, "inlineDepth": [0] * n, "category": [0] * n, "subcategory": [0] * n, "func": list(range(n)),
        "nativeSymbol": [None] * n, "innerWindowID": [0] * n, "implementation": [None] * n, "line": [None] * n, "column": [None] * n},
    "funcTable": {"length": n, "name": list(range(1, n + 1)), "isJS": [False] * n, "relevantForJS": [False] * n, "resource": [0] * n,
        "fileName": [None] * n, "lineNumber": [None] * n, "columnNumber": [None] * n},
    "resourceTable": {"length": 1, "lib": [0], "name": [0], "host": [None], "type": [1]},
    "nativeSymbols": {"length": 0, "libIndex": [], "address": [], "name": [], "functionSize": []},
    "stringArray": strings}]}, open("prog.json", "w"))
PY
"$CPUPROF" convert -q prog.json -o prog.pb.gz || echo "status $?"
PPROF_BINARY_PATH=/nonexistent go tool pprof -top -sample_index=samples prog.pb.gz 2>/dev/null | awk '/ f[0-9]/ { print $NF }' | sort
