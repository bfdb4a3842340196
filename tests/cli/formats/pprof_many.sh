# Many samples, so that stacks are handed to the other thread again and again: deep and shallow ones, the
# ids packed, one by one, or in several lists, in ids of one to four bytes, some with unknown fields
# between. Totals per location are those of an independent count, and the stacks are all there.
cat >gen.py <<'PY'
import random, collections
rnd = random.Random(4711)
def varint(v):
    out = b""
    while v > 127:
        out += bytes([v & 127 | 128]); v >>= 7
    return out + bytes([v])
def field(n, data): return varint(n << 3 | 2) + varint(len(data)) + data
def number(n, v): return varint(n << 3) + varint(v)
ids = [rnd.choice([i + 1, 1000 + i, 300000 + i, 40000000 + i]) for i in range(400)]
out = [field(1, number(1, 1) + number(2, 2))]
flat, cum, stacks = collections.Counter(), collections.Counter(), collections.Counter()
stack = []
total = 0
for s in range(60000):
    del stack[rnd.randrange(len(stack) + 1):]
    while len(stack) < 3 or rnd.random() < 0.8 and len(stack) < 300:
        stack.append(rnd.choice(ids))
    if rnd.random() < 0.01:
        stack = []
    leaf_first = stack[::-1]
    kind = rnd.random()
    if kind < 0.9:
        msg = field(1, b"".join(map(varint, leaf_first))) if stack else b""
    elif kind < 0.95:
        msg = b"".join(number(1, x) for x in leaf_first)
    else:
        cut = rnd.randrange(len(stack) + 1)
        msg = field(1, b"".join(map(varint, leaf_first[:cut]))) + number(15, 7) + field(1, b"".join(map(varint, leaf_first[cut:])))
    value = rnd.randrange(1, 1000)
    msg += field(2, varint(value)) if rnd.random() < 0.5 else number(2, value)
    out.append(field(2, msg))
    total += value
    stacks[tuple(stack)] += value
    if stack:
        flat[stack[-1]] += value
    for x in set(stack):
        cum[x] += value
strings = ["", "n", "count"]
for i, x in enumerate(ids):
    strings.append("f%d" % i)
    out.append(field(5, number(1, i + 1) + number(2, 3 + i)))
    out.append(field(4, number(1, x) + field(4, number(1, i + 1))))
out += [field(6, s.encode()) for s in strings]
open("many.pb", "wb").write(b"".join(out))
name = {x: "f%d" % i for i, x in enumerate(ids)}
with open("want", "w") as f:
    for x in sorted(cum, key=lambda x: name[x]):
        print(name[x], flat[x], cum[x], file=f)
with open("want.folded", "w") as f:
    for k, v in sorted((";".join(name[x] for x in k) or "(no stack)", v) for k, v in stacks.items()):
        print(k, v, file=f)
PY
python3 gen.py
"$CPUPROF" top -q -n 0 --format csv many.pb >top.csv || echo "status $?"
python3 - <<'PY'
import csv
rows = sorted((r["name"], r["flat"], r["cum"]) for r in csv.DictReader(open("top.csv")) if r["name"].startswith("f"))
open("got", "w").write("".join("%s %s %s\n" % r for r in rows))
PY
cmp got want && echo "$(wc -l <want) functions"
"$CPUPROF" folded -q many.pb | LC_ALL=C sort >got.folded || echo "status $?"
LC_ALL=C sort want.folded | cmp - got.folded && echo "same stacks"
"$CPUPROF" info many.pb 2>&1 | grep -c 'skipped'
