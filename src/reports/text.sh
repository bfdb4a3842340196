#!/bin/sh
# Prints a text file as a C string named after it: flamegraph.js becomes cpf_flamegraph_js. Comment
# lines and indentation stay behind.
set -eu
name=$(basename "$1" | tr . _)
printf 'static const char cpf_%s[] =\n' "$name"
sed -e 's/^[	 ]*//' -e '/^\/\//d' -e '/^$/d' -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/	"/' -e 's/$/\\n"/' "$1"
printf '\t;\n'
