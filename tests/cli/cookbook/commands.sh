# Every command line of docs/cookbook.md works, and prints rows or writes its file.
f=$TESTDATA/firefox
mkdir bin work
ln -s "$CPUPROF" bin/cpuprof
PATH=$PWD/bin:$PATH
ln -s "$f/rust-named.json.gz" profile.json.gz
ln -s "$f/rust-presym.json.gz" unnamed.json.gz
ln -s "$f/rust-presym.json.syms.json" names.syms.json
ln -s "$f/rust-presym.json.gz" new.json.gz
ln -s "$f/two-processes.json.gz" processes.json.gz
ln -s "$f/c-per-cpu.json.gz" cpus.json.gz
ln -s "$TESTDATA/pprof/go-cpu.pb.gz" profile.pb.gz
printf 'the work: name ^rsdemo\nmaps: name hashbrown\nbuiltin\n' >rules.txt
awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$TOP/docs/cookbook.md" >lines
n=0
while IFS= read -r line; do
	case $line in
	'cpuprof '*) ;;
	*) echo "no command of cpuprof: $line" ;;
	esac
	n=$((n + 1))
	sh -c "$line" >out 2>err </dev/null
	code=$?
	file=$(expr "$line" : '.* -o \([^ ]*\)$')
	rows=$(wc -l <out)
	[ $code = 0 ] || { echo "exit $code: $line"; cat err; }
	if [ -n "$file" ]; then
		[ -s "$file" ] || echo "nothing written: $line"
	elif [ "$rows" -lt 2 ]; then
		echo "no rows: $line"
	fi
done <lines
[ $n -ge 46 ] || echo "only $n commands"
