# What stands where a file of names is looked for may be no file: nothing is waited for, and the reason
# tells. Places that were named and are not there are warned of.
unset CPUPROF_NO_SYMBOLS
export CPUPROF_SYMBOL_SOURCES=sidecar,elf
"$CPUPROF" --version | grep -q elfutils || { echo "SKIP: built without elfutils"; exit 77; }
mkfifo pipe || exit
mkdir folder
ln -s loop loop
cp "$TESTDATA/firefox/c-live.json.gz" x.json.gz
why() {
	"$CPUPROF" info --path-map /usr/lib=none "$@" x.json.gz | sed -n "s|^  cdemo, |$what: |p"
}
for what in pipe folder /dev/zero loop none; do
	why --path-map /opt/demo/cdemo=$what --path-map /opt/demo/build/cdemo=$what
done
mkfifo x.json.syms.json
what="pipe beside"
why --path-map /opt/demo=none
rm x.json.syms.json
mkdir x.json.syms.json
what="folder beside"
why --path-map /opt/demo=none
rmdir x.json.syms.json
what="places"
why --path-map /opt/demo=none --symbol-dir nowhere --symbol-dir pipe --binary nothing/cdemo --sysroot loop
# Folders that lead back into themselves.
mkdir -p dirs/.build-id
ln -s .. dirs/up
ln -s . dirs/self
what="circle"
why --path-map /opt/demo=none --symbol-dir dirs --symbol-dir dirs/self/self/up
