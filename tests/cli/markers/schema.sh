# The JSON report is what docs/schema/markers-1.json says.
python3 -c 'import jsonschema' 2>/dev/null || { echo "SKIP: python3-jsonschema is not here"; exit 77; }
ln -s "$TESTDATA" t
cp "$TOP/tests/cli/markers/kinds.json" m.json
for file in m.json t/firefox/c-per-cpu.json.gz t/odd/markers_unpaired.json.gz; do
	for how in '--by name' '--by thread' --list; do
		"$CPUPROF" markers -q $how --format json -n 0 $file >out.json || echo "$file: $how"
		python3 -c 'import json, sys, jsonschema
jsonschema.validate(json.load(open("out.json")), json.load(open(sys.argv[1])))' \
			"$TOP/docs/schema/markers-1.json" || echo "$file: $how: not valid"
	done
done
