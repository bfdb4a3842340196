# Programs built in a folder that is recorded as a relative path: in DWARF 5 the first directory is that
# folder itself, and is not put in front of itself again.
lookup=${CPUPROF%/*}/symbols/dwarf_lookup
[ -x "$lookup" ] || { echo "SKIP: no $lookup"; exit 77; }
for tool in gcc nm; do
	command -v $tool >/dev/null || { echo "SKIP: no $tool"; exit 77; }
done
mkdir sub
echo 'static inline int g(int x) { return x * x + 1; }' >sub/g.h
printf '#include "sub/g.h"\nint f(int x)\n{\n\treturn g(x) / 3;\n}\nint main(void)\n{\n\treturn f(2);\n}\n' >f.c
for v in 4 5; do
	gcc -O1 -gdwarf-$v -fdebug-prefix-map="$PWD"=./src -o f f.c || exit
	nm f | sed -n 's/ T f$//p' >at
	echo "DWARF $v: $("$lookup" f <at | sed -n 's/:[0-9]*:[0-9]*$//p' | sort -u | tr '\n' ' ')"
done
