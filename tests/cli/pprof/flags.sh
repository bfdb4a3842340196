# Go's rules for flags, and what is wrong with them.
f=$TESTDATA/cases/pprof/basic.pb.gz
try() {
	echo "# $*" | sed "s|$TESTDATA|TESTDATA|g"
	"$CPUPROF" pprof "$@" 2>&1 | sed "s|$TESTDATA|TESTDATA|g"
}
try -nosuch x
try
try -top
try -top ---
try -=x
try -nodecount
try -nodecount=ten "$f"
try -nodecount=99999999999999999999 "$f"
try -nodefraction=x "$f"
try -top=maybe "$f"
try -top -cum -flat "$f"
try -top -lines -files "$f"
try -top -tree "$f"
try -top -peek=x "$f"
try -top -normalize "$f"
try -top -base=a -diff_base=b "$f"
try -top -divide_by=0 "$f"
try -top -sample_index=9 "$f"
try -top -sample_index=zz "$f"
try -top -focus='(' "$f"
try -top -http=:0 "$f"
try -top -no_browser "$f"
try -top -inuse_space -alloc_space "$f"
echo "# two dashes, separate values, hexadecimal, a switch turned off, options behind a file are files"
"$CPUPROF" pprof --top --nodecount 0x1 --sample_index samples -cum=false -- "$f"
"$CPUPROF" pprof -top "$f" -cum 2>&1 | sed "s|$TESTDATA|TESTDATA|g" | head -n 3
