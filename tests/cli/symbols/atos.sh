# Names of a macOS program through atos; a stand-in that asks llvm-symbolizer where there is none.
# Every instruction of the program: functions, inline chains, files and lines as llvm-symbolizer has them.
. "$TOP/tests/symbols/mac_build.sh"
mac_build mac
cd mac || exit
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=elf,atos CPUPROF_ATOS=./atos
first=$(mac_at prog __ZN3app4workEic)
last=$(mac_at prog __ZN3app12_GLOBAL__N_14leafEi 0x2c)
all=$(python3 -c "print(','.join('%x' % a for a in range(0x$first, 0x$last + 4, 4)))")
python3 "$TOP/tests/gen/macprofile.py" p.json "prog:$all"
"$CPUPROF" symbolize -q p.json -o p.syms.json
python3 "$TOP/tests/symbols/mac_compare.py" p.syms.json prog.dSYM/Contents/Resources/DWARF/prog

echo "--- a few of them"
work=$(mac_at prog __ZN3app4workEic 0x14)
leaf=$(mac_at prog __ZN3app12_GLOBAL__N_14leafEi 8)
c=$(mac_at prog _plain_c 4)
python3 "$TOP/tests/gen/macprofile.py" few.json "prog:$work,$leaf,$c,100,9000"
"$CPUPROF" top few.json

echo "--- how it is asked"
mkdir tmp
TMPDIR=$PWD/tmp STAND_IN=args "$CPUPROF" top few.json | grep -c work
sed -e "s,cpuprof-atos-......,INPUT," -e "s,$PWD,HERE," args
ls tmp

echo "--- by the UUID alone"
mkdir dsyms
mv prog.dSYM dsyms/other.dSYM
mv prog moved
"$CPUPROF" top --symbol-dir dsyms few.json | sed -n 2p
"$CPUPROF" top --binary moved few.json | sed -n 2p
"$CPUPROF" top few.json | sed -n 2p | sed "s,$PWD,HERE,"
cp moved prog
"$CPUPROF" top --binary prog few.json | sed -n 2p
"$CPUPROF" top few.json | sed -n 2p
mkdir -p root/Applications/Prog.app/Contents/MacOS
mv prog root/Applications/Prog.app/Contents/MacOS/prog
python3 "$TOP/tests/gen/macprofile.py" app.json "moved,path=/Applications/Prog.app/Contents/MacOS/prog:$work,$leaf"
"$CPUPROF" top --sysroot root app.json
mv dsyms/other.dSYM root/Applications/Prog.app.dSYM
"$CPUPROF" top --sysroot root --by line app.json

echo "--- another build"
cp moved prog
python3 "$TOP/tests/gen/macprofile.py" old.json "prog,uuid=00112233445566778899AABBCCDDEEFF:$work,$leaf"
uuid=$("$(mac_tool llvm-objdump)" --macho --private-headers prog | awk '$1 == "uuid" { print $2 }')
"$CPUPROF" info old.json | grep "recorded was" | sed "s,$PWD,HERE,g; s,$uuid,UUID,"
"$CPUPROF" top old.json | tail -n +4
"$CPUPROF" top --force-binary old.json 2>&1 | sed "s,$PWD,HERE,g; s,$uuid,UUID,g"

echo "--- a static function whose name was stripped does not get that of its neighbour"
rm prog
"$(mac_tool llvm-strip)" -x moved -o prog
"$CPUPROF" top few.json | tail -n +5
"$CPUPROF" info few.json | grep "prog, "

echo "--- a universal file"
"$(mac_tool clang++)" -target x86_64-apple-macos11 -g -O1 -nostdlib -nostdinc++ -c prog.cc -o x86.o 2>/dev/null
"$(mac_tool ld64.lld)" -arch x86_64 -platform_version macos 11.0 11.0 -e _start_here x86.o -o x86
rm prog
"$(mac_tool llvm-lipo)" -create x86 moved -output prog
rm args
STAND_IN=args "$CPUPROF" top few.json | tail -n +5
sed -n 3,4p args

echo "--- names that look like options"
python3 "$TOP/tests/gen/macprofile.py" dash.json "prog,path=/nowhere/-i,uuid=$(echo "$uuid" | tr -d -):$leaf"
mv prog ./-i
rm args
STAND_IN=args "$CPUPROF" top --binary=-i dash.json | tail -n +5
sed -n 2p args
STAND_IN='' "$CPUPROF" top --symbol-dir . dash.json | tail -n +5

echo "--- the same as pprof, with addresses as in memory"
"$CPUPROF" convert -q few.json -o few.pb.gz
mv ./-i prog
"$CPUPROF" top few.pb.gz | tail -n +5
