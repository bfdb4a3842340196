# Damaged ELF files give names or a reason, never a crash.
. "$TOP/tests/cli/symbols/elf.inc"
lookup=${CPUPROF%/*}/symbols/lookup
[ -x "$lookup" ] || { echo "SKIP: no $lookup"; exit 77; }
python3 "$TOP/tests/symbols/elf_bad.py" "$lookup"
