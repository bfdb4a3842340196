# What a class comes to is what those functions come to that a look at their names puts there.
ln -s "$TESTDATA/firefox" f
file=f/rust-named.json.gz
sum() {
	awk '{ sub(/^.*,(true|false),/, ""); sub(/,.*/, ""); n += $0 } END { print n + 0 }'
}
"$CPUPROF" top -n 0 --format csv $file >functions
"$CPUPROF" top -n 0 --by class --format csv $file >classes
for class in allocator lock memory hashing; do
	case $class in
	allocator) names='(malloc|free|tcache|RawVec|dealloc|GlobalAlloc|alloc::alloc|rustc::__)' ;;
	lock) names='mutex::futex' ;;
	memory) names='(memcpy|copy_nonoverlapping)' ;;
	hashing) names='^(<?core::hash|<std::hash)' ;;
	esac
	echo $class $(cut -d, -f1 functions | grep -nE "$names" | cut -d: -f1 >lines
		awk 'NR == FNR { at[$1]; next } FNR in at' lines functions | sum) \
		$(grep "^$class" classes | sum)
done
