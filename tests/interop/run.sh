#!/bin/sh
# run.sh - real clients read what cpuprof writes. usage: run.sh CPUPROF [CLIENT...]
#
# Clients: profiler-cli (of the Firefox Profiler), speedscope (in headless Chromium), go (go tool pprof),
# samply (its server of files and symbols); all of them if none is named. npm packages, of fixed versions,
# and the Node that profiler-cli needs, are installed into a scratch folder, or into the one named by
# INTEROP, where they stay for the next run. A client that is not there is left out, which is said, and is
# a failure with CPUPROF_NO_SKIP=1 (but for samply, which no package brings). PICTURES names a folder for
# pictures of what speedscope shows.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
case $1 in
/*) cpuprof=$1 ;;
*) cpuprof=$PWD/$1 ;;
esac
shift
[ $# -gt 0 ] || set -- profiler-cli speedscope go samply
if [ -z "${CORPUS-}" ] && [ -d "$top/../shared/corpus" ]; then
	CORPUS=$(cd "$top/../shared/corpus" && pwd)
fi
scratch=$(mktemp -d)
# The path of a socket: short.
PROFILER_CLI_SESSION_DIR=$(mktemp -d /tmp/pcXXXXXX)
export PROFILER_CLI_SESSION_DIR
trap 'rm -rf "$scratch" "$PROFILER_CLI_SESSION_DIR"' EXIT
clients=${INTEROP:-$scratch/clients}
here=$top/tests/interop
data=$top/testdata
mkdir -p "$clients"
passed=0
failed=0

skip() {
	echo "skip interop: $1"
	[ "${CPUPROF_NO_SKIP-}" != 1 ] || failed=$((failed + 1))
}

# npm_has FILE PACKAGE...: installs the packages if FILE is not there.
npm_has() {
	[ ! -e "$clients/node_modules/$1" ] || return 0
	command -v npm >/dev/null || { skip "npm is missing"; return 1; }
	shift
	(cd "$clients" && npm install --silent --no-fund --no-audit --prefix "$clients" "$@") \
		>"$scratch/npm.log" 2>&1 && return 0
	cat "$scratch/npm.log"
	skip "npm cannot install $*"
	return 1
}

# client NAME ARG...: runs NAME.py and adds its totals.
client() {
	name=$1
	shift
	mkdir "$scratch/$name"
	code=0
	python3 "$here/$name.py" "$cpuprof" "$@" >"$scratch/log" 2>&1 || code=$?
	cat "$scratch/log"
	line=$(grep -E '^[a-z -]+: [0-9]+ passed, [0-9]+ failed$' "$scratch/log" | tail -n 1) || true
	if [ -z "$line" ]; then
		echo "$name ended with status $code"
		failed=$((failed + 1))
		return
	fi
	line=${line#*: }
	passed=$((passed + ${line%% passed*}))
	line=${line#*passed, }
	failed=$((failed + ${line%% failed*}))
}

for c; do
	case $c in
	profiler-cli)
		npm_has .bin/profiler-cli node@24.21.0 @firefox-devtools/profiler-cli@0.10.0 || continue
		set -- "$data"/firefox/rust-presym.json.gz "$data"/firefox/cpp-presym.json \
			"$data"/firefox/c-per-cpu.json.gz "$data"/pprof/go-cpu.pb.gz "$data"/pprof/go-heap.pb.gz \
			"$data"/pprof/rust-cpu.pb "$data"/folded/c.folded
		if [ -n "${CORPUS-}" ]; then
			set -- "$@" "$CORPUS"/firefox-json/NLnetLabs* "$CORPUS"/firefox-json/QuEra* \
				"$CORPUS"/pprof/tikv* "$CORPUS"/pprof/dundee* "$CORPUS"/pprof/parca-dev+parca__profile*
		fi
		PATH=$clients/node_modules/.bin:$PATH client profiler_cli "$scratch/profiler_cli" "$@"
		;;
	speedscope)
		npm_has speedscope speedscope@1.25.0 || continue
		for tool in chromium chromedriver; do
			command -v $tool >/dev/null || { skip "$tool is missing (Debian: chromium chromium-driver)"; continue 2; }
		done
		client speedscope "$clients/node_modules/speedscope/dist/release" "$scratch/speedscope" \
			"$data"/firefox/cpp-named.json.gz "$data"/firefox/rust-presym.json.gz \
			"$data"/pprof/go-cpu.pb.gz "$data"/pprof/go-heap.pb.gz "$data"/folded/c.folded
		;;
	go)
		command -v go >/dev/null || { skip "go is missing"; continue; }
		set -- "$data"/firefox/cpp-named.json.gz "$data"/pprof/go-cpu.pb.gz "$data"/folded/c.folded \
			"$data"/firefox/rust-named.json.gz "$data"/firefox/c-per-cpu.json.gz \
			"$data"/firefox/two-processes.json.gz "$data"/pprof/*
		[ -z "${CORPUS-}" ] || set -- "$@" "$CORPUS"/pprof/* "$CORPUS"/firefox-json/*
		client go_pprof "$scratch/go_pprof" "$@"
		;;
	samply)
		if ! command -v samply >/dev/null; then
			echo "skip interop: samply is missing"
			continue
		fi
		client samply_load "$scratch/samply_load" "$data"/firefox/cpp-named.json.gz \
			"$data"/firefox/two-processes.json.gz "$data"/pprof/go-cpu.pb.gz "$data"/folded/c.folded
		;;
	*)
		echo "no client '$c': profiler-cli, speedscope, go, samply"
		failed=$((failed + 1))
		;;
	esac
done
echo "interop: $passed passed, $failed failed"
[ "$failed" = 0 ]
