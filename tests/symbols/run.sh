#!/bin/sh
# Debug information of all kinds of binaries beside other tools, 20 000 addresses and more of each.
# Takes some minutes; `make check` runs a few of them. Programs are those in build/symbols.
set -eu
cd "$(dirname "$0")/../.."
make -s build/symbols/dwarf_lookup
exec python3 tests/symbols/dwarf_compare.py --lookup build/symbols/dwarf_lookup "$@"
