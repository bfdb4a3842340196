# Samples without stack are a row of their own, so that the table adds up; negative weights stay.
ln -s "$TESTDATA/odd" o
"$CPUPROF" top --sample-type samples o/weight_negative_sum.json
"$CPUPROF" top --sample-type samples --format csv o/weight_negative_sum.json | tr -d '\r'
"$CPUPROF" top --sample-type samples --format json o/weight_negative_sum.json | grep no_stack
