# atos that fails, in each way a program can: there is a reason, no name at the wrong place, no hang.
. "$TOP/tests/symbols/mac_build.sh"
mac_build mac
cd mac || exit
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=elf,atos CPUPROF_ATOS=./atos
work=$(mac_at prog __ZN3app4workEic 0x14)
leaf=$(mac_at prog __ZN3app12_GLOBAL__N_14leafEi 8)
python3 "$TOP/tests/gen/macprofile.py" p.json "prog:100,$work,$leaf,3ff0"
export TMPDIR=$PWD/tmp
mkdir tmp
say() {
	echo "--- $1"
	"$CPUPROF" top p.json 2>&1 | sed -n '2p; 5,$p' | sed "s,$PWD,HERE,g"
}
for how in exit1 signal garbage huge empty short swapped noise crlf old; do
	export STAND_IN=$how
	say $how
done
export CPUPROF_ATOS_TIMEOUT=2
for how in hang child; do
	export STAND_IN=$how
	say $how
done
STAND_IN=
export CPUPROF_ATOS=./nothing
say "no such program"
unset CPUPROF_ATOS
PATH=/usr/bin:/bin: say "no atos on the path"
ls tmp
