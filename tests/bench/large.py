#!/usr/bin/env python3
"""Opens a large .bson in the explorer: until the first figures stand there, and how long keys take while it is being read.

The file is made in the build folder and removed afterwards; $BENCH_MB sets its size (1,000). Prints, asserts nothing.
"""
import os
import re
import struct
import sys
import time

from explorer import Explorer, report


def make_file(path, size):
    block = bytearray()
    for i in range(4096):
        text = b"x" * (120 + i * 7919 % 300)
        block += struct.pack("<i", len(text) + 25) + b"\x10_id\0" + struct.pack("<i", i) + b"\x02text\0"
        block += struct.pack("<i", len(text) + 1) + text + b"\0\0"
    with open(path, "wb") as file:
        while file.tell() < size:
            file.write(block)


def main():
    path = os.path.join(os.environ.get("BUILD", "build"), "bench_large.bson")
    size = int(os.environ.get("BENCH_MB", "1000")) * 1000000
    first, keys = [], []
    make_file(path, size)
    try:
        for _ in range(3):
            e = Explorer(sys.argv[1], path)
            e.wait_for("≥[0-9]".encode())
            first.append((time.monotonic() - e.started) * 1000)
            e.key(b":")
            for letter in (b"Q", b"V", b"W", b"Y"):  # which no escape sequence ends with
                e.output = b""
                e.key(letter)
                keys.append(e.wait_for(letter))
                time.sleep(0.02)
            e.key(b"\x1b")
            time.sleep(0.1)
            e.quit()
    finally:
        os.unlink(path)
    report("first figures of a large file", first, "ms")
    report("a key while it is read", keys, "ms")


main()
