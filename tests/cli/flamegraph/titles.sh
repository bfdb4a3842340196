# Titles as other tools write them, and frames where they belong: children in the order of their
# names from the left, what a function does itself at its right.
printf '%s\n' 'main;b;c 30' 'main;b 10' 'main;a<T>&"x" 40' 'main 15' '(no stack) 5' 'main;b;c;d 1900' >p.folded
"$CPUPROF" flamegraph p.folded -o p.svg
sed -n '/<g id="frames">/,/^<script>/p' p.svg
