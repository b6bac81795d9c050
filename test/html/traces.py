"""Makes the traces that test/check-html draws: python3 traces.py FOLDER."""

import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])

EVIL = "</script><script>hacked = 1</script><img src=x onerror='hacked = 2'>\"><b>&lt;&#39;"


def slice_of(name, ts, dur, tid=7, **more):
    return {"ph": "X", "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, **more}


def write(name, events):
    (folder / f"{name}.json").write_text(json.dumps(events), encoding="utf-8")


def name_thread(tid, name):
    return {"ph": "M", "name": "thread_name", "pid": 1, "tid": tid, "args": {"name": name}}


write("empty", {"traceEvents": []})
write("clean", [slice_of("a", 0, 10), slice_of("b", 10, 10)])

hostile = [
    slice_of(EVIL, 0, 100, tid=EVIL, cat=EVIL),
    slice_of(EVIL, 60, 100, tid=EVIL, cat=EVIL),
    slice_of("controls \x00\x1b[2J\n\u202e\u2066 \ufffe\uffff and \U0001f600", 0, 100, tid=2),
    slice_of("\u05d0\u05d1\u05d2 \u6f22\u5b57" * 20, 60, 100, tid=2),
    name_thread(EVIL, EVIL),
    name_thread(2, "\u202eevil</title><svg onload=hacked=3>"),
]
text = json.dumps(hostile, ensure_ascii=False).encode("utf-8", "surrogatepass")
(folder / "hostile.json").write_bytes(text.replace(b"controls", b"\xff\xfe\xc0 controls"))

# The largest crossing is that of thread 30, by 30.5 us
many = []
for tid in range(1, 31):
    for at in (0, 1000):
        by = tid + at / 2000
        many += [slice_of(f"first{tid}", at, 100, tid), slice_of(f"second{tid}", at + 100 - by, 100, tid)]
write("many", many)

pairs = []
for name, ts, end in (("outer", 0, 100), ("crosses", 50, 150)):
    pairs += [{"ph": "B", "name": name, "pid": 1, "tid": 1, "ts": ts}]
    pairs += [{"ph": "E", "name": name, "pid": 1, "tid": 1, "ts": end}]
write("pairs", pairs)

write("huge", [slice_of("n" * 1000000, 0, 100), slice_of("m" * 1000000, 70, 100)])

# A crossing of a few ns deep in slices of seconds, with arrows
deep = [slice_of(f"frame {i}", i, 100e6 - 2 * i, cat="python_function") for i in range(30)]
deep += [slice_of("short", 5000, 2, cat="kernel"), slice_of("late", 5001.99, 2, cat="kernel")]
deep += [slice_of("mark", 5000.5, 1000, cat="user_annotation")]
for ph, ts in (("s", 5000.1), ("f", 5002)):
    deep.append({"ph": ph, "id": 1, "name": "a", "cat": "a", "pid": 1, "tid": 7, "ts": ts, "bp": "e"})
write("deep", deep)

# More lanes and neighbours than a picture has room for
crowd = [slice_of(f"same {i}", i, 1000) for i in range(40)]
write("crowd", crowd)
