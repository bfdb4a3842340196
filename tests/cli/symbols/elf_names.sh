# Names from symbol tables of 16 kinds of ELF files, 20 000 addresses each, beside other tools.
lookup=${CPUPROF%/*}/symbols/lookup
for tool in gcc g++ clang ld.lld rustc llvm-symbolizer readelf objdump python3; do
	command -v $tool >/dev/null || { echo "SKIP: no $tool"; exit 77; }
done
[ -x "$lookup" ] || { echo "SKIP: no $lookup"; exit 77; }
"$CPUPROF" --version | grep -q elfutils || { echo "SKIP: built without libelf"; exit 77; }
python3 "$TOP/tests/symbols/elf_names.py" "$lookup" 2>counts
