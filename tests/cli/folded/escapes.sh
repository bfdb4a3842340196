# Names that would break a line are escaped; Windows paths and other backslashes stay.
printf 'C:\\Users\\x20\\new.exe;a\\x3bb;f_[k];g_[i] 2\n caf\303\251;\\x41;(no stack) 3\n 4\n' >x.folded
"$CPUPROF" folded -q x.folded
"$CPUPROF" folded -q --marks x.folded >y.folded
cat y.folded
"$CPUPROF" folded -q --marks y.folded | cmp - y.folded && echo same
