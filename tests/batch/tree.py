"""Writes a dump, and counts its bytes by walking the raw BSON here: tree.py write FOLDER; tree.py check FOLDER TREE.json...; tree.py schema SCHEMA.json"""
import json
import random
import struct
import sys


def text(s):
    return struct.pack("<i", len(s) + 1) + s + b"\0"


class ObjectId(bytes):
    """Twelve bytes."""


def pack(fields):
    """[(name, value)]: ints, floats, bytes, ObjectId, None, bool, list of fields (a document), tuple of values (an array)."""
    body = b""
    for name, v in fields:
        if isinstance(v, bool):
            code, payload = 8, bytes([v])
        elif isinstance(v, int):
            code, payload = 16, struct.pack("<i", v)
        elif isinstance(v, float):
            code, payload = 1, struct.pack("<d", v)
        elif isinstance(v, ObjectId):
            code, payload = 7, bytes(v)
        elif isinstance(v, bytes):
            code, payload = 2, text(v)
        elif isinstance(v, tuple):
            code, payload = 4, pack([(b"%d" % i, e) for i, e in enumerate(v)])
        elif isinstance(v, list):
            code, payload = 3, pack(v)
        else:
            code, payload = 10, b""
        body += bytes([code]) + name + b"\0" + payload
    return struct.pack("<i", len(body) + 5) + body + b"\0"


def documents():
    r = random.Random(6)
    for i in range(20000):
        items = tuple([(b"sku", b"s" * r.randrange(9)), (b"n", r.randrange(9))] for _ in range(r.randrange(6)))
        items = tuple(list(e) for e in items)
        days = [(b"2024-01-%02d" % d, [(b"views", r.randrange(99))]) for d in range(1, 1 + r.randrange(4))]
        fields = [(b"_id", i), (b"items", items), (b"days", days), (b"a.b", r.random()), (b"", None)]
        if i % 1000 == 7:
            fields.append((b"rating", b"five"))
        elif i % 3:
            fields.append((b"rating", r.randrange(5)))
        if i == 12345:
            fields.append((b"log", b"x" * 100000))
        yield pack(fields)


TYPES = {1: "double", 2: "string", 3: "object", 4: "array", 8: "bool", 10: "null", 16: "int"}
SIZES = {1: 8, 8: 1, 10: 0, 16: 4}


def walk(data, path, counts, is_array):
    at, first = 4, True
    counts.setdefault(path, [0, 0, 0, 0, 0, 0, {}])
    counts[path][3] += 5
    while data[at]:
        end = data.index(0, at + 1)
        code, name, payload = data[at], data[at + 1:end], end + 1
        size = SIZES.get(code)
        if size is None:
            size = struct.unpack_from("<i", data, payload)[0] + (4 if code == 2 else 0)
        key = "[]" if is_array else name.decode()
        if not is_array and path == ("days",):
            key = "*"
        below = path + (key,)
        c = counts.setdefault(below, [0, 0, 0, 0, 0, 0, {}])
        whole = payload + size - at
        c[0] += whole
        c[3] += 1 + (end + 1 - at - 1 if is_array else 0)
        c[2] += 0 if is_array else end + 1 - at - 1
        c[4] += 1
        c[5] = max(c[5], whole)
        c[6][TYPES[code]] = c[6].get(TYPES[code], 0) + 1
        if code in (3, 4):
            walk(data[payload:payload + size], below, counts, code == 4)
        else:
            c[1] += size
        at = payload + size


def expected():
    """path: bytes, values, names, overhead, count, max, types; parts with what is below."""
    counts = {}
    for d in documents():
        root = counts.setdefault((), [0, 0, 0, 0, 0, 0, {}])
        root[0] += len(d)
        root[4] += 1
        root[5] = max(root[5], len(d))
        root[6]["object"] = root[6].get("object", 0) + 1
        walk(d, (), counts, False)
    for path in sorted(counts, key=len, reverse=True):
        if path:
            for i in (1, 2, 3):
                counts[path[:-1]][i] += counts[path][i]
    return counts


def nodes(n):
    yield n
    for c in n["children"]:
        yield from nodes(c)


def check(files):
    want, checked = expected(), 0
    for name in files:
        root = [c for c in json.load(open(name))["collections"] if c["name"] == "things"][0]
        got = {tuple(n["path"]): [n[k] for k in ("bytes", "values", "names", "overhead", "count", "max", "types")] for n in nodes(root)}
        if got != want:
            sys.exit(f"{name}: got {got}\nexpected {want}")
        for n in nodes(root):
            if n["bytes"] != n["values"] + n["names"] + n["overhead"]:
                sys.exit(f"{name}: {n['path']}: the parts are not the whole")
            checked += 1
        log = [n for n in root["children"] if n["key"] == "log"][0]
        if log["largest"] != {"_id": 12345, "bytes": 1 + 4 + 4 + 100001} or log["present"] != 1:
            sys.exit(f"{name}: {log['largest']}")
        if root["largest"]["_id"] != 12345:
            sys.exit(f"{name}: {root['largest']}")
    print(checked)


def check_schema(name):
    c = [c for c in json.load(open(name))["collections"] if c["name"] == "things"][0]
    rating = [p for p in c["paths"] if p["path"] == ["rating"]][0]
    ints = sum(1 for i in range(20000) if i % 3 and i % 1000 != 7)
    assert c["documents"] == 20000, c["documents"]
    assert rating["types"] == {"int": ints, "string": 20}, rating
    assert rating["present"] == ints + 20, rating
    assert rating["odd"] == [{"_id": 7, "type": "string"}], rating
    reason = {"path": ["rating"], "keyword": "bsonType", "reason": "type did not match", "value": "five", "type": "string"}
    assert c["violations"] == {"count": 20, "documents": [{"_id": i * 1000 + 7, **reason} for i in range(10)]}, c["violations"]


if __name__ != "__main__":
    pass
elif sys.argv[1] == "write":
    with open(sys.argv[2] + "/things.bson", "wb") as f:
        for d in documents():
            f.write(d)
    with open(sys.argv[2] + "/measurements.bson", "wb") as f:
        f.write(pack([(b"_id", 1), ("界界界".encode(), 5), ("e\u0301cole".encode(), b"x"),
                      (b"a_very_long_name_that_has_no_room_on_a_narrow_screen_indeed", 5.0)]))
    with open(sys.argv[2] + "/things.metadata.json", "w") as f:
        f.write('{"indexes":[],"options":{"validator":{"$jsonSchema":{"properties":{"rating":{"bsonType":"int"}}}}}}')
elif sys.argv[1] == "check":
    check(sys.argv[2:])
else:
    check_schema(sys.argv[2])
