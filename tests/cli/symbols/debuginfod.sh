# Debug information from a debuginfod server on the loopback interface, asked only if its address is set.
. "$TOP/tests/cli/symbols/elf.inc"
command -v debuginfod >/dev/null || { echo "SKIP: no debuginfod"; exit 77; }
A=abababababababababababababababababababab
mkdir served bin
gcc -g -O0 -Wl,--build-id=0x$A -o served/prog prog.c
objcopy --only-keep-debug served/prog served/prog.debug
strip -o bin/prog served/prog
profile p.json served/prog,path=$PWD/bin/prog:spin,main+4
profile gone.pb served/prog,path=/gone/prog,start=10000000:spin,main+4
mv served/prog served/whole
port=$((20000 + $$ % 20000))
debuginfod -p $port -d :memory: -F served >server.log 2>&1 &
server=$!
trap 'kill $server; wait $server 2>/dev/null' EXIT
i=0
until python3 - $port $A <<'P' 2>/dev/null
import sys, urllib.request
o = urllib.request.build_opener(urllib.request.ProxyHandler({}))
o.open("http://127.0.0.1:%s/buildid/%s/debuginfo" % tuple(sys.argv[1:]), timeout=5)
o.open("http://127.0.0.1:%s/buildid/%s/executable" % tuple(sys.argv[1:]), timeout=5)
P
do
	i=$((i + 1))
	[ $i -lt 60 ] || { echo "the server does not answer"; cat server.log; exit 1; }
	kill -0 $server 2>/dev/null || { echo "the server does not start"; cat server.log; exit 1; }
	sleep 0.5
done
export HOME=$PWD DEBUGINFOD_CACHE_PATH=$PWD/cache DEBUGINFOD_TIMEOUT=10
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
say "not set"
show p.json
ls cache 2>/dev/null
export DEBUGINFOD_URLS=http://127.0.0.1:$port
say "debug information"
show p.json
"$CPUPROF" top -n 0 --by line p.json | sed -n 's/.*%  *//; s|[^ ]*/||; /[.]c/p'
say "the file, too"
show gone.pb
say "unknown id"
profile other.json served/whole,path=/gone/prog,id=cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd:spin
show other.json
say "no server"
rm -r cache
export DEBUGINFOD_URLS=http://127.0.0.1:1
show other.json
