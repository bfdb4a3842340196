"""What the scripts beside this one share: counting checks, running programs, asking cpuprof."""
import json
import subprocess
import sys

passed = failed = 0


def check(what, good, seen=""):
    global passed, failed
    if good:
        passed += 1
        print("ok   " + what)
    else:
        failed += 1
        print("FAIL %s: %s" % (what, seen))


def close(name):
    print("%s: %d passed, %d failed" % (name, passed, failed))
    sys.exit(failed > 0)


def run(*args, timeout=120):
    done = subprocess.run(args, capture_output=True, text=True, timeout=timeout)
    if done.returncode:
        raise RuntimeError("%s: %s" % (" ".join(args), done.stderr.strip() or done.stdout.strip()))
    return done.stdout


def ours(cpuprof, *args):
    return json.loads(run(cpuprof, *args, "--format", "json"))
