#!/usr/bin/env python3
"""Opens a large .bson in the explorer: until the first figures stand there, and how long keys take while it is being read;
and a folder of two of half that size: from the key that opens the paths of the other one, all being measured anew, to their
first figures.

The files are made in the build folder and removed afterwards; $BENCH_MB sets their size (1,000). Prints, asserts nothing.
"""
import os
import re
import shutil
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


def paths_of_another(size):
    folder = os.path.join(os.environ.get("BUILD", "build"), "bench_large")
    names = [os.path.join(folder, "shop", name + ".bson") for name in ("carts", "orders")]
    took = []
    os.makedirs(os.path.dirname(names[0]), exist_ok=True)
    try:
        for name in names:
            make_file(name, size)
        for _ in range(3):
            e = Explorer(sys.argv[1], folder)
            e.wait_for(b"carts.*orders")
            for key in (b"1", b"p"):
                e.key(key)
                e.quiet(0.2)
            while True:  # until all is read: the first one's paths are exact
                e.key(b"\x0c")
                e.output = b""
                end = time.monotonic() + 0.5
                while time.monotonic() < end:
                    e.read(0.1)
                if "· exact".encode() in e.output:
                    break
            e.key(b"1r\x1b[B")
            e.output = b""
            e.key(b"p")
            took.append(e.wait_for("↓bytes".encode()))  # above figures only
            e.quit()
    finally:
        shutil.rmtree(folder)
    return took


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
    report("paths of another collection: first figures", paths_of_another(size // 2), "ms")


main()
