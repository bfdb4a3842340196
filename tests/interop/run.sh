#!/bin/sh
# run.sh - real clients read what cpuprof writes. usage: run.sh CPUPROF
#
# Installs profiler-cli, and the Node it needs, with npm into a scratch folder, or into the one named by
# INTEROP, where they stay for the next run. Without npm or network nothing is tried, which is said, and is
# a failure with CPUPROF_NO_SKIP=1.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
case $1 in
/*) cpuprof=$1 ;;
*) cpuprof=$PWD/$1 ;;
esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
clients=${INTEROP:-$scratch/clients}
mkdir -p "$clients" "$scratch/files"

skip() {
	echo "skip interop: $1"
	if [ "${CPUPROF_NO_SKIP-}" = 1 ]; then
		echo "interop: 0 passed, 1 failed"
		exit 1
	fi
	echo "interop: 0 passed, 0 failed"
	exit 0
}

if [ ! -x "$clients/node_modules/.bin/profiler-cli" ]; then
	command -v npm >/dev/null || skip "npm is missing"
	(cd "$clients" && npm install --silent --no-fund --no-audit --prefix "$clients" node@24 \
		@firefox-devtools/profiler-cli) >"$scratch/npm.log" 2>&1 || {
		cat "$scratch/npm.log"
		skip "profiler-cli cannot be installed"
	}
fi
PATH=$clients/node_modules/.bin:$PATH
# The path of a socket: short.
PROFILER_CLI_SESSION_DIR=$(mktemp -d /tmp/pcXXXXXX)
export PATH PROFILER_CLI_SESSION_DIR
trap 'rm -rf "$scratch" "$PROFILER_CLI_SESSION_DIR"' EXIT

set -- "$top"/testdata/firefox/rust-presym.json.gz "$top"/testdata/firefox/cpp-presym.json \
	"$top"/testdata/firefox/c-per-cpu.json.gz "$top"/testdata/pprof/go-cpu.pb.gz \
	"$top"/testdata/pprof/go-heap.pb.gz "$top"/testdata/pprof/rust-cpu.pb \
	"$top"/testdata/folded/c.folded
if [ -n "${CORPUS-}" ]; then
	set -- "$@" "$CORPUS"/firefox-json/NLnetLabs* "$CORPUS"/firefox-json/QuEra* \
		"$CORPUS"/pprof/tikv* "$CORPUS"/pprof/dundee* "$CORPUS"/pprof/parca-dev+parca__profile*
fi
python3 "$top/tests/interop/profiler_cli.py" "$cpuprof" "$scratch/files" "$@"
