#!/bin/sh
# Schema patterns and validation, end to end: batch mode on the bookstore against published figures.
set -u
program=${BUILD:-build/release}/bsonscope
command -v python3 >/dev/null || { echo "skipped: python3 is not there"; exit 77; }
[ -x "$program" ] || { echo "no program at $program"; exit 1; }
PROGRAM=$program exec python3 tests/batch/patterns.py
