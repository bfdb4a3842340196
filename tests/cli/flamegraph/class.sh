# Colours by class: frames of one class share a hue, "other" is grey; the tree is the same.
ln -s "$TESTDATA/firefox" f
"$CPUPROF" flamegraph f/rust-named.json.gz --min-width 0 --colors hash -o hash.svg
"$CPUPROF" flamegraph f/rust-named.json.gz --min-width 0 --colors class -o class.svg
for file in hash class; do
	grep -o '<title>[^<]*</title>' $file.svg >$file.titles
done
cmp hash.titles class.titles && wc -l <class.titles | tr -d ' '
# The hue is (class - 17) / 3.
grep -oE '<title>(&lt;std::sys::sync::mutex::futex::Mutex&gt;::(un)?lock|int_free|_GI___libc_malloc|core::hash::sip::u8to64_le|rsdemo::balance) .*class="c[0-9]+' class.svg |
	sed 's/<title>//; s/ (.*class="c/ /' | sort -u
cat >rules <<'END'
mine: name ^rsdemo
END
"$CPUPROF" flamegraph f/rust-named.json.gz --classes rules --colors class -o own.svg
"$CPUPROF" flamegraph f/rust-named.json.gz --classes rules -o no.svg
echo "exit $?"
"$CPUPROF" flamegraph f/rust-named.json.gz --by class --min-width 0 -o by.svg
grep -o '<title>[^<]*</title>' by.svg | sort | head -n 3
