"$CPUPROF" --version >version.txt
"$CPUPROF" -V | cmp - version.txt
sed '1!{s/stay as they are.*/libiberty/; s/ISA-L [0-9.]*, //; s/[0-9][0-9.]*$/N/; s/ELF files: none.*/ELF files: elfutils N/;}' version.txt
