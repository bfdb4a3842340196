# A signal leaves no half-written file behind, and an older output as it was.
python3 - <<'PY'
import os, signal, subprocess, time
open("x.folded", "w").write("old\n")
# A child that never ends writing: its input is a pipe that we keep open.
for sig in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
    signal.signal(sig, signal.SIG_DFL)      # the child must not inherit what nohup or a shell ignores
    p = subprocess.Popen([os.environ["CPUPROF"], "top", "-o", "x.folded", "-"],
                         stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdin.write(b"main;work 1\n")
    p.stdin.flush()
    time.sleep(0.2)
    p.send_signal(sig)
    print(sig.name, p.wait() == -sig, p.stderr.read(), sorted(os.listdir(".")))
print(open("x.folded").read(), end="")
PY
