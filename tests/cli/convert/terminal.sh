# Binary output to a terminal is refused with a hint; text is not.
command -v python3 >/dev/null || { echo 'SKIP: no python3'; exit 77; }
cat >terminal.py <<'END'
import os, pty, sys
out = b''
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    try:
        b = os.read(fd, 4096)
    except OSError:
        break
    if not b:
        break
    out += b
_, status = os.waitpid(pid, 0)
sys.stdout.write(out.decode().replace('\r\n', '\n'))
print('exit', os.WEXITSTATUS(status))
END
python3 terminal.py "$CPUPROF" convert -q --to pprof "$TESTDATA/folded/c.folded"
python3 terminal.py "$CPUPROF" folded -q --gzip "$TESTDATA/folded/c.folded"
python3 terminal.py "$CPUPROF" folded -q "$TESTDATA/folded/c.folded" >out.txt
head -n 1 out.txt
tail -n 1 out.txt
