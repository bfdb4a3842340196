# Sourced by tests: mac_build DIR makes DIR/prog and DIR/prog.dSYM for arm64 macOS, or skips the test.
# Debian: clang lld llvm. The stand-in for atos is put at DIR/atos.

mac_tool() {
	for tool in "$1" "$1-14" "$1-15" "$1-16" "$1-19"; do
		command -v "$tool" && return
	done
	ls /usr/lib/llvm-*/bin/"$1" 2>/dev/null | tail -n 1
}

mac_build() {
	mac_clang=$(mac_tool clang++)
	mac_ld=$(mac_tool ld64.lld)
	mac_dsymutil=$(mac_tool dsymutil)
	for need in "clang++:$mac_clang" "ld64.lld:$mac_ld" "dsymutil:$mac_dsymutil" \
		"llvm-symbolizer:$(mac_tool llvm-symbolizer)" "python3:$(mac_tool python3)"; do
		[ -n "${need#*:}" ] || { echo "SKIP: no ${need%%:*}"; exit 77; }
	done
	mkdir -p "$1"
	cp "$TOP/tests/symbols/mac_program.cc" "$1/prog.cc"
	cp "$TOP/tests/symbols/atos_stand_in.py" "$1/atos"
	chmod +x "$1/atos"
	(cd "$1" &&
		"$mac_clang" -target arm64-apple-macos11 -g -O1 -fdebug-compilation-dir=/src -nostdlib \
			-nostdinc++ -fno-exceptions -c prog.cc -o prog.o 2>/dev/null &&
		"$mac_ld" -arch arm64 -platform_version macos 11.0 11.0 -e _start_here prog.o -o prog &&
		"$mac_dsymutil" prog -o prog.dSYM) ||
		{ echo "SKIP: the tools here do not make programs for macOS"; exit 77; }
}

# The address of a symbol, relative to __TEXT, plus a number: mac_at FILE SYMBOL [PLUS]
mac_at() {
	mac_value=$("$(mac_tool llvm-nm)" "$1" | awk -v s="$2" '$3 == s { print $1 }')
	printf '%x' $((0x$mac_value - 0x100000000 + ${3-0}))
}
