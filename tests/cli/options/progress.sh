# On a terminal, after half a second, wiped at the end; never otherwise.
if ! python3 -c 'import pty; pty.openpty()' 2>/dev/null; then
	echo "SKIP: no pseudo terminals here (is /dev/pts mounted?)"
	exit 77
fi
python3 - <<'PY'
import os, pty, re, subprocess, time
prog = os.environ["CPUPROF"]
line = b"main;work;leaf 1\n" * 4096

def run(args, chunks, pause, terminal=True):
    master, slave = pty.openpty() if terminal else (None, None)
    if terminal:
        err = slave
    else:
        master, err = os.pipe()
    p = subprocess.Popen([prog, *args], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=err)
    os.close(err)
    for _ in range(chunks):
        p.stdin.write(line * 8)
        p.stdin.flush()
        time.sleep(pause)
    p.stdin.close()
    text = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # how a pty says that the other side is gone
            break
        if not part:
            break
        text += part
    os.close(master)
    return p.wait(), text

code, text = run(["top", "-"], 10, 0.15)
shown = re.findall(rb"\rreading <stdin>: [0-9.]+ MB", text)
print("slow:", code, len(shown) > 0, re.search(rb"\r +\r$", text) is not None)
print("quick:", *run(["top", "-"], 1, 0))
print("quiet:", *run(["top", "-q", "-"], 8, 0.1))
print("--no-progress:", *run(["top", "--no-progress", "-"], 8, 0.1))
print("no terminal:", *run(["top", "-"], 8, 0.1, terminal=False))
PY
