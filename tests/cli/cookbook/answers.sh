# Some of the answers, to the letter.
f=$TESTDATA/firefox
ln -s "$f/rust-named.json.gz" profile.json.gz
printf 'the work: name ^rsdemo\nmaps: name hashbrown\nbuiltin\n' >rules.txt
"$CPUPROF" top --thread walker -n 5 --sample-type samples profile.json.gz
"$CPUPROF" top --by class --classes rules.txt --from 50ms --to 300ms profile.json.gz
"$CPUPROF" top --focus rsdemo::counter --show-from rsdemo::counter -n 3 --cum profile.json.gz
"$CPUPROF" top --hide '^<?(core|alloc|std|hashbrown)::' -n 5 profile.json.gz
