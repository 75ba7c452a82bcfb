"""Writes the collections that people had trouble with, small enough to build: field_paths.py FOLDER"""
import random
import struct
import sys

from tree import ObjectId, pack


def write(name, documents):
    with open(f"{sys.argv[1]}/{name}.bson", "wb") as f:
        for d in documents:
            f.write(d)


def object_id(seconds, n=0):
    return ObjectId(struct.pack(">IQ", seconds, n))


def hexadecimal(n):
    return b"%024x" % n


random_numbers = random.Random(13)

# a10: twenty small fields, metrics elsewhere, and what a program printed
write("runs", [pack([(b"_id", 1)] + [(b"field%d" % i, b"small") for i in range(20)] + [(b"captured_out", b"x" * 15900000)])])

# b4: ids only, but ever more of them
write("words", [pack([(b"_id", object_id(1600000000)), (b"editGroup", tuple(object_id(1600000000, i) for i in range(500)))])])

# b10: rows of two doubles under a program's names and under one letter
for name, rows, x, y in ((b"long", b"items", b"MeasuredTemperatureInDegree", b"MeasuredRelativeHumidityIn"), (b"short", b"r", b"a", b"b")):
    write(name.decode(), [pack([(b"_id", 1), (rows, tuple([(x, float(i)), (y, 0.5)] for i in range(10000)))])])

# b11: a key for each user; a settings field that is a text
write("logins", [pack([(b"_id", b"fb:uid")] + [(b"%017d" % (10 ** 16 + i), i) for i in range(200000)])])
write("settings", [pack([(b"_id", i), (b"markdown", b"#" * (i * 1000))]) for i in range(1, 401)])

# d13: data in keys
write("measures", [pack([(b"_id", i), (b"m", [(b"%08x" % random_numbers.getrandbits(32), 1) for _ in range(50)])]) for i in range(2000)])

# b5: both sides of a relationship, ids as texts, some twice
write("sports", [pack([(b"_id", hexadecimal(1000 + c)), (b"member_ids", tuple(hexadecimal(5000 + m % 400) for m in range(500)))])
                 for c in range(2)])
write("members", [pack([(b"_id", hexadecimal(5000 + m)), (b"sport_ids", (hexadecimal(1000), hexadecimal(1001)))]) for m in range(400)])
