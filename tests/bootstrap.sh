#!/bin/sh
# The two commands of the README, for a machine that has nothing yet (tried on a bare Debian 12):
#
#   sh tests/bootstrap.sh demo    installs what the build lacks, builds, shows a real recording
#   sh tests/bootstrap.sh check   installs what the tests lack, builds, runs all tests
#   sh tests/bootstrap.sh packages build|test    prints the Debian packages
#
# Packages are only installed where a tool or library is missing, with apt-get as root or by sudo.
# On other systems it names what is missing and stops.
set -eu
cd "$(dirname "$0")/.."

# name in Debian : how to tell that it is there
build_needs='
make:cmd make
gcc:cmd cc
libc6-dev:header stdio.h
pkg-config:cmd pkg-config
protobuf-c-compiler:cmd protoc-c
libprotobuf-c-dev:pc libprotobuf-c
zlib1g-dev:pc zlib
libpcre2-dev:pc libpcre2-8
'
# What the program works without: faster unpacking, demangling, names from ELF files. Not packaged for
# every machine.
build_likes='
libisal-dev:pc libisal
libiberty-dev:header libiberty/demangle.h
libelf-dev:pc libelf
liblzma-dev:pc liblzma
libzstd-dev:pc libzstd
'
# golang-go brings the real pprof, which the interop tests run; those that compare bytes need Go 1.24.
# From g++ on: what makes ELF files of many kinds and names their addresses independently.
test_needs='
libcmocka-dev:pc cmocka
python3:cmd python3
golang-go:cmd go
gzip:cmd gzip
g++:cmd g++
clang:cmd clang
lld:cmd ld.lld
rustc:cmd rustc
llvm:cmd llvm-symbolizer
elfutils:cmd eu-addr2line
debuginfod:cmd debuginfod
xz-utils:cmd xz
dwz:cmd dwz
python3-jsonschema:py jsonschema
chromium:cmd chromium
chromium-driver:cmd chromedriver
libdevel-nytprof-perl:file /usr/share/perl5/Devel/NYTProf/flamegraph.pl
'

say() { printf '%s\n' "$*" >&2; }

have() {
	case $1 in
	cmd) command -v "$2" >/dev/null 2>&1 ;;
	py) python3 -c "import $2" 2>/dev/null ;;
	pc) command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$2" ;;
	file) [ -e "$2" ] || [ "$(uname)" = Darwin ] ;;
	header) [ -e "/usr/include/$2" ] || [ "$(uname)" = Darwin ] ;;
	esac
}

names() {
	for need in $(printf '%s\n' "$1" | tr ' ' '='); do
		printf '%s ' "${need%%:*}"
	done
}

missing() {
	for need in $(printf '%s\n' "$1" | tr ' ' '='); do
		how=${need#*:}
		have "${how%%=*}" "${how#*=}" || printf '%s ' "${need%%:*}"
	done
}

# install NEEDS [optional]
install() {
	lack=$(missing "$1")
	[ -n "$lack" ] || return 0
	if [ "${2-}" = optional ]; then
		for package in $lack; do
			(get "$package") || say "going on without $package"
		done
		return 0
	fi
	get "$lack"
	lack=$(missing "$1")
	[ -z "$lack" ] || { say "still missing after the installation: $lack"; exit 1; }
}

# Installs packages, or says why not and ends.
get() {
	lack=$1
	if ! command -v apt-get >/dev/null 2>&1; then
		say "missing (names of the Debian packages): $lack"
		say "install them with your package manager, then run this again"
		exit 1
	fi
	sudo=
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null 2>&1 || { say "need root or sudo to install: $lack"; exit 1; }
		sudo=sudo
	fi
	say "installing: $lack"
	$sudo apt-get update -qq
	# shellcheck disable=SC2086
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $lack >/dev/null
}

case ${1-} in
demo)
	install "$build_needs"
	install "$build_likes" optional
	make -s >&2
	exec build/cpuprof top testdata/firefox/rust-named.json.gz
	;;
check)
	install "$build_needs"
	install "$build_likes" optional
	install "$test_needs"
	exec make -s check
	;;
packages)
	case ${2-} in
	build) names "$build_needs$build_likes" ;;
	test) names "$test_needs" ;;
	*) say "usage: sh tests/bootstrap.sh packages build|test"; exit 2 ;;
	esac
	echo
	;;
*)
	say "usage: sh tests/bootstrap.sh demo | check | packages build|test"
	exit 2
	;;
esac
